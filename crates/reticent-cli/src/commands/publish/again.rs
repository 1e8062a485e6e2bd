//! `reticent publish` with a method: the same table again, with people who came and went. The release is a folder of tables.

mod answer;
mod before;
mod folder;
mod judge;
mod make;
mod print;
mod readme;
mod record;

pub use folder::PEOPLE;

use std::time::Instant;

use rayon::prelude::*;
use reticent::methods::{self, Record};
use reticent::policy::MethodPolicy;
use reticent::registry::Arguments;
use reticent::schema::Role;
use reticent_engine::OwnerKey;
use reticent_ledger::Key;

use super::make::lap;
use super::refuse_existing;
use crate::args::Publish;
use crate::books::{Books, STRANGERS, lies_in};
use crate::failure::Failure;
use crate::screen::{plural, print_json};
use crate::steward::{Loaded, Prepared, Ways, prepare};
use answer::Answer;
use before::Before;

/// What a release is made from, however often it is made.
pub struct Job<'a> {
    pub options: &'a Publish,
    pub loaded: &'a Loaded,
    pub method: MethodPolicy,
    pub arguments: Arguments,
    pub prepared: &'a Prepared,
    /// One record an owner, ascending by owner.
    pub records: Vec<Record>,
    pub books: &'a Books,
    pub ways: &'a Ways,
}

/// Publishes, or rehearses it.
pub fn run(options: &Publish, loaded: &Loaded, method: MethodPolicy, ways: &Ways) -> Result<u8, Failure> {
    let answer = publish(options, loaded, method, ways);
    ways.progress.done();
    let answer = answer?;
    if ways.json {
        print_json(&answer)?;
    } else {
        print::print(&answer);
    }
    Ok(0)
}

fn publish(options: &Publish, loaded: &Loaded, method: MethodPolicy, ways: &Ways) -> Result<Answer, Failure> {
    // A folder may be written with a slash behind it.
    let options = &Publish { output: options.output.components().collect(), ..options.clone() };
    check_options(options, loaded)?;
    refuse_existing(&options.output)?;
    let books = Books::of(&options.place, &loaded.policy, &format!("publishing {}", options.name));
    if lies_in(&options.output, &books.folder) {
        let message = format!("{} lies in the ledger; put the release elsewhere", options.output.display());
        return Err(Failure::Call(message));
    }
    let arguments = loaded.policy.options.clone().checked(&method.listed.entry)?;
    let clock = Instant::now();
    let ledger = if options.dry_run { books.open_to_rehearse()? } else { books.open_if_sound()? };
    if ledger.is_none() && !options.dry_run {
        books.may_start()?;
    }
    let entries = ledger.as_ref().map(|ledger| ledger.entries()).transpose()?.unwrap_or_default();
    let (key, drew) = match books.key_for_owners(&entries, !options.dry_run)? {
        Some((key, note)) => (key, note),
        None => (Key::passing()?, None),
    };
    let mut before = Before::of(ledger.as_ref(), &books, options, &key)?;
    drop(ledger);
    let recall = lap(clock);
    let clock = Instant::now();
    let prepared = prepare(
        loaded,
        &options.data,
        options.columns.as_deref(),
        (&options.name, &[]),
        Some(OwnerKey::new(key.secret())),
        ways,
    )?;
    let records = records(&prepared, &key)?;
    let read = lap(clock);
    let job = Job { options, loaded, method, arguments, prepared: &prepared, records, books: &books, ways };
    before.check(&job)?;
    let mut made = job.make(&before)?;
    let mut recorded = None;
    if !options.dry_run {
        let mut ledger = books.open_or_start()?;
        let done = match record::record(&job, &mut made, books.write(&mut ledger)?, &key)? {
            Some(done) => done,
            None => {
                // Somebody was faster: made anew against what they released, while nobody else can write.
                let writer = books.write(&mut ledger)?;
                before = Before::of(Some(writer.ledger()), &books, options, &key)?;
                before.check(&job)?;
                made = job.make(&before)?;
                let stale = || Failure::Ledger(reticent_ledger::Error::Stale);
                record::record(&job, &mut made, writer, &key)?.ok_or_else(stale)?
            }
        };
        recorded = Some(done);
    }
    let mut answer = job.answer(made, &before, recorded);
    answer.seconds.recall = recall;
    answer.seconds.read = read;
    answer.notes.extend(before.head.is_none().then(|| books.started()).filter(|_| answer.recorded.is_some()));
    answer.notes.extend(drew);
    let known = |record: &Record| before.past.marks.get(record.who).is_some();
    if !before.past.marks.is_empty() && !job.records.iter().any(known) {
        answer.notes.push(STRANGERS.to_owned());
    }
    Ok(answer)
}

