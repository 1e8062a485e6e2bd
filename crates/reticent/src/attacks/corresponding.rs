//! Correspondence: what the attacks forward, cross and backward have in common.
//!
//! The later release is about everybody of the earlier one and others. So every record of the earlier is one record of the
//! later, with the same sensitive value and in a group that can be the same: records whose place is taken cannot be a
//! victim's. Fung, Wang, Fu and Pei count them by a closed form per pair of groups; here all groups are placed at once,
//! which finds no fewer.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, people_of};
use super::groups::{Groups, SameValues, Tracked, compared_elsewhere, shared_sensitive, tracked_counts, with_role};
use super::scene::{Scene, Unchecked, cannot};
use super::transport::Transport;
use crate::combos::{Combos, Weight};
use crate::error::Result;
use crate::join::Join;
use crate::registry::{Domain, Entry, Parameter};
use crate::release::Release;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;

/// The records that must be left.
pub(super) const LEFT: Parameter = Parameter {
    name: "k",
    domain: Domain::Whole(1),
    default: Some("2"),
    meaning: "fewer records than this that are left to somebody, of a group that had as many, are reported, whatever they carry",
};

/// More pairs of groups that can be the same are not looked at.
const MOST_PAIRS: usize = 5_000_000;

/// An earlier and a later release of the same people and more, and how the records of one can be those of the other.
pub(super) struct Corresponding<'a> {
    pub earlier: &'a Tracked<'a>,
    pub later: &'a Tracked<'a>,
    pub name: String,
    pub same: SameValues,
    /// By group, by value: records.
    pub first: Vec<Vec<Weight>>,
    pub second: Vec<Vec<Weight>>,
    /// By value.
    pub transports: Vec<Transport>,
}

/// Runs an attack on every pair of releases where the later has everybody of the earlier.
pub(super) fn run(
    scene: &Scene<'_>,
    entry: &Entry,
    attack: impl Fn(&Corresponding<'_>, &mut Vec<Finding>, &Asked) -> Result<()>,
) -> Result<Findings> {
    let (least, left) = (scene.confidence, scene.arguments(entry)?.whole("k")?);
    let asked = Asked { least, left, attack: entry.id, broken: Cell::new(false) };
    let mut unchecked = Unchecked::of(scene);
    let all = tracked_counts(scene, entry, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.leave_out_several(&mut unchecked));
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, later) in all.iter().enumerate() {
        for earlier in &all[..at] {
            if !contains(later, earlier) {
                if meet(earlier, later) {
                    let (earlier, later) = (called(earlier.groups.held), called(later.groups.held));
                    unchecked.push(format!("somebody of {earlier} is not in {later}"));
                }
                continue;
            }
            compared = true;
            for corresponding in corresponding(&all, earlier, later, &mut unchecked) {
                attack(&corresponding, &mut findings, &asked)?;
                if asked.broken.take() {
                    let (name, pair) = (&corresponding.name, pair(earlier, later));
                    unchecked.push(format!("`{name}` of somebody, or their group, changed between {pair}"));
                }
            }
        }
    }
    if !compared {
        return Err(cannot(entry, "no release is known to be about everybody of an earlier one"));
    }
    conclude(entry, findings, unchecked)
}

/// What is worth a finding.
pub(super) struct Asked {
    least: Share,
    left: Weight,
    attack: &'static str,
    /// Whether nothing was left for somebody: then a value or a group changed.
    broken: Cell<bool>,
}

/// Whether everybody has at least as many records in the later release.
fn contains(later: &Tracked<'_>, earlier: &Tracked<'_>) -> bool {
    let records = |tracked: &Tracked<'_>| {
        let mut records: BTreeMap<_, Weight> = BTreeMap::new();
        tracked.members.iter().for_each(|member| *records.entry(member.person).or_insert(0) += member.records);
        records
    };
    let (first, second) = (records(earlier), records(later));
    !first.is_empty() && first.iter().all(|(person, records)| second.get(person).is_some_and(|more| more >= records))
}

