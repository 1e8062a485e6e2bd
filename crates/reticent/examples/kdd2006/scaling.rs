//! Figures 5 and 8: how long it takes with more records, phase by phase.
//!
//! More records are made as the paper makes them: a variation of a record has random values in some columns and inherits the
//! others. The paper says neither how many columns nor from where values are drawn; here it is two, and every value of the
//! column is as likely as any other. Making the records is not part of any phase.

use std::time::Instant;

use crate::adult::{IMMIGRATION, RANKED_A, Records, Set, Trees, place};
use crate::report::{Verdict, figure, head, line};
use crate::search::{Search, anonymity, joined, linkability};
use crate::{Failure, Options};

/// Columns in which a variation differs.
const VARIED: usize = 2;
const SEED: u64 = 2006;

/// Random numbers by SplitMix64, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(number ^ (number >> 31)) * end as u128) >> 64) as usize
    }
}

/// The records and as many variations of them, in turn, as make so many; `columns` are those that vary.
fn enlarged(records: &Records, columns: &[&str], rows: usize, seed: u64) -> Result<Records, Failure> {
    let places = columns.iter().map(|name| place(name)).collect::<Result<Vec<_>, _>>()?;
    let mut random = Random(seed);
    let mut large = records.clone();
    let known = records.trains.len();
    for row in known..rows.max(known) {
        for codes in &mut large.codes {
            codes.push(codes[row % known]);
        }
        large.trains.push(records.trains[row % known]);
        // Different columns, each as likely as the others.
        let mut left = places.clone();
        for _ in 0..VARIED.min(places.len()) {
            let column = left.swap_remove(random.below(left.len()));
            large.codes[column][row] = random.below(records.values[column].len()) as u32;
        }
    }
    Ok(large)
}

/// How long the phases took, in seconds.
struct Phases {
    rows: usize,
    /// Counting combinations, typing them, taking immigration as a release.
    preparing: f64,
    /// The search.
    generalizing: f64,
    /// Applying what it found.
    publishing: f64,
    steps: u64,
}

impl Phases {
    fn total(&self) -> f64 {
        self.preparing + self.generalizing + self.publishing
    }
}

/// What is demanded.
#[derive(Clone, Copy)]
enum Demand {
    Anonymity,
    Linkability,
}

fn measured(
    records: &Records,
    trees: &Trees,
    options: &Options,
    demand: Demand,
    rows: usize,
) -> Result<Phases, Failure> {
    let hidden = &RANKED_A[..1];
    let ours = match demand {
        Demand::Anonymity => RANKED_A.to_vec(),
        Demand::Linkability => RANKED_A[1..].to_vec(),
    };
    let taxation = enlarged(records, &ours, rows, SEED)?;
    let immigration = enlarged(records, &IMMIGRATION, rows, SEED + 1)?;
    let begin = Instant::now();
    let set = Set::a(&taxation, &immigration, trees)?;
    let wordings = match demand {
        Demand::Anonymity => vec![anonymity(&RANKED_A, 40, false)],
        Demand::Linkability => linkability(&set, hidden, 0.9)?,
    };
    joined(&set, &wordings)?;
    let preparing = begin.elapsed().as_secs_f64();
    let search = Search { zero_gain: true, limit: options.limit };
    let found = search.joined(&set, &wordings)?.ok_or("the demand on more records was refused")?;
    let begin = Instant::now();
    let release = found.recoding.apply(&set.table)?;
    let publishing = begin.elapsed().as_secs_f64();
    let phases = Phases { rows, preparing, generalizing: found.seconds, publishing, steps: found.steps };
    println!(
        "{rows} records, {} different in taxation, {} in immigration: preparing {preparing:.3} s, generalizing {:.3} s, \
         publishing {publishing:.3} s, total {:.3} s; {} steps, {} different published",
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
            phases = Ok(measured(records, trees, options, demand, *rows)?);
        }
        phases
    };
    figure("Figure 5: Scalability for (X, Y)-anonymity, Top6, k = 40, Set A");
    println!(
        "A variation has random values in {VARIED} columns; seed {SEED}. No file is read or written, which the paper's"
    );
    println!("times include, on a 2.4 GHz Pentium 4. What the paper prepares as Tree2 is part of generalizing here.\n");
    let five = largest(Demand::Anonymity)?;
    head();
    seconds("figure 5: total", &five, five.total(), ("885", 885.0));
    seconds("figure 5: preparing", &five, five.preparing, ("about 80 % of 885", 708.0));
    seconds("figure 5: generalizing", &five, five.generalizing, ("less than 4 % of 885", 35.0));
    let share = 100.0 * five.generalizing / five.total();
    let why = "another program: records are counted once, and the search works on counts";
    let verdict = Verdict::of(share < 4.0, why);
    line("figure 5: generalizing, of the total", "less than 4 %", &format!("{share:.0} %"), verdict);
    figure("Figure 8: Scalability for (X, Y)-linkability, Top1, 90 %, Set A");
    let eight = largest(Demand::Linkability)?;
    head();
    seconds("figure 8: total", &eight, eight.total(), ("83", 83.0));
    seconds("figure 8: preparing", &eight, eight.preparing, ("less than 1 (Tree2)", 1.0));
    seconds("figure 8: generalizing", &eight, eight.generalizing, ("25", 25.0));
    Ok(())
}

/// A time, which is to be no longer than the paper's for a million records.
fn seconds(what: &str, phases: &Phases, seconds: f64, (said, most): (&str, f64)) {
    let verdict = match (seconds <= most, phases.rows < 1_000_000) {
        (true, false) => Verdict::Reproduces,
        (true, true) => Verdict::Close("fewer records".to_owned()),
        (false, _) => Verdict::Not("slower than the paper".to_owned()),
    };
    line(&format!("{what}, s, {} records", phases.rows), said, &format!("{seconds:.3}"), verdict);
}
