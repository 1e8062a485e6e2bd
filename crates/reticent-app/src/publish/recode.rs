//! Releases by an algorithm: a recoding of the table, written to a single file.

mod alternative;
mod answer;
mod back_off;
mod classes;
mod output;
mod past;
mod planned;
mod remedies;
mod search;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use hashbrown::HashMap;
use reticent::InconsistentRules;
use reticent::algorithms::{self, Control, RecodingTask, SearchOutcome};
use reticent::audit::{Audited, Gate, Proof, admit_recoded};
use reticent::contingency::ContingencyTable;
use reticent::error::Obstacle;
use reticent::join::{Member, sets_for};
use reticent::metrics::{Comparison, measure_all};
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::statement::Statement;
use reticent::verify::{Expected, JoinVerifier, Verdict, verify};
use reticent::{Counts, History, Links, Presentation, Recoded, Recoding, RecordedRelease, Release, Role};
use reticent_engine::{Engine, published};
use reticent_ledger::{Body, Head, Key, Ledger};

use super::pipeline::{self, MadeRelease, Maker, PipelineResult, Preview, RecordParts, WrittenCandidate, timed};
use super::plan::{LoadedHistory, Plan, engine_key};
use super::{body_column, scope};
use crate::answer::{MetricAnswer, RecodedAnswer, TriedAnswer};
use crate::dataset::{LoadedPolicy, PreparedData, prepare};
use crate::error::{Error, Problem, Result};
use output::{Output, WrittenRelease};
use past::{EarlierReleases, NewRelease, unknown_values, unresolved_names};
use planned::Planning;
use search::{Found, Search};

pub(super) use output::receipt_path;
pub(super) use planned::{Planned, plan, publish_planned};

/// Id of the model of `confidence`.
const CONFIDENCE_BOUNDING: &str = "confidence-bounding";

/// Publishes or rehearses a release by the requested algorithm, or by the best one that the policy allows.
pub(crate) fn publish(plan: &Plan<'_>) -> Result<RecodedAnswer> {
    check_output(plan)?;
    // A database that cannot be reached is reported before the data is read.
    let output = Output::open(plan)?;
    let (preparation, key) = Preparation::new(plan)?;
    let maker = RecodeMaker::new(plan, &preparation.data, Planning::default()).with_output(output);
    publish_by(&maker, preparation.loaded, key.as_ref())
}

fn publish_by(maker: &RecodeMaker<'_>, loaded: LoadedReleases, key: Option<&Key>) -> Result<RecodedAnswer> {
    let LoadedReleases { recalled, past, load_seconds, read_seconds } = loaded;
    let plan = maker.plan;
    let result = pipeline::publish(plan, maker, recalled, past, key)?;
    let PipelineResult { mut made, recorded, recalled, past } = result;
    (made.seconds.load_history, made.seconds.read) = (load_seconds, read_seconds);
    let is_recorded = recorded.is_some();
    let mut answer = maker.answer(made, recorded, &recalled, &past)?;
    answer.alternative = maker.alternative(&answer, &recalled, &past)?;
    answer.notes.extend(recalled.head.is_none().then(|| plan.access.started_note()).filter(|_| is_recorded));
    answer.notes.extend(plan.access.take_key_note());
    Ok(answer)
}

/// Rehearses a release with data and history that are already loaded.
pub(crate) fn rehearse(plan: &Plan<'_>, preparation: &Preparation) -> Result<RecodedAnswer> {
    let Preparation { data, loaded: LoadedReleases { recalled, past, .. } } = preparation;
    let maker = RecodeMaker::new(plan, data, Planning::default());
    let made = pipeline::make_in_any_way(plan, &maker, recalled, past);
    let made = made.map_err(|error| maker.explain(error, recalled, past))?;
    maker.answer(made, None, recalled, past)
}

/// Data and history of a release.
pub(crate) struct Preparation {
    data: ReleaseData,
    loaded: LoadedReleases,
}

/// Earlier releases.
struct LoadedReleases {
    recalled: LoadedHistory,
    past: EarlierReleases,
    load_seconds: f64,
    read_seconds: f64,
}

