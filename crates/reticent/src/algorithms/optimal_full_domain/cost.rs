//! Cost of a node, in integers. So the result does not depend on the order of classes, and a bound never exceeds its cost.
//!
//! A *separable* metric is a sum over cells, and a suppressed cell has the maximum loss. So the cost of a node without
//! suppression is a sum over columns, and a lower bound of its cost. The additional loss of a suppressed cell depends on its
//! published node only.
//!
//! `discernibility` and `average-class-size` depend on the classes. Their cost is at least that of the same classes without
//! suppression (the *floor*), which never decreases by generalization. Before the classes are known, their number is bounded by
//! the number of combinations of published values.

use super::lattice::GeneralizationHierarchy;
use crate::data::contingency::Weight;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId};

/// Cost in units of the metric.
pub(super) type Cost = u128;

/// Metric of the information loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    /// Generalized certainty penalty: (values below the published node - 1) / (values - 1); 1 if suppressed.
    Gcp,
    /// Number of generalization steps; all steps to the root if suppressed.
    Distortion,
    /// Bits needed to infer the value from its published node, by the frequencies in the table; from the root if suppressed.
    NonUniformEntropy,
    /// Sum over records of the size of their class; the size of the table for a suppressed record.
    Discernibility,
    /// Number of records of the table divided by the number of published classes.
    AverageClassSize,
}

/// Names of the metrics in a policy.
pub(super) const METRIC_NAMES: &[&str] =
    &["gcp", "distortion", "non-uniform-entropy", "discernibility", "average-class-size"];

impl Metric {
    /// Returns the metric with this name.
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

/// Losses at each level of each hierarchy.
#[derive(Debug)]
pub(super) struct Costs {
    metric: Metric,
    rows: Weight,
    columns: Vec<Losses>,
    /// Number of combinations of the columns that are not generalized.
    fixed: u128,
    /// Number of combinations of all columns.
    combinations: u128,
    /// Number of cost units per unit of the metric.
    unit: f64,
}

/// Losses of one column, by level.
#[derive(Debug)]
struct Losses {
    /// Total loss of all cells without suppression.
    total: Vec<Cost>,
    /// Additional loss of suppressing a cell, by code.
    suppression_loss: Vec<Vec<u64>>,
    /// Number of distinct published values.
    distinct: Vec<u32>,
}

/// Number and sizes of the classes of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClassSums {
    /// Number of classes.
    pub(super) classes: u128,
    /// Sum of squared class sizes.
    pub(super) squares: u128,
}

impl ClassSums {
    /// Adds a class.
    pub(super) fn add(&mut self, size: Weight) {
        self.classes += 1;
        self.squares += u128::from(size) * u128::from(size);
    }
}

impl Costs {
    /// Computes the losses of every hierarchy. `fixed` bounds the number of combinations of columns that are not generalized, and
    /// `combinations` the number of all combinations.
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

    /// Returns the metric.
    pub(super) fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns a lower bound of the cost of the node with these levels.
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

    /// Returns a lower bound of the cost of a node with these classes and of every more general node.
    pub(super) fn floor(&self, all: ClassSums) -> Cost {
        match self.metric {
            Metric::Discernibility => all.squares,
            Metric::AverageClassSize => self.per_class(all),
            _ => 0,
        }
    }

    /// Returns the cost by a metric of classes, given the published classes and the number of suppressed records.
    pub(super) fn of_classes(&self, kept: ClassSums, suppressed: Weight) -> Cost {
        match self.metric {
            Metric::Discernibility => kept.squares + u128::from(suppressed) * u128::from(self.rows),
            _ => self.per_class(kept),
        }
    }

    /// Returns records per class in fixed point. Different numbers of classes below 2^32 give different costs.
    fn per_class(&self, kept: ClassSums) -> Cost {
        (u128::from(self.rows) << 64) / kept.classes.max(1)
    }

    /// Returns the additional loss of suppressing one record, for a separable metric.
    pub(super) fn suppression_loss(&self, levels: &[usize], code: impl Fn(usize) -> Code) -> Cost {
        let columns = self.columns.iter().zip(levels).enumerate();
        columns.map(|(at, (losses, level))| u128::from(losses.suppression_loss[*level][code(at) as usize])).sum()
    }

    /// Formats a cost for users.
    pub(super) fn text(&self, cost: Cost) -> String {
        let cells = (self.rows as f64 * self.columns.len() as f64).max(1.0);
        let value = cost as f64 / self.unit;
        match self.metric {
            Metric::Gcp => format!("generalized certainty penalty {:.4}", value / cells),
            Metric::Distortion => format!("{:.4} generalization steps per cell", value / cells),
            Metric::NonUniformEntropy => format!("{:.4} bits lost per cell", value / cells),
            Metric::Discernibility => format!("discernibility {cost}"),
            Metric::AverageClassSize => format!("{:.2} records per class", value / 2f64.powi(64)),
        }
    }
}

/// Number of cost units for a penalty of 1 if the columns have no smaller common multiple.
const MAX_PENALTY_UNITS: u64 = 1 << 48;
/// Number of cost units per bit.
const UNITS_PER_BIT: u64 = 1 << 32;

/// Returns the least common multiple, if it is at most [`MAX_PENALTY_UNITS`].
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

/// Information content of cells by a separable metric: the loss of suppressing the cell.
struct ColumnInformation<'a> {
    metric: Metric,
    hierarchy: &'a GeneralizationHierarchy,
    /// Number of rows with smaller codes, by code.
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

    /// Returns the information content of a cell with the exact value.
    fn of_value(&self, code: usize) -> u64 {
        match self.metric {
            Metric::Gcp => self.unit,
            Metric::Distortion => self.of_node(self.hierarchy.levels[0].nodes[code]),
            _ => self.of_codes(code, code + 1),
        }
    }

    /// Returns the information content of a cell with this published node.
    fn of_node(&self, node: NodeId) -> u64 {
        let tree = &self.hierarchy.tree;
        let node = tree.node(node);
        match self.metric {
            Metric::Gcp => {
                let max_loss = u128::from((tree.len() as u64 - 1).max(1));
                let lost = node.span.len() as u128 - 1;
                (u128::from(self.unit) * (max_loss - lost) / max_loss) as u64
            }
            Metric::Distortion => u64::from(node.depth),
            _ => self.of_codes(node.span.start as usize, node.span.end as usize),
        }
    }

    /// Returns log2(all rows / rows with these codes), in cost units.
    fn of_codes(&self, start: usize, end: usize) -> u64 {
        let all = self.prefix_counts[self.prefix_counts.len() - 1];
        logarithm(all).saturating_sub(logarithm(self.prefix_counts[end] - self.prefix_counts[start]))
    }
}

/// Returns log2 in cost units. The units are coarse enough to be the same on all machines, and fine enough for exact sums.
fn logarithm(count: Weight) -> u64 {
    ((count.max(1) as f64).log2() * UNITS_PER_BIT as f64).round() as u64
}
