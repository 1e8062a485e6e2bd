//! Counting: the number of rows with each combination of values.
//!
//! Every thread has its own dictionaries and map. At the end, the dictionaries are merged in ascending order, and the
//! maps with them. The result therefore does not depend on the assignment of rows to threads.

mod converter;
mod dictionary;
mod keys;
mod linked;
mod owners;
mod packed;
mod spill;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use reticent::Counts;
use reticent::contingency::{Owner, Weight, bits};
use reticent::taxonomy::Code;

use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use crate::sort_merge::CombinationBuffer;
use crate::source::{Fields, RowConsumer, RowError, Source, scan};
use crate::{CountColumn, CountRequest};
use dictionary::{Coder, MAX_VALUES};
use keys::CombinationCounter;
use linked::count_linked;
use owners::{OwnerHash, OwnerIndex, RepeatedOwners, owner_hash};
use spill::SpilledCombinations;

pub(crate) use converter::Converter;
pub(crate) use dictionary::Dictionary;

/// Counts the requested combinations of a source.
pub(crate) fn count(source: &Source, request: &CountRequest, options: &Options) -> Result<Counts> {
    let mut indices = request.columns.iter().map(|column| source.position(&column.name)).collect::<Result<Vec<_>>>()?;
    let shared = SharedState::new(&request.columns, options);
    let Some(owner) = &request.owner else {
        let ignored = || Counter::new(&shared, OwnerMode::Ignored);
        return merge(&shared, scan(&source.grouped(), &indices, options, Phase::Counting, ignored)?);
    };
    indices.push(source.position(owner)?);
    if let Some(key) = &request.key {
        return count_linked(source, &indices, &shared, key);
    }
    let collect = || Counter::new(&shared, OwnerMode::Collected { hashes: Vec::new(), missing: 0 });
    let mut counters = scan(source, &indices, options, Phase::Counting, collect)?;
    let index = match OwnerIndex::of_rows(collect_hashes(&mut counters, owner)?) {
        RepeatedOwners::None => return merge(&shared, counters),
        RepeatedOwners::TooMany => return Err(Error::TooManyOwners { column: owner.clone() }),
        RepeatedOwners::Some(index) => Arc::new(index),
    };
    drop(counters);
    let shared = SharedState::new(&request.columns, options);
    let numbered = || Counter::new(&shared, OwnerMode::Numbered(index.clone()));
    merge(&shared, scan(source, &indices, options, Phase::CountingOwners, numbered)?)
}

/// Counts all columns with the given owner for each row, in row order.
pub(crate) fn count_with_owners(source: &Source, owners: &[Owner], options: &Options) -> Result<Counts> {
    let columns: Vec<CountColumn> =
        source.names().iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect();
    let indices: Vec<usize> = (0..columns.len()).collect();
    let options = Options { threads: Some(1), ..options.clone() };
    let shared = SharedState::new(&columns, &options);
    let given = || Counter::new(&shared, OwnerMode::Given { owners, next: 0 });
    let counters = scan(source, &indices, &options, Phase::Counting, given)?;
    let found: usize = counters.iter().map(|counter| counter.rows_given()).sum();
    if found != owners.len() {
        let file = source.paths().next().unwrap_or(std::path::Path::new("")).to_owned();
        return Err(Error::RowsDiffer { file, expected: owners.len() as Weight, found: found as Weight });
    }
    merge(&shared, counters)
}

/// Returns the owner hashes of all rows, or an error if rows have no owner.
fn collect_hashes(counters: &mut [Counter], column: &str) -> Result<Vec<OwnerHash>> {
    let mut all = Vec::new();
    let mut rows = 0;
    for counter in counters {
        if let OwnerMode::Collected { hashes, missing } = &mut counter.owners {
            rows += *missing;
            all.append(hashes);
        }
    }
    if rows > 0 { Err(Error::OwnerMissing { column: column.to_owned(), rows }) } else { Ok(all) }
}

