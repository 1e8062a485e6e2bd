//! Re-identification risks: singling out, linkability, and the prosecutor, marketer and journalist risks.
//!
//! Definition  An equivalence class is the set of records of a release with the same quasi-identifiers, and the same group if
//!             there is a group column. A person is *singled out* in a release if no other person is in their class, and
//!             *linkable* if singled out in two releases. The prosecutor knows that the person is in the release. The
//!             prosecutor risk is 1 / (number of people in the class), in the release where the class is smallest. Its mean
//!             over all people is the marketer risk. The journalist does not know whether the person is in the release, so the
//!             journalist risk is not higher than the prosecutor risk.
//!
//! The set of releases that contain a person singles out no record, since nothing published links the records of two releases.
//! The audit counts what sensitive values reveal about owners as inference.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::marginal_tables;
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};

/// Re-identification and linkage risks of a history.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Identity {
    /// Number of people who are singled out in at least one release.
    pub singled_out: u64,
    /// Number of people in at least two releases.
    pub in_several: u64,
    /// Number of people who are singled out in at least two releases, so that these records can be linked.
    pub linkable: u64,
    /// Maximum prosecutor risk.
    pub prosecutor_highest: f64,
    /// Average prosecutor risk, which is the marketer risk.
    pub prosecutor_average: f64,
}

/// Number of people in the person's smallest equivalence class, by release number.
type ClassSizes = BTreeMap<u64, u64>;

impl Identity {
    pub(super) fn new(history: &History) -> Identity {
        let mut known: HashMap<Pseudonym, ClassSizes> = HashMap::new();
        let mut tally = IdentityTally::default();
        for (at, recorded) in history.releases.iter().enumerate() {
            // A marginal table has no records of people.
            if marginal_tables::counted_release(history, at).is_some() {
                continue;
            }
            let (class_of_cell, classes) = equivalence_classes(recorded);
            let Some(links) = &recorded.links else {
                // Other views of a release have the same people.
                if marginal_tables::first_view(history, at) == at {
                    classes
                        .iter()
                        .for_each(|records| tally.add(&ClassSizes::from([(recorded.number, *records)]), *records));
                }
                continue;
            };
            let mut people: Vec<BTreeSet<Pseudonym>> = vec![BTreeSet::new(); classes.len()];
            for (cell, pseudonym) in links.cells.iter().zip(&links.pseudonyms) {
                people[class_of_cell[*cell as usize]].insert(*pseudonym);
            }
            for class in people {
                for person in &class {
                    let smallest = known.entry(*person).or_default().entry(recorded.number).or_insert(u64::MAX);
                    *smallest = (class.len() as u64).min(*smallest);
                }
            }
        }
        known.values().for_each(|class_sizes| tally.add(class_sizes, 1));
        let sum: f64 =
            tally.people_by_class_size.iter().map(|(smallest, people)| *people as f64 / *smallest as f64).sum();
        tally.identity.prosecutor_average = sum / tally.people.max(1) as f64;
        tally.identity
    }
}

/// Returns the equivalence class of each contingency-table cell, and the number of records in each class.
fn equivalence_classes(recorded: &RecordedRelease) -> (Vec<usize>, Vec<u64>) {
    let release = &recorded.release;
    let distinguishes = |column: &PublishedColumn| {
        column.role == Role::QuasiIdentifier || recorded.presentation.group_column.as_ref() == Some(&column.name)
    };
    let by: Vec<usize> = (0..release.columns.len()).filter(|column| distinguishes(&release.columns[*column])).collect();
    let mut known: HashMap<Vec<Code>, usize> = HashMap::new();
    let mut classes: Vec<u64> = Vec::new();
    let class_of_cell = (0..release.contingency.len()).map(|cell| {
        let key = by.iter().map(|column| release.contingency.codes[*column][cell]).collect();
        let class = *known.entry(key).or_insert_with(|| {
            classes.push(0);
            classes.len() - 1
        });
        classes[class] += release.contingency.weights[cell];
        class
    });
    (class_of_cell.collect(), classes)
}

#[derive(Default)]
struct IdentityTally {
    identity: Identity,
    people: u64,
    /// Number of people by size of their smallest class. Counted before summation, so that the order does not affect rounding.
    people_by_class_size: BTreeMap<u64, u64>,
}

impl IdentityTally {
    /// Adds `people` people with these class sizes.
    fn add(&mut self, class_sizes: &ClassSizes, people: u64) {
        let unique = class_sizes.values().filter(|smallest| **smallest == 1).count();
        let Some(smallest) = class_sizes.values().min() else { return };
        let risk = 1.0 / *smallest as f64;
        let when = |is: bool| if is { people } else { 0 };
        self.identity.singled_out += when(unique > 0);
        self.identity.in_several += when(class_sizes.len() > 1);
        self.identity.linkable += when(unique > 1);
        self.identity.prosecutor_highest = self.identity.prosecutor_highest.max(risk);
        *self.people_by_class_size.entry(*smallest).or_default() += people;
        self.people += people;
    }
}
