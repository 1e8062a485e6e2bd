//! m-invariance: every person is in groups with the same set of at least m listed values (the signature) in all releases.
//!
//! Guarantee  no person's posterior for a value exceeds 1/m, given all releases, with insertions, deletions and reinsertions.
//! Proof      a group lists every value of its signature once, and a person is only in groups of one signature. So all people
//!            of a connected component of groups have the same signature. Exchanging two of its values in all possible worlds
//!            does not change the releases, so all values of the signature are equally likely.
//! Method     people with the same signature form a bucket. If a value has fewer people than another, newcomers with this value
//!            join the bucket; if there are none, counterfeit records do. Other newcomers form new signatures by the largest-m
//!            rule, and remaining records are postponed. Buckets are partitioned into groups along the quasi-identifiers.
//! Extends    the paper: signatures are kept forever, which covers reinsertions (tau-safety). If a value changed, the record is
//!            withheld or the release is refused.
//! Excludes   attackers who know values of other people, or how the algorithm decides.
//! Paper      Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007; Anjum
//!            and Raschia on tau-safety.

use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::largest::{MethodRng, form_groups};
use super::partition::{QiColumn, partition};
use super::state::list_for_column;
use super::{Form, GroupingOutcome, List, Lists, MethodDef, Reason, ReleaseGroup, RepublicationTask, Updates};
use crate::data::links::ByOwner;
use crate::error::{Refusal, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};

/// Catalogue entry of m-invariance.
pub(super) const ENTRY: Entry = Entry {
    kind: Kind::Method,
    id: "m-invariance",
    title: "m-invariance",
    summary: "In all releases, every person is in groups that list the same set of at least m values (the signature), each once; \
              counterfeit records fill gaps.",
    paper: "Xiao and Tao, m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007",
    protects_against: "no person's posterior for a sensitive value exceeds 1/m, given all releases, with insertions, deletions and \
                       reinsertions",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "m",
            domain: Domain::Whole(2),
            default: None,
            meaning: "minimum number of values in a signature",
        },
        COUNTERFEITS,
        CHANGED,
    ],
    evidence: &["laws::republication::no_posterior_exceeds_the_promised_bound", "golden::republication"],
};

/// Parameter that allows counterfeit records.
pub(super) const COUNTERFEITS: ParameterDef = ParameterDef {
    name: "counterfeits",
    domain: Domain::Flag,
    default: Some("true"),
    meaning: "whether counterfeit records may fill gaps; their number is published. If false, people who would need one are withheld",
};

/// Parameter for records whose sensitive value changed.
pub(super) const CHANGED: ParameterDef = ParameterDef {
    name: "changed",
    domain: Domain::Word(&["withhold", "refuse"]),
    default: Some("withhold"),
    meaning: "treatment of a record whose sensitive value differs from the published one: withhold it, or refuse the release",
};

/// Definition of m-invariance.
pub(super) const LISTED: MethodDef = MethodDef {
    entry: ENTRY,
    alternative: None,
    updates: Updates { again: true, insert: true, delete: true, reinsert: true, correct: false },
    promise: |arguments, _| Ok(Some(Ratio::new(1, arguments.whole("m")?))),
    departure_rule: LEAVERS_REPLACED,
    form: Form::Generalized,
    run,
};

/// Departure rule of the methods that replace leavers.
pub(super) const LEAVERS_REPLACED: &str = "newcomers with the same value or counterfeit records take the places of the leavers, so the \
                                           lists of their groups do not change (with `counterfeits = false`, the other members of a \
                                           group are withheld if a place stays empty)";

/// The set of values that a person is listed with in all releases, in ascending order.
pub(super) type Signature = Vec<String>;

