//! `reticent export-head`: exports the signed head, which reveals later removals and rewrites.

use reticent_app::request::ExportHeadRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, wrap};

/// Exports the head, signed where there is a key.
pub fn run(options: &args::ExportHead, console: &Console) -> Result<u8, Error> {
    let request = ExportHeadRequest {
        output: options.output.clone(),
        since: options.since.clone(),
        proof: options.proof.clone(),
    };
    let head = options.place.workspace().export_head(&request, &console.context)?;
    console.answer(&head, |head| {
        let Some(path) = &options.output else {
            print!("{head}");
            return;
        };
        let signed = if head.is_signed() { "signed" } else { "unauthenticated: the ledger has no key" };
        let entries = if head.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", head.entries) };
        println!("{GOOD}exported{GOOD:#} {}: {entries}, {signed}", path.display());
        if let Some(verifier) = &head.verifier {
            println!("  public key {verifier}");
        }
        if let Some(proof) = &options.proof {
            println!("  proof that it extends the earlier head: {}", proof.display());
        }
        let next = "Keep it apart from the ledger. `reticent verify --head` compares the ledger with it; `reticent witness` countersigns it.";
        println!("{HINT}{}{HINT:#}", wrap(next, WIDTH, ""));
    })?;
    Ok(0)
}
