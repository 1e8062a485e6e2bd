//! Figures of an audit: number of people by posterior, for each sensitive column.

use hashbrown::{HashMap, HashSet};

use super::attacker_view::{AttackerView, ViewPerson};
use super::marginals::{ColumnPosterior, marginals};
use super::multi_record::MultiRecord;
use super::prior_disclosure::PriorDisclosure;
use super::{AuditOptions, to_fraction};
use crate::data::links::Pseudonym;
use crate::ratio::Ratio;
use reticent_inference::{Fraction, Solution};

/// Number of bars of the posterior histogram. The last bar is certainty.
pub(super) const HISTOGRAM_BARS: usize = 11;

/// Results for one sensitive column.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ColumnAudit {
    /// Name of the column.
    pub name: String,
    /// Number of values in the domain of the column.
    pub values: usize,
    /// Number of people with a posterior for this column.
    pub people: u64,
    /// Threshold on the posterior; `None` if there is none.
    pub threshold: Option<f64>,
    /// Number of people whose value is certain.
    pub certain: u64,
    /// Number of people whose value may be certain (upper bound 1), including those in `certain`.
    pub may_be_certain: u64,
    /// Number of people whose posterior certainly exceeds the threshold: that of a record, or certainty over all their records.
    pub above: u64,
    /// Number of people whose posterior may exceed the threshold, including those in `above`.
    pub may_be_above: u64,
    /// Number of other people whose posterior that any of their records has a value exceeds the threshold, or may exceed it.
    pub any_record_above: u64,
    /// Number of people whose estimated posterior exceeds the threshold.
    pub estimated_above: u64,
    /// Maximum posterior over all people. With several records: the posterior that any of them has the value.
    pub highest: PosteriorRange,
    /// Maximum posterior over all records.
    pub highest_record: PosteriorRange,
    /// Expected accuracy of guessing each person's most probable value. An upper bound if `bounds_only` is not 0.
    pub accuracy: f64,
    /// Expected accuracy of guessing the most frequent value for every person.
    pub baseline: f64,
    /// Number of people by maximum posterior: below 10 %, below 20 %, ..., below 100 %, certain. People in `bounds_only` are
    /// counted by their upper bound.
    pub histogram: [u64; HISTOGRAM_BARS],
    /// Number of people with bounds only: neither an exact posterior nor an estimate.
    pub bounds_only: u64,
    /// Number of people with an exact posterior.
    pub exact: u64,
    /// Number of people whose figure in `accuracy`, `histogram` and `highest` is an estimate.
    pub estimated: u64,
    /// Sum of the entropies of all people's maximum-entropy posteriors, in bits; `None` if the estimate did not converge.
    pub entropy_bits: Option<f64>,
    /// Number of people above the threshold before the newest release, which adds nothing about them. Counted only with
    /// [`AuditOptions::only_new`], and not included in `above`.
    #[serde(skip)]
    pub already_above: u64,
    /// Maximum posterior over these people.
    #[serde(skip)]
    pub already_highest: PosteriorRange,
}

/// A posterior probability: bounds and an estimate.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PosteriorRange {
    /// Lower bound.
    pub lower: Fraction,
    /// Upper bound.
    pub upper: Fraction,
    /// Best estimate.
    pub estimate: f64,
}

impl PosteriorRange {
    pub(super) const ZERO: PosteriorRange = PosteriorRange {
        lower: Fraction { numerator: 0, denominator: 1 },
        upper: Fraction { numerator: 0, denominator: 1 },
        estimate: 0.0,
    };

    /// Returns whether the bounds are equal.
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    fn highest_of(posteriors: &[ColumnPosterior]) -> PosteriorRange {
        let worse = |level: PosteriorRange, posterior: &ColumnPosterior| PosteriorRange {
            lower: level.lower.max(posterior.lower),
            upper: level.upper.max(posterior.upper),
            estimate: level.estimate.max(posterior.best()),
        };
        posteriors.iter().fold(PosteriorRange::ZERO, worse)
    }

