//! `reticent publish`: anonymize, write, verify the written bytes, and only then give the file its name.

mod print;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reticent::algorithms::{self, Control, Guarantee, Outcome, Task};
use reticent::history::History;
use reticent::metrics::{Comparison, Measure, measure_all};
use reticent::recoding::Recoding;
use reticent::registry::Arguments;
use reticent::release::Release;
use reticent::schema::Role;
use reticent::verify::{Expected, Verdict, verify};
use reticent_engine::{Compression, Engine, Format, Sink, Written, read_back, read_back_with_owners};
use serde::Serialize;

use crate::args::Publish;
use crate::failure::Failure;
use crate::screen::print_json;
use crate::steward::{Loaded, Prepared, Ways, load, prepare};

/// What `publish` answers.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The release's name.
    pub name: String,
    /// The file, unless nothing was published.
    pub file: Option<PathBuf>,
    /// Whether it was a rehearsal.
    pub dry_run: bool,
    /// Records in the data.
    pub records: u64,
    /// Records in the file.
    pub published: u64,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    pub classes: u64,
    /// The algorithm.
    pub algorithm: String,
    /// What is known about how little was lost.
    pub guarantee: Guarantee,
    /// Steps taken or states judged.
    pub steps: u64,
    /// Decides the order of the rows.
    pub seed: u64,
    /// Cells of quasi-identifiers that were hidden class by class.
    pub hidden_cells: u64,
    /// Records with such cells.
    pub hidden_in: u64,
    /// Cells that looked like a formula and were written with an apostrophe.
    pub neutralised: u64,
    /// What the verifier found in the written bytes.
    pub verified: Verdict,
    /// What the release kept or lost.
    pub metrics: Vec<Metric>,
    /// How each column was published.
    pub columns: Vec<ColumnAnswer>,
    /// What a steward should look at before anybody else does.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
}

/// A measured metric.
#[derive(Debug, Serialize)]
pub struct Metric {
    id: &'static str,
    #[serde(flatten)]
    measure: Measure,
}

/// How a column was published.
#[derive(Debug, Serialize)]
pub struct ColumnAnswer {
    /// The column.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Different values in the data.
    pub values: usize,
    /// Different values in the file.
    pub published: Vec<String>,
}

/// Where the time went, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    /// Reading and counting.
    pub read: f64,
    /// Finding the recoding.
    pub search: f64,
    /// Writing.
    pub write: f64,
    /// Reading back and judging.
    pub verify: f64,
    /// Measuring what was lost.
    pub measure: f64,
}

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
    let loaded = load(&options.policy)?;
    let mut seconds = Seconds::default();
    let clock = Instant::now();
    let prepared = prepare(&loaded, &options.data, options.columns.as_deref(), ways)?;
    seconds.read = lap(clock);
    let clock = Instant::now();
    let algorithm = options.algorithm.as_deref().unwrap_or(&loaded.policy.algorithm);
    let outcome = search(&loaded, &prepared, algorithm, options, ways)?;
    seconds.search = lap(clock);
    let seed = loaded.policy.seed.unwrap_or_else(draw_seed);
    let folder = Workshop::new(&options.output)?;
    let clock = Instant::now();
    let written = write(&prepared, &outcome, &folder, format, seed)?;
    seconds.write = lap(clock);
    let clock = Instant::now();
    let verified = judge(&prepared, &outcome, &folder, &written, ways)?;
    seconds.verify = lap(clock);
    let clock = Instant::now();
    let release = outcome.recoding.apply(&prepared.table)?;
    let metrics = measure(&loaded, &prepared, &outcome.recoding, &release)?;
    seconds.measure = lap(clock);
    ways.check_stop()?;
    let published = verified.holds() && !options.dry_run;
    if published {
        folder.publish(&options.output)?;
    }
    let (hidden_cells, hidden_in) = hidden(&prepared, &outcome.recoding);
    let mut notes = prepared.notes.clone();
    notes.extend(outcome.notes);
    notes.extend(ignored_options(&loaded, algorithm));
    Ok(Answer {
        name: options.name.clone(),
        file: published.then(|| options.output.clone()),
        dry_run: options.dry_run,
        records: prepared.table.combos.rows() + prepared.table.dropped,
        published: written.rows,
        suppressed: release.suppressed,
        dropped: prepared.table.dropped,
        classes: classes(&prepared, &release)?,
        algorithm: algorithm.to_owned(),
        guarantee: outcome.guarantee,
        steps: outcome.steps,
        seed,
        hidden_cells,
        hidden_in,
        neutralised: written.neutralised,
        warnings: warnings(&prepared, &release)?,
        verified,
        metrics,
        columns: column_answers(&prepared, &release),
        notes,
        seconds,
    })
}

fn lap(clock: Instant) -> f64 {
    (clock.elapsed().as_secs_f64() * 1e6).round() / 1e6
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

fn search(
    loaded: &Loaded,
    prepared: &Prepared,
    algorithm: &str,
    options: &Publish,
    ways: &Ways,
) -> Result<Outcome, Failure> {
    let history = History::default();
    let task = Task {
        table: &prepared.table,
        history: &history,
        requirement: &prepared.requirement,
        purpose: &loaded.policy.purpose,
        suppression: loaded.policy.suppression,
    };
    let deadline = options.time_limit.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
    let stop = || ways.check_stop().is_err() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let progress = |what: &str, done: u64, total: u64| ways.progress.tell(what, done, total);
    let control = Control { stop: &stop, progress: &progress };
    // The policy's options belong to the policy's algorithm.
    let arguments =
        if algorithm == loaded.policy.algorithm { loaded.policy.options.clone() } else { Arguments::default() };
    let outcome = algorithms::run(algorithm, &task, arguments, &control)?;
    ways.check_stop()?;
    Ok(outcome)
}

/// A seed nobody chose.
fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::collections::hash_map::RandomState::new().build_hasher().finish();
    // Policies hold signed whole numbers.
    drawn >> 1
}

