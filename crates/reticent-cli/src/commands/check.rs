//! `reticent check`: the disclosure risk of the unprotected data, and the requirements of the policy.

use reticent::{Missing, Role, Unit};
use reticent_app::Workspace;
use reticent_app::answer::{CheckAnswer, ColumnRole, DataFindings, PresetAnswer};
use reticent_app::request::CheckRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, bar, columns, count, people, percent, plural, witness, wrap};

/// Checks the policy, and the data if given. The exit status is 1 if the unprotected data violates the policy.
pub fn run(options: &args::Check, console: &Console) -> Result<u8, Error> {
    let request = CheckRequest { data: options.data.clone().into(), witnesses: options.witnesses };
    let answer = Workspace::new(&options.policy).check(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(u8::from(!answer.holds()))
}

fn print(answer: &CheckAnswer) {
    println!("{HEAD}Requirements for {}{HEAD:#}", answer.dataset);
    for requirement in &answer.requirements {
        println!("  {requirement}");
    }
    if let Some(PresetAnswer { preset, keys }) = &answer.preset {
        println!("{}", wrap(&format!("preset {}: {} ({})", preset.id, preset.title, keys.join(", ")), WIDTH, "  "));
        println!("{HINT}{}{HINT:#}", wrap(&format!("source: {}", preset.source), WIDTH, "    "));
        println!("{HINT}{}{HINT:#}", wrap(&format!("not covered: {}", preset.not_covered), WIDTH, "    "));
    }
    let suppression = answer.suppression;
    if suppression.limit.numerator > 0 {
        let what = if suppression.cells { "cells first, then records" } else { "records" };
        println!(
            "  {HINT}up to {:.1} % of the records may be suppressed ({what}){HINT:#}",
            100.0 * suppression.limit.to_f64()
        );
    }
    println!();
    let roles: Vec<Vec<String>> = [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Other, Role::Drop]
        .iter()
        .map(|role| (role, names(answer, *role)))
        .filter(|(_, names)| !names.is_empty())
        .map(|(role, names)| vec![format!("  {}", role_text(*role)), names])
        .collect();
    columns(&roles).iter().for_each(|line| println!("{line}"));
    if let Some(findings) = &answer.data {
        print_findings(findings);
    }
}

fn names(answer: &CheckAnswer, role: Role) -> String {
    let name = |column: &ColumnRole| match column.per {
        None => column.name.clone(),
        Some(Unit::Person) => format!("{} (per person)", column.name),
        Some(Unit::Record) => format!("{} (per record)", column.name),
    };
    let names: Vec<String> = answer.columns.iter().filter(|column| column.role == role).map(name).collect();
    names.join(", ")
}

fn role_text(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifiers (not published)",
        Role::QuasiIdentifier => "quasi-identifiers",
        Role::Sensitive => "sensitive attributes",
        Role::Other => "other (published unchanged)",
        Role::Drop => "dropped (not published)",
    }
}

fn print_findings(findings: &DataFindings) {
    let risk = &findings.risk;
    println!("\n{HEAD}Unprotected data{HEAD:#}: {} about {}", plural(risk.records, "record"), people(risk.people));
    let share =
        |people: u64| format!("{} {}", bar(people as f64 / risk.people.max(1) as f64), percent(people, risk.people));
    let mut rows = vec![
        vec!["  sample unique (k = 1)".to_owned(), count(risk.sample_unique), share(risk.sample_unique)],
        vec![format!("  in classes smaller than {}", risk.k), count(risk.below_k), share(risk.below_k)],
        vec![
            "  smallest equivalence class".to_owned(),
            count(risk.smallest_class),
            format!("of {} classes", count(risk.classes)),
        ],
        vec![
            "  re-identification risk".to_owned(),
            format!("{:.4}", risk.highest_risk),
            format!("highest; {:.4} average", risk.average_risk),
        ],
    ];
    if let Some(minimal) = &findings.minimal_quasi_identifier {
        rows.push(vec![
            "  few columns suffice".to_owned(),
            format!("{:.1} %", 100.0 * minimal.distinct_ratio),
            format!(
                "distinct combinations of {}; {:.2} % of the pairs differ",
                minimal.columns.join(", "),
                100.0 * minimal.separation_ratio
            ),
        ]);
    }
    for sensitive in &risk.sensitive {
        let column = &sensitive.column;
        rows.push(vec![format!("  {column}: certain"), count(sensitive.certain), share(sensitive.certain)]);
        rows.push(vec![
            format!("  {column}: posterior"),
            format!("{:.4}", sensitive.confidence),
            format!(
                "highest; distinct {}, entropy {:.4}, closeness {:.4} ({})",
                sensitive.distinct, sensitive.entropy, sensitive.closeness, sensitive.distance
            ),
        ]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    println!();
    for finding in &findings.models {
        let mark = if finding.holds { format!("{GOOD}meets{GOOD:#}   ") } else { format!("{BAD}violates{BAD:#}") };
        println!("{mark} {}", finding.model);
        if !finding.holds {
            println!(
                "         {} in {} of {} equivalence classes; worst:",
                people(finding.people_in_violating_classes),
                count(finding.violating_classes as u64),
                count(finding.classes)
            );
        }
        for violation in &finding.witnesses {
            let text = format!("{}: {}", witness(&violation.witness), violation.explanation);
            println!("{}", wrap(&text, WIDTH, "           "));
        }
    }
    print_unreachable(findings);
    print_missing(findings);
    match (findings.warnings.is_empty(), findings.models.iter().all(|finding| finding.holds)) {
        (false, _) => println!("\n{HINT}Next: resolve the warnings above, then `reticent publish`.{HINT:#}"),
        (true, false) => {
            println!("\n{HINT}Next: `reticent publish` searches for a release that meets the policy.{HINT:#}");
        }
        (true, true) => {}
    }
}

/// Prints what the policy demands and no release can reach.
fn print_unreachable(findings: &DataFindings) {
    for model in &findings.unreachable {
        let how = if model.despite_suppression {
            "no release of these data can satisfy it: it is violated even if all quasi-identifiers are suppressed"
        } else {
            "only suppressed records can help: without them, it is violated even if all quasi-identifiers are suppressed"
        };
        let text = format!("{BAD}out of reach{BAD:#} {}: {how} ({})", model.model, model.explanation);
        println!("\n{}", wrap(&text, WIDTH, "  ").trim_start());
    }
}

fn print_missing(findings: &DataFindings) {
    println!();
    if findings.missing.is_empty() {
        println!("No missing values.");
    }
    for note in &findings.missing {
        let meaning = match note.meaning {
            Missing::Value => "counted as a separate value",
            Missing::Drop => "records dropped",
            Missing::Refuse => "refused",
        };
        println!("{}: {} with a missing value, {meaning}.", note.column, plural(note.rows, "record"));
    }
    if findings.dropped > 0 {
        println!("{} dropped because of a missing value; not counted above.", plural(findings.dropped, "record"));
    }
    for warning in &findings.warnings {
        println!("{}", wrap(&format!("warning: {warning}"), WIDTH, ""));
    }
    findings.notes.iter().for_each(|note| println!("{note}."));
}
