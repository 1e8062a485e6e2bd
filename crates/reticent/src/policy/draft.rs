//! Drafts a policy from the data: column types, interval levels, taxonomy files to complete, and suggested roles.
//!
//! The draft gives every column the role quasi-identifier, which is the cautious choice. Only columns that certainly identify
//! people, and empty columns, get a role that excludes them. A suggested role is a comment; the user decides. Comments contain
//! counts and fixed texts, never a value of the data, except common spellings of a missing value.

mod content;
mod missing;
mod suggest;
mod toml_text;
mod trees;

use super::{DatabaseRows, DatabaseSource};
use crate::column_names::split_words;
use crate::data::schema::Role;
use crate::data::taxonomy::Type;
use crate::data::text_format::TextFormat;
pub use missing::{missing_spellings, missing_values};
pub(super) use toml_text::toml_key;
use toml_text::toml_text;
use trees::TaxonomyFiles;

/// Statistics of one column, from which a policy is drafted.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSketch {
    /// Name of the column in the data.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows with an empty text.
    pub empty: u64,
    /// Distinct texts with the number of rows of each; `None` if there are too many to list.
    pub values: Option<Vec<(String, u64)>>,
    /// Number of distinct texts, or a lower bound of it.
    pub distinct: u64,
    /// Type that all texts can be parsed as, by the format if there is one.
    pub looks_like: Type,
    /// How the numbers or dates are written; `None` for plain numbers and dates YYYY-MM-DD.
    pub format: Option<TextFormat>,
    /// For numbers and dates: ascending quantiles, with about equally many rows between neighbours.
    pub quantiles: Vec<f64>,
}

/// What the draft declares in addition to what the columns show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftOptions {
    /// Encoding of the text files, if it is not UTF-8.
    pub encoding: Option<String>,
    /// Sheet of the workbook.
    pub sheet: Option<String>,
    /// Table or query with the data, if it is in a database.
    pub database: Option<DatabaseSource>,
    /// Texts that mean a missing value, the published one first.
    pub missing_values: Vec<String>,
    /// Column that identifies the person. Its role is identifier.
    pub owner: Option<String>,
    /// Roles that the user chose.
    pub roles: Vec<(String, Role)>,
}

/// A column of the draft, for a user who decides about its role.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DraftedColumn {
    /// Name of the column.
    pub name: String,
    /// Number and type of the values, as a text.
    pub values: String,
    /// Role in the draft.
    pub role: Role,
    /// Suggested role, if there is a reason for one.
    pub suggested_role: Option<Role>,
    /// Reason for the suggested role.
    pub reason: Option<String>,
}

/// A drafted policy with its taxonomy files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyDraft {
    /// Content of `reticent.toml`.
    pub toml: String,
    /// Path (relative to the policy) and content of each taxonomy file.
    pub taxonomies: Vec<(String, String)>,
    /// Columns with their drafted and suggested roles.
    pub columns: Vec<DraftedColumn>,
}

