//! Validated input types: recipients, release names, confidence bounds, days and purge reasons.
//!
//! Names of recipients ignore case and surrounding spaces: `Recipient::new("Press")` equals `Recipient::new("press ")`, and
//! `"Public"` is [`PUBLIC`].

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::ratio::Ratio;
use crate::release::recipients::{NAME_RULE, PUBLIC, folded, is_name};
use crate::scalar::parse_date;

/// Returns the error for an invalid text.
fn invalid(what: &'static str, given: &str, rule: &str) -> Error {
    Error::Name { what, given: given.to_owned(), rule: rule.to_owned() }
}

/// Returns the text without surrounding spaces if it satisfies [`NAME_RULE`].
fn name(what: &'static str, text: &str) -> Result<String> {
    let name = text.trim();
    if is_name(name) { Ok(name.to_owned()) } else { Err(invalid(what, text, NAME_RULE)) }
}

/// A recipient of releases. Case and surrounding spaces are ignored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Recipient(String);

impl Recipient {
    /// Creates a recipient from its name.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a valid name (`NAME_RULE`).
    pub fn new(text: &str) -> Result<Recipient> {
        Ok(Recipient(folded(&name("recipient", text)?)))
    }

    /// Returns the public: a release to it is available to all recipients.
    pub fn public() -> Recipient {
        Recipient(PUBLIC.to_owned())
    }

    /// Returns the name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a release. A name of digits only is invalid, because it could be confused with a release number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ReleaseName(String);

impl ReleaseName {
    /// Creates a release name.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a valid name (`NAME_RULE`) or consists of digits only.
    pub fn new(text: &str) -> Result<ReleaseName> {
        let name = name("release name", text)?;
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let rule =
                "a release name must not consist of digits only, because it could be confused with a release number";
            return Err(invalid("release name", text, rule));
        }
        Ok(ReleaseName(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReleaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An exact upper bound on the posterior probability of a sensitive value, above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    decimal: f64,
    exact: Ratio,
}

impl Confidence {
    /// Creates a bound from a decimal number.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is not above 0 and at most 1, or has too many digits for exact comparison.
    pub fn new(decimal: f64) -> Result<Confidence> {
        if !(decimal > 0.0 && decimal <= 1.0) {
            return Err(invalid("confidence", &decimal.to_string(), "must be above 0 and up to 1"));
        }
        let digits = || {
            let rule = "has too many digits for exact comparison; round it";
            invalid("confidence", &decimal.to_string(), rule)
        };
        Ok(Confidence { decimal, exact: Ratio::from_decimal(decimal).ok_or_else(digits)? })
    }

    /// Returns the bound as the decimal from which it was created.
    pub fn decimal(self) -> f64 {
        self.decimal
    }

    /// Returns the bound as an exact ratio.
    pub fn exact(self) -> Ratio {
        self.exact
    }
}

/// A calendar day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(String);

impl Day {
    /// Parses a day of the form `YYYY-MM-DD`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a valid day of this form.
    pub fn new(text: &str) -> Result<Day> {
        let day = parse_date(text).filter(|_| text.trim().len() == 10);
        day.map(|_| Day(text.trim().to_owned())).ok_or_else(|| invalid("day", text, "write a day as YYYY-MM-DD"))
    }

    /// Returns the day as `YYYY-MM-DD`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reason for a correction or an erasure, as one line of text that the ledger keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryReason(String);

impl EntryReason {
    /// Creates a reason.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is empty, longer than 200 characters, or has more than one line.
    pub fn new(text: &str) -> Result<EntryReason> {
        let reason = text.trim();
        let fits = !reason.is_empty() && reason.chars().count() <= 200 && !reason.chars().any(char::is_control);
        let rule = "write one line of at most 200 characters";
        if fits { Ok(EntryReason(reason.to_owned())) } else { Err(invalid("reason", "", rule)) }
    }

    /// Returns the reason.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Deserializes validated types by their constructors.
macro_rules! deserialize {
    ($($type:ident from $given:ty: $new:expr),+ $(,)?) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<$type, D::Error> {
                $new(&<$given>::deserialize(from)?).map_err(D::Error::custom)
            }
        }
    )+};
}

deserialize! {
    Recipient from String: |text: &String| Recipient::new(text),
    ReleaseName from String: |text: &String| ReleaseName::new(text),
    Confidence from f64: |decimal: &f64| Confidence::new(*decimal),
    Day from String: |text: &String| Day::new(text),
    EntryReason from String: |text: &String| EntryReason::new(text),
}
