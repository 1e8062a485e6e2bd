//! Releases by algorithms: a recoding of the table, written to one file.

mod answer;
mod past;

use std::path::Path;
use std::time::Instant;

use hashbrown::HashMap;
use reticent::algorithms::{self, Control, Outcome, Task};
use reticent::audit::{Audited, Proof, admit_recoded};
use reticent::combos::Combos;
use reticent::error::Obstacle;
use reticent::joined::{Member, sets_for};
use reticent::metrics::{Comparison, measure_all};
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::statement::Statement;
use reticent::verify::{Expected, OverJoins, Verdict, verify};
use reticent::{Counts, Disguise, Held, History, Links, Recoded, Refused, Release, Relief};
use reticent_engine::{Compression, Engine, Format, Sink, Written, read_back, read_back_with_owners};
use reticent_ledger::{Body, Ledger};

use super::pipeline::{self, Done, Halfway, Made, Maker, Parts, timed};
use super::plan::{Plan, Recalled, engine_key};
use super::{body_column, scope};
use crate::answer::{Metric, Published};
use crate::dataset::{Prepared, prepare};
use crate::error::{Error, Problem, Result};
use past::{EarlierReleases, unknown_values, unresolved};

/// Publishes by the policy's algorithm, or rehearses it.
pub(crate) fn publish(plan: &Plan<'_>) -> Result<Published> {
    let output = &plan.request.output;
    let format = format_of(output)?;
    plan.check(output)?;
    if output.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Problem::OutputIsFolder { path: output.clone() }.into());
    }
    let (mut recall, mut read) = (0.0, 0.0);
    let (recalled, past) = timed(&mut recall, || -> Result<_> {
        let ledger = plan.open_ledger()?;
        let recalled = Recalled::new(ledger.as_ref(), plan)?;
        let past =
            ledger.map(|ledger| EarlierReleases::load(&ledger, &recalled, plan)).transpose()?.unwrap_or_default();
        Ok((recalled, past))
    })?;
    let (likely, mut other) = unresolved(plan, &recalled)?;
    let owners = match &plan.loaded.policy.owner {
        Some(_) => plan.owner_key(&recalled)?,
        None => None,
    };
    let key = owners.as_ref();
    let named = (plan.request.name.as_str(), recalled.names());
    let columns = plan.request.columns.as_deref();
    let prepared = timed(&mut read, || {
        let named = (named.0, named.1.as_slice());
        prepare(&plan.loaded, &plan.request.data, columns, named, key.map(engine_key), plan.context)
    })?;
    other.extend(unknown_values(plan, &prepared, &past));
    if let (Some(ledger), Some(linked)) = (plan.access.open_if_there()?, &prepared.linked) {
        other.extend(plan.access.strangers(&ledger, &recalled.entries, &linked.links));
    }
    let maker = Recode { plan, prepared: &prepared, format };
    let Done { mut made, recorded, recalled, past } = pipeline::publish(plan, &maker, recalled, past, key)?;
    (made.seconds.recall, made.seconds.read) = (recall, read);
    let is_recorded = recorded.is_some();
    let mut answer = maker.answer(made, recorded, &past)?;
    answer.warnings.extend(likely);
    answer.notes.extend(other);
    answer.notes.extend(recalled.head.is_none().then(|| plan.access.started()).filter(|_| is_recorded));
    answer.notes.extend(plan.access.drawn());
    Ok(answer)
}

/// Makes a release by an algorithm.
pub(crate) struct Recode<'a> {
    plan: &'a Plan<'a>,
    prepared: &'a Prepared,
    format: Format,
}

/// A recoding that satisfies the requirement, as far as the search knows.
pub(crate) struct RecodedRelease {
    algorithm: String,
    requirement: Requirement,
    outcome: Outcome,
}

/// The release in memory, and what it kept or lost.
pub(crate) struct Measured {
    release: Release,
    metrics: Vec<Metric>,
}

/// What was read back, and what was found in it.
pub(crate) struct ReadBack {
    verdict: Verdict,
    published: Counts,
}

