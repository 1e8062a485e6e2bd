//! `reticent show`: one release in detail.

use reticent::statement::{Level, Outcome, Statement};
use reticent_app::answer::{ColumnRecord, HistoryScope, MethodRecord, Origin, ReleaseRecord, ShowAnswer, TableRecord};

use super::log::correction;
use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, plural, presentation, role, shown, wrap};

/// Prints a release.
pub fn run(options: &args::Show, console: &Console) -> Result<u8, Error> {
    let workspace = options.place.workspace();
    let answer = match &options.proof {
        None => workspace.show(&options.release, &console.context)?,
        Some(proof) => workspace.prove(&options.release, proof, &console.context)?,
    };
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &ShowAnswer) {
    let Some(release) = answer.recorded.release() else { return };
    let entry = &answer.recorded;
    println!(
        "{HEAD}Release {}: {}{HEAD:#}, {} to {}",
        entry.number,
        release.name,
        release.date,
        answer.recipients.join(", ")
    );
    let origin = match release.origin {
        Origin::Published => "made from",
        Origin::Registered => "registered as",
        Origin::Population => "population register",
    };
    println!(
        "  {}, {} different, {origin} {}",
        plural(release.records, "record"),
        count(release.combinations),
        release.dataset
    );
    if release.suppressed + release.dropped > 0 && release.method.is_none() {
        println!(
            "  {} suppressed, {} dropped because of a missing value",
            count(release.suppressed),
            count(release.dropped)
        );
    }
    match &release.judged {
        HistoryScope::Alone { apart_from } => {
            println!("  {BAD}not checked{BAD:#} against {}", numbers(apart_from));
        }
        HistoryScope::History { with } if with.is_empty() => {
            println!("  checked: its recipients hold no other release")
        }
        HistoryScope::History { with } => println!("  checked with {}", numbers(with)),
        HistoryScope::Nothing => println!("  not checked"),
    }
    if let Some(erased) = &answer.erased {
        match answer.shared_with.is_empty() {
            true => println!("  {BAD}erased{BAD:#} {erased}: values and owner links are deleted"),
            false => println!(
                "  {BAD}erased{BAD:#} {erased}, but the same contents are stored for {}",
                numbers(&answer.shared_with)
            ),
        }
    }
    print_corrections(answer);
    print_columns(answer, release);
    release.method.iter().for_each(print_method);
    print_making(release);
    print_hashes(answer, release);
}

fn numbers(list: &[u64]) -> String {
    let numbers = list.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    format!("{} {numbers}", if list.len() == 1 { "release" } else { "releases" })
}

