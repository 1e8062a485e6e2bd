//! `reticent man`: man pages of all commands, for packages.

use std::path::Path;

use clap::CommandFactory;
use serde::Serialize;

use crate::args::{Args, shell};
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, plural};

/// The man pages that were written.
#[derive(Serialize)]
struct ManPages {
    folder: String,
    written: Vec<String>,
}

/// Writes the pages: `reticent.1`, and `reticent-COMMAND.1` for each command.
pub fn run(options: &shell::Man, console: &Console) -> Result<u8, Error> {
    let folder = &options.output;
    std::fs::create_dir_all(folder).map_err(Error::file("create the folder", folder))?;
    // Building adds the global options and the full name to every command.
    let mut all = Args::command().disable_help_subcommand(true);
    all.build();
    let mut written = vec![page(&all, folder)?];
    for command in all.get_subcommands().filter(|command| !command.is_hide_set()) {
        written.push(page(command, folder)?);
    }
    let answer = ManPages { folder: folder.display().to_string(), written };
    console.answer(&answer, |answer| {
        println!("{GOOD}wrote{GOOD:#} {} to {}", plural(answer.written.len() as u64, "man page"), answer.folder);
    })?;
    Ok(0)
}

/// Writes the page of a command. Returns the name of the file.
fn page(command: &clap::Command, folder: &Path) -> Result<String, Error> {
    let name = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
    let path = folder.join(&name);
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    rendered.and_then(|()| std::fs::write(&path, text)).map_err(Error::file("write", path))?;
    Ok(name)
}
