//! Rows of a request.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reticent::policy::{DatabaseRows, DatabaseSource, Policy, has_secret};
use reticent_engine::sql::{Connection, ConnectionOptions, Dialect, Relation, SqlTable, TableName};
use reticent_engine::{Embedded, Engine, Frame, Options};
use serde::{Deserialize, Deserializer};

use crate::error::{Problem, Result};

/// Rows of a request: files, a table in memory, or a table of a database.
#[derive(Debug, Clone)]
pub enum Data {
    /// Files, folders or patterns, which form one table.
    Files(Vec<String>),
    /// One file, whose name is not a pattern.
    File(PathBuf),
    /// A table in memory.
    Frame(Frame),
    /// A table or query of a database.
    Database(DatabaseSource),
}

impl Default for Data {
    fn default() -> Data {
        Data::Files(Vec::new())
    }
}

impl Data {
    /// Returns these rows, or those that the policy names if there are none.
    pub(crate) fn or_of(&self, policy: &Policy) -> Data {
        match &policy.source.database {
            Some(database) if self.is_empty() => Data::Database(database.clone()),
            _ => self.clone(),
        }
    }

    /// Returns whether no rows are named.
    pub fn is_empty(&self) -> bool {
        matches!(self, Data::Files(files) if files.is_empty())
    }

    /// Returns the files, folders and patterns.
    pub fn files(&self) -> &[String] {
        if let Data::Files(files) = self { files } else { &[] }
    }

    /// Returns the table or query of a database.
    pub(crate) fn database(&self) -> Option<&DatabaseSource> {
        if let Data::Database(database) = self { Some(database) } else { None }
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
            Data::Frame(_) | Data::Database(_) => None,
        }
    }

    /// Opens the rows. Reads only the headers of files, and the columns of a table.
    pub(crate) fn open(&self, options: Options) -> Result<Box<dyn Engine>> {
        Ok(match self {
            Data::Files(files) if files.is_empty() => return Err(Problem::NoData.into()),
            Data::Files(files) => Box::new(Embedded::open(files, options)?),
            Data::File(file) => Box::new(Embedded::open_file(file, options)?),
            Data::Frame(frame) => Box::new(Embedded::open_frame(frame, options)?),
            Data::Database(database) => Box::new(open_table(database, options)?),
        })
    }

    /// Returns the name of the first file without extensions and wildcards.
    pub(crate) fn dataset_name(&self) -> String {
        let first = match self {
            Data::Files(files) => files.first().map(Path::new),
            Data::File(file) => Some(file.as_path()),
            Data::Frame(_) => None,
            Data::Database(DatabaseSource { rows: DatabaseRows::Table(name), .. }) => {
                return name.rsplit('.').next().unwrap_or(name).to_owned();
            }
            Data::Database(_) => None,
        };
        let name = first.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default().replace(['*', '?', '[', ']'], "");
        if name.is_empty() { "dataset".to_owned() } else { name }
    }
}

/// Opens a table or query of a database.
fn open_table(database: &DatabaseSource, options: Options) -> Result<SqlTable> {
    let DatabaseSource { engine, uri, rows, timeout } = database;
    let unknown = || Problem::RequestInvalid { why: format!("`data`: there is no database engine `{engine}`") };
    let dialect: Dialect = engine.parse().map_err(|_| unknown())?;
    if has_secret(uri) {
        return Err(Problem::UriHasSecret.into());
    }
    let relation = match rows {
        DatabaseRows::Table(name) => Relation::Table(TableName::parse(name)),
        DatabaseRows::Query(query) => Relation::Query(query.clone()),
    };
    let timeout = Duration::from_secs(*timeout);
    let connection = ConnectionOptions { dialect, uri: uri.clone(), driver: None, read_only: true, timeout };
    Ok(SqlTable::open(Connection::open(connection, &options)?, &relation, options)?)
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Files(files) => f.write_str(&files.join(", ")),
            Data::File(file) => file.display().fmt(f),
            Data::Frame(_) => f.write_str("data frame"),
            Data::Database(DatabaseSource { engine, rows: DatabaseRows::Table(name), .. }) => {
                write!(f, "{engine} table {name}")
            }
            Data::Database(DatabaseSource { engine, .. }) => write!(f, "{engine} query"),
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

impl From<DatabaseSource> for Data {
    fn from(database: DatabaseSource) -> Data {
        Data::Database(database)
    }
}

impl From<Frame> for Data {
    fn from(frame: Frame) -> Data {
        Data::Frame(frame)
    }
}

/// Reads a path, a list of paths, or a table of a database.
impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Data, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Rows {
            One(String),
            Many(Vec<String>),
            Database(DatabaseSource),
        }
        Ok(match Rows::deserialize(from)? {
            Rows::One(path) => Data::Files(vec![path]),
            Rows::Many(paths) => Data::Files(paths),
            Rows::Database(database) => Data::Database(database),
        })
    }
}
