//! `reticent publish`: anonymize, write, verify the written bytes, record, and only then give the file its name.

mod answer;
mod make;
mod print;
mod record;
mod workshop;

use std::path::Path;
use std::time::Instant;

use reticent_engine::{Compression, Format, OwnerKey};
use reticent_ledger::{Entry, Head, Judged, Ledger};

use crate::args::Publish;
use crate::books::{Books, lies_in};
use crate::failure::Failure;
use crate::screen::{plural, print_json};
use crate::steward::{Ways, load, prepare};
use make::{Job, lap};
use record::record;

pub use answer::Answer;

/// Publishes, or rehearses it.
pub fn run(options: &Publish, ways: &Ways) -> Result<u8, Failure> {
    let answer = publish(options, ways);
    ways.progress.done();
    let answer = answer?;
    let holds = answer.verified.holds();
    if ways.json {
        print_json(&answer)?;
    } else {
        print::print(&answer);
    }
    Ok(u8::from(!holds))
}

/// Does the work, without printing.
pub fn publish(options: &Publish, ways: &Ways) -> Result<Answer, Failure> {
    let format = format_of(&options.output)?;
    refuse_existing(&options.output)?;
    let loaded = load(&options.place.policy)?;
    let books = Books::of(&options.place, &loaded.policy, &format!("publishing {}", options.name));
    if lies_in(&options.output, &books.folder) {
        let message = format!("{} lies in the ledger; put the release elsewhere", options.output.display());
        return Err(Failure::Call(message));
    }
    let past = books.past(options)?;
    let owners = match &loaded.policy.owner {
        Some(_) => books.key_for_owners(&past.entries, !options.dry_run)?,
        None => None,
    };
    let clock = Instant::now();
    let key = owners.as_ref().map(|(key, _)| OwnerKey::new(key.secret()));
    let prepared = prepare(&loaded, &options.data, options.columns.as_deref(), key, ways)?;
    let read = lap(clock);
    let job = Job { options, loaded: &loaded, prepared: &prepared, format, ledger: &books.folder, ways };
    let mut made = job.make(&past)?;
    let mut recorded = None;
    if made.verified.holds() && !options.dry_run {
        let mut ledger = books.open_or_start()?;
        let key = owners.as_ref().map(|(key, _)| key);
        let done = match record(&job, &mut made, books.write(&mut ledger)?, key)? {
            Some(done) => done,
            None => {
                // Somebody was faster: made anew against what they released, while nobody else can write.
                let writer = books.write(&mut ledger)?;
                let past = Past::of(Some(writer.ledger()), &books, options)?;
                made = job.make(&past)?;
                let stale = || Failure::Ledger(reticent_ledger::Error::Stale);
                record(&job, &mut made, writer, key)?.ok_or_else(stale)?
            }
        };
        recorded = Some(done);
    }
    let mut answer = job.answer(made, recorded, &books)?;
    answer.seconds.read = read;
    answer.notes.extend(past.head.is_none().then(|| books.started()).filter(|_| answer.recorded.is_some()));
    answer.notes.extend(owners.and_then(|(_, note)| note));
    Ok(answer)
}

/// What was released before, and what that means for the next release.
pub struct Past {
    entries: Vec<Entry>,
    head: Option<Head>,
    judged: Judged,
}

impl Books {
    /// What was released before. A release is refused here where it would be refused at the end.
    fn past(&self, options: &Publish) -> Result<Past, Failure> {
        if options.dry_run {
            let mut ledger = self.open_if_there()?;
            // A rehearsal says what the performance would: whether the ledger can be written to is part of it.
            if let Some(ledger) = &mut ledger {
                self.write(ledger)?;
            }
            return Past::of(ledger.as_ref(), self, options);
        }
        let ledger = self.open_if_there()?;
        if ledger.is_none() {
            self.may_start()?;
        }
        Past::of(ledger.as_ref(), self, options)
    }
}

impl Past {
    /// From the ledger, if there is one. Refused when recipients can hold earlier releases, which this version cannot
    /// judge together with the new one, unless the steward asks for it to be judged by itself.
    fn of(ledger: Option<&Ledger>, books: &Books, options: &Publish) -> Result<Past, Failure> {
        let Some(ledger) = ledger else {
            let judged = Judged::History { with: Vec::new() };
            return Ok(Past { entries: Vec::new(), head: None, judged });
        };
        let (head, entries) = ledger.read()?;
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == options.name);
        if let Some(entry) = entries.iter().find(named) {
            let (name, number) = (options.name.clone(), entry.number);
            return Err(reticent_ledger::Error::NameTaken { name, number }.into());
        }
        let beside = books.beside(&entries, &options.to)?;
        let judged = match (beside.is_empty(), options.alone) {
            (true, _) => Judged::History { with: Vec::new() },
            (false, true) => Judged::Alone { apart_from: beside },
            (false, false) => return Err(not_judged_together(&beside, &entries)),
        };
        Ok(Past { entries, head: Some(head), judged })
    }
}

fn not_judged_together(beside: &[u64], entries: &[Entry]) -> Failure {
    let told = |number: &u64| {
        let release = entries.iter().find(|entry| entry.number == *number).and_then(Entry::release);
        release.map(|release| format!("{number} {}, held by {}", release.name, release.recipients.join(" and ")))
    };
    let some: Vec<String> = beside.iter().take(3).filter_map(told).collect();
    let more = if beside.len() > 3 { "; ..." } else { "" };
    let why = format!(
        "its recipients can hold {} too ({}{more}), and this version cannot judge releases together; where recipients never \
         combine what they hold, declare them `separate` in the policy, or judge the release by itself with --alone",
        plural(beside.len() as u64, "earlier release"),
        some.join("; ")
    );
    reticent::Error::CannotCheck { what: "the release together with its history".to_owned(), why }.into()
}

fn format_of(path: &Path) -> Result<Format, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    match &name {
        name if name.ends_with(".csv") => Ok(Format::Csv(Compression::None)),
        name if name.ends_with(".csv.gz") => Ok(Format::Csv(Compression::Gzip)),
        name if name.ends_with(".csv.zst") => Ok(Format::Csv(Compression::Zstd)),
        name if name.ends_with(".parquet") => Ok(Format::Parquet),
        _ => Err(Failure::Call(format!(
            "{}: the output's name must end in .csv, .csv.gz, .csv.zst or .parquet",
            path.display()
        ))),
    }
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() { Err(exists(path)) } else { Ok(()) }
}

fn exists(path: &Path) -> Failure {
    Failure::Call(format!(
        "{} exists already; a release is never overwritten, choose another file for -o",
        path.display()
    ))
}
