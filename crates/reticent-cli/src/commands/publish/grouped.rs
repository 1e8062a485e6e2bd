//! Terminal output for a release made by a republication method.

use reticent::audit::Proof;
use reticent::republication::{Form, Underrepresented, withheld_text};
use reticent::statement::Statement;
use reticent_app::answer::{GroupSeconds, GroupedAnswer, HistoryScope, WithheldRecords};

use super::recoded::{print_identity, print_ignored_history, print_not_judged, print_verdict, print_warnings};
use crate::terminal::{GOOD, HEAD, HINT, WIDTH, columns, count, people, percent, plural, ratio, wrap};

/// Maximum number of printed parts of the data that are under-represented.
const MAX_UNDERREPRESENTED: usize = 5;

/// Prints the verdict, the published and withheld records, departures and utility; with `verbose` also the run.
pub fn print(answer: &GroupedAnswer, verbose: bool) {
    match &answer.folder {
        Some(folder) => println!("{GOOD}published{GOOD:#} {} in {}", answer.name, folder.display()),
        None => println!("{GOOD}would publish{GOOD:#} {} (dry run: nothing was published)", answer.name),
    }
    print_record(answer);
    print_records(answer);
    print_requirements(answer);
    print_departures(answer);
    print_utility(answer);
    if verbose {
        print_run(answer);
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
}

fn print_record(answer: &GroupedAnswer) {
    let to = answer.recipients.join(", ");
    match &answer.recorded {
        Some(recorded) => println!("  release {} in {}, to {to}", recorded.release, recorded.ledger.display()),
        None => println!("  to {to}"),
    }
    print_ignored_history(&answer.judged);
    if let HistoryScope::History { with } = &answer.judged
        && !with.is_empty()
    {
        println!("  checked with {} that its recipients can hold", plural(with.len() as u64, "earlier release"));
    }
    if answer.sample_unique > 0 {
        let text = format!(
            "warning: {} of {} ({}) are sample unique on the published quasi-identifiers (k = 1): an attacker who knows these values finds \
             their row. The lists of values stay protected. To protect the rows, set `k` and form = \"generalized\"",
            count(answer.sample_unique),
            people(answer.published),
            percent(answer.sample_unique, answer.published)
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    print_warnings(answer.escaped_formulas, &answer.warnings);
}

/// How many records were published, postponed, withheld or dropped.
fn print_records(answer: &GroupedAnswer) {
    println!("\n{HEAD}{} in the data{HEAD:#}", plural(answer.records, "record"));
    let mut rows = vec![vec![
        "  published".to_owned(),
        count(answer.published),
        format!("in {} by {} ({})", plural(answer.groups, "group"), answer.method, answer.form),
    ]];
    if answer.continued > 0 {
        let text = "of these, in the classes of earlier ordinary releases".to_owned();
        rows.push(vec!["  continued".to_owned(), count(answer.continued), text]);
    }
    for postponed in &answer.postponed {
        let since = format!("since {} ({})", postponed.since, plural(u64::from(postponed.releases), "release"));
        rows.push(vec!["  postponed".to_owned(), count(postponed.records), since]);
    }
    for WithheldRecords { reason, records } in &answer.withheld {
        rows.push(vec!["  withheld".to_owned(), count(*records), withheld_text(reason).to_owned()]);
    }
    if answer.dropped > 0 {
        rows.push(vec!["  dropped".to_owned(), count(answer.dropped), "a value is missing".to_owned()]);
    }
    if answer.counterfeits > 0 {
        let text = "in addition to the records of the data".to_owned();
        rows.push(vec!["  counterfeit".to_owned(), count(answer.counterfeits), text]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
    let left_out = answer.records - answer.dropped - answer.published;
    if left_out > 0 {
        println!("  {} of the records are postponed or withheld", percent(left_out, answer.records));
    }
    print_underrepresented(answer);
    if answer.singletons > 0 && answer.sample_unique > 0 && answer.form == Form::Generalized.word() {
        let text = format!(
            "warning: {} in groups of one: their quasi-identifiers are published without generalization",
            people(answer.singletons)
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

/// Parts of the data that are left out much more often than the rest.
fn print_underrepresented(answer: &GroupedAnswer) {
    if answer.underrepresented.is_empty() {
        return;
    }
    let part = |part: &Underrepresented| {
        format!("{} {} ({} left out)", part.column, part.value, percent(part.left_out, part.records))
    };
    let named: Vec<String> = answer.underrepresented.iter().take(MAX_UNDERREPRESENTED).map(part).collect();
    let more = answer.underrepresented.len().saturating_sub(named.len());
    let more = if more > 0 { format!("; {more} more in --json") } else { String::new() };
    println!("{}", wrap(&format!("warning: under-represented: {}{more}", named.join("; ")), WIDTH, "  "));
}

fn print_requirements(answer: &GroupedAnswer) {
    println!("\n{HEAD}Requirements, checked on the written files{HEAD:#}");
    let tables: Vec<&str> = answer.tables.iter().map(|table| table.file.as_str()).collect();
    println!("  {GOOD}meets{GOOD:#}    the files match the source data ({})", tables.join(", "));
    let scope = match answer.judged {
        HistoryScope::Alone { .. } => "this release alone",
        _ => "all releases that recipients can hold",
    };
    let class_sizes = |statement: &&Statement| statement.model == "k-anonymity" && statement.is_judged();
    for statement in answer.statements.iter().filter(class_sizes) {
        println!("  {GOOD}meets{GOOD:#}    {}", wrap(&statement.to_string(), WIDTH, "           ").trim_start());
    }
    for column in &answer.audited.columns {
        let highest = match column.lower == column.upper {
            true => ratio(column.upper),
            false => format!("{} to {}", ratio(column.lower), ratio(column.upper)),
        };
        let text = format!(
            "posterior of {} at most {} given {scope} (highest {highest} among {}; {})",
            column.column,
            ratio(column.confidence),
            people(column.people.saturating_sub(column.already_above)),
            answer.audited.proof.word(),
        );
        // An estimate proves nothing.
        let is_estimate = answer.audited.proof == Proof::Estimate && column.upper > column.confidence + 1e-9;
        let mark = if is_estimate { format!("{HINT}estimate{HINT:#}") } else { format!("{GOOD}meets{GOOD:#}   ") };
        println!("  {mark} {}", wrap(&text, WIDTH, "           ").trim_start());
    }
    print_identity(answer.audited.identity.as_ref(), answer.audited.proof, &[]);
    for column in answer.audited.columns.iter().filter(|column| column.already_above > 0) {
        let text = format!(
            "not counted: {} whose {} is already disclosed by earlier releases, with a posterior up to {}. This release does \
             not raise these posteriors.",
            people(column.already_above),
            column.column,
            ratio(column.already_highest)
        );
        println!("{}", wrap(&text, WIDTH, "           "));
    }
    if let Some(people) = answer.audited.min_indistinguishable {
        let groups = match answer.judged {
            HistoryScope::Alone { .. } => "their group",
            _ => "the same groups in all releases",
        };
        println!("  {GOOD}meets{GOOD:#}    at least {} share {groups}", crate::terminal::people(people));
    }
    print_not_judged(&answer.statements);
    let already_above = answer.audited.columns.iter().map(|column| column.already_above).max().unwrap_or(0);
    print_verdict(&answer.not_established, &answer.assumptions, already_above);
}

fn print_departures(answer: &GroupedAnswer) {
    let Some(text) = answer.departures.text() else { return };
    println!("\n{HEAD}People no longer in the data{HEAD:#}");
    println!("{}", wrap(&format!("{text}."), WIDTH, "  "));
    println!("{}", wrap(&format!("Instead, {}.", answer.alternative), WIDTH, "  "));
}

fn print_utility(answer: &GroupedAnswer) {
    println!("\n{HEAD}Utility{HEAD:#}");
    let mut rows = vec![vec![
        "  iloss".to_owned(),
        format!("{:.4}", answer.utility.iloss),
        "mean share of other values that a published cell covers; 0: every cell is exact".to_owned(),
    ]];
    if let Some(error) = answer.utility.query_error {
        rows.push(vec![
            "  query error".to_owned(),
            format!("{error:.4}"),
            format!("median relative error of {} random count queries", answer.utility.queries),
        ]);
    }
    columns(&rows).iter().for_each(|line| println!("{line}"));
}

fn print_run(answer: &GroupedAnswer) {
    let GroupSeconds { load_history, read, group, write, verify, audit, measure, record } = answer.seconds;
    println!("\n{HINT}{}, seed {}{HINT:#}", answer.method, answer.seed);
    println!(
        "{HINT}seconds: load history {load_history:.2}, read {read:.2}, group {group:.2}, write {write:.2}, verify {verify:.2}, audit {audit:.2}, measure {measure:.2}, record {record:.2}{HINT:#}"
    );
}
