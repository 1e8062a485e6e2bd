//! Parallel scan of a source: one thread splits it into chunks, the others parse the chunks.
//!
//! The reported error is the one of the first bad chunk in source order, regardless of thread timing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::blocks::{Block, Blocks};
use super::csv::{self, Dialect};
#[cfg(feature = "sql")]
use super::query;
use super::records::Records;
use super::{Input, InputFormat, Source};
#[cfg(feature = "parquet")]
use super::{frame::FrameChunk, parquet};
use crate::error::{Error, Result};
use crate::options::{Options, Phase};
use reticent::contingency::Weight;

/// Fields of a row, by index among the requested columns.
pub(crate) trait Fields {
    fn field(&self, at: usize) -> &[u8];

    /// Number of rows of the source that this row stands for. It is 1 unless the source is grouped ([`Source::grouped`]).
    #[inline]
    fn weight(&self) -> Weight {
        1
    }
}

/// Reason why a row is rejected.
pub(crate) enum RowError {
    /// The field with this index among the requested columns is not valid UTF-8.
    NotUtf8(usize),
    /// The field with this index is a number in another format than the declared one.
    OtherFormat(usize),
    /// Any other error.
    Error(Error),
}

/// Consumer of the rows that one thread parses.
pub(crate) trait RowConsumer: Send {
    fn row(&mut self, row: &impl Fields) -> Result<(), RowError>;

    /// Called after every chunk of rows.
    fn pause(&mut self) -> Result<()>;
}

/// A part of the source that one thread parses.
struct Chunk {
    number: u64,
    input: usize,
    content: ChunkContent,
}

enum ChunkContent {
    Block(Block),
    #[cfg(feature = "parquet")]
    RowGroup(usize),
    #[cfg(feature = "parquet")]
    Rows(FrameChunk),
    #[cfg(feature = "sql")]
    Batch(arrow_array::RecordBatch),
}

/// Reads these columns of all rows, with one consumer for each thread.
pub(crate) fn scan<R: RowConsumer>(
    source: &Source,
    columns: &[usize],
    options: &Options,
    phase: Phase,
    make: impl Fn() -> R,
) -> Result<Vec<R>> {
    let threads = options.threads();
    let (send, receive) = sync_channel(threads);
    let (give_back, spare) = channel();
    let receive = Mutex::new(receive);
    let failures = FirstError::default();
    let consumers: Vec<R> = (0..threads).map(|_| make()).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = consumers
            .into_iter()
            .map(|mut rows| {
                let worker = Worker {
                    source,
                    columns,
                    #[cfg(feature = "parquet")]
                    trim: options.trim,
                    failures: &failures,
                    give_back: give_back.clone(),
                };
                let receive = &receive;
                scope.spawn(move || {
                    worker.run(receive, &mut rows);
                    rows
                })
            })
            .collect();
        let reader = ChunkReader {
            source,
            #[cfg(feature = "sql")]
            columns,
            options,
            phase,
            failures: &failures,
            send,
            spare,
            number: 0,
        };
        let read = reader.run();
        let finished =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let finished: Vec<R> = finished.collect();
        // All chunks before an unreadable one were parsed, so their errors come first.
        failures.first().map_or(read, Err)?;
        Ok(finished)
    })
}

/// First error in source order.
struct FirstError {
    first: AtomicU64,
    error: Mutex<Option<(u64, Error)>>,
}

impl Default for FirstError {
    fn default() -> Self {
        FirstError { first: AtomicU64::new(u64::MAX), error: Mutex::new(None) }
    }
}

impl FirstError {
    fn any_before(&self, number: u64) -> bool {
        self.first.load(Ordering::Relaxed) < number
    }

    fn add(&self, number: u64, error: Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(known, _)| number < *known) {
            *first = Some((number, error));
            self.first.fetch_min(number, Ordering::Relaxed);
        }
    }

    fn first(&self) -> Option<Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map(|(_, error)| error)
    }
}

/// Splits a source into chunks, in order.
struct ChunkReader<'a> {
    source: &'a Source,
    #[cfg(feature = "sql")]
    columns: &'a [usize],
    options: &'a Options,
    phase: Phase,
    failures: &'a FirstError,
    send: SyncSender<Chunk>,
    spare: Receiver<Vec<u8>>,
    number: u64,
}

