//! Naive verification of a column that earlier releases repeat, if the tuples are too many to visit.
//!
//! The only join column outside X has equal values in all releases that have it. So a value on X is one class of each release, and the
//! number of tuples with a value of the column is a product. Combinations of classes are visited, except those for which the fewest and
//! most records in the classes that match the class of the new release prove the limit. Products are exact; a proof that would need larger
//! numbers is not tried.

use std::collections::{BTreeMap, BTreeSet};

use super::JoinVerifier;
use super::over_joins::{CountsByY, Violating, bounds, is_worse, owner_column, referenced_columns, violation};
use crate::data::contingency::ContingencyTable;
use crate::data::taxonomy::Code;
use crate::error::{Error, Obstacle, Result};
use crate::join::lossy::{CodeSet, InconsistentRules, LossyJoin, Tuples, are_related, matching_codes};
use crate::join::{ColumnRef, Constraint, Counted, Limit};
use crate::ratio::Ratio;
use crate::release::Release;

/// Maximum number of visited classes.
const MAX_VISITED: u64 = 50_000_000;
/// Maximum number of listed violations.
const MAX_VIOLATIONS: usize = 1_000;

/// Number of records by value.
type Histogram = BTreeMap<String, Tuples>;

/// The releases of a constraint, class by class.
pub(super) struct RepeatedClasses<'a> {
    constraint: &'a Constraint,
    releases: &'a [Release],
    joins: &'a JoinVerifier<'a>,
    name: String,
    /// Columns of X by release, ascending.
    x: Vec<Vec<usize>>,
    /// By release: records without the column, by value on X.
    groups: Vec<ContingencyTable>,
    /// By release, then by group: records by value of the column. Empty without the column.
    histograms: Vec<Vec<Histogram>>,
    conditions: Vec<ClassCondition>,
    bound: Vec<Option<Ratio>>,
}

/// Columns of two releases that match.
struct ClassCondition {
    /// Release, and index among its columns of X.
    one: (usize, usize),
    other: (usize, usize),
    /// Matching codes by code of the first.
    matching: Vec<CodeSet>,
}

/// A class of the new release: the classes of each release that match it, and extremes over them.
struct Around {
    candidates: Vec<Vec<usize>>,
    /// By release: fewest and most records by value.
    extremes: Vec<BTreeMap<String, (Tuples, Tuples)>>,
}

