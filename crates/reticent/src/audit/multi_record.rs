//! People with several records in one release: the posterior that any of their records has a value.
//!
//! A group is *independent* if none of its people is in another informative group, no background knowledge restricts them,
//! and every record has an owner and shows one value. A possible world assigns its records to its people, and all assignments
//! are equally likely. Let c of the n records have a value, and let a person own r of them. Then none of the person's records
//! has the value in C(n - c, r) of C(n, r) assignments. For records in several independent groups, these ratios multiply.
//!
//! Otherwise, the maximum posterior of the single records is a lower bound, and their sum is an upper bound.
//!
//! The more records a person has, the higher this posterior is, whatever was published. So it is only reported: thresholds apply
//! to each record, as in the privacy models. Certainty is the exception, since only releases can cause it.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::attacker_view::{AttackerView, ViewGroup, ViewPerson};
use super::marginals::{ColumnPosterior, marginals};
use reticent_inference::{Fraction, Solution};

/// Index of a class and the posteriors of its column values.
pub(super) type RecordPosteriors = (u32, Vec<ColumnPosterior>);

/// Computes posteriors of people with any number of records.
pub(super) struct MultiRecord<'a> {
    view: &'a AttackerView,
    /// Whether a group is independent, by group. Empty if no person has several records.
    independent: Vec<bool>,
}

