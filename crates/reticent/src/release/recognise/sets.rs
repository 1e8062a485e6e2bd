//! Recognition of sets of values, for example `{Dancer,Writer}`: the union of what their labels represent.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Recognised, RecognitionInput, TextKinds};
use crate::data::interval::masked_prefix;
use crate::data::schema::Role;
use crate::data::taxonomy::sets::parse_set;
use crate::data::taxonomy::{NodeId, Taxonomy};
use crate::text::without_formula_guard;

/// Texts of a column with sets: the other texts, followed by the labels of the sets that are not among them.
pub(super) struct ColumnWithSets<'a> {
    /// Texts to recognise instead of the sets.
    pub cells: Vec<&'a str>,
    /// Number of these texts that are published themselves.
    published: usize,
    /// Text of each cell: its index in `cells`, or those of the labels of a set.
    places: Vec<Vec<usize>>,
}

/// Labels of the sets of a column, by cell; `None` for a cell that is no set. Returns `None` if the column has no set.
///
/// A label of the taxonomy and a text for missing values are no sets. Without a taxonomy, only quasi-identifiers have sets.
pub(super) fn labels(input: &RecognitionInput<'_>, cells: &[&str]) -> Option<Vec<Option<Vec<String>>>> {
    let is_missing = |cell: &str| input.missing.iter().any(|text| without_formula_guard(text) == cell);
    let is_label = |cell: &str| input.tree.is_some_and(|tree| tree.find(cell).is_some());
    let read = |cell: &&str| parse_set(cell).filter(|_| !is_missing(cell) && !is_label(cell));
    if input.tree.is_none() && input.role != Role::QuasiIdentifier {
        return None;
    }
    let sets: Vec<Option<Vec<String>>> = cells.iter().map(read).collect();
    sets.iter().any(Option::is_some).then_some(sets)
}

impl<'a> ColumnWithSets<'a> {
    pub(super) fn new(cells: &[&'a str], sets: &'a [Option<Vec<String>>]) -> ColumnWithSets<'a> {
        let mut column = ColumnWithSets { cells: Vec::new(), published: 0, places: vec![Vec::new(); cells.len()] };
        let mut index: HashMap<&str, usize> = HashMap::new();
        for (at, cell) in cells.iter().enumerate().filter(|(at, _)| sets[*at].is_none()) {
            index.insert(cell, column.cells.len());
            column.places[at].push(column.cells.len());
            column.cells.push(cell);
        }
        column.published = column.cells.len();
        for (at, set) in sets.iter().enumerate() {
            for label in set.iter().flatten() {
                let label = without_formula_guard(label);
                let next = column.cells.len();
                let place = *index.entry(label).or_insert(next);
                if place == next {
                    column.cells.push(label);
                }
                column.places[at].push(place);
            }
        }
        column
    }

    /// Adds the sets to the taxonomy of the recognised column, and returns the column with a code for each text.
    pub(super) fn combine(&self, input: &RecognitionInput<'_>, recognised: Recognised) -> Recognised {
        let Recognised { mut column, values, mut kinds, missing } = recognised;
        for (cell, node) in self.cells.iter().zip(&column.nodes).skip(self.published) {
            *kinds.of(input, &column.tree, cell, *node) -= 1;
        }
        let tree = Arc::make_mut(&mut column.tree);
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.places.len() + 1);
        for places in &self.places {
            let labels: Vec<NodeId> = places.iter().map(|place| column.nodes[*place]).collect();
            kinds.sets += u64::from(labels.len() > 1);
            nodes.push(if let [only] = labels.as_slice() { *only } else { tree.add_union(&labels) });
        }
        if !nodes.contains(&0) {
            nodes.push(0);
        }
        column.nodes = nodes;
        Recognised { column, values, kinds, missing }
    }
}

impl TextKinds {
    /// Number of texts of the same kind as a recognised text.
    fn of(&mut self, input: &RecognitionInput<'_>, tree: &Taxonomy, cell: &str, id: NodeId) -> &mut u64 {
        let node = tree.node(id);
        match id {
            0 => &mut self.suppressed,
            _ if tree.missing().is_some_and(|code| tree.leaf_of(code) == id) => &mut self.missing,
            _ if input.tree.is_some() && node.is_leaf() => &mut self.values,
            _ if input.tree.is_some() => &mut self.taxonomy_nodes,
            _ if masked_prefix(cell).is_some() => &mut self.masked,
            _ if tree.interval(id).is_some_and(|interval| !interval.is_point()) => &mut self.intervals,
            _ => &mut self.values,
        }
    }
}
