//! Cuts a block of comma separated text into records and fields, without copying a field that needs no unescaping.
//!
//! The rules are those of the csv crate, which `tests/it/differential.rs` compares with: a quote opens only at the start
//! of a field, two quotes inside are one, text after the closing quote belongs to the field; a line feed or a carriage
//! return ends a record; empty lines are no records.

use memchr::memchr;

/// Where a field lies: in the block, or past its end in the scratch text that unescaped fields are copied to.
type Span = (u32, u32);

/// The records of one block, one at a time.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    marks: Marks<'a>,
    /// Where the next field starts.
    at: usize,
    record_at: usize,
    spans: Vec<Span>,
    scratch: Vec<u8>,
}

impl<'a> Records<'a> {
    /// `bytes` starts at a record and is shorter than 4 GiB.
    pub(crate) fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        let marks = Marks::new(bytes, delimiter);
        Records { bytes, delimiter, marks, at: 0, record_at: 0, spans: Vec::new(), scratch: Vec::new() }
    }

    /// Goes to the next record; false when there is none.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        self.spans.clear();
        self.scratch.clear();
        self.record_at = self.at;
        if self.at >= self.bytes.len() {
            return false;
        }
        loop {
            let start = self.at;
            let quoted = self.bytes.get(start) == Some(&b'"');
            let end = if quoted { self.quoted_field() } else { self.plain_field() };
            self.at = end + 1;
            match self.bytes.get(end) {
                Some(mark) if *mark == self.delimiter => {}
                Some(_) if end == start && self.spans.len() == 1 => {
                    if !self.skip_empty_line() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    /// Forgets the empty line just read; false when nothing follows it.
    fn skip_empty_line(&mut self) -> bool {
        self.spans.clear();
        self.record_at = self.at;
        self.at < self.bytes.len()
    }

    /// The field up to the next mark; answers where that is.
    #[inline]
    fn plain_field(&mut self) -> usize {
        let end = self.marks.next().unwrap_or(self.bytes.len());
        self.spans.push((self.at as u32, end as u32));
        end
    }

    /// The field that starts with a quote at `at`; answers where the mark after it is.
    fn quoted_field(&mut self) -> usize {
        let bytes = self.bytes;
        let start = self.at + 1;
        let mut from = start;
        let mut doubled = false;
        let close = loop {
            match memchr(b'"', &bytes[from..]).map(|found| from + found) {
                None => break bytes.len(),
                Some(quote) if bytes.get(quote + 1) == Some(&b'"') => {
                    doubled = true;
                    from = quote + 2;
                }
                Some(quote) => break quote,
            }
        };
        let rest = (close + 1).min(bytes.len());
        self.marks.seek(rest);
        let end = self.marks.next().unwrap_or(bytes.len());
        if doubled || end > rest {
            let into = self.scratch.len();
            unescape(&bytes[start..close], &mut self.scratch);
            self.scratch.extend_from_slice(&bytes[rest..end]);
            let span = (bytes.len() + into, bytes.len() + self.scratch.len());
            self.spans.push((span.0 as u32, span.1 as u32));
        } else {
            self.spans.push((start as u32, close as u32));
        }
        end
    }

    /// How many fields this record has.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// A field of this record.
    #[inline]
    pub(crate) fn field(&self, at: usize) -> &[u8] {
        let (start, end) = (self.spans[at].0 as usize, self.spans[at].1 as usize);
        let len = self.bytes.len();
        if start < len { &self.bytes[start..end] } else { &self.scratch[start - len..end - len] }
    }

    /// Where this record starts in the block.
    pub(crate) fn record_at(&self) -> usize {
        self.record_at
    }

    /// Where the next record starts in the block.
    pub(crate) fn next_at(&self) -> usize {
        self.at.min(self.bytes.len())
    }
}

/// Appends text in which two quotes stand for one.
fn unescape(mut text: &[u8], into: &mut Vec<u8>) {
    while let Some(quote) = memchr(b'"', text) {
        into.extend_from_slice(&text[..=quote]);
        text = text.get(quote + 2..).unwrap_or_default();
    }
    into.extend_from_slice(text);
}

/// The places of delimiters and line ends, found eight bytes at a time.
struct Marks<'a> {
    bytes: &'a [u8],
    delimiters: u64,
    word_at: usize,
    /// The high bit of each byte of the current word that is a mark still to come.
    found: u64,
}

const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const ONES: u64 = 0x0101_0101_0101_0101;

impl<'a> Marks<'a> {
    fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        let mut marks = Marks { bytes, delimiters: ONES * u64::from(delimiter), word_at: 0, found: 0 };
        marks.found = marks.in_word(0);
        marks
    }

    /// Continues from this place.
    fn seek(&mut self, at: usize) {
        self.word_at = at & !7;
        self.found = self.in_word(self.word_at) & (u64::MAX << (8 * (at & 7)));
    }

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.word_at += 8;
            if self.word_at >= self.bytes.len() {
                return None;
            }
            self.found = self.in_word(self.word_at);
        }
        let at = self.word_at + (self.found.trailing_zeros() >> 3) as usize;
        self.found &= self.found - 1;
        Some(at)
    }

    #[inline]
    fn in_word(&self, at: usize) -> u64 {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let word = match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        zero_bytes(word ^ self.delimiters)
            | zero_bytes(word ^ (ONES * b'\n' as u64))
            | zero_bytes(word ^ (ONES * b'\r' as u64))
    }
}

/// The high bit of every byte that is zero.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    !(((word & LOW) + LOW) | word | LOW)
}
