//! Releases by republication methods: the same table again, with people who came and went. A release is a folder of tables.

mod answer;
mod past;
mod readme;
mod tables;

use std::path::Path;

use rayon::prelude::*;
use reticent::audit::{AuditedColumn, AuditedGroups, GroupedCandidate, admit_grouped};
use reticent::error::Refusal;
use reticent::methods::{self, Leaving, Outcome, Record, Remembered, Shown, Utility};
use reticent::policy::MethodPolicy;
use reticent::registry::Arguments;
use reticent::statement::{Parameter, Scope, Statement, TABLES_MATCH};
use reticent::taxonomy::Type;
use reticent::{Confidence, Counts, Disguise, Held, Release, Role, Share};
use reticent_ledger::{Body, BodyColumn, BodyTree, Identity, Key, KeyFile, Ledger, MethodRecord, Stored};

use super::pipeline::{self, Done, Halfway, Made, Maker, Parts, timed};
use super::plan::{Plan, Recalled, engine_key};
use super::{body_column, scope};
use crate::answer::PublishedGroups;
use crate::dataset::{Prepared, prepare};
use crate::error::{Error, Problem, Result};
use crate::ledger_access::STRANGERS;
use crate::request::PublishRequest;
use answer::{promised, withheld};
use past::EarlierSeries;
use tables::Tables;

pub(crate) use tables::PEOPLE;

/// Publishes by the policy's method, or rehearses it.
pub(crate) fn publish(plan: &Plan<'_>, method: MethodPolicy) -> Result<PublishedGroups> {
    check_request(plan)?;
    plan.check(&plan.request.output)?;
    let arguments = plan.loaded.policy.options.clone().checked(&method.listed.entry)?;
    let (mut recall, mut read) = (0.0, 0.0);
    let (recalled, past, key) = timed(&mut recall, || -> Result<_> {
        let ledger = plan.open_ledger()?;
        let recalled = Recalled::new(ledger.as_ref(), plan)?;
        let key = match plan.owner_key(&recalled)? {
            Some(key) => key,
            None => KeyFile::passing()?.of_ledger(&Identity::draw()?),
        };
        let past = ledger.map(|ledger| EarlierSeries::load(&ledger, &recalled, &key)).transpose()?.unwrap_or_default();
        Ok((recalled, past, key))
    })?;
    let (prepared, records) = timed(&mut read, || -> Result<_> {
        let columns = plan.request.columns.as_deref();
        let named = (plan.request.name.as_str(), [].as_slice());
        let owner = Some(engine_key(&key));
        let prepared = prepare(&plan.loaded, &plan.request.data, columns, named, owner, plan.context)?;
        let records = records(&prepared, &key)?;
        Ok((prepared, records))
    })?;
    let maker = Group { plan, method, arguments, prepared: &prepared, records, key: &key };
    let Done { mut made, recorded, recalled, past } = pipeline::publish(plan, &maker, recalled, past, Some(&key))?;
    (made.seconds.recall, made.seconds.read) = (recall, read);
    let is_recorded = recorded.is_some();
    let mut answer = maker.answer(made, recorded, &recalled, &past)?;
    answer.notes.extend(recalled.head.is_none().then(|| plan.access.started()).filter(|_| is_recorded));
    answer.notes.extend(plan.access.drawn());
    let known = |record: &Record| past.state.marks.get(record.who).is_some();
    if !past.state.marks.is_empty() && !maker.records.iter().any(known) {
        answer.notes.push(STRANGERS.to_owned());
    }
    Ok(answer)
}

/// The request with the name of the folder as it is, without a slash behind it.
pub(crate) fn folder_request(request: &PublishRequest) -> PublishRequest {
    PublishRequest { output: request.output.components().collect(), ..request.clone() }
}

