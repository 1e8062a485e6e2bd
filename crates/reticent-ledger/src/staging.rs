//! Staging folders: where a release is written and verified before it gets its name.
//!
//! A staging folder lies beside the output and only its owner can enter it:
//!
//! ```text
//! .reticent-work-XXXXXX/
//!   held       locked while a process works here; says which ledger the folder belongs to
//!   release    the file, or the folder of tables
//! ```
//!
//! A process that was killed leaves its folder behind. Cleanup and recovery act on such a folder only if they can prove
//! that it is one: its name has the form above, it is a real folder and no symbolic link, and it holds nothing else. A sweep
//! needs besides that it belongs to this user and that no ledger may still need it; recovery, that `held` names the ledger
//! and that the bytes are those of the entry. They reach it through a handle on the folder of the output, never
//! through a path that somebody could exchange meanwhile.

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
use crate::seal::{Naming, Place};

/// How the names of staging folders begin; six letters or digits follow.
const PREFIX: &str = ".reticent-work-";
const LETTERS: usize = 6;
/// Locked as long as a process works in the folder.
const HELD: &str = "held";
/// What that file is called until it is locked.
const NOT_YET: &str = "held.new";
/// The file, or the folder of tables, that is made.
const RELEASE: &str = "release";
/// More than the longest path of any system.
const LONGEST: u64 = 1 << 16;

/// A staging folder of this process, removed when it is dropped.
#[derive(Debug)]
pub struct Staging {
    folder: Option<Folder>,
    path: PathBuf,
    held: File,
    ledger: PathBuf,
}

impl Staging {
    /// Makes one beside the output, after removing those whose makers are gone.
    pub fn create(output: &Path, ledger: &Path) -> Result<Staging> {
        let parent = disk::parent(output);
        if !parent.is_dir() {
            let missing = io::Error::new(ErrorKind::NotFound, "the folder is not there; make it first");
            return Err(Error::io("write in", &parent, missing));
        }
        sweep(&parent, ledger);
        let mut tries = 0;
        loop {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).rand_bytes(LETTERS);
            // A release that is not verified yet is for nobody else to read.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            // The error does not show the random name that was tried.
            let failed = |error: io::Error| Error::io("write in", &parent, error.kind().into());
            let path = builder.tempdir_in(&parent).map_err(failed)?.keep();
            match hold(&path, ledger) {
                Ok((folder, held)) => {
                    return Ok(Staging { folder: Some(folder), path, held, ledger: ledger.to_owned() });
                }
                // Another process that sweeps took the empty folder for a leftover.
                Err(error) if error.kind() == ErrorKind::NotFound && tries < 100 => tries += 1,
                Err(error) => {
                    // The folder is empty or holds one file of ours; the error that led here is reported.
                    let _ = std::fs::remove_file(path.join(NOT_YET)).or_else(|_| std::fs::remove_file(path.join(HELD)));
                    let _ = std::fs::remove_dir(&path);
                    return Err(Error::io("write in", path, error));
                }
            }
        }
    }

    /// The file, or the folder of tables, that is made.
    pub fn release(&self) -> PathBuf {
        self.path.join(RELEASE)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the release takes its name.
    pub fn naming(&self, output: &Path) -> Result<Naming> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        let beside = disk::parent(&self.path);
        let beside = beside.canonicalize().map_err(|error| Error::io("find", &beside, error))?;
        // The first release is staged before there is a ledger, whose place is known only now.
        let mut held = &self.held;
        let belongs = Belongs::to(&self.ledger).bytes();
        let written = held.set_len(0).and_then(|()| held.rewind()).and_then(|()| held.write_all(&belongs));
        // After a power cut the release must be found, and whose it is: its name in the folder, and the folder's own.
        written.and_then(|()| held.sync_all()).map_err(|error| Error::io("write in", &self.path, error))?;
        disk::sync_folder(&self.path)?;
        disk::sync_folder(&disk::parent(&self.path))?;
        Ok(Naming { from: beside.join(name(&self.path)).join(RELEASE), to: beside.join(name(output)) })
    }

    /// Removes a staging folder by its path, unless it is not proved to be one of this user.
    ///
    /// # Errors
    ///
    /// If it is no staging folder of this user, or cannot be removed.
    pub fn remove_at(path: &Path) -> Result<()> {
        let failed = |error| Error::io("remove", path, error);
        let parent = Dir::open_ambient_dir(disk::parent(path), ambient_authority()).map_err(failed)?;
        let folder = Folder::open(&parent, path.file_name().unwrap_or_default()).map_err(failed)?;
        if !is_own(&folder.inside).map_err(failed)? {
            return Err(failed(ErrorKind::PermissionDenied.into()));
        }
        folder.remove().map_err(failed)
    }

    /// Leaves the folder where it is, for the command that completes the release.
    pub fn leave(&mut self) {
        self.folder = None;
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            // A folder that stays is swept by the next command that publishes here.
            let _ = folder.remove();
        }
    }
}

