//! CMS cell size suppression: no cell of 1 to 10 people.

use super::{Preset, criterion};

pub(super) const PRESET: Preset = Preset {
    id: "cms-cell-size",
    title: "CMS cell size suppression policy",
    summary: "A cell is a combination of published quasi-identifiers. Every cell has at least 11 people, also after joins with earlier \
              releases.",
    source: "Centers for Medicare & Medicaid Services, CMS Cell Size Suppression Policy, as stated in CMS data use agreements \
             (minimum cell size 11)",
    k: Some(11),
    confidence: None,
    reidentification: None,
    audit: None,
    mapping: &[criterion("no cell with a value of 1 to 10", "k = 11")],
    not_covered: "Counts of a sensitive value within a class, percentages, and tables that are computed from a release later.",
};
