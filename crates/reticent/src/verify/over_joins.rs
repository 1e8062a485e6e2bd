//! Naive verification of constraints over the lossy join of the written file with earlier releases.
//!
//! Enumerates the tuples of the join and counts the values on Y for each value on X. One optimization is exact: a release
//! without Y is not counted if all its join columns, and the columns they join with, are in X. For a fixed value on X such
//! a release multiplies every count by the same factor, so only the existence of a matching record is checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ClassViolation, Reading};
use crate::data::contingency::{ContingencyTable, Owner};
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::join::lossy::{InconsistentRules, LossyJoin, Tuples, are_related};
use crate::join::{ColumnRef, Constraint, Counted, JoinRequirement, Limit};
use crate::ratio::Ratio;
use crate::release::history::{History, RecordedRelease};
use crate::release::recoding::Recoding;
use crate::release::{PublishedColumn, Release};
use crate::statement::Parameter;
use crate::text::without_formula_guard;
use crate::witness::SENSITIVE_NOT_SHOWN;

/// Constraints over joins, with the release history.
#[derive(Clone, Copy)]
pub struct JoinVerifier<'a> {
    /// Earlier releases.
    pub history: &'a History,
    /// Constraints by set of earlier releases.
    pub joined: &'a [JoinRequirement],
    /// Pairs of values that no person has.
    pub rules: &'a [InconsistentRules],
    /// Polled for cancellation. Once true, verification returns [`Error::Stopped`].
    pub abort: &'a (dyn Fn() -> bool + Sync),
}

/// Result of verifying a constraint over a join.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct JoinFinding {
    /// Numbers of the earlier releases.
    pub with: Vec<u64>,
    /// Title of the constraint.
    pub requirement: String,
    /// Model that requires the constraint, and its parameters.
    #[serde(skip)]
    pub required_by: (String, BTreeMap<String, Parameter>),
    /// Values on X that violate the constraint.
    pub violations: Vec<ClassViolation>,
}

/// Number of tuples, and of distinct values represented, by value on Y.
type CountsByY = BTreeMap<Vec<Code>, (Tuples, Tuples)>;

/// Maximum number of distinct pairs of values on X and Y.
const MAX_VALUES: usize = 10_000_000;
/// Maximum number of visited tuples of groups.
const MAX_VISITED: u64 = 500_000_000;

impl JoinVerifier<'_> {
    /// Verifies all constraints.
    pub(super) fn judge(&self, reading: &Reading, recoding: &Recoding) -> Result<Vec<JoinFinding>> {
        let written = as_release(reading, recoding)?;
        let mut findings = Vec::new();
        for requirement in self.joined {
            let mut releases: Vec<Release> = vec![written.clone()];
            for (place, at) in requirement.earlier.iter().enumerate() {
                releases.push(with_owner_column(&self.history.releases[*at], place + 1));
            }
            for constraint in &requirement.constraints {
                let violations = judge(constraint, &releases, self, &requirement.earlier)?;
                let mut with: Vec<u64> =
                    requirement.earlier.iter().map(|at| self.history.releases[*at].number).collect();
                with.sort_unstable();
                findings.push(JoinFinding {
                    with,
                    requirement: constraint.title.clone(),
                    required_by: constraint.required_by.clone(),
                    violations,
                });
            }
        }
        Ok(findings)
    }
}

/// Written file as a release. Known owners become an additional last column that joins with no other column.
fn as_release(reading: &Reading, recoding: &Recoding) -> Result<Release> {
    let mut columns: Vec<PublishedColumn> = Vec::new();
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for (at, recoded) in recoding.columns.iter().enumerate() {
        let column = &recoded.column;
        let known: BTreeMap<&str, Code> =
            (0..column.nodes.len() as Code).map(|code| (without_formula_guard(column.label(code)), code)).collect();
        let place = |text: &String| known.get(without_formula_guard(text)).copied();
        let places: Option<Vec<Code>> = reading.counts.values[at].iter().map(place).collect();
        let places = places.ok_or_else(|| {
            let fault = FileFault::ForeignValue { column: column.name.clone() };
            Error::from(Obstacle::WrittenFileDiffers { fault })
        })?;
        codes.push(reading.counts.contingency.codes[at].iter().map(|code| places[*code as usize]).collect());
        columns.push(column.clone());
    }
    let owners = reading.counts.contingency.owners.clone();
    let contingency = ContingencyTable { codes, weights: reading.counts.contingency.weights.clone(), owners: None };
    Ok(add_owner_column(Release { columns, contingency, suppressed: 0 }, owners, 0))
}

