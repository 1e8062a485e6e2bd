//! Recipients: who can put what they hold together, and who never does.
//!
//! By default everybody can. A policy may declare recipients *separate*: what one of them holds and what another holds never
//! come into the same hands. A *coalition* is a set of recipients of whom no two are separate; an attacker holds what one
//! coalition got, and what is public.

use std::collections::{BTreeSet, HashMap};

use crate::error::{Obstacle, Result};

/// The recipient that stands for everybody: what is released to it, all others hold too.
pub const PUBLIC: &str = "public";

/// What recipients and releases may be called.
pub(crate) const NAME_RULE: &str =
    "a name has letters, digits, `-`, `_`, `.`, `@` and single spaces between them, and at most 80 of these";

/// Whether a text can be the name of a recipient or a release.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || "-_.@ ".contains(letter);
    let spaced = name.starts_with(' ') || name.ends_with(' ') || name.contains("  ");
    !name.is_empty() && name.chars().count() <= 80 && name.chars().all(fits) && !spaced
}

/// A recipient's name as it is compared: however it is written, it is the same one.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// More coalitions than this are not listed.
pub(crate) const MOST_COALITIONS: usize = 1024;
/// Nor is longer searched for them.
const MOST_STEPS: usize = 100_000;

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
        let place: HashMap<&str, usize> = all.iter().map(String::as_str).zip(0..).collect();
        let mut apart: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
        for group in &self.groups {
            let members: BTreeSet<usize> = group.iter().filter_map(|name| place.get(name.as_str()).copied()).collect();
            for member in &members {
                apart[*member].extend(members.iter().filter(|other| *other != member));
            }
        }
        // Who is separate from nobody belongs to every coalition, and need not be searched for.
        let (bound, free): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| !apart[*at].is_empty());
        let mut search = Search { apart: &apart, found: Vec::new(), steps: 0 };
        search.grow(&mut Vec::new(), &bound, &[])?;
        let names: Vec<&String> = all.iter().collect();
        let named = |members: Vec<usize>| -> BTreeSet<String> {
            members.iter().chain(&free).map(|at| names[*at].clone()).collect()
        };
        let everybody = of.iter().any(|name| name == PUBLIC);
        let concerned = |coalition: &BTreeSet<String>| everybody || of.iter().any(|name| coalition.contains(name));
        Ok(search.found.into_iter().map(named).filter(concerned).collect())
    }
}

/// The largest sets without two that are apart, where `apart` says of each from which others it is.
pub(crate) fn largest(apart: &[BTreeSet<usize>]) -> Result<Vec<Vec<usize>>> {
    let mut search = Search { apart, found: Vec::new(), steps: 0 };
    search.grow(&mut Vec::new(), &(0..apart.len()).collect::<Vec<_>>(), &[])?;
    Ok(search.found)
}

/// Bron and Kerbosch's search for the largest sets without a separate pair, with a pivot.
struct Search<'a> {
    /// By recipient: from whom it is separate.
    apart: &'a [BTreeSet<usize>],
    found: Vec<Vec<usize>>,
    steps: usize,
}

impl Search<'_> {
    /// `with` can still join, `without` were tried before.
    fn grow(&mut self, coalition: &mut Vec<usize>, with: &[usize], without: &[usize]) -> Result<()> {
        self.steps += 1;
        if with.is_empty() && without.is_empty() {
            self.found.push(coalition.clone());
        }
        if self.found.len() > MOST_COALITIONS || self.steps > MOST_STEPS {
            return Err(Obstacle::TooManyCoalitions { limit: MOST_COALITIONS }.into());
        }
        // Every largest set has the pivot in it, or somebody who is separate from it.
        let pivot = with.iter().chain(without).min_by_key(|one| self.strangers(**one, with).len());
        let Some(pivot) = pivot.copied() else { return Ok(()) };
        let (mut with, mut without) = (with.to_vec(), without.to_vec());
        for next in self.strangers(pivot, &with) {
            let friends = |among: &[usize]| -> Vec<usize> {
                among.iter().copied().filter(|one| *one != next && !self.apart[next].contains(one)).collect()
            };
            let (joins, before) = (friends(&with), friends(&without));
            coalition.push(next);
            self.grow(coalition, &joins, &before)?;
            coalition.pop();
            with.retain(|one| *one != next);
            without.push(next);
        }
        Ok(())
    }

    /// Those who are separate from somebody, and who it is itself.
    fn strangers(&self, one: usize, among: &[usize]) -> Vec<usize> {
        among.iter().copied().filter(|other| *other == one || self.apart[one].contains(other)).collect()
    }
}

#[cfg(test)]
mod tests;