/// Data of a release, with what does not depend on the thresholds of the policy.
struct ReleaseData {
    prepared: PreparedData,
    /// Rules for joins with earlier releases.
    rules: Vec<InconsistentRules>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl Preparation {
    /// Loads the history, and reads the data. Also returns the key for owner links, if the policy names an owner.
    pub fn new(plan: &Plan<'_>) -> Result<(Preparation, Option<Key>)> {
        check_output(plan)?;
        let (mut load_seconds, mut read_seconds) = (0.0, 0.0);
        let (recalled, past) = timed(&mut load_seconds, || load_releases(plan))?;
        let (mut warnings, mut notes) = unresolved_names(plan, &recalled)?;
        let owners = match &plan.loaded.policy.owner {
            Some(_) => Some(plan.owner_key(&recalled)?),
            None => None,
        };
        let columns = plan.request.columns.as_deref();
        let prepared = timed(&mut read_seconds, || {
            let names = recalled.names();
            let named = (plan.request.name.as_str(), names.as_slice());
            let key = owners.as_ref().map(engine_key);
            prepare(&plan.loaded, &plan.request.data, columns, named, key, plan.context)?
                .with_suppressed_values(&plan.loaded.policy)
        })?;
        warnings.extend(prepared.check_unique_columns(&plan.loaded.policy)?);
        let rules = prepared.join_rules(&plan.loaded.policy)?;
        notes.extend(unknown_values(plan, &prepared, &past));
        if let (Some(ledger), Some(linked)) = (plan.access.open_if_exists()?, &prepared.linked) {
            notes.extend(plan.access.warn_unknown_owners(&ledger, &recalled.entries, &linked.links));
        }
        plan.check_unrelated(&recalled, prepared.linked.as_ref().map(|linked| &linked.links))?;
        notes.extend(plan.access.data_sets.notes(&recalled.entries, &recalled.earlier));
        let data = ReleaseData { prepared, rules, warnings, notes };
        let loaded = LoadedReleases { recalled, past, load_seconds, read_seconds };
        Ok((Preparation { data, loaded }, owners))
    }
}

/// Checks that the output is a new file.
fn check_output(plan: &Plan<'_>) -> Result<()> {
    let output = &plan.request.output;
    output::check_name(plan)?;
    plan.check(output)?;
    match output.as_os_str().as_encoded_bytes().ends_with(b"/") {
        true => Err(Problem::OutputIsFolder { path: output.clone() }.into()),
        false => Ok(()),
    }
}

/// Loads the earlier releases that the new one is judged with.
fn load_releases(plan: &Plan<'_>) -> Result<(LoadedHistory, EarlierReleases)> {
    let ledger = plan.open_ledger()?;
    let recalled = LoadedHistory::new(ledger.as_ref(), plan)?;
    let past = ledger.map(|ledger| EarlierReleases::load(&ledger, &recalled, plan)).transpose()?.unwrap_or_default();
    Ok((recalled, past))
}

/// Returns the options of the policy that an algorithm accepts, and the names of the others.
///
/// The policy's own algorithm gets all options: the check of its parameters names a wrong one.
fn options_for(loaded: &LoadedPolicy, algorithm: &str) -> Result<(Arguments, Vec<String>)> {
    let options = loaded.policy.options.clone();
    if loaded.policy.algorithms[0] == algorithm {
        return Ok((options, Vec::new()));
    }
    Ok(options.accepted_by(&algorithms::named(algorithm)?.entry))
}

/// Maker of releases by an algorithm.
pub(crate) struct RecodeMaker<'a> {
    plan: &'a Plan<'a>,
    data: &'a ReleaseData,
    prepared: &'a PreparedData,
    /// Where the release is written, once it is opened.
    output: OnceLock<Output>,
    /// Releases of the tried algorithms.
    search: Mutex<Search>,
    /// Candidate of a plan, with the head with which it was judged.
    planned: Option<(Option<Head>, RecodedCandidate)>,
}

/// A recoding that satisfies the requirement according to the search.
#[derive(Clone)]
pub(crate) struct RecodedCandidate {
    algorithm: String,
    requirement: Arc<Requirement>,
    outcome: Arc<SearchOutcome>,
    /// Measures, once they are computed: a planned release is measured once.
    measures: Arc<OnceLock<Arc<RecodedMeasures>>>,
}