/// What was asked for must be something that a method does.
fn check_options(options: &Publish, loaded: &Loaded) -> Result<(), Failure> {
    let not_for = |flag: &str| Err(Failure::Call(format!("{flag} is for algorithms, and the policy names a method")));
    if options.algorithm.is_some() {
        return not_for("--algorithm");
    }
    if options.time_limit.is_some() {
        return not_for("--time-limit");
    }
    if options.what_if.k.is_some() {
        return not_for("--k");
    }
    let name = options.output.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if [".csv", ".csv.gz", ".csv.zst", ".parquet"].iter().any(|ending| name.ends_with(ending)) {
        return Err(Failure::Call(format!(
            "{}: a method publishes several tables; name a folder with -o, such as -o {}",
            options.output.display(),
            options.output.with_extension("").display()
        )));
    }
    let chosen = |name: &str| options.columns.as_ref().is_none_or(|columns| columns.iter().any(|one| one == name));
    let other = loaded.policy.columns.iter().find(|column| column.role == Role::Other && chosen(&column.name));
    match other {
        Some(column) => Err(Failure::Call(format!(
            "column `{}` has the role other, and a method publishes quasi-identifiers and sensitive columns; give it one of these roles, \
             or leave it out with --columns",
            column.name
        ))),
        None => Ok(()),
    }
}

/// The records, each with its owner and a mark of its sensitive values.
fn records(prepared: &Prepared, key: &Key) -> Result<Vec<Record>, Failure> {
    let table = &prepared.table;
    let Some(linked) = &prepared.linked else {
        return Err(Failure::Call("the owners of the records are not known".to_owned()));
    };
    let places = table.places(&linked.counted);
    let links = &linked.links;
    let several = (0..links.len())
        .filter(|at| links.records[*at] > 1 || *at > 0 && links.pseudonyms[*at] == links.pseudonyms[*at - 1])
        .count() as u64;
    if several > 0 {
        return Err(Failure::Call(format!(
            "{} of an owner who has another one in the data; a method publishes one record for each owner: keep the newest, or put \
             them together",
            plural(several, "record")
        )));
    }
    // Whatever the order of columns in the policy, which says nothing.
    let mut sensitive = table.with_role(Role::Sensitive);
    sensitive.sort_by(|one, other| table.columns[*one].name.cmp(&table.columns[*other].name));
    let record = |at: usize| {
        let (who, combo) = (links.pseudonyms[at], places[links.combos[at] as usize]?);
        let value = |column: &usize| table.columns[*column].tree.value(table.combos.codes[*column][combo as usize]);
        Some(Record { who, combo, mark: key.mark(who, sensitive.iter().map(value)) })
    };
    let records: Vec<Record> = (0..links.len()).into_par_iter().filter_map(record).collect();
    debug_assert!(records.is_sorted());
    Ok(records)
}

impl Job<'_> {
    /// What the method promises of a column.
    pub fn promise(&self, column: &str) -> Option<reticent::share::Share> {
        (self.method.listed.promise)(&self.arguments, column)
    }

    /// The sensitive columns that are published.
    pub fn sensitive(&self) -> Vec<&str> {
        let table = &self.prepared.table;
        table.with_role(Role::Sensitive).into_iter().map(|at| table.columns[at].name.as_str()).collect()
    }

    /// What the method is to do.
    pub fn task<'t>(&'t self, past: &'t methods::Past, seed: u64) -> methods::Task<'t> {
        methods::Task { table: &self.prepared.table, records: &self.records, past, seed }
    }
}
