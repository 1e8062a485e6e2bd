//! The README.md of a published folder, for recipients.

use reticent::audit::{AuditedGroups, Proof};
use reticent::republication::{Form, PublishedTables};
use reticent_ledger::HistoryScope;

use super::GroupMaker;
use super::tables::{PEOPLE, TableNames};
use crate::error::Result;

/// Returns the text of the README.
pub(crate) fn readme(
    group: &GroupMaker<'_>,
    published: &PublishedTables,
    (files, continued): (&TableNames, u64),
    audited: &AuditedGroups,
    judged: &HistoryScope,
) -> Result<String> {
    let (request, loaded, method) = (group.plan.request, &group.plan.loaded, &group.method);
    let mut text = format!(
        "# {}, {}\n\n{}, published on {} with the method {} ({} quasi-identifiers).\n\n",
        loaded.policy.dataset,
        request.name,
        people(published),
        group.plan.context.today(),
        method.def.entry.title,
        method.form.word()
    );
    text += "The table of people assigns every person to a group. Other tables list the sensitive values of each group. They do \
             not show which person has which value.\n\n| file | columns |\n|---|---|\n";
    let row = |name: &str, columns: &[String]| format!("| `{name}.csv` | {} |\n", columns.join(", "));
    text += &row(PEOPLE, &published.people.names);
    let counted = |names: &[String], set: bool| {
        let count = (!set).then(|| files.count.clone());
        names.iter().cloned().chain(count).collect::<Vec<String>>()
    };
    for (list, name) in published.lists.iter().zip(&files.lists) {
        text += &row(name, &counted(&list.counts.names, list.is_set));
    }
    for (counts, name) in published.marginals.iter().zip(&files.marginals) {
        text += &row(name, &counted(&counts.names, false));
    }
    if method.form == Form::Generalized {
        text += "\nQuasi-identifiers are generalized to cover all people of the group, or of several groups: an interval, a more general value, or `*` \
                 (any value).\n";
    }
    for list in published.lists.iter().filter(|list| list.is_set) {
        text += &format!(
            "\nThe table of `{}` lists each value of a group once, without a count. Every person of the group has one of the \
             listed values. Some listed values may belong to no person.\n",
            list.column
        );
    }
    let unassigned = published.counterfeits();
    if unassigned > 0 {
        text += &format!(
            "\nNumber of listed values that belong to no person in this release: {unassigned}. They are counterfeit values, or \
             values of people who left the data. In each group, their number is the sum of the counts minus the number of people.\n"
        );
    }
    text += "\n## Joining the tables in SQL\n\n";
    for (list, name) in published.lists.iter().zip(&files.lists) {
        text += &join(published, list.column.as_str(), name, (!list.is_set).then_some(files.count.as_str()));
    }
    text += &format!(
        "Each result row pairs a person with a possible value. Given this release alone, the probability of a value is \
         proportional to its count in the group. Values without a count are equally likely.\n\nThe SQL runs in DuckDB in this \
         folder. In other databases, load the files as tables, and remove the quotes and `.csv`.\n\n## Guarantee\n\n{}.\n",
        capital(method.def.entry.protects_against)
    );
    if let HistoryScope::Alone { .. } = judged {
        text +=
            "\nThis release was judged alone. What it discloses in combination with other releases was not checked.\n";
    } else if audited.proof == Proof::Off {
        text += "\nThe guarantee was not checked for this release.\n";
    } else if audited.columns.iter().any(|column| column.already_above > 0) {
        text +=
            "\nEarlier releases exceed these bounds for some people. This release does not disclose more about them.\n";
    }
    if !group.plan.access.non_colluding.groups.is_empty() && !matches!(judged, HistoryScope::Alone { .. }) {
        text += "\n\"All releases\" are the releases that colluding recipients can combine. Some recipients are assumed not to collude.\n";
    }
    for column in group.sensitive_columns() {
        if let Some(bound) = group.promise(column)? {
            text += &format!("\n- posterior of a value of `{column}`: at most {}", bound.fraction());
        }
    }
    if continued > 0 {
        text += &format!(
            "\n\nThe bounds do not apply to {} of earlier ordinary releases. Their groups list the values that those releases list: recipients \
             who hold them learn no more from this release, and for other recipients the bounds apply.",
            reticent::text::people(continued)
        );
    }
    if let Some(bound) = method.def.linkage_bound(&group.arguments)? {
        text += &format!("\n- probability of linking a record to a person: at most {}", bound.fraction());
    }
    Ok(text.trim_end().to_owned() + "\n")
}

/// Returns the SQL query, in two lines, that joins the table of people with a list.
fn join(published: &PublishedTables, column: &str, name: &str, count: Option<&str>) -> String {
    let value = format!("{name}.{}", identifier(column));
    let count = count.map(|count| format!(", {name}.{count}")).unwrap_or_default();
    let table = |name: &str| format!("'{name}.csv' AS {name}");
    format!(
        "```sql\nSELECT {PEOPLE}.*, {value}{count}\nFROM {} JOIN {} USING ({});\n```\n\n",
        table(PEOPLE),
        table(name),
        identifier(&published.group)
    )
}

/// Quotes an SQL identifier, if necessary.
fn identifier(name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn people(published: &PublishedTables) -> String {
    reticent::text::people(published.people.contingency.rows())
}

/// Capitalizes the first letter of a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