/// State that all threads share.
struct SharedState<'a> {
    columns: &'a [CountColumn],
    options: &'a Options,
    used_bytes: AtomicU64,
    combinations: AtomicU64,
}

impl<'a> SharedState<'a> {
    fn new(columns: &'a [CountColumn], options: &'a Options) -> Self {
        SharedState { columns, options, used_bytes: AtomicU64::new(0), combinations: AtomicU64::new(0) }
    }

    /// Returns the memory for the merged combinations.
    fn limit(&self, columns: &[MergedColumn]) -> u64 {
        // A text, its entry and its place in the order of the texts.
        let texts: usize = columns.iter().flat_map(|column| &column.texts).map(|text| text.len() + 48).sum();
        self.options.memory.saturating_sub(texts as u64)
    }

    /// Returns the error that these merged combinations exceed the memory.
    fn exceeded(&self, columns: &[MergedColumn], combinations: usize) -> Error {
        let largest = columns.iter().zip(self.columns).max_by_key(|(column, _)| column.texts.len());
        let (column, values) =
            largest.map(|(merged, column)| (column.name.clone(), merged.texts.len())).unwrap_or_default();
        Error::Memory { limit_bytes: self.options.memory, combinations: combinations as u64, column, values }
    }
}

/// Dictionaries of one thread.
struct Coders<'a> {
    shared: &'a SharedState<'a>,
    coders: Vec<Coder>,
    /// Converters of the columns with a declared format.
    converters: Vec<Option<Converter>>,
    /// Bytes and combinations that this thread last added to the shared totals.
    reported: (u64, u64),
}

impl<'a> Coders<'a> {
    fn new(shared: &'a SharedState<'a>) -> Self {
        let coder = |column: &CountColumn| Coder::new(column.bins.as_deref(), &shared.options.missing);
        let converter = |column: &CountColumn| Converter::new(&column.name, shared.options);
        Coders {
            shared,
            coders: shared.columns.iter().map(coder).collect(),
            converters: shared.columns.iter().map(converter).collect(),
            reported: (0, 0),
        }
    }

    /// Computes the codes of a row.
    #[inline]
    fn code(&mut self, row: &impl Fields, codes: &mut [Code]) -> Result<(), RowError> {
        let coders = self.coders.iter_mut().zip(&mut self.converters);
        for (at, (((coder, converter), code), column)) in coders.zip(codes).zip(self.shared.columns).enumerate() {
            let text = row.field(at);
            let text = converter.as_mut().map_or(Some(text), |converter| converter.convert(text));
            let text = text.ok_or(RowError::OtherFormat(at))?;
            *code = coder.code(text, at, &column.name)?;
        }
        Ok(())
    }

    /// Returns the approximate memory in bytes.
    fn bytes(&self) -> u64 {
        let converters = self.converters.iter().flatten().map(Converter::bytes);
        self.coders.iter().map(|coder| coder.dictionary().bytes()).chain(converters).sum()
    }

    /// Updates the shared totals. Returns an error if they exceed the memory limit.
    fn report(&mut self, bytes: u64, combinations: usize) -> Result<()> {
        let now = (bytes, combinations as u64);
        let before = std::mem::replace(&mut self.reported, now);
        let add = |sum: &AtomicU64, now: u64, before: u64| {
            let change = now.wrapping_sub(before);
            sum.fetch_add(change, Ordering::Relaxed).wrapping_add(change)
        };
        let used = add(&self.shared.used_bytes, now.0, before.0);
        let combinations = add(&self.shared.combinations, now.1, before.1);
        if used <= self.shared.options.memory {
            return Ok(());
        }
        let largest = self.coders.iter().zip(self.shared.columns).max_by_key(|(coder, _)| coder.dictionary().len());
        let (column, values) =
            largest.map(|(coder, column)| (column.name.clone(), coder.dictionary().len())).unwrap_or_default();
        Err(Error::Memory { limit_bytes: self.shared.options.memory, combinations, column, values })
    }
}

