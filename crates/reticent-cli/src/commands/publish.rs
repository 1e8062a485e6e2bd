//! `reticent publish`: anonymize, write, verify the written bytes, record, and only then give the file its name.

mod again;
mod answer;
mod gate;
mod make;
mod print;
mod record;
mod refusal;

use std::path::Path;
use std::time::Instant;

use reticent::history::{Held, History};
use reticent::links::Links;
use reticent::requirement::Unheard;
use reticent_engine::{Compression, Format, OwnerKey};
use reticent_ledger::{Entry, Head, Judged, Ledger, Wanted};

use crate::args::Publish;
use crate::books::{Books, lies_in};
use crate::failure::Failure;
use crate::screen::print_json;
use crate::steward::{self, Ways, prepare};
use make::{Job, lap};
use record::record;

pub use again::PEOPLE;
pub use answer::Answer;

/// Publishes, or rehearses it.
pub fn run(options: &Publish, ways: &Ways) -> Result<u8, Failure> {
    let loaded = steward::load(&options.place.policy)?;
    if let Some(method) = loaded.policy.method {
        return again::run(options, &loaded, method, ways);
    }
    let answer = publish_by(options, loaded, ways);
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
    let loaded = steward::load(&options.place.policy)?;
    if let Some(method) = loaded.policy.method {
        return Err(Failure::Call(format!(
            "this is about algorithms, and the policy names the method {}; rehearse it with `reticent publish --dry-run`",
            method.listed.entry.id
        )));
    }
    publish_by(options, loaded, ways)
}

/// The same by a policy that was read.
fn publish_by(options: &Publish, mut loaded: steward::Loaded, ways: &Ways) -> Result<Answer, Failure> {
    let format = format_of(&options.output)?;
    refuse_existing(&options.output)?;
    if options.output.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Failure::Call(format!("-o {} is the name of a folder; name a file", options.output.display())));
    }
    loaded.policy.short.k = options.what_if.k.or(loaded.policy.short.k);
    loaded.policy.short.confidence = options.what_if.confidence.or(loaded.policy.short.confidence);
    let books = Books::of(&options.place, &loaded.policy, &format!("publishing {}", options.name));
    if lies_in(&options.output, &books.folder) {
        let message = format!("{} lies in the ledger; put the release elsewhere", options.output.display());
        return Err(Failure::Call(message));
    }
    let clock = Instant::now();
    let follows = follows(&loaded.policy);
    let past = books.past(options, follows)?;
    let recall = lap(clock);
    let (likely, mut other) = unheard_of(&loaded, &past, &options.name)?;
    let owners = match &loaded.policy.owner {
        Some(_) => books.key_for_owners(&past.entries, !options.dry_run)?,
        None => None,
    };
    let clock = Instant::now();
    let key = owners.as_ref().map(|(key, _)| OwnerKey::new(key.secret()));
    let prepared =
        prepare(&loaded, &options.data, options.columns.as_deref(), (&options.name, &past.names()), key, ways)?;
    let read = lap(clock);
    other.extend(unknown_values(&loaded, &prepared, &past));
    if let (Some(ledger), Some(linked)) = (books.open_if_there()?, &prepared.linked) {
        other.extend(books.strangers(&ledger, &past.entries, &linked.links));
    }
    let job = Job { options, loaded: &loaded, prepared: &prepared, format, ledger: &books.folder, ways };
    let mut made = job.make(&past).map_err(|failure| job.explained(failure, &past, &books))?;
    let mut recorded = None;
    if made.verified.holds() && !options.dry_run {
        let mut ledger = books.open_or_start()?;
        let key = owners.as_ref().map(|(key, _)| key);
        recorded = record(&job, &mut made, books.write(&mut ledger)?, key)?;
        if recorded.is_none() {
            // Somebody was faster: made anew against what they released, while nobody else can write.
            let writer = books.write(&mut ledger)?;
            let past = Past::of(Some(writer.ledger()), &books, options, follows)?;
            match job.make(&past) {
                Ok(again) => made = again,
                Err(failure) => {
                    // Looking for what would help takes long, and others may write meanwhile.
                    drop(writer);
                    return Err(job.explained(failure, &past, &books));
                }
            }
            if made.verified.holds() {
                let stale = || Failure::Ledger(reticent_ledger::Error::Stale);
                recorded = Some(record(&job, &mut made, writer, key)?.ok_or_else(stale)?);
            }
        }
    }
    let mut answer = job.answer(made, recorded, &books)?;
    answer.seconds.recall = recall;
    answer.seconds.read = read;
    answer.warnings.extend(likely);
    answer.notes.extend(other);
    answer.notes.extend(past.head.is_none().then(|| books.started()).filter(|_| answer.recorded.is_some()));
    answer.notes.extend(owners.and_then(|(_, note)| note));
    Ok(answer)
}

