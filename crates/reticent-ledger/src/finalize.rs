//! The last step of a release: its file takes its name, after its entry is in the ledger and never before.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::seal::Naming;
use crate::staging::Folder;

/// Gives a file its name, and answers which. A name that is taken meanwhile is left alone: the release's number is put
/// into its own.
pub(crate) fn finish(naming: &Naming, number: u64, ledger: &Ledger) -> Result<PathBuf> {
    let failed = |source| Error::Unnamed { number, from: naming.from.clone(), to: naming.to.clone(), source };
    let folder = Folder::of_naming(naming, &ledger.folder).map_err(failed)?;
    for name in [naming.to.clone(), numbered(&naming.to, number)] {
        match folder.link(name_of(&name)) {
            Ok(()) => {
                // If the folder cannot be synced, the staged file, which is on the disk, stays too. Otherwise it goes; if it
                // cannot, the next command that seals the ledger compares the two.
                if folder.sync_beside().is_ok() {
                    let _ = folder.unlink();
                }
                return Ok(name);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(ErrorKind::AlreadyExists.into()))
}

/// The same after a crash, when the file may have its name already or be gone. The name is the one that the entry records, and
/// the file must be in a staging folder of this ledger beside it. An error if that cannot be proved or looked at now: the file
/// may still be there later.
pub(crate) fn finish_late(naming: &Naming, entry: &Entry, ledger: &Ledger) -> io::Result<()> {
    let Some(file) = entry.release().and_then(|release| release.file.as_ref()) else { return Ok(()) };
    let recorded = ledger.outside(&file.path);
    // If even the folder of the output is away, the file may come back with it.
    let beside = disk::parent(&recorded).canonicalize()?;
    let naming = Naming { from: naming.from.clone(), to: beside.join(name_of(&recorded)) };
    match Folder::of_naming(&naming, &ledger.folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        folder => {
            let folder = folder?;
            let is_there = folder.look()? == Some(file.sha256);
            let mut named = false;
            for name in [naming.to.clone(), numbered(&naming.to, entry.number)] {
                // A name that leads to something else than a file is taken, and not by this release.
                named |= folder.look_beside(name_of(&name)).ok().flatten() == Some(file.sha256);
            }
            if is_there && !named {
                finish(&naming, entry.number, ledger).map_err(|error| match error {
                    Error::Unnamed { source, .. } => source,
                    error => io::Error::other(error),
                })?;
            } else if !named && folder.look()?.is_some() {
                return Err(io::Error::other("the file is not the one that was recorded"));
            }
        }
    }
    // The process that gave the file its name may have been killed before the disk had it.
    disk::sync_folder(&beside).map_err(io::Error::other)?;
    discard(&naming, ledger);
    Ok(())
}

/// Removes the staging folder of an unfinished file, unless a process works in it.
pub(crate) fn discard(naming: &Naming, ledger: &Ledger) {
    let folder = Folder::of_naming(naming, &ledger.folder);
    if let Ok(folder) = folder
        && !folder.is_held()
    {
        // A folder that will not go does no harm: it has no name that anybody would take for a release.
        let _ = folder.remove();
    }
}

fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// `spring.csv` becomes `spring-release-7.csv`.
pub(crate) fn numbered(path: &Path, number: u64) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    path.with_file_name(format!("{stem}-release-{number}{ending}"))
}
