//! `reticent doctor`: checks the environment: policy, permissions, key, ledger, unfinished work, disk space.

use reticent_app::answer::{CheckState, DoctorAnswer, DoctorCheck};

use crate::args::shell;
use crate::console::Console;
use crate::error::{Error, class_status};
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, plural, wrap};

/// Checks. The status is 0 without a problem, and otherwise the highest status of the problems.
pub fn run(options: &shell::Doctor, console: &Console) -> Result<u8, Error> {
    let answer = options.place.workspace().doctor(&console.context)?;
    console.answer(&answer, print)?;
    let problems = answer.checks.iter().filter(|check| check.state == CheckState::Problem);
    Ok(problems.map(|check| check.class.map_or(2, class_status)).max().unwrap_or(0))
}

fn print(answer: &DoctorAnswer) {
    let wide = answer.checks.iter().map(|check| check.check.name().len()).max().unwrap_or(0);
    for DoctorCheck { check, state, text, code, remedy, .. } in &answer.checks {
        let (style, word) = match state {
            CheckState::Ok => (GOOD, "ok"),
            CheckState::Warning => (HEAD, "warning"),
            CheckState::Problem => (BAD, "problem"),
        };
        let room = " ".repeat(9 + wide + 2);
        let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
        let text = wrap(&format!("{text}{code}"), WIDTH, &room);
        println!("{style}{word:<9}{style:#}{:<wide$}  {}", check.name(), text.trim_start());
        if let Some(remedy) = remedy {
            println!("{HINT}{}{HINT:#}", wrap(remedy, WIDTH, &room));
        }
    }
    let number = |state| answer.checks.iter().filter(|check| check.state == state).count() as u64;
    let found = [(CheckState::Problem, "problem"), (CheckState::Warning, "warning")];
    let found: Vec<String> = found
        .into_iter()
        .filter(|(state, _)| number(*state) > 0)
        .map(|(state, word)| plural(number(state), word))
        .collect();
    match found.is_empty() {
        true => println!("\n{GOOD}no problem found{GOOD:#}"),
        false => println!("\n{}", found.join(", ")),
    }
}
