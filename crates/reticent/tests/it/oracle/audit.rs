//! Audits of small histories, compared with brute force: all assignments of values to people that match the groups.

mod by_hand;
mod histories;
mod identity;
mod several;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reticent::audit::{
    Audit, AuditOptions, BackgroundKnowledge, BackgroundStatement, ColumnPosterior, KnownValue, audit, pseudonym_text,
};
use reticent::contingency::ContingencyTable;
use reticent::taxonomy::{NodeId, Taxonomy};
use reticent::{History, Links, Presentation, PublishedColumn, Ratio, RecordedRelease, Release, Role, Unit};
use reticent_inference::{Count, PersonClass, Problem, SolveOptions};

use super::inference::{Program, compare, times};
use crate::support::Random;
use identity::check_identity;

const ILLS: &str = "ill\n  lung\n    flu\n    asthma\n  hiv";
const PAYS: &str = "pay\n  low\n    10\n    20\n  high\n    30\n    40";

/// A record: its owner, its group, and its node in each sensitive column.
#[derive(Debug, Clone)]
struct Record {
    person: u128,
    group: usize,
    cells: Vec<NodeId>,
}

#[derive(Debug, Clone)]
struct PublishedRelease {
    /// Whether a column marks the groups. Otherwise, groups are classes of equal quasi-identifiers.
    has_group_column: bool,
    records: Vec<Record>,
}

/// Releases of the same sensitive columns.
#[derive(Debug, Clone)]
struct SmallHistory {
    columns: Vec<(&'static str, Arc<Taxonomy>)>,
    releases: Vec<PublishedRelease>,
}

/// Index of the release, index of the group, people and records of the group.
type PublishedGroup = (usize, usize, Vec<u128>, Vec<Vec<NodeId>>);

/// Code of each person in each sensitive column.
type World = BTreeMap<u128, Vec<u32>>;

fn flat(values: &[&str]) -> Arc<Taxonomy> {
    Arc::new(Taxonomy::flat(values.iter().map(|value| (*value).to_owned()).collect()))
}

fn tree(name: &str, indented: &str) -> Arc<Taxonomy> {
    Arc::new(Taxonomy::parse_indented(name, indented).unwrap())
}

impl SmallHistory {
    fn people(&self) -> BTreeSet<u128> {
        self.releases.iter().flat_map(|release| release.records.iter().map(|record| record.person)).collect()
    }

    fn history(&self) -> History {
        let releases = self.releases.iter().enumerate().map(|(at, release)| self.recorded(at as u64 + 1, release));
        History { releases: releases.collect(), ..History::default() }
    }

    fn recorded(&self, number: u64, published: &PublishedRelease) -> RecordedRelease {
        let groups = published.records.iter().map(|record| record.group).max().unwrap_or(0) + 1;
        let names = |prefix: &str| -> Vec<String> { (0..groups).map(|at| format!("{prefix}{at}")).collect() };
        let column = |name: &str, role, values: Vec<String>| {
            let tree = Arc::new(Taxonomy::flat(values));
            let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
            PublishedColumn { name: name.to_owned(), role, tree, nodes }
        };
        let mut columns = match published.has_group_column {
            true => vec![column("group", Role::Other, names("g"))],
            false => {
                vec![column("age", Role::QuasiIdentifier, names("a")), column("zip", Role::QuasiIdentifier, names("z"))]
            }
        };
        columns.extend(self.columns.iter().map(|(name, tree)| PublishedColumn {
            name: (*name).to_owned(),
            role: Role::Sensitive,
            tree: tree.clone(),
            nodes: (0..tree.nodes().len()).collect(),
        }));
        let row = |record: &Record| {
            let group = record.group as u32;
            let mut row = if published.has_group_column { vec![group] } else { vec![group / 2, group % 2] };
            row.extend(record.cells.iter().map(|node| *node as u32));
            row
        };
        let rows: Vec<Vec<u32>> = published.records.iter().map(row).collect();
        let distinct: Vec<&Vec<u32>> = rows.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let place = |row: &Vec<u32>| distinct.binary_search(&row).unwrap() as u32;
        let links = published.records.iter().zip(&rows).map(|(record, row)| (record.person, place(row)));
        let links = Some(Links::from_rows(links.collect()));
        let contingency = ContingencyTable {
            codes: (0..columns.len()).map(|at| distinct.iter().map(|row| row[at]).collect()).collect(),
            weights: distinct.iter().map(|row| rows.iter().filter(|other| other == row).count() as u64).collect(),
            owners: None,
        };
        let group_column = published.has_group_column.then(|| "group".to_owned());
        RecordedRelease {
            number,
            name: format!("release-{number}"),
            date: format!("2026-01-{number:02}"),
            recipients: vec!["public".to_owned()],
            population: false,
            presentation: Presentation { group_column, ..Presentation::default() },
            release: Release { columns, contingency, suppressed: 0 },
            links,
        }
    }

