//! Segments of sensitive numbers and dates: the intervals between the cuts of all releases.
//!
//! Each segment acts as one value. A published interval covers the segments within it, so that intervals of different releases
//! are comparable. The number of distinct values in a segment is unknown. So if an interval covers several segments, bounds are
//! valid, but no posterior is exact.

use crate::data::interval::Interval;
use crate::data::schema::Role;
use crate::data::taxonomy::{NodeId, Type};
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};

/// The segments of a column, and its values that are not numbers.
#[derive(Debug, Clone)]
pub(super) struct SensitiveScale {
    segments: Vec<Interval>,
    /// Labels of the segments, followed by the labels of the other values.
    pub labels: Vec<String>,
}

/// A cut: a number, and whether the cut is just after it instead of just before it.
type ScaleCut = (f64, bool);

impl SensitiveScale {
    /// Builds the segments of a column. Returns `None` if the column shows no intervals.
    pub(super) fn new(history: &History, name: &str) -> Option<SensitiveScale> {
        let mut shown: Vec<(Interval, String)> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        let mut dates = false;
        for column in history.releases.iter().filter_map(|recorded| sensitive_column(recorded, name)) {
            dates |= column.0.tree.value_type() == Type::Date;
            for node in used_nodes(column.0, column.1) {
                let label = column.0.tree.node(node).label.clone();
                match published_bounds(column.0, node) {
                    Some(interval) => shown.push((interval, label)),
                    None => others.push(label),
                }
            }
        }
        if shown.iter().all(|(interval, _)| interval.is_point()) {
            return None;
        }
        let mut cuts: Vec<Option<ScaleCut>> =
            shown.iter().flat_map(|(interval, _)| [lower_cut(interval), upper_cut(interval)]).collect();
        cuts.extend([None, None]);
        let mut finite: Vec<ScaleCut> = cuts.into_iter().flatten().collect();
        finite.sort_unstable_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)));
        finite.dedup();
        let cuts: Vec<Option<ScaleCut>> =
            [None].into_iter().chain(finite.into_iter().map(Some)).chain([None]).collect();
        let mut scale = SensitiveScale { segments: Vec::new(), labels: Vec::new() };
        for two in cuts.windows(2) {
            let (low, high) = (two[0].map(|(at, after)| (at, !after)), two[1]);
            let Some(segment) = Interval::between(low, high) else { continue };
            // There is no date between two consecutive days.
            let empty = dates && matches!((low, high), (Some((a, false)), Some((b, false))) if b - a <= 1.0);
            if empty || !shown.iter().any(|(interval, _)| segment.within(interval)) {
                continue;
            }
            let known = shown.iter().find(|(interval, _)| *interval == segment).map(|(_, label)| label.clone());
            scale.labels.push(known.unwrap_or_else(|| segment_label(&segment)));
            scale.segments.push(segment);
        }
        others.sort_unstable();
        others.dedup();
        scale.labels.extend(others);
        Some(scale)
    }

    /// Indices of the values that a published cell covers, in ascending order.
    pub(super) fn segments_of(&self, column: &PublishedColumn, code: u32) -> Vec<u32> {
        let parts = column.tree.nodes_of(column.nodes[code as usize]);
        let mut segments: Vec<u32> = parts.flat_map(|part| self.segments_of_node(column, part)).collect();
        segments.sort_unstable();
        segments.dedup();
        segments
    }

    fn segments_of_node(&self, column: &PublishedColumn, node: NodeId) -> Vec<u32> {
        match published_bounds(column, node) {
            Some(interval) => {
                (0..).zip(&self.segments).filter(|(_, segment)| segment.within(&interval)).map(|(at, _)| at).collect()
            }
            None => {
                let label = &column.tree.node(node).label;
                let others = (0..).zip(&self.labels).skip(self.segments.len());
                others.filter(|(_, known)| *known == label).map(|(at, _)| at).collect()
            }
        }
    }
}

/// The interval of a published cell; `None` if it is not a number.
fn published_bounds(column: &PublishedColumn, node: NodeId) -> Option<Interval> {
    let is_missing = column.tree.missing().is_some_and(|code| column.tree.leaf_of(code) == node);
    if is_missing {
        return None;
    }
    let label = &column.tree.node(node).label;
    column.tree.interval(node).or_else(|| Interval::parse(Type::Number, label).filter(Interval::is_point))
}

fn lower_cut(interval: &Interval) -> Option<ScaleCut> {
    interval.low.map(|low| (low, !interval.low_in))
}

fn upper_cut(interval: &Interval) -> Option<ScaleCut> {
    interval.high.map(|high| (high, interval.high_in))
}

/// Label of a segment that no release publishes.
fn segment_label(segment: &Interval) -> String {
    let open = if segment.low_in { '[' } else { '(' };
    let close = if segment.high_in { ']' } else { ')' };
    let low = segment.low.map(|low| low.to_string()).unwrap_or_default();
    let high = segment.high.map(|high| high.to_string()).unwrap_or_default();
    if segment.is_point() { low } else { format!("{open}{low},{high}{close}") }
}

/// The sensitive column with this name and its codes.
fn sensitive_column<'a>(recorded: &'a RecordedRelease, name: &str) -> Option<(&'a PublishedColumn, &'a [u32])> {
    let at =
        recorded.release.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive)?;
    Some((&recorded.release.columns[at], &recorded.release.contingency.codes[at]))
}

/// Nodes that some record shows, except suppressed ones. A set of values counts as its parts.
fn used_nodes(column: &PublishedColumn, codes: &[u32]) -> Vec<NodeId> {
    let mut used = vec![false; column.nodes.len()];
    codes.iter().for_each(|code| used[*code as usize] = true);
    let nodes = column.nodes.iter().zip(used);
    nodes.filter(|(node, used)| *used && **node != 0).flat_map(|(node, _)| column.tree.nodes_of(*node)).collect()
}
