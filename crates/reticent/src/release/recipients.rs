//! Recipients and coalitions.
//!
//! By default, all recipients can collude. A policy can declare recipients *separate* (non-colluding): they never combine
//! their releases. A *coalition* is a set of recipients without a separate pair. An attacker holds the releases of one
//! coalition and the public releases.

use std::collections::{BTreeSet, HashMap};

use crate::error::{Obstacle, Result};

/// Recipient name for public releases, which all recipients hold.
pub const PUBLIC: &str = "public";

/// Rule for names of recipients and releases, for error texts.
pub(crate) const NAME_RULE: &str =
    "a name has at most 80 characters: letters, digits, `-`, `_`, `.`, `@` and single spaces between them";

/// Returns true if a text is a valid name of a recipient or a release.
pub(crate) fn is_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_alphanumeric() || "-_.@ ".contains(letter);
    let spaced = name.starts_with(' ') || name.ends_with(' ') || name.contains("  ");
    !name.is_empty() && name.chars().count() <= 80 && name.chars().all(is_allowed) && !spaced
}

/// Normalized name of a recipient for comparisons: trimmed, in lower case.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Maximum number of coalitions.
pub(crate) const MAX_COALITIONS: usize = 1024;
/// Maximum number of search steps.
const MAX_STEPS: usize = 100_000;

/// Recipients declared as separate (non-colluding).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NonColluding {
    /// Groups of recipients; no two members of a group collude.
    pub groups: Vec<Vec<String>>,
}

impl NonColluding {
    /// Returns true if two recipients can collude.
    pub fn can_combine(&self, one: &str, other: &str) -> bool {
        let both =
            |group: &&Vec<String>| group.iter().any(|name| name == one) && group.iter().any(|name| name == other);
        one == other || !self.groups.iter().any(|group| both(&group))
    }

    /// Maximal coalitions that contain a recipient of `of`. `known` are all known recipients.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many coalitions.
    pub fn coalitions(&self, known: &BTreeSet<String>, of: &[String]) -> Result<Vec<BTreeSet<String>>> {
        let mut all: BTreeSet<String> = known.clone();
        all.extend(of.iter().cloned());
        let place: HashMap<&str, usize> = all.iter().map(String::as_str).zip(0..).collect();
        let mut conflicts: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); all.len()];
        for group in &self.groups {
            let members: BTreeSet<usize> = group.iter().filter_map(|name| place.get(name.as_str()).copied()).collect();
            for member in &members {
                conflicts[*member].extend(members.iter().filter(|other| *other != member));
            }
        }
        // A recipient without conflicts is a member of every coalition and excluded from the search.
        let (bound, free): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| !conflicts[*at].is_empty());
        let mut search = CoalitionSearch { conflicts: &conflicts, maximal: Vec::new(), steps: 0 };
        search.grow(&mut Vec::new(), &bound, &[])?;
        let names: Vec<&String> = all.iter().collect();
        let named = |members: Vec<usize>| -> BTreeSet<String> {
            members.iter().chain(&free).map(|at| names[*at].clone()).collect()
        };
        let is_public = of.iter().any(|name| name == PUBLIC);
        let concerned = |coalition: &BTreeSet<String>| is_public || of.iter().any(|name| coalition.contains(name));
        Ok(search.maximal.into_iter().map(named).filter(concerned).collect())
    }
}

/// Maximal independent sets of a conflict graph, given as adjacency sets.
///
/// # Errors
///
/// Returns an error if there are too many sets.
pub(crate) fn maximal_independent_sets(conflicts: &[BTreeSet<usize>]) -> Result<Vec<Vec<usize>>> {
    let mut search = CoalitionSearch { conflicts, maximal: Vec::new(), steps: 0 };
    search.grow(&mut Vec::new(), &(0..conflicts.len()).collect::<Vec<_>>(), &[])?;
    Ok(search.maximal)
}

/// Bron-Kerbosch search with pivoting for maximal independent sets.
struct CoalitionSearch<'a> {
    /// Conflicting members, by member.
    conflicts: &'a [BTreeSet<usize>],
    maximal: Vec<Vec<usize>>,
    steps: usize,
}

impl CoalitionSearch<'_> {
    /// Extends `coalition`. `with` are the remaining candidates, `without` were tried before.
    fn grow(&mut self, coalition: &mut Vec<usize>, with: &[usize], without: &[usize]) -> Result<()> {
        self.steps += 1;
        if with.is_empty() && without.is_empty() {
            self.maximal.push(coalition.clone());
        }
        if self.maximal.len() > MAX_COALITIONS || self.steps > MAX_STEPS {
            return Err(Obstacle::TooManyCoalitions { limit: MAX_COALITIONS }.into());
        }
        // Every maximal set contains the pivot or a member that conflicts with it.
        let pivot = with.iter().chain(without).min_by_key(|one| self.conflicting(**one, with).len());
        let Some(pivot) = pivot.copied() else { return Ok(()) };
        let (mut with, mut without) = (with.to_vec(), without.to_vec());
        for next in self.conflicting(pivot, &with) {
            let compatible = |among: &[usize]| -> Vec<usize> {
                among.iter().copied().filter(|one| *one != next && !self.conflicts[next].contains(one)).collect()
            };
            let (joins, before) = (compatible(&with), compatible(&without));
            coalition.push(next);
            self.grow(coalition, &joins, &before)?;
            coalition.pop();
            with.retain(|one| *one != next);
            without.push(next);
        }
        Ok(())
    }

    /// Members of `among` that conflict with `one`, and `one` itself.
    fn conflicting(&self, one: usize, among: &[usize]) -> Vec<usize> {
        among.iter().copied().filter(|other| *other == one || self.conflicts[one].contains(other)).collect()
    }
}

#[cfg(test)]
mod tests;