fn add_owner_column(mut release: Release, owners: Option<Vec<Owner>>, place: usize) -> Release {
    if let Some(owners) = owners {
        let tree = Arc::new(Taxonomy::flat(Vec::new()));
        // A unique name, so that the column joins with no other column.
        let name = format!("\0{place}");
        release.columns.push(PublishedColumn { name, role: Role::Identifier, tree, nodes: Vec::new() });
        release.contingency.codes.push(owners);
    }
    release
}

/// Earlier release, with an owner column if a person is known to have several records.
fn with_owner_column(recorded: &RecordedRelease, place: usize) -> Release {
    let plain = Release {
        contingency: ContingencyTable { owners: None, ..recorded.release.contingency.clone() },
        ..recorded.release.clone()
    };
    let Some(links) = recorded.links.as_ref().filter(|links| links.rows() > links.people()) else { return plain };
    let mut numbers: BTreeMap<u128, Owner> = BTreeMap::new();
    for pseudonym in &links.pseudonyms {
        let next = numbers.len() as Owner;
        numbers.entry(*pseudonym).or_insert(next);
    }
    let of_links = |codes: &Vec<Code>| links.cells.iter().map(|cell| codes[*cell as usize]).collect();
    let contingency = ContingencyTable {
        codes: plain.contingency.codes.iter().map(of_links).collect(),
        weights: links.records.iter().map(|records| u64::from(*records)).collect(),
        owners: None,
    };
    let owners = links.pseudonyms.iter().map(|pseudonym| numbers[pseudonym]).collect();
    add_owner_column(Release { contingency, ..plain }, Some(owners), place)
}

fn judge(
    constraint: &Constraint,
    releases: &[Release],
    joins: &JoinVerifier<'_>,
    earlier: &[usize],
) -> Result<Vec<ClassViolation>> {
    let (rules, history) = (joins.rules, joins.history);
    let existence_only = |release: &usize| is_existence_only(constraint, releases, rules, *release);
    let (uncounted, mut order): (Vec<usize>, Vec<usize>) = (0..releases.len()).partition(existence_only);
    let counted = order.len();
    order.extend(uncounted);
    let place_of = |release: usize| order.iter().position(|known| *known == release).unwrap_or(0);
    let also: Vec<Vec<usize>> =
        order.iter().map(|release| referenced_columns(constraint, releases, *release)).collect();
    let ordered: Vec<&Release> = order.iter().map(|release| &releases[*release]).collect();
    let join = LossyJoin::new(&ordered, rules, &also).with_visited(counted);
    let column =
        |at: &ColumnRef| join.place(place_of(at.release), at.column).map(|place| (place_of(at.release), place));
    let x: Vec<ColumnRef> = constraint.x.iter().copied().filter(|at| place_of(at.release) < counted).collect();
    let x_columns: Vec<(usize, usize)> = x.iter().filter_map(column).collect();
    let mut y_columns = Vec::new();
    let mut records = Vec::new();
    for of in &constraint.y {
        match of {
            Counted::Column(at) => y_columns.extend(column(at)),
            Counted::People(release) => match owner_column(&releases[*release]) {
                Some(owners) => y_columns.extend(column(&ColumnRef { release: *release, column: owners })),
                None => records.push(place_of(*release)),
            },
        }
    }
    let mut tallies: BTreeMap<Vec<Code>, CountsByY> = BTreeMap::new();
    let mut stored = 0;
    let (mut visited, mut aborted) = (0u64, false);
    join.for_each_while(|tuple, tuples| {
        let mut y = join.value(&y_columns, tuple);
        y.extend(records.iter().map(|release| tuple[*release] as Code));
        let weight = |release: &usize| Tuples::from(join.groups(*release).weights[tuple[*release]]);
        let different: Tuples = records.iter().map(weight).fold(1, Tuples::saturating_mul);
        visited += 1;
        aborted |= visited.is_multiple_of(4096) && (joins.abort)();
        if aborted || stored > MAX_VALUES || visited > MAX_VISITED {
            return false;
        }
        let counted = tallies.entry(join.value(&x_columns, tuple)).or_default();
        let entry = counted.entry(y).or_insert_with(|| {
            stored += 1;
            (0, different)
        });
        entry.0 = entry.0.saturating_add(tuples);
        true
    });
    if aborted {
        return Err(Error::Stopped);
    }
    if stored > MAX_VALUES
        || visited > MAX_VISITED
        || tallies.values().any(|counted| counted.values().any(|(tuples, _)| *tuples == Tuples::MAX))
    {
        return Err(Obstacle::JoinNotCountable { statement: constraint.title.clone() }.into());
    }
    let bound = bounds(constraint, releases);
    let mut violations = Vec::new();
    for (value, counted) in &tallies {
        if let Some(safety) = violation(constraint, counted, &bound) {
            let cell = |(at, code): (&ColumnRef, &Code)| {
                let column = &releases[at.release].columns[at.column];
                let text = if column.role == Role::Sensitive { SENSITIVE_NOT_SHOWN } else { column.label(*code) };
                let name = match at.release {
                    0 => column.name.clone(),
                    earlier_place => format!("{}.{}", history.releases[earlier[earlier_place - 1]].name, column.name),
                };
                (name, text.to_owned())
            };
            let witness = x.iter().zip(value).map(cell).collect();
            violations.push(ClassViolation { witness, explanation: constraint.explain(safety) });
        }
    }
    Ok(violations)
}

