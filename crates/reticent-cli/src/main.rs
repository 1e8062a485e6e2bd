//! The `reticent` command: what a steward meets.
//!
//! Arguments become a command, a command becomes an answer, an answer is printed as text or as JSON. Only the answer goes
//! to standard output; progress and errors go to standard error. Exit status: 0 done and every requirement holds;
//! 1 refused; 2 the call, the policy or the data is wrong; 3 reading or writing failed; 130 interrupted.

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
    let args = Args::parse();
    let json = args.json;
    match run(args) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.status())
        }
    }
}

fn run(args: Args) -> Result<u8, Failure> {
    let ways = steward::Ways::new(&args)?;
    match args.command {
        Command::Init(options) => commands::init::run(&options, &ways),
        Command::Check(options) => commands::check::run(&options, &ways),
        Command::Publish(options) => commands::publish::run(&options, &ways),
        Command::Catalogue(options) => commands::catalogue::run(&options, &ways),
        Command::Schema => commands::schema::run(),
        Command::Demo(options) => commands::demo::run(&options, &ways),
    }
}
