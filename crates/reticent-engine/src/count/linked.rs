//! Counting with links: one pass keeps of every row whose it is and which combination it carries, and all that is asked
//! about owners follows from these pairs.

use rayon::prelude::*;
use reticent::combos::{Combos, Owner, Weight, bits};
use reticent::taxonomy::Code;
use reticent::{Counts, Links, NOBODY, Pseudonym};

use super::keys::NumberedKeys;
use super::{Coders, Merged, Shared, merge_columns};
use crate::ascending::{Collected, Placed};
use crate::error::{Error, Result};
use crate::options::Phase;
use crate::pseudonym::OwnerKey;
use crate::source::{Fault, Fields, Rows, Source, scan};

/// Counts with links. The last of the places is that of the owner column.
pub(super) fn count_linked(source: &Source, places: &[usize], shared: &Shared, key: &OwnerKey) -> Result<Counts> {
    let taken = scan(source, places, shared.options, Phase::Counting, || LinkedCounter::new(shared, key))?;
    let missing: Weight = taken.iter().map(|counter| counter.missing).sum();
    if missing > 0 && !shared.options.nobody {
        let column = source.names()[places[places.len() - 1]].clone();
        return Err(Error::OwnerMissing { column, rows: missing });
    }
    // Places of combinations, numbers of owners and records of a link are all below the number of rows.
    if taken.iter().map(|counter| counter.pseudonyms.len()).sum::<usize>() >= Owner::MAX as usize {
        return Err(Error::TooManyRows);
    }
    merge(shared, taken)
}

/// What one thread counts.
struct LinkedCounter<'a> {
    coders: Coders<'a>,
    key: &'a OwnerKey,
    keys: NumberedKeys,
    /// By row.
    pseudonyms: Vec<Pseudonym>,
    /// Rows without an owner.
    missing: Weight,
    /// The codes of the current row.
    codes: Vec<Code>,
}

impl<'a> LinkedCounter<'a> {
    fn new(shared: &'a Shared<'a>, key: &'a OwnerKey) -> Self {
        let columns = shared.columns.len();
        LinkedCounter {
            coders: Coders::new(shared),
            key,
            keys: NumberedKeys::new(columns),
            pseudonyms: Vec::new(),
            missing: 0,
            codes: vec![0; columns],
        }
    }

    /// About how much memory it takes, with what putting the parts together will take.
    fn bytes(&self) -> u64 {
        let (columns, combos, rows) = (self.codes.len(), self.keys.len(), self.pseudonyms.len());
        // First the combinations of all threads are put together. Then, their maps gone, a row is a pair while its link is
        // made, and at last a link and a combination with its owner.
        let merging = self.keys.map_bytes() + (combos * ((4 * columns + 8) * 2 + 4)) as u64;
        let linking = (combos * (4 * columns + 4) + rows * 36.max(4 * columns + 20)) as u64;
        let kept = self.pseudonyms.capacity() * 16 + self.keys.rows_bytes();
        self.coders.bytes() + kept as u64 + merging.max(linking)
    }
}

impl Rows for LinkedCounter<'_> {
    #[inline]
    fn row(&mut self, row: &impl Fields) -> Result<(), Fault> {
        self.coders.code(row, &mut self.codes)?;
        let at = self.codes.len();
        let owner = row.field(at);
        // In two encodings of a file somebody would be two people.
        std::str::from_utf8(owner).map_err(|_| Fault::NotUtf8(at))?;
        if self.coders.shared.options.is_missing(owner) {
            self.missing += 1;
            self.pseudonyms.push(NOBODY);
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

/// Puts together what the threads counted.
fn merge(shared: &Shared, taken: Vec<LinkedCounter>) -> Result<Counts> {
    let columns = merge_columns(shared, &taken.iter().map(|counter| &counter.coders).collect::<Vec<_>>())?;
    let (placed, rows) = place(&columns, taken);
    let links = Links::collect(pairs(rows, &placed.places));
    let combos = combos_of(&links, placed);
    let names = shared.columns.iter().map(|column| column.name.clone()).collect();
    let values = columns.into_iter().map(|column| column.texts).collect();
    Ok(Counts { names, values, combos, links: Some(links) })
}

/// By row its owner and the place of its combination.
fn pairs(rows: Vec<PartRows>, places: &[u32]) -> Vec<(Pseudonym, u32)> {
    let mut pairs = Vec::with_capacity(rows.iter().map(|part| part.numbers.len()).sum());
    for part in rows {
        let combos = part.numbers.iter().map(|number| places[part.first + *number as usize]);
        pairs.extend(part.pseudonyms.iter().copied().zip(combos));
    }
    pairs
}

/// The rows of one thread.
struct PartRows {
    /// What its first combination is numbered among those of all threads.
    first: usize,
    pseudonyms: Vec<Pseudonym>,
    /// By row: its combination among those of this thread.
    numbers: Vec<u32>,
}

/// Puts the combinations of all threads together; they are numbered thread by thread.
fn place(columns: &[Merged], taken: Vec<LinkedCounter>) -> (Placed, Vec<PartRows>) {
    let widths = columns.iter().map(|column| bits(column.texts.len() as u32)).collect();
    let mut met = Collected::new(widths, taken.iter().map(|counter| counter.keys.len()).sum());
    let mut rows = Vec::with_capacity(taken.len());
    let mut first = 0;
    for (part, counter) in taken.into_iter().enumerate() {
        let mut count = 0;
        let numbers = counter.keys.for_each(|key, number| {
            let codes = columns.iter().zip(key).map(|(column, code)| column.codes[part][*code as usize]);
            met.push(codes, first + number);
            count += 1;
        });
        rows.push(PartRows { first: first as usize, pseudonyms: counter.pseudonyms, numbers });
        first += count;
    }
    (met.placed(), rows)
}

/// The combinations that these links are about, with their owners if some owner has several records.
fn combos_of(links: &Links, placed: Placed) -> Combos {
    let Placed { codes, len, .. } = placed;
    if links.people() == links.rows() {
        return Combos { codes, weights: links.totals(len), owners: None };
    }
    let starts = starts(&links.combos, len);
    let mut next = starts.clone();
    let (mut owners, mut weights): (Vec<Owner>, Vec<Weight>) = (vec![0; links.len()], vec![0; links.len()]);
    let mut at = 0;
    for (owner, of_owner) in links.pseudonyms.chunk_by(|one, next| one == next).enumerate() {
        for _ in of_owner {
            let into = &mut next[links.combos[at] as usize];
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
    Combos { codes: codes.into_par_iter().map(repeated).collect(), weights, owners: Some(owners) }
}

/// By place where its links start when they are put in the order of places; last, how many there are.
fn starts(places: &[u32], len: usize) -> Vec<u32> {
    let mut starts = vec![0; len + 1];
    for place in places {
        starts[*place as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
