//! Minimality: uses the knowledge that the algorithm generalizes no more than necessary.
//!
//! Attack   undoes one generalization step in one column. A minimal algorithm takes the step only if some finer class violates the
//!          bound on the confidence of the value. Only possible worlds in which a finer class violates it remain.
//! Assumes  that the algorithm is minimal, and that the attacker knows the bound and the raw quasi-identifiers of all people. All
//!          worlds with the published counts are equally likely.
//! Measure  share of the remaining worlds in which a person of a finer class has the value. It is exact if no other published
//!          class can have forced the step, and an estimate otherwise.
//! Paper    Wong, Fu, Wang and Pei, Minimality attack in privacy preserving data publishing, VLDB 2007; survey section 5.4,
//!          example 5.1.

use std::collections::BTreeMap;

use super::counting::choose;
use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{ReleaseGroups, with_role};
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::knowledge::{known_in, profiles};
use super::{AttackDef, AttackTarget, KnownPerson};
use crate::data::contingency::Weight;
use crate::data::interval::Interval;
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, NodeId};
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::PublishedColumn;
use crate::release::history::RecordedRelease;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "minimality",
    title: "minimality",
    summary: "Keeps the possible worlds in which a release with one generalization step less violates the confidence bound of a value.",
    paper: "Wong, Fu, Wang and Pei, Minimality attack in privacy preserving data publishing, VLDB 2007; survey section 5.4",
    protects_against: "attribute linkage by an attacker who knows that the algorithm is minimal",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "values",
            domain: Domain::Thresholds,
            default: None,
            meaning: "one sensitive value with the confidence bound of the publisher",
        },
        ParameterDef {
            name: "sensitive",
            domain: Domain::Column,
            default: Some(""),
            meaning: "column of the value; default: every sensitive column that has the value",
        },
    ],
    evidence: &["attacks::tests::minimal_algorithm::minimality_example_5_1", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

/// Sensitive value with the bound on its confidence.
struct BoundedValue {
    column: usize,
    code: Code,
    max_confidence: Ratio,
}

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let arguments = input.arguments(&ENTRY)?;
    let bound = match arguments.thresholds("values")? {
        Some([(value, bound)]) => Ratio::from_decimal(*bound).map(|bound| (value.as_str(), bound)),
        _ => None,
    };
    let sensitive = arguments.optional_word("sensitive")?;
    let Some((value, max_confidence)) = bound else {
        return Err(not_runnable(&ENTRY, "the attack checks one bounded value: `values` must name exactly one"));
    };
    if input.people.is_empty() {
        return Err(not_runnable(
            &ENTRY,
            "the attack needs an external table with the raw quasi-identifiers of all people",
        ));
    }
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    for recorded in releases(input, &ENTRY, 1)? {
        if recorded.presentation.group_column.is_some() {
            unchecked.push(format!(
                "{} is bucketized: its groups do not result from generalization",
                release_text(recorded)
            ));
            continue;
        }
        let groups = ReleaseGroups::new(recorded)?;
        let bounded = bounded_values(recorded, value, max_confidence, sensitive);
        let people = people_of_groups(input, recorded, &groups)?;
        let (Some(people), false) = (people, bounded.is_empty()) else {
            let place = release_text(recorded);
            unchecked.push(format!("{place} does not have the value, or the people of its groups are not all known"));
            continue;
        };
        for bounded in &bounded {
            for column in with_role(&recorded.release, Role::QuasiIdentifier) {
                undo_steps(input, &groups, &people, bounded, column, &mut unchecked, &mut findings);
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// The sensitive columns of a release that have the value, restricted to `sensitive` if given.
fn bounded_values(
    recorded: &RecordedRelease,
    value: &str,
    max_confidence: Ratio,
    sensitive: Option<&str>,
) -> Vec<BoundedValue> {
    let columns = with_role(&recorded.release, Role::Sensitive).into_iter();
    columns
        .filter(|column| sensitive.is_none_or(|name| recorded.release.columns[*column].name == name))
        .filter_map(|column| {
            let published = &recorded.release.columns[column];
            let code = (0..published.nodes.len() as Code).find(|code| published.label(*code) == value)?;
            Some(BoundedValue { column, code, max_confidence })
        })
        .collect()
}

/// By group: its known people. None if a person matches several groups, or if a group has more or fewer records than people.
fn people_of_groups(
    input: &AttackInput<'_>,
    recorded: &RecordedRelease,
    groups: &ReleaseGroups<'_>,
) -> Result<Option<Vec<Vec<KnownPerson>>>> {
    let mut known = known_in(recorded, input.people, input.history)?;
    let quasi = with_role(&recorded.release, Role::QuasiIdentifier);
    let is_quasi = |name: &str| quasi.iter().any(|column| recorded.release.columns[*column].name == name);
    known.iter_mut().for_each(|person| person.facts.retain(|(column, _)| is_quasi(column)));
    let profiles = profiles(&recorded.release, &known)?;
    let mut people: Vec<Vec<KnownPerson>> = vec![Vec::new(); groups.len()];
    for (person, profile) in known.into_iter().zip(&profiles) {
        let mut matching =
            (0..groups.len()).filter(|group| profile.fits(&recorded.release.contingency, groups.member(*group)));
        match (matching.next(), matching.next()) {
            (Some(group), None) => people[group].push(person),
            (None, _) => {}
            (Some(_), Some(_)) => return Ok(None),
        }
    }
    let full = people.iter().zip(&groups.records).all(|(people, records)| people.len() as Weight == *records);
    Ok(full.then_some(people))
}

/// Undoes the last generalization step of every generalized value of a column, and adds the findings.
fn undo_steps(
    input: &AttackInput<'_>,
    groups: &ReleaseGroups<'_>,
    people: &[Vec<KnownPerson>],
    bounded: &BoundedValue,
    column: usize,
    unchecked: &mut Unchecked,
    findings: &mut Vec<Finding>,
) {
    let release = &groups.recorded.release;
    let published = &release.columns[column];
    let counts = groups.counts(bounded.column);
    let mut steps: BTreeMap<NodeId, Vec<MinimalityStep>> = BTreeMap::new();
    for (group, people) in people.iter().enumerate() {
        let node = published.nodes[release.contingency.codes[column][groups.member(group)] as usize];
        if published.tree.node(node).children.is_empty() {
            if !published.tree.node(node).is_leaf() || !is_raw(published, node, people) {
                let (recorded, name) = (release_text(groups.recorded), &published.name);
                unchecked.push(format!(
                    "`{name}` of {recorded} is generalized, and its values before the last step are unknown"
                ));
            }
            continue;
        }
        let carriers = counts[group].iter().find(|(code, _)| *code == bounded.code).map_or(0, |(_, records)| *records);
        let sizes = finer_class_sizes(published, node, people);
        match sizes.and_then(|sizes| MinimalityStep::new(group, sizes, carriers, bounded.max_confidence)) {
            Some(step) => steps.entry(node).or_default().push(step),
            None => unchecked.push(format!(
                "a group of {} has too many possible worlds, or raw values of `{}` are unknown",
                release_text(groups.recorded),
                published.name
            )),
        }
    }
    for steps in steps.values() {
        for at in 0..steps.len() {
            findings.extend(step_findings(input, groups, bounded, steps, at, &published.name));
        }
    }
}

/// Whether a published leaf is the raw value of all people, and not a generalization without known descendants.
fn is_raw(column: &PublishedColumn, node: NodeId, people: &[KnownPerson]) -> bool {
    let (tree, interval) = (&column.tree, column.tree.interval(node));
    let same = |text: &str| match &interval {
        Some(interval) => Interval::parse(tree.value_type(), text).is_some_and(|read| interval.within(&read)),
        None => tree.node(node).label.trim() == text.trim(),
    };
    let texts = people.iter().flat_map(|person| &person.facts).filter(|(name, _)| *name == column.name);
    interval.is_none_or(|interval| interval.is_point()) && texts.into_iter().all(|(_, text)| same(text))
}

/// Sizes of the finer classes with one generalization step less; none if a raw value is unknown.
fn finer_class_sizes(column: &PublishedColumn, node: NodeId, people: &[KnownPerson]) -> Option<Vec<Weight>> {
    let mut sizes: BTreeMap<NodeId, Weight> = BTreeMap::new();
    for person in people {
        let (_, text) = person.facts.iter().find(|(name, _)| *name == column.name)?;
        *sizes.entry(child_towards(column, node, text)?).or_insert(0) += 1;
    }
    Some(sizes.into_values().collect())
}

/// The child of a node that is equal to a raw value or an ancestor of it.
fn child_towards(column: &PublishedColumn, node: NodeId, text: &str) -> Option<NodeId> {
    let tree = &column.tree;
    let children = &tree.node(node).children;
    if let Some(read) = Interval::parse(tree.value_type(), text) {
        let contains = |child: &NodeId| tree.interval(*child).is_some_and(|interval| read.within(&interval));
        return children.iter().copied().find(contains);
    }
    let known = tree.find(text).or_else(|| tree.find(text.trim()))?;
    let below = &tree.node(known).span;
    children.iter().copied().find(|child| {
        let codes = &tree.node(*child).span;
        codes.start <= below.start && below.end <= codes.end
    })
}

/// Published class with its finer classes and the number of its possible worlds. A world assigns the value to people of the class.
struct MinimalityStep {
    group: usize,
    /// By finer class: number of its people.
    sizes: Vec<Weight>,
    /// Number of people with the value.
    carriers: Weight,
    /// Number of worlds.
    worlds: u128,
    /// Number of worlds in which some finer class violates the bound.
    violating: u128,
    /// By finer class: `worlds` and `violating`, restricted to worlds in which a given person of the class has the value.
    with_person: Vec<(u128, u128)>,
}

impl MinimalityStep {
    /// Counts the worlds; none if a count exceeds 128 bits.
    fn new(group: usize, sizes: Vec<Weight>, carriers: Weight, max_confidence: Ratio) -> Option<MinimalityStep> {
        let people: Weight = sizes.iter().sum();
        let cap = |size: Weight| Some(max_confidence.numerator.checked_mul(size.into())? / max_confidence.denominator);
        let caps: Vec<Weight> = sizes.iter().map(|size| Weight::try_from(cap(*size)?).ok()).collect::<Option<_>>()?;
        let satisfying = ways(sizes.iter().zip(&caps).map(|(size, cap)| (*size, *cap, 0)), carriers)?;
        let worlds = choose(people, carriers)?;
        let mut with = Vec::new();
        for chosen in 0..sizes.len() {
            let all = if carriers == 0 { 0 } else { choose(people - 1, carriers - 1)? };
            let parts = sizes.iter().zip(&caps).enumerate();
            let parts = parts.map(|(at, (size, cap))| (*size, *cap, Weight::from(at == chosen)));
            with.push((all, all.checked_sub(ways(parts, carriers)?)?));
        }
        Some(MinimalityStep {
            group,
            sizes,
            carriers,
            worlds,
            violating: worlds.checked_sub(satisfying)?,
            with_person: with,
        })
    }
}

/// Number of ways to distribute carriers over parts; none if it exceeds 128 bits.
///
/// A part is (number of people, maximum number of carriers, number of people who are carriers in every counted way).
fn ways(parts: impl Iterator<Item = (Weight, Weight, Weight)>, carriers: Weight) -> Option<u128> {
    let total = usize::try_from(carriers).ok()?;
    let mut ways: Vec<u128> = vec![0; total + 1];
    ways[0] = 1;
    for (size, cap, given) in parts {
        let mut next = vec![0u128; total + 1];
        for taken in given..=cap.min(size).min(carriers) {
            let spread = choose(size - given, taken - given)?;
            for before in 0..=total - taken as usize {
                let more = ways[before].checked_mul(spread)?;
                next[before + taken as usize] = next[before + taken as usize].checked_add(more)?;
            }
        }
        ways = next;
    }
    Some(ways[total])
}

/// The findings about the finer classes of one published class.
fn step_findings(
    input: &AttackInput<'_>,
    groups: &ReleaseGroups<'_>,
    bounded: &BoundedValue,
    steps: &[MinimalityStep],
    at: usize,
    generalized: &str,
) -> Vec<Finding> {
    let step = &steps[at];
    let share = |part: u128, whole: u128| Ratio { numerator: part, denominator: whole.max(1) }.to_f64();
    let others = steps.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
    let none_of_others: f64 = others.map(|other| 1.0 - share(other.violating, other.worlds)).product();
    let confidence = |(with, breaking): (u128, u128)| match (none_of_others, step.violating) {
        (1.0, 0) => None,
        (1.0, all) => Some(AttackConfidence::Exact(Ratio { numerator: breaking, denominator: all })),
        (none, all) => {
            // A world in which this class satisfies the bound remains possible if another class violates it.
            let possible = |breaking: u128, worlds: u128| {
                share(breaking, step.worlds) + share(worlds - breaking, step.worlds) * (1.0 - none)
            };
            Some(AttackConfidence::Estimate(possible(breaking, with) / possible(all, step.worlds)))
        }
    };
    let people: Weight = step.sizes.iter().sum();
    let before = Ratio::new(step.carriers, people).to_f64();
    let by_class = step.sizes.iter().zip(&step.with_person);
    let by_class = by_class.filter_map(|(size, with)| Some((*size, confidence(*with)?)));
    let is_gain = |confidence: AttackConfidence| confidence.reaches(input.confidence) && confidence.to_f64() > before;
    by_class
        .filter(|(_, confidence)| is_gain(*confidence))
        .map(|(size, confidence)| finding(groups, bounded, step.group, size, confidence, generalized))
        .collect()
}

fn finding(
    groups: &ReleaseGroups<'_>,
    bounded: &BoundedValue,
    group: usize,
    people: Weight,
    confidence: AttackConfidence,
    generalized: &str,
) -> Finding {
    let column = &groups.recorded.release.columns[bounded.column];
    let class = groups.cells(group);
    let certain = confidence == AttackConfidence::CERTAIN;
    let qualifier = if certain { "is certain" } else { "is probable" };
    let text = format!(
        "the {} of {} {qualifier} in {}, because a minimal algorithm generalized {generalized}",
        column.name,
        people_in_class(people, &class),
        release_text(groups.recorded)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![groups.recorded.number],
        people,
        records: None,
        confidence,
        certain,
        class,
        column: Some(column.name.clone()),
        value: Some(DisclosedValue { code: Some(bounded.code), label: column.label(bounded.code).to_owned() }),
        text,
    }
}
