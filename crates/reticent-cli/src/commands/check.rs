//! `reticent check`: how risky the data is as it stands, and what the policy demands.

use reticent::history::History;
use reticent::models::Violation;
use reticent::release::Release;
use reticent::risk::{Risk, risk};
use reticent::schema::{Role, Schema};
use reticent::table::MissingNote;
use reticent::verify::UNSHOWN;
use serde::Serialize;

use crate::args::Check;
use crate::failure::Failure;
use crate::screen::{
    BAD, GOOD, HEAD, HINT, WIDTH, bar, columns, count, people, percent, plural, print_json, witness, wrap,
};
use crate::steward::{Loaded, Prepared, Ways, load, prepare};

/// What `check` answers.
#[derive(Debug, Serialize)]
struct Answer {
    dataset: String,
    demands: Vec<String>,
    columns: Vec<ColumnLine>,
    data: Option<Findings>,
}

#[derive(Debug, Serialize)]
struct ColumnLine {
    name: String,
    role: Role,
}

/// What was found in the data.
#[derive(Debug, Serialize)]
struct Findings {
    risk: Risk,
    models: Vec<Finding>,
    missing: Vec<MissingNote>,
    dropped: u64,
    warnings: Vec<String>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Finding {
    model: String,
    holds: bool,
    classes: u64,
    people_in_violating_classes: u64,
    violating_classes: usize,
    worst: Option<Violation>,
    witnesses: Vec<Violation>,
}

/// Checks the policy, and the data if there is any. The status is 1 when the data, as it stands, violates the policy.
pub fn run(options: &Check, ways: &Ways) -> Result<u8, Failure> {
    let loaded = load(&options.policy)?;
    let by_method = loaded.policy.method.is_some();
    let (mut demands, data): (Vec<String>, _) = if options.data.is_empty() {
        let requirement = loaded.requirement(&loaded.schema, "", &[])?;
        if !by_method {
            requirement.check()?;
        }
        (requirement.models.iter().map(|model| model.title()).collect(), None)
    } else {
        let prepared = prepare(&loaded, &options.data, None, ("", &[]), None, ways)?;
        if !by_method {
            prepared.requirement.check()?;
        }
        let findings = find(&loaded, &prepared, options.witnesses)?;
        (prepared.requirement.models.iter().map(|model| model.title()).collect(), Some(findings))
    };
    demands.extend(loaded.promises()?);
    ways.progress.done();
    let answer =
        Answer { dataset: loaded.policy.dataset.clone(), demands, columns: column_lines(&loaded.schema), data };
    let holds = answer.data.as_ref().is_none_or(|findings| findings.models.iter().all(|finding| finding.holds));
    if ways.json {
        print_json(&answer)?;
    } else {
        print(&answer, &loaded);
    }
    Ok(u8::from(!holds))
}

fn column_lines(schema: &Schema) -> Vec<ColumnLine> {
    schema
        .attributes
        .iter()
        .map(|attribute| ColumnLine { name: attribute.name.clone(), role: attribute.role })
        .collect()
}

fn find(loaded: &Loaded, prepared: &Prepared, witnesses: usize) -> Result<Findings, Failure> {
    let release = Release::raw(&prepared.table)?;
    let mut on: Vec<String> = prepared.schema.with_role(Role::QuasiIdentifier);
    if on.is_empty() {
        on = prepared.requirement.models.iter().flat_map(|model| model.by().to_vec()).collect();
        on.sort();
        on.dedup();
    }
    let k = loaded.policy.short.k.unwrap_or(2);
    let risk = risk(&release, &prepared.schema, &on, k)?;
    let history = History::single(release);
    let mut models = Vec::new();
    let doubtful = prepared.doubtful();
    let discreet = |mut violation: Violation| {
        // What may name people, or be sensitive, is not shown before somebody has said what it is.
        let doubt = |name: &String| doubtful.iter().any(|(doubtful, _)| doubtful == name);
        violation.witness.iter_mut().filter(|(name, _)| doubt(name)).for_each(|(_, value)| *value = UNSHOWN.to_owned());
        violation
    };
    for (model, survey) in prepared.requirement.survey(&history)? {
        models.push(Finding {
            model,
            holds: survey.violations.is_empty(),
            classes: survey.classes,
            people_in_violating_classes: survey.violating,
            violating_classes: survey.violations.len(),
            worst: survey.worst.map(discreet),
            witnesses: survey.violations.into_iter().take(witnesses).map(discreet).collect(),
        });
    }
    let table = &prepared.table;
    let mut warnings: Vec<String> = doubtful.iter().map(|(_, warning)| warning.clone()).collect();
    if loaded.policy.method.is_none() {
        warnings.extend(prepared.unprotected(|_| true)?);
    }
    let mut notes = prepared.notes.clone();
    if loaded.policy.method.is_some() {
        notes.push(
            "What a method promises is about releases, not about the data: `reticent publish --dry-run` tells whether it can be kept".to_owned(),
        );
    }
    Ok(Findings { risk, models, missing: table.missing.clone(), dropped: table.dropped, warnings, notes })
}

fn print(answer: &Answer, loaded: &Loaded) {
    println!("{HEAD}What the policy demands of {}{HEAD:#}", answer.dataset);
    for demand in &answer.demands {
        println!("  {demand}");
    }
    let suppression = loaded.policy.suppression;
    if suppression.limit.numerator > 0 {
        let what = if suppression.cells { "cells hidden, then records" } else { "records" };
        println!(
            "  {HINT}up to {:.1} % of the records may be left out ({what}){HINT:#}",
            100.0 * suppression.limit.to_f64()
        );
    }
    println!();
    let roles: Vec<Vec<String>> = [Role::Identifier, Role::QuasiIdentifier, Role::Sensitive, Role::Other]
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

fn names(answer: &Answer, role: Role) -> String {
    let names: Vec<&str> =
        answer.columns.iter().filter(|column| column.role == role).map(|column| column.name.as_str()).collect();
    names.join(", ")
}

fn role_text(role: Role) -> &'static str {
    match role {
        Role::Identifier => "never published",
        Role::QuasiIdentifier => "quasi-identifiers",
        Role::Sensitive => "sensitive",
        Role::Other => "published as it is",
    }
}

fn print_findings(findings: &Findings) {
    let risk = &findings.risk;
    println!("\n{HEAD}The data as it stands{HEAD:#}: {} about {}", plural(risk.records, "record"), people(risk.people));
    let share =
        |people: u64| format!("{} {}", bar(people as f64 / risk.people.max(1) as f64), percent(people, risk.people));
    let mut rows = vec![
        vec!["  alone with their values".to_owned(), count(risk.unique), share(risk.unique)],
        vec![format!("  in classes below {}", risk.k), count(risk.below_k), share(risk.below_k)],
        vec!["  smallest class".to_owned(), count(risk.smallest_class), format!("of {} classes", count(risk.classes))],
        vec![
            "  risk of being found".to_owned(),
            format!("{:.4}", risk.highest_risk),
            format!("at worst; {:.4} on average", risk.average_risk),
        ],
    ];
    for sensitive in &risk.sensitive {
        let column = &sensitive.column;
        rows.push(vec![format!("  {column}: certain for"), count(sensitive.certain), share(sensitive.certain)]);
        rows.push(vec![
            format!("  {column}: confidence"),
            format!("{:.4}", sensitive.confidence),
            format!(
                "at worst; distinct {}, entropy {:.4}, closeness {:.4} ({})",
                sensitive.distinct, sensitive.entropy, sensitive.closeness, sensitive.distance
            ),
        ]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    println!();
    for finding in &findings.models {
        let mark = if finding.holds { format!("{GOOD}holds{GOOD:#}   ") } else { format!("{BAD}violated{BAD:#}") };
        println!("{mark} {}", finding.model);
        if !finding.holds {
            println!(
                "         by {} in {} of {} classes; the worst:",
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
    print_missing(findings);
    if findings.models.iter().any(|finding| !finding.holds) {
        println!("\n{HINT}`reticent publish` looks for a release that satisfies the policy.{HINT:#}");
    }
}

fn print_missing(findings: &Findings) {
    println!();
    if findings.missing.is_empty() {
        println!("No value is missing.");
    }
    for note in &findings.missing {
        let meaning = match note.meaning {
            reticent::schema::Missing::Value => "counted as a value of its own",
            reticent::schema::Missing::Drop => "their records are left out",
            reticent::schema::Missing::Refuse => "refused",
        };
        println!("{}: {} without a value, {meaning}.", note.column, plural(note.rows, "record"));
    }
    if findings.dropped > 0 {
        println!("{} left out for a missing value, and not counted above.", plural(findings.dropped, "record"));
    }
    for warning in &findings.warnings {
        println!("{}", wrap(&format!("warning: {warning}"), WIDTH, ""));
    }
    findings.notes.iter().for_each(|note| println!("{note}."));
}
