//! Decision tree error: how often a tree grown on the release errs on records it has not seen.
//!
//! Definition  a binary tree that splits ordinals at the threshold with the greatest decrease of the Gini index, at most
//!             12 deep and with one in a thousand training records in a leaf; its error on the published test records.
//! Suppressed  records neither train nor test; the reading gives the error on the raw table, where all do.
//! Missing     a missing value is a value of its own.
//! Paper       Wang and Fung, KDD 2006, section 6 (classification error); Breiman et al. 1984; survey section 4.2.

use super::learning::{self, Lesson, Records};
use super::{Comparison, Listed, Measure};
use crate::error::Result;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Metric,
        id: "decision-tree-error",
        title: "decision tree error",
        summary: "The error, on published test records, of a decision tree grown on published training records; two records in three train.",
        paper: "Wang and Fung, Anonymizing sequential releases, KDD 2006; Breiman et al., Classification and regression trees, 1984",
        thwarts: "how well the release can be learned from",
        comparison: false,
        parameters: &[],
        evidence: &["metrics::tests::decision_tree", "laws::metrics"],
    },
    measure,
};

const DEPTH: u32 = 12;
/// A leaf holds at least one training record in so many.
const LEAF: usize = 1000;

fn measure(comparison: &Comparison<'_>) -> Result<Option<Measure>> {
    learning::measure(comparison, predict, "a decision tree (at most 12 deep, 1 in 1000 training records a leaf)")
}

/// The error of the same tree where the caller says which records train and which test; nothing where there is nothing to
/// learn or to test.
pub fn decision_tree_error(lesson: &Lesson) -> Option<f64> {
    learning::error(lesson, predict)
}

pub(super) fn predict(lesson: &Lesson) -> Vec<u32> {
    let grower = Grower::new(&lesson.training);
    let mut members: Vec<usize> = (0..lesson.training.labels.len()).collect();
    let tree = grower.grow(&mut members, DEPTH);
    (0..lesson.test.labels.len()).map(|record| tree.label(&lesson.test, record)).collect()
}

enum Tree {
    Leaf(u32),
    Split { feature: usize, at: u32, below: Box<Tree>, rest: Box<Tree> },
}

impl Tree {
    fn label(&self, records: &Records, record: usize) -> u32 {
        match self {
            Tree::Leaf(label) => *label,
            Tree::Split { feature, at, below, rest } => {
                let side = if records.features[*feature][record] < *at { below } else { rest };
                side.label(records, record)
            }
        }
    }
}

/// Grows a tree on records. Grown here because published values repeat: smartcore 0.7 tries a threshold only where the
/// labels of two neighbouring records differ, and so misses splits between values that both carry several labels.
struct Grower<'a> {
    records: &'a Records,
    labels: usize,
    least: usize,
}

impl Grower<'_> {
    fn new(records: &Records) -> Grower<'_> {
        let labels = records.labels.iter().max().map_or(0, |most| *most as usize + 1);
        Grower { records, labels, least: (records.labels.len() / LEAF).max(1) }
    }

    fn grow(&self, members: &mut [usize], depth: u32) -> Tree {
        let split = if depth == 0 { None } else { self.best(members) };
        let Some((feature, at)) = split else { return Tree::Leaf(self.majority(members)) };
        let values = &self.records.features[feature];
        members.sort_unstable_by_key(|member| (values[*member] >= at, *member));
        let (below, rest) = members.split_at_mut(members.partition_point(|member| values[*member] < at));
        let below = Box::new(self.grow(below, depth - 1));
        Tree::Split { feature, at, below, rest: Box::new(self.grow(rest, depth - 1)) }
    }

    fn counts(&self, members: &[usize]) -> Vec<u64> {
        let mut counts = vec![0; self.labels];
        for member in members {
            counts[self.records.labels[*member] as usize] += 1;
        }
        counts
    }

    /// The most frequent label, the lowest where several are.
    fn majority(&self, members: &[usize]) -> u32 {
        let counts = self.counts(members);
        let most = counts.iter().zip(0..).max_by_key(|(count, label)| (**count, std::cmp::Reverse(*label)));
        most.map_or(0, |(_, label)| label)
    }

    /// The split that leaves the purest halves; none where no split makes them purer than the whole.
    fn best(&self, members: &[usize]) -> Option<(usize, u32)> {
        let counts = self.counts(members);
        let mut purest = Halves::new(&counts).purity() + 1e-9;
        let mut best = None;
        for (feature, values) in self.records.features.iter().enumerate() {
            let mut sorted: Vec<(u32, u32)> =
                members.iter().map(|member| (values[*member], self.records.labels[*member])).collect();
            sorted.sort_unstable();
            let mut halves = Halves::new(&counts);
            for pair in sorted.windows(2) {
                halves.shift(pair[0].1);
                if pair[0].0 < pair[1].0 && halves.smaller() >= self.least && halves.purity() > purest {
                    purest = halves.purity();
                    best = Some((feature, pair[1].0));
                }
            }
        }
        best
    }
}

/// Two halves of a node's records; all begin in the second.
struct Halves {
    counts: [Vec<u64>; 2],
    sizes: [u64; 2],
    /// Sums of squared counts, kept up to date record by record.
    squares: [u64; 2],
}

impl Halves {
    fn new(counts: &[u64]) -> Halves {
        let squares = counts.iter().map(|count| count * count).sum();
        let counts = [vec![0; counts.len()], counts.to_vec()];
        Halves { sizes: [0, counts[1].iter().sum()], counts, squares: [0, squares] }
    }

    fn shift(&mut self, label: u32) {
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

    /// Greatest where the weighted Gini index of the halves is least.
    fn purity(&self) -> f64 {
        let half = |at: usize| if self.sizes[at] == 0 { 0.0 } else { self.squares[at] as f64 / self.sizes[at] as f64 };
        half(0) + half(1)
    }
}
