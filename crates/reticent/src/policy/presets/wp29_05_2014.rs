//! Article 29 Working Party, Opinion 05/2014: singling out, linkability, inference.

use super::{Preset, criterion};
use crate::audit::Proof;

pub(super) const PRESET: Preset = Preset {
    id: "wp29-05-2014",
    title: "Opinion 05/2014 on Anonymisation Techniques: the three questions",
    summary: "The opinion asks whether an individual can still be singled out, whether records of an individual can be linked, and \
              whether information about an individual can be inferred. It states no numbers. The thresholds are a choice of this \
              catalogue, on the cautious side: those of published clinical data (0.09, so 12 people in a class), and no sensitive \
              value with a posterior above 1/2.",
    source: "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216), adopted on 10 April 2014",
    k: Some(12),
    confidence: Some(0.5),
    reidentification: Some(0.09),
    audit: Some(Proof::Bounds),
    mapping: &[
        criterion("singling out", "k = 12: every combination of published quasi-identifiers has at least 12 people"),
        criterion(
            "linkability",
            "reidentification = 0.09, proven for all releases together: no record is a person's with a higher probability",
        ),
        criterion(
            "inference",
            "confidence = 0.5, proven for all releases together: no sensitive value is more probable than not",
        ),
    ],
    not_covered: "The legal assessment of all means reasonably likely to be used, inference from correlations, and membership.",
};
