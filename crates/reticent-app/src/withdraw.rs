//! `withdraw`: a release that was never handed out no longer counts for what recipients hold.

use reticent_ledger::{Entry, EntryKind, HistoryScope, WithdrawalDraft};

use crate::Workspace;
use crate::answer::WithdrawAnswer;
use crate::context::Context;
use crate::corrections::assumptions;
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::WithdrawRequest;

pub(crate) fn withdraw(workspace: &Workspace, request: &WithdrawRequest, context: &Context) -> Result<WithdrawAnswer> {
    let access = LedgerAccess::find(workspace, "withdrawing a release", context)?;
    let mut ledger = access.open_to_write()?;
    let entry = ledger.find(&request.release)?;
    let Some(release) = entry.release() else { return Err(Problem::NotARelease { number: entry.number }.into()) };
    let draft = WithdrawalDraft {
        release: &request.release,
        reason: request.reason.as_str(),
        destroyed_elsewhere: request.destroyed_elsewhere,
    };
    let recorded = access.write(&mut ledger)?.withdraw(draft)?;
    let entries = ledger.entries()?;
    let judged_with = |later: &&Entry| {
        let scope = later.held_release().map(|later| &later.judged);
        matches!(scope, Some(HistoryScope::History { with }) if with.contains(&entry.number))
    };
    let mark = match &recorded.kind {
        EntryKind::Withdrawal(withdrawal) => withdrawal.file_absent,
        _ => false,
    };
    Ok(WithdrawAnswer {
        release: entry.number,
        name: release.name.clone(),
        recipients: release.recipients.clone(),
        number: recorded.number,
        entry: ledger.hash_of(&recorded)?.to_string(),
        file: release.file.as_ref().map(|file| file.path.clone()),
        file_absent: mark,
        judged_with: entries.iter().filter(judged_with).map(|later| later.number).collect(),
        assumptions: assumptions(&entries),
    })
}
