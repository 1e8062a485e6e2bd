//! Access to the ledger of a call: where it is, who uses it, and the key that belongs to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use hashbrown::HashSet;
use reticent::error::Hint;
use reticent::policy::{NO_KEY, Policy};
use reticent::{Links, PUBLIC, Pseudonym, Separate};
use reticent_ledger::{Entry, Findings, Identity, Key, KeyFile, Ledger, Session, Verifier, Writer};

use crate::Workspace;
use crate::context::Context;
use crate::error::{Error, Problem, READ_POLICY, Result};

/// A note for a release none of whose owners is in an earlier release.
pub(crate) const STRANGERS: &str = "none of the owners was in any earlier release. If they are the same people, they are written differently (7, 7.0 and 007 \
                             are three), and nothing is followed from release to release";

/// A warning about a ledger without signatures.
pub(crate) const UNSIGNED: &str =
    "the ledger is unauthenticated: it carries no signatures, and everybody who can write to its folder can rewrite it";

/// The ledger of a call.
pub(crate) struct LedgerAccess {
    /// Its folder.
    pub folder: PathBuf,
    /// The file with its key.
    pub key_path: PathBuf,
    /// Whether the policy wants no key.
    keyless: bool,
    /// Whether the call names the key.
    named: bool,
    /// The group of users who may read the key file.
    group: Option<String>,
    /// Who never combines what they hold.
    pub separate: Separate,
    start: bool,
    session: Session,
    events: Context,
    /// What is to be said about a key that was drawn.
    drawn: Mutex<Option<String>>,
    /// The identity of the ledger that this call starts.
    planned: OnceLock<Identity>,
}

impl LedgerAccess {
    /// For a call that has read the policy.
    pub fn new(workspace: &Workspace, policy: &Policy, doing: &str, context: &Context) -> LedgerAccess {
        let beside = workspace.policy.parent().map(Path::to_path_buf).unwrap_or_default();
        LedgerAccess {
            folder: workspace.ledger.clone().unwrap_or_else(|| beside.join(&policy.ledger)),
            key_path: workspace.key.clone().unwrap_or_else(|| beside.join(&policy.key)),
            keyless: workspace.key.is_none() && policy.key == NO_KEY,
            named: workspace.key.is_some(),
            group: policy.group.clone(),
            separate: policy.separate.clone(),
            start: workspace.start_ledger,
            session: context.session(doing, workspace.wait),
            events: context.clone(),
            drawn: Mutex::default(),
            planned: OnceLock::new(),
        }
    }

