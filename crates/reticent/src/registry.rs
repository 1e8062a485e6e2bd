//! Catalogue entries (models, operations, metrics, algorithms, methods, attacks), and their checked arguments.
//!
//! Each of the folders `models`, `operations`, `metrics`, `algorithms`, `republication` and `attacks` has one list of entries.
//! Help, catalogue, reference pages, the JSON Schema of the policy and the law tests are generated from these lists.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::error::{ArgumentFault, Error, Result, did_you_mean};

pub use crate::kind::Kind;

/// A catalogue entry: the description of a model, operation, metric, algorithm, method or attack.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Entry {
    /// Kind of the entry.
    pub kind: Kind,
    /// Identifier in policies and interfaces.
    pub id: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Definition in one or two sentences.
    pub summary: &'static str,
    /// Publication that defines it.
    pub paper: &'static str,
    /// Attack that a model or method protects against; for other kinds, the property that is measured or affected.
    pub protects_against: &'static str,
    /// True for baselines that serve comparisons and are not used for releases.
    pub comparison: bool,
    /// Parameters.
    pub parameters: &'static [ParameterDef],
    /// Paths of the tests that check the definition.
    pub evidence: &'static [&'static str],
}

impl Entry {
    /// Returns true if this is the id or the title, ignoring ASCII case.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        [self.id, self.title].iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// A parameter of a catalogue entry.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct ParameterDef {
    /// Key in the policy.
    pub name: &'static str,
    /// Allowed values.
    pub domain: Domain,
    /// Default value. `None`: the parameter is required. Empty: it is optional, without a default.
    pub default: Option<&'static str>,
    /// Description of the parameter.
    pub meaning: &'static str,
}

/// The domain of a parameter: its allowed values.
#[derive(Debug, Clone, Copy, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// A whole number with this minimum.
    Whole(u64),
    /// A number in this closed range.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a column.
    Column,
    /// A list of column names.
    Columns,
    /// Values of a column, each with its own threshold between 0 and 1.
    Thresholds,
    /// Columns, each with its own whole number with this minimum.
    Each(u64),
    /// True or false.
    Flag,
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Whole(min) => write!(f, "whole number, at least {min}"),
            Domain::Number(low, high) if high.is_infinite() => write!(f, "number, at least {low}"),
            Domain::Number(low, high) => write!(f, "number from {low} to {high}"),
            Domain::Word(words) => write!(f, "{}", words.join(" | ")),
            Domain::Column => write!(f, "a column"),
            Domain::Columns => write!(f, "a list of columns"),
            Domain::Thresholds => write!(f, "value = threshold, each from 0 to 1"),
            Domain::Each(min) => write!(f, "column = whole number, each at least {min}"),
            Domain::Flag => write!(f, "true | false"),
        }
    }
}

/// Returns the error for an unknown name, which suggests the most similar name of the list.
///
/// Names of entries of other kinds are handled by `catalogue::suggest`.
pub(crate) fn unknown(kind: Kind, id: &str, entries: impl Iterator<Item = &'static Entry>) -> Error {
    let entries: Vec<&Entry> = entries.collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry.id).collect();
    let hint = by_name(&entries, id).or_else(|| did_you_mean(id, names.iter().copied()));
    let hint = hint.unwrap_or_else(|| format!("there are: {}", names.join(", ")));
    Error::Unknown { kind, id: id.to_owned(), hint: Some(hint) }
}

/// Returns a suggestion if the typed text is the id or the title of an entry, ignoring ASCII case.
pub(crate) fn by_name(entries: &[&'static Entry], typed: &str) -> Option<String> {
    let entry = entries.iter().find(|entry| entry.has_name(typed))?;
    Some(format!("did you mean `{}`?", entry.id))
}

/// Values for the parameters of a catalogue entry.
///
/// The typed getters, such as [`Arguments::whole`], work only on the result of [`Arguments::checked`]. A getter returns an error
/// for a name that is not a parameter of the entry; it never returns an invented value.
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
    /// Entry that the values were checked against.
    entry: Option<Entry>,
}

