//! The words of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use reticent_app::{Confidence, Day, POLICY, PurgeReason, Recipient, ReleaseName, Workspace};

/// Publish data about people more than once, without letting the releases add up to a leak.
#[derive(Debug, Parser)]
#[command(name = "reticent", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done and every requirement holds; 1 refused, a requirement is violated; \
2 the call, the policy or the data is wrong; 3 reading or writing failed; 4 the ledger does not hold together, or a published file was changed; \
5 somebody else holds the ledger; 130 interrupted.\n\
New here? Run `reticent demo`, then `reticent init YOUR_DATA.csv`.")]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Answer in JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Show no progress.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// How many threads to use; as many as there are cores when not given.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// How much memory counting may use, such as 500M or 4G.
    #[arg(long, global = true, value_name = "SIZE", default_value = "2G", value_parser = memory)]
    pub memory: u64,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draft reticent.toml for a data file: types, suggested roles and why, taxonomies to fill in.
    Init(Init),
    /// How risky the data is as it stands, and what the policy demands.
    Check(Check),
    /// Make a release that satisfies the policy, write it, verify the written bytes, record it in the ledger.
    Publish(Publish),
    /// Enter a release that was made elsewhere, or before Reticent.
    Register(Register),
    /// What was released, when and to whom.
    Log(Log),
    /// One release: columns, cuts, parameters, verification, metrics, hashes.
    Show(Show),
    /// What changed between two releases.
    Diff(Diff),
    /// What a coalition of recipients can hold: `reticent history for NAME`.
    History(History),
    /// What all releases together give away about each person, how sure that is, and which releases cause it.
    Audit(Audit),
    /// Whether the ledger, and every file it names, is what was written.
    Verify(Verify),
    /// A small text to keep elsewhere, which reveals entries that were removed, rewritten or rolled back.
    ExportHead(ExportHead),
    /// Check an exported proof, without the ledger and without its key.
    CheckProof(CheckProof),
    /// For a second person: countersign a head that extends the one you kept.
    Witness(Witness),
    /// Record in the ledger that a witness countersigned a head.
    RecordWitness(RecordWitness),
    /// Sign a ledger that is not signed yet, such as one of an older format.
    Authenticate(Authenticate),
    /// Erase what the ledger stores of a release. Its entry stays.
    Purge(Purge),
    /// Every model, operation, metric, algorithm and attack there is, with its paper.
    Catalogue(Catalogue),
    /// Print the JSON Schema of reticent.toml, for editors.
    Schema,
    /// What releases would be like under several policies, algorithms or thresholds, side by side; publishes nothing.
    Compare(Compare),
    /// The whole story on generated data, in seconds.
    Demo(Demo),
}

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub struct Init {
    /// CSV or Parquet: a file, a folder, or a pattern such as 'data/*.csv'.
    #[arg(required = true)]
    pub data: Vec<String>,
    /// Where to draft the policy.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// Draft again over the policy that is there. Taxonomies that are there are kept.
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// CSV or Parquet: a file, a folder, or a pattern. Without it only the policy is checked.
    pub data: Vec<String>,
    /// The policy.
    #[arg(long, default_value = "reticent.toml", value_name = "FILE")]
    pub policy: PathBuf,
    /// How many of the worst classes to show for each model.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub witnesses: usize,
}

/// Arguments of `publish`.
#[derive(Debug, Clone, clap::Args)]
pub struct Publish {
    /// CSV or Parquet: a file, a folder, or a pattern.
    #[arg(required = true)]
    pub data: Vec<String>,
    /// The release's name, which no other release has.
    #[arg(long, value_parser = release)]
    pub name: ReleaseName,
    /// The file to write: .csv, .csv.gz, .csv.zst or .parquet; by a method, a folder. It must not exist.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Who gets it, such as `research` or `press,ministry`; `public` is everybody.
    #[arg(long, value_delimiter = ',', value_name = "WHO", default_value = reticent::PUBLIC, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// Judge this release by itself, although its recipients can hold earlier ones too. The ledger says so.
    #[arg(long)]
    pub alone: bool,
    #[command(flatten)]
    pub place: Place,
    /// Publish these columns only.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub columns: Option<Vec<String>>,
    /// Use this algorithm instead of the policy's.
    #[arg(long, value_name = "ID")]
    pub algorithm: Option<String>,
    /// Stop searching after so many seconds and publish the best state found.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Do everything, verification included, and publish nothing.
    #[arg(long, action = ArgAction::SetTrue)]
    pub dry_run: bool,
    #[command(flatten)]
    pub what_if: WhatIf,
}

