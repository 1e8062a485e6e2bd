//! Links: which combination is about whom, under keyed pseudonyms.
//!
//! Releases add up person by person, so whoever keeps their history must know which rows of different releases are one
//! owner's. A pseudonym says that and nothing else: without the key nobody can make it from an owner's text, nor try texts
//! until one fits.

mod by_owner;
#[cfg(test)]
mod tests;

pub(crate) use by_owner::ByOwner;

use std::fmt;

use rayon::prelude::*;

use crate::combos::Weight;

/// An owner under a key: the first 16 bytes, big endian, of an HMAC-SHA-256 of the owner's text. The library never sees
/// the key.
pub type Pseudonym = u128;

/// Whose a record is that has no owner, until such links are left out.
pub const NOBODY: Pseudonym = Pseudonym::MAX;

/// Which combination is about whom. A link is an owner, a combination, and how many rows of the owner carry it; links
/// ascend by pseudonym and then by combination, and each pair is there once.
#[derive(Clone, PartialEq, Default)]
pub struct Links {
    /// By link: the owner.
    pub pseudonyms: Vec<Pseudonym>,
    /// By link: the place of the combination.
    pub combos: Vec<u32>,
    /// By link: how many rows; at most `u32::MAX`, whatever more there are.
    pub records: Vec<u32>,
}

impl Links {
    /// The links of these rows, each given by its owner and the place of its combination, in any order.
    pub fn collect(mut pairs: Vec<(Pseudonym, u32)>) -> Links {
        pairs.par_sort_unstable();
        let distinct = pairs.chunk_by(|one, next| one == next).count();
        Links::merged(pairs.into_iter().map(|(pseudonym, combo)| (pseudonym, combo, 1)), distinct)
    }

    /// How many links.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when nothing is linked.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The same without the records that are nobody's.
    pub fn of_somebody(mut self) -> Links {
        let people = self.pseudonyms.partition_point(|pseudonym| *pseudonym < NOBODY);
        self.pseudonyms.truncate(people);
        self.combos.truncate(people);
        self.records.truncate(people);
        self
    }

    /// How many people: distinct pseudonyms.
    pub fn people(&self) -> Weight {
        self.pseudonyms.chunk_by(|one, next| one == next).count() as Weight
    }

    /// How many rows.
    pub fn rows(&self) -> Weight {
        self.records.iter().map(|records| Weight::from(*records)).sum()
    }

    /// The same rows linked to other combinations: the one at place `c` becomes `places[c]`. Rows whose combination has no
    /// place there are left out; pairs that become equal are put together.
    pub fn onto(&self, places: &[Option<u32>]) -> Links {
        let mut moved: Vec<(Pseudonym, u32, u32)> = (0..self.len())
            .into_par_iter()
            .filter_map(|at| {
                let place = places.get(self.combos[at] as usize).copied().flatten()?;
                Some((self.pseudonyms[at], place, self.records[at]))
            })
            .collect();
        moved.par_sort_unstable();
        let distinct = moved.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)).count();
        Links::merged(moved.into_iter(), distinct)
    }

    /// By combination, for the first `combos` of them: how many rows are linked to it.
    pub fn totals(&self, combos: usize) -> Vec<Weight> {
        let mut totals = vec![0; combos];
        for (combo, records) in self.combos.iter().zip(&self.records) {
            if let Some(total) = totals.get_mut(*combo as usize) {
                *total += Weight::from(*records);
            }
        }
        totals
    }

    /// Puts equal pairs together, of which so many are distinct; equal ones are neighbours.
    fn merged(pairs: impl Iterator<Item = (Pseudonym, u32, u32)>, distinct: usize) -> Links {
        let mut links = Links {
            pseudonyms: Vec::with_capacity(distinct),
            combos: Vec::with_capacity(distinct),
            records: Vec::with_capacity(distinct),
        };
        let mut last = None;
        for (pseudonym, combo, records) in pairs {
            match links.records.last_mut() {
                Some(sum) if last == Some((pseudonym, combo)) => *sum = sum.saturating_add(records),
                _ => {
                    links.pseudonyms.push(pseudonym);
                    links.combos.push(combo);
                    links.records.push(records);
                }
            }
            last = Some((pseudonym, combo));
        }
        links
    }
}

/// How many there are, and nothing of what they say.
impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Links({})", self.len())
    }
}
