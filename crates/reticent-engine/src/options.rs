//! How the embedded engine works: what it may use, how it reads, and whom it tells.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// What the engine is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Looking at the values of columns; in bytes read.
    Profiling,
    /// Counting combinations; in bytes read.
    Counting,
    /// Counting again by owner, since some owner has several records; in bytes read.
    CountingOwners,
    /// Writing a release; in rows.
    Writing,
}

/// Hears how much of how much is done.
pub type Progress = Arc<dyn Fn(Phase, u64, u64) + Send + Sync>;

/// How the embedded engine works.
#[derive(Clone)]
pub struct Options {
    /// About how many bytes combinations, dictionaries and owners may take.
    pub memory: u64,
    /// What separates the fields of a text file; found from the header when not given.
    pub delimiter: Option<u8>,
    /// Whether spaces around the fields and names of a text file are left out.
    pub trim: bool,
    /// Texts that stand for no value, beside the empty one.
    pub missing: Vec<String>,
    /// Whether rows without an owner are nobody's where owners are linked, and linked to [`reticent::NOBODY`]. Else they are
    /// an error.
    pub nobody: bool,
    /// How many threads work; as many as there are cores when not given.
    pub threads: Option<usize>,
    /// About how many bytes of a text file one thread takes at a time.
    pub block_bytes: usize,
    /// Set by the user's wish to stop.
    pub stop: Arc<AtomicBool>,
    /// Hears how far the work is.
    pub progress: Option<Progress>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory: 2 << 30,
            delimiter: None,
            trim: true,
            missing: Vec::new(),
            nobody: false,
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

    /// Whether a text stands for no value.
    pub(crate) fn is_missing(&self, text: &[u8]) -> bool {
        text.is_empty() || self.missing.iter().any(|missing| missing.as_bytes() == text)
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
