//! `reticent demo`: the whole story on generated data, on one screen.

use std::path::{Path, PathBuf};
use std::time::Instant;

use reticent::release::Release;
use reticent::risk::{Risk, risk};
use reticent::schema::Role;

use crate::args::{Demo, Place, Publish};
use crate::commands::publish::{Answer, publish};
use crate::failure::Failure;
use crate::hospital::Hospital;
use crate::screen::{BAD, GOOD, HEAD, HINT, bar, columns, count, percent, print_json};
use crate::steward::{Ways, load, prepare};

/// Generates a hospital, publishes it, and tells what happened.
pub fn run(options: &Demo, ways: &Ways) -> Result<u8, Failure> {
    let clock = Instant::now();
    let temporary = tempfile::tempdir().map_err(Failure::file("create", std::env::temp_dir()))?;
    let folder = match &options.keep {
        Some(keep) => {
            std::fs::create_dir(keep).map_err(Failure::file("create the folder", keep))?;
            keep.clone()
        }
        None => temporary.path().to_path_buf(),
    };
    write_hospital(&folder, &Hospital::generate(options.rows, options.seed))?;
    let before = raw_risk(&folder, ways)?;
    let answer = publish(&call(&folder), ways)?;
    ways.progress.done();
    let after = publish_risk(&answer);
    if ways.json {
        print_json(&serde_json::json!({ "before": before, "release": answer }))?;
    } else {
        tell(&folder, &before, &answer, after, options)?;
        println!("{HINT}{:.1} seconds.{HINT:#}", clock.elapsed().as_secs_f64());
    }
    Ok(u8::from(!answer.verified.holds()))
}

fn write_hospital(folder: &Path, hospital: &Hospital) -> Result<(), Failure> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Failure::file("write", path))
    };
    let taxonomies = folder.join("taxonomies");
    std::fs::create_dir(&taxonomies).map_err(Failure::file("create the folder", &taxonomies))?;
    write("stays.csv", &hospital.stays)?;
    write("reticent.toml", &hospital.policy)?;
    hospital.taxonomies.iter().try_for_each(|(name, text)| write(name, text))
}

fn call(folder: &Path) -> Publish {
    Publish {
        data: vec![folder.join("stays.csv").display().to_string()],
        name: "research".to_owned(),
        output: folder.join("research.csv"),
        to: vec!["research".to_owned()],
        alone: false,
        place: Place {
            policy: folder.join("reticent.toml"),
            ledger: Some(folder.join("ledger")),
            key: Some(folder.join("reticent.key")),
            new_ledger: true,
            wait: 60.0,
        },
        columns: None,
        algorithm: None,
        time_limit: None,
        what_if: Default::default(),
        dry_run: false,
    }
}

fn raw_risk(folder: &Path, ways: &Ways) -> Result<Risk, Failure> {
    let loaded = load(&folder.join("reticent.toml"))?;
    let prepared =
        prepare(&loaded, &[folder.join("stays.csv").display().to_string()], None, ("demo", &[]), None, ways)?;
    let release = Release::raw(&prepared.table)?;
    let on = prepared.schema.with_role(Role::QuasiIdentifier);
    Ok(risk(&release, &prepared.schema, &on, loaded.policy.short.k.unwrap_or(2))?)
}

fn publish_risk(answer: &Answer) -> usize {
    answer.verified.models.iter().map(|(_, breaches)| breaches.len()).sum()
}

fn tell(folder: &Path, before: &Risk, answer: &Answer, breaches: usize, options: &Demo) -> Result<(), Failure> {
    println!(
        "{HEAD}A hospital wants to give its {} stays of {} patients to researchers.{HEAD:#}",
        count(before.records),
        count(before.people)
    );
    show_rows(&folder.join("stays.csv"), "    ")?;
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
    show_rows(&folder.join("research.csv"), "    ")?;
    let verdict = if breaches == 0 { format!("{GOOD}holds{GOOD:#}") } else { format!("{BAD}violated{BAD:#}") };
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
fn show_rows(path: &PathBuf, indent: &str) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
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
