//! What a registered thing says about itself.
//!
//! Each folder (`models`, `operations`, `metrics`, `algorithms`, `attacks`) keeps one list. Help, the catalogue,
//! the reference pages, the policy's JSON Schema and the law tests are made from the lists, never typed again.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::error::{ArgumentFault, Error, Result, did_you_mean};

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
    /// Whether it is there to be compared with, and not for releases.
    pub comparison: bool,
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

/// The values given for an entry's parameters.
///
/// Only [`Arguments::checked`] makes values that can be read with [`Arguments::whole`] and the other typed getters. A getter
/// fails on a name that the entry does not have: it never invents a value.
///
/// ```
/// use reticent::models::LIST;
/// use reticent::registry::{Argument, Arguments};
///
/// let arguments = Arguments::default().set("k", Argument::Number(3.0)).checked(&LIST[0].entry)?;
/// assert_eq!(arguments.whole("k")?, 3);
/// assert!(arguments.whole("K").is_err());
/// # Ok::<(), reticent::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    given: Vec<(String, Argument)>,
    /// The entry that the values were checked against.
    entry: Option<Entry>,
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
    /// Adds or replaces a value. The arguments must be checked after that.
    pub fn set(mut self, name: &str, value: Argument) -> Self {
        self.given.retain(|(known, _)| known != name);
        self.given.push((name.to_owned(), value));
        self.entry = None;
        self
    }

    /// Returns the value of this name as it was given, whether or not it was checked.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names in the order given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }

    /// Checks every value against the entry, and fills in the defaults.
    ///
    /// # Errors
    ///
    /// Fails if a name is not a parameter of the entry, if a value is outside of its domain, or if a value is missing.
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
                Some(text) => {
                    let value = default_argument(text, &parameter.domain);
                    let wrong = || bad(entry, format!("the default of `{}` cannot be read", parameter.name), None);
                    self = self.set(parameter.name, value.ok_or_else(wrong)?);
                }
            }
        }
        self.entry = Some(*entry);
        Ok(self)
    }

    /// Returns a whole number.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, if the entry has no whole number of this name, or if none is given.
    pub fn whole(&self, name: &str) -> Result<u64> {
        self.optional_whole(name)?.ok_or_else(|| self.unusable(name, ArgumentFault::NotGiven))
    }

    /// Returns a number, whole or not.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, if the entry has no number of this name, or if none is given.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.optional_number(name)?.ok_or_else(|| self.unusable(name, ArgumentFault::NotGiven))
    }

    /// Returns a word, or the name of a column.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, if the entry has no word of this name, or if none is given.
    pub fn word(&self, name: &str) -> Result<&str> {
        self.optional_word(name)?.ok_or_else(|| self.unusable(name, ArgumentFault::NotGiven))
    }

    /// Returns a flag.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, if the entry has no flag of this name, or if none is given.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.given_as(name, |domain| matches!(domain, Domain::Flag))? {
            Some(Argument::Flag(flag)) => Ok(*flag),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Err(self.unusable(name, ArgumentFault::NotGiven)),
        }
    }

    /// Returns a whole number, if one is given.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, or if the entry has no whole number of this name.
    pub(crate) fn optional_whole(&self, name: &str) -> Result<Option<u64>> {
        match self.given_as(name, |domain| matches!(domain, Domain::Whole(_)))? {
            Some(Argument::Number(number)) => Ok(Some(*number as u64)),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a number, if one is given.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, or if the entry has no number of this name.
    pub(crate) fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        match self.given_as(name, |domain| matches!(domain, Domain::Whole(_) | Domain::Number(..)))? {
            Some(Argument::Number(number)) => Ok(Some(*number)),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a word or the name of a column, if one is given.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, or if the entry has no word of this name.
    pub(crate) fn optional_word(&self, name: &str) -> Result<Option<&str>> {
        match self.given_as(name, |domain| matches!(domain, Domain::Word(_) | Domain::Column))? {
            Some(Argument::Word(word)) => Ok(Some(word)),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a list of names, if one is given.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, or if the entry has no list of this name.
    pub fn words(&self, name: &str) -> Result<Option<&[String]>> {
        match self.given_as(name, |domain| matches!(domain, Domain::Columns))? {
            Some(Argument::Words(words)) => Ok(Some(words)),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns values with a number each, if any are given.
    ///
    /// # Errors
    ///
    /// Fails if these arguments were not checked, or if the entry has no such values of this name.
    pub fn thresholds(&self, name: &str) -> Result<Option<&[(String, f64)]>> {
        match self.given_as(name, |domain| matches!(domain, Domain::Thresholds | Domain::Each(_)))? {
            Some(Argument::Thresholds(values)) => Ok(Some(values)),
            Some(_) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// The value given for a parameter of the entry, which must have a domain that fits.
    fn given_as(&self, name: &str, fits: impl Fn(&Domain) -> bool) -> Result<Option<&Argument>> {
        let Some(entry) = &self.entry else { return Err(self.unusable(name, ArgumentFault::Unchecked)) };
        match entry.parameters.iter().find(|parameter| parameter.name == name) {
            None => Err(self.unusable(name, ArgumentFault::UnknownParameter)),
            Some(parameter) if !fits(&parameter.domain) => Err(self.unusable(name, ArgumentFault::OtherKind)),
            Some(_) => Ok(self.get(name)),
        }
    }

    fn unusable(&self, name: &str, fault: ArgumentFault) -> Error {
        let id = self.entry.map(|entry| entry.id.to_owned());
        Error::Argument { id, parameter: name.to_owned(), fault }
    }
}

impl PartialEq for Arguments {
    /// Compares the values only, not what they were checked against.
    fn eq(&self, other: &Arguments) -> bool {
        self.given == other.given
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

/// The value of a default; none where the text does not fit the domain.
fn default_argument(text: &str, domain: &Domain) -> Option<Argument> {
    let value = match domain {
        Domain::Whole(_) | Domain::Number(..) => Argument::Number(text.parse().ok()?),
        Domain::Flag => Argument::Flag(text.parse().ok()?),
        Domain::Columns => Argument::Words(text.split(',').map(|name| name.trim().to_owned()).collect()),
        Domain::Word(_) | Domain::Column => Argument::Word(text.to_owned()),
        Domain::Thresholds | Domain::Each(_) => return None,
    };
    fits(&value, domain).is_ok().then_some(value)
}
