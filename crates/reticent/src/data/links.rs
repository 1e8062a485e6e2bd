//! Owner links: the owner of each record, under a keyed pseudonym.
//!
//! Disclosure accumulates per person, so a release history needs to know which rows of different releases have the same
//! owner. Without the key, a pseudonym cannot be computed from an owner's text or found by a dictionary attack.

mod by_owner;
#[cfg(test)]
mod tests;

pub(crate) use by_owner::ByOwner;

use std::fmt;

use rayon::prelude::*;

use crate::data::contingency::Weight;

/// Keyed pseudonym of an owner: the first 16 bytes, big endian, of an HMAC-SHA-256 of the owner's text.
///
/// The library never has access to the key.
pub type Pseudonym = u128;

/// Placeholder for a record without owner. [`Links::without_unowned`] removes such links.
pub const NO_OWNER: Pseudonym = Pseudonym::MAX;

/// Links from owners to the combinations of their records.
///
/// A link is an owner, a combination, and the number of the owner's rows with this combination. Links are sorted by
/// pseudonym, then by combination; each pair occurs once.
#[derive(Clone, PartialEq, Default)]
pub struct Links {
    /// Owner by link.
    pub pseudonyms: Vec<Pseudonym>,
    /// Index of the combination by link.
    pub cells: Vec<u32>,
    /// Number of rows by link, saturated at `u32::MAX`.
    pub records: Vec<u32>,
}

impl Links {
    /// Builds links from rows, each given as owner and index of its combination, in any order.
    pub fn from_rows(mut pairs: Vec<(Pseudonym, u32)>) -> Links {
        pairs.par_sort_unstable();
        let distinct = pairs.chunk_by(|one, next| one == next).count();
        Links::merged(pairs.into_iter().map(|(pseudonym, cell)| (pseudonym, cell, 1)), distinct)
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns true if there are no links.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Removes the links of records without owner.
    pub fn without_unowned(mut self) -> Links {
        let people = self.pseudonyms.partition_point(|pseudonym| *pseudonym < NO_OWNER);
        self.pseudonyms.truncate(people);
        self.cells.truncate(people);
        self.records.truncate(people);
        self
    }

    /// Returns true if a record has no owner.
    pub fn has_unowned(&self) -> bool {
        self.pseudonyms.last() == Some(&NO_OWNER)
    }

    /// Returns true if an owner has records here and there.
    pub fn have_common_owner(&self, other: &Links) -> bool {
        let (mut ours, mut theirs) = (self.pseudonyms.iter().peekable(), other.pseudonyms.iter().peekable());
        while let (Some(one), Some(two)) = (ours.peek(), theirs.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Equal => return **one != NO_OWNER,
                std::cmp::Ordering::Less => ours.next(),
                std::cmp::Ordering::Greater => theirs.next(),
            };
        }
        false
    }

    /// Number of people: distinct pseudonyms.
    pub fn people(&self) -> Weight {
        self.pseudonyms.chunk_by(|one, next| one == next).count() as Weight
    }

    /// Number of rows.
    pub fn rows(&self) -> Weight {
        self.records.iter().map(|records| Weight::from(*records)).sum()
    }

    /// Maps combination `c` to `places[c]`. Drops rows whose combination has no new index, and merges equal links.
    pub fn remap(&self, places: &[Option<u32>]) -> Links {
        let mut moved: Vec<(Pseudonym, u32, u32)> = (0..self.len())
            .into_par_iter()
            .filter_map(|at| {
                let place = places.get(self.cells[at] as usize).copied().flatten()?;
                Some((self.pseudonyms[at], place, self.records[at]))
            })
            .collect();
        moved.par_sort_unstable();
        let distinct = moved.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)).count();
        Links::merged(moved.into_iter(), distinct)
    }

    /// Number of linked rows by combination, for the first `cells` combinations.
    pub fn rows_by_cell(&self, cells: usize) -> Vec<Weight> {
        let mut totals = vec![0; cells];
        for (cell, records) in self.cells.iter().zip(&self.records) {
            if let Some(total) = totals.get_mut(*cell as usize) {
                *total += Weight::from(*records);
            }
        }
        totals
    }

    /// Merges equal pairs. Equal pairs are adjacent; `distinct` is the number of distinct pairs.
    fn merged(pairs: impl Iterator<Item = (Pseudonym, u32, u32)>, distinct: usize) -> Links {
        let mut links = Links {
            pseudonyms: Vec::with_capacity(distinct),
            cells: Vec::with_capacity(distinct),
            records: Vec::with_capacity(distinct),
        };
        let mut last = None;
        for (pseudonym, cell, records) in pairs {
            match links.records.last_mut() {
                Some(sum) if last == Some((pseudonym, cell)) => *sum = sum.saturating_add(records),
                _ => {
                    links.pseudonyms.push(pseudonym);
                    links.cells.push(cell);
                    links.records.push(records);
                }
            }
            last = Some((pseudonym, cell));
        }
        links
    }
}

/// Prints the number of links only.
impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Links({})", self.len())
    }
}
