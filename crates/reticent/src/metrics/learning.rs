//! What a learner makes of a release: trained on one part of the records, tested on the rest, against the raw table.
//!
//! Two records in three train. Which ones is decided by a hash of the record's values and of how many equal records came
//! before it, so neither the order of rows nor the recoding changes it. Labels are the raw ones.

use super::{Comparison, Measure, short};
use crate::combos::{Combos, Weight, combine};
use crate::error::Result;
use crate::schema::Role;
use crate::taxonomy::Code;

/// Tables with more records are judged on a sample of this many.
const SAMPLE: Weight = 50_000;

/// Records as a learner sees them.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// By feature, by record: ordinals in the order of the taxonomy.
    pub features: Vec<Vec<u32>>,
    /// By record, numbered from 0, alike in all parts of a sample.
    pub labels: Vec<u32>,
}

impl Records {
    fn push(&mut self, features: impl Iterator<Item = u32>, label: u32) {
        for (into, value) in self.features.iter_mut().zip(features) {
            into.push(value);
        }
        self.labels.push(label);
    }
}

/// What a learner learns from, and what it is asked.
#[derive(Debug, Clone, Default)]
pub struct Lesson {
    /// Records with their labels.
    pub training: Records,
    /// Records whose labels are to be predicted.
    pub test: Records,
}

/// Predicts the labels of the test records. There is a feature, and there are two labels, at least.
pub(super) type Learner = fn(&Lesson) -> Vec<u32>;

/// The error of a learner on the release and, in the reading, on the raw table.
pub(super) fn measure(comparison: &Comparison<'_>, learner: Learner, name: &str) -> Result<Option<Measure>> {
    let Some(class) = comparison.class()? else { return Ok(None) };
    let sample = Sample::new(comparison, class);
    let (published, raw) = (sample.published(comparison), sample.raw());
    let (Some(value), Some(raw_error)) = (error(&published, learner), error(&raw, learner)) else { return Ok(None) };
    let of = match comparison.table.combos.rows() {
        rows if rows > SAMPLE => format!("; an estimate on a sample of {SAMPLE} of {rows} records"),
        _ => String::new(),
    };
    let reading = format!(
        "share of {} test records whose `{}` {name} predicts wrongly after {} training records; {} on the raw table; lower is better{of}{}",
        published.test.labels.len(),
        comparison.table.columns[class].name,
        published.training.labels.len(),
        short(raw_error),
        comparison.left_out("neither train nor test"),
    );
    Ok(Some(Measure { value, reading }))
}

/// The share of test records that are predicted wrongly; nothing where there is nothing to learn or to test.
pub(super) fn error(lesson: &Lesson, learner: Learner) -> Option<f64> {
    let common = majority(&lesson.training.labels)?;
    let truth = &lesson.test.labels;
    if truth.is_empty() {
        return None;
    }
    let learnable = !lesson.training.features.is_empty() && lesson.training.labels.iter().any(|label| *label != common);
    let predicted = if learnable { learner(lesson) } else { vec![common; truth.len()] };
    let wrong = predicted.iter().zip(truth).filter(|(predicted, truth)| predicted != truth).count();
    Some(wrong as f64 / truth.len() as f64)
}

/// The most frequent label, the lowest where several are.
fn majority(labels: &[u32]) -> Option<u32> {
    let most = labels.iter().max()?;
    let mut counts = vec![0u32; *most as usize + 1];
    for label in labels {
        counts[*label as usize] += 1;
    }
    counts.iter().zip(0..).max_by_key(|(count, label)| (**count, std::cmp::Reverse(*label))).map(|(_, label)| label)
}

/// The records of a table that are looked at.
struct Sample {
    combos: Combos,
    /// Columns that a label may be predicted from.
    features: Vec<usize>,
    /// By record: its combination, its label, and whether it trains.
    records: Vec<(usize, u32, bool)>,
}

impl Sample {
    fn new(comparison: &Comparison<'_>, class: usize) -> Sample {
        let table = comparison.table;
        // Owners are numbered as they come; without them equal records are alike.
        let views: Vec<&[Code]> = table.combos.codes.iter().map(Vec::as_slice).collect();
        let combos = combine(&views, &table.combos.weights, None);
        let usable = |place: &usize| {
            *place != class && matches!(table.columns[*place].role, Role::QuasiIdentifier | Role::Other)
        };
        let features = (0..table.columns.len()).filter(usable).collect();
        let labels = dense(&combos.codes[class]);
        let records = drawn(&combos)
            .map(|(at, occurrence)| (at, labels[at], !hash(&combos, at, occurrence).is_multiple_of(3)))
            .collect();
        Sample { combos, features, records }
    }

    fn raw(&self) -> Lesson {
        self.lesson(|at, row| {
            row.clear();
            row.extend(self.combos.codes.iter().map(|codes| codes[at]));
            true
        })
    }

    fn published(&self, comparison: &Comparison<'_>) -> Lesson {
        self.lesson(|at, row| comparison.recoding.publish(&self.combos, at, row))
    }

    /// The records for which `show` gives the values of all columns.
    fn lesson(&self, show: impl Fn(usize, &mut Vec<u32>) -> bool) -> Lesson {
        let empty = || Records { features: vec![Vec::new(); self.features.len()], labels: Vec::new() };
        let mut lesson = Lesson { training: empty(), test: empty() };
        let mut row = Vec::new();
        for (at, label, trains) in &self.records {
            if show(*at, &mut row) {
                let into = if *trains { &mut lesson.training } else { &mut lesson.test };
                into.push(self.features.iter().map(|place| row[*place]), *label);
            }
        }
        lesson
    }
}

/// Records at equal distances through the sorted table: the combination, and which of its equal records it is.
fn drawn(combos: &Combos) -> impl Iterator<Item = (usize, Weight)> {
    let rows = combos.rows();
    let count = rows.min(SAMPLE);
    let (mut at, mut before) = (0, 0);
    (0..count).map(move |draw| {
        let record = (u128::from(draw) * u128::from(rows) / u128::from(count)) as Weight;
        while before + combos.weights[at] <= record {
            before += combos.weights[at];
            at += 1;
        }
        (at, record - before)
    })
}

/// The same labels, numbered from 0 without gaps.
fn dense(labels: &[Code]) -> Vec<u32> {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    labels.iter().map(|label| known.partition_point(|other| other < label) as u32).collect()
}

fn hash(combos: &Combos, at: usize, occurrence: Weight) -> u64 {
    combos.codes.iter().fold(mix(occurrence), |hash, codes| mix(hash ^ u64::from(codes[at])))
}

/// The mixing step of SplitMix64: every bit of the input reaches every bit of the answer.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
