//! Errors of databases. Their messages quote cells of the data and parts of connection strings, so no error contains one.

use adbc_core::error::{Error as AdbcError, Status};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// What a database was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum DatabaseOperation {
    /// Connecting.
    Connect,
    /// Reading the columns of a table.
    Describe,
    /// Reading rows.
    Read,
    /// Writing rows.
    Write,
    /// Giving a table its final name.
    Rename,
    /// Removing a table.
    Remove,
}

impl DatabaseOperation {
    fn text(self) -> &'static str {
        match self {
            DatabaseOperation::Connect => "connect to the database",
            DatabaseOperation::Describe => "read the columns of the table",
            DatabaseOperation::Read => "read the rows",
            DatabaseOperation::Write => "write the rows",
            DatabaseOperation::Rename => "give the table its name",
            DatabaseOperation::Remove => "remove the table",
        }
    }
}

/// Errors of a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum DatabaseError {
    /// The driver is not installed, or is no ADBC driver.
    #[error(
        "the ADBC driver of {engine} was not found or cannot be loaded; install it, and set {variable} to the path of the library \
         `{library}`"
    )]
    DriverMissing {
        /// Name of the engine.
        engine: &'static str,
        /// Name of the library.
        library: &'static str,
        /// Environment variable with the path of the library.
        variable: &'static str,
    },
    /// The database does not answer, or refuses the connection.
    #[error("could not connect to {engine}; check the address, the user, the credentials, and that the server runs")]
    #[strum(serialize = "database-unreachable")]
    Unreachable {
        /// Name of the engine.
        engine: &'static str,
    },
    /// The connection ended.
    #[error("{engine} ended the connection while asked to {}; nothing was published", .doing.text())]
    #[strum(serialize = "database-connection-lost")]
    ConnectionLost {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
    },
    /// The user may not do this.
    #[error("{engine} denies permission to {}; ask its administrator for the right", .doing.text())]
    #[strum(serialize = "database-access-denied")]
    AccessDenied {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
    },
    /// A table, column or function does not exist.
    #[error("{engine} could not {}: a table, a column or a file does not exist; check `table` or `query`", .doing.text())]
    #[strum(serialize = "database-table-unknown")]
    TableUnknown {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
    },
    /// The table exists already.
    #[error("{engine} has a table with this name already; a release is never overwritten, choose another name")]
    #[strum(serialize = "database-table-exists")]
    TableExists {
        /// Name of the engine.
        engine: &'static str,
    },
    /// The query is not valid.
    #[error("{engine} does not accept the query; run it in a client of the database to see its message")]
    #[strum(serialize = "database-query-invalid")]
    QueryInvalid {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
    },
    /// Disk, memory or another resource of the database is exhausted.
    #[error("{engine} has not enough disk, memory or other resources to {}; nothing was published", .doing.text())]
    #[strum(serialize = "database-resources-exhausted")]
    ResourcesExhausted {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
    },
    /// The database did not answer in time.
    #[error("{engine} gave no answer for {seconds} s while asked to {}; nothing was published", .doing.text())]
    #[strum(serialize = "database-timeout")]
    TimedOut {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
        /// Time without an answer, in seconds.
        seconds: u64,
    },
    /// The values of a column have several types.
    #[error(
        "{engine}: column `{column}` has values of several types, which the database would convert; convert them in a query"
    )]
    #[strum(serialize = "database-types-mixed")]
    TypesMixed {
        /// Name of the engine.
        engine: &'static str,
        /// Name of the column.
        column: String,
    },
    /// Any other failure.
    #[error(
        "{engine} could not {} (status {status}, SQLSTATE {sqlstate}); its message is not shown, because it can contain values of the \
         data: see the log of the database",
        .doing.text()
    )]
    #[strum(serialize = "database-failed")]
    Failed {
        /// Name of the engine.
        engine: &'static str,
        /// What it was asked to do.
        doing: DatabaseOperation,
        /// Status of ADBC.
        status: String,
        /// Error class of SQL; `00000` if the driver reports none.
        sqlstate: String,
    },
}

