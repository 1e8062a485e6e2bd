//! Requests: what a caller asks of a verb. Plain structs whose parts are valid by their types.

use std::path::PathBuf;
use std::time::Duration;

use reticent::{Confidence, Day, PurgeReason, Recipient, ReleaseName};

use crate::error::{Error, Problem, Result};

/// Draft a policy for a data file.
#[derive(Debug, Clone)]
pub struct InitRequest {
    /// CSV or Parquet: files, folders, or patterns.
    pub data: Vec<String>,
    /// Replace a policy that is there; it is kept under another name.
    pub force: bool,
}

/// Check a policy, and the data as it stands.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// CSV or Parquet: files, folders, or patterns; only the policy is checked if empty.
    pub data: Vec<String>,
    /// How many violating classes to list for each model.
    pub witnesses: usize,
}

/// Publish a release.
#[derive(Debug, Clone)]
pub struct PublishRequest {
    /// CSV or Parquet: files, folders, or patterns.
    pub data: Vec<String>,
    /// The release's name, which no other release has.
    pub name: ReleaseName,
    /// The file to write; by a republication method, a folder. It must not exist.
    pub output: PathBuf,
    /// Who gets it.
    pub recipients: Vec<Recipient>,
    /// Judge the release without the earlier releases that its recipients hold. The ledger records that.
    pub alone: bool,
    /// Publish these columns only.
    pub columns: Option<Vec<String>>,
    /// Use this algorithm instead of the policy's.
    pub algorithm: Option<String>,
    /// Stop the search after this time and publish the best state found.
    pub time_limit: Option<Duration>,
}

impl PublishRequest {
    /// A request with the policy's own settings.
    pub fn new(data: &str, name: ReleaseName, recipients: Vec<Recipient>, output: impl Into<PathBuf>) -> Self {
        PublishRequest {
            data: vec![data.to_owned()],
            name,
            output: output.into(),
            recipients,
            alone: false,
            columns: None,
            algorithm: None,
            time_limit: None,
        }
    }

    /// The recipients' names.
    pub(crate) fn to(&self) -> Vec<String> {
        self.recipients.iter().map(|recipient| recipient.to_string()).collect()
    }
}

/// Rehearse a release: everything but publishing. Only a rehearsal can have other thresholds than the policy's.
#[derive(Debug, Clone)]
pub struct RehearseRequest {
    /// What would be published.
    pub publish: PublishRequest,
    /// Under which thresholds.
    pub what_if: WhatIf,
}

/// Thresholds instead of the policy's.
#[derive(Debug, Clone, Copy, Default)]
pub struct WhatIf {
    k: Option<u64>,
    confidence: Option<Confidence>,
}

impl WhatIf {
    /// What if `k`, or `confidence`, were this?
    ///
    /// # Errors
    ///
    /// If `k` is less than 2.
    pub fn new(k: Option<u64>, confidence: Option<Confidence>) -> Result<WhatIf> {
        match k {
            Some(k) if k < 2 => Err(Problem::SmallK { k }.into()),
            _ => Ok(WhatIf { k, confidence }),
        }
    }

    /// `k` instead of the policy's.
    pub fn k(&self) -> Option<u64> {
        self.k
    }

    /// `confidence` instead of the policy's.
    pub fn confidence(&self) -> Option<Confidence> {
        self.confidence
    }
}

/// Compare what releases would be like.
#[derive(Debug, Clone)]
pub struct CompareRequest {
    /// CSV or Parquet: files, folders, or patterns.
    pub data: Vec<String>,
    /// The name that the release would have.
    pub name: ReleaseName,
    /// Who would get it.
    pub recipients: Vec<Recipient>,
    /// Judge it without the earlier releases that its recipients hold.
    pub alone: bool,
    /// The policies to compare; the workspace's own if empty.
    pub policies: Vec<PathBuf>,
    /// The algorithms to compare; the policies' own if empty.
    pub algorithms: Vec<String>,
    /// The thresholds to compare: every `k`.
    pub k: Vec<u64>,
    /// Every `confidence`.
    pub confidence: Vec<Confidence>,
    /// The choices of columns to compare; all columns if empty.
    pub columns: Vec<Vec<String>>,
}

/// Enter a release that was made elsewhere.
#[derive(Debug, Clone)]
pub struct RegisterRequest {
    /// CSV or Parquet.
    pub file: PathBuf,
    /// The release's name, which no other release has.
    pub name: ReleaseName,
    /// Who got it.
    pub recipients: Vec<Recipient>,
    /// The day it went out.
    pub date: Day,
    /// Columns that are identifiers; they are not stored.
    pub identifier: Vec<String>,
    /// Columns that are sensitive attributes.
    pub sensitive: Vec<String>,
    /// Columns that are quasi-identifiers.
    pub quasi_identifier: Vec<String>,
    /// The column that marks groups (buckets), if equal quasi-identifiers do not.
    pub groups: Option<String>,
    /// The column that counts the counterfeit records of a group.
    pub counterfeits: Option<String>,
    /// Each sensitive column was published in a table of its own.
    pub apart: bool,
    /// The release, by name or number, whose people this table of counts is about: a marginal.
    pub of: Option<String>,
    /// Recognise only, and enter nothing.
    pub dry_run: bool,
}

