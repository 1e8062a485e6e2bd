//! Reads a file of count queries: TOML with one `[[query]]` for each query.
//!
//! ```toml
//! [[query]]
//! where = { sex = "Female", age = { from = 30, to = 39 } }
//! weight = 2
//! ```
//!
//! `where` has one condition for each column: a value, the label of a taxonomy node, or bounds, both included. A query counts the
//! records that satisfy all its conditions. `weight` is optional and 1 if absent.

use toml::de::DeValue;

use super::levels::bound;
use super::reader::{Item, with_document};
use crate::data::schema::{Attribute, Role, Schema, TreeSource};
use crate::data::taxonomy::Type;
use crate::data::workload::{Condition, CountQuery, SelectedValues, Workload};
use crate::error::{Error, Result, did_you_mean};

/// Parses the text of a file of count queries, and checks its columns and values against the schema.
pub(super) fn parse(file: &str, text: &str, schema: &Schema) -> Result<Workload> {
    // The reader of policies reports errors of a policy.
    let of_file = |error| match error {
        Error::Policy { line, message, hint } => Error::Workload { file: file.to_owned(), line, message, hint },
        error => error,
    };
    let queries = with_document(text, |top| queries(top, schema)).map_err(of_file)?;
    let workload = Workload { file: file.to_owned(), queries };
    for condition in workload.queries.iter().flat_map(|query| &query.conditions) {
        if let TreeSource::Given(tree) = &schema.attribute(&condition.column)?.tree {
            workload.check_label(condition, tree)?;
        }
    }
    Ok(workload)
}

fn queries(top: &Item<'_>, schema: &Schema) -> Result<Vec<CountQuery>> {
    let entries = top.entries()?;
    if let Some(entry) = entries.iter().find(|entry| entry.name != "query") {
        return Err(unknown_key(entry, ["query"]));
    }
    let items = entries.first().map(Item::items).transpose()?.unwrap_or_default();
    if items.is_empty() {
        return Err(Error::policy(
            None,
            "the file has no query; write [[query]] with `where = { column = \"value\" }`",
        ));
    }
    items.iter().map(|item| query(item, schema)).collect()
}

fn query(item: &Item<'_>, schema: &Schema) -> Result<CountQuery> {
    let (mut conditions, mut weight) = (Vec::new(), 1.0);
    for entry in item.entries()? {
        match entry.name {
            "where" => {
                conditions = entry.entries()?.iter().map(|entry| condition(entry, schema)).collect::<Result<_>>()?
            }
            "weight" => weight = entry.above_zero()?,
            _ => return Err(unknown_key(&entry, ["where", "weight"])),
        }
    }
    if conditions.is_empty() {
        return Err(item.wrong("has no condition; write for example where = { sex = \"Female\" }"));
    }
    Ok(CountQuery { conditions, weight })
}

fn condition(entry: &Item<'_>, schema: &Schema) -> Result<Condition> {
    let Some(attribute) = schema.attributes.iter().find(|attribute| attribute.name == entry.name) else {
        let hint = did_you_mean(entry.name, schema.attributes.iter().map(|attribute| attribute.name.as_str()));
        return Err(entry.wrong_hint("is not a published column of the policy", hint));
    };
    if attribute.role == Role::Identifier {
        return Err(entry.wrong("is an identifier, which is never published"));
    }
    let values = values(entry, attribute)?;
    Ok(Condition { column: entry.name.to_owned(), values, line: entry.line })
}

fn values(entry: &Item<'_>, attribute: &Attribute) -> Result<SelectedValues> {
    let is_ordered = attribute.values != Type::Text;
    match entry.value {
        DeValue::String(label) => Ok(SelectedValues::Label(label.to_string())),
        DeValue::Table(_) if is_ordered => bounds(entry, attribute.values),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) if is_ordered => {
            let number = bound(entry, attribute.values)?;
            Ok(SelectedValues::Between(number, number))
        }
        _ if is_ordered => Err(entry.must_be("a value, or bounds: { from = 30, to = 39 }")),
        _ => Err(entry.must_be("a value or a taxonomy label, in quotes")),
    }
}

fn bounds(entry: &Item<'_>, values: Type) -> Result<SelectedValues> {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for end in entry.entries()? {
        match end.name {
            "from" => from = bound(&end, values)?,
            "to" => to = bound(&end, values)?,
            _ => return Err(unknown_key(&end, ["from", "to"])),
        }
    }
    if from.is_infinite() && to.is_infinite() {
        return Err(entry.wrong("has no bound; write for example { from = 30, to = 39 }"));
    }
    if from > to {
        return Err(entry.wrong("has a lower bound above the upper bound"));
    }
    Ok(SelectedValues::Between(from, to))
}

fn unknown_key<const N: usize>(entry: &Item<'_>, keys: [&str; N]) -> Error {
    let message = format!("is not a key of a file of queries; valid keys here: {}", keys.join(", "));
    entry.wrong_hint(&message, did_you_mean(entry.name, keys))
}
