//! A column with few texts: all texts with their numbers of rows.

use reticent::contingency::Weight;
use reticent::taxonomy::{Type, parse_scale};
use reticent::text_format::FormatDetector;

use super::summary::{ObservedType, Summary, quantiles, union_range};
use crate::Profile;
use crate::count::Dictionary;
use crate::options::Options;

pub(super) struct ValueList {
    dictionary: Dictionary,
    /// Number of rows by code.
    weights: Vec<Weight>,
}

impl ValueList {
    pub(super) fn new() -> Self {
        ValueList { dictionary: Dictionary::new(), weights: Vec::new() }
    }

    /// Counts rows; returns none if their field is not valid UTF-8.
    #[inline]
    pub(super) fn add(&mut self, text: &[u8], weight: Weight) -> Option<()> {
        let code = self.dictionary.code(text)? as usize;
        if code == self.weights.len() {
            self.weights.push(0);
        }
        self.weights[code] += weight;
        Some(())
    }

    pub(super) fn merge(&mut self, other: &ValueList) {
        for (text, weight) in other.texts() {
            self.add(text.as_bytes(), weight);
        }
    }

    fn texts(&self) -> impl Iterator<Item = (&str, Weight)> {
        self.dictionary.texts().iter().map(|text| &**text).zip(self.weights.iter().copied())
    }

    pub(super) fn len(&self) -> usize {
        self.dictionary.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.dictionary.bytes() + 8 * self.weights.capacity() as u64
    }

    /// Adds all rows to a summary.
    pub(super) fn summarize(&self, summary: &mut Summary, options: &Options) {
        for (text, weight) in self.texts() {
            summary.take(text, weight, options);
        }
    }

    pub(super) fn profile(&self, name: &str, options: &Options) -> Profile {
        let is_value = |text: &str| !options.is_missing(text.as_bytes());
        let mut values: Vec<(String, Weight)> = self.texts().map(|(text, weight)| (text.to_owned(), weight)).collect();
        values.sort_unstable();
        let mut kind = ObservedType::default();
        values.iter().filter(|(text, _)| is_value(text)).for_each(|(text, _)| kind.observe(text));
        let looks_like = kind.inferred_type();
        let mut numbers: Vec<(f64, Weight)> = values
            .iter()
            .filter(|(text, _)| looks_like != Type::Text && is_value(text))
            .filter_map(|(text, weight)| Some((parse_scale(looks_like, text)?, *weight)))
            .collect();
        let formats = options.detect_formats.then(|| {
            let mut formats = FormatDetector::default();
            values.iter().filter(|(text, _)| is_value(text)).for_each(|(text, _)| formats.observe(text));
            formats
        });
        Profile {
            name: name.to_owned(),
            rows: self.weights.iter().sum(),
            empty: self.texts().filter(|(text, _)| !is_value(text)).map(|(_, weight)| weight).sum(),
            distinct: values.len() as u64,
            values: Some(values),
            distinct_is_bound: false,
            inferred_type: looks_like,
            formats,
            extent: numbers.iter().fold(None, |extent, (number, _)| union_range(extent, Some((*number, *number)))),
            quantiles: quantiles(&mut numbers),
        }
    }
}
