//! The environment of a ledger: the user of the operating system, permissions, and free disk space.

use std::io;
use std::path::Path;

use crate::disk;

/// Returns the name of the user who runs this process, as the operating system reports it. Environment variables such as
/// `USER` are ignored, because every process can set them.
pub fn system_user() -> String {
    #[cfg(unix)]
    {
        let id = nix::unistd::getuid();
        let named = nix::unistd::User::from_uid(id).ok().flatten();
        named.map_or_else(|| format!("uid {id}"), |user| user.name)
    }
    // Without user ids, the name of the session is the best there is.
    #[cfg(not(unix))]
    std::env::var("USERNAME").unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the number of bytes that this user can still write in a folder.
///
/// # Errors
///
/// Returns an error if the folder does not exist, or if the system does not report free space.
pub fn free_space(folder: &Path) -> io::Result<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns true if this user can create files in a folder. Changes nothing.
pub fn is_writable(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::Access;
        rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    std::fs::metadata(folder).is_ok_and(|metadata| !metadata.permissions().readonly())
}

/// Returns true if users other than the owner, root and the members of trusted groups can change a file or folder. The
/// declared group and the user's private group are trusted.
pub fn others_can_write(path: &Path, group: Option<&str>) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(found) = std::fs::metadata(path) else { return false };
        let trusted = crate::key_file::is_trusted_group(found.gid(), group);
        // In a folder with the sticky bit, such as /tmp, only the owner of a file can replace it.
        let sticky = found.is_dir() && found.mode() & 0o1000 != 0;
        !sticky && (found.mode() & 0o002 != 0 || found.mode() & 0o020 != 0 && !trusted)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, group);
        false
    }
}

/// Checks that only the owner and the declared group can access a ledger.
///
/// # Errors
///
/// Returns a description of the first file or folder that others can access.
pub fn ledger_access(folder: &Path, group: Option<&str>) -> Result<(), String> {
    let open = disk::all_in(folder).into_iter().find(|path| disk::is_accessible_to_others(path, group));
    open.map_or(Ok(()), |path| Err(format!("{} is accessible to others than its owner", path.display())))
}
