//! The gate for sets of records over all releases: the records of a person in several releases, or in several tables of one data
//! set, are one set. Owner links identify records of the same owner.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use crate::data::contingency::{ContingencyTable, combine};
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::{Obstacle, Refusal, Result};
use crate::model_spec::ModelSpec;
use crate::registry::Argument;
use crate::release::history::{History, RecordedRelease};
use crate::release::record_sets::{RecordSets, Views};
use crate::statement::{Parameter, parameters};

/// A requirement on the sets of records of people, over all releases.
#[derive(Debug, Clone)]
pub struct RecordSetBound {
    sets: RecordSets,
    /// Columns that the attacker knows; all quasi-identifiers if `None`.
    on: Option<Vec<String>>,
    /// Id of the model.
    pub(super) model: String,
    /// Parameters of the model, for the statement.
    pub(super) parameters: BTreeMap<String, Parameter>,
}

impl RecordSetBound {
    /// Creates the bound that a model of the policy sets.
    pub fn new(sets: RecordSets, spec: &ModelSpec) -> RecordSetBound {
        let on = match spec.arguments.get("on") {
            Some(Argument::Words(words)) => Some(words.clone()),
            _ => None,
        };
        RecordSetBound { sets, on, model: spec.model.clone(), parameters: parameters(&spec.arguments, &[], &[]) }
    }

    /// Columns of a release that the attacker knows.
    fn known_columns(&self, recorded: &RecordedRelease) -> Vec<usize> {
        let columns = &recorded.release.columns;
        let is_known = |at: &usize| match &self.on {
            None => columns[*at].role == Role::QuasiIdentifier,
            Some(words) => {
                let name = &columns[*at].name;
                words.iter().any(|word| word == name || *word == format!("{}.{name}", recorded.name))
            }
        };
        (0..columns.len()).filter(is_known).collect()
    }

    /// Checks a history whose newest release is a candidate.
    ///
    /// # Errors
    ///
    /// Returns an error if the candidate leaves a set of records with too few people, or if a release has no owner links.
    pub(super) fn admit(&self, history: &History) -> Result<()> {
        let Some((_, earlier)) = history.releases.split_last() else { return Ok(()) };
        // The candidate alone was judged before.
        if earlier.iter().all(|recorded| self.known_columns(recorded).is_empty()) {
            return Ok(());
        }
        let mut records: Vec<(Pseudonym, Code, u64)> = Vec::new();
        let (mut next, mut first_new) = (0, 0);
        for recorded in &history.releases {
            first_new = next;
            let columns = self.known_columns(recorded);
            if columns.is_empty() {
                continue;
            }
            let Some(links) = &recorded.links else {
                let (release, name) = (recorded.number, recorded.name.clone());
                return Err(Obstacle::ReleaseUnlinked { release, name }.into());
            };
            let (of_cell, classes) = classes_of(&recorded.release.contingency, &columns);
            for ((owner, cell), count) in links.pseudonyms.iter().zip(&links.cells).zip(&links.records) {
                let class = of_cell.get(*cell as usize).ok_or(Obstacle::PersonNotInFile {})?;
                records.push((*owner, next + class, u64::from(*count)));
            }
            next += classes;
        }
        if first_new == next {
            return Ok(());
        }
        records.sort_unstable();
        let people = self.people_with_rare_sets(&records, first_new)?;
        if people == 0 {
            return Ok(());
        }
        let earlier = earlier.iter().map(|recorded| recorded.name.clone()).collect();
        let (k, records) = (self.sets.k, self.sets.known.map(|known| known as u64));
        Err(Refusal::RecordSetsTooRare { people, k, records, earlier }.into())
    }

    /// Returns the number of people with a set of records that too few people share because of the candidate.
    ///
    /// `records` are sorted by owner. The classes of the candidate are those from `first_new` on.
    fn people_with_rare_sets(&self, records: &[(Pseudonym, Code, u64)], first_new: Code) -> Result<u64> {
        let mut owners: Vec<Pseudonym> = records.iter().map(|(owner, ..)| *owner).collect();
        owners.dedup();
        // If all records are known, a new record of one person also changes how many others share the view without it.
        let mut was_rare: HashMap<Pseudonym, bool> = HashMap::new();
        if self.sets.known.is_none() {
            let before = || records.iter().filter(|(_, class, _)| *class < first_new);
            let mut owners: Vec<Pseudonym> = before().map(|(owner, ..)| *owner).collect();
            owners.dedup();
            self.sets.for_each(&Views::new(before().copied()), |person, _, support| {
                was_rare.insert(owners[person], support < self.sets.k);
            })?;
        }
        let mut rare: HashSet<usize> = HashSet::new();
        self.sets.for_each(&Views::new(records.iter().copied()), |person, set, support| {
            let is_new = set.iter().any(|class| *class >= first_new) || was_rare.get(&owners[person]) == Some(&false);
            if support < self.sets.k && is_new {
                rare.insert(person);
            }
        })?;
        Ok(rare.len() as u64)
    }
}

/// Class of each combination on these columns, and the number of classes.
fn classes_of(contingency: &ContingencyTable, columns: &[usize]) -> (Vec<Code>, Code) {
    let parts: Vec<&[Code]> = columns.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    let classes = combine(&parts, &contingency.weights, None);
    let class = |at: usize| -> Code {
        let key: Vec<Code> = parts.iter().map(|part| part[at]).collect();
        classes.find(&key).map_or(0, |place| place as Code)
    };
    ((0..contingency.len()).map(class).collect(), classes.len() as Code)
}
