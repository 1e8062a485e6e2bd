//! `catalogue`: models, operations, metrics, algorithms, methods and attacks, with their papers and parameters.

use reticent::catalogue::all;
use reticent::policy::presets::{self, Criterion};
use reticent::registry::{Entry, Kind};
use reticent::republication;

use crate::error::{Problem, Result};

/// Returns the entries of the catalogue, optionally of one kind or with one id.
///
/// # Errors
///
/// Returns an error if there is no such entry.
pub fn catalogue(kind: Option<Kind>, id: Option<&str>) -> Result<Vec<&'static Entry>> {
    let wanted =
        |entry: &&&'static Entry| kind.is_none_or(|kind| entry.kind == kind) && id.is_none_or(|id| entry.id == id);
    let all = all();
    let chosen: Vec<&'static Entry> = all.iter().filter(wanted).copied().collect();
    if chosen.is_empty() {
        let id = id.unwrap_or_default().to_owned();
        // For a retired method, the error names its replacement.
        republication::find_method(&id).map_or(Ok(()), republication::MethodDef::check_offered)?;
        let hint = reticent::error::did_you_mean(&id, all.iter().map(|entry| entry.id));
        return Err(Problem::NoSuchEntry { id, hint }.into());
    }
    Ok(chosen)
}

/// Returns the reference page of the given entries, in Markdown.
pub fn reference(entries: &[&Entry]) -> String {
    let mut page = String::from(
        "# Reference\n\nThis page is generated from the catalogue by `just reference`. Do not edit it by hand.\n",
    );
    for kind in [Kind::Model, Kind::Operation, Kind::Metric, Kind::Algorithm, Kind::Method, Kind::Attack] {
        let of_kind: Vec<&&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        page.push_str(&format!("\n## {}s\n", capital(&kind.to_string())));
        for entry in of_kind {
            page.push_str(&format!("\n### {} (`{}`)\n\n{}\n\n", entry.title, entry.id, entry.summary));
            let label = match entry.kind {
                Kind::Metric => "Measures",
                Kind::Method => "Guarantee",
                Kind::Attack => "Threat",
                _ => "Protects against",
            };
            page.push_str(&format!("- Paper: {}\n- {label}: {}\n", entry.paper, entry.protects_against));
            if entry.comparison {
                page.push_str("- For comparison only, not for releases\n");
            }
            if let Some(listed) = method(entry) {
                page.push_str(&format!(
                    "- Covers: {}\n- Attacker: {}\n",
                    listed.updates.description(),
                    republication::ATTACKER
                ));
                page.push_str(&format!("- People who leave: {}\n", listed.departure_rule));
            }
            page.push_str(&format!("- Evidence: {}\n", entry.evidence.join(", ")));
            if !entry.parameters.is_empty() {
                page.push_str("\n| parameter | values | default | meaning |\n|---|---|---|---|\n");
            }
            for parameter in entry.parameters {
                let default =
                    parameter.default.map_or("required", |value| if value.is_empty() { "see meaning" } else { value });
                let domain = parameter.domain.to_string().replace('|', "\\|");
                page.push_str(&format!("| `{}` | {domain} | {default} | {} |\n", parameter.name, parameter.meaning));
            }
        }
    }
    if entries.len() == all().len() {
        page.push_str(&presets());
    }
    page.trim_end().to_owned()
}

/// Returns the section of the reference page about presets, in Markdown.
fn presets() -> String {
    let mut page = String::from(
        "\n## presets\n\n`preset` under `[requirement]` sets the thresholds of a published guidance. Further keys can be stricter, and \
         never weaker. A preset sets thresholds only: it does not establish that a release fulfils the other conditions of its \
         source.\n",
    );
    for preset in presets::LIST {
        page.push_str(&format!("\n### {} (`{}`)\n\n{}\n\n", preset.title, preset.id, preset.summary));
        let keys: Vec<String> = preset.keys().iter().map(|key| format!("`{key}`")).collect();
        page.push_str(&format!("- Source: {}\n- Sets: {}\n", preset.source, keys.join(", ")));
        page.push_str(&format!(
            "- Not covered: {}\n\n| criterion | requirement here |\n|---|---|\n",
            preset.not_covered
        ));
        for Criterion { criterion, requirement } in preset.mapping {
            page.push_str(&format!("| {criterion} | {requirement} |\n"));
        }
    }
    page
}

/// Returns the republication method of an entry, if the entry is one.
pub fn method(entry: &Entry) -> Option<&'static republication::MethodDef> {
    republication::LIST.iter().find(|listed| entry.kind == Kind::Method && listed.entry.id == entry.id)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
