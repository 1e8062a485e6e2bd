//! The publishing pipeline: make, write, read back, verify, gate, record.
//!
//! Algorithms and republication methods implement [`Maker`], which makes candidates. The decision to publish is only made here.

use std::path::{Path, PathBuf};
use std::time::Instant;

use reticent::error::Obstacle;
use reticent::republication::PersonState;
use reticent::statement::Statement;
use reticent::{Links, Presentation};
use reticent_engine::Engine;
use reticent_ledger::{
    Body, Entry, FileRecord, Hash, Head, HistoryScope, Key, Ledger, MethodDraft, MethodRecord, Metric, Origin,
    ReleaseDraft, Tried, Writer,
};

use super::plan::{LoadedHistory, Plan, PlanPurpose};
use crate::answer::RecordedAnswer;
use crate::context::Staged;
use crate::error::{Error, Result};

/// Makes candidate releases: recodes a table (algorithms) or groups its people (republication methods).
pub(crate) trait Maker: Sync {
    /// Earlier releases, in the form that the maker needs.
    type Past: Default + Sync;
    /// Candidate in memory.
    type Candidate: Sync;
    /// Result of writing the candidate.
    type Written: Sync;
    /// Contents that were read back and verified.
    type Verified: Send;
    /// Result of the disclosure gate.
    type Audited;
    /// Utility metrics of the release.
    type Measured;

    /// Returns the engine with the data.
    fn engine(&self) -> &dyn Engine;
    /// Loads earlier releases from the ledger.
    fn load_earlier(&self, ledger: &Ledger, recalled: &LoadedHistory) -> Result<Self::Past>;
    /// Number of ways to make a candidate. The next way is used if the candidate of the previous one is refused.
    fn ways(&self) -> usize {
        1
    }
    /// Makes a candidate in one of the ways. All random choices depend on the seed.
    fn make(&self, recalled: &LoadedHistory, past: &Self::Past, seed: u64, way: usize) -> Result<Self::Candidate>;
    /// Writes the candidate to a new file or folder.
    fn write(&self, candidate: &Self::Candidate, seed: u64, release: &Path) -> Result<Self::Written>;
    /// Judges every requirement on a candidate in memory, for a plan. `None`: a plan needs the written files.
    fn preview(&self, _past: &Self::Past, _candidate: &Self::Candidate) -> Option<Result<Preview<Self>>> {
        None
    }
    /// Reads the written files back, and judges every requirement on them.
    fn verify(&self, made: &WrittenCandidate<'_, Self>, release: &Path) -> Result<(Self::Verified, Vec<Statement>)>;
    /// Audits the release with all releases that its recipients hold.
    ///
    /// # Errors
    ///
    /// Returns an error if a posterior exceeds its bound, or if this could not be judged.
    fn gate(
        &self,
        made: &WrittenCandidate<'_, Self>,
        verified: &Self::Verified,
    ) -> Result<(Self::Audited, Vec<Statement>)>;
    /// Adds documentation to the folder of the release. Returns whether it wrote a file.
    fn describe(
        &self,
        made: &WrittenCandidate<'_, Self>,
        verified: &Self::Verified,
        audited: &Self::Audited,
        release: &Path,
    ) -> Result<bool>;
    /// Measures the utility of the release.
    fn measure(&self, past: &Self::Past, candidate: &Self::Candidate) -> Result<Self::Measured>;
    /// Returns the parts of the release that the ledger records.
    fn record_parts<'m>(&'m self, made: &'m MadeRelease<Self>) -> Result<RecordParts<'m>>;
    /// Gives a release that is not a file its final name, after the ledger recorded it.
    fn finish(&self, _written: &Self::Written) -> Result<()> {
        Ok(())
    }
    /// Keeps what was written although the release was not finished: the ledger may have recorded it.
    fn keep(&self, _written: &Self::Written) {}
    /// Adds remedies to a refusal. Returns any other error unchanged.
    fn explain(&self, error: Error, recalled: &LoadedHistory, past: &Self::Past) -> Error;
}

/// A candidate that was judged in memory.
pub(crate) struct Preview<M: Maker + ?Sized> {
    pub written: M::Written,
    pub verified: M::Verified,
    pub statements: Vec<Statement>,
}

/// A candidate in its staging folder.
struct StagedRelease {
    staging: Staged,
    /// Hash and size in bytes of the file or folder.
    digest: (Hash, u64),
}

/// A candidate that was written to disk and is not verified yet.
pub(crate) struct WrittenCandidate<'a, M: Maker + ?Sized> {
    pub recalled: &'a LoadedHistory,
    pub past: &'a M::Past,
    pub candidate: &'a M::Candidate,
    pub written: &'a M::Written,
}

