//! Table of all error codes with their meanings and remedies. docs/errors.md is generated from it.

mod library;
mod storage;

use library::{OBSTACLES, REFUSALS};
use storage::{ENGINE, LEDGER};

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
    entry(
        "policy-in-memory",
        "The call needs a policy file, but the policy is in memory.",
        "Write the policy to a file first.",
    ),
    entry(
        "plan-outdated",
        "The ledger lacks entries that it had when the release was planned: it was replaced, or restored from an older copy.",
        "Restore the ledger. If its present state is right, plan the release again.",
    ),
    entry(
        "request-invalid",
        "A field of the request is missing, unknown, or has a wrong type or value.",
        "Correct the field that the error names.",
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
        "reason-names-owner",
        "The reason of an erasure contains the owner value, which the ledger would keep forever.",
        "Write a reason that names nobody.",
    ),
    entry(
        "purge-unconfirmed",
        "The erasure of a release was not confirmed.",
        "Confirm the erasure. It cannot be undone.",
    ),
    entry(
        "erase-unconfirmed",
        "The erasure of a person was not confirmed.",
        "Rehearse the erasure to see its effects, then confirm it. It cannot be undone.",
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
    entry(
        "weaker-than-policy",
        "A threshold of the request is weaker than that of the policy.",
        "Change the policy, or rehearse the release.",
    ),
    entry("no-such-entry", "The catalogue has no entry with this id.", "List the catalogue."),
    entry("no-such-preset", "There is no preset with this id.", "See the list of presets in docs/reference.md."),
    entry("no-such-error-code", "There is no error code with this name.", "Copy the code from the error."),
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
        "one-column",
        "The data has one column, whose name has several words: its fields may be separated by spaces.",
        "Save the file with commas, semicolons, tabs or | between the fields.",
    ),
    entry(
        "format-ambiguous",
        "The dates or numbers of a column can be read in several ways, for example 1/2/2013 as January or February.",
        "Choose one of the formats that the message lists.",
    ),
    entry(
        "format-invalid",
        "The format for a column is neither a date format nor an example number.",
        "Write a date format such as %d/%m/%Y, or the number 1234.56 as the data writes it.",
    ),
    entry(
        "registered-header-looks-like-data",
        "The first line of the registered file looks like a record instead of column names.",
        "Insert a line with the column names before it, or assign roles to the columns.",
    ),
    entry("no-such-column", "The file has no column with this name.", "Check the column name."),
    entry(
        "unit-contradicted",
        "The policy declares that a column describes the person, and the records of a person differ in it.",
        "Declare `per = \"record\"` for the column, or correct the data.",
    ),
    entry(
        "column-unique",
        "A column that no requirement covers has a different value for nearly every person, so it identifies them.",
        "Give the column the role identifier, quasi-identifier or drop, or accept it with `accept-unique = true`.",
    ),
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
    entry(
        "data-sets-share-owners",
        "The policy declares a data set unrelated, and a person of this data set is in one of its releases.",
        "Remove the data set from `unrelated-data-sets` under [history].",
    ),
    entry(
        "data-sets-alike",
        "The policy declares a data set unrelated whose release has the same columns, and owners are not recorded.",
        "Remove the data set from `unrelated-data-sets` under [history], or name an owner column.",
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
        "population-sensitive",
        "The table was registered as a population register, but it has a sensitive attribute.",
        "Register it as a release, or declare the column a quasi-identifier or an identifier.",
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
    entry(
        "no-data",
        "The call names no data, and the policy has no table of a database.",
        "Name files, or add `engine`, `uri` and `table` under [source].",
    ),
    entry(
        "uri-has-secret",
        "The address of a database contains a password or token.",
        "Remove it, and give it to the driver by its environment or its own files.",
    ),
    entry("table-exists", "The database has a table with the name of the output already.", "Choose another name."),
    entry(
        "table-differs",
        "A table was read back and differs from what was written. Nothing was published.",
        "Check that no other program writes to tables of this name, and try again.",
    ),
    entry(
        "table-unnamed",
        "The release is recorded, but its table could not get its final name.",
        "Publish the next release to the same database, which completes it, or rename the table by hand.",
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
        "workload-invalid",
        "A file of count queries is invalid at the given line.",
        "Correct the file as the message describes.",
    ),
    entry(
        "column-unfit",
        "The values of a column do not match the policy.",
        "Correct the policy or the values of the column. The error lists some of the rows, with the patterns of their values.",
    ),
    entry(
        "columns-unfit",
        "The values of several columns do not match the policy.",
        "Correct the policy or the values of the columns. The error lists some of the rows, with the patterns of their values.",
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
