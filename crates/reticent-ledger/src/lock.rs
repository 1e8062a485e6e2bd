//! The lock: one process writes at a time.
//!
//! It is an advisory lock of the operating system on a file of the ledger, so that it disappears with its process however
//! that ends. Who holds it is written in the file, for those who wait.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::{Error, Result};
use crate::session::Session;

const NAME: &str = "lock";
const NAP: Duration = Duration::from_millis(20);

/// Who holds the lock, and what for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The steward's name.
    pub steward: String,
    /// The process.
    pub process: u32,
    /// Since when.
    pub since: String,
    /// What it is doing.
    pub doing: String,
}

impl Holder {
    /// Somebody who did not say who they are.
    pub(crate) fn unknown(doing: &str) -> Holder {
        Holder { steward: "somebody".to_owned(), process: 0, since: String::new(), doing: doing.to_owned() }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.process == 0 {
            return write!(f, "{} ({})", self.steward, self.doing);
        }
        write!(f, "{} (process {}, {}, since {})", self.steward, self.process, self.doing, self.since)
    }
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Who comes next writes their own name; until then nobody is named.
        let _ = self.file.set_len(0);
    }
}

impl Lock {
    /// Waits for the lock, at most as long as the session does.
    pub fn take(folder: &Path, session: &Session) -> Result<Lock> {
        let path = folder.join(NAME);
        let mut file = open(&path)?;
        let start = Instant::now();
        loop {
            // Whoever asked to stop while it waited wants nothing done.
            if session.is_stopped() {
                return Err(Error::Stopped);
            }
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if start.elapsed() < session.wait => std::thread::sleep(NAP),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Held { holder: read(&path), waited: start.elapsed() });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, error)),
            }
        }
        let text = serde_json::to_string(&session.holder_now()).unwrap_or_default();
        // The name helps those who wait; the lock holds without it, also on a full disk.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Lock { file })
    }
}

impl Lock {
    /// The lock for a caller that only reads; none where nothing can be written, so that nobody can write either.
    pub fn take_to_read(folder: &Path, session: &Session) -> Result<Option<Lock>> {
        match Lock::take(folder, session) {
            Ok(lock) => Ok(Some(lock)),
            Err(Error::Denied { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // What it is cut to nothing of must be the lock, and not what a link leads to.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    let failed = |error| Error::io("open", path, error);
    let file = disk::owner_only(&mut options).open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    #[cfg(unix)]
    let linked = std::os::unix::fs::MetadataExt::nlink(&about) > 1;
    #[cfg(not(unix))]
    let linked = false;
    match about.is_file() && !linked {
        true => Ok(file),
        false => Err(Error::broken(&disk::parent(path), "its lock is no file of its own")),
    }
}

fn read(path: &Path) -> Holder {
    let mut text = String::new();
    // Nobody has to have written it: the lock itself is the truth.
    let _ = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    serde_json::from_str(&text).unwrap_or_else(|_| Holder::unknown("writing"))
}
