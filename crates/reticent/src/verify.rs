//! Verification: judges a release by what was read back from the written file, never by what a search believed.
//!
//! Shares no code with the algorithms: classes are made here by comparing records, and every model brings its own naive
//! definition. A violation refuses the release; so does anything that could not be checked.

mod over_joins;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::models::Model;
use crate::recoding::Recoding;
use crate::schema::Role;
use crate::table::Counts;
use crate::taxonomy::Taxonomy;
use crate::text::plain;
use crate::witness::as_cells;

pub use crate::witness::UNSHOWN;
pub use over_joins::{Over, OverJoins};

/// What was read back from a written file: texts, and how many records carry each combination of them.
#[derive(Debug)]
pub struct Reading {
    /// Columns whose values are shown to nobody.
    unshown: BTreeSet<String>,
    counts: Counts,
    trees: BTreeMap<String, Arc<Taxonomy>>,
}

/// A class in the written file that violates a model.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Breach {
    /// The values, as written, that name the class.
    #[serde(serialize_with = "as_cells")]
    pub witness: Vec<(String, String)>,
    /// What was measured and what is demanded.
    pub explanation: String,
}

/// What a release was meant to be.
#[derive(Debug)]
pub struct Expected<'a> {
    /// The recoding that was written.
    pub recoding: &'a Recoding,
    /// Records that were to be written.
    pub rows: u64,
}

/// What verification found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
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
    /// For tests and tools that have counts and trees at hand.
    pub fn new(counts: Counts, trees: BTreeMap<String, Arc<Taxonomy>>) -> Reading {
        Reading { unshown: BTreeSet::new(), counts, trees }
    }

    /// The same columns in the same order, as many records as were to be written, and no text that the column's
    /// taxonomy does not have.
    fn is_what_was_meant(&self, expected: &Expected<'_>) -> Result<u64> {
        let wrong = |why: String| Error::CannotCheck { what: "the written file".to_owned(), why };
        let names: Vec<String> =
            expected.recoding.columns.iter().map(|recoded| plain(&recoded.column.name).to_owned()).collect();
        let found: Vec<String> = self.counts.names.iter().map(|name| plain(name).to_owned()).collect();
        if found != names {
            return Err(wrong("its columns are not those that were to be written".to_owned()));
        }
        if found.iter().collect::<BTreeSet<_>>().len() < found.len() {
            return Err(wrong("two of its columns differ by an apostrophe only; rename one".to_owned()));
        }
        let rows: u64 = self.counts.combos.weights.iter().sum();
        if rows != expected.rows {
            return Err(wrong(format!("it has {rows} records, {} were to be written", expected.rows)));
        }
        for (recoded, values) in expected.recoding.columns.iter().zip(&self.counts.values) {
            let column = &recoded.column;
            let allowed: BTreeSet<&str> =
                (0..column.nodes.len()).map(|code| plain(column.label(code as u32))).collect();
            let foreign = values.iter().filter(|text| !allowed.contains(plain(text))).count();
            let spelled: BTreeSet<&str> = values.iter().map(|text| plain(text)).collect();
            if spelled.len() < values.len() {
                return Err(wrong(format!(
                    "column `{}` has a value with and without an apostrophe before it",
                    column.name
                )));
            }
            if foreign > 0 {
                return Err(wrong(format!(
                    "column `{}` has {foreign} values that were not to be published",
                    column.name
                )));
            }
        }
        Ok(rows)
    }

    /// How many different records.
    pub fn len(&self) -> usize {
        self.counts.combos.weights.len()
    }

    /// True when nothing was read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn place(&self, column: &str) -> Result<usize> {
        let names = &self.counts.names;
        let exact = names.iter().position(|name| name == column);
        exact.or_else(|| names.iter().position(|name| plain(name) == plain(column))).ok_or_else(|| Error::CannotCheck {
            what: format!("column `{column}`"),
            why: "it is not in the written file".to_owned(),
        })
    }

    /// The records that agree on these columns, class by class.
    pub fn classes(&self, by: &[String]) -> Result<BTreeMap<Vec<u32>, Vec<usize>>> {
        let places: Vec<usize> = by.iter().map(|column| self.place(column)).collect::<Result<_>>()?;
        let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for record in 0..self.len() {
            let key = places.iter().map(|place| self.counts.combos.codes[*place][record]).collect();
            classes.entry(key).or_default().push(record);
        }
        Ok(classes)
    }

    /// How many people these records are about.
    pub fn people(&self, records: &[usize]) -> u64 {
        match &self.counts.combos.owners {
            None => records.iter().map(|record| self.counts.combos.weights[*record]).sum(),
            Some(owners) => records.iter().map(|record| owners[*record]).collect::<BTreeSet<_>>().len() as u64,
        }
    }

    /// How many people have a record with each combination of values on these columns.
    pub fn people_by_value(&self, records: &[usize], of: &[String]) -> Result<BTreeMap<Vec<u32>, u64>> {
        let places: Vec<usize> = of.iter().map(|column| self.place(column)).collect::<Result<_>>()?;
        let mut by_value: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for record in records {
            let key = places.iter().map(|place| self.counts.combos.codes[*place][*record]).collect();
            by_value.entry(key).or_default().push(*record);
        }
        Ok(by_value.into_iter().map(|(value, records)| (value, self.people(&records))).collect())
    }

    /// The text behind a value of a column, without the apostrophe that keeps spreadsheets from computing it.
    pub fn text(&self, column: &str, value: u32) -> Result<&str> {
        Ok(plain(&self.counts.values[self.place(column)?][value as usize]))
    }

    /// The taxonomy of a column.
    pub fn tree(&self, column: &str) -> Result<Arc<Taxonomy>> {
        self.trees.get(column).cloned().ok_or_else(|| Error::CannotCheck {
            what: format!("column `{column}`"),
            why: "its taxonomy is not known".to_owned(),
        })
    }

    /// A breach, with the class's values as witness.
    pub fn breach(&self, by: &[String], class: &[u32], explanation: String) -> Breach {
        let text = |(column, value): (&String, &u32)| {
            let shown = if self.unshown.contains(column) { UNSHOWN } else { self.text(column, *value).unwrap_or("?") };
            (column.clone(), shown.to_owned())
        };
        Breach { witness: by.iter().zip(class).map(text).collect(), explanation }
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
