//! `reticent init`: drafts a policy for a data file.

use std::io::{BufRead, Write};

use reticent_app::answer::InitAnswer;
use reticent_app::request::InitRequest;
use reticent_app::{Role, Workspace};

use crate::args::{self, ROLES};
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, plural, wrap};

/// Drafts the policy, its taxonomies and its JSON Schema.
pub fn run(options: &args::Init, console: &Console) -> Result<u8, Error> {
    let data = match options.from.source()? {
        Some(database) => database.into(),
        None => options.data.clone().into(),
    };
    let mut request = InitRequest {
        data,
        encoding: options.encoding.clone(),
        formats: options.format.clone(),
        roles: options.role.clone(),
        owner: options.owner.clone(),
        dry_run: false,
        force: options.force,
        preset: options.preset.clone(),
    };
    let workspace = Workspace::new(&options.policy);
    if options.ask {
        let drafted = workspace.init(&InitRequest { dry_run: true, ..request.clone() }, &console.context)?;
        console.progress.done();
        request.roles = ask_roles(&drafted, &mut std::io::stdin().lock())?;
    }
    let answer = workspace.init(&request, &console.context)?;
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

/// Asks for the role of each column. An empty line chooses the suggested role, or else the drafted one.
fn ask_roles(drafted: &InitAnswer, input: &mut impl BufRead) -> Result<Vec<(String, Role)>, Error> {
    println!("Roles of the {} columns. An empty line takes the role in [brackets].", drafted.columns);
    println!("  identifier, quasi-identifier, sensitive, other, drop, or their first letter\n");
    let mut roles = Vec::new();
    for column in &drafted.suggestions {
        println!("{GOOD}{}{GOOD:#}  {}", column.name.escape_debug(), column.values);
        if let (Some(role), Some(why)) = (column.suggested_role, &column.reason) {
            println!("{}", wrap(&format!("suggested: {} - {why}", role.word()), WIDTH, "  "));
        }
        let default = column.suggested_role.unwrap_or(column.role);
        roles.push((column.name.clone(), ask_role(default, input)?));
    }
    println!();
    Ok(roles)
}

fn ask_role(default: Role, input: &mut impl BufRead) -> Result<Role, Error> {
    let failed = |error: std::io::Error| Error::Usage(format!("the answer could not be read: {error}"));
    loop {
        print!("  role [{}]: ", default.word());
        std::io::stdout().flush().map_err(failed)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(failed)? == 0 {
            return Err(Error::Usage("the input ended before every column had a role; nothing was written".to_owned()));
        }
        let word = line.trim().to_lowercase();
        if word.is_empty() {
            return Ok(default);
        }
        match ROLES.into_iter().find(|role| role.word().starts_with(&word)) {
            Some(role) => return Ok(role),
            None => println!("  write identifier, quasi-identifier, sensitive, other or drop"),
        }
    }
}

/// A file name, quoted for the shell if needed.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,+=@".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
