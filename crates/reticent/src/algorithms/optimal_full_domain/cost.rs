//! What a node costs, in whole numbers: no rounding depends on the order in which classes are visited, and a bound is
//! never above the cost it bounds.
//!
//! A *separable* metric adds up a loss for every cell, and a suppressed cell loses most. So what a node costs before any
//! record is suppressed is a sum over columns, and bounds its cost from below. The loss that suppression adds depends on
//! the published node only, so it is one number a class.
//!
//! `discernibility` and `average-class-size` need the classes. Their cost is never below what the same classes would
//! cost with nothing suppressed (the *floor*), which never falls by generalizing; and before the classes are known, there
//! are at most as many as the published values have combinations.

use super::lattice::GeneralizationHierarchy;
use crate::data::contingency::Weight;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId};

/// In units of the metric's own.
pub(super) type Cost = u128;

/// What is lost, by a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    /// Generalized certainty penalty: (values below the published node - 1) / (values - 1); suppressed 1.
    Gcp,
    /// Steps generalized; suppressed: all steps to the root.
    Distortion,
    /// Bits to guess a value from its published node, by the shares in the table; suppressed: from the root.
    NonUniformEntropy,
    /// Each record is confused with the records of its class, a suppressed one with all.
    Discernibility,
    /// Records of the table for each published class.
    AverageClassSize,
}

/// The words for the metrics in a policy.
pub(super) const METRIC_NAMES: &[&str] =
    &["gcp", "distortion", "non-uniform-entropy", "discernibility", "average-class-size"];

impl Metric {
    /// The metric a policy's word stands for.
    pub(super) fn from_name(word: &str) -> Metric {
        match word {
            "distortion" => Metric::Distortion,
            "non-uniform-entropy" => Metric::NonUniformEntropy,
            "discernibility" => Metric::Discernibility,
            "average-class-size" => Metric::AverageClassSize,
            _ => Metric::Gcp,
        }
    }

    /// Whether the cost is a sum over cells.
    pub(super) fn is_separable(self) -> bool {
        !matches!(self, Metric::Discernibility | Metric::AverageClassSize)
    }
}

/// What is lost at each rung of each ladder.
#[derive(Debug)]
pub(super) struct Costs {
    metric: Metric,
    rows: Weight,
    columns: Vec<Losses>,
    /// Combinations of the values that are not generalized, and of everything there is.
    fixed: u128,
    combinations: u128,
    /// Units in one of the metric's own.
    unit: f64,
}

/// The losses of one column, by rung.
#[derive(Debug)]
struct Losses {
    /// All cells together, with nothing suppressed.
    total: Vec<Cost>,
    /// By code: what suppressing adds.
    suppression_loss: Vec<Vec<u64>>,
    /// How many different values are published.
    distinct: Vec<u32>,
}

/// What is counted in the classes of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClassSums {
    /// Classes.
    pub(super) classes: u128,
    /// The sum of their squared sizes.
    pub(super) squares: u128,
}

impl ClassSums {
    /// Counts a class.
    pub(super) fn add(&mut self, size: Weight) {
        self.classes += 1;
        self.squares += u128::from(size) * u128::from(size);
    }
}

impl Costs {
    /// The losses of every ladder. Classes have at most `fixed` combinations on columns that are not generalized, and
    /// there are at most `combinations` altogether.
    pub(super) fn new(
        metric: Metric,
        table: &Table,
        hierarchies: &[GeneralizationHierarchy],
        fixed: u128,
        combinations: u128,
    ) -> Costs {
        let denominators: Vec<u64> =
            hierarchies.iter().map(|hierarchy| (hierarchy.tree.len() as u64 - 1).max(1)).collect();
        let unit = match metric {
            Metric::Gcp => least_common_multiple(&denominators).unwrap_or(MAX_PENALTY_UNITS),
            Metric::NonUniformEntropy => UNITS_PER_BIT,
            _ => 1,
        };
        let rows = table.contingency.rows();
        let columns = hierarchies.iter().map(|hierarchy| losses(metric, table, hierarchy, unit)).collect();
        Costs { metric, rows, columns, fixed, combinations, unit: unit as f64 }
    }

    /// The metric.
    pub(super) fn metric(&self) -> Metric {
        self.metric
    }

    /// No node costs less than this, by its rungs.
    pub(super) fn bound(&self, levels: impl Iterator<Item = usize>) -> Cost {
        let columns = self.columns.iter().zip(levels);
        if self.metric.is_separable() {
            return columns.map(|(losses, level)| losses.total[level]).sum();
        }
        let published =
            columns.fold(self.fixed, |product, (losses, level)| product.saturating_mul(losses.distinct[level].into()));
        let classes = published.min(self.combinations).max(1);
        let square = u128::from(self.rows) * u128::from(self.rows);
        self.floor(ClassSums { classes, squares: square / classes })
    }

    /// No node with these classes, and no more general one, costs less.
    pub(super) fn floor(&self, all: ClassSums) -> Cost {
        match self.metric {
            Metric::Discernibility => all.squares,
            Metric::AverageClassSize => self.for_each_class(all),
            _ => 0,
        }
    }

