//! `reticent catalogue`: everything that is registered, with its paper and parameters.

use reticent::registry::{Entry, Kind};
use reticent_app::{catalogue, method, reference};

use crate::args::{Catalogue, KindWord};
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{HEAD, HINT, columns, wrap};

/// Prints the list, or one entry in full.
pub fn run(options: &Catalogue, console: &Console) -> Result<u8, Error> {
    let chosen = catalogue(options.kind.map(Kind::from), options.id.as_deref())?;
    console.answer(&chosen, |chosen| match (options.markdown, &options.id) {
        (true, _) => println!("{}", reference(chosen)),
        (false, Some(_)) => chosen.iter().for_each(|entry| in_full(entry)),
        (false, None) => in_short(chosen),
    })?;
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
        let (compared, offered): (Vec<&&Entry>, Vec<&&Entry>) = of_kind.into_iter().partition(|entry| entry.comparison);
        for entry in offered {
            println!("  {HEAD}{}{HEAD:#}{}", entry.id, parameters_in_short(entry));
            println!("{}", wrap(entry.summary, 96, "      "));
        }
        if !compared.is_empty() {
            let ids: Vec<&str> = compared.iter().map(|entry| entry.id).collect();
            println!("{HINT}{}{HINT:#}", wrap(&format!("for comparison only: {}", ids.join(", ")), 96, "  "));
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
    println!("  Against   {}", entry.protects_against);
    if entry.comparison {
        println!("  For comparison only, as in its paper; not for releases");
    }
    if let Some(listed) = method(entry) {
        println!("  Covers    {}", listed.updates.description());
        println!("  Attacker  {}", wrap(reticent::republication::ATTACKER, 96, "            ").trim_start());
        println!("  Leavers   {}", wrap(listed.departure_rule, 96, "            ").trim_start());
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

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
