//! Counting: how many rows carry each combination of these columns.
//!
//! Every thread keeps dictionaries and a map of its own; at the end the dictionaries are put together in ascending order
//! and the maps with them, so that the answer does not depend on which thread read what.

mod dictionary;
mod keys;
mod linked;
mod owners;
mod packed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use reticent::Counts;
use reticent::combos::{Owner, Weight, bits};
use reticent::taxonomy::Code;

use crate::ascending::Collected;
use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use crate::source::{Fault, Fields, Rows, Source, scan};
use crate::{Ask, AskColumn};
use dictionary::{Coder, MOST_VALUES};
use keys::Keys;
use linked::count_linked;
use owners::{OwnerHash, OwnerIndex, Repeats, owner_hash};

pub(crate) use dictionary::Dictionary;

/// Answers an ask from a source.
pub(crate) fn count(source: &Source, ask: &Ask, options: &Options) -> Result<Counts> {
    let mut places = ask.columns.iter().map(|column| source.position(&column.name)).collect::<Result<Vec<_>>>()?;
    let shared = Shared::new(&ask.columns, options);
    let Some(owner) = &ask.owner else {
        let taken = scan(source, &places, options, Phase::Counting, || Counter::new(&shared, Owners::Ignored))?;
        return merge(&shared, taken);
    };
    places.push(source.position(owner)?);
    if let Some(key) = &ask.key {
        return count_linked(source, &places, &shared, key);
    }
    let collect = || Counter::new(&shared, Owners::Collected { hashes: Vec::new(), missing: 0 });
    let mut taken = scan(source, &places, options, Phase::Counting, collect)?;
    let index = match OwnerIndex::of_rows(collected(&mut taken, owner)?) {
        Repeats::None => return merge(&shared, taken),
        Repeats::TooMany => return Err(Error::TooManyOwners { column: owner.clone() }),
        Repeats::Some(index) => Arc::new(index),
    };
    drop(taken);
    let shared = Shared::new(&ask.columns, options);
    let numbered = || Counter::new(&shared, Owners::Numbered(index.clone()));
    merge(&shared, scan(source, &places, options, Phase::CountingOwners, numbered)?)
}

/// Counts all columns with the given owner for each row, in the order of the rows.
pub(crate) fn count_with_owners(source: &Source, owners: &[Owner], options: &Options) -> Result<Counts> {
    let columns: Vec<AskColumn> =
        source.names().iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect();
    let places: Vec<usize> = (0..columns.len()).collect();
    let options = Options { threads: Some(1), ..options.clone() };
    let shared = Shared::new(&columns, &options);
    let given = || Counter::new(&shared, Owners::Given { owners, next: 0 });
    let taken = scan(source, &places, &options, Phase::Counting, given)?;
    let found: usize = taken.iter().map(|counter| counter.rows_given()).sum();
    if found != owners.len() {
        let file = source.paths().next().unwrap_or(std::path::Path::new("")).to_owned();
        return Err(Error::RowsDiffer { file, expected: owners.len() as Weight, found: found as Weight });
    }
    merge(&shared, taken)
}

/// The owners' hashes of all rows, or an error when rows have none.
fn collected(taken: &mut [Counter], column: &str) -> Result<Vec<OwnerHash>> {
    let mut all = Vec::new();
    let mut rows = 0;
    for counter in taken {
        if let Owners::Collected { hashes, missing } = &mut counter.owners {
            rows += *missing;
            all.append(hashes);
        }
    }
    if rows > 0 { Err(Error::OwnerMissing { column: column.to_owned(), rows }) } else { Ok(all) }
}

/// What all threads share.
struct Shared<'a> {
    columns: &'a [AskColumn],
    options: &'a Options,
    used_bytes: AtomicU64,
    combinations: AtomicU64,
}

impl<'a> Shared<'a> {
    fn new(columns: &'a [AskColumn], options: &'a Options) -> Self {
        Shared { columns, options, used_bytes: AtomicU64::new(0), combinations: AtomicU64::new(0) }
    }
}

/// The dictionaries of one thread.
struct Coders<'a> {
    shared: &'a Shared<'a>,
    coders: Vec<Coder>,
    /// Bytes and combinations that the others have heard of.
    reported: (u64, u64),
}

impl<'a> Coders<'a> {
    fn new(shared: &'a Shared<'a>) -> Self {
        let coder = |column: &AskColumn| Coder::new(column.bins.as_deref(), &shared.options.missing);
        Coders { shared, coders: shared.columns.iter().map(coder).collect(), reported: (0, 0) }
    }

    /// The codes of a row.
    #[inline]
    fn code(&mut self, row: &impl Fields, codes: &mut [Code]) -> Result<(), Fault> {
        let columns = self.coders.iter_mut().zip(codes).zip(self.shared.columns);
        for (at, ((coder, code), column)) in columns.enumerate() {
            *code = coder.code(row.field(at), at, &column.name)?;
        }
        Ok(())
    }

    /// About how much memory they take.
    fn bytes(&self) -> u64 {
        self.coders.iter().map(|coder| coder.dictionary().bytes()).sum()
    }

    /// Reports what this thread takes; an error when all together take too much.
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
        let most = self.coders.iter().zip(self.shared.columns).max_by_key(|(coder, _)| coder.dictionary().len());
        let (column, values) =
            most.map(|(coder, column)| (column.name.clone(), coder.dictionary().len())).unwrap_or_default();
        Err(Error::Memory { limit_bytes: self.shared.options.memory, combinations, column, values })
    }
}

/// What one thread counts.
struct Counter<'a> {
    coders: Coders<'a>,
    owners: Owners<'a>,
    keys: Keys,
    /// The codes of the current row, the owner last.
    codes: Vec<Code>,
}

