//! How fast the inference of an audit is, and the same problems for other solvers; bench/run audit runs it.
//!
//! `audit_speed solve HISTORY` solves a made history and answers with a line of JSON; `audit_speed apart HISTORY` solves it several times,
//! and without maximum entropy, so that it is known what that takes; `audit_speed write HISTORY FOLDER` writes its maximum-entropy
//! problem to `whole.txt` and, without what presolving finds to be forced, to `presolved.txt`. A history is
//! `buckets RECORDS SHARED SIZE SEED`, `guided PEOPLE SEED` or `independent PEOPLE SEED`.
//!
//! `audit_speed short` solves a small one of each kind, and fails where maximum entropy is not found; CI runs it.

mod export;
mod histories;
mod made;

use std::path::Path;
use std::time::Instant;

use export::Open;
use reticent_inference::{Problem, SolveOptions, solve};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: audit_speed solve HISTORY | apart HISTORY | write HISTORY FOLDER | short, where a history is \
                     buckets RECORDS SHARED SIZE SEED, guided PEOPLE SEED or independent PEOPLE SEED";

/// A small history of each kind.
const SHORT: [&str; 3] = ["buckets 1200 1000 5 1", "guided 10000 1", "independent 3000 1"];
/// A time that is told as a median is one of so many.
const TIMES: usize = 5;
/// Counts must be met this well, in people.
const WANTED: f64 = 1e-8;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = match words[..] {
        ["solve", ref history @ ..] => solved(&made(history)?)?,
        ["apart", ref history @ ..] => apart(&made(history)?)?,
        ["short"] => return short(),
        ["write", ref history @ .., folder] => written(&made(history)?, Path::new(folder))?,
        _ => return Err(USAGE.into()),
    };
    println!("{told}");
    Ok(())
}

fn short() -> Result<(), Failure> {
    for history in SHORT {
        let words: Vec<&str> = history.split(' ').collect();
        let told = solved(&made(&words)?)?;
        println!("{history}: {} s, counts are missed by {} at most", told["seconds"], told["violation"]);
        if !told["violation"].as_f64().is_some_and(|missed| missed <= WANTED) {
            return Err(format!("{history}: no maximum of entropy that meets every count within {WANTED}").into());
        }
    }
    Ok(())
}

fn made(history: &[&str]) -> Result<Problem, Failure> {
    Ok(match history {
        ["buckets", records, shared, size, seed] => {
            histories::two_releases(records.parse()?, shared.parse()?, size.parse()?, seed.parse()?)
        }
        ["guided", people, seed] => histories::ten_releases(people.parse()?, true, seed.parse()?),
        ["independent", people, seed] => histories::ten_releases(people.parse()?, false, seed.parse()?),
        _ => return Err(USAGE.into()),
    })
}

/// Presolving, bounds and maximum entropy; worlds are not counted.
fn ask() -> SolveOptions {
    SolveOptions { steps: 0, program_steps: 0, ..SolveOptions::default() }
}

/// The whole several times, and then the same without maximum entropy: the medians, and what the first time took, when the system has
/// yet to give the memory.
fn apart(puzzle: &Problem) -> Result<Value, Failure> {
    let mut told = solved(puzzle)?;
    told["first_seconds"] = told["seconds"].clone();
    told["first_processor_seconds"] = told["processor_seconds"].clone();
    let (seconds, used) = medians(puzzle, &ask())?;
    (told["seconds"], told["processor_seconds"]) = (json!(seconds), json!(used));
    told["without_entropy_processor_seconds"] = json!(medians(puzzle, &SolveOptions { entropy: false, ..ask() })?.1);
    Ok(told)
}

/// The seconds, and those of the processors where the system tells, that solving takes in the median.
fn medians(puzzle: &Problem, ask: &SolveOptions) -> Result<(f64, Option<f64>), Failure> {
    let (mut seconds, mut used) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let (begin, before) = (Instant::now(), processor_seconds());
        solve(puzzle, ask)?;
        seconds.push(begin.elapsed().as_secs_f64());
        used.extend(processor_seconds().zip(before).map(|(after, before)| after - before));
    }
    [&mut seconds, &mut used].into_iter().for_each(|times| times.sort_by(f64::total_cmp));
    Ok((seconds[TIMES / 2], used.get(TIMES / 2).copied()))
}

fn solved(puzzle: &Problem) -> Result<Value, Failure> {
    let before = resident()?;
    let (begin, used) = (Instant::now(), processor_seconds());
    let answer = solve(puzzle, &ask())?;
    let seconds = begin.elapsed().as_secs_f64();
    let used = processor_seconds().zip(used).map(|(after, before)| after - before);
    let pinned = answer.classes.iter().zip(&puzzle.classes).filter(|(told, _)| told.len() == 1);
    Ok(json!({
        "seconds": seconds,
        "processor_seconds": used,
        "before_bytes": before,
        "people": puzzle.classes.iter().map(|crowd| crowd.people).sum::<u64>(),
        "crowds": puzzle.classes.len(),
        "unknowns": puzzle.classes.iter().map(|crowd| crowd.possible.len()).sum::<usize>(),
        "counts": puzzle.counts.len(),
        "pinned": pinned.map(|(_, crowd)| crowd.people).sum::<u64>(),
        "nats": answer.stats.entropy,
        "violation": answer.stats.gap.map(|gap| gap.residual),
        "gap": answer.stats.gap.map(|gap| gap.duality_gap),
        "work": answer.stats,
    }))
}

fn written(puzzle: &Problem, folder: &Path) -> Result<Value, Failure> {
    // Nothing but what is forced, so that bounds that meet mean that.
    let bounds = solve(
        puzzle,
        &SolveOptions { steps: 0, program_steps: 0, entropy: false, bounds_only: true, ..SolveOptions::default() },
    )?;
    let mut told = json!({});
    for (name, open) in [("whole", Open::whole(puzzle)?), ("presolved", Open::presolved(puzzle, &bounds)?)] {
        std::fs::write(folder.join(format!("{name}.txt")), open.text()?)?;
        told[name] = json!({ "unknowns": open.cells(), "equations": open.equations() });
    }
    Ok(told)
}

/// The memory that this process has, in bytes, where the system tells.
fn resident() -> Result<Option<u64>, Failure> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(None) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()).map(|kib| Ok(kib.parse::<u64>()? * 1024)).transpose()
}

/// What this process has used of the processors, where the system tells.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}
