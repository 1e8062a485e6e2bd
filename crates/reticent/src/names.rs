//! Names and numbers that a caller gives, valid by their types: recipients, releases, confidence bounds, days, reasons.
//!
//! `Recipient::new("Press")` and `Recipient::new("press ")` are the same recipient, and `"Public"` is [`PUBLIC`], whichever
//! interface the name comes from.

use std::fmt;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::recipients::{NAME_RULE, PUBLIC, folded, is_name};
use crate::scalar::parse_date;
use crate::share::Share;

/// The error for a text that a caller gave for something.
fn invalid(what: &'static str, given: &str, rule: &str) -> Error {
    Error::Name { what, given: given.to_owned(), rule: rule.to_owned() }
}

/// A text that fits [`NAME_RULE`], without the spaces around it.
fn name(what: &'static str, text: &str) -> Result<String> {
    let name = text.trim();
    if is_name(name) { Ok(name.to_owned()) } else { Err(invalid(what, text, NAME_RULE)) }
}

/// A recipient of releases. Case and surrounding spaces do not matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Recipient(String);

impl Recipient {
    /// The recipient of this name.
    ///
    /// # Errors
    ///
    /// If the text is no name (`NAME_RULE`).
    pub fn new(text: &str) -> Result<Recipient> {
        Ok(Recipient(folded(&name("recipient", text)?)))
    }

    /// Everybody.
    pub fn public() -> Recipient {
        Recipient(PUBLIC.to_owned())
    }

    /// The name, folded.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a release. It is never only digits: it could be taken for a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ReleaseName(String);

impl ReleaseName {
    /// The name of a release.
    ///
    /// # Errors
    ///
    /// If the text is no name (`NAME_RULE`), or only digits.
    pub fn new(text: &str) -> Result<ReleaseName> {
        let name = name("release name", text)?;
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let rule = "a release's name is not only digits: it could be taken for its number";
            return Err(invalid("release name", text, rule));
        }
        Ok(ReleaseName(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReleaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A bound on the posterior probability of a sensitive value: above 0, at most 1, and exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    decimal: f64,
    exact: Share,
}

impl Confidence {
    /// The bound that a person wrote as a decimal.
    ///
    /// # Errors
    ///
    /// If it is not above 0 and at most 1, or has too many digits to be compared exactly.
    pub fn new(decimal: f64) -> Result<Confidence> {
        if !(decimal > 0.0 && decimal <= 1.0) {
            return Err(invalid("confidence", &decimal.to_string(), "must be above 0 and up to 1"));
        }
        let digits = || {
            let rule = "the confidence has too many digits to be compared exactly; round it";
            invalid("confidence", &decimal.to_string(), rule)
        };
        Ok(Confidence { decimal, exact: Share::from_decimal(decimal).ok_or_else(digits)? })
    }

    /// As the decimal that was written.
    pub fn decimal(self) -> f64 {
        self.decimal
    }

    /// As an exact ratio.
    pub fn exact(self) -> Share {
        self.exact
    }
}

/// A day, as `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(String);

impl Day {
    /// The day that a text names.
    ///
    /// # Errors
    ///
    /// If the text is no day in this form.
    pub fn new(text: &str) -> Result<Day> {
        let day = parse_date(text).filter(|_| text.trim().len() == 10);
        day.map(|_| Day(text.trim().to_owned())).ok_or_else(|| invalid("day", text, "write a day as YYYY-MM-DD"))
    }

    /// As `YYYY-MM-DD`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why the contents of a release are erased: one line that the ledger keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeReason(String);

impl PurgeReason {
    /// The reason that a caller gives.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 200 characters, or more than one line.
    pub fn new(text: &str) -> Result<PurgeReason> {
        let reason = text.trim();
        let fits = !reason.is_empty() && reason.chars().count() <= 200 && !reason.chars().any(char::is_control);
        let rule = "write one line of at most 200 characters";
        if fits { Ok(PurgeReason(reason.to_owned())) } else { Err(invalid("reason", "", rule)) }
    }

    /// The reason.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