impl RecodedCandidate {
    fn new(algorithm: String, requirement: Requirement, outcome: SearchOutcome) -> RecodedCandidate {
        let (requirement, outcome) = (Arc::new(requirement), Arc::new(outcome));
        RecodedCandidate { algorithm, requirement, outcome, measures: Arc::default() }
    }
}

/// The release in memory with its metrics.
pub(crate) struct RecodedMeasures {
    release: Release,
    metrics: Vec<MetricAnswer>,
}

/// Contents of the written file with their verdict.
pub(crate) struct VerifiedFile {
    verdict: Verdict,
    published: Counts,
}

impl Maker for RecodeMaker<'_> {
    type Past = EarlierReleases;
    type Candidate = RecodedCandidate;
    type Written = WrittenRelease;
    type Verified = VerifiedFile;
    type Audited = Audited;
    type Measured = Arc<RecodedMeasures>;

    fn engine(&self) -> &dyn Engine {
        self.prepared.engine.as_ref()
    }

    fn load_earlier(&self, ledger: &Ledger, recalled: &LoadedHistory) -> Result<EarlierReleases> {
        EarlierReleases::load(ledger, recalled, self.plan)
    }

    /// The releases of the tried algorithms, then the back-off.
    fn ways(&self) -> usize {
        self.lock_search().ways() + usize::from(self.backs_off())
    }

    fn make(
        &self,
        recalled: &LoadedHistory,
        past: &EarlierReleases,
        _seed: u64,
        way: usize,
    ) -> Result<RecodedCandidate> {
        if let Some(candidate) = self.planned_candidate(recalled) {
            return Ok(candidate);
        }
        let requirement = self.requirement(recalled, past)?;
        if way == 0 {
            self.search_all(past, &requirement)?;
        }
        match self.next_candidate(way)? {
            Some(Found { algorithm, outcome, .. }) => Ok(RecodedCandidate::new(algorithm, requirement, outcome)),
            None => self.back_off(past, requirement),
        }
    }

    fn write(&self, candidate: &RecodedCandidate, seed: u64, release: &Path) -> Result<WrittenRelease> {
        let rows = published(&self.prepared.table, &candidate.outcome.recoding);
        self.output()?.write(&rows, seed, release, &self.plan.context.engine_options())
    }

    /// Judges the records that the engine would write.
    fn preview(&self, past: &EarlierReleases, candidate: &RecodedCandidate) -> Option<Result<Preview<Self>>> {
        let counts = published(&self.prepared.table, &candidate.outcome.recoding);
        let written = WrittenRelease::unwritten(counts.contingency.rows());
        let judged = self.judge(past, candidate, written.summary.rows, counts);
        Some(judged.map(|(verified, statements)| Preview { written, verified, statements }))
    }

    fn verify(&self, made: &WrittenCandidate<'_, Self>, release: &Path) -> Result<(VerifiedFile, Vec<Statement>)> {
        let WrittenCandidate { past, candidate, written, .. } = made;
        let options = self.plan.context.engine_options();
        self.plan.context.progress("verifying", 0, 0);
        let expected = || published(&self.prepared.table, &candidate.outcome.recoding);
        let counts = self.output()?.read_back(written, release, expected, &options)?;
        self.judge(past, candidate, written.summary.rows, counts)
    }

    fn gate(&self, made: &WrittenCandidate<'_, Self>, read: &VerifiedFile) -> Result<(Audited, Vec<Statement>)> {
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let audited = self.admit(&made.candidate.outcome.recoding, &read.published, made.past, &gate)?;
        let statements = audited.statements(&gate, &scope(&made.recalled.judged));
        Ok((audited, statements))
    }

    fn describe(&self, _: &WrittenCandidate<'_, Self>, _: &VerifiedFile, _: &Audited, _: &Path) -> Result<bool> {
        Ok(false)
    }

    fn measure(&self, _: &EarlierReleases, candidate: &RecodedCandidate) -> Result<Arc<RecodedMeasures>> {
        if let Some(measures) = candidate.measures.get() {
            return Ok(measures.clone());
        }
        let recoding = &candidate.outcome.recoding;
        let (table, purpose) = (&self.prepared.table, &self.plan.loaded.policy.purpose);
        let release = recoding.apply(table)?;
        let measures = measure_all(&Comparison { table, recoding, release: &release, purpose })?;
        let metrics = measures.into_iter().map(|(id, measure)| MetricAnswer { id, measure }).collect();
        Ok(candidate.measures.get_or_init(|| Arc::new(RecodedMeasures { release, metrics })).clone())
    }

    fn record_parts<'m>(&'m self, made: &'m MadeRelease<Self>) -> Result<RecordParts<'m>> {
        let (plan, prepared) = (self.plan, self.prepared);
        let recoding = &made.candidate.outcome.recoding;
        let column = |Recoded { column, .. }: &Recoded| {
            body_column((&column.name, column.role, &column.tree), &prepared.schema, &plan.loaded.taxonomies)
        };
        let published = &made.verified.published;
        let links = match &prepared.linked {
            Some(linked) => {
                let places = recoding.places(&prepared.table, &linked.counted, published)?;
                Some(linked.links.remap(&places))
            }
            None => None,
        };
        let RecodedMeasures { release, metrics } = &*made.measured;
        let guarantee = serde_json::to_value(made.candidate.outcome.guarantee).ok();
        Ok(RecordParts {
            body: Body { columns: recoding.columns.iter().map(column).collect(), counts: published.clone() },
            tables: Vec::new(),
            method: None,
            links,
            suppressed: release.suppressed,
            dropped: prepared.table.dropped,
            algorithm: made.candidate.algorithm.clone(),
            guarantee: guarantee.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default(),
            steps: made.candidate.outcome.steps,
            tried: self.tried().iter().map(TriedAnswer::recorded).collect(),
            max_tries: Some(self.max_tries()),
            classes: self.classes(release)?,
            proof: plan.loaded.policy.audit.word(),
            metrics: metrics.iter().map(|metric| (metric.id, metric.measure.value)).collect(),
        })
    }

    fn keep(&self, written: &WrittenRelease) {
        written.keep();
    }

    fn finish(&self, written: &WrittenRelease) -> Result<()> {
        written.finish()
    }

    fn explain(&self, error: Error, recalled: &LoadedHistory, past: &EarlierReleases) -> Error {
        let Error::Library(error @ reticent::Error::Refused(_)) = error else { return error };
        // Remedies assume a fully generalized release, which a baseline for comparison does not make.
        let is_baseline = |id: &&str| algorithms::named(id).is_ok_and(|listed| listed.entry.comparison);
        if self.algorithms().iter().any(is_baseline) {
            return Error::Library(error);
        }
        match self.remedies(recalled, past) {
            Ok(remedies) => Error::Refused { error: Box::new(error), remedies: Box::new(remedies) },
            // If the search for remedies fails, return the refusal without remedies.
            Err(_) => Error::Library(error),
        }
    }
}

