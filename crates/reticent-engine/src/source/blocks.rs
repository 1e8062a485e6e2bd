//! Splits a stream of comma-separated text into blocks of complete records, so that threads can parse them
//! independently.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memrchr2};

use super::records::Records;

/// Maximum length of a record in bytes.
pub(crate) const MAX_RECORD_BYTES: usize = 64 << 20;

/// Complete records of a stream.
pub(crate) struct Block {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of the block in the stream.
    offset: u64,
    /// Byte before the block; 0 at the start of the stream.
    before: u8,
}

impl Block {
    /// Returns a parser of the records.
    pub(crate) fn records(&self, delimiter: u8) -> Records<'_> {
        Records::new(self.bytes(), delimiter, self.before)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the offset of the block in the stream.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Skips the first record; returns false if there is none.
    pub(crate) fn skip_record(&mut self, delimiter: u8) -> bool {
        let mut records = self.records(delimiter);
        let found = records.advance();
        let skipped = records.next_at();
        self.before = skipped.checked_sub(1).map_or(self.before, |last| self.bytes()[last]);
        self.start += skipped;
        self.offset += skipped as u64;
        found
    }

    /// Returns the buffer for reuse.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// Reason why there is no next block.
pub(crate) enum BlockError {
    /// Reading failed.
    Io(io::Error),
    /// The record at this offset is longer than `MAX_RECORD_BYTES`.
    TooLong(u64),
    /// The quote at this offset is never closed.
    OpenQuote(u64),
}

/// Blocks of one stream.
pub(crate) struct Blocks<'a> {
    stream: Box<dyn Read + 'a>,
    block_bytes: usize,
    delimiter: u8,
    /// Bytes of the next block that are already read.
    carry: Vec<u8>,
    offset: u64,
    /// Last byte of the previous block.
    last: u8,
    ended: bool,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(stream: Box<dyn Read + 'a>, block_bytes: usize, delimiter: u8) -> Self {
        let block_bytes = block_bytes.clamp(1, MAX_RECORD_BYTES);
        Blocks { stream, block_bytes, delimiter, carry: Vec::new(), offset: 0, last: 0, ended: false }
    }

    /// Returns the next block, in the given buffer.
    pub(crate) fn next(&mut self, mut buffer: Vec<u8>) -> Result<Option<Block>, BlockError> {
        let mut len = self.carry.len();
        let mut wanted = self.block_bytes.max(len + 1);
        if buffer.len() < wanted {
            buffer.resize(wanted, 0);
        }
        buffer[..len].copy_from_slice(&self.carry);
        loop {
            len = self.fill(&mut buffer[..wanted], len).map_err(BlockError::Io)?;
            let cut = if self.ended { Some(len) } else { last_record_end(&buffer[..len], self.delimiter) };
            if let Some(cut) = cut {
                if let Some(open) = self.ended.then(|| unclosed_quote(&buffer[..len], self.delimiter)).flatten() {
                    return Err(BlockError::OpenQuote(self.offset + open as u64));
                }
                return Ok(self.finish(buffer, cut, len));
            }
            if len >= MAX_RECORD_BYTES {
                return Err(BlockError::TooLong(self.offset));
            }
            wanted = (2 * wanted).min(MAX_RECORD_BYTES);
            buffer.resize(wanted.max(buffer.len()), 0);
        }
    }

    /// Reads until the buffer is full or the stream ends.
    fn fill(&mut self, buffer: &mut [u8], mut len: usize) -> io::Result<usize> {
        while len < buffer.len() && !self.ended {
            match self.stream.read(&mut buffer[len..]) {
                Ok(0) => self.ended = true,
                Ok(read) => len += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(len)
    }

    fn finish(&mut self, buffer: Vec<u8>, cut: usize, len: usize) -> Option<Block> {
        self.carry.clear();
        self.carry.extend_from_slice(&buffer[cut..len]);
        let offset = self.offset;
        self.offset += cut as u64;
        let before = self.last;
        self.last = cut.checked_sub(1).map_or(before, |last| buffer[last]);
        (cut > 0).then_some(Block { buffer, start: 0, end: cut, offset, before })
    }
}

/// Returns the end of the last complete record, in text that starts at a record.
///
/// A line end counts only outside quotes, and a quote opens only at the start of a field, as in `Records`.
fn last_record_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let mut last = None;
    let mut outside = 0;
    let mut from = 0;
    loop {
        let quote = memchr(b'"', &bytes[from..]).map_or(bytes.len(), |found| from + found);
        let opens = quote == 0 || matches!(bytes[quote - 1], b'\n' | b'\r') || bytes[quote - 1] == delimiter;
        if quote < bytes.len() && !opens {
            from = quote + 1;
            continue;
        }
        if let Some(end) = memrchr2(b'\n', b'\r', &bytes[outside..quote]) {
            last = Some(outside + end + 1);
        }
        match closing_quote(bytes, quote + 1) {
            Some(close) => (outside, from) = (close + 1, close + 1),
            None => {
                let some_record = |end: &usize| bytes[..*end].iter().any(|byte| !matches!(byte, b'\n' | b'\r'));
                return last.map(|end| first_line_end(bytes, end)).filter(some_record);
            }
        }
    }
}

/// Returns the end of the first of several consecutive line ends. Blank lines therefore start a block and never end
/// it.
fn first_line_end(bytes: &[u8], mut end: usize) -> usize {
    while end > 1 && matches!(bytes[end - 2], b'\n' | b'\r') {
        end -= 1;
    }
    end
}

/// Returns the position of an opening quote that is never closed, in text that starts at a record and ends with the
/// stream. Otherwise the following records would become one cell.
fn unclosed_quote(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let mut from = 0;
    while let Some(quote) = memchr(b'"', &bytes[from..]).map(|found| from + found) {
        from = quote + 1;
        let opens = quote == 0 || matches!(bytes[quote - 1], b'\n' | b'\r') || bytes[quote - 1] == delimiter;
        if !opens {
            continue;
        }
        loop {
            let Some(found) = memchr(b'"', &bytes[from..]) else { return Some(quote) };
            from += found + 1;
            match bytes.get(from) {
                Some(b'"') => from += 1,
                _ => break,
            }
        }
    }
    None
}

/// Returns the position of the quote that closes the field from here, if the next byte is known and is not a second
/// quote.
fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + memchr(b'"', bytes.get(from..)?)?;
        if *bytes.get(quote + 1)? != b'"' {
            return Some(quote);
        }
        from = quote + 2;
    }
}
