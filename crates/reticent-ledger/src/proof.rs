//! Exported proofs: that an entry is in a ledger, or that a ledger extends an earlier head. They are checked without the ledger.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::head::ExportedHead;
use crate::ledger::Writer;
use crate::merkle;
use crate::signature::Verifier;

const FORMAT: u32 = 2;

/// A proof, with the head that it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    format: u32,
    #[serde(flatten)]
    claim: Claim,
    /// The hashes of RFC 6962, from the leaf upwards.
    path: Vec<Hash>,
    /// The signed head.
    head: String,
}

/// What is proved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "proof")]
enum Claim {
    /// This document is the entry with this number.
    Inclusion {
        /// The number of the entry, from 1.
        entry: u64,
        /// The document, as it was written.
        document: String,
    },
    /// The ledger extends this earlier head.
    Consistency {
        /// The earlier head.
        earlier: String,
    },
}

/// What a proof shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "proof")]
pub enum Proven {
    /// An entry is in the ledger.
    Inclusion {
        /// The entry.
        entry: Box<Entry>,
        /// The head that covers it.
        head: ExportedHead,
    },
    /// A ledger extends an earlier head.
    Consistency {
        /// The earlier head.
        earlier: Box<ExportedHead>,
        /// The head that extends it.
        head: ExportedHead,
    },
}

impl Proven {
    /// The head that the proof leads to.
    pub fn head(&self) -> &ExportedHead {
        match self {
            Proven::Inclusion { head, .. } | Proven::Consistency { head, .. } => head,
        }
    }
}

impl Writer<'_> {
    /// Proves that an entry is in the ledger, under a head that is exported now.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read, or does not have the entry.
    pub fn prove_entry(&self, number: u64, at: &str) -> Result<Proof> {
        let head = self.export_head(at)?;
        let leaves = &self.chain.leaves;
        let index = number.checked_sub(1).filter(|index| *index < leaves.len() as u64);
        let index = index.ok_or_else(|| Error::NoSuch { wanted: number.to_string() })?;
        let row = self.ledger.catalogue.rows()?.into_iter().nth(index as usize);
        let row = row.filter(|row| merkle::leaf(row.document.as_bytes()) == leaves[index as usize]);
        let changed = || Error::broken(&self.ledger.folder, "the catalogue was changed while it was read");
        let document = row.ok_or_else(changed)?.document;
        let path = merkle::inclusion(leaves, index);
        Ok(Proof { format: FORMAT, claim: Claim::Inclusion { entry: number, document }, path, head: head.to_string() })
    }

    /// Proves that the ledger extends an earlier head, under a head that is exported now.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read, or does not extend the head.
    pub fn prove_extension(&self, earlier: &ExportedHead, at: &str) -> Result<Proof> {
        if let Some(against) = self.compare_head(earlier)? {
            return Err(Error::broken(&self.ledger.folder, against));
        }
        if earlier.root().is_none() {
            return Err(Error::NoProof("a head of format 1 has no tree; export a new head first".to_owned()));
        }
        let head = self.export_head(at)?;
        let path = merkle::consistency(&self.chain.leaves, earlier.entries);
        let claim = Claim::Consistency { earlier: earlier.to_string() };
        Ok(Proof { format: FORMAT, claim, path, head: head.to_string() })
    }
}

impl Proof {
    /// Reads a proof.
    ///
    /// # Errors
    ///
    /// If the text is not one.
    pub fn parse(text: &str) -> Result<Proof> {
        let proof: Proof =
            serde_json::from_str(text).map_err(|_| Error::NoProof("it is not what Reticent exports".to_owned()))?;
        match proof.format {
            FORMAT => Ok(proof),
            other => Err(Error::NoProof(format!("it has format {other}"))),
        }
    }

    /// Checks the proof. With `trusted`, the heads must be signed with that key; otherwise with the key that they name.
    ///
    /// # Errors
    ///
    /// If it does not show what it claims.
    pub fn check(&self, trusted: Option<&Verifier>) -> Result<Proven> {
        let refused = |why: &str| Error::NoProof(why.to_owned());
        let head = ExportedHead::parse(&self.head)?;
        let authentic = |head: &ExportedHead| match head.unauthentic(trusted, None) {
            None => Ok(()),
            Some(why) => Err(Error::NoProof(why)),
        };
        authentic(&head)?;
        let root = head.root().ok_or_else(|| refused("its head has no tree"))?;
        match &self.claim {
            Claim::Inclusion { entry, document } => {
                let leaf = merkle::leaf(document.as_bytes());
                let index = entry.checked_sub(1).ok_or_else(|| refused("entries are numbered from 1"))?;
                if !merkle::is_included(leaf, index, head.entries, &self.path, root) {
                    return Err(refused("the entry is not in the tree of the head"));
                }
                let read = Entry::parse(document).map_err(|_| refused("the document is no entry"))?;
                if read.number != *entry {
                    return Err(refused("the document is another entry"));
                }
                Ok(Proven::Inclusion { entry: Box::new(read), head })
            }
            Claim::Consistency { earlier } => {
                let earlier = ExportedHead::parse(earlier)?;
                authentic(&earlier)?;
                let before = earlier.root().ok_or_else(|| refused("its earlier head has no tree"))?;
                let same = earlier.ledger == head.ledger && earlier.verifier == head.verifier;
                if !same || !merkle::is_extension((earlier.entries, before), (head.entries, root), &self.path) {
                    return Err(refused("the ledger of the head does not extend the earlier head"));
                }
                Ok(Proven::Consistency { earlier: Box::new(earlier), head })
            }
        }
    }
}
