//! `check-proof`: checks an exported proof without the ledger and without its key.

use reticent_ledger::{Proof, ProvenClaim};

use crate::answer::{ProofChecked, ProofOf};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::request::CheckProofRequest;
use crate::verify::{exported, verifier};

/// Checks an exported proof of inclusion (an entry is in a ledger) or consistency (a ledger extends an earlier head).
///
/// # Errors
///
/// Returns an error if the proof is invalid, or if neither of its heads is the given head.
pub fn check_proof(request: &CheckProofRequest, context: &Context) -> Result<ProofChecked> {
    context.run(|| check(request))
}

fn check(request: &CheckProofRequest) -> Result<ProofChecked> {
    let text = std::fs::read_to_string(&request.proof).map_err(Error::file("read", &request.proof))?;
    let trusted_head = request.head.as_deref().map(exported).transpose()?;
    let given = request.verifier.as_deref().map(verifier).transpose()?;
    let trusted = given.or_else(|| trusted_head.as_ref().and_then(|head| head.verifier.clone()));
    let proven = Proof::parse(&text)?.check(trusted.as_ref())?;
    let mismatch = |why: &str| Error::from(reticent_ledger::Error::NoProof(why.to_owned()));
    let head = proven.head().clone();
    if let Some(trusted_head) = &trusted_head {
        let same = |other: &reticent_ledger::ExportedHead| {
            (other.entries, other.root()) == (trusted_head.entries, trusted_head.root())
        };
        let matches = match &proven {
            ProvenClaim::Consistency { earlier, head } => same(earlier) || same(head),
            ProvenClaim::Inclusion { head, .. } => same(head),
        };
        if trusted_head.ledger != head.ledger || !matches {
            return Err(mismatch("it neither starts nor ends at the given head"));
        }
    }
    let of = match proven {
        ProvenClaim::Inclusion { entry, .. } => ProofOf::Inclusion { entry },
        ProvenClaim::Consistency { earlier, .. } => ProofOf::Consistency { earlier },
    };
    Ok(ProofChecked { of, head, signed_by_trusted_key: trusted.is_some() })
}
