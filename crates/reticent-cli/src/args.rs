//! Command-line arguments.

mod corrections;
mod data;
mod publish;
pub mod shell;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use reticent_app::{Confidence, Day, EntryReason, POLICY, Recipient, ReleaseName, Workspace};

pub use corrections::{Amend, Erase, Withdraw};
pub use data::{Database, Init, ROLES, Taxonomy, TaxonomyAction, TaxonomyUpdate};
pub use publish::{Compare, Publish, Thresholds};

/// Publish data about people more than once: each release is checked against all earlier ones.
#[derive(Debug, Parser)]
#[command(name = "reticent", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 success; 1 refused, a requirement is violated or could not be checked; \
2 invalid arguments, policy or data; 3 input/output error; 4 the ledger or a published file was modified; \
5 the ledger is locked by another process; 130 interrupted.\n\
New to Reticent? Run `reticent demo`, then `reticent init YOUR_DATA.csv`.")]
pub struct Args {
    /// The command.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Explain an error code: what it means and what to do.
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
    /// Print the answer as JSON (fields: docs/json.md).
    #[arg(long, global = true)]
    pub json: bool,
    /// Hide progress messages.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print more details.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Show the values in errors about the data. By default, errors show the rows and patterns such as 99/99/9999.
    #[arg(long, global = true)]
    pub show_values: bool,
    /// Number of threads [default: number of cores].
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory limit for counting records, for example 500M or 4G.
    #[arg(long, global = true, value_name = "SIZE", default_value = "2G", value_parser = memory)]
    pub memory: u64,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draft reticent.toml for a data file: column types, suggested roles with reasons, taxonomies to fill in.
    Init(Init),
    /// Measure the disclosure risk of the unprotected data and check the policy.
    Check(Check),
    /// Make a release that meets the policy, write it, verify the written file, record it in the ledger.
    Publish(Publish),
    /// Record a release that was made without Reticent.
    Register(Register),
    /// Complete the taxonomy files for new data.
    Taxonomy(Taxonomy),
    /// List all releases: when they were published and to whom.
    Log(Log),
    /// Show one release: columns, generalization levels, parameters, verification, metrics, hashes.
    Show(Show),
    /// Compare two releases.
    Diff(Diff),
    /// List the releases that a recipient and its possible partners hold: `reticent history for NAME`.
    History(History),
    /// Compute what all releases together disclose about each person, and which releases cause it.
    Audit(Audit),
    /// Check that the ledger and every published file are unmodified.
    Verify(Verify),
    /// Export the signed head of the ledger. A copy kept elsewhere reveals later removals and rewrites.
    ExportHead(ExportHead),
    /// Check an exported proof without the ledger and its key.
    CheckProof(CheckProof),
    /// Countersign a head as a witness, if it extends the last one you countersigned.
    Witness(Witness),
    /// Record a countersigned head in the ledger.
    RecordWitness(RecordWitness),
    /// Sign a ledger that is not signed yet, for example one of format 1.
    Authenticate(Authenticate),
    /// Withdraw a release that was never handed out. It no longer counts for what recipients hold.
    Withdraw(Withdraw),
    /// Correct the recipients of a release, or the roles of its columns.
    Amend(Amend),
    /// Remove one person from the owner links of all releases. Recipients keep what they have.
    Erase(Erase),
    /// Erase the stored contents of a release. Its ledger entry stays.
    Purge(Purge),
    /// List all privacy models, operations, metrics, algorithms, methods and attacks, with their papers.
    Catalogue(Catalogue),
    /// Print the JSON Schema of reticent.toml, for editors.
    Schema,
    /// Compare risk and loss of releases with other thresholds, suppression or algorithms. Publishes nothing.
    Compare(Compare),
    /// Check the environment: policy, permissions, key, ledger, unfinished work, disk space.
    Doctor(shell::Doctor),
    /// Print a completion script for a shell.
    Completions(shell::Completions),
    /// Write man pages to a folder.
    #[command(hide = true)]
    Man(shell::Man),
    /// Show on example data what two releases disclose together, and how Reticent prevents it.
    Demo(Demo),
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Data: a CSV or Parquet file, a folder, or a pattern. Without any, the table of a database that the policy names, or only the policy.
    pub data: Vec<String>,
    /// Policy file.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// Number of violating equivalence classes to show for each model.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub witnesses: usize,
}

