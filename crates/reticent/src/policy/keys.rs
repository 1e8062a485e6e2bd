//! Every key a policy may have, in one list. The reader checks against it, and the JSON Schema is made from it.

use crate::methods::Form;

/// One key of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub name: &'static str,
    pub shape: Shape,
    /// Taken when the policy is silent, as TOML; empty when there is none.
    pub default: &'static str,
    /// One sentence.
    pub meaning: &'static str,
}

/// What may stand behind a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Any text.
    Text,
    /// Texts, each at most once.
    Texts,
    /// True or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, at least this.
    Whole(u64),
    /// A number between 0 and 1; whether each of the two belongs.
    Share { zero: bool, one: bool },
    /// A list of names, or several such lists.
    Groups,
    /// Tables that each give a value to two columns.
    Pairs,
    /// Interval levels, finest first.
    Levels,
    /// The lowest bound, and the bound above all.
    Range,
    /// What the release is for.
    Purpose,
    /// The id of an algorithm.
    Algorithm,
    /// The id of a method.
    Method,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table of tables with these keys, by a name the steward chooses.
    Named(&'static [Key]),
    /// A list of models with their parameters.
    Models,
    /// The parameters of the algorithm or the method.
    Options,
}

/// The words of a calendar level.
pub(super) const CALENDAR: &[&str] = &["month", "quarter", "year", "decade"];
/// The algorithm when the policy names none.
pub(super) const ALGORITHM: &str = "top-down-specialization";

/// The whole file.
pub(super) const POLICY: &[Key] = &[
    key("dataset", Shape::Table(DATASET), "", "What the data is."),
    key("columns", Shape::Named(COLUMN), "", "What each column is; every column of the data is spoken for."),
    key("requirement", Shape::Table(REQUIREMENT), "", "What every release must satisfy, together with all before it."),
    key("release", Shape::Table(RELEASE), "", "How releases are made."),
    key("history", Shape::Table(HISTORY), "", "How releases are judged together."),
    key("recipients", Shape::Table(RECIPIENTS), "", "Who gets releases."),
    key("ledger", Shape::Table(LEDGER), "", "Where releases are remembered."),
];

pub(super) const DATASET: &[Key] = &[
    key("name", Shape::Text, "\"data\"", "The name of the data in the ledger and in reports."),
    key("owner", Shape::Text, "", "The column that names the person, if a person can have several records."),
    key("missing-values", Shape::Texts, "[\"\"]", "The texts that stand for a missing value; the first is published."),
];

pub(super) const COLUMN: &[Key] = &[
    key(
        "role",
        Shape::Word(&["identifier", "quasi-identifier", "sensitive", "other"]),
        "\"quasi-identifier\"",
        "identifier: never published. quasi-identifier: known to an attacker, generalized until the requirement holds. \
         sensitive: what nobody may learn about a person. other: neither, published as it is.",
    ),
    key("type", Shape::Word(&["text", "number", "date"]), "\"text\"", "What the values are; dates are YYYY-MM-DD."),
    key("taxonomy", Shape::Text, "", "A file with the tree of values: one row a value, `value;parent;...;root`."),
    key(
        "intervals",
        Shape::Levels,
        "",
        "Interval levels, finest first: a width, month, quarter, year, decade, or a list of ascending bounds.",
    ),
    key("exact", Shape::Flag, "true", "Whether single values may be published below the finest interval."),
    key("range", Shape::Range, "", "For intervals that the algorithm finds: the lowest bound, and the one above all."),
    key(
        "missing",
        Shape::Word(&["value", "drop", "refuse"]),
        "\"value\"",
        "What a missing value means. value: a value of its own. drop: the record is left out. refuse: an error.",
    ),
];

pub(super) const REQUIREMENT: &[Key] = &[
    key("k", Shape::Whole(2), "", "Nobody can be narrowed down to fewer than this many people."),
    key(
        "confidence",
        Shape::Share { zero: false, one: true },
        "",
        "No sensitive value can be inferred with more confidence than this.",
    ),
    key(
        "audit",
        Shape::Word(crate::audit::Proof::WORDS),
        "\"bounds\"",
        "How well it must be established, before a release goes out, that nobody's value is told with more confidence than \
         `confidence` by all releases together. exact: every probability is counted. bounds: bounds that are true do not reach above. \
         estimate: the best estimate is not above. off: not looked at.",
    ),
    key("models", Shape::Models, "", "Privacy models by name, each with its parameters."),
];

pub(super) const RELEASE: &[Key] = &[
    key("algorithm", Shape::Algorithm, "\"top-down-specialization\"", "How the release is found."),
    key(
        "method",
        Shape::Method,
        "",
        "How the same table is published again and again, with people who come and go; takes the place of the algorithm and, by what it \
         promises, of the requirement.",
    ),
    key(
        "form",
        Shape::Word(Form::WORDS),
        "",
        "How a method publishes quasi-identifiers. anatomized: as they are. generalized: as what covers the group. As usual for the \
         method when not given.",
    ),
    key(
        "purpose",
        Shape::Purpose,
        "\"general\"",
        "What the release is for: \"general\", or { classify = \"column\" }.",
    ),
    key("suppression", Shape::Share { zero: true, one: false }, "0", "The greatest share of records left out."),
    key(
        "suppress",
        Shape::Word(&["records", "cells"]),
        "\"records\"",
        "records: leave whole records out. cells: hide single cells first.",
    ),
    key("seed", Shape::Whole(0), "", "Decides all chance; drawn and recorded when not given."),
    key("options", Shape::Options, "", "Parameters of the algorithm or the method."),
];

pub(super) const HISTORY: &[Key] = &[
    key(
        "judge",
        Shape::Word(&["auto", "each", "every"]),
        "\"auto\"",
        "Which earlier releases are looked at together with the new one: each by itself and all of them, or every subset. auto: \
         every subset where there are few.",
    ),
    key(
        "varies",
        Shape::Texts,
        "[]",
        "Columns in which a person can have another value in another release, such as a balance: releases are not joined on them.",
    ),
    key(
        "inconsistent",
        Shape::Pairs,
        "",
        "Values of two columns that no one person has, nor any value below them: { sex = \"male\", diagnosis = \"pregnancy\" }.",
    ),
];

pub(super) const RECIPIENTS: &[Key] = &[key(
    "separate",
    Shape::Groups,
    "",
    "Recipients who never combine what they hold: a list of names, of whom no two do, or several such lists. All others can.",
)];

pub(super) const LEDGER: &[Key] = &[
    key("path", Shape::Text, "\"ledger\"", "The folder of the ledger, relative to the policy."),
    key(
        "key",
        Shape::Text,
        "\"reticent.key\"",
        "The file with the key that signs the ledger and turns owners into pseudonyms, relative to the policy; keep it outside the \
         ledger. \"none\": no key; the ledger is not authenticated, and owners are not recorded.",
    ),
    key("group", Shape::Text, "", "The group of users who may read the key file, if several stewards share it."),
];

const fn key(name: &'static str, shape: Shape, default: &'static str, meaning: &'static str) -> Key {
    Key { name, shape, default, meaning }
}

/// The table that has a key of this name, for somebody who wrote it in another.
pub(super) fn home_of(name: &str) -> Option<&'static str> {
    POLICY.iter().find_map(|section| match section.shape {
        Shape::Table(keys) if keys.iter().any(|key| key.name == name) => Some(section.name),
        _ => None,
    })
}
