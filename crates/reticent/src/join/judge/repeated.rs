//! Judgement of a repeated column: a branch and bound over one class of each earlier release.
//!
//! A tuple of classes is a value on X. Its tuples of records with a value of the column number n0 * n1 * ... * nm: the records with the
//! value in the class of the new release and in each of the earlier classes.
//!
//! Verdict     A part of the tuples is skipped if bounds on its counts prove the limit. The search ends at the first violation. The
//!             safety is then a bound on that of the worst value on X, or that of the violation.
//! Safety      For a survey, all tuples are judged if the numbers of matching classes multiply to at most `MAX_EXACT`.
//! Steps       What is not proved within `MAX_STEPS` steps (visited classes, and lists of candidates), or has numbers of tuples that are too
//!             large to count, counts as a violation.

use super::{ClassCells, ClassSafety, JoinCheck, Ratio, ValueOnX, greatest_common_divisor};
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::join::index::{MatchedX, MatchedY};
use crate::join::lossy::Tuples;
use crate::join::repeated::{Choices, RepeatedColumn};
use crate::join::{Counted, Limit};

/// Maximum number of tuples that are all judged.
pub(super) const MAX_EXACT: usize = 2_000;
/// Maximum number of visited classes for a class of the new release.
pub(super) const MAX_STEPS: usize = 5_000;
/// Number of candidates of a class that cost as much as a step.
const CANDIDATES_OF_A_STEP: usize = 8;
/// Relative distance from a limit within which a ratio of rounded numbers does not decide.
const ROUNDING: f64 = 1e-9;

/// Records of a class of the new release with a value of the column.
struct ValueCount {
    /// Number of the value.
    number: u32,
    /// Number of records.
    records: Weight,
    /// Code of the value in the release that the constraint counts.
    y: Option<Code>,
    /// Indices of the class's counts with the value.
    cells: std::ops::Range<usize>,
}

/// Search for the worst value on X of a class.
struct WorstTuple<'s, 'a> {
    check: &'s JoinCheck<'a>,
    column: &'s RepeatedColumn<'a>,
    choices: &'s Choices,
    cells: &'s ClassCells,
    /// Counts of the class, in the order of `values`.
    counts: Vec<(Code, Weight)>,
    values: Vec<ValueCount>,
    /// By depth, then by value: product of the numbers of records in the chosen classes.
    products: Vec<Vec<Tuples>>,
    /// By depth, then by value: product of the fewest and of the most records in the remaining releases.
    remaining: Vec<Vec<(f64, f64)>>,
    /// Place of the release whose people are counted among the counted releases.
    people: Option<usize>,
    is_exact: bool,
    steps: usize,
    /// Whether a number of tuples was too large to count.
    overflowed: bool,
    found: ClassSafety,
}

impl<'a> JoinCheck<'a> {
    /// Returns true if the check is of a repeated column.
    pub fn repeats_a_column(&self) -> bool {
        self.repeated().is_some()
    }

    /// Worst judgement over the values on X, of a repeated column.
    pub(super) fn worst_of_repeated(
        &self,
        column: &RepeatedColumn<'a>,
        cells: &ClassCells,
        key: &[u32],
        counts: &[(Code, Weight)],
        is_survey: bool,
    ) -> ClassSafety {
        let Some((first, _)) = counts.first() else { return ClassSafety::VACUOUS };
        // All other constant join columns are in X, so the records of the class agree in them.
        let extra = cells.cells[*first as usize].extra as usize;
        let values: Vec<u32> = key.iter().chain(&cells.extras[extra]).copied().collect();
        let choices = column.choices(&values);
        if choices.candidates.iter().any(|of| of.list.is_empty()) || self.index().is_aborted() {
            return ClassSafety::VACUOUS;
        }
        let tuples = choices.candidates[..column.members.len()]
            .iter()
            .try_fold(1usize, |product, of| product.checked_mul(of.list.len()));
        let is_exact = is_survey && tuples.is_some_and(|tuples| tuples <= self.max_exact);
        let mut search = WorstTuple::new(self, column, &choices, cells, counts, is_exact);
        let bound = if is_exact { None } else { search.bound(0, &search.products[0], &[]) };
        if let Some((true, safety)) = bound {
            return ClassSafety { safety, ..ClassSafety::VACUOUS };
        }
        if !search.extend(&mut Vec::new()) && search.found.holds {
            // The steps ran out, or a number is too large.
            let safety = bound.map_or(f64::NEG_INFINITY, |(_, safety)| safety);
            return ClassSafety { holds: false, safety: search.found.safety.min(safety), x: u32::MAX };
        }
        search.found
    }
}

