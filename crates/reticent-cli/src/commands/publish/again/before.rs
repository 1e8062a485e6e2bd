//! What was released before, as a method and the gate need it.

use std::collections::BTreeSet;

use reticent::history::{Held, History};
use reticent::methods::Past;
use reticent::schema::Role;
use reticent::share::Share;
use reticent_ledger::{Entry, Head, Judged, Key, Ledger, Promised, Wanted};

use super::Job;
use crate::args::Publish;
use crate::books::Books;
use crate::failure::Failure;

/// What was released before.
pub struct Before {
    pub entries: Vec<Entry>,
    /// The head of the ledger; none when there was no ledger.
    pub head: Option<Head>,
    pub judged: Judged,
    /// Everything that recipients can hold beside the new release.
    pub history: History,
    /// Its numbers, by coalition of the recipients.
    pub held: Vec<Vec<u64>>,
    /// The numbers of the releases that were made by a method, oldest first.
    pub series: Vec<u64>,
    /// What methods published, as they need it again.
    pub past: Past,
}

impl Before {
    /// From the ledger, if there is one.
    pub fn of(ledger: Option<&Ledger>, books: &Books, options: &Publish, key: &Key) -> Result<Before, Failure> {
        let mut before = Before {
            entries: Vec::new(),
            head: None,
            judged: Judged::History { with: Vec::new() },
            history: History::default(),
            held: Vec::new(),
            series: Vec::new(),
            past: Past::default(),
        };
        let Some(ledger) = ledger else { return Ok(before) };
        let (head, entries) = ledger.read()?;
        (before.head, before.entries) = (Some(head), entries);
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == options.name);
        if let Some(entry) = before.entries.iter().find(named) {
            let (name, number) = (options.name.clone(), entry.number);
            return Err(reticent_ledger::Error::NameTaken { name, number }.into());
        }
        let beside = books.beside(&before.entries, &options.to)?;
        if beside.is_empty() {
            return Ok(before);
        }
        if options.alone {
            before.judged = Judged::Alone { apart_from: beside };
            return Ok(before);
        }
        before.history = super::super::whole(ledger.history(Wanted { numbers: Some(&beside), links: Some(key) })?)?;
        before.held = books.held(&before.entries, &options.to)?;
        let by_method = |entry: &&Entry| {
            beside.contains(&entry.number) && entry.release().is_some_and(|release| release.method.is_some())
        };
        let made: Vec<&Entry> = before.entries.iter().filter(by_method).collect();
        before.series = made.iter().map(|entry| entry.number).collect();
        let of = |number: u64| before.history.releases.iter().filter(move |held| held.number == number);
        let tables: Vec<&Held> = before.series.iter().copied().flat_map(of).collect();
        before.past = Past::of(&tables, &[]);
        for entry in made {
            ledger.remembered(entry)?.iter().for_each(|release| before.past.remember(release));
        }
        before.judged = Judged::History { with: beside };
        Ok(before)
    }

    /// What a method published before must be of the same sensitive columns, or people could not be followed through it.
    pub fn check(&self, job: &Job<'_>) -> Result<(), Failure> {
        let now: BTreeSet<&str> = job.sensitive().into_iter().collect();
        for number in &self.series {
            let tables = self.history.releases.iter().filter(|held| held.number == *number);
            let columns = tables.flat_map(|held| &held.release.columns);
            let then: BTreeSet<&str> =
                columns.filter(|column| column.role == Role::Sensitive).map(|column| column.name.as_str()).collect();
            if then != now {
                let list = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
                return Err(Failure::Call(format!(
                    "release {number} was published by a method with the sensitive columns {}, and this one has {}; publish the same \
                     columns, or to others who never combine what they hold ([recipients] separate)",
                    list(&then),
                    list(&now)
                )));
            }
        }
        Ok(())
    }

    /// Says that an earlier release promised less, if one did: then those of that release may be withheld.
    pub fn promised_less(&self, job: &Job<'_>) -> Option<String> {
        let entry = |number: &u64| self.entries.iter().find(|entry| entry.number == *number);
        let of = |entry: &Entry| Some((entry.number, entry.release()?.method.clone()?.promise));
        for (number, promise) in self.series.iter().filter_map(entry).filter_map(of) {
            for Promised { column, most } in promise {
                let Some(now) = job.promise(&column).filter(|now| Share::of_fraction(&most) > Some(*now)) else {
                    continue;
                };
                return Some(format!(
                    "release {number} {} promised at most {most} of {column}, and this one {}: those whom it was published with are \
                     withheld, since their lists are too short. A policy that promises {most} goes on with them",
                    self.name(number),
                    now.fraction()
                ));
            }
        }
        None
    }

    /// The name of a release.
    pub fn name(&self, number: u64) -> &str {
        let entry = self.entries.iter().find(|entry| entry.number == number);
        entry.and_then(Entry::release).map_or("", |release| release.name.as_str())
    }
}
