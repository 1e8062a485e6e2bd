//! Releases that can be computed from another: who has the other learns nothing from them.
//!
//! Definition  A release can be computed from another if every value that the other publishes matches exactly one of its values, in every
//!             one of its columns, if that value contains the other one, and if replacing values by these gives its records, with equal
//!             counts. A column with suppressed cells only tells nothing and need not be in the other.
//! Use         The join of both would multiply the counts of the same records. So a release counts once in a set: sets of earlier
//!             releases are without those that can be computed from others of the set. A new release that can be computed from an
//!             earlier one adds nothing to the sets that contain it.
//! Assumes     that equal records are of the same people. So the owners of the records must be unknown: if they are known, the join and the
//!             audit judge the people.
//! Limits      (X,Y)-models keep the definition of the paper. Population registers are background knowledge and are never left out.

use hashbrown::HashMap;

use super::lossy::{InconsistentRules, is_same_attribute};
use super::matching::matches;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::interval::{Interval, is_masked};
use crate::data::taxonomy::{Code, NodeId, Taxonomy, Type};
use crate::release::history::{History, RecordedRelease};
use crate::release::{PublishedColumn, Release};

/// Returns true if a new release can be computed from an earlier one that is not a population register and has no known owners.
pub(crate) fn is_computable_from(
    new: &Release,
    earlier: &RecordedRelease,
    history: &History,
    rules: &[InconsistentRules],
) -> bool {
    let is_owned = new.contingency.owners.is_some() || has_known_owners(earlier, history);
    !is_owned && !earlier.population && is_computable(new, &earlier.release, rules)
}

/// Returns true if the owners of the records of an earlier release are known.
pub(super) fn has_known_owners(earlier: &RecordedRelease, history: &History) -> bool {
    earlier.links.is_some() || history.owned.contains(&earlier.number)
}

/// Returns true if a release can be computed from another one.
pub(super) fn is_computable(release: &Release, other: &Release, rules: &[InconsistentRules]) -> bool {
    if release.contingency.rows() != other.contingency.rows() {
        return false;
    }
    let mut replaced: Vec<Vec<Code>> = Vec::new();
    let is_suppressed = |at: usize| {
        let nodes = &release.columns[at].nodes;
        release.contingency.codes[at].iter().all(|code| nodes[*code as usize] == 0)
    };
    let telling: Vec<usize> = (0..release.columns.len()).filter(|at| !is_suppressed(*at)).collect();
    for at in telling.iter().copied() {
        let column = &release.columns[at];
        let same = |theirs: &&PublishedColumn| is_same_attribute(&column.name, &theirs.name, rules);
        let Some(there) = other.columns.iter().position(|theirs| same(&theirs)) else { return false };
        let Some(codes) = single_matches(release, at, other, there) else { return false };
        replaced.push(other.contingency.codes[there].iter().map(|code| codes[*code as usize]).collect());
    }
    let mut records: HashMap<Box<[Code]>, Weight> = HashMap::new();
    for (at, weight) in other.contingency.weights.iter().enumerate() {
        *records.entry(replaced.iter().map(|codes| codes[at]).collect()).or_default() += weight;
    }
    let published = ContingencyTable { owners: None, ..release.contingency.clone() }.project(&telling);
    published.len() == records.len()
        && (0..published.len()).all(|at| {
            let row: Box<[Code]> = published.codes.iter().map(|codes| codes[at]).collect();
            records.get(&row) == Some(&published.weights[at])
        })
}

/// By code of another release's column: the only occurring code of a column that matches it, and contains it; `None` if a code that
/// occurs has none.
fn single_matches(release: &Release, at: usize, other: &Release, there: usize) -> Option<Vec<Code>> {
    let occurs = |release: &Release, column: usize| {
        let mut occurs = vec![false; release.columns[column].nodes.len()];
        release.contingency.codes[column].iter().for_each(|code| occurs[*code as usize] = true);
        occurs
    };
    let (ours, theirs) = (occurs(release, at), occurs(other, there));
    let mut single = Vec::with_capacity(theirs.len());
    let matching = matches(&other.columns[there], &release.columns[at]);
    for ((matched, occurs), code) in matching.iter().zip(theirs).zip(0..) {
        let mut matched = matched.iter().copied().filter(|code| ours[*code as usize]);
        match (matched.next(), matched.next()) {
            (Some(only), None) if !occurs || contains(&release.columns[at], only, &other.columns[there], code) => {
                single.push(only);
            }
            _ if occurs => return None,
            _ => single.push(0),
        }
    }
    Some(single)
}

/// Returns true if a published value contains all values that another one represents. False if that is not certain.
fn contains(column: &PublishedColumn, code: Code, other: &PublishedColumn, theirs: Code) -> bool {
    let (ours, theirs) = (column.nodes[code as usize], (other.nodes[theirs as usize], other.label(theirs)));
    if ours == 0 || (theirs.0 != 0 && column.tree.node(ours).label == theirs.1) {
        return true;
    }
    if theirs.0 == 0 {
        return false;
    }
    let values = column.tree.value_type();
    let interval = |text: &str| Interval::parse(values, text);
    match (values, interval(theirs.1), interval(column.label(code))) {
        (Type::Number | Type::Date, Some(inner), Some(outer)) => inner.within(&outer),
        (Type::Text, ..) => {
            let below = |tree: &Taxonomy, node: NodeId| -> Vec<String> {
                let spans = tree.nodes_of(node).map(|part| tree.node(part).span.clone());
                spans.flat_map(|span| tree.values()[span.start as usize..span.end as usize].to_vec()).collect()
            };
            let outer = below(&column.tree, ours);
            below(&other.tree, theirs.0).iter().all(|value| !is_masked(value) && outer.contains(value))
        }
        _ => false,
    }
}