impl<'a> RepeatedClasses<'a> {
    /// Returns the classes of the releases; `None` if the constraint does not limit a repeated column.
    pub(super) fn new(
        constraint: &'a Constraint,
        releases: &'a [Release],
        joins: &'a JoinVerifier<'a>,
    ) -> Option<RepeatedClasses<'a>> {
        let name = repeated_name(constraint, releases, joins.rules)?;
        let mut rules = joins.rules.to_vec();
        rules.push(InconsistentRules::varying(&name));
        let x: Vec<Vec<usize>> = (0..releases.len()).map(|at| x_of(constraint, at)).collect();
        let groups: Vec<ContingencyTable> =
            releases.iter().zip(&x).map(|(release, columns)| plain(release).project(columns)).collect();
        let histograms = (0..releases.len()).map(|at| histograms(&releases[at], &x[at], &groups[at], &name)).collect();
        let mut conditions = Vec::new();
        for one in 0..releases.len() {
            for other in 0..one {
                for (here, column) in x[one].iter().enumerate() {
                    for (there, theirs) in x[other].iter().enumerate() {
                        let (ours, theirs) = (&releases[one].columns[*column], &releases[other].columns[*theirs]);
                        let matching = matching_codes(ours, theirs, &rules);
                        conditions.extend(matching.map(|matching| ClassCondition {
                            one: (one, here),
                            other: (other, there),
                            matching,
                        }));
                    }
                }
            }
        }
        let bound = bounds(constraint, releases);
        Some(RepeatedClasses { constraint, releases, joins, name, x, groups, histograms, conditions, bound })
    }

    /// Columns of X, in the order of the values of violations.
    pub(super) fn x(&self) -> Vec<ColumnRef> {
        let of = |(release, columns): (usize, &Vec<usize>)| -> Vec<ColumnRef> {
            columns.iter().map(|column| ColumnRef { release, column: *column }).collect()
        };
        self.x.iter().enumerate().filter(|(at, _)| !self.histograms[*at].is_empty()).flat_map(of).collect()
    }

    /// Values on X that violate the constraint.
    pub(super) fn violating(&self) -> Result<Vec<Violating>> {
        let around = self.around()?;
        let mut search = Search { classes: self, visited: 0, found: Vec::new() };
        for (group, around) in around.iter().enumerate().filter(|(_, around)| self.all_match(around)) {
            let mut chosen = vec![None; self.releases.len()];
            chosen[0] = Some(group);
            let counts = self.histograms[0][group].clone();
            search.visit(around, 1, &mut chosen, &counts)?;
            if search.found.iter().filter(|found| !found.is_excused).count() > MAX_VIOLATIONS {
                break;
            }
        }
        Ok(search.found)
    }

    fn all_match(&self, around: &Around) -> bool {
        around.candidates[1..].iter().all(|candidates| !candidates.is_empty())
    }

    /// Matching classes of the earlier releases, by class of the new release.
    fn around(&self) -> Result<Vec<Around>> {
        let mut candidates = vec![vec![Vec::new(); self.releases.len()]; self.groups[0].len()];
        let mut rules = self.joins.rules.to_vec();
        rules.push(InconsistentRules::varying(&self.name));
        let mut visited = 0;
        for (release, joined) in self.releases.iter().enumerate().skip(1) {
            let pair = [&self.releases[0], joined];
            let join = LossyJoin::new(&pair, &rules, &[self.x[0].clone(), self.x[release].clone()]);
            let places: Vec<Vec<(usize, usize)>> = [0, release]
                .iter()
                .enumerate()
                .map(|(at, of)| self.x[*of].iter().filter_map(|column| Some((at, join.place(at, *column)?))).collect())
                .collect();
            join.for_each_while(|tuple, _| {
                visited += 1;
                let group = |at: usize, of: usize| self.groups[of].find(&join.value(&places[at], tuple));
                if let (Some(here), Some(there)) = (group(0, 0), group(1, release)) {
                    candidates[here][release].push(there);
                }
                visited <= MAX_VISITED && !(visited.is_multiple_of(4096) && (self.joins.abort)())
            });
        }
        self.check(visited)?;
        let around = |candidates: Vec<Vec<usize>>| {
            let extremes = candidates.iter().enumerate().map(|(release, of)| self.extremes(release, of)).collect();
            Around { candidates, extremes }
        };
        Ok(candidates.into_iter().map(around).collect())
    }

    fn extremes(&self, release: usize, candidates: &[usize]) -> BTreeMap<String, (Tuples, Tuples)> {
        if self.histograms[release].is_empty() {
            return BTreeMap::new();
        }
        let mut found: BTreeMap<String, (Tuples, Tuples, usize)> = BTreeMap::new();
        for (text, records) in candidates.iter().flat_map(|class| &self.histograms[release][*class]) {
            let of = found.entry(text.clone()).or_insert((*records, 0, 0));
            *of = (of.0.min(*records), of.1.max(*records), of.2 + 1);
        }
        let fewest = |(fewest, most, classes)| (if classes == candidates.len() { fewest } else { 0 }, most);
        found.into_iter().map(|(text, of)| (text, fewest(of))).collect()
    }

    fn check(&self, visited: u64) -> Result<()> {
        if (self.joins.abort)() {
            return Err(Error::Stopped);
        }
        if visited > MAX_VISITED {
            return Err(Obstacle::JoinNotCountable { statement: self.constraint.title.clone() }.into());
        }
        Ok(())
    }

    /// Whether a class of a release matches the chosen classes.
    fn matches(&self, release: usize, class: usize, chosen: &[Option<usize>]) -> bool {
        self.conditions.iter().all(|condition| {
            let ClassCondition { one: (one, here), other: (other, there), matching } = condition;
            let class_of = |at: usize| if at == release { Some(class) } else { chosen[at] };
            if *one != release && *other != release {
                return true;
            }
            let (Some(ours), Some(theirs)) = (class_of(*one), class_of(*other)) else { return true };
            let code = self.groups[*one].codes[*here][ours];
            matching[code as usize].contains(self.groups[*other].codes[*there][theirs])
        })
    }

    /// Whether the releases without the column, from this one on, have classes that match the chosen ones.
    fn has_others(&self, around: &Around, release: usize, chosen: &mut Vec<Option<usize>>) -> bool {
        if release == self.releases.len() {
            return true;
        }
        if chosen[release].is_some() {
            return self.has_others(around, release + 1, chosen);
        }
        around.candidates[release].iter().any(|class| {
            if !self.matches(release, *class, chosen) {
                return false;
            }
            chosen[release] = Some(*class);
            let found = self.has_others(around, release + 1, chosen);
            chosen[release] = None;
            found
        })
    }

    /// Whether the extremes prove the limit for all classes that releases from `next` on can add.
    fn is_proved(&self, around: &Around, next: usize, chosen: &[Option<usize>], counts: &Histogram) -> bool {
        let remaining = (next..self.releases.len()).filter(|at| !self.histograms[*at].is_empty());
        let remaining: Vec<usize> = remaining.collect();
        let product = |text: &String, records: Tuples, most: bool| {
            remaining.iter().try_fold(records, |product, release| {
                let (fewest, highest) = around.extremes[*release].get(text).copied().unwrap_or((0, 0));
                product.checked_mul(if most { highest } else { fewest })
            })
        };
        match &self.constraint.limit {
            Limit::AtLeast(least) => {
                let occurs = |text: &String| {
                    remaining.iter().all(|at| around.extremes[*at].get(text).is_some_and(|(fewest, _)| *fewest > 0))
                };
                let number = |text: &String| match self.constraint.y.first() {
                    Some(Counted::People(release)) => match chosen[*release] {
                        Some(class) => self.histograms[*release][class].get(text).copied().unwrap_or(0),
                        None => around.extremes[*release].get(text).map_or(0, |(fewest, _)| *fewest),
                    },
                    _ => 1,
                };
                counts.keys().filter(|text| occurs(text)).map(number).sum::<Tuples>() >= Tuples::from(*least)
            }
            Limit::AtMost(limits) => counts.iter().all(|(text, records)| {
                let limit = match self.bound.is_empty() {
                    true => limits.general(),
                    false => self.code(text).and_then(|code| self.bound[code as usize]),
                };
                let Some(limit) = limit else { return true };
                let share = || {
                    let numerator = product(text, *records, true)?;
                    let mut others = counts.iter().filter(|(other, _)| *other != text);
                    let denominator = others.try_fold(numerator, |sum, (other, records)| {
                        sum.checked_add(product(other, *records, false)?)
                    })?;
                    Some(Ratio { numerator, denominator: denominator.max(1) })
                };
                share().is_some_and(|share| share <= limit)
            }),
            Limit::Distribution(_) => false,
        }
    }

    /// Code of a value in the release whose column the constraint limits.
    fn code(&self, text: &str) -> Option<Code> {
        let release = self.constraint.y.first().map(Counted::release)?;
        let columns = &self.releases[release].columns;
        let column = columns.iter().find(|column| column.name == self.name)?;
        (0..column.nodes.len() as Code).find(|code| column.label(*code) == text)
    }

    /// Counts by value on Y, from the number of tuples by value of the column.
    fn by_y(&self, counts: &Histogram, chosen: &[Option<usize>]) -> Option<CountsByY> {
        let mut by_y = CountsByY::new();
        for (text, tuples) in counts {
            let different = match self.constraint.y.first()? {
                Counted::People(release) => self.histograms[*release][chosen[*release]?].get(text).copied()?,
                Counted::Column(_) => 1,
            };
            by_y.insert(vec![self.code(text)?], (*tuples, different));
        }
        Some(by_y)
    }
}

