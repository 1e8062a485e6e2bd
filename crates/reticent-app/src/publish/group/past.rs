//! Earlier releases, as a republication method and the disclosure gate need them.

use std::collections::BTreeSet;

use reticent::republication::{self, OrdinaryClasses};
use reticent::{History, Ratio, RecordedRelease, Role};
use reticent_ledger::{Entry, HistoryQuery, Key, Ledger, PosteriorBound};

use super::super::check_complete;
use super::super::plan::{LoadedHistory, Plan};
use super::GroupMaker;
use crate::error::{Problem, Result};

/// Earlier releases of a republication series.
#[derive(Default)]
pub(crate) struct EarlierSeries {
    /// All earlier releases that recipients can combine with the new one.
    pub history: History,
    /// Numbers of the releases by a republication method, oldest first.
    pub series: Vec<u64>,
    /// State that republication methods continue from.
    pub state: republication::MethodState,
}

impl EarlierSeries {
    /// Loads the series from the ledger, with the key of its owner links.
    pub fn load(
        ledger: &Ledger,
        recalled: &LoadedHistory,
        (key, sensitive): (&Key, &[&str]),
        plan: &Plan<'_>,
    ) -> Result<EarlierSeries> {
        let mut past = EarlierSeries::default();
        let earlier = &recalled.earlier;
        if earlier.is_empty() {
            return Ok(past);
        }
        let history = ledger.history(HistoryQuery { numbers: Some(earlier), links: Some(key) })?;
        // Groups are judged by the audit, whose attacker knows the quasi-identifiers of all people.
        past.history = check_complete(history.without_populations().into_owned())?;
        let by_method = |entry: &&Entry| {
            earlier.contains(&entry.number) && entry.release().is_some_and(|release| release.method.is_some())
        };
        let made: Vec<&Entry> = recalled.entries.iter().filter(by_method).collect();
        past.series = made.iter().map(|entry| entry.number).collect();
        let of = |number: u64| past.history.releases.iter().filter(move |table| table.number == number);
        let tables: Vec<&RecordedRelease> = past.series.iter().copied().flat_map(of).collect();
        past.state = republication::MethodState::new(&tables, &[]);
        for entry in made {
            ledger.method_state(entry)?.iter().for_each(|release| past.state.update(release));
        }
        let by_role = past.history.clone().with_roles(&plan.loaded.policy.roles());
        let ordinary = by_role.releases.iter().filter(|release| !past.series.contains(&release.number));
        let classes = |release: &RecordedRelease| {
            let holds =
                |name: &String| release.recipients.iter().any(|known| known == reticent::PUBLIC || known == name);
            let is_held_by_all = plan.recipients.iter().all(holds);
            let release = republication::earlier_classes(release, sensitive)?;
            Some(OrdinaryClasses { release, is_held_by_all })
        };
        past.state.classes = ordinary.filter_map(classes).collect();
        past.state.classes.sort_by_key(|classes| classes.release.number);
        Ok(past)
    }

    /// Returns an error if an earlier release of the series has other sensitive attributes: a method could not continue it.
    pub fn check(&self, sensitive: &[&str]) -> Result<()> {
        let now: BTreeSet<&str> = sensitive.iter().copied().collect();
        for number in &self.series {
            let tables = self.history.releases.iter().filter(|table| table.number == *number);
            let columns = tables.flat_map(|table| &table.release.columns);
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

    /// Returns a warning if an earlier release has a weaker guarantee. Its people may be withheld.
    pub fn weaker_promise_warning(&self, recalled: &LoadedHistory, group: &GroupMaker<'_>) -> Result<Option<String>> {
        let entry = |number: &u64| recalled.entries.iter().find(|entry| entry.number == *number);
        let of = |entry: &Entry| Some((entry.number, entry.release()?.method.clone()?.promise));
        for (number, promise) in self.series.iter().filter_map(entry).filter_map(of) {
            for PosteriorBound { column, most: bound } in promise {
                let now = group.promise(&column)?.filter(|now| Ratio::from_fraction(&bound) > Some(*now));
                let Some(now) = now else { continue };
                return Ok(Some(format!(
                    "release {number} {} guarantees a posterior of {column} of at most {bound}, but this release at most {}; people \
                     of that release are withheld, because their lists have too few values. To publish them, use the bound {bound}",
                    recalled.name(number),
                    now.fraction()
                )));
            }
        }
        Ok(None)
    }
}
