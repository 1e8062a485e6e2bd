//! Splits a block of comma-separated text into records and fields, with the parser of the csv crate.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// Parser of the records of one block.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    reader: Reader,
    /// Start of the next record.
    at: usize,
    record_at: usize,
    /// Fields of this record, concatenated; `ends` has the end of each field.
    fields: Vec<u8>,
    ends: Vec<usize>,
    len: usize,
    before: u8,
    after_blank: bool,
}

impl<'a> Records<'a> {
    /// Creates a parser. `bytes` starts at a record; `before` is the byte before it, or 0 at the start of a stream.
    pub(crate) fn new(bytes: &'a [u8], delimiter: u8, before: u8) -> Self {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
        // The parser skips a byte order mark at its start, which is not the start of the file here. After an empty
        // line it no longer does.
        reader.read_record(b"\n", &mut [0], &mut [0]);
        Records {
            bytes,
            reader,
            at: 0,
            record_at: 0,
            fields: vec![0; 1024],
            ends: vec![0; 32],
            len: 0,
            before,
            after_blank: false,
        }
    }

    /// Moves to the next record; returns false if there is none. Empty lines are skipped.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let from = self.at;
        while matches!(self.bytes.get(self.at), Some(b'\n' | b'\r')) {
            self.at += 1;
        }
        // The line feed of a CR LF pair is not a blank line, nor is one at the start of the stream.
        let skipped = &self.bytes[from..self.at];
        let before = from.checked_sub(1).map_or(self.before, |last| self.bytes[last]);
        self.after_blank = before != 0 && !skipped.is_empty() && !(skipped == b"\n" && before == b'\r');
        self.record_at = self.at;
        self.len = 0;
        let mut written = 0;
        loop {
            // At the end of the block the input is empty, which makes the parser finish the record.
            let input = &self.bytes[self.at..];
            let (result, read, wrote, ended) =
                self.reader.read_record(input, &mut self.fields[written..], &mut self.ends[self.len..]);
            self.at += read;
            written += wrote;
            self.len += ended;
            match result {
                ReadRecordResult::Record => return true,
                ReadRecordResult::End => return false,
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
            }
        }
    }

    /// Returns true if a blank line precedes this record.
    pub(crate) fn after_blank(&self) -> bool {
        self.after_blank
    }

    /// Returns the number of fields of this record.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns a field of this record.
    #[inline]
    pub(crate) fn field(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[start..self.ends[at]]
    }

    /// Returns the start of this record in the block.
    pub(crate) fn record_at(&self) -> usize {
        self.record_at
    }

    /// Returns the start of the next record in the block.
    pub(crate) fn next_at(&self) -> usize {
        self.at
    }
}
