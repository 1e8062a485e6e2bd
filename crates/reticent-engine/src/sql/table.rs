//! A table or query of a database as the source of rows.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
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
                let (query, name) = (query.trim().trim_end_matches(';'), dialect.quote("reticent_source"));
                match dialect {
                    // DuckDB runs several statements, one after the other; this function accepts one query.
                    Dialect::DuckDb => format!("query('{}') AS {name}", query.replace('\'', "''")),
                    // A line comment at the end of the query must not hide the bracket.
                    _ => format!("({query}\n) AS {name}"),
                }
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
    /// Whether a transaction keeps the rows as they are.
    has_snapshot: AtomicBool,
}

impl SqlTable {
    /// Opens a table or query. From now on, every question sees the same rows, or [`Engine::check_unchanged`] returns an error.
    pub fn open(connection: Arc<Connection>, relation: &Relation, options: Options) -> Result<SqlTable> {
        if let Relation::Query(query) = relation
            && !is_one_query(query)
        {
            let (engine, doing) = (connection.dialect().title(), DatabaseOperation::Describe);
            return Err(DatabaseError::QueryInvalid { engine, doing }.into());
        }
        if let Some(begin) = connection.dialect().begin_snapshot() {
            connection.execute(begin, DatabaseOperation::Describe, &options)?;
        }
        let mut table = SqlTable::read(connection, relation, options)?;
        table.digest = table.rows.digest(&table.options)?;
        table.rows.has_snapshot.store(table.digest.is_none(), Ordering::SeqCst);
        Ok(table)
    }

    /// Opens a table that this process wrote.
    pub(super) fn read(connection: Arc<Connection>, relation: &Relation, options: Options) -> Result<SqlTable> {
        let dialect = connection.dialect();
        let (from, name) = (relation.sql(dialect), relation.name(dialect));
        let schema = connection.schema(&format!("SELECT * FROM {from} WHERE 1 = 0"), &options)?;
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        let mut rows = SqlRows { connection, relation: from, name, schema, has_snapshot: false.into() };
        rows.check_types(&options)?;
        let rows = Arc::new(rows);
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
        match self.rows.dialect().begin_snapshot().filter(|_| self.rows.has_snapshot.swap(false, Ordering::SeqCst)) {
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

    /// Begins another transaction after a query that did not end, which ends the transaction. What was read before is not used then.
    fn begin_again(&self, options: &Options) {
        let Some(begin) = self.dialect().begin_snapshot() else { return };
        if self.has_snapshot.load(Ordering::SeqCst) && options.check_stop().is_ok() {
            // The error of the query is reported; without a transaction, the next query fails.
            let _ = self.connection.execute("ROLLBACK", DatabaseOperation::Read, options);
            let _ = self.connection.execute(begin, DatabaseOperation::Read, options);
        }
    }

    /// Checks that the database converts no values: SQLite stores values of any type in any column. Its driver knows the type of a
    /// column only from values, so the schema gets it here.
    fn check_types(&mut self, options: &Options) -> Result<()> {
        if self.dialect() != Dialect::Sqlite {
            return Ok(());
        }
        let mut fields = Vec::new();
        for field in self.schema.fields() {
            let column = self.dialect().quote(field.name());
            let sql =
                format!("SELECT DISTINCT typeof({column}) AS kind FROM {} WHERE {column} IS NOT NULL", self.relation);
            let kinds = self.connection.texts(&sql, DatabaseOperation::Read, options)?;
            if kinds.len() > 1 {
                let (engine, column) = (self.dialect().title(), field.name().clone());
                return Err(DatabaseError::TypesMixed { engine, column }.into());
            }
            let is_text = kinds.first().is_some_and(|kind| kind == "text");
            let kind = if is_text { DataType::Utf8 } else { DataType::Int64 };
            fields.push(Field::new(field.name(), kind, true));
        }
        self.schema = Arc::new(Schema::new(fields));
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
        let read = self.connection.query(&sql, DatabaseOperation::Read, options, each);
        if read.is_err() {
            self.begin_again(options);
        }
        read
    }
}

/// Returns whether a text can be one query: no statement ends in it, and no bracket that it does not open. Some databases run several
/// statements, so a text that closes the bracket around it could write.
fn is_one_query(text: &str) -> bool {
    let text = text.trim().trim_end_matches(';');
    // With a backslash, what is inside of a text depends on the kind of the text.
    if text.contains("\\'") {
        return false;
    }
    let mut depth = 0u32;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            ';' => return false,
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            '\'' | '"' | '`' => match rest.split_once(letter) {
                Some((_, after)) => rest = after,
                None => return false,
            },
            '-' if rest.starts_with('-') => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            '/' if rest.starts_with('*') => match rest.split_once("*/") {
                Some((_, after)) => rest = after,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::is_one_query;

    #[test]
    fn only_one_query_is_accepted() {
        for text in [
            "SELECT a FROM t",
            "SELECT a FROM t;",
            "SELECT f(a, ')') FROM (SELECT * FROM t) s -- all; )",
            "SELECT \"a;b\", 'it''s' /* ) ; */ FROM t",
        ] {
            assert!(is_one_query(text), "{text}");
        }
        for text in [
            "SELECT 1; DROP TABLE t",
            "SELECT 1) AS s; COPY t TO 'x'; SELECT * FROM (SELECT 1",
            "SELECT 1) s, (SELECT 2",
            "SELECT E'a\\'b' ) s; COPY t TO 'x'; SELECT ('",
            "SELECT 'open",
            "SELECT /* open",
            "SELECT (1",
        ] {
            assert!(!is_one_query(text), "{text}");
        }
    }
}
