//! Arguments of the commands that correct earlier releases.

use std::path::PathBuf;

use reticent::Role;
use reticent_app::{EntryReason, Recipient};

use super::{Place, reason, recipient};

/// Arguments of `withdraw`.
#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// Release, by number or name.
    pub release: String,
    /// Reason. It stays in the ledger.
    #[arg(long, value_parser = reason)]
    pub reason: EntryReason,
    /// State that every copy of the file was destroyed, if that cannot be checked here. The ledger records it as unchecked.
    #[arg(long)]
    pub destroyed_elsewhere: bool,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `amend`.
#[derive(Debug, clap::Args)]
pub struct Amend {
    /// Release, by number or name.
    pub release: String,
    /// Reason. It stays in the ledger: do not name a person.
    #[arg(long, value_parser = reason)]
    pub reason: EntryReason,
    /// Recipients that hold the release too.
    #[arg(long, value_delimiter = ',', value_name = "WHO", value_parser = recipient)]
    pub add_recipient: Vec<Recipient>,
    /// All recipients. Those that are left out are assumed not to hold the release.
    #[arg(long, value_delimiter = ',', value_name = "WHO", value_parser = recipient)]
    pub recipients: Option<Vec<Recipient>>,
    /// Role of a column: identifier, quasi-identifier, sensitive or other. Repeat for more columns.
    #[arg(long, value_name = "COLUMN=ROLE", value_parser = role)]
    pub role: Vec<(String, Role)>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `erase`.
#[derive(Debug, clap::Args)]
pub struct Erase {
    /// Owner value of the person. It stays in the history of your shell: prefer --owner-file, or type it when asked.
    #[arg(long, value_name = "VALUE", conflicts_with = "owner_file")]
    pub owner: Option<String>,
    /// File with the owner value in one line. Without --owner and --owner-file, the value is read from standard input.
    #[arg(long, value_name = "FILE")]
    pub owner_file: Option<PathBuf>,
    /// Reason. It stays in the ledger: do not name the person.
    #[arg(long, value_parser = reason)]
    pub reason: EntryReason,
    /// Show which releases have the person and what the next release would disclose. Changes nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Confirm. Erasing cannot be undone.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub place: Place,
}

fn role(text: &str) -> Result<(String, Role), String> {
    // A column name can contain the sign; a role cannot.
    let (column, role) = text.rsplit_once('=').ok_or("write COLUMN=ROLE")?;
    let role = match role.trim() {
        "identifier" => Role::Identifier,
        "quasi-identifier" => Role::QuasiIdentifier,
        "sensitive" => Role::Sensitive,
        "other" => Role::Other,
        _ => return Err("the role is identifier, quasi-identifier, sensitive or other".to_owned()),
    };
    Ok((column.trim().to_owned(), role))
}
