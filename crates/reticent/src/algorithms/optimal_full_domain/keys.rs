//! Class keys: numbers records by their published values at a node, with few lookups per record.
//!
//! Columns are grouped into *bundles* with few occurring combinations. At a node, each bundle has a table from its combination to
//! a summand of the key, so a key needs one lookup per bundle. Keys enumerate all combinations of published values. If they
//! exceed 64 bits, records are numbered by the first bundles, and then by that number and the next bundles.

use crate::data::contingency::ContingencyTable;
use crate::release::classes::Measured;

/// Maximum number of occurring combinations of a bundle with several columns.
const MAX_BUNDLE: usize = 4096;
/// Maximum number of possible combinations of a bundle with several columns.
const MAX_BUNDLE_SPACE: u64 = 1 << 24;

/// A set of columns with its occurring combinations.
#[derive(Debug)]
struct Bundle {
    columns: Vec<usize>,
    /// Combination by record.
    ids: Vec<u32>,
    /// One record of each combination.
    examples: Vec<u32>,
}

/// All columns of the records, in bundles.
#[derive(Debug)]
pub(super) struct Bundles {
    bundles: Vec<Bundle>,
}

/// Published values of a column at a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct PublishedLevel<'a> {
    /// Number of the published value, by code; `None` if the code itself is published.
    pub(super) value_ids: Option<&'a [u32]>,
    /// Number of distinct published values.
    pub(super) distinct: u32,
}

impl Bundles {
    /// Groups the columns of the records into bundles.
    pub(super) fn new(records: &ContingencyTable) -> Bundles {
        let widths: Vec<u64> =
            records.codes.iter().map(|codes| 1 + u64::from(codes.iter().copied().max().unwrap_or(0))).collect();
        let mut bundles: Vec<Bundle> = Vec::new();
        for column in 0..records.codes.len() {
            let joined = bundles.last().and_then(|last| last.with(records, column, &widths));
            match (joined, bundles.last_mut()) {
                (Some(joined), Some(last)) => *last = joined,
                _ => bundles.push(Bundle::new(records, vec![column])),
            }
        }
        Bundles { bundles }
    }

    /// Numbers the records of `subset` by their published values in `columns`, in the order of first appearance.
    pub(super) fn number(
        &self,
        records: &ContingencyTable,
        columns: &[usize],
        published: &[PublishedLevel<'_>],
        subset: &[u32],
        scratch: &mut KeyScratch,
    ) {
        scratch.ids.clear();
        scratch.ids.resize(subset.len(), 0);
        scratch.count = usize::from(!subset.is_empty());
        let mut pending: Vec<(&Bundle, Vec<u64>)> = Vec::new();
        let mut space: u64 = 1;
        for bundle in &self.bundles {
            let width = bundle.space(columns, published);
            if width == 1 {
                continue;
            }
            let room = if scratch.count > 1 { u64::from(u32::MAX) + 1 } else { u64::MAX };
            if space > room / width {
                scratch.refine(&pending, space, subset);
                pending.clear();
                space = 1;
            }
            pending.push((bundle, bundle.table(records, columns, published, space)));
            space *= width;
        }
        if !pending.is_empty() {
            scratch.refine(&pending, space, subset);
        }
    }
}

impl Bundle {
    fn new(records: &ContingencyTable, columns: Vec<usize>) -> Bundle {
        let Measured { codes: ids, len } = Measured::new(records, &columns);
        let mut examples = vec![0; len];
        for (record, id) in ids.iter().enumerate() {
            examples[*id as usize] = record as u32;
        }
        Bundle { columns, ids, examples }
    }

    /// Returns the bundle with one more column, if it stays within the limits.
    fn with(&self, records: &ContingencyTable, column: usize, widths: &[u64]) -> Option<Bundle> {
        let mut columns = self.columns.clone();
        columns.push(column);
        let space = columns.iter().fold(1u64, |product, column| product.saturating_mul(widths[*column]));
        if space > MAX_BUNDLE_SPACE {
            return None;
        }
        let joined = Bundle::new(records, columns);
        (joined.examples.len() <= MAX_BUNDLE).then_some(joined)
    }

    fn space(&self, columns: &[usize], published: &[PublishedLevel<'_>]) -> u64 {
        self.columns
            .iter()
            .filter(|column| columns.contains(column))
            .map(|c| u64::from(published[*c].distinct))
            .product()
    }

    /// Returns the summand of the key by combination, in multiples of `stride`.
    fn table(
        &self,
        records: &ContingencyTable,
        columns: &[usize],
        published: &[PublishedLevel<'_>],
        stride: u64,
    ) -> Vec<u64> {
        let mut table = vec![0; self.examples.len()];
        let mut stride = stride;
        for column in self.columns.iter().filter(|column| columns.contains(column)) {
            let (codes, published) = (&records.codes[*column], published[*column]);
            if published.distinct > 1 {
                for (part, example) in table.iter_mut().zip(&self.examples) {
                    let code = codes[*example as usize];
                    *part += stride * u64::from(published.value_ids.map_or(code, |value_ids| value_ids[code as usize]));
                }
            }
            stride = stride.wrapping_mul(published.distinct.into());
        }
        table
    }
}

/// Buffers that are reused for every node.
#[derive(Debug, Default)]
pub(super) struct KeyScratch {
    /// Number by record.
    pub(super) ids: Vec<u32>,
    /// Count of different numbers.
    pub(super) count: usize,
    keys: Vec<u64>,
    slots: Vec<u32>,
    known: Vec<u64>,
}

impl KeyScratch {
    /// Numbers records by their current number and by more bundles, whose key is below `space`.
    fn refine(&mut self, bundles: &[(&Bundle, Vec<u64>)], space: u64, subset: &[u32]) {
        let before = std::mem::take(&mut self.count) as u64;
        self.keys.clear();
        self.keys.extend(self.ids.iter().map(|id| u64::from(*id).wrapping_mul(space)));
        for (bundle, table) in bundles {
            for (key, record) in self.keys.iter_mut().zip(subset) {
                *key += table[bundle.ids[*record as usize] as usize];
            }
        }
        let all = before.checked_mul(space);
        match all {
            Some(all) if all <= 4 * subset.len() as u64 + 1024 => self.number_directly(all as usize),
            _ => self.number_by_hash(),
        }
    }

    fn number_directly(&mut self, all: usize) {
        self.slots.clear();
        self.slots.resize(all, 0);
        for (id, key) in self.ids.iter_mut().zip(&self.keys) {
            let slot = &mut self.slots[*key as usize];
            if *slot == 0 {
                self.count += 1;
                *slot = self.count as u32;
            }
            *id = *slot - 1;
        }
    }

    fn number_by_hash(&mut self) {
        let capacity = (2 * self.keys.len()).next_power_of_two().max(2);
        let shift = u64::BITS - capacity.trailing_zeros();
        self.slots.clear();
        self.slots.resize(capacity, 0);
        self.known.clear();
        for (id, key) in self.ids.iter_mut().zip(&self.keys) {
            let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
            *id = loop {
                match self.slots[at] {
                    0 => {
                        self.known.push(*key);
                        self.slots[at] = self.known.len() as u32;
                        break self.known.len() as u32 - 1;
                    }
                    slot if self.known[slot as usize - 1] == *key => break slot - 1,
                    _ => at = (at + 1) & (capacity - 1),
                }
            };
        }
        self.count = self.known.len();
    }
}
