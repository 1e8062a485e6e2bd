//! Owners as numbers, which do not reveal the texts that identify the owners.

use rayon::slice::ParallelSliceMut;
use reticent::contingency::Owner;

use crate::hash::hash_wide;
use crate::options::Options;

/// Hash that identifies an owner.
pub(crate) type OwnerHash = u128;

/// Returns the hash of an owner's text; none for a row without an owner.
pub(crate) fn owner_hash(text: &[u8], options: &Options) -> Option<OwnerHash> {
    (!options.is_missing(text)).then(|| hash_wide(text))
}

/// All owners, numbered in the order of their hashes. The numbers do not depend on the order of rows or threads.
pub(crate) struct OwnerIndex {
    hashes: Vec<OwnerHash>,
    /// Start of the owners with each value of the leading bits of the hash.
    starts: Vec<u32>,
    shift: u32,
}

impl OwnerIndex {
    /// Indexes the owners of these rows, if an owner has several rows.
    pub(crate) fn of_rows(mut hashes: Vec<OwnerHash>) -> RepeatedOwners {
        hashes.par_sort_unstable();
        let rows = hashes.len();
        hashes.dedup();
        if hashes.len() == rows {
            return RepeatedOwners::None;
        }
        if hashes.len() >= Owner::MAX as usize {
            return RepeatedOwners::TooMany;
        }
        let lead = (hashes.len() as u64).next_power_of_two().trailing_zeros().clamp(1, 28);
        let shift = 128 - lead;
        let mut starts = vec![0u32; (1 << lead) + 1];
        for hash in &hashes {
            starts[(hash >> shift) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        RepeatedOwners::Some(OwnerIndex { hashes, starts, shift })
    }

    /// Returns the number of an owner.
    pub(crate) fn number(&self, hash: OwnerHash) -> Option<Owner> {
        let lead = (hash >> self.shift) as usize;
        let (start, end) = (self.starts[lead] as usize, self.starts[lead + 1] as usize);
        let at = self.hashes[start..end].binary_search(&hash).ok()?;
        Some((start + at) as Owner)
    }
}

/// Whether an owner has several records.
pub(crate) enum RepeatedOwners {
    None,
    Some(OwnerIndex),
    TooMany,
}
