//! Table of all error codes with their meanings and remedies. docs/errors.md is generated from it.

/// An error code with its documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ErrorCode {
    /// Stable code, in kebab case.
    pub code: &'static str,
    /// Description of the error.
    pub meaning: &'static str,
    /// Action that resolves the error.
    pub remedy: &'static str,
}

const fn entry(code: &'static str, meaning: &'static str, remedy: &'static str) -> ErrorCode {
    ErrorCode { code, meaning, remedy }
}

/// All error codes, grouped by subject.
pub const CODES: &[(&str, &[ErrorCode])] = &[
    ("Requests", REQUESTS),
    ("Policy, taxonomies and data", DATA),
    ("Refusals: the requirement is violated", REFUSALS),
    ("Refusals: the requirement cannot be judged", OBSTACLES),
    ("Reading and writing", ENGINE),
    ("Ledger", LEDGER),
];

const REQUESTS: &[ErrorCode] = &[
    entry("usage", "The command line is invalid.", "See the help of the command."),
    entry("cancelled", "The call was cancelled. Nothing was published.", "Run it again."),
    entry(
        "file-failed",
        "A file could not be read or written.",
        "Check that the file exists and that you have permission to access it.",
    ),
    entry("threads-failed", "The threads could not be started.", "Use fewer threads."),
    entry("policy-missing", "The policy file does not exist.", "Check the path, or draft a policy."),
    entry(
        "policy-exists",
        "A policy file exists already. It was not replaced.",
        "Draft to another file, or request that the policy be replaced.",
    ),
    entry("ledger-is-file", "The path of the ledger is a file; a ledger is a folder.", "Give the path of a folder."),
    entry(
        "ledger-missing",
        "The ledger does not exist, so earlier releases are unknown.",
        "Restore the ledger. For the very first release, request a new ledger.",
    ),
    entry("ledger-started", "Another process created the ledger at the same time.", "Try again."),
    entry(
        "key-in-ledger",
        "The key file is inside the ledger folder, where a copy of the ledger would include it.",
        "Move the key file out of the ledger folder.",
    ),
    entry("key-differs", "The key does not belong to this ledger.", "Use the key that the ledger was created with."),
    entry(
        "key-missing",
        "The ledger was written with a key, and the key file is missing.",
        "Restore the key file. If it is lost, see docs/ledger.md.",
    ),
    entry(
        "key-for-owners",
        "The policy disables the key but names an owner column. Owner pseudonyms need a key.",
        "Name a key file in the policy, or remove the owner column.",
    ),
    entry("witness-unnamed", "The witness has no name.", "Give the witness a name of one word, such as a host name."),
    entry("verifier-unreadable", "The text is not a public key.", "Copy the complete line with the public key."),
    entry(
        "key-needed",
        "The call needs the key of the ledger, and the key file is missing.",
        "Give the path of the key file.",
    ),
    entry("head-unreadable", "The file is not an exported head.", "Use a file that was written by a head export."),
    entry(
        "head-kept",
        "The output file exists, and it is not an earlier head of this ledger. It was not replaced.",
        "Compare the existing file with the ledger, and choose another output file.",
    ),
    entry(
        "purge-unconfirmed",
        "The erasure of a release was not confirmed.",
        "Confirm the erasure. It cannot be undone.",
    ),
    entry("not-a-release", "The ledger entry is not a release.", "Give the number or name of a release."),
    entry("option-needs", "An option requires a second option that is missing.", "Give both options, or neither."),
    entry("options-conflict", "Two options contradict each other.", "Give only one of them."),
    entry(
        "option-for-algorithms",
        "The option applies to algorithms, but the policy names a republication method.",
        "Remove the option.",
    ),
    entry("small-k", "`k` is less than 2.", "Use `k` = 2 or more."),
    entry("no-such-entry", "The catalogue has no entry with this id.", "List the catalogue."),
    entry("no-such-attack", "The catalogue has no attack with this id.", "List the attacks in the catalogue."),
    entry(
        "no-such-attack-parameter",
        "No attack has a parameter with this name.",
        "See the parameters of the attack in the catalogue.",
    ),
    entry(
        "attack-parameter-invalid",
        "A parameter of an attack is out of range.",
        "See the parameters of the attack in the catalogue.",
    ),
    entry("no-rows", "The data has no rows.", "Use data with at least one row."),
    entry("no-records", "The file has no records.", "Register a file with at least one record."),
    entry(
        "header-looks-like-data",
        "The first line looks like a record instead of column names.",
        "Insert a line with the column names before it.",
    ),
    entry(
        "registered-header-looks-like-data",
        "The first line of the registered file looks like a record instead of column names.",
        "Insert a line with the column names before it, or assign roles to the columns.",
    ),
    entry("no-such-column", "The file has no column with this name.", "Check the column name."),
    entry(
        "identifier-chosen",
        "An identifier column was selected for publication.",
        "Remove the column from the selection.",
    ),
    entry(
        "too-many-values-in-column",
        "A column has too many distinct values to be counted.",
        "Round the values, declare wider intervals, or give the column the role identifier.",
    ),
    entry(
        "file-changed",
        "The file changed while it was read.",
        "Register it again when no other process writes to it.",
    ),
    entry("no-recipient", "The release has no recipient.", "Name at least one recipient. For everyone, use `public`."),
    entry("output-in-ledger", "The output is inside the ledger folder.", "Choose an output outside the ledger folder."),
    entry("output-exists", "The output exists already. A release is never overwritten.", "Choose another output."),
    entry("output-is-folder", "The output is a folder, but the release is a single file.", "Give the path of a file."),
    entry("output-format", "The file extension of the output is unknown.", "Use .csv, .csv.gz, .csv.zst or .parquet."),
    entry(
        "output-not-folder",
        "The output is a file, but a republication method writes a folder of tables.",
        "Give the path of a folder.",
    ),
    entry("report-exists", "The report file exists already. It was not replaced.", "Choose another file name."),
    entry(
        "role-other-by-method",
        "A column has the role other. A method publishes only quasi-identifiers and sensitive attributes.",
        "Give the column one of these roles, or do not publish it.",
    ),
    entry(
        "owners-unknown",
        "The policy names no owner column, so the owners of the records are unknown.",
        "Name the owner column in the policy.",
    ),
    entry(
        "several-records",
        "Some owners have several records. A republication method publishes one record per owner.",
        "Keep the newest record of each owner, or combine them.",
    ),
    entry(
        "series-columns-differ",
        "An earlier release of the series has different sensitive attributes.",
        "Publish the same sensitive attributes, or declare the recipients non-colluding.",
    ),
    entry(
        "method-not-comparable",
        "Only algorithms can be compared, and the policy names a republication method.",
        "Rehearse the release instead.",
    ),
    entry(
        "knowledge-names-people",
        "The background knowledge names people, but this adversary does not know the releases that people are in.",
        "Use another adversary, or background knowledge without names.",
    ),
    entry(
        "adversary-needs-confidence",
        "This adversary needs a confidence bound.",
        "Give a confidence bound in the policy or in the request.",
    ),
    entry(
        "adversary-needs-population",
        "This adversary needs the original quasi-identifiers of all people.",
        "Give a population table.",
    ),
    entry("no-such-sensitive-column", "No release has a sensitive attribute with this name.", "Check the column name."),
    entry("no-such-recipient", "The ledger has no release to this recipient.", "Check the name of the recipient."),
    entry(
        "recipients-separate",
        "The policy declares these recipients non-colluding, so no coalition contains all of them.",
        "Audit each recipient alone.",
    ),
    entry(
        "recipients-declared-separate",
        "The policy declares two of these recipients non-colluding.",
        "Request the history of each recipient alone.",
    ),
    entry(
        "population-unrelated",
        "The population table and the releases have no column in common.",
        "Use a table that has quasi-identifiers of the releases.",
    ),
    entry("owner-column-unknown", "The policy names no owner column.", "Set `owner` under [dataset] in the policy."),
    entry("owner-column-missing", "The file does not have the owner column.", "Add the owner column to the file."),
    entry("date-in-future", "The release date is in the future.", "Register a release only after it was published."),
    entry("two-roles", "A column has two roles.", "Give the column one role."),
    entry(
        "identifier-in-policy",
        "The policy gives the column the role identifier, and the request gives it another role.",
        "Remove the other role.",
    ),
    entry("column-name-unprintable", "A column name contains control characters.", "Rename the column."),
    entry(
        "no-known-column",
        "No column of the file is in the policy or in the request.",
        "Assign roles to the columns.",
    ),
    entry(
        "only-identifiers",
        "Every column of the file is an identifier, and identifiers are not stored.",
        "Register a file with other columns.",
    ),
    entry(
        "column-spelling",
        "A column name differs from a known column name only in case or spaces.",
        "Use the known spelling.",
    ),
    entry(
        "role-unclear",
        "A column without a role may be an identifier or a sensitive attribute.",
        "Give the column a role.",
    ),
    entry(
        "marginal-with-owners",
        "A marginal table has an owner column, and the request also names the release that it counts.",
        "Omit the release, or remove the owner column.",
    ),
    entry(
        "marginal-of-marginal",
        "The named release is itself a marginal table.",
        "Name the release whose records both tables count.",
    ),
    entry(
        "marginal-rows",
        "The marginal table and its release have different numbers of records.",
        "Register a table with one row for each record of the release.",
    ),
    entry(
        "marginal-column",
        "The marginal table has a quasi-identifier that its release does not have.",
        "Register the table with owners.",
    ),
    entry(
        "counterfeits-differ",
        "The counterfeit column has different values within a group.",
        "Give every record of a group the same number.",
    ),
    entry(
        "counterfeits-invalid",
        "The counterfeit column has a value that is not a number, or exceeds the size of the group.",
        "Correct the counterfeit column.",
    ),
    entry(
        "counterfeits-owned",
        "The counterfeit column does not match the number of records without an owner.",
        "Correct the counterfeit column.",
    ),
    entry("no-json", "An answer could not be serialized to JSON.", "Report this as a bug."),
];

