//! BCF-anonymity by flow: everybody so far in every release, and k records that can be anybody's when two releases are compared.
//!
//! Promise  of somebody whose quasi-identifiers are known, and since when they are there, k records of either release can be
//!          theirs, whichever two releases are compared. Nothing is promised about values.
//! Attacks  forward: records of the earlier release that can be in the person's group of the later. Cross: records of the later
//!          that can be in their group of the earlier. Backward: records of the later that can be a newcomer's. All records of
//!          the earlier release have their place in the later, with the same value; those that can be somebody's are counted by
//!          flow ([`super::left`]).
//! Method   top-down: people who came with the same release are one group, and the value of a group is replaced by its children where
//!          that undoes most distortion, as long as everybody is left k records. What is not safe once never will be: every way
//!          to place records in finer groups is a way to place them in coarser ones. Newcomers wait while they are fewer than k.
//! Not      covered: attackers who know in which groups others are, and attackers who compare three releases or more at a time. Against
//!          either `bcf-anonymity` keeps k people together in all releases; here somebody may be alone, and their value certain.
//!          People who leave, and values that change, sensitive ones or quasi-identifiers: such releases are refused.
//! Paper    Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008. The paper counts by a closed form for each
//!          pair of groups, which is the same where groups of one release are nested in those of the other, and specializes a
//!          value for everybody at once. It begins with all people together (`begin`): then newcomers are among the others, and as
//!          few of them leave few records to each other, they keep everybody's groups coarse.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use hashbrown::HashMap;

use super::left::{Left, People};
use super::trees::{Specialized, Trees};
use super::{Form, Group, Listed, Outcome, Task, Updates};
use crate::error::{Refusal, Result};
use crate::links::Pseudonym;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::taxonomy::{Code, NodeId};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "bcf-anonymity-by-flow",
    title: "BCF-anonymity by flow",
    summary: "Cumulative releases, generalized so that k records can be anybody's whichever two releases are compared.",
    paper: "Fung, Wang, Fu and Pei, Anonymity for continuous data publishing, EDBT 2008",
    thwarts: "at least k records can be anybody's when two releases are compared by who knows nobody else's quasi-identifiers; values may be told",
    parameters: &[
        Parameter {
            name: "k",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many records can be anybody's at least",
        },
        Parameter {
            name: "begin",
            domain: Domain::Word(&["apart", "together"]),
            default: Some("apart"),
            meaning: "whether people who came with different releases are specialized apart from each other, or all together as in the \
                      paper, which leaves coarser groups where few are new",
        },
    ],
    evidence: &["laws::methods", "methods::tests::left"],
};

/// The method as it stands in the list.
pub const LISTED: Listed = Listed {
    entry: ENTRY,
    updates: Updates { again: true, insert: true, delete: false, reinsert: false, correct: false },
    promise: |_, _| Ok(None),
    gone: "the release is refused",
    form: Form::Generalized,
    run,
};

