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
        self.arguments.names().any(|name| {
            let words = self.arguments.words(name).unwrap_or_default().iter().map(String::as_str);
            let word = match self.arguments.get(name) {
                Some(Argument::Word(word)) => Some(word.as_str()),
                _ => None,
            };
            words.chain(word).any(names)
        })
    }
}

/// A word as a release's name and what follows it, wherever it can be cut.
pub(crate) fn cuts(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.match_indices('.').map(|(at, _)| (&word[..at], &word[at + 1..]))
}
