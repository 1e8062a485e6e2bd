//! Values of the new release's join columns: numbered as they come up, each with what it fits in earlier releases.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use hashbrown::HashMap;

use crate::interval::Interval;
use crate::join::{Inconsistent, Row, is_below, is_same, lies_below};
use crate::matching::Matcher;
use crate::release::PublishedColumn;
use crate::taxonomy::{NodeId, Taxonomy, Type};

/// A published value of a join column.
pub(super) enum Value<'t> {
    /// A node of its taxonomy.
    Node(&'t Taxonomy, NodeId),
    /// A part of an interval of numbers, or days, that could be split.
    Part(&'t str, Type, Interval),
}

/// A join column of the new release.
pub(super) struct Key<'a> {
    pub(super) column: usize,
    pub(super) slots: Vec<Slot<'a>>,
    seen: RwLock<Seen>,
}

/// The values of a join column that came up.
#[derive(Default)]
pub(super) struct Seen {
    ids: HashMap<String, u32>,
    /// By value, by slot: the codes there that fit.
    pub(super) fits: Vec<Vec<Row>>,
}

/// A column of an earlier release that a join column must fit.
pub(super) struct Slot<'a> {
    matcher: Option<Matcher<'a>>,
    pub(super) codes: usize,
    /// Values that nobody has together: ours, and by code whether theirs is one.
    never: Vec<(&'a str, Vec<bool>)>,
}

impl<'a> Key<'a> {
    pub(super) fn of(column: usize) -> Key<'a> {
        Key { column, slots: Vec::new(), seen: RwLock::default() }
    }

    /// The values that came up.
    pub(super) fn seen(&self) -> RwLockReadGuard<'_, Seen> {
        self.seen.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a value.
    pub(super) fn number(&self, value: &Value<'_>) -> u32 {
        let label = match value {
            Value::Node(tree, id) => &tree.node(*id).label,
            Value::Part(label, ..) => *label,
        };
        if let Some(id) = self.seen().ids.get(label) {
            return *id;
        }
        let fits = self.slots.iter().map(|slot| slot.fits(value)).collect();
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = seen.ids.get(label) {
            return *id;
        }
        let id = seen.fits.len() as u32;
        seen.ids.insert(label.to_owned(), id);
        seen.fits.push(fits);
        id
    }
}

impl<'a> Slot<'a> {
    pub(super) fn new(ours: &str, theirs: &'a PublishedColumn, rules: &'a [Inconsistent]) -> Slot<'a> {
        let never = rules.iter().filter_map(|rule| rule.between(ours, &theirs.name));
        Slot {
            matcher: is_same(ours, &theirs.name, rules).then(|| Matcher::of(theirs)),
            codes: theirs.nodes.len(),
            never: never.map(|(ours, value)| (ours, lies_below(theirs, value))).collect(),
        }
    }

    fn fits(&self, value: &Value<'_>) -> Row {
        let mut fits = match (&self.matcher, value) {
            (None, _) => Row::all(self.codes),
            (Some(matcher), Value::Node(tree, id)) => Row::of(&matcher.node(tree, *id), self.codes),
            (Some(matcher), Value::Part(_, values, interval)) => {
                Row::of(&matcher.interval(*values, *interval), self.codes)
            }
        };
        for (ours, theirs) in &self.never {
            let below = match value {
                Value::Node(tree, id) => is_below(tree, *id, ours),
                Value::Part(_, values, inner) => {
                    Interval::parse(*values, ours).is_some_and(|outer| inner.within(&outer))
                }
            };
            if below {
                fits = fits.without(theirs);
            }
        }
        fits
    }
}
