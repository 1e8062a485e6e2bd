//! Making a release: search, write, read back, judge, measure.

use std::path::Path;
use std::time::{Duration, Instant};

use reticent::algorithms::{self, Control, Outcome, Task};
use reticent::history::History;
use reticent::joined::{Dangling, Member, Together, dangling, matching, sets_for};
use reticent::metrics::{Comparison, measure_all};
use reticent::recoding::Recoding;
use reticent::registry::Arguments;
use reticent::release::Release;
use reticent::requirement::Requirement;
use reticent::table::Counts;
use reticent::verify::{Expected, OverJoins, Verdict, verify};
use reticent_engine::{Engine, Format, Sink, Written, read_back, read_back_with_owners};
use reticent_ledger::{Hash, Head, Judged, Staging};

use super::Past;
use super::answer::{Looked, Metric, Seconds};
use super::gate::Audited;
use crate::args::Publish;
use crate::failure::Failure;
use crate::steward::{Loaded, Prepared, Ways};

/// What a release is made from, however often it is made.
pub struct Job<'a> {
    pub options: &'a Publish,
    pub loaded: &'a Loaded,
    pub prepared: &'a Prepared,
    pub format: Format,
    pub ledger: &'a Path,
    pub ways: &'a Ways,
}

/// A release that was made, written and judged, and has no name yet.
pub struct Made {
    /// The head of the ledger it was made against; none when there was no ledger.
    pub against: Option<Head>,
    pub judged: Judged,
    /// The sets of earlier releases that it was judged with.
    pub together: Vec<Looked>,
    pub dangling: Vec<Dangling>,
    pub algorithm: String,
    pub outcome: Outcome,
    pub seed: u64,
    pub staging: Staging,
    pub written: Written,
    pub verified: Verdict,
    /// What it gives away together with what was released before; none when it was refused already.
    pub audited: Option<Audited>,
    /// What was read back from the file, without owners.
    pub published: Counts,
    /// The hash of the file, and its size.
    pub file: (Hash, u64),
    pub release: Release,
    pub metrics: Vec<Metric>,
    pub seconds: Seconds,
}

