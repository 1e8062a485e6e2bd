//! Access to the ledger of a call: its folder, its key and its session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use hashbrown::HashSet;
use reticent::error::Hint;
use reticent::policy::{NO_KEY, Policy};
use reticent::{Links, NonColluding, PUBLIC, Pseudonym};
use reticent_ledger::{Entry, Findings, Identity, Key, KeyFile, Ledger, Session, Verifier, Writer};

use crate::Workspace;
use crate::context::Context;
use crate::data_sets::DataSets;
use crate::error::{Error, Problem, READ_POLICY, Result};

/// Note for a release that shares no owner with any earlier release.
pub(crate) const UNKNOWN_OWNERS: &str = "no owner of this release is in an earlier release. If these are the same people, \
     the owner column is written differently (7, 7.0 and 007 are three different owners), and the audit cannot link their records";

/// Warning for an unsigned ledger.
pub(crate) const UNSIGNED: &str =
    "the ledger is unauthenticated: it is unsigned, so every user with write access to its folder can rewrite it";

/// The ledger of a call, with its key.
pub(crate) struct LedgerAccess {
    /// Folder of the ledger.
    pub folder: PathBuf,
    /// Path of the key file.
    pub key_path: PathBuf,
    /// Whether the policy disables the key.
    pub keyless: bool,
    /// Whether the caller gave the path of the key file.
    key_is_explicit: bool,
    /// Group of users with access to the ledger and read access to the key file.
    pub group: Option<String>,
    /// Recipients that the policy declares non-colluding.
    pub non_colluding: NonColluding,
    /// Data set of the policy, and those that it declares unrelated.
    pub data_sets: DataSets,
    start: bool,
    session: Session,
    context: Context,
    /// Note about a key that this call created.
    key_note: Mutex<Option<String>>,
    /// Identity of the ledger that this call creates.
    planned_identity: OnceLock<Identity>,
}

impl LedgerAccess {
    /// Creates the access of a call that has read the policy.
    pub fn new(workspace: &Workspace, policy: &Policy, doing: &str, context: &Context) -> LedgerAccess {
        let policy_folder = workspace.policy.folder();
        LedgerAccess {
            folder: workspace.ledger.clone().unwrap_or_else(|| policy_folder.join(&policy.ledger)),
            key_path: workspace.key.clone().unwrap_or_else(|| policy_folder.join(&policy.key)),
            keyless: workspace.key.as_deref().map_or(policy.key == NO_KEY, |key| key == Path::new(NO_KEY)),
            key_is_explicit: workspace.key.is_some(),
            group: policy.group.clone(),
            non_colluding: policy.non_colluding.clone(),
            data_sets: DataSets::new(policy),
            start: workspace.start_ledger,
            session: context.session(doing, workspace.wait).with_group(policy.group.clone()),
            context: context.clone(),
            key_note: Mutex::default(),
            planned_identity: OnceLock::new(),
        }
    }