/// The value of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A number, whole or not.
    Number(f64),
    /// A word, or the name of a column.
    Word(String),
    /// A list of column names.
    Words(Vec<String>),
    /// Pairs of a value (or column) and its number.
    Thresholds(Vec<(String, f64)>),
    /// True or false.
    Flag(bool),
}

impl Arguments {
    /// Adds or replaces a value. The arguments must be checked again afterwards.
    pub fn set(mut self, name: &str, value: Argument) -> Self {
        self.given.retain(|(known, _)| known != name);
        self.given.push((name.to_owned(), value));
        self.entry = None;
        self
    }

    /// Returns the value of this name, whether or not it was checked.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.given.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the names in insertion order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(name, _)| name.as_str())
    }

    /// Splits the arguments into those that the entry accepts, and the names of the others.
    pub fn accepted_by(self, entry: &Entry) -> (Self, Vec<String>) {
        let accepts = |(name, value): &(String, Argument)| {
            let parameter = entry.parameters.iter().find(|parameter| parameter.name == name);
            parameter.is_some_and(|parameter| check_domain(value, &parameter.domain).is_ok())
        };
        let (given, others): (Vec<_>, Vec<_>) = self.given.into_iter().partition(accepts);
        (Arguments { given, entry: None }, others.into_iter().map(|(name, _)| name).collect())
    }

    /// Checks every value against the entry, and adds the defaults.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is not a parameter of the entry, if a value is outside of its domain, or if a value is missing.
    pub fn checked(mut self, entry: &Entry) -> Result<Self> {
        let known = || entry.parameters.iter().map(|parameter| parameter.name);
        for (name, value) in &self.given {
            let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else {
                return Err(parameter_error(entry, format!("has no parameter `{name}`"), did_you_mean(name, known())));
            };
            check_domain(value, &parameter.domain)
                .map_err(|why| parameter_error(entry, format!("`{name}` {why}"), None))?;
        }
        for parameter in entry.parameters {
            if self.get(parameter.name).is_some() {
                continue;
            }
            match parameter.default {
                None => {
                    let message = format!("needs `{}` ({}; {})", parameter.name, parameter.domain, parameter.meaning);
                    return Err(parameter_error(entry, message, None));
                }
                // An empty default means optional: the entry decides from the rest of the policy.
                Some("") => {}
                Some(text) => {
                    let value = default_argument(text, &parameter.domain);
                    let unreadable =
                        || parameter_error(entry, format!("the default of `{}` cannot be read", parameter.name), None);
                    self = self.set(parameter.name, value.ok_or_else(unreadable)?);
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
    /// Returns an error if these arguments were not checked, if the entry has no whole number of this name, or if none is given.
    pub fn whole(&self, name: &str) -> Result<u64> {
        self.optional_whole(name)?.ok_or_else(|| self.argument_error(name, ArgumentFault::NotGiven))
    }

    /// Returns a number, whole or not.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, if the entry has no number of this name, or if none is given.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.optional_number(name)?.ok_or_else(|| self.argument_error(name, ArgumentFault::NotGiven))
    }

    /// Returns a word, or the name of a column.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, if the entry has no word of this name, or if none is given.
    pub fn word(&self, name: &str) -> Result<&str> {
        self.optional_word(name)?.ok_or_else(|| self.argument_error(name, ArgumentFault::NotGiven))
    }

    /// Returns a flag.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, if the entry has no flag of this name, or if none is given.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Flag))? {
            Some(Argument::Flag(flag)) => Ok(*flag),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Err(self.argument_error(name, ArgumentFault::NotGiven)),
        }
    }

    /// Returns a whole number, if one is given.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, or if the entry has no whole number of this name.
    pub(crate) fn optional_whole(&self, name: &str) -> Result<Option<u64>> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Whole(_)))? {
            Some(Argument::Number(number)) => Ok(Some(*number as u64)),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a number, if one is given.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, or if the entry has no number of this name.
    pub(crate) fn optional_number(&self, name: &str) -> Result<Option<f64>> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Whole(_) | Domain::Number(..)))? {
            Some(Argument::Number(number)) => Ok(Some(*number)),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a word or the name of a column, if one is given.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, or if the entry has no word of this name.
    pub(crate) fn optional_word(&self, name: &str) -> Result<Option<&str>> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Word(_) | Domain::Column))? {
            Some(Argument::Word(word)) => Ok(Some(word)),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns a list of names, if one is given.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, or if the entry has no list of this name.
    pub fn words(&self, name: &str) -> Result<Option<&[String]>> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Columns))? {
            Some(Argument::Words(words)) => Ok(Some(words)),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns pairs of a value (or column) and its number, if any are given.
    ///
    /// # Errors
    ///
    /// Returns an error if these arguments were not checked, or if the entry has no such values of this name.
    pub fn thresholds(&self, name: &str) -> Result<Option<&[(String, f64)]>> {
        match self.given_in_domain(name, |domain| matches!(domain, Domain::Thresholds | Domain::Each(_)))? {
            Some(Argument::Thresholds(values)) => Ok(Some(values)),
            Some(_) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            None => Ok(None),
        }
    }

    /// Returns the value of a parameter whose domain satisfies `fits`.
    fn given_in_domain(&self, name: &str, fits: impl Fn(&Domain) -> bool) -> Result<Option<&Argument>> {
        let Some(entry) = &self.entry else { return Err(self.argument_error(name, ArgumentFault::Unchecked)) };
        match entry.parameters.iter().find(|parameter| parameter.name == name) {
            None => Err(self.argument_error(name, ArgumentFault::UnknownParameter)),
            Some(parameter) if !fits(&parameter.domain) => Err(self.argument_error(name, ArgumentFault::OtherKind)),
            Some(_) => Ok(self.get(name)),
        }
    }

    fn argument_error(&self, name: &str, fault: ArgumentFault) -> Error {
        let id = self.entry.map(|entry| entry.id.to_owned());
        Error::Argument { id, parameter: name.to_owned(), fault }
    }
}

