//! Recipients: who can put what they hold together, and who never does.
//!
//! By default everybody can. A policy may declare recipients *separate*: what one of them holds and what another holds never
//! come into the same hands. A *coalition* is a set of recipients of whom no two are separate; an attacker holds what one
//! coalition got, and what is public.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// The recipient that stands for everybody: what is released to it, all others hold too.
pub const PUBLIC: &str = "public";

/// What recipients and releases may be called.
pub const NAME_RULE: &str =
    "a name has letters, digits, `-`, `_`, `.`, `@` and single spaces between them, and at most 80 of these";

/// Whether a text can be the name of a recipient or a release.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || "-_.@ ".contains(letter);
    let spaced = name.starts_with(' ') || name.ends_with(' ') || name.contains("  ");
    !name.is_empty() && name.chars().count() <= 80 && name.chars().all(fits) && !spaced
}

/// More coalitions than this are not listed.
pub const MOST_COALITIONS: usize = 1024;

/// Who never combines what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Separate {
    /// Of each of these, no two members combine.
    pub groups: Vec<Vec<String>>,
}

impl Separate {
    /// Whether two recipients can combine what they hold.
    pub fn can_combine(&self, one: &str, other: &str) -> bool {
        let both =
            |group: &&Vec<String>| group.iter().any(|name| name == one) && group.iter().any(|name| name == other);
        one == other || !self.groups.iter().any(|group| both(&group))
    }

    /// The largest coalitions that have one of these recipients in them. `known` are all recipients there are.
    pub fn coalitions(&self, known: &BTreeSet<String>, of: &[String]) -> Result<Vec<BTreeSet<String>>> {
        let mut all: BTreeSet<String> = known.clone();
        all.extend(of.iter().cloned());
        // Who is separate from nobody belongs to every coalition, and need not be searched for.
        let (bound, free): (Vec<String>, Vec<String>) =
            all.iter().cloned().partition(|one| all.iter().any(|other| !self.can_combine(one, other)));
        let mut found = Vec::new();
        self.grow(&mut Vec::new(), &bound, &[], &mut found)?;
        let free: BTreeSet<String> = free.into_iter().collect();
        let whole = found.into_iter().map(|coalition| free.iter().cloned().chain(coalition).collect::<BTreeSet<_>>());
        let everybody = of.iter().any(|name| name == PUBLIC);
        Ok(whole.filter(|coalition| everybody || of.iter().any(|name| coalition.contains(name))).collect())
    }

    /// Bron and Kerbosch's search for the largest sets without a separate pair: `with` can still join, `without` were
    /// tried before.
    fn grow(
        &self,
        coalition: &mut Vec<String>,
        with: &[String],
        without: &[String],
        found: &mut Vec<BTreeSet<String>>,
    ) -> Result<()> {
        if with.is_empty() {
            if without.is_empty() {
                found.push(coalition.iter().cloned().collect());
            }
            if found.len() > MOST_COALITIONS {
                let why = format!("they make more than {MOST_COALITIONS} coalitions; declare fewer of them separate");
                return Err(Error::CannotCheck { what: "what recipients can combine".to_owned(), why });
            }
            return Ok(());
        }
        let mut without = without.to_vec();
        for (at, next) in with.iter().enumerate() {
            let joins = |name: &&String| self.can_combine(name, next);
            let with: Vec<String> = with[at + 1..].iter().filter(joins).cloned().collect();
            let tried: Vec<String> = without.iter().filter(joins).cloned().collect();
            coalition.push(next.clone());
            self.grow(coalition, &with, &tried, found)?;
            coalition.pop();
            without.push(next.clone());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
