//! Values of the new release's join columns, numbered on first use, with their matches in earlier releases.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use hashbrown::HashMap;

use crate::data::interval::Interval;
use crate::data::taxonomy::{NodeId, Taxonomy, Type};
use crate::join::lossy::{CodeSet, InconsistentRules, is_below, is_same_attribute, lies_below};
use crate::join::matching::Matcher;
use crate::release::PublishedColumn;

/// A published value of a join column.
pub(super) enum JoinValue<'t> {
    /// A node of its taxonomy.
    Node(&'t Taxonomy, NodeId),
    /// Part of an interval of numbers or days that can be split: label, type and interval.
    SubInterval(&'t str, Type, Interval),
}

/// A join column of the new release.
pub(super) struct JoinKey<'a> {
    /// Index of the column in the new release.
    pub(super) column: usize,
    /// Columns of earlier releases that join with it.
    pub(super) slots: Vec<Slot<'a>>,
    seen: RwLock<SeenValues>,
}

/// Values of a join column seen so far.
#[derive(Default)]
pub(super) struct SeenValues {
    ids: HashMap<String, u32>,
    /// Matching codes by value, then by slot.
    pub(super) matching: Vec<Vec<CodeSet>>,
}

/// A column of an earlier release that a join column must match.
pub(super) struct Slot<'a> {
    matcher: Option<Matcher<'a>>,
    /// Number of codes of the earlier column.
    pub(super) codes: usize,
    /// Inconsistent values: value of the new column, and flag by code of the earlier column.
    excluded: Vec<(&'a str, Vec<bool>)>,
}

impl<'a> JoinKey<'a> {
    pub(super) fn new(column: usize) -> JoinKey<'a> {
        JoinKey { column, slots: Vec::new(), seen: RwLock::default() }
    }

    /// Values seen so far.
    pub(super) fn seen(&self) -> RwLockReadGuard<'_, SeenValues> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of a value, assigned on first use.
    pub(super) fn number(&self, value: &JoinValue<'_>) -> u32 {
        let label = match value {
            JoinValue::Node(tree, id) => &tree.node(*id).label,
            JoinValue::SubInterval(label, ..) => *label,
        };
        if let Some(id) = self.seen().ids.get(label) {
            return *id;
        }
        let matching = self.slots.iter().map(|slot| slot.matching_codes(value)).collect();
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = seen.ids.get(label) {
            return *id;
        }
        let id = seen.matching.len() as u32;
        seen.ids.insert(label.to_owned(), id);
        seen.matching.push(matching);
        id
    }
}

impl<'a> Slot<'a> {
    pub(super) fn new(ours: &str, theirs: &'a PublishedColumn, rules: &'a [InconsistentRules]) -> Slot<'a> {
        let excluded = rules.iter().filter_map(|rule| rule.between(ours, &theirs.name));
        Slot {
            matcher: is_same_attribute(ours, &theirs.name, rules).then(|| Matcher::new(theirs)),
            codes: theirs.nodes.len(),
            excluded: excluded.map(|(ours, value)| (ours, lies_below(theirs, value))).collect(),
        }
    }

    fn matching_codes(&self, value: &JoinValue<'_>) -> CodeSet {
        let mut matching = match (&self.matcher, value) {
            (None, _) => CodeSet::all(self.codes),
            (Some(matcher), JoinValue::Node(tree, id)) => CodeSet::new(&matcher.node(tree, *id), self.codes),
            (Some(matcher), JoinValue::SubInterval(_, values, interval)) => {
                CodeSet::new(&matcher.interval(*values, *interval), self.codes)
            }
        };
        for (ours, theirs) in &self.excluded {
            let below = match value {
                JoinValue::Node(tree, id) => is_below(tree, *id, ours),
                JoinValue::SubInterval(_, values, inner) => {
                    Interval::parse(*values, ours).is_some_and(|outer| inner.within(&outer))
                }
            };
            if below {
                matching = matching.without(theirs);
            }
        }
        matching
    }
}
