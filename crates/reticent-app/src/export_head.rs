//! `export-head`: exports the head of the ledger. A stored head reveals entries that are removed or rolled back later.

use std::io::Write;
use std::path::Path;

use reticent_ledger::{ExportedHead, Proof, Writer};

use crate::Workspace;
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::ExportHeadRequest;
use crate::verify::exported;

/// Exports the head, signed if there is a key, and writes it to the output file, if any.
///
/// With an earlier head, also writes a proof that the new head extends it.
pub(crate) fn export_head(
    workspace: &Workspace,
    request: &ExportHeadRequest,
    context: &Context,
) -> Result<ExportedHead> {
    let access = LedgerAccess::find(workspace, "exporting the head", context)?;
    let mut ledger = access.open_to_write()?;
    access.matching_key(&ledger.entries()?)?;
    // The writer verifies the ledger and locks it, so the head of a modified ledger is not exported.
    let writer = access.write(&mut ledger)?;
    let now = context.now();
    let head = writer.export_head(&now)?;
    if let Some(path) = &request.output {
        keep_evidence(path, &writer)?;
    }
    if let (Some(since), Some(path)) = (&request.since, &request.proof) {
        let proof = writer.prove_extension(&exported(since)?, &now)?;
        access.check_output(path)?;
        write_proof(path, &proof)?;
    }
    if let Some(path) = &request.output {
        access.check_output(path)?;
        replace(path, &head.to_string()).map_err(Error::file("write", path))?;
    }
    Ok(head)
}

/// Writes a proof to a file. Replaces an existing file only if it is a proof.
pub(crate) fn write_proof(path: &Path, proof: &Proof) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        let is_proof = path.is_file() && std::fs::read_to_string(path).is_ok_and(|text| Proof::parse(&text).is_ok());
        if !is_proof {
            return Err(Problem::OutputExists { path: path.to_owned(), what: "file" }.into());
        }
    }
    let text = serde_json::to_string_pretty(proof).map_err(|error| Problem::NoJson { why: error.to_string() })?;
    replace(path, &(text + "\n")).map_err(Error::file("write", path))
}

/// Writes a text to a file atomically, replacing an existing file.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // Other users copy the file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // Sync the folder, so that the rename is durable too.
    reticent_ledger::sync_folder(folder).map_err(std::io::Error::other)
}

/// Returns an error if the output exists and the ledger does not extend it.
///
/// An existing head may be the only evidence of entries that were removed.
fn keep_evidence(path: &Path, writer: &Writer<'_>) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(Problem::HeadKept { path: path.to_owned(), why: "it is not a regular file".to_owned() }.into());
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::file("read", path)(error)),
    };
    let mismatch = match ExportedHead::parse(&text) {
        Ok(head) => writer.compare_head(&head)?,
        Err(_) => Some("it is not an exported head".to_owned()),
    };
    match mismatch {
        None => Ok(()),
        Some(why) => Err(Problem::HeadKept { path: path.to_owned(), why }.into()),
    }
}
