//! Tables of databases, through ADBC drivers: DuckDB, PostgreSQL, Apache Spark and SQLite.
//!
//! The database groups the rows; this process converts the groups to texts with the code that reads Parquet files. So the same data
//! gives the same counts in every engine. A database never computes on texts: its rules for spaces, letter case, numbers and null
//! values differ from those of other databases.
//!
//! Owners: for counts by owner, every row is read, and this process computes the pseudonyms. The key never leaves this process,
//! because databases log their queries.

mod connection;
mod destination;
mod dialect;
mod failure;
mod table;

pub use crate::hash_order::content_digest;
pub use connection::{Connection, ConnectionOptions};
pub use destination::{MAX_NAME, SqlDestination, WORK_PREFIX};
pub use dialect::Dialect;
pub use failure::{DatabaseError, DatabaseOperation};
pub use table::{Relation, SqlTable, TableName};
