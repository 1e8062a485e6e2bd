//! The last step of a release: its file takes its name, after its entry is in the ledger and never before.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::seal::Naming;

/// How the folders of unfinished files begin.
const WORKSHOP: &str = ".reticent-";
/// The file in such a folder that is locked as long as somebody works there.
const HELD: &str = "held";

/// Gives a file its name, and tells which. A name that somebody took meanwhile is left to them: the release's number is put
/// into its own.
pub(crate) fn finish(naming: &Naming, number: u64) -> Result<PathBuf> {
    let failed = |source| Error::Unnamed { number, from: naming.from.clone(), to: naming.to.clone(), source };
    for name in [naming.to.clone(), numbered(&naming.to, number)] {
        match link(&naming.from, &name) {
            Ok(()) => {
                // A folder that cannot be synced has the name all the same; then the passing name, which is on the disk, stays too. The
                // passing name goes otherwise; where it cannot, whoever seals the ledger compares the two.
                if disk::sync_folder(&disk::parent(&name)).is_ok() {
                    let _ = fs::remove_file(&naming.from);
                }
                return Ok(name);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(ErrorKind::AlreadyExists.into()))
}

/// The same after a crash, when the file may have its name already or be gone. What cannot be looked at is an error: it may
/// still be there later.
pub(crate) fn finish_late(naming: &Naming, entry: &Entry) -> io::Result<()> {
    let Some(file) = entry.release().and_then(|release| release.file.as_ref()) else { return Ok(()) };
    let names = [naming.to.clone(), numbered(&naming.to, entry.number)];
    match look(&naming.from)? {
        Some(hash) if hash == file.sha256 => {
            let mut named = false;
            for name in &names {
                named |= look(name)? == Some(file.sha256);
            }
            if !named {
                finish(naming, entry.number).map_err(|error| match error {
                    Error::Unnamed { source, .. } => source,
                    error => io::Error::other(error),
                })?;
            }
        }
        // Something else is there now, which is not ours to touch.
        Some(_) => return Ok(()),
        None => {
            // Where even the folder of the output is away, the file may come back with it.
            fs::metadata(disk::parent(&naming.to))?;
        }
    }
    // Whoever gave it its name may have been killed before the disk had it.
    disk::sync_folder(&disk::parent(&naming.to)).map_err(io::Error::other)?;
    discard(naming);
    Ok(())
}

/// The hash of a file; none when there is none.
fn look(path: &Path) -> io::Result<Option<Hash>> {
    match Hash::of_file(path) {
        Ok((hash, _)) => Ok(Some(hash)),
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(Error::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Removes the folder of an unfinished file, unless somebody works in it.
pub(crate) fn discard(naming: &Naming) {
    let Some(folder) = naming.from.parent() else { return };
    let ours = folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(WORKSHOP));
    let held = fs::File::open(folder.join(HELD)).is_ok_and(|file| file.try_lock().is_err());
    if ours && !held {
        // What says whose it is goes last. What will not go does no harm: it has no name that anybody would take for a release.
        let _ = fs::remove_file(&naming.from).or_else(|_| fs::remove_dir_all(&naming.from));
        let _ = fs::remove_dir_all(folder);
    }
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == ErrorKind::Unsupported || error.kind() == ErrorKind::PermissionDenied => {
            // Some file systems know no links; a rename after a look is the next best thing.
            if to.symlink_metadata().is_ok() { Err(ErrorKind::AlreadyExists.into()) } else { fs::rename(from, to) }
        }
        answer => answer,
    }
}

/// `spring.csv` becomes `spring-release-7.csv`.
pub(crate) fn numbered(path: &Path, number: u64) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    path.with_file_name(format!("{stem}-release-{number}{ending}"))
}
