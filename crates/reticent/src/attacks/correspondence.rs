//! Common part of the forward, cross and backward correspondence attacks.
//!
//! The later release contains all people of the earlier one. Every record of the earlier release therefore corresponds to one
//! record of the later, with the same sensitive value and in a compatible group. Records that other people's records must
//! correspond to are "cracked": they cannot belong to the victim. Fung, Wang, Fu and Pei count cracked records by a closed form
//! for each pair of groups. This code assigns all groups at once by maximum flow, which cracks at least as many records.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{
    ReleaseGroups, TrackedPeople, ValueIndex, compared_elsewhere, shared_sensitive, tracked_counts, with_role,
};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::max_flow::BipartiteFlow;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::join::lossy::LossyJoin;
use crate::ratio::Ratio;
use crate::registry::{Domain, Entry, ParameterDef};
use crate::release::Release;

/// Parameter `k`: minimum number of records that must remain for a person.
pub(super) const MIN_RECORDS: ParameterDef = ParameterDef {
    name: "k",
    domain: Domain::Whole(1),
    default: Some("2"),
    meaning: "report a person with fewer than k remaining records in a group of at least k, whatever their values",
};

/// Maximum number of pairs of compatible groups.
pub(super) const MAX_PAIRS: usize = 5_000_000;

/// Earlier and later release, with the possible correspondences of their records for one sensitive column.
pub(super) struct Correspondence<'a> {
    pub earlier: &'a TrackedPeople<'a>,
    pub later: &'a TrackedPeople<'a>,
    /// Name of the sensitive column.
    pub name: String,
    pub values: ValueIndex,
    /// By group of the earlier release, by value: number of records.
    pub first: Vec<Vec<Weight>>,
    /// By group of the later release, by value: number of records.
    pub second: Vec<Vec<Weight>>,
    /// By value: flow of its records from earlier to later groups.
    pub flows: Vec<BipartiteFlow>,
}

/// Runs an attack on every pair of releases in which the later contains all people of the earlier.
pub(super) fn run(
    input: &AttackInput<'_>,
    entry: &Entry,
    attack: impl Fn(&Correspondence<'_>, &mut Vec<Finding>, &CorrespondenceOptions) -> Result<()>,
) -> Result<Findings> {
    let (min_confidence, min_records) = (input.confidence, input.arguments(entry)?.whole("k")?);
    let options =
        CorrespondenceOptions { min_confidence, min_records, attack: entry.id, inconsistent: Cell::new(false) };
    let mut unchecked = Unchecked::new(input);
    let all = tracked_counts(input, entry, &mut unchecked)?;
    all.iter().for_each(|tracked| tracked.note_multi_record_people(&mut unchecked));
    let mut findings = Vec::new();
    let mut compared = false;
    for (at, later) in all.iter().enumerate() {
        for earlier in &all[..at] {
            if !contains(later, earlier) {
                if share_people(earlier, later) {
                    let (earlier, later) = (release_text(earlier.groups.recorded), release_text(later.groups.recorded));
                    unchecked.push(format!("{later} does not contain all people of {earlier}"));
                }
                continue;
            }
            compared = true;
            for corresponding in correspondence(&all, earlier, later, &mut unchecked) {
                attack(&corresponding, &mut findings, &options)?;
                if options.inconsistent.take() {
                    let (name, pair) = (&corresponding.name, pair_text(earlier, later));
                    unchecked.push(format!("the `{name}` or the group of some person changed between {pair}"));
                }
            }
        }
    }
    if !compared {
        return Err(not_runnable(entry, "no release contains all people of an earlier release"));
    }
    conclude(entry, findings, unchecked)
}

/// Thresholds for a finding, and the state of one comparison.
pub(super) struct CorrespondenceOptions {
    min_confidence: Ratio,
    min_records: Weight,
    attack: &'static str,
    /// Whether no record remained for some person, which shows that a value or a group changed.
    inconsistent: Cell<bool>,
}

/// Whether every person of the earlier release has at least as many records in the later.
fn contains(later: &TrackedPeople<'_>, earlier: &TrackedPeople<'_>) -> bool {
    let records = |tracked: &TrackedPeople<'_>| {
        let mut records: BTreeMap<_, Weight> = BTreeMap::new();
        tracked.members.iter().for_each(|member| *records.entry(member.person).or_insert(0) += member.records);
        records
    };
    let (first, second) = (records(earlier), records(later));
    !first.is_empty() && first.iter().all(|(person, records)| second.get(person).is_some_and(|more| more >= records))
}

