//! Every error code with its meaning and remedy. docs/errors.md is generated from this table.

/// An error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ErrorCode {
    /// The code, in kebab case. It never changes.
    pub code: &'static str,
    /// What happened.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

const fn entry(code: &'static str, meaning: &'static str, remedy: &'static str) -> ErrorCode {
    ErrorCode { code, meaning, remedy }
}

/// Every error code, by the part that reports it.
pub const CODES: &[(&str, &[ErrorCode])] = &[
    ("Requests", REQUESTS),
    ("Policy, taxonomies and data", DATA),
    ("Refusals: the requirement is violated", REFUSALS),
    ("Refusals: the requirement could not be judged", OBSTACLES),
    ("Reading and writing", ENGINE),
    ("Ledger", LEDGER),
];

const REQUESTS: &[ErrorCode] = &[
    entry("usage", "The words of the command line are wrong.", "Run the command with `--help`."),
    entry("cancelled", "The call was cancelled.", "Nothing was published. Run it again."),
    entry(
        "file-failed",
        "A file could not be read or written.",
        "Check that the file exists and that you may access it.",
    ),
    entry("threads-failed", "The threads could not be started.", "Use fewer threads."),
    entry("policy-missing", "The named policy does not exist.", "Check the path, or draft a policy with `init`."),
    entry("policy-exists", "There is a policy already.", "Draft to another file, or replace the policy on purpose."),
    entry("ledger-is-file", "The ledger's path is a file.", "Name a folder."),
    entry(
        "ledger-missing",
        "There is no ledger. Without it earlier releases are not known.",
        "Bring the ledger back. For the first release, start one on purpose.",
    ),
    entry("ledger-started", "Another process started the ledger meanwhile.", "Try again."),
    entry("key-in-ledger", "The key lies in the ledger's folder.", "Keep the key elsewhere."),
    entry("key-differs", "The key is not that of the ledger.", "Bring the right key back."),
    entry(
        "key-missing",
        "The key is missing, and the ledger is recorded under it.",
        "Bring the key back; docs/ledger.md says what to do if it is lost.",
    ),
    entry(
        "key-for-owners",
        "The policy wants no key, and names an owner.",
        "Name a key file in the policy, or remove the owner.",
    ),
    entry("witness-unnamed", "A witness needs a name.", "Give one word, such as a host name."),
    entry("verifier-unreadable", "The text is not a public key.", "Copy the whole line that was printed."),
    entry("key-needed", "The call needs the key, and it is missing.", "Name the key's file."),
    entry("head-unreadable", "The file is not an exported head.", "Use a file that `export-head` wrote."),
    entry(
        "head-kept",
        "The file holds a head that the new one does not continue, or something else.",
        "Compare it with `verify`, and choose another file.",
    ),
    entry("purge-unconfirmed", "Erasing a release was not confirmed.", "Confirm it if it is what you want."),
    entry("not-a-release", "The entry does not record a release.", "Name a release."),
    entry("option-needs", "An option needs another one.", "Give both, or neither."),
    entry("options-conflict", "Two options contradict each other.", "Give one of them."),
    entry(
        "option-for-algorithms",
        "The option is for algorithms, and the policy names a republication method.",
        "Leave the option out.",
    ),
    entry("small-k", "`k` is less than 2.", "Use 2 or more."),
    entry("no-such-entry", "The catalogue has no such entry.", "List the catalogue."),
    entry("no-such-attack", "There is no such attack.", "List the attacks in the catalogue."),
    entry("no-such-attack-parameter", "No attack has this parameter.", "See the attack in the catalogue."),
    entry("attack-parameter-invalid", "A parameter of an attack is out of range.", "See the attack in the catalogue."),
    entry("no-rows", "The data has no rows.", "Use data with rows."),
    entry("no-records", "The file has no records.", "Register a file with records."),
    entry(
        "header-looks-like-data",
        "The first line looks like a record instead of column names.",
        "Put a line with the names of the columns before it.",
    ),
    entry(
        "registered-header-looks-like-data",
        "The first line of the registered file looks like a record.",
        "Put a line with the names of the columns before it, or say what the columns are.",
    ),
    entry("no-such-column", "The file has no such column.", "Check the name of the column."),
    entry("identifier-chosen", "An identifier was chosen for publication.", "Leave the column out."),
    entry(
        "too-many-values-in-column",
        "A column has too many different values to be counted.",
        "Round the values, declare wider intervals, or make the column an identifier.",
    ),
    entry("file-changed", "The file changed while it was read.", "Register it again when nobody writes to it."),
    entry("no-recipient", "The release has no recipient.", "Name who gets it; `public` is everybody."),
    entry("output-in-ledger", "The output lies in the ledger's folder.", "Put the release elsewhere."),
    entry("output-exists", "The output exists. A release is never overwritten.", "Choose another name."),
    entry("output-is-folder", "The output is the name of a folder.", "Name a file."),
    entry("output-format", "The output's name has no known ending.", "Use .csv, .csv.gz, .csv.zst or .parquet."),
    entry("output-not-folder", "A republication method writes a folder.", "Name a folder."),
    entry("report-exists", "The report's file exists.", "Choose another name."),
    entry(
        "role-other-by-method",
        "A republication method publishes quasi-identifiers and sensitive columns only.",
        "Give the column one of these roles, or leave it out.",
    ),
    entry("owners-unknown", "The owners of the records are not known.", "Name the owner column in the policy."),
    entry(
        "several-records",
        "Some owners have several records, and a republication method publishes one for each.",
        "Keep the newest record of each owner, or combine them.",
    ),
    entry(
        "series-columns-differ",
        "An earlier release of the series shows other sensitive columns.",
        "Publish the same sensitive columns, or declare the recipients separate.",
    ),
    entry("method-not-comparable", "`compare` is for algorithms.", "Rehearse the release instead."),
    entry(
        "knowledge-names-people",
        "Background knowledge names people, and this attacker cannot find them in the releases.",
        "Use another adversary, or knowledge without names.",
    ),
    entry("adversary-needs-confidence", "This adversary needs a confidence bound.", "Give one."),
    entry(
        "adversary-needs-population",
        "This adversary needs everybody's raw quasi-identifiers.",
        "Give a population.",
    ),
    entry("no-such-sensitive-column", "No release has such a sensitive column.", "Check the name of the column."),
    entry("no-such-recipient", "Nothing was released to this recipient.", "Check the name of the recipient."),
    entry(
        "recipients-separate",
        "These recipients never combine what they hold, by the policy.",
        "Audit each of them alone.",
    ),
    entry(
        "recipients-declared-separate",
        "The policy declares two of the recipients separate.",
        "Ask about each of them alone.",
    ),
    entry("population-unrelated", "The population has no column of a release.", "Use a table with such columns."),
    entry("owner-column-unknown", "The policy names no owner column.", "Name it under [dataset] owner."),
    entry("owner-column-missing", "The file has no owner column.", "Add the column that names the owner."),
    entry("date-in-future", "The date of the release is in the future.", "Register what has been released."),
    entry("two-roles", "A column is given two roles.", "Give it one role."),
    entry("identifier-in-policy", "The policy calls the column an identifier.", "Give it no other role."),
    entry("column-name-unprintable", "A column name has characters that cannot be shown.", "Rename the column."),
    entry(
        "no-known-column",
        "None of the file's columns is in the policy or in the request.",
        "Say what the columns are.",
    ),
    entry("only-identifiers", "Every column is an identifier.", "Register a file with other columns."),
    entry(
        "column-spelling",
        "A column name differs from a known one in case or spaces only.",
        "Write it as the known one.",
    ),
    entry("role-unclear", "A column may name people or be sensitive, and has no role.", "Give it a role."),
    entry("marginal-with-owners", "A marginal table names its owners.", "Leave out the release that it is about."),
    entry("marginal-of-marginal", "A marginal table is about another one.", "Name the release that both are about."),
    entry(
        "marginal-rows",
        "A marginal table has another number of rows than its release.",
        "Give one row for each record.",
    ),
    entry(
        "marginal-column",
        "A marginal table counts by a column that its release does not show.",
        "Register it with owners.",
    ),
    entry("counterfeits-differ", "The counterfeit counts differ within a group.", "Give one number for each group."),
    entry("counterfeits-invalid", "A counterfeit count is no number, or too large.", "Correct the column."),
    entry("counterfeits-owned", "Counterfeit counts do not match the records without owners.", "Correct the column."),
    entry("no-json", "An answer could not be written as JSON.", "Report this as a defect."),
];