/// Whether somebody is in both, and both show something secret of the same kind.
pub(super) fn meet(one: &Tracked<'_>, other: &Tracked<'_>) -> bool {
    !shared_sensitive(one, other).is_empty() && one.members.iter().any(|member| other.has(member.person))
}

pub(super) fn pair(one: &Tracked<'_>, other: &Tracked<'_>) -> String {
    format!("{} and {}", called(one.groups.held), called(other.groups.held))
}

fn corresponding<'a>(
    all: &[Tracked<'_>],
    earlier: &'a Tracked<'a>,
    later: &'a Tracked<'a>,
    unchecked: &mut Unchecked,
) -> Vec<Corresponding<'a>> {
    let columns = shared_sensitive(earlier, later);
    let pair = pair(earlier, later);
    if columns.is_empty() {
        if !compared_elsewhere(all, earlier, later) {
            unchecked.push(format!("{pair} share no sensitive column"));
        }
        return Vec::new();
    }
    let Some(to) = comparable(&earlier.groups, &later.groups) else {
        unchecked.push(format!("{pair} have too many groups that can be the same"));
        return Vec::new();
    };
    let mut all = Vec::new();
    for (here, there) in columns {
        let name = earlier.release().columns[here].name.clone();
        let same = SameValues::of([&earlier.release().columns[here], &later.release().columns[there]]);
        let counts = (same.counts(0, &earlier.groups, here), same.counts(1, &later.groups, there));
        let (Some(first), Some(second)) = counts else {
            unchecked.push(format!("`{name}` is not published exactly in {pair}"));
            continue;
        };
        let by_value = |counts: &[Vec<Weight>], value: usize| -> Vec<Weight> {
            counts.iter().map(|counts| counts[value]).collect()
        };
        let transport =
            |value| -> Option<Transport> { Transport::of(&by_value(&first, value), &by_value(&second, value), &to) };
        let transports: Option<Vec<Transport>> = (0..same.labels.len()).map(transport).collect();
        match transports {
            Some(transports) => all.push(Corresponding { earlier, later, name, same, first, second, transports }),
            None => unchecked.push(format!("the values of `{name}`, or the people's groups, changed between {pair}")),
        }
    }
    all
}

/// By group of the earlier release: the groups of the later one that can have the same person. None when there are too many.
pub(super) fn comparable(earlier: &Groups<'_>, later: &Groups<'_>) -> Option<Vec<Vec<u32>>> {
    let [(one, ours), (other, theirs)] = shared_quasi([&earlier.held.release, &later.held.release]);
    let join = Join::of(&[&one, &other], &[], &[]);
    let here = groups_of(earlier, &ours, join.groups(0));
    let there = groups_of(later, &theirs, join.groups(1));
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    join.for_each_while(|tuple, _| {
        for first in &here[tuple[0]] {
            pairs.extend(there[tuple[1]].iter().map(|second| (*first, *second)));
        }
        pairs.len() <= MOST_PAIRS
    });
    let mut to = vec![Vec::new(); earlier.len()];
    pairs.iter().for_each(|(first, second)| to[*first as usize].push(*second));
    (pairs.len() <= MOST_PAIRS).then_some(to)
}

/// Two releases with the quasi-identifiers only that both have, and the places these had.
fn shared_quasi(releases: [&Release; 2]) -> [(Release, Vec<usize>); 2] {
    let name = |release: &Release, column: usize| release.columns[column].name.clone();
    let [one, other] = releases;
    let shared: Vec<(usize, usize)> = with_role(one, Role::QuasiIdentifier)
        .into_iter()
        .filter_map(|here| {
            let mut there = with_role(other, Role::QuasiIdentifier).into_iter();
            Some((here, there.find(|there| name(other, *there) == name(one, here))?))
        })
        .collect();
    let only = |release: &Release, columns: Vec<usize>| {
        let plain = Combos { owners: None, ..release.combos.clone() };
        let published = columns.iter().map(|column| release.columns[*column].clone()).collect();
        (Release { columns: published, combos: plain.project(&columns), suppressed: release.suppressed }, columns)
    };
    let (ours, theirs) = shared.into_iter().unzip();
    [only(one, ours), only(other, theirs)]
}

