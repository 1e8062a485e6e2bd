//! Requests that cannot be met: each with its code (the variant's name in kebab case), its data and its text.

use std::path::PathBuf;

use reticent::error::Hint;
use serde::Serialize;

/// A request that cannot be met.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(untagged)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts and the table of codes say what each one is")]
pub enum Problem {
    // Policy, ledger and key
    #[error("there is no policy {}", .path.display())]
    PolicyMissing { path: PathBuf },
    #[error("{} exists already; nothing was written", .path.display())]
    PolicyExists { path: PathBuf },
    #[error("{} is a file, and a ledger is a folder", .path.display())]
    LedgerIsFile { path: PathBuf },
    #[error(
        "there is no ledger in {}; if there was one, bring it back: without it earlier releases are not known",
        .path.display()
    )]
    LedgerMissing { path: PathBuf },
    #[error("another process started the ledger {} meanwhile; try again", .path.display())]
    LedgerStarted { path: PathBuf },
    #[error(
        "the key {} lies in the ledger {}; keep it elsewhere, or whoever copies the ledger has both",
        .key.display(), .ledger.display()
    )]
    KeyInLedger { key: PathBuf, ledger: PathBuf },
    #[error(
        "{} is another key than that of this ledger ({known}): it would sign nothing that can be checked, and recognise \
         nobody. Bring the right key back",
        .path.display()
    )]
    KeyDiffers { path: PathBuf, known: String },
    #[error("the key {} is missing, and the ledger is recorded under it ({known}); bring it back", .path.display())]
    KeyMissing { path: PathBuf, known: String },
    #[error("the key {} is missing: without it nobody who is named can be found in the ledger", .path.display())]
    KeyNeeded { path: PathBuf },
    #[error("the policy wants no key, and names an owner: without a key, owners cannot be recorded under pseudonyms")]
    KeyForOwners,
    #[error("`{text}` is no public key of Reticent; copy the line that `export-head` or `witness` prints")]
    VerifierUnreadable { text: String },
    #[error("the name of the witness and its key are needed")]
    WitnessUnnamed,
    #[error("{}: {why}", .path.display())]
    HeadUnreadable { path: PathBuf, why: String },
    #[error("{} is there already and was not replaced: {why}; choose another file", .path.display())]
    HeadKept { path: PathBuf, why: String },
    #[error(
        "this erases what the ledger stores of release {number} (`{name}`, {date}) for ever, and what it gives away \
         together with others can never be computed again"
    )]
    PurgeUnconfirmed { number: u64, name: String, date: String },
    #[error("entry {number} records no release")]
    NotARelease { number: u64 },
    // Options
    #[error("the option {option} needs the option {needs}")]
    OptionNeeds { option: &'static str, needs: &'static str },
    #[error("the options {one} and {other} contradict each other")]
    OptionsConflict { one: &'static str, other: &'static str },
    #[error("the option {option} is for algorithms, and the policy names a method")]
    OptionForAlgorithms { option: &'static str },
    #[error("k must be at least 2, not {k}")]
    SmallK { k: u64 },
    #[error("there is no model, operation, metric, algorithm, method or attack `{id}`{}", near(.hint))]
    NoSuchEntry { id: String, hint: Option<String> },
    #[error("there is no attack `{id}`; {hint}")]
    NoSuchAttack { id: String, hint: String },
    #[error("no attack has a parameter `{name}`{}", near(.hint))]
    NoSuchAttackParameter { name: String, hint: Option<String> },
    #[error("the parameter {name} must be: {domain}")]
    AttackParameterInvalid { name: String, domain: String },
    // Data and columns
    #[error("the data has no rows to draft a policy from")]
    NoRows,
    #[error("{} has no records", .path.display())]
    NoRecords { path: PathBuf },
    #[error(
        "the first line looks like data: {fields} of its {of} fields are numbers, dates or values of their own column; put a \
         line with the names of the columns before it"
    )]
    HeaderLooksLikeData { fields: usize, of: usize },
    #[error("{} has no column `{column}`{}", .path.display(), near(.hint))]
    NoSuchColumn { path: PathBuf, column: String, hint: Option<String> },
    #[error("column `{column}` is an identifier, and identifiers are never published")]
    IdentifierChosen { column: String },
    #[error("column `{column}` has too many different values to count; {remedy}")]
    TooManyValuesInColumn { column: String, remedy: &'static str },
    #[error("{} was changed while it was read; register it again", .path.display())]
    FileChanged { path: PathBuf },
    // Output
    #[error("a release needs a recipient; `public` is everybody")]
    NoRecipient,
    #[error("{} lies in the ledger; put the release elsewhere", .path.display())]
    OutputInLedger { path: PathBuf },
    #[error("{} exists already; a release is never overwritten, choose another {what}", .path.display())]
    OutputExists { path: PathBuf, what: &'static str },
    #[error("{} is the name of a folder; name a file", .path.display())]
    OutputIsFolder { path: PathBuf },
    #[error("{}: the output's name must end in .csv, .csv.gz, .csv.zst or .parquet", .path.display())]
    OutputFormat { path: PathBuf },
    #[error("{}: a method publishes several tables; name a folder, such as {}", .path.display(), .instead.display())]
    OutputNotFolder { path: PathBuf, instead: PathBuf },
    #[error("{} is there already; choose another name for the report", .path.display())]
    ReportExists { path: PathBuf },
    // Republication
    #[error(
        "column `{column}` has the role other, and a method publishes quasi-identifiers and sensitive columns; give it one of \
         these roles, or leave it out"
    )]
    RoleOtherByMethod { column: String },
    #[error("the owners of the records are not known")]
    OwnersUnknown,
    #[error(
        "{} of an owner who has another one in the data; a method publishes one record for each owner: keep the newest, or put \
         them together",
        reticent::text::counted(*.records, "record")
    )]
    SeveralRecords { records: u64 },
    #[error(
        "release {release} was published by a method with the sensitive columns {then}, and this one has {now}; publish the \
         same columns, or to others who never combine what they hold ([recipients] separate)"
    )]
    SeriesColumnsDiffer { release: u64, then: String, now: String },
    #[error("this is about algorithms, and the policy names the method {method}; rehearse it instead")]
    MethodNotComparable { method: String },
    // Audit
    #[error(
        "the background knowledge names people, and an attacker who does not know in which releases people are cannot use that"
    )]
    KnowledgeNamesPeople,
    #[error("what an attacker can tell who knows the algorithm is judged by a confidence: the policy names none")]
    AdversaryNeedsConfidence,
    #[error(
        "an attacker who knows the algorithm undoes its steps, for which he needs everybody's raw quasi-identifiers: give the \
         population"
    )]
    AdversaryNeedsPopulation,
    #[error("no release has a sensitive column `{column}`; {hint}")]
    NoSuchSensitiveColumn { column: String, hint: String },
    #[error("nothing was released to `{recipient}`; {hint}")]
    NoSuchRecipient { recipient: String, hint: String },
    #[error("{} are declared never to combine what they hold ([recipients] separate); audit each by itself", .recipients.join(" and "))]
    RecipientsSeparate { recipients: Vec<String> },
    #[error("the policy declares {one} and {other} separate: they never combine what they hold")]
    RecipientsDeclaredSeparate { one: String, other: String },
    #[error("{} has no column that a release has", .path.display())]
    PopulationUnrelated { path: PathBuf },
    #[error("a table of people's values needs a policy that says which column names the owner ([dataset] owner)")]
    OwnerColumnUnknown,
    #[error("{} has no column `{column}`, which names the owner", .path.display())]
    OwnerColumnMissing { path: PathBuf, column: String },
    // Registering
    #[error("{date} is in the future; register what has been released")]
    DateInFuture { date: String },
    #[error("column `{column}` is given two roles")]
    TwoRoles { column: String },
    #[error(
        "column `{column}` is an identifier in the policy, and what names people is not stored; to mark groups, number them"
    )]
    IdentifierInPolicy { column: String },
    #[error("the column name {column:?} has characters that cannot be shown; rename it")]
    ColumnNameUnprintable { column: String },
    #[error(
        "none of the columns of {} is in the policy, or named in the call. Does its first line hold the names of the columns?",
        .path.display()
    )]
    NoKnownColumn { path: PathBuf },
    #[error("every column is an identifier, and identifiers are not stored")]
    OnlyIdentifiers,
    #[error(
        "column `{column}` is written `{known}` in the policy or in an earlier release, and would be taken for another column; \
         write it `{known}` in the file"
    )]
    ColumnSpelling { column: String, known: String },
    #[error(
        "the first line looks like data: {fields} of its fields are numbers, dates or values of their own column; put a line \
         with the names of the columns before it"
    )]
    RegisteredHeaderLooksLikeData { fields: usize },
    #[error("column `{column}` {why}; say what it is")]
    RoleUnclear { column: String, why: String },
    #[error("the table names its owners, so that it is about a release says nothing more; leave that out")]
    MarginalWithOwners,
    #[error("release {number} {name} is itself a table of counts; name the release that it is about")]
    MarginalOfMarginal { number: u64, name: String },
    #[error(
        "the table has {}, and release {number} {name} has {}: a table of their values has one row for each",
        reticent::text::counted(*.rows, "row"), reticent::text::counted(*.records, "record")
    )]
    MarginalRows { rows: u64, number: u64, name: String, records: u64 },
    #[error(
        "the table counts by `{column}`, which release {number} {name} does not show, so it is not known who is counted where; \
         register it with its owners instead"
    )]
    MarginalColumn { column: String, number: u64, name: String },
    #[error("the column `{column}` tells different numbers within a group")]
    CounterfeitsDiffer { column: String },
    #[error(
        "the column `{column}` must tell how many records of a group are counterfeits: a whole number, at most as many as there are"
    )]
    CounterfeitsInvalid { column: String },
    #[error(
        "a group has {} without an owner, and its column `{column}` tells {told}; counterfeits are the records without an owner",
        reticent::text::counted(*.found, "record")
    )]
    CounterfeitsOwned { column: String, found: u64, told: u64 },
    #[error("no JSON: {why}")]
    NoJson { why: String },
}

