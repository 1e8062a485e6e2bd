//! Arguments of the commands that prepare data and taxonomies.

use std::path::PathBuf;

use reticent_app::Role;

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// Data: a CSV, Parquet, Excel or OpenDocument file, a folder, or a pattern such as 'data/*.csv'.
    #[arg(required = true)]
    pub data: Vec<String>,
    /// Policy file to write.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// Encoding of text files, for example iso-8859-2 [default: detected].
    #[arg(long, value_name = "NAME")]
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
    /// Data: files, folders or patterns.
    #[arg(required = true)]
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