/// Returns every code that [`super::Error::code`] and an interface can return.
pub fn all_codes() -> Vec<&'static str> {
    let own = ["usage", "cancelled", "file-failed", "threads-failed"];
    let problems = <super::Problem as strum::VariantNames>::VARIANTS.iter().copied();
    let mut codes: Vec<&'static str> = own.into_iter().chain(problems).collect();
    codes.extend(reticent::Error::codes());
    codes.extend(reticent_engine::Error::codes());
    codes.extend(reticent_ledger::Error::codes());
    // An error that wraps one of a lower crate has the code of the wrapped error.
    codes.retain(|code| *code != "library");
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Returns the page docs/errors.md.
pub fn markdown() -> String {
    let mut page = "# Errors\n\nEvery error has a stable code. In JSON mode, a failed command prints `code`, `data`, `error` \
                    (the message), `hints` and `status` to standard error. This page is generated by `just reference`.\n"
        .to_owned();
    for (title, codes) in CODES {
        page += &format!("\n## {title}\n\n| code | meaning | remedy |\n|---|---|---|\n");
        for ErrorCode { code, meaning, remedy } in *codes {
            page += &format!("| `{code}` | {} | {} |\n", meaning.replace('|', "\\|"), remedy.replace('|', "\\|"));
        }
    }
    page
}

