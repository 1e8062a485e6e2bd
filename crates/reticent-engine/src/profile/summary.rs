//! A column with many texts: a summary in bounded memory.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use reticent::contingency::Weight;
use reticent::taxonomy::{Type, parse_date, parse_number, parse_scale};
use reticent::text_format::FormatDetector;
use rustc_hash::FxBuildHasher;

use crate::Profile;
use crate::hash::{hash_number, hash_text};
use crate::options::Options;

/// Maximum number of counted distinct texts. A column with more cannot be counted without bins.
const MAX_HASHES: usize = 4 << 20;
/// Number of sampled numbers for quantiles.
const SAMPLE_SIZE: usize = 65_536;
const MAX_QUANTILES: u64 = 1024;

/// Common type of all texts so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ObservedType {
    #[default]
    None,
    All(Type),
}

impl ObservedType {
    /// Updates the type with a text that is not a missing value.
    pub(super) fn observe(&mut self, text: &str) {
        *self = match *self {
            ObservedType::None if parse_number(text).is_some() => ObservedType::All(Type::Number),
            ObservedType::None if parse_date(text).is_some() => ObservedType::All(Type::Date),
            ObservedType::All(values) if parse_scale(values, text).is_some() => ObservedType::All(values),
            _ => ObservedType::All(Type::Text),
        };
    }

    fn merge(self, other: ObservedType) -> ObservedType {
        match (self, other) {
            (ObservedType::None, kind) | (kind, ObservedType::None) => kind,
            (one, another) if one == another => one,
            _ => ObservedType::All(Type::Text),
        }
    }

    pub(super) fn inferred_type(self) -> Type {
        if let ObservedType::All(values) = self { values } else { Type::Text }
    }
}

/// Hashes of the texts of a column, shared by all threads.
#[derive(Default)]
pub(super) struct DistinctHashes {
    seen: HashSet<u64, FxBuildHasher>,
    full: bool,
}

impl DistinctHashes {
    pub(super) fn take(&mut self, fresh: &mut Vec<u64>) {
        for hash in fresh.drain(..) {
            if self.seen.len() < MAX_HASHES {
                self.seen.insert(hash);
            } else if !self.full && !self.seen.contains(&hash) {
                self.full = true;
            }
        }
    }
}

/// Summary of a column in one thread.
#[derive(Default)]
pub(super) struct Summary {
    rows: Weight,
    empty: Weight,
    kind: ObservedType,
    formats: Option<FormatDetector>,
    /// Hashes of the texts since the last pause.
    pub(super) fresh: Vec<u64>,
    /// Sampled numbers and their numbers of rows, by the hash of the number. The lowest hashes are kept.
    sample: BTreeMap<u64, (f64, Weight)>,
    extent: Option<(f64, f64)>,
}

/// Returns the smallest range that contains both ranges.
pub(super) fn union_range(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

impl Summary {
    pub(super) fn take(&mut self, text: &str, weight: Weight, options: &Options) {
        self.rows += weight;
        self.fresh.push(hash_text(text.as_bytes(), 0));
        if options.is_missing(text.as_bytes()) {
            self.empty += weight;
            return;
        }
        if options.detect_formats {
            self.formats.get_or_insert_default().observe(text);
        }
        match self.kind {
            ObservedType::All(Type::Text) => return,
            ObservedType::None => self.kind.observe(text),
            ObservedType::All(_) => {}
        }
        match parse_scale(self.kind.inferred_type(), text) {
            Some(number) => {
                self.extent = union_range(self.extent, Some((number, number)));
                self.sample_number(number, weight);
            }
            None => self.kind = ObservedType::All(Type::Text),
        }
    }

    fn sample_number(&mut self, number: f64, weight: Weight) {
        let hash = hash_number(number.to_bits());
        let full = self.sample.len() >= SAMPLE_SIZE;
        if full && self.sample.last_key_value().is_some_and(|(highest, _)| hash > *highest) {
            return;
        }
        self.sample.entry(hash).or_insert((number, 0)).1 += weight;
        if self.sample.len() > SAMPLE_SIZE {
            self.sample.pop_last();
        }
    }

    pub(super) fn merge(&mut self, other: Summary) {
        self.rows += other.rows;
        self.empty += other.empty;
        self.kind = self.kind.merge(other.kind);
        self.fresh.extend(other.fresh);
        match (&mut self.formats, other.formats) {
            (Some(formats), Some(other)) => formats.merge(&other),
            (formats, other) => *formats = formats.take().or(other),
        }
        self.extent = union_range(self.extent, other.extent);
        for (number, weight) in other.sample.into_values() {
            self.sample_number(number, weight);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.sample.len() * 40 + self.fresh.capacity() * 8) as u64
    }

    pub(super) fn profile(&self, name: &str, hashes: &DistinctHashes) -> Profile {
        let looks_like = self.kind.inferred_type();
        let mut numbers: Vec<(f64, Weight)> =
            self.sample.values().filter(|_| looks_like != Type::Text).copied().collect();
        Profile {
            name: name.to_owned(),
            rows: self.rows,
            empty: self.empty,
            values: None,
            distinct: hashes.seen.len() as u64,
            distinct_is_bound: hashes.full,
            inferred_type: looks_like,
            formats: self.formats.clone(),
            quantiles: quantiles(&mut numbers),
            extent: self.extent.filter(|_| looks_like != Type::Text),
        }
    }
}

/// Returns numbers in ascending order, with about equally many rows between neighbours.
pub(super) fn quantiles(numbers: &mut [(f64, Weight)]) -> Vec<f64> {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: Weight = numbers.iter().map(|(_, weight)| weight).sum();
    let rank = |at: u64| (u128::from(at) * u128::from(total) / u128::from(MAX_QUANTILES)) as Weight;
    let mut bounds: Vec<f64> = Vec::new();
    let (mut next, mut before) = (0, 0);
    for (number, weight) in numbers {
        before += *weight;
        let reached = next < MAX_QUANTILES && rank(next) < before;
        while next < MAX_QUANTILES && rank(next) < before {
            next += 1;
        }
        if reached && bounds.last() != Some(number) {
            bounds.push(*number);
        }
    }
    bounds
}
