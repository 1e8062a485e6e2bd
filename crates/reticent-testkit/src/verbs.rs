//! Short calls of the verbs. They only build the request; every path is in the folder.

use std::time::Duration;

use reticent_app::answer::{
    AuditAnswer, Check, Comparison, Diff, Drafted, ExportedHead, HistoryOf, Log, Publication, Purged, Registered, Show,
    Verification,
};
use reticent_app::request::{
    Adversary, AuditRequest, CheckRequest, CompareRequest, ExportHeadRequest, InitRequest, PublishRequest,
    PurgeRequest, RegisterRequest, RehearseRequest, VerifyRequest, WhatIf,
};
use reticent_app::{Confidence, Day, PurgeReason, Recipient, ReleaseName, Result};

use crate::TestFolder;

/// The parts of a list such as `a,b`.
fn list(text: &str) -> Vec<String> {
    text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn recipients(names: &str) -> Result<Vec<Recipient>> {
    Ok(list(names).iter().map(|name| Recipient::new(name)).collect::<Result<_, _>>()?)
}

impl TestFolder {
    /// The paths of data files, such as `a.csv b.csv`.
    fn data(&self, names: &str) -> Vec<String> {
        names.split_whitespace().map(|name| self.file(name).display().to_string()).collect()
    }

    /// Drafts a policy.
    pub fn init(&self, data: &str) -> Result<Drafted> {
        self.workspace().init(&InitRequest { data: self.data(data), force: false }, self.context())
    }

    /// Drafts a policy over the one that is there.
    pub fn init_again(&self, data: &str) -> Result<Drafted> {
        self.workspace().init(&InitRequest { data: self.data(data), force: true }, self.context())
    }

    /// Checks the policy and data; only the policy if no data is named.
    pub fn check(&self, data: &str) -> Result<Check> {
        self.workspace().check(&CheckRequest { data: self.data(data), witnesses: 3 }, self.context())
    }

    /// Publishes to everybody, as `NAME.csv`, unless told otherwise.
    pub fn publish(&self, data: &str, name: &str) -> PublishCall<'_> {
        PublishCall {
            folder: self,
            data: self.data(data),
            name: name.to_owned(),
            to: "public".to_owned(),
            output: format!("{name}.csv"),
            alone: false,
            columns: None,
            algorithm: None,
            time_limit: None,
            k: None,
            confidence: None,
        }
    }

    /// Compares what releases to everybody would be like.
    pub fn compare(&self, data: &str) -> CompareCall<'_> {
        let request = CompareRequest {
            data: self.data(data),
            name: ReleaseName::new("next").unwrap(),
            recipients: vec![Recipient::public()],
            alone: false,
            policies: Vec::new(),
            algorithms: Vec::new(),
            k: Vec::new(),
            confidence: Vec::new(),
            columns: Vec::new(),
        };
        CompareCall { folder: self, request }
    }

    /// Registers a file as a release of 2026-01-01 to everybody, unless told otherwise.
    pub fn register(&self, file: &str, name: &str) -> RegisterCall<'_> {
        RegisterCall {
            folder: self,
            file: file.to_owned(),
            name: name.to_owned(),
            to: "public".to_owned(),
            date: "2026-01-01".to_owned(),
            identifier: Vec::new(),
            sensitive: Vec::new(),
            quasi_identifier: Vec::new(),
            groups: None,
            counterfeits: None,
            apart: false,
            of: None,
        }
    }

    /// Audits what all releases together disclose.
    pub fn audit(&self) -> AuditCall<'_> {
        AuditCall { folder: self, recipients: String::new(), confidence: None, request: AuditRequest::default() }
    }

    /// Lists the entries of the ledger.
    pub fn log(&self) -> Result<Log> {
        self.workspace().log(self.context())
    }

    /// Shows a release, by number or name.
    pub fn show(&self, release: &str) -> Result<Show> {
        self.workspace().show(release, self.context())
    }

    /// Compares two releases, by number or name.
    pub fn diff(&self, from: &str, to: &str) -> Result<Diff> {
        self.workspace().diff(from, to, self.context())
    }

    /// Lists what these recipients, such as `press,ministry`, can hold together.
    pub fn history(&self, who: &str) -> Result<HistoryOf> {
        self.workspace().history(&recipients(who)?, self.context())
    }

    /// Verifies the ledger and the published files.
    pub fn verify(&self) -> Result<Verification> {
        self.workspace().verify(&VerifyRequest::default(), self.context())
    }

    /// Verifies the ledger against an exported head.
    pub fn verify_against(&self, head: &str) -> Result<Verification> {
        let request = VerifyRequest { head: Some(self.file(head)), ..VerifyRequest::default() };
        self.workspace().verify(&request, self.context())
    }

    /// Exports the head of the ledger.
    pub fn export_head(&self) -> Result<ExportedHead> {
        self.workspace().export_head(&ExportHeadRequest::default(), self.context())
    }

    /// Exports the head of the ledger to a file.
    pub fn export_head_to(&self, output: &str) -> Result<ExportedHead> {
        let request = ExportHeadRequest { output: Some(self.file(output)), ..ExportHeadRequest::default() };
        self.workspace().export_head(&request, self.context())
    }

    /// Erases a release, by number or name, with the confirmation.
    pub fn purge(&self, release: &str, reason: &str) -> Result<Purged> {
        self.purge_if(release, reason, true)
    }

    /// Erases a release if the caller has confirmed it.
    pub fn purge_if(&self, release: &str, reason: &str, confirmed: bool) -> Result<Purged> {
        let request = PurgeRequest { release: release.to_owned(), reason: PurgeReason::new(reason)?, confirmed };
        self.workspace().purge(&request, self.context())
    }
}

