//! Model specifications: a model id and its parameters, as written in a policy.

use crate::registry::{Argument, Arguments};

/// A model with its parameters, as written in a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// The model's id.
    pub model: String,
    /// Parameters of the model, not yet checked.
    pub arguments: Arguments,
    /// Line number in the policy; `None` if it was not read from a policy.
    pub line: Option<usize>,
}

impl ModelSpec {
    /// Returns true for an explicit (X,Y)-model, which keeps the definition of the paper over joined releases.
    pub fn is_xy_model(&self) -> bool {
        self.model.starts_with("xy-")
    }

    /// Returns true if a parameter refers to a column of this release, as in `release.column`.
    pub fn names(&self, release: &str) -> bool {
        let names = |word: &str| splits(word).any(|(name, _)| name == release);
        self.arguments.names().any(|name| match self.arguments.get(name) {
            Some(Argument::Words(words)) => words.iter().any(|word| names(word)),
            Some(Argument::Word(word)) => names(word),
            _ => false,
        })
    }
}

/// Splits a word at every dot: (text before the dot, text after it). Release and column names may contain dots.
pub(crate) fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    word.match_indices('.').map(|(at, _)| (&word[..at], &word[at + 1..]))
}