/// What would be if the policy said something else.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct WhatIf {
    /// What if `k` were this? Only with --dry-run.
    #[arg(long, value_name = "K", requires = "dry_run", value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Option<u64>,
    /// What if `confidence` were this? Only with --dry-run.
    #[arg(long, value_name = "H", requires = "dry_run", value_parser = confidence)]
    pub confidence: Option<Confidence>,
}

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// CSV or Parquet: a file, a folder, or a pattern.
    #[arg(required = true)]
    pub data: Vec<String>,
    /// The name that the release would have.
    #[arg(long, default_value = "next", value_parser = release)]
    pub name: ReleaseName,
    /// Who would get it.
    #[arg(long, value_delimiter = ',', value_name = "WHO", default_value = reticent::PUBLIC, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// Judge it by itself, although its recipients can hold earlier releases too.
    #[arg(long)]
    pub alone: bool,
    /// The policies to compare.
    #[arg(long = "policy", default_value = "reticent.toml", value_name = "FILE", value_delimiter = ',')]
    pub policies: Vec<PathBuf>,
    /// The algorithms to compare, instead of the policies' own.
    #[arg(long = "algorithm", value_name = "ID", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The values of `k` to compare, instead of the policies' own.
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Vec<u64>,
    /// The values of `confidence` to compare, instead of the policies' own.
    #[arg(long, value_name = "H", value_delimiter = ',', value_parser = confidence)]
    pub confidence: Vec<Confidence>,
    /// Publish these columns only. Given more than once, the choices are compared.
    #[arg(long, value_name = "A,B,...")]
    pub columns: Vec<String>,
    /// The ledger's folder, instead of the policy's.
    #[arg(long, value_name = "DIR", env = "RETICENT_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// The file with the ledger's key, instead of the policy's.
    #[arg(long, value_name = "FILE", env = "RETICENT_KEY")]
    pub key: Option<PathBuf>,
}

/// Where the ledger is, and how long to wait for it.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// The policy.
    #[arg(long, default_value = POLICY, value_name = "FILE")]
    pub policy: PathBuf,
    /// The ledger's folder, instead of the policy's.
    #[arg(long, value_name = "DIR", env = "RETICENT_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// The file with the ledger's key, instead of the policy's.
    #[arg(long, value_name = "FILE", env = "RETICENT_KEY")]
    pub key: Option<PathBuf>,
    /// Start a ledger where there is none. Without this, a ledger that is missing is taken for lost.
    #[arg(long, env = "RETICENT_NEW_LEDGER", hide_env_values = true, value_parser = clap::builder::BoolishValueParser::new())]
    pub new_ledger: bool,
    /// How long to wait for somebody else who writes to the ledger.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub wait: f64,
}

/// Arguments of `register`.
#[derive(Debug, clap::Args)]
pub struct Register {
    /// The release: CSV or Parquet.
    pub file: PathBuf,
    /// The release's name, which no other release has.
    #[arg(long, value_parser = release)]
    pub name: ReleaseName,
    /// Who got it, such as `research` or `press,ministry`; `public` is everybody.
    #[arg(long, value_delimiter = ',', value_name = "WHO", required = true, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// The day it went out, as YYYY-MM-DD.
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub date: Day,
    /// Columns that name a person by themselves; not stored.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub identifier: Vec<String>,
    /// Columns that hold what nobody may learn about a person.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub sensitive: Vec<String>,
    /// Columns that are quasi-identifiers, also if every record has its own value.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub quasi_identifier: Vec<String>,
    /// The column that marks groups, where not equal values do.
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// The column that tells how many records of a group are counterfeits; in a table with owners, these have none.
    #[arg(long, value_name = "COLUMN")]
    pub counterfeits: Option<String>,
    /// Every sensitive column was published by itself: nothing tells which of a group's values belong together.
    #[arg(long, requires = "groups")]
    pub apart: bool,
    /// A table of counts, one row for each record, about the people of this release, by name or number: a marginal.
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["groups", "counterfeits", "apart"])]
    pub of: Option<String>,
    /// Tell what would be recognised, and enter nothing.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub place: Place,
}

impl Place {
    /// The workspace that the arguments name.
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
    /// Only what coalitions with these recipients can hold; all coalitions when not given.
    #[arg(long = "for", value_delimiter = ',', value_name = "WHO", value_parser = recipient)]
    pub who: Vec<Recipient>,
    /// What the attacker knows besides: a text file with one statement a line, or a CSV file with the owner column and some
    /// people's values.
    #[arg(long, value_name = "FILE")]
    pub knows: Option<PathBuf>,
    /// What the attacker knows: everybody's quasi-identifiers and in which releases they are, the quasi-identifiers only, or how the
    /// algorithm decided as well.
    #[arg(long, value_enum, default_value_t = Adversary::Presence)]
    pub adversary: Adversary,
    /// Only these sensitive columns.
    #[arg(long = "column", value_delimiter = ',', value_name = "A,B,...")]
    pub columns: Option<Vec<String>>,
    /// Nobody's value may be told with more confidence than this, instead of the policy's.
    #[arg(long, value_name = "H", value_parser = confidence)]
    pub confidence: Option<Confidence>,
    /// Run these attacks too; `all` runs every one that can be run.
    #[arg(long = "attack", value_delimiter = ',', value_name = "ID")]
    pub attacks: Vec<String>,
    /// A parameter of an attack, such as k=5 or values=HIV=0.6; `reticent catalogue --kind attack` lists them.
    #[arg(long = "with", value_name = "NAME=VALUE", requires = "attacks")]
    pub with: Vec<String>,
    /// People and what is known of them, for attacks that need it: CSV or Parquet with columns of the releases.
    #[arg(long, value_name = "FILE")]
    pub population: Option<PathBuf>,
    /// List everybody in the JSON answer, by pseudonym.
    #[arg(long)]
    pub each: bool,
    /// How many of the worst cases to explain.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub worst: usize,
    /// How many steps of counting worlds, and of proving bounds where that fails, to try for people who depend on each other, in
    /// millions.
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub effort: u64,
    /// Sample so many worlds where they are too many to count; an estimate with its error.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub samples: u32,
    /// What samples are drawn from.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Write the report as one HTML file.
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
    /// Make the report one that everybody may read: no line about any one person, no value, no small number.
    #[arg(long, requires = "html")]
    pub public: bool,
    #[command(flatten)]
    pub place: Place,
}

