//! Cuts a block of comma separated text into records and fields, with the csv crate's own parser.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// The records of one block, one at a time.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    reader: Reader,
    /// Where the next record starts.
    at: usize,
    record_at: usize,
    /// The fields of this record, one after the other, and where each ends.
    fields: Vec<u8>,
    ends: Vec<usize>,
    len: usize,
    before: u8,
    after_blank: bool,
}

impl<'a> Records<'a> {
    /// `bytes` starts at a record; `before` is the byte before it, 0 at the start of a stream.
    pub(crate) fn new(bytes: &'a [u8], delimiter: u8, before: u8) -> Self {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
        // The parser leaves out a byte order mark at its very start, which is not the start of the file; after an empty
        // line it is past that.
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

    /// Goes to the next record; false when there is none. Empty lines are no records.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let from = self.at;
        while matches!(self.bytes.get(self.at), Some(b'\n' | b'\r')) {
            self.at += 1;
        }
        // The line feed that belongs to the line before is no blank line, nor is one that the stream begins with.
        let skipped = &self.bytes[from..self.at];
        let before = from.checked_sub(1).map_or(self.before, |last| self.bytes[last]);
        self.after_blank = before != 0 && !skipped.is_empty() && !(skipped == b"\n" && before == b'\r');
        self.record_at = self.at;
        self.len = 0;
        let mut written = 0;
        loop {
            // At the end of the block nothing is left to read, which tells the parser to finish what it has.
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

    /// Whether a blank line stands before this record.
    pub(crate) fn after_blank(&self) -> bool {
        self.after_blank
    }

    /// How many fields this record has.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A field of this record.
    #[inline]
    pub(crate) fn field(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.fields[start..self.ends[at]]
    }

    /// Where this record starts in the block.
    pub(crate) fn record_at(&self) -> usize {
        self.record_at
    }

    /// Where the next record starts in the block.
    pub(crate) fn next_at(&self) -> usize {
        self.at
    }
}
