//! The scene of an attack: what the attacker holds and knows. Nothing else may be used.

use super::Person;
use crate::error::{Error, Obstacle, Result};
use crate::history::{Held, History};
use crate::registry::{Arguments, Entry};
use crate::share::Share;

/// What an attacker has.
///
/// The links of a release stand for an attacker who knows who is in it, and everybody's quasi-identifiers: they say in which
/// group somebody is, and are never asked which of the group's sensitive values is theirs.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The releases held together, oldest first.
    pub history: &'a History,
    /// What is known about people from elsewhere; may be empty.
    pub people: &'a [Person],
    /// The least confidence that is reported; 1 reports what is certain.
    pub confidence: Share,
    /// By release: the combination of each row, in the order of its file, where that is known. May be empty.
    pub rows: &'a [Option<Vec<u32>>],
    /// Sensitive columns that may change from release to release: what one tells of them says nothing about another.
    pub varies: &'a [String],
    /// The parameters of the attack.
    pub arguments: &'a Arguments,
}

impl Scene<'_> {
    /// The attack's parameters, checked, with their defaults.
    pub(super) fn arguments(&self, entry: &Entry) -> Result<Arguments> {
        self.arguments.clone().checked(entry)
    }
}

/// What an attack could not look at, and why.
#[derive(Debug, Default)]
pub(super) struct Unchecked(Vec<String>);

impl Unchecked {
    /// What no attack on this history can look at: releases whose contents are gone.
    pub(super) fn of(scene: &Scene<'_>) -> Unchecked {
        let lost = scene.history.lost.iter();
        let lost = lost.map(|lost| format!("the contents of release {} {} are gone", lost.number, lost.name));
        Unchecked(lost.collect())
    }

    /// One more obstacle.
    pub(super) fn push(&mut self, why: String) {
        if !self.0.contains(&why) {
            self.0.push(why);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn why(&self) -> String {
        const SHOWN: usize = 3;
        match self.0.len() {
            0..=SHOWN => self.0.join("; "),
            many => {
                let more = crate::text::counted((many - SHOWN) as u64, "more obstacle");
                format!("{}; and {more}", self.0[..SHOWN].join("; "))
            }
        }
    }
}

/// The error of an attack that cannot be run.
pub(super) fn cannot(entry: &Entry, why: impl Into<String>) -> Error {
    Obstacle::AttackNotRunnable { attack: entry.title, reason: why.into() }.into()
}

/// The releases of the scene; an error where there are fewer than the attack needs.
pub(super) fn releases<'a>(scene: &Scene<'a>, entry: &Entry, least: usize) -> Result<&'a [Held]> {
    let held = scene.history.releases.as_slice();
    match (held.len(), least) {
        (0, _) => Err(cannot(entry, "the history holds no release that can be looked at")),
        (1, 2) => Err(cannot(entry, "it compares releases, and only one can be looked at")),
        _ => Ok(held),
    }
}
