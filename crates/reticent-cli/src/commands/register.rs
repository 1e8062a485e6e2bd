//! `reticent register`: records a release that was made without Reticent.

use reticent::recognise::TextKinds;
use reticent_app::answer::{Origin, RecognisedColumn, RegisterAnswer};
use reticent_app::request::{Data, RegisterAs, RegisterRequest};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HEAD, HINT, WIDTH, columns, count, plural, presentation, role, wrap};

/// Records a release.
pub fn run(options: &args::Register, console: &Console) -> Result<u8, Error> {
    let data = match options.from.source()? {
        Some(database) => Data::Database(database),
        None => Data::File(options.file.clone().unwrap_or_default()),
    };
    let request = RegisterRequest {
        data,
        register_as: match options.register_as {
            args::RegisterAs::Release => RegisterAs::Release,
            args::RegisterAs::Population => RegisterAs::Population,
        },
        name: options.name.clone(),
        recipients: options.to.clone(),
        date: options.date.clone(),
        identifier: options.identifier.clone(),
        owner_shown: options.owner_shown,
        sensitive: options.sensitive.clone(),
        quasi_identifier: options.quasi_identifier.clone(),
        group_column: options.group_column.clone(),
        counterfeit_column: options.counterfeit_column.clone(),
        separate_columns: options.separate_columns,
        marginal_of: options.marginal_of.clone(),
        dry_run: options.dry_run,
    };
    let answer = options.place.workspace().register(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &RegisterAnswer) {
    let to = answer.recipients.join(", ");
    let is_population = answer.origin == Origin::Population;
    match answer.release {
        Some(number) => {
            println!(
                "{GOOD}registered{GOOD:#} {} as release {number} in {}, {} to {to}",
                answer.name, answer.ledger, answer.date
            );
        }
        None => println!(
            "{GOOD}would register{GOOD:#} {}, {} to {to} (dry run: nothing was recorded)",
            answer.name, answer.date
        ),
    }
    println!("  {}{}", plural(answer.records, "record"), if is_population { ", population register" } else { "" });
    println!("\n{HEAD}Recognized columns{HEAD:#}");
    let row = |column: &RecognisedColumn| {
        let some = column.examples.join(" | ");
        let some = if some.is_empty() { some } else { format!("for example {some}") };
        vec![format!("  {}", column.name), role(column.role).to_owned(), recognised(&column.recognised), some]
    };
    let rows: Vec<Vec<String>> = answer.columns.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if !answer.omitted_columns.is_empty() {
        println!("  identifiers, not stored: {}", answer.omitted_columns.join(", "));
    }
    if !answer.identifiers_shown.is_empty() {
        let text = format!(
            "warning: the file shows {}. Its readers know whose each record is; audits count these people as identified",
            answer.identifiers_shown.join(", ")
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    for line in presentation(&answer.presentation) {
        println!("  {line}");
    }
    if let Some(people) = answer.people {
        println!("  owner links of {} people", count(people));
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    let hint = "If a generalized value was taken for an exact one, add a taxonomy for its column to the policy, or pass a separate policy \
                with --policy. --dry-run shows the result without recording it.";
    println!("{HINT}{}{HINT:#}", wrap(hint, WIDTH, ""));
}

/// `3 values, 2 intervals, suppressed`.
fn recognised(kinds: &TextKinds) -> String {
    let counted = [
        (kinds.values, "value"),
        (kinds.intervals, "interval"),
        (kinds.taxonomy_nodes, "taxonomy node"),
        (kinds.sets, "set"),
        (kinds.masked, "masked prefix"),
    ];
    let word = |(number, word): &(u64, &str)| match *word {
        "masked prefix" if *number != 1 => format!("{number} masked prefixes"),
        word => plural(*number, word),
    };
    let mut parts: Vec<String> = counted.iter().filter(|(number, _)| *number > 0).map(word).collect();
    parts.extend((kinds.suppressed > 0).then(|| "suppressed cells".to_owned()));
    parts.extend((kinds.missing > 0).then(|| "missing values".to_owned()));
    parts.join(", ")
}
