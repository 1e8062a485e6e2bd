//! `export-head`: a small text to keep elsewhere, which reveals entries that were removed or rolled back.

use std::io::Write;
use std::path::Path;

use reticent_ledger::{ExportedHead, Key, Ledger, Proof};

use crate::Workspace;
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::ExportHeadRequest;
use crate::verify::exported;

/// Exports the head, signed if there is a key; to a file if one is named. With an earlier head, also proves that this one extends it.
pub(crate) fn export_head(
    workspace: &Workspace,
    request: &ExportHeadRequest,
    context: &Context,
) -> Result<ExportedHead> {
    let access = LedgerAccess::find(workspace, "exporting the head", context)?;
    let mut ledger = access.open_to_write()?;
    let key = access.right_key(&ledger.entries()?)?;
    // The head of a ledger that was modified is not exported.
    access.write(&mut ledger)?;
    let now = context.now();
    let head = ledger.export_head(key.as_ref(), &now)?;
    if let (Some(since), Some(path)) = (&request.since, &request.proof) {
        let proof = ledger.prove_extension(&exported(since)?, key.as_ref(), &now)?;
        write_proof(path, &proof)?;
    }
    if let Some(path) = &request.output {
        keep_evidence(path, &ledger, key.as_ref())?;
        replace(path, &head.to_string()).map_err(Error::file("write", path))?;
    }
    Ok(head)
}

/// Writes a proof to a file.
pub(crate) fn write_proof(path: &Path, proof: &Proof) -> Result<()> {
    let text = serde_json::to_string_pretty(proof).map_err(|error| Problem::NoJson { why: error.to_string() })?;
    replace(path, &(text + "\n")).map_err(Error::file("write", path))
}

/// Puts a text in the place of a file, whole or not at all.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
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
fn keep_evidence(path: &Path, ledger: &Ledger, key: Option<&Key>) -> Result<()> {
    let there = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::file("read", path)(error)),
    };
    let against = match ExportedHead::parse(&there) {
        Ok(head) => ledger.compare_head(&head, key)?,
        Err(_) => Some("it is no exported head".to_owned()),
    };
    match against {
        None => Ok(()),
        Some(why) => Err(Problem::HeadKept { path: path.to_owned(), why }.into()),
    }
}
