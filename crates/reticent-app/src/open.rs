//! `open`: opens the ledger before the first call, and `columns`: the columns of data.

use crate::Workspace;
use crate::answer::{ColumnsAnswer, OpenAnswer};
use crate::context::Context;
use crate::error::Result;
use crate::ledger_access::LedgerAccess;
use crate::request::Data;

/// Opens the ledger, or creates it and its key if the workspace allows that.
pub(crate) fn open(workspace: &Workspace, context: &Context) -> Result<OpenAnswer> {
    workspace.policy.check()?;
    let access = LedgerAccess::find(workspace, "opening the ledger", context)?;
    let existing = access.open_if_exists()?;
    let created = existing.is_none();
    let ledger = match existing {
        Some(ledger) => ledger,
        None => access.open_or_start()?,
    };
    let entries = ledger.head()?.entries;
    let mut notes: Vec<String> = created.then(|| access.started_note()).into_iter().collect();
    notes.extend(access.take_key_note());
    Ok(OpenAnswer { ledger: access.folder.display().to_string(), created, entries, notes })
}

/// Returns the names of the columns of data.
pub(crate) fn columns(data: &Data, context: &Context) -> Result<ColumnsAnswer> {
    Ok(ColumnsAnswer { columns: data.open(context.engine_options())?.columns().to_vec() })
}