/// What is done about the owner of a row, which is the field after the columns.
enum Owners<'a> {
    /// Nobody asked.
    Ignored,
    /// Every row is taken for an owner's only one, until all are seen.
    Collected { hashes: Vec<OwnerHash>, missing: Weight },
    /// Owners have numbers.
    Numbered(Arc<OwnerIndex>),
    /// The owner of every row is given.
    Given { owners: &'a [Owner], next: usize },
}

impl Owners<'_> {
    fn are_counted(&self) -> bool {
        matches!(self, Owners::Numbered(_) | Owners::Given { .. })
    }
}

impl<'a> Counter<'a> {
    fn new(shared: &'a Shared<'a>, owners: Owners<'a>) -> Self {
        let parts = shared.columns.len() + usize::from(owners.are_counted());
        Counter { coders: Coders::new(shared), owners, keys: Keys::new(parts), codes: vec![0; parts] }
    }

    fn rows_given(&self) -> usize {
        if let Owners::Given { next, .. } = self.owners { next } else { 0 }
    }

    #[inline]
    fn take_owner(&mut self, row: &impl Fields) -> Result<(), Fault> {
        let Shared { columns, options, .. } = self.coders.shared;
        let at = columns.len();
        if let Owners::Collected { .. } = &self.owners {
            // In two encodings of a file somebody would be two people.
            std::str::from_utf8(row.field(at)).map_err(|_| Fault::NotUtf8(at))?;
        }
        match &mut self.owners {
            Owners::Ignored => {}
            Owners::Collected { hashes, missing } => match owner_hash(row.field(at), options) {
                Some(hash) => hashes.push(hash),
                None => *missing += 1,
            },
            // Every owner was met in the first pass.
            Owners::Numbered(index) => {
                let number = owner_hash(row.field(at), options).and_then(|hash| index.number(hash));
                self.codes[at] = number.ok_or(Fault::Error(Error::Changed))?;
            }
            Owners::Given { owners, next } => {
                self.codes[at] = owners.get(*next).copied().unwrap_or(Owner::MAX);
                *next += 1;
            }
        }
        Ok(())
    }

    /// About how much memory it takes, with what putting the parts together will take.
    fn bytes(&self) -> u64 {
        let hashes = if let Owners::Collected { hashes, .. } = &self.owners { hashes.capacity() * 16 } else { 0 };
        let merging = self.keys.len() * (4 * self.codes.len() + 8) * 2;
        self.coders.bytes() + self.keys.bytes() + (hashes + merging) as u64
    }
}

impl Rows for Counter<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), Fault> {
        let columns = self.coders.coders.len();
        self.coders.code(row, &mut self.codes[..columns])?;
        self.take_owner(row)?;
        self.keys.add(&self.codes);
        Ok(())
    }

    fn pause(&mut self) -> Result<()> {
        self.coders.report(self.bytes(), self.keys.len())
    }
}

/// Puts together what the threads counted.
fn merge(shared: &Shared, taken: Vec<Counter>) -> Result<Counts> {
    let columns = merge_columns(shared, &taken.iter().map(|counter| &counter.coders).collect::<Vec<_>>())?;
    let total = taken.iter().map(|counter| counter.keys.len()).sum();
    let with_owners = taken.first().is_some_and(|counter| counter.owners.are_counted());
    let mut widths: Vec<u32> = columns.iter().map(|column| bits(column.texts.len() as u32)).collect();
    widths.extend(with_owners.then_some(Owner::BITS));
    let mut collected = Collected::new(widths, total);
    for (part, counter) in taken.into_iter().enumerate() {
        counter.keys.for_each(|key, weight| {
            let codes = columns.iter().zip(key).map(|(column, code)| column.codes[part][*code as usize]);
            collected.push(codes.chain(key.get(columns.len()).copied()), weight);
        });
    }
    let combos = collected.combined(with_owners);
    let names = shared.columns.iter().map(|column| column.name.clone()).collect();
    Ok(Counts { names, values: columns.into_iter().map(|column| column.texts).collect(), combos, links: None })
}

/// A column's texts, ascending, and by thread and by its code the place of a text among them.
struct Merged {
    texts: Vec<String>,
    codes: Vec<Vec<Code>>,
}

/// The columns of all threads together.
fn merge_columns(shared: &Shared, parts: &[&Coders]) -> Result<Vec<Merged>> {
    let merged = |at: usize| {
        let texts: Vec<&[Box<str>]> = parts.iter().map(|coders| coders.coders[at].dictionary().texts()).collect();
        merge_texts(&shared.columns[at].name, &texts)
    };
    (0..shared.columns.len()).into_par_iter().map(merged).collect()
}

fn merge_texts(name: &str, parts: &[&[Box<str>]]) -> Result<Merged> {
    let mut met: Vec<(&str, usize, usize)> = Vec::new();
    for (part, texts) in parts.iter().enumerate() {
        met.extend(texts.iter().enumerate().map(|(code, text)| (&**text, part, code)));
    }
    met.par_sort_unstable();
    let mut texts: Vec<String> = Vec::new();
    let mut codes: Vec<Vec<Code>> = parts.iter().map(|texts| vec![0; texts.len()]).collect();
    for (text, part, code) in met {
        if texts.last().is_none_or(|last| last != text) {
            texts.push(text.to_owned());
        }
        codes[part][code] = (texts.len() - 1) as Code;
    }
    if texts.len() > MOST_VALUES {
        return Err(Error::TooManyValues { column: name.to_owned(), limit: MOST_VALUES });
    }
    Ok(Merged { texts, codes })
}
