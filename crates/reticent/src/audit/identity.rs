//! Whose records can be found, in the words of regulators.
//!
//! Definition  records of a release that show the same quasi-identifiers, in the same group where groups are marked, are alike: whoever
//!             knows where somebody is cannot tell which of them is theirs. Somebody is *singled out* who is alone among those alike in
//!             some release, and *linkable* who is so in two: then what both show is known to be about the same person. The chance to find
//!             somebody's record is one by the people among those alike, in the release where they are fewest (the prosecutor's risk, who
//!             knows that they are in it); its mean is the share of all people of whom a record is found (the marketer's). Who does not
//!             know whether somebody is in a release has to reckon with people who are not (the journalist's): his chance is not greater.
//!
//! That somebody is in other releases than anybody else does not find a record: nothing published ties the records of two releases.
//! What their values tell about whose they are is counted as inference.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::counted;
use crate::history::{Held, History};
use crate::links::Pseudonym;
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::taxonomy::Code;

/// Whose records can be found, and put together.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Identity {
    /// People whose record in some release is like nobody else's there (singling out).
    pub singled_out: u64,
    /// People who are in at least two releases.
    pub in_several: u64,
    /// Of these, how many are singled out in at least two, so that their records can be put together (linkability).
    pub linkable: u64,
    /// The chance to find the record of somebody who is known to be in a release (prosecutor): the greatest,
    pub prosecutor_highest: f64,
    /// and on average. The average is also that of finding everybody (marketer).
    pub prosecutor_average: f64,
}

/// Where somebody is: by release, the fewest people whose records are like theirs.
type Places = BTreeMap<u64, u64>;

impl Identity {
    pub(super) fn of(history: &History) -> Identity {
        let mut known: HashMap<Pseudonym, Places> = HashMap::new();
        let mut found = Found::default();
        for (at, held) in history.releases.iter().enumerate() {
            // A table that counts values shows nobody's record.
            if counted::about(history, at).is_some() {
                continue;
            }
            let (of_combo, classes) = alike(held);
            let Some(links) = &held.links else {
                // Another view of the same release shows the same people.
                if counted::first_view(history, at) == at {
                    classes.iter().for_each(|records| found.add(&Places::from([(held.number, *records)]), *records));
                }
                continue;
            };
            let mut people: Vec<BTreeSet<Pseudonym>> = vec![BTreeSet::new(); classes.len()];
            for (combo, pseudonym) in links.combos.iter().zip(&links.pseudonyms) {
                people[of_combo[*combo as usize]].insert(*pseudonym);
            }
            for class in people {
                for somebody in &class {
                    let fewest = known.entry(*somebody).or_default().entry(held.number).or_insert(u64::MAX);
                    *fewest = (class.len() as u64).min(*fewest);
                }
            }
        }
        known.values().for_each(|places| found.add(places, 1));
        let sum: f64 = found.by_class.iter().map(|(fewest, people)| *people as f64 / *fewest as f64).sum();
        found.identity.prosecutor_average = sum / found.people.max(1) as f64;
        found.identity
    }
}

/// By combination, the place of those like it; and by place, their records.
fn alike(held: &Held) -> (Vec<usize>, Vec<u64>) {
    let release = &held.release;
    let tells = |column: &PublishedColumn| {
        column.role == Role::QuasiIdentifier || held.disguise.groups.as_ref() == Some(&column.name)
    };
    let by: Vec<usize> = (0..release.columns.len()).filter(|column| tells(&release.columns[*column])).collect();
    let mut known: HashMap<Vec<Code>, usize> = HashMap::new();
    let mut classes: Vec<u64> = Vec::new();
    let of_combo = (0..release.combos.len()).map(|combo| {
        let key = by.iter().map(|column| release.combos.codes[*column][combo]).collect();
        let class = *known.entry(key).or_insert_with(|| {
            classes.push(0);
            classes.len() - 1
        });
        classes[class] += release.combos.weights[combo];
        class
    });
    (of_combo.collect(), classes)
}

#[derive(Default)]
struct Found {
    identity: Identity,
    people: u64,
    /// By size of the smallest class they are in: people. Counted before anything is added up, so that the order does not matter.
    by_class: BTreeMap<u64, u64>,
}

impl Found {
    /// So many people of whom the same is found.
    fn add(&mut self, places: &Places, people: u64) {
        let alone = places.values().filter(|fewest| **fewest == 1).count();
        let Some(fewest) = places.values().min() else { return };
        let chance = 1.0 / *fewest as f64;
        let when = |is: bool| if is { people } else { 0 };
        self.identity.singled_out += when(alone > 0);
        self.identity.in_several += when(places.len() > 1);
        self.identity.linkable += when(alone > 1);
        self.identity.prosecutor_highest = self.identity.prosecutor_highest.max(chance);
        *self.by_class.entry(*fewest).or_default() += people;
        self.people += people;
    }
}
