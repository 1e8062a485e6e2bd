//! List of all policy keys. The reader validates against it, and the JSON Schema is generated from it.

use crate::algorithms::ValueForm;
use crate::republication::Form;

/// A key of a policy table.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolicyKey {
    pub name: &'static str,
    pub shape: KeyShape,
    /// Default value in TOML syntax; empty if there is none.
    pub default: &'static str,
    /// Description for users, printed in the JSON Schema.
    pub meaning: &'static str,
}

/// Shape of the value of a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeyShape {
    /// A string.
    Text,
    /// A list of distinct strings.
    Texts,
    /// True or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An integer with this minimum.
    Whole(u64),
    /// A number between 0 and 1. The flags include the end points.
    Share { zero: bool, one: bool },
    /// A number above 0.
    AboveZero,
    /// A list of names, or a list of such lists.
    Groups,
    /// A list of tables, each with the values of two columns.
    Pairs,
    /// Interval levels, finest first.
    Levels,
    /// The lower bound (inclusive) and the upper bound (exclusive).
    Range,
    /// The purpose of the release.
    Purpose,
    /// The id of an algorithm.
    Algorithm,
    /// The id of a republication method.
    Method,
    /// The id of a preset.
    Preset,
    /// A table with these keys.
    Table(&'static [PolicyKey]),
    /// A table of tables with these keys; the user chooses their names.
    Named(&'static [PolicyKey]),
    /// A list of privacy models with their parameters.
    Models,
    /// The parameters of the algorithm or the republication method.
    Options,
}

/// Calendar units of interval levels.
pub(super) const CALENDAR: &[&str] = &["month", "quarter", "year", "decade"];
/// Algorithms of a release without a named one, in the order in which they are tried.
pub const ALGORITHMS: &[&str] =
    &["local-recoding", "top-down-specialization", "multidimensional-specialization", "mondrian"];

/// Tables of the policy file.
pub(super) const POLICY: &[PolicyKey] = &[
    key("dataset", KeyShape::Table(DATASET), "", "Description of the data set."),
    key(
        "columns",
        KeyShape::Named(COLUMN),
        "",
        "Role, type and generalization of each column. Every column of the data needs a table [columns.NAME].",
    ),
    key(
        "requirement",
        KeyShape::Table(REQUIREMENT),
        "",
        "Privacy requirement of every release, alone and joined with earlier releases.",
    ),
    key("release", KeyShape::Table(RELEASE), "", "How releases are produced."),
    key("history", KeyShape::Table(HISTORY), "", "How a release is joined with earlier releases."),
    key("recipients", KeyShape::Table(RECIPIENTS), "", "Assumptions about the recipients of releases."),
    key("source", KeyShape::Table(SOURCE), "", "Where the data is, and how its files are read."),
    key("destination", KeyShape::Table(DESTINATION), "", "Database in which releases become tables."),
    key("ledger", KeyShape::Table(LEDGER), "", "Ledger that records all releases."),
];

pub(super) const DATASET: &[PolicyKey] = &[
    key("name", KeyShape::Text, "\"data\"", "Name of the data set in the ledger and in reports."),
    key(
        "owner",
        KeyShape::Text,
        "",
        "Column that identifies the person (owner) of a record. Needed if a person can have several records, and for republication \
         methods. Its role is identifier.",
    ),
    key(
        "missing-values",
        KeyShape::Texts,
        "[\"\"]",
        "Texts that represent a missing value. Missing values are published as the first of them.",
    ),
];

pub(super) const SOURCE: &[PolicyKey] = &[
    key(
        "engine",
        KeyShape::Word(super::DATABASE_ENGINES),
        "",
        "Database with the data. Without it, the data is in the files that the command names.",
    ),
    key(
        "uri",
        KeyShape::Text,
        "",
        "Address of the database, such as \"postgresql://ann@db.example.org/clinic\" or \"sc://spark.example.org:15002\", or path of a \
         file of DuckDB or SQLite (\":memory:\" if a DuckDB query reads files). It has no password: the driver takes credentials from \
         its environment or its own files.",
    ),
    key("table", KeyShape::Text, "", "Table or view with the data, such as \"visits\" or \"clinic.visits\"."),
    key(
        "query",
        KeyShape::Text,
        "",
        "Query that returns the data, instead of a table. It runs in a transaction that cannot write.",
    ),
    key("timeout", KeyShape::Whole(1), "3600", "Seconds without an answer of the database after which a query fails."),
    key(
        "encoding",
        KeyShape::Text,
        "",
        "Encoding of text files, such as \"windows-1252\" or \"utf-16le\". Default: a byte order mark decides; otherwise UTF-8, or \
         Windows-1252 if the first megabyte is not UTF-8.",
    ),
    key(
        "delimiter",
        KeyShape::Text,
        "",
        "Character between the fields of text files, for example \";\" or \"\\t\". Default: the one that occurs most often in the header.",
    ),
    key("sheet", KeyShape::Text, "", "Name of the sheet of a workbook. Needed if several sheets have data."),
];

pub(super) const DESTINATION: &[PolicyKey] = &[
    key("engine", KeyShape::Word(super::DESTINATION_ENGINES), "", "Kind of database."),
    key(
        "uri",
        KeyShape::Text,
        "",
        "Address of the database without a password, or path of a file of DuckDB or SQLite. The output of a release is the name of a \
         new table, such as \"q1\" or \"releases.q1\"; an output that ends with .csv or .parquet is a file.",
    ),
    key("timeout", KeyShape::Whole(1), "3600", "Seconds without an answer of the database after which a call fails."),
];

pub(super) const COLUMN: &[PolicyKey] = &[
    key(
        "role",
        KeyShape::Word(&["identifier", "quasi-identifier", "sensitive", "other", "drop"]),
        "\"quasi-identifier\"",
        "identifier: identifies a person directly; never published. quasi-identifier: may be known to an attacker; generalized until \
         the requirement is satisfied. sensitive: private information such as a diagnosis; published unchanged, but linking it to a \
         person is limited. other: none of these; published unchanged and not protected. drop: not published, and not an identifier.",
    ),
    key(
        "per",
        KeyShape::Word(&["person", "record"]),
        "",
        "What a value of a sensitive column describes. person: all records of a person have the same value, such as a blood group. \
         record: records of a person can differ, such as the diagnosis of a visit. Default: person, if the records of every person \
         agree.",
    ),
    key(
        "accept-unique",
        KeyShape::Flag,
        "false",
        "Publish the column although no requirement covers it and its values are unique, or nearly unique, per person. Without it, such a \
         release is refused.",
    ),
    key(
        "type",
        KeyShape::Word(&["text", "number", "date"]),
        "\"text\"",
        "Type of the values. Dates are written YYYY-MM-DD, unless `format` declares another format.",
    ),
    key(
        "format",
        KeyShape::Text,
        "",
        "How the data writes the dates or numbers. Dates: conversion specifiers of strptime, such as \"%m/%d/%Y\"; a time of day after \
         the date is ignored. Numbers: the number 1234.56 as the data writes it, such as \"$1,234.56\" or \"1.234,56 %\". Releases \
         contain YYYY-MM-DD and plain numbers.",
    ),
    key(
        "years-from",
        KeyShape::Whole(1000),
        "",
        "First of the 100 years that two-digit years (%y) in `format` mean: 1927 means 1927 to 2026.",
    ),
    key(
        "taxonomy",
        KeyShape::Text,
        "",
        "File with the taxonomy of the values: one row per value, `value;parent;...;root`. The path is relative to the policy.",
    ),
    key(
        "mask",
        KeyShape::Word(&["prefix"]),
        "",
        "Taxonomy of a column of codes, such as ZIP, ICD-10 or phone numbers. prefix: 12345 is generalized to 1234*, then 123*, and so on.",
    ),
    key(
        "intervals",
        KeyShape::Levels,
        "",
        "Interval levels from fine to coarse. A level is a width, a calendar unit (month, quarter, year, decade) or a list of ascending \
         bounds. Without this key, the algorithm chooses the intervals.",
    ),
    key(
        "exact",
        KeyShape::Flag,
        "true",
        "Whether exact values may be published. false: the finest interval is the most specific published value.",
    ),
    key(
        "range",
        KeyShape::Range,
        "",
        "Domain of a column whose intervals the algorithm chooses: lower bound (inclusive) and upper bound (exclusive).",
    ),
    key(
        "weight",
        KeyShape::AboveZero,
        "1",
        "Weight of a quasi-identifier in the information loss that a release minimizes. A column with weight 2 counts twice.",
    ),
    key(
        "suppress-values",
        KeyShape::Texts,
        "[]",
        "Values of a quasi-identifier that are never published: every release suppresses these cells.",
    ),
    key(
        "missing",
        KeyShape::Word(&["value", "drop", "refuse"]),
        "\"value\"",
        "Treatment of missing values. value: a value like any other. drop: the record is not published. refuse: an error.",
    ),
];

pub(super) const REQUIREMENT: &[PolicyKey] = &[
    key(
        "preset",
        KeyShape::Preset,
        "",
        "Thresholds of a published guidance. Other keys of this table can be stricter than the preset, and never weaker.",
    ),
    key(
        "k",
        KeyShape::Whole(2),
        "",
        "k-anonymity: every equivalence class on the quasi-identifiers has at least k people, also after joins with earlier releases.",
    ),
    key(
        "confidence",
        KeyShape::Share { zero: false, one: true },
        "",
        "Confidence bound: maximum probability with which a sensitive value can be inferred for a person.",
    ),
    key(
        "reidentification",
        KeyShape::Share { zero: false, one: true },
        "",
        "Bound on the prosecutor risk: maximum probability with which a record can be attributed to a person, given all releases. Usual \
         for published clinical data: 0.09.",
    ),
    key(
        "audit",
        KeyShape::Word(crate::audit::Proof::WORDS),
        "\"bounds\"",
        "Evidence needed before a release that no person's posterior exceeds `confidence`, and no risk `reidentification`, given all \
         releases. exact: every posterior \
         is computed exactly. bounds: proven upper bounds do not exceed it. estimate: estimates do not exceed it; they can be wrong. \
         off: posteriors are not checked.",
    ),
    key("models", KeyShape::Models, "", "Privacy models with their parameters, in addition to `k` and `confidence`."),
];

pub(super) const RELEASE: &[PolicyKey] = &[
    key(
        "algorithm",
        KeyShape::Algorithm,
        "",
        "Algorithm that searches for the release. Default: local-recoding, top-down-specialization, multidimensional-specialization and \
         mondrian are tried, as far as `tries` allows, and the release with the least loss for the purpose is published.",
    ),
    key(
        "tries",
        KeyShape::Whole(1),
        "",
        "Maximum number of algorithms that are tried if none is named. If none of them finds a release, one more is. Default: 500,000 \
         divided by the number of distinct combinations of values, at least 1.",
    ),
    key(
        "method",
        KeyShape::Method,
        "",
        "Republication method, for a table that is published repeatedly while its records change. It replaces `algorithm`; its guarantee \
         replaces `k` and `models`. Needs `owner` in [dataset].",
    ),
    key(
        "form",
        KeyShape::Word(Form::WORDS),
        "",
        "How a method publishes quasi-identifiers. anatomized: exact values. generalized: the most specific values that cover the group. \
         Default: depends on the method.",
    ),
    key(
        "purpose",
        KeyShape::Purpose,
        "\"general\"",
        "Purpose that the algorithm optimizes for: \"general\"; { classify = \"column\" } to predict a column; { cluster = 5 } for cluster \
         analysis with this number of clusters; { queries = \"file\" } for count queries in a file, whose path is relative to the policy.",
    ),
    key(
        "values",
        KeyShape::Word(ValueForm::WORDS),
        "\"nodes\"",
        "How algorithms publish generalized quasi-identifiers. nodes: values of the taxonomy. sets: the values of the people of a group, \
         such as {Dancer,Writer}, and intervals for numbers and dates. Sets lose less information. Algorithms that publish the same level \
         for all people always publish nodes.",
    ),
    key(
        "suppression",
        KeyShape::Share { zero: true, one: true },
        "0",
        "Maximum share of suppressed records, from 0 to 1. At least one record is always published.",
    ),
    key(
        "suppress",
        KeyShape::Word(&["records", "cells"]),
        "\"records\"",
        "records: suppress whole records. cells: suppress single cells first, and records only if that is not enough.",
    ),
    key(
        "back-off",
        KeyShape::Whole(0),
        "",
        "Maximum number of coarser releases that are judged if the release of the algorithm is refused. 0: none. Default: 3,000,000 \
         divided by the number of records, at least 24 and at most 4,096.",
    ),
    key("seed", KeyShape::Whole(0), "", "Seed of the random numbers. Default: drawn at random and recorded."),
    key("options", KeyShape::Options, "", "Parameters of the algorithm or the republication method."),
];

pub(super) const HISTORY: &[PolicyKey] = &[
    key(
        "judge",
        KeyShape::Word(&["auto", "each", "every"]),
        "\"auto\"",
        "Sets of earlier releases that are joined with the new one. each: every single release, and the maximal sets whose join \
         contains a record of the data. every: every subset. auto: every subset of up to 4 releases, otherwise each.",
    ),
    key(
        "time-varying",
        KeyShape::Texts,
        "[]",
        "Columns whose value for a person can change between releases, such as a balance. Releases are not joined on them.",
    ),
    key(
        "unrelated-data-sets",
        KeyShape::Texts,
        "[]",
        "Data sets of the same ledger in which no person of this data set is. Their releases are not joined with releases of this data \
         set. Every verdict lists this assumption. Without this key, releases of all data sets are joined.",
    ),
    key(
        "inconsistent",
        KeyShape::Pairs,
        "",
        "Pairs of values that no person has at the same time, for example { sex = \"male\", diagnosis = \"pregnancy\" }. A pair \
         includes all values below it in the taxonomies.",
    ),
];

pub(super) const RECIPIENTS: &[PolicyKey] = &[key(
    "non-colluding",
    KeyShape::Groups,
    "",
    "Recipients who do not share releases with each other: one list of names, or several lists. All other recipients are assumed to \
     share all their releases.",
)];

pub(super) const LEDGER: &[PolicyKey] = &[
    key("path", KeyShape::Text, "\"ledger\"", "Folder of the ledger, relative to the policy."),
    key(
        "key",
        KeyShape::Text,
        "\"reticent.key\"",
        "File with the key that signs the ledger and derives owner pseudonyms, relative to the policy. Store it outside the ledger. \
         \"none\": no key; the ledger is not authenticated, and owners are not recorded.",
    ),
    key(
        "group",
        KeyShape::Text,
        "",
        "Operating system group of the users who share the ledger. It gets read and write access to the ledger, and may read the key file.",
    ),
];

const fn key(name: &'static str, shape: KeyShape, default: &'static str, meaning: &'static str) -> PolicyKey {
    PolicyKey { name, shape, default, meaning }
}

/// Renamed keys: old name and new name.
const RENAMED: &[(&str, &str)] = &[("varies", "time-varying"), ("separate", "non-colluding")];

/// Returns the new name of a renamed key.
pub(super) fn renamed(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}

/// Returns the table that has a key of this name, to explain a key in the wrong table.
pub(super) fn table_of_key(name: &str) -> Option<&'static str> {
    POLICY.iter().find_map(|section| match section.shape {
        KeyShape::Table(keys) if keys.iter().any(|key| key.name == name) => Some(section.name),
        _ => None,
    })
}
