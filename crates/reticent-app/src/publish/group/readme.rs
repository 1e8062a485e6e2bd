//! What a recipient reads beside the tables of a release.

use reticent::audit::{AuditedGroups, Proof};
use reticent::methods::{Form, Shown};
use reticent_ledger::Judged;

use super::Group;
use super::tables::{PEOPLE, Tables};
use crate::error::Result;

/// The text of the README.
pub(crate) fn readme(
    group: &Group<'_>,
    shown: &Shown,
    files: &Tables,
    audited: &AuditedGroups,
    judged: &Judged,
) -> Result<String> {
    let (request, loaded, method) = (group.plan.request, &group.plan.loaded, &group.method);
    let mut text = format!(
        "# {}, {}\n\n{}, published {} by {} ({}).\n\n",
        loaded.policy.dataset,
        request.name,
        people(shown),
        group.plan.context.today(),
        method.listed.entry.title,
        method.form.word()
    );
    text += "People are in groups. Which of a group's values is whose is not told.\n\n| file | columns |\n|---|---|\n";
    let row = |name: &str, columns: &[String]| format!("| `{name}.csv` | {} |\n", columns.join(", "));
    text += &row(PEOPLE, &shown.people.names);
    let counted = |names: &[String], set: bool| {
        let count = (!set).then(|| files.count.clone());
        names.iter().cloned().chain(count).collect::<Vec<String>>()
    };
    for (list, name) in shown.lists.iter().zip(&files.lists) {
        text += &row(name, &counted(&list.counts.names, list.set));
    }
    for (counts, name) in shown.marginals.iter().zip(&files.marginals) {
        text += &row(name, &counted(&counts.names, false));
    }
    if method.form == Form::Generalized {
        text += "\nQuasi-identifiers are what covers everybody of a group: an interval, a value above theirs, or `*` for any.\n";
    }
    for list in shown.lists.iter().filter(|list| list.set) {
        text += &format!(
            "\n`{}` lists values once for each group. Everybody of the group has one of them; some may be nobody's.\n",
            list.column
        );
    }
    let nobodys = shown.counterfeits();
    if nobodys > 0 {
        text += &format!(
            "\n{nobodys} of the values that are listed with a count are nobody's in this release, counterfeits or of people who are gone: as \
             many in a group as its list counts more than the group has people.\n"
        );
    }
    text += "\n## Together, in SQL\n\n";
    for (list, name) in shown.lists.iter().zip(&files.lists) {
        text += &join(shown, list.column.as_str(), name, (!list.set).then_some(files.count.as_str()));
    }
    text += &format!(
        "By this release alone, each of a group's values is as likely somebody's as the others, by how often it is listed. As it stands this runs in DuckDB, in this \
         folder; elsewhere load the files as tables and leave out the quotes and `.csv`.\n\n## Promise\n\n{}.\n",
        capital(method.listed.entry.thwarts)
    );
    if let Judged::Alone { .. } = judged {
        text += "\nThis release was judged by itself: what it tells together with others was not looked at.\n";
    } else if audited.proof == Proof::Off {
        text += "\nThat was not checked for this release.\n";
    } else if audited.columns.iter().any(|column| column.already > 0) {
        text += "\nEarlier releases told more of some people; of these, this one tells nothing more than they did.\n";
    }
    if !group.plan.access.separate.groups.is_empty() && !matches!(judged, Judged::Alone { .. }) {
        text += "\nAll releases are those that recipients can hold who may combine what they got; some are taken never to do so.\n";
    }
    for column in group.sensitive() {
        if let Some(most) = group.promise(column)? {
            text += &format!("\n- `{column}`: at most {}", most.fraction());
        }
    }
    if let Some(most) = method.listed.linked(&group.arguments)? {
        text += &format!("\n- a record: at most {}", most.fraction());
    }
    Ok(text.trim_end().to_owned() + "\n")
}

/// Two lines.
fn join(shown: &Shown, column: &str, name: &str, count: Option<&str>) -> String {
    let value = format!("{name}.{}", identifier(column));
    let count = count.map(|count| format!(", {name}.{count}")).unwrap_or_default();
    let table = |name: &str| format!("'{name}.csv' AS {name}");
    format!(
        "```sql\nSELECT {PEOPLE}.*, {value}{count}\nFROM {} JOIN {} USING ({});\n```\n\n",
        table(PEOPLE),
        table(name),
        identifier(&shown.group)
    )
}

/// A name as SQL reads it.
fn identifier(name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn people(shown: &Shown) -> String {
    reticent::text::people(shown.people.combos.rows())
}

/// A sentence that begins with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
