//! Comma-separated text: decompression, header, and line numbers of errors.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{Encoding, UTF_8};

use super::blocks::{BlockError, Blocks, MAX_RECORD_BYTES};
use super::encoding::{self, NotThisEncoding, Utf8Reader};
use super::{Origin, column_names};
use crate::error::{Error, FileOperation, Result};
use crate::options::Options;

/// Format of a text file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) trim: bool,
}

/// Possible delimiters, most likely first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Initial block size for reading a header.
const HEADER_BYTES: usize = 64 << 10;

/// Returns the dialect and the column names of a text file.
pub(crate) fn header(origin: &Origin, options: &Options) -> Result<(Dialect, Vec<String>)> {
    let file = origin.path();
    if options.delimiter.is_some_and(|byte| matches!(byte, b'"' | b'\n' | b'\r' | 0) || !byte.is_ascii()) {
        return Err(Error::malformed(file, None, "the delimiter cannot be a quote, a line end or a non-ASCII byte"));
    }
    let empty = || Error::malformed(file, None, "the file is empty; it needs a header line with the column names");
    // The end of the first line depends on quotes, and these depend on the delimiter. A comma is assumed until it is
    // known.
    let mut blocks = Blocks::new(open(origin, &Arc::default())?, HEADER_BYTES, options.delimiter.unwrap_or(b','));
    let first = loop {
        let block = blocks.next(Vec::new()).map_err(|error| block_error(origin, error))?.ok_or_else(empty)?;
        if block.bytes().iter().any(|byte| !matches!(byte, b'\n' | b'\r')) {
            break block;
        }
    };
    let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(first.bytes()));
    let dialect = Dialect { delimiter, trim: options.trim };
    let mut records = first.records(delimiter);
    if !records.advance() {
        return Err(empty());
    }
    let mut names = Vec::new();
    for at in 0..records.len() {
        let text = std::str::from_utf8(records.field(at))
            .map_err(|_| not_utf8(origin, first.offset() + records.record_at() as u64, at))?;
        names.push(if dialect.trim { text.trim_matches(' ') } else { text }.to_owned());
    }
    Ok((dialect, column_names(file, names)?))
}

/// Returns the delimiter that occurs most often outside quotes in the first line.
fn detect_delimiter(bytes: &[u8]) -> u8 {
    let mut counts = [0u32; DELIMITERS.len()];
    let mut quoted = false;
    for byte in bytes.iter().skip_while(|byte| matches!(byte, b'\n' | b'\r')) {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some(at) = DELIMITERS.iter().position(|delimiter| delimiter == byte) {
                    counts[at] += 1;
                }
            }
        }
    }
    let best = (0..DELIMITERS.len()).rev().max_by_key(|at| counts[*at]).unwrap_or(0);
    DELIMITERS[best]
}

/// Returns the encoding of a text file, from its start and the declared encoding.
pub(crate) fn detect_encoding(origin: &Origin, options: &Options) -> Result<&'static Encoding> {
    let unknown = |name: &str| {
        let message =
            format!("the encoding `{}` is unknown; write for example utf-8 or windows-1252", name.escape_debug());
        Error::malformed(origin.path(), None, message)
    };
    let declared = options.encoding.as_deref();
    let declared = declared.map(|name| encoding::named(name).ok_or_else(|| unknown(name))).transpose()?;
    let mut start = Vec::new();
    let sample = open_bytes(origin, &Arc::default())?.take(encoding::SAMPLE_BYTES).read_to_end(&mut start);
    sample.map_err(|error| Error::io(FileOperation::Read, origin.path(), error))?;
    Ok(encoding::detect(&start, declared))
}

/// Opens a file: decompressed, in UTF-8, and without byte order mark. `read` counts the stored bytes that are read.
pub(crate) fn open<'a>(origin: &'a Origin, read: &Arc<AtomicU64>) -> Result<Box<dyn Read + 'a>> {
    let failed = |error| Error::io(FileOperation::Read, origin.path(), error);
    let (start, mut text) = peek(open_bytes(origin, read)?, 3).map_err(failed)?;
    if let Some((_, mark)) = Encoding::for_bom(&start).filter(|(marked, _)| *marked == origin.encoding) {
        text.read_exact(&mut [0; 3][..mark]).map_err(failed)?;
    }
    // Invalid UTF-8 is reported with its line, when its column is read.
    if origin.encoding == UTF_8 { Ok(Box::new(text)) } else { Ok(Box::new(Utf8Reader::new(text, origin.encoding))) }
}

