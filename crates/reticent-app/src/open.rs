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

/// Returns the names of the columns of data, and the types of some of them.
pub(crate) fn columns(data: &Data, types_of: &[String], context: &Context) -> Result<ColumnsAnswer> {
    let engine = data.open(context.engine_options())?;
    let profiles = if types_of.is_empty() { Vec::new() } else { engine.values(Some(types_of))? };
    let types = profiles.into_iter().map(|profile| (profile.name, profile.inferred_type)).collect();
    Ok(ColumnsAnswer { columns: engine.columns().to_vec(), types })
}
