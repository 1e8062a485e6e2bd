//! Recoding: a function from values to published values, with rules for single equivalence classes.
//!
//! Algorithms return a recoding. An engine applies it as a projection while writing rows.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::data::contingency::{ContingencyTable, Weight, combine};
use crate::data::schema::Role;
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::{Code, Cut, NodeId, Taxonomy};
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::release::{PublishedColumn, Release};

/// Rule for an equivalence class after generalization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecodingRule {
    /// Suppresses the records of the class.
    Drop,
    /// Suppresses the cells of these columns (indices into the recoding).
    Hide(Vec<usize>),
    /// Replaces the published codes of the columns `on`, in their order.
    Publish(Box<[u32]>),
}

/// Recoding of one column.
#[derive(Debug, Clone)]
pub struct Recoded {
    /// Published column.
    pub column: PublishedColumn,
    /// Published code (index into `column.nodes`) by code of the table.
    pub map: Vec<u32>,
}

/// A function from the values of a table to published values.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// Recoded columns, in the order of the table.
    pub columns: Vec<Recoded>,
    /// Indices of the columns that define the classes of `rules`.
    pub on: Vec<usize>,
    /// Rules by published codes on the columns `on`.
    pub rules: HashMap<Box<[u32]>, RecodingRule>,
}

impl Recoding {
    /// Identity recoding: publishes every value unchanged.
    pub fn identity(table: &Table) -> Recoding {
        let raw = |tree: &Arc<Taxonomy>| {
            let tree = tree.with_leaves();
            let cut = Cut::bottom(&tree);
            (tree, cut)
        };
        Recoding::along(table, table.columns.iter().map(|column| raw(&column.tree)).collect())
    }

    /// Suppresses the quasi-identifiers, and publishes the other columns unchanged.
    pub fn suppressed(table: &Table) -> Recoding {
        let mut recoding = Recoding::identity(table);
        for at in table.with_role(Role::QuasiIdentifier) {
            let root = recoding.columns[at].column.root();
            recoding.columns[at].map.fill(root);
        }
        recoding
    }

    /// Generalizes each column to a cut of a tree with the same leaves.
    pub fn along(table: &Table, cuts: Vec<(Arc<Taxonomy>, Cut)>) -> Recoding {
        let above = cuts.into_iter().map(|(tree, cut)| {
            let above = cut.above(&tree);
            (tree, above)
        });
        Recoding::by_node(table, above.collect())
    }