/// Opens a file and decompresses it.
fn open_bytes<'a>(origin: &'a Origin, read: &Arc<AtomicU64>) -> Result<Box<dyn Read + 'a>> {
    let failed = |error| Error::io(FileOperation::Read, origin.path(), error);
    let stored: Box<dyn Read + 'a> = match &origin.memory {
        None => Box::new(File::open(&origin.path).map_err(failed)?),
        Some(bytes) => Box::new(&bytes[..]),
    };
    let (start, stored) = peek(CountingReader { stream: stored, read: read.clone() }, 4).map_err(failed)?;
    Ok(match start.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(stored))),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::stream::read::Decoder::new(stored).map_err(failed)?),
        _ => Box::new(stored),
    })
}

/// Returns the first bytes of a stream, and the complete stream.
fn peek<R: Read>(mut stream: R, count: u64) -> io::Result<(Vec<u8>, impl Read)> {
    let mut start = Vec::new();
    stream.by_ref().take(count).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(stream)))
}

struct CountingReader<R> {
    stream: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Converts the error of a block.
pub(crate) fn block_error(origin: &Origin, error: BlockError) -> Error {
    match error {
        BlockError::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<NotThisEncoding>()) => {
            Error::malformed(origin.path(), None, error.to_string())
        }
        BlockError::Io(error) => Error::io(FileOperation::Read, origin.path(), error),
        BlockError::TooLong(offset) => {
            let limit = MAX_RECORD_BYTES >> 20;
            let message = format!("the record is longer than {limit} MiB; a quote may not be closed");
            Error::malformed(origin.path(), line_at(origin, offset), message)
        }
        BlockError::OpenQuote(offset) => {
            Error::malformed(origin.path(), line_at(origin, offset), "a quote opens here and is never closed; close it")
        }
    }
}

/// Returns the error for a record with too many or too few fields.
pub(crate) fn ragged(origin: &Origin, offset: u64, expected: usize, found: usize) -> Error {
    let message = format!(
        "{found} fields where the header has {expected}; complete the line, or quote fields that contain the delimiter"
    );
    Error::malformed(origin.path(), line_at(origin, offset), message)
}

/// Returns the error for a blank line in a file with one column, which may be a missing value or nothing.
pub(crate) fn blank_line(origin: &Origin, offset: u64) -> Error {
    let message = "the previous line is blank, which is ambiguous in a file with one column; write \"\" for an empty value, or \
                   remove the line";
    Error::malformed(origin.path(), line_at(origin, offset), message)
}

/// Returns the error for a field that is not valid UTF-8.
pub(crate) fn not_utf8(origin: &Origin, offset: u64, column: usize) -> Error {
    let message = format!(
        "the text of column {} is not UTF-8; correct it, or declare the encoding of the file, in the policy under [source]: encoding = \
         \"windows-1252\"",
        column + 1
    );
    Error::malformed(origin.path(), line_at(origin, offset), message)
}

/// Returns the error for a number that is not in the declared format.
pub(crate) fn other_format(origin: &Origin, offset: Option<u64>, column: usize) -> Error {
    let message = format!(
        "the number in column {} is not written in the `format` of the column, so it can mean another number; correct the file or \
         the format",
        column + 1
    );
    Error::malformed(origin.path(), offset.and_then(|offset| line_at(origin, offset)), message)
}

/// Returns the line number of an offset, from 1. Reads the file again, so only errors cost time.
fn line_at(origin: &Origin, offset: u64) -> Option<u64> {
    let mut stream = open(origin, &Arc::default()).ok()?.take(offset);
    let mut buffer = vec![0; 1 << 16];
    let mut line = 1;
    loop {
        match stream.read(&mut buffer).ok()? {
            0 => return Some(line),
            read => line += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64,
        }
    }
}
