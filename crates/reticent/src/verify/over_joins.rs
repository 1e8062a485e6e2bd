//! Verification over joins: what was read back from the written file, joined with what was released before.
//!
//! The definition once more, tuple by tuple: every value on X that occurs in the lossy join, with every value on Y it goes with.
//! Only what cannot change an answer is left out of the counting: a release without Y all of whose join columns, and the columns
//! they join with, are in X. With a value on X it goes by the same number of records into every tuple, so it is only asked whether
//! it has a record that fits.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Breach, Reading};
use crate::combos::{Combos, Owner};
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::history::{Held, History};
use crate::join::{Inconsistent, Join, Tuples, relate};
use crate::joined::{At, Of, Rule, Statement, Together};
use crate::recoding::Recoding;
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::share::Share;
use crate::statement::Parameter;
use crate::taxonomy::{Code, Taxonomy};
use crate::text::plain;
use crate::witness::UNSHOWN;

/// What is demanded of joined releases, and what was released before.
#[derive(Clone, Copy)]
pub struct OverJoins<'a> {
    /// What was released before.
    pub history: &'a History,
    /// What is demanded of which of it.
    pub joined: &'a [Together],
    /// Values that no one person has.
    pub rules: &'a [Inconsistent],
    /// Asked often; once true, there is no answer but [`Error::Stopped`].
    pub abort: &'a (dyn Fn() -> bool + Sync),
}

/// What was found of a statement over a join.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Over {
    /// The earlier releases, by number.
    pub with: Vec<u64>,
    /// What was demanded.
    pub statement: String,
    /// The model that demands it and its parameters.
    #[serde(skip)]
    pub demanded_by: (String, BTreeMap<String, Parameter>),
    /// The values on X that violate it.
    pub violations: Vec<Breach>,
}

/// By value on Y: tuples, and how many different values it stands for.
type Counted = BTreeMap<Vec<Code>, (Tuples, Tuples)>;

/// More different values than this are not counted.
const MOST: usize = 10_000_000;
/// Nor are more tuples of groups visited.
const MOST_VISITED: u64 = 500_000_000;

impl OverJoins<'_> {
    /// The statements, each with the values on X that violate it.
    pub(super) fn judge(&self, reading: &Reading, recoding: &Recoding) -> Result<Vec<Over>> {
        let written = as_release(reading, recoding)?;
        let mut found = Vec::new();
        for together in self.joined {
            let mut releases: Vec<Release> = vec![written.clone()];
            for (place, at) in together.earlier.iter().enumerate() {
                releases.push(with_people(&self.history.releases[*at], place + 1));
            }
            for statement in &together.statements {
                let violations = judge(statement, &releases, self, &together.earlier)?;
                let mut with: Vec<u64> = together.earlier.iter().map(|at| self.history.releases[*at].number).collect();
                with.sort_unstable();
                let demanded_by = statement.demanded_by.clone();
                found.push(Over { with, statement: statement.title.clone(), demanded_by, violations });
            }
        }
        Ok(found)
    }
}

/// The written file as a release. Where owners are known they are a column more, after all others, which joins with nothing.
fn as_release(reading: &Reading, recoding: &Recoding) -> Result<Release> {
    let mut columns: Vec<PublishedColumn> = Vec::new();
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for (at, recoded) in recoding.columns.iter().enumerate() {
        let column = &recoded.column;
        let known: BTreeMap<&str, Code> =
            (0..column.nodes.len() as Code).map(|code| (plain(column.label(code)), code)).collect();
        let place = |text: &String| known.get(plain(text)).copied();
        let places: Option<Vec<Code>> = reading.counts.values[at].iter().map(place).collect();
        let places = places.ok_or_else(|| {
            let fault = FileFault::ForeignValue { column: column.name.clone() };
            Error::from(Obstacle::WrittenFileDiffers { fault })
        })?;
        codes.push(reading.counts.combos.codes[at].iter().map(|code| places[*code as usize]).collect());
        columns.push(column.clone());
    }
    let owners = reading.counts.combos.owners.clone();
    let combos = Combos { codes, weights: reading.counts.combos.weights.clone(), owners: None };
    Ok(add_people(Release { columns, combos, suppressed: 0 }, owners, 0))
}