const DATA: &[ErrorCode] = &[
    entry(
        "name-invalid",
        "A recipient, a release name, a confidence, a date or a reason is invalid.",
        "Follow the rule that the message states.",
    ),
    entry("policy-invalid", "The policy is invalid at the given line.", "Correct the line as the message describes."),
    entry("taxonomy-invalid", "A taxonomy is inconsistent.", "Correct the taxonomy file at the given line."),
    entry(
        "column-unfit",
        "The values of a column do not match the policy.",
        "Correct the policy or the values of the column.",
    ),
    entry("table-unfit", "The table cannot be used.", "Correct the table as the message describes."),
    entry(
        "parameter-invalid",
        "A parameter of a model, algorithm, method, metric or attack is missing, unknown or out of range.",
        "See the parameters of the entry in the catalogue.",
    ),
    entry("argument-unreadable", "The program read a parameter that does not exist.", "Report this as a bug."),
    entry(
        "unknown-entry",
        "The catalogue has no model, algorithm, method, metric or attack with this id.",
        "List the catalogue.",
    ),
    entry("stopped", "The call was cancelled. Nothing was published.", "Run it again."),
];

const REFUSALS: &[ErrorCode] = &[
    entry(
        "posterior-above-confidence",
        "The release would raise the posterior of a sensitive value above the confidence bound.",
        "Publish fewer columns, publish to other recipients, or use a stricter policy.",
    ),
    entry(
        "requirement-unreachable",
        "The requirement is violated even with all quasi-identifiers suppressed.",
        "Apply one of the suggested remedies, or relax the requirement.",
    ),
    entry(
        "part-unreachable",
        "A part of the table violates the requirement even with all quasi-identifiers suppressed.",
        "Allow suppression of records, or relax the requirement.",
    ),
    entry(
        "levels-unreachable",
        "No combination of generalization levels satisfies the requirement.",
        "Allow more suppression, or use another algorithm.",
    ),
    entry(
        "suppression-above-limit",
        "The number of suppressed records would exceed the limit of the policy.",
        "Raise the suppression limit, or relax the requirement.",
    ),
    entry(
        "lattice-too-large",
        "The lattice of generalization levels is too large to search.",
        "Use fewer levels, fewer columns, or another algorithm.",
    ),
    entry(
        "baseline-violates",
        "The release of a baseline algorithm violates the requirement. Baselines are for comparison only.",
        "Use another algorithm.",
    ),
    entry(
        "method-covers-one-release",
        "The republication method covers a single release, and an earlier release exists.",
        "Choose a method that covers several releases.",
    ),
    entry(
        "value-too-frequent",
        "A sensitive value is too frequent for the bound that the method guarantees.",
        "Choose a weaker bound, or publish other columns.",
    ),
    entry(
        "sensitive-column-missing",
        "The method needs a sensitive attribute, and the table has none.",
        "Give a column the role sensitive.",
    ),
    entry(
        "several-sensitive-columns",
        "The method supports one sensitive attribute, and the table has several.",
        "Publish one of them, or choose another method.",
    ),
    entry(
        "values-changed",
        "Sensitive values differ from those in an earlier release.",
        "Choose a method that covers changed values.",
    ),
    entry(
        "records-gone",
        "People of an earlier release are missing or have changed values. The method covers insertions only.",
        "Choose a method that covers deletions and updates.",
    ),
    entry(
        "records-linked",
        "All releases combined link a record to a person with a probability above the guaranteed bound.",
        "Choose a weaker bound, or publish to other recipients.",
    ),
    entry(
        "method-retired",
        "The republication method of the policy is no longer available for new releases.",
        "Use its replacement. Recorded releases can still be read and audited.",
    ),
    entry(
        "no-group",
        "The republication method could not form a group.",
        "Require smaller groups, or publish more records.",
    ),
];

