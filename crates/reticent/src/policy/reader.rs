//! Access to the values of a TOML document with their line numbers.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::draft::toml_key;
use super::keys::{KeyShape, PolicyKey, renamed, table_of_key};
use crate::catalogue::suggest;
use crate::error::{Error, Result, did_you_mean};
use crate::registry::Kind;

/// A value of the document with its line and path.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub value: &'a DeValue<'a>,
    /// Line number, from 1.
    pub line: usize,
    /// Full path of the value, for example `columns.age.role`.
    pub path: String,
    /// Last part of the path, without quotes.
    pub name: &'a str,
    /// Offsets of the line breaks.
    breaks: &'a [usize],
}

/// Parses a document and passes its root table to `read`.
pub(super) fn with_document<T>(text: &str, read: impl FnOnce(&Item<'_>) -> Result<T>) -> Result<T> {
    let breaks: Vec<usize> = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| line_of(&breaks, span.start));
        Error::policy(line, error.message().trim().replace('\n', ", "))
    })?;
    let top = DeValue::Table(table.into_inner());
    read(&Item { value: &top, line: 1, path: String::new(), name: "", breaks: &breaks })
}

fn line_of(breaks: &[usize], offset: usize) -> usize {
    1 + breaks.partition_point(|at| *at < offset)
}

impl<'a> Item<'a> {
    /// Returns an error about this value.
    pub(super) fn wrong(&self, message: impl AsRef<str>) -> Error {
        Error::policy(Some(self.line), format!("`{}` {}", self.path, message.as_ref()))
    }

    /// Returns an error about this value with a hint.
    pub(super) fn wrong_hint(&self, message: &str, hint: Option<String>) -> Error {
        Error::Policy { line: Some(self.line), message: format!("`{}` {message}", self.path), hint }
    }

