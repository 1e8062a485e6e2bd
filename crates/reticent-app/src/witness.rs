//! `witness`: countersigns a head for a second person. `record-witness`: records that in the ledger. `authenticate`: signs a ledger.

use reticent_ledger::{KeyFile, Proof, countersign};

use crate::Workspace;
use crate::answer::{Countersigned, RecordedEntry};
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::export_head::replace;
use crate::ledger_access::LedgerAccess;
use crate::request::WitnessRequest;
use crate::verify::{exported, verifier};

/// Countersigns a head that extends the previous head of the witness, and stores it as the new previous head.
///
/// Needs neither the ledger nor its key.
///
/// # Errors
///
/// Returns an error if the head is not signed, or if the proof that it extends the previous head is missing or invalid.
pub fn witness(request: &WitnessRequest, context: &Context) -> Result<Countersigned> {
    context.run(|| countersigned(request, context))
}

fn countersigned(request: &WitnessRequest, context: &Context) -> Result<Countersigned> {
    if request.name.is_empty() {
        return Err(Problem::WitnessUnnamed.into());
    }
    let head = exported(&request.head)?;
    // A dangling symbolic link must fail here: only a missing file means that there is no previous head.
    let previous = if request.previous.symlink_metadata().is_ok() { Some(exported(&request.previous)?) } else { None };
    let proof = match &request.proof {
        Some(path) => Some(Proof::parse(&std::fs::read_to_string(path).map_err(Error::file("read", path))?)?),
        None => None,
    };
    let existing = KeyFile::read(&request.key, None)?;
    let drew_key = existing.is_none();
    let key = match existing {
        Some(key) => key,
        None => KeyFile::create(&request.key, None)?,
    };
    let (signed, witness) =
        countersign(&head, previous.as_ref(), proof.as_ref(), (&key, &request.name), context.seconds())?;
    replace(&request.previous, &signed.to_string()).map_err(Error::file("write", &request.previous))?;
    let kept_entries = previous.map(|previous| previous.entries);
    Ok(Countersigned { head: signed, witness: witness.to_string(), kept_entries, drew_key })
}

/// Records a countersigned head in the ledger.
pub(crate) fn record_witness(
    workspace: &Workspace,
    head: &std::path::Path,
    witness: &str,
    context: &Context,
) -> Result<RecordedEntry> {
    let access = LedgerAccess::find(workspace, "recording a witness", context)?;
    let (head, witness) = (exported(head)?, verifier(witness)?);
    let mut ledger = access.open_to_write()?;
    let entry = access.write(&mut ledger)?.record_witness(&head, &witness)?;
    let verifier = ledger.verifier()?.map(|verifier| verifier.to_string());
    Ok(RecordedEntry { number: entry.number, entry: ledger.hash_of(&entry)?.to_string(), verifier })
}

/// Signs an unsigned ledger, if it is intact.
pub(crate) fn authenticate(workspace: &Workspace, context: &Context) -> Result<RecordedEntry> {
    let access = LedgerAccess::find(workspace, "signing the ledger", context)?;
    let mut ledger = access.open()?;
    let findings = ledger.verify(&access.unkeyed())?;
    if let Some(problem) = findings.problems.first() {
        let (folder, problem) = (access.folder.clone(), problem.clone());
        return Err(reticent_ledger::Error::Broken { folder, problem }.into());
    }
    access.key_for_owners(&ledger.entries()?, true)?;
    let session = access.keyed(&ledger)?;
    let entry = ledger.authenticate(&session, "authenticated by the steward")?;
    let verifier = ledger.verifier()?.map(|verifier| verifier.to_string());
    Ok(RecordedEntry { number: entry.number, entry: ledger.hash_of(&entry)?.to_string(), verifier })
}