/// A search over combinations of classes.
struct Search<'s, 'a> {
    classes: &'s RepeatedClasses<'a>,
    visited: u64,
    found: Vec<Violating>,
}

impl Search<'_, '_> {
    /// Visits the combinations that contain the chosen classes of the releases before `release`. `counts` are the numbers of tuples.
    fn visit(
        &mut self,
        around: &Around,
        release: usize,
        chosen: &mut Vec<Option<usize>>,
        counts: &Histogram,
    ) -> Result<()> {
        let classes = self.classes;
        if counts.is_empty() || classes.is_proved(around, release, chosen, counts) {
            return Ok(());
        }
        if release == classes.releases.len() {
            return self.judge(around, chosen, counts);
        }
        if classes.histograms[release].is_empty() {
            return self.visit(around, release + 1, chosen, counts);
        }
        for class in &around.candidates[release] {
            self.visited += 1;
            if self.visited.is_multiple_of(4096) || self.visited > MAX_VISITED {
                classes.check(self.visited)?;
            }
            if !classes.matches(release, *class, chosen) {
                continue;
            }
            let histogram = &classes.histograms[release][*class];
            let product = |(text, tuples): (&String, &Tuples)| {
                let records = histogram.get(text)?;
                Some(tuples.checked_mul(*records).map(|tuples| (text.clone(), tuples)))
            };
            let next: Option<Histogram> = counts.iter().filter_map(product).collect();
            let Some(next) = next else { return classes.check(u64::MAX) };
            chosen[release] = Some(*class);
            self.visit(around, release + 1, chosen, &next)?;
            chosen[release] = None;
        }
        Ok(())
    }

