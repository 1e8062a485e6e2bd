//! Resolution of a policy's column names to columns of the joined releases.
//!
//! A population register is background knowledge: its columns are in X, and its people and values are not counted, unless the
//! policy names them as `release.column`.

use std::collections::BTreeMap;

use super::{ColumnRef, Constraint, Counted, Limit};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::Arguments;
use crate::release::Member;
use crate::statement::Parameter;

/// Name in a policy for the people of a release, used in place of a counted column.
pub const PEOPLE: &str = "people";

/// The joined releases.
#[derive(Debug, Clone)]
pub struct JoinScope {
    /// The new release, followed by the earlier ones.
    pub members: Vec<Member>,
}

impl JoinScope {
    /// Columns with this name: `column` in every release that has it, or `release.column` in one release.
    pub fn named(&self, word: &str) -> Vec<ColumnRef> {
        self.named_in(word, |_| true)
    }

    /// Columns with this name whose values are counted or inferred: those of population registers only as `release.column`.
    fn protected(&self, word: &str) -> Vec<ColumnRef> {
        self.named_in(word, |member| !member.population)
    }

    /// Columns named `word` in the chosen releases or, if there are none, the column `release.column`.
    fn named_in(&self, word: &str, chosen: impl Fn(&Member) -> bool) -> Vec<ColumnRef> {
        let columns = self.all(|member, column, _| column == word && chosen(member));
        match columns.is_empty() {
            true => self.all(|member, column, _| is_qualified(word, &member.name, column)),
            false => columns,
        }
    }

    /// Columns that an attacker knows: the named ones, or by default all quasi-identifiers.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments were not checked against an entry with a list of columns of this name.
    pub fn known(&self, arguments: &Arguments, name: &str) -> Result<Vec<ColumnRef>> {
        let mut known = match arguments.words(name)? {
            Some(words) => words.iter().flat_map(|word| self.named(word)).collect(),
            None => self.all(|_, _, role| role == Role::QuasiIdentifier),
        };
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }

    /// The named sensitive column in every release that has it, or by default all sensitive columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments were not checked against an entry with a parameter `sensitive`.
    pub fn sensitive(&self, arguments: &Arguments) -> Result<Vec<ColumnRef>> {
        Ok(match arguments.optional_word("sensitive")? {
            Some(word) => self.protected(word),
            None => self.all(|member, _, role| role == Role::Sensitive && !member.population),
        })
    }

    /// Alternatives for Y. A name that matches several columns yields one alternative per column, which is stricter than
    /// counting the columns jointly.
    pub fn counted(&self, words: &[String]) -> Vec<Vec<Counted>> {
        let mut choices: Vec<Vec<Counted>> = vec![Vec::new()];
        for word in words {
            let named: Vec<Counted> = match self.protected(word).as_slice() {
                [] => self.people_named(word),
                columns => columns.iter().map(|at| Counted::Column(*at)).collect(),
            };
            let with = |choice: &Vec<Counted>, of: &Counted| {
                let mut choice = choice.clone();
                choice.push(*of);
                choice
            };
            choices = choices.iter().flat_map(|choice| named.iter().map(|of| with(choice, of))).collect();
        }
        choices
    }