impl<'s, 'a> WorstTuple<'s, 'a> {
    fn new(
        check: &'s JoinCheck<'a>,
        column: &'s RepeatedColumn<'a>,
        choices: &'s Choices,
        cells: &'s ClassCells,
        counts: &[(Code, Weight)],
        is_exact: bool,
    ) -> WorstTuple<'s, 'a> {
        let mut counts = counts.to_vec();
        let number = |code: Code| cells.repeated[code as usize];
        counts.sort_unstable_by_key(|(code, _)| (number(*code), *code));
        let counted = check.constraint.y.first().map(Counted::release).filter(|release| *release > 0);
        let place = counted.and_then(|release| column.members.iter().position(|member| member.release == release));
        let is_people = matches!(check.constraint.y.first(), Some(Counted::People(_)));
        let mut values: Vec<ValueCount> = Vec::new();
        for (at, (code, weight)) in counts.iter().enumerate() {
            let number = number(*code);
            match values.last_mut().filter(|last| last.number == number) {
                Some(last) => {
                    last.records += weight;
                    last.cells.end = at + 1;
                }
                None => {
                    let y = match place {
                        Some(place) => column.members[place].codes[number as usize],
                        None => Some(cells.cells[*code as usize].y),
                    };
                    values.push(ValueCount { number, records: *weight, y, cells: at..at + 1 });
                }
            }
        }
        let mut remaining = vec![vec![(1.0, 1.0); values.len()]];
        for extremes in choices.extremes.iter().rev() {
            let after = &remaining[remaining.len() - 1];
            let of_value = |(value, (fewest, most)): (&ValueCount, &(f64, f64))| match extremes
                .binary_search_by_key(&value.number, |of| of.0)
            {
                Ok(at) => (fewest * extremes[at].1 as f64, most * extremes[at].2 as f64),
                Err(_) => (0.0, 0.0),
            };
            remaining.push(values.iter().zip(after).map(of_value).collect());
        }
        remaining.reverse();
        let mut products = vec![vec![0; values.len()]; column.members.len() + 1];
        products[0] = values.iter().map(|value| Tuples::from(value.records)).collect();
        WorstTuple {
            check,
            column,
            choices,
            cells,
            counts,
            values,
            products,
            remaining,
            people: place.filter(|_| is_people),
            is_exact,
            steps: 0,
            overflowed: false,
            found: ClassSafety::VACUOUS,
        }
    }