/// Whether two releases have a common person and a common sensitive column.
pub(super) fn share_people(one: &TrackedPeople<'_>, other: &TrackedPeople<'_>) -> bool {
    !shared_sensitive(one, other).is_empty() && one.members.iter().any(|member| other.has(member.person))
}

/// Names of two releases: `release 1 and release 2`.
pub(super) fn pair_text(one: &TrackedPeople<'_>, other: &TrackedPeople<'_>) -> String {
    format!("{} and {}", release_text(one.groups.recorded), release_text(other.groups.recorded))
}

/// The correspondences of two releases, one for each shared sensitive column.
fn correspondence<'a>(
    all: &[TrackedPeople<'_>],
    earlier: &'a TrackedPeople<'a>,
    later: &'a TrackedPeople<'a>,
    unchecked: &mut Unchecked,
) -> Vec<Correspondence<'a>> {
    let columns = shared_sensitive(earlier, later);
    let pair = pair_text(earlier, later);
    if columns.is_empty() {
        if !compared_elsewhere(all, earlier, later) {
            unchecked.push(format!("{pair} share no sensitive column"));
        }
        return Vec::new();
    }
    let Some(to) = compatible_groups(&earlier.groups, &later.groups) else {
        unchecked.push(format!("{pair} have more than {MAX_PAIRS} pairs of compatible groups"));
        return Vec::new();
    };
    let mut all = Vec::new();
    for (here, there) in columns {
        let name = earlier.release().columns[here].name.clone();
        let values = ValueIndex::new([&earlier.release().columns[here], &later.release().columns[there]]);
        let counts = (values.counts(0, &earlier.groups, here), values.counts(1, &later.groups, there));
        let (Some(first), Some(second)) = counts else {
            unchecked.push(format!("`{name}` is generalized or suppressed in {pair}"));
            continue;
        };
        let by_value = |counts: &[Vec<Weight>], value: usize| -> Vec<Weight> {
            counts.iter().map(|counts| counts[value]).collect()
        };
        let flow = |value| -> Option<BipartiteFlow> {
            BipartiteFlow::new(&by_value(&first, value), &by_value(&second, value), &to)
        };
        let flows: Option<Vec<BipartiteFlow>> = (0..values.labels.len()).map(flow).collect();
        match flows {
            Some(flows) => all.push(Correspondence { earlier, later, name, values, first, second, flows }),
            None => unchecked.push(format!("values of `{name}` or groups of people changed between {pair}")),
        }
    }
    all
}

/// By group of the earlier release: the compatible groups of the later, ascending.
///
/// Two groups are compatible if one person can be in both, by their published quasi-identifiers. None if there are more than
/// [`MAX_PAIRS`] pairs.
pub(super) fn compatible_groups(earlier: &ReleaseGroups<'_>, later: &ReleaseGroups<'_>) -> Option<Vec<Vec<u32>>> {
    let [(one, ours), (other, theirs)] = shared_quasi([&earlier.recorded.release, &later.recorded.release]);
    let join = LossyJoin::new(&[&one, &other], &[], &[]);
    let here = groups_by_combination(earlier, &ours, join.groups(0));
    let there = groups_by_combination(later, &theirs, join.groups(1));
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    join.for_each_while(|tuple, _| {
        for first in &here[tuple[0]] {
            pairs.extend(there[tuple[1]].iter().map(|second| (*first, *second)));
        }
        pairs.len() <= MAX_PAIRS
    });
    let mut to = vec![Vec::new(); earlier.len()];
    pairs.iter().for_each(|(first, second)| to[*first as usize].push(*second));
    (pairs.len() <= MAX_PAIRS).then_some(to)
}

/// Two releases projected onto their common quasi-identifiers, each with the indices of these columns.
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
        let plain = ContingencyTable { owners: None, ..release.contingency.clone() };
        let published = columns.iter().map(|column| release.columns[*column].clone()).collect();
        (Release { columns: published, contingency: plain.project(&columns), suppressed: release.suppressed }, columns)
    };
    let (ours, theirs) = shared.into_iter().unzip();
    [only(one, ours), only(other, theirs)]
}

