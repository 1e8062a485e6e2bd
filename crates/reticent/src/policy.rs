//! The policy: what a steward writes in `reticent.toml`, as text and as values.
//!
//! Text goes in, values come out; nothing here reads a file. Every mistake is an error that names its line and, where
//! we can tell, what was meant. The keys stand in one list (`keys.rs`) that the reader and the JSON Schema share.

mod draft;
mod json_schema;
mod keys;
mod levels;
mod read;
mod reader;
#[cfg(test)]
mod tests;

use crate::algorithms::{Purpose, Suppression};
use crate::error::{Error, Result, did_you_mean};
use crate::join::Inconsistent;
use crate::joined::Breadth;
use crate::recipients::Separate;
use crate::registry::Arguments;
use crate::requirement::{Short, Wording};
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::taxonomy::{Level, Taxonomy, Type};

pub use draft::{ColumnSketch, Draft, draft, suggested_role};
pub use json_schema::json_schema;

/// The word that stands for no key.
pub const NO_KEY: &str = "none";

/// What a steward says about the data and its releases.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The name of the data.
    pub dataset: String,
    /// The column that names the owner, when an owner can have several records.
    pub owner: Option<String>,
    /// The texts that stand for a missing value; the first is the one that is published.
    pub missing_values: Vec<String>,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnPolicy>,
    /// The short form of the requirement.
    pub short: Short,
    /// The models that are worded one by one.
    pub models: Vec<Wording>,
    /// How well it must be established that all releases together tell nothing that is not allowed.
    pub audit: crate::audit::Proof,
    /// The id of the algorithm.
    pub algorithm: String,
    /// How the same table is published again, where that is what is done; then in place of the algorithm.
    pub method: Option<MethodPolicy>,
    /// The parameters of the algorithm or the method, not yet checked.
    pub options: Arguments,
    /// What releases are for.
    pub purpose: Purpose,
    /// How many records may be left out, and how.
    pub suppression: Suppression,
    /// Decides all chance; the caller draws one when there is none.
    pub seed: Option<u64>,
    /// Who never combines what they hold.
    pub separate: Separate,
    /// Which earlier releases are looked at together with a new one.
    pub breadth: Breadth,
    /// Values that no one person has.
    pub inconsistent: Vec<Inconsistent>,
    /// The folder of the ledger, relative to the policy.
    pub ledger: String,
    /// The file with the ledger's key, relative to the policy; [`NO_KEY`] if there is none.
    pub key: String,
    /// The group of users who may read the key file.
    pub group: Option<String>,
    short_lines: ShortLines,
}

/// How the same table is published again and again.
#[derive(Debug, Clone, Copy)]
pub struct MethodPolicy {
    /// The method.
    pub listed: &'static crate::methods::Listed,
    /// How it publishes quasi-identifiers.
    pub form: crate::methods::Form,
}

impl PartialEq for MethodPolicy {
    fn eq(&self, other: &MethodPolicy) -> bool {
        self.listed.entry.id == other.listed.entry.id && self.form == other.form
    }
}

/// What a steward says about one column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPolicy {
    /// The column's name in the data.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// What its values are.
    pub values: Type,
    /// The file with its taxonomy, relative to the policy.
    pub taxonomy: Option<String>,
    /// Interval levels, finest first; empty when not declared.
    pub intervals: Vec<Level>,
    /// Whether single values may be published below the finest interval.
    pub exact: bool,
    /// What lies around all values of a column whose intervals are found.
    pub range: Option<(f64, f64)>,
    /// What a missing value means.
    pub missing: Missing,
    /// The line its table starts on.
    pub line: usize,
    taxonomy_line: Option<usize>,
}

/// Where the short form stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ShortLines {
    k: Option<usize>,
    confidence: Option<usize>,
}

impl Policy {
    /// The sensitive columns that may change from release to release.
    pub fn varying_columns(&self) -> Vec<String> {
        self.inconsistent.iter().filter_map(|rule| rule.varying_column().map(str::to_owned)).collect()
    }

    /// Reads a policy. Models and their parameters are checked later, by `Requirement::build`.
    pub fn parse(text: &str) -> Result<Policy> {
        reader::with_document(text, read::policy)
    }

