//! From the words of a policy to columns of the releases that are joined.

use std::collections::BTreeMap;

use super::{At, Of, Rule, Statement};
use crate::error::Result;
use crate::registry::Arguments;
use crate::release::Member;
use crate::schema::Role;
use crate::statement::Parameter;

/// How a policy names the people of a release among the columns that are counted.
pub const PEOPLE: &str = "people";

/// The releases that are joined: the new one, and then the earlier ones.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The releases.
    pub members: Vec<Member>,
}

impl Scope {
    /// The columns that a word names: `column` in every release that has it, `release.column` in one.
    pub fn named(&self, word: &str) -> Vec<At> {
        let mut found = self.all(|_, column, _| column == word);
        if found.is_empty() {
            found = self.all(|release, column, _| is_of(word, release, column));
        }
        found
    }

    /// The columns that an attacker knows: those named, or every quasi-identifier of every release.
    ///
    /// # Errors
    ///
    /// Fails if the arguments were not checked against an entry with a list of columns of this name.
    pub fn known(&self, arguments: &Arguments, name: &str) -> Result<Vec<At>> {
        let mut known = match arguments.words(name)? {
            Some(words) => words.iter().flat_map(|word| self.named(word)).collect(),
            None => self.all(|_, _, role| role == Role::QuasiIdentifier),
        };
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }

    /// The sensitive column that is named, in every release that has it, or every sensitive column.
    ///
    /// # Errors
    ///
    /// Fails if the arguments were not checked against an entry with a parameter `sensitive`.
    pub fn sensitive(&self, arguments: &Arguments) -> Result<Vec<At>> {
        Ok(match arguments.optional_word("sensitive")? {
            Some(word) => self.named(word),
            None => self.all(|_, _, role| role == Role::Sensitive),
        })
    }

    /// What is counted together. A word that names several columns names each in turn, which demands more than counting
    /// them together would: so there is one list for every choice.
    pub fn counted(&self, words: &[String]) -> Vec<Vec<Of>> {
        let mut choices: Vec<Vec<Of>> = vec![Vec::new()];
        for word in words {
            let named: Vec<Of> = match self.named(word).as_slice() {
                [] => self.people_named(word),
                columns => columns.iter().map(|at| Of::Column(*at)).collect(),
            };
            let with = |choice: &Vec<Of>, of: &Of| {
                let mut choice = choice.clone();
                choice.push(*of);
                choice
            };
            choices = choices.iter().flat_map(|choice| named.iter().map(|of| with(choice, of))).collect();
        }
        choices
    }

    /// The demand that links what is known with what is counted; none where these releases have nothing of either. What is
    /// counted is not known.
    pub fn statement(&self, x: &[At], y: &[Of], rule: Rule) -> Option<Statement> {
        let x: Vec<At> = x.iter().copied().filter(|at| !y.contains(&Of::Column(*at))).collect();
        if x.is_empty() || y.is_empty() {
            return None;
        }
        let on = self.columns_text(&x);
        let counted = match &rule {
            Rule::AtLeast(_) => self.counted_text(y),
            Rule::AtMost(_) => self.inferred_text(y),
        };
        let title = match &rule {
            Rule::AtLeast(least) => format!("at least {least} {counted} on {on}"),
            Rule::AtMost(bounds) => format!("confidence in {counted} {bounds} on {on}"),
        };
        let mut y = y.to_vec();
        y.sort_unstable();
        y.dedup();
        let columns: BTreeMap<String, Parameter> = [
            ("on".to_owned(), Parameter::List(x.iter().map(|at| self.column_text(*at)).collect())),
            ("of".to_owned(), Parameter::Text(counted.clone())),
        ]
        .into();
        Some(Statement {
            x,
            y,
            rule,
            title: format!("{title}; joined with {}", self.earlier_text()),
            counted,
            demanded_by: (String::new(), columns),
        })
    }

    /// The names of the columns that are counted.
    pub fn names(&self, counted: &[Of]) -> Vec<String> {
        let name = |of: &Of| match of {
            Of::Column(at) => self.members[at.release].columns[at.column].0.clone(),
            Of::People(_) => PEOPLE.to_owned(),
        };
        counted.iter().map(name).collect()
    }

    /// The people of each release.
    pub fn people(&self) -> Vec<Of> {
        (0..self.members.len()).map(Of::People).collect()
    }

    /// The columns in words.
    pub(crate) fn columns_text(&self, columns: &[At]) -> String {
        const SHOWN: usize = 6;
        let names: Vec<String> = columns.iter().map(|at| self.column_text(*at)).collect();
        match names.len() {
            0..=SHOWN => names.join(", "),
            many => format!("{} and {} more columns", names[..SHOWN - 1].join(", "), many - SHOWN + 1),
        }
    }

    /// A column in words.
    pub(crate) fn column_text(&self, at: At) -> String {
        let member = &self.members[at.release];
        format!("{}.{}", member.name, member.columns[at.column].0)
    }

    /// What is counted, in words.
    pub(crate) fn counted_text(&self, counted: &[Of]) -> String {
        let text = |of: &Of| match of {
            Of::Column(at) => format!("values of {}", self.column_text(*at)),
            Of::People(release) => format!("people of {}", self.members[*release].name),
        };
        counted.iter().map(text).collect::<Vec<_>>().join(" with ")
    }

    /// What must not be inferred, in words.
    fn inferred_text(&self, counted: &[Of]) -> String {
        let text = |of: &Of| match of {
            Of::Column(at) => self.column_text(*at),
            Of::People(release) => format!("people of {}", self.members[*release].name),
        };
        counted.iter().map(text).collect::<Vec<_>>().join(" with ")
    }

    /// The earlier releases in words.
    pub(crate) fn earlier_text(&self) -> String {
        let names: Vec<&str> = self.members.iter().skip(1).map(|member| member.name.as_str()).collect();
        names.join(", ")
    }

    fn people_named(&self, word: &str) -> Vec<Of> {
        let named = |(_, member): &(usize, &Member)| word == PEOPLE || is_of(word, &member.name, PEOPLE);
        self.members.iter().enumerate().filter(named).map(|(release, _)| Of::People(release)).collect()
    }

    fn all(&self, chosen: impl Fn(&str, &str, Role) -> bool) -> Vec<At> {
        let mut found = Vec::new();
        for (release, member) in self.members.iter().enumerate() {
            for (column, (name, role)) in member.columns.iter().enumerate() {
                if chosen(&member.name, name, *role) {
                    found.push(At { release, column });
                }
            }
        }
        found
    }
}

/// Whether a word is `release.column`.
fn is_of(word: &str, release: &str, column: &str) -> bool {
    word.strip_prefix(release).and_then(|rest| rest.strip_prefix('.')) == Some(column)
}
