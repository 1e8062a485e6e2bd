//! `reticent publish`: anonymize, write, verify the written bytes, record, and only then give the file its name.

mod grouped;
mod recoded;

use std::time::Duration;

use reticent_app::answer::Publication;
use reticent_app::request::{PublishRequest, RehearseRequest, WhatIf};

use crate::args;
use crate::console::Console;
use crate::error::Error;

/// Publishes, or rehearses it. The status is 1 when the written file violates the policy.
pub fn run(options: &args::Publish, console: &Console) -> Result<u8, Error> {
    let publish = PublishRequest {
        data: options.data.clone(),
        name: options.name.clone(),
        output: options.output.clone(),
        recipients: options.to.clone(),
        alone: options.alone,
        columns: options.columns.clone(),
        algorithm: options.algorithm.clone(),
        time_limit: options.time_limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e9))),
    };
    let workspace = options.place.workspace();
    let answer = if options.dry_run {
        let what_if = WhatIf::new(options.what_if.k, options.what_if.confidence)?;
        workspace.rehearse(&RehearseRequest { publish, what_if }, &console.context)?
    } else {
        workspace.publish(&publish, &console.context)?
    };
    console.answer(&answer, print)?;
    Ok(u8::from(!answer.holds()))
}

fn print(answer: &Publication) {
    match answer {
        Publication::Recoded(answer) => recoded::print(answer),
        Publication::Grouped(answer) => grouped::print(answer),
    }
}
