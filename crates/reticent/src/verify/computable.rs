//! Naive check whether the written file can be computed from an earlier release (`join/computable.rs` has the definition).

use std::collections::BTreeMap;

use crate::data::contingency::Weight;
use crate::join::lossy::{InconsistentRules, is_same_attribute, matching_codes};
use crate::release::Release;
use crate::release::history::RecordedRelease;

/// Returns true if every record of an earlier release has exactly one matching value in each column of the written file that is not
/// suppressed in all records, and the records with these values are the records of the file.
pub(super) fn can_be_computed(written: &Release, earlier: &RecordedRelease, rules: &[InconsistentRules]) -> bool {
    let is_shown = |at: &usize| {
        let column = &written.columns[*at];
        // A column without published values is one of owners.
        let shows = |code: &u32| column.nodes[*code as usize] != 0;
        !column.nodes.is_empty() && written.contingency.codes[*at].iter().any(shows)
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
        let same = |(_, other): &(usize, &crate::release::PublishedColumn)| {
            is_same_attribute(&column.name, &other.name, rules)
        };
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
            values.push(written.columns[*at].label(**only));
        }
        *found.entry(values).or_default() += weight;
    }
    !earlier.population && found == expected
}
