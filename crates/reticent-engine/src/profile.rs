//! Profiles: the values of a column, in bounded memory and independent of the order of rows and threads.
//!
//! While a column has few texts, all are listed. Otherwise a summary is kept: the type of the texts, a bounded set of
//! hashes that counts distinct texts, and a sample of numbers. The sample contains the numbers with the lowest hashes
//! and their exact counts. Every such number is in the sample of every thread from its first row on, so the sample
//! depends on the rows only.

mod listed;
mod summary;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use reticent::contingency::Weight;

use crate::Profile;
use crate::count::Converter;
use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use crate::source::{Fields, RowConsumer, RowError, Source, scan};
use listed::ValueList;
use summary::{DistinctHashes, Summary};

/// Profiles these columns: files in one pass, the columns of a database one by one, so that it can group their values.
pub(crate) fn profile(source: &Source, names: &[String], options: &Options) -> Result<Vec<Profile>> {
    if !source.is_query() {
        return profile_together(source, names, options);
    }
    let source = source.grouped();
    let each = names.iter().map(|name| profile_together(&source, std::slice::from_ref(name), options));
    Ok(each.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn profile_together(source: &Source, names: &[String], options: &Options) -> Result<Vec<Profile>> {
    let indices = names.iter().map(|name| source.position(name)).collect::<Result<Vec<_>>>()?;
    let hashes: Vec<Mutex<DistinctHashes>> = names.iter().map(|_| Mutex::default()).collect();
    let used = AtomicU64::new(0);
    let make = || Profiler::new(names, &hashes, &used, options);
    let profilers = scan(source, &indices, options, Phase::Profiling, make)?;
    let mut parts: Vec<Vec<ColumnTexts>> = names.iter().map(|_| Vec::new()).collect();
    for profiler in profilers {
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

/// Texts of a column: all of them, or a summary.
enum ColumnTexts {
    Listed(ValueList),
    Summary(Summary),
}

/// Merges the profiles of one column from all threads.
fn finish(name: &str, parts: Vec<ColumnTexts>, mut hashes: DistinctHashes, options: &Options) -> Profile {
    let mut listed = ValueList::new();
    let mut summary: Option<Summary> = None;
    for part in parts {
        match part {
            ColumnTexts::Listed(part) => listed.merge(&part),
            ColumnTexts::Summary(part) => match &mut summary {
                Some(summary) => summary.merge(part),
                None => summary = Some(part),
            },
        }
    }
    if summary.is_none() && listed.len() <= Profile::MAX_LISTED {
        return listed.profile(name, options);
    }
    let mut summary = summary.unwrap_or_default();
    listed.summarize(&mut summary, options);
    hashes.take(&mut summary.fresh);
    summary.profile(name, &hashes)
}

/// Profiles of one thread.
struct Profiler<'a> {
    names: &'a [String],
    columns: Vec<ColumnTexts>,
    /// Converters of the columns with a declared format.
    converters: Vec<Option<Converter>>,
    hashes: &'a [Mutex<DistinctHashes>],
    used_bytes: &'a AtomicU64,
    reported: u64,
    options: &'a Options,
}

impl<'a> Profiler<'a> {
    fn new(
        names: &'a [String],
        hashes: &'a [Mutex<DistinctHashes>],
        used_bytes: &'a AtomicU64,
        options: &'a Options,
    ) -> Self {
        let columns = names.iter().map(|_| ColumnTexts::Listed(ValueList::new())).collect();
        let converters = names.iter().map(|name| Converter::new(name, options)).collect();
        Profiler { names, columns, converters, hashes, used_bytes, reported: 0, options }
    }
}

impl ColumnTexts {
    fn take(&mut self, text: &[u8], weight: Weight, options: &Options) -> Option<()> {
        match self {
            ColumnTexts::Listed(listed) => {
                listed.add(text, weight)?;
                if listed.len() > Profile::MAX_LISTED {
                    let mut summary = Summary::default();
                    listed.summarize(&mut summary, options);
                    *self = ColumnTexts::Summary(summary);
                }
            }
            ColumnTexts::Summary(summary) => summary.take(std::str::from_utf8(text).ok()?, weight, options),
        }
        Some(())
    }

    fn bytes(&self) -> u64 {
        match self {
            ColumnTexts::Listed(listed) => listed.bytes(),
            ColumnTexts::Summary(summary) => summary.bytes(),
        }
    }
}

impl RowConsumer for Profiler<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError> {
        for (at, (column, converter)) in self.columns.iter_mut().zip(&mut self.converters).enumerate() {
            let text = row.field(at);
            let text = converter.as_mut().map_or(Some(text), |converter| converter.convert(text));
            let text = text.ok_or(RowError::OtherFormat(at))?;
            column.take(text, row.weight(), self.options).ok_or(RowError::NotUtf8(at))?;
        }
        Ok(())
    }

    fn pause(&mut self) -> Result<()> {
        for (column, hashes) in self.columns.iter_mut().zip(self.hashes) {
            if let ColumnTexts::Summary(summary) = column {
                hashes.lock().unwrap_or_else(PoisonError::into_inner).take(&mut summary.fresh);
            }
        }
        let now: u64 = self.columns.iter().map(ColumnTexts::bytes).sum();
        let change = now.wrapping_sub(std::mem::replace(&mut self.reported, now));
        let used = self.used_bytes.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        if used <= self.options.memory {
            return Ok(());
        }
        let widest = self.columns.iter().zip(self.names).max_by_key(|(column, _)| column.bytes());
        let column = widest.map(|(_, name)| name.clone()).unwrap_or_default();
        Err(Error::Memory { limit_bytes: self.options.memory, combinations: 0, column, values: Profile::MAX_LISTED })
    }
}
