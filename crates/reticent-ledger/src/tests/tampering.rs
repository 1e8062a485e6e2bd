//! Tampering: attacks on a ledger, and whether verification detects them.
//!
//! The attacker can write to the ledger's folder. Without the key, the attacker keeps the signatures, removes them,
//! or signs with another key. With the key, the attacker signs the change. A steward with the key verifies the
//! result, with and without an exported head.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;

use super::{copy, new_keys, session_without_key};
use crate::catalogue::{Catalogue, NAME as CATALOGUE};
use crate::chain::checkpoint;
use crate::entry::{EntryKind, FileRecord, HistoryScope, Origin, Provenance, ReleaseRecord, StoredBlob};
use crate::hash::Hash;
use crate::head::ExportedHead;
use crate::key::{Identity, Key, KeyFile};
use crate::ledger::Ledger;
use crate::merkle::{self, Frontier};
use crate::seal::{Journal, Seal};
use crate::session::Session;
use crate::verify::Authentication;

struct Victim {
    _dir: tempfile::TempDir,
    folder: PathBuf,
    identity: Identity,
    key: Key,
    session: Session,
    /// Head that was exported with all three entries.
    head: ExportedHead,
    /// Copy of the ledger before the last entry.
    older: PathBuf,
}

/// Creates a ledger with three releases.
fn victim() -> Victim {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ledger");
    let (_, identity, key) = new_keys();
    let session = session_without_key().with_key(Some(key.clone()));
    let mut ledger = Ledger::create(&folder, &identity, &session).unwrap();
    let older = dir.path().join("older");
    for name in ["spring", "summer", "autumn"] {
        if name == "autumn" {
            copy(&folder, &older);
        }
        let file = dir.path().join(format!("{name}.csv"));
        fs::write(&file, name).unwrap();
        let (sha256, bytes) = Hash::digest_file(&file).unwrap();
        let file = Some(FileRecord { path: ledger.recorded_path(&file), sha256, bytes });
        let mut writer = ledger.write(&session).unwrap();
        let release = EntryKind::Release(Box::new(release(name, file, &writer.ledger.bodies)));
        writer.append_kind(release, None).unwrap();
        assert_eq!(writer.seal(), None);
    }
    let head = ledger.export_head(Some(&key), "2026-03-01T00:00:00Z").unwrap();
    Victim { _dir: dir, folder, identity, key, session, head, older }
}

fn release(name: &str, file: Option<FileRecord>, bodies: &crate::blobs::Blobs) -> ReleaseRecord {
    let body = crate::body_format::Body {
        columns: Vec::new(),
        counts: reticent::Counts {
            names: Vec::new(),
            values: Vec::new(),
            contingency: reticent::contingency::ContingencyTable {
                codes: Vec::new(),
                weights: vec![weight(name)],
                owners: None,
            },
            links: None,
        },
    };
    let staged = bodies.stage(crate::entry::BlobKind::Records, |file| crate::body_format::write(&body, file)).unwrap();
    let stored: StoredBlob = staged.stored.clone();
    bodies.place(&[staged]).unwrap();
    ReleaseRecord {
        name: name.to_owned(),
        dataset: "clinic".to_owned(),
        date: "2026-03-01".to_owned(),
        recipients: vec!["press".to_owned()],
        origin: Origin::Published,
        records: weight(name),
        suppressed: 0,
        dropped: 0,
        combinations: 1,
        columns: Vec::new(),
        disguise: reticent::Presentation::default(),
        body: stored,
        links: None,
        policy: None,
        taxonomies: Vec::new(),
        file,
        made: Some(Provenance {
            program: "0".to_owned(),
            algorithm: "none".to_owned(),
            guarantee: "safe".to_owned(),
            steps: 1,
            tried: Vec::new(),
            max_tries: None,
            seed: 2,
            classes: 3,
            engine: None,
            statements: Vec::new(),
            verified: Vec::new(),
            audit: None,
            metrics: Vec::new(),
        }),
        tables: Vec::new(),
        method: None,
        spent: None,
        judged: HistoryScope::History { with: Vec::new() },
        corrections: Default::default(),
    }
}

