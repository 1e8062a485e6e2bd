//! Comma separated text as RFC 4180 has it, in UTF-8 with line feeds.
//!
//! Rows are rendered and compressed in parallel pieces; a compressed file is the pieces one after the other, which both
//! gzip and Zstandard define to be the whole text.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use flate2::write::GzEncoder;
use rayon::prelude::*;
use reticent::Counts;
use reticent::combos::Weight;
use reticent::taxonomy::{Code, parse_number};

use super::{Partial, Rows};
use crate::Compression;
use crate::error::Result;

/// Rows rendered by one thread at a time.
const PIECE_ROWS: usize = 1 << 15;
/// Rows fetched from all over memory before they are rendered, so that the fetches overlap.
const AHEAD: usize = 64;
/// Pieces rendered before the next look at who waits.
const PIECES: usize = 16;

/// Pieces differ too little at higher levels for what these cost.
const GZIP_LEVEL: flate2::Compression = flate2::Compression::new(4);

/// Writes the rows in this order; answers how many cells were neutralised.
pub(super) fn write(
    rows: &Counts,
    order: impl Iterator<Item = Vec<u32>>,
    compression: Compression,
    file: &Partial,
    mut progress: Rows,
) -> Result<Weight> {
    let rendered = Rendered::new(rows);
    let (send, receive) = sync_channel::<Vec<u8>>(2 * PIECES);
    thread::scope(|scope| {
        let writer = scope.spawn(|| write_pieces(receive, &file.file));
        let rendering = || -> Result<()> {
            let mut gone =
                send.send(compressed(header(&rows.names), compression).map_err(|error| file.failed(error))?).is_err();
            for places in order {
                for places in places.chunks(PIECE_ROWS * PIECES) {
                    let pieces: io::Result<Vec<Vec<u8>>> = places
                        .par_chunks(PIECE_ROWS)
                        .map(|piece| compressed(rendered.piece(piece), compression))
                        .collect();
                    for piece in pieces.map_err(|error| file.failed(error))? {
                        gone = gone || send.send(piece).is_err();
                    }
                    progress.add(places.len())?;
                    if gone {
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

fn write_pieces(pieces: Receiver<Vec<u8>>, mut file: &std::fs::File) -> io::Result<()> {
    for piece in pieces {
        file.write_all(&piece)?;
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

/// What is written for a text: a text that a spreadsheet would run as a formula gets a leading apostrophe.
pub fn csv_text(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && parse_number(text).is_none()
}

fn neutralised_cells(rows: &Counts) -> Weight {
    let names = rows.names.iter().filter(|name| is_formula(name)).count() as Weight;
    let cells = rows.values.iter().zip(&rows.combos.codes).map(|(texts, codes)| {
        let formulas: Vec<bool> = texts.iter().map(|text| is_formula(text)).collect();
        let weights = codes.iter().zip(&rows.combos.weights);
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

/// A text as it stands between commas.
fn escaped(text: &str, alone: bool) -> Vec<u8> {
    let text = csv_text(text);
    // A line without any character would be no row, and a leading byte order mark would be taken off.
    let quote = text.contains(['"', ',', '\n', '\r']) || text.starts_with('\u{feff}') || (alone && text.is_empty());
    if quote { format!("\"{}\"", text.replace('"', "\"\"")).into_bytes() } else { text.into_owned().into_bytes() }
}

/// Every text of every column as it is written, with the comma or line end behind it.
struct Rendered {
    columns: Vec<Texts>,
    /// By combination, by column: row after row, so that a row is read from one place.
    codes: Vec<Code>,
}

struct Texts {
    bytes: Vec<u8>,
    /// By code: where its text starts; one more at the end.
    starts: Vec<usize>,
}

impl Rendered {
    fn new(rows: &Counts) -> Self {
        let last = rows.names.len().saturating_sub(1);
        let columns = rows.values.iter().enumerate().map(|(at, texts)| {
            let end = if at == last { b'\n' } else { b',' };
            Texts::new(texts, end, rows.names.len() == 1)
        });
        let columns = columns.collect();
        let width = rows.names.len();
        let mut codes = vec![0; rows.combos.len() * width];
        codes.par_chunks_mut(width.max(1)).enumerate().for_each(|(at, row)| {
            for (into, from) in row.iter_mut().zip(&rows.combos.codes) {
                *into = from[at];
            }
        });
        Rendered { columns, codes }
    }

    fn piece(&self, places: &[u32]) -> Vec<u8> {
        let width = self.columns.len();
        let mut text = Vec::with_capacity(places.len() * width * 8);
        let mut codes = Vec::with_capacity(AHEAD * width);
        for places in places.chunks(AHEAD) {
            codes.clear();
            for place in places {
                let start = *place as usize * width;
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

impl Texts {
    fn new(texts: &[String], end: u8, alone: bool) -> Self {
        let mut bytes = Vec::new();
        let mut starts = vec![0];
        for text in texts {
            bytes.extend(escaped(text, alone));
            bytes.push(end);
            starts.push(bytes.len());
        }
        Texts { bytes, starts }
    }

    #[inline]
    fn text(&self, code: Code) -> &[u8] {
        let code = code as usize;
        &self.bytes[self.starts[code]..self.starts[code + 1]]
    }
}
