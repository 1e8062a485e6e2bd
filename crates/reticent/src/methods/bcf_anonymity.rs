//! BCF-anonymity: everybody so far in every release, and k records that can be theirs, whichever releases are compared.
//!
//! Promise  no record is linked to anybody with more than 1/k, by all releases together, also by who knows who is in which group.
//!          Nothing is promised about values: k records with the same one tell it.
//! Why      people who are in the same groups of all releases, or in none, are a *cell*: what was published says the same about
//!          each of them. A cell has k people or more. In every world, no more of a cell have some value than records of their group
//!          have it; so somebody of the cell has it with at most (those records) / k, and each of these records is theirs with at
//!          most 1/k.
//! So       forward, cross and backward, k records are left. Of two groups of which somebody is in both, a cell is in both, and its k
//!          records are common. Newcomers of a group are one cell or several, and the records of the others leave k for them.
//! Method   each cell is specialized top-down by itself: a value of a quasi-identifier is replaced by its children as long as
//!          each of these has nobody of the cell or k, along the column that undoes most distortion. People of different cells
//!          with the same values are one group. Newcomers are one cell at first, and wait while they are fewer than k.
//! Not      as in the paper, which counts the records that are left by comparing two releases, for who knows the victim's
//!          quasi-identifiers and no other. 1 to 4 with a, a, a, b, then 1 to 3 with a, a, a and 4 to 6 with a, a, b leave 2
//!          records or more for everybody, by flow and so by the paper's closed form; but 4 is the only one of the last group who
//!          was there before, so b is theirs.
//! Not      covered: people who leave. Releases are cumulative, and one that lacks somebody is refused; or others of their cell
//!          are left out with them until they are k, which keeps the promise. Attackers who know others' values.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::largest::Drawn;
use super::trees::Trees;
use super::{Form, Group, Listed, Outcome, Reason, Task, Updates};
use crate::error::{Refusal, Result};
use crate::links::Pseudonym;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::share::Share;
use crate::taxonomy::NodeId;

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "bcf-anonymity",
    title: "BCF-anonymity",
    summary: "Cumulative releases, generalized so that k records can be anybody's after all releases have been compared.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008",
    thwarts: "no record is linked to anybody with more than 1/k by all releases together; values may be told",
    comparison: false,
    parameters: &[
        Parameter {
            name: "k",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many records can be anybody's at least",
        },
        Parameter {
            name: "gone",
            domain: Domain::Word(&["refuse", "withhold"]),
            default: Some("refuse"),
            meaning: "what becomes of a release that lacks somebody who was published, or holds another sensitive value for them: it is \
                      refused, or others are withheld with them until they are k",
        },
    ],
    evidence: &["laws::methods", "methods::tests"],
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: true, insert: true, delete: false, reinsert: false, correct: false },
    promise: |_, _| Ok(None),
    gone: "so many others are withheld that k people share every difference; with `gone = \"refuse\"`, which is usual, the release is refused",
    form: Form::Generalized,
    run,
};

/// With how much confidence a record is linked to somebody at most.
pub(super) fn linked(arguments: &Arguments) -> Result<Share> {
    Ok(Share::new(1, arguments.whole("k")?))
}

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let k = arguments.whole("k")? as usize;
    let mut outcome = Outcome::default();
    let known = cells(task);
    let mut here: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut new: Vec<u32> = Vec::new();
    for at in 0..task.records.len() as u32 {
        match known.of.get(&task.records[at as usize].who) {
            None => new.push(at),
            Some(_) if task.changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(cell) => here.entry(*cell).or_default().push(at),
        }
    }
    let refuses = arguments.word("gone")? == "refuse";
    let gone = known.of.len() - here.values().map(Vec::len).sum::<usize>();
    if gone > 0 && refuses {
        let advice = "set `gone = \"withhold\"`, which leaves out others with them";
        return Err(Refusal::RecordsGone { method: "BCF-anonymity", records: gone as u64, advice }.into());
    }
    let mut pieces: Vec<Vec<u32>> = Vec::new();
    let mut drawn = Drawn(task.seed);
    for (cell, mut people) in here {
        drawn.shuffle(&mut people);
        let shown = shown(people.len(), known.people[cell as usize], k);
        outcome.withheld.extend(people.drain(shown..).map(|at| (at, Reason::History)));
        pieces.push(people);
    }
    if new.len() < k {
        outcome.waiting.extend(new.drain(..).map(|at| (at, task.waited(at as usize))));
    }
    pieces.push(new);
    outcome.groups = groups(task, k, pieces);
    Ok(outcome)
}

/// How many of a cell are shown when only some are here: these are k or more and so are the others, or one of both is nobody.
fn shown(here: usize, people: usize, k: usize) -> usize {
    let shown = if here == people { here } else { here.min(people.saturating_sub(k)) };
    if shown < k { 0 } else { shown }
}

/// Everybody who was ever published, by cell.
struct Cells {
    of: BTreeMap<Pseudonym, u32>,
    /// By cell: how many they are.
    people: Vec<usize>,
}

/// People who are in the same groups of all releases, or in none.
fn cells(task: &Task<'_>) -> Cells {
    let all = task.past.releases.iter().flat_map(|release| &release.who);
    let mut of: BTreeMap<Pseudonym, u32> = all.map(|who| (*who, 0)).collect();
    for release in &task.past.releases {
        let group: HashMap<Pseudonym, u32> =
            release.who.iter().copied().zip(release.of.iter().map(|group| group + 1)).collect();
        let mut finer: HashMap<(u32, u32), u32> = HashMap::new();
        for (who, cell) in &mut of {
            let next = finer.len() as u32;
            *cell = *finer.entry((*cell, group.get(who).copied().unwrap_or(0))).or_insert(next);
        }
    }
    let mut people = vec![0; of.values().max().map_or(0, |last| *last as usize + 1)];
    of.values().for_each(|cell| people[*cell as usize] += 1);
    Cells { of, people }
}

/// Specializes every piece as far as k of it stay together. Those that arrive at the same values are one group.
fn groups(task: &Task<'_>, k: usize, pieces: Vec<Vec<u32>>) -> Vec<Group> {
    let trees = Trees::of(task);
    let top = trees.top();
    let mut open: Vec<(Vec<NodeId>, Vec<u32>)> =
        pieces.into_iter().filter(|piece| !piece.is_empty()).map(|piece| (top.clone(), piece)).collect();
    let mut together: BTreeMap<Vec<NodeId>, Vec<u32>> = BTreeMap::new();
    while let Some((at, people)) = open.pop() {
        match trees.finer(task, &at, &people, k).into_iter().max_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((_, finer)) => open.extend(finer),
            None => together.entry(at).or_default().extend(people),
        }
    }
    together.into_values().map(|members| Group::listing(task, members)).collect()
}
