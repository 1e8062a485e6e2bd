//! Re-identification risk over a history: the probability that a record belongs to a person, given everything that the
//! attacker has.
//!
//! Definition  r(i, z) = P(record z belongs to person i). Records of a group with the same sensitive values are
//!             exchangeable. So if person i has m records in a group, and n records of the group show the value v, then
//!             r(i, z) = m P(i has v) / n for each of these n records. Without a sensitive value, P(i has v) = 1.
//!             *prosecutor*  the attacker knows that the person is in the data: risk(i) = max r(i, z) over all records z of all
//!                           releases; the highest is its maximum over all people.
//!             *marketer*    the attacker targets everyone: the mean of risk(i).
//!             *journalist*  the attacker does not know who is in the data: not higher than the prosecutor risk.
//!             A person is *singled out* if a record certainly belongs to them (risk 1), and *linkable* if two records of
//!             theirs certainly have the same owner.
//! Source      Specification: max over v of P(v) / count(v) is a lower bound; the classes of equal quasi-identifiers alone give
//!             1 / (class size). Terms of El Emam and Dankar, Protecting privacy using k-anonymity, 2008.
//!
//! The posteriors P come from the audit. They are exact where possible worlds are counted, bounds elsewhere; then the risk is a
//! range too. Values that tie records of two releases to each other raise P, and so the risk.

mod classes;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::attacker_view::{AttackerView, ViewClass, ViewPerson};
use super::figures::PosteriorRange;
use super::sensitive_domain::ValueCover;
use super::{AuditOptions, to_fraction};
use crate::data::links::Pseudonym;
use crate::release::history::History;
use classes::RecordClasses;
use reticent_inference::{Fraction, Posterior, Solution};

/// Number of people per parallel task.
const CHUNK: usize = 1 << 10;

/// Re-identification and linkage risks of a history.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Identity {
    /// Number of people. In releases without owner links, every record counts as one person.
    pub people: u64,
    /// Number of people to whom a record certainly belongs.
    pub singled_out: u64,
    /// Number of people to whom a record may certainly belong (upper bound 1), including those in `singled_out`.
    pub may_be_singled_out: u64,
    /// Number of people with at least two records, in one release or in several.
    pub with_several_records: u64,
    /// Number of people two of whose records certainly have the same owner.
    pub linkable: u64,
    /// Number of people for whom this is not ruled out, including those in `linkable`.
    pub may_be_linkable: u64,
    /// Maximum prosecutor risk over all people.
    pub prosecutor: PosteriorRange,
    /// Average prosecutor risk, which is the marketer risk.
    pub marketer: MeanRisk,
    /// Maximum journalist risk. Only bounded: it depends on who is in the data.
    pub journalist: PosteriorRange,
    /// Number of people whose prosecutor risk is exact.
    pub exact: u64,
    /// Bound on the prosecutor risk; `None` if there is none.
    pub threshold: Option<f64>,
    /// Number of people whose risk certainly exceeds the bound.
    pub above: u64,
    /// Number of people whose risk may exceed the bound, including those in `above`.
    pub may_be_above: u64,
    /// Number of people whose estimated risk exceeds the bound.
    pub estimated_above: u64,
    /// Number of people above the bound before the newest release, which adds nothing to their risk. Counted only with
    /// [`AuditOptions::only_new`], and not included in `above`.
    #[serde(skip)]
    pub already_above: u64,
}

/// Mean of the prosecutor risks of all people.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct MeanRisk {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
    /// Best estimate.
    pub estimate: f64,
}

/// Prosecutor risk of a person: a probability with its bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct PersonRisk {
    pub range: PosteriorRange,
    exact: bool,
    linkable: Linkable,
    several_records: bool,
}

/// Whether two records of a person certainly have the same owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Linkable {
    No,
    NotRuledOut,
    Certain,
}

/// Risks of all people of a history, in the order of the view, and of the records of releases without owner links.
pub(super) struct IdentityRisks {
    by_person: Vec<PersonRisk>,
    /// Releases without owner links: risk of a class, and its number of records.
    unlinked: Vec<(PersonRisk, u64)>,
    pseudonyms: Vec<Option<Pseudonym>>,
}

