//! Requests of the verbs: plain structs. The types of the fields make most invalid requests impossible.
//!
//! Interfaces that receive JSON deserialize a request. Unknown fields are errors.

mod data;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use reticent::policy::{DATABASE_ENGINES, DatabaseRows, DatabaseSource, PolicyChanges};
use reticent::{Confidence, Day, EntryReason, Recipient, ReleaseName, Role};
use serde::{Deserialize, Deserializer};

use crate::PolicySource;
use crate::error::{Error, Problem, Result};

pub use data::Data;
pub use reticent_engine::Frame;

/// Request to draft a policy for a data file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitRequest {
    /// Rows.
    #[serde(default)]
    pub data: Data,
    /// Encoding of text files, if it is not detected. The policy declares it.
    #[serde(default)]
    pub encoding: Option<String>,
    /// Formats of columns, instead of the detected ones.
    #[serde(default)]
    pub formats: Vec<(String, String)>,
    /// Roles of columns, instead of the drafted ones.
    #[serde(default)]
    pub roles: Vec<(String, Role)>,
    /// Column that identifies the person.
    #[serde(default)]
    pub owner: Option<String>,
    /// Whether to return the suggestions only, and write nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether to replace an existing policy (its file is renamed) and to accept a header line that looks like data.
    #[serde(default)]
    pub force: bool,
    /// Preset of the requirement. If `None`, the draft requires k-anonymity.
    #[serde(default)]
    pub preset: Option<String>,
}

/// Request to add the values of new data to the taxonomy files of the policy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaxonomyUpdateRequest {
    /// Rows.
    #[serde(default)]
    pub data: Data,
    /// Whether to report the new values only, and write nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Request to check a policy and the original data.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// Rows. Without any, only the policy is checked.
    #[serde(default)]
    pub data: Data,
    /// Maximum number of violating classes to list per model.
    pub witnesses: usize,
}

/// Request to measure a table by a privacy model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureRequest {
    /// Rows.
    #[serde(default)]
    pub data: Data,
    /// Id of the model.
    pub model: String,
    /// Columns that the attacker knows.
    pub on: Vec<String>,
    /// Sensitive column, if the model measures one.
    #[serde(default)]
    pub sensitive: Option<String>,
    /// Column that identifies the person, if a person can have several records.
    #[serde(default)]
    pub owner: Option<String>,
    /// Further parameters of the model.
    #[serde(default)]
    pub arguments: BTreeMap<String, Given>,
}

/// Value of a parameter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Given {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// Request to publish a release.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishRequest {
    /// Rows.
    #[serde(default)]
    pub data: Data,
    /// Unique name of the release.
    pub name: ReleaseName,
    /// File to write, or folder if the policy names a republication method. It must not exist.
    pub output: PathBuf,
    /// Recipients of the release.
    pub recipients: Vec<Recipient>,
    /// Whether to judge the release without the earlier releases that its recipients hold. The ledger records this.
    #[serde(default)]
    pub ignore_history: bool,
    /// Columns to publish; all columns of the policy if `None`.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// Algorithm to use instead of the one in the policy.
    #[serde(default)]
    pub algorithm: Option<String>,
    /// Thresholds that replace those of the policy. Only a rehearsal can weaken them.
    #[serde(default)]
    pub changes: PolicyChanges,
    /// Maximum time of the search. When it is over, the best release found so far is published. In JSON: seconds.
    #[serde(default, deserialize_with = "seconds")]
    pub time_limit: Option<Duration>,
    /// Seed to use instead of the one in the policy.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// Reads a number of seconds.
fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let seconds = Option::<f64>::deserialize(from)?;
    let duration = |seconds: f64| Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom);
    seconds.map(duration).transpose()
}

impl PublishRequest {
    /// Creates a request with the settings of the policy.
    pub fn new(
        data: impl Into<Data>,
        name: ReleaseName,
        recipients: Vec<Recipient>,
        output: impl Into<PathBuf>,
    ) -> Self {
        PublishRequest {
            data: data.into(),
            name,
            output: output.into(),
            recipients,
            ignore_history: false,
            columns: None,
            algorithm: None,
            changes: PolicyChanges::default(),
            time_limit: None,
            seed: None,
        }
    }

