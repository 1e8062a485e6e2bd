//! Combinations of codes with their weights: the form in which the library holds any table, raw or published.
//!
//! Counts are enough: rows that carry the same values are one combination with a weight. Where an owner has several
//! records, each combination also carries its owner, so that people can be counted instead of rows.

use rayon::prelude::*;

use crate::taxonomy::Code;

/// How many rows.
pub type Weight = u64;
/// A person, numbered densely; the number means nothing outside one table.
pub type Owner = u32;

/// Distinct combinations of codes, each with the number of rows that carry it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Combos {
    /// By column, by combination.
    pub codes: Vec<Vec<Code>>,
    /// By combination.
    pub weights: Vec<Weight>,
    /// By combination; absent when every record has an owner of its own.
    pub owners: Option<Vec<Owner>>,
}

impl Combos {
    /// How many distinct combinations.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// True when there is no record.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// How many rows.
    pub fn rows(&self) -> Weight {
        self.weights.iter().sum()
    }

    /// How many people: distinct owners, or rows where each record has its own.
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

    /// The place of a combination, where all ascend and owners are left out.
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

    /// These columns only, with equal combinations put together, in ascending order.
    pub fn project(&self, columns: &[usize]) -> Combos {
        let codes: Vec<&[Code]> = columns.iter().map(|column| self.codes[*column].as_slice()).collect();
        combine(&codes, &self.weights, self.owners.as_deref())
    }

    /// Equal combinations put together, in ascending order.
    pub fn combined(&self) -> Combos {
        self.project(&(0..self.codes.len()).collect::<Vec<_>>())
    }

    /// Keeps the combinations for which `keep` says so.
    pub fn filter(&self, keep: impl Fn(usize) -> bool) -> Combos {
        let kept: Vec<usize> = (0..self.len()).filter(|at| keep(*at)).collect();
        Combos {
            codes: self.codes.iter().map(|codes| kept.iter().map(|at| codes[*at]).collect()).collect(),
            weights: kept.iter().map(|at| self.weights[*at]).collect(),
            owners: self.owners.as_ref().map(|owners| kept.iter().map(|at| owners[*at]).collect()),
        }
    }
}

/// Puts equal combinations (of codes and owner) together, ascending.
pub fn combine(codes: &[&[Code]], weights: &[Weight], owners: Option<&[Owner]>) -> Combos {
    combine_placing(codes, weights, owners, |_, _| {})
}

/// The same; of each of the given ones, `placed` learns its place among those.
pub(crate) fn combine_placing(
    codes: &[&[Code]],
    weights: &[Weight],
    owners: Option<&[Owner]>,
    mut placed: impl FnMut(usize, u32),
) -> Combos {
    let mut parts: Vec<&[Code]> = codes.to_vec();
    parts.extend(owners);
    let order = ascending(&parts, weights.len());
    let mut result =
        Combos { codes: vec![Vec::new(); codes.len()], weights: Vec::new(), owners: owners.map(|_| Vec::new()) };
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

/// The positions of combinations in ascending order of their codes.
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

/// How many bits hold every number up to this one.
pub fn bits(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}