/// What was released before, and what that means for the next release.
pub struct Past {
    entries: Vec<Entry>,
    head: Option<Head>,
    judged: Judged,
    /// The releases with which the next one is judged.
    history: History,
    /// Those that each coalition of its recipients holds, by place in the history.
    held: Vec<Vec<usize>>,
    /// By release of the history: whose its records are, for the audit.
    people: Vec<Option<Links>>,
}

impl Books {
    /// What was released before. A release is refused here where it would be refused at the end.
    fn past(&self, options: &Publish, follows: bool) -> Result<Past, Failure> {
        if options.dry_run {
            let ledger = self.open_to_rehearse()?;
            return Past::of(ledger.as_ref(), self, options, follows);
        }
        let ledger = self.open_if_sound()?;
        if ledger.is_none() {
            self.may_start()?;
        }
        Past::of(ledger.as_ref(), self, options, follows)
    }
}

impl Past {
    /// From the ledger, if there is one: what recipients can hold beside the new release, unless the steward asks for it to be
    /// judged by itself.
    fn of(ledger: Option<&Ledger>, books: &Books, options: &Publish, follows: bool) -> Result<Past, Failure> {
        let (history, held) = (History::default(), Vec::new());
        let Some(ledger) = ledger else {
            let judged = Judged::History { with: Vec::new() };
            return Ok(Past { entries: Vec::new(), head: None, judged, history, held, people: Vec::new() });
        };
        let (head, entries) = ledger.read()?;
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == options.name);
        if let Some(entry) = entries.iter().find(named) {
            let (name, number) = (options.name.clone(), entry.number);
            return Err(reticent_ledger::Error::NameTaken { name, number }.into());
        }
        let beside = books.beside(&entries, &options.to)?;
        if !beside.is_empty() && options.alone {
            let judged = Judged::Alone { apart_from: beside };
            return Ok(Past { entries, head: Some(head), judged, history, held, people: Vec::new() });
        }
        let (history, people) = load(ledger, &entries, &beside, follows)?;
        let judged = Judged::History { with: beside };
        let mut past = Past { entries, head: Some(head), judged, history, held, people };
        past.held = past.held_for(books, &options.to)?;
        Ok(past)
    }

    /// A release with whose its records are.
    fn with_people(&self, at: usize) -> Held {
        let links = self.people.get(at).cloned().flatten();
        Held { links, ..self.history.releases[at].clone() }
    }

    /// The names of all releases.
    fn names(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry.release().map(|release| release.name.as_str())).collect()
    }

    /// By coalition of these recipients: the releases that it holds.
    fn held_for(&self, books: &Books, to: &[String]) -> Result<Vec<Vec<usize>>, Failure> {
        let place = |number: &u64| self.history.releases.iter().position(|held| held.number == *number);
        let held = books.held(&self.entries, to)?;
        Ok(held.iter().map(|held| held.iter().filter_map(place).collect()).collect())
    }
}

/// Whether people are followed from release to release: the audit does, where there is something to hold.
fn follows(policy: &reticent::policy::Policy) -> bool {
    policy.owner.is_some() && policy.short.confidence.is_some() && policy.audit != reticent::audit::Proof::Off
}

/// A history of which nothing was erased: else what it gives away can no longer be computed.
fn whole(history: History) -> Result<History, Failure> {
    if let Some(lost) = history.lost.first() {
        let why = format!(
            "the contents of release {} {}, which its recipients can hold, were erased on {}; what it gives away together with \
             this one can no longer be computed. To publish all the same, judge the release by itself with --alone",
            lost.number, lost.name, lost.erased
        );
        let what = "the release together with its history".to_owned();
        return Err(reticent::Error::CannotCheck { what, why }.into());
    }
    Ok(history)
}

