//! `reticent completions`: a completion script for a shell.

use clap::CommandFactory;
use serde::Serialize;

use crate::args::{Args, shell};
use crate::console::Console;
use crate::error::Error;

/// A completion script.
#[derive(Serialize)]
struct CompletionScript {
    shell: String,
    script: String,
}

/// Prints the script.
pub fn run(options: &shell::Completions, console: &Console) -> Result<u8, Error> {
    let mut bytes = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "reticent", &mut bytes);
    let script = String::from_utf8_lossy(&bytes).into_owned();
    let answer = CompletionScript { shell: options.shell.to_string(), script };
    console.answer(&answer, |answer| println!("{}", answer.script.trim_end()))?;
    Ok(0)
}
