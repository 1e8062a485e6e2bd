//! The `reticent` command: what a steward meets.
//!
//! Arguments become a command, a command becomes an answer, an answer is printed as text or as JSON. Only the answer goes
//! to standard output; progress and errors go to standard error. Exit status: 0 done and every requirement holds;
//! 1 refused; 2 the call, the policy or the data is wrong; 3 reading or writing failed; 4 the ledger
//! does not hold together; 5 somebody else holds it; 130 interrupted.

/// Prints a line of the answer. Where nobody takes it, that is said on standard error; what was done stays done.
macro_rules! println {
    () => {
        $crate::terminal::line(format_args!(""))
    };
    ($($text:tt)+) => {
        $crate::terminal::line(format_args!($($text)+))
    };
}

mod args;
mod commands;
mod console;
mod error;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use console::Console;
use error::Error;

fn main() -> ExitCode {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !reticent_app::is_guarded() {
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
        Err(error) => {
            error.print(json);
            ExitCode::from(error.status())
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
        Error::Usage(text.trim_start_matches("error: ").trim().to_owned()).print(true);
    } else if error.print().is_err() {
        // Nobody is there to be told.
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run(args: Args) -> Result<u8, Error> {
    let console = Console::new(&args)?;
    let done = dispatch(args.command, &console);
    console.progress.done();
    done
}

fn dispatch(command: Command, console: &Console) -> Result<u8, Error> {
    match command {
        Command::Init(options) => commands::init::run(&options, console),
        Command::Check(options) => commands::check::run(&options, console),
        Command::Publish(options) => commands::publish::run(&options, console),
        Command::Register(options) => commands::register::run(&options, console),
        Command::Log(options) => commands::log::run(&options, console),
        Command::Show(options) => commands::show::run(&options, console),
        Command::Diff(options) => commands::diff::run(&options, console),
        Command::History(options) => commands::history::run(&options, console),
        Command::Audit(options) => commands::audit::run(&options, console),
        Command::Verify(options) => commands::verify::run(&options, console),
        Command::ExportHead(options) => commands::export_head::run(&options, console),
        Command::CheckProof(options) => commands::proof::run(&options, console),
        Command::Witness(options) => commands::witness::run(&options, console),
        Command::RecordWitness(options) => commands::witness::record(&options, console),
        Command::Authenticate(options) => commands::witness::authenticate(&options, console),
        Command::Purge(options) => commands::purge::run(&options, console),
        Command::Catalogue(options) => commands::catalogue::run(&options, console),
        Command::Schema => commands::schema::run(console),
        Command::Compare(options) => commands::compare::run(&options, console),
        Command::Demo(options) => commands::demo::run(&options, console),
    }
}
