//! The last step of a release: its file gets its final name, only after its entry is in the ledger.

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
use crate::staging::StagingFolder;

/// Renames a staged file to its final name and returns that name. If the name is taken meanwhile, adds the number of
/// the release to it.
pub(crate) fn rename_file(naming: &Naming, number: u64, ledger: &Ledger) -> Result<PathBuf> {
    let failed = |source| Error::Unnamed { number, from: naming.from.clone(), to: naming.to.clone(), source };
    let folder = StagingFolder::of_naming(naming, &ledger.folder).map_err(failed)?;
    for name in [naming.to.clone(), with_number(&naming.to, number)] {
        match folder.link(file_name(&name)) {
            Ok(()) => {
                // If the sync fails, the staged file, which is on the disk, is kept. If the removal fails, the next
                // command that seals the ledger compares both files.
                if folder.sync_parent().is_ok() {
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

/// Renames a file after a crash, when it may already have its final name or be gone.
///
/// The entry determines the name, and the file must be in a staging folder of this ledger next to it. Returns an
/// error if this cannot be verified now, because the file may be available later.
pub(crate) fn rename_after_crash(naming: &Naming, entry: &Entry, ledger: &Ledger) -> io::Result<()> {
    let Some(file) = entry.release().and_then(|release| release.file.as_ref()) else { return Ok(()) };
    let recorded = ledger.resolve_path(&file.path);
    // If the output folder is missing, for example not mounted, the file may reappear with it.
    let parent = disk::parent(&recorded).canonicalize()?;
    let naming = Naming { from: naming.from.clone(), to: parent.join(file_name(&recorded)) };
    let is_named = |name: &Path| has_hash(&parent, file_name(name), file.sha256);
    let named = is_named(&naming.to) || is_named(&with_number(&naming.to, entry.number));
    if !named {
        // If the staging folder is also missing, another file system may be mounted here.
        let folder = StagingFolder::of_naming(&naming, &ledger.folder)?;
        if folder.release_hash()? != Some(file.sha256) {
            return Err(io::Error::other("the file differs from the recorded one"));
        }
        rename_file(&naming, entry.number, ledger).map_err(|error| match error {
            Error::Unnamed { source, .. } => source,
            error => io::Error::other(error),
        })?;
    }
    // The process that renamed the file may have been killed before the sync.
    disk::sync_folder(&parent).map_err(io::Error::other)?;
    discard(&naming, ledger);
    Ok(())
}

/// Removes the staging folder of an unfinished file, unless a process uses it.
pub(crate) fn discard(naming: &Naming, ledger: &Ledger) {
    let folder = StagingFolder::of_naming(naming, &ledger.folder);
    if let Ok(folder) = folder
        && !folder.is_locked()
    {
        // A folder that cannot be removed is harmless, because its name is not the name of a release.
        let _ = folder.remove();
    }
}

/// Returns true if the name in the folder is a file, or a folder of files, with this hash. Otherwise the name is
/// taken by something else.
fn has_hash(folder: &Path, name: &OsStr, hash: Hash) -> bool {
    let folder = Dir::open_ambient_dir(folder, ambient_authority());
    folder.is_ok_and(|folder| Hash::digest_entry(&folder, name).is_ok_and(|found| found == Some(hash)))
}

fn file_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// Adds the number of a release to a file name: `spring.csv` becomes `spring-release-7.csv`.
pub(crate) fn with_number(path: &Path, number: u64) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    path.with_file_name(format!("{stem}-release-{number}{ending}"))
}
