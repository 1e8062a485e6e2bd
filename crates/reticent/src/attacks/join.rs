//! Join: two releases about the same people tell, put together on what they share, what neither tells alone.
//!
//! Attack   joins two releases on the columns they share, as far as published values can stand for the same value, and looks at
//!          what somebody's known columns lead to: few pairs of records, or one sensitive value.
//! Assumes  that both releases are about the person. What is known are the quasi-identifiers that only one of the two has
//!          (or `on`): whoever knows the shared ones too needs no join.
//! Measure  the share of the pairs of records with the value, and one over the number of pairs; only what neither release
//!          tells by itself is reported. Two releases at a time.
//! Paper    Wang and Fung, Anonymizing sequential releases, KDD 2006; survey section 6.1, examples 6.1 and 6.2.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{tells, with_role};
use super::scene::{Scene, Unchecked, cannot, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::{Combos, Weight};
use crate::history::Held;
use crate::join::{Join, Tuples};
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "join",
    title: "join",
    summary: "Joins two releases on the columns they share: known columns of the one lead to sensitive values of the other.",
    paper: "Wang and Fung, Anonymizing sequential releases, KDD 2006; survey section 6.1",
    thwarts: "what two releases tell together and neither alone",
    comparison: false,
    parameters: &[Parameter {
        name: "on",
        domain: Domain::Columns,
        default: Some(""),
        meaning: "the columns an attacker knows; the quasi-identifiers that only one of the two has when not given",
    }],
    evidence: &["attacks::tests::several::join_examples_6_1_and_6_2", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

/// More pairs of groups are not looked at.
const MOST_PAIRS: u64 = 5_000_000;

/// A column of one of the two releases.
type At = (usize, usize);

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let arguments = scene.arguments(&ENTRY)?;
    let on = arguments.words("on")?;
    let all = releases(scene, &ENTRY, 2)?;
    let sensitive = |name: &&String| {
        let mut columns = all.iter().flat_map(|held| &held.release.columns);
        columns.any(|column| column.name == **name && column.role == Role::Sensitive)
    };
    if let Some(name) = on.and_then(|on| on.iter().find(sensitive)) {
        let why = format!("`on` names what an attacker knows of people, and `{name}` is what he wants to learn");
        return Err(cannot(&ENTRY, &why));
    }
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    let mut joined = false;
    for (at, second) in all.iter().enumerate() {
        for first in &all[..at] {
            let pair = [first, second];
            let known = known(pair, on);
            if shared(pair).is_empty() || known.is_empty() {
                continue;
            }
            joined = true;
            if let Some(marked) = pair.iter().find(|held| !held.disguise.is_none()) {
                unchecked.push(format!("{} marks its groups, so that its records are nobody's values", called(marked)));
                continue;
            }
            match look(pair, &known) {
                Some(seen) => findings.extend(seen.findings(scene.confidence)),
                None => unchecked.push(format!("the join of {} and {} is too large", called(first), called(second))),
            }
        }
    }
    if !joined {
        return Err(cannot(&ENTRY, "no two releases share a column and differ in what is known of people"));
    }
    conclude(&ENTRY, findings, unchecked)
}

fn shared(pair: [&Held; 2]) -> Vec<String> {
    let has = |name: &str| pair[1].release.columns.iter().any(|column| column.name == name);
    let names = pair[0].release.columns.iter().map(|column| column.name.clone());
    names.filter(|name| has(name)).collect()
}

/// The columns that are known of people: those asked for, or the quasi-identifiers that are not shared.
fn known(pair: [&Held; 2], on: Option<&[String]>) -> Vec<At> {
    let shared = shared(pair);
    let place = |name: &String| {
        (0..2).find_map(|at| Some((at, pair[at].release.columns.iter().position(|column| column.name == *name)?)))
    };
    match on {
        Some(names) => {
            let known: Vec<At> = names.iter().filter_map(place).collect();
            if known.len() == names.len() { known } else { Vec::new() }
        }
        None => (0..2)
            .flat_map(|at| {
                with_role(&pair[at].release, Role::QuasiIdentifier).into_iter().map(move |column| (at, column))
            })
            .filter(|(at, column)| !shared.contains(&pair[*at].release.columns[*column].name))
            .collect(),
    }
}

/// What the known columns lead to in the join of two releases.
struct Joined<'a> {
    pair: [&'a Held; 2],
    known: Vec<At>,
    sensitive: Vec<At>,
    groups: [Combos; 2],
    by_known: BTreeMap<Vec<Code>, Led>,
}

/// The pairs of records that one value of the known columns leads to.
#[derive(Default)]
struct Led {
    tuples: Tuples,
    groups: [BTreeSet<usize>; 2],
    /// By place among the sensitive columns, and code.
    with: BTreeMap<(usize, Code), Tuples>,
}

/// None when there are too many pairs.
fn look<'a>(pair: [&'a Held; 2], known: &[At]) -> Option<Joined<'a>> {
    let sensitive: Vec<At> = (0..2)
        .flat_map(|at| with_role(&pair[at].release, Role::Sensitive).into_iter().map(move |column| (at, column)))
        .collect();
    let asked =
        |at: usize| known.iter().chain(&sensitive).filter(|column| column.0 == at).map(|column| column.1).collect();
    let join = Join::of(&[&pair[0].release, &pair[1].release], &[], &[asked(0), asked(1)]);
    let places = |columns: &[At]| -> Option<Vec<At>> {
        columns.iter().map(|(at, column)| Some((*at, join.place(*at, *column)?))).collect()
    };
    let (of_known, of_sensitive) = (places(known)?, places(&sensitive)?);
    let mut by_known: BTreeMap<Vec<Code>, Led> = BTreeMap::new();
    let mut visited = 0;
    join.for_each_while(|tuple, tuples| {
        let led = by_known.entry(join.value(&of_known, tuple)).or_default();
        led.tuples = led.tuples.saturating_add(tuples);
        (0..2).for_each(|at| {
            led.groups[at].insert(tuple[at]);
        });
        for (which, code) in join.value(&of_sensitive, tuple).into_iter().enumerate() {
            let with = led.with.entry((which, code)).or_insert(0);
            *with = with.saturating_add(tuples);
        }
        visited += 1;
        visited <= MOST_PAIRS
    });
    let groups = [join.groups(0).clone(), join.groups(1).clone()];
    (visited <= MOST_PAIRS).then(|| Joined { pair, known: known.to_vec(), sensitive, groups, by_known })
}

