//! Cuts a stream of comma separated text into blocks that each hold whole records, so that threads can read them apart.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memrchr2};

use super::records::Records;

/// No record may be longer than this.
pub(crate) const LONGEST_RECORD: usize = 64 << 20;

/// Some whole records of a stream.
pub(crate) struct Block {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where the block starts in the stream.
    offset: u64,
    /// The byte before the block; 0 at the start of the stream.
    before: u8,
}

impl Block {
    /// Its records, one at a time.
    pub(crate) fn records(&self, delimiter: u8) -> Records<'_> {
        Records::new(self.bytes(), delimiter, self.before)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Where the block starts in the stream.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Leaves the first record out; false when there is none.
    pub(crate) fn skip_record(&mut self, delimiter: u8) -> bool {
        let mut records = self.records(delimiter);
        let found = records.advance();
        let skipped = records.next_at();
        self.before = skipped.checked_sub(1).map_or(self.before, |last| self.bytes()[last]);
        self.start += skipped;
        self.offset += skipped as u64;
        found
    }

    /// Gives the memory back for another block.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// Why there is no next block.
pub(crate) enum Fault {
    /// Reading failed.
    Io(io::Error),
    /// The record that starts at this place of the stream is longer than `LONGEST_RECORD`.
    TooLong(u64),
    /// The quote at this place of the stream is never closed.
    OpenQuote(u64),
}

/// The blocks of one stream.
pub(crate) struct Blocks<'a> {
    stream: Box<dyn Read + 'a>,
    block_bytes: usize,
    delimiter: u8,
    /// What was read of the next block already.
    carry: Vec<u8>,
    offset: u64,
    /// The last byte of the block before.
    last: u8,
    ended: bool,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(stream: Box<dyn Read + 'a>, block_bytes: usize, delimiter: u8) -> Self {
        let block_bytes = block_bytes.clamp(1, LONGEST_RECORD);
        Blocks { stream, block_bytes, delimiter, carry: Vec::new(), offset: 0, last: 0, ended: false }
    }

    /// The next block, in a buffer that may be used again.
    pub(crate) fn next(&mut self, mut buffer: Vec<u8>) -> Result<Option<Block>, Fault> {
        let mut len = self.carry.len();
        let mut wanted = self.block_bytes.max(len + 1);
        if buffer.len() < wanted {
            buffer.resize(wanted, 0);
        }
        buffer[..len].copy_from_slice(&self.carry);
        loop {
            len = self.fill(&mut buffer[..wanted], len).map_err(Fault::Io)?;
            let cut = if self.ended { Some(len) } else { last_record_end(&buffer[..len], self.delimiter) };
            if let Some(cut) = cut {
                if let Some(open) = self.ended.then(|| quote_left_open(&buffer[..len], self.delimiter)).flatten() {
                    return Err(Fault::OpenQuote(self.offset + open as u64));
                }
                return Ok(self.finish(buffer, cut, len));
            }
            if len >= LONGEST_RECORD {
                return Err(Fault::TooLong(self.offset));
            }
            wanted = (2 * wanted).min(LONGEST_RECORD);
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

/// Where the last whole record ends, in text that starts at a record.
///
/// A line end counts only outside quotes, and a quote opens only at the start of a field; as in `Records`.
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

/// Of several line ends in a row, the first: blank lines stand at the start of a block, never at its end.
fn first_line_end(bytes: &[u8], mut end: usize) -> usize {
    while end > 1 && matches!(bytes[end - 2], b'\n' | b'\r') {
        end -= 1;
    }
    end
}

/// Where a quote opens that nothing closes, in text that starts at a record and ends with the stream. A reader that lets
/// it pass would take all that follows, other people's records, for one cell.
fn quote_left_open(bytes: &[u8], delimiter: u8) -> Option<usize> {
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

/// The quote that closes the field whose text starts here, if what follows it is known to be no second quote.
fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + memchr(b'"', bytes.get(from..)?)?;
        if *bytes.get(quote + 1)? != b'"' {
            return Some(quote);
        }
        from = quote + 2;
    }
}
