//! The tables of the catalogue: how each format makes them, and what stands in them beside the entries.

use std::collections::BTreeSet;

use crate::entry::{Entry, Kind, Stored};

/// Each brings a catalogue to the next format; the first makes one.
pub(crate) const FORMATS: &[&str] = &[FIRST, SECOND];

const FIRST: &str = "
CREATE TABLE ledger (
    only    INTEGER PRIMARY KEY CHECK (only = 1),
    id      TEXT NOT NULL,
    created TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    number   INTEGER PRIMARY KEY CHECK (number > 0),
    previous TEXT NOT NULL UNIQUE,
    hash     TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL
) STRICT;
CREATE TABLE releases (
    number INTEGER PRIMARY KEY REFERENCES entries (number),
    name   TEXT NOT NULL UNIQUE,
    date   TEXT NOT NULL
) STRICT;
CREATE TABLE recipients (
    release INTEGER NOT NULL REFERENCES releases (number),
    name    TEXT NOT NULL,
    PRIMARY KEY (release, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE bodies (
    release INTEGER NOT NULL REFERENCES releases (number),
    kind    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    bytes   INTEGER NOT NULL,
    PRIMARY KEY (release, kind, hash)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not changed'); END;
CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries BEGIN SELECT RAISE (ABORT, 'entries are not removed'); END;
";

/// Signatures, and how secrets are derived from the key. Ledgers that began with format 1 use the key itself for pseudonyms.
const SECOND: &str = "
ALTER TABLE entries ADD COLUMN signature TEXT;
ALTER TABLE ledger ADD COLUMN derivation TEXT NOT NULL DEFAULT 'direct';
ALTER TABLE ledger ADD COLUMN verifier TEXT;
UPDATE bodies SET kind = 'state' WHERE kind = 'remembered';
";

/// What can be asked in SQL; all of it is in the documents too.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Beside {
    /// Number, name, date.
    pub releases: BTreeSet<(i64, String, String)>,
    /// Release, name.
    pub recipients: BTreeSet<(i64, String)>,
    /// Release, kind, hash, bytes.
    pub bodies: BTreeSet<(i64, String, String, i64)>,
}

impl Beside {
    /// What stands beside these entries.
    pub(crate) fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Beside {
        let mut beside = Beside::default();
        for entry in entries {
            let Some(release) = entry.release() else { continue };
            let number = entry.number as i64;
            beside.releases.insert((number, release.name.clone(), release.date.clone()));
            beside.recipients.extend(release.recipients.iter().map(|name| (number, name.clone())));
            let body = |(kind, body): (Kind, Stored)| {
                (number, kind.word().to_owned(), body.sha256.to_string(), body.bytes as i64)
            };
            beside.bodies.extend(release.bodies().into_iter().map(body));
        }
        beside
    }
}
