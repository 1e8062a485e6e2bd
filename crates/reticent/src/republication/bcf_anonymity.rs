//! BCF-anonymity: cumulative releases in which at least k records can belong to every person, after comparing all releases.
//!
//! Guarantee  no record is linked to a person with a probability above 1/k, given all releases and the groups of all people.
//!            There is no bound for values: k records with the same value disclose it.
//! Proof      a *cell* is the set of people who are in the same group of every release, or absent from it. The releases do not
//!            distinguish the people of a cell, and a cell has at least k people. In every possible world, the number of people
//!            of a cell with a value is at most the number r of records with this value in their group. So a person of the cell
//!            has the value with probability at most r / k, and each of these records with probability at most 1/k.
//! Implies    that k records remain after forward, cross and backward attacks. If two groups have a person in common, they have
//!            a cell in common, whose k records are in both. The newcomers of a group are one or more cells, and k records
//!            remain for them without the records of the others.
//! Method     each cell is specialized top-down: a value of a quasi-identifier is replaced by its children if each child has no
//!            person of the cell or at least k, in the column with the greatest reduction of distortion. People of different
//!            cells with the same values form one group. All newcomers form one cell, and are postponed if they are fewer
//!            than k.
//! Differs    from the paper, which counts the remaining records for two releases and an attacker who knows only the
//!            quasi-identifiers of the victim. Example: people 1 to 4 with a, a, a, b; then 1 to 3 with a, a, a and 4 to 6 with
//!            a, a, b. At least 2 records remain for every person, by flow and by the closed form of the paper. But person 4 is
//!            the only one of the last group who was published before, so b belongs to 4.
//! Excludes   deletions: a release without a published person is refused, or other people of the cell are withheld until at
//!            least k are absent, which keeps the guarantee. It also excludes attackers who know values of other people.
//! Paper      Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::largest::MethodRng;
use super::trees::Trees;
use super::{Form, GroupingOutcome, MethodDef, Reason, ReleaseGroup, RepublicationTask, Updates};
use crate::data::links::Pseudonym;
use crate::data::taxonomy::NodeId;
use crate::error::{Refusal, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of BCF-anonymity.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "bcf-anonymity",
    title: "BCF-anonymity",
    summary: "Cumulative releases with generalized quasi-identifiers, in which at least k records can belong to every person after \
              comparing all releases.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008",
    protects_against: "no record is linked to a person with a probability above 1/k, given all releases; there is no bound for values",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "k",
            domain: Domain::Whole(2),
            default: None,
            meaning: "minimum number of records that can belong to a person",
        },
        ParameterDef {
            name: "gone",
            domain: Domain::Word(&["refuse", "withhold"]),
            default: Some("refuse"),
            meaning: "treatment of a release without a published person, or with a changed sensitive value: refuse the release, or \
                      withhold other records until at least k people of the cell are absent",
        },
    ],
    evidence: &["laws::republication", "republication::tests"],
};

/// Definition of BCF-anonymity.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: true, insert: true, delete: false, reinsert: false, correct: false },
    promise: |_, _| Ok(None),
    departure_rule: "other records are withheld until at least k people share every difference between releases (with \
                     `gone = \"refuse\"`, the default, the release is refused)",
    form: Form::Generalized,
    run,
};

/// Returns the maximum probability of linking a record to a person, 1/k.
pub(super) fn linkage_bound(arguments: &Arguments) -> Result<Ratio> {
    Ok(Ratio::new(1, arguments.whole("k")?))
}

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let k = arguments.whole("k")? as usize;
    let mut outcome = GroupingOutcome::default();
    let known = cells(task);
    let mut present: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        match known.cell_of.get(&task.records[at as usize].person) {
            None => new.push(at),
            Some(_) if task.is_changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(cell) => present.entry(*cell).or_default().push(at),
        }
    }
    let refuses = arguments.word("gone")? == "refuse";
    let departed = known.cell_of.len() - present.values().map(Vec::len).sum::<usize>();
    if departed > 0 && refuses {
        let advice = "set `gone = \"withhold\"`, which withholds other records too";
        return Err(Refusal::RecordsGone { method: "BCF-anonymity", records: departed as u64, advice }.into());
    }
    let mut parts: Vec<Vec<u32>> = Vec::new();
    let mut rng = MethodRng(task.seed);
    for (cell, mut people) in present {
        rng.shuffle(&mut people);
        let count = publishable_count(people.len(), known.sizes[cell as usize], k);
        outcome.withheld.extend(people.drain(count..).map(|at| (at, Reason::History)));
        parts.push(people);
    }
    if new.len() < k {
        outcome.postponed.extend(new.drain(..).map(|at| (at, task.times_postponed(at as usize))));
    }
    parts.push(new);
    outcome.groups = specialize(task, k, parts);
    Ok(outcome)
}

/// Returns the number of people of a cell to publish, if `present` of its `people` are in the data.
///
/// The published and the absent people of the cell are each at least k, or none.
fn publishable_count(present: usize, people: usize, k: usize) -> usize {
    let count = if present == people { present } else { present.min(people.saturating_sub(k)) };
    if count < k { 0 } else { count }
}

/// The cells of all published people.
struct HistoryCells {
    cell_of: BTreeMap<Pseudonym, u32>,
    /// Number of people by cell.
    sizes: Vec<usize>,
}

/// Computes the cells: people who are in the same group of every release, or absent from it.
fn cells(task: &RepublicationTask<'_>) -> HistoryCells {
    let all = task.past.releases.iter().flat_map(|release| &release.people);
    let mut cell_of: BTreeMap<Pseudonym, u32> = all.map(|person| (*person, 0)).collect();
    for release in &task.past.releases {
        let group: HashMap<Pseudonym, u32> =
            release.people.iter().copied().zip(release.group_of.iter().map(|group| group + 1)).collect();
        let mut finer: HashMap<(u32, u32), u32> = HashMap::new();
        for (person, cell) in &mut cell_of {
            let next = finer.len() as u32;
            *cell = *finer.entry((*cell, group.get(person).copied().unwrap_or(0))).or_insert(next);
        }
    }
    let mut sizes = vec![0; cell_of.values().max().map_or(0, |last| *last as usize + 1)];
    cell_of.values().for_each(|cell| sizes[*cell as usize] += 1);
    HistoryCells { cell_of, sizes }
}

/// Specializes every part while its subsets have at least k people. Subsets with the same values form one group.
fn specialize(task: &RepublicationTask<'_>, k: usize, parts: Vec<Vec<u32>>) -> Vec<ReleaseGroup> {
    let trees = Trees::new(task);
    let top = trees.root();
    let mut open: Vec<(Vec<NodeId>, Vec<u32>)> =
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| (top.clone(), part)).collect();
    let mut by_value: BTreeMap<Vec<NodeId>, Vec<u32>> = BTreeMap::new();
    while let Some((at, people)) = open.pop() {
        match trees.specializations(task, &at, &people, k).into_iter().max_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((_, finer)) => open.extend(finer),
            None => by_value.entry(at).or_default().extend(people),
        }
    }
    by_value.into_values().map(|members| ReleaseGroup::with_true_lists(task, members)).collect()
}