/// Returns the weight of a release. Every release has different records.
fn weight(name: &str) -> u64 {
    name.bytes().map(u64::from).sum()
}

/// How the attacker treats signatures.
#[derive(Clone, Copy)]
enum Signing<'a> {
    /// Keeps the existing signatures.
    Leave,
    /// Removes them, as if the ledger had no key.
    Remove,
    /// Signs everything with this key.
    With(&'a Key),
}

const TRIGGERS: [(&str, &str); 2] = [
    ("entries_are_not_changed", "BEFORE UPDATE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not changed'); END"),
    ("entries_are_not_removed", "BEFORE DELETE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not removed'); END"),
];

/// Changes the catalogue and repairs the chain, the signatures and the seal as far as the attacker can.
fn forge(folder: &Path, origin: &str, sql: &str, signing: Signing<'_>) {
    change(folder, |connection| {
        connection.execute_batch(sql).unwrap();
        rechain(connection, origin, signing);
    });
    reseal(folder, signing);
}

/// Changes the catalogue and restores its triggers.
fn change(folder: &Path, act: impl FnOnce(&Connection)) {
    let connection = Connection::open(folder.join(CATALOGUE)).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for (name, _) in TRIGGERS {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    act(&connection);
    for (name, rule) in TRIGGERS {
        connection.execute_batch(&format!("CREATE TRIGGER {name} {rule}")).unwrap();
    }
}

/// Removes stored files that no entry uses.
fn sweep(folder: &Path) {
    let ledger = Ledger::open_unchecked(folder).unwrap();
    let used = crate::corrections::used_paths(&ledger.entries().unwrap());
    for file in ledger.bodies.files().unwrap().iter().filter(|file| !used.contains(*file)) {
        fs::remove_file(folder.join(file)).unwrap();
    }
}

/// Writes a journal that names the last entry, as if its writer had been killed before the seal.
fn forge_journal(folder: &Path) {
    let last = Ledger::open_unchecked(folder).unwrap().head().unwrap().hash;
    Journal { entry: Some(last), ..Journal::new(folder, None) }.write(folder).unwrap();
}

fn rechain(connection: &Connection, origin: &str, signing: Signing<'_>) {
    let mut statement = connection.prepare("SELECT number, document, signature FROM entries ORDER BY number").unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let rows: Vec<(i64, String, Option<String>)> =
        statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap();
    connection.execute_batch("DELETE FROM entries").unwrap();
    let id = origin.rsplit('/').next().unwrap();
    let mut previous = Hash::digest(format!("reticent ledger {id}").as_bytes());
    let mut frontier = Frontier::default();
    for (number, (_, document, old)) in (1i64..).zip(rows) {
        let mut value: Value = serde_json::from_str(&document).unwrap();
        let was = value["previous"].as_str().unwrap().to_owned();
        let numbered = value["number"].as_i64().unwrap();
        let document = document.replacen(&was, &previous.to_string(), 1).replacen(
            &format!("\"number\":{numbered}"),
            &format!("\"number\":{number}"),
            1,
        );
        value["number"] = number.into();
        frontier.push(merkle::leaf(document.as_bytes()));
        let signature = match signing {
            Signing::Leave => old,
            Signing::Remove => None,
            Signing::With(key) => Some(key.signer().sign(&checkpoint(origin, number as u64, frontier.root()))),
        };
        let hash = Hash::digest(document.as_bytes());
        let sql = "INSERT INTO entries (number, previous, hash, document, signature) VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = rusqlite::params![number, previous.to_string(), hash.to_string(), document, signature];
        connection.execute(sql, values).unwrap();
        previous = hash;
    }
    match signing {
        Signing::Leave => {}
        Signing::Remove => drop(connection.execute("UPDATE ledger SET verifier = NULL", []).unwrap()),
        Signing::With(key) => {
            connection.execute("UPDATE ledger SET verifier = ?1", [key.verifier().to_string()]).unwrap();
        }
    }
}

fn reseal(folder: &Path, signing: Signing<'_>) {
    let ledger = Ledger::open_unchecked(folder).unwrap();
    let Ok(chain) = ledger.chain() else { return };
    let old = Seal::read(folder).unwrap().unwrap();
    let key = if let Signing::With(key) = signing { Some(key) } else { None };
    let mut text = serde_json::to_string(&Seal::new(&ledger.catalogue, chain.head(), key).unwrap()).unwrap();
    if let Signing::Leave = signing {
        // Without the key, the attacker can only keep the old signature.
        let old: Value = serde_json::to_value(&old).unwrap();
        text.pop();
        text = format!("{text},\"signature\":{}}}", old["signature"]);
    }
    fs::write(folder.join("seal.json"), text + "\n").unwrap();
}

/// An attack.
struct Tampering {
    name: &'static str,
    act: fn(&Victim, Signing<'_>),
}

fn sql(victim: &Victim, signing: Signing<'_>, sql: &str) {
    forge(&victim.folder, &victim.identity.origin(), sql, signing);
}

const WITHOUT_LAST: &str = "DELETE FROM bodies WHERE release = 3; DELETE FROM recipients WHERE release = 3;
    DELETE FROM releases WHERE number = 3; DELETE FROM entries WHERE number = 3;";

const TAMPERINGS: &[Tampering] = &[
    Tampering {
        name: "change the recipients of an entry",
        act: |victim, signing| {
            sql(
                victim,
                signing,
                "UPDATE entries SET document = replace(document, '\"press\"', '\"bank\"') WHERE number = 2;
                 UPDATE recipients SET name = 'bank' WHERE release = 2;",
            );
        },
    },
    Tampering {
        name: "remove the last entry, and its stored files",
        act: |victim, signing| {
            let ledger = Ledger::open_unchecked(&victim.folder).unwrap();
            let last = ledger.find("autumn").unwrap();
            fs::remove_file(ledger.bodies.path(crate::entry::BlobKind::Records, last.release().unwrap().body.sha256))
                .unwrap();
            sql(victim, signing, WITHOUT_LAST);
        },
    },
    Tampering {
        name: "swap two entries",
        act: |victim, signing| {
            sql(
                victim,
                signing,
                "UPDATE entries SET number = 99 WHERE number = 1; UPDATE entries SET number = 1 WHERE number = 2;
                 UPDATE entries SET number = 2 WHERE number = 99;
                 UPDATE releases SET number = 99 WHERE number = 1; UPDATE releases SET number = 1 WHERE number = 2;
                 UPDATE releases SET number = 2 WHERE number = 99;
                 UPDATE recipients SET release = 99 WHERE release = 1; UPDATE recipients SET release = 1 WHERE release = 2;
                 UPDATE recipients SET release = 2 WHERE release = 99;
                 UPDATE bodies SET release = 99 WHERE release = 1; UPDATE bodies SET release = 1 WHERE release = 2;
                 UPDATE bodies SET release = 2 WHERE release = 99;",
            );
        },
    },
    Tampering {
        name: "append an entry",
        act: |victim, signing| {
            sql(
                victim,
                signing,
                "INSERT INTO entries (number, previous, hash, document)
                     SELECT 4, 'x', 'y', replace(document, '\"autumn\"', '\"ghost\"') FROM entries WHERE number = 3;
                 INSERT INTO releases SELECT 4, 'ghost', date FROM releases WHERE number = 3;
                 INSERT INTO recipients SELECT 4, name FROM recipients WHERE release = 3;
                 INSERT INTO bodies SELECT 4, kind, hash, bytes FROM bodies WHERE release = 3;",
            );
        },
    },
    Tampering {
        name: "change the index tables",
        act: |victim, signing| sql(victim, signing, "UPDATE recipients SET name = 'bank' WHERE release = 2;"),
    },
    Tampering {
        name: "add a table, and leave a junk journal",
        act: |victim, signing| {
            let connection = Connection::open(victim.folder.join(CATALOGUE)).unwrap();
            connection.execute_batch("CREATE TABLE remarks (x)").unwrap();
            drop(connection);
            fs::write(victim.folder.join("under-way.json"), "x").unwrap();
            if let Signing::With(_) = signing {
                reseal(&victim.folder, signing);
            }
        },
    },
    Tampering {
        name: "change the ledger's id in the seal",
        act: |victim, signing| {
            let path = victim.folder.join("seal.json");
            let other = if victim.identity.id.starts_with('0') { "1" } else { "0" };
            let id = format!("{other}{}", &victim.identity.id[1..]);
            let mut seal = Seal::read(&victim.folder).unwrap().unwrap();
            seal.ledger = id;
            if let Signing::With(key) = signing {
                seal = seal.signed(key);
            }
            fs::write(path, serde_json::to_string(&seal).unwrap() + "\n").unwrap();
        },
    },
    Tampering {
        name: "remove all entries but the first, which a forged journal names, under an empty seal",
        act: |victim, signing| {
            change(&victim.folder, |connection| {
                let two = WITHOUT_LAST.replace('3', "2");
                connection.execute_batch(&format!("{WITHOUT_LAST} {two}")).unwrap();
            });
            sweep(&victim.folder);
            let key = if let Signing::With(key) = signing { Some(key) } else { None };
            let ledger = Ledger::open_unchecked(&victim.folder).unwrap();
            let empty = ledger.chain().unwrap().head_after(0).unwrap();
            Seal::new(&ledger.catalogue, empty, key).unwrap().write(&victim.folder).unwrap();
            forge_journal(&victim.folder);
        },
    },
    Tampering {
        name: "remove all entries and the seal, and leave a junk journal",
        act: |victim, _| {
            let all = "DELETE FROM bodies; DELETE FROM recipients; DELETE FROM releases; DELETE FROM entries;";
            change(&victim.folder, |connection| connection.execute_batch(all).unwrap());
            sweep(&victim.folder);
            fs::remove_file(victim.folder.join("seal.json")).unwrap();
            fs::write(victim.folder.join("under-way.json"), "x").unwrap();
        },
    },
    Tampering {
        name: "rewrite entries under another key, and enter that the ledger's key replaces it",
        act: |victim, signing| {
            let other = KeyFile::ephemeral().unwrap().ledger_key(&victim.identity);
            let rotation = crate::entry::KeyRotation {
                verifier: victim.key.verifier().to_string(),
                replaces: Some(other.verifier().to_string()),
                reason: "x".to_owned(),
            };
            let document = serde_json::json!({
                "format": 2, "number": 4, "previous": "0".repeat(64), "at": "2026-03-01T00:00:00Z", "steward": "ana",
                "kind": "key-rotation", "content": rotation,
            });
            change(&victim.folder, |connection| {
                let sql = "UPDATE entries SET document = replace(document, '\"press\"', '\"bank\"') WHERE number = 2;
                           UPDATE recipients SET name = 'bank' WHERE release = 2;";
                connection.execute_batch(sql).unwrap();
                let insert = "INSERT INTO entries (number, previous, hash, document) VALUES (4, 'x', 'y', ?1)";
                connection.execute(insert, [document.to_string()]).unwrap();
                rechain(connection, &victim.identity.origin(), Signing::With(&other));
                let verifier = victim.key.verifier().to_string();
                connection.execute("UPDATE ledger SET verifier = ?1", [verifier]).unwrap();
            });
            let key = if let Signing::With(key) = signing { key } else { &other };
            let ledger = Ledger::open_unchecked(&victim.folder).unwrap();
            let third = ledger.chain().unwrap().head_after(3).unwrap();
            Seal::new(&ledger.catalogue, third, Some(key)).unwrap().write(&victim.folder).unwrap();
            forge_journal(&victim.folder);
        },
    },
    Tampering {
        name: "change the key derivation, under an older seal and a journal for the last entry",
        act: |victim, _| {
            fs::copy(victim.older.join("seal.json"), victim.folder.join("seal.json")).unwrap();
            let connection = Connection::open(victim.folder.join(CATALOGUE)).unwrap();
            connection.execute_batch("UPDATE ledger SET derivation = 'direct'").unwrap();
            drop(connection);
            forge_journal(&victim.folder);
        },
    },
    Tampering { name: "replace the ledger by an older copy", act: |victim, _| copy(&victim.older, &victim.folder) },
    Tampering {
        name: "replace the ledger by a new one with the same id",
        act: |victim, signing| {
            fs::remove_dir_all(&victim.folder).unwrap();
            let key = match signing {
                Signing::With(key) => Some(key.clone()),
                Signing::Remove => None,
                Signing::Leave => Some(KeyFile::ephemeral().unwrap().ledger_key(&victim.identity)),
            };
            Ledger::create(&victim.folder, &victim.identity, &session_without_key().with_key(key)).unwrap();
        },
    },
    Tampering {
        name: "change a stored file",
        act: |victim, _| {
            let ledger = Ledger::open_unchecked(&victim.folder).unwrap();
            let entry = ledger.find("spring").unwrap();
            let path = ledger.bodies.path(crate::entry::BlobKind::Records, entry.release().unwrap().body.sha256);
            fs::write(path, "other").unwrap();
        },
    },
    Tampering {
        name: "change a published file",
        act: |victim, _| {
            fs::write(victim.folder.parent().unwrap().join("spring.csv"), "other").unwrap();
        },
    },
];

/// Returns true if verification fails or the ledger does not extend the head. The result must be the same after a
/// write.
fn is_noticed(victim: &Victim, head: Option<&ExportedHead>) -> bool {
    let look = || -> crate::error::Result<bool> {
        let ledger = Ledger::open(&victim.folder, &victim.session)?;
        if ledger.verify(&victim.session)?.authentication != Authentication::Authentic {
            return Ok(true);
        }
        match head {
            Some(head) => Ok(ledger.compare_head(head, Some(&victim.key))?.is_some()),
            None => Ok(false),
        }
    };
    let first = look().unwrap_or(true);
    // Recovery by the next writer must not hide a change.
    if let Ok(mut ledger) = Ledger::open(&victim.folder, &victim.session) {
        let _ = ledger.recover(&victim.session);
        let _ = ledger.write(&victim.session);
    }
    let second = look().unwrap_or(true);
    assert_eq!(first, second, "a writer must not change the answer");
    first
}

/// Returns true if every variant of the attack is detected.
fn is_detected(tampering: &Tampering, with_key: bool, with_head: bool) -> bool {
    let own = new_keys().0;
    let ways = if with_key { 1 } else { 3 };
    (0..ways).all(|way| {
        let victim = victim();
        assert!(!is_noticed(&victim, Some(&victim.head)), "nothing was changed yet");
        let (key, own) = (victim.key.clone(), own.ledger_key(&victim.identity));
        let signing = match (with_key, way) {
            (true, _) => Signing::With(&key),
            (false, 0) => Signing::Leave,
            (false, 1) => Signing::Remove,
            (false, _) => Signing::With(&own),
        };
        (tampering.act)(&victim, signing);
        is_noticed(&victim, Some(&victim.head).filter(|_| with_head))
    })
}

/// Compares the results with the table in docs/ledger.md, which explains the undetected cases.
#[test]
fn detected_attacks_match_the_documentation() {
    let mut table = String::from(
        "| what is done | without the key | without the key, a head is kept | with the key | with the key, a head is kept |\n\
         |---|---|---|---|---|\n",
    );
    for tampering in TAMPERINGS {
        let mut row = format!("| {} ", tampering.name);
        for (with_key, with_head) in [(false, false), (false, true), (true, false), (true, true)] {
            row += if is_detected(tampering, with_key, with_head) { "| detected " } else { "| not detected " };
        }
        table += &(row + "|\n");
    }
    println!("{table}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/ledger.md does not hold this table:\n{table}");
    assert!(Catalogue::open(&victim().folder).is_ok());
}