/// A release that was made and judged, in its staging folder or, for a plan, in memory.
pub(crate) struct MadeRelease<M: Maker + ?Sized> {
    /// Head of the ledger that the release was judged with; `None` if there was no ledger.
    against: Option<Head>,
    pub judged: HistoryScope,
    pub candidate: M::Candidate,
    pub written: M::Written,
    pub verified: M::Verified,
    /// Result of the disclosure gate; `None` if verification found a violation.
    pub audited: Option<M::Audited>,
    pub measured: M::Measured,
    pub statements: Vec<Statement>,
    pub seed: u64,
    staged: Option<StagedRelease>,
    pub seconds: StageSeconds,
}

/// Duration of each step, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StageSeconds {
    pub load_history: f64,
    pub read: f64,
    pub make: f64,
    pub write: f64,
    pub verify: f64,
    pub audit: f64,
    pub measure: f64,
    pub record: f64,
}

/// Parts of a release that the ledger records.
pub(crate) struct RecordParts<'m> {
    pub body: Body,
    /// Other tables of a release by a method: name, contents, and whether each value is listed once without a count.
    pub tables: Vec<(String, Body, bool)>,
    pub method: Option<(MethodRecord, &'m [PersonState])>,
    pub links: Option<Links>,
    pub suppressed: u64,
    pub dropped: u64,
    pub algorithm: String,
    pub guarantee: String,
    pub steps: u64,
    /// Tried algorithms; empty for a republication method.
    pub tried: Vec<Tried>,
    /// Maximum number of algorithms that are tried; `None` for a republication method.
    pub max_tries: Option<u64>,
    pub classes: u64,
    /// Strength of the disclosure audit.
    pub proof: &'static str,
    pub metrics: Vec<(&'static str, f64)>,
}

/// Result of recording a release.
pub(crate) struct RecordOutcome {
    /// Final path of the file or folder.
    pub file: PathBuf,
    pub notes: Vec<String>,
    pub answer: RecordedAnswer,
}

impl<M: Maker + ?Sized> MadeRelease<M> {
    /// Returns whether a requirement was judged, none is violated, and the release was audited.
    pub fn is_established(&self) -> bool {
        let judged = self.statements.iter().any(Statement::is_judged);
        self.audited.is_some() && judged && !self.statements.iter().any(Statement::is_violated)
    }
}

/// Result of the pipeline: the release, and the history that it was judged with.
pub(crate) struct PipelineResult<M: Maker> {
    pub made: MadeRelease<M>,
    /// Ledger entry; `None` for a rehearsal, and for a release that violates a requirement.
    pub recorded: Option<RecordOutcome>,
    pub recalled: LoadedHistory,
    pub past: M::Past,
}

/// Makes and judges a release, and records it unless it is a rehearsal or violates a requirement.
///
/// If another release was recorded in the meantime, makes the release again with the new history, under the write lock.
pub(crate) fn publish<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    mut recalled: LoadedHistory,
    mut past: M::Past,
    key: Option<&Key>,
) -> Result<PipelineResult<M>> {
    let made = make_in_any_way(plan, maker, &recalled, &past);
    let mut made = made.map_err(|error| maker.explain(error, &recalled, &past))?;
    let mut recorded = None;
    if plan.purpose == PlanPurpose::Release && made.is_established() {
        let mut ledger = plan.access.open_or_start()?;
        recorded = record(plan, maker, &mut made, plan.access.write(&mut ledger)?, key)?;
        if recorded.is_none() {
            let writer = plan.access.write(&mut ledger)?;
            recalled = LoadedHistory::new(Some(writer.ledger()), plan)?;
            past = maker.load_earlier(writer.ledger(), &recalled)?;
            match make_in_any_way(plan, maker, &recalled, &past) {
                Ok(remade) => made = remade,
                Err(error) => {
                    // The search for remedies can take long; release the write lock first.
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
    Ok(PipelineResult { made, recorded, recalled, past })
}

/// Makes a release in the first way whose candidate is not refused.
pub(crate) fn make_in_any_way<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    recalled: &LoadedHistory,
    past: &M::Past,
) -> Result<MadeRelease<M>> {
    let mut way = 0;
    loop {
        let made = make(plan, maker, recalled, past, way);
        let is_refused = |error: &Error| matches!(error, Error::Library(error) if error.is_refusal());
        way += 1;
        match &made {
            Err(error) if way < maker.ways() && is_refused(error) => {}
            _ => return made,
        }
    }
}

/// Makes, writes, reads back, verifies and audits a candidate. A plan is judged in memory, if the maker can do that.
fn make<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    recalled: &LoadedHistory,
    past: &M::Past,
    way: usize,
) -> Result<MadeRelease<M>> {
    let context = plan.context;
    let mut seconds = StageSeconds::default();
    let seed = plan.seed;
    let candidate = timed(&mut seconds.make, || maker.make(recalled, past, seed, way))?;
    context.check()?;
    let preview = match plan.purpose {
        PlanPurpose::Preview => timed(&mut seconds.verify, || maker.preview(past, &candidate)).transpose()?,
        PlanPurpose::Rehearsal | PlanPurpose::Release => None,
    };
    let (Preview { written, verified, mut statements }, mut staged) = match preview {
        Some(preview) => (preview, None),
        None => {
            let (written, staged) = write_and_verify(plan, maker, (recalled, past), &candidate, &mut seconds)?;
            (written, Some(staged))
        }
    };
    context.check()?;
    let mut audited = None;
    if !statements.iter().any(Statement::is_violated) {
        let written_candidate = WrittenCandidate { recalled, past, candidate: &candidate, written: &written };
        let (audit, more) = timed(&mut seconds.audit, || maker.gate(&written_candidate, &verified))?;
        if let Some(StagedRelease { staging, digest }) = &mut staged {
            let release = staging.release();
            if maker.describe(&written_candidate, &verified, &audit, &release)? {
                *digest = Hash::digest_file(&release)?;
            }
        }
        statements.extend(more);
        audited = Some(audit);
    }
    let measured = timed(&mut seconds.measure, || maker.measure(past, &candidate))?;
    context.check()?;
    let (against, judged) = (recalled.head, recalled.judged.clone());
    Ok(MadeRelease {
        against,
        judged,
        candidate,
        written,
        verified,
        audited,
        measured,
        statements,
        seed,
        staged,
        seconds,
    })
}

/// Writes a candidate to a staging folder, reads it back and verifies it.
fn write_and_verify<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    (recalled, past): (&LoadedHistory, &M::Past),
    candidate: &M::Candidate,
    seconds: &mut StageSeconds,
) -> Result<(Preview<M>, StagedRelease)> {
    let staging = plan.context.stage(&plan.request.output, &plan.access.folder)?;
    let release = staging.release();
    let written = timed(&mut seconds.write, || maker.write(candidate, plan.seed, &release))?;
    let written_candidate = WrittenCandidate { recalled, past, candidate, written: &written };
    let (verified, digest) = timed(&mut seconds.verify, || {
        rayon::join(|| maker.verify(&written_candidate, &release), || Hash::digest_file(&release))
    });
    let ((verified, statements), digest) = (verified?, digest?);
    Ok((Preview { written, verified, statements }, StagedRelease { staging, digest }))
}

/// Records a release and moves it to its output path. Returns `None` if another release was recorded in the meantime.
fn record<M: Maker>(
    plan: &Plan<'_>,
    maker: &M,
    made: &mut MadeRelease<M>,
    writer: Writer<'_>,
    key: Option<&Key>,
) -> Result<Option<RecordOutcome>> {
    let clock = Instant::now();
    // Guard for all callers: a release that violates a requirement, or was not verified and audited, is never recorded.
    let not_established = || Error::from(reticent::Error::CannotCheck(Obstacle::NotEstablished {}));
    if !made.is_established() {
        return Err(not_established());
    }
    let head = writer.head();
    if made.against.is_some_and(|against| against != head) || made.against.is_none() && head.entries > 0 {
        return Ok(None);
    }
    let (request, loaded) = (plan.request, &plan.loaded);
    let parts = maker.record_parts(made)?;
    // Another process may have recorded a release of an unrelated data set since the first check.
    if plan.access.data_sets.declares_any() {
        plan.access.data_sets.check(writer.ledger(), &writer.ledger().entries()?, &[parts.links.as_ref()])?;
    }
    let bodies = || [&parts.body].into_iter().chain(parts.tables.iter().map(|(_, body, _)| body));
    let used = |column: &str| bodies().flat_map(|body| &body.columns).any(|known| known.name == column);
    let taxonomies: Vec<(String, String)> =
        loaded.taxonomies.iter().filter(|(column, _)| used(column)).cloned().collect();
    let StagedRelease { staging, digest: (sha256, bytes) } = made.staged.as_ref().ok_or_else(not_established)?;
    let (sha256, bytes) = (*sha256, *bytes);
    let draft = ReleaseDraft {
        name: request.name.clone(),
        dataset: loaded.policy.dataset.clone(),
        date: plan.context.today(),
        recipients: request.recipients.clone(),
        origin: Origin::Published,
        suppressed: parts.suppressed,
        dropped: parts.dropped,
        presentation: Presentation::default(),
        body: &parts.body,
        method: parts.method.as_ref().map(|(method, remembered)| MethodDraft {
            tables: parts.tables.iter().map(|(name, body, set)| (name.clone(), body, *set)).collect(),
            state: remembered,
            method: method.clone(),
        }),
        links: parts.links.as_ref().zip(key).map(|(links, key)| (links, key.fingerprint())),
        policy: Some(&loaded.text),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path: writer.ledger().recorded_path(&request.output), sha256, bytes }),
        naming: Some(staging.naming(&request.output)?),
        made: Some(making_record(made, &parts, maker.engine())),
        judged: made.judged.clone(),
    };
    // The release was made from rows that were counted some time ago.
    maker.engine().check_unchanged()?;
    staging.hand_over();
    let outcome = writer.append(&draft);
    drop(draft);
    drop(parts);
    match outcome {
        Ok(outcome) => {
            maker.finish(&made.written)?;
            made.seconds.record = elapsed_seconds(clock);
            let people = outcome.entry.release().and_then(|release| release.links.as_ref()).map(|links| links.people);
            // If another file took the requested name in the meantime, the name differs.
            let name = outcome.file.as_deref().and_then(Path::file_name);
            let file = name.map_or_else(|| request.output.clone(), |name| request.output.with_file_name(name));
            Ok(Some(RecordOutcome {
                file,
                notes: outcome.notes,
                answer: RecordedAnswer {
                    ledger: plan.access.folder.clone(),
                    release: outcome.entry.number,
                    entry: outcome.hash.to_string(),
                    sha256: sha256.to_string(),
                    people,
                },
            }))
        }
        Err(error) => {
            // A later call may complete the release, and needs its file.
            let unnamed = matches!(error, reticent_ledger::Error::Unnamed { .. });
            // A failure can come after the entry was written.
            let is_recorded = || -> Result<bool> {
                let Some(ledger) = plan.access.open_if_exists()? else { return Ok(false) };
                let is_it =
                    |entry: &Entry| entry.release().is_some_and(|release| release.name == request.name.as_str());
                Ok(ledger.entries()?.iter().any(is_it))
            };
            if unnamed || Ledger::needs_recovery(&plan.access.folder) || is_recorded().unwrap_or(true) {
                maker.keep(&made.written);
            }
            if let Some(staged) = &mut made.staged
                && (unnamed || Ledger::needs_recovery(&plan.access.folder))
            {
                staged.staging.leave();
            }
            Err(error.into())
        }
    }
}