    /// What a metric of classes costs, when these are published and so many records are not.
    pub(super) fn of_classes(&self, kept: ClassSums, suppressed: Weight) -> Cost {
        match self.metric {
            Metric::Discernibility => kept.squares + u128::from(suppressed) * u128::from(self.rows),
            _ => self.for_each_class(kept),
        }
    }

    /// Distinct for different numbers of classes below 2^32, which is as many as there can be.
    fn for_each_class(&self, kept: ClassSums) -> Cost {
        (u128::from(self.rows) << 64) / kept.classes.max(1)
    }

    /// What suppressing one record adds to a separable metric.
    pub(super) fn suppression_loss(&self, levels: &[usize], code: impl Fn(usize) -> Code) -> Cost {
        let columns = self.columns.iter().zip(levels).enumerate();
        columns.map(|(at, (losses, level))| u128::from(losses.suppression_loss[*level][code(at) as usize])).sum()
    }

    /// A cost as people read it: the mean over cells, bits, steps, records.
    pub(super) fn text(&self, cost: Cost) -> String {
        let cells = (self.rows as f64 * self.columns.len() as f64).max(1.0);
        let value = cost as f64 / self.unit;
        match self.metric {
            Metric::Gcp => format!("generalized certainty penalty {:.4}", value / cells),
            Metric::Distortion => format!("{:.4} steps generalized in the mean cell", value / cells),
            Metric::NonUniformEntropy => format!("{:.4} bits lost in the mean cell", value / cells),
            Metric::Discernibility => format!("discernibility {cost}"),
            Metric::AverageClassSize => format!("{:.2} records for each class", value / 2f64.powi(64)),
        }
    }
}

/// Units in a penalty of 1 where the columns have no small common multiple.
const MAX_PENALTY_UNITS: u64 = 1 << 48;
/// Units in a bit.
const UNITS_PER_BIT: u64 = 1 << 32;

/// The least common multiple, if it is small enough to calculate with.
fn least_common_multiple(numbers: &[u64]) -> Option<u64> {
    numbers.iter().try_fold(1u64, |multiple, number| {
        let next = (multiple / greatest_common_divisor(multiple, *number)).checked_mul(*number)?;
        (next <= MAX_PENALTY_UNITS).then_some(next)
    })
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn losses(metric: Metric, table: &Table, hierarchy: &GeneralizationHierarchy, unit: u64) -> Losses {
    let weights = table.weights_of(hierarchy.column);
    let information = ColumnInformation::new(metric, hierarchy, &weights, unit);
    let mut losses = Losses { total: Vec::new(), suppression_loss: Vec::new(), distinct: Vec::new() };
    for level in &hierarchy.levels {
        let suppression_loss: Vec<u64> = level.nodes.iter().map(|node| information.of_node(*node)).collect();
        let lost = |code: usize| information.of_value(code).saturating_sub(suppression_loss[code]);
        let cells = weights.iter().enumerate();
        losses.total.push(cells.map(|(code, weight)| u128::from(lost(code)) * u128::from(*weight)).sum());
        losses.suppression_loss.push(suppression_loss);
        losses.distinct.push(level.distinct);
    }
    losses
}

/// How much a cell says by a separable metric: what suppressing it would lose.
struct ColumnInformation<'a> {
    metric: Metric,
    hierarchy: &'a GeneralizationHierarchy,
    /// By code: the rows with the codes before it.
    prefix_counts: Vec<Weight>,
    unit: u64,
}

impl<'a> ColumnInformation<'a> {
    fn new(
        metric: Metric,
        hierarchy: &'a GeneralizationHierarchy,
        weights: &[Weight],
        unit: u64,
    ) -> ColumnInformation<'a> {
        let mut prefix_counts = vec![0];
        let mut sum = 0;
        for weight in weights {
            sum += weight;
            prefix_counts.push(sum);
        }
        ColumnInformation { metric, hierarchy, prefix_counts, unit }
    }

    /// A cell with this value itself.
    fn of_value(&self, code: usize) -> u64 {
        match self.metric {
            Metric::Gcp => self.unit,
            Metric::Distortion => self.of_node(self.hierarchy.levels[0].nodes[code]),
            _ => self.of_codes(code, code + 1),
        }
    }

    /// A cell that shows this node.
    fn of_node(&self, node: NodeId) -> u64 {
        let tree = &self.hierarchy.tree;
        let node = tree.node(node);
        match self.metric {
            Metric::Gcp => {
                let most = u128::from((tree.len() as u64 - 1).max(1));
                let lost = node.codes.len() as u128 - 1;
                (u128::from(self.unit) * (most - lost) / most) as u64
            }
            Metric::Distortion => u64::from(node.depth),
            _ => self.of_codes(node.codes.start as usize, node.codes.end as usize),
        }
    }

    /// The bits by which rows with these codes are fewer than all.
    fn of_codes(&self, start: usize, end: usize) -> u64 {
        let all = self.prefix_counts[self.prefix_counts.len() - 1];
        logarithm(all).saturating_sub(logarithm(self.prefix_counts[end] - self.prefix_counts[start]))
    }
}

/// The logarithm to base 2, in units; small enough units that machines agree, and large enough to add up.
fn logarithm(count: Weight) -> u64 {
    ((count.max(1) as f64).log2() * UNITS_PER_BIT as f64).round() as u64
}
