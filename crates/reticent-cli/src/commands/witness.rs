//! `reticent witness`, `record-witness` and `authenticate`: countersigned heads, and signing a ledger.

use reticent_app::request::WitnessRequest;
use reticent_app::witness;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{GOOD, HINT, WIDTH, wrap};

/// Countersigns a head.
pub fn run(options: &args::Witness, console: &Console) -> Result<u8, Error> {
    let request = WitnessRequest {
        head: options.head.clone(),
        previous: options.previous.clone(),
        proof: options.proof.clone(),
        key: options.key.clone(),
        name: options.name.clone(),
    };
    let answer = witness(&request, &console.context)?;
    console.answer(&answer, |answer| {
        let head = &answer.head;
        println!("{GOOD}countersigned{GOOD:#} the first {} entries of the ledger {}", head.entries, head.ledger);
        match answer.kept_entries {
            Some(entries) => println!("  extends your previous head of {entries} entries"),
            None => {
                let text = "this is your first head of this ledger: compare its public key with the steward";
                println!("{}", wrap(text, WIDTH, "  "));
            }
        }
        println!("  public key of the ledger {}", head.verifier.as_ref().map(ToString::to_string).unwrap_or_default());
        println!("  your public key {}", answer.witness);
        if answer.drew_key {
            println!("  generated your key {}; keep a copy", options.key.display());
        }
        let next =
            format!("Keep {} where the steward cannot write. Send the steward a copy.", options.previous.display());
        println!("{HINT}{}{HINT:#}", wrap(&next, WIDTH, ""));
    })?;
    Ok(0)
}

/// Records a countersigned head.
pub fn record(options: &args::RecordWitness, console: &Console) -> Result<u8, Error> {
    let answer = options.place.workspace().record_witness(&options.head, &options.witness, &console.context)?;
    console.answer(&answer, |answer| println!("{GOOD}recorded{GOOD:#} as entry {}", answer.number))?;
    Ok(0)
}

/// Signs a ledger that is not signed yet.
pub fn authenticate(options: &args::Authenticate, console: &Console) -> Result<u8, Error> {
    let answer = options.place.workspace().authenticate(&console.context)?;
    console.answer(&answer, |answer| {
        println!("{GOOD}signed{GOOD:#} from entry {} on", answer.number);
        println!("  public key {}", answer.verifier.as_deref().unwrap_or_default());
        let next =
            "Changes to earlier entries are detected from now on. Compare these entries once with your own records.";
        println!("{HINT}{}{HINT:#}", wrap(next, WIDTH, ""));
    })?;
    Ok(0)
}