/// A call of `publish`.
#[derive(Clone)]
#[must_use = "the call runs with `run` or `rehearse`"]
pub struct PublishCall<'a> {
    folder: &'a TestFolder,
    data: Vec<String>,
    name: String,
    to: String,
    output: String,
    alone: bool,
    columns: Option<Vec<String>>,
    algorithm: Option<String>,
    time_limit: Option<Duration>,
    k: Option<u64>,
    confidence: Option<f64>,
}

impl PublishCall<'_> {
    /// Who gets it, such as `press,ministry`; nobody if empty.
    pub fn to(self, recipients: &str) -> Self {
        PublishCall { to: recipients.to_owned(), ..self }
    }

    /// The file to write, or by a republication method the folder.
    pub fn output(self, name: &str) -> Self {
        PublishCall { output: name.to_owned(), ..self }
    }

    /// Judges the release without earlier ones.
    pub fn alone(self) -> Self {
        PublishCall { alone: true, ..self }
    }

    /// Publishes these columns only, such as `age,sex`.
    pub fn columns(self, names: &str) -> Self {
        PublishCall { columns: Some(list(names)), ..self }
    }

    /// Uses this algorithm.
    pub fn algorithm(self, id: &str) -> Self {
        PublishCall { algorithm: Some(id.to_owned()), ..self }
    }

    /// Stops the search after this time.
    pub fn time_limit(self, limit: Duration) -> Self {
        PublishCall { time_limit: Some(limit), ..self }
    }

    /// Rehearses with this `k` instead of the policy's.
    pub fn what_if_k(self, k: u64) -> Self {
        PublishCall { k: Some(k), ..self }
    }

    /// Rehearses with this confidence bound instead of the policy's.
    pub fn what_if_confidence(self, confidence: f64) -> Self {
        PublishCall { confidence: Some(confidence), ..self }
    }

    fn request(&self) -> Result<PublishRequest> {
        Ok(PublishRequest {
            data: self.data.clone(),
            name: ReleaseName::new(&self.name)?,
            output: self.folder.file(&self.output),
            recipients: recipients(&self.to)?,
            alone: self.alone,
            columns: self.columns.clone(),
            algorithm: self.algorithm.clone(),
            time_limit: self.time_limit,
        })
    }

    /// Publishes.
    pub fn run(&self) -> Result<Publication> {
        assert!(self.k.is_none() && self.confidence.is_none(), "only a rehearsal has other thresholds than the policy");
        self.folder.workspace().publish(&self.request()?, self.folder.context())
    }

    /// Does everything but publishing.
    pub fn rehearse(&self) -> Result<Publication> {
        let what_if = WhatIf::new(self.k, self.confidence.map(Confidence::new).transpose()?)?;
        let request = RehearseRequest { publish: self.request()?, what_if };
        self.folder.workspace().rehearse(&request, self.folder.context())
    }
}

