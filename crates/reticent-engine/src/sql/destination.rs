//! A new table of a database as the destination of a release.
//!
//! The table is written and verified under a name that no reader takes for a release. It gets its final name after the ledger
//! recorded the release. A table that never got it is found by the prefix of its name.

use std::sync::Arc;

use adbc_core::options::{IngestMode, OptionStatement, OptionValue};
use adbc_core::{Connection as _, Optionable as _, Statement as _};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, Field, Schema};
use reticent::Counts;

use super::connection::{Connection, Job};
use super::dialect::Dialect;
use super::failure::{DatabaseError, DatabaseOperation};
use super::table::{Relation, SqlTable, TableName};
use crate::embedded::unchanged_options;
use crate::error::Result;
use crate::hash_order::HashOrder;
use crate::options::{Options, Phase};
use crate::sink::TypedColumn;
use crate::{CountColumn, CountRequest, Engine, WriteSummary};

/// Prefix of the names of tables that are not releases yet.
pub const WORK_PREFIX: &str = "reticent_work_";

/// Maximum length of the name of a table in bytes. PostgreSQL cuts longer names.
pub const MAX_NAME: usize = 63;

/// Number of rows that are sent at a time.
const BATCH_ROWS: usize = 1 << 16;

/// Tables of a database as destinations.
#[derive(Debug, Clone)]
pub struct SqlDestination {
    connection: Arc<Connection>,
    options: Options,
}

impl SqlDestination {
    /// Creates a destination. The connection can write.
    pub fn new(connection: Arc<Connection>, options: &Options) -> SqlDestination {
        SqlDestination { connection, options: unchanged_options(options) }
    }

    /// Returns the name of the engine in the ledger.
    pub fn id(&self) -> &'static str {
        self.dialect().id()
    }

    fn dialect(&self) -> Dialect {
        self.connection.dialect()
    }

    /// Returns whether a table or view exists.
    pub fn exists(&self, table: &TableName) -> Result<bool> {
        Ok(self.tables_beside(table)?.iter().any(|name| self.dialect().is_same_name(name, table.table())))
    }

    /// Returns the tables in the schema of `beside` that are not releases yet.
    pub fn work_tables(&self, beside: &TableName) -> Result<Vec<TableName>> {
        let tables = self.tables_beside(beside)?.into_iter().filter(|name| name.starts_with(WORK_PREFIX));
        Ok(tables.map(|name| beside.beside(&name)).collect())
    }

    /// Returns the names of all tables and views in the schema of a table.
    fn tables_beside(&self, table: &TableName) -> Result<Vec<String>> {
        let (engine, doing) = (self.dialect().title(), DatabaseOperation::Describe);
        let sql = self.dialect().tables_of(table.schema()).ok_or(DatabaseError::QueryInvalid { engine, doing })?;
        self.connection.texts(&sql, DatabaseOperation::Describe, &self.options)
    }

    /// Writes rows in canonical form (see `published`) to a new table, in the order of their hashes. The summary has no owners.
    pub fn write(&self, rows: &Counts, table: &TableName, seed: u64) -> Result<WriteSummary> {
        let columns: Vec<TypedColumn> = rows.values.iter().map(|texts| TypedColumn::new(texts)).collect();
        let fields = rows.names.iter().zip(&columns).map(|(name, cells)| Field::new(name, cells.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let order = HashOrder::new(rows, seed);
        let total = rows.contingency.rows();
        let of_batch = schema.clone();
        let codes = rows.contingency.codes.clone();
        let batch = move |indices: Vec<u32>| -> Result<RecordBatch, ArrowError> {
            let arrays = columns
                .iter()
                .zip(&codes)
                .map(|(cells, codes)| cells.array(indices.iter().map(|at| codes[*at as usize])));
            RecordBatch::try_new(of_batch.clone(), arrays.collect())
        };
        let options = self.options.clone();
        let mut done = 0;
        let chunks = order.flat_map(|part| part.chunks(BATCH_ROWS).map(<[u32]>::to_vec).collect::<Vec<_>>());
        let target = table.clone();
        let job: Job = Box::new(move |connection, answers| {
            let alive = answers.clone();
            let batches = chunks.map(move |indices| {
                options.check_stop().map_err(|_| ArrowError::ComputeError("cancelled".to_owned()))?;
                alive.is_alive();
                done += indices.len() as u64;
                options.report(Phase::Writing, done, total);
                batch(indices)
            });
            let reader = RecordBatchIterator::new(batches, schema);
            let text = |text: &str| OptionValue::String(text.to_owned());
            let mut statement = connection.new_statement()?;
            statement.set_option(OptionStatement::TargetTable, text(target.table()))?;
            if let Some(schema) = target.schema() {
                statement.set_option(OptionStatement::TargetDbSchema, text(schema))?;
            }
            statement.set_option(OptionStatement::IngestMode, IngestMode::Create.into())?;
            statement.bind_stream(Box::new(reader))?;
            statement.execute_update().map(drop)
        });
        let written = self.connection.run(job, DatabaseOperation::Write, &self.options, |_| Ok(()));
        if let Err(error) = written {
            // A part of the rows may have been written.
            let _ = self.remove(table);
            return Err(error);
        }
        Ok(WriteSummary { rows: total, neutralised: 0, owners: None })
    }

    /// Reads a table: every column, every text unchanged.
    pub fn read_back(&self, table: &TableName) -> Result<Counts> {
        let relation = Relation::Table(table.clone());
        let table = SqlTable::read(self.connection.clone(), &relation, self.options.clone())?;
        let columns = table.columns().iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect();
        table.count(&CountRequest { columns, ..CountRequest::default() })
    }

    /// Gives a table its final name. Never replaces another table.
    pub fn rename(&self, from: &TableName, to: &TableName) -> Result<()> {
        if self.exists(to)? {
            // Another publication of the same ledger completed this one.
            if !self.exists(from)? {
                return Ok(());
            }
            return Err(DatabaseError::TableExists { engine: self.dialect().title() }.into());
        }
        let (from, to) = (from.sql(self.dialect()), self.dialect().quote(to.table()));
        let sql = format!("ALTER TABLE {from} RENAME TO {to}");
        self.connection.execute(&sql, DatabaseOperation::Rename, &self.options)
    }

    /// Removes a table that is not a release.
    pub fn remove(&self, table: &TableName) -> Result<()> {
        let sql = format!("DROP TABLE IF EXISTS {}", table.sql(self.dialect()));
        // The removal is not part of the call that was cancelled.
        let options = Options { stop: Arc::default(), ..self.options.clone() };
        self.connection.execute(&sql, DatabaseOperation::Remove, &options)
    }
}
