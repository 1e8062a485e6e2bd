//! Releases: published tables, their history and their recipients.

pub mod classes;
pub(crate) mod history;
pub(crate) mod identified;
pub(crate) mod recipients;
pub(crate) mod recoding;
pub mod recognise;
pub(crate) mod record_sets;

use std::sync::Arc;

use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::table::position;
use crate::data::taxonomy::{NodeId, Taxonomy};
use crate::error::Result;

/// A published column. A published code is an index into `nodes`.
#[derive(Debug, Clone)]
pub struct PublishedColumn {
    /// Column name.
    pub name: String,
    /// Role in the attack model.
    pub role: Role,
    /// Taxonomy of the published values.
    pub tree: Arc<Taxonomy>,
    /// Nodes that can be published, by published code.
    pub nodes: Vec<NodeId>,
}

impl PublishedColumn {
    /// Published text of a code.
    pub fn label(&self, code: u32) -> &str {
        &self.tree.node(self.nodes[code as usize]).label
    }

    /// Published code of a suppressed cell.
    pub fn root(&self) -> u32 {
        self.nodes.iter().position(|node| *node == 0).unwrap_or(0) as u32
    }
}

/// A published table: columns, and the number of rows by combination of published values.
#[derive(Debug, Clone, Default)]
pub struct Release {
    /// Published columns.
    pub columns: Vec<PublishedColumn>,
    /// Published combinations with their number of rows.
    pub contingency: ContingencyTable,
    /// Number of suppressed records of the table.
    pub suppressed: Weight,
}

/// Name and columns of a release, for resolving the column names of a policy.
#[derive(Debug, Clone)]
pub struct Member {
    /// Release name.
    pub name: String,
    /// Column names with their roles.
    pub columns: Vec<(String, Role)>,
    /// Whether it is a population register. Its people and values need no protection.
    pub population: bool,
}

impl Release {
    /// Index of a column.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such column. The error suggests the most similar name.
    pub fn position(&self, name: &str) -> Result<usize> {
        position(name, self.columns.iter().map(|column| column.name.as_str()))
    }

    /// Indices of several columns.
    ///
    /// # Errors
    ///
    /// Returns an error if a column does not exist.
    pub fn positions(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }
}