/// A call of `compare`.
#[derive(Clone)]
#[must_use = "the call runs with `run`"]
pub struct CompareCall<'a> {
    folder: &'a TestFolder,
    request: CompareRequest,
}

impl CompareCall<'_> {
    /// The name that the release would have.
    pub fn name(mut self, name: &str) -> Self {
        self.request.name = ReleaseName::new(name).unwrap();
        self
    }

    /// Who would get it, such as `press,ministry`.
    pub fn to(mut self, names: &str) -> Self {
        self.request.recipients = recipients(names).unwrap();
        self
    }

    /// Judges the releases without earlier ones.
    pub fn alone(mut self) -> Self {
        self.request.alone = true;
        self
    }

    /// Compares these policies, such as `a.toml,b.toml`.
    pub fn policies(mut self, names: &str) -> Self {
        self.request.policies = list(names).iter().map(|name| self.folder.file(name)).collect();
        self
    }

    /// Compares these algorithms, such as `mondrian,optimal-full-domain`.
    pub fn algorithms(mut self, ids: &str) -> Self {
        self.request.algorithms = list(ids);
        self
    }

    /// Compares these values of `k`.
    pub fn k(mut self, k: &[u64]) -> Self {
        self.request.k = k.to_vec();
        self
    }

    /// Compares these confidence bounds.
    pub fn confidence(mut self, bounds: &[f64]) -> Self {
        self.request.confidence = bounds.iter().map(|bound| Confidence::new(*bound).unwrap()).collect();
        self
    }

    /// Compares this choice of columns too, such as `age,sex`.
    pub fn columns(mut self, names: &str) -> Self {
        self.request.columns.push(list(names));
        self
    }

    /// Compares.
    pub fn run(&self) -> Result<Comparison> {
        self.folder.workspace().compare(&self.request, self.folder.context())
    }
}

/// A call of `register`.
#[derive(Clone)]
#[must_use = "the call runs with `run` or `rehearse`"]
pub struct RegisterCall<'a> {
    folder: &'a TestFolder,
    file: String,
    name: String,
    to: String,
    date: String,
    identifier: Vec<String>,
    sensitive: Vec<String>,
    quasi_identifier: Vec<String>,
    groups: Option<String>,
    counterfeits: Option<String>,
    apart: bool,
    of: Option<String>,
}