/// What an attacker knows of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Adversary {
    /// Their quasi-identifiers, and in which releases they are.
    Presence,
    /// Their quasi-identifiers only.
    QuasiIdentifiers,
    /// Their raw quasi-identifiers (--population), in which releases they are, and that the algorithm generalized no more than it had
    /// to.
    Algorithm,
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
    /// The release, by number or name.
    pub release: String,
    /// Write a proof that its entry is in the ledger, for a reader without the ledger.
    #[arg(long, value_name = "OUT")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// The earlier release, by number or name.
    pub from: String,
    /// The later release, by number or name.
    pub to: String,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `history`.
#[derive(Debug, clap::Args)]
pub struct History {
    /// `for`, and the recipients who combine what they hold.
    #[arg(required = true, value_name = "for WHO", value_delimiter = ',')]
    pub who: Vec<String>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `verify`.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// A head that was exported before: the ledger must extend it. Reveals a rewrite even by the holder of the key.
    #[arg(long, value_name = "FILE")]
    pub head: Option<PathBuf>,
    /// The public key of the ledger, to check its signatures without the key.
    #[arg(long, value_name = "PUBLIC_KEY")]
    pub verifier: Option<String>,
    /// The public key of a witness who must have countersigned the head.
    #[arg(long, value_name = "PUBLIC_KEY", requires = "head")]
    pub witness: Option<String>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `export-head`.
#[derive(Debug, clap::Args)]
pub struct ExportHead {
    /// Where to write it; to standard output when not given.
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// An earlier head: prove that the ledger extends it.
    #[arg(long, value_name = "FILE", requires = "proof")]
    pub since: Option<PathBuf>,
    /// Where to write that proof.
    #[arg(long, value_name = "OUT", requires = "since")]
    pub proof: Option<PathBuf>,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `check-proof`.
#[derive(Debug, clap::Args)]
pub struct CheckProof {
    /// The proof, as `show --proof` or `export-head --since` wrote it.
    pub proof: PathBuf,
    /// A head that you kept: the proof must lead to it or from it.
    #[arg(long, value_name = "FILE")]
    pub head: Option<PathBuf>,
    /// The public key of the ledger.
    #[arg(long, value_name = "PUBLIC_KEY")]
    pub verifier: Option<String>,
}

/// Arguments of `witness`.
#[derive(Debug, clap::Args)]
pub struct Witness {
    /// The head, as the steward exported it.
    pub head: PathBuf,
    /// Your name in signatures: one word, such as auditor.example.org.
    #[arg(long)]
    pub name: String,
    /// The file with your key; drawn if it does not exist.
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// The head that you countersigned last; the new one takes its place.
    #[arg(long, value_name = "FILE")]
    pub kept: PathBuf,
    /// The steward's proof that the head extends the one that you kept.
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
}

/// Arguments of `record-witness`.
#[derive(Debug, clap::Args)]
pub struct RecordWitness {
    /// The countersigned head.
    pub head: PathBuf,
    /// The public key of the witness.
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
    /// The release, by number or name.
    pub release: String,
    /// Why; it stays in the ledger, so name nobody.
    #[arg(long, value_parser = reason)]
    pub reason: PurgeReason,
    /// Really erase: it cannot be undone.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `catalogue`.
#[derive(Debug, clap::Args)]
pub struct Catalogue {
    /// One entry in full, by its id.
    pub id: Option<String>,
    /// Only entries of this kind.
    #[arg(long, value_enum)]
    pub kind: Option<KindWord>,
    /// As Markdown, as in the reference pages.
    #[arg(long)]
    pub markdown: bool,
}

/// A kind of entry, as a word.
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
    /// Methods for publishing the same table again.
    Method,
    /// Attacks.
    Attack,
}

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Keep the generated data, policy and release in this folder, which must not exist.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// How many hospital stays to generate.
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=5_000_000))]
    pub rows: u32,
    /// Decides the generated data.
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// The rule that a text breaks.
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

fn reason(text: &str) -> Result<PurgeReason, String> {
    PurgeReason::new(text).map_err(rule)
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
