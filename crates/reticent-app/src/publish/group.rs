//! Releases by a republication method: a table that changes over time, published as a folder of tables.

mod answer;
mod past;
mod readme;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use reticent::audit::{AuditedColumn, AuditedGroups, GroupedCandidate, admit_grouped};
use reticent::error::Refusal;
use reticent::policy::MethodPolicy;
use reticent::registry::Arguments;
use reticent::republication::{self, Departures, GroupingOutcome, PersonState, PublishedTables, SourceRecord, Utility};
use reticent::statement::{Outcome, Parameter, Scope, Statement, TABLES_MATCH};
use reticent::taxonomy::Type;
use reticent::{Confidence, Counts, Presentation, Ratio, RecordedRelease, Release, Role};
use reticent_engine::Engine;
use reticent_ledger::{Body, BodyColumn, BodyTree, Key, Ledger, MethodRecord, StoredBlob};

use super::pipeline::{self, MadeRelease, Maker, PipelineResult, RecordParts, WrittenCandidate, timed};
use super::plan::{LoadedHistory, Plan, engine_key};
use super::{body_column, scope};
use crate::answer::GroupedAnswer;
use crate::dataset::{PreparedData, prepare};
use crate::error::{Error, Problem, Result};
use crate::ledger_access::UNKNOWN_OWNERS;
use crate::request::PublishRequest;
use answer::{promised, withheld};
use past::EarlierSeries;
use tables::TableNames;

pub(crate) use tables::PEOPLE;

/// Publishes or rehearses a release by the republication method of the policy.
pub(crate) fn publish(plan: &Plan<'_>, method: MethodPolicy) -> Result<GroupedAnswer> {
    check_request(plan)?;
    plan.check(&plan.request.output)?;
    let arguments = plan.loaded.policy.options.clone().checked(&method.def.entry)?;
    let (mut load_seconds, mut read) = (0.0, 0.0);
    let (recalled, past, key) = timed(&mut load_seconds, || -> Result<_> {
        let ledger = plan.open_ledger()?;
        let recalled = LoadedHistory::new(ledger.as_ref(), plan)?;
        let key = plan.owner_key(&recalled)?;
        let sensitive = plan.loaded.schema.with_role(Role::Sensitive);
        let is_published = |name: &&str| {
            plan.request.columns.as_ref().is_none_or(|columns| columns.iter().any(|column| column == name))
        };
        let sensitive: Vec<&str> = sensitive.iter().map(String::as_str).filter(is_published).collect();
        let load = |ledger| EarlierSeries::load(&ledger, &recalled, (&key, &sensitive), plan);
        let past = ledger.map(load).transpose()?.unwrap_or_default();
        Ok((recalled, past, key))
    })?;
    let (prepared, records) = timed(&mut read, || -> Result<_> {
        let columns = plan.request.columns.as_deref();
        let named = (plan.request.name.as_str(), [].as_slice());
        let owner = Some(engine_key(&key));
        let prepared = prepare(&plan.loaded, &plan.request.data, columns, named, owner, plan.context)?
            .with_suppressed_values(&plan.loaded.policy)?;
        let records = records(&prepared, &key)?;
        Ok((prepared, records))
    })?;
    plan.check_unrelated(&recalled, prepared.linked.as_ref().map(|linked| &linked.links))?;
    let maker = GroupMaker { plan, method, arguments, prepared: &prepared, records, key: &key };
    let PipelineResult { mut made, recorded, recalled, past } =
        pipeline::publish(plan, &maker, recalled, past, Some(&key))?;
    (made.seconds.load_history, made.seconds.read) = (load_seconds, read);
    let is_recorded = recorded.is_some();
    let mut answer = maker.answer(made, recorded, &recalled, &past)?;
    answer.notes.extend(plan.access.data_sets.notes(&recalled.entries, &recalled.earlier));
    answer.notes.extend(recalled.head.is_none().then(|| plan.access.started_note()).filter(|_| is_recorded));
    answer.notes.extend(plan.access.take_key_note());
    let classes = || past.state.classes.iter().map(|classes| &classes.release);
    let known = |record: &SourceRecord| {
        let in_class = classes().any(|release| release.people.binary_search(&record.person).is_ok());
        in_class || past.state.marks.get(record.person).is_some()
    };
    let is_first = past.state.marks.is_empty() && classes().all(|release| release.people.is_empty());
    if !is_first && !maker.records.iter().any(known) {
        answer.notes.push(UNKNOWN_OWNERS.to_owned());
    }
    Ok(answer)
}

