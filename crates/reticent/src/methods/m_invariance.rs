//! m-invariance: people come and go, and everybody is always listed with the same values.
//!
//! Promise  nobody's value is told with more than 1/m, by all releases together, whoever comes, goes or comes back.
//! Why      a group lists every value of its *signature* once, and whoever was published once is in groups of the same signature
//!          for ever. People who hang together through groups then share a signature, and exchanging two of its values in all
//!          worlds changes nothing that was published: each is as likely as the other.
//! Method   people with the same signature are one bucket; where a value of it has fewer people than another, new ones with that
//!          value join, and where there are none, counterfeits do (which are counted, and listed like anybody's). The other new
//!          people form new signatures by the largest-m rule; who is left over waits. Buckets are cut along quasi-identifiers
//!          into groups.
//! Beyond   the paper: signatures are kept for ever, so that coming back is covered (tau-safety's rule); a value that
//!          changed is withheld, or the release refused.
//! Not      covered: attackers who know others' values, or how the algorithm decided.
//! Paper    Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007; Anjum and
//!          Raschia on tau-safety.

use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::cutting::{Along, cut};
use super::largest::{Drawn, fresh};
use super::past::list_of;
use super::{Form, Group, List, Listed, Lists, Outcome, Reason, Task, Updates};
use crate::error::{Refusal, Result};
use crate::links::ByOwner;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::share::Share;

/// What it says about itself.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "m-invariance",
    title: "m-invariance",
    summary: "Release after release, everybody is in groups that list the same m or more values, once each; counterfeits fill gaps.",
    paper: "Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007",
    thwarts: "nobody's value is told with more than 1/m by all releases together, whoever comes, goes or comes back",
    comparison: false,
    parameters: &[
        Parameter {
            name: "m",
            domain: Domain::Whole(2),
            default: None,
            meaning: "how many values everybody is listed with at least",
        },
        COUNTERFEITS,
        CHANGED,
    ],
    evidence: &["laws::methods::nobody_is_told_more_than_promised", "golden::methods"],
};

/// Whether counterfeits are allowed.
pub(super) const COUNTERFEITS: Parameter = Parameter {
    name: "counterfeits",
    domain: Domain::Flag,
    default: Some("true"),
    meaning: "whether records that are nobody's may fill gaps; they are counted and published as counts. Without, people who would need \
              one are withheld",
};

/// What becomes of somebody whose value changed.
pub(super) const CHANGED: Parameter = Parameter {
    name: "changed",
    domain: Domain::Word(&["withhold", "refuse"]),
    default: Some("withhold"),
    meaning: "what becomes of somebody whose sensitive value is not the one they were published with",
};

/// The method as it stands in the list.
pub(super) const LISTED: Listed = Listed {
    entry: ENTRY,
    instead: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Share::new(1, arguments.whole("m")?))),
    gone: "their places are taken by newcomers with the same value or by counterfeits, so that their groups' values stay (with `counterfeits = false`, the others of their groups are withheld where nobody takes a place)",
    form: Form::Generalized,
    run,
};

/// The values somebody is always listed with, ascending.
pub(super) type Signature = Vec<String>;

fn run(task: &Task<'_>, arguments: &Arguments) -> Result<Outcome> {
    let m = arguments.whole("m")? as usize;
    let column = task.only_sensitive(&ENTRY)?;
    let (all, known) = signatures(task, column);
    let mut outcome = Outcome::default();
    let mut here: Vec<Bucket> = all.iter().map(Bucket::of).collect();
    let mut new: Vec<u32> = Vec::new();
    for (at, known) in (0..).zip(known.of_each(task.records.iter().map(|record| record.who))) {
        let value = task.value(at as usize, column);
        match known {
            None => new.push(at),
            _ if task.changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(place)) if all[place as usize].len() < m => outcome.withheld.push((at, Reason::History)),
            Some(Some(place)) => match all[place as usize].iter().position(|known| known == value) {
                Some(listed) => here[place as usize].of[listed].push(at),
                None => outcome.withheld.push((at, Reason::Changed)),
            },
        }
    }
    let here = all.into_iter().zip(here).filter(|(_, bucket)| bucket.of.iter().any(|people| !people.is_empty()));
    let mut buckets: HashMap<Signature, Bucket> = here.collect();
    refuse_changed(&outcome, arguments)?;
    let mut drawn = Drawn(task.seed);
    drawn.shuffle(&mut new);
    let mut newcomers = Newcomers::of(task, column, new, m);
    let mut signatures: Vec<Signature> = buckets.keys().cloned().collect();
    signatures.sort_unstable();
    let fake = arguments.flag("counterfeits")?;
    for signature in &signatures {
        if let Some(bucket) = buckets.get_mut(signature) {
            bucket.balance(signature, &mut newcomers, fake, &mut outcome);
        }
    }
    newcomers.settle(task, column, m, &mut buckets, &mut outcome);
    let mut buckets: Vec<(Signature, Bucket)> = buckets.into_iter().collect();
    buckets.sort_unstable_by(|one, two| one.0.cmp(&two.0));
    let quasi = Along::all(task);
    let groups = buckets.into_par_iter().flat_map_iter(|(signature, bucket)| {
        let list = List { values: signature.into_iter().map(|value| (value, 1)).collect(), set: false };
        cut(&quasi, bucket.of).into_iter().map(move |members| Group { members, lists: vec![list.clone()] })
    });
    outcome.groups = groups.collect();
    Ok(outcome)
}