/// What is asked for must be something that a method does.
fn check_request(plan: &Plan<'_>) -> Result<()> {
    let Plan { request, loaded, rehearsal, .. } = plan;
    let not_for = |option| Err(Error::from(Problem::OptionForAlgorithms { option }));
    if request.algorithm.is_some() {
        return not_for("algorithm");
    }
    if request.time_limit.is_some() {
        return not_for("time-limit");
    }
    if rehearsal.is_some_and(|what_if| what_if.k().is_some()) {
        return not_for("k");
    }
    let name = request.output.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if [".csv", ".csv.gz", ".csv.zst", ".parquet"].iter().any(|ending| name.ends_with(ending)) {
        let (path, instead) = (request.output.clone(), request.output.with_extension(""));
        return Err(Problem::OutputNotFolder { path, instead }.into());
    }
    let chosen = |name: &str| request.columns.as_ref().is_none_or(|columns| columns.iter().any(|one| one == name));
    match loaded.policy.columns.iter().find(|column| column.role == Role::Other && chosen(&column.name)) {
        Some(column) => Err(Problem::RoleOtherByMethod { column: column.name.clone() }.into()),
        None => Ok(()),
    }
}

/// The records, each with its owner and a mark of its sensitive values.
fn records(prepared: &Prepared, key: &Key) -> Result<Vec<Record>> {
    let table = &prepared.table;
    let Some(linked) = &prepared.linked else { return Err(Problem::OwnersUnknown.into()) };
    let places = table.places(&linked.counted);
    let links = &linked.links;
    let several = (0..links.len())
        .filter(|at| links.records[*at] > 1 || *at > 0 && links.pseudonyms[*at] == links.pseudonyms[*at - 1])
        .count() as u64;
    if several > 0 {
        return Err(Problem::SeveralRecords { records: several }.into());
    }
    // The order of columns in the policy has no meaning.
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

/// Makes a release by a republication method.
pub(crate) struct Group<'a> {
    plan: &'a Plan<'a>,
    method: MethodPolicy,
    arguments: Arguments,
    prepared: &'a Prepared,
    /// One record for each owner, ascending by owner.
    records: Vec<Record>,
    key: &'a Key,
}

/// Groups of people, and their tables.
pub(crate) struct GroupedRelease {
    outcome: Outcome,
    /// What is kept of owners for the next release.
    remembered: Vec<Remembered>,
    shown: Shown,
    tables: Tables,
    leaving: Leaving,
    /// Decides all chance.
    seed: u64,
}

