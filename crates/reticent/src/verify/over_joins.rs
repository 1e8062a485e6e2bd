//! Naive verification of constraints over the lossy join of the written file with earlier releases.
//!
//! Enumerates the tuples of the join and counts the values on Y for each value on X. One optimization is exact: a release
//! without Y is not counted if all its join columns, and the columns they join with, are in X. For a fixed value on X such
//! a release multiplies every count by the same factor, so only the existence of a matching record is checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::computable::can_be_computed;
use super::repeated_column::RepeatedClasses;
use super::{ClassViolation, Reading};
use crate::data::contingency::{ContingencyTable, Owner};
use crate::data::schema::Role;
use crate::data::table::Counts;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::error::{Error, FileFault, Obstacle, Result};
use crate::join::lossy::{InconsistentRules, LossyJoin, Tuples, are_related};
use crate::join::{ColumnRef, Constraint, Counted, Distribution, JOINED_X, JoinRequirement, Limit};
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
    /// Maximum number of tuples of groups to visit for a repeated column, instead of judging it by class.
    pub max_listed: u64,
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
    /// Values on X that violate the constraint, and did not violate it as much before.
    pub violations: Vec<ClassViolation>,
    /// Number of values on X that violate the constraint in the earlier releases alone, and that the new release does not make worse.
    pub already_violated: u64,
    /// Number of an earlier release of the join from which the new one can be computed. It adds nothing, so the join is not judged.
    pub computable_from: Option<u64>,
}

/// Number of tuples, and of distinct values represented, by value on Y.
pub(super) type CountsByY = BTreeMap<Vec<Code>, (Tuples, Tuples)>;

/// Maximum number of distinct pairs of values on X and Y.
const MAX_VALUES: usize = 10_000_000;
/// Maximum number of visited tuples of groups.
const MAX_VISITED: u64 = 500_000_000;

