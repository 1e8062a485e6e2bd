//! Counting with links: one pass stores the owner and the combination of every row. Counts and links follow from
//! these pairs.

use rayon::prelude::*;
use reticent::contingency::{ContingencyTable, Owner, Weight, bits};
use reticent::taxonomy::Code;
use reticent::{Counts, Links, NO_OWNER, Pseudonym};

use super::keys::CombinationNumbering;
use super::{Coders, MergedColumn, SharedState, merge_columns};
use crate::error::{Error, Result};
use crate::options::Phase;
use crate::pseudonym::OwnerKey;
use crate::sort_merge::{CombinationBuffer, IndexedCombinations};
use crate::source::{Fields, RowConsumer, RowError, Source, scan};

/// Counts with links. The last of the `indices` is that of the owner column.
pub(super) fn count_linked(source: &Source, indices: &[usize], shared: &SharedState, key: &OwnerKey) -> Result<Counts> {
    let counters = scan(source, indices, shared.options, Phase::Counting, || LinkedCounter::new(shared, key))?;
    let missing: Weight = counters.iter().map(|counter| counter.missing).sum();
    if missing > 0 && !shared.options.allow_missing_owner {
        let column = source.names()[indices[indices.len() - 1]].clone();
        return Err(Error::OwnerMissing { column, rows: missing });
    }
    // Indices of combinations, numbers of owners and record counts of links are all below the number of rows.
    if counters.iter().map(|counter| counter.pseudonyms.len()).sum::<usize>() >= Owner::MAX as usize {
        return Err(Error::TooManyRows);
    }
    merge(shared, counters)
}

/// Counts of one thread.
struct LinkedCounter<'a> {
    coders: Coders<'a>,
    key: &'a OwnerKey,
    keys: CombinationNumbering,
    /// Pseudonym of the owner of each row.
    pseudonyms: Vec<Pseudonym>,
    /// Number of rows without an owner.
    missing: Weight,
    /// Codes of the current row.
    codes: Vec<Code>,
}

impl<'a> LinkedCounter<'a> {
    fn new(shared: &'a SharedState<'a>, key: &'a OwnerKey) -> Self {
        let columns = shared.columns.len();
        LinkedCounter {
            coders: Coders::new(shared),
            key,
            keys: CombinationNumbering::new(columns),
            pseudonyms: Vec::new(),
            missing: 0,
            codes: vec![0; columns],
        }
    }

    /// Returns the approximate memory in bytes, including the later merge.
    fn bytes(&self) -> u64 {
        let (columns, combinations, rows) = (self.codes.len(), self.keys.len(), self.pseudonyms.len());
        // First, the combinations of all threads are merged. Then the maps are freed, and each row becomes a pair and
        // finally a link and a combination with its owner.
        let merging = self.keys.map_bytes() + (combinations * ((4 * columns + 8) * 2 + 4)) as u64;
        let linking = (combinations * (4 * columns + 4) + rows * 36.max(4 * columns + 20)) as u64;
        let kept = self.pseudonyms.capacity() * 16 + self.keys.rows_bytes();
        self.coders.bytes() + kept as u64 + merging.max(linking)
    }
}

impl RowConsumer for LinkedCounter<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError> {
        self.coders.code(row, &mut self.codes)?;
        let at = self.codes.len();
        let owner = row.field(at);
        // In another encoding, the same person would be two owners.
        std::str::from_utf8(owner).map_err(|_| RowError::NotUtf8(at))?;
        if self.coders.shared.options.is_missing(owner) {
            self.missing += 1;
            self.pseudonyms.push(NO_OWNER);
        } else {
            self.pseudonyms.push(self.key.pseudonym(owner));
        }
        self.keys.add(&self.codes);
        Ok(())
    }

    fn pause(&mut self) -> Result<()> {
        self.coders.report(self.bytes(), self.keys.len())
    }
}

