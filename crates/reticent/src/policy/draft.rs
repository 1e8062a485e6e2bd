//! A first policy for data that has none: types, interval levels, taxonomies to fill in, and a reason for each
//! suggestion.
//!
//! Every column is drafted as a quasi-identifier, the careful choice, and only a person says otherwise: a suggested role
//! stands in a comment. Comments hold counts and fixed words, never a value of the data.

mod suggest;
mod toml_text;
mod trees;

use crate::taxonomy::Type;
pub(super) use toml_text::toml_key;
use toml_text::toml_text;
use trees::Files;

/// What is known of a column before there is a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSketch {
    /// The column's name in the data.
    pub name: String,
    /// Rows read.
    pub rows: u64,
    /// Rows with an empty text.
    pub empty: u64,
    /// Its texts with the rows that carry each; none when there are too many to list.
    pub values: Option<Vec<(String, u64)>>,
    /// How many different texts there are, at least.
    pub distinct: u64,
    /// What all its texts are.
    pub looks_like: Type,
    /// For numbers and dates: ascending bounds with about equally many rows between each two.
    pub quantiles: Vec<f64>,
}

/// A drafted policy and the taxonomies it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The text of `reticent.toml`.
    pub toml: String,
    /// By path, relative to the policy: the text of each taxonomy.
    pub taxonomies: Vec<(String, String)>,
}

/// The role that a column seems to have, and why; nothing where it could be a quasi-identifier like any other.
pub fn suggested_role(column: &ColumnSketch) -> Option<(&'static str, String)> {
    suggest::role(column).filter(|(role, _)| *role != "other")
}

/// Drafts a policy for these columns.
pub fn draft(dataset: &str, columns: &[ColumnSketch]) -> Draft {
    let mut files = Files::default();
    let mut toml = opening(dataset, columns);
    for column in columns {
        toml.push_str(&table_of(column, &mut files));
    }
    toml.push_str(CLOSING);
    Draft { toml, taxonomies: files.written }
}

fn opening(dataset: &str, columns: &[ColumnSketch]) -> String {
    let owner = columns.iter().find(|column| suggest::repeats_people(column));
    let owner = owner.or_else(|| columns.iter().find(|column| suggest::names_people(column)));
    let owner = owner.map_or_else(|| "COLUMN".to_owned(), |column| column.name.clone());
    let mut lines = vec![format!("name = {}", toml_text(dataset))];
    let meaning = "the column that names the person; a method needs it, and data with several records of a person";
    lines.push(format!("# owner = {}   # {meaning}", toml_text(&owner)));
    lines.extend(suggest::missing_seen(columns));
    let missing: Vec<String> = suggest::missing_values(columns).iter().map(|text| toml_text(text)).collect();
    lines.push(format!("missing-values = [{}]", missing.join(", ")));
    format!("{OPENING}{}\n", lines.join("\n"))
}

fn table_of(column: &ColumnSketch, files: &mut Files) -> String {
    let values = suggest::type_of(column);
    let mut lines = vec![String::new(), format!("[columns.{}]", toml_key(&column.name))];
    lines.push(format!("# {}", suggest::what_it_holds(column)));
    let suggested = suggest::role(column);
    lines.extend(suggested.as_ref().map(|(role, why)| format!("# suggestion: {role} - {why}")));
    lines.push("role = \"quasi-identifier\"".to_owned());
    match values {
        // What may name people goes into no file that others may read.
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

/// Where no taxonomy is drafted.
const NO_TAXONOMY: &str = "# no taxonomy: a value can only be published as it is or suppressed";

const OPENING: &str = "#:schema ./reticent.schema.json
# What may be published about the people in this data. Drafted by `reticent init`: read it, correct it.
#
# Every column starts as a quasi-identifier, the careful choice: an attacker is assumed to know it, and it is
# generalized until the requirement holds. The other roles are for you to give:
#   identifier   names a person by itself; never published
#   sensitive    what nobody may learn about a person; published as it is
#   other        neither; published as it is

[dataset]
";

const CLOSING: &str = "
[requirement]
k = 5                # nobody can be narrowed down to fewer people
# confidence = 0.5   # once a column has the role sensitive: no such value can be inferred with more confidence

[release]
# method = \"m-invariance\"             # for the same table again and again, in place of [requirement]: `reticent catalogue --kind method`
# purpose = { classify = \"COLUMN\" }   # what the release is for; general when not given
# suppression = 0.05                  # the greatest share of records that may be left out

[recipients]
# separate = [\"NAME\", \"NAME\"]   # recipients who never combine what they hold; all others can

[ledger]
path = \"ledger\"        # where every release is remembered
key = \"reticent.key\"   # signs the ledger and turns owners into pseudonyms; keep it apart from the ledger, and keep a copy
";
