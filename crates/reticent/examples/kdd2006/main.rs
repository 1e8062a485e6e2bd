//! Repeats the experiments of Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6, and prints the reported
//! next to the reproduced figures: `kdd2006 [--short] [--limit SECONDS]`.
//!
//! Immigration is published before taxation. Both consist of the 45,222 complete records of the Adult data. The folder of the
//! data is RETICENT_DATA, or `../shared/data` next to the repository. The criteria of comparison (`report.rs`) were fixed
//! before the first measurement. The output lists details that the paper does not state.

mod adult;
mod anonymity;
mod linkability;
mod report;
mod scaling;
mod search;

use std::time::Duration;

use adult::{Records, Set, Trees};

type Failure = Box<dyn std::error::Error>;

/// Why classification errors can differ.
const LEARNER: &str = "another learner (CART instead of C4.5)";

/// Options of a run.
struct Options {
    short: bool,
    /// Time limit of a search.
    limit: Duration,
    ks: Vec<u64>,
    /// Reason for different distortions.
    fewer_ks: &'static str,
}

impl Options {
    fn read() -> Result<Options, Failure> {
        let mut short = false;
        let mut limit = Duration::from_secs(120);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--short" => short = true,
                "--limit" => limit = Duration::from_secs_f64(words.next().ok_or("--limit needs seconds")?.parse()?),
                _ => return Err("usage: kdd2006 [--short] [--limit SECONDS]".into()),
            }
        }
        let (ks, fewer_ks) = match short {
            true => (vec![40, 200], "only k = 40 and 200"),
            false => (vec![40, 80, 120, 160, 200], "unknown"),
        };
        Ok(Options { short, limit, ks, fewer_ks })
    }
}

fn main() -> Result<(), Failure> {
    let options = Options::read()?;
    let Some(folder) = adult::folder() else {
        println!("skipped: no Adult data next to the repository, and RETICENT_DATA does not name its folder");
        return Ok(());
    };
    println!("# Anonymizing Sequential Releases (KDD 2006), section 6, repeated");
    println!(
        "\nLearner: the decision tree of this library (CART, Gini, depth at most 12, at least 1 in 1000 training records per leaf)."
    );
    let records = Records::read(&folder)?;
    let trees = Trees::read(&folder)?;
    let a = Set::a(&records, &records, &trees)?;
    let benefits = anonymity::set_a(&a, &records, &options)?;
    if !options.short {
        let b = Set::b(&records, &trees)?;
        anonymity::set_b(&b, &records, &options, &benefits)?;
        linkability::set_a(&a, &records, &options)?;
        linkability::set_b(&b, &records, &options)?;
    }
    scaling::all(&records, &trees, &options)?;
    Ok(())
}
