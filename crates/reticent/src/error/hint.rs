//! Remedies as data. An interface puts them into words.

/// Remedy for an error. The interface names the flag, command or button.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Hint {
    /// Check the release alone, without earlier releases.
    JudgeAlone,
    /// Publish fewer columns, or other columns.
    ChooseColumns,
    /// Audit fewer sensitive columns at a time.
    AuditFewerColumns,
    /// Change the policy, or use another one.
    OtherPolicy,
    /// Draft a policy, or name an existing one.
    DraftPolicy,
    /// Replace the policy on purpose, or name another file.
    ReplacePolicy,
    /// Choose one of the formats of a column.
    ChooseFormat,
    /// Show the values that do not fit.
    ShowValues,
    /// Allow more memory.
    MoreMemory,
    /// Wait longer for the ledger.
    WaitLonger,
    /// Start a ledger.
    StartLedger,
    /// Name another folder for the ledger.
    OtherLedger,
    /// Name the file with the key.
    OtherKey,
    /// Continue with a key that is permanently lost.
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
    /// Confirm an action that cannot be undone.
    Confirm,
    /// Confirm that the first line contains the column names.
    HeaderIsRight,
    /// Declare the roles of columns.
    NameRoles,
    /// Name another output.
    OtherOutput,
    /// Rehearse the release (dry run).
    Rehearse,
    /// State a confidence bound.
    NameConfidence,
    /// State the population.
    NamePopulation,
    /// State that a file was destroyed elsewhere, where it cannot be checked.
    DestroyedElsewhere,
    /// Publish the next release of a series by the method of its earlier releases.
    ContinueSeries,
    /// Amend the recipients of a withdrawn release that recipients hold.
    Reinstate,
}

impl Hint {
    /// Returns the words of all hints.
    pub fn all() -> &'static [&'static str] {
        <Hint as strum::VariantNames>::VARIANTS
    }
}

impl Hint {
    /// Returns the stable name of the hint.
    pub fn code(self) -> &'static str {
        self.into()
    }
}
