//! Exported proofs: an entry is in a ledger, or a ledger extends an earlier head. A proof is checked without the
//! ledger.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::head::ExportedHead;
use crate::ledger::Writer;
use crate::merkle;
use crate::signature::Verifier;

const FORMAT: u32 = 2;

/// A proof and the head that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    format: u32,
    #[serde(flatten)]
    claim: Claim,
    /// Hashes of the proof as in RFC 6962, from the leaf upwards.
    path: Vec<Hash>,
    /// Signed head.
    head: String,
}

/// Claim of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "proof")]
enum Claim {
    /// A document is the entry with this number.
    Inclusion {
        /// Number of the entry, from 1.
        entry: u64,
        /// Document of the entry, byte for byte.
        document: String,
    },
    /// The ledger extends an earlier head.
    Consistency {
        /// Earlier head.
        earlier: String,
    },
}

/// Claim of a checked proof.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "proof")]
pub enum ProvenClaim {
    /// An entry is in the ledger.
    Inclusion {
        /// Entry.
        entry: Box<Entry>,
        /// Head that covers the entry.
        head: ExportedHead,
    },
    /// A ledger extends an earlier head.
    Consistency {
        /// Earlier head.
        earlier: Box<ExportedHead>,
        /// Head that extends it.
        head: ExportedHead,
    },
}

impl ProvenClaim {
    /// Returns the head that the proof refers to.
    pub fn head(&self) -> &ExportedHead {
        match self {
            ProvenClaim::Inclusion { head, .. } | ProvenClaim::Consistency { head, .. } => head,
        }
    }
}

impl Writer<'_> {
    /// Proves that an entry is in the ledger, with a newly exported head.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger cannot be read, or if it does not have the entry.
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

    /// Proves that the ledger extends an earlier head, with a newly exported head.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger cannot be read, or if it does not extend the head.
    pub fn prove_extension(&self, earlier: &ExportedHead, at: &str) -> Result<Proof> {
        if let Some(contradiction) = self.compare_head(earlier)? {
            return Err(Error::broken(&self.ledger.folder, contradiction));
        }
        if earlier.root().is_none() {
            return Err(Error::NoProof(
                "the earlier head has format 1, which has no Merkle tree; export a new head".to_owned(),
            ));
        }
        let head = self.export_head(at)?;
        let path = merkle::consistency(&self.chain.leaves, earlier.entries);
        let claim = Claim::Consistency { earlier: earlier.to_string() };
        Ok(Proof { format: FORMAT, claim, path, head: head.to_string() })
    }
}

impl Proof {
    /// Parses an exported proof.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an exported proof.
    pub fn parse(text: &str) -> Result<Proof> {
        let proof: Proof =
            serde_json::from_str(text).map_err(|_| Error::NoProof("the text is not an exported proof".to_owned()))?;
        match proof.format {
            FORMAT => Ok(proof),
            other => Err(Error::NoProof(format!("format {other} is not supported"))),
        }
    }

    /// Checks the proof. The heads must be signed with the key `trusted`, or else with the key that they name.
    ///
    /// # Errors
    ///
    /// Returns an error if the proof does not show its claim.
    pub fn check(&self, trusted: Option<&Verifier>) -> Result<ProvenClaim> {
        let refused = |why: &str| Error::NoProof(why.to_owned());
        let head = ExportedHead::parse(&self.head)?;
        let authentic = |head: &ExportedHead| match head.authenticity_problem(trusted, None) {
            None => Ok(()),
            Some(why) => Err(Error::NoProof(why)),
        };
        authentic(&head)?;
        let root = head.root().ok_or_else(|| refused("its head has no Merkle tree"))?;
        match &self.claim {
            Claim::Inclusion { entry, document } => {
                let leaf = merkle::leaf(document.as_bytes());
                let index = entry.checked_sub(1).ok_or_else(|| refused("entries are numbered from 1"))?;
                if !merkle::is_included(leaf, index, head.entries, &self.path, root) {
                    return Err(refused("the entry is not in the Merkle tree of the head"));
                }
                let read = Entry::parse(document).map_err(|_| refused("the document is not an entry"))?;
                if read.number != *entry {
                    return Err(refused("the document has another entry number"));
                }
                Ok(ProvenClaim::Inclusion { entry: Box::new(read), head })
            }
            Claim::Consistency { earlier } => {
                let earlier = ExportedHead::parse(earlier)?;
                authentic(&earlier)?;
                let before = earlier.root().ok_or_else(|| refused("its earlier head has no Merkle tree"))?;
                let same = earlier.ledger == head.ledger && earlier.verifier == head.verifier;
                if !same || !merkle::is_extension((earlier.entries, before), (head.entries, root), &self.path) {
                    return Err(refused("the ledger of the head does not extend the earlier head"));
                }
                Ok(ProvenClaim::Consistency { earlier: Box::new(earlier), head })
            }
        }
    }
}
