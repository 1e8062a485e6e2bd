//! Sensitive numbers and dates of which some release shows intervals: cut where any release cuts them.
//!
//! What is left between two cuts is one value. A published interval covers the pieces that lie in it, so what releases have in
//! common is known. How many numbers lie in a piece is not: where some interval covers several, bounds are true and nothing is
//! exact.

use crate::history::{Held, History};
use crate::interval::Interval;
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::taxonomy::{NodeId, Type};

/// The pieces of a column, and what stands beside them.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    pieces: Vec<Interval>,
    /// By piece, and then by what is no number: what it reads.
    pub reads: Vec<String>,
}

/// A place on the scale: just before a number, or just after it.
type Cut = (f64, bool);

impl Scale {
    /// None when the column shows single values only, or no numbers.
    pub(super) fn of(history: &History, name: &str) -> Option<Scale> {
        let mut shown: Vec<(Interval, String)> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        let mut dates = false;
        for column in history.releases.iter().filter_map(|held| sensitive(held, name)) {
            dates |= column.0.tree.value_type() == Type::Date;
            for node in used(column.0, column.1) {
                let label = column.0.tree.node(node).label.clone();
                match told(column.0, node) {
                    Some(interval) => shown.push((interval, label)),
                    None => others.push(label),
                }
            }
        }
        if shown.iter().all(|(interval, _)| interval.is_one()) {
            return None;
        }
        let mut cuts: Vec<Option<Cut>> =
            shown.iter().flat_map(|(interval, _)| [begins(interval), ends(interval)]).collect();
        cuts.extend([None, None]);
        let mut finite: Vec<Cut> = cuts.into_iter().flatten().collect();
        finite.sort_unstable_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)));
        finite.dedup();
        let cuts: Vec<Option<Cut>> = [None].into_iter().chain(finite.into_iter().map(Some)).chain([None]).collect();
        let mut scale = Scale { pieces: Vec::new(), reads: Vec::new() };
        for two in cuts.windows(2) {
            let (low, high) = (two[0].map(|(at, after)| (at, !after)), two[1]);
            let Some(piece) = Interval::between(low, high) else { continue };
            // Between a day and the next there is none.
            let empty = dates && matches!((low, high), (Some((a, false)), Some((b, false))) if b - a <= 1.0);
            if empty || !shown.iter().any(|(interval, _)| piece.within(interval)) {
                continue;
            }
            let known = shown.iter().find(|(interval, _)| *interval == piece).map(|(_, label)| label.clone());
            scale.reads.push(known.unwrap_or_else(|| reads(&piece)));
            scale.pieces.push(piece);
        }
        others.sort_unstable();
        others.dedup();
        scale.reads.extend(others);
        Some(scale)
    }

    /// The values that a published cell covers, ascending.
    pub(super) fn below(&self, column: &PublishedColumn, code: u32) -> Vec<u32> {
        let node = column.nodes[code as usize];
        match told(column, node) {
            Some(interval) => {
                (0..).zip(&self.pieces).filter(|(_, piece)| piece.within(&interval)).map(|(at, _)| at).collect()
            }
            None => {
                let label = &column.tree.node(node).label;
                let others = (0..).zip(&self.reads).skip(self.pieces.len());
                others.filter(|(_, known)| *known == label).map(|(at, _)| at).collect()
            }
        }
    }
}

/// What a cell says as an interval; none where it is no number.
fn told(column: &PublishedColumn, node: NodeId) -> Option<Interval> {
    let is_missing = column.tree.missing().is_some_and(|code| column.tree.leaf_of(code) == node);
    if is_missing {
        return None;
    }
    let label = &column.tree.node(node).label;
    column.tree.interval(node).or_else(|| Interval::parse(Type::Number, label).filter(Interval::is_one))
}

fn begins(interval: &Interval) -> Option<Cut> {
    interval.low.map(|low| (low, !interval.low_in))
}

fn ends(interval: &Interval) -> Option<Cut> {
    interval.high.map(|high| (high, interval.high_in))
}

/// A piece that no release shows as it is.
fn reads(piece: &Interval) -> String {
    let open = if piece.low_in { '[' } else { '(' };
    let close = if piece.high_in { ']' } else { ')' };
    let low = piece.low.map(|low| low.to_string()).unwrap_or_default();
    let high = piece.high.map(|high| high.to_string()).unwrap_or_default();
    if piece.is_one() { low } else { format!("{open}{low},{high}{close}") }
}

/// The column of that name, where it is sensitive, and its codes.
fn sensitive<'a>(held: &'a Held, name: &str) -> Option<(&'a PublishedColumn, &'a [u32])> {
    let at = held.release.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive)?;
    Some((&held.release.columns[at], &held.release.combos.codes[at]))
}

/// The nodes that some record shows, without those that say nothing.
fn used(column: &PublishedColumn, codes: &[u32]) -> Vec<NodeId> {
    let mut used = vec![false; column.nodes.len()];
    codes.iter().for_each(|code| used[*code as usize] = true);
    let nodes = column.nodes.iter().zip(used);
    nodes.filter(|(node, used)| *used && **node != 0).map(|(node, _)| *node).collect()
}
