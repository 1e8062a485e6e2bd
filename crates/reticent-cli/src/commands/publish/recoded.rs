//! Terminal output for a release made by a recoding algorithm.

use std::collections::BTreeSet;

use reticent::algorithms::Guarantee;
use reticent::audit::{Identity, Proof};
use reticent::join::Dangling;
use reticent::requirement::NO_SUCH_COLUMN;
use reticent::statement::{Outcome, Scope, Statement};
use reticent::verify::JoinFinding;
use reticent::{Role, SeriesStart};

use reticent_app::answer::{ColumnAnswer, HistoryScope, JoinAnswer, RecodedAnswer, Seconds};

use crate::terminal::{
    BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, people, percent, plural, ratio, risk_figures, shown, witness,
    wrap,
};

const MEETS: &str = "meets   ";
/// Id of the model that bounds sets of records.
const RECORD_SETS: &str = "multir-k-anonymity";

/// Prints the verdict, the information loss by column and the risk; with `verbose` also joins, metrics and timings.
pub fn print(answer: &RecodedAnswer, verbose: bool) {
    let name = &answer.name;
    match (&answer.file, answer.verified.holds()) {
        (Some(file), _) => match &answer.table {
            Some(table) => {
                println!("{GOOD}published{GOOD:#} {name} as table {table}, with the receipt {}", file.display())
            }
            None => println!("{GOOD}published{GOOD:#} {name} as {}", file.display()),
        },
        (None, true) => println!("{GOOD}would publish{GOOD:#} {name} (dry run: nothing was published)"),
        (None, false) => println!("{BAD}refused{BAD:#} {name}: nothing was published"),
    }
    print_singled_out(answer);
    print_suppressed(answer);
    print_series(answer);
    print_record(answer);
    print_counts(answer);
    println!("\n{HEAD}Requirements, checked on the written file{HEAD:#}");
    print_models(answer);
    print_not_judged(&answer.statements);
    print_joins(answer, verbose);
    print_audit(answer);
    if answer.holds() {
        print_verdict(&answer.not_established, &answer.assumptions, 0);
    }
    print_columns(answer);
    print_risk(answer);
    if verbose {
        print_metrics(answer);
        print_run(answer);
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    if !verbose {
        println!("\n{HINT}--verbose prints joins, metrics and timings.{HINT:#}");
    }
}

/// Prints first what makes a release of little use: quasi-identifiers without any value. Names the best alternative.
fn print_suppressed(answer: &RecodedAnswer) {
    if answer.fully_suppressed.is_empty() {
        return;
    }
    let columns = answer.columns.iter().filter(|column| column.role == Role::QuasiIdentifier).count();
    let text = format!(
        "{BAD}little detail{BAD:#}: {} of {} fully suppressed (*): {}",
        answer.fully_suppressed.len(),
        plural(columns as u64, "quasi-identifier"),
        answer.fully_suppressed.join(", ")
    );
    println!("{}", wrap(&text, WIDTH, "  "));
    let text = match &answer.alternative {
        Some(alternative) => format!(
            "best alternative found: --algorithm {} --suppression {} keeps {} in {} ({} suppressed{}), loss {} instead of {}",
            alternative.algorithm,
            alternative.suppression,
            match alternative.fully_suppressed.is_empty() {
                true => "all quasi-identifiers".to_owned(),
                false => format!("all but {}", alternative.fully_suppressed.join(", ")),
            },
            classes(alternative.classes),
            plural(alternative.suppressed, "record"),
            if answer.recorded.is_some() { "; withdraw this release first if nobody has it" } else { "" },
            number(alternative.loss),
            answer.metric("purpose-loss").map(number).unwrap_or_default(),
        ),
        None if answer.algorithm.starts_with("baseline") => "this algorithm is for comparison only".to_owned(),
        None => "no other default algorithm and no suppression up to 10 % keeps more; `reticent compare` tries other thresholds"
            .to_owned(),
    };
    println!("{}", wrap(&text, WIDTH, "  "));
}

/// Names what can continue the earlier releases with less risk or more detail.
fn print_series(answer: &RecodedAnswer) {
    if let Some(SeriesStart { method, options }) = &answer.series {
        let text = format!(
            "a republication series can continue the earlier releases: [release] method = \"{method}\", [release.options] {options} \
             (docs/methods.md#after-ordinary-releases)"
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

/// Prints first how many people are singled out: with certainty, a record belongs to each of them.
fn print_singled_out(answer: &RecodedAnswer) {
    let identity = answer.audited.as_ref().and_then(|audited| audited.identity.as_ref());
    if let Some(identity) = identity.filter(|identity| identity.singled_out > 0) {
        let text = format!(
            "{BAD}re-identified{BAD:#}: {} singled out by all releases that recipients can hold. To refuse this, set `reidentification` under \
             [requirement], for example 0.2",
            people(identity.singled_out)
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

fn print_record(answer: &RecodedAnswer) {
    let to = answer.recipients.join(", ");
    match &answer.recorded {
        Some(recorded) => println!("  release {} in {}, to {to}", recorded.release, recorded.ledger.display()),
        None => println!("  to {to}"),
    }
    print_ignored_history(&answer.judged);
}

/// Warns that a release was not checked against earlier ones.
pub fn print_ignored_history(judged: &HistoryScope) {
    if let HistoryScope::Alone { apart_from } = judged {
        let text = format!(
            "warning: not checked against {} of its recipients; all together may disclose more",
            plural(apart_from.len() as u64, "earlier release")
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
}

fn classes(number: u64) -> String {
    match number {
        1 => "1 equivalence class".to_owned(),
        several => format!("{} equivalence classes", count(several)),
    }
}

fn print_counts(answer: &RecodedAnswer) {
    let classes = classes(answer.classes);
    println!("  {} of {} in {classes}", plural(answer.published, "record"), count(answer.records));
    let removed = |records: u64, why: &str| {
        if records > 0 {
            println!("  {} {why} ({})", plural(records, "record"), percent(records, answer.records));
        }
    };
    removed(answer.suppressed, "suppressed");
    removed(answer.dropped, "dropped because a value is missing");
    if answer.suppressed_cells > 0 {
        let records = plural(answer.records_with_suppressed_cells, "record");
        println!("  {} suppressed in {records}", plural(answer.suppressed_cells, "cell"));
    }
    print_warnings(answer.escaped_formulas, &answer.warnings);
}

/// Prints how many cells were escaped, and the warnings.
pub fn print_warnings(escaped_formulas: u64, warnings: &[String]) {
    if escaped_formulas > 0 {
        println!("  {} escaped with an apostrophe: spreadsheet formulas", plural(escaped_formulas, "cell"));
    }
    for warning in warnings {
        println!("{}", wrap(&format!("warning: {warning}"), WIDTH, "  "));
    }
}

fn print_models(answer: &RecodedAnswer) {
    for (model, violations) in &answer.verified.models {
        match violations.is_empty() {
            true => println!("  {GOOD}{MEETS}{GOOD:#} {model}"),
            false => println!("  {BAD}violates{BAD:#} {model}"),
        }
        for violation in violations.iter().take(3) {
            let text = format!("{}: {}", witness(&violation.witness), violation.explanation);
            println!("{}", wrap(&text, WIDTH, "             "));
        }
    }
}

/// The requirements that were not judged, with the reason.
pub fn print_not_judged(statements: &[Statement]) {
    for Statement { model, outcome, .. } in statements {
        match outcome {
            Outcome::NotApplicable { reason } if reason == NO_SUCH_COLUMN => {
                println!(
                    "  {HINT}no check{HINT:#} {model}: the release lacks its columns; it stays in force over joins"
                );
            }
            Outcome::Skipped { reason } if reason == "audit-off" => {
                println!("  {HINT}skipped {HINT:#} {model}: the policy sets `audit = \"off\"`");
            }
            Outcome::Skipped { .. } => {
                println!(
                    "  {HINT}skipped {HINT:#} {model} over all releases: a method satisfies it in each release alone"
                );
            }
            Outcome::NotApplicable { .. } | Outcome::Judged { .. } => {}
        }
    }
}

/// Prints whether the release is established to be within the policy, and if not, why; and what that assumes.
pub fn print_verdict(not_established: &[String], assumptions: &[String], already_above: u64) {
    match not_established {
        [] if already_above > 0 => {
            let text = format!(
                "within the policy, which earlier releases exceed for {}; this release adds nothing about them",
                people(already_above)
            );
            println!("  {GOOD}verdict {GOOD:#} {}", wrap(&text, WIDTH, "           ").trim_start());
        }
        [] => println!("  {GOOD}verdict {GOOD:#} within the policy"),
        open => {
            println!("  {BAD}verdict {BAD:#} not established to be within the policy:");
            open.iter().for_each(|why| println!("{}", wrap(why, WIDTH, "           ")));
        }
    }
    for text in assumptions {
        println!("  assumes  {}", wrap(text, WIDTH, "           ").trim_start());
    }
}

/// One line for all joins with earlier releases; with `verbose`, or if one is violated, a line for each.
fn print_joins(answer: &RecodedAnswer, verbose: bool) {
    let violated = answer.verified.joins.iter().any(|finding| !finding.violations.is_empty());
    let is_checked = |join: &&JoinAnswer| join.matching > 0 && join.judged + join.implied > 0;
    if !answer.joins.is_empty() && !verbose && !violated {
        let number = |joins: &[&JoinAnswer]| {
            let releases: BTreeSet<u64> = joins.iter().flat_map(|join| join.with.clone()).collect();
            plural(releases.len() as u64, "earlier release")
        };
        let checked: Vec<&JoinAnswer> = answer.joins.iter().filter(is_checked).collect();
        let constraints: usize = checked.iter().map(|join| join.judged + join.implied).sum();
        match checked.is_empty() {
            true => println!(
                "  {HINT}no check{HINT:#} joined with {}: no record matches, or no constraint applies",
                number(&answer.joins.iter().collect::<Vec<_>>())
            ),
            false => println!(
                "  {GOOD}{MEETS}{GOOD:#} joined with {}: {}",
                number(&checked),
                plural(constraints as u64, "constraint")
            ),
        }
    } else {
        answer.joins.iter().for_each(|join| print_join(join, &answer.verified.joins));
    }
    if !answer.dangling.is_empty() {
        answer.dangling.iter().for_each(|dangling| println!("{}", wrap(&dangling_text(dangling), WIDTH, "  ")));
    }
    if verbose && !answer.dangling.is_empty() {
        let text = "A person in only one of two tables is protected by the requirements on that table. An attacker who knows that \
                    a person is in both knows more than was checked.";
        println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "  "));
    }
}

fn print_join(join: &JoinAnswer, findings: &[JoinFinding]) {
    let JoinAnswer { with, names, matching, judged, implied } = join;
    let violated: Vec<&JoinFinding> =
        findings.iter().filter(|finding| finding.with == *with && !finding.violations.is_empty()).collect();
    let releases: Vec<String> = with.iter().zip(names).map(|(number, name)| format!("{number} {name}")).collect();
    let checked = match (judged, implied) {
        _ if *matching == 0 => "no record matches all of them".to_owned(),
        (0, 0) => "no constraint applies".to_owned(),
        (0, _) => "implied by the constraints above".to_owned(),
        (judged, 0) => plural(*judged as u64, "constraint"),
        (judged, implied) => format!("{}, {implied} more implied", plural(*judged as u64, "constraint")),
    };
    let mark = match (judged + implied == 0 || *matching == 0, violated.is_empty()) {
        (true, _) => format!("{HINT}no check{HINT:#}"),
        (false, true) => format!("{GOOD}{MEETS}{GOOD:#}"),
        (false, false) => format!("{BAD}violates{BAD:#}"),
    };
    println!("  {mark} joined with {}: {checked}", releases.join(", "));
    for finding in violated {
        println!("{}", wrap(&finding.requirement, WIDTH, "             "));
        for violation in finding.violations.iter().take(3) {
            let text = format!("{}: {}", witness(&violation.witness), violation.explanation);
            println!("{}", wrap(&text, WIDTH, "               "));
        }
    }
}

/// How many records of two releases have no match in the other.
fn dangling_text(dangling: &Dangling) -> String {
    let Dangling { number, name, unmatched_new, unmatched_earlier } = dangling;
    let mut parts = Vec::new();
    if *unmatched_earlier > 0 {
        parts.push(format!("{} of it without a match in this table", plural(*unmatched_earlier, "record")));
    }
    if *unmatched_new > 0 {
        parts.push(format!("{} of this table without a match in it", plural(*unmatched_new, "record")));
    }
    format!("note: release {number} {name}: {}", parts.join(", "))
}

/// The posterior of the audit, and what the audit does not cover.
fn print_audit(answer: &RecodedAnswer) {
    let Some(audited) = &answer.audited else { return };
    print_identity(audited.identity.as_ref(), audited.proof, &audited.join_only);
    print_record_sets(&answer.statements);
    let Some(confidence) = audited.confidence else { return };
    let highest = match audited.lower == audited.upper {
        true => ratio(audited.upper),
        false => format!("{} to {}", ratio(audited.lower), ratio(audited.upper)),
    };
    let given = match audited.with.len() {
        0 => "this release alone".to_owned(),
        many => format!("{} that recipients can hold", plural(many as u64 + 1, "release")),
    };
    let found = match audited.people {
        0 => "this release shows no person's sensitive value".to_owned(),
        many => format!("highest {highest} among {}", people(many)),
    };
    let not_with = not_given(&audited.join_only);
    // An estimate proves nothing.
    let estimate = audited.proof == Proof::Estimate && audited.upper > confidence + 1e-9;
    let (mark, not_proved) = match (estimate, not_with.is_empty()) {
        (true, _) => (format!("{HINT}estimate{HINT:#}"), "; not proved: the upper bound exceeds the threshold"),
        (false, false) => (format!("{HINT}in part {HINT:#}"), ""),
        (false, true) => (format!("{GOOD}{MEETS}{GOOD:#}"), ""),
    };
    let text = format!(
        "posterior of a sensitive value at most {} given {given} ({found}; {}{not_proved}{not_with})",
        ratio(confidence),
        audited.proof.word()
    );
    println!("  {mark} {}", wrap(&text, WIDTH, "           ").trim_start());
    let mut limits = Vec::new();
    if audited.any_record_above > 0 {
        limits.push(format!(
            "{} with several records: the posterior that at least one of their records has a given value is up to {}. This grows with \
             the number of records and is refused only if it is 100 %.",
            people(audited.any_record_above),
            ratio(audited.any_record_upper)
        ));
    }
    if audited.already_above > 0 {
        limits.push(format!(
            "{} already exceed the threshold by earlier releases; this release does not raise these posteriors. Details: `reticent audit`.",
            people(audited.already_above)
        ));
    }
    limits.iter().for_each(|text| println!("{}", wrap(text, WIDTH, "           ")));
}

/// Says which earlier releases a figure does not cover, because the owners of their records are unknown.
fn not_given(join_only: &[u64]) -> String {
    let numbers: Vec<String> = join_only.iter().map(u64::to_string).collect();
    match numbers.as_slice() {
        [] => String::new(),
        [one] => format!("; not given release {one}, whose record owners are unknown: only joins with it were checked"),
        many => {
            format!(
                "; not given releases {}, whose record owners are unknown: only joins with them were checked",
                many.join(", ")
            )
        }
    }
}

/// The requirements on the sets of records of people over all releases.
fn print_record_sets(statements: &[Statement]) {
    let over_releases = |statement: &&Statement| {
        statement.model == RECORD_SETS && statement.scope != Scope::This && statement.is_judged()
    };
    for statement in statements.iter().filter(over_releases) {
        println!("  {GOOD}{MEETS}{GOOD:#} {}", wrap(&statement.to_string(), WIDTH, "           ").trim_start());
    }
}

/// The re-identification risk given all releases that the recipients can hold. `join_only` are the releases without owner links.
pub fn print_identity(identity: Option<&Identity>, proof: Proof, join_only: &[u64]) {
    let Some(identity) = identity else {
        println!("  {HINT}no check{HINT:#} re-identification risk given all releases: it could not be computed");
        return;
    };
    let [highest, average] = risk_figures(identity);
    let bound = identity.threshold.map(|bound| format!(" at most {}", ratio(bound))).unwrap_or_default();
    let singled_out = match identity.may_be_singled_out {
        0 => "nobody is singled out".to_owned(),
        may if may > identity.singled_out => {
            format!("{} singled out, possibly {} more", people(identity.singled_out), count(may - identity.singled_out))
        }
        some => format!("{} singled out", people(some)),
    };
    let not_given = not_given(join_only);
    // An estimate proves nothing.
    let estimate = proof == Proof::Estimate && identity.may_be_above > 0;
    let (mark, not_proved) = match (identity.threshold.is_some(), estimate, not_given.is_empty()) {
        (false, ..) => ("risk    ".to_owned(), ""),
        (true, true, _) => (format!("{HINT}estimate{HINT:#}"), "; not proved: the upper bound exceeds the threshold"),
        (true, false, false) => (format!("{HINT}in part {HINT:#}"), ""),
        (true, false, true) => (format!("{GOOD}{MEETS}{GOOD:#}"), ""),
    };
    let text = format!(
        "re-identification risk{bound} given all releases that recipients can hold (highest {highest}; average {average}; \
         {singled_out}{not_proved}{not_given})"
    );
    println!("  {mark} {}", wrap(&text, WIDTH, "           ").trim_start());
}

fn print_columns(answer: &RecodedAnswer) {
    println!("\n{HEAD}Published values by column{HEAD:#}");
    let kept = |column: &ColumnAnswer| match column.role {
        Role::QuasiIdentifier => format!("{} of {}", distinct(column), count(column.values as u64)),
        _ => String::new(),
    };
    let names: Vec<Vec<String>> =
        answer.columns.iter().map(|column| vec![format!("  {}", column.name), kept(column)]).collect();
    for (line, column) in columns(&names).iter().zip(&answer.columns) {
        let left = names.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
        let wide = left + 2 + names.iter().map(|row| row[1].chars().count()).max().unwrap_or(0) + 2;
        let values = match column.role {
            Role::QuasiIdentifier if column.published == ["*"] => "suppressed (*)".to_owned(),
            _ if column.published.is_empty() => "unchanged".to_owned(),
            _ => values(column, WIDTH.saturating_sub(wide)),
        };
        println!("{line:<wide$}{values}");
    }
}

/// Number of distinct values in the file, without the suppressed value if there are others.
fn distinct(column: &ColumnAnswer) -> String {
    let suppressed = usize::from(column.published.len() > column.values);
    count((column.published.len() - suppressed) as u64)
}

/// As many values as fit, and how many more there are.
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

fn print_risk(answer: &RecodedAnswer) {
    let risk = &answer.risk;
    println!("\n{HEAD}Risk of this release alone{HEAD:#}");
    println!(
        "  re-identification: highest {}, average {} (smallest class: {})",
        ratio(risk.highest_risk),
        ratio(risk.average_risk),
        people(risk.smallest_class)
    );
    for column in &risk.confidence {
        println!("  attribute disclosure, {}: highest posterior {}", column.column, ratio(column.highest));
    }
}

fn print_metrics(answer: &RecodedAnswer) {
    if answer.metrics.is_empty() {
        return;
    }
    println!("\n{HEAD}Metrics{HEAD:#}");
    let names = answer.metrics.iter().map(|metric| metric.id.len()).max().unwrap_or(0);
    let numbers = answer.metrics.iter().map(|metric| number(metric.measure.value).len()).max().unwrap_or(0);
    let indent = " ".repeat(names + numbers + 6);
    for metric in &answer.metrics {
        let text = wrap(&metric.measure.reading, WIDTH, &indent);
        println!("  {:<names$}  {:>numbers$}  {}", metric.id, number(metric.measure.value), text.trim_start());
    }
}

fn print_run(answer: &RecodedAnswer) {
    let Seconds { load_history, read, search, write, verify, audit, measure, record } = answer.seconds;
    let guarantee = match answer.guarantee {
        Guarantee::Optimal => "optimal for its search space",
        Guarantee::LocallyMaximal => "locally maximal: no single further step meets the requirements",
        Guarantee::Safe => "meets the requirements; a better release may exist",
    };
    println!(
        "\n{HINT}{}, {} ({guarantee}), seed {}{HINT:#}",
        answer.algorithm,
        plural(answer.steps, "step"),
        answer.seed
    );
    println!(
        "{HINT}seconds: load history {load_history:.2}, read {read:.2}, search {search:.2}, write {write:.2}, verify {verify:.2}, audit {audit:.2}, measure {measure:.2}, record {record:.2}{HINT:#}"
    );
}
