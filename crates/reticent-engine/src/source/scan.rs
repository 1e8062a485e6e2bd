//! Reads all rows of a source on all cores: one thread hands out pieces, the others read each its own.
//!
//! What goes wrong is reported for the first piece in order in which something is wrong, whatever the threads' timing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::blocks::{Block, Blocks};
use super::csv::{self, Dialect};
#[cfg(feature = "parquet")]
use super::parquet;
use super::records::Records;
use super::{Input, Kind, Source};
use crate::error::{Error, Result};
use crate::options::{Options, Phase};

/// One row's fields, by place in the columns asked for.
pub(crate) trait Fields {
    fn field(&self, at: usize) -> &[u8];
}

/// What a row can be refused for.
pub(crate) enum Fault {
    /// The field, by place in the columns asked for, is no text.
    NotUtf8(usize),
    /// Anything else.
    Error(Error),
}

/// Takes the rows that one thread reads.
pub(crate) trait Rows: Send {
    fn row(&mut self, row: &impl Fields) -> Result<(), Fault>;

    /// Hears that some thousand rows were taken.
    fn pause(&mut self) -> Result<()>;
}

/// A part of the source that one thread reads.
struct Piece {
    number: u64,
    input: usize,
    part: Part,
}

enum Part {
    Block(Block),
    #[cfg(feature = "parquet")]
    RowGroup(usize),
}

/// Reads these columns of all rows with as many `Rows` as there are threads.
pub(crate) fn scan<R: Rows>(
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
    let failures = Failures::default();
    let takers: Vec<R> = (0..threads).map(|_| make()).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = takers
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
        let reader = Reader { source, options, phase, failures: &failures, send, spare, number: 0 };
        let read = reader.run();
        let taken =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let taken: Vec<R> = taken.collect();
        // All pieces before the one that could not be read were read, so an error in one of them comes first.
        failures.first().map_or(read, Err)?;
        Ok(taken)
    })
}

/// Errors by piece.
struct Failures {
    first: AtomicU64,
    error: Mutex<Option<(u64, Error)>>,
}

impl Default for Failures {
    fn default() -> Self {
        Failures { first: AtomicU64::new(u64::MAX), error: Mutex::new(None) }
    }
}

impl Failures {
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

/// Hands out the pieces of a source in order.
struct Reader<'a> {
    source: &'a Source,
    options: &'a Options,
    phase: Phase,
    failures: &'a Failures,
    send: SyncSender<Piece>,
    spare: Receiver<Vec<u8>>,
    number: u64,
}

impl Reader<'_> {
    fn run(mut self) -> Result<()> {
        let total = self.source.inputs.iter().map(|input| input.bytes).sum();
        let mut before = 0;
        for (at, input) in self.source.inputs.iter().enumerate() {
            match &input.kind {
                Kind::Csv(dialect) => self.blocks(at, input, *dialect, before, total)?,
                #[cfg(feature = "parquet")]
                Kind::Parquet(metadata) => {
                    let mut done = before;
                    for (group, described) in metadata.metadata().row_groups().iter().enumerate() {
                        self.hand_out(at, Part::RowGroup(group))?;
                        done += described.compressed_size().max(0) as u64;
                        self.options.report(self.phase, done, total);
                    }
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
            let next = blocks.next(buffer).map_err(|fault| csv::block_error(&input.origin, fault))?;
            let Some(mut block) = next else { return Ok(()) };
            header_read = header_read || block.skip_record(dialect.delimiter);
            self.hand_out(at, Part::Block(block))?;
            self.options.report(self.phase, before + read.load(Ordering::Relaxed), total);
        }
    }

    fn hand_out(&mut self, input: usize, part: Part) -> Result<()> {
        self.options.check_stop()?;
        self.number += 1;
        // Somebody else's error ends the reading; it is the one that is reported.
        if self.failures.any_before(u64::MAX) || self.send.send(Piece { number: self.number, input, part }).is_err() {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

/// Reads pieces into rows.
struct Worker<'a> {
    source: &'a Source,
    columns: &'a [usize],
    #[cfg(feature = "parquet")]
    trim: bool,
    failures: &'a Failures,
    give_back: Sender<Vec<u8>>,
}

impl Worker<'_> {
    fn run<R: Rows>(&self, pieces: &Mutex<Receiver<Piece>>, rows: &mut R) {
        loop {
            let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(piece) = next else { return };
            if self.failures.any_before(piece.number) {
                continue;
            }
            let input = &self.source.inputs[piece.input];
            let read = match (&input.kind, piece.part) {
                (Kind::Csv(dialect), Part::Block(block)) => {
                    let read = self.read_block(input, *dialect, &block, rows);
                    // The reader may have gone already.
                    let _ = self.give_back.send(block.into_buffer());
                    read
                }
                #[cfg(feature = "parquet")]
                (Kind::Parquet(metadata), Part::RowGroup(group)) => {
                    parquet::read_group(input.origin.path(), metadata, group, self.columns, self.trim, rows)
                }
                #[cfg(feature = "parquet")]
                _ => Ok(()),
            };
            if let Err(error) = read.and_then(|()| rows.pause()) {
                self.failures.add(piece.number, error);
            }
        }
    }

    fn read_block<R: Rows>(&self, input: &Input, dialect: Dialect, block: &Block, rows: &mut R) -> Result<()> {
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
            rows.row(&row).map_err(|fault| match fault {
                Fault::NotUtf8(at) => csv::not_utf8(&input.origin, offset(), self.columns[at]),
                Fault::Error(error) => error,
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
    // Other blanks, such as those that do not break, are seen as little. Line breaks are part of a text.
    let plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if plain(field.first()) && plain(field.last()) {
        return field;
    }
    let is_blank = |letter: char| letter.is_whitespace() && letter != '\n' && letter != '\r';
    std::str::from_utf8(field).map_or(field, |text| text.trim_matches(is_blank).as_bytes())
}
