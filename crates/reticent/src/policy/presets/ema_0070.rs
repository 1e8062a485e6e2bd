//! EMA Policy 0070: risk threshold 0.09 for published clinical reports.

use super::{Preset, criterion};
use crate::audit::Proof;

pub(super) const PRESET: Preset = Preset {
    id: "ema-0070",
    title: "EMA Policy 0070: publication of clinical data",
    summary: "The probability that a record of a public release can be attributed to a person is at most 0.09, given all releases. \
              The guidance derives 0.09 from a smallest group of 11 people (1/11 = 0.0909). The bound here is exact, so a class \
              needs 12 people.",
    source: "European Medicines Agency, External guidance on the implementation of the European Medicines Agency policy on the \
             publication of clinical data for medicinal products for human use (EMA/90915/2016), chapter on the anonymisation of \
             clinical reports",
    k: None,
    confidence: None,
    reidentification: Some(0.09),
    audit: Some(Proof::Bounds),
    mapping: &[criterion(
        "maximum risk of re-identification 0.09",
        "reidentification = 0.09, proven for all releases together",
    )],
    not_covered: "The anonymisation report, the redaction of free text, and the assessment of the data context.",
};