/// Marks a new folder as ours for as long as we work in it, and writes down which ledger it belongs to.
fn hold(path: &Path, ledger: &Path) -> io::Result<(Folder, File)> {
    let fresh = path.join(NOT_YET);
    let mut file = File::create(&fresh)?;
    match file.try_lock() {
        // Another process that sweeps was faster.
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::NotFound.into()),
        // Where the file system knows no locks, no process is taken for gone.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    file.write_all(&Belongs::to(ledger).bytes())?;
    std::fs::rename(&fresh, path.join(HELD))?;
    let parent = Dir::open_ambient_dir(disk::parent(path), ambient_authority())?;
    let folder = Folder::open(&parent, path.file_name().unwrap_or_default())?;
    Ok((folder, file))
}

/// Which ledger a staging folder belongs to: its path, and its place on the disk, which a move does not change.
#[derive(Debug, PartialEq, Eq)]
struct Belongs {
    ledger: PathBuf,
    place: Option<Place>,
}

impl Belongs {
    fn to(ledger: &Path) -> Belongs {
        Belongs { ledger: disk::real(ledger), place: Place::known(ledger) }
    }

    /// The path and the place with a zero byte between them, which no path contains.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.ledger.as_os_str().as_encoded_bytes().to_vec();
        bytes.push(0);
        bytes.extend(self.place.iter().flat_map(|place| place.text().as_bytes()));
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Belongs> {
        let mut parts = bytes.splitn(2, |byte| *byte == 0);
        let ledger = path_of(parts.next()?)?;
        let place = parts.next().and_then(|place| std::str::from_utf8(place).ok());
        let place = place.filter(|place| !place.is_empty()).map(Place::from_text);
        Some(Belongs { ledger, place })
    }

    /// Whether this is the ledger in a folder: a move keeps its place, and a file system that numbers its devices anew its path.
    fn is(&self, ledger: &Path) -> bool {
        let place = Place::known(ledger);
        place.is_some() && place == self.place || disk::real(ledger) == self.ledger
    }

    /// Whether that ledger may still give a name to the release in the folder. In doubt, yes.
    fn may_need_it(&self) -> bool {
        match (&self.place, Place::known(&self.ledger)) {
            // There was no ledger, and there is none.
            (None, None) => self.ledger.try_exists().unwrap_or(true),
            // It was moved, or is away, or another one is in its place.
            (Some(_), None) => true,
            (Some(then), Some(now)) if *then != now => true,
            _ => Ledger::awaits_names(&self.ledger),
        }
    }
}

/// A path as [`Belongs`] writes it; none if these bytes are no path of this system.
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into());
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A folder that is proved to be a staging folder of this user, with a handle on the folder that it lies in.
#[derive(Debug)]
pub(crate) struct Folder {
    parent: Dir,
    name: String,
    inside: Dir,
}

impl Folder {
    /// Opens a folder by its name. An error unless it has the form of a staging folder.
    fn open(parent: &Dir, name: &OsStr) -> io::Result<Folder> {
        let refused = |kind, why: &str| io::Error::new(kind, why.to_owned());
        let name = name.to_str().filter(|name| is_staging_name(name));
        let no_name = || refused(ErrorKind::InvalidInput, "the name is not that of a staging folder");
        let name = name.ok_or_else(no_name)?.to_owned();
        if parent.symlink_metadata(&name)?.is_symlink() {
            return Err(refused(ErrorKind::InvalidInput, "the folder is a symbolic link"));
        }
        let inside = parent.open_dir_nofollow(&name)?;
        for entry in inside.entries()? {
            let entry = entry?.file_name();
            if ![HELD, NOT_YET, RELEASE].iter().any(|known| entry == *known) {
                return Err(refused(ErrorKind::Other, "the folder holds something else"));
            }
        }
        Ok(Folder { parent: parent.try_clone()?, name, inside })
    }

    /// The folder of a naming; an error unless it is proved to be a staging folder of this ledger.
    pub(crate) fn of_naming(naming: &Naming, ledger: &Path) -> io::Result<Folder> {
        let refused = || io::Error::new(ErrorKind::InvalidInput, "the file is not in a staging folder of this ledger");
        let (beside, staging) = staging_of(naming).ok_or_else(refused)?;
        let parent = Dir::open_ambient_dir(beside, ambient_authority())?;
        let folder = Folder::open(&parent, &staging)?;
        let belongs = folder.belongs()?;
        if belongs.is_some_and(|belongs| belongs.is(ledger)) { Ok(folder) } else { Err(refused()) }
    }

