//! Input of an attack: releases, background knowledge and parameters.

use super::KnownPerson;
use crate::error::{Error, Obstacle, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Entry};
use crate::release::history::{History, RecordedRelease};

/// Releases and background knowledge of the attacker. An attack uses nothing else.
///
/// The owner links of a release model an attacker who knows the people in it and their quasi-identifiers. Attacks use the
/// links to find the group of a person, and to detect values that changed. They never use them to read the value of a person.
#[derive(Debug, Clone, Copy)]
pub struct AttackInput<'a> {
    /// Releases of the attacker, oldest first.
    pub history: &'a History,
    /// People of an external table; may be empty.
    pub people: &'a [KnownPerson],
    /// Minimum confidence of a reported finding; 1 reports certain findings only.
    pub confidence: Ratio,
    /// By release: index of the combination of each row, in file order; none if the order is unknown. May be empty.
    pub rows: &'a [Option<Vec<u32>>],
    /// Sensitive columns whose values may change between releases. Attacks do not compare them across releases.
    pub time_varying: &'a [String],
    /// Parameters of the attack.
    pub arguments: &'a Arguments,
}

impl AttackInput<'_> {
    /// The parameters of the attack, validated and completed with defaults.
    pub(super) fn arguments(&self, entry: &Entry) -> Result<Arguments> {
        self.arguments.clone().checked(entry)
    }
}

/// Reasons why parts of the input could not be checked.
#[derive(Debug, Default)]
pub(super) struct Unchecked(Vec<String>);

impl Unchecked {
    /// The reasons that hold for every attack on the history: releases with erased contents.
    pub(super) fn new(input: &AttackInput<'_>) -> Unchecked {
        let erased = input.history.erased.iter();
        let erased =
            erased.map(|erased| format!("the contents of release {} {} are erased", erased.number, erased.name));
        Unchecked(erased.collect())
    }

    /// Adds a reason, unless it is already present.
    pub(super) fn push(&mut self, reason: String) {
        if !self.0.contains(&reason) {
            self.0.push(reason);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first reasons as one text.
    pub(super) fn reason(&self) -> String {
        const MAX_REASONS: usize = 3;
        match self.0.len() {
            0..=MAX_REASONS => self.0.join("; "),
            count => {
                let more = crate::text::counted((count - MAX_REASONS) as u64, "more reason");
                format!("{}; and {more}", self.0[..MAX_REASONS].join("; "))
            }
        }
    }
}

/// Error of an attack that cannot run.
pub(super) fn not_runnable(entry: &Entry, reason: impl Into<String>) -> Error {
    Obstacle::AttackNotRunnable { attack: entry.title, reason: reason.into() }.into()
}

/// The releases of the input.
///
/// # Errors
///
/// Returns an error if there are fewer than `min_releases` (1 or 2).
pub(super) fn releases<'a>(
    input: &AttackInput<'a>,
    entry: &Entry,
    min_releases: usize,
) -> Result<&'a [RecordedRelease]> {
    let releases = input.history.releases.as_slice();
    match (releases.len(), min_releases) {
        (0, _) => Err(not_runnable(entry, "the history has no release with contents")),
        (1, 2) => Err(not_runnable(entry, "the attack needs two releases, and only one has contents")),
        _ => Ok(releases),
    }
}