/// Counts of one thread.
struct Counter<'a> {
    coders: Coders<'a>,
    owners: OwnerMode<'a>,
    keys: CombinationCounter,
    /// Counts that were moved to the disk.
    spilled: Option<SpilledCombinations>,
    /// Codes of the current row; the owner is last.
    codes: Vec<Code>,
}

/// Treatment of the owner of a row, which is the field after the columns.
enum OwnerMode<'a> {
    /// Owners are not requested.
    Ignored,
    /// First pass: every row is assumed to have its own owner, and the hashes are collected.
    Collected { hashes: Vec<OwnerHash>, missing: Weight },
    /// Second pass: owners have numbers.
    Numbered(Arc<OwnerIndex>),
    /// The owner of every row is given.
    Given { owners: &'a [Owner], next: usize },
}

impl OwnerMode<'_> {
    fn are_counted(&self) -> bool {
        matches!(self, OwnerMode::Numbered(_) | OwnerMode::Given { .. })
    }
}

impl<'a> Counter<'a> {
    fn new(shared: &'a SharedState<'a>, owners: OwnerMode<'a>) -> Self {
        let parts = shared.columns.len() + usize::from(owners.are_counted());
        let keys = CombinationCounter::new(parts);
        Counter { coders: Coders::new(shared), owners, keys, spilled: None, codes: vec![0; parts] }
    }

    fn rows_given(&self) -> usize {
        if let OwnerMode::Given { next, .. } = self.owners { next } else { 0 }
    }

    #[inline]
    fn read_owner(&mut self, row: &impl Fields) -> Result<(), RowError> {
        let SharedState { columns, options, .. } = self.coders.shared;
        let at = columns.len();
        if let OwnerMode::Collected { .. } = &self.owners {
            // In another encoding, the same person would be two owners.
            std::str::from_utf8(row.field(at)).map_err(|_| RowError::NotUtf8(at))?;
        }
        match &mut self.owners {
            OwnerMode::Ignored => {}
            OwnerMode::Collected { hashes, missing } => match owner_hash(row.field(at), options) {
                Some(hash) => hashes.push(hash),
                None => *missing += 1,
            },
            // The first pass found every owner.
            OwnerMode::Numbered(index) => {
                let number = owner_hash(row.field(at), options).and_then(|hash| index.number(hash));
                self.codes[at] = number.ok_or(RowError::Error(Error::Changed))?;
            }
            OwnerMode::Given { owners, next } => {
                self.codes[at] = owners.get(*next).copied().unwrap_or(Owner::MAX);
                *next += 1;
            }
        }
        Ok(())
    }

    /// Returns the approximate memory in bytes, including the later merge.
    fn bytes(&self) -> u64 {
        let hashes = if let OwnerMode::Collected { hashes, .. } = &self.owners { hashes.capacity() * 16 } else { 0 };
        let merging = self.keys.len() * (4 * self.codes.len() + 8) * 2;
        self.coders.bytes() + self.keys.bytes() + (hashes + merging) as u64
    }

    /// Moves the counts to the disk.
    fn spill(&mut self) -> Result<()> {
        let parts = self.codes.len();
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            None => self.spilled.insert(SpilledCombinations::new(parts)?),
        };
        let keys = std::mem::replace(&mut self.keys, CombinationCounter::new(parts));
        let mut written = Ok(());
        keys.for_each(|codes, weight| {
            if written.is_ok() {
                written = spilled.add(codes, weight);
            }
        });
        written
    }
}

/// Number of combinations below which a thread moves nothing to the disk.
const MIN_SPILLED: usize = 1 << 12;

