//! `reticent erase`: removes one person from the owner links of all releases.

use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;

use reticent_app::answer::EraseAnswer;
use reticent_app::request::{EraseRequest, OwnerText};

use super::withdraw::assumptions;
use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HINT, WIDTH, people, plural, ratio, warn, wrap};

/// Maximum number of bytes of an owner value.
const MAX_OWNER: u64 = 64 * 1024;

/// Erases a person.
pub fn run(options: &args::Erase, console: &Console) -> Result<u8, Error> {
    let request = EraseRequest {
        owner: owner(options)?,
        reason: options.reason.clone(),
        dry_run: options.dry_run,
        confirmed: options.yes,
    };
    let answer = options.place.workspace().erase(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

/// Reads the owner value. No message shows it.
fn owner(options: &args::Erase) -> Result<OwnerText, Error> {
    let text = match (&options.owner, &options.owner_file) {
        (Some(value), _) => {
            warn("the value of --owner may stay in the history of your shell; prefer --owner-file");
            value.clone()
        }
        (None, Some(path)) => read(path)?,
        (None, None) => {
            let input = std::io::stdin();
            if input.is_terminal() {
                anstream::eprint!("owner value of the person to erase: ");
            }
            let mut line = String::new();
            let done = input.lock().take(MAX_OWNER).read_line(&mut line);
            done.map_err(Error::file("read the owner value from", "standard input"))?;
            line
        }
    };
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line {
        "" => Err(Error::Usage("the owner value is empty; pass it with --owner-file, or on standard input".to_owned())),
        more if more.contains('\n') => {
            Err(Error::Usage("the file has several lines; erase one person at a time".to_owned()))
        }
        one => Ok(OwnerText::new(one)),
    }
}

fn read(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let done = std::fs::File::open(path).and_then(|file| file.take(MAX_OWNER).read_to_string(&mut text));
    done.map_err(Error::file("read the owner value from", path))?;
    Ok(text)
}

fn print(answer: &EraseAnswer) {
    let many = match answer.releases.len() {
        // No release published the person.
        0 => "the state of a republication method".to_owned(),
        several => plural(several as u64, "release"),
    };
    match answer.number {
        Some(number) => println!("{GOOD}erased{GOOD:#} {} from {many} (entry {number})", people(1)),
        None => println!("would erase {} from {many}; nothing was changed", people(1)),
    }
    for records in &answer.releases {
        let class = if records.method.is_some() { "group" } else { "equivalence class" };
        println!(
            "  release {} {}: {} in an {class} of {}",
            records.release,
            records.name,
            plural(records.records, "record"),
            plural(records.class_records, "record")
        );
        for column in &records.columns {
            let after = match column.highest_share_without {
                Some(after) => format!("without them {}", ratio(after)),
                None => "without them the class is empty".to_owned(),
            };
            println!("    {}: most frequent value {}, {after}", column.column, ratio(column.highest_share));
        }
    }
    for warning in &answer.warnings {
        println!("{}", wrap(&format!("{BAD}warning{BAD:#}: {warning}"), WIDTH, "  "));
    }
    assumptions(&answer.assumptions);
    let next = match answer.number {
        Some(_) => "Next: delete the person from the source data, then `reticent audit`",
        None => "Next: the same command with --yes instead of --dry-run",
    };
    println!("{HINT}{next}{HINT:#}");
}
