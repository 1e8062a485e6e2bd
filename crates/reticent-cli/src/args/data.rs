//! Arguments of the commands that prepare data and taxonomies.

use std::path::PathBuf;

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// Data: a CSV, Parquet, Excel or OpenDocument file, a folder, or a pattern such as 'data/*.csv'.
    #[arg(required = true)]
    pub data: Vec<String>,
    /// Policy file to write.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// How the dates or numbers of a column are written, for example born=%d/%m/%Y or pay=1.234,56. Can be repeated.
    #[arg(long, value_name = "COLUMN=FORMAT", value_parser = column_format)]
    pub format: Vec<(String, String)>,
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