impl Problem {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// What would help.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        use Problem as P;
        match self {
            P::PolicyExists { .. } => vec![Hint::ReplacePolicy],
            P::LedgerIsFile { .. } => vec![Hint::OtherLedger],
            P::LedgerMissing { .. } => vec![Hint::StartLedger],
            P::KeyDiffers { .. } | P::KeyNeeded { .. } => vec![Hint::OtherKey],
            P::KeyMissing { .. } => vec![Hint::OtherKey, Hint::KeyLost],
            P::PurgeUnconfirmed { .. } => vec![Hint::Confirm],
            P::NoSuchEntry { .. } => vec![Hint::ListCatalogue],
            P::HeaderLooksLikeData { .. } => vec![Hint::HeaderIsRight],
            P::RegisteredHeaderLooksLikeData { .. } | P::NoKnownColumn { .. } | P::RoleUnclear { .. } => {
                vec![Hint::NameRoles]
            }
            P::OutputExists { .. } | P::OutputIsFolder { .. } | P::OutputNotFolder { .. } => vec![Hint::OtherOutput],
            P::RoleOtherByMethod { .. } => vec![Hint::ChooseColumns],
            P::MethodNotComparable { .. } => vec![Hint::Rehearse],
            P::AdversaryNeedsConfidence => vec![Hint::NameConfidence],
            P::AdversaryNeedsPopulation => vec![Hint::NamePopulation],
            _ => Vec::new(),
        }
    }
}

fn near(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default()
}
