//! Health Canada, public release of clinical information: risk threshold 0.09.

use super::{Preset, criterion};
use crate::audit::Proof;

pub(super) const PRESET: Preset = Preset {
    id: "health-canada-prci",
    title: "Health Canada: public release of clinical information (PRCI)",
    summary: "The probability that a record of a public release can be attributed to a person is at most 0.09, given all releases. \
              The threshold is that of EMA Policy 0070. The bound here is exact, so a class needs 12 people.",
    source: "Health Canada, Guidance document: Public Release of Clinical Information (2019), section on the anonymization of \
             clinical information",
    k: None,
    confidence: None,
    reidentification: Some(0.09),
    audit: Some(Proof::Bounds),
    mapping: &[criterion(
        "threshold for the risk of re-identification 0.09",
        "reidentification = 0.09, proven for all releases together",
    )],
    not_covered: "The anonymization report, the redaction of free text, and the review by Health Canada.",
};
