//! Figures 5 and 8: time per phase for larger tables.
//!
//! Records are added as in the paper: a variation of a record has random values in some columns and inherits the others. The
//! paper states neither the number of columns nor the distribution. Here two columns vary, and all values of a column are
//! equally likely. The phases do not include this step.

use std::time::Instant;

use crate::adult::{IMMIGRATION, RANKED_A, Records, Set, Trees, column_index};
use crate::report::{Verdict, figure, head, line};
use crate::search::{Search, anonymity, joined, linkability};
use crate::{Failure, Options};

/// Number of columns in which a variation differs.
const VARIED: usize = 2;
const SEED: u64 = 2006;

/// Pseudo-random numbers by SplitMix64, equal on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(number ^ (number >> 31)) * end as u128) >> 64) as usize
    }
}

/// The records, and variations of them up to `rows` records in total. The variations differ in `columns`.
fn enlarged(records: &Records, columns: &[&str], rows: usize, seed: u64) -> Result<Records, Failure> {
    let indices = columns.iter().map(|name| column_index(name)).collect::<Result<Vec<_>, _>>()?;
    let mut random = Random(seed);
    let mut large = records.clone();
    let known = records.is_training.len();
    for row in known..rows.max(known) {
        for codes in &mut large.codes {
            codes.push(codes[row % known]);
        }
        large.is_training.push(records.is_training[row % known]);
        // Distinct columns, chosen uniformly.
        let mut remaining = indices.clone();
        for _ in 0..VARIED.min(indices.len()) {
            let column = remaining.swap_remove(random.below(remaining.len()));
            large.codes[column][row] = random.below(records.values[column].len()) as u32;
        }
    }
    Ok(large)
}

/// Times of the phases, in seconds.
struct Phases {
    rows: usize,
    /// Counting combinations, building the table, reading immigration as a release.
    preparing: f64,
    /// Search.
    generalizing: f64,
    /// Application of the recoding.
    publishing: f64,
    steps: u64,
}

impl Phases {
    fn total(&self) -> f64 {
        self.preparing + self.generalizing + self.publishing
    }
}

/// The model that is required.
#[derive(Clone, Copy)]
enum Demand {
    Anonymity,
    Linkability,
}

fn measure(
    records: &Records,
    trees: &Trees,
    options: &Options,
    demand: Demand,
    rows: usize,
) -> Result<Phases, Failure> {
    let sensitive = &RANKED_A[..1];
    let ours = match demand {
        Demand::Anonymity => RANKED_A.to_vec(),
        Demand::Linkability => RANKED_A[1..].to_vec(),
    };
    let taxation = enlarged(records, &ours, rows, SEED)?;
    let immigration = enlarged(records, &IMMIGRATION, rows, SEED + 1)?;
    let begin = Instant::now();
    let set = Set::a(&taxation, &immigration, trees)?;
    let specs = match demand {
        Demand::Anonymity => vec![anonymity(&RANKED_A, 40, false)],
        Demand::Linkability => linkability(&set, sensitive, 0.9)?,
    };
    joined(&set, &specs)?;
    let preparing = begin.elapsed().as_secs_f64();
    let search = Search { zero_gain: true, limit: options.limit };
    let found = search.joined(&set, &specs)?.ok_or("the requirement was refused for the larger table")?;
    let begin = Instant::now();
    let release = found.recoding.apply(&set.table)?;
    let publishing = begin.elapsed().as_secs_f64();
    let phases = Phases { rows, preparing, generalizing: found.seconds, publishing, steps: found.steps };
    println!(
        "{rows} records, {} distinct in taxation, {} in immigration: preparing {preparing:.3} s, generalizing {:.3} s, \
         publishing {publishing:.3} s, total {:.3} s; {} steps, {} distinct published",
        set.table.contingency.len(),
        set.history.releases[0].release.contingency.len(),
        phases.generalizing,
        phases.total(),
        phases.steps,
        release.contingency.len(),
    );
    Ok(phases)
}

/// Figures 5 and 8.
pub fn all(records: &Records, trees: &Trees, options: &Options) -> Result<(), Failure> {
    let sizes: &[usize] = if options.short { &[100_000] } else { &[200_000, 400_000, 600_000, 800_000, 1_000_000] };
    let largest = |demand| -> Result<Phases, Failure> {
        let mut phases = Err("no sizes".into());
        for rows in sizes {
            phases = Ok(measure(records, trees, options, demand, *rows)?);
        }
        phases
    };
    figure("Figure 5: Scalability for (X, Y)-anonymity, Top6, k = 40, Set A");
    println!(
        "A variation has random values in {VARIED} columns; seed {SEED}. The times do not include files. Those of the paper do,"
    );
    println!("on a 2.4 GHz Pentium 4. The paper prepares Tree2; here, that step is part of generalizing.\n");
    let five = largest(Demand::Anonymity)?;
    head();
    seconds("figure 5: total", &five, five.total(), ("885", 885.0));
    seconds("figure 5: preparing", &five, five.preparing, ("about 80 % of 885", 708.0));
    seconds("figure 5: generalizing", &five, five.generalizing, ("less than 4 % of 885", 35.0));
    let percent = 100.0 * five.generalizing / five.total();
    let why = "another program: it counts the records once, and the search works on counts";
    let verdict = Verdict::from_claim(percent < 4.0, why);
    line("figure 5: generalizing, of the total", "less than 4 %", &format!("{percent:.0} %"), verdict);
    figure("Figure 8: Scalability for (X, Y)-linkability, Top1, 90 %, Set A");
    let eight = largest(Demand::Linkability)?;
    head();
    seconds("figure 8: total", &eight, eight.total(), ("83", 83.0));
    seconds("figure 8: preparing", &eight, eight.preparing, ("less than 1 (Tree2)", 1.0));
    seconds("figure 8: generalizing", &eight, eight.generalizing, ("25", 25.0));
    Ok(())
}

/// Compares a time with the time of the paper for a million records.
fn seconds(what: &str, phases: &Phases, seconds: f64, (reported, limit): (&str, f64)) {
    let verdict = match (seconds <= limit, phases.rows < 1_000_000) {
        (true, false) => Verdict::Reproduces,
        (true, true) => Verdict::Close("fewer records".to_owned()),
        (false, _) => Verdict::Not("slower than the paper".to_owned()),
    };
    line(&format!("{what}, s, {} records", phases.rows), reported, &format!("{seconds:.3}"), verdict);
}
