//! Exported heads: a small text to keep elsewhere, which tells later whether entries were removed, changed or rolled back.

use serde::{Deserialize, Serialize};

use crate::chain::Head;
use crate::error::{Error, Result};
use crate::hash::{Hash, encode};
use crate::key::Key;
use crate::ledger::Ledger;

const PURPOSE: &str = "reticent head\0";

/// The head of a ledger at some time, to be kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedHead {
    /// The format of this text.
    pub format: u32,
    /// The ledger's own number, drawn when it was made.
    pub id: String,
    /// How many entries it had.
    pub entries: u64,
    /// The hash of the last one.
    pub head: Hash,
    /// When it was exported, in UTC.
    pub at: String,
    /// Made with the ledger's key, where there is one: only who has the key can make or check it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Ledger {
    /// The head at some time, to be kept elsewhere.
    pub fn export_head(&self, key: Option<&Key>, at: &str) -> Result<ExportedHead> {
        let Head { entries, hash } = self.head()?;
        let mut head = ExportedHead {
            format: 1,
            id: self.catalogue.id()?,
            entries,
            head: hash,
            at: at.to_owned(),
            signature: None,
        };
        head.signature = key.map(|key| head.signed(key));
        Ok(head)
    }

    /// What an exported head says against the ledger as it stands; nothing when they agree.
    pub fn compare_head(&self, head: &ExportedHead, key: Option<&Key>) -> Result<Option<String>> {
        if head.id != self.catalogue.id()? {
            return Ok(Some("the exported head is of another ledger".to_owned()));
        }
        match (&head.signature, key) {
            (Some(signature), Some(key)) if *signature != head.signed(key) => {
                return Ok(Some("the exported head was changed, or signed with another key".to_owned()));
            }
            (None, Some(_)) => {
                let what = "the exported head is not signed, and this ledger has a key: somebody may have taken the signature out";
                return Ok(Some(what.to_owned()));
            }
            _ => {}
        }
        let chain = self.chain()?;
        let now = chain.head().entries;
        if now < head.entries {
            return Ok(Some(format!(
                "the ledger had {} entries on {} and now has {now}: entries are missing at its end, or it was rolled back",
                head.entries, head.at
            )));
        }
        if chain.head_after(head.entries) != Some(head.head) {
            return Ok(Some(format!(
                "entry {} is not the one that was there on {}: the ledger was rewritten",
                head.entries, head.at
            )));
        }
        Ok(None)
    }
}

impl ExportedHead {
    /// Reads an exported head.
    pub fn parse(text: &str) -> Result<ExportedHead> {
        let head: ExportedHead =
            serde_json::from_str(text).map_err(|_| Error::NoHead("it is not what `export-head` writes".to_owned()))?;
        if head.format == 1 { Ok(head) } else { Err(Error::NoHead(format!("it has format {}", head.format))) }
    }

    fn signed(&self, key: &Key) -> String {
        let ExportedHead { format, id, entries, head, at, .. } = self;
        encode(&key.sign(PURPOSE, format!("{format} {id} {entries} {head} {at}").as_bytes()))
    }
}
