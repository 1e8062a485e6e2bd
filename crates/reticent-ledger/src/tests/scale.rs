//! A ledger of 10,000 entries.

use std::time::{Duration, Instant};

use super::{new_keys, session_without_key};
use crate::chain::{Chain, checkpoint};
use crate::entry::{Entry, EntryKind, FORMAT, Purge};
use crate::ledger::Ledger;
use crate::record::SerializedEntry;
use crate::verify::Authentication;

/// Verifies 10,000 signed entries. Prints the time; the asserted limit is generous because machines differ.
#[test]
fn ten_thousand_entries_are_verified_in_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let (_, identity, key) = new_keys();
    let session = session_without_key().with_key(Some(key.clone()));
    let mut ledger = Ledger::create(&dir.path().join("ledger"), &identity, &session).unwrap();
    let mut frontier = crate::merkle::Frontier::default();
    let mut previous = ledger.head().unwrap().hash;
    let rows = (1..=10_000u64).map(|number| {
        let purge = Purge { release: 0, reason: "r".repeat(400), erased: Vec::new(), shared: Vec::new() };
        let entry = Entry {
            format: FORMAT,
            number,
            previous,
            at: "2026-03-01T00:00:00Z".to_owned(),
            steward: "ana".to_owned(),
            requires: Vec::new(),
            kind: EntryKind::Purge(purge),
        };
        let document = serde_json::to_string(&entry).unwrap();
        frontier.push(crate::merkle::leaf(document.as_bytes()));
        let head = crate::chain::Head {
            entries: number,
            hash: crate::hash::Hash::digest(document.as_bytes()),
            root: frontier.root(),
        };
        previous = head.hash;
        let signature = Some(key.signer().sign(&checkpoint(&identity.origin(), number, head.root)));
        (entry, SerializedEntry { document, head, signature, verifier: None })
    });
    ledger.catalogue.append_all(rows.collect()).unwrap();
    let chain: Chain = ledger.chain().unwrap();
    ledger.seal(&chain, None, &session).unwrap();
    let start = Instant::now();
    let findings = ledger.verify(&session).unwrap();
    let took = start.elapsed();
    println!("10,000 entries verified in {:.2} s", took.as_secs_f64());
    assert_eq!((findings.authentication, findings.problems), (Authentication::Authentic, vec![]));
    assert!(took < Duration::from_secs(30), "{took:?}");
}