    /// Returns the names of the recipients.
    pub(crate) fn recipient_names(&self) -> Vec<String> {
        self.recipients.iter().map(|recipient| recipient.to_string()).collect()
    }
}

/// Request to compare rehearsals of a release. Every combination of the listed choices is rehearsed.
///
/// Without any list, `k`, `confidence`, `suppression` and the algorithm of the policy are varied one after the other.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareRequest {
    /// Rows.
    #[serde(default)]
    pub data: Data,
    /// Name of the release; a free name if `None`.
    #[serde(default)]
    pub name: Option<ReleaseName>,
    /// Recipients of the release.
    pub recipients: Vec<Recipient>,
    /// Whether to judge the release without the earlier releases that its recipients hold.
    #[serde(default)]
    pub ignore_history: bool,
    /// Policies to compare. If empty, the policy of the workspace.
    #[serde(skip)]
    pub policies: Vec<PolicySource>,
    /// Algorithms to compare. If empty, the algorithm of the policy.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Values of `k` to compare. If empty, the `k` of the policy.
    #[serde(default)]
    pub k: Vec<u64>,
    /// Confidence bounds to compare. If empty, the confidence bound of the policy.
    #[serde(default)]
    pub confidence: Vec<Confidence>,
    /// Limits of suppression to compare. If empty, the limit of the policy.
    #[serde(default)]
    pub suppression: Vec<f64>,
    /// Selections of columns to compare. If empty, all columns.
    #[serde(default)]
    pub columns: Vec<Vec<String>>,
    /// Seed to use instead of the one in the policy.
    #[serde(default)]
    pub seed: Option<u64>,
    /// File for the comparison as an HTML page.
    #[serde(default)]
    pub html: Option<PathBuf>,
}

/// What a registered table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterAs {
    /// A release of our data, which must meet the requirements together with later ones.
    #[default]
    Release,
    /// A table that attackers have, such as a voter list: background knowledge for linkage. It needs no protection.
    Population,
}

/// Request to register a release that was made by another program, or a population register.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// Rows of the release: one file, whose hash is recorded, or a table in memory.
    #[serde(default)]
    pub data: Data,
    /// What the table is.
    #[serde(default)]
    pub register_as: RegisterAs,
    /// Unique name of the release.
    pub name: ReleaseName,
    /// Recipients of the release.
    pub recipients: Vec<Recipient>,
    /// Date of publication.
    pub date: Day,
    /// Columns that are identifiers. Their values are not stored.
    #[serde(default)]
    pub identifier: Vec<String>,
    /// Whether the published file shows the owner column, so that everybody in it is identified.
    #[serde(default)]
    pub owner_shown: bool,
    /// Columns that are sensitive attributes.
    #[serde(default)]
    pub sensitive: Vec<String>,
    /// Columns that are quasi-identifiers.
    #[serde(default)]
    pub quasi_identifier: Vec<String>,
    /// Column with the group (bucket) of each record. If `None`, records with equal quasi-identifiers form a group.
    #[serde(default)]
    pub group_column: Option<String>,
    /// Column with the number of counterfeit records in the group.
    #[serde(default)]
    pub counterfeit_column: Option<String>,
    /// Whether each sensitive attribute was published in a separate table.
    #[serde(default)]
    pub separate_columns: bool,
    /// For a marginal table: name or number of the release whose records it counts.
    #[serde(default)]
    pub marginal_of: Option<String>,
    /// Whether to recognise the columns only, and record nothing.
    #[serde(default)]
    pub dry_run: bool,
}

impl RegisterRequest {
    /// Returns the file of the release; `None` for a table in memory or in a database.
    pub(crate) fn file(&self) -> Result<Option<&Path>> {
        match (&self.data, self.data.single_file()) {
            (Data::Frame(_) | Data::Database(_), _) => Ok(None),
            (_, Some(file)) => Ok(Some(file)),
            (_, None) => Err(Problem::RequestInvalid { why: "`data`: a release is one file".to_owned() }.into()),
        }
    }

    /// Returns the path of the file, or the name of a table in memory.
    pub(crate) fn source_name(&self) -> PathBuf {
        PathBuf::from(self.data.to_string())
    }

