//! Loss that the search reduces: the information loss of a class, of a step and of a whole release.
//!
//! penalty         generalized certainty penalty (GCP): mean over the quasi-identifier cells of (leaves below the published node - 1) /
//!                 (leaves - 1). A suppressed cell has penalty 1.
//! class entropy   conditional entropy of the class column given the equivalence class, in bits over all records. A suppressed record
//!                 costs the entropy of the class column in the whole table: without the record, its class is known only that well.
//! discernibility  sum over the classes of |class|^2. A suppressed record costs the number of records.
//!
//! A suppressed record counts as fully suppressed in each of them, so a step that suppresses records has a positive gain only if the
//! others gain more than these lose. The loss of a class is an integer multiple of 1 / UNIT: a sum over classes depends neither on their
//! order nor on the number of threads.
//! Papers  Ghinita et al., VLDB 2007 (GCP); Fung, Wang and Yu, TKDE 19(5), 2007 (class entropy); Bayardo and Agrawal, ICDE 2005.

use std::collections::BTreeMap;
use std::ops::Range;

use super::gain::Gain;
use crate::algorithms::{Purpose, RecodingTask};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::Result;
use crate::release::recoding::Recoding;

/// Information loss in units of 1 / [`UNIT`].
pub(super) type Loss = i128;

const UNIT: f64 = (1u64 << 24) as f64;

/// Measure of the loss that the search reduces.
#[derive(Debug, Clone)]
pub(super) enum LossMeasure {
    /// Generalized certainty penalty.
    Penalty { quasi_identifiers: usize },
    /// Conditional entropy of this column.
    ClassEntropy { column: usize, labels: usize, suppressed: Loss },
    /// Discernibility.
    Discernibility { records: Weight },
}

/// The properties of an equivalence class on which its loss depends.
pub(super) struct ClassContent<'a> {
    pub(super) rows: Weight,
    /// Sum of the penalties of its published nodes.
    pub(super) penalty: Loss,
    /// Number of records by class label, if the loss is the class entropy.
    pub(super) labels: &'a [Weight],
    pub(super) suppressed: bool,
}

impl LossMeasure {
    pub(super) fn new(gain: Gain, table: &Table, purpose: &Purpose) -> Result<LossMeasure> {
        Ok(match (gain, purpose) {
            (Gain::Entropy, Purpose::Classification(name)) => {
                let column = table.position(name)?;
                let labels = table.weights_of(column);
                let suppressed = fixed_point(entropy(&labels) / table.contingency.rows().max(1) as f64);
                LossMeasure::ClassEntropy { column, labels: labels.len(), suppressed }
            }
            (Gain::Discernibility, _) => LossMeasure::Discernibility { records: table.contingency.rows() },
            _ => LossMeasure::Penalty { quasi_identifiers: table.with_role(Role::QuasiIdentifier).len() },
        })
    }

    /// Returns the column whose labels a class counts.
    pub(super) fn label_column(&self) -> Option<usize> {
        match self {
            LossMeasure::ClassEntropy { column, .. } => Some(*column),
            _ => None,
        }
    }

    /// Returns the number of labels, or 0 if the loss does not depend on labels.
    pub(super) fn labels(&self) -> usize {
        match self {
            LossMeasure::ClassEntropy { labels, .. } => *labels,
            _ => 0,
        }
    }

    /// Returns the loss of a suppressed record.
    pub(super) fn of_suppressed_record(&self) -> Loss {
        match self {
            LossMeasure::Penalty { quasi_identifiers } => *quasi_identifiers as Loss * UNIT as Loss,
            LossMeasure::ClassEntropy { suppressed, .. } => *suppressed,
            LossMeasure::Discernibility { records } => Loss::from(*records) * UNIT as Loss,
        }
    }

    /// Returns the loss of a class.
    pub(super) fn of_class(&self, class: &ClassContent<'_>) -> Loss {
        let rows = Loss::from(class.rows);
        if class.suppressed {
            return rows * self.of_suppressed_record();
        }
        match self {
            LossMeasure::Penalty { .. } => rows * class.penalty,
            LossMeasure::ClassEntropy { .. } => fixed_point(entropy(class.labels)),
            LossMeasure::Discernibility { .. } => rows * rows * UNIT as Loss,
        }
    }

    /// Returns the loss of the release of a recoding.
    pub(super) fn of_release(&self, task: &RecodingTask<'_>, recoding: &Recoding) -> Loss {
        let contingency = &task.table.contingency;
        let columns = task.table.with_role(Role::QuasiIdentifier);
        let label = self.label_column();
        let (mut classes, mut suppressed): (BTreeMap<Vec<Code>, Vec<Weight>>, Weight) = (BTreeMap::new(), 0);
        let mut row = Vec::new();
        for at in 0..contingency.len() {
            if !recoding.publish(contingency, at, &mut row) {
                suppressed += contingency.weights[at];
                continue;
            }
            let counts = classes.entry(columns.iter().map(|column| row[*column]).collect()).or_default();
            counts.resize(self.labels().max(1), 0);
            counts[label.map_or(0, |column| contingency.codes[column][at] as usize)] += contingency.weights[at];
        }
        let of_class = |(codes, counts): (&Vec<Code>, &Vec<Weight>)| {
            let published = columns.iter().zip(codes).map(|(column, code)| (*column, *code));
            let penalty = published.map(|(column, code)| penalty_of_code(recoding, column, code)).sum();
            self.of_class(&ClassContent { rows: counts.iter().sum(), penalty, labels: counts, suppressed: false })
        };
        classes.iter().map(of_class).sum::<Loss>() + Loss::from(suppressed) * self.of_suppressed_record()
    }
}

fn penalty_of_code(recoding: &Recoding, column: usize, code: Code) -> Loss {
    let published = &recoding.columns[column].column;
    penalty_of_node(&published.tree, published.nodes.get(code as usize).copied().unwrap_or(0))
}

/// Returns the penalty of publishing a node.
pub(super) fn penalty_of_node(tree: &Taxonomy, node: NodeId) -> Loss {
    penalty(tree, &tree.node(tree.published_node(node)).span)
}

/// Returns the penalty of publishing a range of codes.
pub(super) fn penalty(tree: &Taxonomy, codes: &Range<Code>) -> Loss {
    let others = tree.len().saturating_sub(1);
    if others == 0 {
        return 0;
    }
    fixed_point(codes.len().saturating_sub(1) as f64 / others as f64)
}

/// Returns the entropy of these counts in bits, times their sum.
fn entropy(counts: &[Weight]) -> f64 {
    let total: Weight = counts.iter().sum();
    let bits = |count: Weight| if count == 0 { 0.0 } else { count as f64 * (total as f64 / count as f64).log2() };
    counts.iter().map(|count| bits(*count)).sum()
}

fn fixed_point(value: f64) -> Loss {
    (value * UNIT).round() as Loss
}

/// Returns a loss or a gain as a number.
pub(super) fn as_number(loss: Loss) -> f64 {
    loss as f64 / UNIT
}
