//! `reticent export-head`: a small text to keep elsewhere, which reveals entries that were removed or rolled back.

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT};

/// Exports the head, signed where there is a key.
pub fn run(options: &args::ExportHead, console: &Console) -> Result<u8, Error> {
    let head = options.place.workspace().export_head(options.output.as_deref(), &console.context)?;
    let Some(path) = &options.output else {
        console.json(&head)?;
        return Ok(0);
    };
    console.answer(&head, |head| {
        let signed = if head.signature.is_some() { "signed with the key" } else { "not signed: there is no key" };
        println!("{GOOD}exported{GOOD:#} {}: entry {}, {}, {signed}", path.display(), head.entries, head.head.short());
        println!("{HINT}keep it where the ledger is not; `reticent verify --head` compares{HINT:#}");
    })?;
    Ok(0)
}
