//! Figure 5: unknowns, equations, time and memory for different numbers of records.

use std::process::Command;
use std::time::Instant;

use reticent_inference::{SolveOptions, solve};
use serde_json::{Value, json};

use crate::adult::{Records, folder};
use crate::made::{constraint_problem, one_class_per_person};
use crate::releases::{independent, updated};
use crate::report::{Verdict, figure, head, line};
use crate::{Failure, SEED};

/// Figures of the paper: records, MB, minutes, variables, constraints.
const REPORTED: [(usize, u64, u64, u64, u64); 6] = [
    (1_200, 33, 32, 11_237, 2_921),
    (2_400, 73, 43, 30_437, 5_841),
    (3_600, 116, 49, 49_637, 9_036),
    (4_800, 76, 57, 23_617, 12_101),
    (6_000, 103, 233, 29_575, 15_601),
    (7_200, 134, 221, 34_852, 19_121),
];
/// The largest diversity of the paper. The paper does not state the diversity of figure 5.
const L: usize = 5;

/// Measures one number of records and prints the result as JSON.
pub fn one(size: usize) -> Result<(), Failure> {
    let records = Records::read(&folder().ok_or("there is no Adult data")?)?;
    let made = updated(&records, "occupation", size, size * 5 / 6)?;
    let release = |people: &[u32], seed| independent(people, &made.value, L, seed).ok_or("a value is too frequent");
    let releases = [release(&made.first, SEED + 1)?, release(&made.second, SEED + 2)?];
    let problem = constraint_problem(&made.value, &releases, &one_class_per_person(made.value.len()));
    drop(records);
    let begin = Instant::now();
    let solution = solve(&problem, &SolveOptions { steps: 0, program_steps: 0, ..SolveOptions::default() })?;
    let seconds = begin.elapsed().as_secs_f64();
    let values = made.value.iter().max().map_or(0, |value| *value as usize + 1);
    let report = json!({
        "people": made.value.len(),
        "before": made.value.len() * values,
        "variables": problem.classes.iter().map(|class| class.possible.len()).sum::<usize>(),
        "open": solution.stats.open - solution.stats.forced,
        "constraints": problem.counts.len() + problem.classes.len(),
        "seconds": seconds,
        "missed": solution.stats.gap.map(|gap| gap.residual),
        "peak": peak(),
    });
    println!("{report}");
    Ok(())
}

/// Peak memory of this process in MiB.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// Figure 5.
pub fn figure_five(short: bool) -> Result<(), Failure> {
    figure("Figure 5: Performance");
    println!(
        "Occupation, l = 5, five sixths of the records shared, independent; the paper does not state these. Every line is a separate"
    );
    println!(
        "process; its memory includes the 45,222 records of Adult. The paper's machine: a Pentium D of 3 GHz, Knitro.\n"
    );
    let sizes = REPORTED.iter().filter(|(records, ..)| !short || [1_200, 7_200].contains(records));
    let mut rows = Vec::new();
    for reported in sizes {
        let ran = Command::new(std::env::current_exe()?).args(["--size", &reported.0.to_string()]).output()?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into_owned().into());
        }
        let report: Value = serde_json::from_slice(&ran.stdout)?;
        println!(
            "{} records: {} people, {} variables with zeros, {} without zeros, {} without forced ones; {} constraints; {:.3} s, \
             {:.0} MiB, largest residual {:.0e}",
            reported.0,
            report["people"],
            report["before"],
            report["variables"],
            report["open"],
            report["constraints"],
            report["seconds"].as_f64().unwrap_or(f64::NAN),
            report["peak"].as_f64().unwrap_or(f64::NAN),
            report["missed"].as_f64().unwrap_or(f64::NAN),
        );
        rows.push((*reported, report));
    }
    head();
    for ((records, megabytes, minutes, variables, constraints), report) in rows {
        let seconds = report["seconds"].as_f64().unwrap_or(f64::INFINITY);
        let verdict = Verdict::from_claim(seconds <= 60.0 * minutes as f64, "slower than the paper");
        line(
            &format!("figure 5: time, {records} records"),
            &format!("{minutes} min"),
            &format!("{seconds:.3} s"),
            verdict,
        );
        let peak = report["peak"].as_f64().unwrap_or(f64::INFINITY);
        let verdict =
            Verdict::from_claim(peak <= megabytes as f64, "more than the paper; the Adult data is part of it");
        line(
            &format!("figure 5: memory, {records} records"),
            &format!("{megabytes} MB"),
            &format!("{peak:.0} MiB"),
            verdict,
        );
        number("variables", records, variables, &report["variables"]);
        number("constraints", records, constraints, &report["constraints"]);
    }
    zeros();
    Ok(())
}

/// Compares a size of the problem. It is close within 10 %, because the paper states neither l, nor the overlap, nor the definition.
fn number(what: &str, records: usize, reported: u64, here: &Value) {
    let here = here.as_f64().unwrap_or(f64::NAN);
    let off = 100.0 * (here / reported as f64 - 1.0);
    let verdict = match off.abs() {
        off if off < 0.5 => Verdict::Reproduces,
        off if off <= 10.0 => Verdict::Close("the paper does not state l and the overlap".to_owned()),
        _ => Verdict::Not(format!("{off:+.0} %; the paper does not state l and the overlap")),
    };
    line(&format!("figure 5: {what}, {records} records"), &reported.to_string(), &format!("{here:.0}"), verdict);
}

/// Checks whether the variables of the paper can exclude zeros: in buckets of l, a person has at most l variables.
fn zeros() {
    for (records, _, _, variables, _) in REPORTED {
        let limit = (2 * records * L) as u64;
        let verdict = Verdict::from_claim(variables <= limit, "the variables include zeros");
        let claim = format!("{variables}, without zeros");
        let here = format!("at most {limit} for any overlap, in buckets of at most {L}");
        line(&format!("figure 5: can the variables exclude zeros, {records} records"), &claim, &here, verdict);
    }
}
