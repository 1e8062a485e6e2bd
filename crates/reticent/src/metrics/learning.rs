//! Test error of a classifier that is trained on the release, compared with the raw table.
//!
//! Two thirds of the records train. The split depends on a hash of the values of a record and its index among equal records, so
//! neither the order of the rows nor the recoding changes it. The labels are the raw values.

use super::{Comparison, Measure, rounded_text};
use crate::data::contingency::{ContingencyTable, Weight, combine};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;

/// Maximum number of records. Larger tables are sampled.
const MAX_SAMPLE: Weight = 50_000;

/// Records with features and labels.
#[derive(Debug, Clone, Default)]
pub struct LabelledRecords {
    /// Ordinal values in the order of the taxonomy, by feature and record.
    pub features: Vec<Vec<u32>>,
    /// Label numbers from 0, by record. Training and test records use the same numbers.
    pub labels: Vec<u32>,
}

impl LabelledRecords {
    fn push(&mut self, features: impl Iterator<Item = u32>, label: u32) {
        for (into, value) in self.features.iter_mut().zip(features) {
            into.push(value);
        }
        self.labels.push(label);
    }
}

/// Training and test records.
#[derive(Debug, Clone, Default)]
pub struct TrainTestSplit {
    /// Training records.
    pub training: LabelledRecords,
    /// Test records, whose labels are predicted.
    pub test: LabelledRecords,
}

/// Predicts the labels of the test records. The training records have at least one feature and two labels.
pub(super) type Classifier = fn(&TrainTestSplit) -> Vec<u32>;

/// Measures the error of a classifier on the release. The text of the measure also gives the error on the raw table.
pub(super) fn measure(comparison: &Comparison<'_>, classifier: Classifier, name: &str) -> Result<Option<Measure>> {
    let Some(class) = comparison.label_column()? else { return Ok(None) };
    let sample = Sample::new(comparison, class);
    let (published, raw) = (sample.published(comparison), sample.raw());
    let (Some(value), Some(raw_error)) = (error(&published, classifier), error(&raw, classifier)) else {
        return Ok(None);
    };
    let sampling = match comparison.table.contingency.rows() {
        rows if rows > MAX_SAMPLE => format!("; an estimate on a sample of {MAX_SAMPLE} of {rows} records"),
        _ => String::new(),
    };
    let reading = format!(
        "error of {name} on {} test records, predicting `{}` from {} training records; {} on the raw table; lower is better{sampling}{}",
        published.test.labels.len(),
        comparison.table.columns[class].name,
        published.training.labels.len(),
        rounded_text(raw_error),
        comparison.excluded_text("are in neither set"),
    );
    Ok(Some(Measure { value, reading }))
}

/// Returns the share of wrongly predicted test records, or `None` if there are no training or no test records.
///
/// Without a feature, or with a single label, the majority label is predicted.
pub(super) fn error(split_data: &TrainTestSplit, classifier: Classifier) -> Option<f64> {
    let common = majority(&split_data.training.labels)?;
    let truth = &split_data.test.labels;
    if truth.is_empty() {
        return None;
    }
    let learnable =
        !split_data.training.features.is_empty() && split_data.training.labels.iter().any(|label| *label != common);
    let predicted = if learnable { classifier(split_data) } else { vec![common; truth.len()] };
    let wrong = predicted.iter().zip(truth).filter(|(predicted, truth)| predicted != truth).count();
    Some(wrong as f64 / truth.len() as f64)
}

/// Returns the most frequent label; the lowest one in case of a tie.
fn majority(labels: &[u32]) -> Option<u32> {
    let highest = labels.iter().max()?;
    let mut counts = vec![0u32; *highest as usize + 1];
    for label in labels {
        counts[*label as usize] += 1;
    }
    counts.iter().zip(0..).max_by_key(|(count, label)| (**count, std::cmp::Reverse(*label))).map(|(_, label)| label)
}

/// A sample of the records of a table.
struct Sample {
    contingency: ContingencyTable,
    /// Indices of the feature columns.
    features: Vec<usize>,
    /// Row of the contingency table, label, and true for training, by record.
    records: Vec<(usize, u32, bool)>,
}

impl Sample {
    fn new(comparison: &Comparison<'_>, class: usize) -> Sample {
        let table = comparison.table;
        // The numbers of owners depend on the row order, so they are left out: equal records are interchangeable.
        let views: Vec<&[Code]> = table.contingency.codes.iter().map(Vec::as_slice).collect();
        let contingency = combine(&views, &table.contingency.weights, None);
        let usable = |place: &usize| {
            *place != class && matches!(table.columns[*place].role, Role::QuasiIdentifier | Role::Other)
        };
        let features = (0..table.columns.len()).filter(usable).collect();
        let labels = dense_labels(&contingency.codes[class]);
        let records = systematic_sample(&contingency)
            .map(|(at, occurrence)| (at, labels[at], !hash(&contingency, at, occurrence).is_multiple_of(3)))
            .collect();
        Sample { contingency, features, records }
    }

    fn raw(&self) -> TrainTestSplit {
        self.split(|at, row| {
            row.clear();
            row.extend(self.contingency.codes.iter().map(|codes| codes[at]));
            true
        })
    }

    fn published(&self, comparison: &Comparison<'_>) -> TrainTestSplit {
        self.split(|at, row| comparison.recoding.publish(&self.contingency, at, row))
    }

    /// Builds the split from the records for which `show` returns true and writes the values of all columns.
    fn split(&self, show: impl Fn(usize, &mut Vec<u32>) -> bool) -> TrainTestSplit {
        let empty = || LabelledRecords { features: vec![Vec::new(); self.features.len()], labels: Vec::new() };
        let mut split_data = TrainTestSplit { training: empty(), test: empty() };
        let mut row = Vec::new();
        for (at, label, trains) in &self.records {
            if show(*at, &mut row) {
                let into = if *trains { &mut split_data.training } else { &mut split_data.test };
                into.push(self.features.iter().map(|place| row[*place]), *label);
            }
        }
        split_data
    }
}

/// Draws a systematic sample from the sorted table: (row of the contingency table, index among its equal records).
fn systematic_sample(contingency: &ContingencyTable) -> impl Iterator<Item = (usize, Weight)> {
    let rows = contingency.rows();
    let count = rows.min(MAX_SAMPLE);
    let (mut at, mut before) = (0, 0);
    (0..count).map(move |draw| {
        let record = (u128::from(draw) * u128::from(rows) / u128::from(count)) as Weight;
        while before + contingency.weights[at] <= record {
            before += contingency.weights[at];
            at += 1;
        }
        (at, record - before)
    })
}

/// Renumbers labels from 0 without gaps.
fn dense_labels(labels: &[Code]) -> Vec<u32> {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    labels.iter().map(|label| known.partition_point(|other| other < label) as u32).collect()
}

fn hash(contingency: &ContingencyTable, at: usize, occurrence: Weight) -> u64 {
    contingency.codes.iter().fold(mix(occurrence), |hash, codes| mix(hash ^ u64::from(codes[at])))
}

/// The mixing step of SplitMix64.
pub(super) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
