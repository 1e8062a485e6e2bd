//! The `reticent` command: what a steward meets.
//!
//! Arguments become a command, a command becomes an answer, an answer is printed as text or as JSON. Only the answer goes
//! to standard output; progress and errors go to standard error. Exit status: 0 done and every requirement holds;
//! 1 refused; 2 the call, the policy or the data is wrong; 3 reading or writing failed; 4 the ledger
//! does not hold together; 5 somebody else holds it; 130 interrupted.

/// Prints a line of the answer. Where nobody takes it, that is said on standard error; what was done stays done.
macro_rules! println {
    () => {
        $crate::screen::line(format_args!(""))
    };
    ($($text:tt)+) => {
        $crate::screen::line(format_args!($($text)+))
    };
}

mod args;
mod books;
mod commands;
mod failure;
mod hospital;
mod progress;
mod screen;
mod steward;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !reticent_engine::is_guarded() {
            tell(panic);
        }
    }));
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return misunderstood(&error),
    };
    let json = args.json;
    match run(args) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.status())
        }
    }
}

/// Tells what is wrong with the call, or the help that was asked for.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|word| word == "--json");
    if json && error.use_stderr() {
        let text = error.render().to_string();
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
        let text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        Failure::Call(text.trim_start_matches("error: ").trim().to_owned()).print(true);
    } else if error.print().is_err() {
        // Nobody is there to be told.
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run(args: Args) -> Result<u8, Failure> {
    let ways = steward::Ways::new(&args)?;
    match args.command {
        Command::Init(options) => commands::init::run(&options, &ways),
        Command::Check(options) => commands::check::run(&options, &ways),
        Command::Publish(options) => commands::publish::run(&options, &ways),
        Command::Register(options) => commands::register::run(&options, &ways),
        Command::Log(options) => commands::log::run(&options, &ways),
        Command::Show(options) => commands::show::run(&options, &ways),
        Command::Diff(options) => commands::diff::run(&options, &ways),
        Command::History(options) => commands::history::run(&options, &ways),
        Command::Audit(options) => commands::audit::run(&options, &ways),
        Command::Verify(options) => commands::verify::run(&options, &ways),
        Command::ExportHead(options) => commands::export_head::run(&options, &ways),
        Command::Purge(options) => commands::purge::run(&options, &ways),
        Command::Catalogue(options) => commands::catalogue::run(&options, &ways),
        Command::Schema => commands::schema::run(),
        Command::Compare(options) => commands::compare::run(&options, &ways),
        Command::Demo(options) => commands::demo::run(&options, &ways),
    }
}
