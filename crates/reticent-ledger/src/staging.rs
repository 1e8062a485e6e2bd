//! Staging folders: a release is written and verified there before it gets its final name.
//!
//! A staging folder is next to the output, and only its owner can enter it:
//!
//! ```text
//! .reticent-work-XXXXXX/
//!   held       locked while a process uses the folder; names the ledger that the folder belongs to
//!   release    the file, or the folder of tables
//! ```
//!
//! A killed process leaves its folder behind. Cleanup and recovery touch a folder only if its name has the form
//! above, if it is not a symbolic link, and if it contains nothing else. Cleanup also requires that the folder
//! belongs to this user and that no ledger may still need it. Recovery also requires that `held` names the ledger and
//! that the bytes match the entry. Both open the folder relative to a handle on its parent, because a path could be
//! redirected meanwhile.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::disk;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::seal::{FolderId, Naming};

/// Prefix of the names of staging folders. Six letters or digits follow.
const PREFIX: &str = ".reticent-work-";
const RANDOM_LETTERS: usize = 6;
/// File that is locked while a process uses the folder.
const LOCK_FILE: &str = "held";
/// Name of that file before it is locked.
const NEW_LOCK_FILE: &str = "held.new";
/// The file, or the folder of tables, that is written.
const RELEASE: &str = "release";
/// Limit in bytes, above the longest path of any system.
const MAX_LOCK_FILE_BYTES: u64 = 1 << 16;

/// A staging folder of this process, removed on drop.
#[derive(Debug)]
pub struct Staging {
    folder: Option<StagingFolder>,
    path: PathBuf,
    lock_file: File,
    ledger: PathBuf,
}

impl Staging {
    /// Creates a staging folder next to the output, after removing abandoned ones.
    pub fn create(output: &Path, ledger: &Path) -> Result<Staging> {
        let parent = disk::parent(output);
        if !parent.is_dir() {
            let missing = io::Error::new(ErrorKind::NotFound, "the folder does not exist; create it first");
            return Err(Error::io("write in", &parent, missing));
        }
        sweep(&parent, ledger);
        let mut tries = 0;
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).rand_bytes(RANDOM_LETTERS);
            // No other user may read a release that is not verified yet.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            // The error does not contain the random name.
            let failed = |error: io::Error| Error::io("write in", &parent, error.kind().into());
            let path = builder.tempdir_in(&parent).map_err(failed)?.keep();
            match lock_folder(&path, ledger) {
                Ok((folder, lock_file)) => {
                    return Ok(Staging { folder: Some(folder), path, lock_file, ledger: ledger.to_owned() });
                }
                // The cleanup of another process removed the empty folder.
                Err(error) if error.kind() == ErrorKind::NotFound && tries < 100 => tries += 1,
                Err(error) => {
                    // The folder is empty or contains one of these files. The original error is reported.
                    let _ = std::fs::remove_file(path.join(NEW_LOCK_FILE))
                        .or_else(|_| std::fs::remove_file(path.join(LOCK_FILE)));
                    let _ = std::fs::remove_dir(&path);
                    return Err(Error::io("write in", path, error));
                }
            }
        }
    }

    /// Returns the path of the file, or of the folder of tables, that is written.
    pub fn release(&self) -> PathBuf {
        self.path.join(RELEASE)
    }

    /// Returns the path of the staging folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the rename of the release to its final name, and syncs the staging folder.
    pub fn naming(&self, output: &Path) -> Result<Naming> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        let output_folder = disk::parent(&self.path);
        let output_folder = output_folder.canonicalize().map_err(|error| Error::io("find", &output_folder, error))?;
        // The first release is staged before the ledger exists, so the identity of its folder is known only now.
        let mut lock_file = &self.lock_file;
        let owner = OwningLedger::new(&self.ledger).bytes();
        let written = lock_file.set_len(0).and_then(|()| lock_file.rewind()).and_then(|()| lock_file.write_all(&owner));
        // After a power cut, recovery needs the release, `held` and the staging folder.
        written.and_then(|()| lock_file.sync_all()).map_err(|error| Error::io("write in", &self.path, error))?;
        disk::sync_folder(&self.path)?;
        disk::sync_folder(&disk::parent(&self.path))?;
        Ok(Naming { from: output_folder.join(name(&self.path)).join(RELEASE), to: output_folder.join(name(output)) })
    }

    /// Returns the staging folders in a folder that no process uses.
    pub fn abandoned(folder: &Path) -> Vec<PathBuf> {
        let Ok(parent) = Dir::open_ambient_dir(folder, ambient_authority()) else { return Vec::new() };
        let entries = parent.entries().into_iter().flatten().flatten();
        let is_abandoned = |name: &std::ffi::OsString| {
            let found = StagingFolder::open(&parent, name);
            found.is_ok_and(|found| is_own(&found.inside).unwrap_or(false) && !found.is_locked())
        };
        entries.map(|entry| entry.file_name()).filter(is_abandoned).map(|name| folder.join(name)).collect()
    }

    /// Returns the staging folders in a folder that no process uses and that no ledger needs any longer.
    pub fn unneeded(folder: &Path, ledger: &Path) -> Vec<PathBuf> {
        let Ok(parent) = Dir::open_ambient_dir(folder, ambient_authority()) else { return Vec::new() };
        let is_needed = |path: &PathBuf| {
            let found = StagingFolder::open(&parent, path.file_name().unwrap_or_default());
            found.map_or(true, |found| may_be_needed(&found, ledger))
        };
        Staging::abandoned(folder).into_iter().filter(|path| !is_needed(path)).collect()
    }

    /// Removes a staging folder of this user.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a staging folder of this user, or if it cannot be removed.
    pub fn remove_at(path: &Path) -> Result<()> {
        let failed = |error| Error::io("remove", path, error);
        let parent = Dir::open_ambient_dir(disk::parent(path), ambient_authority()).map_err(failed)?;
        let folder = StagingFolder::open(&parent, path.file_name().unwrap_or_default()).map_err(failed)?;
        if !is_own(&folder.inside).map_err(failed)? {
            return Err(failed(ErrorKind::PermissionDenied.into()));
        }
        folder.remove().map_err(failed)
    }

    /// Keeps the folder on drop, for the command that completes the release.
    pub fn keep(&mut self) {
        self.folder = None;
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            // The next publication to the same place removes a remaining folder.
            let _ = folder.remove();
        }
    }
}

