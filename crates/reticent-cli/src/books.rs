//! The ledger of a call: where it is, who uses it, and the key that belongs to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hashbrown::HashSet;
use reticent::links::{Links, Pseudonym};
use reticent::policy::Policy;
use reticent::recipients::{PUBLIC, Separate};
use reticent_ledger::{Entry, Findings, Holder, Key, Ledger, now};

use crate::args::Place;
use crate::failure::Failure;

/// What there is to say where no owner was ever in a release, though others were.
pub const STRANGERS: &str = "none of the owners was in any earlier release. If they are the same people, they are written differently (7, 7.0 and 007 \
                             are three), and nothing is followed from release to release";

/// The ledger of a call.
pub struct Books {
    /// Its folder.
    pub folder: PathBuf,
    /// The file with its key.
    pub key_path: PathBuf,
    /// Who never combines what they hold.
    pub separate: Separate,
    start: bool,
    holder: Holder,
    wait: Duration,
}

impl Books {
    /// For a call that has read the policy.
    pub fn of(place: &Place, policy: &Policy, doing: &str) -> Books {
        let beside = place.policy.parent().map(Path::to_path_buf).unwrap_or_default();
        Books {
            folder: place.ledger.clone().unwrap_or_else(|| beside.join(&policy.ledger)),
            key_path: place.key.clone().unwrap_or_else(|| beside.join(&policy.key)),
            separate: policy.separate.clone(),
            start: place.new_ledger,
            holder: holder(doing),
            wait: Duration::from_secs_f64(place.wait.clamp(0.0, 1e9)),
        }
    }