    /// For a call that needs no policy; one that is there says where the ledger is.
    pub fn find(workspace: &Workspace, doing: &str, context: &Context) -> Result<LedgerAccess> {
        let silent = "[columns.a]\n[requirement]\nk = 2";
        let text = match std::fs::read_to_string(&workspace.policy) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => silent.to_owned(),
            Err(error) => return Err(Error::file(READ_POLICY, &workspace.policy)(error)),
        };
        let wrong = |error| Error::Policy { path: workspace.policy.clone(), error: Box::new(error) };
        Ok(LedgerAccess::new(workspace, &Policy::parse(&text).map_err(wrong)?, doing, context))
    }

    /// An error where something else is in the place of the ledger.
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

    /// Opens the ledger for a command that writes: what a command that was killed left behind is put in order first.
    pub fn open_to_write(&self) -> Result<Ledger> {
        let ledger = self.open()?;
        ledger.recover(&self.keyed(&ledger)?)?;
        self.warn_unsigned(&ledger)?;
        Ok(ledger)
    }

    /// Opens the ledger for a command that reads. It warns of what was modified, and reads all the same.
    pub fn open_to_read(&self) -> Result<Ledger> {
        let ledger = self.open()?;
        match ledger.unsound(&self.readable(&ledger).impatient()) {
            Ok(Some(what)) => self.events.warn(&what, Some(Hint::Verify)),
            Ok(None) | Err(reticent_ledger::Error::Unauthenticated(_)) => self.warn_unsigned(&ledger)?,
            // The process that writes at the moment checks it.
            Err(reticent_ledger::Error::Held { .. }) => {}
            Err(error) => {
                let text = format!("whether the ledger was modified could not be checked: {error}");
                self.events.warn(&text, Some(Hint::Verify));
            }
        }
        Ok(ledger)
    }

    /// Warns of a ledger without signatures.
    fn warn_unsigned(&self, ledger: &Ledger) -> Result<()> {
        if ledger.verifier()?.is_none() {
            self.events.warn(UNSIGNED, Some(Hint::Authenticate).filter(|_| !self.keyless));
        }
        Ok(())
    }

    /// The session with the key of a ledger, if there is one; never another than the one that the ledger is signed with.
    pub fn keyed(&self, ledger: &Ledger) -> Result<Session> {
        let Some(file) = self.key_file()? else { return Ok(self.session.clone()) };
        let key = file.of_ledger(&ledger.identity()?);
        match ledger.verifier()? {
            Some(known) if known != key.verifier() => {
                Err(Problem::KeyDiffers { path: self.key_path.clone(), known: known.to_string() }.into())
            }
            _ => Ok(self.session.with_key(Some(key))),
        }
    }

    /// The session without a key.
    pub fn unkeyed(&self) -> Session {
        self.session.clone()
    }

    /// The same for a command that reads: a key that cannot be used checks nothing.
    fn readable(&self, ledger: &Ledger) -> Session {
        self.keyed(ledger).unwrap_or_else(|_| self.session.clone())
    }

    /// Why it is not established that the ledger holds together, as far as can be seen without reading everything.
    pub fn unsound(&self, ledger: &Ledger) -> Option<String> {
        match ledger.unsound(&self.readable(ledger)) {
            Ok(what) => what.map(|what| format!("the ledger does not hold together: {what}")),
            Err(error @ reticent_ledger::Error::Unauthenticated(_)) => Some(error.to_string()),
            Err(error) => Some(format!("whether the ledger holds together could not be checked: {error}")),
        }
    }

    /// Opens the ledger, or starts one where that was asked for: one that is missing may be lost, and with it all that the
    /// next release must be judged with.
    pub fn open_or_start(&self) -> Result<Ledger> {
        if Ledger::is_there(&self.folder) {
            return self.open_to_write();
        }
        self.may_start()?;
        let identity = self.planned()?;
        let key = match self.key_file()? {
            Some(file) => Some(file),
            None if self.keyless => None,
            None => Some(self.draw_key()?),
        };
        let session = self.session.with_key(key.map(|file| file.of_ledger(identity)));
        Ok(Ledger::create(&self.folder, identity, &session)?)
    }

    /// The identity of the ledger that this call starts: pseudonyms are made for one ledger, also before there is one.
    fn planned(&self) -> Result<&Identity> {
        let drawn = Identity::draw()?;
        Ok(self.planned.get_or_init(|| drawn))
    }

    /// An error unless a ledger may be started.
    pub fn may_start(&self) -> Result<()> {
        self.check_place()?;
        if self.start {
            return Ok(());
        }
        Err(Problem::LedgerMissing { path: self.folder.clone() }.into())
    }

    /// What is said when a ledger was started.
    pub fn started(&self) -> String {
        format!("started the ledger {}: no earlier release is known", self.folder.display())
    }

    /// The ledger, if there is one, for a command that writes.
    pub fn open_if_there(&self) -> Result<Option<Ledger>> {
        if Ledger::is_there(&self.folder) { self.open_to_write().map(Some) } else { Ok(None) }
    }

    /// The same for somebody who publishes: nothing is judged with a ledger that does not hold together.
    pub fn open_if_sound(&self) -> Result<Option<Ledger>> {
        let ledger = self.open_if_there()?;
        // Where somebody writes at the moment, it is looked at when this one does.
        let Some(found) = &ledger else { return Ok(None) };
        match found.unsound(&self.keyed(found)?.impatient()) {
            Ok(Some(what)) => Err(reticent_ledger::Error::Broken { folder: self.folder.clone(), what }.into()),
            Err(error @ reticent_ledger::Error::Unauthenticated(_)) => Err(error.into()),
            _ => Ok(ledger),
        }
    }

    /// What there is to say where none of these owners was ever in a release, though others were: they may be written differently.
    pub fn strangers(&self, ledger: &Ledger, entries: &[Entry], links: &Links) -> Option<String> {
        let known: HashSet<Pseudonym> = links.pseudonyms.iter().copied().collect();
        let mut others = false;
        // The newest first: mostly somebody stays.
        for entry in entries.iter().rev() {
            // What was erased says nothing.
            let Ok(Some(earlier)) = ledger.links(entry) else { continue };
            if earlier.pseudonyms.iter().any(|who| known.contains(who)) {
                return None;
            }
            others |= !earlier.pseudonyms.is_empty();
        }
        (others && !known.is_empty()).then(|| STRANGERS.to_owned())
    }

    /// The same for a rehearsal, which says what the performance would: whether the ledger can be written to is part of it.
    pub fn open_to_rehearse(&self) -> Result<Option<Ledger>> {
        let mut ledger = self.open_if_there()?;
        if let Some(ledger) = &mut ledger {
            self.write(ledger)?;
        }
        Ok(ledger)
    }

    /// An error if an output would lie in the ledger.
    pub fn check_output(&self, path: &Path) -> Result<()> {
        match lies_in(path, &self.folder) {
            true => Err(Problem::OutputInLedger { path: path.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// Waits for the right to write.
    pub fn write<'a>(&self, ledger: &'a mut Ledger) -> Result<Writer<'a>> {
        let session = self.keyed(ledger)?;
        let identity = ledger.identity()?;
        if self.planned.get().is_some_and(|planned| *planned != identity) {
            // Another process started a ledger meanwhile: the pseudonyms of this one are for a ledger that did not come to be.
            return Err(Problem::LedgerStarted { path: self.folder.clone() }.into());
        }
        match ledger.verifier()? {
            Some(known) if session.key.is_none() => {
                Err(Problem::KeyMissing { path: self.key_path.clone(), known: known.to_string() }.into())
            }
            _ => Ok(ledger.write(&session)?),
        }
    }

    /// Looks at everything in the ledger. Without a key, signatures are checked with the public key that is given, if one is.
    pub fn verify(&self, ledger: &Ledger, verifier: Option<Verifier>) -> Result<Findings> {
        let session = self.keyed(ledger)?;
        // A key that was named and is missing is a mistake, not a wish to verify without one.
        if self.named && session.key.is_none() {
            let known = ledger.verifier()?.map_or_else(|| "unsigned".to_owned(), |verifier| verifier.to_string());
            return Err(Problem::KeyMissing { path: self.key_path.clone(), known }.into());
        }
        Ok(ledger.verify(&Session { verifier, ..session })?)
    }

    /// The key file, if there is one. It never lies in the ledger: a copy of the one would contain the other.
    fn key_file(&self) -> Result<Option<KeyFile>> {
        if self.keyless {
            return Ok(None);
        }
        if lies_in(&self.key_path, &self.folder) {
            return Err(Problem::KeyInLedger { key: self.key_path.clone(), ledger: self.folder.clone() }.into());
        }
        Ok(KeyFile::read(&self.key_path, self.group.as_deref())?)
    }

    fn draw_key(&self) -> Result<KeyFile> {
        let file = KeyFile::create(&self.key_path, self.group.as_deref())?;
        let note = format!("drew the key {}; keep a copy of it, apart from the ledger", self.key_path.display());
        if let Ok(mut drawn) = self.drawn.lock() {
            *drawn = Some(note);
        }
        Ok(file)
    }

    /// What is to be said about a key that was drawn, once.
    pub fn drawn(&self) -> Option<String> {
        self.drawn.lock().ok().and_then(|mut drawn| drawn.take())
    }

    /// The key of the ledger that is there, if there is one; never another than the one behind the owner links.
    pub fn right_key(&self, entries: &[Entry]) -> Result<Option<Key>> {
        let key = self.keyed(&self.open()?)?.key;
        match (key, used_key(entries)) {
            (Some(key), Some(known)) if key.fingerprint() != known => {
                Err(Problem::KeyDiffers { path: self.key_path.clone(), known }.into())
            }
            (key, _) => Ok(key),
        }
    }

    /// The key for recording owners: the one there is, or a new one where no owner was ever recorded. Where there is no ledger yet, it is
    /// made for the one that will be started. A rehearsal draws nothing.
    pub fn key_for_owners(&self, entries: &[Entry], draw: bool) -> Result<Option<Key>> {
        if self.keyless {
            return Err(Problem::KeyForOwners.into());
        }
        if !Ledger::is_there(&self.folder) {
            let file = match self.key_file()? {
                None if !draw => return Ok(None),
                None => self.draw_key()?,
                Some(file) => file,
            };
            return Ok(Some(file.of_ledger(self.planned()?)));
        }
        match (self.right_key(entries)?, used_key(entries)) {
            (Some(key), _) => Ok(Some(key)),
            (None, Some(known)) => Err(Problem::KeyMissing { path: self.key_path.clone(), known }.into()),
            (None, None) if !draw => Ok(None),
            (None, None) => {
                // Not for a ledger that is signed: its key is not lost because the file is away.
                let ledger = self.open()?;
                if let Some(known) = ledger.verifier()? {
                    return Err(Problem::KeyMissing { path: self.key_path.clone(), known: known.to_string() }.into());
                }
                self.draw_key()?;
                self.right_key(entries)
            }
        }
    }

    /// The numbers of the releases that recipients of a new one can hold beside it.
    pub fn beside(&self, entries: &[Entry], to: &[String]) -> Result<Vec<u64>> {
        let mut all: Vec<u64> = self.held(entries, to)?.into_iter().flatten().collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// By coalition with a recipient of a new release: the numbers of the releases that it holds.
    pub fn held(&self, entries: &[Entry], to: &[String]) -> Result<Vec<Vec<u64>>> {
        let coalitions = self.separate.coalitions(&recipients(entries), to)?;
        let of = |coalition: &BTreeSet<String>| {
            let held = |entry: &&Entry| {
                let holders = entry.release().map(|release| release.recipients.as_slice()).unwrap_or_default();
                holders.iter().any(|name| name == PUBLIC || coalition.contains(name))
            };
            entries.iter().filter(held).map(|entry| entry.number).collect()
        };
        Ok(coalitions.iter().map(of).collect())
    }
}

/// The fingerprint of the key behind the owner links.
fn used_key(entries: &[Entry]) -> Option<String> {
    entries.iter().rev().find_map(|entry| entry.release()?.links.as_ref()).map(|links| links.key.clone())
}

/// Whether a path lies in a folder, whatever names lead there.
pub(crate) fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let above = std::path::absolute(path).ok().and_then(|path| path.parent().and_then(real));
    match (real(path).or(above), real(folder)) {
        (Some(path), Some(folder)) => path.starts_with(folder),
        // A folder that is not there yet holds nothing but what its name says.
        _ => {
            let plain = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            plain(path).starts_with(plain(folder))
        }
    }
}

/// Everybody who got a release.
pub(crate) fn recipients(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().filter_map(Entry::release).flat_map(|release| release.recipients.iter().cloned()).collect()
}
