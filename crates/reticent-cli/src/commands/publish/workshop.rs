//! Where a release is made before it has a name: a folder beside the output.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use reticent_ledger::{Ledger, Naming};

use crate::failure::Failure;

/// How the folders begin; the ledger knows them by it.
const PREFIX: &str = ".reticent-work-";
/// Held as long as somebody works in a folder.
const HELD: &str = "held";
/// What it is called until it is locked.
const NOT_YET: &str = "held.new";
/// The file that is made.
const RELEASE: &str = "release";

/// A folder of our own beside the output, gone when we are.
pub struct Workshop {
    folder: Option<tempfile::TempDir>,
    path: PathBuf,
    held: File,
}

impl Workshop {
    /// Makes one, after removing those whose makers are gone. The ledger will know of it.
    pub fn new(output: &Path, ledger: &Path) -> Result<Workshop, Failure> {
        let parent = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !parent.is_dir() {
            let missing = std::io::Error::new(ErrorKind::NotFound, "the folder is not there; make it first");
            return Err(Failure::file("write in", parent)(missing));
        }
        sweep(parent);
        let mut tries = 0;
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX);
            // What is not verified yet is nobody else's to read.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            // The name that was tried is nobody's business.
            let failed = |error: std::io::Error| Failure::file("write in", parent)(error.kind().into());
            let folder = builder.tempdir_in(parent).map_err(failed)?;
            let path = folder.path().to_path_buf();
            crate::steward::remove_when_killed(Some(path.clone()));
            match hold(&path, ledger) {
                Ok(held) => return Ok(Workshop { folder: Some(folder), path, held }),
                // Somebody who sweeps took the empty folder for a leftover.
                Err(error) if error.kind() == ErrorKind::NotFound && tries < 100 => tries += 1,
                Err(error) => return Err(Failure::file("write in", path)(error)),
            }
        }
    }

    /// The file that is made.
    pub fn file(&self) -> PathBuf {
        self.path.join(RELEASE)
    }

    /// How the file takes its name. From here on the ledger looks after the folder.
    pub fn naming(&self, output: &Path) -> Result<Naming, Failure> {
        let whole = |path: &Path| std::path::absolute(path).map_err(Failure::file("find", path));
        crate::steward::remove_when_killed(None);
        // The file must be found after a power cut, and whose it is: its name in the folder, and the folder's own.
        self.held.sync_all().map_err(Failure::file("write in", &self.path))?;
        reticent_ledger::sync_folder(&self.path)?;
        reticent_ledger::sync_folder(self.path.parent().unwrap_or(Path::new(".")))?;
        Ok(Naming { from: whole(&self.file())?, to: whole(output)? })
    }

    /// Leaves the folder where it is, for whoever brings the release to an end.
    pub fn leave(&mut self) {
        if let Some(folder) = self.folder.take() {
            let _ = folder.keep();
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if self.folder.is_some() {
            // The folder itself goes with its owner; where this fails, that tells.
            let _ = remove(&self.path);
        }
        crate::steward::remove_when_killed(None);
    }
}

/// Holds a folder for as long as we work in it, and says which ledger may know of it.
fn hold(folder: &Path, ledger: &Path) -> std::io::Result<File> {
    let fresh = folder.join(NOT_YET);
    let mut file = File::create(&fresh)?;
    match file.try_lock() {
        // Somebody who sweeps was faster.
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::NotFound.into()),
        // Where locks are not known, nobody is taken for gone.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    file.write_all(std::path::absolute(ledger)?.as_os_str().as_encoded_bytes())?;
    std::fs::rename(&fresh, folder.join(HELD))?;
    Ok(file)
}

/// Removes folders that were left by somebody who was killed. What a ledger may still give a name to is left to it.
fn sweep(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !path.is_dir() {
            continue;
        }
        let held = File::open(path.join(HELD)).or_else(|_| File::open(path.join(NOT_YET)));
        // What will not go does no harm.
        let _ = match held {
            Ok(held) if is_ours(&path) && held.try_lock().is_ok() && !is_awaited(&path) => remove(&path),
            // Held before there was a release in it, so the power went while it was removed. The order of looks matters.
            Err(_) if is_ours(&path) && path.join(RELEASE).exists() && !path.join(HELD).exists() => remove(&path),
            // Somebody was killed, or is, this moment, about to hold it: only an empty folder goes.
            Err(_) => std::fs::remove_dir(&path),
            Ok(_) => Ok(()),
        };
    }
}

/// Whether a folder holds what is made in one, and nothing else.
fn is_ours(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let known = [HELD, NOT_YET, RELEASE];
    entries.flatten().all(|entry| known.iter().any(|known| entry.file_name() == *known))
}

/// Removes a folder: what says whose it is goes last, so that whoever is stopped leaves nothing that nobody removes.
fn remove(folder: &Path) -> std::io::Result<()> {
    let release = folder.join(RELEASE);
    // What is not there need not be removed, and what will not go is told by the folder.
    let _ = std::fs::remove_file(&release).or_else(|_| std::fs::remove_dir_all(&release));
    std::fs::remove_dir_all(folder)
}

/// Whether the ledger that a folder names may still give a name to what is in it. What cannot be told is taken to be so.
fn is_awaited(folder: &Path) -> bool {
    match std::fs::read(folder.join(HELD)) {
        Ok(ledger) => path_of(&ledger).is_none_or(|ledger| Ledger::awaits_names(&ledger)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// A path as [`hold`] writes it; none where that is no path of this system.
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
