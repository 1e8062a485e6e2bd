//! `reticent export-head`: a small text to keep elsewhere, which reveals entries that were removed or rolled back.

use std::io::Write;
use std::path::Path;

use reticent_ledger::{ExportedHead, Key, Ledger};

use crate::args::ExportHead;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{GOOD, HINT, print_json};
use crate::steward::Ways;

/// Exports the head, signed where there is a key.
pub fn run(options: &ExportHead, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "exporting the head")?;
    let mut ledger = books.open_to_write()?;
    let key = books.right_key(&ledger.entries()?)?;
    // Nothing is vouched for that does not hold together.
    books.write(&mut ledger)?;
    let head = ledger.export_head(key.as_ref())?;
    let Some(path) = &options.output else {
        print_json(&head)?;
        return Ok(0);
    };
    keep_evidence(path, &ledger, key.as_ref())?;
    let text = serde_json::to_string_pretty(&head).map_err(|error| Failure::Call(format!("no JSON: {error}")))?;
    replace(path, &(text + "\n")).map_err(Failure::file("write", path))?;
    if ways.json {
        print_json(&head)?;
    } else {
        let signed = if head.signature.is_some() { "signed with the key" } else { "not signed: there is no key" };
        println!("{GOOD}exported{GOOD:#} {}: entry {}, {}, {signed}", path.display(), head.entries, head.head.short());
        println!("{HINT}keep it where the ledger is not; `reticent verify --head` compares{HINT:#}");
    }
    Ok(0)
}

/// Puts a text in the place of a file, whole or not at all.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // It is kept elsewhere, by others too.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name must be on the disk too: a head that is lost vouches for nothing.
    reticent_ledger::sync_folder(folder).map_err(std::io::Error::other)
}

/// A head that is there may be the only evidence of entries that are gone: it is replaced only by one that continues it.
fn keep_evidence(path: &Path, ledger: &Ledger, key: Option<&Key>) -> Result<(), Failure> {
    let there = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::file("read", path)(error)),
    };
    let against = match ExportedHead::parse(&there) {
        Ok(head) => ledger.compare_head(&head, key)?,
        Err(_) => Some("it is no exported head".to_owned()),
    };
    match against {
        None => Ok(()),
        Some(why) => {
            let message =
                format!("{} is there already and was not replaced: {why}; choose another file", path.display());
            Err(Failure::Call(message))
        }
    }
}
