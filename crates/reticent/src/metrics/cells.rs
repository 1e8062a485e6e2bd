//! What became of the cells of each quasi-identifier: in how many records which raw value is published as which node.

use std::collections::BTreeMap;

use super::Comparison;
use crate::combos::Weight;
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::taxonomy::{Code, NodeId};

/// The cells of one column. A raw value is published as the node the recoding gives it, as another where a rule says so, or,
/// where a rule hides the cell or leaves out the record, as the root.
pub(super) struct Cells<'a> {
    /// The column.
    pub column: &'a PublishedColumn,
    /// By code: the node that the recoding gives it.
    nodes: Vec<NodeId>,
    /// By code: records that show that node.
    shown: Vec<Weight>,
    /// By code: records that show nothing.
    hidden: Vec<Weight>,
    /// By code and node: records for which a rule says another node.
    others: BTreeMap<(Code, NodeId), Weight>,
}

impl Cells<'_> {
    /// Every (raw value, published node) with the number of its records; a suppressed record shows the root.
    pub(super) fn each(&self) -> impl Iterator<Item = (Code, NodeId, Weight)> + '_ {
        let by_code = self.nodes.iter().zip(self.shown.iter().zip(&self.hidden)).zip(0..);
        let by_code = by_code.flat_map(|((node, (shown, hidden)), code)| [(code, *node, *shown), (code, 0, *hidden)]);
        by_code.chain(self.others.iter().map(|((code, node), weight)| (*code, *node, *weight)))
    }

    /// The sum over all cells of what publishing a raw value as a node costs.
    pub(super) fn total(&self, cost: impl Fn(Code, NodeId) -> f64) -> f64 {
        let occurring = self.each().filter(|(_, _, weight)| *weight > 0);
        occurring.map(|(code, node, weight)| weight as f64 * cost(code, node)).sum()
    }

    /// By code: records of the table with that raw value.
    pub(super) fn raw(&self) -> Vec<Weight> {
        let mut raw: Vec<Weight> = self.shown.iter().zip(&self.hidden).map(|(shown, hidden)| shown + hidden).collect();
        self.others.iter().for_each(|((code, _), weight)| raw[*code as usize] += weight);
        raw
    }
}

/// The cells of every quasi-identifier column, in the order of the table.
pub(super) fn cells<'a>(comparison: &Comparison<'a>) -> Vec<Cells<'a>> {
    let (table, recoding) = (comparison.table, comparison.recoding);
    let places = table.with_role(Role::QuasiIdentifier);
    let mut columns: Vec<Cells<'a>> = places.iter().map(|place| unfilled(comparison, *place)).collect();
    let mut row = Vec::new();
    for at in 0..table.combos.len() {
        let published = recoding.publish(&table.combos, at, &mut row);
        let weight = table.combos.weights[at];
        for (cells, place) in columns.iter_mut().zip(&places) {
            let code = table.combos.codes[*place][at] as usize;
            let (column, map) = (&recoding.columns[*place].column, &recoding.columns[*place].map);
            let node = if published { column.nodes[row[*place] as usize] } else { 0 };
            match published && row[*place] == map[code] {
                true => cells.shown[code] += weight,
                false if node == 0 => cells.hidden[code] += weight,
                false => *cells.others.entry((code as Code, node)).or_default() += weight,
            }
        }
    }
    columns
}

fn unfilled<'a>(comparison: &Comparison<'a>, place: usize) -> Cells<'a> {
    let recoded = &comparison.recoding.columns[place];
    let nodes: Vec<NodeId> = recoded.map.iter().map(|code| recoded.column.nodes[*code as usize]).collect();
    let none = vec![0; nodes.len()];
    Cells { column: &recoded.column, nodes, shown: none.clone(), hidden: none, others: BTreeMap::new() }
}
