//! Corrections that do not fit: a signed entry that corrects nothing is an error, and never ignored.

use super::{new_keys, session_without_key};
use crate::entry::{Amendment, EntryKind, Erasure, Replacement, StoredBlob, Withdrawal};
use crate::error::Error;
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::load::HistoryQuery;

#[test]
fn a_correction_of_no_release_is_an_error() {
    let blob = StoredBlob { sha256: Hash::digest(b"new"), bytes: 3 };
    let old = Hash::digest(b"old");
    let replaced = vec![Replacement { release: 1, body: "links".to_owned(), old, new: blob }];
    let reason = || "x".to_owned();
    let kinds = [
        EntryKind::Withdrawal(Withdrawal { release: 1, reason: reason(), file_absent: true }),
        EntryKind::Withdrawal(Withdrawal { release: 0, reason: reason(), file_absent: true }),
        EntryKind::Withdrawal(Withdrawal { release: u64::MAX, reason: reason(), file_absent: true }),
        EntryKind::Amendment(Amendment { release: 2, reason: reason(), recipients: None, roles: Default::default() }),
        EntryKind::Erasure(Erasure { people: 1, reason: reason(), replaced }),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (at, kind) in kinds.into_iter().enumerate() {
        let (_, identity, key) = new_keys();
        let session = session_without_key().with_key(Some(key));
        let folder = dir.path().join(at.to_string());
        let mut ledger = Ledger::create(&folder, &identity, &session).unwrap();
        let mut writer = ledger.write(&session).unwrap();
        writer.append_kind(kind, None).unwrap();
        assert_eq!(writer.seal(), None);
        drop(writer);
        assert!(matches!(ledger.entries(), Err(Error::Broken { .. })), "{at}");
        assert!(matches!(ledger.history(HistoryQuery::default()), Err(Error::Broken { .. })), "{at}");
        assert!(!ledger.verify(&session).unwrap().is_intact(), "{at}");
        assert!(matches!(ledger.write(&session), Err(Error::Broken { .. })), "{at}");
    }
}
