//! `reticent withdraw`: a release that was never handed out no longer counts for what recipients hold.

use reticent_app::answer::WithdrawAnswer;
use reticent_app::request::WithdrawRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HINT, WIDTH, wrap};

/// Withdraws a release.
pub fn run(options: &args::Withdraw, console: &Console) -> Result<u8, Error> {
    let request = WithdrawRequest {
        release: options.release.clone(),
        reason: options.reason.clone(),
        destroyed_elsewhere: options.destroyed_elsewhere,
    };
    let answer = options.place.workspace().withdraw(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &WithdrawAnswer) {
    println!("{GOOD}withdrew{GOOD:#} release {} ({})", answer.release, answer.name);
    let holders = format!(
        "it counts for no recipient any more (recorded: {}); its name stays reserved",
        answer.recipients.join(", ")
    );
    println!("{}", wrap(&holders, WIDTH, "  "));
    if !answer.file_absent {
        println!("  {BAD}not checked{BAD:#} that its file is gone: you state that it was destroyed");
    }
    if !answer.judged_with.is_empty() {
        let numbers: Vec<String> = answer.judged_with.iter().map(u64::to_string).collect();
        let text = format!(
            "{} {} judged together with it. What they disclose without it is not the verdict of that time",
            if numbers.len() == 1 { "release" } else { "releases" },
            format_args!("{} {}", numbers.join(", "), if numbers.len() == 1 { "was" } else { "were" })
        );
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    assumptions(&answer.assumptions);
    println!("{HINT}Next: `reticent audit`{HINT:#}");
}

/// Prints the assumptions of every later verdict.
pub fn assumptions(assumed: &[String]) {
    if !assumed.is_empty() {
        println!("  every later verdict assumes:");
        assumed.iter().for_each(|text| println!("{}", wrap(text, WIDTH, "    ")));
    }
}
