//! `verify`: checks that the ledger and every published file are unchanged.

use std::path::Path;

use reticent_ledger::{Authentication, ExportedHead, Verifier};

use crate::Workspace;
use crate::answer::{Status, VerifyAnswer};
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::VerifyRequest;

pub(crate) fn verify(workspace: &Workspace, request: &VerifyRequest, context: &Context) -> Result<VerifyAnswer> {
    let access = LedgerAccess::find(workspace, "verifying the ledger", context)?;
    let ledger = access.open()?;
    context.progress("verifying", 0, 0);
    let exported = request.head.as_deref().map(exported).transpose()?;
    let given_key = request.verifier.as_deref().map(verifier).transpose()?;
    let witness = request.witness.as_deref().map(verifier).transpose()?;
    // An exported head contains the public key that the ledger had.
    let pinned = given_key.or_else(|| exported.as_ref().and_then(|head| head.verifier.clone()));
    let mut findings = access.verify(&ledger, pinned)?;
    // The head is compared whenever entries can be read, even if the ledger is not signed.
    let entries = ledger.entries().ok();
    let key = match (&exported, &entries) {
        (Some(_), Some(entries)) => access.matching_key(entries).unwrap_or(None),
        _ => None,
    };
    let is_first = exported.as_ref().is_some_and(|head| head.root().is_none() && head.is_signed());
    if is_first && key.is_none() {
        findings
            .warnings
            .push("the signature of the exported head was not checked, because the key is missing".to_owned());
    }
    let mut compared_with_head = None;
    if let Some(head) = exported {
        let mut mismatch = match &entries {
            Some(_) => ledger.compare_head(&head, key.as_ref())?,
            None => None,
        };
        if let Some(witness) = witness.filter(|witness| head.countersigned_by(witness).is_none()) {
            mismatch
                .get_or_insert_with(|| format!("the witness {} did not countersign the exported head", witness.name()));
        }
        compared_with_head = Some(mismatch.is_none() && entries.is_some());
        findings.problems.extend(mismatch);
    }
    let status = match findings.authentication {
        _ if !findings.is_intact() => Status::Modified,
        Authentication::Authentic => Status::Authentic,
        Authentication::Modified => Status::Modified,
        Authentication::Unsigned | Authentication::Untrusted => Status::Unauthenticated,
    };
    Ok(VerifyAnswer {
        status,
        intact: findings.is_intact(),
        ledger: access.folder.display().to_string(),
        entries: findings.head.map(|head| head.entries),
        head: findings.head.map(|head| head.hash.to_string()),
        verifier: ledger.verifier()?.map(|verifier| verifier.to_string()),
        findings,
        compared_with_head,
    })
}

/// Reads an exported head.
pub(crate) fn exported(path: &Path) -> Result<ExportedHead> {
    let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
    ExportedHead::parse(&text).map_err(|error| match error {
        error @ reticent_ledger::Error::NoHead(_) => {
            Problem::HeadUnreadable { path: path.to_owned(), why: error.to_string() }.into()
        }
        error => error.into(),
    })
}

/// Reads a public key.
pub(crate) fn verifier(text: &str) -> Result<Verifier> {
    Verifier::parse(text).ok_or_else(|| Problem::VerifierUnreadable { text: text.to_owned() }.into())
}
