//! Proofs and witnesses: checked by somebody who has neither the ledger nor its key.

use reticent_ledger::{EntryKind, Error, ExportedHead, KeyFile, Proof, ProvenClaim, Verifier, countersign};

use crate::support::{Desk, autumn, clinic, key, session, spring};

const AT: &str = "2026-03-01T00:00:00Z";

fn head(desk: &Desk) -> ExportedHead {
    desk.open().export_head(Some(&key()), AT).unwrap()
}

/// Through a file, as an auditor gets it.
fn sent(proof: &Proof) -> Proof {
    Proof::parse(&serde_json::to_string(proof).unwrap()).unwrap()
}

#[test]
fn an_entry_is_proved_to_be_in_the_ledger() {
    let desk = Desk::full();
    for number in 1..=4 {
        let proof = sent(&desk.open().write(&session()).unwrap().prove_entry(number, AT).unwrap());
        let ProvenClaim::Inclusion { entry, head } = proof.check(Some(&key().verifier())).unwrap() else {
            panic!("inclusion")
        };
        assert_eq!((entry.number, head.entries), (number, 4));
    }
    let text = serde_json::to_string(&desk.open().write(&session()).unwrap().prove_entry(2, AT).unwrap()).unwrap();
    // A changed entry, another number, another size: none is proved.
    for (old, new) in [("ministry", "minister"), ("\"entry\":2", "\"entry\":3"), ("\\n4\\n", "\\n5\\n")] {
        assert!(text.contains(old), "{old}");
        let forged = Proof::parse(&text.replacen(old, new, 1)).unwrap();
        assert!(matches!(forged.check(None), Err(Error::NoProof(_))), "{new}");
    }
    // Signed by somebody else.
    let other = KeyFile::ephemeral().unwrap().ledger_key(&desk.open().identity().unwrap()).verifier();
    assert!(matches!(Proof::parse(&text).unwrap().check(Some(&other)), Err(Error::NoProof(_))));
    assert!(matches!(desk.open().write(&session()).unwrap().prove_entry(5, AT), Err(Error::NoSuch { .. })));
    assert!(matches!(Proof::parse("{}"), Err(Error::NoProof(_))));
}

#[test]
fn a_ledger_proves_that_it_extends_an_earlier_head() {
    let desk = Desk::new();
    let mut heads = vec![head(&desk)];
    for (name, body) in
        [("a", spring()), ("b", autumn()), ("c", clinic(&[(&["*", "Oslo", "flu"], 9)])), ("d", spring())]
    {
        desk.record(name, &["press"], &body);
        heads.push(head(&desk));
    }
    for earlier in &heads {
        let proof = sent(&desk.open().write(&session()).unwrap().prove_extension(earlier, AT).unwrap());
        let ProvenClaim::Consistency { head, .. } = proof.check(Some(&key().verifier())).unwrap() else {
            panic!("extension")
        };
        assert_eq!(head.entries, 4);
    }
    // A rewritten ledger of the same key proves nothing about the heads of the old one.
    let rewritten = Desk::new();
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
fn a_witness_countersigns_only_what_extends_what_it_kept() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let witness = KeyFile::ephemeral().unwrap();
    let (kept, verifier) = countersign(&head(&desk), None, None, (&witness, "auditor"), 1_700_000_000).unwrap();
    assert_eq!(kept.witnesses(), ["auditor"]);
    assert_eq!(kept.countersigned_by(&verifier), Some(1_700_000_000));
    assert_eq!(Verifier::parse(&verifier.to_string()), Some(verifier.clone()));
    desk.record("summer", &["press"], &autumn());
    let next = head(&desk);
    let refused = countersign(&next, Some(&kept), None, (&witness, "auditor"), 1_700_000_001).unwrap_err();
    assert!(matches!(refused, Error::HeadRefused(_)), "{refused}");
    let proof = desk.open().write(&session()).unwrap().prove_extension(&kept, AT).unwrap();
    let (next, _) = countersign(&next, Some(&kept), Some(&proof), (&witness, "auditor"), 1_700_000_001).unwrap();
    // The holder of the key rewrites the ledger: the witness does not follow.
    let rewritten = Desk::new();
    rewritten.record("other", &["press"], &autumn());
    rewritten.record("another", &["press"], &autumn());
    rewritten.record("more", &["press"], &autumn());
    let own = rewritten.open().write(&session()).unwrap().prove_extension(&head(&rewritten), AT).unwrap();
    for proof in [None, Some(&own), Some(&proof)] {
        let refused = countersign(&head(&rewritten), Some(&next), proof, (&witness, "auditor"), 1_700_000_002);
        assert!(refused.is_err());
    }
    assert!(rewritten.open().compare_head(&next, Some(&key())).unwrap().unwrap().contains("rewritten"));
    // The steward records the countersignature.
    let entry = desk.open().write(&session()).unwrap().record_witness(&next, &verifier).unwrap();
    let EntryKind::Witness(record) = &entry.kind else { panic!("a witness") };
    assert_eq!((record.entries, record.witness.clone()), (2, verifier.to_string()));
    assert_eq!(desk.wrong(), None);
    // Not one that the witness did not make, and not of another ledger.
    let stranger = countersign(&head(&desk), None, None, (&KeyFile::ephemeral().unwrap(), "auditor"), 5).unwrap().1;
    assert!(desk.open().write(&session()).unwrap().record_witness(&next, &stranger).is_err());
    assert!(rewritten.open().write(&session()).unwrap().record_witness(&next, &verifier).is_err());
}

#[test]
fn the_name_of_a_witness_is_one_word() {
    let desk = Desk::new();
    let witness = KeyFile::ephemeral().unwrap();
    for name in ["", "two words", "a+b", "reticent.ledger/x", "line\nbreak"] {
        assert!(
            matches!(countersign(&head(&desk), None, None, (&witness, name), 1), Err(Error::HeadRefused(_))),
            "{name:?}"
        );
    }
}
