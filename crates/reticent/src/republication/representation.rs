//! Representation: values of quasi-identifiers whose people are withheld or postponed much more often than others.

use serde::Serialize;

use super::{GroupingOutcome, RepublicationTask};
use crate::data::taxonomy::Code;

/// Maximum number of values that are compared one by one. Columns with more values are compared by quarters of the people.
const MAX_VALUES: usize = 20;
/// Minimum number of records of a compared value.
const MIN_RECORDS: u64 = 10;
/// Number of standard deviations beyond which a difference is reported.
const DEVIATIONS: f64 = 3.0;

/// A part of the data that is left out more often than the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Underrepresented {
    /// Quasi-identifier.
    pub column: String,
    /// Value, or range of values.
    pub value: String,
    /// Number of its records in the data.
    pub records: u64,
    /// Number of these records that are withheld or postponed.
    pub left_out: u64,
}

/// Returns the parts of the data that are left out significantly more often than all records, worst first.
pub fn underrepresented(task: &RepublicationTask<'_>, outcome: &GroupingOutcome) -> Vec<Underrepresented> {
    let mut is_left_out = vec![true; task.records.len()];
    outcome.groups.iter().flat_map(|group| &group.members).for_each(|at| is_left_out[*at as usize] = false);
    let (all, out) = (is_left_out.len() as f64, is_left_out.iter().filter(|out| **out).count() as f64);
    if out == 0.0 {
        return Vec::new();
    }
    let share = out / all;
    let mut found = Vec::new();
    for column in task.quasi_identifiers() {
        let tree = &task.table.columns[column].tree;
        let mut by_code = vec![(0u64, 0u64); tree.len()];
        for (at, out) in is_left_out.iter().enumerate() {
            let counts = &mut by_code[task.code(at, column) as usize];
            counts.0 += 1;
            counts.1 += u64::from(*out);
        }
        for (from, to, records, left_out) in parts(&by_code) {
            let records_f = records as f64;
            let expected = records_f * share;
            let limit = expected + DEVIATIONS * (expected * (1.0 - share)).sqrt();
            if records < MIN_RECORDS || left_out as f64 <= limit {
                continue;
            }
            let (low, high) = (tree.value(from), tree.value(to));
            let value = if from == to { low.to_owned() } else { format!("{low} to {high}") };
            found.push(Underrepresented { column: task.table.columns[column].name.clone(), value, records, left_out });
        }
    }
    let share_of = |part: &Underrepresented| part.left_out as f64 / part.records as f64;
    found.sort_by(|one, other| share_of(other).total_cmp(&share_of(one)).then(one.value.cmp(&other.value)));
    found
}

/// Divides a column into its values, or into ranges with about a quarter of the records each. A part has its first and last code, and
/// its numbers of records and of records that are left out.
fn parts(by_code: &[(u64, u64)]) -> Vec<(Code, Code, u64, u64)> {
    let used = by_code.iter().filter(|(records, _)| *records > 0).count();
    let total: u64 = by_code.iter().map(|(records, _)| records).sum();
    let size = if used <= MAX_VALUES { 1 } else { total.div_ceil(4) };
    let mut parts: Vec<(Code, Code, u64, u64)> = Vec::new();
    for (code, (records, left_out)) in (0..).zip(by_code).filter(|(_, (records, _))| *records > 0) {
        match parts.last_mut().filter(|(.., sum, _)| *sum < size) {
            Some((_, to, sum, out)) => (*to, *sum, *out) = (code, *sum + records, *out + left_out),
            None => parts.push((code, code, *records, *left_out)),
        }
    }
    parts
}