/// How many records are left to anybody at least.
pub(super) fn left(arguments: &Arguments) -> Result<u64> {
    arguments.whole("k")
}

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let (k, apart) = (arguments.whole("k")? as usize, arguments.word("begin")? == "apart");
    if task.sensitive().is_empty() {
        let advice = "; say which one is (role = \"sensitive\"), or choose bcf-anonymity";
        return Err(Refusal::SensitiveColumnMissing { method: "BCF-anonymity by flow", advice }.into());
    }
    let places: HashMap<Pseudonym, u32> = (0..)
        .zip(task.records)
        .filter(|(at, _)| !task.changed(*at as usize))
        .map(|(at, record)| (record.who, at))
        .collect();
    // By earlier release, by record: its group.
    let mut earlier: Vec<Vec<Option<u32>>> = Vec::new();
    let mut known = vec![false; task.records.len()];
    let mut gone: Vec<Pseudonym> = Vec::new();
    for release in &task.past.releases {
        let mut of = vec![None; task.records.len()];
        for (who, group) in release.who.iter().zip(&release.of) {
            match places.get(who) {
                Some(at) => (of[*at as usize], known[*at as usize]) = (Some(*group), true),
                None => gone.push(*who),
            }
        }
        earlier.push(of);
    }
    gone.sort_unstable();
    gone.dedup();
    if !gone.is_empty() {
        let advice = "begin another series with `bcf-anonymity` and `gone = \"withhold\"`";
        let records = gone.len() as u64;
        return Err(Refusal::RecordsGone { method: "BCF-anonymity by flow", records, advice }.into());
    }
    let mut outcome = Outcome::default();
    let (mut all, mut new): (Vec<u32>, Vec<u32>) = (0..task.records.len() as u32).partition(|at| known[*at as usize]);
    if new.len() < k {
        outcome.waiting.extend(new.drain(..).map(|at| (at, task.waited(at as usize))));
    }
    all.append(&mut new);
    if !all.is_empty() {
        outcome.groups = groups(task, k, apart, &all, &earlier).ok_or(Refusal::TooFewRecordsLeft { k: k as u64 })?;
    }
    Ok(outcome)
}

/// A way to split a group.
struct Split {
    undone: f64,
    group: u32,
    parts: Specialized,
}

impl Ord for Split {
    fn cmp(&self, other: &Split) -> Ordering {
        // The one that undoes most comes first, then that of the older group.
        self.undone.total_cmp(&other.undone).then(other.group.cmp(&self.group))
    }
}

impl PartialOrd for Split {
    fn partial_cmp(&self, other: &Split) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Split {
    fn eq(&self, other: &Split) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Split {}

/// Specializes everybody as far as enough records stay left.
fn groups(task: &Task<'_>, k: usize, apart: bool, all: &[u32], earlier: &[Vec<Option<u32>>]) -> Option<Vec<Group>> {
    let codes = |columns: Vec<usize>| -> Vec<Vec<Code>> {
        let of_column = |column: usize| (0..task.records.len()).map(|at| task.code(at, column)).collect();
        columns.into_iter().map(of_column).collect()
    };
    let (quasi, sensitive) = (codes(task.quasi_identifiers()), codes(task.sensitive()));
    let people = People { quasi: &quasi, sensitive: &sensitive };
    // By the release with which they came, if that matters.
    let mut cohorts: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for at in all {
        let since = earlier.iter().position(|of| of[*at as usize].is_some()).unwrap_or(earlier.len());
        cohorts.entry(if apart { since } else { 0 }).or_default().push(*at);
    }
    let begin: Vec<&[u32]> = cohorts.values().map(Vec::as_slice).collect();
    let mut left = Left::new(people, &begin, k as u64, earlier)?;
    let trees = Trees::of(task);
    let mut open: BinaryHeap<Split> = BinaryHeap::new();
    let propose = |open: &mut BinaryHeap<Split>, group: u32, at: &[NodeId], people: &[u32]| {
        let finer = trees.finer(task, at, people, k);
        open.extend(finer.into_iter().map(|(undone, parts)| Split { undone, group, parts }));
    };
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    for (group, people) in (0..).zip(cohorts.into_values()) {
        propose(&mut open, group, &trees.top(), &people);
        members.insert(group, people);
    }
    while let Some(Split { group, parts, .. }) = open.pop() {
        if !members.contains_key(&group) {
            continue;
        }
        let apart: Vec<&[u32]> = parts.values().map(Vec::as_slice).collect();
        let Some(made) = left.split(group, &apart) else { continue };
        members.remove(&group);
        for (group, (at, people)) in made.into_iter().zip(parts) {
            propose(&mut open, group, &at, &people);
            members.insert(group, people);
        }
    }
    let mut groups: Vec<(u32, Vec<u32>)> = members.into_iter().collect();
    groups.sort_unstable();
    Some(groups.into_iter().map(|(_, members)| Group::listing(task, members)).collect())
}
