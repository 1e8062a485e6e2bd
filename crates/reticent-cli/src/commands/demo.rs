//! `reticent demo`: the whole story on generated data, on one screen.

use std::path::{Path, PathBuf};
use std::time::Instant;

use reticent_app::answer::DemoAnswer;
use reticent_app::{DEMO_DATA, DEMO_RELEASE, demo};

use crate::args::Demo;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, bar, columns, count, percent};

/// Generates a hospital, publishes it, and shows what happened.
pub fn run(options: &Demo, console: &Console) -> Result<u8, Error> {
    let clock = Instant::now();
    let temporary = tempfile::tempdir().map_err(Error::file("create", std::env::temp_dir()))?;
    let folder = match &options.keep {
        Some(keep) => {
            std::fs::create_dir(keep).map_err(Error::file("create the folder", keep))?;
            keep.clone()
        }
        None => temporary.path().to_path_buf(),
    };
    let answer = demo(&folder, options.rows, options.seed, &console.context)?;
    console.progress.done();
    if console.json {
        console.json(&answer)?;
    } else {
        tell(&folder, &answer, options)?;
        println!("{HINT}{:.1} seconds.{HINT:#}", clock.elapsed().as_secs_f64());
    }
    Ok(u8::from(!answer.release.holds()))
}

fn tell(folder: &Path, demo: &DemoAnswer, options: &Demo) -> Result<(), Error> {
    let (before, answer) = (&demo.before, &demo.release);
    println!(
        "{HEAD}A hospital wants to give its {} stays of {} patients to researchers.{HEAD:#}",
        count(before.records),
        count(before.people)
    );
    show_rows(&folder.join(DEMO_DATA), "    ")?;
    println!("\nRemoving the patient number is not enough. Whoever knows when somebody was born, their sex,");
    println!("where they live and when they were admitted finds exactly one patient in");
    let alone = before.unique as f64 / before.people.max(1) as f64;
    println!(
        "    {BAD}{} {}{BAD:#} of all cases, and reads the diagnosis.",
        bar(alone),
        percent(before.unique, before.people)
    );
    println!("\n{HEAD}The policy{HEAD:#} (reticent.toml, two lines of it)");
    println!("    k = 5               nobody can be narrowed down to fewer than 5 people");
    println!("    confidence = 0.5    no stay's diagnosis can be inferred with more than 50 % confidence");
    println!(
        "\n{HEAD}The release{HEAD:#}: {} of {} stays, {} classes, {} left out",
        count(answer.published),
        count(answer.records),
        count(answer.classes),
        count(answer.suppressed)
    );
    show_rows(&folder.join(DEMO_RELEASE), "    ")?;
    let verdict = if answer.holds() { format!("{GOOD}holds{GOOD:#}") } else { format!("{BAD}violated{BAD:#}") };
    println!("\nThen the written file was read again and judged by a second, naive program:");
    for (model, _) in &answer.verified.models {
        println!("    {verdict}  {model}");
    }
    if let Some(recorded) = &answer.recorded {
        println!(
            "\n{HEAD}The ledger{HEAD:#} remembers it: release {}, to research, {} patients under",
            recorded.release,
            count(recorded.people.unwrap_or(0))
        );
        println!("pseudonyms, its file by its hash. No later release goes to its readers as if it were the first.");
    }
    println!();
    match &options.keep {
        Some(keep) => {
            println!("Everything is in {}: stays.csv, reticent.toml, research.csv, ledger.", keep.display())
        }
        None => println!("{HINT}Keep the files with `reticent demo --keep DIR`.{HINT:#}"),
    }
    println!("Your turn: {GOOD}reticent init YOUR_DATA.csv{GOOD:#}");
    Ok(())
}

/// The header and the first rows of a CSV file, as columns.
fn show_rows(path: &PathBuf, indent: &str) -> Result<(), Error> {
    let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
    let rows: Vec<Vec<String>> = text.lines().take(4).map(cells).collect();
    for (at, line) in columns(&rows).iter().enumerate() {
        if at == 0 { println!("{indent}{HINT}{line}{HINT:#}") } else { println!("{indent}{line}") }
    }
    Ok(())
}

/// The cells of a line as we write them: quoted where they hold a comma, no line breaks.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().into_iter().for_each(|cell| cell.push(letter)),
        }
    }
    cells
}