/// By combination of the common quasi-identifiers: the groups that contain it, ascending.
fn groups_by_combination(groups: &ReleaseGroups<'_>, columns: &[usize], shared: &ContingencyTable) -> Vec<Vec<u32>> {
    let combos = &groups.recorded.release.contingency;
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); shared.len()];
    for at in 0..combos.len() {
        let key: Vec<Code> = columns.iter().map(|column| combos.codes[*column][at]).collect();
        if let Some(place) = shared.find(&key) {
            of[place].push(groups.group_of[at]);
        }
    }
    of.iter_mut().for_each(|groups| {
        groups.sort_unstable();
        groups.dedup();
    });
    of
}

impl Correspondence<'_> {
    /// By group of the earlier and group of the later release: number of people with one record in each.
    pub(super) fn people_by_group_pair(&self) -> BTreeMap<(u32, u32), Weight> {
        let later: BTreeMap<_, _> = self.later.single_record_people().collect();
        let mut people = BTreeMap::new();
        for (person, group) in self.earlier.single_record_people() {
            if let Some(second) = later.get(&person) {
                *people.entry((group, *second)).or_insert(0) += 1;
            }
        }
        people
    }

    /// By value: maximum number of records that can be in both groups.
    pub(super) fn max_common_records(&self, first: u32, second: u32) -> Vec<Weight> {
        self.flows.iter().map(|flow| flow.max_records(first as usize, second as usize)).collect()
    }
}

/// Group of the victims in one of the releases, without its cracked records.
pub(super) struct CrackedGroup<'a> {
    /// Release of the group: 0 for the earlier, 1 for the later.
    pub release: usize,
    pub group: u32,
    /// Number of victims in the group.
    pub people: Weight,
    /// Background knowledge about the victims: `also in release 1`.
    pub condition: String,
    /// By value: number of records of the group.
    pub records: &'a [Weight],
    /// By value: number of records that can belong to a victim.
    pub remaining: Vec<Weight>,
}

impl Correspondence<'_> {
    /// The findings about a group: values whose share increases and reaches the threshold, or too few remaining records.
    pub(super) fn report(&self, cracked: &CrackedGroup<'_>, options: &CorrespondenceOptions) -> Vec<Finding> {
        let (all, remaining): (Weight, Weight) = (cracked.records.iter().sum(), cracked.remaining.iter().sum());
        if remaining == 0 || remaining == all {
            options.inconsistent.set(options.inconsistent.get() || remaining < all);
            return Vec::new();
        }
        let is_disclosed = |value: &usize| {
            let share = Ratio::new(cracked.remaining[*value], remaining);
            share >= options.min_confidence && share > Ratio::new(cracked.records[*value], all)
        };
        let values = (0..cracked.remaining.len()).filter(is_disclosed);
        let mut findings: Vec<Finding> = values.map(|value| self.finding(cracked, options, Some(value))).collect();
        if findings.is_empty() && remaining < options.min_records && all >= options.min_records {
            findings.push(self.finding(cracked, options, None));
        }
        findings
    }

    fn finding(&self, cracked: &CrackedGroup<'_>, options: &CorrespondenceOptions, value: Option<usize>) -> Finding {
        let tracked = if cracked.release == 0 { self.earlier } else { self.later };
        let (all, remaining): (Weight, Weight) = (cracked.records.iter().sum(), cracked.remaining.iter().sum());
        let class = tracked.groups.cells(cracked.group as usize);
        let certain = value.is_some_and(|value| cracked.remaining[value] == remaining);
        let confidence = match value {
            Some(_) if certain => AttackConfidence::CERTAIN,
            Some(value) => AttackConfidence::Estimate(Ratio::new(cracked.remaining[value], remaining).to_f64()),
            None => AttackConfidence::one_of(remaining),
        };
        let disclosure = match (certain, value) {
            (true, _) => format!("; all of these have the same {}", self.name),
            (false, Some(value)) => {
                let share = Ratio::new(cracked.remaining[value], remaining);
                format!("; a share of {share} of these has the same {}", self.name)
            }
            (false, None) => String::new(),
        };
        let text = format!(
            "of the {all} records in the group of {} ({}), only {remaining} in {} can be theirs{disclosure}",
            people_in_class(cracked.people, &class),
            cracked.condition,
            release_text(tracked.groups.recorded)
        );
        let disclosed_value = |value: usize| DisclosedValue {
            code: self.values.code(1, value),
            label: self.values.labels[value].clone(),
        };
        Finding {
            attack: options.attack,
            releases: vec![self.earlier.groups.recorded.number, self.later.groups.recorded.number],
            people: cracked.people,
            records: Some(remaining),
            confidence,
            certain,
            class,
            column: value.map(|_| self.name.clone()),
            value: value.map(disclosed_value),
            text,
        }
    }
}
