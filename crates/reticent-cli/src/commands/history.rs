//! `reticent history for NAME`: the releases that a coalition of recipients can hold.

use reticent_app::Recipient;
use reticent_app::answer::{CoalitionHoldings, HistoryAnswer, Origin};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, HEAD, HINT, WIDTH, plural, wrap};

/// Prints the releases of each coalition.
pub fn run(options: &args::History, console: &Console) -> Result<u8, Error> {
    let mut names = options.recipients.clone();
    if names.first().is_some_and(|word| word.trim().eq_ignore_ascii_case("for")) {
        names.remove(0);
    }
    if names.is_empty() {
        return Err(Error::Usage(
            "a recipient is missing; write for example `reticent history for research`".to_owned(),
        ));
    }
    let recipients: Vec<Recipient> = names.iter().map(|name| Recipient::new(name)).collect::<Result<_, _>>()?;
    let answer = options.place.workspace().history(&recipients, &console.context)?;
    console.answer(&answer, |answer| print(answer, &options.place))?;
    Ok(0)
}

fn print(answer: &HistoryAnswer, place: &args::Place) {
    if !place.policy.exists() {
        println!("{HINT}no policy {}: all recipients are assumed to collude{HINT:#}", place.policy.display());
    }
    if !answer.unknown_recipients.is_empty() {
        println!("{HINT}no release names the recipient {}{HINT:#}", answer.unknown_recipients.join(", "));
    }
    answer.coalitions.iter().for_each(print_coalition);
    answer.assumptions.iter().for_each(|text| println!("{HINT}{}{HINT:#}", wrap(text, WIDTH, "")));
}

fn print_coalition(coalition: &CoalitionHoldings) {
    let many = plural(coalition.releases.len() as u64, "release");
    println!("{HEAD}{}{HEAD:#} can hold {many}", coalition.members.join(", "));
    for line in &coalition.releases {
        let what = if line.origin == Origin::Population { ", population register" } else { "" };
        println!("  {:>3}  {}  {}  to {}{what}", line.number, line.date, line.name, line.recipients.join(", "));
        println!("{}", wrap(&line.columns.join(", "), WIDTH, "       "));
        if let Some(at) = &line.erased {
            println!("       {BAD}erased{BAD:#} {at}: its disclosure can no longer be computed");
        }
    }
}
