//! Information gain of a specialization.
//!
//! entropy         InfoGain(v) = Ent(T[v]) - sum over children c of |T[c]| / |T[v]| Ent(T[c]), entropy of the labels: the class column, or
//!                 the clusters of the raw data.
//! distortion      reduction of distortion: 1 for every record of T[v]; for an interval, the reduction of its relative width; times the
//!                 weight of the column.
//! loss            reduction of the loss of the release (`loss.rs`): of the conditional class entropy, the penalty or the
//!                 discernibility. It depends on the classes, so `partition.rs` computes it.
//!
//! The first two depend on the table only. Every node is a range of codes, so they are computed from prefix sums over codes.

use super::dimension::SplitDimension;
use crate::algorithms::Purpose;
use crate::algorithms::objective::Objective;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId};
use crate::error::{Error, Result};
use crate::registry::Arguments;
use std::ops::Range;

/// Measure of the information gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::algorithms) enum Gain {
    Entropy,
    Distortion,
    Discernibility,
}

impl Gain {
    /// Returns the measure that the parameter `gain` selects for a purpose.
    pub(in crate::algorithms) fn from_arguments(arguments: &Arguments, purpose: &Purpose) -> Result<Gain> {
        match (arguments.word("gain")?, purpose) {
            (word @ ("entropy" | "conditional-entropy"), Purpose::General | Purpose::Queries(_)) => {
                let message =
                    format!("`gain = \"{word}\"` needs `purpose = {{ classify = \"column\" }}` or `{{ cluster = 5 }}`");
                Err(Error::policy(None, message))
            }
            ("entropy" | "conditional-entropy", _) | ("auto", Purpose::Classification(_) | Purpose::Clusters(_)) => {
                Ok(Gain::Entropy)
            }
            ("discernibility", _) => Ok(Gain::Discernibility),
            _ => Ok(Gain::Distortion),
        }
    }
}

/// Gains from prefix sums.
pub(super) struct GainTable {
    pub(super) gain: Gain,
    /// Number of records before each code, by dimension, code and label. A gain without labels has one label.
    prefix_counts: Vec<Vec<u64>>,
    labels: usize,
    /// Weight by dimension.
    weights: Vec<f64>,
}

impl GainTable {
    pub(super) fn new(gain: Gain, table: &Table, columns: &[usize], objective: Objective) -> GainTable {
        let known = objective.labels.as_ref().filter(|_| gain == Gain::Entropy);
        let labels = known.map_or(1, |labels| labels.count);
        let before = columns.iter().map(|column| {
            let codes = table.columns[*column].tree.len();
            let mut sums = vec![0u64; (codes + 1) * labels];
            for at in 0..table.contingency.len() {
                let label = known.map_or(0, |labels| labels.by_combination[at] as usize);
                sums[(table.contingency.codes[*column][at] as usize + 1) * labels + label] +=
                    table.contingency.weights[at];
            }
            for at in labels..sums.len() {
                sums[at] += sums[at - labels];
            }
            sums
        });
        GainTable { gain, prefix_counts: before.collect(), labels, weights: objective.weights }
    }

    fn records(&self, dimension: usize, codes: &Range<Code>) -> u64 {
        (0..self.labels).map(|label| self.count(dimension, codes, label)).sum()
    }

    fn count(&self, dimension: usize, codes: &Range<Code>, label: usize) -> u64 {
        let sums = &self.prefix_counts[dimension];
        sums[codes.end as usize * self.labels + label] - sums[codes.start as usize * self.labels + label]
    }

    /// Returns the number of records in a range of codes, and the entropy of their labels in bits.
    fn entropy(&self, dimension: usize, codes: &Range<Code>) -> (f64, f64) {
        let total = self.records(dimension, codes) as f64;
        let mut entropy = 0.0;
        for label in 0..self.labels {
            let count = self.count(dimension, codes, label) as f64;
            if count > 0.0 {
                let share = count / total;
                entropy -= share * share.log2();
            }
        }
        (total, entropy)
    }

    fn entropy_gain(&self, dimension: usize, whole: &Range<Code>, parts: impl Iterator<Item = Range<Code>>) -> f64 {
        let (total, entropy) = self.entropy(dimension, whole);
        let mut after = 0.0;
        for part in parts {
            let (records, entropy) = self.entropy(dimension, &part);
            if records > 0.0 {
                after += records / total * entropy;
            }
        }
        // Treat rounding errors as zero gain.
        let gained = entropy - after;
        if gained.abs() < 1e-12 { 0.0 } else { gained }
    }

    /// Returns the gain of replacing a value by its given children.
    pub(super) fn gain_of(&self, dimension: usize, split_dimension: &SplitDimension, node: NodeId) -> f64 {
        let tree = &split_dimension.tree;
        let codes = &tree.node(node).span;
        match self.gain {
            Gain::Entropy => self.entropy_gain(
                dimension,
                codes,
                tree.node(node).children.iter().map(|child| tree.node(*child).span.clone()),
            ),
            Gain::Distortion => self.weights[dimension] * self.records(dimension, codes) as f64,
            Gain::Discernibility => 0.0,
        }
    }

    /// Returns the gain of splitting an interval.
    pub(super) fn split_gain(&self, dimension: usize, split_dimension: &SplitDimension, node: NodeId, at: Code) -> f64 {
        let codes = split_dimension.tree.node(node).span.clone();
        let parts = [codes.start..at, at..codes.end];
        match self.gain {
            Gain::Entropy => self.entropy_gain(dimension, &codes, parts.into_iter()),
            Gain::Distortion => {
                let width = |part: &Range<Code>| split_dimension.width(part);
                let whole = width(&codes);
                let reduced: f64 =
                    parts.iter().map(|part| self.records(dimension, part) as f64 * (whole - width(part))).sum();
                self.weights[dimension] * reduced
            }
            Gain::Discernibility => 0.0,
        }
    }

    /// Returns the codes at which to split an interval, best first. Returns an empty list for a value with given children, and `None`
    /// for a leaf or a value without records.
    pub(super) fn splits(&self, dimension: usize, split_dimension: &SplitDimension, node: NodeId) -> Option<Vec<Code>> {
        let codes = split_dimension.tree.node(node).span.clone();
        if self.records(dimension, &codes) == 0 {
            return None;
        }
        if !split_dimension.tree.can_grow(node) {
            return (!split_dimension.tree.node(node).children.is_empty()).then(Vec::new);
        }
        let mut splits = Vec::new();
        if self.gain == Gain::Entropy {
            let mut best: Option<(f64, Code)> = None;
            for at in codes.start + 1..codes.end {
                let gain = self.entropy_gain(dimension, &codes, [codes.start..at, at..codes.end].into_iter());
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, at));
                }
            }
            splits.extend(best.map(|(_, at)| at));
        }
        let half = self.median(dimension, &codes);
        if !splits.contains(&half) {
            splits.push(half);
        }
        Some(splits)
    }

    /// Returns the code that splits the records most evenly.
    fn median(&self, dimension: usize, codes: &Range<Code>) -> Code {
        let total = self.records(dimension, codes);
        let uneven = |at: &Code| total.abs_diff(2 * self.records(dimension, &(codes.start..*at)));
        (codes.start + 1..codes.end).min_by_key(uneven).unwrap_or(codes.start + 1)
    }
}
