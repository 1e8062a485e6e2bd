//! Short calls of the verbs. They only build requests; every path is in the folder.

use std::time::Duration;

use reticent_app::answer::{
    AmendAnswer, AuditAnswer, CheckAnswer, DiffAnswer, EraseAnswer, ExportedHead, HistoryAnswer, InitAnswer, LogAnswer,
    Publication, PurgeAnswer, RegisterAnswer, ShowAnswer, VerifyAnswer, WithdrawAnswer,
};
use reticent_app::request::{
    Adversary, AmendRequest, AuditRequest, CheckRequest, Data, EraseRequest, ExportHeadRequest, InitRequest, OwnerText,
    PolicyChanges, PublishRequest, PurgeRequest, RegisterAs, RegisterRequest, VerifyRequest, WithdrawRequest,
};
use reticent_app::{Confidence, Day, EntryReason, Recipient, ReleaseName, Result, Role};

use crate::TestFolder;

/// Splits a list such as `a,b`.
pub(crate) fn list(text: &str) -> Vec<String> {
    text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

pub(crate) fn recipients(names: &str) -> Result<Vec<Recipient>> {
    Ok(list(names).iter().map(|name| Recipient::new(name)).collect::<Result<_, _>>()?)
}

impl TestFolder {
    /// Returns the paths of data files, such as `a.csv b.csv`.
    pub(crate) fn data(&self, names: &str) -> Vec<String> {
        names.split_whitespace().map(|name| self.file(name).display().to_string()).collect()
    }

    /// Drafts a policy.
    pub fn init(&self, data: &str) -> Result<InitAnswer> {
        self.workspace().init(&self.init_request(data, false), self.context())
    }

    /// Returns a request to draft a policy.
    pub fn init_request(&self, data: &str, force: bool) -> InitRequest {
        InitRequest {
            data: self.data(data).into(),
            encoding: None,
            formats: Vec::new(),
            roles: Vec::new(),
            owner: None,
            dry_run: false,
            force,
            preset: None,
        }
    }

    /// Drafts a policy and overwrites the existing one.
    pub fn init_overwriting(&self, data: &str) -> Result<InitAnswer> {
        self.workspace().init(&self.init_request(data, true), self.context())
    }

    /// Checks the policy and the data, or only the policy if `data` is empty.
    pub fn check(&self, data: &str) -> Result<CheckAnswer> {
        self.workspace().check(&CheckRequest { data: self.data(data).into(), witnesses: 3 }, self.context())
    }

    /// Publishes as `NAME.csv`, by default to the public.
    pub fn publish(&self, data: &str, name: &str) -> PublishCall<'_> {
        PublishCall {
            folder: self,
            data: self.data(data),
            name: name.to_owned(),
            to: "public".to_owned(),
            output: format!("{name}.csv"),
            ignore_history: false,
            columns: None,
            algorithm: None,
            time_limit: None,
            k: None,
            confidence: None,
            suppression: None,
        }
    }

    /// Registers a file as a release, by default of 2026-01-01 to the public.
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
            group_column: None,
            counterfeit_column: None,
            separate_columns: false,
            marginal_of: None,
            register_as: RegisterAs::Release,
        }
    }

    /// Audits the disclosure of all releases together.
    pub fn audit(&self) -> AuditCall<'_> {
        AuditCall { folder: self, recipients: String::new(), confidence: None, request: AuditRequest::default() }
    }

    /// Lists the entries of the ledger.
    pub fn log(&self) -> Result<LogAnswer> {
        self.workspace().log(self.context())
    }

    /// Shows a release by number or name.
    pub fn show(&self, release: &str) -> Result<ShowAnswer> {
        self.workspace().show(release, self.context())
    }

    /// Compares two releases by number or name.
    pub fn diff(&self, from: &str, to: &str) -> Result<DiffAnswer> {
        self.workspace().diff(from, to, self.context())
    }

    /// Lists the releases that a coalition of recipients, such as `press,ministry`, holds.
    pub fn history(&self, recipient_names: &str) -> Result<HistoryAnswer> {
        self.workspace().history(&recipients(recipient_names)?, self.context())
    }

    /// Verifies the ledger and the published files.
    pub fn verify(&self) -> Result<VerifyAnswer> {
        self.workspace().verify(&VerifyRequest::default(), self.context())
    }

    /// Verifies the ledger against an exported head.
    pub fn verify_against(&self, head: &str) -> Result<VerifyAnswer> {
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

    /// Erases a release by number or name, with confirmation.
    pub fn purge(&self, release: &str, reason: &str) -> Result<PurgeAnswer> {
        self.purge_if(release, reason, true)
    }

    /// Erases a release if `confirmed` is true.
    pub fn purge_if(&self, release: &str, reason: &str, confirmed: bool) -> Result<PurgeAnswer> {
        let request = PurgeRequest { release: release.to_owned(), reason: EntryReason::new(reason)?, confirmed };
        self.workspace().purge(&request, self.context())
    }
}

