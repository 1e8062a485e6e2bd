//! Sources of rows: text and Parquet files with the same header.

#[cfg(feature = "parquet")]
mod arrow;
mod blocks;
mod csv;
mod encoding;
mod files;
#[cfg(feature = "parquet")]
mod frame;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "sql")]
mod query;
mod records;
mod scan;
#[cfg(feature = "workbook")]
mod workbook;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use encoding_rs::{Encoding, UTF_8};
use hashbrown::HashMap;

use reticent::error::did_you_mean;
use reticent::taxonomy::{parse_date, parse_number};

use crate::error::{Error, Result};
use crate::options::Options;

#[cfg(feature = "parquet")]
pub(crate) use files::is_parquet;
#[cfg(feature = "parquet")]
pub use frame::Frame;
#[cfg(feature = "sql")]
pub(crate) use query::RowQuery;
pub(crate) use scan::{Fields, RowConsumer, RowError, scan};

/// Files that form one table, a table in memory, or a table of a database.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    inputs: Vec<Input>,
    names: Vec<String>,
    /// Whether a database groups equal rows.
    #[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "only databases group rows"))]
    is_grouped: bool,
}

/// One file.
#[derive(Debug, Clone)]
struct Input {
    origin: Origin,
    format: InputFormat,
    /// Size of the stored file in bytes, or number of rows of a table in memory.
    bytes: u64,
    /// State of the file when it was opened; none if there is no file.
    state: Option<FileState>,
}

/// Size of a file, and time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    bytes: u64,
    changed: Option<SystemTime>,
}

/// Location and encoding of text.
#[derive(Debug, Clone)]
struct Origin {
    /// File, also of text that was converted from it.
    path: PathBuf,
    /// Text in memory, instead of the content of the file.
    memory: Option<Arc<[u8]>>,
    /// Encoding of the text, once it is detected.
    encoding: &'static Encoding,
    /// Sheet of a workbook that the text is from.
    sheet: Option<String>,
}

/// How a file is read: declared by the caller, or detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReading {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the encoding of a text file.
    pub encoding: Option<&'static str>,
    /// Delimiter of a text file.
    pub delimiter: Option<char>,
    /// Sheet of a workbook.
    pub sheet: Option<String>,
}

/// Format of the bytes.
#[derive(Debug, Clone)]
enum InputFormat {
    Csv(csv::Dialect),
    #[cfg(feature = "parquet")]
    Parquet(::parquet::arrow::arrow_reader::ArrowReaderMetadata),
    #[cfg(feature = "parquet")]
    Frame(Frame),
    #[cfg(feature = "sql")]
    Query(Arc<dyn RowQuery>),
}

impl Input {
    fn new(origin: Origin, format: InputFormat, bytes: u64) -> Input {
        Input { origin, format, bytes, state: None }
    }
}

impl Origin {
    fn file(path: PathBuf) -> Origin {
        Origin { path, memory: None, encoding: UTF_8, sheet: None }
    }

    fn memory(path: PathBuf, bytes: Arc<[u8]>) -> Origin {
        Origin { memory: Some(bytes), ..Origin::file(path) }
    }

    /// Returns the path for error texts.
    fn path(&self) -> &Path {
        &self.path
    }
}

impl Source {
    fn new(inputs: Vec<Input>, names: Vec<String>) -> Source {
        Source { inputs, names, is_grouped: false }
    }

    /// Lets a database group equal rows: a row then stands for several rows, and has their number as its weight.
    pub(crate) fn grouped(&self) -> Source {
        Source { is_grouped: true, ..self.clone() }
    }

    /// Opens the files of these names, folders and patterns. All must have the same columns.
    pub(crate) fn open(patterns: &[String], options: &Options) -> Result<Source> {
        let mut inputs = Vec::new();
        let mut names: Option<Vec<String>> = None;
        for path in files::find(patterns)? {
            let (input, found) = open_file(path, options)?;
            check_same_columns(&inputs, names.as_deref(), &input, &found)?;
            inputs.push(input);
            names = names.or(Some(found));
        }
        Ok(Source::new(inputs, names.unwrap_or_default()))
    }

    /// Opens one file.
    pub(crate) fn open_file(path: &Path, options: &Options) -> Result<Source> {
        let (input, names) = open_file(path.to_owned(), options)?;
        Ok(Source::new(vec![input], names))
    }

    /// Opens comma-separated text in memory.
    pub(crate) fn memory(bytes: &[u8], options: &Options) -> Result<Source> {
        let origin = Origin::memory(PathBuf::from("memory"), bytes.into());
        let (input, names) = text_input(origin, bytes.len() as u64, options)?;
        Ok(Source::new(vec![input], names))
    }

    /// Returns whether the rows are a table in memory.
    pub(crate) fn is_frame(&self) -> bool {
        self.inputs.iter().any(|input| match input.format {
            #[cfg(feature = "parquet")]
            InputFormat::Frame(_) => true,
            _ => false,
        })
    }

    /// Returns whether the rows are in a database.
    pub(crate) fn is_query(&self) -> bool {
        self.inputs.iter().any(|input| match input.format {
            #[cfg(feature = "sql")]
            InputFormat::Query(_) => true,
            _ => false,
        })
    }