/// Policy, ledger and key, and how long to wait for the ledger.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// Policy file.
    #[arg(long, default_value = POLICY, value_name = "FILE")]
    pub policy: PathBuf,
    /// Ledger folder [default: from the policy].
    #[arg(long, value_name = "DIR", env = "RETICENT_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// Key file of the ledger [default: from the policy].
    #[arg(long, value_name = "FILE", env = "RETICENT_KEY")]
    pub key: Option<PathBuf>,
    /// Create the ledger if it does not exist. Without this option, a missing ledger is an error.
    #[arg(long, env = "RETICENT_NEW_LEDGER", hide_env_values = true, value_parser = clap::builder::BoolishValueParser::new())]
    pub new_ledger: bool,
    /// Seconds to wait while another process writes to the ledger.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub wait: f64,
}

/// Arguments of `register`.
#[derive(Debug, clap::Args)]
pub struct Register {
    /// The released file: CSV or Parquet.
    #[arg(required_unless_present = "database", conflicts_with = "database")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub from: Database,
    /// What the table is.
    #[arg(long = "as", value_enum, default_value_t = RegisterAs::Release)]
    pub register_as: RegisterAs,
    /// Name of the release; must be unique.
    #[arg(long, value_parser = release)]
    pub name: ReleaseName,
    /// Recipients, for example `research` or `press,ministry`; `public` means anyone.
    #[arg(long, value_delimiter = ',', value_name = "WHO", required = true, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// Publication date, as YYYY-MM-DD.
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub date: Day,
    /// Identifiers: columns that identify a person directly, such as a name. Not stored.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub identifier: Vec<String>,
    /// The published file shows the owner column, so everybody in it is identified.
    #[arg(long)]
    pub owner_shown: bool,
    /// Sensitive attributes, such as a diagnosis.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub sensitive: Vec<String>,
    /// Quasi-identifiers, even if every record has a different value.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub quasi_identifier: Vec<String>,
    /// Column with the group number, for bucketized (anatomized) releases.
    #[arg(long, value_name = "COLUMN")]
    pub group_column: Option<String>,
    /// Column with the number of counterfeit records in the group. In a table with owners, counterfeits have no owner.
    #[arg(long, value_name = "COLUMN")]
    pub counterfeit_column: Option<String>,
    /// Sensitive attributes were published separately: values of a group cannot be linked across attributes.
    #[arg(long, requires = "group_column")]
    pub separate_columns: bool,
    /// The file is a marginal table about the people of this release (name or number), one row per record.
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["group_column", "counterfeit_column", "separate_columns"])]
    pub marginal_of: Option<String>,
    /// Show what would be recognized. Records nothing.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub place: Place,
}

impl Place {
    /// The workspace for these arguments.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            ledger: self.ledger.clone(),
            key: self.key.clone(),
            start_ledger: self.new_ledger,
            wait: Duration::from_secs_f64(self.wait.clamp(0.0, 1e9)),
            ..Workspace::new(&self.policy)
        }
    }
}