fn add_people(mut release: Release, owners: Option<Vec<Owner>>, place: usize) -> Release {
    if let Some(owners) = owners {
        let tree = Arc::new(Taxonomy::flat(Vec::new()));
        // No other column has this name.
        let name = format!("\0{place}");
        release.columns.push(PublishedColumn { name, role: Role::Identifier, tree, nodes: Vec::new() });
        release.combos.codes.push(owners);
    }
    release
}

/// An earlier release; where somebody is known to have several records in it, with a record's owner as a column more.
fn with_people(held: &Held, place: usize) -> Release {
    let plain = Release { combos: Combos { owners: None, ..held.release.combos.clone() }, ..held.release.clone() };
    let Some(links) = held.links.as_ref().filter(|links| links.rows() > links.people()) else { return plain };
    let mut numbers: BTreeMap<u128, Owner> = BTreeMap::new();
    for pseudonym in &links.pseudonyms {
        let next = numbers.len() as Owner;
        numbers.entry(*pseudonym).or_insert(next);
    }
    let of_links = |codes: &Vec<Code>| links.combos.iter().map(|combo| codes[*combo as usize]).collect();
    let combos = Combos {
        codes: plain.combos.codes.iter().map(of_links).collect(),
        weights: links.records.iter().map(|records| u64::from(*records)).collect(),
        owners: None,
    };
    let owners = links.pseudonyms.iter().map(|pseudonym| numbers[pseudonym]).collect();
    add_people(Release { combos, ..plain }, Some(owners), place)
}

fn judge(statement: &Statement, releases: &[Release], joins: &OverJoins<'_>, earlier: &[usize]) -> Result<Vec<Breach>> {
    let (rules, history) = (joins.rules, joins.history);
    let only_asked = |release: &usize| is_only_asked(statement, releases, rules, *release);
    let (asked, mut order): (Vec<usize>, Vec<usize>) = (0..releases.len()).partition(only_asked);
    let counted = order.len();
    order.extend(asked);
    let place_of = |release: usize| order.iter().position(|known| *known == release).unwrap_or(0);
    let also: Vec<Vec<usize>> = order.iter().map(|release| wanted(statement, releases, *release)).collect();
    let ordered: Vec<&Release> = order.iter().map(|release| &releases[*release]).collect();
    let join = Join::of(&ordered, rules, &also).visiting(counted);
    let column = |at: &At| join.place(place_of(at.release), at.column).map(|place| (place_of(at.release), place));
    let x: Vec<At> = statement.x.iter().copied().filter(|at| place_of(at.release) < counted).collect();
    let x_columns: Vec<(usize, usize)> = x.iter().filter_map(column).collect();
    let mut y_columns = Vec::new();
    let mut records = Vec::new();
    for of in &statement.y {
        match of {
            Of::Column(at) => y_columns.extend(column(at)),
            Of::People(release) => match owner_column(&releases[*release]) {
                Some(owners) => y_columns.extend(column(&At { release: *release, column: owners })),
                None => records.push(place_of(*release)),
            },
        }
    }
    let mut tallies: BTreeMap<Vec<Code>, Counted> = BTreeMap::new();
    let mut kept = 0;
    let (mut visited, mut aborted) = (0u64, false);
    join.for_each_while(|tuple, tuples| {
        let mut y = join.value(&y_columns, tuple);
        y.extend(records.iter().map(|release| tuple[*release] as Code));
        let weight = |release: &usize| Tuples::from(join.groups(*release).weights[tuple[*release]]);
        let different: Tuples = records.iter().map(weight).fold(1, Tuples::saturating_mul);
        visited += 1;
        aborted |= visited.is_multiple_of(4096) && (joins.abort)();
        if aborted || kept > MOST || visited > MOST_VISITED {
            return false;
        }
        let counted = tallies.entry(join.value(&x_columns, tuple)).or_default();
        let entry = counted.entry(y).or_insert_with(|| {
            kept += 1;
            (0, different)
        });
        entry.0 = entry.0.saturating_add(tuples);
        true
    });
    if aborted {
        return Err(Error::Stopped);
    }
    if kept > MOST
        || visited > MOST_VISITED
        || tallies.values().any(|counted| counted.values().any(|(tuples, _)| *tuples == Tuples::MAX))
    {
        return Err(Obstacle::JoinNotCountable { statement: statement.title.clone() }.into());
    }
    let bound = bounds(statement, releases);
    let mut breaches = Vec::new();
    for (value, counted) in &tallies {
        if let Some(safety) = violation(statement, counted, &bound) {
            let cell = |(at, code): (&At, &Code)| {
                let column = &releases[at.release].columns[at.column];
                let shown = if column.role == Role::Sensitive { UNSHOWN } else { column.label(*code) };
                let name = match at.release {
                    0 => column.name.clone(),
                    earlier_place => format!("{}.{}", history.releases[earlier[earlier_place - 1]].name, column.name),
                };
                (name, shown.to_owned())
            };
            let witness = x.iter().zip(value).map(cell).collect();
            breaches.push(Breach { witness, explanation: statement.explain(safety) });
        }
    }
    Ok(breaches)
}

