//! Figure 5: unknowns, equations, time and memory by the number of records.

use std::process::Command;
use std::time::Instant;

use reticent_inference::{SolveOptions, solve};
use serde_json::{Value, json};

use crate::adult::{Records, folder};
use crate::made::{each, puzzle};
use crate::releases::{independent, updated};
use crate::report::{Verdict, figure, head, line};
use crate::{Failure, SEED};

/// What the paper reports: records, MB, minutes, variables, constraints.
const REPORTED: [(usize, u64, u64, u64, u64); 6] = [
    (1_200, 33, 32, 11_237, 2_921),
    (2_400, 73, 43, 30_437, 5_841),
    (3_600, 116, 49, 49_637, 9_036),
    (4_800, 76, 57, 23_617, 12_101),
    (6_000, 103, 233, 29_575, 15_601),
    (7_200, 134, 221, 34_852, 19_121),
];
/// The largest of the paper's diversities; figure 5 does not say which it is of.
const L: usize = 5;

/// Measures one number of records and prints what came out.
pub fn one(size: usize) -> Result<(), Failure> {
    let records = Records::read(&folder().ok_or("there is no Adult data")?)?;
    let made = updated(&records, "occupation", size, size * 5 / 6)?;
    let release = |people: &[u32], seed| independent(people, &made.value, L, seed).ok_or("a value is too frequent");
    let releases = [release(&made.first, SEED + 1)?, release(&made.second, SEED + 2)?];
    let puzzle = puzzle(&made.value, &releases, &each(made.value.len()));
    drop(records);
    let begin = Instant::now();
    let answer = solve(&puzzle, &SolveOptions { steps: 0, program_steps: 0, ..SolveOptions::default() })?;
    let seconds = begin.elapsed().as_secs_f64();
    let values = made.value.iter().max().map_or(0, |value| *value as usize + 1);
    let told = json!({
        "people": made.value.len(),
        "before": made.value.len() * values,
        "variables": puzzle.classes.iter().map(|crowd| crowd.possible.len()).sum::<usize>(),
        "open": answer.stats.open - answer.stats.forced,
        "constraints": puzzle.counts.len() + puzzle.classes.len(),
        "seconds": seconds,
        "missed": answer.stats.gap.map(|gap| gap.residual),
        "peak": peak(),
    });
    println!("{told}");
    Ok(())
}

/// The most memory that this process has had, in MiB.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// Figure 5.
pub fn figure_five(short: bool) -> Result<(), Failure> {
    figure("Figure 5: Performance");
    println!(
        "Occupation, l = 5, five sixths of the records shared, independent; neither is said. Every line is a process of its own,"
    );
    println!("whose memory includes the 45,222 records of Adult. The paper's machine: a Pentium D of 3 GHz, Knitro.\n");
    let sizes = REPORTED.iter().filter(|(records, ..)| !short || [1_200, 7_200].contains(records));
    let mut rows = Vec::new();
    for reported in sizes {
        let ran = Command::new(std::env::current_exe()?).args(["--size", &reported.0.to_string()]).output()?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into_owned().into());
        }
        let told: Value = serde_json::from_slice(&ran.stdout)?;
        println!(
            "{} records: {} people, {} variables before zeros are taken out, {} after, {} after what is forced; {} constraints; {:.3} s, \
             {:.0} MiB, counts met within {:.0e}",
            reported.0,
            told["people"],
            told["before"],
            told["variables"],
            told["open"],
            told["constraints"],
            told["seconds"].as_f64().unwrap_or(f64::NAN),
            told["peak"].as_f64().unwrap_or(f64::NAN),
            told["missed"].as_f64().unwrap_or(f64::NAN),
        );
        rows.push((*reported, told));
    }
    head();
    for ((records, megabytes, minutes, variables, constraints), told) in rows {
        let seconds = told["seconds"].as_f64().unwrap_or(f64::INFINITY);
        let verdict = Verdict::of(seconds <= 60.0 * minutes as f64, "slower than the paper");
        line(
            &format!("figure 5: time, {records} records"),
            &format!("{minutes} min"),
            &format!("{seconds:.3} s"),
            verdict,
        );
        let peak = told["peak"].as_f64().unwrap_or(f64::INFINITY);
        let verdict = Verdict::of(peak <= megabytes as f64, "more than the paper; the Adult data is part of it");
        line(
            &format!("figure 5: memory, {records} records"),
            &format!("{megabytes} MB"),
            &format!("{peak:.0} MiB"),
            verdict,
        );
        number("variables", records, variables, &told["variables"]);
        number("constraints", records, constraints, &told["constraints"]);
    }
    zeros();
    Ok(())
}

/// A size of the problem, which is close within a tenth: neither l nor the overlap nor what is counted is said.
fn number(what: &str, records: usize, reported: u64, here: &Value) {
    let here = here.as_f64().unwrap_or(f64::NAN);
    let off = 100.0 * (here / reported as f64 - 1.0);
    let verdict = match off.abs() {
        off if off < 0.5 => Verdict::Reproduces,
        off if off <= 10.0 => Verdict::Close("l and the overlap are not said".to_owned()),
        _ => Verdict::Not(format!("{off:+.0} %; l and the overlap are not said")),
    };
    line(&format!("figure 5: {what}, {records} records"), &reported.to_string(), &format!("{here:.0}"), verdict);
}

/// Whether the paper's variables can be what is left without zeros: in buckets of l, nobody has more than l.
fn zeros() {
    for (records, _, _, variables, _) in REPORTED {
        let most = (2 * records * L) as u64;
        let verdict = Verdict::of(variables <= most, "zeros were not taken out");
        let said = format!("{variables}, zeros taken out");
        let here = format!("at most {most}, whatever is shared, in buckets of at most {L}");
        line(&format!("figure 5: can the variables be without zeros, {records} records"), &said, &here, verdict);
    }
}
