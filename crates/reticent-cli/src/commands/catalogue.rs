//! `reticent catalogue`: everything that is registered, with its paper and parameters.

use reticent::registry::{Entry, Kind};
use reticent::{catalogue, methods};

use crate::args::{Catalogue, KindWord};
use crate::failure::Failure;
use crate::screen::{HEAD, HINT, columns, print_json, wrap};
use crate::steward::Ways;

/// Prints the list, or one entry in full.
pub fn run(options: &Catalogue, ways: &Ways) -> Result<u8, Failure> {
    let wanted = |entry: &&&Entry| {
        options.kind.is_none_or(|kind| entry.kind == kind.into()) && options.id.as_ref().is_none_or(|id| entry.id == id)
    };
    let all = catalogue::all();
    let chosen: Vec<&Entry> = all.iter().filter(wanted).copied().collect();
    if chosen.is_empty() {
        let asked = options.id.as_deref().unwrap_or_default();
        let hint = reticent::error::did_you_mean(asked, all.iter().map(|entry| entry.id));
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        return Err(Failure::Call(format!(
            "there is no model, operation, metric, algorithm, method or attack `{asked}`{hint}; `reticent catalogue` lists all"
        )));
    }
    if ways.json {
        print_json(&chosen)?;
    } else if options.markdown {
        println!("{}", markdown(&chosen));
    } else if options.id.is_some() {
        chosen.iter().for_each(|entry| in_full(entry));
    } else {
        in_short(&chosen);
    }
    Ok(0)
}

impl From<KindWord> for Kind {
    fn from(word: KindWord) -> Kind {
        match word {
            KindWord::Model => Kind::Model,
            KindWord::Operation => Kind::Operation,
            KindWord::Metric => Kind::Metric,
            KindWord::Algorithm => Kind::Algorithm,
            KindWord::Method => Kind::Method,
            KindWord::Attack => Kind::Attack,
        }
    }
}

fn in_short(entries: &[&Entry]) {
    for kind in [Kind::Model, Kind::Operation, Kind::Metric, Kind::Algorithm, Kind::Method, Kind::Attack] {
        let of_kind: Vec<&&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let how = match kind {
            Kind::Method => ", named as `method` under [release]",
            Kind::Attack => ", run by `reticent audit --attack`",
            _ => "",
        };
        println!("{HEAD}{}s{HEAD:#}{HINT}{how}{HINT:#}", capital(&kind.to_string()));
        for entry in of_kind {
            println!("  {HEAD}{}{HEAD:#}{}", entry.id, parameters_in_short(entry));
            println!("{}", wrap(entry.summary, 96, "      "));
        }
        println!();
    }
    println!("{HINT}`reticent catalogue ID` shows an entry in full, with its paper and parameters.{HINT:#}");
}

fn parameters_in_short(entry: &Entry) -> String {
    let needed = entry.parameters.iter().filter(|parameter| parameter.default.is_none());
    needed.map(|parameter| format!("  {} = {}", parameter.name, parameter.domain)).collect::<Vec<_>>().join(",")
}

fn in_full(entry: &Entry) {
    println!("{HEAD}{}{HEAD:#} ({} `{}`)", entry.title, entry.kind, entry.id);
    println!("{}\n", wrap(entry.summary, 96, "  "));
    println!("  Paper     {}", entry.paper);
    println!("  Against   {}", entry.thwarts);
    if let Some(listed) = method(entry) {
        println!("  Covers    {}", listed.updates.in_words());
        println!("  Attacker  {}", wrap(listed.attacker(), 96, "            ").trim_start());
        println!("  Who goes  {}", wrap(listed.gone, 96, "            ").trim_start());
    }
    println!("  Evidence  {}", entry.evidence.join(", "));
    if !entry.parameters.is_empty() {
        println!("\n  Parameters");
        let rows: Vec<Vec<String>> = entry
            .parameters
            .iter()
            .map(|parameter| {
                let default = match parameter.default {
                    None => "needed".to_owned(),
                    Some("") => "optional".to_owned(),
                    Some(value) => format!("default {value}"),
                };
                vec![
                    format!("    {}", parameter.name),
                    parameter.domain.to_string(),
                    default,
                    parameter.meaning.to_owned(),
                ]
            })
            .collect();
        columns(&rows).iter().for_each(|line| println!("{line}"));
    }
    println!();
}

/// The reference page.
fn markdown(entries: &[&Entry]) -> String {
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
            if let Some(listed) = method(entry) {
                page.push_str(&format!("- Covers: {}\n- Attacker: {}\n", listed.updates.in_words(), listed.attacker()));
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

/// The method of an entry, if it is one.
fn method(entry: &Entry) -> Option<&'static methods::Listed> {
    methods::LIST.iter().find(|listed| entry.kind == Kind::Method && listed.entry.id == entry.id)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
