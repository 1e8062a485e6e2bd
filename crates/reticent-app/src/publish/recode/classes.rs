//! The equivalence classes of a planned release, as regions of the data: for programs that recode further records alike.

use reticent::{PublishedColumn, Role};

use super::Planned;
use crate::answer::{ClassCell, PublishedClass};
use crate::error::Result;

impl Planned {
    /// Returns the distinct combinations of published quasi-identifiers; none if no release was found.
    pub(crate) fn classes(&self) -> Result<Vec<PublishedClass>> {
        let Some((_, candidate)) = &self.planning.candidate else { return Ok(Vec::new()) };
        let release = candidate.outcome.recoding.apply(&self.data.prepared.table)?;
        let is_quasi = |at: &usize| release.columns[*at].role == Role::QuasiIdentifier;
        let quasi: Vec<usize> = (0..release.columns.len()).filter(is_quasi).collect();
        let classes = release.contingency.project(&quasi);
        let class = |at: usize| PublishedClass {
            records: classes.weights[at],
            cells: quasi
                .iter()
                .zip(&classes.codes)
                .map(|(column, codes)| cell(&release.columns[*column], codes[at]))
                .collect(),
        };
        Ok((0..classes.len()).map(class).collect())
    }
}

fn cell(column: &PublishedColumn, code: u32) -> ClassCell {
    let node = column.nodes[code as usize];
    let (tree, label) = (&column.tree, column.label(code).to_owned());
    match tree.interval(node).filter(|_| tree.numbers().is_some()) {
        Some(interval) => {
            ClassCell::Interval { label, from: interval.low, to: interval.high, to_included: interval.high_in }
        }
        None => ClassCell::Values { label, values: tree.codes(node).map(|code| tree.value(code).to_owned()).collect() },
    }
}
