//! `reticent init`: drafts a policy for a data file. Every column is a quasi-identifier until somebody says otherwise.

use std::path::{Path, PathBuf};

use reticent::policy::{ColumnSketch, Draft, Policy, draft, json_schema};
use reticent::taxonomy::{parse_date, parse_number};
use reticent_engine::{Embedded, Engine, Profile};

use crate::args::{Init, Place};
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{GOOD, HINT, plural, print_json};
use crate::steward::Ways;

/// Drafts the policy, its taxonomies and its JSON Schema.
pub fn run(options: &Init, ways: &Ways) -> Result<u8, Failure> {
    let engine = Embedded::open(&options.data, ways.options())?;
    let profiles = engine.values(None)?;
    ways.progress.done();
    let rows = profiles.first().map_or(0, |profile| profile.rows);
    if rows == 0 {
        return Err(Failure::Call("the data has no rows to draft a policy from".to_owned()));
    }
    refuse_data_as_names(&profiles, options.force)?;
    let sketches: Vec<ColumnSketch> = profiles.into_iter().map(sketch).collect();
    let drafted = draft(&dataset_name(&options.data[0]), &sketches);
    let files = files(&options.policy, &drafted)?;
    refuse_existing(&files, options.force)?;
    // What is in the way of the ledger or of its key is met before anything is replaced.
    let started = start_books(options, &drafted)?;
    let kept = write_all(&files)?;
    let mut written: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    written.extend(kept.map(|path| format!("{} (the policy that was there)", path.display())));
    written.extend(started);
    if ways.json {
        print_json(&serde_json::json!({ "rows": rows, "columns": sketches.len(), "written": written }))?;
        return Ok(0);
    }
    println!(
        "{GOOD}drafted{GOOD:#} {} for {} in {}",
        written[0],
        plural(sketches.len() as u64, "column"),
        plural(rows, "row")
    );
    for path in &written[1..] {
        println!("        {path}");
    }
    println!("\nEvery column is a quasi-identifier until you say otherwise. Next:");
    println!("  1. in {}, give each column its role (the suggestions say why)", written[0]);
    println!("  2. put groups between the values and the root in the taxonomy files");
    let data: Vec<String> = options.data.iter().map(|name| quoted(name)).collect();
    let policy = match options.policy.to_str() {
        Some("reticent.toml") => String::new(),
        _ => format!(" --policy {}", quoted(&options.policy.display().to_string())),
    };
    println!("  3. {HINT}reticent check{HINT:#} {}{policy}", data.join(" "));
    Ok(0)
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,+=@".contains(letter);
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}

/// Starts the ledger beside the policy and draws its key. What is there is never replaced: releases are recorded in the one, and
/// owners under the other.
fn start_books(options: &Init, drafted: &Draft) -> Result<Vec<String>, Failure> {
    let place = Place { policy: options.policy.clone(), ledger: None, key: None, new_ledger: true, wait: 60.0 };
    let books = Books::of(&place, &Policy::parse(&drafted.toml)?, "starting the ledger");
    let mut started = Vec::new();
    let ledger = match books.open_if_there()? {
        Some(ledger) => ledger,
        None => {
            started.push(books.folder.display().to_string());
            books.open_or_start()?
        }
    };
    let key = books.key_for_owners(&ledger.entries()?, true)?;
    started.extend(
        key.and_then(|(_, drawn)| drawn)
            .map(|_| format!("{} (keep a copy of it, apart from the ledger)", books.key_path.display())),
    );
    Ok(started)
}

/// A file whose first line is a record would publish that record as names. Shows no name, since it may be somebody's.
fn refuse_data_as_names(profiles: &[Profile], force: bool) -> Result<(), Failure> {
    let like_data = |name: &str| parse_number(name).is_some() || parse_date(name).is_some();
    let is_value = |profile: &Profile| profile.values.iter().flatten().any(|(text, _)| *text == profile.name);
    let count = profiles.iter().filter(|profile| like_data(&profile.name) || is_value(profile)).count();
    if count == 0 || force {
        return Ok(());
    }
    let message = format!(
        "the first line looks like data: {count} of its {} fields are numbers, dates or values of their own column; put a line \
         with the names of the columns before it (if these are the names, --force)",
        profiles.len()
    );
    Err(Failure::Call(message))
}

fn sketch(profile: Profile) -> ColumnSketch {
    ColumnSketch {
        name: profile.name,
        rows: profile.rows,
        empty: profile.empty,
        values: profile.values,
        distinct: profile.distinct,
        looks_like: profile.looks_like,
        quantiles: profile.quantiles,
    }
}

/// The data file's name without its endings.
fn dataset_name(data: &str) -> String {
    let name = Path::new(data).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default().replace(['*', '?', '[', ']'], "");
    if name.is_empty() { "dataset".to_owned() } else { name }
}

/// Every file to write with its text, the policy first.
fn files(policy: &Path, drafted: &Draft) -> Result<Vec<(PathBuf, String)>, Failure> {
    let folder = policy.parent().map(Path::to_path_buf).unwrap_or_default();
    let schema =
        serde_json::to_string_pretty(&json_schema()).map_err(|error| Failure::Call(format!("no JSON: {error}")))?;
    let mut files = vec![(policy.to_path_buf(), drafted.toml.clone())];
    files.extend(drafted.taxonomies.iter().map(|(path, text)| (folder.join(path), text.clone())));
    files.push((folder.join("reticent.schema.json"), schema + "\n"));
    Ok(files)
}

fn refuse_existing(files: &[(PathBuf, String)], force: bool) -> Result<(), Failure> {
    // Taxonomies that are there are kept, and used by this policy too.
    match files.first().filter(|(policy, _)| policy.exists() && !force) {
        None => Ok(()),
        Some((policy, _)) => Err(Failure::Call(format!(
            "{} exists already; nothing was written (--force drafts the policy again and keeps taxonomies; --policy names another)",
            policy.display()
        ))),
    }
}

/// Writes them. A policy that is there is kept under another name, which is answered.
fn write_all(files: &[(PathBuf, String)]) -> Result<Option<PathBuf>, Failure> {
    let kept = files.first().filter(|(policy, _)| policy.exists()).map(|(policy, _)| {
        let name = |number: usize| PathBuf::from(format!("{}.old{number}", policy.display()));
        let kept = (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0));
        std::fs::rename(policy, &kept).map_err(Failure::file("keep the policy that was there as", &kept))?;
        Ok::<_, Failure>(kept)
    });
    let kept = kept.transpose()?;
    for (path, text) in files {
        // Taxonomies are filled in by hand; what somebody wrote is not drafted over.
        if path.exists() && path.extension().is_some_and(|end| end == "csv") {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Failure::file("create the folder", folder))?;
        }
        std::fs::write(path, text).map_err(Failure::file("write", path))?;
    }
    Ok(kept)
}
