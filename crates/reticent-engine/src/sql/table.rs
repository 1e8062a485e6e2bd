//! A table or query of a database as the source of rows.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use reticent::Counts;

use super::connection::Connection;
use super::dialect::Dialect;
use super::failure::{DatabaseError, DatabaseOperation};
use crate::count::count;
use crate::error::{Error, Result};
use crate::locate::FoundRow;
use crate::options::Options;
use crate::profile::profile;
use crate::source::{RowQuery, Source};
use crate::{CountRequest, Engine, Profile};

/// Name of a table or view: perhaps a catalog and a schema, and the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    parts: Vec<String>,
}

impl TableName {
    /// Parses a name. Dots separate its parts.
    pub fn parse(text: &str) -> TableName {
        TableName { parts: text.split('.').map(str::to_owned).collect() }
    }

    /// Returns another table of the same schema.
    pub fn beside(&self, table: &str) -> TableName {
        let mut parts = self.parts.clone();
        parts.pop();
        parts.push(table.to_owned());
        TableName { parts }
    }

    /// Returns the schema; none for the usual one.
    pub fn schema(&self) -> Option<&str> {
        self.parts.iter().rev().nth(1).map(String::as_str)
    }

    /// Returns the name without schema.
    pub fn table(&self) -> &str {
        self.parts.last().map(String::as_str).unwrap_or_default()
    }

    pub(super) fn sql(&self, dialect: Dialect) -> String {
        self.parts.iter().map(|part| dialect.quote(part)).collect::<Vec<_>>().join(".")
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("."))
    }
}

/// Rows of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// A table or view.
    Table(TableName),
    /// A query. It can only read.
    Query(String),
}

impl Relation {
    /// Returns the text after `FROM`.
    fn sql(&self, dialect: Dialect) -> String {
        match self {
            Relation::Table(name) => name.sql(dialect),
            Relation::Query(query) => {
                let query = query.trim().trim_end_matches(';');
                // A line comment at the end of the query must not hide the bracket.
                format!("({query}\n) AS {}", dialect.quote("reticent_source"))
            }
        }
    }

    /// Returns the name for errors.
    fn name(&self, dialect: Dialect) -> String {
        match self {
            Relation::Table(name) => format!("{} table {name}", dialect.title()),
            Relation::Query(_) => format!("{} query", dialect.title()),
        }
    }
}

/// A table or query of a database.
#[derive(Debug)]
pub struct SqlTable {
    rows: Arc<SqlRows>,
    source: Source,
    options: Options,
    /// Digest of the rows when the table was opened; none if a transaction keeps them.
    digest: Option<RowDigest>,
}

/// Number of rows and a sum of their hashes.
type RowDigest = Vec<String>;

/// The relation and its columns.
#[derive(Debug)]
struct SqlRows {
    connection: Arc<Connection>,
    relation: String,
    name: String,
    schema: SchemaRef,
}

impl SqlTable {
    /// Opens a table or query. From now on, every question sees the same rows, or [`Engine::check_unchanged`] returns an error.
    pub fn open(connection: Arc<Connection>, relation: &Relation, options: Options) -> Result<SqlTable> {
        if let Some(begin) = connection.dialect().begin_snapshot() {
            connection.execute(begin, DatabaseOperation::Describe, &options)?;
        }
        let mut table = SqlTable::read(connection, relation, options)?;
        table.digest = table.rows.digest(&table.options)?;
        Ok(table)
    }

    /// Opens a table that this process wrote.
    pub(super) fn read(connection: Arc<Connection>, relation: &Relation, options: Options) -> Result<SqlTable> {
        let dialect = connection.dialect();
        let (from, name) = (relation.sql(dialect), relation.name(dialect));
        let schema = connection.schema(&format!("SELECT * FROM {from} WHERE 1 = 0"), &options)?;
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        let rows = Arc::new(SqlRows { connection, relation: from, name, schema });
        rows.check_types(&options)?;
        let source = Source::query(rows.clone(), names)?;
        Ok(SqlTable { rows, source, options, digest: None })
    }
}

