//! The last step of a release: its file takes its name, after its entry is in the ledger and never before.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::disk;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::hash::Hash;
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
    let is_named = |name: &Path| is_file_with(&beside, name_of(name), file.sha256);
    let named = is_named(&naming.to) || is_named(&numbered(&naming.to, entry.number));
    if !named {
        // If the staging folder is not there either, what is mounted here may be something else.
        let folder = Folder::of_naming(&naming, &ledger.folder)?;
        if folder.look()? != Some(file.sha256) {
            return Err(io::Error::other("the file is not the one that was recorded"));
        }
        finish(&naming, entry.number, ledger).map_err(|error| match error {
            Error::Unnamed { source, .. } => source,
            error => io::Error::other(error),
        })?;
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

/// Whether a name in a folder leads to a file, or a folder of files, with these bytes. A name that leads to something else is
/// taken, and not by this release.
fn is_file_with(folder: &Path, name: &OsStr, hash: Hash) -> bool {
    let folder = Dir::open_ambient_dir(folder, ambient_authority());
    folder.is_ok_and(|folder| Hash::of_entry(&folder, name).is_ok_and(|found| found == Some(hash)))
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
