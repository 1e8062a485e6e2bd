//! `history`: what a coalition of recipients can hold together.

use std::collections::BTreeSet;

use reticent::{PUBLIC, Recipient};
use reticent_ledger::Entry;

use crate::Workspace;
use crate::answer::{CoalitionHoldings, HeldRelease, HistoryOf};
use crate::context::Context;
use crate::error::{Problem, Result};
use crate::ledger_access::{LedgerAccess, recipients};
use crate::log::erased;

pub(crate) fn history(workspace: &Workspace, who: &[Recipient], context: &Context) -> Result<HistoryOf> {
    let who: Vec<String> = who.iter().map(Recipient::to_string).collect();
    let access = LedgerAccess::find(workspace, "reading the history", context)?;
    let entries = access.open_to_read()?.entries()?;
    refuse_separate(&who, &access)?;
    let known = recipients(&entries);
    let unknown: Vec<String> = who.iter().filter(|name| !known.contains(*name) && *name != PUBLIC).cloned().collect();
    let all = access.separate.coalitions(&known, &who)?;
    let together = |coalition: &BTreeSet<String>| who.iter().all(|name| name == PUBLIC || coalition.contains(name));
    let coalitions = all.into_iter().filter(together).map(|members| coalition(members, &entries)).collect();
    Ok(HistoryOf { who, unknown, coalitions })
}

fn refuse_separate(who: &[String], access: &LedgerAccess) -> Result<()> {
    for (at, one) in who.iter().enumerate() {
        if let Some(other) = who[..at].iter().find(|other| !access.separate.can_combine(one, other)) {
            let (one, other) = (other.clone(), one.clone());
            return Err(Problem::RecipientsDeclaredSeparate { one, other }.into());
        }
    }
    Ok(())
}

fn coalition(members: BTreeSet<String>, entries: &[Entry]) -> CoalitionHoldings {
    let held = |entry: &Entry| {
        let release = entry.release()?;
        let holds = release.recipients.iter().any(|name| name == PUBLIC || members.contains(name));
        holds.then(|| HeldRelease {
            number: entry.number,
            name: release.name.clone(),
            date: release.date.clone(),
            recipients: release.recipients.clone(),
            columns: release.column_names(),
            erased: erased(entry.number, entries),
        })
    };
    let releases = entries.iter().filter_map(held).collect();
    CoalitionHoldings { members: members.into_iter().collect(), releases }
}
