//! Rows of a request.

use std::fmt;
use std::path::{Path, PathBuf};

use reticent_engine::{Embedded, Frame, Options};
use serde::{Deserialize, Deserializer};

use crate::error::Result;

/// Rows of a request: files, or a table in memory.
#[derive(Debug, Clone)]
pub enum Data {
    /// Files, folders or patterns, which form one table.
    Files(Vec<String>),
    /// One file, whose name is not a pattern.
    File(PathBuf),
    /// A table in memory.
    Frame(Frame),
}

impl Default for Data {
    fn default() -> Data {
        Data::Files(Vec::new())
    }
}

impl Data {
    /// Returns whether no rows are named.
    pub fn is_empty(&self) -> bool {
        matches!(self, Data::Files(files) if files.is_empty())
    }

    /// Returns the files, folders and patterns.
    pub fn files(&self) -> &[String] {
        if let Data::Files(files) = self { files } else { &[] }
    }

    /// Returns the only file; `None` for several files and for a table in memory.
    pub(crate) fn single_file(&self) -> Option<&Path> {
        match self {
            Data::Files(files) => {
                if let [file] = files.as_slice() {
                    Some(Path::new(file))
                } else {
                    None
                }
            }
            Data::File(file) => Some(file),
            Data::Frame(_) => None,
        }
    }

    /// Opens the rows. Reads only the headers of files.
    pub(crate) fn open(&self, options: Options) -> Result<Embedded> {
        Ok(match self {
            Data::Files(files) => Embedded::open(files, options)?,
            Data::File(file) => Embedded::open_file(file, options)?,
            Data::Frame(frame) => Embedded::open_frame(frame, options)?,
        })
    }

    /// Returns the name of the first file without extensions and wildcards.
    pub(crate) fn dataset_name(&self) -> String {
        let first = match self {
            Data::Files(files) => files.first().map(Path::new),
            Data::File(file) => Some(file.as_path()),
            Data::Frame(_) => None,
        };
        let name = first.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default().replace(['*', '?', '[', ']'], "");
        if name.is_empty() { "dataset".to_owned() } else { name }
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Files(files) => f.write_str(&files.join(", ")),
            Data::File(file) => file.display().fmt(f),
            Data::Frame(_) => f.write_str("data frame"),
        }
    }
}

impl From<Vec<String>> for Data {
    fn from(files: Vec<String>) -> Data {
        Data::Files(files)
    }
}

impl From<&str> for Data {
    fn from(file: &str) -> Data {
        Data::Files(vec![file.to_owned()])
    }
}

impl From<Frame> for Data {
    fn from(frame: Frame) -> Data {
        Data::Frame(frame)
    }
}

/// Reads a path, or a list of paths.
impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Data, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Paths {
            One(String),
            Many(Vec<String>),
        }
        Ok(match Paths::deserialize(from)? {
            Paths::One(path) => Data::Files(vec![path]),
            Paths::Many(paths) => Data::Files(paths),
        })
    }
}
