//! The release policy (`reticent.toml`): parsing, validation, drafting, and its JSON Schema.
//!
//! This module parses text and reads no files. Every error names the line and, if possible, a correction. The reader and the
//! JSON Schema share one list of keys (`keys.rs`).

mod draft;
mod edit;
mod json_schema;
mod keys;
mod levels;
pub mod presets;
mod purpose;
mod queries;
mod read;
mod reader;
mod source;
#[cfg(test)]
mod tests;

use crate::algorithms::{BackOff, Purpose, Suppression, ValueForm};
use crate::audit::RecordSetBound;
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource, Unit};
use crate::data::taxonomy::{IntervalLevel, Taxonomy, Type};
use crate::data::text_format::TextFormat;
use crate::error::{Error, Result, did_you_mean};
use crate::join::Breadth;
use crate::join::lossy::InconsistentRules;
use crate::registry::Arguments;
use crate::release::recipients::NonColluding;
use crate::requirement::{ModelSpec, Shorthand};

pub use draft::{
    ColumnSketch, DraftOptions, DraftedColumn, PolicyDraft, draft, has_code_name, has_date_name, missing_spellings,
    missing_values, suggested_role,
};
pub use edit::PolicyChanges;
pub use json_schema::json_schema;
pub use keys::ALGORITHMS as DEFAULT_ALGORITHMS;
pub use source::has_secret;

/// Value of `ledger.key` for a ledger without a key.
pub const NO_KEY: &str = "none";

/// Number of distinct combinations to search by default, over all tried algorithms.
const SEARCHED_COMBINATIONS: u64 = 500_000;

/// A release policy: column roles, privacy requirement, and how releases are produced and recorded.
///
/// ```
/// use reticent::Policy;
///
/// let policy = Policy::parse("[columns.age]\ntype = \"number\"\n[requirement]\nk = 5\n")?;
/// assert_eq!(policy.columns[0].name, "age");
/// assert!(Policy::parse("[columns.age]\nrolle = \"other\"\n").is_err()); // did you mean `role`?
/// # Ok::<(), reticent::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Name of the data set.
    pub dataset: String,
    /// Column that identifies the owner of a record, if declared.
    pub owner: Option<String>,
    /// Texts that represent a missing value. The first one is published.
    pub missing_values: Vec<String>,
    /// How the files of the data are read.
    pub source: SourcePolicy,
    /// Database in which releases become tables; `None` if releases are files.
    pub destination: Option<DatabaseDestination>,
    /// Columns, in the order of the file.
    pub columns: Vec<ColumnPolicy>,
    /// Preset that the requirement is based on, if any. Its thresholds are part of `shorthand` and `audit`.
    pub preset: Option<&'static presets::Preset>,
    /// Short form of the requirement: `k` and `confidence`.
    pub shorthand: Shorthand,
    /// Privacy models of `requirement.models`.
    pub models: Vec<ModelSpec>,
    /// Evidence needed that no posterior exceeds the confidence bound, given all releases.
    pub audit: crate::audit::Proof,
    /// Ids of the algorithms to try, in this order: the named one, or the default ones. Never empty.
    pub algorithms: Vec<&'static str>,
    /// Maximum number of algorithms that are tried, if the policy sets one.
    pub tries: Option<u64>,
    /// Republication method, if set. It replaces the algorithm.
    pub method: Option<MethodPolicy>,
    /// Unchecked parameters of the algorithm or the republication method.
    pub options: Arguments,
    /// Purpose that the algorithm optimizes for. [`Policy::load_queries`] adds the queries of a workload.
    pub purpose: Purpose,
    /// Limit and kind of suppression.
    pub suppression: Suppression,
    /// Form of generalized values.
    pub values: ValueForm,
    /// Search for a coarser release if the release of the algorithm is refused.
    pub back_off: BackOff,
    /// Seed of the random numbers. If it is missing, the caller draws one.
    pub seed: Option<u64>,
    /// Recipients who do not share releases with each other.
    pub non_colluding: NonColluding,
    /// Sets of earlier releases that are joined with a new one.
    pub breadth: Breadth,
    /// Pairs of values that no person has at the same time, and columns that vary over time.
    pub inconsistent: Vec<InconsistentRules>,
    /// Data sets in which no person of this data set is. Their releases are not joined.
    pub unrelated_data_sets: Vec<String>,
    /// Folder of the ledger, relative to the policy.
    pub ledger: String,
    /// File with the key of the ledger, relative to the policy; [`NO_KEY`] if there is none.
    pub key: String,
    /// Operating system group that shares the ledger and may read the key file.
    pub group: Option<String>,
    shorthand_lines: ShorthandLines,
    purpose_line: Option<usize>,
}