/// Maximum risks of earlier releases, for people above the bound.
pub(super) type PriorRisks = HashMap<Pseudonym, Fraction>;

impl IdentityRisks {
    /// Computes the risks from the views of all sensitive columns, and their solutions. All views have the same people.
    pub(super) fn new(history: &History, parts: &[(&AttackerView, &Solution)]) -> IdentityRisks {
        let views: Vec<ViewRisks> = parts.iter().map(|(view, solution)| ViewRisks::new(view, solution)).collect();
        let Some(first) = views.first() else {
            return IdentityRisks { by_person: Vec::new(), unlinked: Vec::new(), pseudonyms: Vec::new() };
        };
        // Columns that are not in any view can distinguish all records.
        let partial = views.iter().any(|view| view.view.partial);
        let classes = RecordClasses::new(history, first.view);
        let mut risks = IdentityRisks { by_person: Vec::new(), unlinked: Vec::new(), pseudonyms: Vec::new() };
        let of_chunk = |(chunk, people): (usize, &[ViewPerson])| {
            let mut owned = classes.owned_from(people.first().and_then(|person| person.pseudonym));
            let risk = |(at, person): (usize, &ViewPerson)| {
                let mut tally = RecordTally { exact: true, ..RecordTally::default() };
                views.iter().for_each(|view| view.add_person(chunk * CHUNK + at, &mut tally));
                if partial {
                    tally.range.upper = Fraction::ONE;
                    tally.exact = false;
                    tally.link(Linkable::NotRuledOut);
                }
                match person.pseudonym {
                    Some(pseudonym) => {
                        owned.add_owner(pseudonym, &mut tally);
                        (tally.risk(person, history, &classes), Vec::new())
                    }
                    None => tally.unlinked_risk(classes.in_group(person.groups().next())),
                }
            };
            people.iter().enumerate().map(risk).collect::<Vec<_>>()
        };
        let chunks: Vec<_> = first.view.people.par_chunks(CHUNK).enumerate().map(of_chunk).collect();
        for (person, (risk, unlinked)) in first.view.people.iter().zip(chunks.into_iter().flatten()) {
            risks.by_person.push(risk);
            risks.unlinked.extend(unlinked);
            risks.pseudonyms.push(person.pseudonym);
        }
        risks
    }

    /// Risk of the person at an index of the view.
    pub(super) fn of(&self, person: usize) -> PosteriorRange {
        self.by_person[person].range
    }

    /// People whose risk certainly exceeds a bound, with the lower bound of their risk.
    pub(super) fn above(&self, threshold: Fraction) -> PriorRisks {
        let owners = self.by_person.iter().zip(&self.pseudonyms);
        let above = owners.filter(|(risk, _)| risk.range.lower > threshold);
        above.filter_map(|(risk, pseudonym)| Some(((*pseudonym)?, risk.range.lower))).collect()
    }