const OBSTACLES: &[ErrorCode] = &[
    entry(
        "background-knowledge-invalid",
        "The background knowledge is invalid, or contradicts the releases.",
        "Correct the statement at the given line.",
    ),
    entry(
        "posterior-not-established",
        "The audit could not prove that every posterior is within the confidence bound.",
        "Use a republication method, publish fewer columns, or accept an estimate in the policy.",
    ),
    entry(
        "releases-contradict",
        "The counts of the releases contradict each other.",
        "Check the registered releases. A value may have changed between two releases.",
    ),
    entry("values-not-ascending", "The inference problem is not sorted.", "Report this as a bug."),
    entry("inference-too-large", "The inference problem is too large.", "Audit fewer releases or columns at a time."),
    entry(
        "counterfeits-unclear",
        "The counterfeit column of a release cannot be parsed.",
        "Register the release again with a correct counterfeit column.",
    ),
    entry(
        "counts-not-linked",
        "The people that a marginal table counts are unknown.",
        "Register the table as a marginal of its release.",
    ),
    entry(
        "nothing-to-audit",
        "A release has neither quasi-identifiers nor sensitive attributes.",
        "Give its columns roles.",
    ),
    entry(
        "too-many-combinations",
        "The sensitive attributes have too many combinations of values.",
        "Audit one sensitive attribute at a time.",
    ),
    entry(
        "too-many-sensitive-columns",
        "The releases have too many sensitive attributes.",
        "Audit fewer of them at a time.",
    ),
    entry("sensitive-column-unknown", "No release has a sensitive attribute with this name.", "Check the column name."),
    entry("pairs-too-many", "Two releases have too many pairs of matching groups.", "Audit fewer releases at a time."),
    entry(
        "written-file-differs",
        "The written file differs from the release in memory. Nothing was published.",
        "Check the disk, and try again.",
    ),
    entry(
        "written-tables-differ",
        "The written tables differ from the release in memory. Nothing was published.",
        "Check the disk, and try again.",
    ),
    entry("groups-inconsistent", "The groups of a republication method are inconsistent.", "Report this as a bug."),
    entry("taxonomy-unknown", "The taxonomy of a column is unknown.", "Name the taxonomy in the policy."),
    entry("no-single-column", "A requirement on one column was measured on several columns.", "Report this as a bug."),
    entry(
        "value-not-in-table",
        "The written file has a value that the table does not have. Nothing was published.",
        "Check the disk, and try again.",
    ),
    entry(
        "not-single-release",
        "A requirement on a single release was applied to several releases.",
        "Judge one release at a time.",
    ),
    entry(
        "undefined-for-joins",
        "The privacy model is not defined for joined releases.",
        "Require another model, or judge the release without its history.",
    ),
    entry(
        "search-ignores-history",
        "The algorithm supports single releases only.",
        "Choose another algorithm, or judge the release without its history.",
    ),
    entry(
        "join-too-large",
        "The join with earlier releases has too many combinations.",
        "Publish fewer columns that earlier releases have, or publish to fewer recipients.",
    ),
    entry(
        "join-not-countable",
        "The join has too many distinct values to count.",
        "Publish fewer columns that earlier releases have.",
    ),
    entry(
        "history-too-large",
        "The history has too many sets of releases to judge.",
        "Judge smaller sets of releases, or declare recipients non-colluding.",
    ),
    entry(
        "columns-not-comparable",
        "A column has numbers in one release and dates in another.",
        "Give the column one type, or declare it time-varying.",
    ),
    entry(
        "earlier-release-erased",
        "The contents of an earlier release were erased, so its disclosure can no longer be computed.",
        "Judge the release without its history.",
    ),
    entry(
        "join-not-required",
        "The policy has no requirement on the join with earlier releases.",
        "Add a requirement that covers joins.",
    ),
    entry("attack-not-runnable", "An attack cannot be run.", "Provide the missing input that the message names."),
    entry("too-many-coalitions", "The recipients form too many coalitions.", "Declare fewer recipients non-colluding."),
    entry(
        "column-known-and-counted",
        "One requirement groups by a column, and another one counts the values of the same column.",
        "Use the algorithm top-down-specialization.",
    ),
    entry(
        "suppression-miscounted",
        "The search and the release disagree on the number of suppressed records.",
        "Report this as a bug.",
    ),
    entry(
        "marginals-unaudited",
        "The policy publishes marginal tables but disables the audit.",
        "Enable the audit, or publish no marginal tables.",
    ),
    entry(
        "shared-column-unlinked",
        "An earlier release has the same sensitive attribute, and its owners are unknown.",
        "Register the earlier release with owners, or judge this release without its history.",
    ),
    entry(
        "release-unlinked",
        "The owners of an earlier release are unknown.",
        "Register the earlier release with owners.",
    ),
    entry(
        "not-recordwise",
        "An earlier release does not publish individual records, so the join with it cannot be judged.",
        "Use a republication method, or judge the release without its history.",
    ),
    entry(
        "person-not-in-file",
        "A person of the data is missing from the written file. Nothing was published.",
        "Try again.",
    ),
    entry(
        "not-established",
        "The release was not verified and audited, so it cannot be recorded.",
        "Report this as a bug.",
    ),
];

