//! `reticent verify`: checks that the ledger and every published file are unmodified.

use reticent_app::answer::{FileState, Status, VerifyAnswer};
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

fn print(answer: &VerifyAnswer) {
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
        // Published files can change while the ledger is unmodified.
        let of_state = |state: FileState| findings.files.iter().filter(|file| file.state == state).count();
        let (changed, unseen) = (of_state(FileState::Changed), of_state(FileState::Unseen));
        let only_files = changed + unseen == findings.problems.len();
        match only_files {
            true if changed == 0 => {
                println!("{BAD}published files could not be read{BAD:#}; the ledger {} is unmodified", answer.ledger);
            }
            true => {
                println!("{BAD}modified{BAD:#}: published files changed; the ledger {} is unmodified", answer.ledger)
            }
            false => println!("{BAD}modified{BAD:#}: the ledger {} was changed", answer.ledger),
        }
        findings.problems.iter().for_each(|problem| println!("{}", wrap(problem, WIDTH, "  ")));
        let next = match only_files {
            true if changed == 0 => "Get permission to read their folders, then verify again.",
            true => {
                "These files differ from what was checked and recorded. Find out which version recipients have, then restore the \
                 original files."
            }
            false => {
                "Publish nothing until the cause is known. Restore a backup, then check that it is complete with `reticent verify --head` \
                 and a head that was kept elsewhere."
            }
        };
        println!("{HINT}{}{HINT:#}", wrap(next, WIDTH, ""));
    }
    if answer.intact && answer.status != Status::Authentic {
        let why = match answer.verifier {
            None => {
                "Hashes agree, but the ledger has no signatures: anyone who can write to its folder can rewrite it. Sign it with \
                 `reticent authenticate`."
            }
            Some(_) => {
                "Hashes and signatures agree, but no trusted key was given: a forged ledger would look the same. Pass the key (--key), \
                 the public key (--verifier) or a head that you kept (--head)."
            }
        };
        println!("{}", wrap(why, WIDTH, "  "));
    }
    if let Some(first) = findings.signed_since.filter(|_| answer.intact) {
        let text = format!("entries before {first} have no signatures; they are unchanged since entry {first}");
        println!("{}", wrap(&text, WIDTH, "  "));
    }
    if answer.compared_with_head == Some(true) {
        println!("  extends the exported head: no earlier entry was removed or changed");
    }
    if findings.erased_releases > 0 {
        println!("  erased contents: {}", plural(findings.erased_releases, "release"));
    }
    let absent: Vec<_> = findings.files.iter().filter(|file| file.state == FileState::Absent).collect();
    let intact = findings.files.iter().filter(|file| file.state == FileState::Intact);
    let (folders, files): (Vec<_>, Vec<_>) = intact.partition(|file| file.path.is_dir());
    for (number, what) in
        [(files.len(), "file"), (folders.len(), "folder")].into_iter().filter(|(number, _)| *number > 0)
    {
        println!("  {} unchanged", plural(number as u64, what));
    }
    for file in findings.files.iter().filter(|file| file.state == FileState::Replaced) {
        let text =
            format!("{} (release {}) was replaced by the file of a later release", file.path.display(), file.release);
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    for file in absent {
        let text = format!("{} (release {}) is no longer in its place", file.path.display(), file.release);
        println!("{HINT}{}{HINT:#}", wrap(&text, WIDTH, "  "));
    }
    findings.warnings.iter().for_each(|warning| println!("{}", wrap(&format!("warning: {warning}"), WIDTH, "  ")));
}