impl TestFolder {
    /// Withdraws a release.
    pub fn withdraw(&self, release: &str) -> Result<WithdrawAnswer> {
        self.withdraw_stating(release, false)
    }

    /// Withdraws a release; states whether its file was destroyed elsewhere.
    pub fn withdraw_stating(&self, release: &str, destroyed_elsewhere: bool) -> Result<WithdrawAnswer> {
        let reason = EntryReason::new("never sent")?;
        let request = WithdrawRequest { release: release.to_owned(), reason, destroyed_elsewhere };
        self.workspace().withdraw(&request, self.context())
    }

    /// Deletes the file of a release, and withdraws the release.
    pub fn withdraw_deleted(&self, release: &str, file: &str) -> Result<WithdrawAnswer> {
        let path = self.file(file);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
        self.withdraw(release)
    }

    /// Adds recipients, such as `press,ministry`, to a release.
    pub fn amend_adding(&self, release: &str, names: &str) -> Result<AmendAnswer> {
        let request = AmendRequest { add_recipients: recipients(names)?, ..amendment(release)? };
        self.workspace().amend(&request, self.context())
    }

    /// Replaces the recipients of a release.
    pub fn amend_recipients(&self, release: &str, names: &str) -> Result<AmendAnswer> {
        let request = AmendRequest { recipients: Some(recipients(names)?), ..amendment(release)? };
        self.workspace().amend(&request, self.context())
    }

    /// Corrects the role of a column of a release.
    pub fn amend_role(&self, release: &str, column: &str, role: Role) -> Result<AmendAnswer> {
        let request = AmendRequest { roles: vec![(column.to_owned(), role)], ..amendment(release)? };
        self.workspace().amend(&request, self.context())
    }

    /// Erases a person, with confirmation.
    pub fn erase(&self, owner: &str) -> Result<EraseAnswer> {
        self.erase_if(owner, false, true)
    }

    /// Erases a person if `confirmed` is true; or only rehearses it.
    pub fn erase_if(&self, owner: &str, dry_run: bool, confirmed: bool) -> Result<EraseAnswer> {
        let (owner, reason) = (OwnerText::new(owner), EntryReason::new("request 7")?);
        self.workspace().erase(&EraseRequest { owner, reason, dry_run, confirmed }, self.context())
    }
}

fn amendment(release: &str) -> Result<AmendRequest> {
    Ok(AmendRequest {
        release: release.to_owned(),
        reason: EntryReason::new("known better")?,
        add_recipients: Vec::new(),
        recipients: None,
        roles: Vec::new(),
    })
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
    ignore_history: bool,
    columns: Option<Vec<String>>,
    algorithm: Option<String>,
    time_limit: Option<Duration>,
    k: Option<u64>,
    confidence: Option<f64>,
    suppression: Option<f64>,
}

impl PublishCall<'_> {
    /// Sets the recipients, such as `press,ministry`. May be empty.
    pub fn to(self, recipients: &str) -> Self {
        PublishCall { to: recipients.to_owned(), ..self }
    }

    /// Sets the output: a file, or a folder for a republication method.
    pub fn output(self, name: &str) -> Self {
        PublishCall { output: name.to_owned(), ..self }
    }

    /// Checks the release without earlier releases.
    pub fn ignore_history(self) -> Self {
        PublishCall { ignore_history: true, ..self }
    }

    /// Publishes only these columns, such as `age,sex`.
    pub fn columns(self, names: &str) -> Self {
        PublishCall { columns: Some(list(names)), ..self }
    }

    /// Sets the algorithm.
    pub fn algorithm(self, id: &str) -> Self {
        PublishCall { algorithm: Some(id.to_owned()), ..self }
    }

    /// Stops the search after this time.
    pub fn time_limit(self, limit: Duration) -> Self {
        PublishCall { time_limit: Some(limit), ..self }
    }

    /// Sets another `k` than the policy.
    pub fn with_k(self, k: u64) -> Self {
        PublishCall { k: Some(k), ..self }
    }

    /// Sets another confidence bound than the policy.
    pub fn with_confidence(self, confidence: f64) -> Self {
        PublishCall { confidence: Some(confidence), ..self }
    }

    /// Sets another limit of suppression than the policy.
    pub fn with_suppression(self, limit: f64) -> Self {
        PublishCall { suppression: Some(limit), ..self }
    }

    fn request(&self) -> Result<PublishRequest> {
        Ok(PublishRequest {
            data: self.data.clone().into(),
            name: ReleaseName::new(&self.name)?,
            output: self.folder.file(&self.output),
            recipients: recipients(&self.to)?,
            ignore_history: self.ignore_history,
            columns: self.columns.clone(),
            algorithm: self.algorithm.clone(),
            changes: PolicyChanges { k: self.k, confidence: self.confidence, suppression: self.suppression },
            time_limit: self.time_limit,
            seed: None,
        })
    }

    /// Publishes.
    pub fn run(&self) -> Result<Publication> {
        self.folder.workspace().publish(&self.request()?, self.folder.context())
    }

    /// Runs everything except the publication.
    pub fn rehearse(&self) -> Result<Publication> {
        self.folder.workspace().rehearse(&self.request()?, self.folder.context())
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
    group_column: Option<String>,
    counterfeit_column: Option<String>,
    separate_columns: bool,
    marginal_of: Option<String>,
    register_as: RegisterAs,
}

