//! Databases for tests. Tables are made and read through ADBC directly, not through the engine that is tested.

use std::sync::atomic::{AtomicU32, Ordering};

use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::ManagedDriver;
use arrow_array::Array;
use arrow_array::cast::AsArray;

/// Engines that a test runs with.
pub const ENGINES: [&str; 3] = ["duckdb", "postgresql", "sqlite"];

/// Number of the next schema or file.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A database of one test.
pub struct TestDatabase {
    pub engine: &'static str,
    pub uri: String,
    folder: tempfile::TempDir,
}

impl TestDatabase {
    /// Creates an empty database; for PostgreSQL, a schema of the server in `RETICENT_TEST_POSTGRESQL`.
    pub fn new(engine: &'static str) -> TestDatabase {
        let folder = tempfile::tempdir().unwrap();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let uri = match engine {
            "postgresql" => {
                let server =
                    std::env::var("RETICENT_TEST_POSTGRESQL").expect("RETICENT_TEST_POSTGRESQL names a server");
                format!("{server}?options=-csearch_path%3Dt{}_{number}", std::process::id())
            }
            engine => folder.path().join(format!("data.{engine}")).display().to_string(),
        };
        let database = TestDatabase { engine, uri, folder };
        if engine == "postgresql" {
            database.run(&format!("CREATE SCHEMA t{}_{number}", std::process::id()));
        } else {
            // The file is created by its first table.
            database.run("CREATE TABLE a (b INTEGER);\nDROP TABLE a");
        }
        database
    }

    /// Runs statements, each in its own transaction.
    pub fn run(&self, sql: &str) {
        self.rows(sql);
    }

    /// Runs a query, and returns its texts. All columns are texts; null is the empty text.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        self.try_rows(sql).unwrap_or_else(|error| panic!("{}: {sql}: {error}", self.engine))
    }

    pub fn try_rows(&self, sql: &str) -> Result<Vec<Vec<String>>, adbc_core::error::Error> {
        let variable = format!("RETICENT_DRIVER_{}", self.engine.to_uppercase());
        let library = std::env::var(&variable).unwrap_or_else(|_| panic!("{variable} names no driver"));
        let entry: Option<&[u8]> = (self.engine == "duckdb").then_some(b"duckdb_adbc_init");
        let mut driver = ManagedDriver::load_dynamic_from_filename(library, entry, AdbcVersion::V110)?;
        let key = if self.engine == "duckdb" { OptionDatabase::Other("path".to_owned()) } else { OptionDatabase::Uri };
        let database = driver.new_database_with_opts([(key, OptionValue::String(self.uri.clone()))])?;
        let mut connection = database.new_connection()?;
        let mut rows = Vec::new();
        for sql in sql.split(";\n").filter(|sql| !sql.trim().is_empty()) {
            let mut statement = connection.new_statement()?;
            statement.set_sql_query(sql)?;
            for batch in statement.execute()? {
                let batch = batch?;
                let texts: Vec<_> = batch.columns().iter().filter_map(|column| column.as_string_opt::<i32>()).collect();
                let cell = |column: &arrow_array::StringArray, row: usize| {
                    if column.is_null(row) { String::new() } else { column.value(row).to_owned() }
                };
                rows.extend((0..batch.num_rows()).map(|row| texts.iter().map(|column| cell(column, row)).collect()));
            }
        }
        Ok(rows)
    }

    /// Creates a table with these columns and types, and inserts rows. `None` is null.
    pub fn create(&self, table: &str, columns: &[(&str, &str)], rows: &[Vec<Option<String>>]) {
        let types: Vec<String> = columns.iter().map(|(name, kind)| format!("\"{name}\" {kind}")).collect();
        let mut sql = format!("CREATE TABLE {table} ({})", types.join(", "));
        let literal = |cell: &Option<String>| match cell {
            Some(text) => format!("'{}'", text.replace('\'', "''")),
            None => "NULL".to_owned(),
        };
        let tuple = |row: &Vec<Option<String>>| format!("({})", row.iter().map(literal).collect::<Vec<_>>().join(", "));
        if !rows.is_empty() {
            let tuples: Vec<String> = rows.iter().map(tuple).collect();
            sql += &format!(";\nINSERT INTO {table} VALUES {}", tuples.join(", "));
        }
        self.run(&sql);
    }

    /// Returns the table `[source]` of a policy.
    pub fn source(&self, rows: &str) -> String {
        format!("[source]\nengine = \"{}\"\nuri = \"{}\"\n{rows}\n", self.engine, self.uri)
    }

    /// Returns the table `[destination]` of a policy.
    pub fn destination(&self) -> String {
        format!("[destination]\nengine = \"{}\"\nuri = \"{}\"\n", self.engine, self.uri)
    }

    /// Returns the names of all tables.
    pub fn tables(&self) -> Vec<String> {
        let sql = match self.engine {
            "sqlite" => "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1",
            "postgresql" => {
                "SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1"
            }
            _ => "SELECT table_name FROM information_schema.tables ORDER BY 1",
        };
        self.rows(sql).into_iter().flatten().collect()
    }

    /// Returns the path of a file beside the database.
    pub fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if self.engine == "postgresql" {
            let _ = self.try_rows("DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$");
        }
    }
}