/// Where the data is, and how its files are read. What is not declared is detected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePolicy {
    /// Table or query of a database; `None` if the data is in files.
    pub database: Option<DatabaseSource>,
    /// Encoding of text files.
    pub encoding: Option<String>,
    /// Delimiter of text files.
    pub delimiter: Option<u8>,
    /// Sheet of a workbook.
    pub sheet: Option<String>,
}

/// A table or query of a database.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseSource {
    /// Kind of database: one of [`DATABASE_ENGINES`].
    pub engine: String,
    /// Address without credentials, or path of a file.
    pub uri: String,
    /// Rows to read.
    #[serde(flatten)]
    pub rows: DatabaseRows,
    /// Time without an answer after which a query fails, in seconds.
    #[serde(default = "DatabaseSource::default_timeout")]
    pub timeout: u64,
}

impl DatabaseSource {
    /// Creates a source with the usual time limit.
    pub fn new(engine: &str, uri: &str, rows: DatabaseRows) -> DatabaseSource {
        DatabaseSource { engine: engine.to_owned(), uri: uri.to_owned(), rows, timeout: source::TIMEOUT }
    }

    fn default_timeout() -> u64 {
        source::TIMEOUT
    }

    /// Returns the kind of database that an address belongs to, if its form shows it.
    pub fn engine_of(uri: &str) -> Option<&'static str> {
        let is_file = |endings: &[&str]| endings.iter().any(|ending| uri.to_lowercase().ends_with(ending));
        match uri.split_once("://").map(|(scheme, _)| scheme) {
            Some("postgresql" | "postgres") => Some("postgresql"),
            Some("sc") => Some("spark"),
            Some(_) => None,
            None if uri == ":memory:" || is_file(&[".duckdb", ".ddb"]) => Some("duckdb"),
            None if is_file(&[".sqlite", ".sqlite3", ".db"]) => Some("sqlite"),
            None => None,
        }
    }
}

/// The database in which releases become tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseDestination {
    /// Kind of database.
    pub engine: String,
    /// Address without credentials, or path of a file.
    pub uri: String,
    /// Time without an answer after which a call fails, in seconds.
    pub timeout: u64,
}

/// Rows of a database.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseRows {
    /// A table or view. Dots separate the parts of its name.
    Table(String),
    /// A query that reads.
    Query(String),
}

/// Kinds of databases.
pub const DATABASE_ENGINES: &[&str] = &["duckdb", "postgresql", "spark", "sqlite"];

/// Kinds of databases in which releases can be tables.
const DESTINATION_ENGINES: &[&str] = &["duckdb", "postgresql", "sqlite"];

/// The republication method that a policy selects.
#[derive(Debug, Clone, Copy)]
pub struct MethodPolicy {
    /// Catalogue definition of the method.
    pub def: &'static crate::republication::MethodDef,
    /// Form in which it publishes quasi-identifiers.
    pub form: crate::republication::Form,
}

impl PartialEq for MethodPolicy {
    fn eq(&self, other: &MethodPolicy) -> bool {
        self.def.entry.id == other.def.entry.id && self.form == other.form
    }
}

/// Policy of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnPolicy {
    /// Name of the column in the data.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// Type of the values.
    pub values: Type,
    /// How the data writes the dates or numbers.
    pub format: Option<TextFormat>,
    /// Taxonomy file, relative to the policy.
    pub taxonomy: Option<String>,
    /// Whether codes are generalized to their prefixes.
    pub by_prefix: bool,
    /// Interval levels from fine to coarse; empty if none are declared.
    pub intervals: Vec<IntervalLevel>,
    /// Whether exact values may be published below the finest interval.
    pub exact: bool,
    /// Domain of a column whose intervals the algorithm chooses: lower bound (inclusive), upper bound (exclusive).
    pub range: Option<(f64, f64)>,
    /// Treatment of missing values.
    pub missing: Missing,
    /// Unit of a sensitive column, if declared.
    pub per: Option<Unit>,
    /// Weight of the column in the information loss.
    pub weight: f64,
    /// Whether the column may be published although it is unique, or nearly unique, per person and no requirement covers it.
    pub accept_unique: bool,
    /// Values of a quasi-identifier that are never published.
    pub suppress_values: Vec<String>,
    /// Line on which its table starts.
    pub line: usize,
    taxonomy_line: Option<usize>,
    suppress_values_line: Option<usize>,
}

/// Lines of the short form in the policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ShorthandLines {
    k: Option<usize>,
    confidence: Option<usize>,
    reidentification: Option<usize>,
}

