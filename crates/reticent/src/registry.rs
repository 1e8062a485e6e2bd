//! What a registered thing says about itself.
//!
//! Each folder (`models`, `operations`, `metrics`, `algorithms`, `attacks`) keeps one list. Help, `reticent catalogue`,
//! the reference pages, the policy's JSON Schema and the law tests are made from the lists, never typed again.

use std::fmt;

use crate::error::{Error, Result, did_you_mean};

pub use crate::kind::Kind;

/// What a registered thing says about itself.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Entry {
    /// Which list it stands in.
    pub kind: Kind,
    /// The word used in policies and on the command line.
    pub id: &'static str,
    /// The name a reader of the literature knows.
    pub title: &'static str,
    /// One or two sentences: the definition, or what it does.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it protects against (models), costs or answers (the others).
    pub thwarts: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The tests that hold it to its definition.
    pub evidence: &'static [&'static str],
}

impl Entry {
    /// Whether this is its id or its title, in any case.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        [self.id, self.title].iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// One parameter of an entry.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Parameter {
    /// The key in the policy.
    pub name: &'static str,
    /// What values it takes.
    pub domain: Domain,
    /// Taken when the policy is silent; `None` means the policy must say.
    pub default: Option<&'static str>,
    /// One sentence.
    pub meaning: &'static str,
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// A whole number, at least this.
    Whole(u64),
    /// A number in a closed range.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a column.
    Column,
    /// A list of column names.
    Columns,
    /// Values of a column, each with its own threshold between 0 and 1.
    Thresholds,
    /// Columns, each with its own whole number, at least this.
    Each(u64),
    /// True or false.
    Flag,
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Whole(least) => write!(f, "whole number, at least {least}"),
            Domain::Number(low, high) if high.is_infinite() => write!(f, "number, at least {low}"),
            Domain::Number(low, high) => write!(f, "number from {low} to {high}"),
            Domain::Word(words) => write!(f, "{}", words.join(" | ")),
            Domain::Column => write!(f, "a column"),
            Domain::Columns => write!(f, "a list of columns"),
            Domain::Thresholds => write!(f, "value = threshold, each from 0 to 1"),
            Domain::Each(least) => write!(f, "column = whole number, each at least {least}"),
            Domain::Flag => write!(f, "true | false"),
        }
    }
}

/// The error for a name that a list does not have, with the nearest name of the list. Names from other lists are
/// explained by `catalogue::meant`.
pub(crate) fn unknown(kind: Kind, id: &str, entries: impl Iterator<Item = &'static Entry>) -> Error {
    let entries: Vec<&Entry> = entries.collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.id).collect();
    let hint = by_name(&entries, id).or_else(|| did_you_mean(id, names.iter().copied()));
    let hint = hint.unwrap_or_else(|| format!("there are: {}", names.join(", ")));
    Error::Unknown { kind, id: id.to_owned(), hint: Some(hint) }
}

/// The suggestion for the id or the title of an entry, in any case.
pub(crate) fn by_name(entries: &[&'static Entry], typed: &str) -> Option<String> {
    let entry = entries.iter().find(|entry| entry.is_called(typed))?;
    Some(format!("did you mean `{}`?", entry.id))
}

/// The values given for an entry's parameters, checked against their domains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments {
    given: Vec<(String, Argument)>,
}

/// One given value.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number, whole or not.
    Number(f64),
    /// A word, or the name of a column.
    Word(String),
    /// Several names.
    Words(Vec<String>),
    /// Values with a threshold each.
    Thresholds(Vec<(String, f64)>),
    /// True or false.
    Flag(bool),
}

impl Arguments {
    /// Adds or replaces a value.
    pub fn set(mut self, name: &str, value: Argument) -> Self {
        self.given.retain(|(known, _)| known != name);
        self.given.push((name.to_owned(), value));
        self
    }

    /// What was given under this name.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names in the order given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }

    /// Checks every value against the entry, and fills in the defaults.
    pub fn checked(mut self, entry: &Entry) -> Result<Self> {
        let known = || entry.parameters.iter().map(|parameter| parameter.name);
        for (name, value) in &self.given {
            let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else {
                return Err(bad(entry, format!("has no parameter `{name}`"), did_you_mean(name, known())));
            };
            fits(value, &parameter.domain).map_err(|why| bad(entry, format!("`{name}` {why}"), None))?;
        }
        for parameter in entry.parameters {
            if self.get(parameter.name).is_some() {
                continue;
            }
            match parameter.default {
                None => {
                    let message = format!("needs `{}` ({}; {})", parameter.name, parameter.domain, parameter.meaning);
                    return Err(bad(entry, message, None));
                }
                // An empty default stands for "not given": the entry decides from the rest of the policy.
                Some("") => {}
                Some(text) => self = self.set(parameter.name, default_argument(text, &parameter.domain)),
            }
        }
        Ok(self)
    }

    /// A whole number that `checked` let through.
    pub fn whole(&self, name: &str) -> u64 {
        self.number(name) as u64
    }

    /// A number that `checked` let through.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(Argument::Number(number)) => *number,
            _ => 0.0,
        }
    }

    /// A word that `checked` let through.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Argument::Word(word)) => word,
            _ => "",
        }
    }

    /// A flag that `checked` let through.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Argument::Flag(true)))
    }

    /// A list of names, if given.
    pub fn words(&self, name: &str) -> Option<&[String]> {
        match self.get(name) {
            Some(Argument::Words(words)) => Some(words),
            _ => None,
        }
    }

    /// Values with thresholds, if given.
    pub fn thresholds(&self, name: &str) -> Option<&[(String, f64)]> {
        match self.get(name) {
            Some(Argument::Thresholds(values)) => Some(values),
            _ => None,
        }
    }
}

fn bad(entry: &Entry, message: String, hint: Option<String>) -> Error {
    Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint }
}

fn fits(value: &Argument, domain: &Domain) -> std::result::Result<(), String> {
    let ok = match (value, domain) {
        (Argument::Number(n), Domain::Whole(least)) => n.fract() == 0.0 && *n >= *least as f64 && *n < 9e15,
        (Argument::Number(n), Domain::Number(low, high)) => n >= low && n <= high,
        (Argument::Word(word), Domain::Word(words)) => words.contains(&word.as_str()),
        (Argument::Word(_), Domain::Column) => true,
        (Argument::Words(words), Domain::Columns) => !words.is_empty(),
        (Argument::Thresholds(values), Domain::Thresholds) => {
            !values.is_empty() && values.iter().all(|(_, threshold)| (0.0..=1.0).contains(threshold))
        }
        (Argument::Thresholds(values), Domain::Each(least)) => {
            let fits = |number: f64| number.fract() == 0.0 && number >= *least as f64 && number < 9e15;
            !values.is_empty() && values.iter().all(|(_, number)| fits(*number))
        }
        (Argument::Flag(_), Domain::Flag) => true,
        _ => false,
    };
    if ok { Ok(()) } else { Err(format!("must be: {domain}")) }
}

fn default_argument(text: &str, domain: &Domain) -> Argument {
    match domain {
        Domain::Whole(_) | Domain::Number(..) => Argument::Number(text.parse().unwrap_or(0.0)),
        Domain::Flag => Argument::Flag(text == "true"),
        Domain::Columns => Argument::Words(text.split(',').map(|name| name.trim().to_owned()).collect()),
        Domain::Word(_) | Domain::Column | Domain::Thresholds | Domain::Each(_) => Argument::Word(text.to_owned()),
    }
}
