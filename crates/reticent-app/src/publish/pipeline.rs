//! The one way a release takes: make, write, read back, verify, gate, record.
//!
//! Algorithms and republication methods differ in how they make a candidate ([`Maker`]); everything that decides whether it is
//! published is here, once.

use std::path::{Path, PathBuf};
use std::time::Instant;

use reticent::error::Obstacle;
use reticent::methods::Remembered;
use reticent::statement::Statement;
use reticent::{Disguise, Links};
use reticent_ledger::{
    Body, ByMethod, Draft, FileRecord, Hash, Head, Judged, Key, Ledger, MethodRecord, Metric, Origin, Writer,
};

use super::plan::{Plan, Recalled};
use crate::answer::RecordedAs;
use crate::context::Staged;
use crate::error::{Error, Result};

/// Makes candidates: recodes a table (algorithms) or groups its people (republication methods).
pub(crate) trait Maker: Sync {
    /// What it needs of earlier releases.
    type Past: Default + Sync;
    /// A candidate in memory.
    type Candidate: Sync;
    /// What is known about the files once they are written.
    type Written: Sync;
    /// What was read back and verified.
    type Verified: Send;
    /// What the gate found.
    type Audited;
    /// What the release kept or lost.
    type Measured;

    /// Loads what it needs of earlier releases.
    fn recall(&self, ledger: &Ledger, recalled: &Recalled) -> Result<Self::Past>;
    /// Makes a candidate. The seed decides all chance.
    fn make(&self, recalled: &Recalled, past: &Self::Past, seed: u64) -> Result<Self::Candidate>;
    /// Writes it to a new file or folder.
    fn write(&self, candidate: &Self::Candidate, seed: u64, release: &Path) -> Result<Self::Written>;
    /// Reads back what was written, and judges every statement on it.
    fn verify(&self, made: &Halfway<'_, Self>, release: &Path) -> Result<(Self::Verified, Vec<Statement>)>;
    /// Audits it with everything its recipients can hold. Refuses it if it discloses too much, or if that is not established.
    fn gate(&self, made: &Halfway<'_, Self>, verified: &Self::Verified) -> Result<(Self::Audited, Vec<Statement>)>;
    /// Adds what explains the release to its folder. Answers whether it added something.
    fn describe(
        &self,
        made: &Halfway<'_, Self>,
        verified: &Self::Verified,
        audited: &Self::Audited,
        release: &Path,
    ) -> Result<bool>;
    /// Measures what the release kept or lost.
    fn measure(&self, past: &Self::Past, candidate: &Self::Candidate) -> Result<Self::Measured>;
    /// What is recorded of it.
    fn parts<'m>(&'m self, made: &'m Made<Self>) -> Result<Parts<'m>>;
    /// A refusal with what would let the release pass; any other error as it is.
    fn explain(&self, error: Error, recalled: &Recalled, past: &Self::Past) -> Error;
}

/// A candidate that is written, on its way through the pipeline.
pub(crate) struct Halfway<'a, M: Maker + ?Sized> {
    pub recalled: &'a Recalled,
    pub past: &'a M::Past,
    pub candidate: &'a M::Candidate,
    pub written: &'a M::Written,
}

/// A release that was made, written and judged, and has no name yet.
pub(crate) struct Made<M: Maker + ?Sized> {
    /// The head of the ledger it was made against; none when there was no ledger.
    against: Option<Head>,
    pub judged: Judged,
    pub candidate: M::Candidate,
    pub written: M::Written,
    pub verified: M::Verified,
    /// What the gate found; none when verification found violations already.
    pub audited: Option<M::Audited>,
    pub measured: M::Measured,
    statements: Vec<Statement>,
    pub seed: u64,
    /// The hash of the file or folder, and its size.
    pub file: (Hash, u64),
    staging: Staged,
    pub seconds: Timings,
}

/// Where the time went, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timings {
    pub recall: f64,
    pub read: f64,
    pub make: f64,
    pub write: f64,
    pub verify: f64,
    pub audit: f64,
    pub measure: f64,
    pub record: f64,
}

