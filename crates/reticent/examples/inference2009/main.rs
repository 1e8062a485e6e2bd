//! Repeats the experiments of Wang, Zhu, Du and Teng, Inference Analysis in Privacy-Preserving Data Re-publishing, section 4, and
//! prints the reported next to the reproduced figures: `inference2009 [--short]`.
//!
//! The data are two releases of 7,200 records of Adult, in buckets of l people with distinct values (Anatomy). The folder of the Adult
//! data is RETICENT_DATA, or `../shared/data` next to the repository. The criteria of comparison were fixed before the first
//! measurement. The output lists details that the paper does not state.

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

/// Number of records of a release.
const RECORDS: usize = 7_200;
/// Numbers of records that are in both releases.
const SHARED: [usize; 6] = [6_000, 4_800, 3_600, 2_400, 1_200, 0];
const DIVERSITIES: [usize; 3] = [2, 3, 5];
const SEED: u64 = 2009;

/// Prints, for each categorical column, the number of values and the frequency of the most frequent value.
fn sensitive_columns(records: &Records) -> Result<(), Failure> {
    println!("| column | values | most frequent | buckets of at most |\n|---|---|---|---|");
    for name in
        ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    {
        let codes = &records.codes[adult::column_index(name)?];
        let values = records.values[adult::column_index(name)?].len();
        let largest =
            (0..values as u32).map(|value| codes.iter().filter(|code| **code == value).count()).max().unwrap_or(0);
        let percent = 100.0 * largest as f64 / codes.len() as f64;
        println!("| {name} | {values} | {percent:.1} % | {} |", codes.len() / largest.max(1));
    }
    println!(
        "\nBuckets of 5 distinct values need a column in which no value has more than one record in 5. Of the categorical columns"
    );
    println!(
        "of Adult, only occupation has this property. The paper does not name its sensitive attribute; occupation is assumed."
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let short = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--short"] => true,
        // One measurement of figure 5, in a separate process.
        ["--size", size] => return size::one(size.parse()?),
        _ => return Err("usage: inference2009 [--short]".into()),
    };
    let Some(folder) = adult::folder() else {
        println!("skipped: no Adult data next to the repository, and RETICENT_DATA does not name its folder");
        return Ok(());
    };
    println!("# Inference Analysis in Privacy-Preserving Data Re-publishing, section 4, repeated\n");
    let records = Records::read(&folder)?;
    sensitive_columns(&records)?;
    figures::two_and_three(&records, short)?;
    figures::four(&records, short)?;
    size::figure_five(short)
}
