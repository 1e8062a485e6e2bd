//! The tables of the catalogue: the SQL of each format, and the rows of the index tables.

use std::collections::BTreeSet;

use crate::entry::{BlobKind, Entry, StoredBlob};

/// SQL of each format. The first creates a catalogue; every other migrates it from the previous format.
pub(crate) const FORMATS: &[&str] = &[CREATE_FORMAT_1, MIGRATE_TO_FORMAT_2];

const CREATE_FORMAT_1: &str = "
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

/// Adds signatures and the key derivation. Ledgers that started with format 1 use the master key for pseudonyms.
const MIGRATE_TO_FORMAT_2: &str = "
ALTER TABLE entries ADD COLUMN signature TEXT;
ALTER TABLE ledger ADD COLUMN derivation TEXT NOT NULL DEFAULT 'direct';
ALTER TABLE ledger ADD COLUMN verifier TEXT;
UPDATE bodies SET kind = 'state' WHERE kind = 'remembered';
";

/// Rows of the index tables. They repeat parts of the documents for SQL queries.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct IndexRows {
    /// Number, name and date of each release.
    pub releases: BTreeSet<(i64, String, String)>,
    /// Release and name of each recipient.
    pub recipients: BTreeSet<(i64, String)>,
    /// Release, kind, hash and size of each stored file.
    pub bodies: BTreeSet<(i64, String, String, i64)>,
}

impl IndexRows {
    /// Returns the index rows of these entries.
    pub(crate) fn from_entries<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> IndexRows {
        let mut rows = IndexRows::default();
        for entry in entries {
            let Some(release) = entry.release() else { continue };
            let number = entry.number as i64;
            rows.releases.insert((number, release.name.clone(), release.date.clone()));
            rows.recipients.extend(release.recipients.iter().map(|name| (number, name.clone())));
            let body = |(kind, body): (BlobKind, StoredBlob)| {
                (number, kind.name().to_owned(), body.sha256.to_string(), body.bytes as i64)
            };
            rows.bodies.extend(release.bodies().into_iter().map(body));
        }
        rows
    }
}
