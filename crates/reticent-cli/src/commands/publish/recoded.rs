//! A release by an algorithm on the terminal.

use reticent::Role;
use reticent::algorithms::Guarantee;
use reticent::joined::Dangling;
use reticent::verify::Over;

use reticent_app::answer::{ColumnAnswer, Judged, Looked, Published, Seconds};

use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, percent, plural, shown, witness, wrap};

/// Prints the whole answer.
pub fn print(answer: &Published) {
    let holds = answer.verified.holds();
    match (&answer.file, holds) {
        (Some(file), _) => println!("{GOOD}published{GOOD:#} {} as {}", answer.name, file.display()),
        (None, true) => println!("{GOOD}would publish{GOOD:#} {} (dry run: nothing was published)", answer.name),
        (None, false) => println!("{BAD}refused{BAD:#} {}: nothing was published", answer.name),
    }
    print_record(answer);
    print_counts(answer);
    println!("\n{HEAD}Verified on the written bytes{HEAD:#}");
    for (model, breaches) in &answer.verified.models {
        let mark =
            if breaches.is_empty() { format!("{GOOD}holds{GOOD:#}   ") } else { format!("{BAD}violated{BAD:#}") };
        println!("  {mark} {model}");
        for breach in breaches.iter().take(3) {
            println!(
                "{}",
                wrap(&format!("{}: {}", witness(&breach.witness), breach.explanation), WIDTH, "             ")
            );
        }
    }
    print_joined(answer);
    print_audited(answer);
    print_columns(answer);
    print_metrics(answer);
    print_closing(answer);
}

/// What the audit found.
fn print_audited(answer: &Published) {
    let Some(audited) = &answer.audited else { return };
    let Some(confidence) = audited.confidence else { return };
    let with = match (audited.with.is_empty(), audited.only_joined.is_empty()) {
        (true, _) => "by itself",
        (false, true) => "with what its recipients can hold",
        (false, false) => "with what its recipients can hold and whose owners are known",
    };
    println!("\n{HEAD}Audited {with}{HEAD:#}");
    let share = |share: f64| format!("{:.1} %", share * 100.0);
    let known = if audited.lower == audited.upper {
        share(audited.upper)
    } else {
        format!("{} to {}", share(audited.lower), share(audited.upper))
    };
    let found = match audited.people {
        0 => "it shows nobody's".to_owned(),
        people => format!("of {} the most is {known}", crate::terminal::people(people)),
    };
    let whose = if audited.any_above > 0 { "no record's" } else { "nobody's" };
    println!(
        "  {GOOD}holds{GOOD:#}    {whose} value is told with more confidence than {} ({}; {found})",
        share(confidence),
        audited.proof.word(),
    );
    if audited.any_above > 0 {
        let text = format!(
            "of {} with several records, that any of these shows a given value may be told with more confidence than that, up to {}; it is likelier the \
             more there are, whatever is published, and is refused only where it is certain",
            crate::terminal::people(audited.any_above),
            share(audited.any_upper)
        );
        println!("{}", crate::terminal::wrap(&text, crate::terminal::WIDTH, "           "));
    }
    if audited.already > 0 {
        let text = format!(
            "of {} earlier releases tell more than that, and this one tells nothing more about them: `reticent audit` tells what",
            crate::terminal::people(audited.already)
        );
        println!("{}", crate::terminal::wrap(&text, crate::terminal::WIDTH, "           "));
    }
    if !audited.only_joined.is_empty() {
        let numbers: Vec<String> = audited.only_joined.iter().map(u64::to_string).collect();
        let text = format!(
            "with release {} only joins were judged: it is not known whose the records are, so what these releases tell together to somebody \
             who knows everybody's groups is not established",
            numbers.join(", ")
        );
        println!("{}", crate::terminal::wrap(&text, crate::terminal::WIDTH, "           "));
    }
}

/// What was found of the release joined with earlier ones: a line for every set of them.
fn print_joined(answer: &Published) {
    if answer.together.is_empty() {
        return;
    }
    println!("\n{HEAD}Joined with what was released before{HEAD:#}");
    for Looked { with, names, matching, judged, following } in &answer.together {
        let over: Vec<&Over> = answer.verified.joined.iter().filter(|over| over.with == *with).collect();
        let violated: Vec<&&Over> = over.iter().filter(|over| !over.violations.is_empty()).collect();
        let mark = match (judged + following == 0 || *matching == 0, violated.is_empty()) {
            (true, _) => format!("{HINT}nothing{HINT:#} "),
            (false, true) => format!("{GOOD}holds{GOOD:#}   "),
            (false, false) => format!("{BAD}violated{BAD:#}"),
        };
        let told: Vec<String> = with.iter().zip(names).map(|(number, name)| format!("{number} {name}")).collect();
        let many = match (judged, following) {
            _ if *matching == 0 => "nobody in this table can be in all of these".to_owned(),
            (0, 0) => "nothing is demanded of this join".to_owned(),
            (0, _) => "follows from the above".to_owned(),
            (judged, 0) => plural(*judged as u64, "statement"),
            (judged, following) => format!("{}, {following} more follow", plural(*judged as u64, "statement")),
        };
        println!("  {mark} with {}: {many}", told.join(", "));
        for over in violated {
            println!("{}", wrap(&over.statement, WIDTH, "             "));
            for breach in over.violations.iter().take(3) {
                let text = format!("{}: {}", witness(&breach.witness), breach.explanation);
                println!("{}", wrap(&text, WIDTH, "               "));
            }
        }
    }
    for dangling in &answer.dangling {
        println!("{}", wrap(&told(dangling), WIDTH, "  "));
    }
    if !answer.dangling.is_empty() {
        let text = "Whoever is in one of two tables only, or was left out of one, is protected by what is required of each by \
                    itself; whoever knows who is in both knows more than was judged.";
        println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "  "));
    }
}