impl<'a> MultiRecord<'a> {
    pub(super) fn new(view: &'a AttackerView) -> MultiRecord<'a> {
        if view.unlinked_record_people == 0 {
            return MultiRecord { view, independent: Vec::new() };
        }
        let mentioned: HashSet<u32> =
            view.known_counts.iter().flat_map(|count| &count.cells).map(|(class_id, _)| *class_id).collect();
        let is_independent = |(at, group): (u32, &ViewGroup)| {
            let own = |class_id: &u32| {
                let class = &view.classes[*class_id as usize];
                class.groups == [at] && class.known.is_none() && !class.incomplete && !mentioned.contains(class_id)
            };
            let people: u64 = group.classes.iter().map(|class_id| view.classes[*class_id as usize].people).sum();
            !group.values_listed_once
                && group.counterfeits == 0
                && people == group.records
                && group.classes.iter().all(own)
                && group.values.iter().all(|(cover, _)| view.domain.tuples_of(*cover).len() == 1)
        };
        MultiRecord { view, independent: (0..).zip(&view.groups).map(is_independent).collect() }
    }

    /// Returns the posteriors of each record of a person, with the class of the record.
    pub(super) fn records(&self, solution: &Solution, column: usize, person: &ViewPerson) -> Vec<RecordPosteriors> {
        let class_ids = person.classes.iter().filter(|class_id| self.view.is_informative_for(**class_id, column));
        let records = class_ids.map(|at| (*at, marginals(&self.view.domain, column, &solution.classes[*at as usize])));
        records.filter(|(_, posteriors)| !posteriors.is_empty()).collect()
    }

    /// Returns, for each release, the posteriors that any record of the person has a value, with the class of one record.
    pub(super) fn by_release(&self, records: &[RecordPosteriors], column: usize) -> Vec<RecordPosteriors> {
        let mut by_release: Vec<(Option<usize>, Vec<&RecordPosteriors>)> = Vec::new();
        for record in records {
            let release = self.group_of(record.0).map(|group| self.view.groups[group as usize].release);
            match by_release.iter_mut().find(|(known, _)| *known == release) {
                Some((_, records)) => records.push(record),
                None => by_release.push((release, vec![record])),
            }
        }
        let any = |(_, records): (Option<usize>, Vec<&RecordPosteriors>)| match records.as_slice() {
            [one] => (*one).clone(),
            several => (several[0].0, self.any_record(several, column)),
        };
        by_release.into_iter().map(any).collect()
    }

    fn group_of(&self, place: u32) -> Option<u32> {
        self.view.classes[place as usize].groups.first().copied()
    }

    /// Computes the posteriors that any of a person's records in one release has a value.
    fn any_record(&self, records: &[&RecordPosteriors], column: usize) -> Vec<ColumnPosterior> {
        let mut own: BTreeMap<u32, u64> = BTreeMap::new();
        let mut others: Vec<&Vec<ColumnPosterior>> = Vec::new();
        for (class_id, posteriors) in records.iter().copied() {
            match self.group_of(*class_id).filter(|group| self.independent.get(*group as usize) == Some(&true)) {
                Some(group) => *own.entry(group).or_insert(0) += 1,
                None => others.push(posteriors),
            }
        }
        // Probability, by value, that no record in an independent group has it: exact if it can be represented, and rounded.
        let mut none: BTreeMap<u32, (Option<Fraction>, f64)> = BTreeMap::new();
        for (group, records) in own {
            let group = &self.view.groups[group as usize];
            for (value, showing) in self.value_counts(group, column) {
                let (exact, rounded) = none.entry(value).or_insert((Some(Fraction::ONE), 1.0));
                let (here, rounded_here) = probability_of_none(group.records, showing, records);
                *exact = exact.zip(here).and_then(|(all, here)| all.checked_mul(here));
                *rounded *= rounded_here;
            }
        }
        let posterior = |(value, (exact, rounded)): (u32, (Option<Fraction>, f64))| {
            let any = exact.map_or(1.0 - rounded, |none| none.complement().value());
            let bounds = exact.map(|none| (none.complement(), none.complement()));
            let (lower, upper) = bounds.unwrap_or_else(|| (Fraction::below(any), Fraction::above(any)));
            ColumnPosterior { value, lower, upper, random_worlds: Some(any), sampled: None, maximum_entropy: Some(any) }
        };
        let mut all: Vec<ColumnPosterior> = none.into_iter().map(posterior).collect();
        for other in others.into_iter().flatten() {
            match all.iter_mut().find(|known| known.value == other.value) {
                None => all.push(*other),
                Some(known) => {
                    let either = 1.0 - (1.0 - known.best()) * (1.0 - other.best());
                    known.lower = known.lower.max(other.lower);
                    known.upper = known.upper.plus_up(other.upper);
                    (known.random_worlds, known.sampled, known.maximum_entropy) = (None, None, Some(either));
                }
            }
        }
        all.sort_unstable_by_key(|posterior| posterior.value);
        all
    }

    /// Number of records with each value in an independent group.
    fn value_counts(&self, group: &ViewGroup, column: usize) -> BTreeMap<u32, u64> {
        let domain = &self.view.domain;
        let mut showing = BTreeMap::new();
        for (cover, records) in &group.values {
            let value = domain.tuples_of(*cover).first().map(|tuple| domain.tuples[*tuple as usize][column]);
            if let Some(value) = value.filter(|value| *value != u32::MAX) {
                *showing.entry(value).or_insert(0) += records;
            }
        }
        showing
    }
}

/// Probability that none of `own` records, drawn from `all` records, is one of the `showing` records with a value.
///
/// Returns the exact fraction if it can be represented, and a rounded value.
fn probability_of_none(all: u64, showing: u64, own: u64) -> (Option<Fraction>, f64) {
    let not = all.saturating_sub(showing);
    if not < own {
        return (Some(Fraction::new(0, 1)), 0.0);
    }
    let (mut exact, mut rounded) = (Some(Fraction::ONE), 1.0);
    for nth in 0..own {
        let factor = Fraction::new(u128::from(not - nth), u128::from(all - nth));
        exact = exact.and_then(|share| share.checked_mul(factor));
        rounded *= factor.value();
    }
    (exact, rounded)
}

#[cfg(test)]
mod tests {
    use super::probability_of_none;
    use reticent_inference::Fraction;

    /// Compares the formula with an enumeration of all assignments.
    #[test]
    fn probability_of_none_matches_enumeration() {
        for all in 1..=9u64 {
            for showing in 0..=all {
                for own in 0..=all {
                    let draws = (0u32..1 << all).filter(|draw| u64::from(draw.count_ones()) == own);
                    let shows = (1u32 << showing) - 1;
                    let (mut draw_count, mut none) = (0u128, 0u128);
                    for draw in draws {
                        draw_count += 1;
                        none += u128::from(draw & shows == 0);
                    }
                    let (exact, rounded) = probability_of_none(all, showing, own);
                    assert_eq!(exact, Some(Fraction::new(none, draw_count)), "{all} {showing} {own}");
                    assert!((rounded - none as f64 / draw_count as f64).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn probability_of_none_is_rounded_if_not_representable() {
        let (exact, rounded) = probability_of_none(1_000_000_007, 500_000_003, 40);
        assert_eq!(exact, None);
        assert!((rounded / 2f64.powi(-40) - 1.0).abs() < 1e-6, "{rounded}");
    }
}
