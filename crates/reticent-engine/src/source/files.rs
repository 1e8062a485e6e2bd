//! Input files: expansion of names, folders and patterns, and detection of Parquet.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::FileState;
use crate::error::{Error, FileOperation, Result};

/// Extensions of files that are read from a folder.
const EXTENSIONS: [&str; 8] = ["csv", "tsv", "psv", "txt", "parquet", "xlsx", "xls", "ods"];
const COMPRESSED_EXTENSIONS: [&str; 3] = ["gz", "zst", "zstd"];

/// Returns all files, in the order of the patterns and then by name. A file that occurs twice is read once.
pub(crate) fn find(patterns: &[String]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for pattern in patterns {
        for path in matching(pattern)? {
            let files = if path.is_dir() { in_folder(&path)? } else { vec![path] };
            for file in files {
                if seen.insert(fs::canonicalize(&file).unwrap_or_else(|_| file.clone())) {
                    found.push(file);
                }
            }
        }
    }
    if found.is_empty() { Err(Error::NoFile { pattern: patterns.join(" ") }) } else { Ok(found) }
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    if path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let none = || Error::NoFile { pattern: pattern.to_owned() };
    let mut paths: Vec<PathBuf> = glob::glob(pattern).map_err(|_| none())?.flatten().collect();
    paths.sort();
    if paths.is_empty() { Err(none()) } else { Ok(paths) }
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| Error::io(FileOperation::Read, folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && is_known(&path) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn is_known(path: &Path) -> bool {
    let extension = |path: &Path| path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    let last = extension(path);
    let last = if COMPRESSED_EXTENSIONS.contains(&last.as_str()) { extension(&path.with_extension("")) } else { last };
    EXTENSIONS.contains(&last.as_str())
}

/// Returns the size of a file. A pipe is an error, because the data is read several times.
pub(super) fn state(path: &Path) -> Result<FileState> {
    let metadata = fs::metadata(path).map_err(|error| Error::io(FileOperation::Read, path, error))?;
    if !metadata.is_file() {
        let message = "not a regular file: the data is read several times, which is impossible for a pipe; write it to a file first";
        return Err(Error::malformed(path, None, message));
    }
    Ok(FileState { bytes: metadata.len(), changed: metadata.modified().ok() })
}

/// Returns true if a file starts and ends like a Parquet file.
pub(crate) fn is_parquet(path: &Path) -> Result<bool> {
    const MAGIC: &[u8] = b"PAR1";
    let look = || -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        file.by_ref().take(4).read_to_end(&mut start)?;
        if start != MAGIC || file.metadata()?.len() < 12 {
            return Ok(false);
        }
        file.seek(SeekFrom::End(-4))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        Ok(end == MAGIC)
    };
    look().map_err(|error| Error::io(FileOperation::Read, path, error))
}

/// Returns the content of a file that starts like a workbook.
pub(crate) fn workbook(path: &Path) -> Result<Option<Vec<u8>>> {
    let read = || -> std::io::Result<Option<Vec<u8>>> {
        let mut file = File::open(path)?;
        let mut content = Vec::new();
        file.by_ref().take(8).read_to_end(&mut content)?;
        if !WORKBOOKS.iter().any(|start| content.starts_with(start)) {
            return Ok(None);
        }
        file.read_to_end(&mut content)?;
        Ok(Some(content))
    };
    read().map_err(|error| Error::io(FileOperation::Read, path, error))
}

/// First bytes of workbooks: a ZIP archive, or a compound file of older Excel versions.
const WORKBOOKS: [&[u8]; 2] = [b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"];