/// Whether the column name means a date.
pub fn has_date_name(name: &str) -> bool {
    const WORDS: &[&str] =
        &["birth", "birthdate", "birthday", "born", "date", "datum", "day", "dob", "fecha", "geburtsdatum"];
    split_words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether the column name means a code.
pub fn has_code_name(name: &str) -> bool {
    suggest::is_code_name(name)
}

/// Returns the suggested role of a column and the reason. Returns `None` without a suggestion, or if the suggestion is `other`.
pub fn suggested_role(column: &ColumnSketch) -> Option<(Role, String)> {
    suggest::role(column).filter(|(role, _)| *role != Role::Other)
}

/// Drafts a policy for these columns.
pub fn draft(dataset: &str, columns: &[ColumnSketch], source: &DraftOptions) -> PolicyDraft {
    let mut files = TaxonomyFiles::default();
    let all: Vec<ColumnSketch> = columns.iter().map(|column| without_missing(column, &source.missing_values)).collect();
    let roles = source.roles_of(&all);
    let mut toml = dataset_section(dataset, &all, source);
    toml.push_str(&source_section(source));
    for (column, role) in all.iter().zip(&roles) {
        toml.push_str(&column_section(column, *role, &mut files));
    }
    toml.push_str(FOOTER);
    let columns = all.iter().zip(roles).map(|(column, role)| drafted_column(column, role)).collect();
    PolicyDraft { toml, taxonomies: files.written, columns }
}

impl DraftOptions {
    /// Returns the roles of the columns in the draft.
    fn roles_of(&self, columns: &[ColumnSketch]) -> Vec<Role> {
        let chosen = |column: &ColumnSketch| {
            let owner = (self.owner.as_ref() == Some(&column.name)).then_some(Role::Identifier);
            owner.or_else(|| self.roles.iter().find(|(name, _)| *name == column.name).map(|(_, role)| *role))
        };
        let mut roles: Vec<Role> =
            columns.iter().map(|column| chosen(column).unwrap_or_else(|| suggest::drafted_role(column))).collect();
        // k-anonymity needs a quasi-identifier.
        if !roles.contains(&Role::QuasiIdentifier) {
            let drafted = columns
                .iter()
                .zip(&mut roles)
                .filter(|(column, role)| chosen(column).is_none() && **role == Role::Identifier);
            drafted.for_each(|(_, role)| *role = Role::QuasiIdentifier);
        }
        roles
    }
}

fn drafted_column(column: &ColumnSketch, role: Role) -> DraftedColumn {
    let (suggested_role, reason) = suggest::role(column).unzip();
    let (name, values) = (column.name.clone(), suggest::describe_values(column));
    DraftedColumn { name, values, role, suggested_role, reason }
}

/// Returns the column without the texts that mean a missing value.
fn without_missing(column: &ColumnSketch, missing: &[String]) -> ColumnSketch {
    let mut column = column.clone();
    if let Some(values) = &mut column.values {
        values.retain(|(text, _)| !missing.contains(text));
        column.distinct = values.len() as u64;
    }
    column
}

fn dataset_section(dataset: &str, columns: &[ColumnSketch], source: &DraftOptions) -> String {
    let guess = columns.iter().find(|column| suggest::may_be_repeated_owner(column));
    let guess = guess.or_else(|| columns.iter().find(|column| suggest::may_be_unique_owner(column)));
    let guess = guess.map_or_else(|| "COLUMN".to_owned(), |column| column.name.clone());
    let mut lines = vec![format!("name = {}", toml_text(dataset))];
    let meaning = "column that identifies the person; needed for republication methods and several records per person";
    let (mark, owner) = source.owner.as_ref().map_or(("# ", &guess), |owner| ("", owner));
    lines.push(format!("{mark}owner = {}   # {meaning}", toml_text(owner)));
    lines.extend(missing::comment(columns, &source.missing_values));
    let missing: Vec<String> = source.missing_values.iter().map(|text| toml_text(text)).collect();
    lines.push(format!("missing-values = [{}]", missing.join(", ")));
    format!("{HEADER}{}\n", lines.join("\n"))
}

fn source_section(source: &DraftOptions) -> String {
    let encoding = source.encoding.as_ref().map(|encoding| format!("encoding = {}", toml_text(encoding)));
    let sheet = source.sheet.as_ref().map(|sheet| format!("sheet = {}", toml_text(sheet)));
    let database = source.database.iter().flat_map(|DatabaseSource { engine, uri, rows, .. }| {
        let (key, text) = match rows {
            DatabaseRows::Table(name) => ("table", name),
            DatabaseRows::Query(query) => ("query", query),
        };
        [("engine", engine), ("uri", uri), (key, text)].map(|(key, text)| format!("{key} = {}", toml_text(text)))
    });
    let lines: Vec<String> = encoding.into_iter().chain(sheet).chain(database).collect();
    if lines.is_empty() { String::new() } else { format!("\n[source]\n{}\n", lines.join("\n")) }
}

fn column_section(column: &ColumnSketch, role: Role, files: &mut TaxonomyFiles) -> String {
    let values = suggest::type_of(column);
    let mut lines = vec![String::new(), format!("[columns.{}]", toml_key(&column.name))];
    lines.push(format!("# {}", suggest::describe_values(column)));
    let suggested = suggest::role(column);
    lines.extend(suggested.as_ref().map(|(suggested, why)| match *suggested == role {
        true => format!("# {why}"),
        false => format!("# Suggested role: {} - {why}", suggested.word()),
    }));
    lines.push(format!("role = \"{}\"", role.word()));
    match values {
        _ if matches!(role, Role::Identifier | Role::Drop) => {}
        Type::Text if role != Role::QuasiIdentifier => {}
        // A taxonomy file must not list values that may identify people.
        Type::Text if suggested.is_some_and(|(role, _)| role == Role::Identifier) => lines.push(NO_TAXONOMY.to_owned()),
        Type::Text if suggest::is_masked_code(column) => {
            lines.push("mask = \"prefix\"   # 12345 is generalized to 1234*, then 123*".to_owned());
        }
        Type::Text => lines.push(files.taxonomy_line(column)),
        Type::Number => {
            lines.push("type = \"number\"".to_owned());
            lines.extend(format_lines(column));
            lines.extend(trees::intervals_line(column).filter(|_| role == Role::QuasiIdentifier));
        }
        Type::Date => {
            lines.push("type = \"date\"".to_owned());
            lines.extend(format_lines(column));
            let levels = "intervals = [\"month\", \"year\", \"decade\"]".to_owned();
            lines.extend((role == Role::QuasiIdentifier).then_some(levels));
        }
    }
    lines.join("\n") + "\n"
}

/// Returns the lines that declare how numbers or dates are written.
fn format_lines(column: &ColumnSketch) -> Vec<String> {
    let Some(format) = &column.format else { return Vec::new() };
    let years =
        format.years_from().map(|from| format!("years-from = {from}   # two-digit years mean {from} to {}", from + 99));
    std::iter::once(format!("format = {}", toml_text(&format.text()))).chain(years).collect()
}

/// Comment for a text column without a drafted taxonomy.
const NO_TAXONOMY: &str = "# No taxonomy: a value can only be published unchanged or suppressed (*).";

const HEADER: &str = "#:schema ./reticent.schema.json
# Release policy: the role of every column, and the privacy requirement of every release.
# This is a draft. Review the role of every column before the first release.
#
# Roles of columns:
#   identifier         Identifies a person directly (name, patient number). Never published.
#   quasi-identifier   An attacker may know it (age, city). Generalized until the requirement is satisfied.
#   sensitive          Private information (diagnosis). Published unchanged; linking it to a person is limited.
#   other              None of these. Published unchanged and not protected.
#
# The draft makes every column a quasi-identifier, which is the cautious choice, unless the column is empty or certainly
# identifies people. Comments suggest other roles.

[dataset]
";

const FOOTER: &str = "
[requirement]
k = 5                # k-anonymity: at least 5 people share every published combination of quasi-identifiers
# confidence = 0.5   # needs a sensitive column: maximum probability of linking a sensitive value to a person

[release]
# method = \"m-invariance\"             # republish a table that changes over time; needs `owner`, replaces `k`
# purpose = { classify = \"COLUMN\" }   # keep the detail that predicts this column; default: \"general\"
suppression = 0.05                    # maximum share of suppressed records: few rare records do not coarsen all others

[recipients]
# non-colluding = [\"NAME\", \"NAME\"]   # these recipients do not share releases with each other; all others may

[ledger]
path = \"ledger\"        # folder that records every release
key = \"reticent.key\"   # signs the ledger and derives owner pseudonyms; store it outside the ledger and keep a backup
";