/// Returns the request with the output path without a trailing slash.
pub(crate) fn folder_request(request: &PublishRequest) -> PublishRequest {
    PublishRequest { output: request.output.components().collect(), ..request.clone() }
}

/// Returns an error if the request has an option that republication methods do not support.
fn check_request(plan: &Plan<'_>) -> Result<()> {
    let Plan { request, loaded, .. } = plan;
    let not_for = |option| Err(Error::from(Problem::OptionForAlgorithms { option }));
    if request.algorithm.is_some() {
        return not_for("algorithm");
    }
    if request.time_limit.is_some() {
        return not_for("time-limit");
    }
    if request.changes.k.is_some() {
        return not_for("k");
    }
    if request.changes.suppression.is_some() {
        return not_for("suppression");
    }
    let name = request.output.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if [".csv", ".csv.gz", ".csv.zst", ".parquet"].iter().any(|ending| name.ends_with(ending)) {
        let (path, instead) = (request.output.clone(), request.output.with_extension(""));
        return Err(Problem::OutputNotFolder { path, instead }.into());
    }
    let chosen = |name: &str| request.columns.as_ref().is_none_or(|columns| columns.iter().any(|one| one == name));
    let others = loaded.policy.columns.iter().filter(|column| column.role == Role::Other && chosen(&column.name));
    let names: Vec<&str> = others.map(|column| column.name.as_str()).collect();
    match names.is_empty() {
        false => Err(Problem::RoleOtherByMethod { column: names.join(", ") }.into()),
        true => Ok(()),
    }
}

/// Returns the records with their owners and a keyed hash of their sensitive values.
fn records(prepared: &PreparedData, key: &Key) -> Result<Vec<SourceRecord>> {
    let table = &prepared.table;
    let Some(linked) = &prepared.linked else { return Err(Problem::OwnersUnknown.into()) };
    let places = table.places(&linked.counted);
    let links = &linked.links;
    // Links are sorted by pseudonym.
    let owners = links.pseudonyms.chunk_by(|one, other| one == other).count() as u64;
    let repeated = links.records.iter().map(|records| u64::from(*records)).sum::<u64>() - owners;
    if repeated > 0 {
        return Err(Problem::SeveralRecords { records: repeated }.into());
    }
    // Sort by name, so that the hash does not depend on the order of columns in the policy.
    let mut sensitive = table.with_role(Role::Sensitive);
    sensitive.sort_by(|one, other| table.columns[*one].name.cmp(&table.columns[*other].name));
    let record = |at: usize| {
        let (person, combo) = (links.pseudonyms[at], places[links.cells[at] as usize]?);
        let value =
            |column: &usize| table.columns[*column].tree.value(table.contingency.codes[*column][combo as usize]);
        Some(SourceRecord { person, row: combo, value_mark: key.value_hash(person, sensitive.iter().map(value)) })
    };
    let records: Vec<SourceRecord> = (0..links.len()).into_par_iter().filter_map(record).collect();
    debug_assert!(records.is_sorted());
    Ok(records)
}

/// Maker of releases by a republication method.
pub(crate) struct GroupMaker<'a> {
    plan: &'a Plan<'a>,
    method: MethodPolicy,
    arguments: Arguments,
    prepared: &'a PreparedData,
    /// One record per owner, in ascending order of owner.
    records: Vec<SourceRecord>,
    key: &'a Key,
}

/// Groups of people with their published tables.
pub(crate) struct GroupedRelease {
    outcome: GroupingOutcome,
    /// State of each owner that the ledger stores for the next release.
    remembered: Vec<PersonState>,
    published: PublishedTables,
    names: TableNames,
    departures: Departures,
    /// Seed of all random choices.
    seed: u64,
}