    /// Publishes the given node for each column and code. Values that are never published are published as the root.
    pub fn by_node(table: &Table, nodes: Vec<(Arc<Taxonomy>, Vec<NodeId>)>) -> Recoding {
        let columns = table
            .columns
            .iter()
            .zip(nodes)
            .map(|(column, (tree, above))| {
                let above: Vec<NodeId> = above.into_iter().map(|node| tree.published_node(node)).collect();
                // The root is always available, for cells that rules suppress.
                let mut nodes: Vec<NodeId> = above.clone();
                nodes.sort_unstable_by_key(|id| (tree.node(*id).span.start, tree.node(*id).depth, *id));
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

    /// Writes the published codes of a combination to `into`. Returns false if its records are suppressed.
    pub fn publish(&self, contingency: &ContingencyTable, at: usize, into: &mut Vec<u32>) -> bool {
        into.clear();
        into.extend(
            self.columns.iter().zip(&contingency.codes).map(|(recoded, codes)| recoded.map[codes[at] as usize]),
        );
        if self.rules.is_empty() {
            return true;
        }
        let class: Vec<u32> = self.on.iter().map(|column| into[*column]).collect();
        match self.rules.get(class.as_slice()) {
            None => true,
            Some(RecodingRule::Drop) => false,
            Some(RecodingRule::Publish(codes)) => {
                self.on.iter().zip(codes).for_each(|(column, code)| into[*column] = *code);
                true
            }
            Some(RecodingRule::Hide(columns)) => {
                for column in columns {
                    into[*column] = self.columns[*column].column.root();
                }
                true
            }
        }
    }

    /// Index of each counted (untyped) combination in `published`; `None` if its records are suppressed.
    ///
    /// `published` must be ascending, as an engine reads it back.
    ///
    /// # Errors
    ///
    /// Returns an error if `published` does not contain a published combination.
    pub fn places(&self, table: &Table, counted: &ContingencyTable, published: &Counts) -> Result<Vec<Option<u32>>> {
        let differs = || Error::from(Obstacle::WrittenFileDiffers { fault: FileFault::Records });
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
        let mut one = ContingencyTable { codes: vec![vec![0]; self.columns.len()], weights: vec![1], owners: None };
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
            let key: Vec<u32> = texts.collect::<Option<_>>().ok_or_else(differs)?;
            published.contingency.find(&key).map(|at| Some(at as u32)).ok_or_else(differs)
        };
        (0..counted.len()).map(place).collect()
    }

    /// Generalizes the published values of columns further: each to the node of its floor, unless it is above it already.
    ///
    /// A floor has the node of a cut by code, for the published tree of the column. A value that is in several nodes of the floor is
    /// published as the lowest node of the tree above it. Records that were published alike still are.
    pub(crate) fn coarsened(&self, table: &Table, floors: &[(usize, &[NodeId])]) -> Recoding {
        let mut coarser = self.clone();
        // Published code after coarsening, by column, then by code before it.
        let mut after: Vec<Option<Vec<u32>>> = vec![None; self.columns.len()];
        for (column, floor) in floors {
            let published = &mut coarser.columns[*column].column;
            let tree = published.tree.clone();
            let nodes: Vec<NodeId> = published.nodes.iter().map(|node| at_floor(&tree, *node, floor)).collect();
            let place = |node: NodeId| {
                let known = published.nodes.iter().position(|known| *known == node);
                known.unwrap_or_else(|| {
                    published.nodes.push(node);
                    published.nodes.len() - 1
                }) as u32
            };
            after[*column] = Some(nodes.into_iter().map(place).collect());
        }
        let coarse = |column: usize, code: u32| after[column].as_ref().map_or(code, |codes| codes[code as usize]);
        // Rules refer to published codes before coarsening, so these stay, and every class gets a rule of its own.
        let keeps = |column: &usize| !self.rules.is_empty() && self.on.contains(column);
        for at in (0..self.columns.len()).filter(|at| !keeps(at)) {
            coarser.columns[at].map.iter_mut().for_each(|code| *code = coarse(at, *code));
        }
        if !self.rules.is_empty() {
            let mut row = Vec::new();
            for at in 0..table.contingency.len() {
                if self.publish(&table.contingency, at, &mut row) {
                    let key = |column: &usize| self.columns[*column].map[table.contingency.codes[*column][at] as usize];
                    let codes = self.on.iter().map(|column| coarse(*column, row[*column])).collect();
                    coarser.rules.insert(self.on.iter().map(key).collect(), RecodingRule::Publish(codes));
                }
            }
        }
        coarser
    }

    /// Applies the recoding to a table.
    pub fn apply(&self, table: &Table) -> Result<Release> {
        let contingency = &table.contingency;
        let mut codes: Vec<Vec<Code>> = vec![Vec::with_capacity(contingency.len()); self.columns.len()];
        let mut weights = Vec::with_capacity(contingency.len());
        let mut owners = contingency.owners.as_ref().map(|_| Vec::new());
        let mut row = Vec::new();
        for at in 0..contingency.len() {
            if !self.publish(contingency, at, &mut row) {
                continue;
            }
            for (into, code) in codes.iter_mut().zip(&row) {
                into.push(*code);
            }
            weights.push(contingency.weights[at]);
            if let (Some(into), Some(from)) = (&mut owners, &contingency.owners) {
                into.push(from[at]);
            }
        }
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let published = combine(&views, &weights, owners.as_deref());
        let suppressed: Weight = contingency.rows() - published.rows();
        let columns = self.columns.iter().map(|recoded| recoded.column.clone()).collect();
        Ok(Release { columns, contingency: published, suppressed })
    }
}

/// Returns the node of the floor that contains a node, or the lowest node of the tree that contains both.
fn at_floor(tree: &Taxonomy, node: NodeId, floor: &[NodeId]) -> NodeId {
    let codes = &tree.node(node).span;
    let Some(mut above) = floor.get(codes.start as usize).copied() else { return node };
    let is_of_tree = tree.node(node).parts.is_empty();
    while tree.node(above).span.end < codes.end {
        match tree.node(above).parent {
            Some(parent) => above = parent,
            None => return above,
        }
    }
    // A node above the floor stays. A set of values inside a node of the floor becomes this node.
    if is_of_tree && tree.node(above).depth > tree.node(node).depth { node } else { above }
}

impl Release {
    /// Release of the unchanged table.
    pub fn raw(table: &Table) -> Result<Release> {
        Recoding::identity(table).apply(table)
    }

    /// Texts and combinations of the release, as an engine reads the written file back.
    pub fn counts(&self) -> Counts {
        let labels = |column: &PublishedColumn| {
            let codes = 0..column.nodes.len() as u32;
            codes.map(|code| column.label(code).to_owned()).collect()
        };
        let counts = Counts {
            names: self.columns.iter().map(|column| column.name.clone()).collect(),
            values: self.columns.iter().map(labels).collect(),
            contingency: self.contingency.clone(),
            links: None,
        };
        counts.plain()
    }
}
