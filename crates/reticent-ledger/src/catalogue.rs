//! The catalogue: a SQLite database with one row an entry, and what can be asked of entries in SQL.
//!
//! Written in one transaction an entry, which is in the database file when it is committed: there is no write-ahead log to lose.
//! (Format 1 had one; it is folded into the database before a migration.) Where nothing can be written, as on a copy that is only
//! read, the database is read into memory.

use std::fs::{self, OpenOptions};
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
use crate::record::Written;
use crate::schema::{Beside, FORMATS};
use crate::signature::Verifier;

/// The database's file in the ledger's folder.
pub(crate) const NAME: &str = "catalogue.sqlite";
/// Says that a SQLite file is a catalogue of Reticent ("rtct").
const APPLICATION: i64 = 0x7274_6374;
/// How long to wait for another connection of the same database.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// An entry with its document as it was written.
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
    /// Of a copy in memory, because nothing can be written: the hash of the file, and its length.
    copied: Option<(Hash, u64)>,
}

impl Catalogue {
    /// Makes an empty catalogue. It takes its name when it is complete.
    /// Before that, `seal` gets it with its name of now: a catalogue without a seal is never found.
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
        let opened = disk::owner_only(OpenOptions::new().write(true).create_new(true)).open(&fresh);
        opened.map_err(|error| Error::io("write", &fresh, error))?;
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
            connection.execute(insert, params![identity.id, created, identity.derivation.word(), verifier])
        };
        make(&connection).map_err(failed)?;
        connection.close().map_err(|(_, error)| failed(error))?;
        let bytes = fs::read(&fresh).map_err(|error| Error::io("read", &fresh, error))?;
        seal(&Catalogue::in_memory(folder, bytes)?)?;
        let path = folder.join(NAME);
        fs::rename(&fresh, &path).map_err(|error| Error::io("write", &path, error))?;
        disk::sync_folder(folder)
    }

    /// Opens a catalogue; the caller looks at its format.
    pub(crate) fn open(folder: &Path) -> Result<Catalogue> {
        // Opening a pipe would wait for its writer.
        for ending in ["", "-journal", "-wal", "-shm"] {
            let path = folder.join(format!("{NAME}{ending}"));
            if fs::symlink_metadata(&path).is_ok_and(|about| !about.is_file()) {
                return Err(Error::broken(folder, format!("{NAME}{ending} is no file")));
            }
        }
        match Catalogue::open_file(folder) {
            Ok(catalogue) => match catalogue.connection.is_readonly("main") {
                Ok(false) => Ok(catalogue),
                _ => Catalogue::copy(folder),
            },
            Err(error) if is_read_only(&error) => Catalogue::copy(folder),
            Err(error) => Err(Error::catalogue(folder, "open", error)),
        }
        .and_then(Catalogue::checked)
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
        // A database with a log can be opened in a folder that cannot be written to, and not be read there.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
        Ok(Catalogue { folder: folder.to_owned(), connection, copied: None })
    }

    /// Reads a catalogue into memory, where its folder cannot be written to.
    fn copy(folder: &Path) -> Result<Catalogue> {
        for ending in ["-wal", "-journal"] {
            let log = folder.join(format!("{NAME}{ending}"));
            if fs::metadata(&log).is_ok_and(|about| about.len() > 0) {
                let what =
                    format!("a command that writes did not finish, and {} cannot be put in order here", log.display());
                return Err(Error::broken(folder, what));
            }
        }
        let path = folder.join(NAME);
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        Catalogue::in_memory(folder, bytes)
    }

    /// A catalogue with these bytes, in memory.
    fn in_memory(folder: &Path, mut bytes: Vec<u8>) -> Result<Catalogue> {
        let copied = Some((Hash::of(&bytes), bytes.len() as u64));
        // In memory there is no write-ahead log: bytes 18 and 19 of the header say whether there is one.
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
        Ok(Catalogue { folder: folder.to_owned(), connection, copied })
    }

    /// Refuses a database that is no catalogue, or could answer a question without an end.
    fn checked(self) -> Result<Catalogue> {
        let foreign = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' OR type = 'trigger' AND name NOT IN \
                       ('entries_are_not_changed', 'entries_are_not_removed')";
        let foreign = self.connection.query_row(foreign, [], |row| row.get::<_, i64>(0));
        if foreign.map_err(self.failed("open"))? > 0 {
            return Err(Error::broken(&self.folder, "the catalogue has other tables than those of its format"));
        }
        let application = self.connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0));
        match application.map_err(self.failed("open"))? {
            APPLICATION => Ok(self),
            _ => Err(Error::broken(&self.folder, format!("{NAME} is no catalogue of Reticent"))),
        }
    }

    /// A copy of the catalogue in memory. Later writes to the file do not change it.
    pub(crate) fn snapshot(&self) -> Result<Catalogue> {
        let bytes = self.bytes(<[u8]>::to_vec)?;
        let path = self.folder.join(NAME);
        let length = fs::metadata(&path).map_err(|error| Error::io("read", &path, error))?.len();
        if length != bytes.len() as u64 {
            return Err(Error::broken(&self.folder, format!("{NAME} has another length than the database in it")));
        }
        Catalogue::in_memory(&self.folder, bytes)
    }

    /// The hash of what the catalogue says about the ledger, with this public key.
    pub(crate) fn about(&self, verifier: Option<&Verifier>) -> Result<Hash> {
        let created = self.connection.query_row("SELECT created FROM ledger", [], |row| row.get::<_, String>(0));
        let Identity { id, derivation } = self.identity()?;
        let verifier = verifier.map(Verifier::to_string).unwrap_or_default();
        let created = created.map_err(self.failed("read"))?;
        Ok(Hash::of(format!("{id}\n{created}\n{}\n{verifier}\n", derivation.word()).as_bytes()))
    }

    /// Whether this is a copy in memory, because nothing can be written.
    pub(crate) fn is_copy(&self) -> bool {
        self.copied.is_some()
    }

    fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let folder = self.folder.clone();
        move |error| Error::catalogue(&folder, doing, error)
    }

    /// The format of the catalogue.
    pub(crate) fn format(&self) -> Result<i64> {
        self.connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(self.failed("read"))
    }

    /// Brings the catalogue to the newest of these formats, in one transaction.
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
        // Format 1 had a write-ahead log. In memory there is none.
        if self.is_copy() {
            return Ok(());
        }
        let mode = self.connection.query_row("PRAGMA journal_mode = delete", [], |row| row.get::<_, String>(0));
        match mode.map_err(&failed)?.as_str() {
            "delete" => Ok(()),
            _ => Err(Error::Held { holder: Holder::unknown("reading"), waited: BUSY }),
        }
    }

    /// Which ledger it is; of format 1, with the secrets of that format.
    pub(crate) fn identity(&self) -> Result<Identity> {
        let unknown =
            |word: &str| Error::broken(&self.folder, format!("it derives secrets by `{word}`, which is not known"));
        let derivation = match self.format()? {
            ..=1 => Derivation::Direct,
            _ => {
                let asked =
                    self.connection.query_row("SELECT derivation FROM ledger", [], |row| row.get::<_, String>(0));
                let word = asked.map_err(self.failed("read"))?;
                Derivation::from_word(&word).ok_or_else(|| unknown(&word))?
            }
        };
        Ok(Identity { id: self.id()?, derivation })
    }

    /// The public key of the ledger's signatures; none if it is not signed.
    pub(crate) fn verifier(&self) -> Result<Option<Verifier>> {
        if self.format()? < 2 {
            return Ok(None);
        }
        let asked = self.connection.query_row("SELECT verifier FROM ledger", [], |row| row.get::<_, Option<String>>(0));
        let Some(text) = asked.map_err(self.failed("read"))? else { return Ok(None) };
        let verifier = Verifier::parse(&text);
        verifier.map(Some).ok_or_else(|| Error::broken(&self.folder, "its public key cannot be read"))
    }

    /// The ledger's id, drawn when it was made.
    pub(crate) fn id(&self) -> Result<String> {
        let asked = self.connection.query_row("SELECT id FROM ledger", [], |row| row.get(0)).optional();
        let id = asked.map_err(self.failed("read"))?;
        id.ok_or_else(|| Error::broken(&self.folder, "the catalogue does not say which ledger it is"))
    }

    /// All entries as they were written, in one snapshot.
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

    /// What stands about releases in the tables beside the documents.
    pub(crate) fn beside(&self) -> Result<Beside> {
        let read = || {
            let text = |row: &rusqlite::Row<'_>, at: usize| row.get::<_, String>(at);
            let mut beside = Beside::default();
            let mut statement = self.connection.prepare("SELECT number, name, date FROM releases")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?)))? {
                beside.releases.insert(row?);
            }
            let mut statement = self.connection.prepare("SELECT release, name FROM recipients")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?)))? {
                beside.recipients.insert(row?);
            }
            let mut statement = self.connection.prepare("SELECT release, kind, hash, bytes FROM bodies")?;
            for row in statement.query_map([], |row| Ok((row.get(0)?, text(row, 1)?, text(row, 2)?, row.get(3)?)))? {
                beside.bodies.insert(row?);
            }
            Ok(beside)
        };
        read().map_err(self.failed("read"))
    }

    /// What SQLite finds wrong with the file, if anything.
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
                found.push(format!("{broken} rows point to rows that are not there"));
            }
            Ok(found)
        };
        read().map_err(self.failed("check"))
    }

    /// Whether the tables and triggers are those of the format, and no others.
    pub(crate) fn check_schema(&self) -> Result<()> {
        let schema = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_map([], row)?.collect::<rusqlite::Result<Vec<(String, String, Option<String>)>>>()
        };
        // A format that only a newer program knows is refused when a ledger is opened.
        let Some(steps) = FORMATS.get(..self.format()?.max(0) as usize) else { return Ok(()) };
        let expected = || {
            let fresh = Connection::open_in_memory()?;
            fresh.execute_batch(&steps.concat())?;
            schema(&fresh)
        };
        let failed = self.failed("read");
        match expected().map_err(&failed)? == schema(&self.connection).map_err(&failed)? {
            true => Ok(()),
            false => Err(Error::broken(&self.folder, "the catalogue has other tables than those of its format")),
        }
    }

    /// Whether an entry has this hash.
    pub(crate) fn has(&self, hash: Hash) -> Result<bool> {
        let sql = "SELECT 1 FROM entries WHERE hash = ?1";
        let asked = self.connection.query_row(sql, [hash.to_string()], |_| Ok(())).optional();
        Ok(asked.map_err(self.failed("read"))?.is_some())
    }

    /// Appends an entry, all of it or nothing. Waits at most so long for programs that read the database.
    pub(crate) fn append(&mut self, entry: &Entry, written: &Written, patience: Duration) -> Result<()> {
        let Written { document, head, signature, verifier } = written;
        let folder = self.folder.clone();
        // A program that reads the database keeps an entry from being written to it.
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
            let Beside { releases, recipients, bodies } = Beside::of([entry]);
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
    pub(crate) fn append_all(&mut self, rows: Vec<(Entry, Written)>) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for (entry, Written { document, head, signature, .. }) in &rows {
            let sql = "INSERT INTO entries (number, previous, hash, document, signature) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (previous, hash) = (entry.previous.to_string(), head.hash.to_string());
            transaction.execute(sql, params![entry.number as i64, previous, hash, document, signature])?;
        }
        transaction.commit()
    }

    /// Folds the log of format 1 into the database; false when a reader is in the way for longer than so much patience.
    pub(crate) fn fold(&self, patience: Duration) -> Result<bool> {
        let fold = || {
            self.connection.busy_timeout(patience)?;
            let busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
            self.connection.busy_timeout(BUSY)?;
            Ok(busy == 0)
        };
        let folded = fold().map_err(self.failed("fold"))?;
        let log = self.folder.join(format!("{NAME}-wal"));
        if folded && log.exists() {
            // The database does not wait until the disk has the empty log. No lock is on it that closing could lose.
            let synced = fs::File::open(&log).and_then(|file| file.sync_all());
            synced.map_err(|error| Error::io("sync", &log, error))?;
        }
        Ok(folded)
    }

    /// The whole database, as a new connection reads it.
    ///
    /// Nobody opens the file beside the database: closing it again would lose the locks of this process, and others would
    /// take the log from under us.
    pub(crate) fn bytes<T>(&self, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let mut fresh = Catalogue::open(&self.folder)?;
        let data = fresh.connection.serialize("main").map_err(self.failed("read"))?;
        Ok(take(&data))
    }

    /// The hash of the database's file, with nothing in its log.
    pub(crate) fn hash(&self) -> Result<Hash> {
        if let Some((hash, _)) = self.copied {
            return Ok(hash);
        }
        let (hash, bytes) = self.bytes(|bytes| (Hash::of(bytes), bytes.len() as u64))?;
        let path = self.folder.join(NAME);
        let length = fs::metadata(&path).map_err(|error| Error::io("read", &path, error))?.len();
        if length == bytes {
            return Ok(hash);
        }
        Err(Error::broken(&self.folder, format!("{NAME} has another length than the database in it")))
    }

    /// Whether something stands in the log.
    pub(crate) fn has_log(folder: &Path) -> bool {
        fs::metadata(folder.join(format!("{NAME}-wal"))).is_ok_and(|about| about.len() > 0)
    }
}

/// Whether a database cannot be read where it is, because SQLite cannot write beside it.
fn is_read_only(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
    matches!(error.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly))
}