const ENGINE: &[ErrorCode] = &[
    entry(
        "io-failed",
        "A data file could not be read or written.",
        "Check the path, the permissions and the free disk space.",
    ),
    entry("file-not-found", "No file matches the path or pattern.", "Check the path."),
    entry("file-malformed", "A file cannot be parsed as a table.", "Correct the file at the given line."),
    entry("column-unknown", "The data has no column with this name.", "Check the column name."),
    entry(
        "too-many-values",
        "A column has too many distinct values.",
        "Round the values, or do not publish the column.",
    ),
    entry(
        "memory-exceeded",
        "Counting needs more memory than the limit.",
        "Use fewer columns or coarser values, or raise the memory limit.",
    ),
    entry("owner-missing", "Some rows have no owner.", "Complete these rows, or remove them."),
    entry(
        "too-many-owners",
        "The data has more owners than can be numbered.",
        "Split the table, and publish the parts.",
    ),
    entry(
        "too-many-rows",
        "The data has more rows than can be linked to owners.",
        "Split the table, and publish the parts.",
    ),
    entry(
        "rows-differ",
        "The number of rows read back differs from the number of rows written. Nothing was published.",
        "Check the disk, and try again.",
    ),
    entry("data-changed", "The data changed while it was read.", "Try again when no other process writes to it."),
];

