//! `reticent init`: drafts a policy for a data file.

use reticent_app::Workspace;
use reticent_app::answer::InitAnswer;
use reticent_app::request::InitRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, plural, wrap};

/// Drafts the policy, its taxonomies and its JSON Schema.
pub fn run(options: &args::Init, console: &Console) -> Result<u8, Error> {
    let request = InitRequest {
        data: options.data.clone(),
        formats: options.format.clone(),
        force: options.force,
        preset: options.preset.clone(),
    };
    let answer = Workspace::new(&options.policy).init(&request, &console.context)?;
    console.answer(&answer, |answer| print(answer, options))?;
    Ok(0)
}

fn print(answer: &InitAnswer, options: &args::Init) {
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
    if !answer.notes.is_empty() {
        println!();
    }
    for note in &answer.notes {
        println!("{}", wrap(note, WIDTH, "  ").trim_start());
    }
    println!("\nThe draft is cautious: columns are quasi-identifiers until you change their role. Next:");
    println!("  1. edit {}: set the role of each column (suggestions with reasons are in the file)", written[0]);
    println!("  2. edit the taxonomy files: insert groups between each value and the root `*`");
    let data: Vec<String> = options.data.iter().map(|name| quoted(name)).collect();
    let policy = match options.policy.to_str() {
        Some("reticent.toml") => String::new(),
        _ => format!(" --policy {}", quoted(&options.policy.display().to_string())),
    };
    println!(
        "  3. to publish this table repeatedly, choose a republication method before the first release (docs/methods.md)"
    );
    println!("  4. {HINT}reticent check{HINT:#} {}{policy}", data.join(" "));
}

/// A file name, quoted for the shell if needed.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,+=@".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
