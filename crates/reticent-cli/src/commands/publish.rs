//! `reticent publish`: makes a release, writes and verifies it, records it, then gives the file its name.

mod grouped;
mod recoded;

use std::time::Duration;

use reticent_app::answer::Publication;
use reticent_app::request::{PolicyChanges, PublishRequest};

use crate::args;
use crate::console::Console;
use crate::error::Error;

/// Publishes, or does a dry run. The exit status is 1 if the written file violates the policy.
pub fn run(options: &args::Publish, console: &Console) -> Result<u8, Error> {
    let args::Thresholds { k, confidence, suppression } = options.thresholds;
    let confidence = confidence.map(|confidence| confidence.decimal());
    let publish = PublishRequest {
        data: options.data.clone().into(),
        name: options.name.clone(),
        output: options.output.clone(),
        recipients: options.to.clone(),
        ignore_history: options.ignore_history,
        columns: options.columns.clone(),
        algorithm: options.algorithm.clone(),
        changes: PolicyChanges { k, confidence, suppression },
        time_limit: options.time_limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e9))),
        seed: None,
    };
    let workspace = options.place.workspace();
    let answer = if options.dry_run {
        workspace.rehearse(&publish, &console.context)?
    } else {
        workspace.publish(&publish, &console.context)?
    };
    console.answer(&answer, |answer| print(answer, console.verbose))?;
    Ok(u8::from(!answer.holds()))
}

fn print(answer: &Publication, verbose: bool) {
    match answer {
        Publication::Recoded(answer) => recoded::print(answer, verbose),
        Publication::Grouped(answer) => grouped::print(answer, verbose),
    }
}
