//! What a specialization gains.
//!
//! entropy         InfoGain(v) = Ent(T[v]) - sum over children c of |T[c]| / |T[v]| Ent(T[c]), entropy of the class column.
//! distortion      the distortion undone: one unit for every record of T[v]; for an interval the width it loses, in units
//!                 of the whole width.
//! discernibility  the sum over classes of |class|^2 undone; depends on the classes, so the partition measures it.
//!
//! The first two depend on the table alone. They are read off prefix sums over codes, since every node is a code range.

use super::partition::Dimension;
use crate::algorithms::Purpose;
use crate::error::{Error, Result};
use crate::registry::Arguments;
use crate::table::Table;
use crate::taxonomy::{Code, NodeId};
use std::ops::Range;

/// What a step is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::algorithms) enum Gain {
    Entropy,
    Distortion,
    Discernibility,
}

impl Gain {
    /// What the parameter `gain` says, for a purpose.
    pub(in crate::algorithms) fn chosen(arguments: &Arguments, purpose: &Purpose) -> Result<Gain> {
        match (arguments.word("gain")?, purpose) {
            ("entropy", Purpose::General) => {
                Err(Error::policy(None, "`gain = \"entropy\"` needs `purpose = { classify = \"column\" }`"))
            }
            ("entropy", _) | ("auto", Purpose::Classification(_)) => Ok(Gain::Entropy),
            ("discernibility", _) => Ok(Gain::Discernibility),
            _ => Ok(Gain::Distortion),
        }
    }
}

/// Reads gains off prefix sums.
pub(super) struct Guide {
    pub(super) gain: Gain,
    /// By dimension, by code and one more: records before this code, by class label (one label without a class).
    before: Vec<Vec<u64>>,
    labels: usize,
}

impl Guide {
    pub(super) fn new(gain: Gain, table: &Table, columns: &[usize], purpose: &Purpose) -> Result<Guide> {
        let class = match (gain, purpose) {
            (Gain::Entropy, Purpose::Classification(column)) => Some(table.position(column)?),
            _ => None,
        };
        let labels = class.map_or(1, |class| table.columns[class].tree.len());
        let before = columns.iter().map(|column| {
            let codes = table.columns[*column].tree.len();
            let mut sums = vec![0u64; (codes + 1) * labels];
            for at in 0..table.combos.len() {
                let label = class.map_or(0, |class| table.combos.codes[class][at] as usize);
                sums[(table.combos.codes[*column][at] as usize + 1) * labels + label] += table.combos.weights[at];
            }
            for at in labels..sums.len() {
                sums[at] += sums[at - labels];
            }
            sums
        });
        Ok(Guide { gain, before: before.collect(), labels })
    }

    fn records(&self, dimension: usize, codes: &Range<Code>) -> u64 {
        (0..self.labels).map(|label| self.count(dimension, codes, label)).sum()
    }

    fn count(&self, dimension: usize, codes: &Range<Code>, label: usize) -> u64 {
        let sums = &self.before[dimension];
        sums[codes.end as usize * self.labels + label] - sums[codes.start as usize * self.labels + label]
    }

    /// Records of a range, and their entropy over the class labels in bits.
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
        // What rounding leaves of nothing is nothing.
        let gained = entropy - after;
        if gained.abs() < 1e-12 { 0.0 } else { gained }
    }

    /// The gain of replacing a value by its given children.
    pub(super) fn gain_of(&self, dimension: usize, of: &Dimension, node: NodeId) -> f64 {
        let tree = &of.tree;
        let codes = &tree.node(node).codes;
        match self.gain {
            Gain::Entropy => self.entropy_gain(
                dimension,
                codes,
                tree.node(node).children.iter().map(|child| tree.node(*child).codes.clone()),
            ),
            Gain::Distortion => self.records(dimension, codes) as f64,
            Gain::Discernibility => 0.0,
        }
    }

    /// The gain of splitting an interval.
    pub(super) fn split_gain(&self, dimension: usize, of: &Dimension, node: NodeId, at: Code) -> f64 {
        let codes = of.tree.node(node).codes.clone();
        let parts = [codes.start..at, at..codes.end];
        match self.gain {
            Gain::Entropy => self.entropy_gain(dimension, &codes, parts.into_iter()),
            Gain::Distortion => {
                let width = |part: &Range<Code>| of.width(part);
                let whole = width(&codes);
                parts.iter().map(|part| self.records(dimension, part) as f64 * (whole - width(part))).sum()
            }
            Gain::Discernibility => 0.0,
        }
    }

    /// Where to split an interval, best first; an empty list for a value with given children; nothing for a leaf, or
    /// where there are no records.
    pub(super) fn splits(&self, dimension: usize, of: &Dimension, node: NodeId) -> Option<Vec<Code>> {
        let codes = of.tree.node(node).codes.clone();
        if self.records(dimension, &codes) == 0 {
            return None;
        }
        if !of.tree.can_grow(node) {
            return (!of.tree.node(node).children.is_empty()).then(Vec::new);
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

    /// The code that leaves the two sides as equal as can be.
    fn median(&self, dimension: usize, codes: &Range<Code>) -> Code {
        let total = self.records(dimension, codes);
        let uneven = |at: &Code| total.abs_diff(2 * self.records(dimension, &(codes.start..*at)));
        (codes.start + 1..codes.end).min_by_key(uneven).unwrap_or(codes.start + 1)
    }
}