/// What it means that records match none of another release.
fn told(dangling: &Dangling) -> String {
    let Dangling { number, name, ours, theirs } = dangling;
    let verb = |records: u64| if records == 1 { "matches" } else { "match" };
    let mut text = format!("note: of {number} {name}");
    if *theirs > 0 {
        text.push_str(&format!(", {} {} none of this table", plural(*theirs, "record"), verb(*theirs)));
    }
    if *ours > 0 {
        text.push_str(&format!(", and {} of this table {} none of it", plural(*ours, "record"), verb(*ours)));
    }
    text.replacen(", and", if *theirs > 0 { ", and" } else { "," }, 1)
}

fn print_record(answer: &Published) {
    let to = answer.recipients.join(", ");
    match &answer.recorded {
        Some(recorded) => println!("  release {} in {}, to {to}", recorded.release, recorded.ledger.display()),
        None => println!("  to {to}"),
    }
    if let Judged::Alone { apart_from } = &answer.judged {
        let many = plural(apart_from.len() as u64, "earlier release");
        let text = format!(
            "warning: judged by itself; its recipients can hold {many} too, and what they give away together was not judged"
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

fn print_counts(answer: &Published) {
    let classes = if answer.classes == 1 { "1 class".to_owned() } else { format!("{} classes", count(answer.classes)) };
    println!("  {} of {} in {classes}", plural(answer.published, "record"), count(answer.records));
    let left_out = |records: u64, why: &str| {
        if records > 0 {
            println!("  {} left out {why} ({})", plural(records, "record"), percent(records, answer.records));
        }
    };
    left_out(answer.suppressed, "because their class violated the requirement");
    left_out(answer.dropped, "because a value is missing");
    if answer.hidden_cells > 0 {
        println!("  {} hidden in {}", plural(answer.hidden_cells, "cell"), plural(answer.hidden_in, "record"));
    }
    print_besides(answer.neutralised, &answer.warnings);
}

/// What was changed in writing, and what to look at.
pub fn print_besides(neutralised: u64, warnings: &[String]) {
    if neutralised > 0 {
        println!(
            "  {} that a spreadsheet would compute written with a leading apostrophe",
            plural(neutralised, "cell")
        );
    }
    for warning in warnings {
        println!("{}", wrap(&format!("warning: {warning}"), WIDTH, "  "));
    }
}

fn print_closing(answer: &Published) {
    let Seconds { recall, read, search, write, verify, audit, measure, record } = answer.seconds;
    let guarantee = match answer.guarantee {
        Guarantee::Optimal => "optimal of its kind",
        Guarantee::LocallyMaximal => "no single further step is valid",
        Guarantee::Safe => "safe; a better one may exist",
    };
    println!(
        "\n{HINT}{}, {} ({guarantee}), seed {}{HINT:#}",
        answer.algorithm,
        plural(answer.steps, "step"),
        answer.seed
    );
    println!(
        "{HINT}seconds: recall {recall:.2}, read {read:.2}, search {search:.2}, write {write:.2}, verify {verify:.2}, audit {audit:.2}, measure {measure:.2}, record {record:.2}{HINT:#}"
    );
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
}

fn print_columns(answer: &Published) {
    println!("\n{HEAD}What each column shows{HEAD:#}");
    let kept = |column: &ColumnAnswer| match column.role {
        Role::QuasiIdentifier => format!("{} of {}", told_apart(column), count(column.values as u64)),
        _ => String::new(),
    };
    let names: Vec<Vec<String>> =
        answer.columns.iter().map(|column| vec![format!("  {}", column.name), kept(column)]).collect();
    for (line, column) in columns(&names).iter().zip(&answer.columns) {
        let left = names.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
        let wide = left + 2 + names.iter().map(|row| row[1].chars().count()).max().unwrap_or(0) + 2;
        let values = if column.role == Role::QuasiIdentifier || !column.published.is_empty() {
            values(column, WIDTH.saturating_sub(wide))
        } else {
            "as it is".to_owned()
        };
        println!("{line:<wide$}{values}");
    }
}

/// Different values in the file, not counting the one that says nothing beside others.
fn told_apart(column: &ColumnAnswer) -> String {
    let silent = usize::from(column.published.len() > column.values);
    count((column.published.len() - silent) as u64)
}

/// As many of the values as fit, and how many more there are.
fn values(column: &ColumnAnswer, room: usize) -> String {
    let mut text = String::new();
    for (at, value) in column.published.iter().enumerate() {
        let value = shown(value);
        let more = format!("  and {} more", count((column.published.len() - at) as u64));
        let last = at + 1 == column.published.len();
        let needed = text.chars().count() + value.chars().count() + 3 + if last { 0 } else { more.len() };
        if needed > room && at > 0 {
            text.push_str(&more);
            break;
        }
        if at > 0 {
            text.push_str(" | ");
        }
        text.push_str(value);
    }
    text
}

fn print_metrics(answer: &Published) {
    if answer.metrics.is_empty() {
        return;
    }
    println!("\n{HEAD}What it cost{HEAD:#}");
    let names = answer.metrics.iter().map(|metric| metric.id.len()).max().unwrap_or(0);
    let numbers = answer.metrics.iter().map(|metric| number(metric.measure.value).len()).max().unwrap_or(0);
    let indent = " ".repeat(names + numbers + 6);
    for metric in &answer.metrics {
        let text = wrap(&metric.measure.reading, WIDTH, &indent);
        println!("  {:<names$}  {:>numbers$}  {}", metric.id, number(metric.measure.value), text.trim_start());
    }
}
