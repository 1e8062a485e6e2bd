//! Dialects: what differs between databases.

use adbc_core::options::{OptionDatabase, OptionValue};
use arrow_schema::{DataType, Field};

/// A kind of database.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum Dialect {
    /// DuckDB.
    DuckDb,
    /// PostgreSQL.
    PostgreSql,
    /// Apache Spark, through Spark Connect.
    Spark,
    /// SQLite.
    Sqlite,
}

/// Library of a driver.
pub(super) struct DriverLibrary {
    /// Name of the library, without prefix and extension.
    pub name: &'static str,
    /// Function that initializes the driver; the usual one if none.
    pub entry_point: Option<&'static [u8]>,
    /// Environment variable with the path of the library.
    pub variable: &'static str,
}

/// Key of the metadata with the name of an Arrow extension type.
const EXTENSION_NAME: &str = "ARROW:extension:name";

impl Dialect {
    /// Returns the name in policies and in the ledger.
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Dialect::DuckDb => "DuckDB",
            Dialect::PostgreSql => "PostgreSQL",
            Dialect::Spark => "Apache Spark",
            Dialect::Sqlite => "SQLite",
        }
    }

    pub(super) fn driver(self) -> DriverLibrary {
        let (name, entry_point, variable): (_, Option<&[u8]>, _) = match self {
            Dialect::DuckDb => ("duckdb", Some(b"duckdb_adbc_init"), "RETICENT_DRIVER_DUCKDB"),
            Dialect::PostgreSql => ("adbc_driver_postgresql", None, "RETICENT_DRIVER_POSTGRESQL"),
            Dialect::Spark => ("adbc_driver_spark", None, "RETICENT_DRIVER_SPARK"),
            Dialect::Sqlite => ("adbc_driver_sqlite", None, "RETICENT_DRIVER_SQLITE"),
        };
        DriverLibrary { name, entry_point, variable }
    }

    /// Returns the options that open the database at an address. A file that is only read is opened read-only, and never created.
    pub(super) fn options(self, uri: &str, read_only: bool) -> Vec<(OptionDatabase, OptionValue)> {
        let text = |text: &str| OptionValue::String(text.to_owned());
        match self {
            Dialect::DuckDb => {
                let mut options = vec![(OptionDatabase::Other("path".to_owned()), text(uri))];
                if read_only && uri != ":memory:" {
                    options.push((OptionDatabase::Other("access_mode".to_owned()), text("READ_ONLY")));
                }
                options
            }
            Dialect::Sqlite if uri.starts_with("file:") && read_only => {
                let sign = if uri.contains('?') { '&' } else { '?' };
                let uri = uri.replace("mode=rwc", "mode=ro").replace("mode=rw", "mode=ro");
                let mode = if uri.contains("mode=") { String::new() } else { format!("{sign}mode=ro") };
                vec![(OptionDatabase::Uri, text(&format!("{uri}{mode}")))]
            }
            Dialect::Sqlite if !uri.starts_with("file:") => {
                let mode = if read_only { "ro" } else { "rwc" };
                let path = uri.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
                vec![(OptionDatabase::Uri, text(&format!("file:{path}?mode={mode}")))]
            }
            _ => vec![(OptionDatabase::Uri, text(uri))],
        }
    }

    /// Returns the statements that begin a transaction in which every query sees the same rows, and that cannot write; none if the
    /// database has no such transactions.
    pub(super) fn begin_snapshot(self) -> Option<&'static str> {
        match self {
            Dialect::DuckDb => Some("BEGIN TRANSACTION READ ONLY"),
            Dialect::PostgreSql => Some("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Dialect::Sqlite => Some("BEGIN"),
            Dialect::Spark => None,
        }
    }

    /// Returns a query for the names of tables, views and all else that shares names with them in a schema, or in the usual one; none if releases cannot be tables.
    pub(super) fn tables_of(self, schema: Option<&str>) -> Option<String> {
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        match self {
            Dialect::Sqlite => Some("SELECT name FROM sqlite_master".to_owned()),
            Dialect::Spark => None,
            Dialect::PostgreSql => {
                let schema = schema.map_or_else(|| "current_schema()".to_owned(), literal);
                Some(format!(
                    "SELECT CAST(c.relname AS TEXT) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                     WHERE n.nspname = {schema}"
                ))
            }
            Dialect::DuckDb => {
                let schema = schema.map_or_else(|| "current_schema".to_owned(), literal);
                Some(format!("SELECT table_name FROM information_schema.tables WHERE table_schema = {schema}"))
            }
        }
    }

    /// Returns whether two names of tables are the same to the database.
    pub(super) fn is_same_name(self, one: &str, other: &str) -> bool {
        match self {
            Dialect::PostgreSql => one == other,
            Dialect::DuckDb | Dialect::Sqlite | Dialect::Spark => one.to_lowercase() == other.to_lowercase(),
        }
    }

    /// Quotes a name.
    pub(super) fn quote(self, name: &str) -> String {
        match self {
            Dialect::Spark => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    /// Returns an expression with the value of a column that is equal for two rows only if the texts of their values are equal: a
    /// collation can make different texts equal, and numbers of several precisions can be equal.
    pub(super) fn exact_value(self, field: &Field) -> String {
        let name = self.quote(field.name());
        let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let is_extension = field.metadata().contains_key(EXTENSION_NAME);
        match self {
            Dialect::PostgreSql if is_text || is_extension => format!("CAST({name} AS TEXT) COLLATE \"C\""),
            // Values of other types, such as UUID, arrive as texts, too.
            Dialect::DuckDb if is_text => format!("CAST({name} AS VARCHAR) COLLATE \"binary\""),
            Dialect::Spark if is_text => format!("{name} COLLATE UTF8_BINARY"),
            // A column that begins with null values would get the type of integers from the driver.
            Dialect::Sqlite if is_text => format!("COALESCE({name}, '') COLLATE BINARY"),
            _ => name,
        }
    }
}
