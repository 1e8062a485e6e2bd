//! Conversion of the texts of a column to the canonical texts of their dates or numbers.

use reticent::taxonomy::{Type, parse_number};
use reticent::text_format::TextFormat;

use super::Dictionary;
use crate::options::Options;

/// Maximum number of remembered texts.
const MAX_KNOWN: usize = 1 << 16;

/// Converts the texts of one column.
pub(crate) struct Converter {
    format: TextFormat,
    missing: Vec<String>,
    known: Dictionary,
    /// Result by code of `known`.
    canonical: Vec<Converted>,
}

/// Result for one text.
enum Converted {
    Canonical(Box<str>),
    Unchanged,
    OtherNumber,
}

impl Converter {
    /// Creates a converter if the options declare a format for the column.
    pub(crate) fn new(column: &str, options: &Options) -> Option<Converter> {
        let format = options.format(column)?.clone();
        let missing = options.missing.clone();
        Some(Converter { format, missing, known: Dictionary::new(), canonical: Vec::new() })
    }

    /// Returns the canonical text. Missing values, and texts that are neither in the format nor numbers, stay unchanged. None for
    /// a number that is not in the format: it can mean another number.
    #[inline]
    pub(crate) fn convert<'a>(&'a mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        if self.known.len() >= MAX_KNOWN {
            self.known = Dictionary::new();
            self.canonical.clear();
        }
        let Some(code) = self.known.code(text) else { return Some(text) };
        if code as usize == self.canonical.len() {
            let words = std::str::from_utf8(text).unwrap_or_default();
            self.canonical.push(self.converted(words));
        }
        match &self.canonical[code as usize] {
            Converted::Canonical(canonical) => Some(canonical.as_bytes()),
            Converted::Unchanged => Some(text),
            Converted::OtherNumber => None,
        }
    }

    fn converted(&self, text: &str) -> Converted {
        if self.missing.iter().any(|missing| missing == text) {
            return Converted::Unchanged;
        }
        match self.format.canonical(text) {
            Some(canonical) => Converted::Canonical(canonical.into_boxed_str()),
            None if self.format.values() == Type::Number && parse_number(text).is_some() => Converted::OtherNumber,
            None => Converted::Unchanged,
        }
    }

    /// Returns the approximate memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.known.bytes() + 48 * self.canonical.capacity() as u64
    }
}