impl DatabaseError {
    /// Returns the stable code of the error.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Returns the codes.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        <DatabaseError as strum::VariantNames>::VARIANTS.iter().copied()
    }

    /// Returns true if the input is wrong, and false if the database failed.
    pub(crate) fn is_data(&self) -> bool {
        matches!(
            self,
            DatabaseError::TableUnknown { .. } | DatabaseError::QueryInvalid { .. } | DatabaseError::TypesMixed { .. }
        )
    }

    /// Classifies an error of a driver by its status, its SQLSTATE and the first words of its message.
    pub(super) fn classify(engine: &'static str, doing: DatabaseOperation, error: &AdbcError) -> DatabaseError {
        let sqlstate: String = error.sqlstate.iter().map(|byte| state_letter(*byte as u8)).collect();
        match FailureKind::of(&sqlstate, error) {
            _ if doing == DatabaseOperation::Connect => DatabaseError::Unreachable { engine },
            FailureKind::Lost => DatabaseError::ConnectionLost { engine, doing },
            FailureKind::Denied => DatabaseError::AccessDenied { engine, doing },
            FailureKind::Unknown => DatabaseError::TableUnknown { engine, doing },
            FailureKind::Exists => DatabaseError::TableExists { engine },
            FailureKind::Invalid => DatabaseError::QueryInvalid { engine, doing },
            FailureKind::Exhausted => DatabaseError::ResourcesExhausted { engine, doing },
            FailureKind::Other => {
                DatabaseError::Failed { engine, doing, status: format!("{:?}", error.status), sqlstate }
            }
        }
    }
}

fn state_letter(byte: u8) -> char {
    let letter = char::from(byte);
    if letter.is_ascii_uppercase() || letter.is_ascii_digit() { letter } else { '0' }
}

/// Kind of a failure.
enum FailureKind {
    Lost,
    Denied,
    Unknown,
    Exists,
    Invalid,
    Exhausted,
    Other,
}

impl FailureKind {
    fn of(sqlstate: &str, error: &AdbcError) -> FailureKind {
        // Classes of the SQL standard and of PostgreSQL (its manual, appendix A).
        match sqlstate.get(..2).unwrap_or_default() {
            "08" | "57" => return FailureKind::Lost,
            "53" => return FailureKind::Exhausted,
            _ => {}
        }
        match sqlstate {
            "42501" | "28000" | "28P01" | "25006" => return FailureKind::Denied,
            "42P01" | "42703" | "42883" | "3F000" => return FailureKind::Unknown,
            "42P07" => return FailureKind::Exists,
            "42601" => return FailureKind::Invalid,
            _ => {}
        }
        // Drivers without SQLSTATE begin their messages with these words.
        let message = error.message.as_str();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if says(&["No space left", "Out of Memory", "disk is full", "OutOfMemoryError", "out of memory"]) {
            return FailureKind::Exhausted;
        }
        if says(&["Permission denied", "Permission Error", "PERMISSION_DENIED", "readonly database", "read-only"]) {
            return FailureKind::Denied;
        }
        if says(&["already exists", "ALREADY_EXISTS"]) {
            return FailureKind::Exists;
        }
        if says(&[
            "does not exist",
            "not found",
            "no such table",
            "no such column",
            "NOT_FOUND",
            "No files found",
            "UNRESOLVED",
        ]) {
            return FailureKind::Unknown;
        }
        if says(&["Parser Error", "syntax error", "PARSE_SYNTAX_ERROR", "Binder Error"]) {
            return FailureKind::Invalid;
        }
        if says(&[
            "connection to the server",
            "terminating connection",
            "server closed the connection",
            "Unavailable",
            "connection refused",
        ]) {
            return FailureKind::Lost;
        }
        match error.status {
            Status::Unauthenticated | Status::Unauthorized => FailureKind::Denied,
            Status::NotFound => FailureKind::Unknown,
            Status::AlreadyExists => FailureKind::Exists,
            _ => FailureKind::Other,
        }
    }
}

/// Serializes the data of the error as a map.
impl Serialize for DatabaseError {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut asked = |engine: &str, doing: Option<DatabaseOperation>| -> std::result::Result<(), S::Error> {
            map.serialize_entry("engine", engine)?;
            doing.map_or(Ok(()), |doing| map.serialize_entry("doing", <&'static str>::from(doing)))
        };
        match self {
            DatabaseError::DriverMissing { engine, library, variable } => {
                asked(engine, None)?;
                map.serialize_entry("library", library)?;
                map.serialize_entry("variable", variable)?;
            }
            DatabaseError::Unreachable { engine } | DatabaseError::TableExists { engine } => asked(engine, None)?,
            DatabaseError::ConnectionLost { engine, doing }
            | DatabaseError::AccessDenied { engine, doing }
            | DatabaseError::TableUnknown { engine, doing }
            | DatabaseError::QueryInvalid { engine, doing }
            | DatabaseError::ResourcesExhausted { engine, doing } => asked(engine, Some(*doing))?,
            DatabaseError::TimedOut { engine, doing, seconds } => {
                asked(engine, Some(*doing))?;
                map.serialize_entry("seconds", seconds)?;
            }
            DatabaseError::TypesMixed { engine, column } => {
                asked(engine, None)?;
                map.serialize_entry("column", column)?;
            }
            DatabaseError::Failed { engine, doing, status, sqlstate } => {
                asked(engine, Some(*doing))?;
                map.serialize_entry("status", status)?;
                map.serialize_entry("sqlstate", sqlstate)?;
            }
        }
        map.end()
    }
}
