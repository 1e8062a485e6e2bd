//! Inclusion and consistency proofs, and witnesses. An auditor checks them without the ledger and without its key.

use reticent_ledger::{EntryKind, Error, ExportedHead, KeyFile, Proof, ProvenClaim, Verifier, countersign};

use crate::support::{Sandbox, autumn, clinic, key, session, spring};

const AT: &str = "2026-03-01T00:00:00Z";

fn head(sandbox: &Sandbox) -> ExportedHead {
    sandbox.open().export_head(Some(&key()), AT).unwrap()
}

/// Serializes and parses a proof, as it reaches an auditor.
fn transmitted(proof: &Proof) -> Proof {
    Proof::parse(&serde_json::to_string(proof).unwrap()).unwrap()
}

#[test]
fn an_inclusion_proof_is_valid_only_for_its_entry_head_and_key() {
    let sandbox = Sandbox::full();
    for number in 1..=4 {
        let proof = transmitted(&sandbox.open().write(&session()).unwrap().prove_entry(number, AT).unwrap());
        let ProvenClaim::Inclusion { entry, head } = proof.check(Some(&key().verifier())).unwrap() else {
            panic!("inclusion")
        };
        assert_eq!((entry.number, head.entries), (number, 4));
    }
    let text = serde_json::to_string(&sandbox.open().write(&session()).unwrap().prove_entry(2, AT).unwrap()).unwrap();
    // A changed entry, a changed number and a changed size invalidate the proof.
    for (old, new) in [("ministry", "minister"), ("\"entry\":2", "\"entry\":3"), ("\\n4\\n", "\\n5\\n")] {
        assert!(text.contains(old), "{old}");
        let forged = Proof::parse(&text.replacen(old, new, 1)).unwrap();
        assert!(matches!(forged.check(None), Err(Error::NoProof(_))), "{new}");
    }
    // Another key.
    let other = KeyFile::ephemeral().unwrap().ledger_key(&sandbox.open().identity().unwrap()).verifier();
    assert!(matches!(Proof::parse(&text).unwrap().check(Some(&other)), Err(Error::NoProof(_))));
    assert!(matches!(sandbox.open().write(&session()).unwrap().prove_entry(5, AT), Err(Error::NoSuch { .. })));
    assert!(matches!(Proof::parse("{}"), Err(Error::NoProof(_))));
}

#[test]
fn a_consistency_proof_is_valid_only_for_heads_of_the_same_ledger() {
    let sandbox = Sandbox::new();
    let mut heads = vec![head(&sandbox)];
    for (name, body) in
        [("a", spring()), ("b", autumn()), ("c", clinic(&[(&["*", "Oslo", "flu"], 9)])), ("d", spring())]
    {
        sandbox.record(name, &["press"], &body);
        heads.push(head(&sandbox));
    }
    for earlier in &heads {
        let proof = transmitted(&sandbox.open().write(&session()).unwrap().prove_extension(earlier, AT).unwrap());
        let ProvenClaim::Consistency { head, .. } = proof.check(Some(&key().verifier())).unwrap() else {
            panic!("extension")
        };
        assert_eq!(head.entries, 4);
    }
    // A rewritten ledger with the same key cannot prove that it extends the old heads.
    let rewritten = Sandbox::new();
    rewritten.record("a", &["press"], &autumn());
    rewritten.record("b", &["press"], &autumn());
    assert!(rewritten.open().write(&session()).unwrap().prove_extension(&heads[1], AT).is_err());
    let honest = serde_json::to_string(
        &rewritten.open().write(&session()).unwrap().prove_extension(&head(&rewritten), AT).unwrap(),
    )
    .unwrap();
    let claimed = honest.replace(
        &serde_json::to_string(&head(&rewritten).to_string()).unwrap(),
        &serde_json::to_string(&heads[2].to_string()).unwrap(),
    );
    assert!(Proof::parse(&claimed).unwrap().check(None).is_ok(), "the same head twice is consistent");
    let mixed = honest.replacen(
        &serde_json::to_string(&head(&rewritten).to_string()).unwrap(),
        &serde_json::to_string(&heads[2].to_string()).unwrap(),
        1,
    );
    assert!(Proof::parse(&mixed).unwrap().check(None).is_err());
}

#[test]
fn a_witness_countersigns_only_an_extension_of_its_last_head() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let witness = KeyFile::ephemeral().unwrap();
    let (kept, verifier) = countersign(&head(&sandbox), None, None, (&witness, "auditor"), 1_700_000_000).unwrap();
    assert_eq!(kept.witnesses(), ["auditor"]);
    assert_eq!(kept.countersigned_by(&verifier), Some(1_700_000_000));
    assert_eq!(Verifier::parse(&verifier.to_string()), Some(verifier.clone()));
    sandbox.record("summer", &["press"], &autumn());
    let next = head(&sandbox);
    let refused = countersign(&next, Some(&kept), None, (&witness, "auditor"), 1_700_000_001).unwrap_err();
    assert!(matches!(refused, Error::HeadRefused(_)), "{refused}");
    let proof = sandbox.open().write(&session()).unwrap().prove_extension(&kept, AT).unwrap();
    let (next, _) = countersign(&next, Some(&kept), Some(&proof), (&witness, "auditor"), 1_700_000_001).unwrap();
    // The witness refuses a ledger that the key holder has rewritten.
    let rewritten = Sandbox::new();
    rewritten.record("other", &["press"], &autumn());
    rewritten.record("another", &["press"], &autumn());
    rewritten.record("more", &["press"], &autumn());
    let own = rewritten.open().write(&session()).unwrap().prove_extension(&head(&rewritten), AT).unwrap();
    for proof in [None, Some(&own), Some(&proof)] {
        let refused = countersign(&head(&rewritten), Some(&next), proof, (&witness, "auditor"), 1_700_000_002);
        assert!(refused.is_err());
    }
    assert!(rewritten.open().compare_head(&next, Some(&key())).unwrap().unwrap().contains("rewritten"));
    // The ledger records the countersignature.
    let entry = sandbox.open().write(&session()).unwrap().record_witness(&next, &verifier).unwrap();
    let EntryKind::Witness(record) = &entry.kind else { panic!("a witness") };
    assert_eq!((record.entries, record.witness.clone()), (2, verifier.to_string()));
    assert_eq!(sandbox.problem(), None);
    // A countersignature of another witness, or for another ledger, is refused.
    let stranger = countersign(&head(&sandbox), None, None, (&KeyFile::ephemeral().unwrap(), "auditor"), 5).unwrap().1;
    assert!(sandbox.open().write(&session()).unwrap().record_witness(&next, &stranger).is_err());
    assert!(rewritten.open().write(&session()).unwrap().record_witness(&next, &verifier).is_err());
}

#[test]
fn an_invalid_name_of_a_witness_is_refused() {
    let sandbox = Sandbox::new();
    let witness = KeyFile::ephemeral().unwrap();
    for name in ["", "two words", "a+b", "reticent.ledger/x", "line\nbreak"] {
        assert!(
            matches!(countersign(&head(&sandbox), None, None, (&witness, name), 1), Err(Error::HeadRefused(_))),
            "{name:?}"
        );
    }
}