fn run(task: &RepublicationTask<'_>, arguments: &Arguments) -> Result<GroupingOutcome> {
    let m = arguments.whole("m")? as usize;
    let column = task.single_sensitive(&ENTRY)?;
    let (all, known) = signatures(task, column);
    let mut outcome = GroupingOutcome::default();
    let mut present: Vec<SignatureBucket> = all.iter().map(SignatureBucket::new).collect();
    let mut new: Vec<u32> = Vec::new();
    for (at, known) in (0..).zip(known.get_sorted(task.records.iter().map(|record| record.person))) {
        let value = task.value(at as usize, column);
        match known {
            None => new.push(at),
            _ if task.is_changed(at as usize) => outcome.withheld.push((at, Reason::Changed)),
            Some(None) => outcome.withheld.push((at, Reason::History)),
            Some(Some(place)) if all[place as usize].len() < m => outcome.withheld.push((at, Reason::History)),
            Some(Some(place)) => match all[place as usize].iter().position(|known| known == value) {
                Some(listed) => present[place as usize].by_value[listed].push(at),
                None => outcome.withheld.push((at, Reason::Changed)),
            },
        }
    }
    let present =
        all.into_iter().zip(present).filter(|(_, bucket)| bucket.by_value.iter().any(|people| !people.is_empty()));
    let mut buckets: HashMap<Signature, SignatureBucket> = present.collect();
    check_changed(&outcome, arguments)?;
    let mut rng = MethodRng(task.seed);
    rng.shuffle(&mut new);
    let mut newcomers = Newcomers::new(task, column, new, m);
    let mut signatures: Vec<Signature> = buckets.keys().cloned().collect();
    signatures.sort_unstable();
    let allow_counterfeits = arguments.flag("counterfeits")?;
    for signature in &signatures {
        if let Some(bucket) = buckets.get_mut(signature) {
            bucket.balance(signature, &mut newcomers, allow_counterfeits, &mut outcome);
        }
    }
    newcomers.form_new_groups(task, column, m, &mut buckets, &mut outcome);
    let mut buckets: Vec<(Signature, SignatureBucket)> = buckets.into_iter().collect();
    buckets.sort_unstable_by(|one, two| one.0.cmp(&two.0));
    let qi = QiColumn::for_task(task);
    let groups = buckets.into_par_iter().flat_map_iter(|(signature, bucket)| {
        let list = List { values: signature.into_iter().map(|value| (value, 1)).collect(), is_set: false };
        partition(&qi, bucket.by_value)
            .into_iter()
            .map(move |members| ReleaseGroup { members, lists: vec![list.clone()] })
    });
    outcome.groups = groups.collect();
    Ok(outcome)
}

/// Refuses the release if values changed and the policy sets `changed = "refuse"`.
pub(super) fn check_changed(outcome: &GroupingOutcome, arguments: &Arguments) -> Result<()> {
    let changed = outcome.withheld.iter().filter(|(_, reason)| *reason == Reason::Changed).count() as u64;
    let refuses = arguments.word("changed")? == "refuse";
    if changed == 0 || !refuses {
        return Ok(());
    }
    Err(Refusal::ValuesChanged { records: changed }.into())
}

/// Returns the signatures of the earlier releases, and the index of the signature by owner.
///
/// The index is `None` if the owner was listed with different values, or with a value more than once.
fn signatures(task: &RepublicationTask<'_>, column: usize) -> (Vec<Signature>, ByOwner<Option<u32>>) {
    let name = &task.table.columns[column].name;
    let mut all: Vec<Signature> = Vec::new();
    let mut numbers: HashMap<Signature, u32> = HashMap::new();
    let mut places: HashMap<*const Vec<(String, List)>, Option<u32>> = HashMap::new();
    let mut known = ByOwner::default();
    for release in &task.past.releases {
        // Groups with equal lists share them, so a list is identified by its address.
        let mut place = |lists: &Lists| {
            *places.entry(Arc::as_ptr(lists)).or_insert_with(|| {
                let list = list_for_column(lists, name)
                    .filter(|list| !list.is_set && list.values.iter().all(|(_, times)| *times == 1));
                let signature: Signature = list?.values.iter().map(|(value, _)| value.clone()).collect();
                Some(*numbers.entry(signature).or_insert_with_key(|signature| {
                    all.push(signature.clone());
                    all.len() as u32 - 1
                }))
            })
        };
        let of_group: Vec<Option<u32>> = release.lists.iter().map(&mut place).collect();
        let now = release.group_of.iter().map(|group| of_group[*group as usize]);
        known.add(release.people.iter().copied().zip(now), |before, now| before.filter(|_| before == now));
    }
    (all, known)
}

