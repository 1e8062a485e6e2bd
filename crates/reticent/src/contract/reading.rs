//! Records read back from a written file, and their equivalence classes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::data::table::Counts;
use crate::data::taxonomy::Taxonomy;
use crate::error::{FileFault, Obstacle, Result};
use crate::text::without_formula_guard;
use crate::witness::{SENSITIVE_NOT_SHOWN, as_cells};

/// Contents of a written file: texts, and the number of records by combination of texts.
#[derive(Debug)]
pub struct Reading {
    /// Columns whose values are hidden in witnesses.
    pub(crate) hidden_columns: BTreeSet<String>,
    pub(crate) counts: Counts,
    trees: BTreeMap<String, Arc<Taxonomy>>,
}

/// A class in the written file that violates a model.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ClassViolation {
    /// Values that identify the class, as written.
    #[serde(serialize_with = "as_cells")]
    pub witness: Vec<(String, String)>,
    /// Measured value and threshold, for people.
    pub explanation: String,
}

impl Reading {
    /// Creates a reading from counts and taxonomies by column name.
    pub fn new(counts: Counts, trees: BTreeMap<String, Arc<Taxonomy>>) -> Reading {
        Reading { hidden_columns: BTreeSet::new(), counts, trees }
    }

    /// Number of distinct records.
    pub fn len(&self) -> usize {
        self.counts.contingency.weights.len()
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn place(&self, column: &str) -> Result<usize> {
        let names = &self.counts.names;
        let exact = names.iter().position(|name| name == column);
        exact
            .or_else(|| names.iter().position(|name| without_formula_guard(name) == without_formula_guard(column)))
            .ok_or_else(|| {
                Obstacle::WrittenFileDiffers { fault: FileFault::ColumnMissing { column: column.to_owned() } }.into()
            })
    }

    /// Indices of the records by equivalence class on these columns.
    ///
    /// # Errors
    ///
    /// Returns an error if a column is missing.
    pub fn classes(&self, by: &[String]) -> Result<BTreeMap<Vec<u32>, Vec<usize>>> {
        let places: Vec<usize> = by.iter().map(|column| self.place(column)).collect::<Result<_>>()?;
        let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for record in 0..self.len() {
            let key = places.iter().map(|place| self.counts.contingency.codes[*place][record]).collect();
            classes.entry(key).or_default().push(record);
        }
        Ok(classes)
    }

    /// Number of people with these records.
    pub fn people(&self, records: &[usize]) -> u64 {
        match &self.counts.contingency.owners {
            None => records.iter().map(|record| self.counts.contingency.weights[*record]).sum(),
            Some(owners) => records.iter().map(|record| owners[*record]).collect::<BTreeSet<_>>().len() as u64,
        }
    }

    /// Number of rows of each owner among these records; empty if every record has its own owner.
    pub fn rows_by_owner(&self, records: &[usize]) -> BTreeMap<u32, usize> {
        let mut rows = BTreeMap::new();
        if let Some(owners) = &self.counts.contingency.owners {
            for record in records {
                *rows.entry(owners[*record]).or_default() += self.counts.contingency.weights[*record] as usize;
            }
        }
        rows
    }

    /// Number of people by combination of values on these columns.
    ///
    /// # Errors
    ///
    /// Returns an error if a column is missing.
    pub fn people_by_value(&self, records: &[usize], of: &[String]) -> Result<BTreeMap<Vec<u32>, u64>> {
        let places: Vec<usize> = of.iter().map(|column| self.place(column)).collect::<Result<_>>()?;
        let mut by_value: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for record in records {
            let key = places.iter().map(|place| self.counts.contingency.codes[*place][*record]).collect();
            by_value.entry(key).or_default().push(*record);
        }
        Ok(by_value.into_iter().map(|(value, records)| (value, self.people(&records))).collect())
    }

    /// Text of a value, without the leading apostrophe that protects against spreadsheet formulas.
    ///
    /// # Errors
    ///
    /// Returns an error if the column is missing.
    pub fn text(&self, column: &str, value: u32) -> Result<&str> {
        Ok(without_formula_guard(&self.counts.values[self.place(column)?][value as usize]))
    }

    /// Taxonomy of a column.
    ///
    /// # Errors
    ///
    /// Returns an error if the column has no taxonomy.
    pub fn tree(&self, column: &str) -> Result<Arc<Taxonomy>> {
        self.trees.get(column).cloned().ok_or_else(|| Obstacle::TaxonomyUnknown { column: column.to_owned() }.into())
    }

    /// Violation with the values of the class as witness.
    pub fn violation(&self, by: &[String], class: &[u32], explanation: String) -> ClassViolation {
        let text = |(column, value): (&String, &u32)| {
            let text = if self.hidden_columns.contains(column) {
                SENSITIVE_NOT_SHOWN
            } else {
                self.text(column, *value).unwrap_or("?")
            };
            (column.clone(), text.to_owned())
        };
        ClassViolation { witness: by.iter().zip(class).map(text).collect(), explanation }
    }
}
