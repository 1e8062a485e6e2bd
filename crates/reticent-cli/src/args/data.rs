//! Arguments of the commands that prepare data and taxonomies.

use std::path::PathBuf;

use reticent_app::Role;
use reticent_app::request::{DATABASE_ENGINES, DatabaseRows, DatabaseSource};

use crate::error::Error;

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// Data: a CSV, Parquet, Excel or OpenDocument file, a folder, or a pattern such as 'data/*.csv'.
    #[arg(required_unless_present = "database", conflicts_with = "database")]
    pub data: Vec<String>,
    #[command(flatten)]
    pub from: Database,
    /// Policy file to write.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// Encoding of text files, for example iso-8859-2 [default: detected].
    #[arg(long, value_name = "NAME", conflicts_with = "database")]
    pub encoding: Option<String>,
    /// How the dates or numbers of a column are written, for example born=%d/%m/%Y or pay=1.234,56. Can be repeated.
    #[arg(long, value_name = "COLUMN=FORMAT", value_parser = column_format)]
    pub format: Vec<(String, String)>,
    /// Role of a column, for example salary=sensitive. Can be repeated.
    #[arg(long, value_name = "COLUMN=ROLE", value_parser = column_role)]
    pub role: Vec<(String, Role)>,
    /// Column that identifies the person of a record.
    #[arg(long, value_name = "COLUMN")]
    pub owner: Option<String>,
    /// Ask for the role of each column in the terminal.
    #[arg(long, conflicts_with = "json")]
    pub ask: bool,
    /// Overwrite an existing policy. Existing taxonomies are kept.
    #[arg(long)]
    pub force: bool,
    /// Requirement of a published guidance, by id. List: docs/reference.md.
    #[arg(long, value_name = "ID")]
    pub preset: Option<String>,
}

/// A table or query of a database, instead of files.
#[derive(Debug, clap::Args)]
pub struct Database {
    /// Database with the data, for example postgresql://ann@db.example.org/clinic, sc://spark.example.org:15002, or a file of DuckDB or
    /// SQLite. Without a password: the driver takes it from its environment or its own files.
    #[arg(long, value_name = "ADDRESS", requires = "rows")]
    pub database: Option<String>,
    /// Table or view of the database, for example clinic.visits.
    #[arg(long, value_name = "NAME", requires = "database", group = "rows")]
    pub table: Option<String>,
    /// Query that returns the data, instead of a table.
    #[arg(long, value_name = "SQL", requires = "database", group = "rows", conflicts_with = "table")]
    pub query: Option<String>,
    /// Kind of database [default: from the address].
    #[arg(long, requires = "database", value_parser = clap::builder::PossibleValuesParser::new(DATABASE_ENGINES))]
    pub engine: Option<String>,
}

impl Database {
    /// Returns the table or query; none if the data is in files.
    pub fn source(&self) -> Result<Option<DatabaseSource>, Error> {
        let Some(uri) = &self.database else { return Ok(None) };
        let engine = self.engine.as_deref().or_else(|| DatabaseSource::engine_of(uri));
        let engine = engine
            .ok_or_else(|| Error::Usage("the address does not show the kind of database; add --engine".to_owned()))?;
        let query = || DatabaseRows::Query(self.query.clone().unwrap_or_default());
        let rows = self.table.clone().map_or_else(query, DatabaseRows::Table);
        Ok(Some(DatabaseSource::new(engine, uri, rows)))
    }
}

/// Arguments of `taxonomy`.
#[derive(Debug, clap::Args)]
pub struct Taxonomy {
    #[command(subcommand)]
    pub action: TaxonomyAction,
}

/// Actions of `taxonomy`.
#[derive(Debug, clap::Subcommand)]
pub enum TaxonomyAction {
    /// Add the values of new data that the taxonomies lack: beside a similar value, or below the root.
    Update(TaxonomyUpdate),
}

/// Arguments of `taxonomy update`.
#[derive(Debug, clap::Args)]
pub struct TaxonomyUpdate {
    /// Data: files, folders or patterns. Without any, the table of a database that the policy names.
    pub data: Vec<String>,
    /// Policy whose taxonomies are updated.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// Report the new values only, and change no file.
    #[arg(long)]
    pub dry_run: bool,
}

fn column_format(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(column, format)| !column.is_empty() && !format.is_empty());
    let (column, format) = parts.ok_or_else(|| "write COLUMN=FORMAT, for example born=%d/%m/%Y".to_owned())?;
    Ok((column.to_owned(), format.to_owned()))
}

fn column_role(text: &str) -> Result<(String, Role), String> {
    let roles = || ROLES.map(Role::word).join(", ");
    let parts = text.split_once('=').filter(|(column, _)| !column.is_empty());
    let (column, word) = parts.ok_or_else(|| "write COLUMN=ROLE, for example salary=sensitive".to_owned())?;
    let role = ROLES.into_iter().find(|role| role.word() == word);
    let role = role.ok_or_else(|| format!("`{word}` is not a role; roles: {}", roles()))?;
    Ok((column.to_owned(), role))
}

/// Roles, in the order in which `init --ask` offers them.
pub const ROLES: [Role; 5] = [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Other, Role::Drop];
