//! Sets of records of one person: how many people have them.
//!
//! The view of a person is the multiset of the equivalence classes of their records. An attacker knows some records of a person, a
//! sub-multiset of the view. Its support is the number of people whose views contain it. An attacker who knows all records knows
//! the view itself; its support is the number of people with an equal view.

use hashbrown::HashMap;

use crate::data::contingency::{ContingencyTable, ascending};
use crate::data::taxonomy::Code;
use crate::error::{Obstacle, Result};

/// Maximum number of sets of records that are counted.
const MAX_SETS: u64 = 1 << 22;

/// The least number of people who share what an attacker knows about the records of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSets {
    /// Minimum support.
    pub k: u64,
    /// Number of records of a person that the attacker knows; `None` if the attacker knows all of them.
    pub known: Option<usize>,
}

/// Views of people: classes in ascending order, each with the number of the person's records in it.
#[derive(Debug, Default)]
pub struct Views {
    items: Vec<(Code, u64)>,
    starts: Vec<usize>,
}

impl Views {
    /// Builds views from records, given as (person, class, number of records), in ascending order of person and class.
    pub fn new<P: PartialEq>(records: impl Iterator<Item = (P, Code, u64)>) -> Views {
        let mut views = Views::default();
        let mut last: Option<(P, Code)> = None;
        for (person, class, count) in records {
            let same_person = last.as_ref().is_some_and(|(known, _)| *known == person);
            if !same_person {
                views.starts.push(views.items.len());
            }
            match views.items.last_mut() {
                Some((_, total)) if same_person && last.as_ref().is_some_and(|(_, known)| *known == class) => {
                    *total += count;
                }
                _ => views.items.push((class, count)),
            }
            last = Some((person, class));
        }
        views
    }

    /// Number of people.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if there are no people.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// View of a person.
    pub fn of(&self, person: usize) -> &[(Code, u64)] {
        let end = self.starts.get(person + 1).copied().unwrap_or(self.items.len());
        &self.items[self.starts[person]..end]
    }
}

impl RecordSets {
    /// Calls `visit` with each person, each set of their records that an attacker can know, and the support of the set.
    ///
    /// Only sets of the maximum size are visited, because a subset has at least the support of the set.
    ///
    /// # Errors
    ///
    /// Returns an error if people have too many sets of records.
    pub fn for_each(&self, views: &Views, mut visit: impl FnMut(usize, &[Code], u64)) -> Result<()> {
        let Some(known) = self.known else {
            let mut people: HashMap<&[(Code, u64)], u64> = HashMap::new();
            (0..views.len()).for_each(|person| *people.entry(views.of(person)).or_default() += 1);
            for person in 0..views.len() {
                let view = views.of(person);
                let classes: Vec<Code> = view.iter().map(|(class, _)| *class).collect();
                visit(person, &classes, people.get(view).copied().unwrap_or(0));
            }
            return Ok(());
        };
        let size_of = |person: usize| {
            let records = views.of(person).iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
            usize::try_from(records).unwrap_or(usize::MAX).min(known)
        };
        let mut sizes: Vec<usize> = (0..views.len()).map(size_of).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut people: HashMap<Box<[Code]>, u64> = HashMap::new();
        let (mut sets, mut set) = (0, Vec::new());
        for person in 0..views.len() {
            for size in &sizes {
                let more = each_set(views.of(person), *size, &mut set, &mut |set| {
                    sets += 1;
                    match people.get_mut(set) {
                        Some(count) => *count += 1,
                        None => {
                            people.insert(set.into(), 1);
                        }
                    }
                    sets < MAX_SETS
                });
                if !more {
                    return Err(Obstacle::TooManyRecordSets { limit: MAX_SETS }.into());
                }
            }
        }
        for person in 0..views.len() {
            each_set(views.of(person), size_of(person), &mut set, &mut |set| {
                visit(person, set, people.get(set).copied().unwrap_or(0));
                true
            });
        }
        Ok(())
    }