impl ChunkReader<'_> {
    fn run(mut self) -> Result<()> {
        let total = self.source.inputs.iter().map(|input| input.bytes).sum();
        let mut before = 0;
        for (at, input) in self.source.inputs.iter().enumerate() {
            match &input.format {
                InputFormat::Csv(dialect) => self.blocks(at, input, *dialect, before, total)?,
                #[cfg(feature = "parquet")]
                InputFormat::Parquet(metadata) => {
                    let mut done = before;
                    for (group, described) in metadata.metadata().row_groups().iter().enumerate() {
                        self.send_chunk(at, ChunkContent::RowGroup(group))?;
                        done += described.compressed_size().max(0) as u64;
                        self.options.report(self.phase, done, total);
                    }
                }
                #[cfg(feature = "parquet")]
                InputFormat::Frame(frame) => {
                    let mut done = before;
                    for chunk in frame.chunks() {
                        done += chunk.rows as u64;
                        self.send_chunk(at, ChunkContent::Rows(chunk))?;
                        self.options.report(self.phase, done, total);
                    }
                }
                #[cfg(feature = "sql")]
                InputFormat::Query(query) => {
                    let mut done = 0;
                    query.read(
                        &self.source.columns_named(self.columns),
                        self.source.is_grouped,
                        self.options,
                        &mut |batch| {
                            done += batch.num_rows() as u64;
                            self.send_chunk(at, ChunkContent::Batch(batch))?;
                            self.options.report(self.phase, done, 0);
                            Ok(())
                        },
                    )?;
                    continue;
                }
            }
            before += input.bytes;
            self.options.report(self.phase, before, total);
        }
        Ok(())
    }

    fn blocks(&mut self, at: usize, input: &Input, dialect: Dialect, before: u64, total: u64) -> Result<()> {
        let read = Arc::new(AtomicU64::new(0));
        let stream = csv::open(&input.origin, &read)?;
        let mut blocks = Blocks::new(stream, self.options.block_bytes, dialect.delimiter);
        let mut header_read = false;
        loop {
            let buffer = self.spare.try_recv().unwrap_or_default();
            let next = blocks.next(buffer).map_err(|error| csv::block_error(&input.origin, error))?;
            let Some(mut block) = next else { return Ok(()) };
            header_read = header_read || block.skip_record(dialect.delimiter);
            self.send_chunk(at, ChunkContent::Block(block))?;
            self.options.report(self.phase, before + read.load(Ordering::Relaxed), total);
        }
    }

    fn send_chunk(&mut self, input: usize, content: ChunkContent) -> Result<()> {
        self.options.check_stop()?;
        self.number += 1;
        // The error of another thread ends the reading, and that error is reported.
        if self.failures.any_before(u64::MAX) || self.send.send(Chunk { number: self.number, input, content }).is_err()
        {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

/// Parses chunks and passes their rows to a consumer.
struct Worker<'a> {
    source: &'a Source,
    columns: &'a [usize],
    #[cfg(feature = "parquet")]
    trim: bool,
    failures: &'a FirstError,
    give_back: Sender<Vec<u8>>,
}

impl Worker<'_> {
    fn run<R: RowConsumer>(&self, chunks: &Mutex<Receiver<Chunk>>, rows: &mut R) {
        loop {
            let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(chunk) = next else { return };
            if self.failures.any_before(chunk.number) {
                continue;
            }
            let input = &self.source.inputs[chunk.input];
            let read = match (&input.format, chunk.content) {
                (InputFormat::Csv(dialect), ChunkContent::Block(block)) => {
                    let read = self.read_block(input, *dialect, &block, rows);
                    // The reader may already have ended.
                    let _ = self.give_back.send(block.into_buffer());
                    read
                }
                #[cfg(feature = "parquet")]
                (InputFormat::Parquet(metadata), ChunkContent::RowGroup(group)) => {
                    parquet::read_group(input.origin.path(), metadata, group, self.columns, self.trim, rows)
                }
                #[cfg(feature = "parquet")]
                (InputFormat::Frame(frame), ChunkContent::Rows(chunk)) => {
                    frame.read_chunk(&chunk, self.columns, self.trim, rows)
                }
                #[cfg(feature = "sql")]
                (InputFormat::Query(query), ChunkContent::Batch(batch)) => {
                    query::read_batch(query.name(), &batch, self.source.is_grouped, self.trim, rows)
                }
                #[cfg(feature = "parquet")]
                _ => Ok(()),
            };
            if let Err(error) = read.and_then(|()| rows.pause()) {
                self.failures.add(chunk.number, error);
            }
        }
    }

    fn read_block<R: RowConsumer>(&self, input: &Input, dialect: Dialect, block: &Block, rows: &mut R) -> Result<()> {
        let expected = self.source.names.len();
        let mut records = block.records(dialect.delimiter);
        while records.advance() {
            let offset = || block.offset() + records.record_at() as u64;
            if records.len() != expected {
                return Err(csv::ragged(&input.origin, offset(), expected, records.len()));
            }
            if expected == 1 && records.after_blank() {
                return Err(csv::blank_line(&input.origin, offset()));
            }
            let row = CsvRow { records: &records, columns: self.columns, trim: dialect.trim };
            rows.row(&row).map_err(|error| match error {
                RowError::OtherFormat(at) => csv::other_format(&input.origin, Some(offset()), self.columns[at]),
                RowError::NotUtf8(at) => csv::not_utf8(&input.origin, offset(), self.columns[at]),
                RowError::Error(error) => error,
            })?;
        }
        Ok(())
    }
}

struct CsvRow<'a> {
    records: &'a Records<'a>,
    columns: &'a [usize],
    trim: bool,
}

impl Fields for CsvRow<'_> {
    #[inline]
    fn field(&self, at: usize) -> &[u8] {
        let field = self.records.field(self.columns[at]);
        if self.trim { trimmed(field) } else { field }
    }
}

#[inline]
pub(super) fn trimmed(mut field: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = field {
        field = rest;
    }
    // Other whitespace, such as no-break spaces, is as invisible as spaces. Line breaks are part of a text.
    let plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if plain(field.first()) && plain(field.last()) {
        return field;
    }
    let is_blank = |letter: char| letter.is_whitespace() && letter != '\n' && letter != '\r';
    std::str::from_utf8(field).map_or(field, |text| text.trim_matches(is_blank).as_bytes())
}
