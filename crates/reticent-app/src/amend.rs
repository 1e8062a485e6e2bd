//! `amend`: corrects the recipients of a release, or the roles of its columns.

use std::collections::BTreeMap;

use reticent::Role;
use reticent_ledger::{AmendmentDraft, AmendmentOutcome, Entry};

use crate::Workspace;
use crate::answer::{AmendAnswer, AmendedRole};
use crate::context::Context;
use crate::corrections::{assumptions, roles};
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::AmendRequest;

pub(crate) fn amend(workspace: &Workspace, request: &AmendRequest, context: &Context) -> Result<AmendAnswer> {
    let access = LedgerAccess::find(workspace, "amending a release", context)?;
    let mut ledger = access.open_to_write()?;
    let entry = ledger.find(&request.release)?;
    if entry.release().is_none() {
        return Err(Problem::NotARelease { number: entry.number }.into());
    }
    let mut by_column: BTreeMap<String, Role> = BTreeMap::new();
    for (column, role) in &request.roles {
        if by_column.insert(column.clone(), *role).is_some() {
            return Err(Problem::TwoRoles { column: column.clone() }.into());
        }
    }
    let draft = AmendmentDraft {
        release: request.release.clone(),
        reason: request.reason.as_str().to_owned(),
        add_recipients: request.add_recipients.clone(),
        recipients: request.recipients.clone(),
        roles: by_column,
    };
    let AmendmentOutcome { entry, before, after } = access.write(&mut ledger)?.amend(&draft)?;
    let recipients = |entry: &Entry| entry.release().map(|release| release.recipients.clone()).unwrap_or_default();
    let (names, now) = (recipients(&before), recipients(&after));
    let is_withdrawn = |entry: &Entry| entry.release().is_some() && entry.held_release().is_none();
    let entries = ledger.entries()?;
    Ok(AmendAnswer {
        release: before.number,
        name: before.release().map(|release| release.name.clone()).unwrap_or_default(),
        number: entry.number,
        entry: ledger.hash_of(&entry)?.to_string(),
        removed_recipients: names.iter().filter(|name| !now.contains(name)).cloned().collect(),
        added_recipients: now.iter().filter(|name| !names.contains(name)).cloned().collect(),
        recipients_before: names,
        recipients_after: now,
        roles: changed_roles(&before, &after),
        reinstated: is_withdrawn(&before) && !is_withdrawn(&after),
        assumptions: assumptions(&entries),
    })
}

fn changed_roles(before: &Entry, after: &Entry) -> Vec<AmendedRole> {
    let of = |entry: &Entry| entry.release().map(roles).unwrap_or_default();
    let (before, after) = (of(before), of(after));
    let changed = before.into_iter().filter_map(|(column, from)| {
        let to = *after.get(&column)?;
        (from != to).then_some(AmendedRole { column, from, to })
    });
    changed.collect()
}