impl<'a> RecodeMaker<'a> {
    fn new(plan: &'a Plan<'a>, data: &'a ReleaseData, planning: Planning) -> RecodeMaker<'a> {
        let Planning { search, candidate } = planning;
        let (search, prepared) = (Mutex::new(search), &data.prepared);
        RecodeMaker { plan, data, prepared, output: OnceLock::new(), search, planned: candidate }
    }

    fn with_output(self, output: Output) -> RecodeMaker<'a> {
        RecodeMaker { output: output.into(), ..self }
    }
}

impl RecodeMaker<'_> {
    /// Returns where the release is written.
    fn output(&self) -> Result<&Output> {
        match self.output.get() {
            Some(output) => Ok(output),
            None => {
                let output = Output::open(self.plan)?;
                Ok(self.output.get_or_init(|| output))
            }
        }
    }

    fn into_search(self) -> Search {
        self.search.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Returns the candidate of the plan, unless the history has changed.
    fn planned_candidate(&self, recalled: &LoadedHistory) -> Option<RecodedCandidate> {
        let (head, candidate) = self.planned.as_ref()?;
        (*head == recalled.head).then(|| candidate.clone())
    }

    /// Judges every requirement on records: those of the written file, or those that would be written.
    fn judge(
        &self,
        past: &EarlierReleases,
        candidate: &RecodedCandidate,
        rows: u64,
        counts: Counts,
    ) -> Result<(VerifiedFile, Vec<Statement>)> {
        let context = self.plan.context;
        let published = counts.plain();
        let expected = Expected { recoding: &candidate.outcome.recoding, rows };
        let joins = JoinVerifier {
            history: &past.history,
            joined: &candidate.requirement.joins,
            rules: &candidate.requirement.rules,
            abort: &|| context.check().is_err(),
            max_listed: JoinVerifier::MAX_LISTED,
        };
        let verdict = verify(counts, &expected, &candidate.requirement.models, Some(&joins))?;
        let statements = candidate.requirement.statements(&verdict);
        Ok((VerifiedFile { verdict, published }, statements))
    }

    /// Returns the ids of the algorithms to try: the requested one, or those of the policy.
    fn algorithms(&self) -> Vec<&str> {
        match &self.plan.request.algorithm {
            Some(id) => vec![id],
            None => self.plan.loaded.policy.algorithms.clone(),
        }
    }

    /// Returns the sets of earlier releases to join with this release, given the releases that each coalition holds.
    fn joined_sets(&self, past: &EarlierReleases, by_coalition: &[Vec<usize>]) -> Result<Vec<Vec<usize>>> {
        let policy = &self.plan.loaded.policy;
        let specs = policy.join_model_specs();
        Ok(sets_for(&self.prepared.table, &past.history, by_coalition, policy.breadth, &self.data.rules, &specs)?)
    }

    /// Returns the requirement on the release alone and on its joins with earlier releases.
    fn requirement(&self, recalled: &LoadedHistory, past: &EarlierReleases) -> Result<Requirement> {
        let (Plan { request, loaded, .. }, prepared) = (self.plan, self.prepared);
        let mut requirement = loaded.requirement(&prepared.schema, request.name.as_str(), &recalled.names())?;
        let sets = self.joined_sets(past, &past.by_coalition)?;
        if !sets.is_empty() {
            let columns = prepared.table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
            let new = Member { name: request.name.to_string(), columns, population: false };
            let specs = loaded.policy.join_model_specs();
            let rules = self.data.rules.clone();
            let applies = |spec: usize, set: &[usize]| self.applies_to_join(spec, set, past);
            requirement.join_where(&specs, &loaded.schema, new, &past.history, &sets, rules, &applies)?;
        }
        // Without a sensitive column, there is no posterior.
        let has_sensitive = |releases: &[RecordedRelease]| {
            let mut columns = releases.iter().flat_map(|earlier| &earlier.release.columns);
            columns.any(|column| column.role == Role::Sensitive)
        };
        let shows_values =
            !prepared.table.with_role(Role::Sensitive).is_empty() || has_sensitive(&past.history.releases);
        let is_judged = || self.confidence_spec().is_some() && sets.iter().any(|set| self.are_linked(set, past));
        let gate_judges = shows_values && is_judged();
        match requirement.check() {
            Err(_) if gate_judges => Ok(requirement),
            Err(error) if request.columns.is_some() => Err(Error::ChosenColumns(Box::new(error.into()))),
            checked => Ok(checked.map(|()| requirement)?),
        }
    }

    /// Returns the index of the specification of `confidence` if the gate judges it, by the posteriors given all releases with owner links.
    fn confidence_spec(&self) -> Option<usize> {
        let policy = &self.plan.loaded.policy;
        let is_proved = matches!(policy.audit, Proof::Exact | Proof::Bounds) && self.prepared.linked.is_some();
        let shorthand = policy.shorthand.expand_all();
        shorthand.iter().position(|spec| spec.model == CONFIDENCE_BOUNDING).filter(|_| is_proved)
    }

    /// Returns whether the audit models everything by which records of these releases and of the new one can be linked.
    fn are_linked(&self, set: &[usize], past: &EarlierReleases) -> bool {
        let columns = self.prepared.table.columns.iter().map(|column| (column.name.as_str(), column.role));
        self.prepared.linked.as_ref().is_some_and(|linked| {
            past.are_linked(
                set,
                &NewRelease { links: &linked.links, columns: columns.collect(), rules: &self.data.rules },
            )
        })
    }

    /// Returns whether a specification is required of the join with these releases. Where the gate judges `confidence`, the lossy join is
    /// coarser, because it multiplies shares.
    fn applies_to_join(&self, spec: usize, set: &[usize], past: &EarlierReleases) -> bool {
        self.confidence_spec() != Some(spec) || !self.are_linked(set, past)
    }

    /// Audits a recoding of the table together with the releases that its recipients hold. `published` are its records.
    fn admit(
        &self,
        recoding: &Recoding,
        published: &Counts,
        past: &EarlierReleases,
        gate: &Gate<'_>,
    ) -> reticent::Result<Audited> {
        let candidate = match gate.proof != Proof::Off {
            true => self.as_recorded(recoding, published)?,
            false => self.unrecorded(Release::default()),
        };
        let earlier = |at: usize| past.with_owner_links(at);
        admit_recoded(&candidate, &past.history, &past.by_coalition, &earlier, gate)
    }

    fn task<'t>(&'t self, past: &'t EarlierReleases, requirement: &'t Requirement) -> RecodingTask<'t> {
        let policy = &self.plan.loaded.policy;
        RecodingTask {
            table: &self.prepared.table,
            // Without requirements on joins, the history is not needed.
            history: if requirement.joins.is_empty() {
                const { &History { releases: Vec::new(), erased: Vec::new(), owned: std::collections::BTreeSet::new() } }
            } else {
                &past.history
            },
            requirement,
            purpose: &policy.purpose,
            suppression: policy.suppression,
            values: policy.values,
        }
    }

    /// Searches with one algorithm. After the deadline, the best release so far is returned.
    fn search(&self, algorithm: &str, task: &RecodingTask<'_>, deadline: Option<Instant>) -> Result<SearchOutcome> {
        let Plan { loaded, context, .. } = self.plan;
        let stop = || context.check().is_err() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let progress = |what: &str, done: u64, total: u64| context.progress(what, done, total);
        let abort = || context.check().is_err();
        let control = Control { stop: &stop, abort: &abort, progress: &progress };
        let (arguments, _) = options_for(loaded, algorithm)?;
        let outcome = algorithms::run(algorithm, task, arguments, &control);
        context.check()?;
        Ok(outcome?)
    }

    /// Returns the release as the ledger would record it, with owner links, for the audit.
    fn as_recorded(&self, recoding: &Recoding, published: &Counts) -> reticent::Result<RecordedRelease> {
        let mut release = recoding.apply(&self.prepared.table)?;
        release.contingency = ContingencyTable { owners: None, ..release.contingency }.combined();
        let links = match &self.prepared.linked {
            None => None,
            Some(linked) => {
                let places = recoding.places(&self.prepared.table, &linked.counted, published)?;
                Some(relink(&linked.links.remap(&places), published, &release)?)
            }
        };
        Ok(RecordedRelease { links, ..self.unrecorded(release) }.canonical())
    }

    fn unrecorded(&self, release: Release) -> RecordedRelease {
        RecordedRelease {
            number: 0,
            name: self.plan.request.name.to_string(),
            date: String::new(),
            recipients: self.plan.recipients.clone(),
            population: false,
            presentation: Presentation::default(),
            release,
            links: None,
        }
    }
}