impl Maker for Recode<'_> {
    type Past = EarlierReleases;
    type Candidate = RecodedRelease;
    type Written = Written;
    type Verified = ReadBack;
    type Audited = Audited;
    type Measured = Measured;

    fn recall(&self, ledger: &Ledger, recalled: &Recalled) -> Result<EarlierReleases> {
        EarlierReleases::load(ledger, recalled, self.plan)
    }

    fn make(&self, recalled: &Recalled, past: &EarlierReleases, _seed: u64) -> Result<RecodedRelease> {
        let algorithm = self.algorithm().to_owned();
        let requirement = self.requirement(recalled, past)?;
        let outcome = self.search(&algorithm, past, &requirement)?;
        Ok(RecodedRelease { algorithm, requirement, outcome })
    }

    fn write(&self, candidate: &RecodedRelease, seed: u64, release: &Path) -> Result<Written> {
        let sink = Sink { path: release.to_owned(), format: self.format, seed };
        Ok(self.prepared.engine.write(&self.prepared.table, &candidate.outcome.recoding, &sink)?)
    }

    fn verify(&self, made: &Halfway<'_, Self>, release: &Path) -> Result<(ReadBack, Vec<Statement>)> {
        let Halfway { past, candidate, written, .. } = made;
        let context = self.plan.context;
        context.progress("verifying", 0, 0);
        let counts = match &written.owners {
            None => read_back(release, &context.engine_options())?,
            Some(owners) => read_back_with_owners(release, owners, &context.engine_options())?,
        };
        let published = counts.plain();
        let expected = Expected { recoding: &candidate.outcome.recoding, rows: written.rows };
        let joins = OverJoins {
            history: &past.history,
            joined: &candidate.requirement.joined,
            rules: &candidate.requirement.rules,
            abort: &|| context.check().is_err(),
        };
        let verdict = verify(counts, &expected, &candidate.requirement.models, Some(&joins))?;
        let statements = candidate.requirement.statements(&verdict);
        Ok((ReadBack { verdict, published }, statements))
    }

    fn gate(&self, made: &Halfway<'_, Self>, read: &ReadBack) -> Result<(Audited, Vec<Statement>)> {
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let candidate = match gate.confidence.is_some() && gate.proof != Proof::Off {
            true => self.held(&made.candidate.outcome, &read.published)?,
            false => self.unheld(Release::default()),
        };
        let earlier = |at: usize| made.past.with_people(at);
        let audited = admit_recoded(&candidate, &made.past.history, &made.past.held, &earlier, &gate)?;
        let statement = audited.statement(gate.confidence, scope(&made.recalled.judged));
        Ok((audited, vec![statement]))
    }

    fn describe(&self, _: &Halfway<'_, Self>, _: &ReadBack, _: &Audited, _: &Path) -> Result<bool> {
        Ok(false)
    }

    fn measure(&self, _: &EarlierReleases, candidate: &RecodedRelease) -> Result<Measured> {
        let recoding = &candidate.outcome.recoding;
        let (table, purpose) = (&self.prepared.table, &self.plan.loaded.policy.purpose);
        let release = recoding.apply(table)?;
        let measures = measure_all(&Comparison { table, recoding, release: &release, purpose })?;
        let metrics = measures.into_iter().map(|(id, measure)| Metric { id, measure }).collect();
        Ok(Measured { release, metrics })
    }

    fn parts<'m>(&'m self, made: &'m Made<Self>) -> Result<Parts<'m>> {
        let (plan, prepared) = (self.plan, self.prepared);
        let recoding = &made.candidate.outcome.recoding;
        let column = |Recoded { column, .. }: &Recoded| {
            body_column((&column.name, column.role, &column.tree), &prepared.schema, &plan.loaded.taxonomies)
        };
        let published = &made.verified.published;
        let links = match &prepared.linked {
            Some(linked) => {
                let places = recoding.places(&prepared.table, &linked.counted, published)?;
                Some(linked.links.onto(&places))
            }
            None => None,
        };
        let Measured { release, metrics } = &made.measured;
        let guarantee = serde_json::to_value(made.candidate.outcome.guarantee).ok();
        Ok(Parts {
            body: Body { columns: recoding.columns.iter().map(column).collect(), counts: published.clone() },
            tables: Vec::new(),
            method: None,
            links,
            suppressed: release.suppressed,
            dropped: prepared.table.dropped,
            algorithm: made.candidate.algorithm.clone(),
            guarantee: guarantee.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default(),
            steps: made.candidate.outcome.steps,
            classes: self.classes(release)?,
            proof: plan.loaded.policy.audit.word(),
            metrics: metrics.iter().map(|metric| (metric.id, metric.measure.value)).collect(),
        })
    }

    fn explain(&self, error: Error, recalled: &Recalled, past: &EarlierReleases) -> Error {
        let Error::Library(error @ reticent::Error::Refused(_)) = error else { return error };
        // Remedies are known for releases that are as general as they can be, which an algorithm for comparison does not make.
        if reticent::algorithms::named(self.algorithm()).is_ok_and(|listed| listed.entry.comparison) {
            return Error::Library(error);
        }
        match self.relief(recalled, past) {
            Ok(relief) => Error::Refused { error: Box::new(error), relief: Box::new(relief) },
            // A failed search for remedies does not hide the refusal.
            Err(_) => Error::Library(error),
        }
    }
}