impl Engine for SqlTable {
    fn id(&self) -> &'static str {
        self.rows.connection.dialect().id()
    }

    fn columns(&self) -> &[String] {
        self.source.names()
    }

    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>> {
        profile(&self.source, columns.unwrap_or(self.columns()), &self.options)
    }

    fn count(&self, request: &CountRequest) -> Result<Counts> {
        count(&self.source, request, &self.options)
    }

    /// Returns no rows: the rows of a database have no number.
    fn locate(&self, _: &str, _: &HashSet<&str>, _: usize) -> Result<Vec<FoundRow>> {
        Ok(Vec::new())
    }

    fn end_reading(&self) -> Result<()> {
        match self.rows.dialect().begin_snapshot() {
            Some(_) => self.rows.connection.execute("ROLLBACK", DatabaseOperation::Read, &self.options),
            None => Ok(()),
        }
    }

    fn check_unchanged(&self) -> Result<()> {
        if self.rows.digest(&self.options)? == self.digest { Ok(()) } else { Err(Error::Changed) }
    }
}

impl SqlRows {
    fn dialect(&self) -> Dialect {
        self.connection.dialect()
    }

    /// Checks that the database converts no values: SQLite stores values of any type in any column.
    fn check_types(&self, options: &Options) -> Result<()> {
        if self.dialect() != Dialect::Sqlite {
            return Ok(());
        }
        for field in self.schema.fields() {
            let column = self.dialect().quote(field.name());
            let sql =
                format!("SELECT DISTINCT typeof({column}) AS kind FROM {} WHERE {column} IS NOT NULL", self.relation);
            let kinds = self.connection.texts(&sql, DatabaseOperation::Read, options)?;
            if kinds.len() > 1 {
                let (engine, column) = (self.dialect().title(), field.name().clone());
                return Err(DatabaseError::TypesMixed { engine, column }.into());
            }
        }
        Ok(())
    }

    /// Returns the digest of the rows, unless a transaction keeps them as they are.
    fn digest(&self, options: &Options) -> Result<Option<RowDigest>> {
        if self.dialect().begin_snapshot().is_some() {
            return Ok(None);
        }
        let columns: Vec<String> =
            self.schema.fields().iter().map(|field| self.dialect().quote(field.name())).collect();
        let hash = format!("xxhash64({})", columns.join(", "));
        let sql = format!(
            "SELECT CAST(COUNT(*) AS STRING) AS digest FROM {from} UNION ALL \
             SELECT CAST(SUM(CAST({hash} AS DECIMAL(38, 0))) AS STRING) FROM {from}",
            from = self.relation
        );
        let mut digest = self.connection.texts(&sql, DatabaseOperation::Read, options)?;
        digest.sort();
        Ok(Some(digest))
    }
}

impl RowQuery for SqlRows {
    fn name(&self) -> &str {
        &self.name
    }

    fn read(
        &self,
        columns: &[String],
        grouped: bool,
        options: &Options,
        each: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let dialect = self.dialect();
        let value = |name: &String| {
            let missing = || Error::UnknownColumn { column: name.clone(), hint: None };
            let (_, field) = self.schema.fields().find(name).ok_or_else(missing)?;
            Ok(format!("{} AS {}", dialect.exact_value(field), dialect.quote(name)))
        };
        let mut selected: Vec<String> = columns.iter().map(value).collect::<Result<_>>()?;
        let groups: Vec<String> = (1..=selected.len()).map(|at| at.to_string()).collect();
        let grouping =
            if grouped && !groups.is_empty() { format!(" GROUP BY {}", groups.join(", ")) } else { String::new() };
        if grouped {
            selected.push(format!("COUNT(*) AS {}", dialect.quote("reticent_rows")));
        }
        let sql = format!("SELECT {} FROM {}{grouping}", selected.join(", "), self.relation);
        self.connection.query(&sql, DatabaseOperation::Read, options, each)
    }
}