impl Maker for GroupMaker<'_> {
    type Past = EarlierSeries;
    type Candidate = GroupedRelease;
    /// Number of cells that were escaped because they look like a formula.
    type Written = u64;
    /// Tables that were read back.
    type Verified = PublishedTables;
    type Audited = AuditedGroups;
    type Measured = Utility;

    fn engine(&self) -> &dyn Engine {
        self.prepared.engine.as_ref()
    }

    fn load_earlier(&self, ledger: &Ledger, recalled: &LoadedHistory) -> Result<EarlierSeries> {
        EarlierSeries::load(ledger, recalled, (self.key, &self.sensitive_columns()), self.plan)
    }

    fn make(&self, _recalled: &LoadedHistory, past: &EarlierSeries, seed: u64, _way: usize) -> Result<GroupedRelease> {
        past.check(&self.sensitive_columns())?;
        self.plan.context.busy("grouping");
        let task = self.task(past, seed);
        let promise = |column: &str| (self.method.def.promise)(&self.arguments, column);
        let departures = republication::departures(&task, &promise)?;
        let outcome = republication::run(self.method.def.entry.id, &task, self.plan.loaded.policy.options.clone())
            .map_err(|error| self.with_departures(error, &departures))?;
        if outcome.groups.is_empty() {
            return Err(reticent::Error::Refused(no_group(&outcome)).into());
        }
        let people: u64 = outcome.groups.iter().map(|group| group.members.len() as u64).sum();
        if people < task.k {
            return Err(reticent::Error::Refused(Refusal::TooFewForClass { people, k: task.k }).into());
        }
        let published = PublishedTables::new(&task, &outcome, self.method.form);
        let (remembered, names) = (outcome.person_states(&task), TableNames::new(&published));
        Ok(GroupedRelease { outcome, remembered, published, names, departures, seed })
    }

    fn write(&self, candidate: &GroupedRelease, seed: u64, release: &Path) -> Result<u64> {
        candidate.names.write(&candidate.published, release, seed, &self.plan.context.engine_options())
    }

    fn verify(&self, made: &WrittenCandidate<'_, Self>, release: &Path) -> Result<(PublishedTables, Vec<Statement>)> {
        self.plan.context.busy("verifying");
        let GroupedRelease { published, names: tables, seed, .. } = made.candidate;
        let (read, differing) = tables.read(published, release, &self.plan.context.engine_options())?;
        republication::verify(&self.task(made.past, *seed), &read)?;
        let k = self.plan.loaded.policy.shorthand.k.into_iter().flat_map(|k| {
            let small = read.class_sizes().into_iter().filter(|size| *size < k).count() as u64;
            let parameters = [
                ("k".to_owned(), Parameter::Whole(k)),
                ("on".to_owned(), Parameter::List(self.prepared.schema.with_role(Role::QuasiIdentifier))),
            ];
            let parameters: BTreeMap<String, Parameter> = parameters.into();
            // The covers of several releases intersect in fewer people.
            let series = (!made.past.history.releases.is_empty()).then(|| Statement {
                model: "k-anonymity".to_owned(),
                parameters: parameters.clone(),
                scope: Scope::History,
                outcome: Outcome::Skipped { reason: "joins-not-judged".to_owned() },
            });
            [Statement::judged("k-anonymity", parameters, Scope::This, small)].into_iter().chain(series)
        });
        let names = [PEOPLE.to_owned()].into_iter().chain(tables.lists.iter().cloned()).chain(tables.marginals.clone());
        let parameters = [("tables".to_owned(), Parameter::List(names.collect()))].into();
        let tables = Statement::judged(TABLES_MATCH, parameters, Scope::This, differing);
        let statements = [tables].into_iter().chain(k).collect();
        Ok((read, statements))
    }

    fn gate(
        &self,
        made: &WrittenCandidate<'_, Self>,
        published: &PublishedTables,
    ) -> Result<(AuditedGroups, Vec<Statement>)> {
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let tables = republication::recorded_releases(published, &self.prepared.table.columns, &self.unrecorded())?;
        let bounds = self.bounds(gate.confidence)?;
        let candidate = GroupedCandidate {
            method: self.method.def.entry.id,
            tables: &tables,
            group_column: &published.group,
            has_marginals: !published.marginals.is_empty(),
            bounds: &bounds,
            linkage_bound: self.method.def.linkage_bound(&self.arguments)?,
        };
        let audited =
            admit_grouped(&candidate, &made.past.history, &made.recalled.by_coalition, &made.past.series, &gate)?;
        let promises = self.promises()?;
        let bound = |column: &AuditedColumn| {
            let promise = promises.iter().find(|(known, _)| *known == column.column);
            promise.map_or_else(|| column.confidence.to_string(), |(_, bound)| bound.fraction())
        };
        let statements = audited.statements(&candidate, gate.reidentification, &scope(&made.recalled.judged), &bound);
        Ok((audited, statements))
    }

    fn describe(
        &self,
        made: &WrittenCandidate<'_, Self>,
        published: &PublishedTables,
        audited: &AuditedGroups,
        release: &Path,
    ) -> Result<bool> {
        let text = readme::readme(
            self,
            published,
            (&made.candidate.names, made.candidate.outcome.continued),
            audited,
            &made.recalled.judged,
        )?;
        tables::write_readme(release, &text)?;
        Ok(true)
    }

    fn measure(&self, past: &EarlierSeries, candidate: &GroupedRelease) -> Result<Utility> {
        let task = self.task(past, candidate.seed);
        Ok(republication::utility(&task, &candidate.outcome, self.method.form))
    }

    fn record_parts<'m>(&'m self, made: &'m MadeRelease<Self>) -> Result<RecordParts<'m>> {
        let GroupedRelease { outcome, remembered, names: tables, .. } = &made.candidate;
        let published = &made.verified;
        let lists = published.lists.iter().zip(&tables.lists).map(|(list, name)| (name, &list.counts, list.is_set));
        let marginals = published.marginals.iter().zip(&tables.marginals).map(|(counts, name)| (name, counts, false));
        let body = |counts: &Counts| self.body(counts, &published.group);
        let proof = made.audited.as_ref().map_or(self.plan.loaded.policy.audit, |audited| audited.proof);
        let utility = &made.measured;
        let metrics = [("iloss", Some(utility.iloss)), ("query-error", utility.query_error)];
        Ok(RecordParts {
            body: body(&published.people),
            tables: lists.chain(marginals).map(|(name, counts, set)| (name.clone(), body(counts), set)).collect(),
            method: Some((self.method_record(made)?, remembered)),
            links: published.people.links.clone(),
            suppressed: (outcome.postponed.len() + outcome.withheld.len()) as u64,
            dropped: self.prepared.table.dropped,
            algorithm: self.method.def.entry.id.to_owned(),
            guarantee: "safe".to_owned(),
            steps: outcome.groups.len() as u64,
            tried: Vec::new(),
            max_tries: None,
            classes: outcome.groups.len() as u64,
            proof: proof.word(),
            metrics: metrics.into_iter().filter_map(|(id, value)| Some((id, value?))).collect(),
        })
    }

    fn explain(&self, error: Error, _: &LoadedHistory, _: &EarlierSeries) -> Error {
        error
    }
}

