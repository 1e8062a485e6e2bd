//! deFinetti: groups teach how quasi-identifiers go with sensitive values, and that tells about each person in a group.
//!
//! Attack   where a release marks its groups and shows everybody's quasi-identifiers, worlds say who of a group has which of
//!          its values. They are not equally likely: people who are alike tend to have the same value.
//! Model    for each combination of quasi-identifiers the shares of the values are unknown, all equally likely (a Dirichlet
//!          prior of ones). A world with n people of a combination and a value then weighs the product of all n!.
//! Assumes  that the publisher put people into groups without looking at which value is whose.
//! Measure  the weight of the worlds in which somebody of a combination has the value: exact where worlds can be counted, else
//!          an estimate from exchanges drawn with a seed; only what is more than the value's share of the group is reported.
//! Paper    Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009.

pub(super) mod sampling;
pub(super) mod worlds;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Groups, cells, counts_people, put_together, with_role};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::history::Held;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "definetti",
    title: "deFinetti",
    summary: "Learns from all groups of a release how quasi-identifiers go with values, and weighs the worlds of each group by it.",
    paper: "Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009",
    thwarts: "what groups tell about each other's people",
    comparison: false,
    parameters: &[
        Parameter {
            name: "on",
            domain: Domain::Columns,
            default: Some(""),
            meaning: "the quasi-identifiers to learn from; all when not given",
        },
        Parameter {
            name: "sweeps",
            domain: Domain::Whole(1),
            default: Some("2000"),
            meaning: "how often every record is offered an exchange, where worlds cannot be counted",
        },
        Parameter {
            name: "seed",
            domain: Domain::Whole(0),
            default: Some("1"),
            meaning: "what the exchanges are drawn with",
        },
    ],
    evidence: &[
        "attacks::tests::definetti::smokers",
        "attacks::tests::definetti::the_estimate_is_near",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let arguments = scene.arguments(&ENTRY)?;
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    let mut looked = false;
    for held in releases(scene, &ENTRY, 1)? {
        if held.disguise.groups.is_none() {
            unchecked.push(format!("{} does not mark groups: in its classes all people look alike", called(held)));
            continue;
        }
        if !counts_people(held) {
            unchecked.push(format!(
                "{} lists values that may be nobody's, so that it does not say how many have one",
                called(held)
            ));
            continue;
        }
        let groups = Groups::of(held)?;
        let on = columns(held, &arguments)?;
        for sensitive in with_role(&held.release, Role::Sensitive) {
            looked = true;
            let learnt = Learnt::from(&groups, &on, sensitive);
            findings.extend(learnt.findings(scene, &groups, &on, sensitive, &arguments)?);
        }
    }
    if !looked {
        unchecked.push("no release that marks groups has a sensitive column".to_owned());
        return Err(cannot(&ENTRY, unchecked.why()));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The columns to learn from; never those that mark the groups or are sensitive.
fn columns(held: &Held, arguments: &Arguments) -> Result<Vec<usize>> {
    let quasi = with_role(&held.release, Role::QuasiIdentifier);
    let asked = match arguments.words("on")? {
        Some(names) => held.release.positions(names)?,
        None => quasi.clone(),
    };
    let mark = held.disguise.groups.as_deref();
    Ok(asked
        .into_iter()
        .filter(|column| quasi.contains(column) && Some(held.release.columns[*column].name.as_str()) != mark)
        .collect())
}

/// A group: kinds of people and values that it has, ascending, each with the number of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    pub kinds: Vec<(usize, Weight)>,
    pub values: Vec<(usize, Weight)>,
}

/// All groups, and how many kinds and values there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Buckets {
    pub kinds: usize,
    pub values: usize,
    pub groups: Vec<Bucket>,
}

/// By group, by place of a kind and of a value in it: how sure it is that somebody of the kind has the value.
pub(super) type Posterior = Vec<Vec<Vec<Confidence>>>;

/// What a release shows: kinds of people and values, by group.
struct Learnt {
    buckets: Buckets,
    /// By kind: a combination of the release with it.
    kinds: Vec<usize>,
    values: Vec<Code>,
}

impl Learnt {
    fn from(groups: &Groups<'_>, on: &[usize], sensitive: usize) -> Learnt {
        let combos = &groups.held.release.combos;
        let kind_of = |at: usize| -> Vec<Code> { on.iter().map(|column| combos.codes[*column][at]).collect() };
        let mut keys: Vec<(Vec<Code>, usize)> = (0..combos.len()).map(|at| (kind_of(at), at)).collect();
        keys.sort_unstable();
        keys.dedup_by(|next, kept| next.0 == kept.0);
        let mut values: Vec<Code> = combos.codes[sensitive].clone();
        values.sort_unstable();
        values.dedup();
        let mut buckets = vec![Bucket::default(); groups.len()];
        for at in 0..combos.len() {
            let bucket = &mut buckets[groups.of[at] as usize];
            let kind = keys.binary_search_by(|(known, _)| known.cmp(&kind_of(at)));
            let value = values.binary_search(&combos.codes[sensitive][at]);
            if let (Ok(kind), Ok(value)) = (kind, value) {
                bucket.kinds.push((kind, combos.weights[at]));
                bucket.values.push((value, combos.weights[at]));
            }
        }
        for bucket in &mut buckets {
            put_together(&mut bucket.kinds);
            put_together(&mut bucket.values);
        }
        let buckets = Buckets { kinds: keys.len(), values: values.len(), groups: buckets };
        Learnt { buckets, kinds: keys.into_iter().map(|(_, at)| at).collect(), values }
    }

    fn findings(
        &self,
        scene: &Scene<'_>,
        groups: &Groups<'_>,
        on: &[usize],
        sensitive: usize,
        arguments: &Arguments,
    ) -> Result<Vec<Finding>> {
        let (sweeps, seed) = (arguments.whole("sweeps")?, arguments.whole("seed")?);
        let drawn = || sampling::posterior(&self.buckets, sweeps, seed);
        let posterior = worlds::posterior(&self.buckets).unwrap_or_else(drawn);
        let mut findings = Vec::new();
        for (group, (bucket, posterior)) in self.buckets.groups.iter().zip(&posterior).enumerate() {
            let records: Weight = bucket.values.iter().map(|(_, records)| records).sum();
            for ((kind, people), posterior) in bucket.kinds.iter().zip(posterior) {
                for ((value, carriers), confidence) in bucket.values.iter().zip(posterior) {
                    let before = Share::new(*carriers, records);
                    let more = match confidence {
                        Confidence::Exact(share) => *share > before,
                        Confidence::Estimate(number) => *number > before.to_f64(),
                    };
                    if more && confidence.reaches(scene.confidence) {
                        let mut class = groups.cells(group);
                        class.extend(cells(&groups.held.release, on, self.kinds[*kind]));
                        findings.push(finding(
                            groups.held,
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
    held: &Held,
    sensitive: usize,
    class: Vec<(String, String)>,
    people: Weight,
    value: Code,
    confidence: Confidence,
) -> Finding {
    let column = &held.release.columns[sensitive];
    let shown = (confidence.to_f64() * 100.0).round() / 100.0;
    let words = format!(
        "{} {} a value of {} with confidence {shown}, learnt from the other groups of {}",
        people_of(people, &class),
        have(people),
        column.name,
        called(held)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![held.number],
        people,
        records: None,
        confidence,
        certain: false,
        class,
        column: Some(column.name.clone()),
        value: Some(Value { code: Some(value), label: column.label(value).to_owned() }),
        words,
    }
}
