//! What `publish` answers for a release by a republication method.

use std::collections::BTreeMap;

use reticent::error::Obstacle;
use reticent::methods::{Outcome, Reason};
use reticent_ledger::{Promised, Withheld};

use super::super::pipeline::{self, Made, Recorded};
use super::super::plan::Recalled;
use super::past::EarlierSeries;
use super::tables::PEOPLE;
use super::{Group, GroupedRelease};
use crate::answer::{GroupSeconds, Promise, PublishedGroups, TableAnswer, Waiting};
use crate::error::Result;

impl Group<'_> {
    /// What was made, and where it is recorded.
    pub fn answer(
        &self,
        made: Made<Self>,
        recorded: Option<Recorded>,
        recalled: &Recalled,
        past: &EarlierSeries,
    ) -> Result<PublishedGroups> {
        let (request, method, prepared) = (self.plan.request, &self.method, self.prepared);
        let audited = made.audited.ok_or(reticent::Error::CannotCheck(Obstacle::NotEstablished {}))?;
        let (shown, GroupedRelease { outcome, tables: names, leaving, .. }) = (&made.verified, made.candidate);
        let mut notes = prepared.notes.clone();
        notes.extend(outcome.notes.iter().cloned());
        let mut warnings: Vec<String> = prepared.doubtful().into_iter().map(|(_, warning)| warning).collect();
        warnings.extend(marginal_warning(&outcome));
        if audited.proof == reticent::audit::Proof::Off {
            warnings.push("what all releases together tell was not looked at (audit = \"off\")".to_owned());
        }
        if outcome.withheld.iter().any(|(_, reason)| *reason == Reason::History) {
            warnings.extend(past.promised_less(recalled, self)?);
        }
        let mut folder = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            folder = Some(recorded.file);
            recorded.answer
        });
        let table = |name: &str, rows: u64| TableAnswer { file: format!("{name}.csv"), rows };
        let mut tables = vec![table(PEOPLE, shown.people.combos.rows())];
        for (list, name) in shown.lists.iter().zip(&names.lists) {
            tables.push(table(name, list.counts.combos.len() as u64));
        }
        for (counts, name) in shown.marginals.iter().zip(&names.marginals) {
            tables.push(table(name, counts.combos.len() as u64));
        }
        Ok(PublishedGroups {
            name: request.name.to_string(),
            recipients: self.plan.to.clone(),
            folder,
            recorded,
            judged: made.judged,
            dry_run: self.plan.rehearsal.is_some(),
            method: method.listed.entry.id,
            form: method.form.word(),
            promise: Promise {
                words: method.listed.entry.thwarts,
                columns: promised(self)?,
                records: method.listed.linked(&self.arguments)?.map(|most| most.fraction()),
            },
            records: self.records.len() as u64 + prepared.table.dropped,
            published: shown.people.combos.rows(),
            waiting: waiting(&outcome.waiting, recalled, past, request.name.as_str()),
            withheld: withheld(&outcome.withheld),
            dropped: prepared.table.dropped,
            groups: outcome.groups.len() as u64,
            counterfeits: shown.counterfeits(),
            alone: outcome.groups.iter().filter(|group| group.members.len() == 1).count() as u64,
            tables,
            leaving,
            instead: method.listed.gone,
            audited,
            utility: made.measured,
            seed: made.seed,
            neutralised: made.written,
            warnings,
            notes,
            seconds: seconds_of(&made.seconds),
        })
    }
}

/// Records that wait, the longest first.
fn waiting(records: &[(u32, u32)], recalled: &Recalled, past: &EarlierSeries, name: &str) -> Vec<Waiting> {
    let mut by_releases: BTreeMap<u32, u64> = BTreeMap::new();
    records.iter().for_each(|(_, releases)| *by_releases.entry(*releases).or_default() += 1);
    let since = |releases: u32| match past.series.len().checked_sub(releases as usize - 1) {
        Some(at) if at < past.series.len() => recalled.name(past.series[at]).to_owned(),
        _ => name.to_owned(),
    };
    let one = |(releases, records): (u32, u64)| Waiting { releases, since: since(releases), records };
    by_releases.into_iter().rev().map(one).collect()
}

fn marginal_warning(outcome: &Outcome) -> Option<String> {
    use reticent::methods::Marginals;
    match outcome.marginals {
        Marginals::Off => None,
        Marginals::Each => Some(
            "it is told how often each value is, column by column: with later releases this tells how often the values of newcomers are"
                .to_owned(),
        ),
        Marginals::Joint => Some(
            "it is told how often values of all sensitive columns are together: false values that occur with no other are undone. \
             `marginals = \"each\"` tells less"
                .to_owned(),
        ),
    }
}

fn seconds_of(seconds: &pipeline::Timings) -> GroupSeconds {
    let pipeline::Timings { recall, read, make, write, verify, audit, measure, record } = *seconds;
    GroupSeconds { recall, read, group: make, write, verify, audit, measure, record }
}

/// What is promised, by sensitive column.
pub(super) fn promised(group: &Group<'_>) -> Result<Vec<Promised>> {
    let promises = group.promises()?.into_iter();
    Ok(promises.map(|(column, most)| Promised { column, most: most.fraction() }).collect())
}

/// How many are withheld, by why.
pub(super) fn withheld(records: &[(u32, Reason)]) -> Vec<Withheld> {
    let mut by_reason: BTreeMap<Reason, u64> = BTreeMap::new();
    records.iter().for_each(|(_, reason)| *by_reason.entry(*reason).or_default() += 1);
    by_reason.into_iter().map(|(reason, records)| Withheld { reason: reason.word().to_owned(), records }).collect()
}
