//! deFinetti: learns the correlation of quasi-identifiers and sensitive values from all groups of a bucketized release.
//!
//! Attack   a bucketized release publishes the quasi-identifiers of all people. A possible world assigns the values of each group
//!          to its people. Worlds are not equally likely: people with the same quasi-identifiers tend to have the same value.
//! Model    for each combination of quasi-identifiers, the distribution of the values has a uniform Dirichlet prior (all parameters
//!          1). The weight of a world is the product of n! over all combinations and values, with n people of the combination and
//!          the value.
//! Assumes  that the publisher grouped people without using the assignment of values to people.
//! Measure  posterior of a value for a person of a combination. It is exact if the worlds can be counted, otherwise an estimate by
//!          Markov chain sampling with a seed. It is reported if it exceeds the share of the value in the group.
//! Paper    Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009.

pub(super) mod sampling;
pub(super) mod worlds;

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{ReleaseGroups, cells, has_exact_counts, merge_counts, with_role};
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::history::RecordedRelease;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "definetti",
    title: "deFinetti",
    summary: "Learns the correlation of quasi-identifiers and sensitive values from all groups of a bucketized release, and weights the \
              possible worlds of each group with it.",
    paper: "Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009",
    protects_against: "attribute linkage by correlations learned from other groups",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "on",
            domain: Domain::Columns,
            default: Some(""),
            meaning: "quasi-identifiers to learn from; default: all",
        },
        ParameterDef {
            name: "sweeps",
            domain: Domain::Whole(1),
            default: Some("2000"),
            meaning: "number of sweeps of the Markov chain over all records, if the worlds cannot be counted",
        },
        ParameterDef {
            name: "seed",
            domain: Domain::Whole(0),
            default: Some("1"),
            meaning: "seed of the Markov chain",
        },
    ],
    evidence: &[
        "attacks::tests::definetti::smokers",
        "attacks::tests::definetti::the_estimate_is_close_to_the_exact_posterior",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let arguments = input.arguments(&ENTRY)?;
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    let mut has_run = false;
    for recorded in releases(input, &ENTRY, 1)? {
        if recorded.presentation.group_column.is_none() {
            let place = release_text(recorded);
            unchecked.push(format!("{place} is not bucketized: all people of a class have the same quasi-identifiers"));
            continue;
        }
        if !has_exact_counts(recorded) {
            unchecked.push(format!(
                "{} may contain counterfeit values, so that the number of people with a value is unknown",
                release_text(recorded)
            ));
            continue;
        }
        let groups = ReleaseGroups::new(recorded)?;
        let on = predictor_columns(recorded, &arguments)?;
        for sensitive in with_role(&recorded.release, Role::Sensitive) {
            has_run = true;
            let column = BucketizedColumn::new(&groups, &on, sensitive);
            findings.extend(column.findings(input, &groups, &on, sensitive, &arguments)?);
        }
    }
    if !has_run {
        unchecked.push("no bucketized release has a sensitive column".to_owned());
        return Err(not_runnable(&ENTRY, unchecked.reason()));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Indices of the quasi-identifiers to learn from, without the group column.
fn predictor_columns(recorded: &RecordedRelease, arguments: &Arguments) -> Result<Vec<usize>> {
    let quasi = with_role(&recorded.release, Role::QuasiIdentifier);
    let requested = match arguments.words("on")? {
        Some(names) => recorded.release.positions(names)?,
        None => quasi.clone(),
    };
    let group_column = recorded.presentation.group_column.as_deref();
    Ok(requested
        .into_iter()
        .filter(|column| {
            quasi.contains(column) && Some(recorded.release.columns[*column].name.as_str()) != group_column
        })
        .collect())
}

/// Group of a bucketized release. A kind is a combination of quasi-identifiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AnatomyBucket {
    /// Kinds in the group, ascending, each with its number of records.
    pub kinds: Vec<(usize, Weight)>,
    /// Values of the group, ascending, each with its number of records.
    pub values: Vec<(usize, Weight)>,
}

/// All groups of a bucketized release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnatomyBuckets {
    /// Number of kinds.
    pub kinds: usize,
    /// Number of values.
    pub values: usize,
    pub groups: Vec<AnatomyBucket>,
}

/// By group, by position of a kind and of a value in it: posterior of the value for a person of the kind.
pub(super) type BucketPosteriors = Vec<Vec<Vec<AttackConfidence>>>;

