//! Owners: whose a record is, as a number that says nothing about the text it stands for.

use rayon::slice::ParallelSliceMut;
use reticent::combos::Owner;

use crate::hash::hash_wide;
use crate::options::Options;

/// The hash by which an owner is known.
pub(crate) type OwnerHash = u128;

/// The hash of an owner's text; none for a row without owner.
pub(crate) fn owner_hash(text: &[u8], options: &Options) -> Option<OwnerHash> {
    (!options.is_missing(text)).then(|| hash_wide(text))
}

/// All owners, numbered by the order of their hashes, so that no order of rows or threads matters.
pub(crate) struct OwnerIndex {
    hashes: Vec<OwnerHash>,
    /// By the leading bits of a hash: where the owners with these bits start.
    starts: Vec<u32>,
    shift: u32,
}

impl OwnerIndex {
    /// The owners of these rows when some owner has several; none when every row has its own, or too many owners.
    pub(crate) fn of_rows(mut hashes: Vec<OwnerHash>) -> Repeats {
        hashes.par_sort_unstable();
        let rows = hashes.len();
        hashes.dedup();
        if hashes.len() == rows {
            return Repeats::None;
        }
        if hashes.len() >= Owner::MAX as usize {
            return Repeats::TooMany;
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
        Repeats::Some(OwnerIndex { hashes, starts, shift })
    }

    /// The number of an owner.
    pub(crate) fn number(&self, hash: OwnerHash) -> Option<Owner> {
        let lead = (hash >> self.shift) as usize;
        let (start, end) = (self.starts[lead] as usize, self.starts[lead + 1] as usize);
        let at = self.hashes[start..end].binary_search(&hash).ok()?;
        Some((start + at) as Owner)
    }
}

/// Whether some owner has several records.
pub(crate) enum Repeats {
    None,
    Some(OwnerIndex),
    TooMany,
}