/// What is recorded of a release.
pub(crate) struct Parts<'m> {
    pub body: Body,
    /// The other tables of a release by a method: name, contents, and whether values are listed once.
    pub tables: Vec<(String, Body, bool)>,
    pub method: Option<(MethodRecord, &'m [Remembered])>,
    pub links: Option<Links>,
    pub suppressed: u64,
    pub dropped: u64,
    pub algorithm: String,
    pub guarantee: String,
    pub steps: u64,
    pub classes: u64,
    /// How well it was established what the release discloses.
    pub proof: &'static str,
    pub metrics: Vec<(&'static str, f64)>,
}

/// How a release is recorded.
pub(crate) struct Recorded {
    /// The file or folder, under the name it took.
    pub file: PathBuf,
    pub notes: Vec<String>,
    pub answer: RecordedAs,
}

impl<M: Maker + ?Sized> Made<M> {
    /// Whether every statement holds and the release was audited.
    pub fn is_established(&self) -> bool {
        let judged = self.statements.iter().any(Statement::is_judged);
        self.audited.is_some() && judged && !self.statements.iter().any(Statement::is_violated)
    }
}

/// A release that went through the pipeline, and what it was judged with.
pub(crate) struct Done<M: Maker> {
    pub made: Made<M>,
    /// Where it is recorded; none for a rehearsal, and for a release that violates a statement.
    pub recorded: Option<Recorded>,
    pub recalled: Recalled,
    pub past: M::Past,
}

/// Makes a release, judges it, and records it unless it is a rehearsal or is violated. If another release was recorded meanwhile,
/// it is made once more against that one, while nobody else can write.
pub(crate) fn publish<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    mut recalled: Recalled,
    mut past: M::Past,
    key: Option<&Key>,
) -> Result<Done<M>> {
    let made = make(plan, maker, &recalled, &past);
    let mut made = made.map_err(|error| maker.explain(error, &recalled, &past))?;
    let mut recorded = None;
    if plan.rehearsal.is_none() && made.is_established() {
        let mut ledger = plan.access.open_or_start()?;
        recorded = record(plan, maker, &mut made, plan.access.write(&mut ledger)?, key)?;
        if recorded.is_none() {
            let writer = plan.access.write(&mut ledger)?;
            recalled = Recalled::new(Some(writer.ledger()), plan)?;
            past = maker.recall(writer.ledger(), &recalled)?;
            match make(plan, maker, &recalled, &past) {
                Ok(again) => made = again,
                Err(error) => {
                    // Looking for remedies takes long, and others may write meanwhile.
                    drop(writer);
                    return Err(maker.explain(error, &recalled, &past));
                }
            }
            if made.is_established() {
                let stale = || Error::Ledger(reticent_ledger::Error::Stale);
                recorded = Some(record(plan, maker, &mut made, writer, key)?.ok_or_else(stale)?);
            }
        }
    }
    Ok(Done { made, recorded, recalled, past })
}

/// Makes, writes, reads back, verifies and audits a candidate.
fn make<M: Maker>(plan: &Plan<'_>, maker: &M, recalled: &Recalled, past: &M::Past) -> Result<Made<M>> {
    let context = plan.context;
    let mut seconds = Timings::default();
    let seed = plan.loaded.policy.seed.unwrap_or_else(draw_seed);
    let candidate = timed(&mut seconds.make, || maker.make(recalled, past, seed))?;
    context.check()?;
    let staging = context.stage(&plan.request.output, &plan.access.folder)?;
    let release = staging.release();
    let written = timed(&mut seconds.write, || maker.write(&candidate, seed, &release))?;
    let halfway = Halfway { recalled, past, candidate: &candidate, written: &written };
    let (verified, file) =
        timed(&mut seconds.verify, || rayon::join(|| maker.verify(&halfway, &release), || Hash::of_file(&release)));
    let ((verified, mut statements), mut file) = (verified?, file?);
    context.check()?;
    let mut audited = None;
    if !statements.iter().any(Statement::is_violated) {
        let (found, more) = timed(&mut seconds.audit, || maker.gate(&halfway, &verified))?;
        if maker.describe(&halfway, &verified, &found, &release)? {
            file = Hash::of_file(&release)?;
        }
        statements.extend(more);
        audited = Some(found);
    }
    let measured = timed(&mut seconds.measure, || maker.measure(past, &candidate))?;
    context.check()?;
    let (against, judged) = (recalled.head, recalled.judged.clone());
    Ok(Made {
        against,
        judged,
        candidate,
        written,
        verified,
        audited,
        measured,
        statements,
        seed,
        file,
        staging,
        seconds,
    })
}