/// Locks a new staging folder and writes down which ledger it belongs to.
fn lock_folder(path: &Path, ledger: &Path) -> io::Result<(StagingFolder, File)> {
    let fresh = path.join(NEW_LOCK_FILE);
    let mut file = File::create(&fresh)?;
    match file.try_lock() {
        // The cleanup of another process was faster.
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::NotFound.into()),
        // On a file system without locks, no process counts as ended.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    file.write_all(&OwningLedger::new(ledger).bytes())?;
    std::fs::rename(&fresh, path.join(LOCK_FILE))?;
    let parent = Dir::open_ambient_dir(disk::parent(path), ambient_authority())?;
    let folder = StagingFolder::open(&parent, path.file_name().unwrap_or_default())?;
    Ok((folder, file))
}

/// Ledger that a staging folder belongs to: its path, and the identity of its folder, which a move does not change.
#[derive(Debug, PartialEq, Eq)]
struct OwningLedger {
    ledger: PathBuf,
    place: Option<FolderId>,
}

impl OwningLedger {
    fn new(ledger: &Path) -> OwningLedger {
        OwningLedger { ledger: disk::resolve(ledger), place: FolderId::of_existing(ledger) }
    }

    /// Returns the path and the identity, separated by a zero byte, which no path contains.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.ledger.as_os_str().as_encoded_bytes().to_vec();
        bytes.push(0);
        bytes.extend(self.place.iter().flat_map(|place| place.as_str().as_bytes()));
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<OwningLedger> {
        let mut parts = bytes.splitn(2, |byte| *byte == 0);
        let ledger = decode_path(parts.next()?)?;
        let place = parts.next().and_then(|place| std::str::from_utf8(place).ok());
        let place = place.filter(|place| !place.is_empty()).map(FolderId::from_text);
        Some(OwningLedger { ledger, place })
    }

    /// Returns true if this is the ledger in a folder. A move keeps the identity; renumbered devices keep the path.
    fn matches(&self, ledger: &Path) -> bool {
        let place = FolderId::of_existing(ledger);
        place.is_some() && place == self.place || disk::resolve(ledger) == self.ledger
    }