impl Policy {
    /// Returns the columns whose values may change between releases (`history.time-varying`).
    pub fn varying_columns(&self) -> Vec<String> {
        self.inconsistent.iter().filter_map(|rule| rule.varying_column().map(str::to_owned)).collect()
    }

    /// Returns the role of every column.
    pub fn roles(&self) -> Vec<(String, Role)> {
        self.columns.iter().map(|column| (column.name.clone(), column.role)).collect()
    }

    /// Returns the declared units of sensitive columns.
    pub fn units(&self) -> Vec<(String, Unit)> {
        self.columns.iter().filter_map(|column| Some((column.name.clone(), column.per?))).collect()
    }

    /// Returns the maximum number of algorithms that are tried on a table with this number of distinct combinations.
    pub fn max_tries(&self, combinations: usize) -> u64 {
        self.tries.unwrap_or((SEARCHED_COMBINATIONS / combinations.max(1) as u64).max(1))
    }

    /// Returns the bounds on sets of records of a person, which the gate judges over all releases.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments of a model are invalid.
    pub fn record_sets(&self) -> Result<Vec<RecordSetBound>> {
        let bound = |spec: &ModelSpec| {
            let sets = crate::models::record_sets(&spec.model, &spec.arguments).transpose()?;
            Some(sets.map(|sets| RecordSetBound::new(sets, spec)))
        };
        self.models.iter().filter_map(bound).collect()
    }

    /// Parses a policy. [`Requirement::build`](crate::Requirement::build) checks the models and their parameters later.
    ///
    /// # Errors
    ///
    /// Returns an error with the line if the text is not TOML, or if a key or value is invalid.
    pub fn parse(text: &str) -> Result<Policy> {
        reader::with_document(text, read::policy)
    }

    /// Builds the schema of the columns. `read` returns the content of a taxonomy file for its path.
    ///
    /// # Errors
    ///
    /// Returns an error if a taxonomy cannot be read or parsed, or if `history.inconsistent` names an unknown value.
    pub fn schema(&self, read: &mut dyn FnMut(&str) -> std::result::Result<String, String>) -> Result<Schema> {
        let mut attributes = Vec::new();
        for column in self.columns.iter().filter(|column| column.role != Role::Drop) {
            attributes.push(Attribute {
                name: column.name.clone(),
                role: column.role,
                values: column.values,
                missing: column.missing,
                tree: column.tree(read)?,
            });
        }
        let schema = Schema { attributes, owner: self.owner.clone(), missing_values: self.missing_values.clone() };
        self.inconsistent.iter().try_for_each(|rule| check_inconsistency_rule(rule, &schema))?;
        Ok(schema)
    }

    /// Reads the count queries of the purpose, if it has any. `read` returns the content of a file for its path.
    ///
    /// # Errors
    ///
    /// Returns an error with the line if the file cannot be read or parsed, or if it names an unknown column or value.
    pub fn load_queries(
        &mut self,
        schema: &Schema,
        read: &mut dyn FnMut(&str) -> std::result::Result<String, String>,
    ) -> Result<()> {
        if let Purpose::Queries(workload) = &mut self.purpose {
            let text = read(&workload.file).map_err(|why| {
                Error::policy(self.purpose_line, format!("the queries `{}` cannot be read: {why}", workload.file))
            })?;
            *workload = queries::parse(&workload.file, &text, schema)?;
        }
        Ok(())
    }

    /// Returns the declared formats of columns.
    pub fn formats(&self) -> Vec<(String, TextFormat)> {
        let formats = self.columns.iter().filter_map(|column| Some((column.name.clone(), column.format.clone()?)));
        formats.collect()
    }

    /// Returns the weights of the columns in the information loss.
    pub fn column_weights(&self) -> Vec<(String, f64)> {
        self.columns.iter().map(|column| (column.name.clone(), column.weight)).collect()
    }

