//! Options of the embedded engine: limits, text format, cancellation and progress.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reticent::text_format::TextFormat;

use crate::error::{Error, Result};

/// Phase of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Profiling columns; progress in bytes read.
    Profiling,
    /// Counting combinations; progress in bytes read.
    Counting,
    /// Counting again by owner, because an owner has several records; progress in bytes read.
    CountingOwners,
    /// Writing a release; progress in rows.
    Writing,
}

/// Callback for progress: the phase, the amount done and the total.
pub type Progress = Arc<dyn Fn(Phase, u64, u64) + Send + Sync>;

/// Options of the embedded engine.
#[derive(Clone)]
pub struct Options {
    /// Approximate limit in bytes for combinations, dictionaries and owners.
    pub memory: u64,
    /// Delimiter of text files; detected from the header if none.
    pub delimiter: Option<u8>,
    /// Name of the encoding of text files; detected if none. A byte order mark takes precedence.
    pub encoding: Option<String>,
    /// Sheet of a workbook; the only one with data if none.
    pub sheet: Option<String>,
    /// How the dates or numbers of columns are written. Their texts are replaced by the canonical ones.
    pub formats: Vec<(String, TextFormat)>,
    /// True if profiles contain the formats that all texts of a column have.
    pub detect_formats: bool,
    /// True if spaces around fields and column names of text files are removed.
    pub trim: bool,
    /// Texts, other than the empty one, that mean a missing value.
    pub missing: Vec<String>,
    /// True if rows without an owner are linked to [`reticent::NO_OWNER`]. Otherwise they are an error.
    pub allow_missing_owner: bool,
    /// Number of threads; the number of cores if none.
    pub threads: Option<usize>,
    /// Approximate size of a block of a text file, in bytes.
    pub block_bytes: usize,
    /// Cancellation flag.
    pub stop: Arc<AtomicBool>,
    /// Callback for progress.
    pub progress: Option<Progress>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory: 2 << 30,
            delimiter: None,
            encoding: None,
            sheet: None,
            formats: Vec::new(),
            detect_formats: false,
            trim: true,
            missing: Vec::new(),
            allow_missing_owner: false,
            threads: None,
            block_bytes: 4 << 20,
            stop: Arc::default(),
            progress: None,
        }
    }
}

impl Options {
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(cores).max(1)
    }

    /// Returns true if a text means a missing value.
    pub(crate) fn is_missing(&self, text: &[u8]) -> bool {
        text.is_empty() || self.missing.iter().any(|missing| missing.as_bytes() == text)
    }

    /// Returns the format of a column.
    pub(crate) fn format(&self, column: &str) -> Option<&TextFormat> {
        self.formats.iter().find(|(name, _)| name == column).map(|(_, format)| format)
    }

    pub(crate) fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    pub(crate) fn report(&self, phase: Phase, done: u64, total: u64) {
        if let Some(progress) = &self.progress {
            progress(phase, done, total);
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { memory, delimiter, trim, threads, block_bytes, .. } = self;
        write!(f, "Options({memory} bytes, {delimiter:?}, trim {trim}, {threads:?} threads, {block_bytes} per block)")
    }
}
