//! `reticent register`: enters a release that was made elsewhere, or before Reticent.

use reticent::recognise::Kinds;
use reticent_app::answer::{RecognisedColumn, Registered};
use reticent_app::request::RegisterRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HEAD, HINT, WIDTH, columns, count, disguise, plural, role, wrap};

/// Enters a release.
pub fn run(options: &args::Register, console: &Console) -> Result<u8, Error> {
    let request = RegisterRequest {
        file: options.file.clone(),
        name: options.name.clone(),
        recipients: options.to.clone(),
        date: options.date.clone(),
        identifier: options.identifier.clone(),
        sensitive: options.sensitive.clone(),
        quasi_identifier: options.quasi_identifier.clone(),
        groups: options.groups.clone(),
        counterfeits: options.counterfeits.clone(),
        apart: options.apart,
        of: options.of.clone(),
        dry_run: options.dry_run,
    };
    let answer = options.place.workspace().register(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &Registered) {
    let to = answer.recipients.join(", ");
    match answer.release {
        Some(number) => {
            println!(
                "{GOOD}registered{GOOD:#} {} as release {number} in {}, {} to {to}",
                answer.name, answer.ledger, answer.date
            );
        }
        None => println!(
            "{GOOD}would register{GOOD:#} {}, {} to {to} (dry run: nothing was entered)",
            answer.name, answer.date
        ),
    }
    println!("  {}", plural(answer.records, "record"));
    println!("\n{HEAD}What was recognised{HEAD:#}");
    let row = |column: &RecognisedColumn| {
        let some = column.examples.join(" | ");
        let some = if some.is_empty() { some } else { format!("such as {some}") };
        vec![format!("  {}", column.name), role(column.role).to_owned(), recognised(&column.recognised), some]
    };
    let rows: Vec<Vec<String>> = answer.columns.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if !answer.left_out.is_empty() {
        println!("  not stored, since they name people: {}", answer.left_out.join(", "));
    }
    for line in disguise(&answer.disguise) {
        println!("  {line}");
    }
    if let Some(people) = answer.people {
        println!("  owner links of {} people", count(people));
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    let hint = "If a generalized value was taken for a plain one, give its column a taxonomy in the policy, or this table a policy of \
                its own with --policy; --dry-run tells what would be recognised and enters nothing.";
    println!("{HINT}{}{HINT:#}", wrap(hint, WIDTH, ""));
}

/// `3 values, 2 intervals, suppressed`.
fn recognised(kinds: &Kinds) -> String {
    let counted = [
        (kinds.values, "value"),
        (kinds.intervals, "interval"),
        (kinds.inner, "taxonomy node"),
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
