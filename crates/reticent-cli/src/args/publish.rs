//! Arguments of `publish` and `compare`.

use std::path::PathBuf;

use clap::ArgAction;
use reticent_app::{Confidence, Recipient, ReleaseName};

use super::{Place, confidence, recipient, release, seconds, share};

/// Arguments of `publish`.
#[derive(Debug, Clone, clap::Args)]
pub struct Publish {
    /// Data: a CSV or Parquet file, a folder, or a pattern. Without any, the table of a database that the policy names.
    pub data: Vec<String>,
    /// Name of the release; must be unique.
    #[arg(long, value_parser = release)]
    pub name: ReleaseName,
    /// File to write: .csv, .csv.gz, .csv.zst or .parquet. For republication methods, a folder. Must not exist.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Recipients, for example `research` or `press,ministry`; `public` means anyone.
    #[arg(long, value_delimiter = ',', value_name = "WHO", default_value = reticent::PUBLIC, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// Do not check this release against earlier ones. The ledger records this.
    #[arg(long)]
    pub ignore_history: bool,
    #[command(flatten)]
    pub place: Place,
    /// Publish only these columns.
    #[arg(long, value_delimiter = ',', value_name = "A,B,...")]
    pub columns: Option<Vec<String>>,
    /// Algorithm to use instead of the policy's.
    #[arg(long, value_name = "ID")]
    pub algorithm: Option<String>,
    /// Stop the search after this many seconds and publish the best release found.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Do everything except publishing: search, write, verify, audit.
    #[arg(long, action = ArgAction::SetTrue)]
    pub dry_run: bool,
    #[command(flatten)]
    pub thresholds: Thresholds,
}

/// Thresholds to use instead of the policy's.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Thresholds {
    /// Use this `k`. Less than in the policy only with --dry-run.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Option<u64>,
    /// Use this `confidence`. More than in the policy only with --dry-run.
    #[arg(long, value_name = "H", value_parser = confidence)]
    pub confidence: Option<Confidence>,
    /// Suppress at most this share of the records, for example 0.05.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub suppression: Option<f64>,
}

/// Arguments of `compare`. Without a list of settings, those of the policy are varied.
#[derive(Debug, clap::Args)]
pub struct Compare {
    /// Data: a CSV or Parquet file, a folder, or a pattern. Without any, the table of a database that the policy names.
    pub data: Vec<String>,
    /// Name of the release [default: a free name].
    #[arg(long, value_parser = release)]
    pub name: Option<ReleaseName>,
    /// Recipients.
    #[arg(long, value_delimiter = ',', value_name = "WHO", default_value = reticent::PUBLIC, value_parser = recipient)]
    pub to: Vec<Recipient>,
    /// Do not check against earlier releases.
    #[arg(long)]
    pub ignore_history: bool,
    /// Policies to compare.
    #[arg(long = "policy", default_value = "reticent.toml", value_name = "FILE", value_delimiter = ',')]
    pub policies: Vec<PathBuf>,
    /// Algorithms to compare.
    #[arg(long = "algorithm", value_name = "ID", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Values of `k` to compare.
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(2..))]
    pub k: Vec<u64>,
    /// Values of `confidence` to compare.
    #[arg(long, value_name = "H", value_delimiter = ',', value_parser = confidence)]
    pub confidence: Vec<Confidence>,
    /// Limits of suppression to compare, for example 0,0.05.
    #[arg(long, value_name = "SHARE", value_delimiter = ',', value_parser = share)]
    pub suppression: Vec<f64>,
    /// Write the comparison as an HTML page.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Publish only these columns. Repeat the option to compare several choices.
    #[arg(long, value_name = "A,B,...")]
    pub columns: Vec<String>,
    /// Ledger folder [default: from the policy].
    #[arg(long, value_name = "DIR", env = "RETICENT_LEDGER")]
    pub ledger: Option<PathBuf>,
    /// Key file of the ledger [default: from the policy].
    #[arg(long, value_name = "FILE", env = "RETICENT_KEY")]
    pub key: Option<PathBuf>,
}
