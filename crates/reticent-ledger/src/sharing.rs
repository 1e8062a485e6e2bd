//! Sharing a ledger with a group of the operating system: several stewards can write to it.
//!
//! A shared ledger is recognized by its folder: it has the set-group-id bit, and its group can read, write and enter it. New
//! files in such a folder get its group and the mode 0660, new folders 2770, whatever the umask of the process is. Folders
//! without these bits stay private to their owner.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::error::{Error, Result};

/// Mode of a file in a shared folder.
#[cfg(unix)]
const FILE: u32 = 0o660;
/// Mode of a shared folder.
#[cfg(unix)]
const FOLDER: u32 = 0o2770;

/// Returns the id of the group that a folder is shared with; none if it is private.
#[cfg(unix)]
pub(crate) fn group_of(folder: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(folder).ok()?;
    let needed = FOLDER & !0o700;
    (found.is_dir() && found.mode() & needed == needed).then(|| found.gid())
}

/// Gives a new file the group and the mode of a shared folder. Does nothing in a private folder.
pub(crate) fn inherit_file(file: &File, folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = group_of(folder) {
        set(file, group, FILE)?;
    }
    #[cfg(not(unix))]
    let _ = (file, folder);
    Ok(())
}

/// Gives a new folder the group and the mode of the shared folder that contains it. Does nothing in a private folder.
pub(crate) fn inherit_folder(path: &Path, parent: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(group) = group_of(parent) {
        set(&File::open(path)?, group, FOLDER)?;
    }
    #[cfg(not(unix))]
    let _ = (path, parent);
    Ok(())
}

/// Sets the group and the mode, if they differ. Only the owner of a file can set them.
#[cfg(unix)]
fn set(file: &File, group: u32, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let found = file.metadata()?;
    if found.gid() != group {
        std::os::unix::fs::fchown(file, None, Some(group))?;
    }
    // A change of the group clears the set-group-id bit.
    if found.gid() != group || found.mode() & 0o7777 != mode {
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// Shares a ledger and everything in it with a group, unless it is shared already.
///
/// # Errors
///
/// Returns an error if there is no such group, if the user is not a member of it, or if a file belongs to another user.
#[cfg(unix)]
pub(crate) fn share(folder: &Path, group: &str) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let failed = |why: String| Error::NotShared { folder: folder.to_owned(), group: group.to_owned(), why };
    let id = crate::key_file::group_id(group).ok_or_else(|| failed("there is no such group".to_owned()))?;
    if group_of(folder) == Some(id) {
        return Ok(());
    }
    // The folder comes last. If it is shared, everything in it is.
    for path in crate::disk::all_in(folder).iter().rev() {
        let failed_at = |error: io::Error| failed(format!("{}: {error}", path.display()));
        let found = path.symlink_metadata().map_err(failed_at)?;
        if found.is_symlink() {
            continue;
        }
        let mode = if found.is_dir() { FOLDER } else { FILE };
        if found.gid() == id && found.mode() & mode == mode {
            continue;
        }
        // By path: closing a handle on the catalogue would release the locks that SQLite has on it in this process.
        std::os::unix::fs::lchown(path, None, Some(id)).map_err(failed_at)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(failed_at)?;
    }
    crate::disk::sync_folder(folder)
}

/// Fails on systems without groups.
#[cfg(not(unix))]
pub(crate) fn share(folder: &Path, group: &str) -> Result<()> {
    let why = "this system has no groups".to_owned();
    Err(Error::NotShared { folder: folder.to_owned(), group: group.to_owned(), why })
}
