//! A model and its parameters as a policy words them.

use crate::registry::{Argument, Arguments};

/// One model as a policy words it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// The model's id.
    pub model: String,
    /// Its parameters.
    pub arguments: Arguments,
    /// The line of the policy it stands on.
    pub line: Option<usize>,
}

impl Wording {
    /// Whether it names a release, as in `release.column`.
    pub fn names(&self, release: &str) -> bool {
        let names = |word: &str| cuts(word).any(|(name, _)| name == release);
        self.arguments.names().any(|name| match self.arguments.get(name) {
            Some(Argument::Words(words)) => words.iter().any(|word| names(word)),
            Some(Argument::Word(word)) => names(word),
            _ => false,
        })
    }
}

/// A word as a release's name and what follows it, wherever it can be cut.
pub(crate) fn cuts(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.match_indices('.').map(|(at, _)| (&word[..at], &word[at + 1..]))
}
