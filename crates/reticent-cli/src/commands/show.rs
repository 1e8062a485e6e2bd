//! `reticent show`: one release in full.

use reticent::statement::{Level, Outcome, Statement};
use reticent_app::answer::{ColumnRecord, Judged, MethodRecord, Origin, Recorded, Show, TableRecord};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, disguise, number, plural, role, shown, wrap};

/// Shows a release.
pub fn run(options: &args::Show, console: &Console) -> Result<u8, Error> {
    let workspace = options.place.workspace();
    let answer = match &options.proof {
        None => workspace.show(&options.release, &console.context)?,
        Some(proof) => workspace.prove(&options.release, proof, &console.context)?,
    };
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &Show) {
    let Some(release) = answer.recorded.release() else { return };
    let entry = &answer.recorded;
    println!(
        "{HEAD}Release {}: {}{HEAD:#}, {} to {}",
        entry.number,
        release.name,
        release.date,
        release.recipients.join(", ")
    );
    let origin = if release.origin == Origin::Published { "made from" } else { "made elsewhere, entered as" };
    println!(
        "  {}, {} different, {origin} {}",
        plural(release.records, "record"),
        count(release.combinations),
        release.dataset
    );
    if release.suppressed + release.dropped > 0 && release.method.is_none() {
        println!(
            "  {} left out for the requirement, {} for a missing value",
            count(release.suppressed),
            count(release.dropped)
        );
    }
    match &release.judged {
        Judged::Alone { apart_from } => {
            println!("  {BAD}judged by itself{BAD:#}, apart from {}", numbers(apart_from));
        }
        Judged::History { with } if with.is_empty() => println!("  judged: its recipients held nothing else"),
        Judged::History { with } => println!("  judged together with {}", numbers(with)),
        Judged::Nothing => println!("  not judged"),
    }
    if let Some(erased) = &answer.erased {
        let others: Vec<String> = answer.shared_with.iter().map(u64::to_string).collect();
        match others.is_empty() {
            true => println!("  {BAD}erased{BAD:#} {erased}: its values and owner links are gone"),
            false => println!(
                "  {BAD}erased{BAD:#} {erased}, and still stored for releases {}, which have the same",
                others.join(", ")
            ),
        }
    }
    print_columns(answer, release);
    release.method.iter().for_each(print_method);
    print_making(release);
    print_hashes(answer, release);
}

fn numbers(list: &[u64]) -> String {
    let numbers = list.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    format!("{} {numbers}", if list.len() == 1 { "release" } else { "releases" })
}

fn print_columns(answer: &Show, release: &Recorded) {
    println!("\n{HEAD}Columns{HEAD:#}");
    let row = |column: &ColumnRecord| {
        let cut = answer.cuts.iter().flatten().find(|cut| cut.column == column.name);
        let values = cut.map(|cut| listed(&cut.values)).unwrap_or_default();
        vec![format!("  {}", column.name), role(column.role).to_owned(), plural(column.distinct, "value"), values]
    };
    let rows: Vec<Vec<String>> = release.columns.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    for line in disguise(&release.disguise) {
        println!("  {line}");
    }
    if release.tables.is_empty() {
        return;
    }
    println!("\n{HEAD}Lists of its people's values{HEAD:#}");
    let row = |table: &TableRecord| {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let how = if table.set { "each value once" } else { "with counts" };
        vec![format!("  {}", table.name), plural(table.combinations, "row"), columns.join(", "), how.to_owned()]
    };
    let rows: Vec<Vec<String>> = release.tables.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
}

/// How a method published it, and what became of the records that it did not publish.
fn print_method(method: &MethodRecord) {
    println!("\n{HEAD}Published by {}{HEAD:#} ({})", method.id, method.form);
    println!("  {} and {}", plural(method.groups, "group"), plural(method.counterfeits, "counterfeit"));
    for promised in &method.promise {
        println!("  nobody's {} is told with more than {}", promised.column, promised.most);
    }
    if let Some(most) = &method.records {
        println!("  no record is linked to anybody with more than {most}");
    }
    if let Some(left) = method.left {
        println!(
            "  {} at least can be anybody's, whichever earlier release it is compared with",
            plural(left, "record")
        );
    }
    let withheld: Vec<String> =
        method.withheld.iter().map(|one| format!("{} {}", count(one.records), one.reason)).collect();
    let withheld = if withheld.is_empty() { "none".to_owned() } else { withheld.join(", ") };
    println!("  {} waiting, withheld: {withheld}", plural(method.waiting, "record"));
}

/// As many of the values as fit.
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

fn print_making(release: &Recorded) {
    let Some(made) = &release.made else { return };
    println!("\n{HEAD}Verified on the written bytes{HEAD:#}");
    for verified in &made.verified {
        let mark =
            if verified.violations == 0 { format!("{GOOD}holds{GOOD:#}   ") } else { format!("{BAD}violated{BAD:#}") };
        println!("  {mark} {}", verified.model);
    }
    for statement in &made.statements {
        print_statement(statement);
    }
    println!("\n{HEAD}What it cost{HEAD:#}");
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

/// What became of a statement, and how well it is established.
fn print_statement(statement: &Statement) {
    let (mark, more) = match &statement.outcome {
        Outcome::Judged { violations: 0, level: Level::Exact } => (format!("{GOOD}holds{GOOD:#}   "), String::new()),
        Outcome::Judged { violations: 0, level: Level::Bound } => {
            (format!("{GOOD}holds{GOOD:#}   "), " (by true bounds)".to_owned())
        }
        Outcome::Judged { violations: 0, level: Level::Estimate } => {
            (format!("{HINT}estimate{HINT:#}"), " (by an estimate, which may be wrong)".to_owned())
        }
        Outcome::Judged { .. } => (format!("{BAD}violated{BAD:#}"), String::new()),
        Outcome::NotApplicable { reason } => (format!("{HINT}n/a{HINT:#}     "), format!(" ({reason})")),
        Outcome::Skipped { reason } => (format!("{BAD}skipped{BAD:#} "), format!(" ({reason})")),
    };
    println!("  {mark} {}", wrap(&format!("{statement}{more}"), WIDTH, "           ").trim_start());
}

fn print_hashes(answer: &Show, release: &Recorded) {
    println!("\n{HEAD}Hashes{HEAD:#} (SHA-256)");
    let mut rows = vec![vec!["  entry".to_owned(), answer.entry.clone()]];
    rows.push(vec!["  entry before".to_owned(), answer.recorded.previous.to_string()]);
    if let Some(file) = &release.file {
        rows.push(vec!["  file".to_owned(), file.sha256.to_string(), file.path.clone()]);
    }
    for (kind, body) in release.bodies() {
        rows.push(vec![format!("  {}", kind.word()), body.sha256.to_string()]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if let Some(proof) = &answer.proof {
        println!("  the proof is {}; `reticent check-proof` checks it without the ledger", proof.display());
    }
    if let Some(links) = &release.links {
        println!("  owner links of {} people, under the key {}", count(links.people), links.key);
    }
}
