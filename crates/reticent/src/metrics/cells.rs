//! Published cells of each quasi-identifier: the number of records by raw value and published node.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Comparison;
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::release::PublishedColumn;

/// Counts of the cells of one column by raw value and published node.
///
/// A raw value is published as the node that the recoding assigns, or as the node that a recoding rule assigns. If a rule
/// suppresses the cell or the record, the cell counts as the root.
pub(super) struct PublishedCells<'a> {
    /// Index of the column in the table.
    pub place: usize,
    /// Published column.
    pub column: &'a PublishedColumn,
    /// Node that the recoding assigns, by raw code.
    nodes: Vec<NodeId>,
    /// Number of records published as that node, by raw code.
    recoded: Vec<Weight>,
    /// Number of records with a suppressed cell, by raw code.
    suppressed: Vec<Weight>,
    /// Number of records for which a rule assigns another node, by raw code and node.
    by_rule: BTreeMap<(Code, NodeId), Weight>,
}

impl PublishedCells<'_> {
    /// Iterates over (raw code, published node, number of records). A suppressed cell has the root, node 0.
    pub(super) fn each(&self) -> impl Iterator<Item = (Code, NodeId, Weight)> + '_ {
        let by_code = self.nodes.iter().zip(self.recoded.iter().zip(&self.suppressed)).zip(0..);
        let by_code =
            by_code.flat_map(|((node, (recoded, suppressed)), code)| [(code, *node, *recoded), (code, 0, *suppressed)]);
        by_code.chain(self.by_rule.iter().map(|((code, node), weight)| (*code, *node, *weight)))
    }

    /// Sums the cost of publishing a raw code as a node, over all cells.
    pub(super) fn total(&self, cost: impl Fn(Code, NodeId) -> f64) -> f64 {
        let occurring = self.each().filter(|(_, _, weight)| *weight > 0);
        occurring.map(|(code, node, weight)| weight as f64 * cost(code, node)).sum()
    }

    /// Returns the number of records of the raw table, by raw code.
    pub(super) fn raw(&self) -> Vec<Weight> {
        let mut raw: Vec<Weight> =
            self.recoded.iter().zip(&self.suppressed).map(|(recoded, suppressed)| recoded + suppressed).collect();
        self.by_rule.iter().for_each(|((code, _), weight)| raw[*code as usize] += weight);
        raw
    }
}

/// Leaves that a published node or set of values represents: disjoint ranges of codes, ascending.
pub(super) fn leaves(tree: &Taxonomy, node: NodeId) -> Vec<Range<Code>> {
    tree.ranges(node)
}

/// Number of leaves below a published node.
pub(super) fn leaf_count(tree: &Taxonomy, node: NodeId) -> usize {
    leaves(tree, node).iter().map(Range::len).sum()
}

/// Counts the cells of every quasi-identifier, in the column order of the table.
pub(super) fn cells<'a>(comparison: &Comparison<'a>) -> Vec<PublishedCells<'a>> {
    let (table, recoding) = (comparison.table, comparison.recoding);
    let places = table.with_role(Role::QuasiIdentifier);
    let mut columns: Vec<PublishedCells<'a>> = places.iter().map(|place| empty_cells(comparison, *place)).collect();
    let mut row = Vec::new();
    for at in 0..table.contingency.len() {
        let published = recoding.publish(&table.contingency, at, &mut row);
        let weight = table.contingency.weights[at];
        for (cells, place) in columns.iter_mut().zip(&places) {
            let code = table.contingency.codes[*place][at] as usize;
            let (column, map) = (&recoding.columns[*place].column, &recoding.columns[*place].map);
            let node = if published { column.nodes[row[*place] as usize] } else { 0 };
            match published && row[*place] == map[code] {
                true => cells.recoded[code] += weight,
                false if node == 0 => cells.suppressed[code] += weight,
                false => *cells.by_rule.entry((code as Code, node)).or_default() += weight,
            }
        }
    }
    columns
}

fn empty_cells<'a>(comparison: &Comparison<'a>, place: usize) -> PublishedCells<'a> {
    let recoded = &comparison.recoding.columns[place];
    let nodes: Vec<NodeId> = recoded.map.iter().map(|code| recoded.column.nodes[*code as usize]).collect();
    let none = vec![0; nodes.len()];
    PublishedCells {
        place,
        column: &recoded.column,
        nodes,
        recoded: none.clone(),
        suppressed: none,
        by_rule: BTreeMap::new(),
    }
}