    /// The columns with their taxonomies, which are read through `read`: from a path to the text of the file.
    pub fn schema(&self, read: &mut dyn FnMut(&str) -> std::result::Result<String, String>) -> Result<Schema> {
        let mut attributes = Vec::new();
        for column in &self.columns {
            attributes.push(Attribute {
                name: column.name.clone(),
                role: column.role,
                values: column.values,
                missing: column.missing,
                tree: column.tree(read)?,
            });
        }
        let schema = Schema { attributes, owner: self.owner.clone(), missing_values: self.missing_values.clone() };
        self.inconsistent.iter().try_for_each(|rule| check_rule(rule, &schema))?;
        Ok(schema)
    }

    /// Checks that the policy speaks of every column of the data, and of no other.
    pub fn fit(&self, columns_in_data: &[String]) -> Result<()> {
        let known = |column: &ColumnPolicy| columns_in_data.contains(&column.name);
        if !self.columns.is_empty() && !self.columns.iter().any(known) {
            // Then the first line may be data, and must not be shown.
            let message =
                "none of its columns is in the data; does the first line of the data hold the names of the columns?";
            return Err(Error::policy(None, message));
        }
        for column in &self.columns {
            if !known(column) {
                let message = format!("the data has no column `{}`", column.name.escape_debug());
                let hint = did_you_mean(&column.name, columns_in_data.iter().map(String::as_str));
                return Err(Error::Policy { line: Some(column.line), message, hint });
            }
        }
        let spoken_for = |name: &&String| self.columns.iter().any(|column| column.name == **name);
        let unspoken: Vec<&String> = columns_in_data.iter().filter(|name| !spoken_for(name)).collect();
        if unspoken.is_empty() { Ok(()) } else { Err(unspoken_columns(&unspoken)) }
    }

    /// Every model that is required: what the short form stands for, then the models worded one by one.
    pub fn wordings(&self, schema: &Schema) -> Vec<Wording> {
        self.worded(self.short.expand(schema))
    }

    /// The same for joined releases, which may have sensitive columns where the new one has none.
    pub fn wordings_for_joins(&self) -> Vec<Wording> {
        self.worded(self.short.expand_all())
    }

    fn worded(&self, mut wordings: Vec<Wording>) -> Vec<Wording> {
        let ShortLines { k, confidence } = self.short_lines;
        let line_of = |wording: &Wording| if wording.arguments.get("k").is_some() { k } else { confidence };
        for wording in &mut wordings {
            wording.line = line_of(wording);
        }
        wordings.extend(self.models.iter().cloned());
        wordings
    }
}

impl ColumnPolicy {
    fn tree(&self, read: &mut dyn FnMut(&str) -> std::result::Result<String, String>) -> Result<Tree> {
        if let Some(path) = &self.taxonomy {
            let text = read(path).map_err(|why| {
                Error::policy(self.taxonomy_line, format!("the taxonomy `{path}` cannot be read: {why}"))
            })?;
            return Taxonomy::parse(&self.name, &text).map(Tree::Given);
        }
        if !self.intervals.is_empty() {
            return Ok(Tree::Intervals { levels: self.intervals.clone(), exact: self.exact });
        }
        let grows = self.values != Type::Text && self.role == Role::QuasiIdentifier;
        Ok(if grows { Tree::Grown { range: self.range } } else { Tree::Flat })
    }
}

/// A value that nobody has with another must be one of its taxonomy, or the rule would say nothing.
fn check_rule(rule: &Inconsistent, schema: &Schema) -> Result<()> {
    for (column, value) in [&rule.one, &rule.other].into_iter().filter(|_| rule.one != rule.other) {
        let attribute = schema.attribute(column)?;
        if let Tree::Given(tree) = &attribute.tree
            && tree.find(value).is_none()
        {
            let message = format!("`history.inconsistent` names a value that the taxonomy of `{column}` does not have");
            let hint = did_you_mean(value, tree.nodes().iter().map(|node| node.label.as_str()));
            return Err(Error::Policy { line: None, message, hint });
        }
    }
    Ok(())
}

fn unspoken_columns(names: &[&String]) -> Error {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{}`", name.escape_debug())).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "the policy does not speak of {}{more}; every column must be spoken for: add a table [columns.NAME] for each",
        shown.join(", ")
    );
    Error::policy(None, message)
}
