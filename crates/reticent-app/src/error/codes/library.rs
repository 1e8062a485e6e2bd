//! Codes of the library: refusals, and checks that could not be made.

use super::{ErrorCode, entry};

pub(super) const REFUSALS: &[ErrorCode] = &[
    entry(
        "posterior-above-confidence",
        "The release would raise the posterior of a sensitive value above the confidence bound.",
        "Publish fewer columns, publish to other recipients, or use a stricter policy.",
    ),
    entry(
        "reidentification-above-bound",
        "The release would raise the prosecutor risk of a person above the bound.",
        "Publish fewer columns, publish to other recipients, or use a stricter policy.",
    ),
    entry(
        "record-sets-too-rare",
        "Too few people share the known records of a person over all releases that the recipients can hold.",
        "Publish fewer columns or less detail, publish to other recipients, or assume fewer known records.",
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
        "marginals-of-continued",
        "Marginal tables would disclose values of people whose classes the release continues.",
        "Publish without marginal tables.",
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
        "too-few-for-class",
        "The republication method can publish fewer people than an equivalence class needs.",
        "Lower `k`, or publish more records.",
    ),
    entry(
        "no-group",
        "The republication method could not form a group.",
        "Require smaller groups, or publish more records.",
    ),
];

pub(super) const OBSTACLES: &[ErrorCode] = &[
    entry(
        "background-knowledge-invalid",
        "The background knowledge is invalid, or contradicts the releases.",
        "Correct the statement at the given line.",
    ),
    entry(
        "reidentification-not-established",
        "The audit could not prove that every prosecutor risk is within the bound.",
        "Publish fewer columns, or accept estimates.",
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
        "too-many-record-sets",
        "People have too many sets of records to count how many people share each set.",
        "Lower `records` of the model, or leave it out.",
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