impl Maker for Group<'_> {
    type Past = EarlierSeries;
    type Candidate = GroupedRelease;
    /// How many cells were neutralised.
    type Written = u64;
    /// The tables, as they were read back.
    type Verified = Shown;
    type Audited = AuditedGroups;
    type Measured = Utility;

    fn recall(&self, ledger: &Ledger, recalled: &Recalled) -> Result<EarlierSeries> {
        EarlierSeries::load(ledger, recalled, self.key)
    }

    fn make(&self, _recalled: &Recalled, past: &EarlierSeries, seed: u64) -> Result<GroupedRelease> {
        past.check(&self.sensitive())?;
        self.plan.context.busy("grouping");
        let task = self.task(past, seed);
        let promise = |column: &str| (self.method.listed.promise)(&self.arguments, column);
        let leaving = methods::leaving(&task, &promise)?;
        let outcome = methods::run(self.method.listed.entry.id, &task, self.plan.loaded.policy.options.clone())
            .map_err(|error| self.with_leaving(error, &leaving))?;
        if outcome.groups.is_empty() {
            return Err(reticent::Error::Refused(nothing(&outcome)).into());
        }
        let shown = Shown::of(&task, &outcome, self.method.form);
        let (remembered, tables) = (outcome.remembered(&task), Tables::of(&shown));
        Ok(GroupedRelease { outcome, remembered, shown, tables, leaving, seed })
    }

    fn write(&self, candidate: &GroupedRelease, seed: u64, release: &Path) -> Result<u64> {
        candidate.tables.write(&candidate.shown, release, seed, &self.plan.context.engine_options())
    }

    fn verify(&self, made: &Halfway<'_, Self>, release: &Path) -> Result<(Shown, Vec<Statement>)> {
        self.plan.context.busy("verifying");
        let GroupedRelease { shown, tables, seed, .. } = made.candidate;
        let (read, differing) = tables.read(shown, release, &self.plan.context.engine_options())?;
        methods::prove(&self.task(made.past, *seed), &read)?;
        let names = [PEOPLE.to_owned()].into_iter().chain(tables.lists.iter().cloned()).chain(tables.marginals.clone());
        let parameters = [("tables".to_owned(), Parameter::List(names.collect()))].into();
        Ok((read, vec![Statement::judged(TABLES_MATCH, parameters, Scope::This, differing)]))
    }

    fn gate(&self, made: &Halfway<'_, Self>, shown: &Shown) -> Result<(AuditedGroups, Vec<Statement>)> {
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let tables = methods::held(shown, &self.prepared.table.columns, &self.unheld())?;
        let bounds = self.bounds(gate.confidence)?;
        let candidate = GroupedCandidate {
            method: self.method.listed.entry.id,
            tables: &tables,
            group: &shown.group,
            marginals: !shown.marginals.is_empty(),
            bounds: &bounds,
            linked: self.method.listed.linked(&self.arguments)?,
        };
        let audited = admit_grouped(&candidate, &made.past.history, &made.recalled.held, &made.past.series, &gate)?;
        let promises = self.promises()?;
        let bound = |column: &AuditedColumn| {
            let promise = promises.iter().find(|(known, _)| *known == column.column);
            promise.map_or_else(|| column.confidence.to_string(), |(_, most)| most.fraction())
        };
        let statements = audited.statements(&candidate, &scope(&made.recalled.judged), &bound);
        Ok((audited, statements))
    }

    fn describe(
        &self,
        made: &Halfway<'_, Self>,
        shown: &Shown,
        audited: &AuditedGroups,
        release: &Path,
    ) -> Result<bool> {
        let text = readme::readme(self, shown, &made.candidate.tables, audited, &made.recalled.judged)?;
        tables::explain(release, &text)?;
        Ok(true)
    }

    fn measure(&self, past: &EarlierSeries, candidate: &GroupedRelease) -> Result<Utility> {
        let task = self.task(past, candidate.seed);
        Ok(methods::utility(&task, &candidate.outcome, self.method.form))
    }

    fn parts<'m>(&'m self, made: &'m Made<Self>) -> Result<Parts<'m>> {
        let GroupedRelease { outcome, remembered, tables, .. } = &made.candidate;
        let shown = &made.verified;
        let lists = shown.lists.iter().zip(&tables.lists).map(|(list, name)| (name, &list.counts, list.set));
        let marginals = shown.marginals.iter().zip(&tables.marginals).map(|(counts, name)| (name, counts, false));
        let body = |counts: &Counts| self.body(counts, &shown.group);
        let proof = made.audited.as_ref().map_or(self.plan.loaded.policy.audit, |audited| audited.proof);
        let utility = &made.measured;
        let metrics = [("iloss", Some(utility.iloss)), ("query-error", utility.query_error)];
        Ok(Parts {
            body: body(&shown.people),
            tables: lists.chain(marginals).map(|(name, counts, set)| (name.clone(), body(counts), set)).collect(),
            method: Some((self.method_record(made)?, remembered)),
            links: shown.people.links.clone(),
            suppressed: (outcome.waiting.len() + outcome.withheld.len()) as u64,
            dropped: self.prepared.table.dropped,
            algorithm: self.method.listed.entry.id.to_owned(),
            guarantee: "safe".to_owned(),
            steps: outcome.groups.len() as u64,
            classes: outcome.groups.len() as u64,
            proof: proof.word(),
            metrics: metrics.into_iter().filter_map(|(id, value)| Some((id, value?))).collect(),
        })
    }

    fn explain(&self, error: Error, _: &Recalled, _: &EarlierSeries) -> Error {
        error
    }
}

