//! Drafts a policy from the data: column types, interval levels, taxonomy files to complete, and suggested roles.
//!
//! The draft gives every column the role quasi-identifier, which is the cautious choice. A suggested role is only a comment;
//! the user decides. Comments contain counts and fixed texts, never a value of the data, except common spellings of a missing
//! value.

mod suggest;
mod toml_text;
mod trees;

use crate::data::taxonomy::Type;
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
    /// Type that all texts can be parsed as.
    pub looks_like: Type,
    /// For numbers and dates: ascending quantiles, with about equally many rows between neighbours.
    pub quantiles: Vec<f64>,
}

/// A drafted policy with its taxonomy files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDraft {
    /// Content of `reticent.toml`.
    pub toml: String,
    /// Path (relative to the policy) and content of each taxonomy file.
    pub taxonomies: Vec<(String, String)>,
}

/// Returns the suggested role of a column and the reason. Returns `None` without a suggestion, or if the suggestion is `other`.
pub fn suggested_role(column: &ColumnSketch) -> Option<(&'static str, String)> {
    suggest::role(column).filter(|(role, _)| *role != "other")
}

/// Drafts a policy for these columns.
pub fn draft(dataset: &str, columns: &[ColumnSketch]) -> PolicyDraft {
    let mut files = TaxonomyFiles::default();
    let mut toml = dataset_section(dataset, columns);
    for column in columns {
        toml.push_str(&column_section(column, &mut files));
    }
    toml.push_str(FOOTER);
    PolicyDraft { toml, taxonomies: files.written }
}

fn dataset_section(dataset: &str, columns: &[ColumnSketch]) -> String {
    let owner = columns.iter().find(|column| suggest::may_be_repeated_owner(column));
    let owner = owner.or_else(|| columns.iter().find(|column| suggest::may_be_unique_owner(column)));
    let owner = owner.map_or_else(|| "COLUMN".to_owned(), |column| column.name.clone());
    let mut lines = vec![format!("name = {}", toml_text(dataset))];
    let meaning = "column that identifies the person; needed for republication methods and several records per person";
    lines.push(format!("# owner = {}   # {meaning}", toml_text(&owner)));
    lines.extend(suggest::missing_value_comment(columns));
    let missing: Vec<String> = suggest::missing_values(columns).iter().map(|text| toml_text(text)).collect();
    lines.push(format!("missing-values = [{}]", missing.join(", ")));
    format!("{HEADER}{}\n", lines.join("\n"))
}

fn column_section(column: &ColumnSketch, files: &mut TaxonomyFiles) -> String {
    let values = suggest::type_of(column);
    let mut lines = vec![String::new(), format!("[columns.{}]", toml_key(&column.name))];
    lines.push(format!("# {}", suggest::describe_values(column)));
    let suggested = suggest::role(column);
    lines.extend(suggested.as_ref().map(|(role, why)| format!("# Suggested role: {role} - {why}")));
    lines.push("role = \"quasi-identifier\"".to_owned());
    match values {
        // A taxonomy file must not list values that may identify people.
        Type::Text if suggested.is_some_and(|(role, _)| role == "identifier") => lines.push(NO_TAXONOMY.to_owned()),
        Type::Text => lines.push(files.taxonomy_line(column)),
        Type::Number => {
            lines.push("type = \"number\"".to_owned());
            lines.extend(trees::intervals_line(column));
        }
        Type::Date => {
            lines.push("type = \"date\"".to_owned());
            lines.push("intervals = [\"month\", \"year\", \"decade\"]".to_owned());
        }
    }
    lines.join("\n") + "\n"
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
# The draft makes every column a quasi-identifier, which is the cautious choice. Comments suggest other roles.

[dataset]
";

const FOOTER: &str = "
[requirement]
k = 5                # k-anonymity: at least 5 people share every published combination of quasi-identifiers
# confidence = 0.5   # needs a sensitive column: maximum probability of linking a sensitive value to a person

[release]
# method = \"m-invariance\"             # republish a table that changes over time; needs `owner`, replaces `k`
# purpose = { classify = \"COLUMN\" }   # keep the detail that predicts this column; default: \"general\"
# suppression = 0.05                  # maximum share of suppressed records; default: 0

[recipients]
# non-colluding = [\"NAME\", \"NAME\"]   # these recipients do not share releases with each other; all others may

[ledger]
path = \"ledger\"        # folder that records every release
key = \"reticent.key\"   # signs the ledger and derives owner pseudonyms; store it outside the ledger and keep a backup
";