    /// The posterior of one record, or that of all records together where the latter is 1.
    fn or_certain(self, all: PosteriorRange) -> PosteriorRange {
        let certain = |own: Fraction, all: Fraction| if all == Fraction::ONE { all } else { own };
        PosteriorRange {
            lower: certain(self.lower, all.lower),
            upper: certain(self.upper, all.upper),
            estimate: if all.estimate >= 1.0 { 1.0 } else { self.estimate },
        }
    }

    pub(super) fn elementwise_max(self, other: PosteriorRange) -> PosteriorRange {
        PosteriorRange {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
            estimate: self.estimate.max(other.estimate),
        }
    }
}

impl Default for PosteriorRange {
    fn default() -> PosteriorRange {
        PosteriorRange::ZERO
    }
}

/// Results of one attacker view.
pub(super) struct AuditTally {
    pub columns: Vec<ColumnAudit>,
    /// Candidates for the worst cases.
    pub worst_cases: Vec<WorstCase>,
}

/// The most probable value of a person, or of all people of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorstCase {
    pub class: u32,
    pub column: usize,
    pub posterior: ColumnPosterior,
    /// Index of the person; `None` for all people who are in this class only.
    pub person: Option<usize>,
}

/// Number of worst-case candidates kept for each column.
const MAX_WORST_CASES: usize = 1_000;

impl AuditTally {
    pub(super) fn new(
        view: &AttackerView,
        solution: &Solution,
        options: &AuditOptions,
        prior: &PriorDisclosure,
    ) -> AuditTally {
        let newest = view.linked.len().saturating_sub(1);
        // With `only_new`, people without a pseudonym count only if they are in the newest release.
        let touched = |person: &ViewPerson| {
            let there = |group: u32| view.groups[group as usize].release == newest;
            person.pseudonym.is_some() || person.groups().any(there)
        };
        let multi_record = MultiRecord::new(view);
        let mut tally = AuditTally { columns: Vec::new(), worst_cases: Vec::new() };
        let single = |person: &&ViewPerson| person.classes.len() == 1;
        let wanted = |name: &String| options.columns.as_ref().is_none_or(|columns| columns.contains(name));
        for at in (0..view.domain.columns.len()).filter(|at| wanted(&view.domain.columns[*at])) {
            let known = prior.0.get(&view.domain.columns[at]);
            let known = |person: &ViewPerson| known.and_then(|known| known.get(&person.pseudonym?));
            // A value that the attacker knows beforehand is not an inference.
            let column = &view.domain.columns[at];
            let given: HashSet<Pseudonym> = options
                .knowledge
                .known
                .iter()
                .filter(|known| known.has && known.column == *column)
                .map(|known| known.person)
                .collect();
            let given = |person: &ViewPerson| person.pseudonym.is_some_and(|pseudonym| given.contains(&pseudonym));
            let asked = |person: &&ViewPerson| (!options.only_new || touched(person)) && !given(person);
            let mut people = vec![0u64; view.classes.len()];
            let singles = view.people.iter().filter(asked).filter(single).filter(|person| known(person).is_none());
            singles.for_each(|person| people[person.classes[0] as usize] += person.people);
            let first = tally.worst_cases.len();
            let mut counting = ColumnTally::new(view, &multi_record, at, options.threshold(column));
            for (class_id, people) in
                (0..).zip(&people).filter(|(class_id, people)| **people > 0 && view.is_informative_for(*class_id, at))
            {
                let posteriors = marginals(&view.domain, at, &solution.classes[class_id as usize]);
                if let Some(top) = posteriors.iter().max_by(|one, two| compare_severity(one, two)) {
                    tally.push_worst_case(
                        first,
                        WorstCase { class: class_id, column: at, posterior: *top, person: None },
                    );
                }
                let level = PosteriorRange::highest_of(&posteriors);
                counting.add_people(
                    *people,
                    (level, level),
                    posteriors.iter().all(ColumnPosterior::is_exact),
                    &posteriors,
                );
            }
            let other = |person: &&ViewPerson| asked(person) && (!single(person) || known(person).is_some());
            for (index, person) in view.people.iter().enumerate().filter(|(_, person)| other(person)) {
                if let Some((class_id, posterior)) = counting.add_person(person, solution, known(person)) {
                    tally.push_worst_case(
                        first,
                        WorstCase { class: class_id, column: at, posterior, person: Some(index) },
                    );
                }
            }
            tally.columns.push(counting.finish());
        }
        tally
    }