impl Recode<'_> {
    /// The algorithm's id.
    fn algorithm(&self) -> &str {
        self.plan.request.algorithm.as_deref().unwrap_or(&self.plan.loaded.policy.algorithm)
    }

    /// The sets of earlier releases that are joined with this one, where coalitions hold these.
    fn sets(&self, past: &EarlierReleases, held: &[Vec<usize>]) -> Result<Vec<Vec<usize>>> {
        let policy = &self.plan.loaded.policy;
        let wordings = policy.wordings_for_joins();
        Ok(sets_for(&self.prepared.table, &past.history, held, policy.breadth, &policy.inconsistent, &wordings)?)
    }

    /// What is required of the release alone, and joined with earlier releases.
    fn requirement(&self, recalled: &Recalled, past: &EarlierReleases) -> Result<Requirement> {
        let (Plan { request, loaded, .. }, prepared) = (self.plan, self.prepared);
        let mut requirement = loaded.requirement(&prepared.schema, request.name.as_str(), &recalled.names())?;
        let sets = self.sets(past, &past.held)?;
        if !sets.is_empty() {
            let columns = prepared.table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
            let new = Member { name: request.name.to_string(), columns };
            let wordings = loaded.policy.wordings_for_joins();
            let rules = loaded.policy.inconsistent.clone();
            requirement.join(&wordings, &loaded.schema, new, &past.history, &sets, rules)?;
        }
        requirement.check().map_err(|error| match request.columns {
            Some(_) => Error::ChosenColumns(Box::new(error.into())),
            None => error.into(),
        })?;
        Ok(requirement)
    }

    fn search(&self, algorithm: &str, past: &EarlierReleases, requirement: &Requirement) -> Result<Outcome> {
        let (Plan { request, loaded, context, .. }, prepared) = (self.plan, self.prepared);
        // Releases that cannot be joined with this one are no history of it.
        let unrelated = History::default();
        let task = Task {
            table: &prepared.table,
            history: if requirement.joined.is_empty() { &unrelated } else { &past.history },
            requirement,
            purpose: &loaded.policy.purpose,
            suppression: loaded.policy.suppression,
        };
        let deadline = request.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let stop = || context.check().is_err() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let progress = |what: &str, done: u64, total: u64| context.progress(what, done, total);
        let abort = || context.check().is_err();
        let control = Control { stop: &stop, abort: &abort, progress: &progress };
        // The policy's options belong to the policy's algorithm.
        let arguments =
            if algorithm == loaded.policy.algorithm { loaded.policy.options.clone() } else { Arguments::default() };
        let outcome = algorithms::run(algorithm, &task, arguments, &control);
        context.check()?;
        Ok(outcome?)
    }

    /// The release as an attacker holds it, with its owner links.
    fn held(&self, outcome: &Outcome, published: &Counts) -> Result<Held> {
        let mut release = outcome.recoding.apply(&self.prepared.table)?;
        release.combos = Combos { owners: None, ..release.combos }.combined();
        let links = match &self.prepared.linked {
            None => None,
            Some(linked) => {
                let places = outcome.recoding.places(&self.prepared.table, &linked.counted, published)?;
                Some(onto(&linked.links.onto(&places), published, &release)?)
            }
        };
        Ok(Held { links, ..self.unheld(release) }.canonical())
    }

    fn unheld(&self, release: Release) -> Held {
        Held {
            number: 0,
            name: self.plan.request.name.to_string(),
            date: String::new(),
            recipients: self.plan.to.clone(),
            disguise: Disguise::default(),
            release,
            links: None,
        }
    }

    fn relief(&self, recalled: &Recalled, past: &EarlierReleases) -> Result<Relief> {
        let Plan { request, loaded, context, access, to, .. } = self.plan;
        context.progress("looking for what would help", 0, 0);
        let policy = &loaded.policy;
        let refused = Refused {
            name: request.name.as_str(),
            table: &self.prepared.table,
            schema: &loaded.schema,
            wordings: &policy.wordings_for_joins(),
            short: policy.short.expand_all().len(),
            history: &past.history,
            sets: &self.sets(past, &past.held)?,
            rules: &policy.inconsistent,
        };
        let mut recipients = Vec::new();
        for one in to.iter().filter(|_| to.len() > 1 && !past.held.is_empty()) {
            let others: Vec<String> = to.iter().filter(|other| *other != one).cloned().collect();
            let held = past.places(&access.held(&recalled.entries, &others)?);
            recipients.push((one.clone(), self.sets(past, &held)?));
        }
        let audited_besides = policy.short.confidence.is_some() && policy.audit != Proof::Off;
        Ok(Relief { audited_besides, ..refused.relief(&recipients)? })
    }
}

