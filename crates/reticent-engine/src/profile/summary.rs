//! A column with many texts: what can be said of it in bounded memory.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use reticent::combos::Weight;
use reticent::taxonomy::{Type, parse_date, parse_number, parse_scale};
use rustc_hash::FxBuildHasher;

use crate::Profile;
use crate::hash::{hash_number, hash_text};
use crate::options::Options;

/// Distinct texts are counted up to here: a column with more cannot be counted without bins in any case.
const MOST_HASHES: usize = 4 << 20;
/// Numbers kept for quantiles.
const SAMPLE: usize = 65_536;
const MOST_QUANTILES: u64 = 1024;

/// What all texts of a column have been so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Unseen,
    All(Type),
}

impl Kind {
    /// Sees a text that is not empty.
    pub(super) fn see(&mut self, text: &str) {
        *self = match *self {
            Kind::Unseen if parse_number(text).is_some() => Kind::All(Type::Number),
            Kind::Unseen if parse_date(text).is_some() => Kind::All(Type::Date),
            Kind::All(values) if parse_scale(values, text).is_some() => Kind::All(values),
            _ => Kind::All(Type::Text),
        };
    }

    fn with(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Unseen, kind) | (kind, Kind::Unseen) => kind,
            (one, another) if one == another => one,
            _ => Kind::All(Type::Text),
        }
    }

    pub(super) fn looks_like(self) -> Type {
        if let Kind::All(values) = self { values } else { Type::Text }
    }
}

/// The hashes of a column's texts, shared by all threads.
#[derive(Default)]
pub(super) struct Hashes {
    seen: HashSet<u64, FxBuildHasher>,
    full: bool,
}

impl Hashes {
    pub(super) fn take(&mut self, fresh: &mut Vec<u64>) {
        for hash in fresh.drain(..) {
            if self.seen.len() < MOST_HASHES {
                self.seen.insert(hash);
            } else if !self.full && !self.seen.contains(&hash) {
                self.full = true;
            }
        }
    }
}

/// What one thread knows of a column.
#[derive(Default)]
pub(super) struct Summary {
    rows: Weight,
    empty: Weight,
    kind: Kind,
    /// Hashes of texts since the last pause.
    pub(super) fresh: Vec<u64>,
    /// By hash of the number: the number and the rows that carry it. The lowest hashes are kept.
    sample: BTreeMap<u64, (f64, Weight)>,
    extent: Option<(f64, f64)>,
}

/// The extent of two.
pub(super) fn wider(one: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
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
        match self.kind {
            Kind::All(Type::Text) => return,
            Kind::Unseen => self.kind.see(text),
            Kind::All(_) => {}
        }
        match parse_scale(self.kind.looks_like(), text) {
            Some(number) => {
                self.extent = wider(self.extent, Some((number, number)));
                self.sample_number(number, weight);
            }
            None => self.kind = Kind::All(Type::Text),
        }
    }

    fn sample_number(&mut self, number: f64, weight: Weight) {
        let hash = hash_number(number.to_bits());
        let full = self.sample.len() >= SAMPLE;
        if full && self.sample.last_key_value().is_some_and(|(highest, _)| hash > *highest) {
            return;
        }
        self.sample.entry(hash).or_insert((number, 0)).1 += weight;
        if self.sample.len() > SAMPLE {
            self.sample.pop_last();
        }
    }

    pub(super) fn merge(&mut self, other: Summary) {
        self.rows += other.rows;
        self.empty += other.empty;
        self.kind = self.kind.with(other.kind);
        self.fresh.extend(other.fresh);
        self.extent = wider(self.extent, other.extent);
        for (number, weight) in other.sample.into_values() {
            self.sample_number(number, weight);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.sample.len() * 40 + self.fresh.capacity() * 8) as u64
    }

    pub(super) fn profile(&self, name: &str, hashes: &Hashes) -> Profile {
        let looks_like = self.kind.looks_like();
        let mut numbers: Vec<(f64, Weight)> =
            self.sample.values().filter(|_| looks_like != Type::Text).copied().collect();
        Profile {
            name: name.to_owned(),
            rows: self.rows,
            empty: self.empty,
            values: None,
            distinct: hashes.seen.len() as u64,
            distinct_is_bound: hashes.full,
            looks_like,
            quantiles: quantiles(&mut numbers),
            extent: self.extent.filter(|_| looks_like != Type::Text),
        }
    }
}

/// Ascending numbers with about as many rows from each to the next.
pub(super) fn quantiles(numbers: &mut [(f64, Weight)]) -> Vec<f64> {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: Weight = numbers.iter().map(|(_, weight)| weight).sum();
    let rank = |at: u64| (u128::from(at) * u128::from(total) / u128::from(MOST_QUANTILES)) as Weight;
    let mut bounds: Vec<f64> = Vec::new();
    let (mut next, mut before) = (0, 0);
    for (number, weight) in numbers {
        before += *weight;
        let reached = next < MOST_QUANTILES && rank(next) < before;
        while next < MOST_QUANTILES && rank(next) < before {
            next += 1;
        }
        if reached && bounds.last() != Some(number) {
            bounds.push(*number);
        }
    }
    bounds
}
