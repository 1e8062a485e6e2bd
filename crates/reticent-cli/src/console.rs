//! Output mode and context of one command.

use std::sync::Arc;

use reticent_app::{Context, Event, Hint, Limits};
use serde::Serialize;

use crate::args::Args;
use crate::error::Error;
use crate::progress::Progress;
use crate::terminal::warn;

/// Output mode and context of one command.
pub struct Console {
    /// Whether to print answers as JSON.
    pub json: bool,
    /// Whether to print details.
    pub verbose: bool,
    /// Context of the application layer: cancellation, progress, limits.
    pub context: Context,
    /// Progress display.
    pub progress: Arc<Progress>,
}

impl Console {
    /// Creates the console and installs the Ctrl-C handler: the first Ctrl-C cancels, the second one ends the process.
    pub fn new(args: &Args) -> Result<Console, Error> {
        let progress = Arc::new(Progress::new(args.quiet || args.json));
        let shown = progress.clone();
        let show = move |event: Event<'_>| match event {
            Event::Progress { stage, done, total } => shown.update(stage, done, total),
            Event::Busy { stage } => shown.busy(stage),
            Event::Warning { text, hint } => match hint {
                Some(Hint::Authenticate) => warn(&format!("{text}; run `reticent authenticate` to sign it")),
                Some(Hint::Verify) => warn(&format!("{text}; run `reticent verify` for details")),
                _ => warn(text),
            },
        };
        let limits = Limits { memory: args.memory, threads: args.threads.map(usize::from) };
        let context = Context::new(&steward()).with_events(Arc::new(show)).with_limits(limits)?;
        let context = context.with_values_shown(args.show_values);
        let interrupted = context.clone();
        let handler = move || {
            // A release that is being recorded is completed, so that the answer is true.
            if interrupted.cancel.cancel() && !interrupted.is_writing() {
                interrupted.abandon();
                std::process::exit(130);
            }
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Error::Usage(format!("cannot install the Ctrl-C handler: {error}")))?;
        Ok(Console { json: args.json, verbose: args.verbose, context, progress })
    }

    /// Prints an answer as JSON or as text.
    pub fn answer<T: Serialize>(&self, answer: &T, print: impl FnOnce(&T)) -> Result<(), Error> {
        self.progress.done();
        if self.json {
            return self.json(answer);
        }
        print(answer);
        Ok(())
    }

    /// Prints an answer as JSON.
    pub fn json(&self, answer: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(answer)
            .map_err(|error| Error::Usage(format!("cannot write JSON: {error}")))?;
        println!("{text}");
        Ok(())
    }
}

/// Name of the steward in ledger entries: the user of the operating system. `RETICENT_STEWARD` can add a name, but not replace
/// the user, because every process can set a variable.
fn steward() -> String {
    let user = reticent_app::system_user();
    let declared = std::env::var("RETICENT_STEWARD").unwrap_or_default();
    match declared.trim() {
        "" => user,
        declared if declared == user => user,
        // The ledger stores a limited number of characters; the user must be among them.
        declared => format!("{user} ({})", declared.chars().take(40).collect::<String>()),
    }
}
