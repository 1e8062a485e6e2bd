//! Rebuilds the experiments of Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6, with this library, and
//! prints what the paper reports beside what comes out: `kdd2006 [--short] [--limit SECONDS]`.
//!
//! Taxation is released after immigration, both made of the 45,222 complete records of the Adult data, which is looked for in
//! RETICENT_DATA and in `../shared/data` beside the repository. What is compared how was fixed before anything was measured
//! (`report.rs`); what the paper leaves open is said in the output.

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
const LEARNER: &str = "another learner, CART for C4.5";

/// What is run.
struct Options {
    short: bool,
    /// A longer search is stopped.
    limit: Duration,
    ks: Vec<u64>,
    /// What is said of distortions that differ.
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
        println!("skipped: the Adult data is not beside the repository, and RETICENT_DATA does not say where it is");
        return Ok(());
    };
    println!("# Anonymizing Sequential Releases (KDD 2006), section 6, rebuilt");
    println!(
        "\nLearner: this library's decision tree (CART, Gini, at most 12 deep, 1 in 1000 training records a leaf)."
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