/// Every code that an error can have.
pub fn all_codes() -> Vec<&'static str> {
    let own = ["usage", "cancelled", "file-failed", "threads-failed"];
    let problems = <super::Problem as strum::VariantNames>::VARIANTS.iter().copied();
    let mut codes: Vec<&'static str> = own.into_iter().chain(problems).collect();
    codes.extend(reticent::Error::codes());
    codes.extend(reticent_engine::Error::codes());
    codes.extend(reticent_ledger::Error::codes());
    // Errors of a lower crate keep their own code.
    codes.retain(|code| *code != "library");
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The page docs/errors.md.
pub fn markdown() -> String {
    let mut page = "# Errors\n\nEvery error has a stable code. With `--json`, a failed command prints `code`, `data`, `error` (the text), `hints` \
                    and `status` on standard error. This page is generated: `just reference`.\n"
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
        "A recipient, a release name, a confidence, a day or a reason breaks its rule.",
        "The text states the rule.",
    ),
    entry("policy-invalid", "The policy is wrong at the given line.", "Correct the line; the text says what to write."),
    entry("taxonomy-invalid", "A taxonomy is inconsistent.", "Correct the taxonomy file at the given line."),
    entry(
        "column-unfit",
        "The data in a column does not fit the policy.",
        "Correct the policy or the data of that column.",
    ),
    entry("table-unfit", "The table as a whole cannot be used.", "The text says what is wrong."),
    entry(
        "parameter-invalid",
        "A parameter of a model, algorithm, method, metric or attack is missing, unknown or out of range.",
        "See the entry in the catalogue.",
    ),
    entry("argument-unreadable", "The program asked for a parameter that does not exist.", "Report this as a defect."),
    entry(
        "unknown-entry",
        "There is no model, algorithm, method, metric or attack with this name.",
        "List the catalogue.",
    ),
    entry("stopped", "The call was cancelled.", "Nothing was published. Run it again."),
];

