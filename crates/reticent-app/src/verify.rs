//! `verify`: whether the ledger, and every file it names, is what was written.

use std::path::Path;

use reticent_ledger::ExportedHead;

use crate::Workspace;
use crate::answer::Verification;
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;

pub(crate) fn verify(workspace: &Workspace, head: Option<&Path>, context: &Context) -> Result<Verification> {
    let access = LedgerAccess::find(workspace, "verifying the ledger", context)?;
    let ledger = access.open()?;
    context.progress("verifying", 0, 0);
    let exported = head.map(exported).transpose()?;
    let mut findings = access.verify(&ledger)?;
    let key = if exported.is_some() && findings.intact() { access.right_key(&ledger.entries()?)? } else { None };
    if exported.as_ref().is_some_and(|head| head.signature.is_some()) && key.is_none() {
        findings.warnings.push("the signature of the exported head was not checked: there is no key".to_owned());
    }
    let mut compared_with_head = None;
    if let Some(head) = exported {
        let against = if findings.intact() { ledger.compare_head(&head, key.as_ref())? } else { None };
        compared_with_head = Some(against.is_none() && findings.intact());
        findings.problems.extend(against);
    }
    Ok(Verification {
        intact: findings.intact(),
        ledger: access.folder.display().to_string(),
        entries: findings.head.map(|head| head.entries),
        head: findings.head.map(|head| head.hash.to_string()),
        findings,
        compared_with_head,
    })
}

/// Reads an exported head.
fn exported(path: &Path) -> Result<ExportedHead> {
    let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
    ExportedHead::parse(&text).map_err(|error| match error {
        error @ reticent_ledger::Error::NoHead(_) => {
            Problem::HeadUnreadable { path: path.to_owned(), why: error.to_string() }.into()
        }
        error => error.into(),
    })
}
