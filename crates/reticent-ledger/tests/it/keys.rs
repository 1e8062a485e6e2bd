//! Key files: permissions, and the keys derived from them.

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
fn a_key_is_refused_if_others_can_read_or_replace_it() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("deep/keys");
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
    for (above, mode) in [(&folder, 0o777), (&temp.path().join("deep"), 0o707)] {
        chmod(above, mode);
        refused(&path, None, "others can write to the folder");
        // With the sticky bit, only the owner of a file can replace it.
        chmod(above, 0o1000 | mode);
        assert!(KeyFile::read(&path, None).unwrap().is_some());
        chmod(above, 0o755);
    }
    // For a symbolic link, the folders of its target are checked.
    let linked = temp.path().join("linked");
    std::os::unix::fs::symlink(&path, &linked).unwrap();
    assert!(KeyFile::read(&linked, None).unwrap().is_some());
    chmod(&folder, 0o777);
    refused(&linked, None, "others can write to the folder");
}

/// Runs fully only with permission to change the owner of a file (root, for example in containers).
#[test]
fn a_key_of_another_user_is_refused_and_a_declared_group_may_read_it() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("key");
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
        // The declared group may write to the parent folder; other groups may not.
        std::os::unix::fs::chown(temp.path(), None, Some(daemon)).unwrap();
        chmod(temp.path(), 0o770);
        assert!(KeyFile::read(&path, Some("daemon")).unwrap().is_some());
        refused(&path, Some("sys"), "chmod 600");
        chmod(&path, 0o600);
        refused(&path, None, "others can write to the folder");
        std::os::unix::fs::chown(temp.path(), Some(daemon), None).unwrap();
        refused(&path, Some("daemon"), "another user owns the folder");
    }
    refused(&path, Some("no-such-group"), "does not exist");
}

#[test]
fn an_invalid_key_file_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("key");
    assert!(KeyFile::read(&path, None).unwrap().is_none());
    fs::write(&path, "something else").unwrap();
    chmod(&path, 0o600);
    refused(&path, None, "is not a Reticent key");
    fs::write(&path, format!("reticent-key-1 {}\n", "0".repeat(63))).unwrap();
    refused(&path, None, "is not a Reticent key");
}

/// Expected values: HMAC and HKDF (RFC 5869), computed with Python's `hmac` and `hashlib`.
#[test]
fn keys_are_derived_as_documented() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("key");
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
    // Both derivations give the same signing key. Debug output contains no key.
    assert_eq!(direct.verifier(), derived.verifier());
    assert!(!format!("{file:?} {derived:?}").contains(&hex));
    // Another ledger with the same key file has other pseudonyms and another public key.
    let other = file.ledger_key(&Identity { id: format!("1{}", &id[1..]), derivation: Derivation::HkdfSha256 });
    assert_ne!(other.pseudonym_key(), derived.pseudonym_key());
    assert_ne!(other.verifier(), derived.verifier());
}