/// Converts links to combinations of the written file into links to combinations of the release in memory.
///
/// # Errors
///
/// Returns an error if a combination is not found: without its people, the audit would underestimate the disclosure.
fn relink(links: &Links, published: &Counts, release: &Release) -> reticent::Result<Links> {
    let order: Vec<Option<usize>> =
        release.columns.iter().map(|column| published.names.iter().position(|name| *name == column.name)).collect();
    let combos = &release.contingency;
    let label = |at: usize, combo: usize| release.columns[at].label(combos.codes[at][combo]);
    let known: HashMap<Vec<&str>, u32> = (0..combos.len())
        .map(|combo| ((0..release.columns.len()).map(|at| label(at, combo)).collect(), combo as u32))
        .collect();
    let texts = |combo: usize| -> Option<Vec<&str>> {
        let text = |at: &Option<usize>| {
            let at = (*at)?;
            Some(published.values[at][published.contingency.codes[at][combo] as usize].as_str())
        };
        order.iter().map(text).collect()
    };
    let place = |combo: usize| texts(combo).and_then(|texts| known.get(&texts).copied());
    let places: Vec<Option<u32>> = (0..published.contingency.len()).map(place).collect();
    if places.contains(&None) {
        return Err(reticent::Error::CannotCheck(Obstacle::PersonNotInFile {}));
    }
    Ok(links.remap(&places))
}