    /// Summarizes the risks. `prior` has the people whose risk exceeded the bound before the newest release.
    pub(super) fn summary(&self, options: &AuditOptions, prior: &PriorRisks) -> Identity {
        let threshold = options.reidentification.map(to_fraction);
        let mut identity = Identity { threshold: threshold.map(|threshold| threshold.value()), ..Identity::default() };
        // Counted before summation, so that the order of the people does not affect rounding.
        let mut people_by_risk: BTreeMap<[u64; 3], u64> = BTreeMap::new();
        let mut add = |risk: &PersonRisk, people: u64, prior: Option<&Fraction>| {
            let PersonRisk { range, exact, linkable, several_records } = *risk;
            let when = |is: bool| if is { people } else { 0 };
            identity.people += people;
            identity.singled_out += when(range.lower == Fraction::ONE);
            identity.may_be_singled_out += when(range.upper == Fraction::ONE);
            identity.with_several_records += when(several_records);
            identity.linkable += when(linkable == Linkable::Certain);
            identity.may_be_linkable += when(linkable >= Linkable::NotRuledOut);
            identity.exact += when(exact || range.lower == range.upper);
            identity.prosecutor = identity.prosecutor.elementwise_max(range);
            let key = [range.lower.value(), range.upper.value(), range.estimate].map(f64::to_bits);
            *people_by_risk.entry(key).or_default() += people;
            let Some(threshold) = threshold else { return };
            if prior.is_some_and(|prior| range.upper <= *prior) {
                identity.already_above += people;
                return;
            }
            identity.above += when(range.lower > threshold);
            identity.may_be_above += when(range.upper > threshold);
            identity.estimated_above += when(range.estimate > threshold.value() + 1e-9);
        };
        for (risk, pseudonym) in self.by_person.iter().zip(&self.pseudonyms) {
            if let Some(pseudonym) = pseudonym {
                add(risk, 1, prior.get(pseudonym));
            }
        }
        self.unlinked.iter().for_each(|(risk, people)| add(risk, *people, None));
        let mean = |at: usize| -> f64 {
            let sum: f64 = people_by_risk.iter().map(|(key, people)| f64::from_bits(key[at]) * *people as f64).sum();
            sum / identity.people.max(1) as f64
        };
        identity.marketer = MeanRisk { lower: mean(0), upper: mean(1), estimate: mean(2) };
        let nothing = PosteriorRange::ZERO.lower;
        let PosteriorRange { upper, estimate, .. } = identity.prosecutor;
        identity.journalist = PosteriorRange { lower: nothing, upper, estimate };
        identity
    }
}

/// The range of a known ratio.
fn certainly(part: u64, whole: u64) -> PosteriorRange {
    let ratio = Fraction::new(part.into(), whole.max(1).into());
    PosteriorRange { lower: ratio, upper: ratio, estimate: ratio.value() }
}

/// Number of records by table of the history and group.
type OwnedRecords = Vec<((usize, u32), u64)>;

/// What is known of the records of one person.
#[derive(Default)]
struct RecordTally {
    /// Maximum over all records.
    range: PosteriorRange,
    exact: bool,
    /// Number of records that certainly belong to the person, by table of the history and group.
    certain: OwnedRecords,
    /// Number of records that may certainly belong to the person.
    possible: OwnedRecords,
    linkable: Option<Linkable>,
}

impl RecordTally {
    fn add(&mut self, range: PosteriorRange) {
        self.range = self.range.elementwise_max(range);
    }

    /// Adds the numbers of records of a group that certainly belong to the person, and that may certainly do.
    fn own(&mut self, place: (usize, u32), certain: u64, possible: u64) {
        for (known, records) in [(&mut self.certain, certain), (&mut self.possible, possible)] {
            match known.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) => *known = records.max(*known),
                None => known.push((place, records)),
            }
        }
    }

    fn link(&mut self, linkable: Linkable) {
        self.linkable = Some(self.linkable.map_or(linkable, |known| known.max(linkable)));
    }

    /// Risk of a person whose records are known.
    fn risk(mut self, person: &ViewPerson, history: &History, classes: &RecordClasses<'_>) -> PersonRisk {
        // Views of a release with separate columns show the same records.
        let several = |records: &OwnedRecords| {
            if records.iter().map(|(_, records)| records).sum::<u64>() < 2 {
                return false;
            }
            let mut by_table: BTreeMap<usize, u64> = BTreeMap::new();
            records.iter().for_each(|((table, _), records)| *by_table.entry(*table).or_default() += *records);
            let mut by_release: BTreeMap<u64, u64> = BTreeMap::new();
            for (table, records) in by_table {
                let known = by_release.entry(history.releases[table].number).or_default();
                *known = records.max(*known);
            }
            by_release.values().sum::<u64>() > 1
        };
        if several(&self.certain) {
            self.link(Linkable::Certain);
        } else if several(&self.possible) {
            self.link(Linkable::NotRuledOut);
        }
        let several_records = person.groups().filter(|group| classes.has_records(*group)).count() > 1;
        let linkable = self.linkable.filter(|_| several_records).unwrap_or(Linkable::No);
        PersonRisk { range: self.range, exact: self.exact, linkable, several_records }
    }

    /// Risk of people in a group of a release without owner links, and the risks of its classes of records with their sizes.
    fn unlinked_risk(self, classes: &[u64]) -> (PersonRisk, Vec<(PersonRisk, u64)>) {
        let risk = |range| PersonRisk { range, exact: self.exact, linkable: Linkable::No, several_records: false };
        let of_class = |records: &u64| (risk(self.range.elementwise_max(certainly(1, *records))), *records);
        let of_classes: Vec<(PersonRisk, u64)> = classes.iter().map(of_class).collect();
        let highest = of_classes.iter().map(|(risk, _)| risk.range);
        (risk(highest.fold(self.range, PosteriorRange::elementwise_max)), of_classes)
    }
}