impl RegisterCall<'_> {
    /// Sets the recipients, such as `press,ministry`.
    pub fn to(self, recipients: &str) -> Self {
        RegisterCall { to: recipients.to_owned(), ..self }
    }

    /// Sets the date of publication.
    pub fn date(self, day: &str) -> Self {
        RegisterCall { date: day.to_owned(), ..self }
    }

    /// Sets the identifiers.
    pub fn identifier(self, names: &str) -> Self {
        RegisterCall { identifier: list(names), ..self }
    }

    /// Sets the sensitive attributes.
    pub fn sensitive(self, names: &str) -> Self {
        RegisterCall { sensitive: list(names), ..self }
    }

    /// Sets the quasi-identifiers.
    pub fn quasi_identifier(self, names: &str) -> Self {
        RegisterCall { quasi_identifier: list(names), ..self }
    }

    /// Sets the column with the group id.
    pub fn group_column(self, column: &str) -> Self {
        RegisterCall { group_column: Some(column.to_owned()), ..self }
    }

    /// Sets the column with the number of counterfeit records.
    pub fn counterfeit_column(self, column: &str) -> Self {
        RegisterCall { counterfeit_column: Some(column.to_owned()), ..self }
    }

    /// States that every sensitive column was published in its own table.
    pub fn separate_columns(self) -> Self {
        RegisterCall { separate_columns: true, ..self }
    }

    /// Sets the release that this marginal table belongs to.
    pub fn marginal_of(self, release: &str) -> Self {
        RegisterCall { marginal_of: Some(release.to_owned()), ..self }
    }

    /// Registers a population register.
    pub fn as_population(self) -> Self {
        RegisterCall { register_as: RegisterAs::Population, ..self }
    }

    /// Registers.
    pub fn run(&self) -> Result<RegisterAnswer> {
        self.call(false)
    }

    /// Recognises the file without recording it.
    pub fn rehearse(&self) -> Result<RegisterAnswer> {
        self.call(true)
    }

    fn call(&self, dry_run: bool) -> Result<RegisterAnswer> {
        let request = RegisterRequest {
            owner_shown: false,
            data: Data::File(self.folder.file(&self.file)),
            name: ReleaseName::new(&self.name)?,
            recipients: recipients(&self.to)?,
            date: Day::new(&self.date)?,
            identifier: self.identifier.clone(),
            sensitive: self.sensitive.clone(),
            quasi_identifier: self.quasi_identifier.clone(),
            group_column: self.group_column.clone(),
            counterfeit_column: self.counterfeit_column.clone(),
            separate_columns: self.separate_columns,
            marginal_of: self.marginal_of.clone(),
            register_as: self.register_as,
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
    /// Audits only coalitions with these recipients, such as `press,ministry`.
    pub fn recipients(mut self, names: &str) -> Self {
        self.recipients = names.to_owned();
        self
    }

    /// Sets the file of background knowledge.
    pub fn background(mut self, file: &str) -> Self {
        self.request.background = Some(self.folder.file(file));
        self
    }

    /// Sets the background knowledge of the attacker.
    pub fn adversary(mut self, adversary: Adversary) -> Self {
        self.request.adversary = adversary;
        self
    }

    /// Audits only these sensitive columns, such as `ill,pay`.
    pub fn columns(mut self, names: &str) -> Self {
        self.request.columns = Some(list(names));
        self
    }

    /// Sets the confidence bound.
    pub fn confidence(mut self, bound: f64) -> Self {
        self.confidence = Some(bound);
        self
    }

    /// Also runs these attacks, such as `homogeneity,difference`.
    pub fn attacks(mut self, ids: &str) -> Self {
        self.request.attacks = list(ids);
        self
    }

    /// Sets a parameter of an attack.
    pub fn attack_parameter(mut self, name: &str, value: &str) -> Self {
        self.request.attack_parameters.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the file of people and their known values.
    pub fn population(mut self, file: &str) -> Self {
        self.request.population = Some(self.folder.file(file));
        self
    }

    /// Lists every person.
    pub fn per_person(mut self) -> Self {
        self.request.per_person = true;
        self
    }

    /// Sets the number of explained cases.
    pub fn worst(mut self, cases: usize) -> Self {
        self.request.worst = cases;
        self
    }

    /// Sets the step limit, in million steps.
    pub fn effort(mut self, millions: u64) -> Self {
        self.request.effort = millions;
        self
    }

    /// Sets the number of sampled possible worlds.
    pub fn samples(mut self, worlds: u32) -> Self {
        self.request.samples = worlds;
        self
    }

    /// Sets the seed of the samples.
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.seed = seed;
        self
    }

    /// Sets the file of the report.
    pub fn html(mut self, file: &str) -> Self {
        self.request.html = Some(self.folder.file(file));
        self
    }

    /// Makes a report for the public.
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
