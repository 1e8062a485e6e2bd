//! The text format of background knowledge: one statement per line.
//!
//! ```text
//! # comments, and empty lines
//! "bob" has diagnosis = HIV
//! "bob" has not diagnosis = HIV
//! 1 of "bob", "eve" have diagnosis = HIV
//! at most 2 of "bob", "eve", "ann" have diagnosis = HIV
//! P(diagnosis = Flu | sex = male) <= 0.3
//! P(diagnosis = Flu) >= 0.1
//! ```

use super::{BackgroundKnowledge, BackgroundStatement, KnownValue};
use crate::data::links::Pseudonym;
use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::ratio::Ratio;

impl BackgroundKnowledge {
    /// Parses background knowledge. `pseudonym_of` returns the pseudonym of a value of the owner column.
    ///
    /// # Errors
    ///
    /// Returns an error with the line number if a line has no known form.
    pub fn parse(text: &str, pseudonym_of: &dyn Fn(&str) -> Pseudonym) -> Result<BackgroundKnowledge> {
        let mut knowledge = BackgroundKnowledge::default();
        // Remove a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // A line can contain personal data, so an error has its number only.
            knowledge.add(line, pseudonym_of).ok_or_else(|| not_understood(at + 1))?;
        }
        Ok(knowledge)
    }

    fn add(&mut self, line: &str, pseudonym_of: &dyn Fn(&str) -> Pseudonym) -> Option<()> {
        if let Some(rest) = line.strip_prefix("P(") {
            self.statements.push(proportion(rest)?);
            return Some(());
        }
        let (bound, rest) = bounds(line);
        let (names, rest) = quoted_names(rest)?;
        let number = names.len() as u64;
        let people: Vec<Pseudonym> = names.iter().map(|name| pseudonym_of(name)).collect();
        let twice = (1..people.len()).any(|at| people[..at].contains(&people[at]));
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("have ").or_else(|| rest.strip_prefix("has "))?.trim_start();
        let (has, rest) = rest.strip_prefix("not ").map_or((true, rest), |rest| (false, rest));
        let (column, value) = equation(rest)?;
        match (bound, people.as_slice()) {
            (None, [person]) => self.known.push(KnownValue { person: *person, column, value, has }),
            (Some((lower, upper)), _) if has && lower <= number && !twice => {
                let upper = upper.unwrap_or(number).min(number);
                self.statements.push(BackgroundStatement::Count { people, column, value, lower, upper });
            }
            _ => return None,
        }
        Some(())
    }
}

/// Parses `1 of`, `at least 1 of` or `at most 1 of`. Returns the bounds and the rest of the line.
fn bounds(line: &str) -> (Option<(u64, Option<u64>)>, &str) {
    let parsed = |rest: &'static str| line.strip_prefix(rest).and_then(number_of);
    if let Some((number, rest)) = parsed("at least ") {
        return (Some((number, None)), rest);
    }
    if let Some((number, rest)) = parsed("at most ") {
        return (Some((0, Some(number))), rest);
    }
    match number_of(line) {
        Some((number, rest)) => (Some((number, Some(number))), rest),
        None => (None, line),
    }
}

fn number_of(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.split_once(" of ")?;
    Some((number.trim().parse().ok()?, rest.trim_start()))
}

/// Parses quoted names separated by commas, and returns them with the rest. A quote within a name is doubled.
fn quoted_names(mut text: &str) -> Option<(Vec<String>, &str)> {
    let mut names = Vec::new();
    loop {
        text = text.trim_start().strip_prefix('"')?;
        let mut name = String::new();
        loop {
            let end = text.find('"')?;
            name.push_str(&text[..end]);
            text = &text[end + 1..];
            match text.strip_prefix('"') {
                Some(rest) => {
                    name.push('"');
                    text = rest;
                }
                None => break,
            }
        }
        names.push(name);
        match text.trim_start().strip_prefix(',') {
            Some(rest) => text = rest,
            None => return Some((names, text)),
        }
    }
}

/// Parses `column = value`.
fn equation(text: &str) -> Option<(String, String)> {
    let (column, value) = text.split_once('=')?;
    let (column, value) = (column.trim(), value.trim());
    // A value may be quoted.
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    (!column.is_empty() && !value.is_empty()).then(|| (column.to_owned(), value.to_owned()))
}

/// Parses the rest of a line after `P(`.
fn proportion(text: &str) -> Option<BackgroundStatement> {
    let (inside, bound) = text.rsplit_once(')')?;
    let (event, condition) = match inside.split_once('|') {
        Some((event, condition)) => (event, Some(equation(condition)?)),
        None => (inside, None),
    };
    let (column, value) = equation(event)?;
    let bound = bound.trim();
    let number = |text: &str| Ratio::from_decimal(text.trim().parse().ok()?).filter(|ratio| *ratio <= Ratio::new(1, 1));
    let (lower, upper) = if let Some(upper) = bound.strip_prefix("<=") {
        (Ratio::new(0, 1), number(upper)?)
    } else if let Some(lower) = bound.strip_prefix(">=") {
        (number(lower)?, Ratio::new(1, 1))
    } else {
        let both = number(bound.strip_prefix('=')?)?;
        (both, both)
    };
    Some(BackgroundStatement::Proportion { column, value, condition, lower, upper })
}

fn not_understood(line: usize) -> Error {
    Obstacle::BackgroundKnowledgeInvalid { fault: KnowledgeFault::NotUnderstood { line } }.into()
}
