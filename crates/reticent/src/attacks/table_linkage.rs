//! Table linkage: whether a known person is in the release at all.
//!
//! Attack   of the people in an external table who match a published class, as many are in the release as the class has
//!          people: P(present) = |class| / |known people who match it|, at most 1. Who matches several classes (hidden
//!          cells overlap others) is present with at most the sum.
//! Assumes  that everybody in the release is in the external table.
//! Paper    survey section 2.3, example 2.8; Nergiz, Atzori and Clifton, SIGMOD 2007 (delta-presence).

use super::Person;
use super::knowledge::{Profile, known_columns, profiles};
use crate::classes::{Measured, for_each};
use crate::combos::Weight;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::Release;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "table-linkage",
    title: "table linkage",
    summary: "Infers from a population that covers the release how likely each known person is in it.",
    paper: "Nergiz, Atzori and Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007; survey section 2.3",
    thwarts: "who can be told to be in the release, or not to be",
    parameters: &[],
    evidence: &["attacks::tests::table_linkage_example_2_8"],
};

/// How likely a person is in the release.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Presence {
    /// What the attacker calls them.
    pub person: String,
    /// For each published class that they match: people in it, and known people who match it.
    pub classes: Vec<(Weight, Weight)>,
    /// P(present): 0 where no class matches, an upper bound where several do.
    pub probability: f64,
}

/// The presence of everybody in a population, in the order given.
pub fn presence(release: &Release, population: &[Person]) -> Result<Vec<Presence>> {
    let profiles = profiles(release, population)?;
    let mut classes: Vec<Vec<(Weight, Weight)>> = vec![Vec::new(); population.len()];
    let everybody = Measured::new(&release.combos, &[]);
    for_each(&release.combos, &known_columns(&profiles), &everybody, |member, group| {
        let matching = matching(&profiles, release, member);
        for person in &matching {
            classes[*person].push((group.size, matching.len() as Weight));
        }
    });
    Ok(population.iter().zip(classes).map(|(person, classes)| present(person, classes)).collect())
}

/// The people who match the class of this member.
fn matching(profiles: &[Profile], release: &Release, member: usize) -> Vec<usize> {
    (0..profiles.len()).filter(|person| profiles[*person].fits(&release.combos, member)).collect()
}

fn present(person: &Person, classes: Vec<(Weight, Weight)>) -> Presence {
    let expected: f64 = classes.iter().map(|(inside, known)| *inside as f64 / *known as f64).sum();
    Presence { person: person.name.clone(), classes, probability: expected.min(1.0) }
}
