//! Files that only their owner, and the group of a shared ledger, can read, and that are written atomically.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::sharing;

/// Restricts new files to their owner.
pub(crate) fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates a folder and its missing parents. Only the owner can enter them.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let fresh: Vec<&Path> = path.ancestors().take_while(|folder| !folder.is_dir()).collect();
    builder.create(path).map_err(|error| Error::io("create", path, error))?;
    fresh
        .into_iter()
        .filter(|folder| !folder.as_os_str().is_empty())
        .try_for_each(|folder| sync_folder(&parent(folder)))
}

/// Creates a folder in a folder of a ledger. If the ledger is shared with a group, so is the folder.
pub(crate) fn create_ledger_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    create_folder(path)?;
    sharing::inherit_folder(path, &parent(path)).map_err(|error| Error::io("share", path, error))
}

/// Returns the parent folder of a path.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Resolves `..` and symbolic links of the existing part of a path. The result is the same before and after the path
/// is created.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for known in absolute.ancestors() {
        if let (Ok(found), Ok(rest)) = (known.canonicalize(), absolute.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    absolute
}

/// Syncs a folder, so that its directory entries survive a power cut.
pub fn sync_folder(path: &Path) -> Result<()> {
    let done = File::open(path).and_then(|folder| folder.sync_all());
    ignore_unsupported(done).map_err(|error| Error::io("sync", path, error))
}

/// Ignores the errors of systems on which a folder cannot be opened or synced.
pub(crate) fn ignore_unsupported(done: std::io::Result<()>) -> std::io::Result<()> {
    use ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match done {
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
        answer => answer,
    }
}

/// Opens a new file of a ledger. If the ledger is shared with a group, so is the file.
pub(crate) fn create_new(path: &Path) -> std::io::Result<File> {
    let file = owner_only(OpenOptions::new().write(true).create_new(true)).open(path)?;
    sharing::inherit_file(&file, &parent(path))?;
    Ok(file)
}

/// Creates and syncs a file that only its owner can access, such as a key. It must not exist yet.
pub(crate) fn create_private_file(path: &Path, bytes: &[u8]) -> Result<()> {
    create_with(path, bytes, |_| Ok(()))
}

/// Creates and syncs a file of a ledger, which must not exist yet.
pub(crate) fn create_file(path: &Path, bytes: &[u8]) -> Result<()> {
    create_with(path, bytes, |file| sharing::inherit_file(file, &parent(path)))
}

fn create_with(path: &Path, bytes: &[u8], share: impl FnOnce(&File) -> std::io::Result<()>) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let mut file = owner_only(OpenOptions::new().write(true).create_new(true)).open(path).map_err(failed)?;
    let written = share(&file).and_then(|()| file.write_all(bytes)).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // A partial file is useless. The original error is reported.
        let _ = fs::remove_file(path);
        failed(error)
    })
}

/// Replaces a file atomically: the old file stays until the new one is complete.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let fresh = path.with_file_name(name);
    remove_file(&fresh)?;
    create_file(&fresh, bytes)?;
    fs::rename(&fresh, path).map_err(|error| Error::io("write", path, error))?;
    sync_folder(&parent(path))
}

/// Removes a file, if it exists.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// Reads a file, if it exists.
pub(crate) fn read_file(path: &Path) -> Result<Option<Vec<u8>>> {
    // Opening a pipe would block until a process writes to it.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Error::io("read", path, std::io::Error::other("not a regular file")));
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, error)),
    }
}

/// Returns a folder and everything in it, as far as it can be read.
pub(crate) fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if path.is_dir() && !path.is_symlink() {
            let inside = fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path());
            let before = found.len();
            found.extend(inside);
            found[before..].sort();
        }
    }
    found
}

/// Returns true if others than the owner and the declared group can read or write a file.
pub(crate) fn is_accessible_to_others(path: &Path, group: Option<&str>) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(found) = fs::metadata(path) else { return false };
        let is_declared = || group.and_then(crate::key_file::group_id) == Some(found.gid());
        found.mode() & 0o007 != 0 || found.mode() & 0o070 != 0 && !is_declared()
    }
    #[cfg(not(unix))]
    {
        let _ = (path, group);
        false
    }
}
