//! The workspace: paths of the policy, the ledger and its key, and the verbs as methods.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reticent::Recipient;
use reticent_ledger::ExportedHead;

use crate::answer::{
    AmendAnswer, AuditAnswer, CheckAnswer, ColumnsAnswer, CompareAnswer, DiffAnswer, DoctorAnswer, EraseAnswer,
    HistoryAnswer, InitAnswer, LogAnswer, OpenAnswer, Publication, PurgeAnswer, RecordedEntry, RegisterAnswer,
    ShowAnswer, TaxonomyUpdateAnswer, VerifyAnswer, WithdrawAnswer,
};
use crate::context::Context;
use crate::error::Result;
use crate::policy_source::PolicySource;
use crate::publish::PlannedRelease;
use crate::request::{
    AmendRequest, AuditRequest, CheckRequest, CompareRequest, Data, EraseRequest, ExportHeadRequest, InitRequest,
    PublishRequest, PurgeRequest, RegisterRequest, TaxonomyUpdateRequest, VerifyRequest, WithdrawRequest,
};
use crate::{
    amend, audit, check, compare, diff, doctor, erase, export_head, history, init, log, open, publish, purge, register,
    show, taxonomy, verify, withdraw, witness,
};

/// Default path of the policy.
pub const POLICY: &str = "reticent.toml";

/// Paths of a policy, a ledger and its key. The verbs are methods.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Where the policy is from.
    pub policy: PolicySource,
    /// Folder of the ledger. If `None`, the policy names it.
    pub ledger: Option<PathBuf>,
    /// Path of the key file of the ledger. If `None`, the policy names it.
    pub key: Option<PathBuf>,
    /// Whether to create the ledger if it is missing. Otherwise a missing ledger is an error, because it may be lost.
    pub start_ledger: bool,
    /// Maximum time to wait for another process that is writing to the ledger.
    pub wait: Duration,
}

impl Workspace {
    /// Creates the workspace of a policy, with the ledger and the key that the policy names.
    pub fn new(policy: impl Into<PolicySource>) -> Workspace {
        let wait = Duration::from_secs(60);
        Workspace { policy: policy.into(), ledger: None, key: None, start_ledger: false, wait }
    }

    /// Drafts a policy for a data file: types, suggested roles, and taxonomies to complete. Creates the ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if a policy exists already, or if the data cannot be read.
    pub fn init(&self, request: &InitRequest, context: &Context) -> Result<InitAnswer> {
        context.run(|| init::init(self, request, context))
    }

    /// Adds the values of new data to the taxonomy files.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy or a taxonomy is invalid, the data cannot be read, or a file cannot be written.
    pub fn update_taxonomies(
        &self,
        request: &TaxonomyUpdateRequest,
        context: &Context,
    ) -> Result<TaxonomyUpdateAnswer> {
        context.run(|| taxonomy::update(self, request, context))
    }

    /// Measures the re-identification risk of the original data, and checks the data against the policy.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy or the data is invalid.
    pub fn check(&self, request: &CheckRequest, context: &Context) -> Result<CheckAnswer> {
        context.run(|| check::check(self, request, context))
    }

    /// Publishes a release that satisfies the policy, given the release history.
    ///
    /// Makes the release, writes it, reads it back, verifies and audits it, and records it in the ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if no release satisfies the policy, or if this could not be judged. Then nothing is published.
    pub fn publish(&self, request: &PublishRequest, context: &Context) -> Result<Publication> {
        context.run(|| publish::publish(self, request, context))
    }

    /// Plans a release: searches it and judges it with its history, but writes nothing. A plan can be published.
    ///
    /// The name and the output of the request can be replaced when the plan is published.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Workspace::publish`].
    pub fn plan(&self, request: &PublishRequest, context: &Context) -> Result<PlannedRelease> {
        context.run(|| publish::plan(self, request, context))
    }

    /// Executes all steps of [`Workspace::publish`], but publishes and records nothing.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Workspace::publish`].
    pub fn rehearse(&self, request: &PublishRequest, context: &Context) -> Result<Publication> {
        context.run(|| publish::rehearse(self, request, context))
    }

    /// Rehearses a release under several policies, algorithms, thresholds or selections of columns. Publishes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if a policy, an algorithm or the data is invalid. A refusal is part of the answer.
    pub fn compare(&self, request: &CompareRequest, context: &Context) -> Result<CompareAnswer> {
        context.run(|| compare::compare(self, request, context))
    }

    /// Records a release that was made by another program.
    ///
    /// # Errors
    ///
    /// Returns an error if a column cannot be recognised, or if a column without a role may identify people.
    pub fn register(&self, request: &RegisterRequest, context: &Context) -> Result<RegisterAnswer> {
        context.run(|| publish::retry_if_started(|| register::register(self, request, context)))
    }