impl PartialEq for Arguments {
    /// Compares the values, but not the entries that they were checked against.
    fn eq(&self, other: &Arguments) -> bool {
        self.given == other.given
    }
}

fn parameter_error(entry: &Entry, message: String, hint: Option<String>) -> Error {
    Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint }
}

fn check_domain(value: &Argument, domain: &Domain) -> std::result::Result<(), String> {
    let ok = match (value, domain) {
        (Argument::Number(n), Domain::Whole(min)) => n.fract() == 0.0 && *n >= *min as f64 && *n < 9e15,
        (Argument::Number(n), Domain::Number(low, high)) => n >= low && n <= high,
        (Argument::Word(word), Domain::Word(words)) => words.contains(&word.as_str()),
        (Argument::Word(_), Domain::Column) => true,
        (Argument::Words(words), Domain::Columns) => !words.is_empty(),
        (Argument::Thresholds(values), Domain::Thresholds) => {
            !values.is_empty() && values.iter().all(|(_, threshold)| (0.0..=1.0).contains(threshold))
        }
        (Argument::Thresholds(values), Domain::Each(min)) => {
            let fits = |number: f64| number.fract() == 0.0 && number >= *min as f64 && number < 9e15;
            !values.is_empty() && values.iter().all(|(_, number)| fits(*number))
        }
        (Argument::Flag(_), Domain::Flag) => true,
        _ => false,
    };
    if ok { Ok(()) } else { Err(format!("must be: {domain}")) }
}

/// Parses a default value. Returns `None` if the text is not in the domain.
fn default_argument(text: &str, domain: &Domain) -> Option<Argument> {
    let value = match domain {
        Domain::Whole(_) | Domain::Number(..) => Argument::Number(text.parse().ok()?),
        Domain::Flag => Argument::Flag(text.parse().ok()?),
        Domain::Columns => Argument::Words(text.split(',').map(|name| name.trim().to_owned()).collect()),
        Domain::Word(_) | Domain::Column => Argument::Word(text.to_owned()),
        Domain::Thresholds | Domain::Each(_) => return None,
    };
    check_domain(&value, domain).is_ok().then_some(value)
}
