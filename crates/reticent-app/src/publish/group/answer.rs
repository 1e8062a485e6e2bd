//! Builds the answer of `publish` for a release by a republication method.

use std::collections::BTreeMap;

use reticent::error::Obstacle;
use reticent::republication::{GroupingOutcome, Reason, underrepresented};
use reticent_ledger::{PosteriorBound, WithheldRecords};

use super::super::coverage::not_established;
use super::super::pipeline::{self, MadeRelease, RecordOutcome};
use super::super::plan::LoadedHistory;
use super::past::EarlierSeries;
use super::tables::PEOPLE;
use super::{GroupMaker, GroupedRelease};
use crate::answer::{GroupSeconds, GroupedAnswer, Postponed, Promise, TableAnswer};
use crate::error::Result;

impl GroupMaker<'_> {
    /// Returns the answer for a release, and for its ledger entry if it was recorded.
    pub fn answer(
        &self,
        made: MadeRelease<Self>,
        recorded: Option<RecordOutcome>,
        recalled: &LoadedHistory,
        past: &EarlierSeries,
    ) -> Result<GroupedAnswer> {
        let (request, method, prepared) = (self.plan.request, &self.method, self.prepared);
        let audited = made.audited.ok_or(reticent::Error::CannotCheck(Obstacle::NotEstablished {}))?;
        let (published, GroupedRelease { outcome, names, departures, .. }) = (&made.verified, made.candidate);
        let mut notes = prepared.notes.clone();
        notes.extend(outcome.notes.iter().cloned());
        let mut warnings: Vec<String> = prepared.role_warnings().into_iter().map(|(_, warning)| warning).collect();
        warnings.extend(marginal_warning(&outcome));
        if audited.proof == reticent::audit::Proof::Off {
            warnings.push(
                "the audit is off (`audit = \"off\"`), so disclosure by all releases combined was not checked"
                    .to_owned(),
            );
        }
        if outcome.withheld.iter().any(|(_, reason)| *reason == Reason::History) {
            warnings.extend(past.weaker_promise_warning(recalled, self)?);
        }
        let mut folder = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            folder = Some(recorded.file);
            recorded.answer
        });
        let underrepresented = underrepresented(&self.task(past, made.seed), &outcome);
        let table = |name: &str, rows: u64| TableAnswer { file: format!("{name}.csv"), rows };
        let mut tables = vec![table(PEOPLE, published.people.contingency.rows())];
        for (list, name) in published.lists.iter().zip(&names.lists) {
            tables.push(table(name, list.counts.contingency.len() as u64));
        }
        for (counts, name) in published.marginals.iter().zip(&names.marginals) {
            tables.push(table(name, counts.contingency.len() as u64));
        }
        Ok(GroupedAnswer {
            name: request.name.to_string(),
            recipients: self.plan.recipients.clone(),
            folder,
            recorded,
            dry_run: !self.plan.publishes(),
            method: method.def.entry.id,
            form: method.form.word(),
            promise: Promise {
                text: method.def.entry.protects_against,
                columns: promised(self)?,
                records: method.def.linkage_bound(&self.arguments)?.map(|bound| bound.fraction()),
            },
            records: self.records.len() as u64 + prepared.table.dropped,
            published: published.people.contingency.rows(),
            postponed: postponed(&outcome.postponed, recalled, past, request.name.as_str()),
            withheld: withheld(&outcome.withheld),
            dropped: prepared.table.dropped,
            continued: outcome.continued,
            groups: outcome.groups.len() as u64,
            counterfeits: published.counterfeits(),
            singletons: outcome.groups.iter().filter(|group| group.members.len() == 1).count() as u64,
            sample_unique: published.class_sizes().into_iter().filter(|size| *size == 1).sum(),
            underrepresented,
            tables,
            departures,
            alternative: method.def.departure_rule,
            not_established: not_established(&made.statements, &made.judged),
            assumptions: [self.plan.access.data_sets.assumptions(), recalled.assumptions()].concat(),
            statements: made.statements,
            judged: made.judged,
            audited,
            utility: made.measured,
            seed: made.seed,
            escaped_formulas: made.written,
            warnings,
            notes,
            seconds: seconds_of(&made.seconds),
        })
    }
}

/// Returns the numbers of postponed records, those with the longest waiting time first.
fn postponed(records: &[(u32, u32)], recalled: &LoadedHistory, past: &EarlierSeries, name: &str) -> Vec<Postponed> {
    let mut by_releases: BTreeMap<u32, u64> = BTreeMap::new();
    records.iter().for_each(|(_, releases)| *by_releases.entry(*releases).or_default() += 1);
    let since = |releases: u32| match past.series.len().checked_sub(releases as usize - 1) {
        Some(at) if at < past.series.len() => recalled.name(past.series[at]).to_owned(),
        _ => name.to_owned(),
    };
    let one = |(releases, records): (u32, u64)| Postponed { releases, since: since(releases), records };
    by_releases.into_iter().rev().map(one).collect()
}

fn marginal_warning(outcome: &GroupingOutcome) -> Option<String> {
    use reticent::republication::Marginals;
    match outcome.marginals {
        Marginals::Off => None,
        Marginals::Each => Some(
            "marginal tables publish how often each value occurs, column by column. The difference to later marginal tables discloses how \
             often the values of newcomers occur"
                .to_owned(),
        ),
        Marginals::Joint => Some(
            "the joint marginal table publishes how often combinations of all sensitive values occur. An attacker can exclude noise \
             values that occur in no such combination; `marginals = \"each\"` discloses less"
                .to_owned(),
        ),
    }
}

fn seconds_of(seconds: &pipeline::StageSeconds) -> GroupSeconds {
    let pipeline::StageSeconds { load_history, read, make, write, verify, audit, measure, record } = *seconds;
    GroupSeconds { load_history, read, group: make, write, verify, audit, measure, record }
}

/// Returns the guaranteed posterior bound of each sensitive attribute.
pub(super) fn promised(group: &GroupMaker<'_>) -> Result<Vec<PosteriorBound>> {
    let promises = group.promises()?.into_iter();
    Ok(promises.map(|(column, bound)| PosteriorBound { column, most: bound.fraction() }).collect())
}

/// Counts withheld records by reason.
pub(super) fn withheld(records: &[(u32, Reason)]) -> Vec<WithheldRecords> {
    let mut by_reason: BTreeMap<Reason, u64> = BTreeMap::new();
    records.iter().for_each(|(_, reason)| *by_reason.entry(*reason).or_default() += 1);
    by_reason
        .into_iter()
        .map(|(reason, records)| WithheldRecords { reason: reason.word().to_owned(), records })
        .collect()
}
