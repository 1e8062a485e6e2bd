//! `witness` and `record-witness`: a second person keeps and countersigns heads, and the ledger records it. `authenticate`: signs a ledger.

use reticent_ledger::{KeyFile, Proof, countersign};

use crate::Workspace;
use crate::answer::{Countersigned, RecordedEntry};
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::export_head::replace;
use crate::ledger_access::LedgerAccess;
use crate::request::WitnessRequest;
use crate::verify::{exported, verifier};

/// Countersigns a head that extends the one that was kept, and keeps it. Needs neither the ledger nor its key.
///
/// # Errors
///
/// If the head is not signed, or if it is not proved that it extends the one that was kept.
pub fn witness(request: &WitnessRequest, context: &Context) -> Result<Countersigned> {
    context.run(|| countersigned(request, context))
}

fn countersigned(request: &WitnessRequest, context: &Context) -> Result<Countersigned> {
    if request.name.is_empty() {
        return Err(Problem::WitnessUnnamed.into());
    }
    let head = exported(&request.head)?;
    // A link that leads nowhere is not the first time.
    let kept = if request.kept.symlink_metadata().is_ok() { Some(exported(&request.kept)?) } else { None };
    let proof = match &request.proof {
        Some(path) => Some(Proof::parse(&std::fs::read_to_string(path).map_err(Error::file("read", path))?)?),
        None => None,
    };
    let found = KeyFile::read(&request.key, None)?;
    let drew_key = found.is_none();
    let key = match found {
        Some(key) => key,
        None => KeyFile::create(&request.key, None)?,
    };
    let (signed, witness) =
        countersign(&head, kept.as_ref(), proof.as_ref(), (&key, &request.name), context.seconds())?;
    replace(&request.kept, &signed.to_string()).map_err(Error::file("write", &request.kept))?;
    let kept_entries = kept.map(|kept| kept.entries);
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

/// Signs a ledger that is not signed yet.
pub(crate) fn authenticate(workspace: &Workspace, context: &Context) -> Result<RecordedEntry> {
    let access = LedgerAccess::find(workspace, "signing the ledger", context)?;
    let mut ledger = access.open()?;
    let findings = ledger.verify(&access.unkeyed())?;
    if let Some(what) = findings.problems.first() {
        let (folder, what) = (access.folder.clone(), what.clone());
        return Err(reticent_ledger::Error::Broken { folder, what }.into());
    }
    access.key_for_owners(&ledger.entries()?, true)?;
    let session = access.keyed(&ledger)?;
    let entry = ledger.authenticate(&session, "authenticated by the steward")?;
    let verifier = ledger.verifier()?.map(|verifier| verifier.to_string());
    Ok(RecordedEntry { number: entry.number, entry: ledger.hash_of(&entry)?.to_string(), verifier })
}