/// Risks by the values of one view.
struct ViewRisks<'a> {
    view: &'a AttackerView,
    solution: &'a Solution,
    /// Risk of each person of a class with one record or linked records; computed once for each class.
    of_class: Vec<(PosteriorRange, bool)>,
    /// Whether no two covers of a group share a tuple, by group.
    disjoint: Vec<bool>,
    /// Owners of the covers, by group; computed when a record of the group is compared with another.
    owners: Vec<OnceLock<GroupOwners>>,
}

/// The possible owners of the records of a group, by cover.
struct GroupOwners {
    /// Whether all records have known owners, and no two covers share a tuple.
    judged: bool,
    /// By cover of the group, in its order. The last entry is for a cover that no record shows and that has all tuples.
    by_cover: Vec<CoverOwners>,
}

/// The possible owners of the records of a cover in a group.
#[derive(Clone, Copy)]
struct CoverOwners {
    /// Number of records of the cover.
    records: u64,
    /// Whether all records certainly have the same owner, apart from people who have as many records in the group. `No` if another
    /// person can own one of them.
    apart: Linkable,
    /// Whether a person who has as many records in the group can own them.
    whole: bool,
}

impl<'a> ViewRisks<'a> {
    fn new(view: &'a AttackerView, solution: &'a Solution) -> ViewRisks<'a> {
        // Two plain covers of a group differ in a column.
        let plain = |(cover, _): &(ValueCover, u64)| view.domain.is_plain(*cover);
        let disjoint = view.groups.iter().map(|group| {
            let values = &group.values;
            values.iter().all(plain)
                || values
                    .iter()
                    .enumerate()
                    .all(|(at, one)| values[..at].iter().all(|other| !view.domain.overlap(one.0, other.0)))
        });
        let disjoint = disjoint.collect();
        let owners = view.groups.iter().map(|_| OnceLock::new()).collect();
        let mut risks = ViewRisks { view, solution, of_class: Vec::new(), disjoint, owners };
        risks.of_class =
            (0..view.classes.len() as u32).into_par_iter().map(|class_id| risks.class_risk(class_id)).collect();
        risks
    }

    fn posteriors(&self, class_id: u32) -> &[Posterior] {
        &self.solution.classes[class_id as usize]
    }

    /// Groups of a class in which records show their values.
    fn value_groups(&self, class_id: u32) -> impl Iterator<Item = u32> {
        let groups = self.view.classes[class_id as usize].groups.iter().copied();
        groups.filter(|group| {
            let group = &self.view.groups[*group as usize];
            !group.values_listed_once && self.view.domain.columns_of(group.release) != 0
        })
    }

    /// Maximum risk of a person over all records of the groups of a class, and whether it is exact.
    fn class_risk(&self, class_id: u32) -> (PosteriorRange, bool) {
        let mut highest = PosteriorRange::ZERO;
        let mut exact = self.posteriors(class_id).iter().all(|posterior| posterior.worlds.is_some());
        for group in self.value_groups(class_id) {
            exact &= self.disjoint[group as usize];
            for (cover, _) in &self.view.groups[group as usize].values {
                highest = highest.elementwise_max(self.cover_risk(class_id, group, *cover));
            }
        }
        (highest, exact)
    }

    /// Probability that a given record of a group with a cover belongs to a person of a class.
    fn cover_risk(&self, class_id: u32, group: u32, cover: ValueCover) -> PosteriorRange {
        let values = &self.view.groups[group as usize].values;
        let tuples = self.view.domain.tuples_of(cover);
        let posteriors = self.posteriors(class_id);
        let has = |posterior: &Posterior| tuples.binary_search(&posterior.value).is_ok();
        if !posteriors.iter().any(has) {
            return PosteriorRange::ZERO;
        }
        let showing = values.iter().find(|(known, _)| *known == cover).map_or(1, |(_, records)| *records);
        let zero = Fraction::new(0, 1);
        let (mut lower, mut upper, mut others, mut estimate) = (zero, zero, zero, 0.0);
        for posterior in posteriors {
            if !has(posterior) {
                others = others.plus(posterior.lower);
                continue;
            }
            upper = upper.plus_up(posterior.upper);
            // The person can own a record with another cover of the same tuple.
            let covers = || {
                let has = |(other, _): &&(ValueCover, u64)| {
                    self.view.domain.tuples_of(*other).binary_search(&posterior.value).is_ok()
                };
                values.iter().filter(has).count()
            };
            let covers = if self.disjoint[group as usize] { 1 } else { covers() };
            if covers == 1 {
                lower = lower.plus(posterior.lower);
            }
            estimate += posterior.best() / covers as f64;
        }
        let upper = upper.min(others.complement());
        let records = self.view.classes[class_id as usize].records_per_person(group);
        let factor = Fraction::new(records.into(), showing.max(1).into());
        let times = |share: Fraction| share.checked_mul(factor);
        let rounded = |share: Fraction| share.value() * factor.value();
        let low = times(lower).unwrap_or_else(|| Fraction::below(rounded(lower))).min(Fraction::ONE);
        let high = times(upper).unwrap_or_else(|| Fraction::above(rounded(upper))).min(Fraction::ONE);
        let estimate = (estimate * factor.value()).clamp(low.value(), high.value());
        PosteriorRange { lower: low, upper: high, estimate }
    }

    /// Adds what the values of this view say about the records of a person.
    fn add_person(&self, at: usize, tally: &mut RecordTally) {
        let person = &self.view.people[at];
        let informative: Vec<(u32, ValueCover)> = person
            .records
            .iter()
            .filter_map(|(group, cover)| Some((*group, (*cover)?)))
            .filter(|(group, _)| self.view.domain.columns_of(self.view.groups[*group as usize].release) != 0)
            .filter(|(group, _)| !self.view.groups[*group as usize].values_listed_once)
            .collect();
        let place = |group: u32| (self.view.groups[group as usize].release, group);
        let own_records = |tally: &mut RecordTally, range: &dyn Fn(u32, ValueCover) -> Option<PosteriorRange>| {
            for same in informative.chunk_by(|one, next| one.0 == next.0) {
                let group = same[0].0;
                let (mut certain, mut possible) = (0, 0);
                for range in same.iter().filter_map(|(_, cover)| range(group, *cover)) {
                    certain += u64::from(range.lower == Fraction::ONE);
                    possible += u64::from(range.upper == Fraction::ONE);
                }
                tally.own(place(group), certain, possible);
            }
        };
        if let [class_id] = person.classes.as_slice() {
            let (range, exact) = self.of_class[*class_id as usize];
            tally.add(range);
            tally.exact &= exact;
            if range.upper == Fraction::ONE {
                own_records(tally, &|group, cover| Some(self.cover_risk(*class_id, group, cover)));
            }
            let pairs = (0..informative.len()).flat_map(|nth| (nth + 1..informative.len()).map(move |at| (nth, at)));
            for (nth, at) in pairs {
                if tally.linkable == Some(Linkable::Certain) {
                    break;
                }
                tally.link(self.tie(informative[nth], informative[at]));
            }
            return;
        }
        // Every record has a class of its own. Their probabilities for one record add up, since only one of them can be it.
        let mut by_cover: HashMap<(u32, ValueCover), PosteriorRange> = HashMap::new();
        for class_id in &person.classes {
            tally.exact &= self.of_class[*class_id as usize].1;
            for group in self.value_groups(*class_id) {
                for (cover, _) in &self.view.groups[group as usize].values {
                    let range = self.cover_risk(*class_id, group, *cover);
                    let sum = by_cover.entry((group, *cover)).or_default();
                    sum.lower = sum.lower.plus(range.lower);
                    sum.upper = sum.upper.plus_up(range.upper);
                    sum.estimate = (sum.estimate + range.estimate).min(1.0);
                }
            }
        }
        for range in by_cover.values() {
            tally.add(*range);
        }
        own_records(tally, &|group, cover| by_cover.get(&(group, cover)).copied());
        if !tally.exact && informative.len() > 1 {
            tally.link(Linkable::NotRuledOut);
        }
    }

    /// Whether all records of a cover in one group, and all of a cover in another group, certainly have the same owner.
    fn tie(&self, one: (u32, ValueCover), other: (u32, ValueCover)) -> Linkable {
        let (Some(these), Some(those)) = (self.owners_of(one), self.owners_of(other)) else {
            return Linkable::NotRuledOut;
        };
        let mut found = these.apart;
        if found == Linkable::No || !these.whole {
            return found;
        }
        let has = |cover: ValueCover, tuple: u32| self.view.domain.tuples_of(cover).binary_search(&tuple).is_ok();
        for class_id in &self.view.groups[one.0 as usize].classes {
            let class = &self.view.classes[*class_id as usize];
            if !class.can_own_all(one.0, these.records) {
                continue;
            }
            // A person of this class who owns the records of one cover owns those of the other, too.
            let owns_both = class.records_per_person(other.0) == those.records;
            for posterior in self.posteriors(*class_id).iter().filter(|posterior| has(one.1, posterior.value)) {
                if owns_both && has(other.1, posterior.value) {
                    continue;
                }
                if is_possible(posterior) {
                    return Linkable::No;
                }
                found = Linkable::NotRuledOut;
            }
        }
        found
    }

    /// The possible owners of the records of a cover in a group; `None` if they are unknown.
    fn owners_of(&self, (group, cover): (u32, ValueCover)) -> Option<CoverOwners> {
        let owners = self.owners[group as usize].get_or_init(|| self.group_owners(group));
        let values = &self.view.groups[group as usize].values;
        let at = values.iter().position(|(known, _)| *known == cover).unwrap_or(values.len());
        owners.judged.then(|| owners.by_cover[at])
    }

    fn group_owners(&self, group: u32) -> GroupOwners {
        let known = &self.view.groups[group as usize];
        let classes = known.classes.iter().map(|class_id| &self.view.classes[*class_id as usize]);
        // A record without a known owner can be a counterfeit record, or one of another person.
        let all_owned = classes.map(|class| class.records_in(group)).sum::<u64>() == known.records;
        if !self.disjoint[group as usize] || !all_owned {
            return GroupOwners { judged: false, by_cover: Vec::new() };
        }
        let records = known.values.iter().map(|(_, records)| *records).chain([0]);
        let of_cover = |records| CoverOwners { records, apart: Linkable::Certain, whole: false };
        let mut by_cover: Vec<CoverOwners> = records.map(of_cover).collect();
        for class_id in &known.classes {
            let class = &self.view.classes[*class_id as usize];
            for posterior in self.posteriors(*class_id) {
                let has = |cover: ValueCover| self.view.domain.tuples_of(cover).binary_search(&posterior.value).is_ok();
                let covers = known.values.iter().map(|(cover, _)| has(*cover)).chain([true]);
                for (owners, _) in by_cover.iter_mut().zip(covers).filter(|(_, has)| *has) {
                    if class.can_own_all(group, owners.records) {
                        owners.whole = true;
                    } else {
                        let apart = if is_possible(posterior) { Linkable::No } else { Linkable::NotRuledOut };
                        owners.apart = owners.apart.min(apart);
                    }
                }
            }
        }
        GroupOwners { judged: true, by_cover }
    }
}

/// Whether a posterior is certainly positive.
fn is_possible(posterior: &Posterior) -> bool {
    posterior.lower.numerator > 0 || posterior.worlds.is_some_and(|share| share > 1e-12)
}

impl ViewClass {
    /// Whether a person of the class has this number of records in a group, so that all of them can be theirs.
    fn can_own_all(&self, group: u32, records: u64) -> bool {
        !self.incomplete && self.records_per_person(group) == records
    }
}
