//! What was read back from a written file, and the classes of its records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::{FileFault, Obstacle, Result};
use crate::table::Counts;
use crate::taxonomy::Taxonomy;
use crate::text::plain;
use crate::witness::{UNSHOWN, as_cells};

/// What was read back from a written file: texts, and how many records carry each combination of them.
#[derive(Debug)]
pub struct Reading {
    /// Columns whose values are shown to nobody.
    pub(crate) unshown: BTreeSet<String>,
    pub(crate) counts: Counts,
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

impl Reading {
    /// For tests and tools that have counts and trees at hand.
    pub fn new(counts: Counts, trees: BTreeMap<String, Arc<Taxonomy>>) -> Reading {
        Reading { unshown: BTreeSet::new(), counts, trees }
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
        exact.or_else(|| names.iter().position(|name| plain(name) == plain(column))).ok_or_else(|| {
            Obstacle::WrittenFileDiffers { fault: FileFault::ColumnMissing { column: column.to_owned() } }.into()
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
        self.trees.get(column).cloned().ok_or_else(|| Obstacle::TaxonomyUnknown { column: column.to_owned() }.into())
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