    /// Adds a candidate for the worst cases of the column whose candidates start at `first`.
    fn push_worst_case(&mut self, first: usize, top: WorstCase) {
        self.worst_cases.push(top);
        if self.worst_cases.len() - first >= 2 * MAX_WORST_CASES {
            self.worst_cases[first..].sort_by(|one, two| compare_severity(&two.posterior, &one.posterior));
            self.worst_cases.truncate(first + MAX_WORST_CASES);
        }
    }
}

/// Orders posteriors by lower bound, then by estimate.
fn compare_severity(one: &ColumnPosterior, two: &ColumnPosterior) -> std::cmp::Ordering {
    one.lower.cmp(&two.lower).then(one.best().total_cmp(&two.best()))
}

/// Accumulates the figures of one column.
struct ColumnTally<'a> {
    view: &'a AttackerView,
    column_index: usize,
    threshold: Option<Fraction>,
    figures: ColumnAudit,
    multi_record: &'a MultiRecord<'a>,
    accuracy_sum: f64,
    entropy_bits: Option<f64>,
}

impl<'a> ColumnTally<'a> {
    fn new(
        view: &'a AttackerView,
        multi_record: &'a MultiRecord,
        at: usize,
        confidence: Option<Ratio>,
    ) -> ColumnTally<'a> {
        let column = ColumnAudit {
            name: view.domain.columns[at].clone(),
            values: view.domain.values[at].len(),
            people: 0,
            threshold: confidence.map(Ratio::to_f64),
            certain: 0,
            may_be_certain: 0,
            above: 0,
            may_be_above: 0,
            estimated_above: 0,
            any_record_above: 0,
            highest: PosteriorRange::ZERO,
            highest_record: PosteriorRange::ZERO,
            accuracy: 0.0,
            baseline: baseline(view, at),
            histogram: [0; HISTOGRAM_BARS],
            bounds_only: 0,
            exact: 0,
            estimated: 0,
            entropy_bits: None,
            already_above: 0,
            already_highest: PosteriorRange::ZERO,
        };
        ColumnTally {
            view,
            column_index: at,
            threshold: confidence.map(to_fraction),
            figures: column,
            multi_record,
            accuracy_sum: 0.0,
            entropy_bits: Some(0.0),
        }
    }

    /// Adds people with the same posteriors: the maximum over all their records, and that of one record.
    fn add_people(
        &mut self,
        people: u64,
        (level, of_record): (PosteriorRange, PosteriorRange),
        exact: bool,
        posteriors: &[ColumnPosterior],
    ) {
        if posteriors.is_empty() {
            return;
        }
        let column = &mut self.figures;
        column.people += people;
        let certain = level.lower == Fraction::ONE;
        column.certain += if certain { people } else { 0 };
        column.may_be_certain += if level.upper == Fraction::ONE { people } else { 0 };
        if let Some(threshold) = self.threshold {
            let judged = of_record.or_certain(level);
            column.above += if judged.lower > threshold { people } else { 0 };
            column.may_be_above += if judged.upper > threshold { people } else { 0 };
            column.estimated_above += if judged.estimate > threshold.value() + 1e-9 { people } else { 0 };
            column.any_record_above +=
                if judged.lower <= threshold && level.upper > threshold && level.upper > judged.upper {
                    people
                } else {
                    0
                };
        }
        column.highest = column.highest.elementwise_max(level);
        column.highest_record = column.highest_record.elementwise_max(of_record);
        column.exact += if exact { people } else { 0 };
        let bounded = level.lower < level.upper && posteriors.iter().any(|posterior| posterior.figure().is_none());
        column.bounds_only += if bounded { people } else { 0 };
        column.estimated += if !exact && !bounded && level.lower < level.upper { people } else { 0 };
        let bar = if certain {
            HISTOGRAM_BARS - 1
        } else {
            ((level.estimate * 10.0 + 1e-9) as usize).min(HISTOGRAM_BARS - 2)
        };
        column.histogram[bar] += people;
        self.accuracy_sum += level.estimate * people as f64;
        let bits = |posterior: &ColumnPosterior| {
            posterior.maximum_entropy.map(|share| if share > 0.0 { -share * share.log2() } else { 0.0 })
        };
        let bits: Option<f64> = posteriors.iter().map(bits).sum();
        self.entropy_bits = self.entropy_bits.zip(bits).map(|(all, these)| all + these * people as f64);
    }

    /// Adds a person with several records, a changed value, or a prior disclosure, by the release with the highest posterior.
    ///
    /// A value that earlier releases disclose is not counted again unless its posterior increases. Returns the new value with
    /// the highest posterior and its class.
    fn add_person(
        &mut self,
        person: &ViewPerson,
        solution: &Solution,
        prior: Option<&HashMap<String, Fraction>>,
    ) -> Option<(u32, ColumnPosterior)> {
        let records = self.multi_record.records(solution, self.column_index, person);
        let by_release = self.multi_record.by_release(&records, self.column_index);
        let label = |posterior: &ColumnPosterior| &self.view.domain.values[self.column_index][posterior.value as usize];
        let known = |posterior: &ColumnPosterior| prior.and_then(|prior| prior.get(label(posterior)));
        let is_new =
            |(_, posterior): &(u32, ColumnPosterior)| known(posterior).is_none_or(|prior| posterior.upper > *prior);
        let all = by_release
            .iter()
            .flat_map(|(class_id, posteriors)| posteriors.iter().map(|posterior| (*class_id, *posterior)));
        let new: Vec<(u32, ColumnPosterior)> = all.clone().filter(is_new).collect();
        let level = |posteriors: Vec<ColumnPosterior>| PosteriorRange::highest_of(&posteriors);
        let of_record = records
            .iter()
            .flat_map(|(class_id, posteriors)| posteriors.iter().map(|posterior| (*class_id, *posterior)));
        let of_record = level(of_record.filter(is_new).map(|(_, posterior)| posterior).collect());
        let level = level(new.iter().map(|(_, posterior)| *posterior).collect());
        let exact = all.clone().all(|(_, posterior)| posterior.is_exact());
        let old: Vec<ColumnPosterior> =
            all.clone().filter(|one| !is_new(one)).map(|(_, posterior)| posterior).collect();
        if !old.is_empty() {
            self.figures.already_above += person.people;
            self.figures.already_highest =
                self.figures.already_highest.elementwise_max(PosteriorRange::highest_of(&old));
        }
        if let Some((_, last)) = by_release.last() {
            self.add_people(person.people, (level, of_record), exact, last);
        }
        new.into_iter().max_by(|one, two| compare_severity(&one.1, &two.1))
    }

    fn finish(mut self) -> ColumnAudit {
        self.figures.accuracy = self.accuracy_sum / (self.figures.people.max(1)) as f64;
        self.figures.entropy_bits = self.entropy_bits;
        self.figures
    }
}

/// Relative frequency of the most frequent value in the newest release that shows one value of the column in every record.
fn baseline(view: &AttackerView, column: usize) -> f64 {
    let mut best = 0.0;
    let newest = view.groups.iter().map(|group| group.release).max().unwrap_or(0);
    for release in (0..=newest).rev() {
        let mut counts: HashMap<u32, u64> = HashMap::new();
        let (mut all, mut plain) = (0, 0);
        for (cover, records) in
            view.groups.iter().filter(|group| group.release == release).flat_map(|group| &group.values)
        {
            all += records;
            let below = view.domain.tuples_of(*cover);
            let value = below.first().map(|tuple| view.domain.tuples[*tuple as usize][column]);
            let one =
                value.filter(|value| below.iter().all(|tuple| view.domain.tuples[*tuple as usize][column] == *value));
            if let Some(value) = one.filter(|value| *value != u32::MAX) {
                plain += records;
                *counts.entry(value).or_insert(0) += records;
            }
        }
        if plain > 0 && plain == all {
            best = counts.values().copied().max().unwrap_or(0) as f64 / all as f64;
            break;
        }
    }
    best
}