const REFUSALS: &[ErrorCode] = &[
    entry(
        "posterior-above-confidence",
        "The release would raise the posterior of a sensitive value above the confidence bound.",
        "Publish fewer columns, to other recipients, or under a stricter policy.",
    ),
    entry(
        "requirement-unreachable",
        "The requirement is violated even with all quasi-identifiers suppressed.",
        "Use one of the offered remedies, or change the requirement.",
    ),
    entry(
        "part-unreachable",
        "A part of the table violates the requirement even with all quasi-identifiers suppressed.",
        "Allow suppression, or change the requirement.",
    ),
    entry(
        "levels-unreachable",
        "No choice of generalization levels satisfies the requirement.",
        "Allow more suppression, or another algorithm.",
    ),
    entry(
        "suppression-above-limit",
        "More records would have to be suppressed than the policy allows.",
        "Raise the suppression limit, or relax the requirement.",
    ),
    entry(
        "lattice-too-large",
        "There are too many combinations of generalization levels.",
        "Use fewer levels or columns, or another algorithm.",
    ),
    entry("baseline-violates", "A baseline for comparison violates the requirement.", "Use another algorithm."),
    entry(
        "method-covers-one-release",
        "The republication method covers one release only.",
        "Choose a method for several releases.",
    ),
    entry(
        "value-too-frequent",
        "A sensitive value is too frequent for the promise.",
        "Ask for less, or publish other columns.",
    ),
    entry("sensitive-column-missing", "The method needs a sensitive column.", "Give a column the role sensitive."),
    entry(
        "several-sensitive-columns",
        "The method is for one sensitive column.",
        "Publish one of them, or choose another method.",
    ),
    entry(
        "values-changed",
        "Sensitive values changed since they were published.",
        "Choose a method that covers changed values.",
    ),
    entry(
        "records-gone",
        "People of an earlier release are missing, and the method does not cover that.",
        "Choose a method that covers deletions.",
    ),
    entry(
        "records-linked",
        "All releases together link a record to a person above the promised bound.",
        "Ask for less, or publish to other recipients.",
    ),
    entry(
        "method-retired",
        "The policy names a republication method that is no longer offered.",
        "Name the method that takes its place; recorded releases can still be read and audited.",
    ),
    entry("no-group", "No group of people could be formed.", "Ask for smaller groups, or publish more records."),
];

