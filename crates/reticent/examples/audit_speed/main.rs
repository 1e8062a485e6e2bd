//! Benchmark of the inference of an audit, and export of its problems to other solvers. `bench/run audit` runs it.
//!
//! | command | effect |
//! |---|---|
//! | `audit_speed solve HISTORY` | Solves the problem of a synthetic history and prints a line of JSON. |
//! | `audit_speed apart HISTORY` | Solves it several times, also without maximum entropy, to measure the share of both. |
//! | `audit_speed write HISTORY FOLDER` | Writes the maximum-entropy problem to `whole.txt`, and without forced cells to `presolved.txt`. |
//! | `audit_speed short` | Solves a small history of each kind. Fails if maximum entropy does not converge. CI runs it. |
//!
//! A history is `buckets RECORDS SHARED SIZE SEED`, `guided PEOPLE SEED` or `independent PEOPLE SEED`.

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
/// Number of runs of which the median is reported.
const TIMES: usize = 5;
/// Largest accepted residual of a count, in people.
const MAX_RESIDUAL: f64 = 1e-8;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = match words[..] {
        ["solve", ref history @ ..] => measure(&problem_of(history)?)?,
        ["apart", ref history @ ..] => medians_with_and_without_entropy(&problem_of(history)?)?,
        ["short"] => return short(),
        ["write", ref history @ .., folder] => write_problem(&problem_of(history)?, Path::new(folder))?,
        _ => return Err(USAGE.into()),
    };
    println!("{report}");
    Ok(())
}

fn short() -> Result<(), Failure> {
    for history in SHORT {
        let words: Vec<&str> = history.split(' ').collect();
        let report = measure(&problem_of(&words)?)?;
        println!("{history}: {} s, largest residual of a count {}", report["seconds"], report["violation"]);
        if !report["violation"].as_f64().is_some_and(|residual| residual <= MAX_RESIDUAL) {
            return Err(format!("{history}: maximum entropy has a residual above the limit of {MAX_RESIDUAL}").into());
        }
    }
    Ok(())
}

fn problem_of(history: &[&str]) -> Result<Problem, Failure> {
    Ok(match history {
        ["buckets", records, shared, size, seed] => {
            histories::two_releases(records.parse()?, shared.parse()?, size.parse()?, seed.parse()?)
        }
        ["guided", people, seed] => histories::ten_releases(people.parse()?, true, seed.parse()?),
        ["independent", people, seed] => histories::ten_releases(people.parse()?, false, seed.parse()?),
        _ => return Err(USAGE.into()),
    })
}

/// Options for presolving, bounds and maximum entropy, without counting possible worlds.
fn solve_options() -> SolveOptions {
    SolveOptions { steps: 0, program_steps: 0, ..SolveOptions::default() }
}

/// Median times with and without maximum entropy, and the time of the first run, which includes the allocation of memory.
fn medians_with_and_without_entropy(problem: &Problem) -> Result<Value, Failure> {
    let mut report = measure(problem)?;
    report["first_seconds"] = report["seconds"].clone();
    report["first_processor_seconds"] = report["processor_seconds"].clone();
    let (seconds, used) = medians(problem, &solve_options())?;
    (report["seconds"], report["processor_seconds"]) = (json!(seconds), json!(used));
    report["without_entropy_processor_seconds"] =
        json!(medians(problem, &SolveOptions { entropy: false, ..solve_options() })?.1);
    Ok(report)
}

/// Median wall time and, if the system reports it, median processor time of solving, in seconds.
fn medians(problem: &Problem, options: &SolveOptions) -> Result<(f64, Option<f64>), Failure> {
    let (mut seconds, mut used) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let (begin, before) = (Instant::now(), processor_seconds());
        solve(problem, options)?;
        seconds.push(begin.elapsed().as_secs_f64());
        used.extend(processor_seconds().zip(before).map(|(after, before)| after - before));
    }
    [&mut seconds, &mut used].into_iter().for_each(|times| times.sort_by(f64::total_cmp));
    Ok((seconds[TIMES / 2], used.get(TIMES / 2).copied()))
}

fn measure(problem: &Problem) -> Result<Value, Failure> {
    let before = resident()?;
    let (begin, used) = (Instant::now(), processor_seconds());
    let solution = solve(problem, &solve_options())?;
    let seconds = begin.elapsed().as_secs_f64();
    let used = processor_seconds().zip(used).map(|(after, before)| after - before);
    let pinned = solution.classes.iter().zip(&problem.classes).filter(|(posteriors, _)| posteriors.len() == 1);
    Ok(json!({
        "seconds": seconds,
        "processor_seconds": used,
        "before_bytes": before,
        "people": problem.classes.iter().map(|class| class.people).sum::<u64>(),
        "crowds": problem.classes.len(),
        "unknowns": problem.classes.iter().map(|class| class.possible.len()).sum::<usize>(),
        "counts": problem.counts.len(),
        "pinned": pinned.map(|(_, class)| class.people).sum::<u64>(),
        "nats": solution.stats.entropy,
        "violation": solution.stats.gap.map(|gap| gap.residual),
        "gap": solution.stats.gap.map(|gap| gap.duality_gap),
        "work": solution.stats,
    }))
}

fn write_problem(problem: &Problem, folder: &Path) -> Result<Value, Failure> {
    // With presolving only, equal bounds mean that a cell is forced.
    let bounds = solve(
        problem,
        &SolveOptions { steps: 0, program_steps: 0, entropy: false, bounds_only: true, ..SolveOptions::default() },
    )?;
    let mut report = json!({});
    for (name, open) in [("whole", Open::whole(problem)?), ("presolved", Open::presolved(problem, &bounds)?)] {
        std::fs::write(folder.join(format!("{name}.txt")), open.text()?)?;
        report[name] = json!({ "unknowns": open.cells(), "equations": open.equations() });
    }
    Ok(report)
}

/// Resident memory of this process in bytes, if the system reports it.
fn resident() -> Result<Option<u64>, Failure> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(None) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()).map(|kib| Ok(kib.parse::<u64>()? * 1024)).transpose()
}

/// Processor time of this process in seconds, if the system reports it.
#[cfg(unix)]
fn processor_seconds() -> Option<f64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn processor_seconds() -> Option<f64> {
    None
}