    /// Which ledger it belongs to, as `held` says; none if that is not readable as such.
    fn belongs(&self) -> io::Result<Option<Belongs>> {
        let mut bytes = Vec::new();
        open_file(&self.inside, HELD)?.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Belongs::parse(&bytes))
    }

    /// Whether a process works in it.
    pub(crate) fn is_held(&self) -> bool {
        let held = open_file(&self.inside, HELD).or_else(|_| open_file(&self.inside, NOT_YET));
        held.is_ok_and(|file| file.try_lock().is_err())
    }

    /// The release in it; none if there is none.
    pub(crate) fn look(&self) -> io::Result<Option<Hash>> {
        Hash::of_entry(&self.inside, OsStr::new(RELEASE))
    }

    /// Gives the release a name beside the folder. A name that is taken is left alone.
    pub(crate) fn link(&self, to: &OsStr) -> io::Result<()> {
        match self.inside.hard_link(RELEASE, &self.parent, to) {
            // Folders have no links, nor do some file systems; a rename after a look is the next best thing.
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::PermissionDenied) => {
                match self.parent.symlink_metadata(to) {
                    Ok(_) => Err(ErrorKind::AlreadyExists.into()),
                    Err(_) => self.inside.rename(RELEASE, &self.parent, to),
                }
            }
            answer => answer,
        }
    }

    /// Makes sure that the names beside the folder are on the disk.
    pub(crate) fn sync_beside(&self) -> io::Result<()> {
        // The handle itself is for names only: it is opened again to be synced.
        disk::synced(open_file(&self.parent, ".").and_then(|folder| folder.sync_all()))
    }

    /// Removes the release, whose name lies beside the folder now.
    pub(crate) fn unlink(&self) -> io::Result<()> {
        self.inside.remove_file(RELEASE)
    }

    /// Removes the folder. `held` goes last, so that a process that is stopped here leaves nothing that nobody removes.
    pub(crate) fn remove(self) -> io::Result<()> {
        match self.inside.symlink_metadata(RELEASE) {
            Ok(about) if about.is_dir() => self.inside.remove_dir_all(RELEASE)?,
            Ok(_) => self.inside.remove_file_or_symlink(RELEASE)?,
            Err(_) => {}
        }
        for name in [NOT_YET, HELD] {
            match self.inside.remove_file_or_symlink(name) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.parent.remove_dir(&self.name)
    }
}

/// The folder of the output and the name of the staging folder beside it; none unless a naming has the form of ours.
fn staging_of(naming: &Naming) -> Option<(&Path, std::ffi::OsString)> {
    let plain = |path: &Path| !path.components().any(|part| matches!(part, Component::ParentDir | Component::CurDir));
    let (staging, beside) = (naming.from.parent()?, naming.to.parent()?);
    let fits = naming.from.is_absolute()
        && plain(&naming.from)
        && plain(&naming.to)
        && naming.from.file_name() == Some(OsStr::new(RELEASE))
        && naming.to.file_name().is_some()
        && staging.parent() == Some(beside);
    fits.then_some((beside, staging.file_name()?.to_owned()))
}

fn is_staging_name(name: &str) -> bool {
    let letters = name.strip_prefix(PREFIX);
    letters.is_some_and(|letters| letters.len() == LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether a folder belongs to the user who runs this process.
fn is_own(folder: &Dir) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        Ok(folder.dir_metadata()?.uid() == rustix::process::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    folder.dir_metadata().map(|_| true)
}

/// Opens a file by its name in a folder, unless it is a symbolic link.
pub(crate) fn open_file(folder: &Dir, name: impl AsRef<Path>) -> io::Result<File> {
    let file = folder.open_with(name, OpenOptions::new().read(true).follow(FollowSymlinks::No))?;
    Ok(file.into_std())
}

/// Removes staging folders whose makers are gone. One that a ledger may still need is left to that ledger.
fn sweep(parent: &Path, ledger: &Path) {
    let Ok(parent) = Dir::open_ambient_dir(parent, ambient_authority()) else { return };
    let Ok(entries) = parent.entries() else { return };
    for entry in entries.flatten() {
        // What is not proved to be ours is left alone.
        let Ok(folder) = Folder::open(&parent, &entry.file_name()) else { continue };
        if !is_own(&folder.inside).unwrap_or(false) {
            continue;
        }
        let held = open_file(&folder.inside, HELD).or_else(|_| open_file(&folder.inside, NOT_YET));
        let is_there = |name: &str| folder.inside.symlink_metadata(name).is_ok();
        // A folder that will not go does no harm.
        let _ = match held {
            Ok(held) if held.try_lock().is_ok() && !is_awaited(&folder, ledger) => folder.remove(),
            // `held` was there before the release, so the power went while the folder was removed. The order of looks matters.
            Err(_) if is_there(RELEASE) && !is_there(HELD) => folder.remove(),
            // A process was killed, or is about to hold the folder at this moment: only an empty folder goes.
            Err(_) => parent.remove_dir(&folder.name),
            Ok(_) => Ok(()),
        };
    }
}

/// Whether the ledger that a folder belongs to, this one or another, may still give a name to the release in it. In doubt, yes.
fn is_awaited(folder: &Folder, ledger: &Path) -> bool {
    match folder.belongs() {
        Ok(Some(belongs)) if belongs.is(ledger) => Ledger::awaits_names(ledger),
        Ok(belongs) => belongs.is_none_or(|belongs| belongs.may_need_it()),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}
