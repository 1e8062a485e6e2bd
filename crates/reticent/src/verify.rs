//! Verification: judges a release by what was read back from the written file, never by what a search believed.
//!
//! Shares no code with the algorithms: classes are made here by comparing records, and every model brings its own naive
//! definition. A violation refuses the release; so does anything that could not be checked.

mod over_joins;

use std::collections::BTreeSet;

use crate::contract::Model;
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::recoding::Recoding;
use crate::schema::Role;
use crate::table::Counts;
use crate::text::plain;

pub use crate::contract::{Breach, Reading};
pub use crate::witness::UNSHOWN;
pub use over_joins::{Over, OverJoins};

/// What a release was meant to be.
#[derive(Debug)]
pub struct Expected<'a> {
    /// The recoding that was written.
    pub recoding: &'a Recoding,
    /// Records that were to be written.
    pub rows: u64,
}

/// What verification found.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Verdict {
    /// By model: its title, and the classes of the file that violate it.
    #[serde(serialize_with = "as_findings")]
    pub models: Vec<(String, Vec<Breach>)>,
    /// What was demanded of the join with earlier releases.
    pub joined: Vec<Over>,
    /// Records read back.
    pub rows: u64,
}

impl Verdict {
    /// True when no class of the file violates any model.
    pub fn holds(&self) -> bool {
        self.models.iter().all(|(_, breaches)| breaches.is_empty())
            && self.joined.iter().all(|over| over.violations.is_empty())
    }
}

/// Judges a written file: that it is what it was meant to be, that every model holds on it, and that what is demanded of its
/// join with earlier releases does.
pub fn verify(
    counts: Counts,
    expected: &Expected<'_>,
    requirement: &[Box<dyn Model>],
    joins: Option<&OverJoins<'_>>,
) -> Result<Verdict> {
    let trees =
        expected.recoding.columns.iter().map(|recoded| (recoded.column.name.clone(), recoded.column.tree.clone()));
    let mut reading = Reading::new(counts, trees.collect());
    let sensitive = expected.recoding.columns.iter().filter(|recoded| recoded.column.role == Role::Sensitive);
    reading.unshown = sensitive.map(|recoded| recoded.column.name.clone()).collect();
    let rows = reading.is_what_was_meant(expected)?;
    let mut models = Vec::new();
    for model in requirement {
        models.push((model.title(), model.naive(&reading)?));
    }
    let joined = joins.map(|joins| joins.judge(&reading, expected.recoding)).transpose()?.unwrap_or_default();
    Ok(Verdict { models, joined, rows })
}

impl Reading {
    /// The same columns in the same order, as many records as were to be written, and no text that the column's
    /// taxonomy does not have.
    fn is_what_was_meant(&self, expected: &Expected<'_>) -> Result<u64> {
        let wrong = |fault: FileFault| Error::from(Obstacle::WrittenFileDiffers { fault });
        let names: Vec<String> =
            expected.recoding.columns.iter().map(|recoded| plain(&recoded.column.name).to_owned()).collect();
        let found: Vec<String> = self.counts.names.iter().map(|name| plain(name).to_owned()).collect();
        if found != names {
            return Err(wrong(FileFault::Columns));
        }
        if found.iter().collect::<BTreeSet<_>>().len() < found.len() {
            return Err(wrong(FileFault::SimilarNames));
        }
        let rows: u64 = self.counts.combos.weights.iter().sum();
        if rows != expected.rows {
            return Err(wrong(FileFault::Rows { found: rows, expected: expected.rows }));
        }
        for (recoded, values) in expected.recoding.columns.iter().zip(&self.counts.values) {
            let column = &recoded.column;
            let allowed: BTreeSet<&str> =
                (0..column.nodes.len()).map(|code| plain(column.label(code as u32))).collect();
            let foreign = values.iter().filter(|text| !allowed.contains(plain(text))).count();
            let spelled: BTreeSet<&str> = values.iter().map(|text| plain(text)).collect();
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

/// Models with their breaches, as a list of objects.
fn as_findings<S: serde::Serializer>(
    models: &[(String, Vec<Breach>)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Finding<'a> {
        model: &'a str,
        holds: bool,
        violations: &'a [Breach],
    }
    serializer.collect_seq(models.iter().map(|(model, violations)| Finding {
        model,
        holds: violations.is_empty(),
        violations,
    }))
}