impl GroupMaker<'_> {
    /// Returns the minimum number of people with equal published quasi-identifiers.
    fn k(&self) -> u64 {
        self.plan.loaded.policy.shorthand.k.unwrap_or(1)
    }

    /// Returns the posterior bound that the method guarantees for each sensitive attribute.
    fn promises(&self) -> Result<Vec<(String, Ratio)>> {
        let promise = |column: &str| {
            let bound = (self.method.def.promise)(&self.arguments, column).transpose()?;
            Some(bound.map(|bound| (column.to_owned(), bound)).map_err(Error::from))
        };
        self.sensitive_columns().into_iter().filter_map(promise).collect()
    }

    /// Returns the posterior bound that the method guarantees for a column, if any.
    fn promise(&self, column: &str) -> Result<Option<Ratio>> {
        Ok((self.method.def.promise)(&self.arguments, column)?)
    }

    /// Returns the bound for each sensitive attribute: the minimum of the guarantee and the confidence bound of the policy.
    fn bounds(&self, confidence: Option<Confidence>) -> Result<Vec<(String, Ratio)>> {
        let confidence_bound = confidence.map(Confidence::exact);
        let mut bounds = Vec::new();
        for column in self.sensitive_columns() {
            let bound = [self.promise(column)?, confidence_bound].into_iter().flatten().min();
            bounds.extend(bound.map(|bound| (column.to_owned(), bound)));
        }
        Ok(bounds)
    }

    /// Returns the published sensitive attributes.
    fn sensitive_columns(&self) -> Vec<&str> {
        let table = &self.prepared.table;
        table.with_role(Role::Sensitive).into_iter().map(|at| table.columns[at].name.as_str()).collect()
    }

    /// Returns the task of the method.
    fn task<'t>(&'t self, past: &'t EarlierSeries, seed: u64) -> republication::RepublicationTask<'t> {
        republication::RepublicationTask {
            table: &self.prepared.table,
            records: &self.records,
            past: &past.state,
            k: self.k(),
            seed,
        }
    }

    /// Adds what deleting the leavers would disclose to a refusal, if the method covers several releases but no deletions.
    fn with_departures(&self, error: reticent::Error, departures: &Departures) -> Error {
        let updates = &self.method.def.updates;
        let covered = updates.delete || !updates.again;
        match error {
            error @ reticent::Error::Refused(_) if !covered => {
                Error::Departures { error: Box::new(error), departures: Box::new(departures.clone()) }
            }
            error => error.into(),
        }
    }

    /// Returns the release without its tables, as the ledger would record it.
    fn unrecorded(&self) -> RecordedRelease {
        RecordedRelease {
            number: 0,
            name: self.plan.request.name.to_string(),
            date: String::new(),
            recipients: self.plan.recipients.clone(),
            population: false,
            presentation: Presentation::default(),
            release: Release::default(),
            links: None,
        }
    }

    /// Returns a table with the description of its columns, for the ledger.
    fn body(&self, counts: &Counts, group: &str) -> Body {
        let table = &self.prepared.table;
        let column = |name: &String| match table.columns.iter().find(|column| column.name == *name) {
            Some(column) if name != group => {
                let schema = &self.prepared.schema;
                body_column((name, column.role, &column.tree), schema, &self.plan.loaded.taxonomies)
            }
            _ => BodyColumn {
                name: name.clone(),
                role: Role::QuasiIdentifier,
                values: Type::Text,
                tree: BodyTree::Flat,
                missing: Vec::new(),
                published: Default::default(),
            },
        };
        Body { columns: counts.names.iter().map(column).collect(), counts: Counts { links: None, ..counts.clone() } }
    }

    fn method_record(&self, made: &MadeRelease<Self>) -> Result<MethodRecord> {
        let outcome = &made.candidate.outcome;
        Ok(MethodRecord {
            id: self.method.def.entry.id.to_owned(),
            form: self.method.form.word().to_owned(),
            promise: promised(self)?,
            records: self.method.def.linkage_bound(&self.arguments)?.map(|bound| bound.fraction()),
            left: None,
            groups: outcome.groups.len() as u64,
            continued: outcome.continued,
            counterfeits: made.verified.counterfeits(),
            waiting: outcome.postponed.len() as u64,
            withheld: withheld(&outcome.withheld),
            remembered: StoredBlob { sha256: reticent_ledger::Hash::digest(b""), bytes: 0 },
        })
    }
}

/// Returns the refusal of a release in which no group could be formed.
fn no_group(outcome: &GroupingOutcome) -> Refusal {
    let records = |many: u64| reticent::text::counted(many, "record");
    let withheld = withheld(&outcome.withheld);
    let mut reasons: Vec<String> = withheld
        .iter()
        .map(|one| format!("{} withheld: {}", records(one.records), republication::withheld_text(&one.reason)))
        .collect();
    let postponed = outcome.postponed.len() as u64;
    if postponed > 0 {
        reasons.push(format!("{} postponed until a group can be formed", records(postponed)));
    }
    let reasons = (!reasons.is_empty()).then(|| reasons.join("; "));
    Refusal::NoGroup { withheld: withheld.iter().map(|one| one.records).sum(), postponed, why: reasons }
}