    /// Creates the access of a call that needs no policy. If a policy exists, it locates the ledger and the key.
    pub fn find(workspace: &Workspace, doing: &str, context: &Context) -> Result<LedgerAccess> {
        let text = match workspace.policy.read() {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return LedgerAccess::without_policy(workspace, doing, context);
            }
            Err(error) => return Err(Error::file(READ_POLICY, workspace.policy.name())(error)),
        };
        let wrong = |error| Error::Policy { path: workspace.policy.name(), error: Box::new(error) };
        Ok(LedgerAccess::new(workspace, &Policy::parse(&text).map_err(wrong)?, doing, context))
    }

    /// Creates the access of a call without a policy: the ledger and the key have their default paths.
    pub fn without_policy(workspace: &Workspace, doing: &str, context: &Context) -> Result<LedgerAccess> {
        let minimal = Policy::parse("[columns.a]\n[requirement]\nk = 2")?;
        Ok(LedgerAccess::new(workspace, &minimal, doing, context))
    }

    /// Returns whether the key file exists.
    ///
    /// # Errors
    ///
    /// Returns an error if the key file cannot be used, for example because others can read it.
    pub fn has_key(&self) -> Result<bool> {
        Ok(self.key_file()?.is_some())
    }

    /// Returns an error if the path of the ledger is a file.
    fn check_place(&self) -> Result<()> {
        match self.folder.is_file() {
            true => Err(Problem::LedgerIsFile { path: self.folder.clone() }.into()),
            false => Ok(()),
        }
    }

    /// Opens the ledger.
    pub fn open(&self) -> Result<Ledger> {
        self.check_place()?;
        Ok(Ledger::open(&self.folder, &self.session)?)
    }

    /// Opens the ledger for writing. First completes or rolls back the write of a command that was killed.
    pub fn open_to_write(&self) -> Result<Ledger> {
        let ledger = self.open()?;
        ledger.recover(&self.keyed(&ledger)?)?;
        self.warn_unsigned(&ledger)?;
        Ok(ledger)
    }

    /// Opens the ledger for reading. Warns if it was modified or is unsigned, but does not fail.
    pub fn open_to_read(&self) -> Result<Ledger> {
        let ledger = self.open()?;
        match ledger.find_modification(&self.session_for_reading(&ledger).without_waiting()) {
            Ok(Some(what)) => self.context.warn(&what, Some(Hint::Verify)),
            Ok(None) | Err(reticent_ledger::Error::Unauthenticated(_)) => self.warn_unsigned(&ledger)?,
            // Another process is writing; that process checks the ledger.
            Err(reticent_ledger::Error::Held { .. }) => {}
            Err(error) => {
                let text = format!("could not check the ledger for modifications: {error}");
                self.context.warn(&text, Some(Hint::Verify));
            }
        }
        Ok(ledger)
    }

    /// Warns if the ledger is unsigned.
    fn warn_unsigned(&self, ledger: &Ledger) -> Result<()> {
        if ledger.verifier()?.is_none() {
            self.context.warn(UNSIGNED, Some(Hint::Authenticate).filter(|_| !self.keyless));
        }
        Ok(())
    }

    /// Returns the session with the key of the ledger, or without a key if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger is signed with another key.
    pub fn keyed(&self, ledger: &Ledger) -> Result<Session> {
        let Some(file) = self.key_file()? else { return Ok(self.session.clone()) };
        let key = file.ledger_key(&ledger.identity()?);
        match ledger.verifier()? {
            Some(known) if known != key.verifier() => {
                Err(Problem::KeyDiffers { path: self.key_path.clone(), known: known.to_string() }.into())
            }
            _ => Ok(self.session.with_key(Some(key))),
        }
    }

    /// Returns the session without a key.
    pub fn unkeyed(&self) -> Session {
        self.session.clone()
    }

    /// Returns the session for reading. Ignores a key that cannot be used.
    fn session_for_reading(&self, ledger: &Ledger) -> Session {
        self.keyed(ledger).unwrap_or_else(|_| self.session.clone())
    }

    /// Returns the reason why the integrity of the ledger is not established, if any. Checks the catalogue only.
    pub fn integrity_problem(&self, ledger: &Ledger) -> Option<String> {
        match ledger.find_modification(&self.session_for_reading(ledger)) {
            Ok(problem) => problem.map(|problem| format!("the ledger is inconsistent: {problem}")),
            Err(error @ reticent_ledger::Error::Unauthenticated(_)) => Some(error.to_string()),
            Err(error) => Some(format!("could not check the integrity of the ledger: {error}")),
        }
    }

    /// Opens the ledger for writing, or creates it if the caller requested that.
    ///
    /// A missing ledger is not created silently: it may be lost, and with it the history that the next release is judged with.
    pub fn open_or_start(&self) -> Result<Ledger> {
        if Ledger::exists(&self.folder) {
            return self.open_to_write();
        }
        self.check_may_start()?;
        let identity = self.planned_identity()?;
        let key = match self.key_file()? {
            Some(file) => Some(file),
            None if self.keyless => None,
            None => Some(self.draw_key()?),
        };
        let session = self.session.with_key(key.map(|file| file.ledger_key(identity)));
        Ok(Ledger::create(&self.folder, identity, &session)?)
    }

    /// Returns the identity of the ledger that this call creates. Pseudonyms depend on it before the ledger exists.
    fn planned_identity(&self) -> Result<&Identity> {
        let drawn = Identity::draw()?;
        Ok(self.planned_identity.get_or_init(|| drawn))
    }

    /// Returns an error unless the caller requested a new ledger.
    pub fn check_may_start(&self) -> Result<()> {
        self.check_place()?;
        if self.start {
            return Ok(());
        }
        let path = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        Err(Problem::LedgerMissing { path }.into())
    }

    /// Returns the note for a newly created ledger.
    pub fn started_note(&self) -> String {
        format!("created the ledger {}; it contains no earlier releases", self.folder.display())
    }

    /// Opens the ledger for writing, if it exists.
    pub fn open_if_exists(&self) -> Result<Option<Ledger>> {
        if Ledger::exists(&self.folder) { self.open_to_write().map(Some) } else { Ok(None) }
    }

    /// Opens the ledger for publishing, if it exists.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger is inconsistent: no release is judged against such a history.
    pub fn open_if_intact(&self) -> Result<Option<Ledger>> {
        let ledger = self.open_if_exists()?;
        // If another process is writing now, the check is repeated when this process writes.
        let Some(existing) = &ledger else { return Ok(None) };
        match existing.find_modification(&self.keyed(existing)?.without_waiting()) {
            Ok(Some(what)) => Err(reticent_ledger::Error::Broken { folder: self.folder.clone(), problem: what }.into()),
            Err(error @ reticent_ledger::Error::Unauthenticated(_)) => Err(error.into()),
            _ => Ok(ledger),
        }
    }

    /// Returns a note if earlier releases have owners, but none of the given ones: they may be spelled differently.
    pub fn warn_unknown_owners(&self, ledger: &Ledger, entries: &[Entry], links: &Links) -> Option<String> {
        let known: HashSet<Pseudonym> = links.pseudonyms.iter().copied().collect();
        let mut any_linked = false;
        // Newest first: consecutive releases usually share an owner.
        for entry in entries.iter().rev().filter(|entry| !self.data_sets.excludes(entry)) {
            // Skip erased releases.
            let Ok(Some(earlier)) = ledger.links(entry) else { continue };
            if earlier.pseudonyms.iter().any(|pseudonym| known.contains(pseudonym)) {
                return None;
            }
            any_linked |= !earlier.pseudonyms.is_empty();
        }
        (any_linked && !known.is_empty()).then(|| UNKNOWN_OWNERS.to_owned())
    }

    /// Opens the ledger for a rehearsal, if it exists. Also checks that it could be written to.
    pub fn open_to_rehearse(&self) -> Result<Option<Ledger>> {
        let mut ledger = self.open_if_exists()?;
        if let Some(ledger) = &mut ledger {
            self.write(ledger)?;
        }
        Ok(ledger)
    }

    /// Returns an error if an output is inside the ledger folder.
    pub fn check_output(&self, path: &Path) -> Result<()> {
        match is_inside(path, &self.folder) {
            true => Err(Problem::OutputInLedger { path: path.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// Waits for the write lock of the ledger.
    pub fn write<'a>(&self, ledger: &'a mut Ledger) -> Result<Writer<'a>> {
        let session = self.keyed(ledger)?;
        let identity = ledger.identity()?;
        if self.planned_identity.get().is_some_and(|planned| *planned != identity) {
            // Another process created the ledger. The pseudonyms of this call belong to an identity that no ledger has.
            return Err(Problem::LedgerStarted { path: self.folder.clone() }.into());
        }
        match ledger.verifier()? {
            Some(known) if session.key.is_none() => {
                Err(Problem::KeyMissing { path: self.key_path.clone(), known: known.to_string() }.into())
            }
            _ => Ok(ledger.write(&session)?),
        }
    }

    /// Verifies the whole ledger. Without a key, signatures are checked with the given public key, if any.
    pub fn verify(&self, ledger: &Ledger, verifier: Option<Verifier>) -> Result<Findings> {
        let session = self.keyed(ledger)?;
        // A key file that the caller gave must exist.
        if self.key_is_explicit && session.key.is_none() {
            let known = ledger.verifier()?.map_or_else(|| "unsigned".to_owned(), |verifier| verifier.to_string());
            return Err(Problem::KeyMissing { path: self.key_path.clone(), known }.into());
        }
        Ok(ledger.verify(&Session { verifier, ..session })?)
    }

    /// Reads the key file, if it exists. It must not be inside the ledger folder: a copy of the ledger would include it.
    fn key_file(&self) -> Result<Option<KeyFile>> {
        if self.keyless {
            return Ok(None);
        }
        if is_inside(&self.key_path, &self.folder) {
            return Err(Problem::KeyInLedger { key: self.key_path.clone(), ledger: self.folder.clone() }.into());
        }
        Ok(KeyFile::read(&self.key_path, self.group.as_deref())?)
    }

    fn draw_key(&self) -> Result<KeyFile> {
        let file = KeyFile::create(&self.key_path, self.group.as_deref())?;
        let note = format!("created the key {}; store a copy of it outside the ledger folder", self.key_path.display());
        if let Ok(mut key_note) = self.key_note.lock() {
            *key_note = Some(note);
        }
        Ok(file)
    }

    /// Returns the note about a key that this call created, the first time it is called.
    pub fn take_key_note(&self) -> Option<String> {
        self.key_note.lock().ok().and_then(|mut key_note| key_note.take())
    }

    /// Returns the key of the existing ledger, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the owner links were made with another key.
    pub fn matching_key(&self, entries: &[Entry]) -> Result<Option<Key>> {
        let key = self.keyed(&self.open()?)?.key;
        match (key, used_key(entries)) {
            (Some(key), Some(known)) if key.fingerprint() != known => {
                Err(Problem::KeyDiffers { path: self.key_path.clone(), known }.into())
            }
            (key, _) => Ok(key),
        }
    }

    /// Returns the key for the pseudonyms of owners. Creates one if `draw` is set and no owner has been recorded.
    ///
    /// If there is no ledger yet, the key is derived for the ledger that this call creates. A rehearsal creates no key.
    pub fn key_for_owners(&self, entries: &[Entry], draw: bool) -> Result<Option<Key>> {
        if self.keyless {
            return Err(Problem::KeyForOwners.into());
        }
        if !Ledger::exists(&self.folder) {
            let file = match self.key_file()? {
                None if !draw => return Ok(None),
                None => self.draw_key()?,
                Some(file) => file,
            };
            return Ok(Some(file.ledger_key(self.planned_identity()?)));
        }
        match (self.matching_key(entries)?, used_key(entries)) {
            (Some(key), _) => Ok(Some(key)),
            (None, Some(known)) => Err(Problem::KeyMissing { path: self.key_path.clone(), known }.into()),
            (None, None) if !draw => Ok(None),
            (None, None) => {
                // A signed ledger has a key already; a missing file must not be replaced by a new key.
                let ledger = self.open()?;
                if let Some(known) = ledger.verifier()? {
                    return Err(Problem::KeyMissing { path: self.key_path.clone(), known: known.to_string() }.into());
                }
                self.draw_key()?;
                self.matching_key(entries)
            }
        }
    }

    /// Returns the numbers of the releases that recipients of a new release can combine with it.
    pub fn earlier_releases(&self, entries: &[Entry], to: &[String]) -> Result<Vec<u64>> {
        let mut all: Vec<u64> = self.releases_by_coalition(entries, to)?.into_iter().flatten().collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Returns, for each coalition with a recipient of a new release, the numbers of the releases that it holds. Releases of unrelated
    /// data sets are left out.
    pub fn releases_by_coalition(&self, entries: &[Entry], to: &[String]) -> Result<Vec<Vec<u64>>> {
        let coalitions = self.non_colluding.coalitions(&recipients(entries), to)?;
        let of = |coalition: &BTreeSet<String>| {
            let is_held = |entry: &&Entry| {
                let holders = entry.held_release().map(|release| release.recipients.as_slice()).unwrap_or_default();
                holders.iter().any(|name| name == PUBLIC || coalition.contains(name))
            };
            let is_related = |entry: &&Entry| !self.data_sets.excludes(entry);
            entries.iter().filter(is_held).filter(is_related).map(|entry| entry.number).collect()
        };
        Ok(coalitions.iter().map(of).collect())
    }
}

/// Returns the fingerprint of the key that the owner links were made with.
fn used_key(entries: &[Entry]) -> Option<String> {
    entries.iter().rev().find_map(|entry| entry.release()?.links.as_ref()).map(|links| links.key.clone())
}

/// Returns whether a path is inside a folder. Resolves symbolic links.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let above = std::path::absolute(path).ok().and_then(|path| path.parent().and_then(real));
    match (real(path).or(above), real(folder)) {
        (Some(path), Some(folder)) => path.starts_with(folder),
        // A path that does not exist cannot be resolved; compare the absolute paths.
        _ => {
            let plain = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            plain(path).starts_with(plain(folder))
        }
    }
}

/// Returns the recipients of all releases that are not withdrawn.
pub(crate) fn recipients(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().filter_map(Entry::held_release).flat_map(|release| release.recipients.iter().cloned()).collect()
}
