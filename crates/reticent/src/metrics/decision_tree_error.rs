//! Decision tree error: the test error of a decision tree that is trained on the release.
//!
//! Definition  error on the published test records of a binary tree (CART) trained on the published training records. A
//!             split is the threshold on an ordinal with the greatest decrease of the Gini index. The depth is at most 12,
//!             and a leaf has at least 1/1000 of the training records.
//! Suppressed  records are in neither set. The text also gives the error on the raw table, with all records.
//! Missing     a missing value is a separate value.
//! Paper       Wang and Fung, KDD 2006, section 6 (classification error); Breiman et al. 1984; survey section 4.2.

use super::learning::{self, LabelledRecords, TrainTestSplit};
use super::{Comparison, Measure, MetricDef};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: MetricDef = MetricDef {
    entry: Entry {
        kind: Kind::Metric,
        id: "decision-tree-error",
        title: "decision tree error",
        summary: "Error on the published test records of a decision tree (Gini index, depth at most 12) trained on the published \
                  training records; two thirds of the records train.",
        paper: "Wang and Fung, Anonymizing sequential releases, KDD 2006; Breiman et al., Classification and regression trees, 1984",
        protects_against: "accuracy of classifiers trained on the release",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::decision_tree", "laws::metrics"],
    },
    measure,
};

const MAX_DEPTH: u32 = 12;
/// A leaf has at least 1 / `LEAF_FRACTION` of the training records.
const LEAF_FRACTION: usize = 1000;

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    learning::measure(
        comparison,
        predict,
        "a decision tree (depth at most 12, at least 1/1000 of the training records in a leaf)",
    )
}

/// Returns the test error of the decision tree for a given split into training and test records.
///
/// Returns `None` if there are no training records or no test records.
pub fn decision_tree_error(split_data: &TrainTestSplit) -> Option<f64> {
    learning::error(split_data, predict)
}

pub(super) fn predict(split_data: &TrainTestSplit) -> Vec<u32> {
    let builder = TreeBuilder::new(&split_data.training);
    let mut members: Vec<usize> = (0..split_data.training.labels.len()).collect();
    let tree = builder.grow(&mut members, MAX_DEPTH);
    (0..split_data.test.labels.len()).map(|record| tree.label(&split_data.test, record)).collect()
}

enum DecisionTree {
    Leaf(u32),
    Split { feature: usize, at: u32, below: Box<DecisionTree>, rest: Box<DecisionTree> },
}

impl DecisionTree {
    fn label(&self, records: &LabelledRecords, record: usize) -> u32 {
        match self {
            DecisionTree::Leaf(label) => *label,
            DecisionTree::Split { feature, at, below, rest } => {
                let side = if records.features[*feature][record] < *at { below } else { rest };
                side.label(records, record)
            }
        }
    }
}

/// Builds a decision tree from records.
///
/// This is not smartcore 0.7, which tries a threshold only where the labels of two neighbouring records differ. Published values
/// repeat, so it misses splits between values that both have several labels.
struct TreeBuilder<'a> {
    records: &'a LabelledRecords,
    labels: usize,
    min_leaf: usize,
}

impl TreeBuilder<'_> {
    fn new(records: &LabelledRecords) -> TreeBuilder<'_> {
        let labels = records.labels.iter().max().map_or(0, |highest| *highest as usize + 1);
        TreeBuilder { records, labels, min_leaf: (records.labels.len() / LEAF_FRACTION).max(1) }
    }

    fn grow(&self, members: &mut [usize], depth: u32) -> DecisionTree {
        let split = if depth == 0 { None } else { self.best(members) };
        let Some((feature, at)) = split else { return DecisionTree::Leaf(self.majority(members)) };
        let values = &self.records.features[feature];
        members.sort_unstable_by_key(|member| (values[*member] >= at, *member));
        let (below, rest) = members.split_at_mut(members.partition_point(|member| values[*member] < at));
        let below = Box::new(self.grow(below, depth - 1));
        DecisionTree::Split { feature, at, below, rest: Box::new(self.grow(rest, depth - 1)) }
    }

    fn counts(&self, members: &[usize]) -> Vec<u64> {
        let mut counts = vec![0; self.labels];
        for member in members {
            counts[self.records.labels[*member] as usize] += 1;
        }
        counts
    }

    /// Returns the most frequent label; the lowest one in case of a tie.
    fn majority(&self, members: &[usize]) -> u32 {
        let counts = self.counts(members);
        let highest = counts.iter().zip(0..).max_by_key(|(count, label)| (**count, std::cmp::Reverse(*label)));
        highest.map_or(0, |(_, label)| label)
    }

    /// Returns the split (feature, threshold) with the purest halves, or `None` if no split increases the purity.
    fn best(&self, members: &[usize]) -> Option<(usize, u32)> {
        let counts = self.counts(members);
        let mut purest = SplitStats::new(&counts).purity() + 1e-9;
        let mut best = None;
        for (feature, values) in self.records.features.iter().enumerate() {
            let mut sorted: Vec<(u32, u32)> =
                members.iter().map(|member| (values[*member], self.records.labels[*member])).collect();
            sorted.sort_unstable();
            let mut halves = SplitStats::new(&counts);
            for pair in sorted.windows(2) {
                halves.move_to_first(pair[0].1);
                if pair[0].0 < pair[1].0 && halves.smaller() >= self.min_leaf && halves.purity() > purest {
                    purest = halves.purity();
                    best = Some((feature, pair[1].0));
                }
            }
        }
        best
    }
}

/// Label counts of the two halves of a split. Initially all records are in the second half.
struct SplitStats {
    counts: [Vec<u64>; 2],
    sizes: [u64; 2],
    /// Sums of squared counts, updated with each record.
    squares: [u64; 2],
}

impl SplitStats {
    fn new(counts: &[u64]) -> SplitStats {
        let squares = counts.iter().map(|count| count * count).sum();
        let counts = [vec![0; counts.len()], counts.to_vec()];
        SplitStats { sizes: [0, counts[1].iter().sum()], counts, squares: [0, squares] }
    }

    fn move_to_first(&mut self, label: u32) {
        let [first, second] = &mut self.counts;
        let (into, from) = (&mut first[label as usize], &mut second[label as usize]);
        self.squares[0] += 2 * *into + 1;
        self.squares[1] -= 2 * *from - 1;
        *into += 1;
        *from -= 1;
        self.sizes[0] += 1;
        self.sizes[1] -= 1;
    }

    fn smaller(&self) -> usize {
        self.sizes[0].min(self.sizes[1]) as usize
    }

    /// Returns a purity that is maximal if the weighted Gini index of the halves is minimal.
    fn purity(&self) -> f64 {
        let half = |at: usize| if self.sizes[at] == 0 { 0.0 } else { self.squares[at] as f64 / self.sizes[at] as f64 };
        half(0) + half(1)
    }
}
