//! Record linkage: which records can be those of a known person, and what they say about them.
//!
//! Attack   joins an external table with the release: a record may be a person's when no published value contradicts what
//!          is known, that is, when each is the known value or a node above it.
//! Assumes  that the person is in the release.
//! Paper    survey section 2.1, example 2.1.

use hashbrown::HashSet;
use rayon::prelude::*;

use super::Person;
use super::knowledge::{Profile, profiles};
use crate::combos::Weight;
use crate::error::Result;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::schema::Role;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "record-linkage",
    title: "record linkage",
    summary: "Joins what is known about people with the release: how many records can be theirs, and which sensitive values those carry.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002; survey section 2.1",
    thwarts: "who can be linked to a record, and what that record says",
    parameters: &[],
    evidence: &["attacks::tests::record_linkage_example_2_1", "attacks::tests::record_linkage_example_2_2"],
};

/// What the release says about one person.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Linked {
    /// What the attacker calls them.
    pub person: String,
    /// Records that can be theirs.
    pub records: Weight,
    /// People whom those records are about; 1 means that the person is singled out.
    pub people: Weight,
    /// What those records carry, by sensitive column.
    pub sensitive: Vec<Carried>,
}

/// The values of a sensitive column among some records.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Carried {
    /// The column.
    pub column: String,
    /// Published codes that occur, ascending, with the number of records.
    pub values: Vec<(u32, Weight)>,
}

/// Links every known person with the release, in the order given.
pub fn link(release: &Release, people: &[Person]) -> Result<Vec<Linked>> {
    let profiles = profiles(release, people)?;
    let pairs = people.par_iter().zip(&profiles);
    Ok(pairs.map(|(person, profile)| linked(release, person, profile)).collect())
}

fn linked(release: &Release, person: &Person, profile: &Profile) -> Linked {
    let combos = &release.combos;
    let fitting: Vec<usize> = (0..combos.len()).filter(|at| profile.fits(combos, *at)).collect();
    let records = fitting.iter().map(|at| combos.weights[*at]).sum();
    let people = match &combos.owners {
        None => records,
        Some(owners) => fitting.iter().map(|at| owners[*at]).collect::<HashSet<_>>().len() as Weight,
    };
    let sensitive = (0..release.columns.len()).filter(|column| release.columns[*column].role == Role::Sensitive);
    let sensitive = sensitive.map(|column| carried(release, &fitting, column)).collect();
    Linked { person: person.name.clone(), records, people, sensitive }
}

fn carried(release: &Release, fitting: &[usize], column: usize) -> Carried {
    let mut by_code = vec![0; release.columns[column].nodes.len()];
    for at in fitting {
        by_code[release.combos.codes[column][*at] as usize] += release.combos.weights[*at];
    }
    let values = (0..).zip(by_code).filter(|(_, records)| *records > 0).collect();
    Carried { column: release.columns[column].name.clone(), values }
}