/// Refuses where the policy says so.
pub(super) fn refuse_changed(outcome: &Outcome, arguments: &Arguments) -> Result<()> {
    let changed = outcome.withheld.iter().filter(|(_, reason)| *reason == Reason::Changed).count() as u64;
    let refuses = arguments.word("changed")? == "refuse";
    if changed == 0 || !refuses {
        return Ok(());
    }
    Err(Refusal::ValuesChanged { records: changed }.into())
}

/// The values somebody is always listed with, by owner that was ever published, as places among the signatures; none when these were
/// not always the same, or not once each.
fn signatures(task: &Task<'_>, column: usize) -> (Vec<Signature>, ByOwner<Option<u32>>) {
    let name = &task.table.columns[column].name;
    let mut all: Vec<Signature> = Vec::new();
    let mut numbers: HashMap<Signature, u32> = HashMap::new();
    let mut places: HashMap<*const Vec<(String, List)>, Option<u32>> = HashMap::new();
    let mut known = ByOwner::default();
    for release in &task.past.releases {
        // Groups that list the same share their lists.
        let mut place = |lists: &Lists| {
            *places.entry(Arc::as_ptr(lists)).or_insert_with(|| {
                let list =
                    list_of(lists, name).filter(|list| !list.set && list.values.iter().all(|(_, times)| *times == 1));
                let signature: Signature = list?.values.iter().map(|(value, _)| value.clone()).collect();
                Some(*numbers.entry(signature).or_insert_with_key(|signature| {
                    all.push(signature.clone());
                    all.len() as u32 - 1
                }))
            })
        };
        let of_group: Vec<Option<u32>> = release.lists.iter().map(&mut place).collect();
        let now = release.of.iter().map(|group| of_group[*group as usize]);
        known.add(release.who.iter().copied().zip(now), |before, now| before.filter(|_| before == now));
    }
    (all, known)
}

/// People with one signature: by value of it, their places.
struct Bucket {
    of: Vec<Vec<u32>>,
}

impl Bucket {
    fn of(signature: &Signature) -> Bucket {
        Bucket { of: vec![Vec::new(); signature.len()] }
    }

    /// Gives every value as many people as the most common one has, from newcomers first.
    fn balance(&mut self, signature: &Signature, newcomers: &mut Newcomers, fake: bool, outcome: &mut Outcome) {
        let own: Vec<usize> = self.of.iter().map(Vec::len).collect();
        let most = own.iter().copied().max().unwrap_or(0);
        for (value, people) in signature.iter().zip(&mut self.of) {
            while people.len() < most {
                match newcomers.take(value, fake) {
                    Some(at) => people.push(at),
                    None => break,
                }
            }
        }
        if !fake {
            // Who has no partners for all values cannot be shown without a counterfeit.
            let least = self.of.iter().map(Vec::len).min().unwrap_or(0);
            for ((people, own), value) in self.of.iter_mut().zip(own).zip(signature) {
                newcomers.put_back(value, people.drain(own.max(least)..));
                outcome.withheld.extend(people.drain(least..).map(|at| (at, Reason::History)));
            }
        }
    }
}

/// New people, by value.
struct Newcomers {
    of: HashMap<String, Vec<u32>>,
    left: usize,
    m: usize,
}

impl Newcomers {
    fn of(task: &Task<'_>, column: usize, new: Vec<u32>, m: usize) -> Newcomers {
        let mut of: HashMap<String, Vec<u32>> = HashMap::new();
        let left = new.len();
        new.into_iter().for_each(|at| of.entry_ref(task.value(at as usize, column)).or_default().push(at));
        Newcomers { of, left, m }
    }

    /// Somebody with a value. Where a counterfeit would do as well, only if the others can still be put into groups.
    fn take(&mut self, value: &str, spare: bool) -> Option<u32> {
        let there = self.of.get(value).map_or(0, Vec::len);
        if there == 0 {
            return None;
        }
        if spare {
            let other = self.of.iter().filter(|(known, _)| *known != value).map(|(_, people)| people.len()).max();
            let most = other.unwrap_or(0).max(there - 1);
            let eligible = |most: usize, all: usize| most.saturating_mul(self.m) <= all;
            let now = eligible(self.of.values().map(Vec::len).max().unwrap_or(0), self.left);
            if now && !eligible(most, self.left - 1) {
                return None;
            }
        }
        self.left -= 1;
        self.of.get_mut(value).and_then(Vec::pop)
    }

    /// People with a value who are not needed after all.
    fn put_back(&mut self, value: &str, people: impl Iterator<Item = u32>) {
        let of = self.of.entry_ref(value).or_default();
        let before = of.len();
        of.extend(people);
        self.left += of.len() - before;
    }

    /// New groups for who is left, by the largest-m rule.
    fn settle(
        self,
        task: &Task<'_>,
        column: usize,
        m: usize,
        buckets: &mut HashMap<Signature, Bucket>,
        outcome: &mut Outcome,
    ) {
        let people: Vec<u32> = self.of.into_values().flatten().collect();
        for group in fresh(task, column, m, people, outcome) {
            let mut named: Vec<(&str, u32)> = group.iter().map(|at| (task.value(*at as usize, column), *at)).collect();
            named.sort_unstable();
            let signature: Signature = named.iter().map(|(value, _)| (*value).to_owned()).collect();
            let bucket = buckets.entry(signature.clone()).or_insert_with(|| Bucket::of(&signature));
            named.iter().enumerate().for_each(|(place, (_, at))| bucket.of[place].push(*at));
        }
    }
}
