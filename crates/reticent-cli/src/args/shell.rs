//! Arguments of the commands about the environment: `doctor`, `completions` and `man`.

use std::path::PathBuf;

use clap_complete::Shell;

use super::Place;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Doctor {
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// Shell.
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Folder for the man pages, one for each command. Created if it does not exist; existing pages are replaced.
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}
