//! Buffers for the evaluation of classes, which are reused for every class.

use std::ops::Range;

use super::dimension::SplitDimension;
use super::judging::ClassCheck;
use super::loss::Loss;
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::release::classes::ClassCounter;

/// Buffers for one grouping.
pub(super) struct SplitScratch {
    pub(super) members: Vec<Vec<u32>>,
    pub(super) counters: Vec<ClassCounter>,
    pub(super) safety: Vec<f64>,
    /// Value number by check and child, if the check uses it.
    pub(super) value_ids: Vec<Option<Vec<u32>>>,
    pub(super) key: Vec<u32>,
    /// Penalty of each child minus the penalty of the split value.
    pub(super) penalties: Vec<Loss>,
    /// Number of records by class label: of a child, and of the split class.
    pub(super) labels: Vec<Weight>,
    pub(super) parent_labels: Vec<Weight>,
}

impl SplitScratch {
    /// Creates buffers for these checks. `labels` is the number of class labels to count.
    pub(super) fn new(checks: &[ClassCheck<'_>], owners: bool, labels: usize) -> SplitScratch {
        let counters = checks.iter().map(|check| ClassCounter::new(check.measured.len, owners)).collect();
        let labels = vec![0; labels];
        SplitScratch {
            members: Vec::new(),
            counters,
            safety: vec![0.0; checks.len()],
            value_ids: Vec::new(),
            key: Vec::new(),
            penalties: Vec::new(),
            parent_labels: labels.clone(),
            labels,
        }
    }

    /// Sorts the combinations of a class by child. Returns the children with at least one combination.
    pub(super) fn sort_by_child(
        &mut self,
        codes: &[Code],
        split_dimension: &SplitDimension,
        range: Range<usize>,
    ) -> Vec<usize> {
        self.members.iter_mut().for_each(Vec::clear);
        for at in range {
            let child = split_dimension.child_of_code[codes[at] as usize] as usize;
            if child >= self.members.len() {
                self.members.resize_with(child + 1, Vec::new);
            }
            self.members[child].push(at as u32);
        }
        (0..self.members.len()).filter(|child| !self.members[*child].is_empty()).collect()
    }
}