    /// Groups of all releases.
    fn groups(&self) -> Vec<PublishedGroup> {
        let mut groups = BTreeMap::new();
        for (at, release) in self.releases.iter().enumerate() {
            for record in &release.records {
                let group: &mut (Vec<u128>, Vec<Vec<NodeId>>) = groups.entry((at, record.group)).or_default();
                group.0.push(record.person);
                group.1.push(record.cells.clone());
            }
        }
        groups.into_iter().map(|((release, group), (people, cells))| (release, group, people, cells)).collect()
    }

    /// Whether a cell is a set of values that is no node of the taxonomy. Two such cells can overlap, so only bounds are promised.
    fn has_overlapping_sets(&self) -> bool {
        let mut cells = self
            .releases
            .iter()
            .flat_map(|release| &release.records)
            .flat_map(|record| self.columns.iter().zip(&record.cells));
        cells.any(|((_, tree), node)| !tree.node(*node).parts.is_empty())
    }

    fn covers(&self, cells: &[NodeId], combination: &[u32]) -> bool {
        let columns = self.columns.iter().zip(cells).zip(combination);
        columns.into_iter().all(|(((_, tree), node), code)| tree.represents(*node, *code))
    }

    /// Codes of each column that some published cell covers. A suppressed cell covers all leaves.
    fn published_codes(&self) -> Vec<BTreeSet<u32>> {
        let of_column = |column: usize| {
            let records = self.releases.iter().flat_map(|release| &release.records);
            let nodes = records.map(move |record| record.cells[column]);
            nodes.flat_map(|node| self.columns[column].1.codes(node)).collect()
        };
        (0..self.columns.len()).map(of_column).collect()
    }

    /// All possible worlds of these groups, or `None` if there are too many. No person has a value that no release publishes.
    fn worlds(&self, groups: &[PublishedGroup], people: &[u128]) -> Option<Vec<World>> {
        let mut combinations: Vec<Vec<u32>> = vec![Vec::new()];
        for codes in self.published_codes() {
            if codes.is_empty() {
                return None;
            }
            combinations = combinations
                .into_iter()
                .flat_map(|combination| codes.iter().map(move |code| [combination.clone(), vec![*code]].concat()))
                .collect();
        }
        let possible = |person: &u128| -> Vec<Vec<u32>> {
            let is_possible = |combination: &&Vec<u32>| {
                let theirs = groups.iter().filter(|(_, _, people, _)| people.contains(person));
                theirs.into_iter().all(|(_, _, _, records)| records.iter().any(|cells| self.covers(cells, combination)))
            };
            combinations.iter().filter(is_possible).cloned().collect()
        };
        let possible: Vec<Vec<Vec<u32>>> = people.iter().map(possible).collect();
        if possible.iter().map(Vec::len).product::<usize>() > 6000 {
            return None;
        }
        let mut worlds = vec![World::new()];
        for (person, possible) in people.iter().zip(&possible) {
            worlds = worlds
                .into_iter()
                .flat_map(|world| {
                    possible.iter().map(move |combination| {
                        let mut world = world.clone();
                        world.insert(*person, combination.clone());
                        world
                    })
                })
                .collect();
            // Only groups in which all people have a value can be checked.
            worlds.retain(|world| {
                groups.iter().all(|(_, _, members, records)| {
                    !members.contains(person)
                        || members.iter().any(|person| !world.contains_key(person))
                        || self.matches(members, records, world)
                })
            });
        }
        Some(worlds)
    }

    /// Whether a one-to-one assignment of records to people exists in which each record covers the values of its person.
    fn matches(&self, people: &[u128], records: &[Vec<NodeId>], world: &World) -> bool {
        let Some((person, rest)) = people.split_first() else { return records.is_empty() };
        (0..records.len()).any(|at| {
            let mut remaining = records.to_vec();
            let cells = remaining.swap_remove(at);
            self.covers(&cells, &world[person]) && self.matches(rest, &remaining, world)
        })
    }

