//! Conversion of the texts of a column to the canonical texts of their dates or numbers.

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
    /// Canonical text by code of `known`; none for a text that stays unchanged.
    canonical: Vec<Option<Box<str>>>,
}

impl Converter {
    /// Creates a converter if the options declare a format for the column.
    pub(crate) fn new(column: &str, options: &Options) -> Option<Converter> {
        let format = options.format(column)?.clone();
        let missing = options.missing.clone();
        Some(Converter { format, missing, known: Dictionary::new(), canonical: Vec::new() })
    }

    /// Returns the canonical text. Missing values, and texts without the format, stay unchanged.
    #[inline]
    pub(crate) fn convert<'a>(&'a mut self, text: &'a [u8]) -> &'a [u8] {
        if self.known.len() >= MAX_KNOWN {
            self.known = Dictionary::new();
            self.canonical.clear();
        }
        let Some(code) = self.known.code(text) else { return text };
        if code as usize == self.canonical.len() {
            let words = std::str::from_utf8(text).unwrap_or_default();
            let is_missing = self.missing.iter().any(|missing| missing == words);
            let canonical = if is_missing { None } else { self.format.canonical(words) };
            self.canonical.push(canonical.map(String::into_boxed_str));
        }
        self.canonical[code as usize].as_ref().map_or(text, |canonical| canonical.as_bytes())
    }

    /// Returns the approximate memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.known.bytes() + 48 * self.canonical.capacity() as u64
    }
}
