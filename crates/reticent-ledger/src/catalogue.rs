//! The catalogue: a SQLite database with one row for each entry, and index tables for SQL queries.
//!
//! Every entry is written in one transaction, directly to the database file, without a write-ahead log. (Format 1 had
//! one; its content is moved to the database before a migration.) In a read-only folder, the database is read into
//! memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::{Derivation, Identity, Key};
use crate::lock::Holder;
use crate::record::SerializedEntry;
use crate::schema::{FORMATS, IndexRows};
use crate::signature::Verifier;

/// File name of the database in the ledger's folder.
pub(crate) const NAME: &str = "catalogue.sqlite";
/// SQLite application id of a catalogue ("rtct").
const APPLICATION: i64 = 0x7274_6374;
/// Maximum time to wait for another connection to the database.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// Row of an entry, with its document byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub number: u64,
    pub previous: String,
    pub hash: String,
    pub document: String,
    pub signature: Option<String>,
}

/// An open catalogue.
#[derive(Debug)]
pub(crate) struct Catalogue {
    folder: PathBuf,
    connection: Connection,
    /// Hash and size of the file, if this is a copy in memory.
    copy_of: Option<(Hash, u64)>,
}

impl Catalogue {
    /// Creates an empty catalogue under a temporary name and renames it when it is complete. `seal` is called before
    /// the rename, so that no catalogue exists without a seal.
    pub(crate) fn create(
        folder: &Path,
        identity: &Identity,
        key: Option<&Key>,
        created: &str,
        seal: impl FnOnce(&Catalogue) -> Result<()>,
    ) -> Result<()> {
        let fresh = folder.join("catalogue.new");
        for leftover in ["", "-wal", "-shm", "-journal"].map(|ending| folder.join(format!("catalogue.new{ending}"))) {
            disk::remove_file(&leftover)?;
        }
        disk::create_new(&fresh).map_err(|error| Error::io("write", &fresh, error))?;
        let failed = |error| Error::catalogue(folder, "create", error);
        let connection = Connection::open(&fresh).map_err(failed)?;
        let make = |connection: &Connection| {
            connection.pragma_update(None, "journal_mode", "delete")?;
            connection.pragma_update(None, "synchronous", "extra")?;
            connection.pragma_update(None, "application_id", APPLICATION)?;
            let format = FORMATS.len();
            connection
                .execute_batch(&format!("BEGIN; {} PRAGMA user_version = {format}; COMMIT;", FORMATS.concat()))?;
            let insert = "INSERT INTO ledger (only, id, created, derivation, verifier) VALUES (1, ?1, ?2, ?3, ?4)";
            let verifier = key.map(|key| key.verifier().to_string());
            connection.execute(insert, params![identity.id, created, identity.derivation.name(), verifier])
        };
        make(&connection).map_err(failed)?;
        connection.close().map_err(|(_, error)| failed(error))?;
        let bytes = fs::read(&fresh).map_err(|error| Error::io("read", &fresh, error))?;
        seal(&Catalogue::in_memory(folder, bytes)?)?;
        let path = folder.join(NAME);
        fs::rename(&fresh, &path).map_err(|error| Error::io("write", &path, error))?;
        disk::sync_folder(folder)
    }

