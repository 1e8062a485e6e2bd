//! Naive check whether the written file can be computed from an earlier release (`join/computable.rs` has the definition).

use std::collections::{BTreeMap, BTreeSet};

use crate::data::contingency::Weight;
use crate::data::interval::Interval;
use crate::data::taxonomy::{Code, Type};
use crate::join::lossy::{InconsistentRules, is_same_attribute, matching_codes};
use crate::release::history::{History, RecordedRelease};
use crate::release::{PublishedColumn, Release};

/// Returns true if every record of an earlier release has exactly one matching value in each column of the written file that is not
/// suppressed in all records, if that value contains the one of the record, and if the records with these values are those of the file.
/// The owners of the records must be unknown.
pub(super) fn can_be_computed(
    written: &Release,
    earlier: &RecordedRelease,
    history: &History,
    rules: &[InconsistentRules],
) -> bool {
    let has_owners = written.columns.iter().any(|column| column.nodes.is_empty());
    if has_owners || earlier.population || earlier.links.is_some() || history.owned.contains(&earlier.number) {
        return false;
    }
    let is_shown = |at: &usize| {
        let column = &written.columns[*at];
        let shows = |code: &u32| column.nodes[*code as usize] != 0;
        written.contingency.codes[*at].iter().any(shows)
    };
    let shown: Vec<usize> = (0..written.columns.len()).filter(is_shown).collect();
    let mut expected: BTreeMap<Vec<&str>, Weight> = BTreeMap::new();
    for (row, weight) in written.contingency.weights.iter().enumerate() {
        let text = |at: &usize| written.columns[*at].label(written.contingency.codes[*at][row]);
        *expected.entry(shown.iter().map(text).collect()).or_default() += weight;
    }
    let theirs = &earlier.release;
    let mut pairs = Vec::new();
    for at in shown {
        let column = &written.columns[at];
        let same = |(_, other): &(usize, &PublishedColumn)| is_same_attribute(&column.name, &other.name, rules);
        let Some((there, other)) = theirs.columns.iter().enumerate().find(same) else { return false };
        let others: Vec<InconsistentRules> =
            rules.iter().filter(|rule| rule.varying_column().is_some()).cloned().collect();
        let Some(matching) = matching_codes(other, column, &others) else { return false };
        let mut occurring = written.contingency.codes[at].clone();
        occurring.sort_unstable();
        occurring.dedup();
        pairs.push((at, there, matching, occurring));
    }
    let mut found: BTreeMap<Vec<&str>, Weight> = BTreeMap::new();
    for (row, weight) in theirs.contingency.weights.iter().enumerate() {
        let mut values = Vec::new();
        for (at, there, matching, occurring) in &pairs {
            let matched = &matching[theirs.contingency.codes[*there][row] as usize];
            let matches: Vec<_> = occurring.iter().filter(|code| matched.contains(**code)).collect();
            let [only] = matches.as_slice() else { return false };
            let theirs = Value { column: &theirs.columns[*there], code: theirs.contingency.codes[*there][row] };
            if !(Value { column: &written.columns[*at], code: **only }).contains(&theirs) {
                return false;
            }
            values.push(written.columns[*at].label(**only));
        }
        *found.entry(values).or_default() += weight;
    }
    found == expected
}

/// A published value.
struct Value<'a> {
    column: &'a PublishedColumn,
    code: Code,
}

impl Value<'_> {
    fn text(&self) -> &str {
        self.column.label(self.code)
    }

    fn is_suppressed(&self) -> bool {
        self.column.nodes[self.code as usize] == 0
    }

    /// Texts of the leaves that the value represents.
    fn leaves(&self) -> BTreeSet<&str> {
        let tree = &self.column.tree;
        let (mut open, mut leaves) = (vec![self.column.nodes[self.code as usize]], BTreeSet::new());
        while let Some(id) = open.pop() {
            let node = tree.node(id);
            open.extend(node.children.iter().chain(&node.parts));
            if node.children.is_empty() && node.parts.is_empty() {
                leaves.insert(node.label.as_str());
            }
        }
        leaves
    }

    /// Returns true if the value certainly represents all that another one does.
    fn contains(&self, other: &Value<'_>) -> bool {
        if self.is_suppressed() || other.is_suppressed() {
            return self.is_suppressed();
        }
        if self.text() == other.text() {
            return true;
        }
        let values = self.column.tree.value_type();
        let interval = |value: &Value<'_>| Interval::parse(values, value.text());
        match (values == Type::Text, interval(other), interval(self)) {
            (false, Some(inner), Some(outer)) => inner.within(&outer),
            (true, ..) => {
                let leaves = self.leaves();
                other.leaves().iter().all(|leaf| !leaf.contains('*') && leaves.contains(leaf))
            }
            _ => false,
        }
    }
}
