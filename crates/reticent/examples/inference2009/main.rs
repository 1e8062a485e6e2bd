//! Rebuilds the experiments of Wang, Zhu, Du and Teng, Inference Analysis in Privacy-Preserving Data Re-publishing, section 4, with
//! this library, and prints what the paper reports beside what comes out: `inference2009 [--short]`.
//!
//! Two releases of 7,200 records of Adult, each in buckets of l people with different values (Anatomy); the Adult data is looked
//! for in RETICENT_DATA and in `../shared/data` beside the repository. What is compared how was fixed before anything was
//! measured; what the paper leaves open is said in the output.

#[path = "../kdd2006/adult.rs"]
#[allow(dead_code)]
mod adult;
mod entropies;
mod figures;
#[path = "../audit_speed/made.rs"]
#[allow(dead_code)]
mod made;
mod releases;
#[path = "../kdd2006/report.rs"]
#[allow(dead_code)]
mod report;
mod size;

use adult::Records;

type Failure = Box<dyn std::error::Error>;

/// Records a release.
const RECORDS: usize = 7_200;
/// Records that both releases have.
const SHARED: [usize; 6] = [6_000, 4_800, 3_600, 2_400, 1_200, 0];
const DIVERSITIES: [usize; 3] = [2, 3, 5];
const SEED: u64 = 2009;

/// Of how many different values and people, and how often, the most frequent one occurs.
fn sensitive_columns(records: &Records) -> Result<(), Failure> {
    println!("| column | values | most frequent | buckets of at most |\n|---|---|---|---|");
    for name in
        ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    {
        let codes = &records.codes[adult::place(name)?];
        let values = records.values[adult::place(name)?].len();
        let most =
            (0..values as u32).map(|value| codes.iter().filter(|code| **code == value).count()).max().unwrap_or(0);
        let share = 100.0 * most as f64 / codes.len() as f64;
        println!("| {name} | {values} | {share:.1} % | {} |", codes.len() / most.max(1));
    }
    println!(
        "\nBuckets of 5 different values need a column in which no value has more than one record in 5. Of Adult's categorical"
    );
    println!(
        "columns that is occupation alone; so the paper's sensitive attribute, which it does not name, is taken for that."
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let short = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--short"] => true,
        // One measurement of figure 5, in a process of its own.
        ["--size", size] => return size::one(size.parse()?),
        _ => return Err("usage: inference2009 [--short]".into()),
    };
    let Some(folder) = adult::folder() else {
        println!("skipped: the Adult data is not beside the repository, and RETICENT_DATA does not say where it is");
        return Ok(());
    };
    println!("# Inference Analysis in Privacy-Preserving Data Re-publishing, section 4, rebuilt\n");
    let records = Records::read(&folder)?;
    sensitive_columns(&records)?;
    figures::two_and_three(&records, short)?;
    figures::four(&records, short)?;
    size::figure_five(short)
}