const LEDGER: &[ErrorCode] = &[
    entry(
        "ledger-unauthenticated",
        "A key exists, but the ledger is unsigned: it was never signed, or it was replaced.",
        "If the ledger has an older format, verify it and authenticate it. Otherwise restore the signed ledger.",
    ),
    entry(
        "ledger-key-missing",
        "The ledger is signed, and its key file is missing.",
        "Restore the key file. If it is lost, see docs/ledger.md.",
    ),
    entry(
        "ledger-entry-unknown",
        "An entry has a kind or a requirement that this version does not support.",
        "Use the version of Reticent that wrote the entry, or a newer one.",
    ),
    entry(
        "ledger-permission-denied",
        "The operating system denies access to a file of the ledger.",
        "Ask the owner of the file for permission, or run the command as its owner.",
    ),
    entry(
        "proof-invalid",
        "The file is not a proof, or the proof is invalid.",
        "Request a new proof. Keep the invalid one as evidence.",
    ),
    entry(
        "head-refused",
        "The witness did not countersign the head. The head is unsigned, or does not provably extend the previous one.",
        "Request a proof since your previous head. If the steward cannot provide one, entries were rewritten.",
    ),
    entry(
        "ledger-not-found",
        "The folder contains no ledger.",
        "Check the path, or create a ledger with the first release.",
    ),
    entry(
        "ledger-inconsistent",
        "The ledger is damaged or was modified.",
        "Verify the ledger, and restore a backup before you publish again.",
    ),
    entry("ledger-format-newer", "A newer version of Reticent wrote the ledger.", "Use that version or a newer one."),
    entry("ledger-locked", "Another process is writing to the ledger.", "Wait, and try again."),
    entry("history-changed", "Another release was recorded at the same time.", "Try again."),
    entry("release-name-taken", "Another release has this name.", "Choose another name."),
    entry("release-not-found", "The ledger has no release with this number or name.", "List the releases."),
    entry("release-erased", "The contents of the release were erased. Only its entry remains.", "Use another release."),
    entry(
        "key-unusable",
        "The key file cannot be used.",
        "Correct the file as the message describes, for example its permissions.",
    ),
    entry(
        "release-file-unnamed",
        "The release is recorded, but its file could not be renamed to the output path.",
        "Remove the obstacle. The next command that writes to the ledger renames the file.",
    ),
    entry("head-invalid", "The text is not an exported head.", "Use a file that was written by a head export."),
    entry(
        "release-unfit",
        "The parts of the release are inconsistent.",
        "Check that the data did not change, and try again.",
    ),
    entry(
        "ledger-io-failed",
        "A file of the ledger could not be read or written.",
        "Check the permissions and the free disk space.",
    ),
    entry(
        "catalogue-failed",
        "The database of the ledger could not be read or written.",
        "Check the permissions and the free disk space.",
    ),
];
