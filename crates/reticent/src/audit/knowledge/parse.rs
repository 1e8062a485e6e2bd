//! Background knowledge as it is written: one statement a line.
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

use super::{Knowledge, Known, Statement};
use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::links::Pseudonym;
use crate::share::Share;

impl Knowledge {
    /// Reads statements; `called` is the pseudonym of a person, from the text of the owner column.
    pub fn parse(text: &str, called: &dyn Fn(&str) -> Pseudonym) -> Result<Knowledge> {
        let mut knowledge = Knowledge::default();
        // Some programs mark a text as one.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // A line may name people and what they have: an error shows its number only.
            knowledge.add(line, called).ok_or_else(|| wrong(at + 1))?;
        }
        Ok(knowledge)
    }

    fn add(&mut self, line: &str, called: &dyn Fn(&str) -> Pseudonym) -> Option<()> {
        if let Some(rest) = line.strip_prefix("P(") {
            self.statements.push(share(rest)?);
            return Some(());
        }
        let (bound, rest) = bounds(line);
        let (who, rest) = names(rest)?;
        let people = who.len() as u64;
        let who: Vec<Pseudonym> = who.iter().map(|name| called(name)).collect();
        let twice = (1..who.len()).any(|at| who[..at].contains(&who[at]));
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("have ").or_else(|| rest.strip_prefix("has "))?.trim_start();
        let (has, rest) = rest.strip_prefix("not ").map_or((true, rest), |rest| (false, rest));
        let (column, value) = equation(rest)?;
        match (bound, who.as_slice()) {
            (None, [who]) => self.known.push(Known { who: *who, column, value, has }),
            (Some((least, most)), _) if has && least <= people && !twice => {
                let most = most.unwrap_or(people).min(people);
                self.statements.push(Statement::Among { who, column, value, least, most });
            }
            _ => return None,
        }
        Some(())
    }
}

/// `1 of`, `at least 1 of`, `at most 1 of`: the bounds, and what follows.
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

/// Names in quotes, separated by commas; a quote in a name is written twice.
fn names(mut text: &str) -> Option<(Vec<String>, &str)> {
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

/// `column = value`.
fn equation(text: &str) -> Option<(String, String)> {
    let (column, value) = text.split_once('=')?;
    let (column, value) = (column.trim(), value.trim());
    // A value may stand in quotes, as names do.
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    (!column.is_empty() && !value.is_empty()).then(|| (column.to_owned(), value.to_owned()))
}

/// What follows `P(`.
fn share(text: &str) -> Option<Statement> {
    let (inside, bound) = text.rsplit_once(')')?;
    let (what, among) = match inside.split_once('|') {
        Some((what, among)) => (what, Some(equation(among)?)),
        None => (inside, None),
    };
    let (column, value) = equation(what)?;
    let bound = bound.trim();
    let number = |text: &str| Share::from_decimal(text.trim().parse().ok()?).filter(|share| *share <= Share::new(1, 1));
    let (least, most) = if let Some(most) = bound.strip_prefix("<=") {
        (Share::new(0, 1), number(most)?)
    } else if let Some(least) = bound.strip_prefix(">=") {
        (number(least)?, Share::new(1, 1))
    } else {
        let both = number(bound.strip_prefix('=')?)?;
        (both, both)
    };
    Some(Statement::Share { column, value, among, least, most })
}

fn wrong(line: usize) -> Error {
    Obstacle::BackgroundKnowledgeInvalid { fault: KnowledgeFault::NotUnderstood { line } }.into()
}