    /// Judges the tuples that start with these classes. Returns false if the search ends.
    fn extend(&mut self, tuple: &mut Vec<u32>) -> bool {
        let depth = tuple.len();
        let index = self.check.index();
        if depth == self.column.members.len() {
            if index.has_witness(&self.choices.candidates, tuple) {
                let judged = self.judge(tuple, &self.products[depth]);
                let is_worse = (judged.holds, judged.safety) < (self.found.holds, self.found.safety);
                let x = if is_worse { index.number_of_x(tuple) } else { self.found.x };
                self.found = ClassSafety { x, ..self.found.worse(judged) };
            }
            return self.is_exact || self.found.holds;
        }
        let (choices, column) = (self.choices, self.column);
        let prefix = tuple.clone();
        self.steps += choices.candidates[depth].list.len() / CANDIDATES_OF_A_STEP;
        for class in index.members()[depth].matching_groups(index.members(), &choices.candidates[depth], &prefix) {
            self.steps += 1;
            if !self.is_exact && (self.steps > MAX_STEPS || index.gave_up()) {
                return false;
            }
            if !self.multiply(depth, column.members[depth].counts(class)) {
                continue;
            }
            if self.overflowed {
                return false;
            }
            tuple.push(class);
            let proved = if self.is_exact { None } else { self.bound(depth + 1, &self.products[depth + 1], tuple) };
            let goes_on = match proved {
                Some((true, safety)) => {
                    self.found.safety = self.found.safety.min(safety);
                    true
                }
                _ => self.extend(tuple),
            };
            tuple.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Multiplies the products of a depth with the counts of a class. Returns false if all are zero. If they would be too large, they keep
    /// their ratios.
    fn multiply(&mut self, depth: usize, counts: &[(u32, Weight)]) -> bool {
        let (before, after) = self.products.split_at_mut(depth + 1);
        let (before, after) = (&before[depth], &mut after[0]);
        let divisor = match before.iter().any(|product| *product > Tuples::from(u64::MAX)) {
            true => before.iter().fold(0, |divisor, product| greatest_common_divisor(divisor, *product)).max(1),
            false => 1,
        };
        let (mut at, mut occurs) = (0, false);
        for ((value, product), next) in self.values.iter().zip(before).zip(after) {
            while counts.get(at).is_some_and(|(number, _)| *number < value.number) {
                at += 1;
            }
            let records = counts.get(at).filter(|(number, _)| *number == value.number).map_or(0, |of| of.1);
            let product = if divisor == 1 { *product } else { product / divisor };
            let exact = product.checked_mul(Tuples::from(records));
            self.overflowed |= exact.is_none();
            *next = exact.unwrap_or(Tuples::MAX);
            occurs |= *next > 0;
        }
        occurs
    }

    /// Whether all tuples that start with these classes satisfy the limit, and a bound on their safety; `None` without a bound.
    fn bound(&self, depth: usize, products: &[Tuples], tuple: &[u32]) -> Option<(bool, f64)> {
        let remaining = &self.remaining[depth];
        match &self.check.constraint.limit {
            Limit::AtLeast(least) => {
                let occurs = |at: usize| products[at] > 0 && remaining[at].0 > 0.0;
                let fewest = self.different(&occurs, tuple);
                Some((fewest >= Tuples::from(*least), fewest as f64))
            }
            Limit::AtMost(bounds) => {
                let product = |at: usize, of: f64| products[at] as f64 * of;
                let fewest: f64 = (0..self.values.len()).map(|at| product(at, remaining[at].0)).sum();
                let own = if self.counts_own_column() { &self.cells.bounds } else { &self.check.bounds };
                let (mut holds, mut highest) = (true, 0.0f64);
                for (at, value) in self.values.iter().enumerate() {
                    let most = product(at, remaining[at].1);
                    let limit = match own.is_empty() {
                        true => bounds.general(),
                        false => value.y.and_then(|y| own.get(y as usize).copied().flatten()),
                    };
                    let Some(limit) = limit.filter(|_| most > 0.0) else { continue };
                    let others = fewest - product(at, remaining[at].0);
                    let share = most / (most + others.max(0.0));
                    highest = highest.max(share);
                    holds &= match limit.to_f64() {
                        limit if share < limit * (1.0 - ROUNDING) => true,
                        limit if share > limit * (1.0 + ROUNDING) => false,
                        _ => self.is_within(limit, at, depth, products),
                    };
                }
                Some((holds, -highest))
            }
            Limit::Distribution(_) => None,
        }
    }

    /// Whether the highest share of a value is within its bound, exactly.
    fn is_within(&self, limit: Ratio, at: usize, depth: usize, products: &[Tuples]) -> bool {
        let product = |of: usize, most: bool| {
            let number = self.values[of].number;
            let records = |extremes: &Vec<(u32, Weight, Weight)>| {
                let found = extremes.binary_search_by_key(&number, |of| of.0).map(|at| extremes[at]);
                found.map_or(0, |(_, fewest, highest)| Tuples::from(if most { highest } else { fewest }))
            };
            let mut records = self.choices.extremes[depth..].iter().map(records);
            records.try_fold(products[of], |product, records| product.checked_mul(records))
        };
        let share = || {
            let numerator = product(at, true)?;
            let others = (0..self.values.len()).filter(|other| *other != at);
            let denominator = others.into_iter().try_fold(numerator, |sum, of| sum.checked_add(product(of, false)?))?;
            Some(Ratio { numerator, denominator: denominator.max(1) })
        };
        share().is_some_and(|share| share <= limit)
    }

    fn counts_own_column(&self) -> bool {
        matches!(self.check.constraint.y.first(), Some(Counted::Column(at)) if at.release == 0)
    }

    /// Number of distinct values on Y among the values of the column that occur. For people of a release whose class is not chosen yet,
    /// the fewest.
    fn different(&self, occurs: &dyn Fn(usize) -> bool, tuple: &[u32]) -> Tuples {
        let values = || self.values.iter().enumerate().filter(|(at, _)| occurs(*at)).map(|(_, value)| value);
        match (self.check.constraint.y.first(), self.people) {
            (Some(Counted::Column(_)), _) | (None, _) => values().count() as Tuples,
            (Some(Counted::People(_)), Some(place)) => {
                let records = |number: u32| match tuple.get(place) {
                    Some(class) => {
                        let counts = self.column.members[place].counts(*class);
                        counts.binary_search_by_key(&number, |of| of.0).map_or(0, |at| counts[at].1)
                    }
                    None => {
                        let extremes = &self.choices.extremes[place];
                        extremes.binary_search_by_key(&number, |of| of.0).map_or(0, |at| extremes[at].1)
                    }
                };
                values().map(|value| Tuples::from(records(value.number))).sum()
            }
            (Some(Counted::People(_)), None) if self.cells.by_owner => {
                let owners = |value: &'_ ValueCount| self.counts[value.cells.clone()].iter();
                let mut owners: Vec<u32> =
                    values().flat_map(owners).map(|(code, _)| self.cells.cells[*code as usize].y).collect();
                owners.sort_unstable();
                owners.dedup();
                owners.len() as Tuples
            }
            (Some(Counted::People(_)), None) => values().map(|value| Tuples::from(value.records)).sum(),
        }
    }

    /// Judges a value on X: one class of each release.
    fn judge(&self, tuple: &[u32], products: &[Tuples]) -> ClassSafety {
        let check = self.check;
        // The number of the value on X is assigned if it is the worst.
        let number = u32::MAX;
        let before = check.excuses_values().then(|| self.before(tuple, number)).flatten();
        let at = ValueOnX { number, before: before.as_ref() };
        match &check.constraint.limit {
            Limit::AtLeast(least) => check.at_least(self.different(&|at| products[at] > 0, tuple), *least, at),
            Limit::AtMost(_) => {
                let total = products.iter().fold(0, |sum: Tuples, product| sum.saturating_add(*product));
                let own = if self.counts_own_column() { &self.cells.bounds } else { &check.bounds };
                let occurring = self.values.iter().zip(products).filter(|(_, product)| **product > 0);
                let of_value = |(value, product): (&ValueCount, &Tuples)| match value.y {
                    Some(y) => check.at_most(own, y, *product, total, at),
                    None => check.not_judged(number),
                };
                occurring.map(of_value).fold(ClassSafety::VACUOUS, ClassSafety::worse)
            }
            Limit::Distribution(_) => {
                let occurring = self.values.iter().zip(products).filter(|(_, product)| **product > 0);
                let ys: Option<Vec<(Code, Tuples)>> =
                    occurring.map(|(value, product)| Some((value.y?, *product))).collect();
                match (ys, self.counts_own_column()) {
                    (None, _) => check.not_judged(number),
                    (Some(ys), true) => check.distribution(self.cells, ys, number),
                    (Some(ys), false) => check.distribution_of_earlier(ys, at),
                }
            }
        }
    }

    /// Counts for a value on X among the earlier releases; `None` if they are too large.
    fn before(&self, tuple: &[u32], number: u32) -> Option<MatchedX> {
        let counted = self.check.constraint.y.first().map(Counted::release)?;
        let member = self.column.members.iter().find(|member| member.release == counted)?;
        let (first, rest) = self.column.members.split_first()?;
        let mut found = MatchedX { x: number, tuples: 0, ys: Vec::new() };
        for (value, records) in first.counts(tuple[0]) {
            let records_in = |(member, class): (&crate::join::repeated::MemberClasses, &u32)| {
                let counts = member.counts(*class);
                counts.binary_search_by_key(value, |of| of.0).map_or(0, |at| counts[at].1)
            };
            let mut others = rest.iter().zip(&tuple[1..]).map(records_in);
            let tuples = others
                .try_fold(Tuples::from(*records), |product, records| product.checked_mul(Tuples::from(records)))?;
            if tuples == 0 {
                continue;
            }
            let place = self.column.members.iter().position(|of| of.release == counted)?;
            let different = match self.people {
                Some(_) => {
                    let counts = member.counts(tuple[place]);
                    counts.binary_search_by_key(value, |of| of.0).map_or(0, |at| Tuples::from(counts[at].1))
                }
                None => 1,
            };
            found.tuples = found.tuples.checked_add(tuples)?;
            found.ys.push(MatchedY { y: member.codes[*value as usize]?, tuples, different });
        }
        Some(found)
    }
}