/// A folder of our own beside the output, gone when we are.
struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    fn new(output: &Path) -> Result<Workshop, Failure> {
        let parent = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = tempfile::Builder::new()
            .prefix(".reticent-")
            .tempdir_in(parent)
            .map_err(Failure::file("write in", parent))?;
        crate::steward::remove_when_killed(Some(folder.path().to_path_buf()));
        Ok(Workshop { folder })
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    /// Gives the verified file its name; never takes a name that is taken.
    fn publish(&self, output: &Path) -> Result<(), Failure> {
        let from = self.file();
        match std::fs::hard_link(&from, output) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Err(exists(output)),
            // Some file systems know no links; a rename after a look is the next best thing.
            Err(_) => {
                refuse_existing(output)?;
                std::fs::rename(&from, output).map_err(Failure::file("write", output))?;
            }
        }
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(folder) = std::fs::File::open(folder) {
            // Best effort: not every file system lets a folder be synced.
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        crate::steward::remove_when_killed(None);
    }
}

fn write(
    prepared: &Prepared,
    outcome: &Outcome,
    folder: &Workshop,
    format: Format,
    seed: u64,
) -> Result<Written, Failure> {
    let sink = Sink { path: folder.file(), format, seed };
    Ok(prepared.engine.write(&prepared.table, &outcome.recoding, &sink)?)
}

/// Reads the written file again, and judges every model on what it says.
fn judge(
    prepared: &Prepared,
    outcome: &Outcome,
    folder: &Workshop,
    written: &Written,
    ways: &Ways,
) -> Result<Verdict, Failure> {
    ways.progress.tell("verifying", 0, 0);
    let counts = match &written.owners {
        None => read_back(&folder.file(), &ways.options())?,
        Some(owners) => read_back_with_owners(&folder.file(), owners, &ways.options())?,
    };
    let expected = Expected { recoding: &outcome.recoding, rows: written.rows };
    Ok(verify(counts, &expected, &prepared.requirement.models)?)
}

fn measure(
    loaded: &Loaded,
    prepared: &Prepared,
    recoding: &Recoding,
    release: &Release,
) -> Result<Vec<Metric>, Failure> {
    let comparison = Comparison { table: &prepared.table, recoding, release, purpose: &loaded.policy.purpose };
    let measures = measure_all(&comparison)?;
    Ok(measures.into_iter().map(|(id, measure)| Metric { id, measure }).collect())
}

fn classes(prepared: &Prepared, release: &Release) -> Result<u64, Failure> {
    let on = release.positions(&prepared.schema.with_role(Role::QuasiIdentifier))?;
    Ok(reticent::classes::sizes(&release.combos, &on).len() as u64)
}

fn column_answers(prepared: &Prepared, release: &Release) -> Vec<ColumnAnswer> {
    let answer = |(at, column): (usize, &reticent::release::PublishedColumn)| {
        let mut codes = release.combos.codes[at].clone();
        codes.sort_unstable();
        codes.dedup();
        // Values of other columns are data, not a description of the recoding.
        let listed = if column.role == Role::QuasiIdentifier { codes.as_slice() } else { &[] };
        ColumnAnswer {
            name: column.name.clone(),
            role: column.role,
            values: prepared.table.columns[at].texts.len(),
            published: listed.iter().map(|code| column.label(*code).to_owned()).collect(),
        }
    };
    release.columns.iter().enumerate().map(answer).collect()
}

/// Cells that rules hide, and the records they are in.
fn hidden(prepared: &Prepared, recoding: &Recoding) -> (u64, u64) {
    let combos = &prepared.table.combos;
    let (mut cells, mut records) = (0, 0);
    let mut row = Vec::new();
    for at in (0..combos.len()).filter(|_| !recoding.rules.is_empty()) {
        if !recoding.publish(combos, at, &mut row) {
            continue;
        }
        let plain = recoding.columns.iter().zip(&combos.codes).map(|(recoded, codes)| recoded.map[codes[at] as usize]);
        let changed = plain.zip(&row).filter(|(plain, published)| plain != *published).count() as u64;
        cells += changed * combos.weights[at];
        records += u64::from(changed > 0) * combos.weights[at];
    }
    (cells, records)
}

/// Says that the policy's options are for another algorithm.
fn ignored_options(loaded: &Loaded, algorithm: &str) -> Option<String> {
    let ignored = algorithm != loaded.policy.algorithm && loaded.policy.options.names().next().is_some();
    ignored.then(|| format!("the policy's [release.options] are for {} and were not used", loaded.policy.algorithm))
}

/// What the requirement does not see, and what a release that says little could be helped by.
fn warnings(prepared: &Prepared, release: &Release) -> Result<Vec<String>, Failure> {
    let mut warnings = prepared.unprotected()?;
    let quasi: Vec<usize> =
        (0..release.columns.len()).filter(|at| release.columns[*at].role == Role::QuasiIdentifier).collect();
    let silent = |at: &&usize| {
        let codes = &release.combos.codes[**at];
        prepared.table.columns[**at].texts.len() > 1 && codes.iter().all(|code| *code == release.columns[**at].root())
    };
    let names: Vec<&str> = quasi.iter().filter(silent).map(|at| release.columns[*at].name.as_str()).collect();
    if !names.is_empty() {
        warnings.push(format!(
            "{} of {} quasi-identifiers say nothing ({}); groups in their taxonomies, `suppression`, `missing = \"drop\"` or \
             fewer columns (--columns) may let them say more",
            names.len(),
            quasi.len(),
            names.join(", ")
        ));
    }
    Ok(warnings)
}
