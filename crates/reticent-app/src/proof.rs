//! `check-proof`: checks an exported proof, without the ledger and without its key.

use reticent_ledger::{Proof, Proven};

use crate::answer::{ProofChecked, ProofOf};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::request::CheckProofRequest;
use crate::verify::{exported, verifier};

/// Checks an exported proof: that an entry is in a ledger, or that a ledger extends an earlier head.
///
/// # Errors
///
/// If the proof does not show what it claims, or is about another ledger than the head that was kept.
pub fn check_proof(request: &CheckProofRequest, context: &Context) -> Result<ProofChecked> {
    context.run(|| check(request))
}

fn check(request: &CheckProofRequest) -> Result<ProofChecked> {
    let text = std::fs::read_to_string(&request.proof).map_err(Error::file("read", &request.proof))?;
    let kept = request.head.as_deref().map(exported).transpose()?;
    let given = request.verifier.as_deref().map(verifier).transpose()?;
    let trusted = given.or_else(|| kept.as_ref().and_then(|head| head.verifier.clone()));
    let proven = Proof::parse(&text)?.check(trusted.as_ref())?;
    let other = |why: &str| Error::from(reticent_ledger::Error::NoProof(why.to_owned()));
    let head = proven.head().clone();
    if let Some(kept) = &kept {
        let same = |one: &reticent_ledger::ExportedHead| (one.entries, one.root()) == (kept.entries, kept.root());
        let matches = match &proven {
            Proven::Consistency { earlier, head } => same(earlier) || same(head),
            Proven::Inclusion { head, .. } => same(head),
        };
        if kept.ledger != head.ledger || !matches {
            return Err(other("it does not lead to or from the head that was kept"));
        }
    }
    let of = match proven {
        Proven::Inclusion { entry, .. } => ProofOf::Inclusion { entry },
        Proven::Consistency { earlier, .. } => ProofOf::Consistency { earlier },
    };
    Ok(ProofChecked { of, head, signed_by_trusted_key: trusted.is_some() })
}
