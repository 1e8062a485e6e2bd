//! Finds the rows of given texts, for error messages.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use crate::source::{Fields, RowConsumer, RowError, Source, scan};

/// A row with one of the wanted texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRow {
    /// File of the row.
    pub file: PathBuf,
    /// Number of the row. The header of a text file or a sheet is row 1; a Parquet file has no header.
    pub row: u64,
    /// Text of the cell.
    pub text: String,
}

/// Returns the first rows in which a column has one of these texts, at most `limit`.
pub(crate) fn locate(
    source: &Source,
    column: &str,
    texts: &HashSet<&str>,
    limit: usize,
    options: &Options,
) -> Result<Vec<FoundRow>> {
    let at = source.position(column)?;
    // With one thread, the rows arrive in order.
    let options = Options { threads: Some(1), ..options.clone() };
    let mut found = Vec::new();
    for (file, header) in source.single_files() {
        let wanted = limit - found.len();
        let new = || Finder { texts, wanted, row: u64::from(header), found: Vec::new() };
        let path = file.paths().next().map(PathBuf::from).unwrap_or_default();
        for finder in scan(&file, &[at], &options, Phase::Profiling, new)? {
            let rows = finder.found.into_iter();
            found.extend(rows.map(|(row, text)| FoundRow { file: path.clone(), row, text }));
        }
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

struct Finder<'a> {
    texts: &'a HashSet<&'a str>,
    wanted: usize,
    row: u64,
    found: Vec<(u64, String)>,
}

impl RowConsumer for Finder<'_> {
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError> {
        self.row += 1;
        if self.found.len() < self.wanted
            && let Ok(text) = std::str::from_utf8(row.field(0))
            && self.texts.contains(text)
        {
            self.found.push((self.row, text.to_owned()));
        }
        Ok(())
    }

    fn pause(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