    /// Returns an error if a file was changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        for input in &self.inputs {
            let Some(state) = input.state else { continue };
            if files::state(&input.origin.path)? != state {
                return Err(Error::Changed);
            }
        }
        Ok(())
    }

    /// Returns the names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().map(|input| input.origin.path())
    }

    /// Returns a source for each file, and whether the file has a header line.
    pub(crate) fn single_files(&self) -> impl Iterator<Item = (Source, bool)> + '_ {
        self.inputs.iter().map(|input| {
            let has_header = matches!(input.format, InputFormat::Csv(_));
            (Source::new(vec![input.clone()], self.names.clone()), has_header)
        })
    }

    /// Returns how each file is read.
    pub(crate) fn reading(&self) -> Vec<FileReading> {
        let of = |input: &Input| {
            let dialect = match &input.format {
                InputFormat::Csv(dialect) if input.origin.sheet.is_none() => Some(*dialect),
                _ => None,
            };
            FileReading {
                path: input.origin.path.clone(),
                encoding: dialect.map(|_| input.origin.encoding.name()),
                delimiter: dialect.map(|dialect| char::from(dialect.delimiter)),
                sheet: input.origin.sheet.clone(),
            }
        };
        self.inputs.iter().map(of).collect()
    }

    /// Returns the index of a column, or an error that suggests a similar name.
    pub(crate) fn position(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|known| known == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.names.iter().map(String::as_str));
            Error::UnknownColumn { column: name.to_owned(), hint }
        })
    }
}

fn open_file(path: PathBuf, options: &Options) -> Result<(Input, Vec<String>)> {
    let state = files::state(&path)?;
    let (input, names) = if files::is_parquet(&path)? {
        parquet_input(path, state.bytes)?
    } else {
        match files::workbook(&path)? {
            Some(content) => workbook_input(path, &content, options)?,
            None => text_input(Origin::file(path), state.bytes, options)?,
        }
    };
    Ok((Input { state: Some(state), ..input }, names))
}

fn text_input(mut origin: Origin, bytes: u64, options: &Options) -> Result<(Input, Vec<String>)> {
    origin.encoding = csv::detect_encoding(&origin, options)?;
    let (dialect, names) = csv::header(&origin, options)?;
    Ok((Input::new(origin, InputFormat::Csv(dialect), bytes), names))
}

#[cfg(feature = "workbook")]
fn workbook_input(path: PathBuf, content: &[u8], options: &Options) -> Result<(Input, Vec<String>)> {
    let sheet = workbook::read(&path, content, options.sheet.as_deref(), options.memory)?;
    let bytes = sheet.text.len() as u64;
    let origin = Origin { sheet: Some(sheet.name), ..Origin::memory(path, sheet.text.into()) };
    let options = Options { encoding: Some(UTF_8.name().to_owned()), delimiter: Some(b','), ..options.clone() };
    text_input(origin, bytes, &options)
}

#[cfg(not(feature = "workbook"))]
fn workbook_input(path: PathBuf, _: &[u8], _: &Options) -> Result<(Input, Vec<String>)> {
    Err(Error::malformed(&path, None, "this program was built without support of workbooks"))
}

fn check_same_columns(earlier: &[Input], expected: Option<&[String]>, input: &Input, found: &[String]) -> Result<()> {
    let (Some(first), Some(expected)) = (earlier.first(), expected) else { return Ok(()) };
    if expected == found {
        return Ok(());
    }
    let what = if expected.len() == found.len() {
        let at = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(0);
        format!("column {} has a different name", at + 1)
    } else {
        format!("the file has {} columns, not {}", found.len(), expected.len())
    };
    let first = first.origin.path().display();
    let message = format!("the header differs from that of {first}: {what}; all files must have the same columns");
    Err(Error::malformed(input.origin.path(), Some(1), message))
}

/// Returns unique names of the columns. A column without a name, such as the row names that statistics programs write, is called
/// `unnamed` with its number.
///
/// The first line may be data by mistake. So if a field of the line is a number or a date, a column without a name is an error,
/// and errors do not contain names.
fn column_names(file: &Path, mut names: Vec<String>) -> Result<Vec<String>> {
    let mistake = "; is the first line a header?";
    let is_value = |name: &String| parse_number(name).is_some() || parse_date(name).is_some();
    let unnamed = names.iter().filter(|name| name.is_empty()).count();
    // A title above the table has one field.
    let may_be_data = names.iter().any(is_value) || unnamed * 2 > names.len() || unnamed == names.len();
    for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        if may_be_data {
            return Err(Error::malformed(file, Some(1), format!("column {} has no name{mistake}", at + 1)));
        }
        *name = format!("unnamed {}", at + 1);
    }
    let twins = same_names(&names, may_be_data);
    let advice = if may_be_data { mistake } else { "; rename one of them" };
    if twins.is_empty() { Ok(names) } else { Err(Error::malformed(file, Some(1), twins.join("; ") + advice)) }
}

/// Returns a text for each column with the name of an earlier one.
fn same_names(names: &[String], may_be_data: bool) -> Vec<String> {
    let mut known: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    let mut twins = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(twin) = known.insert(name, at) {
            let named = if may_be_data { String::new() } else { format!(" (`{}`)", name.escape_debug()) };
            twins.push(format!("columns {} and {} have the same name{named}", twin + 1, at + 1));
        }
    }
    twins
}

#[cfg(feature = "parquet")]
fn parquet_input(path: PathBuf, bytes: u64) -> Result<(Input, Vec<String>)> {
    let (metadata, names) = parquet::header(&path)?;
    Ok((Input::new(Origin::file(path), InputFormat::Parquet(metadata), bytes), names))
}

#[cfg(not(feature = "parquet"))]
fn parquet_input(path: PathBuf, _: u64) -> Result<(Input, Vec<String>)> {
    Err(Error::malformed(&path, None, "this program was built without Parquet support"))
}