    /// Checks that the policy has every column of the data. Returns the columns of the policy that the data lacks: requirements on
    /// them do not apply to a release of these data.
    ///
    /// # Errors
    ///
    /// Returns an error that names a column without a table in the policy, or the owner if the data lacks it.
    pub fn check_columns(&self, columns_in_data: &[String]) -> Result<Vec<String>> {
        let known = |column: &ColumnPolicy| columns_in_data.contains(&column.name);
        if !self.columns.is_empty() && !self.columns.iter().any(known) {
            // The first line may be data, which must not be shown.
            let message =
                "no column of the policy is in the data; does the first line of the data contain the column names?";
            return Err(Error::policy(None, message));
        }
        let is_covered = |name: &&String| self.columns.iter().any(|column| column.name == **name);
        let uncovered: Vec<&String> = columns_in_data.iter().filter(|name| !is_covered(name)).collect();
        let mut lacking = Vec::new();
        for column in self.columns.iter().filter(|column| !known(column)) {
            // Another spelling of a column of the data is a mistake.
            let hint = did_you_mean(&column.name, uncovered.iter().map(|name| name.as_str()));
            if hint.is_some() || self.owner.as_ref() == Some(&column.name) {
                let message = format!("the data has no column `{}`", column.name.escape_debug());
                return Err(Error::Policy { line: Some(column.line), message, hint });
            }
            lacking.push(column.name.clone());
        }
        if uncovered.is_empty() { Ok(lacking) } else { Err(columns_missing(&uncovered)) }
    }

    /// Returns all required models: the expanded short form, then `requirement.models`.
    pub fn model_specs(&self, schema: &Schema) -> Vec<ModelSpec> {
        self.specs_from(self.shorthand.expand(schema))
    }

    /// Returns the required models of joined releases, where earlier releases can have sensitive columns that the new one lacks.
    pub fn join_model_specs(&self) -> Vec<ModelSpec> {
        self.specs_from(self.shorthand.expand_all())
    }

    fn specs_from(&self, mut specs: Vec<ModelSpec>) -> Vec<ModelSpec> {
        let ShorthandLines { k, confidence, reidentification } = self.shorthand_lines;
        let line_of = |spec: &ModelSpec| {
            if spec.arguments.get("k").is_some() { k.or(reidentification) } else { confidence }
        };
        for spec in &mut specs {
            spec.line = line_of(spec);
        }
        specs.extend(self.models.iter().cloned());
        specs
    }
}

impl ColumnPolicy {
    fn tree(&self, read: &mut dyn FnMut(&str) -> std::result::Result<String, String>) -> Result<TreeSource> {
        if let Some(path) = &self.taxonomy {
            let text = read(path).map_err(|why| {
                Error::policy(self.taxonomy_line, format!("the taxonomy `{path}` cannot be read: {why}"))
            })?;
            let tree = Taxonomy::parse(&self.name, &text)?;
            self.check_suppressed_values(&tree)?;
            return Ok(TreeSource::Given(tree));
        }
        if !self.intervals.is_empty() {
            return Ok(TreeSource::Intervals { levels: self.intervals.clone(), exact: self.exact });
        }
        if self.by_prefix {
            return Ok(if self.role == Role::QuasiIdentifier { TreeSource::Prefixes } else { TreeSource::Flat });
        }
        let is_grown = self.values != Type::Text && self.role == Role::QuasiIdentifier;
        Ok(if is_grown { TreeSource::Grown { range: self.range } } else { TreeSource::Flat })
    }
}

impl ColumnPolicy {
    /// Checks that the values to suppress are leaves of the taxonomy. Otherwise they would be published.
    fn check_suppressed_values(&self, tree: &Taxonomy) -> Result<()> {
        let Some(unknown) = self.suppress_values.iter().find(|value| !tree.values().contains(value)) else {
            return Ok(());
        };
        let what = if tree.find(unknown).is_some() { "an inner node of the taxonomy" } else { "not in the taxonomy" };
        let message = format!("`suppress-values` of `{}` lists {unknown:?}, which is {what}; list values", self.name);
        let hint = did_you_mean(unknown, tree.values().iter().map(String::as_str));
        Err(Error::Policy { line: self.suppress_values_line, message, hint })
    }
}

/// Checks that the values of an inconsistency rule exist in their taxonomies. Otherwise the rule would have no effect.
fn check_inconsistency_rule(rule: &InconsistentRules, schema: &Schema) -> Result<()> {
    for (column, value) in [&rule.one, &rule.other].into_iter().filter(|_| rule.one != rule.other) {
        let attribute = schema.attribute(column)?;
        if let TreeSource::Given(tree) = &attribute.tree
            && tree.find(value).is_none()
        {
            let message = format!("`history.inconsistent` names a value that the taxonomy of `{column}` does not have");
            let hint = did_you_mean(value, tree.nodes().iter().map(|node| node.label.as_str()));
            return Err(Error::Policy { line: None, message, hint });
        }
    }
    Ok(())
}

fn columns_missing(names: &[&String]) -> Error {
    const MAX_LISTED: usize = 5;
    let listed: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("`{}`", name.escape_debug())).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "the policy has no table for {}{more}; add [columns.NAME] for every column of the data",
        listed.join(", ")
    );
    Error::policy(None, message)
}