/// Merges the counts of all threads.
fn merge(shared: &SharedState, counters: Vec<LinkedCounter>) -> Result<Counts> {
    let columns = merge_columns(shared, &counters.iter().map(|counter| &counter.coders).collect::<Vec<_>>())?;
    let (indexed, rows) = merge_combinations(&columns, counters);
    let links = Links::from_rows(pairs(rows, &indexed.indices));
    let combinations = contingency_table(&links, indexed);
    let names = shared.columns.iter().map(|column| column.name.clone()).collect();
    let values = columns.into_iter().map(|column| column.texts).collect();
    Ok(Counts { names, values, contingency: combinations, links: Some(links) })
}

/// Returns the owner and the index of the combination of every row.
fn pairs(rows: Vec<PartRows>, indices: &[u32]) -> Vec<(Pseudonym, u32)> {
    let mut pairs = Vec::with_capacity(rows.iter().map(|part| part.numbers.len()).sum());
    for part in rows {
        let combinations = part.numbers.iter().map(|number| indices[part.first + *number as usize]);
        pairs.extend(part.pseudonyms.iter().copied().zip(combinations));
    }
    pairs
}

/// Rows of one thread.
struct PartRows {
    /// Number of this thread's first combination among those of all threads.
    first: usize,
    pseudonyms: Vec<Pseudonym>,
    /// Number of each row's combination in this thread.
    numbers: Vec<u32>,
}

/// Merges the combinations of all threads, which are numbered thread by thread.
fn merge_combinations(columns: &[MergedColumn], counters: Vec<LinkedCounter>) -> (IndexedCombinations, Vec<PartRows>) {
    let widths = columns.iter().map(|column| bits(column.texts.len() as u32)).collect();
    let mut buffer = CombinationBuffer::new(widths, counters.iter().map(|counter| counter.keys.len()).sum());
    let mut rows = Vec::with_capacity(counters.len());
    let mut first = 0;
    for (part, counter) in counters.into_iter().enumerate() {
        let mut count = 0;
        let numbers = counter.keys.for_each(|key, number| {
            let codes = columns.iter().zip(key).map(|(column, code)| column.codes[part][*code as usize]);
            buffer.push(codes, first + number);
            count += 1;
        });
        rows.push(PartRows { first: first as usize, pseudonyms: counter.pseudonyms, numbers });
        first += count;
    }
    (buffer.into_indexed(), rows)
}

/// Returns the combinations of these links, with their owners if an owner has several records.
fn contingency_table(links: &Links, indexed: IndexedCombinations) -> ContingencyTable {
    let IndexedCombinations { codes, len, .. } = indexed;
    if links.people() == links.rows() {
        return ContingencyTable { codes, weights: links.rows_by_cell(len), owners: None };
    }
    let starts = starts(&links.cells, len);
    let mut next = starts.clone();
    let (mut owners, mut weights): (Vec<Owner>, Vec<Weight>) = (vec![0; links.len()], vec![0; links.len()]);
    let mut at = 0;
    for (owner, of_owner) in links.pseudonyms.chunk_by(|one, next| one == next).enumerate() {
        for _ in of_owner {
            let into = &mut next[links.cells[at] as usize];
            (owners[*into as usize], weights[*into as usize]) = (owner as Owner, Weight::from(links.records[at]));
            *into += 1;
            at += 1;
        }
    }
    let repeated = |codes: Vec<Code>| {
        let mut all = Vec::with_capacity(links.len());
        for (code, start) in codes.into_iter().zip(starts.windows(2)) {
            all.extend(std::iter::repeat_n(code, (start[1] - start[0]) as usize));
        }
        all
    };
    ContingencyTable { codes: codes.into_par_iter().map(repeated).collect(), weights, owners: Some(owners) }
}

/// Returns, for each index, the start of its links when they are sorted by index. The last element is their total
/// number.
fn starts(indices: &[u32], len: usize) -> Vec<u32> {
    let mut starts = vec![0; len + 1];
    for index in indices {
        starts[*index as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