/// The releases with these numbers, and whose their records are: where people are followed, and where the join needs to know,
/// because somebody has several.
fn load(
    ledger: &Ledger,
    entries: &[Entry],
    numbers: &[u64],
    follows: bool,
) -> Result<(History, Vec<Option<Links>>), Failure> {
    if numbers.is_empty() {
        return Ok((History::default(), Vec::new()));
    }
    let mut history = whole(ledger.history(Wanted { numbers: Some(numbers), links: None })?)?;
    let mut people = Vec::new();
    for held in &mut history.releases {
        let entry = entries.iter().find(|entry| entry.number == held.number);
        if !held.disguise.is_none() {
            let why = format!(
                "release {} {} does not show its records one by one, and what such a release gives away with others cannot be \
                 judged yet. To publish all the same, judge the release by itself with --alone",
                held.number, held.name
            );
            let what = "the release together with its history".to_owned();
            return Err(reticent::Error::CannotCheck { what, why }.into());
        }
        let recorded = entry.and_then(Entry::release);
        let several = recorded.and_then(|release| release.links.as_ref().map(|links| links.people < release.records));
        if let Some(entry) = entry.filter(|_| follows || several == Some(true)) {
            held.links = ledger.links(entry)?;
        }
        *held = held.clone().canonical();
        people.push(held.links.clone().filter(|_| follows));
        held.links = held.links.take().filter(|_| several == Some(true));
    }
    Ok((history, people))
}

/// What the policy says of releases that are not there, of which nothing is demanded: those that are likely a slip of the pen, and
/// the others.
fn unheard_of(loaded: &steward::Loaded, past: &Past, name: &str) -> Result<(Vec<String>, Vec<String>), Failure> {
    let columns = |release: &'_ reticent_ledger::Recorded| -> Vec<String> {
        release.columns.iter().map(|column| column.name.clone()).collect()
    };
    let released = past.entries.iter().filter_map(Entry::release);
    let released: Vec<(&str, Vec<String>)> =
        released.map(|release| (release.name.as_str(), columns(release))).collect();
    let all = loaded.schema.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let mut known: Vec<(&str, Vec<&str>)> =
        released.iter().map(|(name, columns)| (*name, columns.iter().map(String::as_str).collect())).collect();
    known.push((name, all));
    let (mut likely, mut other) = (Vec::new(), Vec::new());
    for unheard in reticent::requirement::unheard_of(&loaded.policy.models, &known, &loaded.schema) {
        match unheard {
            Unheard::Release(name) => {
                let hint = reticent::error::did_you_mean(&name, known.iter().map(|(name, _)| *name));
                let told = if hint.is_some() { &mut likely } else { &mut other };
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                told.push(format!(
                    "the policy speaks of release {name}, which the ledger does not have{hint}; nothing was demanded of it"
                ));
            }
            Unheard::Column(release, column) => {
                let has = known.iter().find(|(name, _)| *name == release).map(|(_, columns)| columns.iter().copied());
                let hint = reticent::error::did_you_mean(&column, has.into_iter().flatten());
                let message =
                    format!("the policy speaks of `{release}.{column}`, and release {release} has no such column");
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
            Unheard::Word(word) => {
                let columns = known.iter().flat_map(|(_, columns)| columns.iter().copied());
                let message =
                    format!("the policy speaks of `{word}`, which is a column neither of the data nor of a release");
                let hint = reticent::error::did_you_mean(&word, columns);
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
        }
    }
    Ok((likely, other))
}

/// What the policy declares inconsistent and nobody has: such a rule says nothing.
fn unknown_values(loaded: &steward::Loaded, prepared: &steward::Prepared, past: &Past) -> Vec<String> {
    let raw = reticent::recoding::Recoding::identity(&prepared.table);
    let ours = raw.columns.iter().map(|recoded| &recoded.column);
    let theirs = past.history.releases.iter().flat_map(|held| &held.release.columns);
    let columns: Vec<_> = ours.chain(theirs).collect();
    let unknown = reticent::join::unknown_values(&loaded.policy.inconsistent, &columns);
    let told = |(column, value): &(&str, &str)| {
        format!(
            "`inconsistent` under [history] speaks of the value \"{value}\" of {column}, which neither the data nor a release has; that rule \
             says nothing"
        )
    };
    unknown.iter().map(told).collect()
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
    match path.symlink_metadata() {
        Ok(_) => Err(exists(path)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        // A name that cannot be looked at cannot be given either.
        Err(error) => Err(Failure::file("write", path)(error)),
    }
}

fn exists(path: &Path) -> Failure {
    let what = if path.is_dir() { "name" } else { "file" };
    Failure::Call(format!(
        "{} exists already; a release is never overwritten, choose another {what} for -o",
        path.display()
    ))
}
