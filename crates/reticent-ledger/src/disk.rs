//! Files that only their owner can read, and that are whole or not there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Lets only the owner read and write what is created.
pub(crate) fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Creates a folder that only its owner can enter, and those above it that are missing.
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

/// The folder a path is in.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A path without `..` and symbolic links, as far as its folders are there; the same before and after it is created.
pub(crate) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for known in absolute.ancestors() {
        if let (Ok(found), Ok(rest)) = (known.canonicalize(), absolute.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    absolute
}

/// Makes sure that the names in a folder are on the disk.
pub fn sync_folder(path: &Path) -> Result<()> {
    let done = File::open(path).and_then(|folder| folder.sync_all());
    synced(done).map_err(|error| Error::io("sync", path, error))
}

/// Not every system lets a folder be opened or synced.
pub(crate) fn synced(done: std::io::Result<()>) -> std::io::Result<()> {
    use ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match done {
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
        answer => answer,
    }
}

/// Writes a file that must not exist, and makes sure that its bytes are on the disk.
pub(crate) fn create_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let mut file = owner_only(OpenOptions::new().write(true).create_new(true)).open(path).map_err(failed)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // The half of a file is of no use; the error that led here is reported.
        let _ = fs::remove_file(path);
        failed(error)
    })
}

/// Writes a file whole or not at all: an old one of that name stays until the new one is complete.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let fresh = path.with_file_name(name);
    remove_file(&fresh)?;
    create_file(&fresh, bytes)?;
    fs::rename(&fresh, path).map_err(|error| Error::io("write", path, error))?;
    sync_folder(&parent(path))
}

/// Removes a file, if it is there.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// Reads a file, if it is there.
pub(crate) fn read_file(path: &Path) -> Result<Option<Vec<u8>>> {
    // Opening a pipe would wait for its writer.
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(Error::io("read", path, std::io::Error::other("it is no file")));
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, error)),
    }
}

/// A folder and all that is in it, as far as it can be read.
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

/// Whether others than the owner can read or write a file.
pub(crate) fn open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
