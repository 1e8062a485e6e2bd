//! A release: what was, or would be, published.

use std::sync::Arc;

use crate::combos::{Combos, Weight};
use crate::error::Result;
use crate::schema::Role;
use crate::table::position;
use crate::taxonomy::{NodeId, Taxonomy};

/// One published column. A published code is a place in `nodes`.
#[derive(Debug, Clone)]
pub struct PublishedColumn {
    /// Its name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// The taxonomy its published values are nodes of.
    pub tree: Arc<Taxonomy>,
    /// The nodes that can stand in a cell.
    pub nodes: Vec<NodeId>,
}

impl PublishedColumn {
    /// The text in a cell with this published code.
    pub fn label(&self, code: u32) -> &str {
        &self.tree.node(self.nodes[code as usize]).label
    }

    /// The published code of a cell that says nothing.
    pub fn root(&self) -> u32 {
        self.nodes.iter().position(|node| *node == 0).unwrap_or(0) as u32
    }
}

/// What is published: columns, and how many rows carry each combination of published values.
#[derive(Debug, Clone, Default)]
pub struct Release {
    /// The columns.
    pub columns: Vec<PublishedColumn>,
    /// The published combinations.
    pub combos: Combos,
    /// Records of the table that were left out.
    pub suppressed: Weight,
}

/// A release, as far as words can name it.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its columns, with what each is to an attacker.
    pub columns: Vec<(String, Role)>,
}

impl Release {
    /// The place of a column, or an error that names the nearest one.
    pub fn position(&self, name: &str) -> Result<usize> {
        position(name, self.columns.iter().map(|column| column.name.as_str()))
    }

    /// The places of several columns.
    pub fn positions(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }
}
