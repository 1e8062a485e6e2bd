//! `history`: the releases that each coalition of recipients holds.

use std::collections::BTreeSet;

use reticent::{PUBLIC, Recipient};
use reticent_ledger::Entry;

use crate::Workspace;
use crate::answer::{CoalitionHoldings, HeldRelease, HistoryAnswer};
use crate::context::Context;
use crate::corrections::assumptions;
use crate::error::{Problem, Result};
use crate::ledger_access::{LedgerAccess, recipients};
use crate::log::erased;

pub(crate) fn history(workspace: &Workspace, requested: &[Recipient], context: &Context) -> Result<HistoryAnswer> {
    let requested: Vec<String> = requested.iter().map(Recipient::to_string).collect();
    let access = LedgerAccess::find(workspace, "reading the history", context)?;
    let entries = access.open_to_read()?.entries()?;
    check_can_combine(&requested, &access)?;
    let known = recipients(&entries);
    let unknown: Vec<String> =
        requested.iter().filter(|name| !known.contains(*name) && *name != PUBLIC).cloned().collect();
    let all = access.non_colluding.coalitions(&known, &requested)?;
    let has_all =
        |coalition: &BTreeSet<String>| requested.iter().all(|name| name == PUBLIC || coalition.contains(name));
    let coalitions = all.into_iter().filter(has_all).map(|members| coalition(members, &entries)).collect();
    let assumptions = assumptions(&entries);
    Ok(HistoryAnswer { recipients: requested, unknown_recipients: unknown, coalitions, assumptions })
}

fn check_can_combine(requested: &[String], access: &LedgerAccess) -> Result<()> {
    for (at, one) in requested.iter().enumerate() {
        if let Some(other) = requested[..at].iter().find(|other| !access.non_colluding.can_combine(one, other)) {
            let (one, other) = (other.clone(), one.clone());
            return Err(Problem::RecipientsDeclaredSeparate { one, other }.into());
        }
    }
    Ok(())
}

fn coalition(members: BTreeSet<String>, entries: &[Entry]) -> CoalitionHoldings {
    let held_release = |entry: &Entry| {
        let release = entry.held_release()?;
        let holds = release.recipients.iter().any(|name| name == PUBLIC || members.contains(name));
        holds.then(|| HeldRelease {
            number: entry.number,
            name: release.name.clone(),
            date: release.date.clone(),
            recipients: release.recipients.clone(),
            origin: release.origin,
            columns: release.column_names(),
            erased: erased(entry.number, entries),
        })
    };
    let releases = entries.iter().filter_map(held_release).collect();
    CoalitionHoldings { members: members.into_iter().collect(), releases }
}