    /// Returns whether the table is a population register.
    pub(crate) fn is_population(&self) -> bool {
        self.register_as == RegisterAs::Population
    }

    /// Returns an error if options contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        let conflict = |one, other| Err(Problem::OptionsConflict { one, other }.into());
        let release_only = [
            ("group-column", self.group_column.is_some()),
            ("counterfeit-column", self.counterfeit_column.is_some()),
            ("marginal-of", self.marginal_of.is_some()),
            ("owner-shown", self.owner_shown),
        ];
        if let Some((option, _)) = release_only.iter().find(|(_, given)| *given && self.is_population()) {
            return conflict("as-population", option);
        }
        if self.marginal_of.is_some() && self.group_column.is_some() {
            return conflict("marginal-of", "group-column");
        }
        if self.marginal_of.is_some() && self.counterfeit_column.is_some() {
            return conflict("marginal-of", "counterfeit-column");
        }
        if self.separate_columns && self.group_column.is_none() {
            return Err(Problem::OptionNeeds { option: "separate-columns", needs: "group-column" }.into());
        }
        Ok(())
    }
}

/// Adversary model of an audit: what the attacker knows about people before seeing the releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adversary {
    /// The attacker knows quasi-identifiers, and the releases that each person is in.
    #[default]
    Presence,
    /// The attacker knows quasi-identifiers only.
    QuasiIdentifiers,
    /// The attacker knows original quasi-identifiers, the releases that each person is in, and the algorithm.
    ///
    /// In particular, the attacker knows that the algorithm generalized no more than necessary (minimality).
    Algorithm,
}

/// Request to audit what the release history discloses.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {
    /// Recipients that an audited coalition must contain. If empty, all coalitions are audited.
    pub recipients: Vec<Recipient>,
    /// File with background knowledge: statements, or a table with values of some people.
    pub background: Option<PathBuf>,
    /// Adversary model.
    pub adversary: Adversary,
    /// Sensitive attributes to audit; all if `None`.
    pub columns: Option<Vec<String>>,
    /// Confidence bound to use instead of the one in the policy.
    pub confidence: Option<Confidence>,
    /// Bound on the prosecutor risk to use instead of the one in the policy.
    pub reidentification: Option<Confidence>,
    /// Ids of attacks to run; `all` runs every attack that can be run.
    pub attacks: Vec<String>,
    /// Name and value of each attack parameter.
    pub attack_parameters: Vec<(String, String)>,
    /// Population table for attacks, in CSV or Parquet: one row per person, with columns of the releases.
    pub population: Option<PathBuf>,
    /// Whether to list every person, by pseudonym.
    pub per_person: bool,
    /// Number of worst cases to explain.
    pub worst: usize,
    /// Maximum number of steps for counting worlds, and for proving bounds, in millions.
    pub effort: u64,
    /// Number of possible worlds to sample where they are too many to count.
    pub samples: u32,
    /// Seed of the samples.
    pub seed: u64,
    /// HTML file for the report. It must not exist.
    pub html: Option<PathBuf>,
    /// Whether the report is for the public: without persons, sensitive values and small counts.
    pub public: bool,
}

impl Default for AuditRequest {
    fn default() -> AuditRequest {
        AuditRequest {
            recipients: Vec::new(),
            background: None,
            adversary: Adversary::default(),
            columns: None,
            confidence: None,
            reidentification: None,
            attacks: Vec::new(),
            attack_parameters: Vec::new(),
            population: None,
            per_person: false,
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
    /// Returns the names of the recipients.
    pub(crate) fn recipient_names(&self) -> Vec<String> {
        self.recipients.iter().map(|recipient| recipient.to_string()).collect()
    }

    /// Returns an error if an option needs another one that is missing.
    pub(crate) fn check(&self) -> Result<()> {
        let needs = |option, needs| Err(Error::from(Problem::OptionNeeds { option, needs }));
        if !self.attack_parameters.is_empty() && self.attacks.is_empty() {
            return needs("attack-parameters", "attacks");
        }
        if self.public && self.html.is_none() {
            return needs("public", "html");
        }
        Ok(())
    }
}

/// Request to verify the ledger.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerifyRequest {
    /// File with an exported head that the ledger must extend.
    pub head: Option<PathBuf>,
    /// Public key of the ledger, to check its signatures without the key file.
    pub verifier: Option<String>,
    /// Public key of a witness that must have countersigned the head.
    pub witness: Option<String>,
}

/// Request to export the head of the ledger.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportHeadRequest {
    /// File to write the head to.
    pub output: Option<PathBuf>,
    /// File with an earlier head, to prove that the new head extends it.
    pub since: Option<PathBuf>,
    /// File to write this proof to.
    pub proof: Option<PathBuf>,
}