impl RowConsumer for Counter<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError> {
        let columns = self.coders.coders.len();
        self.coders.code(row, &mut self.codes[..columns])?;
        self.read_owner(row)?;
        match row.weight() {
            1 => self.keys.add(&self.codes),
            weight => self.keys.add_weighted(&self.codes, weight),
        }
        Ok(())
    }

    /// Counts that exceed the memory are moved to the disk. Dictionaries and owners stay in memory.
    fn pause(&mut self) -> Result<()> {
        let full = self.coders.report(self.bytes(), self.keys.len());
        if full.is_ok() {
            return full;
        }
        if self.keys.len() >= MIN_SPILLED {
            self.spill()?;
        }
        let (bytes, options) = (self.bytes(), self.coders.shared.options);
        match self.coders.report(bytes, self.keys.len()) {
            // The other threads move their counts at their next pause.
            Err(_) if bytes < options.memory / options.threads() as u64 => Ok(()),
            full => full,
        }
    }
}

/// Merges the counts of all threads.
///
/// # Errors
///
/// Returns an error if the distinct combinations exceed the memory.
fn merge(shared: &SharedState, counters: Vec<Counter>) -> Result<Counts> {
    let columns = merge_columns(shared, &counters.iter().map(|counter| &counter.coders).collect::<Vec<_>>())?;
    let total = counters.iter().map(|counter| counter.keys.len()).sum();
    let with_owners = counters.first().is_some_and(|counter| counter.owners.are_counted());
    let mut widths: Vec<u32> = columns.iter().map(|column| bits(column.texts.len() as u32)).collect();
    widths.extend(with_owners.then_some(Owner::BITS));
    let mut collected = CombinationBuffer::new(widths, total);
    let limit = shared.limit(&columns);
    for (part, counter) in counters.into_iter().enumerate() {
        let mut add = |key: &[Code], weight: Weight| {
            let codes = columns.iter().zip(key).map(|(column, code)| column.codes[part][*code as usize]);
            collected.push(codes.chain(key.get(columns.len()).copied()), weight);
            collected.keep_within(limit).map_err(|combinations| shared.exceeded(&columns, combinations))
        };
        let mut added = Ok(());
        counter.keys.for_each(|key, weight| {
            if added.is_ok() {
                added = add(key, weight);
            }
        });
        added?;
        if let Some(spilled) = counter.spilled {
            spilled.for_each(add)?;
        }
    }
    let contingency = collected.into_table(with_owners);
    let names = shared.columns.iter().map(|column| column.name.clone()).collect();
    Ok(Counts { names, values: columns.into_iter().map(|column| column.texts).collect(), contingency, links: None })
}

/// Texts of a column in ascending order, and for each thread the index of each of its codes.
struct MergedColumn {
    texts: Vec<String>,
    codes: Vec<Vec<Code>>,
}

/// Merges the columns of all threads.
fn merge_columns(shared: &SharedState, parts: &[&Coders]) -> Result<Vec<MergedColumn>> {
    let merged = |at: usize| {
        let texts: Vec<&[Box<str>]> = parts.iter().map(|coders| coders.coders[at].dictionary().texts()).collect();
        merge_texts(&shared.columns[at].name, &texts)
    };
    (0..shared.columns.len()).into_par_iter().map(merged).collect()
}

fn merge_texts(name: &str, parts: &[&[Box<str>]]) -> Result<MergedColumn> {
    let mut entries: Vec<(&str, usize, usize)> = Vec::new();
    for (part, texts) in parts.iter().enumerate() {
        entries.extend(texts.iter().enumerate().map(|(code, text)| (&**text, part, code)));
    }
    entries.par_sort_unstable();
    let mut texts: Vec<String> = Vec::new();
    let mut codes: Vec<Vec<Code>> = parts.iter().map(|texts| vec![0; texts.len()]).collect();
    for (text, part, code) in entries {
        if texts.last().is_none_or(|last| last != text) {
            texts.push(text.to_owned());
        }
        codes[part][code] = (texts.len() - 1) as Code;
    }
    if texts.len() > MAX_VALUES {
        return Err(Error::TooManyValues { column: name.to_owned(), limit: MAX_VALUES });
    }
    Ok(MergedColumn { texts, codes })
}