impl Group<'_> {
    /// The promise of the method for every sensitive column that has one.
    fn promises(&self) -> Result<Vec<(String, Share)>> {
        let promise = |column: &str| {
            let most = (self.method.listed.promise)(&self.arguments, column).transpose()?;
            Some(most.map(|most| (column.to_owned(), most)).map_err(Error::from))
        };
        self.sensitive().into_iter().filter_map(promise).collect()
    }

    /// The promise for a column, if there is one.
    fn promise(&self, column: &str) -> Result<Option<Share>> {
        Ok((self.method.listed.promise)(&self.arguments, column)?)
    }

    /// The bound on each sensitive column: the promise, and no more than the policy's confidence.
    fn bounds(&self, confidence: Option<Confidence>) -> Result<Vec<(String, Share)>> {
        let allowed = confidence.map(Confidence::exact);
        let mut bounds = Vec::new();
        for column in self.sensitive() {
            let most = [self.promise(column)?, allowed].into_iter().flatten().min();
            bounds.extend(most.map(|most| (column.to_owned(), most)));
        }
        Ok(bounds)
    }

    /// The sensitive columns that are published.
    fn sensitive(&self) -> Vec<&str> {
        let table = &self.prepared.table;
        table.with_role(Role::Sensitive).into_iter().map(|at| table.columns[at].name.as_str()).collect()
    }

    /// What the method is to do.
    fn task<'t>(&'t self, past: &'t EarlierSeries, seed: u64) -> methods::Task<'t> {
        methods::Task { table: &self.prepared.table, records: &self.records, past: &past.state, seed }
    }

    /// A refusal with what deleting those who left would disclose, if the method does not cover people who leave.
    fn with_leaving(&self, error: reticent::Error, leaving: &Leaving) -> Error {
        let updates = &self.method.listed.updates;
        let covered = updates.delete || !updates.again;
        match error {
            error @ reticent::Error::Refused(_) if !covered => {
                Error::Departures { error: Box::new(error), leaving: Box::new(leaving.clone()) }
            }
            error => error.into(),
        }
    }

    /// The release without its tables.
    fn unheld(&self) -> Held {
        Held {
            number: 0,
            name: self.plan.request.name.to_string(),
            date: String::new(),
            recipients: self.plan.to.clone(),
            disguise: Disguise::default(),
            release: Release::default(),
            links: None,
        }
    }

    /// A table with what its columns are.
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

    fn method_record(&self, made: &Made<Self>) -> Result<MethodRecord> {
        let outcome = &made.candidate.outcome;
        Ok(MethodRecord {
            id: self.method.listed.entry.id.to_owned(),
            form: self.method.form.word().to_owned(),
            promise: promised(self)?,
            records: self.method.listed.linked(&self.arguments)?.map(|most| most.fraction()),
            left: None,
            groups: outcome.groups.len() as u64,
            counterfeits: made.verified.counterfeits(),
            waiting: outcome.waiting.len() as u64,
            withheld: withheld(&outcome.withheld),
            remembered: Stored { sha256: reticent_ledger::Hash::of(b""), bytes: 0 },
        })
    }
}

/// The refusal of a release without a group.
fn nothing(outcome: &Outcome) -> Refusal {
    let records = |many: u64| reticent::text::counted(many, "record");
    let withheld = withheld(&outcome.withheld);
    let mut why: Vec<String> = withheld
        .iter()
        .map(|one| format!("{} withheld: {}", records(one.records), methods::withheld_words(&one.reason)))
        .collect();
    let waiting = outcome.waiting.len() as u64;
    if waiting > 0 {
        why.push(format!("{} waiting for others to be published with", records(waiting)));
    }
    let why = (!why.is_empty()).then(|| why.join("; "));
    Refusal::NoGroup { withheld: withheld.iter().map(|one| one.records).sum(), waiting, why }
}
