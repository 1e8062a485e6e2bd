//! `reticent purge`: erases what the ledger stores of a release. Its entry, and the chain, stay.

use serde::Serialize;

use crate::args::Purge;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{GOOD, HINT, WIDTH, plural, print_json, wrap};
use crate::steward::Ways;

/// What `purge` answers.
#[derive(Debug, Serialize)]
struct Answer {
    /// The release whose contents were erased.
    release: u64,
    name: String,
    /// The number of the entry that says so.
    number: u64,
    /// Its hash.
    entry: String,
    /// Stored files that are gone.
    erased_files: usize,
    /// Stored files that stay, because another release has the same.
    shared_files: usize,
    /// The published file, which is not touched.
    file: Option<String>,
}

/// Erases.
pub fn run(options: &Purge, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "erasing a release")?;
    let mut ledger = books.open()?;
    let entry = ledger.find(&options.release)?;
    let Some(release) = entry.release() else { return Ok(2) };
    if !options.yes {
        return Err(Failure::Call(format!(
            "this erases what the ledger stores of release {} (`{}`, {}) for ever, and what it gives away together with others \
             can never be computed again; if that is what you want, add --yes",
            entry.number, release.name, release.date
        )));
    }
    let purged = books.write(&mut ledger)?.purge(&options.release, &options.reason)?;
    let Some(purge) = purged.purge() else { return Ok(2) };
    let answer = Answer {
        release: entry.number,
        name: release.name.clone(),
        number: purged.number,
        entry: ledger.hash_of(&purged)?.to_string(),
        erased_files: purge.erased.len(),
        shared_files: purge.shared.len(),
        file: release.file.as_ref().map(|file| file.path.clone()),
    };
    if ways.json {
        print_json(&answer)?;
        return Ok(0);
    }
    let bodies = |number: usize| plural(number as u64, "stored file");
    println!("{GOOD}erased{GOOD:#} {} of release {} ({})", bodies(answer.erased_files), answer.release, answer.name);
    if answer.shared_files > 0 {
        println!("  {} stay: another release has the same", bodies(answer.shared_files));
    }
    if let Some(file) = &answer.file {
        println!(
            "{}",
            wrap(&format!("the published file {file} is not touched, nor what recipients hold"), WIDTH, "  ")
        );
    }
    println!("{HINT}its entry stays; what it gives away together with others can no longer be computed{HINT:#}");
    Ok(0)
}