    /// Smallest support, by combination, of a set with a record of the combination's class on the columns `by`.
    ///
    /// # Errors
    ///
    /// Returns an error if people have too many sets of records.
    pub fn least_supports(&self, contingency: &ContingencyTable, by: &[usize]) -> Result<Option<Vec<u64>>> {
        let Some(owners) = &contingency.owners else { return Ok(None) };
        let parts: Vec<&[Code]> = by.iter().map(|column| contingency.codes[*column].as_slice()).collect();
        let mut classes = vec![0; contingency.len()];
        let mut class = 0;
        let order = ascending(&parts, contingency.len());
        for (place, at) in order.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| order[before] as usize);
            class += Code::from(before.is_some_and(|other| parts.iter().any(|part| part[other] != part[*at as usize])));
            classes[*at as usize] = class;
        }
        let least = self.least_by_class(owners, &classes, &contingency.weights)?;
        Ok(Some(classes.iter().map(|class| least[*class as usize]).collect()))
    }

    /// Smallest support, by class, of a set with a record of the class. Records are given by owner, class and number.
    ///
    /// # Errors
    ///
    /// Returns an error if people have too many sets of records.
    pub fn least_by_class(&self, owners: &[u32], classes: &[Code], weights: &[u64]) -> Result<Vec<u64>> {
        let order = ascending(&[owners, classes], weights.len());
        let records = order.iter().map(|at| *at as usize).map(|at| (owners[at], classes[at], weights[at]));
        let views = Views::new(records);
        let mut least = vec![u64::MAX; classes.iter().max().map_or(0, |most| *most as usize + 1)];
        self.for_each(&views, |_, set, support| {
            for class in set {
                let known = &mut least[*class as usize];
                *known = support.min(*known);
            }
        })?;
        Ok(least)
    }
}

/// Calls `visit` with every sub-multiset of `size` records of a view, in ascending order, until it returns false. `set` is a buffer.
fn each_set(view: &[(Code, u64)], size: usize, set: &mut Vec<Code>, visit: &mut impl FnMut(&[Code]) -> bool) -> bool {
    if size == 0 {
        return visit(set);
    }
    let before = set.len();
    // Number of records from a place on.
    let mut left = view.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    for (place, (class, count)) in view.iter().enumerate() {
        if left < size as u64 {
            break;
        }
        left -= *count;
        let most = usize::try_from(*count).unwrap_or(usize::MAX).min(size);
        let least = usize::try_from((size as u64).saturating_sub(left)).unwrap_or(size).max(1);
        for taken in least..=most {
            set.resize(before + taken, *class);
            if !each_set(&view[place + 1..], size - taken, set, visit) {
                set.truncate(before);
                return false;
            }
        }
        set.truncate(before);
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::*;

    /// Wards {a, b}, {a, c}, {b, c}: everybody shares a ward with another person, and no pair of wards is shared.
    #[test]
    fn supports_of_one_two_and_all_records() {
        let (owners, classes, weights) = ([0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2], [1; 6]);
        let least = |known| RecordSets { k: 2, known }.least_by_class(&owners, &classes, &weights).unwrap();
        assert_eq!(least(Some(1)), [2, 2, 2]);
        assert_eq!(least(Some(2)), [1, 1, 1]);
        assert_eq!(least(None), [1, 1, 1]);
    }

    /// Only complete sets are built: one person with twenty classes has one set of twenty.
    #[test]
    fn large_sets_are_built_directly() {
        let view: Vec<(Code, u64)> = (0..20).map(|class| (class, 1)).collect();
        let mut found = Vec::new();
        assert!(each_set(&view, 20, &mut Vec::new(), &mut |set| {
            found.push(set.to_vec());
            true
        }));
        assert_eq!(found, [(0..20).collect::<Vec<Code>>()]);
        assert!(each_set(&view, 21, &mut Vec::new(), &mut |_| panic!("no set of 21")));
        let many: Vec<(Code, u64)> = (0..40).map(|class| (class, 1)).collect();
        let views = Views::new(many.iter().map(|(class, count)| (0u32, *class, *count)));
        let sets = RecordSets { k: 2, known: Some(20) };
        let error = sets.for_each(&views, |_, _, _| {}).unwrap_err();
        assert_eq!(error.code(), "too-many-record-sets");
    }

    /// One person has the records {a, a}, two have {a, b}, and one has {a}.
    #[test]
    fn a_set_counts_equal_records() {
        let (owners, classes, weights) = ([0, 1, 1, 2, 2, 3], [0, 0, 1, 0, 1, 0], [2, 1, 1, 1, 1, 1]);
        let supports = |known| {
            let views = Views::new((0..6).map(|at| (owners[at], classes[at], weights[at])));
            let mut found = Vec::new();
            let sets = RecordSets { k: 2, known };
            sets.for_each(&views, |person, set, support| found.push((person, set.to_vec(), support))).unwrap();
            found.sort();
            found
        };
        let pairs = [(0, vec![0, 0], 1), (1, vec![0, 1], 2), (2, vec![0, 1], 2), (3, vec![0], 4)];
        assert_eq!(supports(Some(2)), pairs);
        let all = [(0, vec![0], 1), (1, vec![0, 1], 2), (2, vec![0, 1], 2), (3, vec![0], 1)];
        assert_eq!(supports(None), all);
    }
}
