//! Errors of requests. The code of each error is the name of its variant in kebab case.

use std::path::PathBuf;

use reticent::error::Hint;
use serde::Serialize;

/// A column whose values can be read in several ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmbiguousFormat {
    /// Name of the column.
    pub column: String,
    /// Formats that all values have.
    pub candidates: Vec<String>,
}

fn ambiguous(columns: &[AmbiguousFormat]) -> String {
    let one = |column: &AmbiguousFormat| {
        let candidates: Vec<String> = column.candidates.iter().map(|format| format!("`{format}`")).collect();
        format!("{} as {}", column.column, candidates.join(" or "))
    };
    columns.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// A request that is invalid or cannot be executed.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, strum::IntoStaticStr, strum::VariantNames)]
#[serde(untagged)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages and the table of codes document the variants")]
pub enum Problem {
    // Policy, ledger and key
    #[error("the policy {} does not exist", .path.display())]
    PolicyMissing { path: PathBuf },
    #[error("{} exists already; nothing was written", .path.display())]
    PolicyExists { path: PathBuf },
    #[error("the policy is in memory, and this call needs a policy file; write the policy to a file first")]
    PolicyInMemory,
    #[error(
        "the ledger lacks entries that it had when the release was planned: it was replaced, or restored from an older copy; restore it, \
         or plan the release again"
    )]
    PlanOutdated,
    #[error("invalid request: {why}")]
    RequestInvalid { why: String },
    #[error("{} is a file, but a ledger is a folder", .path.display())]
    LedgerIsFile { path: PathBuf },
    #[error(
        "there is no ledger in {}. If releases were published before, restore their ledger: without it, earlier releases are \
         unknown",
        .path.display()
    )]
    LedgerMissing { path: PathBuf },
    #[error("another process created the ledger {} at the same time; try again", .path.display())]
    LedgerStarted { path: PathBuf },
    #[error(
        "the key {} is inside the ledger folder {}, so a copy of the ledger would include it; move the key elsewhere",
        .key.display(), .ledger.display()
    )]
    KeyInLedger { key: PathBuf, ledger: PathBuf },
    #[error(
        "the key {} does not belong to this ledger, which uses {known}. With another key, signatures cannot be verified and \
         owners cannot be recognised. Use the key of the ledger",
        .path.display()
    )]
    KeyDiffers { path: PathBuf, known: String },
    #[error("the key {} is missing, but the ledger was written with it ({known}); restore the key file", .path.display())]
    KeyMissing { path: PathBuf, known: String },
    #[error("the key {} is missing. It is needed to find the people that the background knowledge names", .path.display())]
    KeyNeeded { path: PathBuf },
    #[error("the policy disables the key but names an owner column; pseudonyms of owners need a key")]
    KeyForOwners,
    #[error("`{text}` is not a public key of Reticent; copy the complete line with the public key")]
    VerifierUnreadable { text: String },
    #[error("the witness needs a name")]
    WitnessUnnamed,
    #[error("{}: {why}", .path.display())]
    HeadUnreadable { path: PathBuf, why: String },
    #[error("{} exists already and was not replaced: {why}; choose another file", .path.display())]
    HeadKept { path: PathBuf, why: String },
    #[error(
        "this permanently erases the contents of release {number} (`{name}`, {date}) from the ledger; later audits cannot \
         compute what the release discloses in combination with others"
    )]
    PurgeUnconfirmed { number: u64, name: String, date: String },
    #[error(
        "this permanently removes the person from the owner links and the method state of {}; recipients keep what they have",
        releases_text(releases)
    )]
    EraseUnconfirmed { releases: Vec<u64> },
    #[error("entry {number} is not a release")]
    NotARelease { number: u64 },
    #[error("the reason contains the owner value; the ledger keeps reasons forever, so write one that names nobody")]
    ReasonNamesOwner,
    // Options
    #[error("the option {option} needs the option {needs}")]
    OptionNeeds { option: &'static str, needs: &'static str },
    #[error("the options {one} and {other} contradict each other")]
    OptionsConflict { one: &'static str, other: &'static str },
    #[error("the option {option} applies to algorithms, but the policy names a republication method")]
    OptionForAlgorithms { option: &'static str },
    #[error("k must be at least 2, not {k}")]
    SmallK { k: u64 },
    #[error(
        "{threshold} {asked} is weaker than {threshold} {own} of the policy; change the policy, or rehearse the release"
    )]
    WeakerThanPolicy { threshold: &'static str, asked: f64, own: f64 },
    #[error("there is no model, operation, metric, algorithm, method or attack `{id}`{}", near(.hint))]
    NoSuchEntry { id: String, hint: Option<String> },
    #[error("there is no preset `{id}`; presets: {known}{}", near(.hint))]
    NoSuchPreset { id: String, known: String, hint: Option<String> },
    #[error("there is no error code `{wanted}`{}", near(.hint))]
    NoSuchErrorCode { wanted: String, hint: Option<String> },
    #[error("there is no attack `{id}`; {hint}")]
    NoSuchAttack { id: String, hint: String },
    #[error("no attack has a parameter `{name}`{}", near(.hint))]
    NoSuchAttackParameter { name: String, hint: Option<String> },
    #[error("invalid value of the attack parameter `{name}`; valid values: {domain}")]
    AttackParameterInvalid { name: String, domain: String },
    // Tables of databases as outputs
    #[error("the database has a table {table} already; a release is never overwritten, choose another name")]
    TableExists { table: String },
    #[error("the table {table} was read back and differs from what was written; nothing was published")]
    TableDiffers { table: String },
    #[error(
        "the release is recorded, but its table could not get the name {table} ({code}): it is called {work} until the next release is \
         published to this database"
    )]
    TableUnnamed { table: String, work: String, code: &'static str },
    // Data and columns
    #[error("no data is named, and the policy has no table of a database under [source]")]
    NoData,
    #[error(
        "the address of the database contains a password or token; give it to the driver by its environment or its own files (such as \
         PGPASSFILE for PostgreSQL)"
    )]
    UriHasSecret,
    #[error("the data has no rows; a policy is drafted from at least one row")]
    NoRows,
    #[error(
        "the data has one column, whose name has several words. Fields are separated by commas, semicolons, tabs or |, and not by \
         spaces; save the file with one of these separators"
    )]
    OneColumn,
    #[error("{} has no records", .path.display())]
    NoRecords { path: PathBuf },
    #[error(
        "the first line looks like data: {fields} of its {of} fields are numbers, dates or values of their own column; insert \
         a line with the column names before it"
    )]
    HeaderLooksLikeData { fields: usize, of: usize },
    #[error("the values of some columns can be read in several ways: {}", ambiguous(.columns))]
    FormatAmbiguous { columns: Vec<AmbiguousFormat> },
    #[error("the format of `{column}` {why}")]
    FormatInvalid { column: String, why: String },
    #[error("{} has no column `{column}`{}", .path.display(), near(.hint))]
    NoSuchColumn { path: PathBuf, column: String, hint: Option<String> },
    #[error("column `{column}` is an identifier, and identifiers are never published")]
    IdentifierChosen { column: String },
    /// A column without a requirement distinguishes nearly everybody.
    #[error(
        "{column} would be published unchanged, no requirement covers it, and {unique} of {people} people have a value of their own: an attacker \
         who knows it re-identifies them. Give it another role, or set `accept-unique = true` under [columns.{column}] to publish it all the same"
    )]
    ColumnUnique { column: String, unique: u64, people: u64 },
    #[error(
        "the policy says that {column} describes the person, but the records of {} differ in it; write per = \"record\" under \
         [columns.{column}], or correct the data",
        reticent::text::people(*.people)
    )]
    UnitContradicted { column: String, people: u64 },
    #[error("column `{column}` has too many distinct values to count; {remedy}")]
    TooManyValuesInColumn { column: String, remedy: &'static str },
    #[error("{} changed while it was read; register it again", .path.display())]
    FileChanged { path: PathBuf },
    #[error(
        "the policy declares the data set {data_set} unrelated (`unrelated-data-sets` under [history]), but {} of this data set \
         {} in its release {release}; remove the declaration",
        reticent::text::people(*.people), if *.people == 1 { "is" } else { "are" }
    )]
    DataSetsShareOwners { data_set: String, release: u64, people: u64 },
    #[error(
        "the policy declares the data set {data_set} unrelated (`unrelated-data-sets` under [history]), but it has all columns of its \
         release {release}, and owners that could show the difference are not recorded; remove the declaration, or name an owner column"
    )]
    DataSetsAlike { data_set: String, release: u64 },
    // Output
    #[error("a release needs at least one recipient; use `public` for everyone")]
    NoRecipient,
    #[error("the output {} is inside the ledger folder; choose another output", .path.display())]
    OutputInLedger { path: PathBuf },
    #[error("{} exists already; a release is never overwritten, choose another {what}", .path.display())]
    OutputExists { path: PathBuf, what: &'static str },
    #[error("the output {} is a folder; give the path of a file", .path.display())]
    OutputIsFolder { path: PathBuf },
    #[error("the output {} must have the extension .csv, .csv.gz, .csv.zst or .parquet", .path.display())]
    OutputFormat { path: PathBuf },
    #[error(
        "the output {} is a file, but a republication method publishes several tables; give the path of a folder, such as {}",
        .path.display(), .instead.display()
    )]
    OutputNotFolder { path: PathBuf, instead: PathBuf },
    #[error("{} exists already; choose another file for the report", .path.display())]
    ReportExists { path: PathBuf },
    // Republication
    #[error(
        "the role of {column} is other, but a republication method publishes only quasi-identifiers and sensitive attributes; give each \
         column one of these roles, or do not publish it"
    )]
    RoleOtherByMethod { column: String },
    #[error("the owners of the records are unknown, because the policy names no owner column")]
    OwnersUnknown,
    #[error(
        "the data has {} more than owners; a republication method publishes one record per owner: keep the \
         newest record of each owner, or combine them",
        reticent::text::counted(*.records, "record")
    )]
    SeveralRecords { records: u64 },
    #[error(
        "release {release} of this series has the sensitive attributes {then}, but this release has {now}; publish the same \
         sensitive attributes, or publish to recipients that are declared non-colluding (`non-colluding` under [recipients])"
    )]
    SeriesColumnsDiffer { release: u64, then: String, now: String },
    #[error("only algorithms can be compared, but the policy names the republication method {method}")]
    MethodNotComparable { method: String },
    // Audit
    #[error(
        "the background knowledge names people, but an attacker who knows only quasi-identifiers does not know the releases \
         that these people are in"
    )]
    KnowledgeNamesPeople,
    #[error(
        "an attacker who knows the algorithm is judged by a confidence bound, and neither the policy nor the request has one"
    )]
    AdversaryNeedsConfidence,
    #[error(
        "an attacker who knows the algorithm reverses its steps from the original quasi-identifiers of all people; give a \
         population table"
    )]
    AdversaryNeedsPopulation,
    #[error("no release has a sensitive attribute `{column}`; {hint}")]
    NoSuchSensitiveColumn { column: String, hint: String },
    #[error("the ledger has no release to `{recipient}`; {hint}")]
    NoSuchRecipient { recipient: String, hint: String },
    #[error(
        "the policy declares {} non-colluding (`non-colluding` under [recipients]), so no coalition contains all of them; \
         audit each of them alone",
        .recipients.join(" and ")
    )]
    RecipientsSeparate { recipients: Vec<String> },
    #[error(
        "the policy declares {one} and {other} non-colluding (`non-colluding` under [recipients]), so no coalition contains both"
    )]
    RecipientsDeclaredSeparate { one: String, other: String },
    #[error("the population {} has no non-sensitive column in common with the releases", .path.display())]
    PopulationUnrelated { path: PathBuf },
    #[error("background knowledge in a table needs a policy with an owner column (`owner` under [dataset])")]
    OwnerColumnUnknown,
    #[error("{} does not have the owner column `{column}`", .path.display())]
    OwnerColumnMissing { path: PathBuf, column: String },
    // Registering
    #[error("the release date {date} is in the future; register a release after it was published")]
    DateInFuture { date: String },
    #[error("column `{column}` has two roles; give it one")]
    TwoRoles { column: String },
    #[error(
        "column `{column}` is an identifier in the policy, and identifiers are not stored; if the column marks groups, replace \
         its values by numbers in a new column"
    )]
    IdentifierInPolicy { column: String },
    #[error("the column name {column:?} contains control characters; rename the column")]
    ColumnNameUnprintable { column: String },
    #[error(
        "no column of {} is in the policy or in the request. Check that the first line contains the column names",
        .path.display()
    )]
    NoKnownColumn { path: PathBuf },
    #[error(
        "column `{column}` is sensitive, so the table discloses it. Register the table as a release, or declare the column a \
         quasi-identifier, which attackers know, or an identifier, which is not stored"
    )]
    PopulationSensitive { column: String },
    #[error("every column is an identifier, and identifiers are not stored")]
    OnlyIdentifiers,
    #[error(
        "column `{column}` has the name `{known}` in the policy or in an earlier release; rename it to `{known}` in the file, \
         or the two are treated as different columns"
    )]
    ColumnSpelling { column: String, known: String },
    #[error(
        "the first line looks like data: {fields} of its fields are numbers, dates or values of their own column; insert a \
         line with the column names before it"
    )]
    RegisteredHeaderLooksLikeData { fields: usize },
    #[error("column `{column}` {why}; give it a role")]
    RoleUnclear { column: String, why: String },
    #[error("the table has an owner column, so the release that it counts is not needed; omit the release")]
    MarginalWithOwners,
    #[error("release {number} {name} is itself a marginal table; name the release that it counts")]
    MarginalOfMarginal { number: u64, name: String },
    #[error(
        "the marginal table has {}, but release {number} {name} has {}; a marginal table has one row per record of its release",
        reticent::text::counted(*.rows, "row"), reticent::text::counted(*.records, "record")
    )]
    MarginalRows { rows: u64, number: u64, name: String, records: u64 },
    #[error(
        "the marginal table has the quasi-identifier `{column}`, but release {number} {name} does not, so its counts cannot be \
         assigned to people; register the table with owners instead"
    )]
    MarginalColumn { column: String, number: u64, name: String },
    #[error("the counterfeit column `{column}` has different values within a group")]
    CounterfeitsDiffer { column: String },
    #[error(
        "the counterfeit column `{column}` must contain the number of counterfeit records in the group: a whole number, at most \
         the size of the group"
    )]
    CounterfeitsInvalid { column: String },
    #[error(
        "a group has {} without an owner, but its counterfeit column `{column}` has the value {stated}; the two numbers must \
         be equal",
        reticent::text::counted(*.found, "record")
    )]
    CounterfeitsOwned { column: String, found: u64, stated: u64 },
    #[error("could not serialize to JSON: {why}")]
    NoJson { why: String },
}