/// Arguments of `audit`.
#[derive(Debug, clap::Args)]
pub struct Audit {
    /// Audit only coalitions that include these recipients [default: all coalitions].
    #[arg(long = "for", value_delimiter = ',', value_name = "WHO", value_parser = recipient)]
    pub recipients: Vec<Recipient>,
    /// Background knowledge of the attacker: a text file with one statement per line, or a CSV file with the owner column and
    /// known values.
    #[arg(long, value_name = "FILE")]
    pub background: Option<PathBuf>,
    /// What the attacker knows about people.
    #[arg(long, value_enum, default_value_t = Adversary::Presence)]
    pub adversary: Adversary,
    /// Audit only these sensitive attributes.
    #[arg(long = "column", value_delimiter = ',', value_name = "A,B,...")]
    pub columns: Option<Vec<String>>,
    /// Threshold for the posterior of a sensitive value [default: from the policy].
    #[arg(long, value_name = "H", value_parser = confidence)]
    pub confidence: Option<Confidence>,
    /// Bound on the prosecutor risk of a person [default: from the policy].
    #[arg(long, value_name = "P", value_parser = confidence)]
    pub reidentification: Option<Confidence>,
    /// Attacks to run; `all` runs every applicable attack.
    #[arg(long = "attack", value_delimiter = ',', value_name = "ID")]
    pub attacks: Vec<String>,
    /// Parameter of an attack, for example k=5 or values=HIV=0.6. List: `reticent catalogue --kind attack`.
    #[arg(long = "attack-parameter", value_name = "NAME=VALUE", requires = "attacks")]
    pub attack_parameters: Vec<String>,
    /// Population table for attacks that need one: CSV or Parquet with columns of the releases.
    #[arg(long, value_name = "FILE")]
    pub population: Option<PathBuf>,
    /// List every person in the JSON answer, by pseudonym.
    #[arg(long)]
    pub per_person: bool,
    /// Number of worst cases to explain.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub worst: usize,
    /// Work limit per connected component, in millions of steps: for counting possible worlds, then for proving bounds.
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub effort: u64,
    /// Number of sampled worlds where they cannot be counted. Gives an estimate with its standard error.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub samples: u32,
    /// Seed of the samples.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Write the disclosure risk report to this HTML file.
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
    /// Make the report safe to publish: no individual cases, no sensitive values, no small counts.
    #[arg(long, requires = "html")]
    pub public: bool,
    #[command(flatten)]
    pub place: Place,
}

/// What the attacker knows about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Adversary {
    /// Quasi-identifiers of all people, and which releases they are in.
    Presence,
    /// Quasi-identifiers of all people.
    QuasiIdentifiers,
    /// Original quasi-identifiers (--population), which releases people are in, and how the algorithm works.
    Algorithm,
}

/// What a registered table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RegisterAs {
    /// A release: it must meet the requirements together with later ones.
    Release,
    /// A table that attackers have, such as a voter list. It is used for linkage and needs no protection.
    Population,
}