const OBSTACLES: &[ErrorCode] = &[
    entry(
        "background-knowledge-invalid",
        "The background knowledge cannot be used, or contradicts the releases.",
        "Correct the statement at the given line.",
    ),
    entry(
        "posterior-not-established",
        "It could not be established that every posterior is within the confidence bound.",
        "Use a republication method, publish fewer columns, or let an estimate decide.",
    ),
    entry(
        "releases-contradict",
        "The counts of the releases contradict each other.",
        "Check the registered releases; a value may have changed.",
    ),
    entry("values-not-ascending", "The inference problem is not sorted.", "Report this as a defect."),
    entry("inference-too-large", "The inference problem is too large.", "Audit fewer releases or columns at a time."),
    entry(
        "counterfeits-unclear",
        "The counterfeit counts of a release cannot be read.",
        "Register the release again with correct counts.",
    ),
    entry(
        "counts-not-linked",
        "It is not known which people a table of counts is about.",
        "Register the table with the release that it is about.",
    ),
    entry(
        "nothing-to-audit",
        "A release has neither quasi-identifiers nor sensitive columns.",
        "Give its columns roles.",
    ),
    entry(
        "too-many-combinations",
        "The sensitive columns have too many combinations of values.",
        "Audit them one at a time.",
    ),
    entry("too-many-sensitive-columns", "There are too many sensitive columns.", "Audit some of them."),
    entry("sensitive-column-unknown", "No release has this sensitive column.", "Check the name of the column."),
    entry("pairs-too-many", "Too many groups of two releases match.", "Audit fewer releases at a time."),
    entry(
        "written-file-differs",
        "The written file is not the release that was made.",
        "Nothing was published. Check the disk and try again.",
    ),
    entry(
        "written-tables-differ",
        "The written tables are not those that were made.",
        "Nothing was published. Check the disk and try again.",
    ),
    entry("groups-inconsistent", "The groups of a method are inconsistent.", "Report this as a defect."),
    entry("taxonomy-unknown", "The taxonomy of a column is not known.", "Name the taxonomy in the policy."),
    entry("no-single-column", "A statement about one column was measured on several.", "Report this as a defect."),
    entry(
        "value-not-in-table",
        "The written file has a value that the table does not have.",
        "Nothing was published. Check the disk and try again.",
    ),
    entry(
        "not-single-release",
        "A statement about a single release was asked of several.",
        "Judge one release at a time.",
    ),
    entry(
        "undefined-for-joins",
        "The model has no definition for joined releases.",
        "Require another model, or judge the release alone.",
    ),
    entry(
        "search-ignores-history",
        "The algorithm searches single releases only.",
        "Choose another algorithm, or judge the release alone.",
    ),
    entry(
        "join-too-large",
        "The join with earlier releases has too many combinations.",
        "Publish fewer shared columns, or to fewer recipients.",
    ),
    entry("join-not-countable", "The join has too many values to count.", "Publish fewer shared columns."),
    entry(
        "history-too-large",
        "The history has too many sets of releases to judge.",
        "Judge fewer together, or declare recipients separate.",
    ),
    entry(
        "columns-not-comparable",
        "A column has numbers in one release and dates in another.",
        "Give it one type, or declare that it varies.",
    ),
    entry(
        "earlier-release-erased",
        "The contents of an earlier release were erased.",
        "What it discloses can no longer be computed. Judge the release alone.",
    ),
    entry(
        "join-not-required",
        "Nothing is required of the join with earlier releases.",
        "Add a requirement that covers joins.",
    ),
    entry("attack-not-runnable", "An attack cannot be run.", "The text says what is missing."),
    entry("too-many-coalitions", "The recipients form too many coalitions.", "Declare fewer recipients separate."),
    entry(
        "column-known-and-counted",
        "A column is known to one requirement and counted by another.",
        "Use top-down specialization.",
    ),
    entry(
        "suppression-miscounted",
        "The search and the release disagree on suppressed records.",
        "Report this as a defect.",
    ),
    entry(
        "marginals-unaudited",
        "Marginal tables were not audited.",
        "Switch the audit on, or publish no marginal tables.",
    ),
    entry(
        "shared-column-unlinked",
        "An earlier release without owner links shows the same sensitive column.",
        "Judge the release alone, or register the earlier one with owners.",
    ),
    entry("release-unlinked", "The owners of an earlier release are not known.", "Register it with owners."),
    entry(
        "not-recordwise",
        "An earlier release does not show its records one by one.",
        "Judge the release alone, or use a republication method.",
    ),
    entry(
        "person-not-in-file",
        "A person of the data is not found in the written file.",
        "Nothing was published. Try again.",
    ),
    entry("not-established", "The release was not verified and audited.", "Report this as a defect."),
];

