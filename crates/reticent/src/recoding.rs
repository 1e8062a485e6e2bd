//! A recoding: a function from values to published values, and what to do with the classes that need more.
//!
//! Algorithms answer with one; an engine applies it as an ordinary projection while it writes the rows.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::combos::{Combos, Weight, combine};
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::release::{PublishedColumn, Release};
use crate::table::{Counts, Table};
use crate::taxonomy::{Code, Cut, NodeId, Taxonomy};

/// What is done to a class of records after generalization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Its records are left out.
    Drop,
    /// These columns (places in the recoding) are published as their root.
    Hide(Vec<usize>),
    /// The columns that name the class are published as these, in their order.
    Publish(Box<[u32]>),
}

/// How one column is published.
#[derive(Debug, Clone)]
pub struct Recoded {
    /// The column.
    pub column: PublishedColumn,
    /// By code of the table: the place of the published node in `column.nodes`.
    pub map: Vec<u32>,
}

/// A function from the values of a table to published values.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// In the order of the table's columns.
    pub columns: Vec<Recoded>,
    /// The columns (places) whose published values name a class in `rules`.
    pub on: Vec<usize>,
    /// What happens to a class, by its published values on `on`.
    pub rules: HashMap<Box<[u32]>, Rule>,
}

impl Recoding {
    /// Publishes everything as it is.
    pub fn identity(table: &Table) -> Recoding {
        let raw = |tree: &Arc<Taxonomy>| {
            let tree = tree.with_leaves();
            let cut = Cut::bottom(&tree);
            (tree, cut)
        };
        Recoding::along(table, table.columns.iter().map(|column| raw(&column.tree)).collect())
    }

    /// Generalizes every column along a cut of a tree with the same leaves.
    pub fn along(table: &Table, cuts: Vec<(Arc<Taxonomy>, Cut)>) -> Recoding {
        let above = cuts.into_iter().map(|(tree, cut)| {
            let above = cut.above(&tree);
            (tree, above)
        });
        Recoding::by_node(table, above.collect())
    }

    /// Publishes, for every column and code, the given node.
    pub fn by_node(table: &Table, nodes: Vec<(Arc<Taxonomy>, Vec<NodeId>)>) -> Recoding {
        let columns = table
            .columns
            .iter()
            .zip(nodes)
            .map(|(column, (tree, above))| {
                // The root is always published last, for cells that are hidden class by class.
                let mut nodes: Vec<NodeId> = above.clone();
                nodes.sort_unstable_by_key(|id| (tree.node(*id).codes.start, tree.node(*id).depth, *id));
                nodes.dedup();
                if !nodes.contains(&0) {
                    nodes.push(0);
                }
                let place: HashMap<NodeId, u32> = nodes.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
                let map = above.iter().map(|id| place[id]).collect();
                let column = PublishedColumn { name: column.name.clone(), role: column.role, tree, nodes };
                Recoded { column, map }
            })
            .collect();
        Recoding { columns, on: Vec::new(), rules: HashMap::new() }
    }

    /// The published values of a combination of the table, or nothing when its records are left out.
    pub fn publish(&self, combos: &Combos, at: usize, into: &mut Vec<u32>) -> bool {
        into.clear();
        into.extend(self.columns.iter().zip(&combos.codes).map(|(recoded, codes)| recoded.map[codes[at] as usize]));
        if self.rules.is_empty() {
            return true;
        }
        let class: Vec<u32> = self.on.iter().map(|column| into[*column]).collect();
        match self.rules.get(class.as_slice()) {
            None => true,
            Some(Rule::Drop) => false,
            Some(Rule::Publish(codes)) => {
                self.on.iter().zip(codes).for_each(|(column, code)| into[*column] = *code);
                true
            }
            Some(Rule::Hide(columns)) => {
                for column in columns {
                    into[*column] = self.columns[*column].column.root();
                }
                true
            }
        }
    }

    /// By combination that was counted, before it was typed: its place among the published ones, none where its records
    /// are left out. `published` is ascending, as an engine reads it back.
    pub fn places(&self, table: &Table, counted: &Combos, published: &Counts) -> Result<Vec<Option<u32>>> {
        let other = || Error::from(Obstacle::WrittenFileDiffers { fault: FileFault::Records });
        let in_file: Vec<Vec<Option<u32>>> = self
            .columns
            .iter()
            .zip(&published.values)
            .map(|(recoded, texts)| {
                let place = |text: &str| texts.binary_search_by(|known| known.as_str().cmp(text)).ok();
                let codes = 0..recoded.column.nodes.len() as u32;
                codes.map(|code| place(recoded.column.label(code)).map(|at| at as u32)).collect()
            })
            .collect();
        let typed = |column: usize, at: usize| table.columns[column].texts[counted.codes[column][at] as usize].1;
        let mut one = Combos { codes: vec![vec![0]; self.columns.len()], weights: vec![1], owners: None };
        let mut row = Vec::new();
        let place = |at: usize| -> Result<Option<u32>> {
            for column in 0..self.columns.len() {
                let Some(code) = typed(column, at) else { return Ok(None) };
                one.codes[column][0] = code;
            }
            if !self.publish(&one, 0, &mut row) {
                return Ok(None);
            }
            let texts = row.iter().zip(&in_file).map(|(code, places)| places[*code as usize]);
            let key: Vec<u32> = texts.collect::<Option<_>>().ok_or_else(other)?;
            published.combos.find(&key).map(|at| Some(at as u32)).ok_or_else(other)
        };
        (0..counted.len()).map(place).collect()
    }

    /// The release that this recoding makes of a table.
    pub fn apply(&self, table: &Table) -> Result<Release> {
        let combos = &table.combos;
        let mut codes: Vec<Vec<Code>> = vec![Vec::with_capacity(combos.len()); self.columns.len()];
        let mut weights = Vec::with_capacity(combos.len());
        let mut owners = combos.owners.as_ref().map(|_| Vec::new());
        let mut row = Vec::new();
        for at in 0..combos.len() {
            if !self.publish(combos, at, &mut row) {
                continue;
            }
            for (into, code) in codes.iter_mut().zip(&row) {
                into.push(*code);
            }
            weights.push(combos.weights[at]);
            if let (Some(into), Some(from)) = (&mut owners, &combos.owners) {
                into.push(from[at]);
            }
        }
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let published = combine(&views, &weights, owners.as_deref());
        let suppressed: Weight = combos.rows() - published.rows();
        let columns = self.columns.iter().map(|recoded| recoded.column.clone()).collect();
        Ok(Release { columns, combos: published, suppressed })
    }
}

impl Release {
    /// The table as it would be published with nothing done to it.
    pub fn raw(table: &Table) -> Result<Release> {
        Recoding::identity(table).apply(table)
    }
}
