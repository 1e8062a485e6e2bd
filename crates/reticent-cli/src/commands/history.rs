//! `reticent history for WHO`: what a coalition of recipients can hold together.

use std::collections::BTreeSet;

use reticent::recipients::{PUBLIC, folded, is_name};
use reticent_ledger::Entry;
use serde::Serialize;

use crate::args::History;
use crate::books::{Books, recipients};
use crate::commands::log::erased;
use crate::failure::Failure;
use crate::screen::{BAD, HEAD, HINT, WIDTH, plural, print_json, wrap};
use crate::steward::Ways;

/// What `history` answers.
#[derive(Debug, Serialize)]
struct Answer {
    /// Who was asked about.
    who: Vec<String>,
    /// Those of them to whom nothing was released.
    unknown: Vec<String>,
    /// Every largest set of recipients that can combine what they hold, and has them in it.
    coalitions: Vec<Coalition>,
}

#[derive(Debug, Serialize)]
struct Coalition {
    members: Vec<String>,
    releases: Vec<HeldLine>,
}

#[derive(Debug, Serialize)]
struct HeldLine {
    number: u64,
    name: String,
    date: String,
    recipients: Vec<String>,
    columns: Vec<String>,
    erased: Option<String>,
}

/// Tells what a coalition can hold.
pub fn run(options: &History, ways: &Ways) -> Result<u8, Failure> {
    let mut who: Vec<String> = options.who.iter().map(|name| folded(name)).collect();
    if who[0] == "for" {
        who.remove(0);
    }
    if who.is_empty() {
        return Err(Failure::Call("for whom? write for example `reticent history for research`".to_owned()));
    }
    if let Some(name) = who.iter().find(|name| !is_name(name)) {
        return Err(Failure::Call(format!("{name:?}: {}", reticent::recipients::NAME_RULE)));
    }
    let books = Books::find(&options.place, "reading the history")?;
    let entries = books.open_to_read()?.entries()?;
    refuse_separate(&who, &books)?;
    let known = recipients(&entries);
    let unknown: Vec<String> = who.iter().filter(|name| !known.contains(*name) && *name != PUBLIC).cloned().collect();
    let all = books.separate.coalitions(&known, &who)?;
    let together = |coalition: &BTreeSet<String>| who.iter().all(|name| name == PUBLIC || coalition.contains(name));
    let coalitions: Vec<Coalition> =
        all.into_iter().filter(together).map(|members| coalition(members, &entries)).collect();
    if ways.json {
        print_json(&Answer { who, unknown, coalitions })?;
        return Ok(0);
    }
    if !options.place.policy.exists() {
        println!("{HINT}there is no policy {}: nobody is taken to be separate{HINT:#}", options.place.policy.display());
    }
    if !unknown.is_empty() {
        println!("{HINT}nothing was released to {} by name{HINT:#}", unknown.join(", "));
    }
    coalitions.iter().for_each(print);
    Ok(0)
}

fn refuse_separate(who: &[String], books: &Books) -> Result<(), Failure> {
    for (at, one) in who.iter().enumerate() {
        if let Some(other) = who[..at].iter().find(|other| !books.separate.can_combine(one, other)) {
            let message = format!("the policy declares {other} and {one} separate: they never combine what they hold");
            return Err(Failure::Call(message));
        }
    }
    Ok(())
}

fn coalition(members: BTreeSet<String>, entries: &[Entry]) -> Coalition {
    let held = |entry: &Entry| {
        let release = entry.release()?;
        let holds = release.recipients.iter().any(|name| name == PUBLIC || members.contains(name));
        holds.then(|| HeldLine {
            number: entry.number,
            name: release.name.clone(),
            date: release.date.clone(),
            recipients: release.recipients.clone(),
            columns: release.column_names(),
            erased: erased(entry.number, entries),
        })
    };
    let releases = entries.iter().filter_map(held).collect();
    Coalition { members: members.into_iter().collect(), releases }
}

fn print(coalition: &Coalition) {
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
