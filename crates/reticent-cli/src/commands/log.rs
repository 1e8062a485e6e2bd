//! `reticent log`: all ledger entries.

use reticent_app::answer::{HistoryScope, Origin};
use reticent_app::answer::{LogAnswer, LogEntry, LogLine};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, count, plural, role, wrap};

/// Prints the entries.
pub fn run(options: &args::Log, console: &Console) -> Result<u8, Error> {
    let answer = options.place.workspace().log(&console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &LogAnswer) {
    let head = answer.head.get(..12).unwrap_or(&answer.head);
    if answer.log.is_empty() {
        println!("No releases yet in the ledger {}.", answer.ledger);
        return;
    }
    let wide = answer.entries.to_string().len();
    for LogLine { number, at, steward, kind } in &answer.log {
        let room = " ".repeat(wide + 2);
        match kind {
            LogEntry::Release { name, date, recipients, origin, records, columns, judged, erased, withdrawn } => {
                println!("{number:>wide$}  {HEAD}{date}  {name}{HEAD:#}  to {}", recipients.join(", "));
                let how = match origin {
                    Origin::Published => "",
                    Origin::Registered => ", registered",
                    Origin::Population => ", population register",
                };
                let text = format!("{}: {}{how}", plural(*records, "record"), columns.join(", "));
                println!("{}", wrap(&text, WIDTH, &room));
                println!("{room}{HINT}recorded {at} by {steward}{HINT:#}");
                if let HistoryScope::Alone { apart_from } = judged {
                    let many = plural(apart_from.len() as u64, "earlier release");
                    println!("{room}{BAD}not checked{BAD:#} against {many} that its recipients can hold");
                }
                if let Some(withdrawn) = withdrawn {
                    println!("{room}{BAD}withdrawn{BAD:#} {withdrawn}: assumed that nobody holds it");
                }
                if let Some(erased) = erased {
                    println!("{room}{BAD}erased{BAD:#} {erased}: its disclosure can no longer be computed");
                }
            }
            other => {
                let text = match other {
                    LogEntry::Purge { release, reason } => {
                        format!("erased the contents of release {release}: {reason}")
                    }
                    LogEntry::Withdrawal { .. } | LogEntry::Amendment { .. } | LogEntry::Erasure { .. } => {
                        correction(other)
                    }
                    LogEntry::KeyRotation { verifier, .. } => {
                        format!("entries are signed from here on with {verifier}")
                    }
                    LogEntry::Witness { name, entries } => format!("{name} countersigned the first {entries} entries"),
                    LogEntry::Release { .. } => String::new(),
                };
                println!("{number:>wide$}  {HEAD}{}{HEAD:#}  {text}", at.get(..10).unwrap_or(at));
                println!("{room}{HINT}recorded {at} by {steward}{HINT:#}");
            }
        }
    }
    let signed = if answer.signed { "" } else { ", unauthenticated" };
    println!("\n{GOOD}{}{GOOD:#} in {}, head {head}{signed}", entries(answer.entries), answer.ledger);
}

/// Describes a withdrawal, an amendment or an erasure.
pub fn correction(entry: &LogEntry) -> String {
    match entry {
        LogEntry::Withdrawal { release, reason, file_absent } => {
            let unchecked = if *file_absent { "" } else { " (not checked that its file is gone)" };
            format!("withdrew release {release}{unchecked}: {reason}")
        }
        LogEntry::Amendment { release, reason, recipients, roles } => {
            let to = recipients.as_ref().map(|names| format!("recipients {}", names.join(", ")));
            let roles = roles.iter().map(|known| format!("{} is {}", known.column, role(known.role)));
            let changes: Vec<String> = to.into_iter().chain(roles).collect();
            format!("amended release {release} ({}): {reason}", changes.join("; "))
        }
        LogEntry::Erasure { people, releases, reason } => {
            let numbers: Vec<String> = releases.iter().map(u64::to_string).collect();
            let which = if numbers.len() == 1 { "release" } else { "releases" };
            format!("erased {} from {which} {}: {reason}", people_text(*people), numbers.join(", "))
        }
        _ => String::new(),
    }
}

fn people_text(number: u64) -> String {
    if number == 1 { "1 person".to_owned() } else { format!("{} people", count(number)) }
}

fn entries(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{} entries", count(number)) }
}