/// Sensitive column of a bucketized release, by group.
struct BucketizedColumn {
    buckets: AnatomyBuckets,
    /// By kind: index of a combination of the release with it.
    kinds: Vec<usize>,
    /// By value: its code.
    values: Vec<Code>,
}

impl BucketizedColumn {
    /// Collects the kinds and values of each group; `on` has the quasi-identifiers that define the kinds.
    fn new(groups: &ReleaseGroups<'_>, on: &[usize], sensitive: usize) -> BucketizedColumn {
        let combos = &groups.recorded.release.contingency;
        let kind_of = |at: usize| -> Vec<Code> { on.iter().map(|column| combos.codes[*column][at]).collect() };
        let mut keys: Vec<(Vec<Code>, usize)> = (0..combos.len()).map(|at| (kind_of(at), at)).collect();
        keys.sort_unstable();
        keys.dedup_by(|next, kept| next.0 == kept.0);
        let mut values: Vec<Code> = combos.codes[sensitive].clone();
        values.sort_unstable();
        values.dedup();
        let mut buckets = vec![AnatomyBucket::default(); groups.len()];
        for at in 0..combos.len() {
            let bucket = &mut buckets[groups.group_of[at] as usize];
            let kind = keys.binary_search_by(|(known, _)| known.cmp(&kind_of(at)));
            let value = values.binary_search(&combos.codes[sensitive][at]);
            if let (Ok(kind), Ok(value)) = (kind, value) {
                bucket.kinds.push((kind, combos.weights[at]));
                bucket.values.push((value, combos.weights[at]));
            }
        }
        for bucket in &mut buckets {
            merge_counts(&mut bucket.kinds);
            merge_counts(&mut bucket.values);
        }
        let buckets = AnatomyBuckets { kinds: keys.len(), values: values.len(), groups: buckets };
        BucketizedColumn { buckets, kinds: keys.into_iter().map(|(_, at)| at).collect(), values }
    }

    /// The posteriors that reach the threshold and exceed the share of the value in the group.
    fn findings(
        &self,
        input: &AttackInput<'_>,
        groups: &ReleaseGroups<'_>,
        on: &[usize],
        sensitive: usize,
        arguments: &Arguments,
    ) -> Result<Vec<Finding>> {
        let (sweeps, seed) = (arguments.whole("sweeps")?, arguments.whole("seed")?);
        let sampled = || sampling::posterior(&self.buckets, sweeps, seed);
        let posterior = worlds::posterior(&self.buckets).unwrap_or_else(sampled);
        let mut findings = Vec::new();
        for (group, (bucket, posterior)) in self.buckets.groups.iter().zip(&posterior).enumerate() {
            let records: Weight = bucket.values.iter().map(|(_, records)| records).sum();
            for ((kind, people), posterior) in bucket.kinds.iter().zip(posterior) {
                for ((value, carriers), confidence) in bucket.values.iter().zip(posterior) {
                    let before = Ratio::new(*carriers, records);
                    let more = match confidence {
                        AttackConfidence::Exact(share) => *share > before,
                        AttackConfidence::Estimate(number) => *number > before.to_f64(),
                    };
                    if more && confidence.reaches(input.confidence) {
                        let mut class = groups.cells(group);
                        class.extend(cells(&groups.recorded.release, on, self.kinds[*kind]));
                        findings.push(finding(
                            groups.recorded,
                            sensitive,
                            class,
                            *people,
                            self.values[*value],
                            *confidence,
                        ));
                    }
                }
            }
        }
        Ok(findings)
    }
}

fn finding(
    recorded: &RecordedRelease,
    sensitive: usize,
    class: Vec<(String, String)>,
    people: Weight,
    value: Code,
    confidence: AttackConfidence,
) -> Finding {
    let column = &recorded.release.columns[sensitive];
    let rounded = (confidence.to_f64() * 100.0).round() / 100.0;
    let text = format!(
        "the {} of {} can be inferred with posterior {rounded}, learned from the other groups of {}",
        column.name,
        people_in_class(people, &class),
        release_text(recorded)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![recorded.number],
        people,
        records: None,
        confidence,
        certain: false,
        class,
        column: Some(column.name.clone()),
        value: Some(DisclosedValue { code: Some(value), label: column.label(value).to_owned() }),
        text,
    }
}