/// Links to published texts, turned into links to the release that has them. A person who is not found in it again is an error:
/// without them less would seem to be disclosed than is.
fn onto(links: &Links, published: &Counts, release: &Release) -> Result<Links> {
    let order: Vec<Option<usize>> =
        release.columns.iter().map(|column| published.names.iter().position(|name| *name == column.name)).collect();
    let combos = &release.combos;
    let label = |at: usize, combo: usize| release.columns[at].label(combos.codes[at][combo]);
    let known: HashMap<Vec<&str>, u32> = (0..combos.len())
        .map(|combo| ((0..release.columns.len()).map(|at| label(at, combo)).collect(), combo as u32))
        .collect();
    let texts = |combo: usize| -> Option<Vec<&str>> {
        let text = |at: &Option<usize>| {
            let at = (*at)?;
            Some(published.values[at][published.combos.codes[at][combo] as usize].as_str())
        };
        order.iter().map(text).collect()
    };
    let place = |combo: usize| texts(combo).and_then(|texts| known.get(&texts).copied());
    let places: Vec<Option<u32>> = (0..published.combos.len()).map(place).collect();
    if places.contains(&None) {
        return Err(reticent::Error::CannotCheck(Obstacle::PersonNotInFile {}).into());
    }
    Ok(links.onto(&places))
}

/// The format that a file's name asks for.
fn format_of(path: &Path) -> Result<Format> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    match &name {
        name if name.ends_with(".csv") => Ok(Format::Csv(Compression::None)),
        name if name.ends_with(".csv.gz") => Ok(Format::Csv(Compression::Gzip)),
        name if name.ends_with(".csv.zst") => Ok(Format::Csv(Compression::Zstd)),
        name if name.ends_with(".parquet") => Ok(Format::Parquet),
        _ => Err(Problem::OutputFormat { path: path.to_owned() }.into()),
    }
}