    /// Returns true if the ledger may still rename the release in the staging folder, or if that is unknown.
    fn may_need_folder(&self) -> bool {
        match (&self.place, FolderId::of_existing(&self.ledger)) {
            // The ledger did not exist and still does not.
            (None, None) => self.ledger.try_exists().unwrap_or(true),
            // The ledger was moved, is not mounted, or was replaced by another one.
            (Some(_), None) => true,
            (Some(then), Some(now)) if *then != now => true,
            _ => Ledger::needs_recovery(&self.ledger),
        }
    }
}

/// Decodes a path that [`OwningLedger`] encoded; returns none if the bytes are not a path of this system.
fn decode_path(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A folder with the form of a staging folder, and a handle on its parent.
#[derive(Debug)]
pub(crate) struct StagingFolder {
    parent: Dir,
    name: String,
    inside: Dir,
}

impl StagingFolder {
    /// Opens a folder by its name. Returns an error unless it has the form of a staging folder.
    fn open(parent: &Dir, name: &OsStr) -> io::Result<StagingFolder> {
        let refused = |kind, why: &str| io::Error::new(kind, why.to_owned());
        let name = name.to_str().filter(|name| is_staging_name(name));
        let no_name = || refused(ErrorKind::InvalidInput, "the name is not the name of a staging folder");
        let name = name.ok_or_else(no_name)?.to_owned();
        if parent.symlink_metadata(&name)?.is_symlink() {
            return Err(refused(ErrorKind::InvalidInput, "the folder is a symbolic link"));
        }
        let inside = parent.open_dir_nofollow(&name)?;
        for entry in inside.entries()? {
            let entry = entry?.file_name();
            if ![LOCK_FILE, NEW_LOCK_FILE, RELEASE].iter().any(|known| entry == *known) {
                return Err(refused(ErrorKind::Other, "the folder contains other files"));
            }
        }
        Ok(StagingFolder { parent: parent.try_clone()?, name, inside })
    }

    /// Opens the staging folder of a naming. Returns an error unless it belongs to this ledger.
    pub(crate) fn of_naming(naming: &Naming, ledger: &Path) -> io::Result<StagingFolder> {
        let refused = || io::Error::new(ErrorKind::InvalidInput, "the file is not in a staging folder of this ledger");
        let (output_folder, staging) = staging_of(naming).ok_or_else(refused)?;
        let parent = Dir::open_ambient_dir(output_folder, ambient_authority())?;
        let folder = StagingFolder::open(&parent, &staging)?;
        let owner = folder.owning_ledger()?;
        if owner.is_some_and(|owner| owner.matches(ledger)) { Ok(folder) } else { Err(refused()) }
    }

    /// Returns the ledger that `held` names; none if the content is not valid.
    fn owning_ledger(&self) -> io::Result<Option<OwningLedger>> {
        let mut bytes = Vec::new();
        open_file(&self.inside, LOCK_FILE)?.take(MAX_LOCK_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok(OwningLedger::parse(&bytes))
    }

    /// Returns true if a process uses the folder.
    pub(crate) fn is_locked(&self) -> bool {
        let lock_file = open_file(&self.inside, LOCK_FILE).or_else(|_| open_file(&self.inside, NEW_LOCK_FILE));
        lock_file.is_ok_and(|file| file.try_lock().is_err())
    }

    /// Returns the hash of the release in the folder, if there is one.
    pub(crate) fn release_hash(&self) -> io::Result<Option<Hash>> {
        Hash::digest_entry(&self.inside, OsStr::new(RELEASE))
    }

    /// Gives the release its final name in the parent folder. Never replaces an existing file.
    pub(crate) fn link(&self, to: &OsStr) -> io::Result<()> {
        match self.inside.hard_link(RELEASE, &self.parent, to) {
            // Folders and some file systems do not support hard links. The fallback is a check followed by a rename.
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied) => {
                match self.parent.symlink_metadata(to) {
                    Ok(_) => Err(ErrorKind::AlreadyExists.into()),
                    Err(_) => self.inside.rename(RELEASE, &self.parent, to),
                }
            }
            result => result,
        }
    }

    /// Syncs the parent folder.
    pub(crate) fn sync_parent(&self) -> io::Result<()> {
        // The handle cannot be synced, so the folder is opened again.
        disk::ignore_unsupported(open_file(&self.parent, ".").and_then(|folder| folder.sync_all()))
    }

    /// Removes the release from the staging folder, after it has its final name.
    pub(crate) fn unlink(&self) -> io::Result<()> {
        self.inside.remove_file(RELEASE)
    }

    /// Removes the folder. `held` is removed last, so that an interrupted removal is completed by a later cleanup.
    pub(crate) fn remove(self) -> io::Result<()> {
        match self.inside.symlink_metadata(RELEASE) {
            Ok(metadata) if metadata.is_dir() => self.inside.remove_dir_all(RELEASE)?,
            Ok(_) => self.inside.remove_file_or_symlink(RELEASE)?,
            Err(_) => {}
        }
        for name in [NEW_LOCK_FILE, LOCK_FILE] {
            match self.inside.remove_file_or_symlink(name) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.parent.remove_dir(&self.name)
    }
}

/// Returns the output folder and the name of the staging folder in it; none unless the naming has the expected form.
fn staging_of(naming: &Naming) -> Option<(&Path, std::ffi::OsString)> {
    let plain = |path: &Path| !path.components().any(|part| matches!(part, Component::ParentDir | Component::CurDir));
    let (staging, output_folder) = (naming.from.parent()?, naming.to.parent()?);
    let fits = naming.from.is_absolute()
        && plain(&naming.from)
        && plain(&naming.to)
        && naming.from.file_name() == Some(OsStr::new(RELEASE))
        && naming.to.file_name().is_some()
        && staging.parent() == Some(output_folder);
    fits.then_some((output_folder, staging.file_name()?.to_owned()))
}

fn is_staging_name(name: &str) -> bool {
    let letters = name.strip_prefix(PREFIX);
    letters.is_some_and(|letters| {
        letters.len() == RANDOM_LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns true if the folder belongs to the user of this process.
fn is_own(folder: &Dir) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        Ok(folder.dir_metadata()?.uid() == rustix::process::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    folder.dir_metadata().map(|_| true)
}

/// Opens a file in a folder, unless it is a symbolic link.
pub(crate) fn open_file(folder: &Dir, name: impl AsRef<Path>) -> io::Result<File> {
    let file = folder.open_with(name, OpenOptions::new().read(true).follow(FollowSymlinks::No))?;
    Ok(file.into_std())
}

/// Removes abandoned staging folders, except those that a ledger may still need.
fn sweep(parent: &Path, ledger: &Path) {
    let Ok(parent) = Dir::open_ambient_dir(parent, ambient_authority()) else { return };
    let Ok(entries) = parent.entries() else { return };
    for entry in entries.flatten() {
        // Only folders with the form of a staging folder are touched.
        let Ok(folder) = StagingFolder::open(&parent, &entry.file_name()) else { continue };
        if !is_own(&folder.inside).unwrap_or(false) {
            continue;
        }
        let lock_file = open_file(&folder.inside, LOCK_FILE).or_else(|_| open_file(&folder.inside, NEW_LOCK_FILE));
        let is_there = |name: &str| folder.inside.symlink_metadata(name).is_ok();
        // A folder that cannot be removed is harmless.
        let _ = match lock_file {
            Ok(lock_file) if lock_file.try_lock().is_ok() && !may_be_needed(&folder, ledger) => folder.remove(),
            // `held` exists before the release, so a power cut interrupted a removal. The order of the two checks
            // matters.
            Err(_) if is_there(RELEASE) && !is_there(LOCK_FILE) => folder.remove(),
            // A process was killed, or is about to lock the folder, so only an empty folder is removed.
            Err(_) => parent.remove_dir(&folder.name),
            Ok(_) => Ok(()),
        };
    }
}

/// Returns true if the ledger of a staging folder may still rename the release in it, or if that is unknown.
fn may_be_needed(folder: &StagingFolder, ledger: &Path) -> bool {
    match folder.owning_ledger() {
        Ok(Some(owner)) if owner.matches(ledger) => Ledger::needs_recovery(ledger),
        Ok(owner) => owner.is_none_or(|owner| owner.may_need_folder()),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}
