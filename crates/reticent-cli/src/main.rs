//! The `reticent` command.
//!
//! Arguments become a request, the application layer answers it, and the answer is printed as text or JSON. Only the answer goes to
//! standard output; progress, warnings and errors go to standard error. `reticent --help` lists the exit statuses.

/// Prints a line of the answer. If standard output fails, a warning goes to standard error.
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

use clap::{CommandFactory, Parser};

use args::{Args, Command};
use console::Console;
use error::Error;

fn main() -> ExitCode {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !reticent_app::is_catching_panics() {
            report(panic);
        }
    }));
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage_error(&error),
    };
    let json = args.json;
    let wrong = |kind, text| usage_error(&Args::command().error(kind, text));
    match (&args.command, &args.explain) {
        (None, None) => {
            let text = "a command is missing; `reticent --help` lists all commands";
            return wrong(clap::error::ErrorKind::MissingSubcommand, text);
        }
        (Some(_), Some(_)) => {
            return wrong(clap::error::ErrorKind::ArgumentConflict, "--explain cannot be used with a command");
        }
        _ => {}
    }
    match run(args) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            error.print(json);
            ExitCode::from(error.status())
        }
    }
}

/// Flags of version 0.1 and their present names.
const RENAMED_FLAGS: &[(&str, &str)] = &[
    ("--alone", "--ignore-history"),
    ("--apart", "--separate-columns"),
    ("--counterfeits", "--counterfeit-column"),
    ("--each", "--per-person"),
    ("--groups", "--group-column"),
    ("--kept", "--previous"),
    ("--knows", "--background"),
    ("--of", "--marginal-of"),
    ("--with", "--attack-parameter"),
];

/// The message for a flag that was renamed.
fn renamed_flag(error: &clap::Error) -> Option<String> {
    let Some(clap::error::ContextValue::String(flag)) = error.get(clap::error::ContextKind::InvalidArg) else {
        return None;
    };
    let name = flag.split('=').next().unwrap_or(flag);
    let (old, new) = RENAMED_FLAGS.iter().find(|(old, _)| *old == name)?;
    Some(format!("`{old}` is now called `{new}`"))
}

/// Prints the error in the arguments, or the requested help.
fn usage_error(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|word| word == "--json");
    if error.kind() == clap::error::ErrorKind::UnknownArgument
        && let Some(text) = renamed_flag(error)
    {
        Error::Usage(text).print(json);
    } else if json && error.use_stderr() {
        let text = error.render().to_string();
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
        let text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        Error::Usage(text.trim_start_matches("error: ").trim().to_owned()).print(true);
    } else if error.print().is_err() {
        // The exit status still reports the error.
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run(args: Args) -> Result<u8, Error> {
    let console = Console::new(&args)?;
    let done = match (args.command, args.explain) {
        (Some(command), _) => dispatch(command, &console),
        (None, code) => commands::explain::run(&code.unwrap_or_default(), &console),
    };
    console.progress.done();
    done
}

fn dispatch(command: Command, console: &Console) -> Result<u8, Error> {
    match command {
        Command::Init(options) => commands::init::run(&options, console),
        Command::Check(options) => commands::check::run(&options, console),
        Command::Publish(options) => commands::publish::run(&options, console),
        Command::Register(options) => commands::register::run(&options, console),
        Command::Taxonomy(options) => commands::taxonomy::run(&options, console),
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
        Command::Withdraw(options) => commands::withdraw::run(&options, console),
        Command::Amend(options) => commands::amend::run(&options, console),
        Command::Erase(options) => commands::erase::run(&options, console),
        Command::Purge(options) => commands::purge::run(&options, console),
        Command::Catalogue(options) => commands::catalogue::run(&options, console),
        Command::Schema => commands::schema::run(console),
        Command::Compare(options) => commands::compare::run(&options, console),
        Command::Doctor(options) => commands::doctor::run(&options, console),
        Command::Completions(options) => commands::completions::run(&options, console),
        Command::Man(options) => commands::man::run(&options, console),
        Command::Demo(options) => commands::demo::run(&options, console),
    }
}
