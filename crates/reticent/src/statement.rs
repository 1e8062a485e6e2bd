//! Statements about a release that were judged before it was published: what is claimed, and how often it is violated.
//!
//! The ledger records these. A release with a violated statement, or without any, is never recorded.

use std::fmt;

use crate::text::grouped;

/// A claim about a release, and how many violations were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What is claimed.
    pub claim: Claim,
    /// How many equivalence classes, people or files violate it.
    pub violations: u64,
}

/// What is claimed about a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The release, or its join with earlier releases, satisfies a model.
    Model {
        /// The model with its parameters.
        title: String,
    },
    /// The written tables are those that were to be published.
    TablesMatch {
        /// The table of people.
        people: String,
        /// How many lists of values there are beside it.
        lists: usize,
    },
    /// No person's posterior exceeds a bound.
    Posterior {
        /// The sensitive column.
        column: String,
        /// The bound, as a fraction or a decimal.
        bound: String,
        /// Together with which releases.
        scope: Scope,
        /// People about whom earlier releases disclose more.
        already: u64,
    },
    /// Every person shares their groups with so many others.
    Shared {
        /// At least so many.
        others: u64,
        /// In which releases.
        scope: Scope,
    },
}

/// With which releases a release was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Without others, although its recipients can hold some.
    Alone,
    /// With all that its recipients can hold.
    History,
}

impl Scope {
    /// Which releases these are, in words.
    pub fn words(self) -> &'static str {
        match self {
            Scope::Alone => "this release by itself",
            Scope::History => "all releases that its recipients can hold",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Model { title } => f.write_str(title),
            Claim::TablesMatch { people, lists } => {
                write!(f, "the tables hold what was to be published ({people} and {lists} more)")
            }
            Claim::Posterior { column, bound, scope, already } => {
                write!(f, "{column} of nobody is told with more than {bound} by {}", scope.words())?;
                match already {
                    0 => Ok(()),
                    people => write!(f, ", but of {people} of whom earlier releases tell more"),
                }
            }
            Claim::Shared { others, scope } => {
                let all = match scope {
                    Scope::Alone => "their group",
                    Scope::History => "all their groups, in all releases,",
                };
                let others = match others {
                    1 => "1 other".to_owned(),
                    more => format!("{} others", grouped(*more)),
                };
                write!(f, "everybody shares {all} with {others} at least")
            }
        }
    }
}