/// By combination of the shared quasi-identifiers: the groups that have it.
fn groups_of(groups: &Groups<'_>, columns: &[usize], shared: &Combos) -> Vec<Vec<u32>> {
    let combos = &groups.held.release.combos;
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); shared.len()];
    for at in 0..combos.len() {
        let key: Vec<Code> = columns.iter().map(|column| combos.codes[*column][at]).collect();
        if let Some(place) = shared.find(&key) {
            of[place].push(groups.of[at]);
        }
    }
    of.iter_mut().for_each(|groups| {
        groups.sort_unstable();
        groups.dedup();
    });
    of
}

impl Corresponding<'_> {
    /// How many people are in a group of the earlier release and in a group of the later, by both.
    pub(super) fn followed(&self) -> BTreeMap<(u32, u32), Weight> {
        let later: BTreeMap<_, _> = self.later.single().collect();
        let mut people = BTreeMap::new();
        for (person, group) in self.earlier.single() {
            if let Some(second) = later.get(&person) {
                *people.entry((group, *second)).or_insert(0) += 1;
            }
        }
        people
    }

    /// By value: the records of two groups that can be the same.
    pub(super) fn common(&self, first: u32, second: u32) -> Vec<Weight> {
        self.transports.iter().map(|transport| transport.most(first as usize, second as usize)).collect()
    }
}

/// Somebody's group in one of the releases, and what is left of it.
pub(super) struct Cracked<'a> {
    /// The release that is looked at, 0 for the earlier; and the group.
    pub release: usize,
    pub group: u32,
    pub people: Weight,
    /// How the people are known: `who are in release 1 too`.
    pub who: String,
    /// By value: records of the group, and those of them that can be theirs.
    pub records: &'a [Weight],
    pub left: Vec<Weight>,
}

impl Corresponding<'_> {
    /// What is left is worth a finding when it says more than the group did.
    pub(super) fn report(&self, cracked: &Cracked<'_>, asked: &Asked) -> Vec<Finding> {
        let (all, left): (Weight, Weight) = (cracked.records.iter().sum(), cracked.left.iter().sum());
        if left == 0 || left == all {
            asked.broken.set(asked.broken.get() || left < all);
            return Vec::new();
        }
        let tells = |value: &usize| {
            let share = Share::new(cracked.left[*value], left);
            share >= asked.least && share > Share::new(cracked.records[*value], all)
        };
        let values = (0..cracked.left.len()).filter(tells);
        let mut findings: Vec<Finding> = values.map(|value| self.finding(cracked, asked, Some(value))).collect();
        if findings.is_empty() && left < asked.left && all >= asked.left {
            findings.push(self.finding(cracked, asked, None));
        }
        findings
    }

    fn finding(&self, cracked: &Cracked<'_>, asked: &Asked, value: Option<usize>) -> Finding {
        let tracked = if cracked.release == 0 { self.earlier } else { self.later };
        let (all, left): (Weight, Weight) = (cracked.records.iter().sum(), cracked.left.iter().sum());
        let class = tracked.groups.cells(cracked.group as usize);
        let certain = value.is_some_and(|value| cracked.left[value] == left);
        let confidence = match value {
            Some(_) if certain => Confidence::CERTAIN,
            Some(value) => Confidence::Estimate(Share::new(cracked.left[value], left).to_f64()),
            None => Confidence::one_of(left),
        };
        let told = match (certain, value) {
            (true, _) => format!(", and these tell their {}", self.name),
            (false, Some(_)) => format!(", and most of these have one and the same {}", self.name),
            (false, None) => String::new(),
        };
        let words = format!(
            "of the {all} records in the group of {} {}, only {left} in {} can be theirs{told}",
            people_of(cracked.people, &class),
            cracked.who,
            called(tracked.groups.held)
        );
        let named = |value: usize| Value { code: self.same.code(1, value), label: self.same.labels[value].clone() };
        Finding {
            attack: asked.attack,
            releases: vec![self.earlier.groups.held.number, self.later.groups.held.number],
            people: cracked.people,
            records: Some(left),
            confidence,
            certain,
            class,
            column: value.map(|_| self.name.clone()),
            value: value.map(named),
            words,
        }
    }
}
