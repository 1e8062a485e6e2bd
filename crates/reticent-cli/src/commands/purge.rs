//! `reticent purge`: erases what the ledger stores of a release. Its entry, and the chain, stay.

use reticent_app::answer::Purged;
use reticent_app::request::PurgeRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, plural, wrap};

/// Erases.
pub fn run(options: &args::Purge, console: &Console) -> Result<u8, Error> {
    let request =
        PurgeRequest { release: options.release.clone(), reason: options.reason.clone(), confirmed: options.yes };
    let answer = options.place.workspace().purge(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &Purged) {
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
}
