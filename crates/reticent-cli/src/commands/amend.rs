//! `reticent amend`: corrects the recipients of a release, or the roles of its columns.

use reticent_app::answer::AmendAnswer;
use reticent_app::request::AmendRequest;

use super::withdraw::assumptions;
use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, role};

/// Amends a release.
pub fn run(options: &args::Amend, console: &Console) -> Result<u8, Error> {
    let request = AmendRequest {
        release: options.release.clone(),
        reason: options.reason.clone(),
        add_recipients: options.add_recipient.clone(),
        recipients: options.recipients.clone(),
        roles: options.role.clone(),
    };
    let answer = options.place.workspace().amend(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &AmendAnswer) {
    println!("{GOOD}amended{GOOD:#} release {} ({})", answer.release, answer.name);
    if answer.reinstated {
        println!("  its withdrawal no longer counts: recipients hold it");
    }
    if answer.recipients_before != answer.recipients_after {
        println!("  recipients before: {}", answer.recipients_before.join(", "));
        println!("  recipients after:  {}", answer.recipients_after.join(", "));
    }
    for changed in &answer.roles {
        println!("  role of {}: {} before, {} after", changed.column, role(changed.from), role(changed.to));
    }
    assumptions(&answer.assumptions);
    println!("{HINT}Next: `reticent audit`{HINT:#}");
}
