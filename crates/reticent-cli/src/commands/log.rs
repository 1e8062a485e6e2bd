//! `reticent log`: what was released, when and to whom.

use reticent_ledger::{Entry, Judged, Origin, Recorded, What};
use serde::Serialize;

use crate::args::Log;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{BAD, GOOD, HEAD, HINT, WIDTH, count, plural, print_json, wrap};
use crate::steward::Ways;

/// What `log` answers.
#[derive(Debug, Serialize)]
struct Answer {
    /// The ledger's folder.
    ledger: String,
    /// How many entries there are.
    entries: u64,
    /// The hash of the last one.
    head: String,
    /// The entries, oldest first.
    log: Vec<Line>,
}

/// One entry.
#[derive(Debug, Serialize)]
struct Line {
    number: u64,
    at: String,
    by: String,
    #[serde(flatten)]
    what: Told,
}

/// What an entry tells.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "what")]
enum Told {
    Release {
        name: String,
        date: String,
        recipients: Vec<String>,
        origin: Origin,
        records: u64,
        columns: Vec<String>,
        judged: Judged,
        /// When its contents were erased, if they were.
        erased: Option<String>,
    },
    Purge {
        release: u64,
        reason: String,
    },
}

/// Tells the timeline.
pub fn run(options: &Log, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "reading the log")?;
    let ledger = books.open_to_read()?;
    let entries = ledger.entries()?;
    let head = ledger.head()?;
    let log: Vec<Line> = entries.iter().map(|entry| line(entry, &entries)).collect();
    let answer =
        Answer { ledger: books.folder.display().to_string(), entries: head.entries, head: head.hash.to_string(), log };
    if ways.json {
        print_json(&answer)?;
    } else {
        print(&answer, &head.hash.short());
    }
    Ok(0)
}

/// When the contents of a release were erased, if they were.
pub fn erased(number: u64, entries: &[Entry]) -> Option<String> {
    let purge = entries.iter().find(|entry| entry.purge().is_some_and(|purge| purge.release == number));
    purge.map(|entry| entry.at.clone())
}

fn line(entry: &Entry, entries: &[Entry]) -> Line {
    let what = match &entry.what {
        What::Release(release) => {
            let columns = release.column_names();
            let Recorded { name, date, recipients, origin, records, judged, .. } = (**release).clone();
            let erased = erased(entry.number, entries);
            Told::Release { name, date, recipients, origin, records, columns, judged, erased }
        }
        What::Purge(purge) => Told::Purge { release: purge.release, reason: purge.reason.clone() },
    };
    Line { number: entry.number, at: entry.at.clone(), by: entry.by.clone(), what }
}

fn print(answer: &Answer, head: &str) {
    if answer.log.is_empty() {
        println!("Nothing was released yet. The ledger is {}.", answer.ledger);
        return;
    }
    let wide = answer.entries.to_string().len();
    for Line { number, at, by, what } in &answer.log {
        let room = " ".repeat(wide + 2);
        match what {
            Told::Release { name, date, recipients, origin, records, columns, judged, erased } => {
                println!("{number:>wide$}  {HEAD}{date}  {name}{HEAD:#}  to {}", recipients.join(", "));
                let how = if *origin == Origin::Registered { ", made elsewhere" } else { "" };
                let text = format!("{}: {}{how}", plural(*records, "record"), columns.join(", "));
                println!("{}", wrap(&text, WIDTH, &room));
                println!("{room}{HINT}entered {at} by {by}{HINT:#}");
                if let Judged::Alone { apart_from } = judged {
                    let many = plural(apart_from.len() as u64, "earlier release");
                    println!("{room}{BAD}judged by itself{BAD:#}, apart from {many} that its recipients can hold");
                }
                if let Some(erased) = erased {
                    println!("{room}{BAD}erased{BAD:#} {erased}: what it gives away can no longer be computed");
                }
            }
            Told::Purge { release, reason } => {
                println!(
                    "{number:>wide$}  {HEAD}{}{HEAD:#}  erased the contents of release {release}: {reason}",
                    at.get(..10).unwrap_or(at)
                );
                println!("{room}{HINT}entered {at} by {by}{HINT:#}");
            }
        }
    }
    println!("\n{GOOD}{}{GOOD:#} in {}, head {head}", entries(answer.entries), answer.ledger);
}

fn entries(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{} entries", count(number)) }
}