/// Arguments of `log`.
#[derive(Debug, clap::Args)]
pub struct Log {
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Show {
    /// Release, by number or name.
    pub release: String,
    /// Write a proof that the entry is in the ledger. It can be checked without the ledger.
    #[arg(long, value_name = "OUT")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// Earlier release, by number or name.
    pub from: String,
    /// Later release, by number or name.
    pub to: String,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `history`.
#[derive(Debug, clap::Args)]
pub struct History {
    /// The word `for`, then recipients that collude.
    #[arg(required = true, value_name = "for WHO", value_delimiter = ',')]
    pub recipients: Vec<String>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// Earlier exported head that the ledger must extend. Detects a rewrite even by the holder of the key.
    #[arg(long, value_name = "FILE")]
    pub head: Option<PathBuf>,
    /// Public key of the ledger, to check signatures without the key file.
    #[arg(long, value_name = "PUBLIC_KEY")]
    pub verifier: Option<String>,
    /// Public key of a witness that must have countersigned the head.
    #[arg(long, value_name = "PUBLIC_KEY", requires = "head")]
    pub witness: Option<String>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `export-head`.
#[derive(Debug, clap::Args)]
pub struct ExportHead {
    /// File to write [default: standard output].
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Earlier head: prove that the ledger extends it.
    #[arg(long, value_name = "FILE", requires = "proof")]
    pub since: Option<PathBuf>,
    /// File for that proof.
    #[arg(long, value_name = "OUT", requires = "since")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `check-proof`.
#[derive(Debug, clap::Args)]
pub struct CheckProof {
    /// Proof written by `show --proof` or `export-head --since`.
    pub proof: PathBuf,
    /// Head that you kept: the proof must start or end with it.
    #[arg(long, value_name = "FILE")]
    pub head: Option<PathBuf>,
    /// Public key of the ledger.
    #[arg(long, value_name = "PUBLIC_KEY")]
    pub verifier: Option<String>,
}

/// Arguments of `witness`.
#[derive(Debug, clap::Args)]
pub struct Witness {
    /// Head exported by the steward.
    pub head: PathBuf,
    /// Your name in signatures, one word, for example auditor.example.org.
    #[arg(long)]
    pub name: String,
    /// Your key file; generated if it does not exist.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// File with the head that you countersigned last. It is replaced by the new one.
    #[arg(long, value_name = "FILE")]
    pub previous: PathBuf,
    /// Proof by the steward that the head extends your previous one.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
}

/// Arguments of `record-witness`.
#[derive(Debug, clap::Args)]
pub struct RecordWitness {
    /// Countersigned head.
    pub head: PathBuf,
    /// Public key of the witness.
    #[arg(long, value_name = "PUBLIC_KEY")]
    pub witness: String,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `authenticate`.
#[derive(Debug, clap::Args)]
pub struct Authenticate {
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `purge`.
#[derive(Debug, clap::Args)]
pub struct Purge {
    /// Release, by number or name.
    pub release: String,
    /// Reason. It stays in the ledger: do not name a person.
    #[arg(long, value_parser = reason)]
    pub reason: EntryReason,
    /// Confirm. Erasing cannot be undone.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `catalogue`.
#[derive(Debug, clap::Args)]
pub struct Catalogue {
    /// Show this entry in full, by id.
    pub id: Option<String>,
    /// List only entries of this kind.
    #[arg(long, value_enum)]
    pub kind: Option<KindWord>,
    /// Print Markdown, as in docs/reference.md.
    #[arg(long)]
    pub markdown: bool,
}

/// Kind of a catalogue entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindWord {
    /// Privacy models.
    Model,
    /// Anonymization operations.
    Operation,
    /// Information metrics.
    Metric,
    /// Algorithms.
    Algorithm,
    /// Republication methods.
    Method,
    /// Attacks.
    Attack,
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Keep the data, policies, releases, ledgers and the HTML report in this folder. It must not exist.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}

/// The rule that an invalid text violates.
fn rule(error: reticent::Error) -> String {
    match error {
        reticent::Error::Name { rule, .. } => rule,
        error => error.to_string(),
    }
}

fn release(text: &str) -> Result<ReleaseName, String> {
    ReleaseName::new(text).map_err(rule)
}

fn recipient(text: &str) -> Result<Recipient, String> {
    Recipient::new(text).map_err(rule)
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let decimal: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    Confidence::new(decimal).map_err(rule)
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("write a share from 0 to 1".to_owned()),
    }
}

fn reason(text: &str) -> Result<EntryReason, String> {
    EntryReason::new(text).map_err(rule)
}

fn day(text: &str) -> Result<Day, String> {
    Day::new(text).map_err(rule)
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(seconds),
        _ => Err("write a number of seconds".to_owned()),
    }
}

fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let number: f64 = digits.parse().map_err(|_| "write a size such as 500M or 4G".to_owned())?;
    let factor = match unit.trim().to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        "G" => 1024.0 * 1024.0 * 1024.0,
        "T" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("write a size such as 500M or 4G".to_owned()),
    };
    let bytes = number * factor;
    if bytes < 1024.0 * 1024.0 { Err("at least 1M".to_owned()) } else { Ok(bytes as u64) }
}
