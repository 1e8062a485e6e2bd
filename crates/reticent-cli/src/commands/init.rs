//! `reticent init`: drafts a policy for a data file.

use reticent_app::Workspace;
use reticent_app::answer::Drafted;
use reticent_app::request::InitRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, plural};

/// Drafts the policy, its taxonomies and its JSON Schema.
pub fn run(options: &args::Init, console: &Console) -> Result<u8, Error> {
    let request = InitRequest { data: options.data.clone(), force: options.force };
    let answer = Workspace::new(&options.policy).init(&request, &console.context)?;
    console.answer(&answer, |answer| print(answer, options))?;
    Ok(0)
}

fn print(answer: &Drafted, options: &args::Init) {
    let written = &answer.written;
    println!(
        "{GOOD}drafted{GOOD:#} {} for {} in {}",
        written[0],
        plural(answer.columns as u64, "column"),
        plural(answer.rows, "row")
    );
    for path in written.iter().skip(1) {
        println!("        {path}");
    }
    println!("\nEvery column is a quasi-identifier until you say otherwise. Next:");
    println!("  1. in {}, give each column its role (the suggestions say why)", written[0]);
    println!("  2. put groups between the values and the root in the taxonomy files");
    let data: Vec<String> = options.data.iter().map(|name| quoted(name)).collect();
    let policy = match options.policy.to_str() {
        Some("reticent.toml") => String::new(),
        _ => format!(" --policy {}", quoted(&options.policy.display().to_string())),
    };
    println!("  3. {HINT}reticent check{HINT:#} {}{policy}", data.join(" "));
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,+=@".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