/// Bound by code, if a single column is counted.
fn bounds(constraint: &Constraint, releases: &[Release]) -> Vec<Option<Ratio>> {
    match (&constraint.limit, constraint.y.as_slice()) {
        (Limit::AtMost(bounds), [Counted::Column(at)]) => {
            let column = &releases[at.release].columns[at.column];
            // A suppressed cell discloses no value.
            let has_value = |code: &Code| column.nodes[*code as usize] != 0;
            let bound = |code: Code| Some(code).filter(has_value).and_then(|code| bounds.for_text(column.label(code)));
            (0..column.nodes.len() as Code).map(bound).collect()
        }
        _ => Vec::new(),
    }
}

/// Safety of a value on X, if it violates the constraint.
fn violation(constraint: &Constraint, counted: &CountsByY, bound: &[Option<Ratio>]) -> Option<f64> {
    match &constraint.limit {
        Limit::AtLeast(least) => {
            let different = counted.values().fold(0, |sum: Tuples, (_, different)| sum.saturating_add(*different));
            (different < Tuples::from(*least)).then_some(different as f64)
        }
        Limit::AtMost(bounds) => {
            let total = counted.values().fold(0, |sum: Tuples, (tuples, _)| sum.saturating_add(*tuples));
            let exceeds = |(y, (tuples, _)): (&Vec<Code>, &(Tuples, Tuples))| {
                let share = Ratio { numerator: *tuples, denominator: total.max(1) };
                let bound = match (bound.is_empty(), y.as_slice()) {
                    (false, [code]) => bound.get(*code as usize).copied().flatten(),
                    _ => bounds.general(),
                };
                bound.filter(|bound| share > *bound).map(|_| -share.to_f64())
            };
            counted.iter().filter_map(exceeds).min_by(f64::total_cmp)
        }
    }
}

fn owner_column(release: &Release) -> Option<usize> {
    let last = release.columns.len().checked_sub(1)?;
    (release.columns[last].role == Role::Identifier).then_some(last)
}

/// Columns of a release that a constraint uses.
fn referenced_columns(constraint: &Constraint, releases: &[Release], release: usize) -> Vec<usize> {
    let mut columns: Vec<usize> = constraint.x.iter().filter(|at| at.release == release).map(|at| at.column).collect();
    for of in &constraint.y {
        match of {
            Counted::Column(at) if at.release == release => columns.push(at.column),
            Counted::People(people) if *people == release => columns.extend(owner_column(&releases[release])),
            _ => {}
        }
    }
    columns
}

/// Returns true if only the existence of a matching record in a release matters (see the module documentation).
fn is_existence_only(
    constraint: &Constraint,
    releases: &[Release],
    rules: &[InconsistentRules],
    release: usize,
) -> bool {
    let in_x = |release: usize, column: usize| constraint.x.contains(&ColumnRef { release, column });
    if constraint.y.iter().any(|of| of.release() == release) {
        return false;
    }
    releases[release].columns.iter().enumerate().all(|(column, ours)| {
        let others = releases.iter().enumerate().filter(|(other, _)| *other != release);
        others.into_iter().all(|(other, theirs)| {
            let mut joined = theirs.columns.iter().enumerate().filter(|(_, c)| are_related(&ours.name, &c.name, rules));
            joined.all(|(there, _)| in_x(release, column) && in_x(other, there))
        })
    })
}
