//! Data sets that share a ledger. Releases of all of them are joined, unless the policy declares data sets unrelated.
//!
//! The declaration is an assumption about people: nobody is in both data sets. Every verdict lists it. It cannot hide a release
//! of the same data set, which may have got another name:
//!
//! - If a person of this data set has a record in a release of the other one, the call fails.
//! - If that cannot be checked, because owners are not recorded, the call fails if this policy has all columns of the release.
//!
//! A population register belongs to no data set; it is always used.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use reticent::policy::Policy;

use reticent::{Links, NO_OWNER, Pseudonym};
use reticent_ledger::{Entry, Ledger, Origin, ReleaseRecord};

use crate::error::{Problem, Result};

/// The data set of a policy, and those that it declares unrelated.
#[derive(Debug, Clone)]
pub(crate) struct DataSets {
    own: String,
    unrelated: Vec<String>,
    /// Columns of the policy.
    columns: Vec<String>,
}

impl DataSets {
    /// Returns the data sets of a policy.
    pub fn new(policy: &Policy) -> DataSets {
        DataSets {
            own: policy.dataset.clone(),
            unrelated: policy.unrelated_data_sets.clone(),
            columns: policy.columns.iter().map(|column| column.name.clone()).collect(),
        }
    }

    /// Returns whether the policy declares a data set unrelated.
    pub fn declares_any(&self) -> bool {
        !self.unrelated.is_empty()
    }

    /// Returns whether the policy declares the data set of a release unrelated.
    pub fn excludes(&self, entry: &Entry) -> bool {
        entry.release().is_some_and(|release| release.origin != Origin::Population && self.declares(release))
    }

    fn declares(&self, release: &ReleaseRecord) -> bool {
        self.unrelated.contains(&release.dataset)
    }

    /// Checks that no release of an unrelated data set is about people of this data set. `people` are owner links of releases of
    /// this data set; `None` stands for a release without owners.
    ///
    /// # Errors
    ///
    /// Returns an error if a person is in both, or if this cannot be checked and the columns of a release are those of this data set.
    pub fn check(&self, ledger: &Ledger, entries: &[Entry], people: &[Option<&Links>]) -> Result<()> {
        if !self.declares_any() {
            return Ok(());
        }
        let all_linked = people.iter().all(|links| links.is_some_and(|links| !links.has_unowned()));
        let mut known: HashSet<Pseudonym> =
            people.iter().flatten().flat_map(|links| links.pseudonyms.iter().copied()).collect();
        known.remove(&NO_OWNER);
        for entry in entries.iter().filter(|entry| self.excludes(entry)) {
            let Some(release) = entry.release() else { continue };
            let theirs = match ledger.links(entry) {
                // The contents of an erased release cannot be compared.
                Err(reticent_ledger::Error::Erased { .. }) => None,
                links => links?,
            };
            let data_set = || release.dataset.clone();
            if let Some(theirs) = &theirs {
                let shared: BTreeSet<&Pseudonym> =
                    theirs.pseudonyms.iter().filter(|one| known.contains(*one)).collect();
                if !shared.is_empty() {
                    let (release, people) = (entry.number, shared.len() as u64);
                    return Err(Problem::DataSetsShareOwners { data_set: data_set(), release, people }.into());
                }
            }
            let is_compared = all_linked && theirs.is_some_and(|links| !links.has_unowned());
            let has_only_ours = release.columns.iter().all(|column| self.columns.contains(&column.name));
            if !is_compared && has_only_ours {
                return Err(Problem::DataSetsAlike { data_set: data_set(), release: entry.number }.into());
            }
        }
        Ok(())
    }

    /// Returns the assumption of each declaration, for the verdict.
    pub fn assumptions(&self) -> Vec<String> {
        let assumption = |name: &String| {
            format!(
                "no person is both in {} and in the data set {name}, which the policy declares unrelated (`unrelated-data-sets` under \
                 [history]), so its releases are not joined",
                self.own
            )
        };
        self.unrelated.iter().map(assumption).collect()
    }

    /// Returns notes for the steward: joined releases of other data sets, and declared data sets that the ledger does not have.
    pub fn notes(&self, entries: &[Entry], joined: &[u64]) -> Vec<String> {
        let mut notes = Vec::new();
        let of_data_set = |entry: &'_ Entry| {
            let release = entry.release().filter(|release| release.origin != Origin::Population)?;
            Some((entry.number, release.dataset.clone()))
        };
        let all: Vec<(u64, String)> = entries.iter().filter_map(of_data_set).collect();
        let others: BTreeSet<&str> = all
            .iter()
            .filter(|(number, name)| *name != self.own && joined.contains(number))
            .map(|(_, name)| name.as_str())
            .collect();
        if !others.is_empty() {
            let names: Vec<&str> = others.into_iter().collect();
            notes.push(format!(
                "the ledger also has releases of {}, which are joined with this one; if nobody is in both data sets, declare it with \
                 `unrelated-data-sets` under [history]",
                names.join(", ")
            ));
        }
        for name in self.unrelated.iter().filter(|name| all.iter().all(|(_, known)| known != *name)) {
            let hint = reticent::error::did_you_mean(name, all.iter().map(|(_, known)| known.as_str()));
            let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            notes.push(format!("`unrelated-data-sets` names {name}, of which the ledger has no release{hint}"));
        }
        notes
    }
}
