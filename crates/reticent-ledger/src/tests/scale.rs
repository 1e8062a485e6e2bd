//! A ledger of 10,000 entries.

use std::time::{Duration, Instant};

use super::{keys, unkeyed};
use crate::chain::{Chain, checkpoint};
use crate::entry::{Entry, EntryKind, FORMAT, Purge};
use crate::ledger::Ledger;
use crate::record::Written;
use crate::verify::Authentication;

/// Ten thousand signed entries are verified. The time is printed; what is asserted is generous, since machines differ.
#[test]
fn ten_thousand_entries_are_verified_in_seconds() {
    let desk = tempfile::tempdir().unwrap();
    let (_, identity, key) = keys();
    let session = unkeyed().with_key(Some(key.clone()));
    let mut ledger = Ledger::create(&desk.path().join("ledger"), &identity, &session).unwrap();
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
            hash: crate::hash::Hash::of(document.as_bytes()),
            root: frontier.root(),
        };
        previous = head.hash;
        let signature = Some(key.signer().sign(&checkpoint(&identity.origin(), number, head.root)));
        (entry, Written { document, head, signature, verifier: None })
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