/// By code of the one column that is counted: its bound.
fn bounds(statement: &Statement, releases: &[Release]) -> Vec<Option<Share>> {
    match (&statement.rule, statement.y.as_slice()) {
        (Rule::AtMost(bounds), [Of::Column(at)]) => {
            let column = &releases[at.release].columns[at.column];
            // A cell that says nothing tells nothing, however sure it is.
            let says = |code: &Code| column.nodes[*code as usize] != 0;
            let bound = |code: Code| Some(code).filter(says).and_then(|code| bounds.of_written(column.label(code)));
            (0..column.nodes.len() as Code).map(bound).collect()
        }
        _ => Vec::new(),
    }
}

/// What is measured with a value on X, if it violates the statement.
fn violation(statement: &Statement, counted: &Counted, bound: &[Option<Share>]) -> Option<f64> {
    match &statement.rule {
        Rule::AtLeast(least) => {
            let different = counted.values().fold(0, |sum: Tuples, (_, different)| sum.saturating_add(*different));
            (different < Tuples::from(*least)).then_some(different as f64)
        }
        Rule::AtMost(bounds) => {
            let total = counted.values().fold(0, |sum: Tuples, (tuples, _)| sum.saturating_add(*tuples));
            let too_sure = |(y, (tuples, _)): (&Vec<Code>, &(Tuples, Tuples))| {
                let share = Share { numerator: *tuples, denominator: total.max(1) };
                let bound = match (bound.is_empty(), y.as_slice()) {
                    (false, [code]) => bound.get(*code as usize).copied().flatten(),
                    _ => bounds.general(),
                };
                bound.filter(|bound| share > *bound).map(|_| -share.to_f64())
            };
            counted.iter().filter_map(too_sure).min_by(f64::total_cmp)
        }
    }
}

fn owner_column(release: &Release) -> Option<usize> {
    let last = release.columns.len().checked_sub(1)?;
    (release.columns[last].role == Role::Identifier).then_some(last)
}

/// The columns of a release that a statement speaks of.
fn wanted(statement: &Statement, releases: &[Release], release: usize) -> Vec<usize> {
    let mut wanted: Vec<usize> = statement.x.iter().filter(|at| at.release == release).map(|at| at.column).collect();
    for of in &statement.y {
        match of {
            Of::Column(at) if at.release == release => wanted.push(at.column),
            Of::People(people) if *people == release => wanted.extend(owner_column(&releases[release])),
            _ => {}
        }
    }
    wanted
}

/// Whether a release can only say whether there is a tuple.
fn is_only_asked(statement: &Statement, releases: &[Release], rules: &[Inconsistent], release: usize) -> bool {
    let in_x = |release: usize, column: usize| statement.x.contains(&At { release, column });
    if statement.y.iter().any(|of| of.release() == release) {
        return false;
    }
    releases[release].columns.iter().enumerate().all(|(column, ours)| {
        let others = releases.iter().enumerate().filter(|(other, _)| *other != release);
        others.into_iter().all(|(other, theirs)| {
            let mut joined = theirs.columns.iter().enumerate().filter(|(_, c)| relate(&ours.name, &c.name, rules));
            joined.all(|(there, _)| in_x(release, column) && in_x(other, there))
        })
    })
}
