//! The requirement over joined releases: what whoever joins the new release with earlier ones must not be able to tell.
//!
//! Definition  X and Y are columns of any of the releases that are held together; the join is the lossy join of `join.rs`.
//!             At least: every value on X goes with so many different values on Y, or with so many people of a release.
//!             At most: no value on Y has a greater share of the tuples with a value on X than it may.
//! Histories   whoever holds releases may ignore some of them, and a table more in a join can dilute a confidence. So
//!             statements are judged over sub-histories: the new release with each earlier one, with every subset where
//!             they are few, and else with the largest sets that a record is in the join of.
//! Counts      the join is never made. Records of the new release that agree on X meet the same values of the earlier ones
//!             (`rest.rs`); a class is judged from its own counts and from what it meets (`judge.rs`).
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006. Lemmas 4.1 and 4.2 are false as printed; what can be
//!             relied on when a candidate is given up is in `related.rs`, with proofs.

mod histories;
mod judge;
mod largest;
mod related;
mod rest;
mod scope;
mod values;
mod visit;

use std::collections::BTreeMap;

use crate::contract::Bounds;
use crate::statement::Parameter;

pub use crate::join::unknown_values;
pub use crate::release::Member;
pub(crate) use histories::Made;
pub use histories::{Breadth, sets_for, sub_histories};
pub use judge::{Cells, Joint};
pub use related::{Dangling, dangling, matching};
pub(crate) use rest::join_columns;
pub use scope::{PEOPLE, Scope};

/// A column of a release. Of the releases that are joined, the new one is 0, and the earlier ones follow in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The release.
    pub release: usize,
    /// The column's place in it.
    pub column: usize,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Of {
    /// The values of a column.
    Column(At),
    /// The people of a release: its owners where some have several records and the steward knows whose they are, else its
    /// records.
    People(usize),
}

impl Of {
    /// The release it is counted in.
    pub fn release(&self) -> usize {
        match self {
            Of::Column(at) => at.release,
            Of::People(release) => *release,
        }
    }
}

/// What is demanded of the values on Y that go with a value on X.
#[derive(Debug, Clone)]
pub enum Rule {
    /// At least so many different ones.
    AtLeast(u64),
    /// None with a greater share of the tuples than its bound.
    AtMost(Bounds),
}

/// A demand on joined releases.
#[derive(Debug, Clone)]
pub struct Statement {
    /// What an attacker knows.
    pub x: Vec<At>,
    /// What must not be told from it.
    pub y: Vec<Of>,
    /// How little must be told.
    pub rule: Rule,
    /// As a person would write it.
    pub title: String,
    /// What is counted, in words.
    pub counted: String,
    /// The model that demands it and its parameters, with the columns in words; empty until a requirement says.
    pub demanded_by: (String, BTreeMap<String, Parameter>),
}

impl Statement {
    /// What was measured and what is demanded.
    pub fn explain(&self, safety: f64) -> String {
        match &self.rule {
            Rule::AtLeast(least) if safety == 1.0 => {
                let one = self.counted.replacen("people of", "person of", 1).replacen("values of", "value of", 1);
                format!("only 1 {one}, {least} needed")
            }
            Rule::AtLeast(least) => format!("{safety} different {}, {least} needed", self.counted),
            Rule::AtMost(bounds) => bounds.explain(std::slice::from_ref(&self.counted), safety),
        }
    }
}

/// Releases that are held together, and what is demanded of their join.
#[derive(Debug, Clone)]
pub struct Together {
    /// The earlier releases, as places in the history; the new one belongs to them always.
    pub earlier: Vec<usize>,
    /// What is demanded.
    pub statements: Vec<Statement>,
    /// How many demands more follow from what is demanded of fewer of these releases.
    pub following: usize,
}
