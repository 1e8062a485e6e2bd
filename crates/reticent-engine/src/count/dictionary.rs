//! Dictionary of a column: texts as codes, in the order in which one thread reads them.

use hashbrown::HashTable;
use reticent::taxonomy::{Code, Type, parse_date, parse_number, scale_text};

use crate::error::Error;
use crate::hash::{hash_number, hash_text, short_word};
use crate::source::RowError;

/// Maximum number of distinct texts of a column.
pub(crate) const MAX_VALUES: usize = 4 << 20;

/// Size, in bits, of a cache of recent texts that avoids the hash table.
const RECENT_BITS: u32 = 10;

/// Distinct texts and their codes.
pub(crate) struct Dictionary {
    texts: Vec<Box<str>>,
    prints: Vec<u64>,
    table: HashTable<Code>,
    recent: Vec<CachedCode>,
    text_bytes: usize,
}

#[derive(Clone, Copy)]
struct CachedCode {
    print: u64,
    code: Code,
}

/// Fingerprint of an empty cache slot. No text has it.
const NO_PRINT: u64 = 0x7f << 56;

/// Returns a fingerprint of a text. It identifies a text shorter than eight bytes.
#[inline]
fn fingerprint(text: &[u8]) -> u64 {
    if text.len() < 8 { short_word(text) | (text.len() as u64) << 56 } else { hash_text(text, 0) | 0xff << 56 }
}

impl Dictionary {
    pub(crate) fn new() -> Self {
        let recent = vec![CachedCode { print: NO_PRINT, code: 0 }; 1 << RECENT_BITS];
        Dictionary { texts: Vec::new(), prints: Vec::new(), table: HashTable::new(), recent, text_bytes: 0 }
    }

    /// Returns the code of a text; none if it is not valid UTF-8.
    #[inline]
    pub(crate) fn code(&mut self, text: &[u8]) -> Option<Code> {
        let print = fingerprint(text);
        let slot = (print.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT_BITS)) as usize;
        let recent = self.recent[slot];
        if recent.print == print && (text.len() < 8 || self.texts[recent.code as usize].as_bytes() == text) {
            return Some(recent.code);
        }
        let code = self.find_or_add(text, print)?;
        self.recent[slot] = CachedCode { print, code };
        Some(code)
    }

    fn find_or_add(&mut self, text: &[u8], print: u64) -> Option<Code> {
        let Dictionary { texts, prints, table, .. } = self;
        let is_it = |code: &Code| {
            prints[*code as usize] == print && (text.len() < 8 || texts[*code as usize].as_bytes() == text)
        };
        if let Some(code) = table.find(hash_number(print), is_it) {
            return Some(*code);
        }
        let text: Box<str> = std::str::from_utf8(text).ok()?.into();
        Some(self.add(text, print))
    }

    fn add(&mut self, text: Box<str>, print: u64) -> Code {
        let code = self.texts.len() as Code;
        self.text_bytes += text.len();
        self.texts.push(text);
        self.prints.push(print);
        let prints = &self.prints;
        self.table.insert_unique(hash_number(print), code, |code| hash_number(prints[*code as usize]));
        code
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns the texts by code.
    pub(crate) fn texts(&self) -> &[Box<str>] {
        &self.texts
    }

    /// Returns the approximate memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        // Bytes of the texts, and for each text its box, fingerprint, table entry and allocation overhead.
        (self.text_bytes + self.texts.capacity() * (16 + 8 + 16) + self.table.capacity() * 5) as u64
    }
}

/// Mapping of the fields of a column to codes.
pub(crate) enum Coder {
    /// Every text is a value.
    Exact(Dictionary),
    /// Numbers and dates are binned.
    Binned(BinnedCoder),
}

/// A dictionary of bin bounds and of texts that are neither numbers nor dates.
pub(crate) struct BinnedCoder {
    bounds: Vec<f64>,
    /// Codes of each bound, as a number and as a date, once it occurs.
    codes: Vec<[Option<Code>; 2]>,
    missing: Vec<String>,
    dictionary: Dictionary,
}

impl Coder {
    /// Creates a coder. Texts in `missing` are never binned.
    pub(crate) fn new(bins: Option<&[f64]>, missing: &[String]) -> Self {
        match bins {
            Some(bounds) if !bounds.is_empty() => {
                let mut bounds = bounds.to_vec();
                bounds.sort_by(f64::total_cmp);
                let codes = vec![[None; 2]; bounds.len()];
                let missing = missing.to_vec();
                Coder::Binned(BinnedCoder { bounds, codes, missing, dictionary: Dictionary::new() })
            }
            _ => Coder::Exact(Dictionary::new()),
        }
    }

    /// Returns the code of a field of the column with index `at` and name `name`.
    #[inline]
    pub(crate) fn code(&mut self, text: &[u8], at: usize, name: &str) -> Result<Code, RowError> {
        let code = match self {
            Coder::Exact(dictionary) => dictionary.code(text),
            Coder::Binned(binned) => binned.code(text),
        };
        match code {
            Some(code) if (code as usize) < MAX_VALUES => Ok(code),
            Some(_) => Err(RowError::Error(Error::TooManyValues { column: name.to_owned(), limit: MAX_VALUES })),
            None => Err(RowError::NotUtf8(at)),
        }
    }

    pub(crate) fn dictionary(&self) -> &Dictionary {
        match self {
            Coder::Exact(dictionary) => dictionary,
            Coder::Binned(binned) => &binned.dictionary,
        }
    }
}

impl BinnedCoder {
    fn code(&mut self, text: &[u8]) -> Option<Code> {
        let words = std::str::from_utf8(text).ok()?;
        if self.missing.iter().any(|missing| missing == words) {
            return self.dictionary.code(text);
        }
        let (number, values) = match (parse_number(words), parse_date(words)) {
            (Some(number), _) => (number, Type::Number),
            (None, Some(day)) => (day, Type::Date),
            (None, None) => return self.dictionary.code(text),
        };
        let bound = self.bounds.partition_point(|bound| *bound <= number).saturating_sub(1);
        let kind = usize::from(values == Type::Date);
        if let Some(code) = self.codes[bound][kind] {
            return Some(code);
        }
        let code = self.dictionary.code(scale_text(values, self.bounds[bound]).as_bytes())?;
        self.codes[bound][kind] = Some(code);
        Some(code)
    }
}