/// Returns the ledger record of how the release was made.
fn making_record<M: Maker>(
    made: &MadeRelease<M>,
    parts: &RecordParts<'_>,
    engine: &dyn Engine,
) -> reticent_ledger::Provenance {
    reticent_ledger::Provenance {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        algorithm: parts.algorithm.clone(),
        guarantee: parts.guarantee.clone(),
        steps: parts.steps,
        tried: parts.tried.clone(),
        max_tries: parts.max_tries,
        seed: made.seed,
        classes: parts.classes,
        engine: Some(engine.id().to_owned()),
        statements: made.statements.clone(),
        verified: Vec::new(),
        audit: Some(parts.proof.to_owned()),
        metrics: parts.metrics.iter().map(|(id, value)| Metric { id: (*id).to_owned(), value: *value }).collect(),
    }
}

/// Runs a step and stores its duration.
pub(crate) fn timed<T>(seconds: &mut f64, step: impl FnOnce() -> T) -> T {
    let clock = Instant::now();
    let done = step();
    *seconds = elapsed_seconds(clock);
    done
}

/// Returns the seconds since a start time, rounded to microseconds.
fn elapsed_seconds(clock: Instant) -> f64 {
    (clock.elapsed().as_secs_f64() * 1e6).round() / 1e6
}
