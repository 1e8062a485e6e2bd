//! Signed ledgers: authentic, modified or unauthenticated; proofs and witnesses; ledgers of format 1.

use std::path::Path;

use reticent_app::answer::{ProofOf, Status};
use reticent_app::error::Class;
use reticent_app::request::{CheckProofRequest, ExportHeadRequest, VerifyRequest, WitnessRequest};
use reticent_app::{Hint, check_proof, witness};
use reticent_testkit::{Outcome, TestFolder, clinic_policy_with_owner};

fn clinic() -> TestFolder {
    let folder = TestFolder::clinic_with_owner(3);
    folder.publish("people.csv", "one").to("press").run().passes();
    folder
}

fn status(folder: &TestFolder) -> Status {
    folder.verify().unwrap().status
}

/// A copy of the fixture of format 1, with a policy that names its key.
fn format_1() -> TestFolder {
    let folder = TestFolder::clinic(&clinic_policy_with_owner(3));
    folder.copy_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../reticent-ledger/tests/fixtures/format-1"));
    #[cfg(unix)]
    std::fs::set_permissions(folder.file("reticent.key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    folder
}

#[test]
fn a_new_ledger_is_signed_and_authentic() {
    let folder = clinic();
    assert_eq!(status(&folder), Status::Authentic);
    assert!(folder.warnings().is_empty(), "{:?}", folder.warnings());
    // Also one whose policy names no owner: every ledger has a key.
    let plain = TestFolder::clinic(&reticent_testkit::clinic_policy(3));
    plain.publish("people.csv", "one").to("press").run().passes();
    assert!(plain.exists("reticent.key"));
    assert_eq!(status(&plain), Status::Authentic);
}

/// Without the key, signatures are checked with a public key or with a head that was kept; or with nothing, which is said.
#[test]
fn an_auditor_verifies_without_the_key() {
    let folder = clinic();
    let head = folder.export_head_to("head.txt").passes();
    std::fs::rename(folder.file("reticent.key"), folder.file("away.key")).unwrap();
    assert_eq!(status(&folder), Status::Unauthenticated);
    assert_eq!(folder.verify_against("head.txt").unwrap().status, Status::Authentic);
    let with = |verifier: String| {
        let request = VerifyRequest { verifier: Some(verifier), ..VerifyRequest::default() };
        folder.workspace().verify(&request, folder.context())
    };
    let verifier = head.verifier.as_ref().unwrap().to_string();
    assert_eq!(with(verifier).unwrap().status, Status::Authentic);
    with("nonsense".to_owned()).fails_with("verifier-unreadable");
    // The public key of another ledger.
    let other = clinic().export_head().passes().verifier.unwrap().to_string();
    assert_eq!(with(other).unwrap().status, Status::Modified);
    // Nothing is recorded without the key, and no other key is drawn.
    folder.publish("people.csv", "two").to("press").ignore_history().run().fails_with("key-missing");
    folder.purge("one", "r").fails_with("key-missing");
    assert!(!folder.exists("reticent.key") && !folder.exists("two.csv"));
}

/// The reproduction `junk-under-way`: a changed catalogue is not sealed again because a journal lies beside it.
#[test]
fn a_junk_journal_does_not_seal_a_changed_catalogue() {
    let folder = clinic();
    let catalogue = rusqlite::Connection::open(folder.file("ledger/catalogue.sqlite")).unwrap();
    catalogue.execute_batch("CREATE TABLE remarks (x)").unwrap();
    drop(catalogue);
    folder.write("ledger/under-way.json", "x");
    for _ in 0..2 {
        assert_eq!(status(&folder), Status::Modified);
        let result = folder.publish("people.csv", "two").to("press").ignore_history().run();
        result.fails_as(Class::Modified, "ledger-inconsistent");
        folder.export_head().fails_as(Class::Modified, "ledger-inconsistent");
    }
}

/// The reproduction `seal-id-unchecked`: writers compare the ledger's id too.
#[test]
fn a_seal_of_another_ledger_is_refused_by_writers() {
    let folder = clinic();
    let seal = folder.read("ledger/seal.json");
    let id: serde_json::Value = serde_json::from_str(&seal).unwrap();
    let id = id["ledger"].as_str().unwrap();
    let other = format!("{}{}", if id.starts_with('0') { '1' } else { '0' }, &id[1..]);
    folder.write("ledger/seal.json", seal.replace(id, &other));
    assert_eq!(status(&folder), Status::Modified);
    let result = folder.publish("people.csv", "two").to("press").ignore_history().run();
    result.fails_as(Class::Modified, "ledger-inconsistent");
    folder.purge("one", "r").fails_as(Class::Modified, "ledger-inconsistent");
    assert_eq!(status(&folder), Status::Modified);
}

/// The reproduction `wal-loss-unnoticed`: what is recorded is in the database file.
#[test]
fn a_recorded_release_is_in_the_database_file() {
    let folder = clinic();
    let waits = folder.with_wait(std::time::Duration::from_secs(1));
    let reader = rusqlite::Connection::open(folder.file("ledger/catalogue.sqlite")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM entries", [], |_| Ok(())).unwrap();
    let result = waits.publish("people.csv", "two").to("press").ignore_history().run();
    result.fails_as(Class::Locked, "ledger-locked");
    drop(reader);
    assert!(!folder.exists("two.csv"));
    for ending in ["-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(folder.file(&format!("ledger/catalogue.sqlite{ending}")));
    }
    let verified = folder.verify().passes();
    assert_eq!((verified.status, verified.entries), (Status::Authentic, Some(1)));
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    assert_eq!(folder.verify().passes().entries, Some(2));
}

/// One key for two ledgers: the same people have other pseudonyms, so that link files cannot be joined.
#[test]
fn two_ledgers_under_one_key_have_other_links() {
    let folder = clinic();
    let other = folder.with_ledger("second");
    other.publish("people.csv", "one").to("press").output("second.csv").run().passes();
    let links = |ledger: &str| {
        let files = std::fs::read_dir(folder.file(&format!("{ledger}/links"))).unwrap();
        files.map(|file| file.unwrap().file_name()).collect::<Vec<_>>()
    };
    assert_eq!((links("ledger").len(), links("second").len()), (1, 1));
    assert_ne!(links("ledger"), links("second"));
}

/// A policy without a key: unauthenticated, and every command says so.
#[test]
fn a_ledger_without_a_key_is_shown_as_unauthenticated() {
    let policy = format!("{}\n[ledger]\nkey = \"none\"\n", reticent_testkit::clinic_policy(3));
    let folder = TestFolder::clinic(&policy);
    folder.publish("people.csv", "one").to("press").run().passes();
    assert!(!folder.exists("reticent.key") && !folder.exists("none"));
    assert_eq!(status(&folder), Status::Unauthenticated);
    assert!(!folder.log().passes().signed);
    assert!(!folder.export_head().passes().is_signed());
    let warnings = folder.warnings();
    assert!(warnings.iter().any(|warning| warning.contains("unauthenticated")), "{warnings:?}");
    // Owners are not recorded without one.
    let policy = format!("{}\n[ledger]\nkey = \"none\"\n", clinic_policy_with_owner(3));
    let owners = TestFolder::clinic(&policy);
    owners.publish("people.csv", "one").to("press").run().fails_with("key-for-owners");
}

#[test]
fn a_ledger_of_format_1_is_migrated_and_then_authenticated() {
    let folder = format_1();
    // With its key there, an unsigned ledger is not taken for a good one: a signed one may have been replaced.
    assert_eq!(status(&folder), Status::Modified);
    let result = folder.publish("people.csv", "two").to("press").ignore_history().run();
    assert_eq!(result.fails_as(Class::Modified, "ledger-unauthenticated").hints(), [Hint::Authenticate]);
    assert_eq!(std::fs::read_dir(folder.file("ledger/backups")).unwrap().count(), 1);
    let log = folder.log().passes();
    assert_eq!((log.signed, log.entries), (false, 5));
    let signed = folder.workspace().authenticate(folder.context()).unwrap();
    assert_eq!(signed.number, 6);
    let verified = folder.verify().passes();
    assert_eq!((verified.status, verified.findings.signed_since), (Status::Authentic, Some(6)));
    // The head that format 1 exported is still compared.
    assert_eq!(folder.verify_against("head.json").passes().compared_with_head, Some(true));
    folder.workspace().authenticate(folder.context()).fails_with("release-unfit");
}

#[test]
fn proofs_and_witnesses_need_no_ledger() {
    let folder = clinic();
    let first = folder.export_head_to("first.txt").passes();
    let verifier = first.verifier.as_ref().unwrap().to_string();
    let shown = folder.workspace().prove("one", &folder.file("one.proof"), folder.context()).unwrap();
    assert_eq!(shown.proof, Some(folder.file("one.proof")));
    // A proof replaces nothing but a proof, and never lies in the ledger.
    let key = folder.read("reticent.key");
    let prove = |file: &str| folder.workspace().prove("one", &folder.file(file), folder.context());
    prove("reticent.key").fails_with("output-exists");
    prove("first.txt").fails_with("output-exists");
    prove("ledger/seal.json").fails_with("output-in-ledger");
    prove("one.proof").passes();
    assert_eq!(folder.read("reticent.key"), key);
    let request = |proof: &str, head: Option<&str>| CheckProofRequest {
        proof: folder.file(proof),
        head: head.map(|head| folder.file(head)),
        verifier: Some(verifier.clone()),
    };
    let counter = |head: &str, proof: Option<&str>| {
        let request = WitnessRequest {
            head: folder.file(head),
            previous: folder.file("kept.txt"),
            proof: proof.map(|proof| folder.file(proof)),
            key: folder.file("witness.key"),
            name: "auditor".to_owned(),
        };
        witness(&request, folder.context())
    };
    let signed = counter("first.txt", None).unwrap();
    assert!(signed.drew_key && signed.kept_entries.is_none());
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    let since = ExportHeadRequest {
        output: Some(folder.file("second.txt")),
        since: Some(folder.file("first.txt")),
        proof: Some(folder.file("since.proof")),
    };
    folder.workspace().export_head(&since, folder.context()).unwrap();
    // Somewhere else, without the ledger and its key.
    std::fs::rename(folder.file("ledger"), folder.file("moved")).unwrap();
    let proved = check_proof(&request("one.proof", Some("first.txt")), folder.context()).unwrap();
    assert!(matches!(&proved.of, ProofOf::Inclusion { entry } if entry.number == 1) && proved.signed_by_trusted_key);
    let proved = check_proof(&request("since.proof", Some("first.txt")), folder.context()).unwrap();
    assert!(matches!(&proved.of, ProofOf::Consistency { earlier } if earlier.entries == 1));
    check_proof(&request("one.proof", Some("second.txt")), folder.context()).fails_with("proof-invalid");
    check_proof(&request("first.txt", None), folder.context()).fails_with("proof-invalid");
    counter("second.txt", None).fails_with("head-refused");
    assert_eq!(counter("second.txt", Some("since.proof")).unwrap().kept_entries, Some(1));
    std::fs::rename(folder.file("moved"), folder.file("ledger")).unwrap();
    let kept = folder.file("kept.txt");
    let recorded = folder.workspace().record_witness(&kept, &signed.witness, folder.context()).unwrap();
    assert_eq!(recorded.number, 3);
    let verify = |witness: &str| {
        let request = VerifyRequest { head: Some(kept.clone()), witness: Some(witness.to_owned()), verifier: None };
        folder.workspace().verify(&request, folder.context()).unwrap().status
    };
    assert_eq!(verify(&signed.witness), Status::Authentic);
    // The ledger's own key is no witness.
    assert_eq!(verify(&verifier), Status::Modified);
}
