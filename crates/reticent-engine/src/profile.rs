//! Profiles: what values a column has, in bounded memory and whatever the order of rows and threads.
//!
//! A column is listed text by text as long as it has few. Beyond that a summary is kept: what all texts are, a bounded
//! set of hashes to count distinct texts, and the numbers with the lowest hashes with their exact counts. A number among
//! the lowest of all was among the lowest from its first row on, in every thread, so the sample is a function of the
//! rows alone.

mod listed;
mod summary;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Profile;
use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use crate::source::{Fault, Fields, Rows, Source, scan};
use listed::Listed;
use summary::{Hashes, Summary};

/// Profiles these columns in one pass.
pub(crate) fn profile(source: &Source, names: &[String], options: &Options) -> Result<Vec<Profile>> {
    let places = names.iter().map(|name| source.position(name)).collect::<Result<Vec<_>>>()?;
    let hashes: Vec<Mutex<Hashes>> = names.iter().map(|_| Mutex::default()).collect();
    let used = AtomicU64::new(0);
    let make = || Profiler::new(names, &hashes, &used, options);
    let taken = scan(source, &places, options, Phase::Profiling, make)?;
    let mut parts: Vec<Vec<Texts>> = names.iter().map(|_| Vec::new()).collect();
    for profiler in taken {
        for (into, column) in parts.iter_mut().zip(profiler.columns) {
            into.push(column);
        }
    }
    let hashes = hashes.into_iter().map(|hashes| hashes.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(names
        .iter()
        .zip(parts)
        .zip(hashes)
        .map(|((name, parts), hashes)| finish(name, parts, hashes, options))
        .collect())
}

/// What is known of a column's texts.
enum Texts {
    Listed(Listed),
    Summary(Summary),
}

/// Puts together what the threads know of one column.
fn finish(name: &str, parts: Vec<Texts>, mut hashes: Hashes, options: &Options) -> Profile {
    let mut listed = Listed::new();
    let mut summary: Option<Summary> = None;
    for part in parts {
        match part {
            Texts::Listed(part) => listed.merge(&part),
            Texts::Summary(part) => match &mut summary {
                Some(summary) => summary.merge(part),
                None => summary = Some(part),
            },
        }
    }
    if summary.is_none() && listed.len() <= Profile::LISTED {
        return listed.profile(name, options);
    }
    let mut summary = summary.unwrap_or_default();
    listed.summarize(&mut summary, options);
    hashes.take(&mut summary.fresh);
    summary.profile(name, &hashes)
}

/// What one thread learns.
struct Profiler<'a> {
    names: &'a [String],
    columns: Vec<Texts>,
    hashes: &'a [Mutex<Hashes>],
    used_bytes: &'a AtomicU64,
    reported: u64,
    options: &'a Options,
}

impl<'a> Profiler<'a> {
    fn new(names: &'a [String], hashes: &'a [Mutex<Hashes>], used_bytes: &'a AtomicU64, options: &'a Options) -> Self {
        let columns = names.iter().map(|_| Texts::Listed(Listed::new())).collect();
        Profiler { names, columns, hashes, used_bytes, reported: 0, options }
    }
}

impl Texts {
    fn take(&mut self, text: &[u8], options: &Options) -> Option<()> {
        match self {
            Texts::Listed(listed) => {
                listed.take(text)?;
                if listed.len() > Profile::LISTED {
                    let mut summary = Summary::default();
                    listed.summarize(&mut summary, options);
                    *self = Texts::Summary(summary);
                }
            }
            Texts::Summary(summary) => summary.take(std::str::from_utf8(text).ok()?, 1, options),
        }
        Some(())
    }

    fn bytes(&self) -> u64 {
        match self {
            Texts::Listed(listed) => listed.bytes(),
            Texts::Summary(summary) => summary.bytes(),
        }
    }
}

impl Rows for Profiler<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), Fault> {
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.take(row.field(at), self.options).ok_or(Fault::NotUtf8(at))?;
        }
        Ok(())
    }

    fn pause(&mut self) -> Result<()> {
        for (column, hashes) in self.columns.iter_mut().zip(self.hashes) {
            if let Texts::Summary(summary) = column {
                hashes.lock().unwrap_or_else(PoisonError::into_inner).take(&mut summary.fresh);
            }
        }
        let now: u64 = self.columns.iter().map(Texts::bytes).sum();
        let change = now.wrapping_sub(std::mem::replace(&mut self.reported, now));
        let used = self.used_bytes.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        if used <= self.options.memory {
            return Ok(());
        }
        let widest = self.columns.iter().zip(self.names).max_by_key(|(column, _)| column.bytes());
        let column = widest.map(|(_, name)| name.clone()).unwrap_or_default();
        Err(Error::Memory { limit_bytes: self.options.memory, combinations: 0, column, values: Profile::LISTED })
    }
}
