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
    /// The releases that have the same, and through which it can still be read.
    shared_with: Vec<u64>,
    /// The published file, which is not touched.
    file: Option<String>,
}

/// Erases.
pub fn run(options: &Purge, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "erasing a release")?;
    let mut ledger = books.open_to_write()?;
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
        shared_with: ledger.sharing(&purged)?,
        file: release.file.as_ref().map(|file| file.path.clone()),
    };
    if ways.json {
        print_json(&answer)?;
        return Ok(0);
    }
    let bodies = |number: usize| plural(number as u64, "stored file");
    println!("{GOOD}erased{GOOD:#} {} of release {} ({})", bodies(answer.erased_files), answer.release, answer.name);
    if answer.shared_files > 0 && answer.shared_with.is_empty() {
        println!("  {} stay: policies and taxonomies that other releases use", bodies(answer.shared_files));
    } else if answer.shared_files > 0 {
        let others: Vec<String> = answer.shared_with.iter().map(u64::to_string).collect();
        let text = format!(
            "{} stay and can be read, because releases {} have the same; purge these too if they must go",
            bodies(answer.shared_files),
            others.join(", ")
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    if let Some(file) = &answer.file {
        println!(
            "{}",
            wrap(&format!("the published file {file} is not touched, nor what recipients hold"), WIDTH, "  ")
        );
    }
    println!("{HINT}its entry stays; in later audits it counts as one whose contents are not known{HINT:#}");
    Ok(0)
}
