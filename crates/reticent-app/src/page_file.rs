//! Writes an HTML page to a new file.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a page. Only the steward can read an internal one; the umask applies to a public one.
pub(crate) fn write_page(path: &Path, page: &str, public: bool) -> Result<()> {
    let cannot = || Error::file("write the report to", path);
    // Write to a temporary file first: a truncated report would hide findings.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".report-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(if public { 0o666 } else { 0o600 }));
    }
    let mut file = builder.tempfile_in(folder).map_err(cannot())?;
    file.write_all(page.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(cannot())?;
    file.persist_noclobber(path).map(drop).map_err(|error| cannot()(error.error))
}