impl RegisterRequest {
    /// Options that contradict each other are an error.
    pub(crate) fn check(&self) -> Result<()> {
        let conflict = |one, other| Err(Problem::OptionsConflict { one, other }.into());
        if self.of.is_some() && self.groups.is_some() {
            return conflict("of", "groups");
        }
        if self.of.is_some() && self.counterfeits.is_some() {
            return conflict("of", "counterfeits");
        }
        if self.apart && self.groups.is_none() {
            return Err(Problem::OptionNeeds { option: "apart", needs: "groups" }.into());
        }
        Ok(())
    }
}

/// What an attacker knows about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adversary {
    /// Their quasi-identifiers, and in which releases they are.
    #[default]
    Presence,
    /// Their quasi-identifiers only.
    QuasiIdentifiers,
    /// Their raw quasi-identifiers, in which releases they are, and that the algorithm generalized no more than necessary.
    Algorithm,
}

/// Audit what all releases together disclose.
#[derive(Debug, Clone)]
pub struct AuditRequest {
    /// Only coalitions with these recipients; all coalitions if empty.
    pub recipients: Vec<Recipient>,
    /// Background knowledge: a file of statements, or a table of some people's values.
    pub knows: Option<PathBuf>,
    /// What the attacker knows about people.
    pub adversary: Adversary,
    /// Only these sensitive columns.
    pub columns: Option<Vec<String>>,
    /// The confidence bound, instead of the policy's.
    pub confidence: Option<Confidence>,
    /// Attacks to run too, by id; `all` runs every one that can be run.
    pub attacks: Vec<String>,
    /// Parameters of attacks: name and value.
    pub with: Vec<(String, String)>,
    /// People and what is known about them, for attacks that need it: CSV or Parquet with columns of the releases.
    pub population: Option<PathBuf>,
    /// List every person, by pseudonym.
    pub each: bool,
    /// How many of the worst cases to explain.
    pub worst: usize,
    /// How many steps of counting and of proving bounds to try, in millions.
    pub effort: u64,
    /// Sample so many possible worlds where they are too many to count.
    pub samples: u32,
    /// The seed of the samples.
    pub seed: u64,
    /// Write the report to this HTML file, which must not exist.
    pub html: Option<PathBuf>,
    /// Make the report one for everybody: no person, no value, no small number.
    pub public: bool,
}

impl Default for AuditRequest {
    fn default() -> AuditRequest {
        AuditRequest {
            recipients: Vec::new(),
            knows: None,
            adversary: Adversary::default(),
            columns: None,
            confidence: None,
            attacks: Vec::new(),
            with: Vec::new(),
            population: None,
            each: false,
            worst: 5,
            effort: 2,
            samples: 0,
            seed: 0,
            html: None,
            public: false,
        }
    }
}

impl AuditRequest {
    /// The recipients' names.
    pub(crate) fn who(&self) -> Vec<String> {
        self.recipients.iter().map(|recipient| recipient.to_string()).collect()
    }

    /// Options that need others are an error without them.
    pub(crate) fn check(&self) -> Result<()> {
        let needs = |option, needs| Err(Error::from(Problem::OptionNeeds { option, needs }));
        if !self.with.is_empty() && self.attacks.is_empty() {
            return needs("with", "attacks");
        }
        if self.public && self.html.is_none() {
            return needs("public", "html");
        }
        Ok(())
    }
}

/// Verify the ledger.
#[derive(Debug, Clone, Default)]
pub struct VerifyRequest {
    /// A file with an exported head that the ledger must extend.
    pub head: Option<PathBuf>,
    /// The public key of the ledger, to check its signatures without the key.
    pub verifier: Option<String>,
    /// The public key of a witness who must have countersigned the head.
    pub witness: Option<String>,
}

/// Export the head.
#[derive(Debug, Clone, Default)]
pub struct ExportHeadRequest {
    /// The file to write the head to.
    pub output: Option<PathBuf>,
    /// A file with an earlier head: prove that the new one extends it.
    pub since: Option<PathBuf>,
    /// The file to write that proof to.
    pub proof: Option<PathBuf>,
}

/// Check an exported proof, without the ledger.
#[derive(Debug, Clone)]
pub struct CheckProofRequest {
    /// The file with the proof.
    pub proof: PathBuf,
    /// A file with a head that was kept: the proof must be about its ledger.
    pub head: Option<PathBuf>,
    /// The public key of the ledger.
    pub verifier: Option<String>,
}

/// Countersign a head.
#[derive(Debug, Clone)]
pub struct WitnessRequest {
    /// The file with the head.
    pub head: PathBuf,
    /// The file with the head that was countersigned last; the countersigned head takes its place.
    pub kept: PathBuf,
    /// The file with the proof that the head extends the one that was kept.
    pub proof: Option<PathBuf>,
    /// The file with the key of the witness; drawn if it does not exist.
    pub key: PathBuf,
    /// The name of the witness.
    pub name: String,
}

/// Erase what the ledger stores of a release.
#[derive(Debug, Clone)]
pub struct PurgeRequest {
    /// The release, by number or name.
    pub release: String,
    /// Why; the ledger keeps it.
    pub reason: PurgeReason,
    /// The caller has confirmed that this cannot be undone.
    pub confirmed: bool,
}
