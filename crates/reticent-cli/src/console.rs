//! The console of a call: how answers are printed, and the context that its verbs run in.

use std::sync::Arc;

use reticent_app::{Context, Event, Hint, Limits};
use serde::Serialize;

use crate::args::Args;
use crate::error::Error;
use crate::progress::Progress;
use crate::terminal::warn;

/// The console of a call.
pub struct Console {
    /// Answer in JSON.
    pub json: bool,
    /// The context of the verbs.
    pub context: Context,
    /// Shows how far the work is.
    pub progress: Arc<Progress>,
}

impl Console {
    /// From the command line. From here on Ctrl-C asks the verb to stop; a second one ends the process.
    pub fn new(args: &Args) -> Result<Console, Error> {
        let progress = Arc::new(Progress::new(args.quiet || args.json));
        let shown = progress.clone();
        let show = move |event: Event<'_>| match event {
            Event::Progress { stage, done, total } => shown.tell(stage, done, total),
            Event::Busy { stage } => shown.busy(stage),
            Event::Warning { text, hint } => match hint {
                Some(Hint::Authenticate) => warn(&format!("{text}; `reticent authenticate` signs it")),
                Some(Hint::Verify) => warn(&format!("{text}; `reticent verify` tells more")),
                _ => warn(text),
            },
        };
        let limits = Limits { memory: args.memory, threads: args.threads.map(usize::from) };
        let context = Context::new(&steward()).with_events(Arc::new(show)).with_limits(limits)?;
        let interrupted = context.clone();
        let handler = move || {
            // A release that is being recorded is brought to an end, so that the answer says what was done.
            if interrupted.cancel.cancel() && !interrupted.is_writing() {
                interrupted.abandon();
                std::process::exit(130);
            }
        };
        ctrlc::set_handler(handler).map_err(|error| Error::Usage(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(Console { json: args.json, context, progress })
    }

    /// Prints an answer: as JSON if that was asked for, otherwise as text.
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
        let text = serde_json::to_string_pretty(answer).map_err(|error| Error::Usage(format!("no JSON: {error}")))?;
        println!("{text}");
        Ok(())
    }
}

/// The steward's name, as the ledger records it.
fn steward() -> String {
    let names = ["RETICENT_STEWARD", "USER", "LOGNAME", "USERNAME"];
    let named = names.iter().filter_map(|name| std::env::var(name).ok()).find(|name| !name.trim().is_empty());
    named.unwrap_or_else(|| "somebody".to_owned())
}
