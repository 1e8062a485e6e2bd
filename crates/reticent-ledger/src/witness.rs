//! Witnesses: second parties that keep the heads of a ledger and countersign every head that extends the kept one.
//!
//! A steward cannot rewrite a ledger that has a witness, because the witness has signed the earlier entries. A
//! witness needs no ledger: only its last head and a proof from the steward.

use crate::entry::{Entry, EntryKind, KeyRotation, WitnessRecord};
use crate::error::{Error, Result};
use crate::head::ExportedHead;
use crate::key::KeyFile;
use crate::ledger::{Ledger, Writer};
use crate::proof::{Proof, ProvenClaim};
use crate::seal::Seal;
use crate::session::Session;
use crate::signature::{Verifier, is_name};

/// Countersigns a head. Returns the countersigned head and the public key of the witness.
///
/// `kept` is the head that the witness countersigned last. `proof` shows that the new head extends it. Both are
/// missing the first time.
///
/// # Errors
///
/// Returns an error if the head is not signed, or if no proof shows that it extends the kept head.
pub fn countersign(
    head: &ExportedHead,
    kept: Option<&ExportedHead>,
    proof: Option<&Proof>,
    witness: (&KeyFile, &str),
    seconds: u64,
) -> Result<(ExportedHead, Verifier)> {
    let refused = |why: &str| Error::HeadRefused(why.to_owned());
    let (key, name) = witness;
    if !is_name(name) || name.contains('/') {
        return Err(refused("the name of a witness must be nonempty, without spaces, slashes or plus signs"));
    }
    let note = head.note().ok_or_else(|| refused("it has format 1; export a new head"))?;
    let Some(verifier) = &head.verifier else { return Err(refused("it is not signed: the ledger has no key")) };
    if note.signed_by(verifier).is_none() {
        return Err(refused("its signature is not valid"));
    }
    let signer = key.witness_signer(name);
    if let Some(kept) = kept {
        if kept.countersigned_by(&signer.verifier()).is_none() {
            return Err(refused("the kept head is not countersigned with this key and name"));
        }
        check_extension(head, kept, proof)?;
    }
    let mut note = note.clone();
    note.sign(&signer, seconds);
    Ok((ExportedHead::parse(&note.to_string())?, signer.verifier()))
}

/// Returns an error unless the proof shows that a head extends the kept head.
fn check_extension(head: &ExportedHead, kept: &ExportedHead, proof: Option<&Proof>) -> Result<()> {
    let refused = |why: &str| Error::HeadRefused(why.to_owned());
    if (&head.ledger, &head.verifier) != (&kept.ledger, &kept.verifier) {
        return Err(refused("it belongs to another ledger than the kept head, or is signed with another key"));
    }
    let is_same = |one: &ExportedHead, other: &ExportedHead| (one.entries, one.root()) == (other.entries, other.root());
    if is_same(head, kept) {
        return Ok(());
    }
    let proof = proof.ok_or_else(|| refused("a proof is required that it extends the kept head"))?;
    match proof.check(head.verifier.as_ref())? {
        ProvenClaim::Consistency { earlier, head: proved } if is_same(&earlier, kept) && is_same(&proved, head) => {
            Ok(())
        }
        _ => Err(refused("the proof refers to other heads")),
    }
}

impl Writer<'_> {
    /// Records that a witness countersigned a head of this ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if the head is not a head of this ledger, or if the witness did not countersign it.
    pub fn record_witness(mut self, head: &ExportedHead, witness: &Verifier) -> Result<Entry> {
        if head.countersigned_by(witness).is_none() {
            return Err(Error::NoHead("this witness did not countersign it".to_owned()));
        }
        if let Some(contradiction) = self.compare_head(head)? {
            return Err(Error::NoHead(contradiction));
        }
        let root = head.root().ok_or_else(|| Error::NoHead("it has no Merkle tree".to_owned()))?;
        let record =
            WitnessRecord { entries: head.entries, root, witness: witness.to_string(), head: head.to_string() };
        let entry = self.append_kind(EntryKind::Witness(record), None)?;
        self.seal();
        Ok(entry)
    }
}

impl Ledger {
    /// Signs an unsigned ledger with the session's key, from this entry on.
    ///
    /// The content of the ledger must be intact. A signature cannot show that it was not changed before.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger is already signed, if it was modified, or if there is no key.
    pub fn authenticate(&mut self, session: &Session, reason: &str) -> Result<Entry> {
        let Some(key) = &session.key else { return Err(Error::KeyNeeded(self.folder.clone())) };
        if self.verifier()?.is_some() {
            return Err(Error::Unfit("the ledger is already signed".to_owned()));
        }
        let verifier = key.verifier();
        let mut writer = self.write_with(session, true)?;
        // Another process may have authenticated the ledger meanwhile.
        if writer.ledger.catalogue.verifier()?.is_some() {
            return Err(Error::Unfit("the ledger is already signed".to_owned()));
        }
        // Owner links require a key, so owner links in an unsigned ledger of format 2 mean that signatures were
        // removed.
        let is_linked =
            |entry: &&Entry| entry.format > 1 && entry.release().is_some_and(|release| release.links.is_some());
        if let Some(entry) = writer.chain.entries.iter().find(is_linked) {
            let what = format!("entry {} has owner links but is not signed: signatures were removed", entry.number);
            return Err(Error::broken(&writer.ledger.folder, what));
        }
        // The seal is signed before the entry, because an unsigned seal is never accepted with a signed entry.
        Seal::new(&writer.ledger.catalogue.snapshot()?, writer.chain.head(), Some(key))?
            .write(&writer.ledger.folder)?;
        let rotation = KeyRotation { verifier: verifier.to_string(), replaces: None, reason: reason.to_owned() };
        let entry = writer.append_kind(EntryKind::KeyRotation(rotation), Some(verifier))?;
        writer.seal();
        Ok(entry)
    }
}
