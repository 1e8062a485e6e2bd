//! `catalogue`: everything that is registered, with its paper and parameters.

use reticent::catalogue::all;
use reticent::methods;
use reticent::registry::{Entry, Kind};

use crate::error::{Problem, Result};

/// All entries, those of one kind, or one entry.
///
/// # Errors
///
/// If there is no entry with this id.
pub fn catalogue(kind: Option<Kind>, id: Option<&str>) -> Result<Vec<&'static Entry>> {
    let wanted =
        |entry: &&&'static Entry| kind.is_none_or(|kind| entry.kind == kind) && id.is_none_or(|id| entry.id == id);
    let all = all();
    let chosen: Vec<&'static Entry> = all.iter().filter(wanted).copied().collect();
    if chosen.is_empty() {
        let id = id.unwrap_or_default().to_owned();
        // A method that is no longer offered is named with the one that takes its place.
        methods::named(&id).map_or(Ok(()), methods::Listed::offered)?;
        let hint = reticent::error::did_you_mean(&id, all.iter().map(|entry| entry.id));
        return Err(Problem::NoSuchEntry { id, hint }.into());
    }
    Ok(chosen)
}

/// The reference page of these entries, as Markdown.
pub fn reference(entries: &[&Entry]) -> String {
    let mut page = String::from(
        "# Reference\n\nGenerated from the registries by `reticent catalogue --markdown`; do not edit by hand.\n",
    );
    for kind in [Kind::Model, Kind::Operation, Kind::Metric, Kind::Algorithm, Kind::Method, Kind::Attack] {
        let of_kind: Vec<&&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        page.push_str(&format!("\n## {}s\n", capital(&kind.to_string())));
        for entry in of_kind {
            page.push_str(&format!("\n### {} (`{}`)\n\n{}\n\n", entry.title, entry.id, entry.summary));
            page.push_str(&format!("- Paper: {}\n- Against: {}\n", entry.paper, entry.thwarts));
            if entry.comparison {
                page.push_str("- For comparison only, as in its paper; not for releases\n");
            }
            if let Some(listed) = method(entry) {
                page.push_str(&format!("- Covers: {}\n- Attacker: {}\n", listed.updates.in_words(), methods::ATTACKER));
                page.push_str(&format!("- Who goes: {}\n", listed.gone));
            }
            page.push_str(&format!("- Evidence: {}\n", entry.evidence.join(", ")));
            if !entry.parameters.is_empty() {
                page.push_str("\n| parameter | values | when not given | meaning |\n|---|---|---|---|\n");
            }
            for parameter in entry.parameters {
                let default =
                    parameter.default.map_or("an error", |value| if value.is_empty() { "see meaning" } else { value });
                let domain = parameter.domain.to_string().replace('|', "\\|");
                page.push_str(&format!("| `{}` | {domain} | {default} | {} |\n", parameter.name, parameter.meaning));
            }
        }
    }
    page.trim_end().to_owned()
}

/// The republication method of an entry, if it is one.
pub fn method(entry: &Entry) -> Option<&'static methods::Listed> {
    methods::LIST.iter().find(|listed| entry.kind == Kind::Method && listed.entry.id == entry.id)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