/// The records with one signature, by value of the signature.
struct SignatureBucket {
    by_value: Vec<Vec<u32>>,
}

impl SignatureBucket {
    fn new(signature: &Signature) -> SignatureBucket {
        SignatureBucket { by_value: vec![Vec::new(); signature.len()] }
    }

    /// Adds newcomers until every value has as many records as the most frequent one.
    ///
    /// Without counterfeits, records that have no partner for every value are withheld.
    fn balance(
        &mut self,
        signature: &Signature,
        newcomers: &mut Newcomers,
        allow_counterfeits: bool,
        outcome: &mut GroupingOutcome,
    ) {
        let own: Vec<usize> = self.by_value.iter().map(Vec::len).collect();
        let largest = own.iter().copied().max().unwrap_or(0);
        for (value, people) in signature.iter().zip(&mut self.by_value) {
            while people.len() < largest {
                match newcomers.take(value, allow_counterfeits) {
                    Some(at) => people.push(at),
                    None => break,
                }
            }
        }
        if !allow_counterfeits {
            // Records beyond the least frequent value would need a counterfeit.
            let smallest = self.by_value.iter().map(Vec::len).min().unwrap_or(0);
            for ((people, own), value) in self.by_value.iter_mut().zip(own).zip(signature) {
                newcomers.put_back(value, people.drain(own.max(smallest)..));
                outcome.withheld.extend(people.drain(smallest..).map(|at| (at, Reason::History)));
            }
        }
    }
}

/// Records of new people, by value.
struct Newcomers {
    by_value: HashMap<String, Vec<u32>>,
    remaining: usize,
    m: usize,
}

impl Newcomers {
    fn new(task: &RepublicationTask<'_>, column: usize, new: Vec<u32>, m: usize) -> Newcomers {
        let mut of: HashMap<String, Vec<u32>> = HashMap::new();
        let left = new.len();
        new.into_iter().for_each(|at| of.entry_ref(task.value(at as usize, column)).or_default().push(at));
        Newcomers { by_value: of, remaining: left, m }
    }

    /// Takes a newcomer with a value.
    ///
    /// With `keep_eligible`, returns `None` if the remaining newcomers could then not all be grouped by the largest-m rule.
    fn take(&mut self, value: &str, keep_eligible: bool) -> Option<u32> {
        let available = self.by_value.get(value).map_or(0, Vec::len);
        if available == 0 {
            return None;
        }
        if keep_eligible {
            let other = self.by_value.iter().filter(|(known, _)| *known != value).map(|(_, people)| people.len()).max();
            let largest = other.unwrap_or(0).max(available - 1);
            let eligible = |largest: usize, all: usize| largest.saturating_mul(self.m) <= all;
            let now = eligible(self.by_value.values().map(Vec::len).max().unwrap_or(0), self.remaining);
            if now && !eligible(largest, self.remaining - 1) {
                return None;
            }
        }
        self.remaining -= 1;
        self.by_value.get_mut(value).and_then(Vec::pop)
    }

    /// Returns newcomers with a value that were not needed.
    fn put_back(&mut self, value: &str, people: impl Iterator<Item = u32>) {
        let of = self.by_value.entry_ref(value).or_default();
        let before = of.len();
        of.extend(people);
        self.remaining += of.len() - before;
    }

    /// Forms new groups of the remaining newcomers by the largest-m rule.
    fn form_new_groups(
        self,
        task: &RepublicationTask<'_>,
        column: usize,
        m: usize,
        buckets: &mut HashMap<Signature, SignatureBucket>,
        outcome: &mut GroupingOutcome,
    ) {
        let people: Vec<u32> = self.by_value.into_values().flatten().collect();
        for group in form_groups(task, column, m, people, outcome) {
            let mut named: Vec<(&str, u32)> = group.iter().map(|at| (task.value(*at as usize, column), *at)).collect();
            named.sort_unstable();
            let signature: Signature = named.iter().map(|(value, _)| (*value).to_owned()).collect();
            let bucket = buckets.entry(signature.clone()).or_insert_with(|| SignatureBucket::new(&signature));
            named.iter().enumerate().for_each(|(place, (_, at))| bucket.by_value[place].push(*at));
        }
    }
}
