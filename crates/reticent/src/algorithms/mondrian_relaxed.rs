//! Relaxed Mondrian: like `mondrian`, but a cut can separate records with equal codes in its column.
//!
//! Cut         the column with the widest normalized range, at the median of the records. Records with the median code can be on
//!             different sides. In the paper this holds for equal records too. Here a recoding is a function of the combination of
//!             values, so only records that differ in another column can be separated: records with the median code are ordered by
//!             the codes of all columns. Parts are more even than those of strict Mondrian, and they may overlap. The purpose is
//!             ignored.
//! Soundness   as for strict Mondrian.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.

use super::AlgorithmDef;
use super::mondrian::{CutForm, run};
use super::regions::IntervalBounds;
use crate::registry::{Entry, Kind};

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "mondrian-relaxed",
        title: "relaxed Mondrian",
        summary: "Mondrian whose cuts can separate records with the same value in the cut column, if they differ in another column. Parts \
                  are more even and can overlap.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
        protects_against: "for comparison only: usually loses more information than strict Mondrian",
        comparison: true,
        parameters: &[],
        evidence: &["laws::algorithms", "oracle::mondrian", "golden::mondrian"],
    },
    sets: true,
    run: |task, _, control| run(task, CutForm::Relaxed, IntervalBounds::Data, control),
};
