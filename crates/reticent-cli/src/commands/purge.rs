//! `reticent purge`: erases the stored contents of a release. Its entry stays in the chain.

use reticent_app::answer::PurgeAnswer;
use reticent_app::request::PurgeRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, plural, wrap};

/// Erases the contents of a release.
pub fn run(options: &args::Purge, console: &Console) -> Result<u8, Error> {
    let request =
        PurgeRequest { release: options.release.clone(), reason: options.reason.clone(), confirmed: options.yes };
    let answer = options.place.workspace().purge(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &PurgeAnswer) {
    let bodies = |number: usize| plural(number as u64, "stored file");
    println!("{GOOD}erased{GOOD:#} {} of release {} ({})", bodies(answer.erased_files), answer.release, answer.name);
    if answer.shared_files > 0 && answer.shared_with.is_empty() {
        println!("  {} kept: policies and taxonomies of other releases", bodies(answer.shared_files));
    } else if answer.shared_files > 0 {
        let others: Vec<String> = answer.shared_with.iter().map(u64::to_string).collect();
        let text = format!(
            "{} kept and readable, because they are shared with {}: purge these too to erase them",
            bodies(answer.shared_files),
            format_args!("{} {}", if others.len() == 1 { "release" } else { "releases" }, others.join(", "))
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    if let Some(file) = &answer.file {
        println!(
            "{}",
            wrap(&format!("the published file {file} and the copies of recipients are not erased"), WIDTH, "  ")
        );
    }
    println!("{HINT}The entry stays. Later audits treat its contents as unknown.{HINT:#}");
}
