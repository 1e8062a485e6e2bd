//! What was released before, as a method and the gate need it.

use std::collections::BTreeSet;

use reticent::methods;
use reticent::{Held, History, Role, Share};
use reticent_ledger::{Entry, Key, Ledger, Promised, Wanted};

use super::super::plan::Recalled;
use super::super::whole;
use super::Group;
use crate::error::{Problem, Result};

/// What was released before.
#[derive(Default)]
pub(crate) struct EarlierSeries {
    /// Everything that recipients can hold beside the new release.
    pub history: History,
    /// The numbers of the releases that were made by a method, oldest first.
    pub series: Vec<u64>,
    /// What methods published, as they need it again.
    pub state: methods::Past,
}

impl EarlierSeries {
    /// From the ledger, with the key behind its owner links.
    pub fn load(ledger: &Ledger, recalled: &Recalled, key: &Key) -> Result<EarlierSeries> {
        let mut past = EarlierSeries::default();
        let beside = &recalled.beside;
        if beside.is_empty() {
            return Ok(past);
        }
        past.history = whole(ledger.history(Wanted { numbers: Some(beside), links: Some(key) })?)?;
        let by_method = |entry: &&Entry| {
            beside.contains(&entry.number) && entry.release().is_some_and(|release| release.method.is_some())
        };
        let made: Vec<&Entry> = recalled.entries.iter().filter(by_method).collect();
        past.series = made.iter().map(|entry| entry.number).collect();
        let of = |number: u64| past.history.releases.iter().filter(move |held| held.number == number);
        let tables: Vec<&Held> = past.series.iter().copied().flat_map(of).collect();
        past.state = methods::Past::of(&tables, &[]);
        for entry in made {
            ledger.remembered(entry)?.iter().for_each(|release| past.state.remember(release));
        }
        Ok(past)
    }

    /// Earlier releases by a method must show the same sensitive columns, or people could not be followed through them.
    pub fn check(&self, sensitive: &[&str]) -> Result<()> {
        let now: BTreeSet<&str> = sensitive.iter().copied().collect();
        for number in &self.series {
            let tables = self.history.releases.iter().filter(|held| held.number == *number);
            let columns = tables.flat_map(|held| &held.release.columns);
            let then: BTreeSet<&str> =
                columns.filter(|column| column.role == Role::Sensitive).map(|column| column.name.as_str()).collect();
            if then != now {
                let list = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
                let (release, then, now) = (*number, list(&then), list(&now));
                return Err(Problem::SeriesColumnsDiffer { release, then, now }.into());
            }
        }
        Ok(())
    }

    /// A warning that an earlier release promised less, if one did: then people of that release may be withheld.
    pub fn promised_less(&self, recalled: &Recalled, group: &Group<'_>) -> Result<Option<String>> {
        let entry = |number: &u64| recalled.entries.iter().find(|entry| entry.number == *number);
        let of = |entry: &Entry| Some((entry.number, entry.release()?.method.clone()?.promise));
        for (number, promise) in self.series.iter().filter_map(entry).filter_map(of) {
            for Promised { column, most } in promise {
                let now = group.promise(&column)?.filter(|now| Share::of_fraction(&most) > Some(*now));
                let Some(now) = now else { continue };
                return Ok(Some(format!(
                    "release {number} {} promised at most {most} of {column}, and this one {}: those whom it was published with are \
                     withheld, since their lists are too short. A policy that promises {most} goes on with them",
                    recalled.name(number),
                    now.fraction()
                )));
            }
        }
        Ok(None)
    }
}