    /// Opens a catalogue. The caller checks its format.
    pub(crate) fn open(folder: &Path) -> Result<Catalogue> {
        // Opening a pipe would block until a process writes to it.
        for ending in ["", "-journal", "-wal", "-shm"] {
            let path = folder.join(format!("{NAME}{ending}"));
            if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                return Err(Error::broken(folder, format!("{NAME}{ending} is not a regular file")));
            }
        }
        match Catalogue::open_file(folder) {
            Ok(catalogue) => match catalogue.connection.is_readonly("main") {
                Ok(false) => Ok(catalogue),
                _ => Catalogue::open_copy(folder),
            },
            Err(error) if is_read_only(&error) => Catalogue::open_copy(folder),
            Err(error) => Err(Error::catalogue(folder, "open", error)),
        }
        .and_then(Catalogue::check_application)
    }

    fn open_file(folder: &Path) -> rusqlite::Result<Catalogue> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(folder.join(NAME), flags)?;
        connection.busy_timeout(BUSY)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "synchronous", "extra")?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        // A database with a write-ahead log can be opened, but not read, in a read-only folder.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
        Ok(Catalogue { folder: folder.to_owned(), connection, copy_of: None })
    }

    /// Reads a catalogue of a read-only folder into memory.
    fn open_copy(folder: &Path) -> Result<Catalogue> {
        for ending in ["-wal", "-journal"] {
            let log = folder.join(format!("{NAME}{ending}"));
            if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
                let what =
                    format!("a write did not finish, and {} cannot be recovered in a read-only folder", log.display());
                return Err(Error::broken(folder, what));
            }
        }
        let path = folder.join(NAME);
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        Catalogue::in_memory(folder, bytes)
    }

    /// Opens a catalogue in memory from its bytes.
    fn in_memory(folder: &Path, mut bytes: Vec<u8>) -> Result<Catalogue> {
        let copy_of = Some((Hash::digest(&bytes), bytes.len() as u64));
        // A database in memory has no write-ahead log. Bytes 18 and 19 of the header say whether there is one.
        if bytes.get(18..20) == Some(&[2, 2]) {
            bytes[18..20].fill(1);
        }
        let read = || {
            let mut connection = Connection::open_in_memory()?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), false)?;
            connection.pragma_update(None, "cell_size_check", true)?;
            Ok(connection)
        };
        let connection = read().map_err(|error| Error::catalogue(folder, "read", error))?;
        Ok(Catalogue { folder: folder.to_owned(), connection, copy_of })
    }

    /// Returns an error if the database is not a catalogue, or if it has views or triggers that could make a query
    /// run forever.
    fn check_application(self) -> Result<Catalogue> {
        let foreign = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' OR type = 'trigger' AND name NOT IN \
                       ('entries_are_not_changed', 'entries_are_not_removed')";
        let foreign = self.connection.query_row(foreign, [], |row| row.get::<_, i64>(0));
        if foreign.map_err(self.failed("open"))? > 0 {
            return Err(Error::broken(&self.folder, "the tables of the catalogue do not match its format"));
        }
        let application = self.connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0));
        match application.map_err(self.failed("open"))? {
            APPLICATION => Ok(self),
            _ => Err(Error::broken(&self.folder, format!("{NAME} is not a catalogue of Reticent"))),
        }
    }

    /// Returns a copy of the catalogue in memory. Later writes to the file do not change it.
    pub(crate) fn snapshot(&self) -> Result<Catalogue> {
        let bytes = self.with_bytes(<[u8]>::to_vec)?;
        let path = self.folder.join(NAME);
        let length = fs::metadata(&path).map_err(|error| Error::io("read", &path, error))?.len();
        if length != bytes.len() as u64 {
            return Err(Error::broken(&self.folder, format!("the length of {NAME} differs from that of its database")));
        }
        Catalogue::in_memory(&self.folder, bytes)
    }

    /// Returns the hash of the ledger's metadata with this public key.
    pub(crate) fn metadata_hash(&self, verifier: Option<&Verifier>) -> Result<Hash> {
        let created = self.connection.query_row("SELECT created FROM ledger", [], |row| row.get::<_, String>(0));
        let Identity { id, derivation } = self.identity()?;
        let verifier = verifier.map(Verifier::to_string).unwrap_or_default();
        let created = created.map_err(self.failed("read"))?;
        Ok(Hash::digest(format!("{id}\n{created}\n{}\n{verifier}\n", derivation.name()).as_bytes()))
    }

    /// Returns true if this is a copy in memory.
    pub(crate) fn is_copy(&self) -> bool {
        self.copy_of.is_some()
    }

    fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let folder = self.folder.clone();
        move |error| Error::catalogue(&folder, doing, error)
    }

    /// Returns the format of the catalogue.
    pub(crate) fn format(&self) -> Result<i64> {
        self.connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(self.failed("read"))
    }

    /// Migrates the catalogue to the newest of these formats, in one transaction.
    pub(crate) fn migrate(&mut self, formats: &[&str]) -> Result<()> {
        let folder = self.folder.clone();
        let failed = move |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Error::Held { holder: Holder::unknown("reading"), waited: BUSY }
            }
            _ => Error::catalogue(&folder, "migrate", error),
        };
        let from = self.format()?;
        let steps = formats.get(from.max(0) as usize..).unwrap_or_default();
        let transaction = self.connection.transaction().map_err(&failed)?;
        for step in steps {
            transaction.execute_batch(step).map_err(&failed)?;
        }
        transaction.pragma_update(None, "user_version", formats.len() as i64).map_err(&failed)?;
        transaction.commit().map_err(&failed)?;
        // Format 1 had a write-ahead log. A database in memory has none.
        if self.is_copy() {
            return Ok(());
        }
        let mode = self.connection.query_row("PRAGMA journal_mode = delete", [], |row| row.get::<_, String>(0));
        match mode.map_err(&failed)?.as_str() {
            "delete" => Ok(()),
            _ => Err(Error::Held { holder: Holder::unknown("reading"), waited: BUSY }),
        }
    }

    /// Returns the identity of the ledger. Format 1 uses the derivation of that format.
    pub(crate) fn identity(&self) -> Result<Identity> {
        let unknown = |word: &str| Error::broken(&self.folder, format!("the key derivation `{word}` is unknown"));
        let derivation = match self.format()? {
            ..=1 => Derivation::Direct,
            _ => {
                let queried =
                    self.connection.query_row("SELECT derivation FROM ledger", [], |row| row.get::<_, String>(0));
                let word = queried.map_err(self.failed("read"))?;
                Derivation::parse(&word).ok_or_else(|| unknown(&word))?
            }
        };
        Ok(Identity { id: self.id()?, derivation })
    }

    /// Returns the public key of the ledger's signatures; none if the ledger is unsigned.
    pub(crate) fn verifier(&self) -> Result<Option<Verifier>> {
        if self.format()? < 2 {
            return Ok(None);
        }
        let queried =
            self.connection.query_row("SELECT verifier FROM ledger", [], |row| row.get::<_, Option<String>>(0));
        let Some(text) = queried.map_err(self.failed("read"))? else { return Ok(None) };
        let verifier = Verifier::parse(&text);
        verifier.map(Some).ok_or_else(|| Error::broken(&self.folder, "the public key cannot be read"))
    }

    /// Returns the id of the ledger.
    pub(crate) fn id(&self) -> Result<String> {
        let queried = self.connection.query_row("SELECT id FROM ledger", [], |row| row.get(0)).optional();
        let id = queried.map_err(self.failed("read"))?;
        id.ok_or_else(|| Error::broken(&self.folder, "the catalogue has no ledger id"))
    }

    /// Returns the rows of all entries, from one snapshot.
    pub(crate) fn rows(&self) -> Result<Vec<Row>> {
        let format = self.format()?;
        let read = || {
            let signature = if format > 1 { "signature" } else { "NULL" };
            let sql = format!("SELECT number, previous, hash, document, {signature} FROM entries ORDER BY number");
            let mut statement = self.connection.prepare(&sql)?;
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Row {
                    number: row.get::<_, i64>(0)? as u64,
                    previous: row.get(1)?,
                    hash: row.get(2)?,
                    document: row.get(3)?,
                    signature: row.get(4)?,
                })
            };
            statement.query_map([], row)?.collect::<rusqlite::Result<Vec<Row>>>()
        };
        read().map_err(self.failed("read"))
    }

    /// Returns the rows of the index tables.
    pub(crate) fn index_rows(&self) -> Result<IndexRows> {
        let read = || {
            let text = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, String>(at);
            let mut index = IndexRows::default();
            let mut statement = self.connection.prepare("SELECT number, name, date FROM releases")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?)))? {
                index.releases.insert(row?);
            }
            let mut statement = self.connection.prepare("SELECT release, name FROM recipients")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?)))? {
                index.recipients.insert(row?);
            }
            let mut statement = self.connection.prepare("SELECT release, kind, hash, bytes FROM bodies")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?, row.get(3)?)))? {
                index.bodies.insert(row?);
            }
            Ok(index)
        };
        read().map_err(self.failed("read"))
    }

    /// Returns the integrity errors that SQLite reports.
    pub(crate) fn damage(&self) -> Result<Vec<String>> {
        let read = || {
            let mut found: Vec<String> = Vec::new();
            let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
            for line in statement.query_map([], |row| row.get::<_, String>(0))? {
                found.extend(Some(line?).filter(|line| line != "ok"));
            }
            let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
            let broken = statement.query_map([], |_| Ok(()))?.count();
            if broken > 0 {
                found.push(format!("{broken} rows refer to missing rows"));
            }
            Ok(found)
        };
        read().map_err(self.failed("check"))
    }

    /// Returns an error unless the tables and triggers are exactly those of the format.
    pub(crate) fn check_schema(&self) -> Result<()> {
        let schema = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_map([], row)?.collect::<rusqlite::Result<Vec<(String, String, Option<String>)>>>()
        };
        // A newer format is rejected when the ledger is opened.
        let Some(steps) = FORMATS.get(..self.format()?.max(0) as usize) else { return Ok(()) };
        let expected = || {
            let fresh = Connection::open_in_memory()?;
            fresh.execute_batch(&steps.concat())?;
            schema(&fresh)
        };
        let failed = self.failed("read");
        match expected().map_err(&failed)? == schema(&self.connection).map_err(&failed)? {
            true => Ok(()),
            false => Err(Error::broken(&self.folder, "the tables of the catalogue do not match its format")),
        }
    }

    /// Returns true if an entry has this hash.
    pub(crate) fn has_entry(&self, hash: Hash) -> Result<bool> {
        let sql = "SELECT 1 FROM entries WHERE hash = ?1";
        let queried = self.connection.query_row(sql, [hash.to_string()], |_| Ok(())).optional();
        Ok(queried.map_err(self.failed("read"))?.is_some())
    }

    /// Appends an entry in one transaction. Waits at most `patience` for readers of the database.
    pub(crate) fn append(&mut self, entry: &Entry, written: &SerializedEntry, patience: Duration) -> Result<()> {
        let SerializedEntry { document, head, signature, verifier } = written;
        let folder = self.folder.clone();
        // A reader of the database blocks the write.
        let failed = move |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Error::Held { holder: Holder::unknown("reading"), waited: patience }
            }
            _ => Error::catalogue(&folder, "write", error),
        };
        self.connection.busy_timeout(patience).map_err(&failed)?;
        let transaction = self.connection.transaction().map_err(&failed)?;
        let insert = || {
            let previous = entry.previous.to_string();
            let sql = "INSERT INTO entries (number, previous, hash, document, signature) VALUES (?1, ?2, ?3, ?4, ?5)";
            let hash = head.hash.to_string();
            transaction.execute(sql, params![entry.number as i64, previous, hash, document, signature])?;
            if let Some(verifier) = verifier {
                transaction.execute("UPDATE ledger SET verifier = ?1", [verifier.to_string()])?;
            }
            let IndexRows { releases, recipients, bodies } = IndexRows::from_entries([entry]);
            for row in releases {
                transaction.execute("INSERT INTO releases (number, name, date) VALUES (?1, ?2, ?3)", row)?;
            }
            for row in recipients {
                transaction.execute("INSERT INTO recipients (release, name) VALUES (?1, ?2)", row)?;
            }
            for row in bodies {
                transaction.execute("INSERT INTO bodies (release, kind, hash, bytes) VALUES (?1, ?2, ?3, ?4)", row)?;
            }
            Ok(())
        };
        insert().map_err(&failed)?;
        transaction.commit().map_err(&failed)?;
        self.connection.busy_timeout(BUSY).map_err(&failed)
    }

    /// Appends many entries at once, for tests of large ledgers.
    #[cfg(test)]
    pub(crate) fn append_all(&mut self, rows: Vec<(Entry, SerializedEntry)>) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for (entry, SerializedEntry { document, head, signature, .. }) in &rows {
            let sql = "INSERT INTO entries (number, previous, hash, document, signature) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (previous, hash) = (entry.previous.to_string(), head.hash.to_string());
            transaction.execute(sql, params![entry.number as i64, previous, hash, document, signature])?;
        }
        transaction.commit()
    }

    /// Moves the write-ahead log of format 1 to the database. Returns false if a reader blocks it for longer than
    /// `patience`.
    pub(crate) fn merge_log(&self, patience: Duration) -> Result<bool> {
        let fold = || {
            self.connection.busy_timeout(patience)?;
            let busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
            self.connection.busy_timeout(BUSY)?;
            Ok(busy == 0)
        };
        let folded = fold().map_err(self.failed("fold"))?;
        let log = self.folder.join(format!("{NAME}-wal"));
        if folded && log.exists() {
            // The database does not sync the empty log. The log has no lock that closing the file could release.
            let synced = fs::File::open(&log).and_then(|file| file.sync_all());
            synced.map_err(|error| Error::io("sync", &log, error))?;
        }
        Ok(folded)
    }

    /// Calls `take` with the bytes of the database, as a new connection reads them.
    ///
    /// The file must not be opened directly: closing it would release the locks of this process, and another process
    /// could then remove the log.
    pub(crate) fn with_bytes<T>(&self, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut fresh = Catalogue::open(&self.folder)?;
        let data = fresh.connection.serialize("main").map_err(self.failed("read"))?;
        Ok(take(&data))
    }

    /// Returns the hash of the database file, whose write-ahead log must be empty.
    pub(crate) fn hash(&self) -> Result<Hash> {
        if let Some((hash, _)) = self.copy_of {
            return Ok(hash);
        }
        let (hash, bytes) = self.with_bytes(|bytes| (Hash::digest(bytes), bytes.len() as u64))?;
        let path = self.folder.join(NAME);
        let length = fs::metadata(&path).map_err(|error| Error::io("read", &path, error))?.len();
        if length == bytes {
            return Ok(hash);
        }
        Err(Error::broken(&self.folder, format!("the length of {NAME} differs from that of its database")))
    }

    /// Returns true if the write-ahead log is not empty.
    pub(crate) fn has_log(folder: &Path) -> bool {
        fs::metadata(folder.join(format!("{NAME}-wal"))).is_ok_and(|metadata| metadata.len() > 0)
    }
}

/// Returns true if SQLite cannot read the database because its folder is read-only.
fn is_read_only(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
    matches!(error.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly))
}
