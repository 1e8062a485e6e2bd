//! Witnesses: a second person who keeps the heads of a ledger and countersigns those that extend what they kept.
//!
//! The steward cannot rewrite a ledger that has a witness: the witness has signed what was there. A witness needs no ledger,
//! only the head it kept last and a proof from the steward.

use crate::entry::{Entry, EntryKind, KeyRotation, WitnessRecord};
use crate::error::{Error, Result};
use crate::head::ExportedHead;
use crate::key::KeyFile;
use crate::ledger::{Ledger, Writer};
use crate::proof::{Proof, Proven};
use crate::seal::Seal;
use crate::session::Session;
use crate::signature::{Verifier, is_name};

/// Countersigns a head. `kept` is the head that the witness countersigned before, and `proof` shows that this one extends it;
/// both are missing the first time. Answers with the countersigned head and the public key of the witness.
///
/// # Errors
///
/// If the head is not signed, or if it is not proved that it extends the one that was kept.
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
        return Err(refused("the name of a witness has no spaces, slashes or plus signs"));
    }
    let note = head.note().ok_or_else(|| refused("it is of format 1; export a new one"))?;
    let Some(verifier) = &head.verifier else { return Err(refused("it is not signed: the ledger has no key")) };
    if note.signed_by(verifier).is_none() {
        return Err(refused("its signature is not valid"));
    }
    let signer = key.of_witness(name);
    if let Some(kept) = kept {
        if kept.countersigned_by(&signer.verifier()).is_none() {
            return Err(refused("the head that was kept is not countersigned with this key and name"));
        }
        extends(head, kept, proof)?;
    }
    let mut note = note.clone();
    note.sign(&signer, seconds);
    Ok((ExportedHead::parse(&note.to_string())?, signer.verifier()))
}

/// An error unless it is proved that a head extends the one that was kept.
fn extends(head: &ExportedHead, kept: &ExportedHead, proof: Option<&Proof>) -> Result<()> {
    let refused = |why: &str| Error::HeadRefused(why.to_owned());
    if (&head.ledger, &head.verifier) != (&kept.ledger, &kept.verifier) {
        return Err(refused("it is of another ledger, or signed with another key, than the one that was kept"));
    }
    let is_same = |one: &ExportedHead, other: &ExportedHead| (one.entries, one.root()) == (other.entries, other.root());
    if is_same(head, kept) {
        return Ok(());
    }
    let proof = proof.ok_or_else(|| refused("a proof is needed that it extends the one that was kept"))?;
    match proof.check(head.verifier.as_ref())? {
        Proven::Consistency { earlier, head: proved } if is_same(&earlier, kept) && is_same(&proved, head) => Ok(()),
        _ => Err(refused("the proof is about other heads")),
    }
}

impl Writer<'_> {
    /// Records that a witness countersigned a head of this ledger.
    ///
    /// # Errors
    ///
    /// If the head is not one of this ledger, or if the witness did not countersign it.
    pub fn record_witness(mut self, head: &ExportedHead, witness: &Verifier) -> Result<Entry> {
        if head.countersigned_by(witness).is_none() {
            return Err(Error::NoHead("this witness did not countersign it".to_owned()));
        }
        if let Some(against) = self.compare_head(head)? {
            return Err(Error::NoHead(against));
        }
        let root = head.root().ok_or_else(|| Error::NoHead("it has no tree".to_owned()))?;
        let record =
            WitnessRecord { entries: head.entries, root, witness: witness.to_string(), head: head.to_string() };
        let entry = self.append_kind(EntryKind::Witness(record), None)?;
        self.seal();
        Ok(entry)
    }
}

impl Ledger {
    /// Signs a ledger that is not signed yet with the session's key, from here on. What is in it must be intact; that nobody
    /// changed it before, a signature cannot show.
    ///
    /// # Errors
    ///
    /// If the ledger is signed already, if it was modified, or if there is no key.
    pub fn authenticate(&mut self, session: &Session, reason: &str) -> Result<Entry> {
        let Some(key) = &session.key else { return Err(Error::KeyNeeded(self.folder.clone())) };
        if self.verifier()?.is_some() {
            return Err(Error::Unfit("the ledger is signed already".to_owned()));
        }
        let verifier = key.verifier();
        let mut writer = self.write_as(session, true)?;
        // Another process may have been faster.
        if writer.ledger.catalogue.verifier()?.is_some() {
            return Err(Error::Unfit("the ledger is signed already".to_owned()));
        }
        // Without a key no owner is recorded: who is recorded in a ledger of format 2 was recorded in a signed one.
        let is_linked =
            |entry: &&Entry| entry.format > 1 && entry.release().is_some_and(|release| release.links.is_some());
        if let Some(entry) = writer.chain.entries.iter().find(is_linked) {
            let what = format!("entry {} records owners, and is not signed: signatures were removed", entry.number);
            return Err(Error::broken(&writer.ledger.folder, what));
        }
        // The seal is signed before the entry: a seal without a signature is never accepted beside a signed entry.
        Seal::of(&writer.ledger.catalogue.snapshot()?, writer.chain.head(), Some(key))?.write(&writer.ledger.folder)?;
        let rotation = KeyRotation { verifier: verifier.to_string(), replaces: None, reason: reason.to_owned() };
        let entry = writer.append_kind(EntryKind::KeyRotation(rotation), Some(verifier))?;
        writer.seal();
        Ok(entry)
    }
}