impl Joined<'_> {
    fn findings(&self, least: Share) -> Vec<Finding> {
        let alone = [self.alone(0), self.alone(1)];
        let mut findings = Vec::new();
        for (value, led) in &self.by_known {
            let one = Share { numerator: 1, denominator: led.tuples.max(1) };
            let fewest = (0..2).filter_map(|at| Some(alone[at].get(&self.part(value, at))?.records)).min();
            if one >= least && fewest.is_some_and(|fewest| Tuples::from(fewest) > led.tuples) {
                findings.push(self.finding(value, led, one, None));
            }
            for ((which, code), tuples) in &led.with {
                let share = Share { numerator: *tuples, denominator: led.tuples.max(1) };
                let (at, _) = self.sensitive[*which];
                let before = alone[at].get(&self.part(value, at));
                let before = before.map(|alone| alone.share(*which, *code)).unwrap_or(Share::new(0, 1));
                if share >= least && share > before && tells(self.published(self.sensitive[*which]), *code) {
                    findings.push(self.finding(value, led, share, Some((*which, *code))));
                }
            }
        }
        findings
    }

    fn published(&self, (at, column): At) -> &PublishedColumn {
        &self.pair[at].release.columns[column]
    }

    /// The known columns' codes that belong to one of the two.
    fn part(&self, value: &[Code], at: usize) -> Vec<Code> {
        self.known.iter().zip(value).filter(|(column, _)| column.0 == at).map(|(_, code)| *code).collect()
    }

    /// What the known columns of one release lead to in it alone.
    fn alone(&self, at: usize) -> HashMap<Vec<Code>, Alone> {
        let combos = &self.pair[at].release.combos;
        let known: Vec<usize> = self.known.iter().filter(|column| column.0 == at).map(|column| column.1).collect();
        let mut found: HashMap<Vec<Code>, Alone> = HashMap::new();
        for row in 0..combos.len() {
            let key = known.iter().map(|column| combos.codes[*column][row]).collect();
            let alone = found.entry(key).or_default();
            alone.records += combos.weights[row];
            for (which, (_, column)) in self.sensitive.iter().enumerate().filter(|(_, column)| column.0 == at) {
                *alone.with.entry((which, combos.codes[*column][row])).or_insert(0) += combos.weights[row];
            }
        }
        found
    }

    fn finding(&self, value: &[Code], led: &Led, share: Share, what: Option<(usize, Code)>) -> Finding {
        let column = |at: At| self.published(at);
        let cells = self.known.iter().zip(value);
        let class: Vec<(String, String)> =
            cells.map(|(at, code)| (column(*at).name.clone(), column(*at).label(*code).to_owned())).collect();
        // Pairs of records are of no more people than either release has records for.
        let records = |at: usize| led.groups[at].iter().map(|group| self.groups[at].weights[*group]).sum::<Weight>();
        let people = records(0).min(records(1));
        let (certain, whose) = (share == Share::new(1, 1), people_of(people, &class));
        let told = match what {
            None if led.tuples == 1 => format!("{whose} can be linked to one record of each"),
            None => format!("{whose} can be linked to {} pairs of records", led.tuples),
            Some((which, _)) => {
                let most = if certain { "" } else { "mostly " };
                format!("{whose} {} {most}one and the same {}", have(people), column(self.sensitive[which]).name)
            }
        };
        let [first, second] = self.pair;
        let on = shared(self.pair).join(", ");
        let named = |(which, code): (usize, Code)| {
            let published = column(self.sensitive[which]);
            (published.name.clone(), Value { code: Some(code), label: published.label(code).to_owned() })
        };
        let (column, value) = what.map(named).unzip();
        Finding {
            attack: ENTRY.id,
            releases: vec![first.number, second.number],
            people,
            records: Some(Weight::try_from(led.tuples).unwrap_or(Weight::MAX)),
            confidence: Confidence::Exact(share),
            certain,
            class,
            column,
            value,
            words: format!("{told} when {} and {} are joined on {on}", called(first), called(second)),
        }
    }
}

/// What a value of the known columns leads to in one release.
#[derive(Default)]
struct Alone {
    records: Weight,
    with: BTreeMap<(usize, Code), Weight>,
}

impl Alone {
    fn share(&self, which: usize, code: Code) -> Share {
        Share::new(self.with.get(&(which, code)).copied().unwrap_or(0), self.records)
    }
}
