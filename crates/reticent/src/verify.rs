//! Verification of a release against the requirement, on the records read back from the written file.
//!
//! Shares no code with the algorithms: classes are built by comparing records, and every model has a naive definition.
//! A violation refuses the release. A check that cannot be completed also refuses it.

mod computable;
mod over_joins;
mod repeated_column;

use std::collections::BTreeSet;

use crate::contract::Model;
use crate::data::schema::Role;
use crate::data::table::Counts;
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::release::recoding::Recoding;
use crate::text::without_formula_guard;

pub use crate::contract::{ClassViolation, Reading};
pub use crate::witness::SENSITIVE_NOT_SHOWN;
pub use over_joins::{JoinFinding, JoinVerifier};

/// Expected contents of the written file.
#[derive(Debug)]
pub struct Expected<'a> {
    /// Recoding that was written.
    pub recoding: &'a Recoding,
    /// Expected number of records.
    pub rows: u64,
}

/// Result of verification.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Verdict {
    /// Title of each model, and the classes of the file that violate it.
    #[serde(serialize_with = "as_findings")]
    pub models: Vec<(String, Vec<ClassViolation>)>,
    /// Results for constraints over joins with earlier releases.
    pub joins: Vec<JoinFinding>,
    /// Number of records read back.
    pub rows: u64,
}

impl Verdict {
    /// Returns true if there are no violations, in the file or in its joins.
    pub fn holds(&self) -> bool {
        self.models.iter().all(|(_, violations)| violations.is_empty())
            && self.joins.iter().all(|join| join.violations.is_empty())
    }
}

/// Verifies a written file: its contents, every model, and the constraints over joins with earlier releases.
///
/// # Errors
///
/// Returns an error if the file differs from the expected contents or a check cannot be completed.
pub fn verify(
    counts: Counts,
    expected: &Expected<'_>,
    requirement: &[Box<dyn Model>],
    joins: Option<&JoinVerifier<'_>>,
) -> Result<Verdict> {
    let trees =
        expected.recoding.columns.iter().map(|recoded| (recoded.column.name.clone(), recoded.column.tree.clone()));
    let mut reading = Reading::new(counts, trees.collect());
    let sensitive = expected.recoding.columns.iter().filter(|recoded| recoded.column.role == Role::Sensitive);
    reading.hidden_columns = sensitive.map(|recoded| recoded.column.name.clone()).collect();
    let rows = reading.check_matches(expected)?;
    let mut models = Vec::new();
    for model in requirement {
        models.push((model.title(), model.naive(&reading)?));
    }
    let joined = joins.map(|joins| joins.judge(&reading, expected.recoding)).transpose()?.unwrap_or_default();
    Ok(Verdict { models, joins: joined, rows })
}

impl Reading {
    /// Checks the columns and their order, the number of records, and that every text is a published value of its column.
    /// Returns the number of records.
    fn check_matches(&self, expected: &Expected<'_>) -> Result<u64> {
        let wrong = |fault: FileFault| Error::from(Obstacle::WrittenFileDiffers { fault });
        let names: Vec<String> = expected
            .recoding
            .columns
            .iter()
            .map(|recoded| without_formula_guard(&recoded.column.name).to_owned())
            .collect();
        let written: Vec<String> =
            self.counts.names.iter().map(|name| without_formula_guard(name).to_owned()).collect();
        if written != names {
            return Err(wrong(FileFault::Columns));
        }
        if written.iter().collect::<BTreeSet<_>>().len() < written.len() {
            return Err(wrong(FileFault::SimilarNames));
        }
        let rows: u64 = self.counts.contingency.weights.iter().sum();
        if rows != expected.rows {
            return Err(wrong(FileFault::Rows { found: rows, expected: expected.rows }));
        }
        for (recoded, values) in expected.recoding.columns.iter().zip(&self.counts.values) {
            let column = &recoded.column;
            let allowed: BTreeSet<&str> =
                (0..column.nodes.len()).map(|code| without_formula_guard(column.label(code as u32))).collect();
            let foreign = values.iter().filter(|text| !allowed.contains(without_formula_guard(text))).count();
            let spelled: BTreeSet<&str> = values.iter().map(|text| without_formula_guard(text)).collect();
            if spelled.len() < values.len() {
                return Err(wrong(FileFault::SimilarValues { column: column.name.clone() }));
            }
            if foreign > 0 {
                return Err(wrong(FileFault::ForeignValues { column: column.name.clone(), values: foreign }));
            }
        }
        Ok(rows)
    }
}

/// Serializes models with their violations as a list of objects.
fn as_findings<S: serde::Serializer>(
    models: &[(String, Vec<ClassViolation>)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct ModelFinding<'a> {
        model: &'a str,
        holds: bool,
        violations: &'a [ClassViolation],
    }
    serializer.collect_seq(models.iter().map(|(model, violations)| ModelFinding {
        model,
        holds: violations.is_empty(),
        violations,
    }))
}