    /// Constraint on X and Y; `None` if either is empty. Columns of Y are removed from X.
    pub fn constraint(&self, x: &[ColumnRef], y: &[Counted], limit: Limit) -> Option<Constraint> {
        let x: Vec<ColumnRef> = x.iter().copied().filter(|at| !y.contains(&Counted::Column(*at))).collect();
        if x.is_empty() || y.is_empty() {
            return None;
        }
        let on = self.columns_text(&x);
        let counted = match &limit {
            Limit::AtLeast(_) => self.counted_text(y),
            Limit::AtMost(_) | Limit::Distribution(_) => self.inferred_text(y),
        };
        let title = match &limit {
            Limit::AtLeast(least) => format!("at least {least} {counted} on {on}"),
            Limit::AtMost(bounds) => format!("confidence in {counted} {bounds} on {on}"),
            Limit::Distribution(of) => format!("{} of {counted} on {on}", of.title),
        };
        let mut y = y.to_vec();
        y.sort_unstable();
        y.dedup();
        let columns: BTreeMap<String, Parameter> = [
            ("on".to_owned(), Parameter::List(x.iter().map(|at| self.column_text(*at)).collect())),
            ("of".to_owned(), Parameter::Text(counted.clone())),
        ]
        .into();
        Some(Constraint {
            x,
            y,
            limit,
            excuses_earlier: true,
            title: format!("{title}; joined with {}", self.earlier_text()),
            counted,
            required_by: (String::new(), columns),
        })
    }

    /// Column names of Y.
    pub fn names(&self, counted: &[Counted]) -> Vec<String> {
        let name = |of: &Counted| match of {
            Counted::Column(at) => self.members[at.release].columns[at.column].0.clone(),
            Counted::People(_) => PEOPLE.to_owned(),
        };
        counted.iter().map(name).collect()
    }

    /// People of each release, as elements of Y. The people of population registers need no protection.
    pub fn people(&self) -> Vec<Counted> {
        self.people_named(PEOPLE)
    }

    /// Text of several columns.
    pub(crate) fn columns_text(&self, columns: &[ColumnRef]) -> String {
        const MAX_NAMES: usize = 6;
        let names: Vec<String> = columns.iter().map(|at| self.column_text(*at)).collect();
        match names.len() {
            0..=MAX_NAMES => names.join(", "),
            many => format!("{} and {} more columns", names[..MAX_NAMES - 1].join(", "), many - MAX_NAMES + 1),
        }
    }

    /// Text of a column: `release.column`.
    pub(crate) fn column_text(&self, at: ColumnRef) -> String {
        let member = &self.members[at.release];
        format!("{}.{}", member.name, member.columns[at.column].0)
    }

    /// Text of the counted columns and people.
    pub(crate) fn counted_text(&self, counted: &[Counted]) -> String {
        let text = |of: &Counted| match of {
            Counted::Column(at) => format!("values of {}", self.column_text(*at)),
            Counted::People(release) => format!("people of {}", self.members[*release].name),
        };
        counted.iter().map(text).collect::<Vec<_>>().join(" with ")
    }

    /// Text of the columns and people whose inference is bounded.
    fn inferred_text(&self, counted: &[Counted]) -> String {
        let text = |of: &Counted| match of {
            Counted::Column(at) => self.column_text(*at),
            Counted::People(release) => format!("people of {}", self.members[*release].name),
        };
        counted.iter().map(text).collect::<Vec<_>>().join(" with ")
    }

    /// Names of the earlier releases.
    pub(crate) fn earlier_text(&self) -> String {
        let names: Vec<&str> = self.members.iter().skip(1).map(|member| member.name.as_str()).collect();
        names.join(", ")
    }

    fn people_named(&self, word: &str) -> Vec<Counted> {
        let named = |(_, member): &(usize, &Member)| {
            word == PEOPLE && !member.population || is_qualified(word, &member.name, PEOPLE)
        };
        self.members.iter().enumerate().filter(named).map(|(release, _)| Counted::People(release)).collect()
    }

    fn all(&self, chosen: impl Fn(&Member, &str, Role) -> bool) -> Vec<ColumnRef> {
        let mut columns = Vec::new();
        for (release, member) in self.members.iter().enumerate() {
            for (column, (name, role)) in member.columns.iter().enumerate() {
                if chosen(member, name, *role) {
                    columns.push(ColumnRef { release, column });
                }
            }
        }
        columns
    }
}

/// Returns true if `word` is `release.column`.
fn is_qualified(word: &str, release: &str, column: &str) -> bool {
    word.strip_prefix(release).and_then(|rest| rest.strip_prefix('.')) == Some(column)
}
