//! `reticent verify`: whether the ledger, and every file it names, is what was written.

use reticent_app::answer::{FileState, Status, Verification};
use reticent_app::request::VerifyRequest;

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HINT, WIDTH, count, plural, wrap};

/// Verifies. The status is 4 when something was modified.
pub fn run(options: &args::Verify, console: &Console) -> Result<u8, Error> {
    let request = VerifyRequest {
        head: options.head.clone(),
        verifier: options.verifier.clone(),
        witness: options.witness.clone(),
    };
    let answer = options.place.workspace().verify(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(if answer.intact { 0 } else { 4 })
}

fn print(answer: &Verification) {
    let findings = &answer.findings;
    if answer.intact {
        let head =
            (answer.entries.unwrap_or(0), answer.head.as_deref().and_then(|head| head.get(..12)).unwrap_or_default());
        println!(
            "{} {}: {}, {}, head {}",
            match answer.status {
                Status::Authentic => format!("{GOOD}authentic{GOOD:#}"),
                _ => format!("{BAD}unauthenticated{BAD:#}"),
            },
            answer.ledger,
            if head.0 == 1 { "1 entry".to_owned() } else { format!("{} entries", count(head.0)) },
            if findings.bodies == 1 { "1 body".to_owned() } else { format!("{} bodies", count(findings.bodies)) },
            head.1
        );
    } else {
        // Files can be changed without the ledger, which then is what tells.
        let of_state = |state: FileState| findings.files.iter().filter(|file| file.state == state).count();
        let (changed, unseen) = (of_state(FileState::Changed), of_state(FileState::Unseen));
        let only_files = changed + unseen == findings.problems.len();
        match only_files {
            true if changed == 0 => {
                println!("{BAD}published files could not be looked at{BAD:#}; {} itself is intact", answer.ledger);
            }
            true => println!("{BAD}modified{BAD:#}: published files were changed; {} itself is intact", answer.ledger),
            false => println!("{BAD}modified{BAD:#}: {} is not what was written", answer.ledger),
        }
        findings.problems.iter().for_each(|problem| println!("{}", wrap(problem, WIDTH, "  ")));
        let next = match only_files {
            true if changed == 0 => "Let yourself into their folders, and verify again.",
            true => {
                "What was judged and recorded is not what is there now. Find out who has which of them; a copy as it was published \
                 can be put in its place."
            }
            false => {
                "Find out what happened before anything else is published. A backup can be put in its place; `reticent verify --head` \
                 with a head that was kept elsewhere tells whether that one is complete."
            }
        };
        println!("{HINT}{}{HINT:#}", wrap(next, WIDTH, ""));
    }
    if answer.intact && answer.status != Status::Authentic {
        let why = match answer.verifier {
            None => {
                "Its hashes agree, but it carries no signatures: everybody who can write to its folder can rewrite it. \
                 `reticent authenticate` signs it."
            }
            Some(_) => {
                "Its hashes and signatures agree, but no key was given that you trust: a whole new ledger would look the same. \
                 Give the key (--key), the public key (--verifier) or a head that you kept (--head)."
            }
        };
        println!("{}", wrap(why, WIDTH, "  "));
    }
    if let Some(first) = findings.signed_since.filter(|_| answer.intact) {
        let text = format!("entries before {first} were recorded without signatures; they are unchanged since then");
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    if answer.compared_with_head == Some(true) {
        println!("  it extends the exported head: nothing that was there then was removed or changed");
    }
    if findings.erased_releases > 0 {
        println!("  the contents of {} were erased", plural(findings.erased_releases, "release"));
    }
    let absent: Vec<_> = findings.files.iter().filter(|file| file.state == FileState::Absent).collect();
    let intact = findings.files.iter().filter(|file| file.state == FileState::Intact);
    let (folders, files): (Vec<_>, Vec<_>) = intact.partition(|file| file.path.is_dir());
    for (number, what) in
        [(files.len(), "file"), (folders.len(), "folder")].into_iter().filter(|(number, _)| *number > 0)
    {
        println!("  {} where published, unchanged", plural(number as u64, what));
    }
    for file in findings.files.iter().filter(|file| file.state == FileState::Replaced) {
        let text = format!("{} (release {}) is now the file of a later release", file.path.display(), file.release);
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    for file in absent {
        let text = format!("{} (release {}) is no longer where it was published", file.path.display(), file.release);
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    findings.warnings.iter().for_each(|warning| println!("{}", wrap(&format!("warning: {warning}"), WIDTH, "  ")));
}
