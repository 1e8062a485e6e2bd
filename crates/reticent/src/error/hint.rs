//! Remedies that an interface puts into its own words.

/// What a user can do about an error. The interface says how: which flag, which command, which button.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Hint {
    /// Judge the release alone, without earlier releases.
    JudgeAlone,
    /// Publish fewer columns, or other ones.
    ChooseColumns,
    /// Audit fewer sensitive columns at a time.
    AuditFewerColumns,
    /// Change the policy, or use another one.
    OtherPolicy,
    /// Draft a policy, or name one.
    DraftPolicy,
    /// Replace the policy on purpose, or name another file.
    ReplacePolicy,
    /// Allow more memory.
    MoreMemory,
    /// Wait longer for the ledger.
    WaitLonger,
    /// Start a ledger.
    StartLedger,
    /// Name another place for the ledger.
    OtherLedger,
    /// Name the file with the key.
    OtherKey,
    /// The key is lost for good.
    KeyLost,
    /// List the releases of the ledger.
    ListReleases,
    /// Audit the release history.
    AuditHistory,
    /// Verify the ledger.
    Verify,
    /// Sign a ledger that is not signed yet.
    Authenticate,
    /// List the catalogue.
    ListCatalogue,
    /// Confirm what cannot be undone.
    Confirm,
    /// Say that the first line holds the names of the columns.
    HeaderIsRight,
    /// Give columns their roles.
    NameRoles,
    /// Name another output.
    OtherOutput,
    /// Rehearse the release.
    Rehearse,
    /// Give a confidence bound.
    NameConfidence,
    /// Give the population.
    NamePopulation,
}

impl Hint {
    /// Returns the stable name of the hint.
    pub fn code(self) -> &'static str {
        self.into()
    }
}