/// Request to check an exported proof without the ledger.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckProofRequest {
    /// File with the proof.
    pub proof: PathBuf,
    /// File with a trusted head, which the proof must start or end at.
    #[serde(default)]
    pub head: Option<PathBuf>,
    /// Public key of the ledger.
    #[serde(default)]
    pub verifier: Option<String>,
}

/// Request to countersign a head.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessRequest {
    /// File with the head.
    pub head: PathBuf,
    /// File with the head that the witness countersigned last. The newly countersigned head replaces it.
    pub previous: PathBuf,
    /// File with the proof that the head extends the previous one.
    #[serde(default)]
    pub proof: Option<PathBuf>,
    /// Key file of the witness. It is created if it does not exist.
    pub key: PathBuf,
    /// Name of the witness.
    pub name: String,
}

/// Request to erase the contents of a release from the ledger.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurgeRequest {
    /// Number or name of the release.
    pub release: String,
    /// Reason, which the ledger records.
    pub reason: EntryReason,
    /// Whether the user confirmed this irreversible action.
    #[serde(default)]
    pub confirmed: bool,
}

/// Request to withdraw a release that was never handed out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithdrawRequest {
    /// Number or name of the release.
    pub release: String,
    /// Reason, which the ledger records.
    pub reason: EntryReason,
    /// Whether the steward states that the file was destroyed, if its absence cannot be checked here.
    #[serde(default)]
    pub destroyed_elsewhere: bool,
}

/// Request to correct the recipients of a release, or the roles of its columns.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AmendRequest {
    /// Number or name of the release.
    pub release: String,
    /// Reason, which the ledger records.
    pub reason: EntryReason,
    /// Recipients that hold the release too.
    #[serde(default)]
    pub add_recipients: Vec<Recipient>,
    /// All recipients, if the recorded ones are wrong. Recipients that are left out are assumed not to hold the release.
    #[serde(default)]
    pub recipients: Option<Vec<Recipient>>,
    /// Column and role of each correction.
    #[serde(default)]
    pub roles: Vec<(String, Role)>,
}

/// Request to remove a person from the ledger.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EraseRequest {
    /// Owner value of the person, as the data writes it.
    pub owner: OwnerText,
    /// Reason, which the ledger records.
    pub reason: EntryReason,
    /// Whether to report the effects only, and record nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether the user confirmed this irreversible action.
    #[serde(default)]
    pub confirmed: bool,
}

/// Owner value of a person. It is never printed, logged or recorded.
#[derive(Clone)]
pub struct OwnerText(String);

/// Reads a text or a number. An error does not quote it.
impl<'de> Deserialize<'de> for OwnerText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<OwnerText, D::Error> {
        match serde_json::Value::deserialize(from)? {
            serde_json::Value::String(text) => Ok(OwnerText(text)),
            serde_json::Value::Number(number) => Ok(OwnerText(number.to_string())),
            _ => Err(serde::de::Error::custom("`owner` must be a text or a number")),
        }
    }
}

impl OwnerText {
    /// Creates an owner value.
    pub fn new(text: &str) -> OwnerText {
        OwnerText(text.to_owned())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whether a text contains the value as a word, in any case.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        let (text, owner) = (text.to_lowercase(), self.0.trim().to_lowercase());
        let is_word = |at: usize| {
            let before = text[..at].chars().next_back();
            let after = text[at + owner.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        };
        !owner.is_empty() && text.match_indices(&owner).any(|(at, _)| is_word(at))
    }
}

/// Does not print the value.
impl std::fmt::Debug for OwnerText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnerText(..)")
    }
}
