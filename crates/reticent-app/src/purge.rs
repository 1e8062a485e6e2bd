//! `purge`: erases the contents of a release from the ledger. Its entry and the hash chain stay.

use crate::Workspace;
use crate::answer::PurgeAnswer;
use crate::context::Context;
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::PurgeRequest;

pub(crate) fn purge(workspace: &Workspace, request: &PurgeRequest, context: &Context) -> Result<PurgeAnswer> {
    let access = LedgerAccess::find(workspace, "erasing a release", context)?;
    let mut ledger = access.open_to_write()?;
    let entry = ledger.find(&request.release)?;
    let Some(release) = entry.release() else { return Err(Problem::NotARelease { number: entry.number }.into()) };
    if !request.confirmed {
        let (number, name, date) = (entry.number, release.name.clone(), release.date.clone());
        return Err(Problem::PurgeUnconfirmed { number, name, date }.into());
    }
    let purged = access.write(&mut ledger)?.purge(&request.release, request.reason.as_str())?;
    let Some(purge) = purged.purge() else { return Err(Problem::NotARelease { number: purged.number }.into()) };
    Ok(PurgeAnswer {
        release: entry.number,
        name: release.name.clone(),
        number: purged.number,
        entry: ledger.hash_of(&purged)?.to_string(),
        erased_files: purge.erased.len(),
        shared_files: purge.shared.len(),
        shared_with: ledger.releases_sharing(&purged)?,
        file: release.file.as_ref().map(|file| file.path.clone()),
    })
}
