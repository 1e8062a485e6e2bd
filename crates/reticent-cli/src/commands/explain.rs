//! `reticent --explain`: what an error code means, and what to do.

use reticent_app::answer::Explanation;
use reticent_app::explain;

use crate::console::Console;
use crate::error::Error;
use crate::terminal::{HEAD, HINT, WIDTH, wrap};

/// Prints the explanation.
pub fn run(code: &str, console: &Console) -> Result<u8, Error> {
    console.answer(&explain(code)?, print)?;
    Ok(0)
}

fn print(answer: &Explanation) {
    println!("{HEAD}{}{HEAD:#}  {HINT}{}{HINT:#}", answer.code, answer.subject);
    println!("{}", wrap(answer.meaning, WIDTH, "  "));
    println!("{}", wrap(&format!("Remedy: {}", answer.remedy), WIDTH, "  "));
}
