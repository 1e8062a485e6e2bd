//! Minimality: a release that was not generalized more than it had to be tells what would have happened with less.
//!
//! Attack   undoes one step of generalizing in one column: the step was taken because some finer class would have broken the
//!          bound on the value's confidence. Only worlds where one does are possible.
//! Assumes  that the algorithm takes no step without need, that the bound is known, and that everybody's raw quasi-identifiers
//!          are. All worlds with the published counts are equally likely.
//! Measure  the share of the worlds left in which somebody of a finer class has the value: exact where no other published
//!          class can have forced the step, else an estimate.
//! Paper    Wong, Fu, Wang and Pei, Minimality attack in privacy preserving data publishing, VLDB 2007; survey section 5.4,
//!          example 5.1.

use std::collections::BTreeMap;

use super::counting::choose;
use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Groups, with_role};
use super::knowledge::{known_in, profiles};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt, Person};
use crate::combos::Weight;
use crate::error::Result;
use crate::history::Held;
use crate::interval::Interval;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::{Code, NodeId};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "minimality",
    title: "minimality",
    summary: "Keeps the worlds in which a release that was generalized a step less would have broken its bound on a value.",
    paper: "Wong, Fu, Wang and Pei, Minimality attack in privacy preserving data publishing, VLDB 2007; survey section 5.4",
    thwarts: "what the need to generalize gives away",
    comparison: false,
    parameters: &[
        Parameter {
            name: "values",
            domain: Domain::Thresholds,
            default: None,
            meaning: "the sensitive value and the highest confidence in it that the publisher allowed",
        },
        Parameter {
            name: "sensitive",
            domain: Domain::Column,
            default: Some(""),
            meaning: "the column of the value; every sensitive column that has it when not given",
        },
    ],
    evidence: &["attacks::tests::hidden::minimality_example_5_1", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

/// A value, and the highest confidence in it that was allowed.
struct Bounded {
    column: usize,
    code: Code,
    most: Share,
}

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let arguments = scene.arguments(&ENTRY)?;
    let bound = match arguments.thresholds("values")? {
        Some([(value, most)]) => Share::from_decimal(*most).map(|most| (value.as_str(), most)),
        _ => None,
    };
    let asked = arguments.optional_word("sensitive")?;
    let Some((value, most)) = bound else {
        return Err(cannot(&ENTRY, "it looks at one bounded value at a time: name one in `values`"));
    };
    if scene.people.is_empty() {
        return Err(cannot(&ENTRY, "nothing is known about anybody: it needs everybody's raw quasi-identifiers"));
    }
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    for held in releases(scene, &ENTRY, 1)? {
        if held.disguise.groups.is_some() {
            unchecked
                .push(format!("{} marks groups: its people are not together because they look alike", called(held)));
            continue;
        }
        let groups = Groups::of(held)?;
        let bounded = bounded(held, value, most, asked);
        let people = people_of_groups(scene, held, &groups)?;
        let (Some(people), false) = (people, bounded.is_empty()) else {
            unchecked
                .push(format!("{} does not have the value, or it is not known who is in which group", called(held)));
            continue;
        };
        for bounded in &bounded {
            for column in with_role(&held.release, Role::QuasiIdentifier) {
                look(scene, &groups, &people, bounded, column, &mut unchecked, &mut findings);
            }
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

fn bounded(held: &Held, value: &str, most: Share, asked: Option<&str>) -> Vec<Bounded> {
    let columns = with_role(&held.release, Role::Sensitive).into_iter();
    let columns = columns.filter(|column| asked.is_none_or(|asked| held.release.columns[*column].name == asked));
    columns
        .filter_map(|column| {
            let published = &held.release.columns[column];
            let code = (0..published.nodes.len() as Code).find(|code| published.label(*code) == value)?;
            Some(Bounded { column, code, most })
        })
        .collect()
}

/// By group, the known people in it. None unless everybody fits one group and every group is full.
fn people_of_groups(scene: &Scene<'_>, held: &Held, groups: &Groups<'_>) -> Result<Option<Vec<Vec<Person>>>> {
    let mut known = known_in(held, scene.people, scene.history)?;
    let quasi = with_role(&held.release, Role::QuasiIdentifier);
    let is_quasi = |name: &str| quasi.iter().any(|column| held.release.columns[*column].name == name);
    known.iter_mut().for_each(|person| person.facts.retain(|(column, _)| is_quasi(column)));
    let profiles = profiles(&held.release, &known)?;
    let mut people: Vec<Vec<Person>> = vec![Vec::new(); groups.len()];
    for (person, profile) in known.into_iter().zip(&profiles) {
        let mut fitting = (0..groups.len()).filter(|group| profile.fits(&held.release.combos, groups.member(*group)));
        match (fitting.next(), fitting.next()) {
            (Some(group), None) => people[group].push(person),
            (None, _) => {}
            (Some(_), Some(_)) => return Ok(None),
        }
    }
    let full = people.iter().zip(&groups.records).all(|(people, records)| people.len() as Weight == *records);
    Ok(full.then_some(people))
}

/// Undoes the last step of every generalized value of a column.
fn look(
    scene: &Scene<'_>,
    groups: &Groups<'_>,
    people: &[Vec<Person>],
    bounded: &Bounded,
    column: usize,
    unchecked: &mut Unchecked,
    findings: &mut Vec<Finding>,
) {
    let release = &groups.held.release;
    let published = &release.columns[column];
    let counts = groups.counts(bounded.column);
    let mut steps: BTreeMap<NodeId, Vec<Step>> = BTreeMap::new();
    for (group, people) in people.iter().enumerate() {
        let node = published.nodes[release.combos.codes[column][groups.member(group)] as usize];
        if published.tree.node(node).children.is_empty() {
            if !is_raw(published, node, people) {
                let (held, name) = (called(groups.held), &published.name);
                unchecked.push(format!(
                    "`{name}` of {held} is generalized, and what it was before its last step is not known"
                ));
            }
            continue;
        }
        let carriers = counts[group].iter().find(|(code, _)| *code == bounded.code).map_or(0, |(_, records)| *records);
        match finer(published, node, people).and_then(|sizes| Step::of(group, sizes, carriers, bounded.most)) {
            Some(step) => steps.entry(node).or_default().push(step),
            None => unchecked.push(format!(
                "a group of {} is too large to count its worlds, or raw values of `{}` are not known",
                called(groups.held),
                published.name
            )),
        }
    }
    for steps in steps.values() {
        for at in 0..steps.len() {
            findings.extend(told(scene, groups, bounded, steps, at, &published.name));
        }
    }
}

/// Whether a value with nothing below it is what people have, and not a generalization of which nothing else is known.
fn is_raw(column: &PublishedColumn, node: NodeId, people: &[Person]) -> bool {
    let (tree, said) = (&column.tree, column.tree.interval(node));
    let same = |text: &str| match &said {
        Some(said) => Interval::parse(tree.value_type(), text).is_some_and(|read| said.within(&read)),
        None => tree.node(node).label.trim() == text.trim(),
    };
    let texts = people.iter().flat_map(|person| &person.facts).filter(|(name, _)| *name == column.name);
    said.is_none_or(|said| said.is_one()) && texts.into_iter().all(|(_, text)| same(text))
}

/// How many people are in each finer class, had the value been generalized a step less. None when that is not known.
fn finer(column: &PublishedColumn, node: NodeId, people: &[Person]) -> Option<Vec<Weight>> {
    let mut sizes: BTreeMap<NodeId, Weight> = BTreeMap::new();
    for person in people {
        let (_, text) = person.facts.iter().find(|(name, _)| *name == column.name)?;
        *sizes.entry(child_towards(column, node, text)?).or_insert(0) += 1;
    }
    Some(sizes.into_values().collect())
}

/// The child of a node that a raw value lies below.
fn child_towards(column: &PublishedColumn, node: NodeId, text: &str) -> Option<NodeId> {
    let tree = &column.tree;
    let children = &tree.node(node).children;
    if let Some(read) = Interval::parse(tree.value_type(), text) {
        return children.iter().copied().find(|child| tree.interval(*child).is_some_and(|said| read.within(&said)));
    }
    let known = tree.find(text).or_else(|| tree.find(text.trim()))?;
    let below = &tree.node(known).codes;
    children.iter().copied().find(|child| {
        let codes = &tree.node(*child).codes;
        codes.start <= below.start && below.end <= codes.end
    })
}

/// A published class, its finer classes, and its worlds: who of its people carry the value.
struct Step {
    group: usize,
    /// By finer class: its people.
    sizes: Vec<Weight>,
    carriers: Weight,
    /// All worlds, and those in which some finer class breaks the bound.
    worlds: u128,
    breaking: u128,
    /// By finer class: the same of the worlds in which a given person of it carries the value.
    with: Vec<(u128, u128)>,
}

impl Step {
    /// None when there are too many worlds to count.
    fn of(group: usize, sizes: Vec<Weight>, carriers: Weight, most: Share) -> Option<Step> {
        let people: Weight = sizes.iter().sum();
        let allowed = |size: Weight| Some(most.numerator.checked_mul(size.into())? / most.denominator);
        let caps: Vec<Weight> =
            sizes.iter().map(|size| Weight::try_from(allowed(*size)?).ok()).collect::<Option<_>>()?;
        let keeping = ways(sizes.iter().zip(&caps).map(|(size, cap)| (*size, *cap, 0)), carriers)?;
        let worlds = choose(people, carriers)?;
        let mut with = Vec::new();
        for chosen in 0..sizes.len() {
            let all = if carriers == 0 { 0 } else { choose(people - 1, carriers - 1)? };
            let parts = sizes.iter().zip(&caps).enumerate();
            let parts = parts.map(|(at, (size, cap))| (*size, *cap, Weight::from(at == chosen)));
            with.push((all, all.checked_sub(ways(parts, carriers)?)?));
        }
        Some(Step { group, sizes, carriers, worlds, breaking: worlds.checked_sub(keeping)?, with })
    }
}

/// In how many ways so many carriers are spread over parts of this size, with at most so many in each; of the last number of
/// people of a part it is given that they are carriers.
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

/// What the step tells about the people of one published class.
fn told(
    scene: &Scene<'_>,
    groups: &Groups<'_>,
    bounded: &Bounded,
    steps: &[Step],
    at: usize,
    undone: &str,
) -> Vec<Finding> {
    let step = &steps[at];
    let share = |part: u128, whole: u128| Share { numerator: part, denominator: whole.max(1) }.to_f64();
    let others = steps.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
    let none_of_others: f64 = others.map(|other| 1.0 - share(other.breaking, other.worlds)).product();
    let confidence = |(with, breaking): (u128, u128)| match (none_of_others, step.breaking) {
        (1.0, 0) => None,
        (1.0, all) => Some(Confidence::Exact(Share { numerator: breaking, denominator: all })),
        (none, all) => {
            // Worlds where this class keeps the bound stay possible as far as another may have broken it.
            let possible = |breaking: u128, worlds: u128| {
                share(breaking, step.worlds) + share(worlds - breaking, step.worlds) * (1.0 - none)
            };
            Some(Confidence::Estimate(possible(breaking, with) / possible(all, step.worlds)))
        }
    };
    let people: Weight = step.sizes.iter().sum();
    let before = Share::new(step.carriers, people).to_f64();
    let found = step.sizes.iter().zip(&step.with).filter_map(|(size, with)| Some((*size, confidence(*with)?)));
    let found = found.filter(|(_, confidence)| confidence.reaches(scene.confidence) && confidence.to_f64() > before);
    found.map(|(size, confidence)| finding(groups, bounded, step.group, size, confidence, undone)).collect()
}

fn finding(
    groups: &Groups<'_>,
    bounded: &Bounded,
    group: usize,
    people: Weight,
    confidence: Confidence,
    undone: &str,
) -> Finding {
    let column = &groups.held.release.columns[bounded.column];
    let class = groups.cells(group);
    let certain = confidence == Confidence::CERTAIN;
    let how = if certain { "a certain" } else { "a probable" };
    let words = format!(
        "{} {} {how} {} in {}, because {undone} would not have been generalized without need",
        people_of(people, &class),
        have(people),
        column.name,
        called(groups.held)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![groups.held.number],
        people,
        records: None,
        confidence,
        certain,
        class,
        column: Some(column.name.clone()),
        value: Some(Value { code: Some(bounded.code), label: column.label(bounded.code).to_owned() }),
        words,
    }
}