    /// Judges a combination of one class of each release with the column.
    fn judge(&mut self, around: &Around, chosen: &mut Vec<Option<usize>>, counts: &Histogram) -> Result<()> {
        let classes = self.classes;
        let constraint = classes.constraint;
        if !classes.has_others(around, 1, chosen) {
            return Ok(());
        }
        let not_countable = || Error::from(Obstacle::JoinNotCountable { statement: constraint.title.clone() });
        let now = classes.by_y(counts, chosen).ok_or_else(not_countable)?;
        let Some(explanation) = violation(constraint, &now, &classes.bound, classes.releases)? else { return Ok(()) };
        let excuses = constraint.excuses_earlier && constraint.y.iter().all(|of| of.release() > 0);
        let mut is_excused = false;
        if excuses && constraint.x.iter().any(|at| at.release > 0) {
            let mut before: Option<Histogram> = None;
            for (release, class) in chosen.iter().enumerate().skip(1) {
                let Some(histogram) = class.and_then(|class| classes.histograms[release].get(class)) else { continue };
                before = Some(match before {
                    None => histogram.clone(),
                    Some(before) => {
                        let product = |(text, tuples): (&String, &Tuples)| {
                            Some(tuples.checked_mul(*histogram.get(text)?).map(|tuples| (text.clone(), tuples)))
                        };
                        let all: Option<Histogram> = before.iter().filter_map(product).collect();
                        all.ok_or_else(not_countable)?
                    }
                });
            }
            let before = classes.by_y(&before.unwrap_or_default(), chosen).ok_or_else(not_countable)?;
            is_excused = !is_worse(constraint, &now, &before, &classes.bound);
        }
        let value = |(release, class): (usize, &Option<usize>)| -> Vec<Code> {
            let Some(class) = class.filter(|_| !classes.histograms[release].is_empty()) else { return Vec::new() };
            classes.groups[release].codes.iter().map(|codes| codes[class]).collect()
        };
        let value = chosen.iter().enumerate().flat_map(value).collect();
        self.found.push(Violating { value, explanation, is_excused });
        Ok(())
    }
}