const ENGINE: &[ErrorCode] = &[
    entry("io-failed", "A data file could not be read or written.", "Check the file and the free space."),
    entry("file-not-found", "No file matches the name or pattern.", "Check the path."),
    entry("file-malformed", "A file holds no table that can be read.", "Correct the file at the given line."),
    entry("column-unknown", "The data has no such column.", "Check the name of the column."),
    entry("too-many-values", "A column has too many different values.", "Round the values, or leave the column out."),
    entry(
        "memory-exceeded",
        "Counting needs more memory than allowed.",
        "Ask for fewer columns, coarser values, or more memory.",
    ),
    entry("owner-missing", "Some rows have no owner.", "Complete these rows, or take them out."),
    entry("too-many-owners", "There are more owners than can be numbered.", "Publish the table in parts."),
    entry("too-many-rows", "There are more rows than can be linked with owners.", "Publish the table in parts."),
    entry(
        "rows-differ",
        "Another number of rows was read back than was written.",
        "Nothing was published. Check the disk and try again.",
    ),
    entry("data-changed", "The data changed while it was read.", "Try again when nobody writes to it."),
];

const LEDGER: &[ErrorCode] = &[
    entry(
        "ledger-unauthenticated",
        "The ledger carries no signatures, and there is a key: it is not signed yet, or was replaced.",
        "If it is of an older format, check it and run `authenticate`. Otherwise bring the signed ledger back.",
    ),
    entry(
        "ledger-key-missing",
        "The ledger is signed, and its key is not there.",
        "Bring the key back; docs/ledger.md says what to do if it is lost.",
    ),
    entry(
        "ledger-entry-unknown",
        "An entry has a kind, or requires something, that this program does not know.",
        "Use the version of Reticent that wrote it, or a newer one.",
    ),
    entry(
        "ledger-permission-denied",
        "The system does not let you read or write a file of the ledger.",
        "Ask its owner, or run the command as its owner.",
    ),
    entry(
        "proof-invalid",
        "The file is not a proof, or does not show what it claims.",
        "Ask for a new one. A proof that fails is evidence: keep it.",
    ),
    entry(
        "head-refused",
        "The head is not countersigned: it is not signed, or not proved to extend the one that was kept.",
        "Ask for a proof since the head that you kept. If the steward cannot give one, entries were rewritten.",
    ),
    entry(
        "ledger-not-found",
        "There is no ledger in the folder.",
        "Check the path, or start a ledger with the first release.",
    ),
    entry(
        "ledger-inconsistent",
        "The ledger was modified, or is damaged.",
        "Verify it; restore a backup before anything else is published.",
    ),
    entry("ledger-format-newer", "A newer version wrote the ledger.", "Use a newer version."),
    entry("ledger-locked", "Another process writes to the ledger.", "Wait, and try again."),
    entry("history-changed", "Another release was recorded meanwhile.", "Try again."),
    entry("release-name-taken", "A release has this name already.", "Choose another name."),
    entry("release-not-found", "The ledger has no such release.", "List the releases."),
    entry(
        "release-erased",
        "The contents of the release were erased.",
        "Its entry remains; its contents cannot be read.",
    ),
    entry(
        "key-unusable",
        "The key's file cannot be used.",
        "The text says what is wrong, for example its permissions.",
    ),
    entry(
        "release-file-unnamed",
        "The release is recorded, and its file has no name yet.",
        "Remove the obstacle; the next command that writes names the file.",
    ),
    entry("head-invalid", "The text is not an exported head.", "Use a file that `export-head` wrote."),
    entry(
        "release-unfit",
        "The parts of the release do not fit together.",
        "Check that the data did not change; try again.",
    ),
    entry(
        "ledger-io-failed",
        "A file of the ledger could not be read or written.",
        "Check permissions and free space.",
    ),
    entry(
        "catalogue-failed",
        "The ledger's database could not be read or written.",
        "Check permissions and free space.",
    ),
];
