//! Sources of rows: text and Parquet files with the same header.

mod blocks;
mod csv;
mod files;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod scan;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;

use reticent::error::did_you_mean;

use crate::error::{Error, Result};
use crate::options::Options;

pub(crate) use scan::{Fields, RowConsumer, RowError, scan};

/// Files that form one table.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    inputs: Vec<Input>,
    names: Vec<String>,
}

/// One file.
#[derive(Debug, Clone)]
struct Input {
    origin: Origin,
    format: InputFormat,
    /// Size of the stored file in bytes.
    bytes: u64,
}

/// Location of the bytes.
#[derive(Debug, Clone)]
enum Origin {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

/// Format of the bytes.
#[derive(Debug, Clone)]
enum InputFormat {
    Csv(csv::Dialect),
    #[cfg(feature = "parquet")]
    Parquet(::parquet::arrow::arrow_reader::ArrowReaderMetadata),
}

impl Origin {
    /// Returns the path for error texts.
    fn path(&self) -> &Path {
        match self {
            Origin::File(path) => path,
            Origin::Memory(_) => Path::new("memory"),
        }
    }
}

impl Source {
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
        Ok(Source { inputs, names: names.unwrap_or_default() })
    }

    /// Opens one file.
    pub(crate) fn open_file(path: &Path, options: &Options) -> Result<Source> {
        let (input, names) = open_file(path.to_owned(), options)?;
        Ok(Source { inputs: vec![input], names })
    }

    /// Opens comma-separated text in memory.
    pub(crate) fn memory(bytes: &[u8], options: &Options) -> Result<Source> {
        let origin = Origin::Memory(bytes.into());
        let (dialect, names) = csv::header(&origin, options)?;
        let input = Input { origin, format: InputFormat::Csv(dialect), bytes: bytes.len() as u64 };
        Ok(Source { inputs: vec![input], names })
    }

    /// Returns the names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.inputs.iter().map(|input| input.origin.path())
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
    let bytes = files::size(&path)?;
    if files::is_parquet(&path)? {
        return parquet_input(path, bytes);
    }
    let origin = Origin::File(path);
    let (dialect, names) = csv::header(&origin, options)?;
    Ok((Input { origin, format: InputFormat::Csv(dialect), bytes }, names))
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

/// Checks that every column has a unique name. The errors contain only positions, because the first line may be data
/// by mistake.
fn check_names(file: &Path, names: &[String]) -> Result<()> {
    let mistake = "; is the first line a header?";
    if let Some(at) = names.iter().position(String::is_empty) {
        return Err(Error::malformed(file, Some(1), format!("column {} has no name{mistake}", at + 1)));
    }
    let mut known: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for (at, name) in names.iter().enumerate() {
        if let Some(twin) = known.insert(name, at) {
            let message = format!("columns {} and {} have the same name{mistake}", twin + 1, at + 1);
            return Err(Error::malformed(file, Some(1), message));
        }
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn parquet_input(path: PathBuf, bytes: u64) -> Result<(Input, Vec<String>)> {
    let (metadata, names) = parquet::header(&path)?;
    Ok((Input { origin: Origin::File(path), format: InputFormat::Parquet(metadata), bytes }, names))
}

#[cfg(not(feature = "parquet"))]
fn parquet_input(path: PathBuf, _: u64) -> Result<(Input, Vec<String>)> {
    Err(Error::malformed(&path, None, "this program was built without Parquet support"))
}
