//! Keys: who may read and replace the file, and what is derived from it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use reticent_ledger::{Derivation, Error, Identity, KeyFile};

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[track_caller]
fn refused(path: &Path, group: Option<&str>, why: &str) {
    match KeyFile::read(path, group) {
        Err(Error::Key { why: found, .. }) => assert!(found.contains(why), "{found}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_is_closed_to_others_and_so_are_the_folders_above_it() {
    let desk = tempfile::tempdir().unwrap();
    let folder = desk.path().join("deep/keys");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("key");
    KeyFile::create(&path, None).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o640, 0o604, 0o620, 0o644] {
        chmod(&path, mode);
        refused(&path, None, "chmod 600");
    }
    chmod(&path, 0o400);
    assert!(KeyFile::read(&path, None).unwrap().is_some());
    for (above, mode) in [(&folder, 0o777), (&desk.path().join("deep"), 0o707)] {
        chmod(above, mode);
        refused(&path, None, "others can write to the folder");
        // Only the owner of a file can replace it where the sticky bit is set.
        chmod(above, 0o1000 | mode);
        assert!(KeyFile::read(&path, None).unwrap().is_some());
        chmod(above, 0o755);
    }
    // A link elsewhere is judged by where it leads.
    let linked = desk.path().join("linked");
    std::os::unix::fs::symlink(&path, &linked).unwrap();
    assert!(KeyFile::read(&linked, None).unwrap().is_some());
    chmod(&folder, 0o777);
    refused(&linked, None, "others can write to the folder");
}

/// Needs the right to give files away, which the tests have in containers; elsewhere there is no other owner to try.
#[test]
fn a_key_of_another_user_is_refused_and_a_declared_group_may_read_it() {
    let desk = tempfile::tempdir().unwrap();
    let path = desk.path().join("key");
    KeyFile::create(&path, None).unwrap();
    let daemon = 1;
    if std::os::unix::fs::chown(&path, Some(daemon), None).is_ok() {
        refused(&path, None, "belongs to another user");
        std::os::unix::fs::chown(&path, Some(0), Some(daemon)).unwrap();
        chmod(&path, 0o640);
        refused(&path, None, "chmod 600");
        assert!(KeyFile::read(&path, Some("daemon")).unwrap().is_some());
        chmod(&path, 0o660);
        refused(&path, Some("daemon"), "chmod 600");
        chmod(&path, 0o640);
        // The group may write to the folder above; another group may not.
        std::os::unix::fs::chown(desk.path(), None, Some(daemon)).unwrap();
        chmod(desk.path(), 0o770);
        assert!(KeyFile::read(&path, Some("daemon")).unwrap().is_some());
        refused(&path, Some("sys"), "chmod 600");
        chmod(&path, 0o600);
        refused(&path, None, "others can write to the folder");
        std::os::unix::fs::chown(desk.path(), Some(daemon), None).unwrap();
        refused(&path, Some("daemon"), "another user owns the folder");
    }
    refused(&path, Some("no-such-group"), "does not exist");
}

#[test]
fn what_is_no_key_is_refused() {
    let desk = tempfile::tempdir().unwrap();
    let path = desk.path().join("key");
    assert!(KeyFile::read(&path, None).unwrap().is_none());
    fs::write(&path, "something else").unwrap();
    chmod(&path, 0o600);
    refused(&path, None, "is not a Reticent key");
    fs::write(&path, format!("reticent-key-1 {}\n", "0".repeat(63))).unwrap();
    refused(&path, None, "is not a Reticent key");
}

/// Expected values by another implementation: HMAC and HKDF of Python's `hmac` and `hashlib`, after RFC 5869.
#[test]
fn secrets_are_derived_as_documented() {
    let desk = tempfile::tempdir().unwrap();
    let path = desk.path().join("key");
    fs::write(&path, format!("reticent-key-1 {}\n", "07".repeat(32))).unwrap();
    chmod(&path, 0o600);
    let file = KeyFile::read(&path, None).unwrap().unwrap();
    let id = "00112233445566778899aabbccddeeff".to_owned();
    let direct = file.ledger_key(&Identity { id: id.clone(), derivation: Derivation::Direct });
    assert_eq!(*direct.pseudonym_key(), [7; 32]);
    let derived = file.ledger_key(&Identity { id: id.clone(), derivation: Derivation::HkdfSha256 });
    let hex: String = derived.pseudonym_key().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "48bc161effd526ac0981b294884f779bb1b6395114a64d9c4f38dbee4c970642");
    assert_eq!(derived.fingerprint(), "8c4b3a171b1ef22d");
    assert_eq!(
        derived.verifier().to_string(),
        "reticent.ledger/00112233445566778899aabbccddeeff+5bf0065d+AQArxdZmNwy9FT8O2ZEC121+sBm98QA6eruwhuHg0Nxt"
    );
    // Both sign with the same key, and neither shows its secret.
    assert_eq!(direct.verifier(), derived.verifier());
    assert!(!format!("{file:?} {derived:?}").contains(&hex));
    // Another ledger under the same key has other pseudonyms and another public key.
    let other = file.ledger_key(&Identity { id: format!("1{}", &id[1..]), derivation: Derivation::HkdfSha256 });
    assert_ne!(other.pseudonym_key(), derived.pseudonym_key());
    assert_ne!(other.verifier(), derived.verifier());
}
