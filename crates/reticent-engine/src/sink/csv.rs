//! Comma-separated text as in RFC 4180, in UTF-8 with line feeds.
//!
//! Rows are rendered and compressed in parallel chunks. A compressed file is the concatenation of the chunks, which
//! both gzip and Zstandard define as the whole text.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use flate2::write::GzEncoder;
use rayon::prelude::*;
use reticent::Counts;
use reticent::contingency::Weight;
use reticent::taxonomy::{Code, parse_number};

use super::{PartialFile, WriteProgress};
use crate::Compression;
use crate::error::Result;

/// Number of rows that a thread renders at a time.
const CHUNK_ROWS: usize = 1 << 15;
/// Number of rows that are fetched before they are rendered, so that memory accesses overlap.
const PREFETCH_ROWS: usize = 64;
/// Number of chunks between two progress reports.
const CHUNKS_PER_REPORT: usize = 16;

/// Higher levels cost more than they save.
const GZIP_LEVEL: flate2::Compression = flate2::Compression::new(4);

/// Writes the rows in this order. Returns the number of neutralised cells.
pub(super) fn write(
    rows: &Counts,
    order: impl Iterator<Item = Vec<u32>>,
    compression: Compression,
    file: &PartialFile,
    mut progress: WriteProgress,
) -> Result<Weight> {
    let rendered = RenderedTable::new(rows);
    let (send, receive) = sync_channel::<Vec<u8>>(2 * CHUNKS_PER_REPORT);
    thread::scope(|scope| {
        let writer = scope.spawn(|| write_chunks(receive, &file.file));
        let rendering = || -> Result<()> {
            let mut writer_ended =
                send.send(compressed(header(&rows.names), compression).map_err(|error| file.failed(error))?).is_err();
            for indices in order {
                for indices in indices.chunks(CHUNK_ROWS * CHUNKS_PER_REPORT) {
                    let chunks: io::Result<Vec<Vec<u8>>> = indices
                        .par_chunks(CHUNK_ROWS)
                        .map(|chunk| compressed(rendered.chunk(chunk), compression))
                        .collect();
                    for chunk in chunks.map_err(|error| file.failed(error))? {
                        writer_ended = writer_ended || send.send(chunk).is_err();
                    }
                    progress.add(indices.len())?;
                    if writer_ended {
                        return Ok(());
                    }
                }
            }
            Ok(())
        };
        let result = rendering();
        drop(send);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        result?;
        written.map_err(|error| file.failed(error))
    })?;
    Ok(neutralised_cells(rows))
}

fn write_chunks(chunks: Receiver<Vec<u8>>, mut file: &std::fs::File) -> io::Result<()> {
    for chunk in chunks {
        file.write_all(&chunk)?;
    }
    Ok(())
}

fn compressed(text: Vec<u8>, compression: Compression) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(text),
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), GZIP_LEVEL);
            encoder.write_all(&text)?;
            encoder.finish()
        }
        Compression::Zstd => zstd::bulk::compress(&text, 3),
    }
}

/// Returns the written form of a text. A text that a spreadsheet would run as a formula gets a leading apostrophe.
pub fn csv_text(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && parse_number(text).is_none()
}

fn neutralised_cells(rows: &Counts) -> Weight {
    let names = rows.names.iter().filter(|name| is_formula(name)).count() as Weight;
    let cells = rows.values.iter().zip(&rows.contingency.codes).map(|(texts, codes)| {
        let formulas: Vec<bool> = texts.iter().map(|text| is_formula(text)).collect();
        let weights = codes.iter().zip(&rows.contingency.weights);
        weights.filter(|(code, _)| formulas[**code as usize]).map(|(_, weight)| *weight).sum::<Weight>()
    });
    names + cells.sum::<Weight>()
}

fn header(names: &[String]) -> Vec<u8> {
    let fields: Vec<Vec<u8>> = names.iter().map(|name| escaped(name, names.len() == 1)).collect();
    let mut line = fields.join(&b',');
    line.push(b'\n');
    line
}

/// Returns a text as a field, quoted if necessary.
fn escaped(text: &str, only_column: bool) -> Vec<u8> {
    let text = csv_text(text);
    // An empty line is not a row, and a leading byte order mark would be skipped.
    let quote =
        text.contains(['"', ',', '\n', '\r']) || text.starts_with('\u{feff}') || (only_column && text.is_empty());
    if quote { format!("\"{}\"", text.replace('"', "\"\"")).into_bytes() } else { text.into_owned().into_bytes() }
}

/// Texts of every column as they are written, each followed by a comma or a line end.
struct RenderedTable {
    columns: Vec<RenderedColumn>,
    /// Codes row by row, so that a row is contiguous in memory.
    codes: Vec<Code>,
}

struct RenderedColumn {
    bytes: Vec<u8>,
    /// Start of the text of each code, and the end of the last one.
    starts: Vec<usize>,
}

impl RenderedTable {
    fn new(rows: &Counts) -> Self {
        let last = rows.names.len().saturating_sub(1);
        let columns = rows.values.iter().enumerate().map(|(at, texts)| {
            let end = if at == last { b'\n' } else { b',' };
            RenderedColumn::new(texts, end, rows.names.len() == 1)
        });
        let columns = columns.collect();
        let width = rows.names.len();
        let mut codes = vec![0; rows.contingency.len() * width];
        codes.par_chunks_mut(width.max(1)).enumerate().for_each(|(at, row)| {
            for (into, from) in row.iter_mut().zip(&rows.contingency.codes) {
                *into = from[at];
            }
        });
        RenderedTable { columns, codes }
    }

    fn chunk(&self, indices: &[u32]) -> Vec<u8> {
        let width = self.columns.len();
        let mut text = Vec::with_capacity(indices.len() * width * 8);
        let mut codes = Vec::with_capacity(PREFETCH_ROWS * width);
        for indices in indices.chunks(PREFETCH_ROWS) {
            codes.clear();
            for index in indices {
                let start = *index as usize * width;
                codes.extend_from_slice(&self.codes[start..start + width]);
            }
            for row in codes.chunks(width.max(1)) {
                for (column, code) in self.columns.iter().zip(row) {
                    text.extend_from_slice(column.text(*code));
                }
            }
        }
        text
    }
}

impl RenderedColumn {
    fn new(texts: &[String], end: u8, only_column: bool) -> Self {
        let mut bytes = Vec::new();
        let mut starts = vec![0];
        for text in texts {
            bytes.extend(escaped(text, only_column));
            bytes.push(end);
            starts.push(bytes.len());
        }
        RenderedColumn { bytes, starts }
    }

    #[inline]
    fn text(&self, code: Code) -> &[u8] {
        let code = code as usize;
        &self.bytes[self.starts[code]..self.starts[code + 1]]
    }
}
