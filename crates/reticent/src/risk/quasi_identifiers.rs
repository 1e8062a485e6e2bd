//! A small set of columns that distinguishes nearly as many records as all quasi-identifiers together.
//!
//! Definition  The distinct ratio of a set of columns is (number of distinct combinations) / (number of records). Its
//!             separation ratio is the share of the pairs of records that differ in one of the columns.
//! Paper       Motwani and Xu, Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.

use crate::data::contingency::{ContingencyTable, Weight};

/// A set of columns from which no column can be removed without losing detail.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MinimalQuasiIdentifier {
    /// Names of the columns, the most distinguishing first.
    pub columns: Vec<String>,
    /// Number of distinct combinations, divided by the number of records.
    pub distinct_ratio: f64,
    /// Share of the pairs of records that differ in one of the columns.
    pub separation_ratio: f64,
}

/// Share of the combinations of all columns that the set must distinguish: nine of ten.
const KEPT: (u64, u64) = (9, 10);

/// Returns a minimal set of columns that distinguishes at least nine tenths of the combinations of all columns. `None` without
/// columns or records.
///
/// Columns are added greedily, so a smaller set can exist.
pub fn minimal_quasi_identifier(table: &ContingencyTable, columns: &[(usize, &str)]) -> Option<MinimalQuasiIdentifier> {
    // Every row is a record, also if a person has several.
    let rows = ContingencyTable { owners: None, ..table.clone() };
    let count = |chosen: &[usize]| rows.project(chosen).len() as u64;
    let all: Vec<usize> = columns.iter().map(|(at, _)| *at).collect();
    if all.is_empty() || rows.is_empty() {
        return None;
    }
    let total = count(&all);
    let is_enough = |combinations: u64| combinations * KEPT.1 >= total * KEPT.0;
    let mut chosen: Vec<usize> = Vec::new();
    while !is_enough(count(&chosen)) {
        let open = all.iter().filter(|at| !chosen.contains(at));
        let with = |at: &usize| chosen.iter().copied().chain([*at]).collect::<Vec<usize>>();
        // Of equal columns, the first is added.
        let best = open.rev().max_by_key(|at| count(&with(at)))?;
        chosen.push(*best);
    }
    for at in chosen.clone() {
        let without: Vec<usize> = chosen.iter().copied().filter(|kept| *kept != at).collect();
        if is_enough(count(&without)) {
            chosen = without;
        }
    }
    let name = |at: &usize| columns.iter().find(|(known, _)| known == at).map(|(_, name)| (*name).to_owned());
    let records = rows.rows();
    Some(MinimalQuasiIdentifier {
        columns: chosen.iter().filter_map(name).collect(),
        distinct_ratio: count(&chosen) as f64 / records as f64,
        separation_ratio: separation_ratio(&rows.project(&chosen).weights, records),
    })
}

fn separation_ratio(classes: &[Weight], records: Weight) -> f64 {
    let pairs = |of: Weight| u128::from(of) * u128::from(of.saturating_sub(1)) / 2;
    let equal: u128 = classes.iter().map(|class| pairs(*class)).sum();
    match pairs(records) {
        0 => 1.0,
        all => (all - equal) as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::minimal_quasi_identifier;
    use crate::Counts;

    /// The patients of table II(a) of Fung, Wang, Chen and Yu (2010).
    const PATIENTS: [[&str; 3]; 7] = [
        ["Engineer", "Male", "35"],
        ["Engineer", "Male", "38"],
        ["Lawyer", "Male", "38"],
        ["Writer", "Female", "30"],
        ["Writer", "Female", "30"],
        ["Dancer", "Female", "30"],
        ["Dancer", "Female", "30"],
    ];

    #[test]
    fn job_and_age_distinguish_the_patients_of_the_survey() {
        let counts = Counts::from_rows(["Job", "Sex", "Age"], &PATIENTS);
        let found = |names: &[&'static str]| {
            let at = |name: &'static str| Some((counts.names.iter().position(|known| known == name)?, name));
            let columns: Vec<(usize, &str)> = names.iter().filter_map(|name| at(name)).collect();
            minimal_quasi_identifier(&counts.contingency, &columns).expect("columns")
        };
        let job = found(&["Job"]);
        assert_eq!((job.distinct_ratio, job.separation_ratio), (4.0 / 7.0, 6.0 / 7.0));
        let all = found(&["Job", "Sex", "Age"]);
        assert_eq!(all.columns, ["Job", "Age"]);
        assert_eq!((all.distinct_ratio, all.separation_ratio), (5.0 / 7.0, 19.0 / 21.0));
        assert_eq!(found(&["Sex"]).columns, ["Sex"]);
    }

    #[test]
    fn no_columns_or_records_distinguish_nothing() {
        let counts = Counts::from_rows(["Job", "Sex", "Age"], &PATIENTS);
        assert_eq!(minimal_quasi_identifier(&counts.contingency, &[]), None);
        assert_eq!(minimal_quasi_identifier(&Counts::default().contingency, &[(0, "Job")]), None);
    }
}
