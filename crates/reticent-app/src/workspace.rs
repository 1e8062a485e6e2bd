//! A workspace: where the policy, the ledger and its key are, and the verbs on them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reticent::Recipient;
use reticent_ledger::ExportedHead;

use crate::answer::{
    AuditAnswer, Check, Comparison, Diff, Drafted, HistoryOf, Log, Publication, Purged, RecordedEntry, Registered,
    Show, Verification,
};
use crate::context::Context;
use crate::error::{Problem, Result};
use crate::request::{
    AuditRequest, CheckRequest, CompareRequest, ExportHeadRequest, InitRequest, PublishRequest, PurgeRequest,
    RegisterRequest, RehearseRequest, VerifyRequest,
};
use crate::{
    audit, check, compare, diff, export_head, history, init, log, publish, purge, register, show, verify, witness,
};

/// Where a policy is looked for.
pub const POLICY: &str = "reticent.toml";

/// Where the policy, the ledger and its key are.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The policy's file.
    pub policy: PathBuf,
    /// The ledger's folder; the policy's if not given.
    pub ledger: Option<PathBuf>,
    /// The file with the ledger's key; the policy's if not given.
    pub key: Option<PathBuf>,
    /// Start a ledger if there is none. Otherwise a missing ledger is taken for lost, and nothing is published.
    pub start_ledger: bool,
    /// How long to wait for another process that writes to the ledger.
    pub wait: Duration,
}

impl Workspace {
    /// The workspace of a policy.
    pub fn new(policy: impl Into<PathBuf>) -> Workspace {
        let wait = Duration::from_secs(60);
        Workspace { policy: policy.into(), ledger: None, key: None, start_ledger: false, wait }
    }

    /// A policy that is named must be there; the usual place may be empty.
    pub(crate) fn check_policy(&self) -> Result<()> {
        match self.policy.as_os_str() == POLICY || self.policy.exists() {
            true => Ok(()),
            false => Err(Problem::PolicyMissing { path: self.policy.clone() }.into()),
        }
    }

    /// Drafts a policy for a data file: types, suggested roles, taxonomies to fill in. Starts the ledger.
    ///
    /// # Errors
    ///
    /// If there is a policy already, or if the data cannot be read.
    pub fn init(&self, request: &InitRequest, context: &Context) -> Result<Drafted> {
        context.run(|| init::init(self, request, context))
    }

    /// How risky the data is as it stands, and what the policy demands.
    ///
    /// # Errors
    ///
    /// If the policy or the data is wrong.
    pub fn check(&self, request: &CheckRequest, context: &Context) -> Result<Check> {
        context.run(|| check::check(self, request, context))
    }

    /// Makes a release that satisfies the policy given its history, writes it, verifies the written bytes, and records it.
    ///
    /// # Errors
    ///
    /// If no release satisfies the policy, or if that could not be established: then nothing is published.
    pub fn publish(&self, request: &PublishRequest, context: &Context) -> Result<Publication> {
        context.run(|| publish::publish(self, request, context))
    }

    /// Does everything that [`Workspace::publish`] does, and publishes nothing.
    ///
    /// # Errors
    ///
    /// As [`Workspace::publish`].
    pub fn rehearse(&self, request: &RehearseRequest, context: &Context) -> Result<Publication> {
        context.run(|| publish::rehearse(self, request, context))
    }

    /// What releases would be like under several policies, algorithms or thresholds. Publishes nothing.
    ///
    /// # Errors
    ///
    /// If a policy, an algorithm or the data is wrong; a refusal is an answer.
    pub fn compare(&self, request: &CompareRequest, context: &Context) -> Result<Comparison> {
        context.run(|| compare::compare(self, request, context))
    }

    /// Enters a release that was made elsewhere, or before Reticent.
    ///
    /// # Errors
    ///
    /// If the file cannot be recognised, or may name people.
    pub fn register(&self, request: &RegisterRequest, context: &Context) -> Result<Registered> {
        context.run(|| publish::again_if_started(|| register::register(self, request, context)))
    }

    /// What all releases together disclose about each person.
    ///
    /// # Errors
    ///
    /// If the request is wrong, or if the releases cannot be audited.
    pub fn audit(&self, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
        context.run(|| audit::audit(self, request, context))
    }

    /// What was released, when and to whom.
    ///
    /// # Errors
    ///
    /// If there is no ledger, or if it was modified.
    pub fn log(&self, context: &Context) -> Result<Log> {
        context.run(|| log::log(self, context))
    }

    /// One release, by number or name.
    ///
    /// # Errors
    ///
    /// If the ledger has no such release.
    pub fn show(&self, release: &str, context: &Context) -> Result<Show> {
        context.run(|| show::show(self, release, None, context))
    }

    /// The same, and writes a proof to a file that the entry is in the ledger.
    ///
    /// # Errors
    ///
    /// If the ledger has no such release, or if the file cannot be written.
    pub fn prove(&self, release: &str, proof: &Path, context: &Context) -> Result<Show> {
        context.run(|| show::show(self, release, Some(proof), context))
    }

    /// What changed between two releases, by number or name.
    ///
    /// # Errors
    ///
    /// If the ledger does not have both, or if one was erased.
    pub fn diff(&self, from: &str, to: &str, context: &Context) -> Result<Diff> {
        context.run(|| diff::diff(self, from, to, context))
    }

    /// What a coalition of recipients can hold.
    ///
    /// # Errors
    ///
    /// If the policy declares these recipients separate.
    pub fn history(&self, who: &[Recipient], context: &Context) -> Result<HistoryOf> {
        context.run(|| history::history(self, who, context))
    }

    /// Whether the ledger, and every file it names, is what was written. Changes nothing.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read; what was modified is in the answer.
    pub fn verify(&self, request: &VerifyRequest, context: &Context) -> Result<Verification> {
        context.run(|| verify::verify(self, request, context))
    }

    /// A small text to keep elsewhere, which reveals entries that were removed or rolled back; to a file if one is named.
    ///
    /// # Errors
    ///
    /// If the ledger was modified, or if the file holds a head that this one does not continue.
    pub fn export_head(&self, request: &ExportHeadRequest, context: &Context) -> Result<ExportedHead> {
        context.run(|| export_head::export_head(self, request, context))
    }

    /// Records in the ledger that a witness, given by its public key, countersigned a head.
    ///
    /// # Errors
    ///
    /// If the head is not one of this ledger, or if the witness did not countersign it.
    pub fn record_witness(&self, head: &Path, witness: &str, context: &Context) -> Result<RecordedEntry> {
        context.run(|| witness::record_witness(self, head, witness, context))
    }

    /// Signs a ledger that is not signed yet with its key, from here on.
    ///
    /// # Errors
    ///
    /// If the ledger was modified, or is signed already.
    pub fn authenticate(&self, context: &Context) -> Result<RecordedEntry> {
        context.run(|| witness::authenticate(self, context))
    }

    /// Erases what the ledger stores of a release. Its entry stays.
    ///
    /// # Errors
    ///
    /// If the ledger has no such release, or if the caller did not confirm.
    pub fn purge(&self, request: &PurgeRequest, context: &Context) -> Result<Purged> {
        context.run(|| purge::purge(self, request, context))
    }
}
