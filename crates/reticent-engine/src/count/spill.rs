//! Combinations on the disk, for tables with more of them than fit in memory.
//!
//! The file has no name, so it ends with the process, and it contains codes, no values. It is in the folder for temporary files of
//! the system.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use reticent::taxonomy::Code;

use crate::error::{Error, FileOperation, Result};

const BUFFER: usize = 1 << 18;

/// Records of codes and a number, in the order in which they were added.
pub(super) struct SpilledCombinations {
    file: BufWriter<File>,
    /// Number of codes of a record.
    columns: usize,
    records: u64,
}

fn failed(doing: FileOperation) -> impl Fn(io::Error) -> Error {
    move |error| Error::io(doing, Path::new("a temporary file"), error)
}

impl SpilledCombinations {
    /// Creates an empty file.
    pub(super) fn new(columns: usize) -> Result<SpilledCombinations> {
        let file = tempfile::tempfile().map_err(failed(FileOperation::Create))?;
        Ok(SpilledCombinations { file: BufWriter::with_capacity(BUFFER, file), columns, records: 0 })
    }

    /// Adds a record.
    pub(super) fn add(&mut self, codes: &[Code], number: u64) -> Result<()> {
        let mut write = || {
            codes.iter().try_for_each(|code| self.file.write_all(&code.to_le_bytes()))?;
            self.file.write_all(&number.to_le_bytes())
        };
        write().map_err(failed(FileOperation::Write))?;
        self.records += 1;
        Ok(())
    }

    /// Reads all records.
    pub(super) fn for_each(self, mut visit: impl FnMut(&[Code], u64) -> Result<()>) -> Result<()> {
        let unwritten = |error: io::IntoInnerError<BufWriter<File>>| failed(FileOperation::Write)(error.into_error());
        let mut file = self.file.into_inner().map_err(unwritten)?;
        file.rewind().map_err(failed(FileOperation::Read))?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut bytes = vec![0; 4 * self.columns + 8];
        let mut codes = vec![0; self.columns];
        for _ in 0..self.records {
            file.read_exact(&mut bytes).map_err(failed(FileOperation::Read))?;
            let (words, number) = bytes.split_at(4 * self.columns);
            for (code, word) in codes.iter_mut().zip(words.as_chunks::<4>().0) {
                *code = Code::from_le_bytes(*word);
            }
            let number = number.first_chunk::<8>().map_or(0, |number| u64::from_le_bytes(*number));
            visit(&codes, number)?;
        }
        Ok(())
    }
}