impl JoinVerifier<'_> {
    /// Default of `max_listed`.
    pub const MAX_LISTED: u64 = 1_000_000;

    /// Verifies all constraints.
    pub(super) fn judge(&self, reading: &Reading, recoding: &Recoding) -> Result<Vec<JoinFinding>> {
        let written = as_release(reading, recoding)?;
        let mut findings = Vec::new();
        for requirement in self.joined {
            let mut releases: Vec<Release> = vec![written.clone()];
            for (place, at) in requirement.earlier.iter().enumerate() {
                releases.push(with_owner_column(&self.history.releases[*at], place + 1));
            }
            let recorded = requirement.earlier.iter().map(|at| &self.history.releases[*at]);
            let whole =
                recorded.into_iter().find(|earlier| can_be_computed(&written, earlier, self.history, self.rules));
            for constraint in &requirement.constraints {
                let computable_from = whole.filter(|_| constraint.excuses_earlier).map(|earlier| earlier.number);
                let (violations, already_violated) = match computable_from {
                    Some(_) => (Vec::new(), 0),
                    None => judge(constraint, &releases, self, &requirement.earlier)?,
                };
                let mut with: Vec<u64> =
                    requirement.earlier.iter().map(|at| self.history.releases[*at].number).collect();
                with.sort_unstable();
                findings.push(JoinFinding {
                    with,
                    requirement: constraint.title.clone(),
                    required_by: constraint.required_by.clone(),
                    violations,
                    already_violated,
                    computable_from,
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

/// Judges a constraint. Returns the values on X that violate it, and the number of those that already violate it as much without the new
/// release, whose first position `releases` has.
fn judge(
    constraint: &Constraint,
    releases: &[Release],
    joins: &JoinVerifier<'_>,
    earlier: &[usize],
) -> Result<(Vec<ClassViolation>, u64)> {
    let repeated = RepeatedClasses::new(constraint, releases, joins);
    let max_visited = if repeated.is_some() { joins.max_listed } else { MAX_VISITED };
    let (x, found) = match (listed_violations(constraint, releases, joins, max_visited), repeated) {
        (Err(error), Some(repeated)) if is_not_countable(&error) => (repeated.x(), repeated.violating()?),
        (listed, _) => listed?,
    };
    let (mut violations, mut already_violated) = (Vec::new(), 0);
    for Violating { value, explanation, is_excused } in found {
        if is_excused {
            already_violated += 1;
            continue;
        }
        let cell = |(at, code): (&ColumnRef, &Code)| {
            let column = &releases[at.release].columns[at.column];
            let text = if column.role == Role::Sensitive { SENSITIVE_NOT_SHOWN } else { column.label(*code) };
            let name = match at.release {
                0 => column.name.clone(),
                place => format!("{}.{}", joins.history.releases[earlier[place - 1]].name, column.name),
            };
            (name, text.to_owned())
        };
        let witness = x.iter().zip(&value).map(cell).collect();
        violations.push(ClassViolation { witness, explanation });
    }
    Ok((violations, already_violated))
}

/// A value on X that violates a constraint.
pub(super) struct Violating {
    pub(super) value: Vec<Code>,
    pub(super) explanation: String,
    /// Whether the earlier releases alone violate the constraint as much, which the constraint excuses.
    pub(super) is_excused: bool,
}

fn is_not_countable(error: &Error) -> bool {
    matches!(error, Error::CannotCheck(Obstacle::JoinNotCountable { .. }))
}

/// Values on X that violate a constraint, by visiting all tuples of groups, and the columns of X that they are of.
fn listed_violations(
    constraint: &Constraint,
    releases: &[Release],
    joins: &JoinVerifier<'_>,
    max_visited: u64,
) -> Result<(Vec<ColumnRef>, Vec<Violating>)> {
    let tallies = tally(constraint, releases, joins, max_visited)?;
    let bound = bounds(constraint, releases);
    let mut violating = Vec::new();
    for (value, counted) in &tallies.by_x {
        violating.extend(violation(constraint, counted, &bound, releases)?.map(|why| (value, counted, why)));
    }
    let is_of_earlier = constraint.y.iter().all(|of| of.release() > 0);
    let knows_earlier = constraint.x.iter().any(|at| at.release > 0);
    let before = match constraint.excuses_earlier && is_of_earlier && knows_earlier && !violating.is_empty() {
        true => Some(tally(&without_new_release(constraint), &releases[1..], joins, max_visited)?),
        false => None,
    };
    let with_excuse = |(value, counted, explanation): (&Vec<Code>, &CountsByY, String)| {
        let counted_before = before.as_ref().and_then(|before| {
            // The position of a column of an earlier release is one less without the new release.
            let here =
                |at: &ColumnRef| tallies.x.iter().position(|x| x.release == at.release + 1 && x.column == at.column);
            let codes: Option<Vec<Code>> = before.x.iter().map(|at| Some(value[here(at)?])).collect();
            before.by_x.get(&codes?)
        });
        let is_excused = counted_before.is_some_and(|before| !is_worse(constraint, counted, before, &bound));
        Violating { value: value.clone(), explanation, is_excused }
    };
    let found = violating.into_iter().map(with_excuse).collect();
    Ok((tallies.x, found))
}

/// Counts of the join of releases.
struct Tallies {
    /// Columns of X that distinguish counts.
    x: Vec<ColumnRef>,
    /// Counts by value on Y, by value on `x`.
    by_x: BTreeMap<Vec<Code>, CountsByY>,
}

/// Returns a constraint on earlier releases for the join without the new release, which is the first.
fn without_new_release(constraint: &Constraint) -> Constraint {
    let before = |at: &ColumnRef| Some(ColumnRef { release: at.release.checked_sub(1)?, column: at.column });
    let counted = |of: &Counted| match of {
        Counted::Column(at) => before(at).map(Counted::Column),
        Counted::People(release) => release.checked_sub(1).map(Counted::People),
    };
    Constraint {
        x: constraint.x.iter().filter_map(before).collect(),
        y: constraint.y.iter().filter_map(counted).collect(),
        ..constraint.clone()
    }
}

/// Returns whether a value on X that violates a constraint does so more than before.
pub(super) fn is_worse(constraint: &Constraint, now: &CountsByY, before: &CountsByY, bound: &[Option<Ratio>]) -> bool {
    match &constraint.limit {
        Limit::AtLeast(_) => {
            let different = |counted: &CountsByY| counted.values().fold(0, |sum: Tuples, of| sum.saturating_add(of.1));
            different(now) < different(before)
        }
        Limit::AtMost(_) => now.iter().any(|(y, counts)| {
            let alone = CountsByY::from([(y.clone(), *counts)]);
            exceeds(constraint, &alone, total(now), bound).is_some() && share(now, y) > share(before, y)
        }),
        // Distributions have no order, so only equal ones are no worse.
        Limit::Distribution(_) => now.keys().chain(before.keys()).any(|y| share(now, y) != share(before, y)),
    }
}

/// Counts the values on Y of the joined releases, by value on X.
fn tally(constraint: &Constraint, releases: &[Release], joins: &JoinVerifier<'_>, max_visited: u64) -> Result<Tallies> {
    let rules = joins.rules;
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
        if aborted || stored > MAX_VALUES || visited > max_visited {
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
        || visited > max_visited
        || tallies.values().any(|counted| counted.values().any(|(tuples, _)| *tuples == Tuples::MAX))
    {
        return Err(Obstacle::JoinNotCountable { statement: constraint.title.clone() }.into());
    }
    Ok(Tallies { x, by_x: tallies })
}

/// Bound by code, if a single column is counted.
pub(super) fn bounds(constraint: &Constraint, releases: &[Release]) -> Vec<Option<Ratio>> {
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

/// Explanation if a value on X violates the constraint.
pub(super) fn violation(
    constraint: &Constraint,
    counted: &CountsByY,
    bound: &[Option<Ratio>],
    releases: &[Release],
) -> Result<Option<String>> {
    let safety = match &constraint.limit {
        Limit::AtLeast(least) => {
            let different = counted.values().fold(0, |sum: Tuples, (_, different)| sum.saturating_add(*different));
            (different < Tuples::from(*least)).then_some(different as f64)
        }
        Limit::AtMost(_) => exceeds(constraint, counted, total(counted), bound),
        Limit::Distribution(of) => return violated_distribution(of, constraint, counted, releases),
    };
    Ok(safety.map(|safety| constraint.explain(safety)))
}

/// Number of tuples.
fn total(counted: &CountsByY) -> Tuples {
    counted.values().fold(0, |sum, (tuples, _)| sum.saturating_add(*tuples))
}

/// Share of a value on Y.
fn share(counted: &CountsByY, y: &Vec<Code>) -> Ratio {
    let tuples = counted.get(y).map_or(0, |(tuples, _)| *tuples);
    Ratio { numerator: tuples, denominator: total(counted).max(1) }
}

/// Explanation if the values of a column on a value on X violate a model of distributions.
///
/// The naive definition of the model judges a table of two classes: X has the joined tuples, and all records together have the shares
/// of the release of Y.
fn violated_distribution(
    of: &Distribution,
    constraint: &Constraint,
    counted: &CountsByY,
    releases: &[Release],
) -> Result<Option<String>> {
    let not_countable = || Error::from(Obstacle::JoinNotCountable { statement: constraint.title.clone() });
    let [Counted::Column(at)] = constraint.y.as_slice() else { return Err(not_countable()) };
    let release = &releases[at.release];
    let column = &release.columns[at.column];
    let mut whole: BTreeMap<Code, Tuples> = BTreeMap::new();
    for (code, weight) in release.contingency.codes[at.column].iter().zip(&release.contingency.weights) {
        *whole.entry(*code).or_default() += Tuples::from(*weight);
    }
    let joined = |code: &Code| counted.get(&vec![*code]).map_or(0, |(tuples, _)| *tuples);
    // So many copies of the release contain the joined tuples.
    let copies = whole.iter().map(|(code, weight)| joined(code).div_ceil(*weight)).max().unwrap_or(0);
    let (mut x, mut values, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (code, weight) in &whole {
        let all = weight.checked_mul(copies).ok_or_else(not_countable)?;
        for (class, tuples) in [(0, joined(code)), (1, all - joined(code))] {
            x.push(class);
            values.push(*code);
            weights.push(u64::try_from(tuples).map_err(|_| not_countable())?);
        }
    }
    let occurs: Vec<bool> = weights.iter().map(|weight| *weight > 0).collect();
    let kept =
        |codes: &[Code]| codes.iter().zip(&occurs).filter(|(_, occurs)| **occurs).map(|(code, _)| *code).collect();
    let labels = (0..column.nodes.len() as Code).map(|code| column.label(code).to_owned()).collect();
    let counts = Counts {
        names: vec![JOINED_X.to_owned(), column.name.clone()],
        values: vec![vec!["joined".to_owned(), "other".to_owned()], labels],
        contingency: ContingencyTable {
            codes: vec![kept(&x), kept(&values)],
            weights: weights.into_iter().filter(|weight| *weight > 0).collect(),
            owners: None,
        },
        links: None,
    };
    let reading = Reading::new(counts, [(column.name.clone(), column.tree.clone())].into());
    let found = of.model.naive(&reading)?;
    let is_joined = |violation: &ClassViolation| violation.witness.iter().any(|(_, text)| text == "joined");
    Ok(found.into_iter().find(is_joined).map(|violation| violation.explanation))
}

/// Highest share above its bound among these values on Y of a value on X with `total` tuples, negated.
fn exceeds(constraint: &Constraint, counted: &CountsByY, total: Tuples, bound: &[Option<Ratio>]) -> Option<f64> {
    let Limit::AtMost(bounds) = &constraint.limit else { return None };
    let above = |(y, (tuples, _)): (&Vec<Code>, &(Tuples, Tuples))| {
        let share = Ratio { numerator: *tuples, denominator: total.max(1) };
        let bound = match (bound.is_empty(), y.as_slice()) {
            (false, [code]) => bound.get(*code as usize).copied().flatten(),
            _ => bounds.general(),
        };
        bound.filter(|bound| share > *bound).map(|_| -share.to_f64())
    };
    counted.iter().filter_map(above).min_by(f64::total_cmp)
}

pub(super) fn owner_column(release: &Release) -> Option<usize> {
    let last = release.columns.len().checked_sub(1)?;
    (release.columns[last].role == Role::Identifier).then_some(last)
}

/// Columns of a release that a constraint uses.
pub(super) fn referenced_columns(constraint: &Constraint, releases: &[Release], release: usize) -> Vec<usize> {
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