impl RegisterCall<'_> {
    /// Who got it, such as `press,ministry`.
    pub fn to(self, recipients: &str) -> Self {
        RegisterCall { to: recipients.to_owned(), ..self }
    }

    /// The day it went out.
    pub fn date(self, day: &str) -> Self {
        RegisterCall { date: day.to_owned(), ..self }
    }

    /// Columns that are identifiers.
    pub fn identifier(self, names: &str) -> Self {
        RegisterCall { identifier: list(names), ..self }
    }

    /// Columns that are sensitive attributes.
    pub fn sensitive(self, names: &str) -> Self {
        RegisterCall { sensitive: list(names), ..self }
    }

    /// Columns that are quasi-identifiers.
    pub fn quasi_identifier(self, names: &str) -> Self {
        RegisterCall { quasi_identifier: list(names), ..self }
    }

    /// The column that marks groups.
    pub fn groups(self, column: &str) -> Self {
        RegisterCall { groups: Some(column.to_owned()), ..self }
    }

    /// The column that counts counterfeit records.
    pub fn counterfeits(self, column: &str) -> Self {
        RegisterCall { counterfeits: Some(column.to_owned()), ..self }
    }

    /// Each sensitive column was published in a table of its own.
    pub fn apart(self) -> Self {
        RegisterCall { apart: true, ..self }
    }

    /// The release that this marginal table is about.
    pub fn of(self, release: &str) -> Self {
        RegisterCall { of: Some(release.to_owned()), ..self }
    }

    /// Registers.
    pub fn run(&self) -> Result<Registered> {
        self.call(false)
    }

    /// Recognises only, and enters nothing.
    pub fn rehearse(&self) -> Result<Registered> {
        self.call(true)
    }

    fn call(&self, dry_run: bool) -> Result<Registered> {
        let request = RegisterRequest {
            file: self.folder.file(&self.file),
            name: ReleaseName::new(&self.name)?,
            recipients: recipients(&self.to)?,
            date: Day::new(&self.date)?,
            identifier: self.identifier.clone(),
            sensitive: self.sensitive.clone(),
            quasi_identifier: self.quasi_identifier.clone(),
            groups: self.groups.clone(),
            counterfeits: self.counterfeits.clone(),
            apart: self.apart,
            of: self.of.clone(),
            dry_run,
        };
        self.folder.workspace().register(&request, self.folder.context())
    }
}

/// A call of `audit`.
#[derive(Clone)]
#[must_use = "the call runs with `run`"]
pub struct AuditCall<'a> {
    folder: &'a TestFolder,
    recipients: String,
    confidence: Option<f64>,
    request: AuditRequest,
}

impl AuditCall<'_> {
    /// Only coalitions with these recipients, such as `press,ministry`.
    pub fn recipients(mut self, names: &str) -> Self {
        self.recipients = names.to_owned();
        self
    }

    /// The file of background knowledge.
    pub fn knows(mut self, file: &str) -> Self {
        self.request.knows = Some(self.folder.file(file));
        self
    }

    /// What the attacker knows about people.
    pub fn adversary(mut self, adversary: Adversary) -> Self {
        self.request.adversary = adversary;
        self
    }

    /// Only these sensitive columns, such as `ill,pay`.
    pub fn columns(mut self, names: &str) -> Self {
        self.request.columns = Some(list(names));
        self
    }

    /// The confidence bound.
    pub fn confidence(mut self, bound: f64) -> Self {
        self.confidence = Some(bound);
        self
    }

    /// Runs these attacks too, such as `homogeneity,difference`.
    pub fn attacks(mut self, ids: &str) -> Self {
        self.request.attacks = list(ids);
        self
    }

    /// A parameter of an attack.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.request.with.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The file of people and what is known about them.
    pub fn population(mut self, file: &str) -> Self {
        self.request.population = Some(self.folder.file(file));
        self
    }

    /// Lists every person.
    pub fn each(mut self) -> Self {
        self.request.each = true;
        self
    }

    /// Explains so many of the worst cases.
    pub fn worst(mut self, cases: usize) -> Self {
        self.request.worst = cases;
        self
    }

    /// Tries so many million steps.
    pub fn effort(mut self, millions: u64) -> Self {
        self.request.effort = millions;
        self
    }

    /// Samples so many possible worlds.
    pub fn samples(mut self, worlds: u32) -> Self {
        self.request.samples = worlds;
        self
    }

    /// The seed of the samples.
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.seed = seed;
        self
    }

    /// Writes the report to this file.
    pub fn html(mut self, file: &str) -> Self {
        self.request.html = Some(self.folder.file(file));
        self
    }

    /// Makes the report one for everybody.
    pub fn public(mut self) -> Self {
        self.request.public = true;
        self
    }

    /// Audits.
    pub fn run(&self) -> Result<AuditAnswer> {
        let mut request = self.request.clone();
        request.recipients = recipients(&self.recipients)?;
        request.confidence = self.confidence.map(Confidence::new).transpose()?;
        self.folder.workspace().audit(&request, self.folder.context())
    }
}
