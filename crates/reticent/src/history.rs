//! The history: the releases an attacker may hold together, oldest first. A single release is a history of length one.

use crate::error::{Error, Result};
use crate::release::Release;

/// Releases that an attacker may hold together, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The releases.
    pub releases: Vec<Release>,
}

impl History {
    /// A history of length one.
    pub fn single(release: Release) -> History {
        History { releases: vec![release] }
    }

    /// The one release of a history of length one. Statements over longer histories go through the lossy join, which
    /// this version does not have: it says so instead of judging a part.
    pub fn only(&self, what: &str) -> Result<&Release> {
        match self.releases.as_slice() {
            [release] => Ok(release),
            [] => Err(Error::CannotCheck { what: what.to_owned(), why: "the history is empty".to_owned() }),
            more => Err(Error::CannotCheck {
                what: what.to_owned(),
                why: format!("it has {} releases, and only single releases can be judged yet", more.len()),
            }),
        }
    }
}
