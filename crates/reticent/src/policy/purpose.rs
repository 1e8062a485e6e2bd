//! Reads the purpose of releases.

use toml::de::DeValue;

use super::ColumnPolicy;
use super::read::must_be_column;
use super::reader::{Item, TableReader};
use crate::algorithms::Purpose;
use crate::data::schema::Role;
use crate::data::workload::Workload;
use crate::error::{Result, did_you_mean};

/// All forms of a purpose, for errors.
const FORMS: &str = "must be \"general\", { classify = \"column\" }, { cluster = 5 } or { queries = \"file\" }";
/// Purposes that are a table with one key.
const WORDS: [&str; 3] = ["classify", "cluster", "queries"];

/// Reads the purpose. The queries of a workload are read later, see [`super::Policy::load_queries`].
pub(super) fn purpose(release: &TableReader<'_>, columns: &[ColumnPolicy]) -> Result<Purpose> {
    let Some(item) = release.get("purpose") else { return Ok(Purpose::General) };
    match item.value {
        DeValue::String(_) => word(item),
        DeValue::Table(_) => table(item, columns),
        _ => Err(item.wrong(FORMS)),
    }
}

fn word(item: &Item<'_>) -> Result<Purpose> {
    match item.text()? {
        "general" => Ok(Purpose::General),
        typed => Err(item.wrong_hint(FORMS, did_you_mean(typed, ["general"]))),
    }
}

fn table(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<Purpose> {
    let entries = item.entries()?;
    let [entry] = entries.as_slice() else { return Err(item.wrong(FORMS)) };
    match entry.name {
        "classify" => classify(entry, columns),
        "cluster" => Ok(Purpose::Clusters(entry.whole(2)? as usize)),
        "queries" => match entry.text()?.trim() {
            "" => Err(entry.wrong("is empty; write the path of a file")),
            _ => Ok(Purpose::Queries(Workload { file: entry.text()?.to_owned(), queries: Vec::new() })),
        },
        name => {
            let message = format!("is not a purpose; the purpose {FORMS}");
            Err(entry.wrong_hint(&message, did_you_mean(name, WORDS)))
        }
    }
}

fn classify(entry: &Item<'_>, columns: &[ColumnPolicy]) -> Result<Purpose> {
    must_be_column(entry, columns)?;
    let name = entry.text()?;
    if columns.iter().any(|column| column.name == name && column.role == Role::Identifier) {
        return Err(entry.wrong("names an identifier, which is never published"));
    }
    Ok(Purpose::Classification(name.to_owned()))
}