    fn text(&self, column: usize, code: u32) -> &str {
        self.columns[column].1.value(code)
    }
}

/// Number of worlds for each person, column and value.
fn tally(small: &SmallHistory, worlds: &[World]) -> BTreeMap<(u128, usize, String), u128> {
    let mut tally = BTreeMap::new();
    for world in worlds {
        for (person, combination) in world {
            for (column, code) in combination.iter().enumerate() {
                *tally.entry((*person, column, small.text(column, *code).to_owned())).or_insert(0) += 1;
            }
        }
    }
    tally
}

struct HistoryShape {
    people: usize,
    releases: usize,
    /// One in this number of cells is suppressed, generalized or a set of two values; 0 for none.
    suppressed: usize,
    columns: usize,
}

/// A random history of people with constant values, who miss some releases, in random groups.
/// Adds every set of two values to a taxonomy, and returns the node by the codes of both.
fn pairs(tree: &mut Taxonomy) -> Vec<Vec<NodeId>> {
    let codes = 0..tree.len() as u32;
    let set = |tree: &mut Taxonomy, one: u32, other: u32| match one == other {
        true => tree.leaf_of(one),
        false => tree.add_set(&[one.min(other), one.max(other)]),
    };
    codes.clone().map(|one| codes.clone().map(|other| set(tree, one, other)).collect()).collect()
}

fn random_history(random: &mut Random, shape: &HistoryShape) -> SmallHistory {
    let ills = if random.below(2) == 0 { flat(&["asthma", "flu", "hiv"]) } else { tree("ill", ILLS) };
    let pays = if random.below(2) == 0 { flat(&["10", "20"]) } else { tree("pay", PAYS) };
    let mut columns = [("ill", ills), ("pay", pays)][..shape.columns].to_vec();
    let pairs: Vec<Vec<Vec<NodeId>>> = columns.iter_mut().map(|(_, tree)| pairs(Arc::make_mut(tree))).collect();
    let people = 3 + random.below(shape.people - 2);
    let combinations: Vec<Vec<u32>> =
        (0..people).map(|_| columns.iter().map(|(_, tree)| random.below(tree.len()) as u32).collect()).collect();
    let releases = (0..1 + random.below(shape.releases)).map(|_| {
        let mut present: Vec<usize> = (0..people).filter(|_| random.below(5) > 0).collect();
        random.shuffle(&mut present);
        let mut records = Vec::new();
        let mut group = 0;
        let mut remaining = 0;
        for person in present {
            if remaining == 0 {
                remaining = 1 + random.below(4);
                group += 1;
            }
            remaining -= 1;
            let cells = columns.iter().zip(&combinations[person]).zip(&pairs).map(|(((_, tree), code), pairs)| {
                let leaf = tree.leaf_of(*code);
                if shape.suppressed == 0 || random.below(shape.suppressed) > 0 {
                    return leaf;
                }
                match random.below(3) {
                    0 => 0,
                    1 => tree.node(leaf).parent.unwrap(),
                    _ => pairs[*code as usize][random.below(tree.len())],
                }
            });
            // Unordered pseudonyms.
            let pseudonym = (person as u128 * 7 + 3) % 31;
            records.push(Record { person: pseudonym, group: group - 1, cells: cells.collect() });
        }
        PublishedRelease { has_group_column: random.below(2) == 0, records }
    });
    let releases: Vec<PublishedRelease> = releases.filter(|release| !release.records.is_empty()).collect();
    SmallHistory { columns, releases }
}

/// Posteriors of a person for the values of a column, one list for each record or release that the audit reports.
fn posteriors(audit: &Audit, person: u128, column: &str) -> Vec<BTreeMap<String, ColumnPosterior>> {
    let name = pseudonym_text(person);
    let person = audit.persons.as_ref().unwrap().iter().find(|person| person.pseudonym.as_ref() == Some(&name));
    let lists = person.into_iter().flat_map(|person| &person.columns).filter(|list| list.column == column);
    lists.map(|list| list.values.iter().cloned().collect()).collect()
}

fn audit_options() -> AuditOptions {
    AuditOptions { per_person: true, ..AuditOptions::default() }
}

/// Compares the posteriors of an audit with the worlds. If `exact`, all posteriors must be exact.
fn check_posteriors(small: &SmallHistory, worlds: &[World], audit: &Audit, exact: bool) -> Result<(), String> {
    let tally = tally(small, worlds);
    if exact && audit.worlds != Some(worlds.len().to_string()) {
        return Err(format!("{:?} worlds instead of {}", audit.worlds, worlds.len()));
    }
    if exact && !audit.ln_worlds.is_some_and(|ln| (ln - (worlds.len() as f64).ln()).abs() < 1e-9) {
        return Err(format!("ln of worlds {:?}", audit.ln_worlds));
    }
    if audit.people != small.people().len() as u64 {
        return Err(format!("{} people", audit.people));
    }
    for person in small.people() {
        for (column, (name, tree)) in small.columns.iter().enumerate() {
            let lists = posteriors(audit, person, name);
            let [list] = lists.as_slice() else { return Err(format!("{person} {name}: {} lists", lists.len())) };
            if list.keys().any(|text| !tree.values().contains(text)) {
                return Err(format!("{person} {name}: an unknown value: {list:?}"));
            }
            for text in tree.values() {
                let count = tally.get(&(person, column, text.clone())).copied().unwrap_or(0);
                let share = (count, worlds.len() as u128);
                let Some(posterior) = list.get(text) else {
                    if count > 0 {
                        return Err(format!("{person} {name} {text}: not listed, but {share:?}"));
                    }
                    continue;
                };
                let value = share.0 as f64 / share.1 as f64;
                let is_within = compare(posterior.lower, share).is_le() && compare(posterior.upper, share).is_ge();
                let is_right = posterior.random_worlds.is_none_or(|worlds| (worlds - value).abs() < 1e-9);
                let is_exact =
                    posterior.random_worlds.is_some() && compare(posterior.lower, share).is_eq() && count > 0;
                if !is_within || !is_right || (exact && !(is_exact && compare(posterior.upper, share).is_eq())) {
                    return Err(format!("{person} {name} {text}: {posterior:?}, but {share:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Compares the figures of each column with the maximum posterior of each person.
fn check_figures(
    small: &SmallHistory,
    worlds: &[World],
    audit: &Audit,
    confidence: (u128, u128),
) -> Result<(), String> {
    let tally = tally(small, worlds);
    let all = worlds.len() as u128;
    for (at, (name, _)) in small.columns.iter().enumerate() {
        let column = audit.columns.iter().find(|column| column.name == *name).unwrap();
        let tops: Vec<u128> = small
            .people()
            .iter()
            .map(|person| tally.iter().filter(|((w, c, _), _)| w == person && *c == at).map(|(_, n)| *n).max().unwrap())
            .collect();
        let people = tops.len() as u64;
        let certain = tops.iter().filter(|top| **top == all).count() as u64;
        let above = tops.iter().filter(|top| **top * confidence.1 > confidence.0 * all).count() as u64;
        let mut histogram = [0u64; 11];
        tops.iter().for_each(|top| histogram[(top * 10 / all) as usize] += 1);
        let highest = *tops.iter().max().unwrap() as f64 / all as f64;
        let average = tops.iter().map(|top| *top as f64 / all as f64).sum::<f64>() / people as f64;
        let found = (column.people, column.certain, column.above, column.may_be_above, column.histogram, column.exact);
        let truth = (people, certain, above, above, histogram, people);
        if found != truth {
            return Err(format!("{name}: people, certain, above, may be above, bars, exact: {found:?}, but {truth:?}"));
        }
        if (column.highest.estimate - highest).abs() > 1e-9 || (column.accuracy - average).abs() > 1e-9 {
            return Err(format!("{name}: {:?} {} but {highest} {average}", column.highest, column.accuracy));
        }
    }
    Ok(())
}

/// Checks that the groups of each explanation make the value certain, and that no group is superfluous. Returns their number.
fn check_explanations(small: &SmallHistory, audit: &Audit) -> Result<usize, String> {
    let groups = small.groups();
    let mut checked = 0;
    for case in audit.worst.iter().filter(|case| case.posterior.lower.numerator == case.posterior.lower.denominator) {
        let column = small.columns.iter().position(|(name, _)| *name == case.column).unwrap();
        let Some(explanation) = &case.explanation else {
            if small.published_codes()[column].len() == 1 {
                // A single possible value needs no explanation.
                continue;
            }
            return Err(format!("no explanation: {case:?}"));
        };
        if small.published_codes()[column].len() == 1 {
            continue;
        }
        let cited: Vec<_> = explanation
            .groups
            .iter()
            .map(|reported| {
                let is = |group: &&(usize, usize, Vec<u128>, Vec<Vec<NodeId>>)| {
                    let names = match small.releases[group.0].has_group_column {
                        true => vec![("group".to_owned(), format!("g{}", group.1))],
                        false => vec![
                            ("age".to_owned(), format!("a{}", group.1 / 2)),
                            ("zip".to_owned(), format!("z{}", group.1 % 2)),
                        ],
                    };
                    group.0 as u64 + 1 == reported.release && names == reported.group
                };
                groups.iter().find(is).unwrap_or_else(|| panic!("no such group: {reported:?}")).clone()
            })
            .collect();
        if cited.iter().zip(&explanation.groups).any(|(group, reported)| group.2.len() as u64 != reported.people) {
            return Err(format!("people in a group: {explanation:?}"));
        }
        let people: Vec<u128> = small.people().into_iter().collect();
        let person = people.iter().find(|person| pseudonym_text(**person) == case.pseudonyms[0]).unwrap();
        let certain = |groups: &[PublishedGroup]| {
            let around: BTreeSet<u128> =
                groups.iter().flat_map(|group| group.2.iter().copied()).chain([*person]).collect();
            let worlds = small.worlds(groups, &around.into_iter().collect::<Vec<_>>())?;
            Some(worlds.iter().all(|world| small.text(column, world[person][column]) == case.value))
        };
        if certain(&cited) == Some(false) {
            return Err(format!("wrong explanation: {case:?}"));
        }
        for removed in 0..cited.len() {
            let mut fewer = cited.clone();
            fewer.remove(removed);
            if certain(&fewer) == Some(true) {
                return Err(format!("superfluous group {removed} in the explanation: {case:?}"));
            }
        }
        checked += 1;
    }
    Ok(checked)
}

/// Failures by kind: their number, and the first one.
#[derive(Default)]
struct Failures(BTreeMap<String, (usize, String)>);

impl Failures {
    /// Adds a failure. The first of each kind is shrunk.
    fn add(&mut self, small: &SmallHistory, wrong: &str, fault: &dyn Fn(&SmallHistory) -> Option<String>) {
        let kind = |wrong: &str| wrong.chars().filter(|c| c.is_ascii_alphabetic()).take(12).collect::<String>();
        let known = self.0.entry(kind(wrong)).or_insert_with(|| {
            let same = |small: &SmallHistory| fault(small).is_some_and(|other| kind(&other) == kind(wrong));
            let least = shrunk(small.clone(), &same);
            (0, format!("{}\n  {}", fault(&least).unwrap_or_else(|| wrong.to_owned()), describe(&least)))
        });
        known.0 += 1;
    }

    fn finish(self) {
        let messages: Vec<String> = self.0.values().map(|(count, text)| format!("{count} times: {text}")).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }
}

/// A short text of a history.
fn describe(small: &SmallHistory) -> String {
    let releases = small.releases.iter().map(|release| {
        let records = release.records.iter().map(|record| {
            let label = |(cell, (_, tree)): (&NodeId, &(&str, Arc<Taxonomy>))| tree.node(*cell).label.clone();
            let cells: Vec<String> = record.cells.iter().zip(&small.columns).map(label).collect();
            format!("{}:g{}:{}", record.person, record.group, cells.join("/"))
        });
        format!(
            "{}[{}]",
            if release.has_group_column { "marked" } else { "quasi" },
            records.collect::<Vec<_>>().join(" ")
        )
    });
    let trees: Vec<String> = small.columns.iter().map(|(name, tree)| format!("{name}={:?}", tree.values())).collect();
    format!("{} {}", trees.join(" "), releases.collect::<Vec<_>>().join(" "))
}

/// Shrinks a failing history: removes releases and records, and specializes cells.
fn shrunk(mut small: SmallHistory, wrong: &dyn Fn(&SmallHistory) -> bool) -> SmallHistory {
    loop {
        let mut smaller = Vec::new();
        for release in 0..small.releases.len() {
            let mut smaller_one = small.clone();
            smaller_one.releases.remove(release);
            smaller.push(smaller_one);
            for record in 0..small.releases[release].records.len() {
                let mut smaller_one = small.clone();
                smaller_one.releases[release].records.remove(record);
                smaller.push(smaller_one);
                for column in 0..small.columns.len() {
                    let node = small.releases[release].records[record].cells[column];
                    for child in &small.columns[column].1.node(node).children {
                        let mut smaller_one = small.clone();
                        smaller_one.releases[release].records[record].cells[column] = *child;
                        smaller.push(smaller_one);
                    }
                }
            }
        }
        smaller.retain(|small| !small.releases.is_empty() && small.releases.iter().all(|r| !r.records.is_empty()));
        match smaller.into_iter().find(wrong) {
            Some(smaller_one) => small = smaller_one,
            None => return small,
        }
    }
}

/// Checks all results for a history of people with constant values and one record per release. `None` for too many worlds.
fn check_history(small: &SmallHistory, with_suppressed: bool) -> Option<Result<usize, String>> {
    let people: Vec<u128> = small.people().into_iter().collect();
    let worlds = small.worlds(&small.groups(), &people)?;
    if worlds.is_empty() {
        return Some(Err("no possible world".to_owned()));
    }
    let check = || {
        let confidence = Ratio::new(1, 2);
        let options = AuditOptions { confidence: Some(confidence), worst: 2, ..audit_options() };
        let found = std::panic::catch_unwind(|| audit(&small.history(), &options)).map_err(|_| "panics".to_owned())?;
        let found = found.map_err(|error| format!("error: {error}"))?;
        let exact = found.worlds.is_some();
        if !exact && (!with_suppressed || small.columns.len() == 1 && !small.has_overlapping_sets()) {
            return Err(format!("not counted: {:?}", found.stats));
        }
        check_posteriors(small, &worlds, &found, exact)?;
        if exact {
            check_figures(small, &worlds, &found, (1, 2))?;
        }
        check_identity(small, &worlds, &found, exact && !with_suppressed)?;
        if (found.multi_record_people, found.changed_people, found.unlinked.len()) != (0, 0, 0) {
            return Err(format!(
                "several {} changed {} {:?}",
                found.multi_record_people, found.changed_people, found.unlinked
            ));
        }
        let explanations = if exact { check_explanations(small, &found)? } else { 0 };
        let none = SolveOptions { steps: 0, entropy: false, ..SolveOptions::default() };
        let bounds =
            audit(&small.history(), &AuditOptions { solve: none, ..options.clone() }).map_err(|e| e.to_string())?;
        check_posteriors(small, &worlds, &bounds, false).map_err(|wrong| format!("bounds: {wrong}"))?;
        check_identity(small, &worlds, &bounds, false).map_err(|wrong| format!("bounds: {wrong}"))?;
        let only = SolveOptions { bounds_only: true, ..none };
        let bounds =
            audit(&small.history(), &AuditOptions { solve: only, ..options.clone() }).map_err(|e| e.to_string())?;
        check_posteriors(small, &worlds, &bounds, false).map_err(|wrong| format!("bounds only: {wrong}"))?;
        Ok(explanations)
    };
    Some(check())
}

/// Adds a release with one person per combination of values, so that all combinations are possible.
fn with_all_combinations(mut small: SmallHistory) -> SmallHistory {
    let mut rows: Vec<Vec<NodeId>> = vec![Vec::new()];
    for (_, tree) in &small.columns {
        let leaves: Vec<NodeId> = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        rows = rows.iter().flat_map(|row| leaves.iter().map(move |leaf| [row.clone(), vec![*leaf]].concat())).collect();
    }
    let record = |(at, cells): (usize, Vec<NodeId>)| Record { person: 100 + at as u128, group: at, cells };
    small
        .releases
        .push(PublishedRelease { has_group_column: true, records: rows.into_iter().enumerate().map(record).collect() });
    small
}

fn compare_random(seed: u64, instances: usize, shape: &HistoryShape) -> (usize, usize) {
    compare_changed(seed, instances, shape, |small| small)
}

fn compare_changed(
    seed: u64,
    instances: usize,
    shape: &HistoryShape,
    change: impl Fn(SmallHistory) -> SmallHistory,
) -> (usize, usize) {
    let mut random = Random(seed);
    let mut failures = Failures::default();
    let (mut compared, mut explanations) = (0, 0);
    for _ in 0..instances * times() {
        let small = random_history(&mut random, shape);
        if small.releases.is_empty() {
            continue;
        }
        let small = change(small);
        match check_history(&small, shape.suppressed > 0) {
            None => continue,
            Some(Ok(checked)) => explanations += checked,
            Some(Err(wrong)) => {
                failures.add(&small, &wrong, &|small| check_history(small, shape.suppressed > 0).and_then(Result::err));
            }
        }
        compared += 1;
    }
    println!("{compared} histories, {explanations} explanations");
    failures.finish();
    (compared, explanations)
}
