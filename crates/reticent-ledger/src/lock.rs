//! The lock: one process writes at a time.
//!
//! It is an advisory lock of the operating system on a file in the ledger's folder, so it ends with its process. The
//! file names the process that holds the lock, for the processes that wait.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::{Error, Result};
use crate::session::Session;
use crate::sharing;

const NAME: &str = "lock";
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Process that holds the lock, and its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Name of the steward.
    pub steward: String,
    /// Process id.
    pub process: u32,
    /// Time at which the process took the lock.
    pub since: String,
    /// Operation of the process.
    pub doing: String,
}

impl Holder {
    /// Returns a holder that is not known.
    pub(crate) fn unknown(doing: &str) -> Holder {
        Holder { steward: "another process".to_owned(), process: 0, since: String::new(), doing: doing.to_owned() }
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

/// Permission to write, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file names no process while the lock is free.
        let _ = self.file.set_len(0);
    }
}

impl Lock {
    /// Waits for the lock, at most as long as the session allows.
    pub fn take(folder: &Path, session: &Session) -> Result<Lock> {
        let path = folder.join(NAME);
        let mut file = open(&path)?;
        let start = Instant::now();
        loop {
            // A cancelled session takes no lock.
            if session.is_stopped() {
                return Err(Error::Stopped);
            }
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if start.elapsed() < session.wait => std::thread::sleep(POLL_INTERVAL),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Held { holder: read(&path), waited: start.elapsed() });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, error)),
            }
        }
        let text = serde_json::to_string(&session.holder_now()).unwrap_or_default();
        // The content is only information for waiting processes. The lock works without it, for example on a full
        // disk.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Lock { file })
    }
}

impl Lock {
    /// Takes the lock for a reader. Returns none in a read-only folder, where no process can write.
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
    // A symbolic link must not be followed, because the file is truncated.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
    let failed = |error| Error::io("open", path, error);
    let file = disk::owner_only(&mut options).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    #[cfg(unix)]
    let linked = std::os::unix::fs::MetadataExt::nlink(&metadata) > 1;
    #[cfg(not(unix))]
    let linked = false;
    match metadata.is_file() && !linked {
        true => {
            sharing::inherit_file(&file, &disk::parent(path)).or_else(owned_by_another).map_err(failed)?;
            Ok(file)
        }
        false => Err(Error::broken(&disk::parent(path), "the lock is not a regular file with a single link")),
    }
}

/// Accepts that only the owner of the lock can share it: this user could open it, which is all that a lock needs.
fn owned_by_another(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::PermissionDenied { Ok(()) } else { Err(error) }
}

fn read(path: &Path) -> Holder {
    let mut text = String::new();
    // The content may be missing. Only the lock itself is decisive.
    let _ = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    serde_json::from_str(&text).unwrap_or_else(|_| Holder::unknown("writing"))
}
