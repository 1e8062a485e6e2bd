//! A release by a republication method on the terminal.

use reticent::methods::{Form, withheld_words};
use reticent_app::answer::{GroupSeconds, Judged, PublishedGroups, Withheld};

use super::recoded::print_besides;
use crate::terminal::{GOOD, HEAD, HINT, WIDTH, columns, count, people, plural, wrap};

/// Prints the whole answer.
pub fn print(answer: &PublishedGroups) {
    match &answer.folder {
        Some(folder) => println!("{GOOD}published{GOOD:#} {} in {}", answer.name, folder.display()),
        None => println!("{GOOD}would publish{GOOD:#} {} (dry run: nothing was published)", answer.name),
    }
    print_record(answer);
    print_accounts(answer);
    print_leaving(answer);
    print_verified(answer);
    print_worth(answer);
    print_closing(answer);
}

fn print_record(answer: &PublishedGroups) {
    let to = answer.recipients.join(", ");
    match &answer.recorded {
        Some(recorded) => println!("  release {} in {}, to {to}", recorded.release, recorded.ledger.display()),
        None => println!("  to {to}"),
    }
    match &answer.judged {
        Judged::Alone { apart_from } => {
            let many = plural(apart_from.len() as u64, "earlier release");
            let text = format!(
                "warning: judged by itself, as if it were the first; its recipients can hold {many} too, and what they give away \
                 together was not judged"
            );
            println!("{}", wrap(&text, WIDTH, "  "));
        }
        Judged::History { with } if !with.is_empty() => {
            println!("  judged together with {} that its recipients can hold", plural(with.len() as u64, "release"));
        }
        _ => {}
    }
    print_besides(answer.neutralised, &answer.warnings);
}

/// Where every record of the data is.
fn print_accounts(answer: &PublishedGroups) {
    println!("\n{HEAD}{} of the data{HEAD:#}", plural(answer.records, "record"));
    let mut rows = vec![vec![
        "  published".to_owned(),
        count(answer.published),
        format!("in {} by {} ({})", plural(answer.groups, "group"), answer.method, answer.form),
    ]];
    for waiting in &answer.waiting {
        let since = format!("since {} ({})", waiting.since, plural(u64::from(waiting.releases), "release"));
        rows.push(vec!["  waiting".to_owned(), count(waiting.records), since]);
    }
    for Withheld { reason, records } in &answer.withheld {
        rows.push(vec!["  withheld".to_owned(), count(*records), withheld_words(reason).to_owned()]);
    }
    if answer.dropped > 0 {
        rows.push(vec!["  left out".to_owned(), count(answer.dropped), "a value is missing".to_owned()]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if answer.counterfeits > 0 {
        let are = if answer.counterfeits == 1 { "is" } else { "are" };
        println!("  beside them {} that {are} nobody's in the data", plural(answer.counterfeits, "listed value"));
    }
    if answer.alone > 0 && answer.form == Form::Generalized.word() {
        let are = if answer.alone == 1 { "is" } else { "are" };
        println!("  {} {are} alone in a group, which shows their quasi-identifiers as they are", people(answer.alone));
    }
}

fn print_leaving(answer: &PublishedGroups) {
    let Some(told) = answer.leaving.words() else { return };
    println!("\n{HEAD}People who are gone{HEAD:#}");
    println!("{}", wrap(&format!("{told}."), WIDTH, "  "));
    println!("{}", wrap(&format!("Instead, {}.", answer.instead), WIDTH, "  "));
}

fn print_verified(answer: &PublishedGroups) {
    println!("\n{HEAD}Verified on the written bytes{HEAD:#}");
    let tables: Vec<&str> = answer.tables.iter().map(|table| table.file.as_str()).collect();
    println!(
        "  {GOOD}holds{GOOD:#}    the tables say what they should and nothing untrue of anybody ({})",
        tables.join(", ")
    );
    for column in &answer.audited.columns {
        let known = if column.lower == column.upper {
            percent(column.upper)
        } else {
            format!("{} to {}", percent(column.lower), percent(column.upper))
        };
        // Of whom earlier ones tell more, nothing is said here.
        let who = match column.people.saturating_sub(column.already) {
            others if column.already > 0 => format!("{} of whom no more was told before", people(others)),
            all => people(all),
        };
        println!(
            "  {GOOD}holds{GOOD:#}    nobody's {} is told with more than {} by {} ({}; of {who} the most is {known})",
            column.column,
            percent(column.confidence),
            scope(&answer.judged),
            answer.audited.proof.word(),
        );
    }
    for column in answer.audited.columns.iter().filter(|column| column.already > 0) {
        let text = format!(
            "but earlier releases already tell the {} of {} with up to {}; this one tells nothing more about them",
            column.column,
            people(column.already),
            percent(column.already_most)
        );
        println!("{}", wrap(&text, WIDTH, "           "));
    }
    if let Some(alike) = answer.audited.alike {
        let groups = match answer.judged {
            Judged::Alone { .. } => "their group",
            _ => "all their groups, in all releases,",
        };
        let others = plural(alike.saturating_sub(1), "other");
        let text = format!("everybody shares {groups} with {others} at least");
        println!("  {GOOD}holds{GOOD:#}    {}", wrap(&text, WIDTH, "           ").trim_start());
    }
}

/// With which releases it was judged.
fn scope(judged: &Judged) -> &'static str {
    match judged {
        Judged::Alone { .. } => "this release by itself",
        _ => "all releases that its recipients can hold",
    }
}

fn print_worth(answer: &PublishedGroups) {
    println!("\n{HEAD}What it is worth{HEAD:#}");
    let mut rows = vec![vec![
        "  iloss".to_owned(),
        format!("{:.4}", answer.utility.iloss),
        "share of other values that a published cell could stand for; 0 shows every value".to_owned(),
    ]];
    if let Some(error) = answer.utility.query_error {
        rows.push(vec![
            "  query error".to_owned(),
            format!("{error:.4}"),
            format!("median over {} random counts of how far an estimate is off", answer.utility.queries),
        ]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
}

fn print_closing(answer: &PublishedGroups) {
    let GroupSeconds { recall, read, group, write, verify, audit, measure, record } = answer.seconds;
    println!("\n{HINT}{}, seed {}{HINT:#}", answer.method, answer.seed);
    println!(
        "{HINT}seconds: recall {recall:.2}, read {read:.2}, group {group:.2}, write {write:.2}, verify {verify:.2}, audit {audit:.2}, measure {measure:.2}, record {record:.2}{HINT:#}"
    );
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
