//! `reticent check-proof`: checks an exported proof without the ledger and its key.

use reticent_app::answer::{ProofChecked, ProofOf};
use reticent_app::check_proof;
use reticent_app::request::CheckProofRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, WIDTH, wrap};

/// Checks a proof.
pub fn run(options: &args::CheckProof, console: &Console) -> Result<u8, Error> {
    let request = CheckProofRequest {
        proof: options.proof.clone(),
        head: options.head.clone(),
        verifier: options.verifier.clone(),
    };
    let answer = check_proof(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &ProofChecked) {
    let head = &answer.head;
    let word = match head.verifier {
        Some(_) => format!("{GOOD}proved{GOOD:#}"),
        None => format!("{BAD}unauthenticated{BAD:#}"),
    };
    match &answer.of {
        ProofOf::Inclusion { entry } => {
            let name = entry.release().map(|release| release.name.as_str()).unwrap_or(entry.kind.name());
            println!(
                "{word} entry {} ({name}) is in the ledger {} of {} entries, as of {}",
                entry.number, head.ledger, head.entries, head.at
            );
            if let Some(release) = entry.release() {
                println!(
                    "  released {} to {}, {} records",
                    release.date,
                    release.recipients.join(", "),
                    release.records
                );
            }
        }
        ProofOf::Consistency { earlier } => {
            println!(
                "{word} the ledger {} with {} entries extends the one with {} of {}",
                head.ledger, head.entries, earlier.entries, earlier.at
            );
        }
    }
    match (&head.verifier, answer.signed_by_trusted_key) {
        (Some(_), true) => println!("  signed with the given key"),
        (Some(verifier), false) => {
            let text = format!(
                "signed with {verifier}. The proof does not show that this is the key of the ledger: pass the key with --verifier, or a \
                 head that you kept with --head"
            );
            println!("{}", wrap(&text, WIDTH, "  "));
        }
        (None, _) => println!("  the head is not signed: anyone can make such a proof"),
    }
}