    /// For a call that needs no policy; one that is there says where the ledger is.
    pub fn find(place: &Place, doing: &str) -> Result<Books, Failure> {
        let silent = "[columns.a]\n[requirement]\nk = 2";
        let text = match std::fs::read_to_string(&place.policy) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => silent.to_owned(),
            Err(error) => return Err(Failure::file("read the policy", &place.policy)(error)),
        };
        let wrong = |error| Failure::Policy { path: place.policy.clone(), error };
        Ok(Books::of(place, &Policy::parse(&text).map_err(wrong)?, doing))
    }

    /// An error where something else is in the place of the ledger.
    fn check_place(&self) -> Result<(), Failure> {
        match self.folder.is_file() {
            true => Err(Failure::Call(format!(
                "{} is a file, and a ledger is a folder; name another place with --ledger",
                self.folder.display()
            ))),
            false => Ok(()),
        }
    }

    /// Opens the ledger.
    pub fn open(&self) -> Result<Ledger, Failure> {
        self.check_place()?;
        Ok(Ledger::open(&self.folder, &self.holder, self.wait)?)
    }

    /// Opens the ledger for a command that writes: what a command that was killed left behind is put in order first.
    pub fn open_to_write(&self) -> Result<Ledger, Failure> {
        let ledger = self.open()?;
        ledger.recover(&self.holder)?;
        Ok(ledger)
    }

    /// Opens the ledger for somebody who reads; what does not hold together is told, and read all the same.
    pub fn open_to_read(&self) -> Result<Ledger, Failure> {
        let ledger = self.open()?;
        if let Ok(Some(what)) = ledger.unsound(&self.holder, Duration::ZERO) {
            crate::screen::warn(&format!("{what}; `reticent verify` tells more"));
        }
        Ok(ledger)
    }

    /// Why it is not established that the ledger holds together, as far as can be seen without reading everything.
    pub fn unsound(&self, ledger: &Ledger) -> Option<String> {
        match ledger.unsound(&self.holder, self.wait) {
            Ok(what) => what.map(|what| format!("the ledger does not hold together: {what}")),
            Err(error) => Some(format!("whether the ledger holds together could not be checked: {error}")),
        }
    }

    /// Opens the ledger, or starts one where that was asked for: one that is missing may be lost, and with it all that the
    /// next release must be judged with.
    pub fn open_or_start(&self) -> Result<Ledger, Failure> {
        if Ledger::is_there(&self.folder) {
            return self.open_to_write();
        }
        self.may_start()?;
        Ok(Ledger::open_or_create(&self.folder, &self.holder, self.wait)?)
    }

    /// An error unless a ledger may be started.
    pub fn may_start(&self) -> Result<(), Failure> {
        self.check_place()?;
        if self.start {
            return Ok(());
        }
        Err(Failure::Call(format!(
            "there is no ledger in {}; if there was one, bring it back: without it earlier releases are not known. If this is \
             the first release, start one with --new-ledger",
            self.folder.display()
        )))
    }

    /// What is said when a ledger was started.
    pub fn started(&self) -> String {
        format!("started the ledger {}: no earlier release is known", self.folder.display())
    }

    /// The ledger, if there is one, for a command that writes.
    pub fn open_if_there(&self) -> Result<Option<Ledger>, Failure> {
        if Ledger::is_there(&self.folder) { self.open_to_write().map(Some) } else { Ok(None) }
    }

    /// The same for somebody who publishes: nothing is judged with a ledger that does not hold together.
    pub fn open_if_sound(&self) -> Result<Option<Ledger>, Failure> {
        let ledger = self.open_if_there()?;
        // Where somebody writes at the moment, it is looked at when this one does.
        match ledger.as_ref().map(|ledger| ledger.unsound(&self.holder, Duration::ZERO)) {
            Some(Ok(Some(what))) => Err(reticent_ledger::Error::Broken { folder: self.folder.clone(), what }.into()),
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
    pub fn open_to_rehearse(&self) -> Result<Option<Ledger>, Failure> {
        let mut ledger = self.open_if_there()?;
        if let Some(ledger) = &mut ledger {
            self.write(ledger)?;
        }
        Ok(ledger)
    }

    /// Waits for the right to write.
    pub fn write<'a>(&self, ledger: &'a mut Ledger) -> Result<reticent_ledger::Writer<'a>, Failure> {
        Ok(ledger.write(&Holder { since: now(), ..self.holder.clone() }, self.wait)?)
    }

    /// Looks at everything in the ledger.
    pub fn verify(&self, ledger: &Ledger) -> Result<Findings, Failure> {
        Ok(ledger.verify(&self.holder, self.wait)?)
    }

    /// The key, if there is one. It never lies in the ledger, where whoever copies the one would have the other.
    pub fn key(&self) -> Result<Option<Key>, Failure> {
        if lies_in(&self.key_path, &self.folder) {
            return Err(Failure::Call(format!(
                "the key {} lies in the ledger {}; keep it elsewhere, or whoever copies the ledger has both",
                self.key_path.display(),
                self.folder.display()
            )));
        }
        Ok(Key::read(&self.key_path)?)
    }

    /// The key, if there is one; never another than the one behind the owner links.
    pub fn right_key(&self, entries: &[Entry]) -> Result<Option<Key>, Failure> {
        match (self.key()?, used_key(entries)) {
            (Some(key), Some(known)) if key.fingerprint() != known => Err(Failure::Call(format!(
                "{} is another key than the one behind the owner links of this ledger ({known}); with it nobody would be \
                 recognised again. Bring the right key back, or name it with --key",
                self.key_path.display()
            ))),
            (key, _) => Ok(key),
        }
    }

    /// The key for recording owners: the one there is, or a new one where no owner was ever recorded. A rehearsal draws none.
    pub fn key_for_owners(&self, entries: &[Entry], draw: bool) -> Result<Option<(Key, Option<String>)>, Failure> {
        match (self.right_key(entries)?, used_key(entries)) {
            (Some(key), _) => Ok(Some((key, None))),
            (None, Some(known)) => Err(Failure::Call(format!(
                "the key {} is missing, and owners are recorded under it ({known}); bring it back, or name it with --key. If it \
                 is lost for good, docs/ledger.md says how to go on",
                self.key_path.display()
            ))),
            (None, None) if !draw => Ok(None),
            (None, None) => {
                let key = Key::create(&self.key_path)?;
                let note =
                    format!("drew the key {}; keep a copy of it, apart from the ledger", self.key_path.display());
                Ok(Some((key, Some(note))))
            }
        }
    }

    /// The numbers of the releases that recipients of a new one can hold beside it.
    pub fn beside(&self, entries: &[Entry], to: &[String]) -> Result<Vec<u64>, Failure> {
        let mut all: Vec<u64> = self.held(entries, to)?.into_iter().flatten().collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// By coalition with a recipient of a new release: the numbers of the releases that it holds.
    pub fn held(&self, entries: &[Entry], to: &[String]) -> Result<Vec<Vec<u64>>, Failure> {
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
pub fn lies_in(path: &Path, folder: &Path) -> bool {
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
pub fn recipients(entries: &[Entry]) -> BTreeSet<String> {
    entries.iter().filter_map(Entry::release).flat_map(|release| release.recipients.iter().cloned()).collect()
}

fn holder(doing: &str) -> Holder {
    let names = ["RETICENT_STEWARD", "USER", "LOGNAME", "USERNAME"];
    let named = names.iter().filter_map(|name| std::env::var(name).ok()).find(|name| !name.trim().is_empty());
    let steward = named.unwrap_or_else(|| "somebody".to_owned());
    let steward: String = steward.trim().chars().filter(|letter| !letter.is_control()).take(80).collect();
    Holder { steward, process: std::process::id(), since: now(), doing: doing.to_owned() }
}
