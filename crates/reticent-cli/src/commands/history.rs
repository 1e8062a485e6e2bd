//! `reticent history for WHO`: what a coalition of recipients can hold together.

use reticent_app::Recipient;
use reticent_app::answer::{CoalitionHoldings, HistoryOf};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, HEAD, HINT, WIDTH, plural, wrap};

/// Shows what a coalition can hold.
pub fn run(options: &args::History, console: &Console) -> Result<u8, Error> {
    let mut who = options.who.clone();
    if who.first().is_some_and(|word| word.trim().eq_ignore_ascii_case("for")) {
        who.remove(0);
    }
    if who.is_empty() {
        return Err(Error::Usage("for whom? write for example `reticent history for research`".to_owned()));
    }
    let who: Vec<Recipient> = who.iter().map(|name| Recipient::new(name)).collect::<Result<_, _>>()?;
    let answer = options.place.workspace().history(&who, &console.context)?;
    console.answer(&answer, |answer| print(answer, &options.place))?;
    Ok(0)
}

fn print(answer: &HistoryOf, place: &args::Place) {
    if !place.policy.exists() {
        println!("{HINT}there is no policy {}: nobody is taken to be separate{HINT:#}", place.policy.display());
    }
    if !answer.unknown.is_empty() {
        println!("{HINT}nothing was released to {} by name{HINT:#}", answer.unknown.join(", "));
    }
    answer.coalitions.iter().for_each(print_coalition);
}

fn print_coalition(coalition: &CoalitionHoldings) {
    let many = plural(coalition.releases.len() as u64, "release");
    println!("{HEAD}{}{HEAD:#} can hold {many}", coalition.members.join(", "));
    for line in &coalition.releases {
        println!("  {:>3}  {}  {}  to {}", line.number, line.date, line.name, line.recipients.join(", "));
        println!("{}", wrap(&line.columns.join(", "), WIDTH, "       "));
        if let Some(at) = &line.erased {
            println!("       {BAD}erased{BAD:#} {at}: what it gives away can no longer be computed");
        }
    }
}