/// Records a release and gives it its name; none if another release was recorded meanwhile.
fn record<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    made: &mut Made<M>,
    writer: Writer<'_>,
    key: Option<&Key>,
) -> Result<Option<Recorded>> {
    let clock = Instant::now();
    // The guard: what is violated, or was not verified and audited, is never recorded, for any caller.
    if !made.is_established() {
        return Err(reticent::Error::CannotCheck(Obstacle::NotEstablished {}).into());
    }
    let head = writer.head();
    if made.against.is_some_and(|against| against != head) || made.against.is_none() && head.entries > 0 {
        return Ok(None);
    }
    let (request, loaded) = (plan.request, &plan.loaded);
    let parts = maker.parts(made)?;
    let bodies = || [&parts.body].into_iter().chain(parts.tables.iter().map(|(_, body, _)| body));
    let used = |column: &str| bodies().flat_map(|body| &body.columns).any(|known| known.name == column);
    let taxonomies: Vec<(String, String)> =
        loaded.taxonomies.iter().filter(|(column, _)| used(column)).cloned().collect();
    let (sha256, bytes) = made.file;
    let draft = Draft {
        name: request.name.clone(),
        dataset: loaded.policy.dataset.clone(),
        date: plan.context.today(),
        recipients: request.recipients.clone(),
        origin: Origin::Published,
        suppressed: parts.suppressed,
        dropped: parts.dropped,
        disguise: Disguise::default(),
        body: &parts.body,
        by_method: parts.method.as_ref().map(|(method, remembered)| ByMethod {
            tables: parts.tables.iter().map(|(name, body, set)| (name.clone(), body, *set)).collect(),
            remembered,
            method: method.clone(),
        }),
        links: parts.links.as_ref().zip(key).map(|(links, key)| (links, key.fingerprint())),
        policy: Some(&loaded.text),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path: writer.ledger().inside(&request.output), sha256, bytes }),
        naming: Some(made.staging.naming(&request.output)?),
        made: Some(how(made, &parts)),
        judged: made.judged.clone(),
    };
    made.staging.hand_over();
    let outcome = writer.append(&draft);
    drop(draft);
    drop(parts);
    match outcome {
        Ok(outcome) => {
            made.seconds.record = lap(clock);
            let people = outcome.entry.release().and_then(|release| release.links.as_ref()).map(|links| links.people);
            // Its name differs from the one that was asked for if that was taken meanwhile.
            let name = outcome.file.as_deref().and_then(Path::file_name);
            let file = name.map_or_else(|| request.output.clone(), |name| request.output.with_file_name(name));
            Ok(Some(Recorded {
                file,
                notes: outcome.notes,
                answer: RecordedAs {
                    ledger: plan.access.folder.clone(),
                    release: outcome.entry.number,
                    entry: outcome.hash.to_string(),
                    sha256: sha256.to_string(),
                    people,
                },
            }))
        }
        Err(error) => {
            // A command that completes the release later may need the file.
            let unnamed = matches!(error, reticent_ledger::Error::Unnamed { .. });
            if unnamed || Ledger::awaits_names(&plan.access.folder) {
                made.staging.leave();
            }
            Err(error.into())
        }
    }
}

/// How the release was made, as the ledger records it.
fn how<M: Maker>(made: &Made<M>, parts: &Parts<'_>) -> reticent_ledger::Made {
    reticent_ledger::Made {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        algorithm: parts.algorithm.clone(),
        guarantee: parts.guarantee.clone(),
        steps: parts.steps,
        seed: made.seed,
        classes: parts.classes,
        engine: Some("embedded".to_owned()),
        statements: made.statements.clone(),
        verified: Vec::new(),
        audit: Some(parts.proof.to_owned()),
        metrics: parts.metrics.iter().map(|(id, value)| Metric { id: (*id).to_owned(), value: *value }).collect(),
    }
}

/// Takes the time of a step.
pub(crate) fn timed<T>(seconds: &mut f64, step: impl FnOnce() -> T) -> T {
    let clock = Instant::now();
    let done = step();
    *seconds = lap(clock);
    done
}

/// The seconds since a clock was started.
fn lap(clock: Instant) -> f64 {
    (clock.elapsed().as_secs_f64() * 1e6).round() / 1e6
}

/// A seed that nobody chose.
fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::collections::hash_map::RandomState::new().build_hasher().finish();
    // Every program that reads JSON can hold it.
    drawn >> 11
}