/// Prints the corrections of later entries.
fn print_corrections(answer: &ShowAnswer) {
    if let Some(at) = &answer.withdrawn {
        println!("  {BAD}withdrawn{BAD:#} {at}: assumed that nobody holds it");
    }
    for line in &answer.corrections {
        let text = format!("entry {}: {}", line.number, correction(&line.kind));
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

fn print_columns(answer: &ShowAnswer, release: &ReleaseRecord) {
    println!("\n{HEAD}Columns{HEAD:#}");
    let row = |column: &ColumnRecord| {
        let cut = answer.cuts.iter().flatten().find(|cut| cut.column == column.name);
        let values = cut.map(|cut| listed(&cut.values)).unwrap_or_default();
        vec![format!("  {}", column.name), role(column.role).to_owned(), plural(column.distinct, "value"), values]
    };
    let rows: Vec<Vec<String>> = release.columns.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    for line in presentation(&release.disguise) {
        println!("  {line}");
    }
    if release.tables.is_empty() {
        return;
    }
    println!("\n{HEAD}Tables of sensitive values{HEAD:#}");
    let row = |table: &TableRecord| {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let how = if table.set { "each value once" } else { "with counts" };
        vec![format!("  {}", table.name), plural(table.combinations, "row"), columns.join(", "), how.to_owned()]
    };
    let rows: Vec<Vec<String>> = release.tables.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
}

/// Prints the method, its bounds, and the records that it withheld.
fn print_method(method: &MethodRecord) {
    println!("\n{HEAD}Published by {}{HEAD:#} ({})", method.id, method.form);
    println!("  {} and {}", plural(method.groups, "group"), plural(method.counterfeits, "counterfeit"));
    for promised in &method.promise {
        println!("  posterior of {} at most {}", promised.column, promised.most);
    }
    if let Some(most) = &method.records {
        println!("  linkage probability of a record at most {most}");
    }
    if let Some(left) = method.left {
        println!(
            "  at least {} remain candidates for each person, compared with each earlier release",
            plural(left, "record")
        );
    }
    let withheld: Vec<String> =
        method.withheld.iter().map(|one| format!("{} {}", count(one.records), one.reason)).collect();
    let withheld = if withheld.is_empty() { "none".to_owned() } else { withheld.join(", ") };
    println!("  {} postponed, withheld: {withheld}", plural(method.waiting, "record"));
}

/// As many values as fit.
fn listed(values: &[String]) -> String {
    let mut text = String::new();
    for (at, value) in values.iter().enumerate() {
        if text.chars().count() + value.chars().count() > WIDTH / 2 {
            text.push_str(&format!("  and {} more", count((values.len() - at) as u64)));
            break;
        }
        text.push_str(if at > 0 { " | " } else { "" });
        text.push_str(shown(value));
    }
    text
}

fn print_making(release: &ReleaseRecord) {
    let Some(made) = &release.made else { return };
    println!("\n{HEAD}Requirements, checked on the written file{HEAD:#}");
    for verified in &made.verified {
        let mark =
            if verified.violations == 0 { format!("{GOOD}meets{GOOD:#}   ") } else { format!("{BAD}violates{BAD:#}") };
        println!("  {mark} {}", verified.model);
    }
    for statement in &made.statements {
        print_statement(statement);
    }
    println!("\n{HEAD}Metrics{HEAD:#}");
    let rows: Vec<Vec<String>> =
        made.metrics.iter().map(|metric| vec![format!("  {}", metric.id), number(metric.value)]).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    let text = format!(
        "{}, {} ({}), {} classes, seed {}, reticent {}",
        made.algorithm,
        plural(made.steps, "step"),
        made.guarantee,
        count(made.classes),
        made.seed,
        made.program
    );
    println!("\n{HINT}{}{HINT:#}", wrap(&text, WIDTH, ""));
}

/// Prints a statement with its outcome.
fn print_statement(statement: &Statement) {
    let (mark, more) = match &statement.outcome {
        Outcome::Judged { violations: 0, level: Level::Exact } => (format!("{GOOD}meets{GOOD:#}   "), String::new()),
        Outcome::Judged { violations: 0, level: Level::Bound } => {
            (format!("{GOOD}meets{GOOD:#}   "), " (by bounds)".to_owned())
        }
        Outcome::Judged { violations: 0, level: Level::Estimate } => {
            (format!("{HINT}estimate{HINT:#}"), " (by an estimate, which may be wrong)".to_owned())
        }
        Outcome::Judged { .. } => (format!("{BAD}violates{BAD:#}"), String::new()),
        Outcome::NotApplicable { reason } => (format!("{HINT}n/a{HINT:#}     "), format!(" ({reason})")),
        Outcome::Skipped { reason } => (format!("{BAD}skipped{BAD:#} "), format!(" ({reason})")),
    };
    println!("  {mark} {}", wrap(&format!("{statement}{more}"), WIDTH, "           ").trim_start());
}

fn print_hashes(answer: &ShowAnswer, release: &ReleaseRecord) {
    println!("\n{HEAD}Hashes{HEAD:#} (SHA-256)");
    let mut rows = vec![vec!["  entry".to_owned(), answer.entry.clone()]];
    rows.push(vec!["  entry before".to_owned(), answer.recorded.previous.to_string()]);
    if let Some(file) = &release.file {
        rows.push(vec!["  file".to_owned(), file.sha256.to_string(), file.path.clone()]);
    }
    for (kind, body) in release.bodies() {
        rows.push(vec![format!("  {}", kind.name()), body.sha256.to_string()]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if let Some(proof) = &answer.proof {
        println!("  proof: {}; check it with `reticent check-proof`", proof.display());
    }
    if let Some(links) = &release.links {
        println!("  owner links of {} people, key {}", count(links.people), links.key);
    }
}