fn plain(release: &Release) -> ContingencyTable {
    ContingencyTable { owners: None, ..release.contingency.clone() }
}

/// Columns of a release in X, ascending.
fn x_of(constraint: &Constraint, release: usize) -> Vec<usize> {
    let columns: BTreeSet<usize> = constraint.x.iter().filter(|at| at.release == release).map(|at| at.column).collect();
    columns.into_iter().collect()
}

/// Name of the only join column outside X, if its values are equal in all releases and the constraint limits it or counts its people.
fn repeated_name(constraint: &Constraint, releases: &[Release], rules: &[InconsistentRules]) -> Option<String> {
    let in_x = |release: usize, column: usize| constraint.x.contains(&ColumnRef { release, column });
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (one, release) in releases.iter().enumerate() {
        for (other, theirs) in releases.iter().enumerate().filter(|(other, _)| *other != one) {
            for (here, column) in release.columns.iter().enumerate() {
                for (there, related) in theirs.columns.iter().enumerate() {
                    if !are_related(&column.name, &related.name, rules) || (in_x(one, here) && in_x(other, there)) {
                        continue;
                    }
                    names.extend([column.name.as_str(), related.name.as_str()]);
                    if in_x(one, here) || in_x(other, there) || !is_equality(release, here, theirs, there, rules) {
                        return None;
                    }
                }
            }
        }
    }
    let mut names = names.into_iter();
    let (name, None) = (names.next()?, names.next()) else { return None };
    let has = |release: usize| releases[release].columns.iter().any(|column| column.name == name);
    let is_limited = match (constraint.y.as_slice(), &constraint.limit) {
        ([Counted::Column(at)], _) => releases[at.release].columns[at.column].name == name,
        ([Counted::People(release)], Limit::AtLeast(_)) => has(*release) && owner_column(&releases[*release]).is_none(),
        _ => false,
    };
    let own = |at: usize| {
        referenced_columns(constraint, releases, at)
            .iter()
            .all(|column| in_x(at, *column) || releases[at].columns[*column].name == name)
    };
    (is_limited && has(0) && (0..releases.len()).all(own)).then(|| name.to_owned())
}

/// Whether the values of two columns that occur match if and only if their texts are equal.
fn is_equality(one: &Release, here: usize, other: &Release, there: usize, rules: &[InconsistentRules]) -> bool {
    let (ours, theirs) = (&one.columns[here], &other.columns[there]);
    let Some(matching) = matching_codes(ours, theirs, rules) else { return false };
    let occurring = |release: &Release, column: usize| -> BTreeSet<Code> {
        release.contingency.codes[column].iter().copied().collect()
    };
    let others = occurring(other, there);
    occurring(one, here).iter().all(|code| {
        let is_equal =
            |other: &Code| matching[*code as usize].contains(*other) == (ours.label(*code) == theirs.label(*other));
        others.iter().all(is_equal)
    })
}

/// Records by value of the column, by group.
fn histograms(release: &Release, x: &[usize], groups: &ContingencyTable, name: &str) -> Vec<Histogram> {
    let Some(place) = release.columns.iter().position(|column| column.name == name) else { return Vec::new() };
    let mut found = vec![Histogram::new(); groups.len()];
    for (at, weight) in release.contingency.weights.iter().enumerate() {
        let key: Vec<Code> = x.iter().map(|column| release.contingency.codes[*column][at]).collect();
        let Some(group) = groups.find(&key) else { continue };
        let text = release.columns[place].label(release.contingency.codes[place][at]).to_owned();
        *found[group].entry(text).or_default() += Tuples::from(*weight);
    }
    found
}