    /// Returns the entries of a table in document order.
    pub(super) fn entries(&self) -> Result<Vec<Item<'a>>> {
        let DeValue::Table(table) = self.value else { return Err(self.must_be("a table")) };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries.into_iter().map(|(key, value)| self.entry(key.get_ref(), key.span().start, value)).collect())
    }

    fn entry(&self, name: &'a str, key_at: usize, value: &'a Spanned<DeValue<'a>>) -> Item<'a> {
        // The span of a table can start at the header of another table; the span of its key cannot.
        let at = if value.get_ref().is_table() { key_at } else { value.span().start };
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{}", self.path, toml_key(name));
        Item { value: value.get_ref(), line: line_of(self.breaks, at), path, name, breaks: self.breaks }
    }

    /// Returns the items of an array.
    pub(super) fn items(&self) -> Result<Vec<Item<'a>>> {
        let DeValue::Array(array) = self.value else { return Err(self.must_be("a list, in [ ]")) };
        let item = |value: &'a Spanned<DeValue<'a>>| Item {
            value: value.get_ref(),
            line: line_of(self.breaks, value.span().start),
            path: self.path.clone(),
            name: self.name,
            breaks: self.breaks,
        };
        Ok(array.iter().map(item).collect())
    }

    /// Returns the table after checking its keys and the shapes of its values against the list.
    pub(super) fn table(&self, keys: &'static [PolicyKey]) -> Result<TableReader<'a>> {
        let entries = self.entries()?;
        for entry in &entries {
            let Some(key) = keys.iter().find(|key| key.name == entry.name) else {
                return Err(unknown_key(entry, keys));
            };
            entry.check(key.shape)?;
        }
        Ok(TableReader { entries })
    }

    fn check(&self, shape: KeyShape) -> Result<()> {
        match shape {
            KeyShape::Text | KeyShape::Algorithm | KeyShape::Method | KeyShape::Preset => self.text().map(drop),
            KeyShape::Texts => self.texts().map(drop),
            KeyShape::Flag => self.flag().map(drop),
            KeyShape::Word(words) => self.one_of(words).map(drop),
            KeyShape::Whole(least) => self.whole(least).map(drop),
            KeyShape::Share { zero, one } => self.share(zero, one).map(drop),
            KeyShape::AboveZero => self.above_zero().map(drop),
            KeyShape::Groups => self.groups().map(drop),
            KeyShape::Levels | KeyShape::Range | KeyShape::Models | KeyShape::Pairs => self.items().map(drop),
            KeyShape::Table(_) | KeyShape::Named(_) | KeyShape::Options => self.entries().map(drop),
            // A string or a table, checked when it is read.
            KeyShape::Purpose => Ok(()),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        match self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.must_be("a text, in quotes")),
        }
    }

    pub(super) fn texts(&self) -> Result<Vec<String>> {
        let mut texts: Vec<String> = Vec::new();
        for item in self.items()? {
            let text = item.text()?;
            if texts.iter().any(|known| known == text) {
                return Err(item.wrong(format!("lists {text:?} twice")));
            }
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// Returns the groups of names: one for a flat list, one per inner list for a nested list.
    pub(super) fn groups(&self) -> Result<Vec<Vec<String>>> {
        let items = self.items()?;
        let nested = items.iter().any(|item| matches!(item.value, DeValue::Array(_)));
        let groups = if nested { items.iter().map(Item::texts).collect::<Result<_>>()? } else { vec![self.texts()?] };
        Ok(groups)
    }

    pub(super) fn flag(&self) -> Result<bool> {
        match self.value {
            DeValue::Boolean(flag) => Ok(*flag),
            _ => Err(self.must_be("true or false, without quotes")),
        }
    }

    pub(super) fn one_of(&self, words: &[&str]) -> Result<&'a str> {
        self.word_of(words, |_| None)
    }

    /// Returns the id of a catalogue entry.
    pub(super) fn listed(&self, kind: Kind, ids: &[&str]) -> Result<&'a str> {
        self.word_of(ids, |word| suggest(kind, word))
    }

    fn word_of(&self, words: &[&str], meant: impl Fn(&str) -> Option<String>) -> Result<&'a str> {
        let word = self.text()?;
        if words.contains(&word) {
            return Ok(word);
        }
        let message = format!("is {word:?}, and must be one of: {}", words.join(", "));
        Err(self.wrong_hint(&message, meant(word).or_else(|| did_you_mean(word, words.iter().copied()))))
    }

    /// Returns a finite number.
    pub(super) fn number(&self) -> Result<f64> {
        let number = match self.value {
            DeValue::Integer(whole) => {
                i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|whole| whole as f64)
            }
            DeValue::Float(float) => float.as_str().parse().ok().filter(|float: &f64| float.is_finite()),
            _ => return Err(self.must_be("a number, without quotes")),
        };
        // Adding 0.0 turns minus zero into zero.
        number.map(|number| number + 0.0).ok_or_else(|| self.must_be("a finite number"))
    }

    pub(super) fn whole(&self, least: u64) -> Result<u64> {
        let whole = match self.value {
            DeValue::Integer(whole) => u64::from_str_radix(whole.as_str(), whole.radix()).ok(),
            _ => None,
        };
        let most = i64::MAX as u64;
        whole
            .filter(|whole| (least..=most).contains(whole))
            .ok_or_else(|| self.must_be(&format!("a whole number, at least {least}")))
    }

    /// Returns a finite number above 0.
    pub(super) fn above_zero(&self) -> Result<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.must_be("a number above 0")) }
    }

    pub(super) fn share(&self, zero: bool, one: bool) -> Result<f64> {
        let share = self.number()?;
        let inside = share > 0.0 && share < 1.0 || share == 0.0 && zero || share == 1.0 && one;
        let low = if zero { "from 0" } else { "above 0" };
        let high = if one { "up to 1" } else { "below 1" };
        if inside { Ok(share) } else { Err(self.must_be(&format!("a number {low} and {high}"))) }
    }

    /// Returns the error for a value of the wrong type.
    pub(super) fn must_be(&self, what: &str) -> Error {
        let is = match self.value {
            DeValue::String(_) => "a text",
            DeValue::Integer(number) => &format!("{number}"),
            DeValue::Float(number) => &format!("{number}"),
            DeValue::Boolean(flag) => &format!("{flag}"),
            DeValue::Datetime(_) => "a date without quotes",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.wrong(format!("is {is}, and must be {what}"))
    }
}

fn unknown_key(entry: &Item<'_>, keys: &[PolicyKey]) -> Error {
    let renamed = renamed(entry.name).filter(|new| keys.iter().any(|key| key.name == *new));
    if let Some(new) = renamed {
        return entry
            .wrong_hint(&format!("is now called `{new}`"), Some(format!("write `{new}` instead of `{}`", entry.name)));
    }
    let hint = match table_of_key(entry.name) {
        Some(home) => Some(format!("it belongs under [{home}]")),
        None => did_you_mean(entry.name, keys.iter().map(|key| key.name)),
    };
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    entry.wrong_hint(&format!("is not a policy key; valid keys here: {}", names.join(", ")), hint)
}

/// A table whose keys and value shapes have been checked.
#[derive(Debug, Default)]
pub(super) struct TableReader<'a> {
    entries: Vec<Item<'a>>,
}

impl<'a> TableReader<'a> {
    /// Returns the value of a key, if present.
    pub(super) fn get(&self, name: &str) -> Option<&Item<'a>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns the string value of a key, if present.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.text().ok().map(str::to_owned)
    }

    /// Returns the enum value of a key, if present.
    pub(super) fn word<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.text(name)?.into()).ok()
    }

    /// Returns the line of a key, if present.
    pub(super) fn line(&self, name: &str) -> Option<usize> {
        self.get(name).map(|item| item.line)
    }
}
