//! Answer of `doctor`.

use serde::Serialize;

use crate::error::Class;

/// Answer of `doctor`.
#[derive(Debug, Serialize)]
pub struct DoctorAnswer {
    /// Version of the program.
    pub version: &'static str,
    /// Worst state of all checks.
    pub state: CheckState,
    /// Checks, in the order in which they depend on each other.
    pub checks: Vec<DoctorCheck>,
}

/// Result of one check of the environment.
#[derive(Debug, Serialize)]
pub struct DoctorCheck {
    /// What was checked.
    pub check: DoctorSubject,
    /// Result.
    pub state: CheckState,
    /// Description of what was found.
    pub text: String,
    /// Error code of a problem, if it has one.
    pub code: Option<&'static str>,
    /// Action that resolves a warning or a problem.
    pub remedy: Option<String>,
    /// Class of a problem.
    #[serde(skip)]
    pub class: Option<Class>,
}

/// Result of a check. The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// No action is needed.
    Ok,
    /// Commands work, but an action is recommended.
    Warning,
    /// Some commands fail.
    Problem,
}

/// Part of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum DoctorSubject {
    /// Version of the program.
    Version,
    /// The policy and its taxonomies exist and are valid.
    Policy,
    /// Users who can change the policy.
    PolicyPermissions,
    /// The ledger exists and can be opened.
    Ledger,
    /// Users who can read or change the ledger.
    LedgerPermissions,
    /// The key exists, belongs to the ledger, and only the steward and the declared group can read it.
    Key,
    /// The ledger and every published file are unchanged.
    Integrity,
    /// Writes and releases that were interrupted.
    UnfinishedWork,
    /// Free disk space.
    DiskSpace,
    /// Folders in which commands write.
    Writable,
}

impl DoctorSubject {
    /// Returns the name of the check, as in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