impl Problem {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// Returns the remedies. The interface puts them into words.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        use Problem as P;
        match self {
            P::PolicyExists { .. } => vec![Hint::ReplacePolicy],
            P::LedgerIsFile { .. } => vec![Hint::OtherLedger],
            P::LedgerMissing { .. } => vec![Hint::StartLedger],
            P::KeyDiffers { .. } | P::KeyNeeded { .. } => vec![Hint::OtherKey],
            P::KeyMissing { .. } => vec![Hint::OtherKey, Hint::KeyLost],
            P::PurgeUnconfirmed { .. } | P::EraseUnconfirmed { .. } => vec![Hint::Confirm],
            P::NoSuchEntry { .. } => vec![Hint::ListCatalogue],
            P::HeaderLooksLikeData { .. } | P::OneColumn => vec![Hint::HeaderIsRight],
            P::FormatAmbiguous { .. } => vec![Hint::ChooseFormat],
            P::RegisteredHeaderLooksLikeData { .. } | P::NoKnownColumn { .. } | P::RoleUnclear { .. } => {
                vec![Hint::NameRoles]
            }
            P::PopulationSensitive { .. } => vec![Hint::NameRoles],
            P::TableExists { .. } | P::OutputExists { .. } | P::OutputIsFolder { .. } | P::OutputNotFolder { .. } => {
                vec![Hint::OtherOutput]
            }
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

fn releases_text(numbers: &[u64]) -> String {
    let list: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("release{} {}", if numbers.len() == 1 { "" } else { "s" }, list.join(", "))
}
