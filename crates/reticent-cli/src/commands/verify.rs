//! `reticent verify`: whether the ledger, and every file it names, is what was written.

use reticent_ledger::{ExportedHead, FileState, Findings};
use serde::Serialize;

use crate::args::Verify;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{BAD, GOOD, HINT, WIDTH, count, plural, print_json, wrap};
use crate::steward::Ways;

/// What `verify` answers.
#[derive(Debug, Serialize)]
struct Answer {
    intact: bool,
    ledger: String,
    /// How many entries there are; null when they could not be read.
    entries: Option<u64>,
    /// The hash of the last one.
    head: Option<String>,
    #[serde(flatten)]
    findings: Findings,
    /// What an exported head says; none without one.
    compared_with_head: Option<bool>,
}

/// Verifies. The status is 4 when something does not hold together.
pub fn run(options: &Verify, ways: &Ways) -> Result<u8, Failure> {
    let books = Books::find(&options.place, "verifying the ledger")?;
    let ledger = books.open()?;
    ways.progress.tell("verifying", 0, 0);
    let exported = options.head.as_ref().map(|path| {
        let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
        ExportedHead::parse(&text).map_err(|error| match error {
            error @ reticent_ledger::Error::NoHead(_) => Failure::Call(format!("{}: {error}", path.display())),
            error => error.into(),
        })
    });
    let exported = exported.transpose()?;
    let mut findings = books.verify(&ledger)?;
    let key = if exported.is_some() && findings.intact() { books.right_key(&ledger.entries()?)? } else { None };
    if exported.as_ref().is_some_and(|head| head.signature.is_some()) && key.is_none() {
        findings.warnings.push("the signature of the exported head was not checked: there is no key".to_owned());
    }
    let mut compared_with_head = None;
    if let Some(head) = exported {
        let against = if findings.intact() { ledger.compare_head(&head, key.as_ref())? } else { None };
        compared_with_head = Some(against.is_none() && findings.intact());
        findings.problems.extend(against);
    }
    ways.progress.done();
    let intact = findings.intact();
    let answer = Answer {
        intact,
        ledger: books.folder.display().to_string(),
        entries: findings.head.map(|head| head.entries),
        head: findings.head.map(|head| head.hash.to_string()),
        findings,
        compared_with_head,
    };
    if ways.json {
        print_json(&answer)?;
    } else {
        print(&answer);
    }
    Ok(if intact { 0 } else { 4 })
}

fn print(answer: &Answer) {
    let findings = &answer.findings;
    if answer.intact {
        let head = findings.head.map(|head| (head.entries, head.hash.short())).unwrap_or_default();
        println!(
            "{GOOD}intact{GOOD:#} {}: {}, {}, head {}",
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
            true => println!("{BAD}published files were changed{BAD:#}; {} itself is intact", answer.ledger),
            false => println!("{} {BAD}does not hold together{BAD:#}", answer.ledger),
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
    if answer.compared_with_head == Some(true) {
        println!("  nothing that the exported head knows was removed or changed");
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