    /// Audits what the release history discloses about each person to each coalition of recipients.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is invalid, or if the releases cannot be audited.
    pub fn audit(&self, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
        context.run(|| audit::audit(self, request, context))
    }

    /// Opens the ledger, or creates it and its key if the workspace allows that.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger does not exist and may not be created, or if its key does not fit.
    pub fn open(&self, context: &Context) -> Result<OpenAnswer> {
        context.run(|| open::open(self, context))
    }

    /// Returns the names of the columns of data, and the types of the values of some of them.
    ///
    /// # Errors
    ///
    /// Returns an error if the data cannot be read.
    pub fn columns(&self, data: &Data, types_of: &[String], context: &Context) -> Result<ColumnsAnswer> {
        context.run(|| open::columns(data, types_of, context))
    }

    /// Lists all entries of the ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger does not exist or cannot be read. A modification is reported as a warning event.
    pub fn log(&self, context: &Context) -> Result<LogAnswer> {
        context.run(|| log::log(self, context))
    }

    /// Returns the entry of one release, given its number or name.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger has no such release.
    pub fn show(&self, release: &str, context: &Context) -> Result<ShowAnswer> {
        context.run(|| show::show(self, release, None, context))
    }

    /// Returns the same as [`Workspace::show`], and writes a proof to a file that the entry is in the ledger.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger has no such release, or if the file cannot be written.
    pub fn prove(&self, release: &str, proof: &Path, context: &Context) -> Result<ShowAnswer> {
        context.run(|| show::show(self, release, Some(proof), context))
    }

    /// Compares two releases, given their numbers or names.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is not in the ledger, or was erased.
    pub fn diff(&self, from: &str, to: &str, context: &Context) -> Result<DiffAnswer> {
        context.run(|| diff::diff(self, from, to, context))
    }

    /// Lists the releases that coalitions with the given recipients hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy declares two of these recipients non-colluding.
    pub fn history(&self, recipients: &[Recipient], context: &Context) -> Result<HistoryAnswer> {
        context.run(|| history::history(self, recipients, context))
    }

    /// Verifies that the ledger and every published file are unchanged. Modifies nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger cannot be read. A modification is part of the answer.
    pub fn verify(&self, request: &VerifyRequest, context: &Context) -> Result<VerifyAnswer> {
        context.run(|| verify::verify(self, request, context))
    }

    /// Checks the environment: policy, permissions, key, ledger, unfinished work, disk space. Modifies nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if the call was cancelled. A defect of the environment is part of the answer.
    pub fn doctor(&self, context: &Context) -> Result<DoctorAnswer> {
        context.run(|| doctor::doctor(self, context))
    }

    /// Exports the head of the ledger, optionally to a file.
    ///
    /// Stored at another place, an exported head reveals entries that are removed or rolled back later.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger was modified, or if the output file exists and is not an earlier head of the ledger.
    pub fn export_head(&self, request: &ExportHeadRequest, context: &Context) -> Result<ExportedHead> {
        context.run(|| export_head::export_head(self, request, context))
    }

    /// Records in the ledger that a witness countersigned a head. `witness` is its public key.
    ///
    /// # Errors
    ///
    /// Returns an error if the head does not belong to this ledger, or if the witness did not countersign it.
    pub fn record_witness(&self, head: &Path, witness: &str, context: &Context) -> Result<RecordedEntry> {
        context.run(|| witness::record_witness(self, head, witness, context))
    }

    /// Signs an unsigned ledger with its key, from the next entry on.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger was modified, or is signed already.
    pub fn authenticate(&self, context: &Context) -> Result<RecordedEntry> {
        context.run(|| witness::authenticate(self, context))
    }

    /// Erases the contents of a release from the ledger. Its entry stays.
    ///
    /// # Errors
    ///
    /// Returns an error if the ledger has no such release, or if the request is not confirmed.
    pub fn purge(&self, request: &PurgeRequest, context: &Context) -> Result<PurgeAnswer> {
        context.run(|| purge::purge(self, request, context))
    }

    /// Withdraws a release that was never handed out. It no longer counts for what recipients hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of the release exists or could not be checked, or if a later release builds on it.
    pub fn withdraw(&self, request: &WithdrawRequest, context: &Context) -> Result<WithdrawAnswer> {
        context.run(|| withdraw::withdraw(self, request, context))
    }

    /// Corrects the recipients of a release, or the roles of its columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the amendment changes nothing or does not fit the release.
    pub fn amend(&self, request: &AmendRequest, context: &Context) -> Result<AmendAnswer> {
        context.run(|| amend::amend(self, request, context))
    }

    /// Removes a person from the owner links and the method state of every release. Recipients keep what they have.
    ///
    /// # Errors
    ///
    /// Returns an error if no release has the person, or if the request is not confirmed.
    pub fn erase(&self, request: &EraseRequest, context: &Context) -> Result<EraseAnswer> {
        context.run(|| erase::erase(self, request, context))
    }
}
