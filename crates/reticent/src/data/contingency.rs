//! Contingency table: distinct combinations of codes with their weights.
//!
//! The library stores every table, raw or published, in this form. Rows with equal values are one combination with a
//! weight. If owners can have several records, each combination also has an owner, so that people are counted, not rows.

use rayon::prelude::*;

use crate::data::taxonomy::Code;

/// Number of rows.
pub type Weight = u64;
/// Dense index of a person, valid within one table.
pub type Owner = u32;

/// Distinct combinations of codes, each with its number of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContingencyTable {
    /// Codes by column, then by combination.
    pub codes: Vec<Vec<Code>>,
    /// Number of rows by combination.
    pub weights: Vec<Weight>,
    /// Owner by combination; `None` if every record has its own owner.
    pub owners: Option<Vec<Owner>>,
}

impl ContingencyTable {
    /// Number of distinct combinations.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns true if the table has no records.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Number of rows.
    pub fn rows(&self) -> Weight {
        self.weights.iter().sum()
    }

    /// Number of people: distinct owners, or rows if the table has no owners.
    pub fn people(&self) -> Weight {
        match &self.owners {
            None => self.rows(),
            Some(owners) => {
                let mut owners = owners.clone();
                owners.sort_unstable();
                owners.dedup();
                owners.len() as Weight
            }
        }
    }

    /// Index of a combination, by binary search. Requires ascending combinations without owners.
    pub fn find(&self, codes: &[Code]) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let order = self.codes.iter().zip(codes).map(|(column, code)| column[middle].cmp(code));
            match order.fold(std::cmp::Ordering::Equal, |order, next| order.then(next)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Projects the table on `columns` and merges equal combinations, in ascending order.
    pub fn project(&self, columns: &[usize]) -> ContingencyTable {
        let codes: Vec<&[Code]> = columns.iter().map(|column| self.codes[*column].as_slice()).collect();
        combine(&codes, &self.weights, self.owners.as_deref())
    }

    /// Merges equal combinations, in ascending order.
    pub fn combined(&self) -> ContingencyTable {
        self.project(&(0..self.codes.len()).collect::<Vec<_>>())
    }

    /// Keeps the combinations whose index satisfies `keep`.
    pub fn filter(&self, keep: impl Fn(usize) -> bool) -> ContingencyTable {
        let kept: Vec<usize> = (0..self.len()).filter(|at| keep(*at)).collect();
        ContingencyTable {
            codes: self.codes.iter().map(|codes| kept.iter().map(|at| codes[*at]).collect()).collect(),
            weights: kept.iter().map(|at| self.weights[*at]).collect(),
            owners: self.owners.as_ref().map(|owners| kept.iter().map(|at| owners[*at]).collect()),
        }
    }
}

/// Merges combinations with equal codes and owner, in ascending order.
pub fn combine(codes: &[&[Code]], weights: &[Weight], owners: Option<&[Owner]>) -> ContingencyTable {
    combine_with_positions(codes, weights, owners, |_, _| {})
}

/// Like [`combine`], and calls `placed` with each input index and its index in the result.
pub(crate) fn combine_with_positions(
    codes: &[&[Code]],
    weights: &[Weight],
    owners: Option<&[Owner]>,
    mut placed: impl FnMut(usize, u32),
) -> ContingencyTable {
    let mut parts: Vec<&[Code]> = codes.to_vec();
    parts.extend(owners);
    let order = ascending(&parts, weights.len());
    let mut result = ContingencyTable {
        codes: vec![Vec::new(); codes.len()],
        weights: Vec::new(),
        owners: owners.map(|_| Vec::new()),
    };
    let mut previous: Option<usize> = None;
    for at in order {
        let at = at as usize;
        if previous.is_some_and(|previous| parts.iter().all(|part| part[previous] == part[at])) {
            if let Some(last) = result.weights.last_mut() {
                *last += weights[at];
            }
            placed(at, result.weights.len() as u32 - 1);
            continue;
        }
        previous = Some(at);
        placed(at, result.weights.len() as u32);
        for (into, from) in result.codes.iter_mut().zip(codes) {
            into.push(from[at]);
        }
        if let (Some(into), Some(from)) = (&mut result.owners, owners) {
            into.push(from[at]);
        }
        result.weights.push(weights[at]);
    }
    result
}

/// Indices of the combinations, in ascending order of their codes.
pub fn ascending(parts: &[&[Code]], len: usize) -> Vec<u32> {
    let widths: Vec<u32> = parts.iter().map(|part| bits(part.iter().copied().max().unwrap_or(0))).collect();
    let total: u32 = widths.iter().sum();
    let pack =
        |at: usize| parts.iter().zip(&widths).fold(0u128, |key, (part, width)| key << width | u128::from(part[at]));
    let at_bits = bits(len as u32);
    if total + at_bits <= 64 {
        let mut keys: Vec<u64> = (0..len).into_par_iter().map(|at| (pack(at) as u64) << at_bits | at as u64).collect();
        keys.par_sort_unstable();
        let mask = (1u64 << at_bits) - 1;
        keys.into_iter().map(|key| (key & mask) as u32).collect()
    } else if total + at_bits <= 128 {
        let mut keys: Vec<u128> = (0..len).into_par_iter().map(|at| pack(at) << at_bits | at as u128).collect();
        keys.par_sort_unstable();
        let mask = (1u128 << at_bits) - 1;
        keys.into_iter().map(|key| (key & mask) as u32).collect()
    } else {
        let mut order: Vec<u32> = (0..len as u32).collect();
        order.par_sort_by(|a, b| {
            let differing = parts.iter().map(|part| part[*a as usize].cmp(&part[*b as usize]));
            differing.fold(std::cmp::Ordering::Equal, |order, next| order.then(next))
        });
        order
    }
}

/// Number of bits that represent every number up to `maximum`.
pub fn bits(maximum: u32) -> u32 {
    u32::BITS - maximum.leading_zeros()
}
