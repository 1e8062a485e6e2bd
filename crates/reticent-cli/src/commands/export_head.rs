//! `reticent export-head`: a small text to keep elsewhere, which reveals entries that were removed or rolled back.

use crate::args::ExportHead;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{GOOD, HINT, print_json};
use crate::steward::Ways;

/// Exports the head, signed where there is a key.
pub fn run(options: &ExportHead, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "exporting the head")?;
    let ledger = books.open()?;
    let head = ledger.export_head(books.key()?.as_ref())?;
    let Some(path) = &options.output else {
        print_json(&head)?;
        return Ok(0);
    };
    let text = serde_json::to_string_pretty(&head).map_err(|error| Failure::Call(format!("no JSON: {error}")))?;
    std::fs::write(path, text + "\n").map_err(Failure::file("write", path))?;
    if ways.json {
        print_json(&head)?;
    } else {
        let signed = if head.signature.is_some() { "signed with the key" } else { "not signed: there is no key" };
        println!("{GOOD}exported{GOOD:#} {}: entry {}, {}, {signed}", path.display(), head.entries, head.head.short());
        println!("{HINT}keep it where the ledger is not; `reticent verify --head` compares{HINT:#}");
    }
    Ok(0)
}