impl Job<'_> {
    /// Makes the release against what was released before.
    pub fn make(&self, past: &Past) -> Result<Made, Failure> {
        let Job { options, loaded, prepared, ways, .. } = self;
        let mut seconds = Seconds::default();
        let clock = Instant::now();
        let algorithm = self.algorithm().to_owned();
        let requirement = self.requirement(past)?;
        let outcome = self.search(&algorithm, past, &requirement)?;
        seconds.search = lap(clock);
        let seed = loaded.policy.seed.unwrap_or_else(draw_seed);
        let staging = stage(&options.output, self.ledger)?;
        let clock = Instant::now();
        let sink = Sink { path: staging.release(), format: self.format, seed };
        let written = prepared.engine.write(&prepared.table, &outcome.recoding, &sink)?;
        seconds.write = lap(clock);
        let clock = Instant::now();
        let (judged, file) = rayon::join(
            || self.judge(&outcome, &staging.release(), &written, past, &requirement),
            || Hash::of_file(&staging.release()),
        );
        let ((verified, published), file) = (judged?, file?);
        seconds.verify = lap(clock);
        let clock = Instant::now();
        let audited = if verified.holds() { Some(self.admit(&outcome, &published, past)?) } else { None };
        seconds.audit = lap(clock);
        let clock = Instant::now();
        let release = outcome.recoding.apply(&prepared.table)?;
        let metrics = self.measure(&outcome.recoding, &release)?;
        seconds.measure = lap(clock);
        ways.check_stop()?;
        let (against, judged) = (past.head, past.judged.clone());
        let sets: Vec<&[usize]> = requirement.joined.iter().map(|together| together.earlier.as_slice()).collect();
        let matching = matching(&prepared.table, &past.history, &sets, &requirement.rules);
        let looked = |(together, matching): (&Together, u64)| Looked {
            with: numbers(past, &together.earlier),
            names: names(past, &together.earlier),
            matching,
            judged: together.statements.len(),
            following: together.following,
        };
        let together = requirement.joined.iter().zip(matching).map(looked).collect();
        let all: Vec<usize> = (0..past.history.releases.len()).collect();
        let dangling = dangling(&prepared.table, &past.history, &all, &requirement.rules);
        Ok(Made {
            against,
            judged,
            together,
            dangling,
            algorithm,
            outcome,
            seed,
            staging,
            written,
            verified,
            audited,
            published,
            file,
            release,
            metrics,
            seconds,
        })
    }

    /// The algorithm's id.
    pub fn algorithm(&self) -> &str {
        self.options.algorithm.as_deref().unwrap_or(&self.loaded.policy.algorithm)
    }

    /// The sets of earlier releases that are looked at together with this one, where coalitions hold these.
    pub fn sets(&self, past: &Past, held: &[Vec<usize>]) -> Result<Vec<Vec<usize>>, Failure> {
        let policy = &self.loaded.policy;
        let wordings = policy.wordings_for_joins();
        Ok(sets_for(&self.prepared.table, &past.history, held, policy.breadth, &policy.inconsistent, &wordings)?)
    }

    /// What is required of the release by itself, and joined with what was released before.
    fn requirement(&self, past: &Past) -> Result<Requirement, Failure> {
        let Job { options, loaded, prepared, .. } = self;
        let mut requirement = loaded.requirement(&prepared.schema, &options.name, &past.names())?;
        let sets = self.sets(past, &past.held)?;
        if !sets.is_empty() {
            let columns = prepared.table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
            let new = Member { name: options.name.clone(), columns };
            let wordings = loaded.policy.wordings_for_joins();
            let rules = loaded.policy.inconsistent.clone();
            requirement.join(&wordings, &loaded.schema, new, &past.history, &sets, rules)?;
        }
        requirement.check().map_err(|error| match options.columns {
            Some(_) => Failure::Call(format!("with the columns that were chosen (--columns), {error}")),
            None => error.into(),
        })?;
        Ok(requirement)
    }

    fn search(&self, algorithm: &str, past: &Past, requirement: &Requirement) -> Result<Outcome, Failure> {
        let Job { options, loaded, prepared, ways, .. } = self;
        // What has nothing to do with this release is no history of it.
        let unrelated = History::default();
        let task = Task {
            table: &prepared.table,
            history: if requirement.joined.is_empty() { &unrelated } else { &past.history },
            requirement,
            purpose: &loaded.policy.purpose,
            suppression: loaded.policy.suppression,
        };
        let deadline =
            options.time_limit.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e9)));
        let stop = || ways.check_stop().is_err() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let progress = |what: &str, done: u64, total: u64| ways.progress.tell(what, done, total);
        let abort = || ways.check_stop().is_err();
        let control = Control { stop: &stop, abort: &abort, progress: &progress };
        // The policy's options belong to the policy's algorithm.
        let arguments =
            if algorithm == loaded.policy.algorithm { loaded.policy.options.clone() } else { Arguments::default() };
        let outcome = algorithms::run(algorithm, &task, arguments, &control)?;
        ways.check_stop()?;
        Ok(outcome)
    }

    /// Reads the written file again, and judges every model on what it says.
    fn judge(
        &self,
        outcome: &Outcome,
        file: &Path,
        written: &Written,
        past: &Past,
        requirement: &Requirement,
    ) -> Result<(Verdict, Counts), Failure> {
        let ways = self.ways;
        ways.progress.tell("verifying", 0, 0);
        let counts = match &written.owners {
            None => read_back(file, &ways.options())?,
            Some(owners) => read_back_with_owners(file, owners, &ways.options())?,
        };
        let published = counts.plain();
        let expected = Expected { recoding: &outcome.recoding, rows: written.rows };
        let joins = OverJoins {
            history: &past.history,
            joined: &requirement.joined,
            rules: &requirement.rules,
            abort: &|| ways.check_stop().is_err(),
        };
        let verdict = verify(counts, &expected, &requirement.models, Some(&joins))?;
        Ok((verdict, published))
    }

    fn measure(&self, recoding: &Recoding, release: &Release) -> Result<Vec<Metric>, Failure> {
        let table = &self.prepared.table;
        let comparison = Comparison { table, recoding, release, purpose: &self.loaded.policy.purpose };
        let measures = measure_all(&comparison)?;
        Ok(measures.into_iter().map(|(id, measure)| Metric { id, measure }).collect())
    }
}

/// Earlier releases by number, ascending.
fn numbers(past: &Past, earlier: &[usize]) -> Vec<u64> {
    let mut numbers: Vec<u64> = earlier.iter().map(|at| past.history.releases[*at].number).collect();
    numbers.sort_unstable();
    numbers
}

/// Their names, in the same order.
fn names(past: &Past, earlier: &[usize]) -> Vec<String> {
    let held = |number: &u64| past.history.releases.iter().find(|held| held.number == *number);
    numbers(past, earlier).iter().filter_map(held).map(|held| held.name.clone()).collect()
}

/// A staging folder beside the output, which goes when the user interrupts twice.
pub fn stage(output: &Path, ledger: &Path) -> Result<Staging, Failure> {
    let staging = Staging::create(output, ledger)?;
    crate::steward::remove_when_killed(Some(staging.path().to_owned()));
    Ok(staging)
}

/// The seconds since a clock was started.
pub fn lap(clock: Instant) -> f64 {
    (clock.elapsed().as_secs_f64() * 1e6).round() / 1e6
}

/// A seed nobody chose.
pub fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::collections::hash_map::RandomState::new().build_hasher().finish();
    // Every program that reads JSON can hold it.
    drawn >> 11
}
