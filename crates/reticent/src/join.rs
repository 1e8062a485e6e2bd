//! (X,Y)-constraints over the lossy join of the new release with earlier releases.
//!
//! Definition  X and Y are columns of the joined releases; the join is the lossy join of `lossy.rs`.
//!             At least (anonymity): each value on X occurs with at least k distinct values on Y, or k people of a release.
//!             At most (linkability): the confidence of a value on Y, given a value on X, is at most its bound.
//!             Distribution: the values of one column Y, among the tuples with a value on X, satisfy a model of classes; the whole
//!             release that the model compares with (t-closeness) is the release of Y, without a join.
//! Sets        An attacker can ignore releases, and an additional table can dilute a confidence. So constraints are checked
//!             over sets of earlier releases: each single one, every subset if they are few, and otherwise the maximal
//!             sets that a record can belong to (`histories.rs`, `maximal.rs`).
//! Earlier     What the earlier releases alone violate does not block a release that does not make it worse. A constraint with
//!             `excuses_earlier` whose X has columns of earlier releases also holds beyond its limit for a value on X, if Y is in
//!             earlier releases, and the join without the new release has no more values on Y, or no lower share of the value.
//! Once        A release without known owners that can be computed from another counts once (`computable.rs`), unless there is an
//!             (X,Y)-model.
//! Counts      The join is not materialized. Records of the new release with equal join keys match the same earlier tuples
//!             (`index.rs`). A class is judged from its counts and from the tuples that it matches (`judge.rs`).
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006. Lemmas 4.1 and 4.2 are false as printed;
//!             `pruning.rs` proves the cases in which a violating candidate can be pruned.

mod computable;
mod histories;
mod index;
mod judge;
pub(crate) mod lossy;
pub(crate) mod matching;
mod maximal;
mod pruning;
mod repeated;
mod scope;
mod values;
mod visit;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::{Bounds, Model};
use crate::statement::Parameter;

pub use crate::join::lossy::unknown_values;
pub use crate::release::Member;
pub(crate) use computable::is_computable_from;
pub(crate) use histories::JudgedSets;
pub use histories::{Breadth, sets_for, sub_histories};
pub(crate) use index::join_columns;
pub use judge::{ClassCells, JoinCheck};
pub use pruning::{Dangling, dangling, matching};
pub(crate) use repeated::RepeatedColumns;
pub use scope::{JoinScope, PEOPLE};

/// A column of a joined release. Release 0 is the new one; the earlier ones follow in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnRef {
    /// Index of the release.
    pub release: usize,
    /// Index of the column.
    pub column: usize,
}

/// An element of Y: a column or the people of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counted {
    /// Values of a column.
    Column(ColumnRef),
    /// People of a release: owners if links show that an owner has several records, otherwise records.
    People(usize),
}

impl Counted {
    /// Index of the release.
    pub fn release(&self) -> usize {
        match self {
            Counted::Column(at) => at.release,
            Counted::People(release) => *release,
        }
    }
}

/// Limit on the values on Y that occur with a value on X.
#[derive(Debug, Clone)]
pub enum Limit {
    /// Minimum number of distinct values.
    AtLeast(u64),
    /// Upper bound on the ratio of tuples with a value.
    AtMost(Bounds),
    /// Model of the distribution of the values.
    Distribution(Distribution),
}

/// A model that judges the values of one column by their shares. It is built for a column named `X`, which stands for X.
#[derive(Debug, Clone)]
pub struct Distribution {
    /// Model of equivalence classes.
    pub model: Arc<dyn Model>,
    /// Short title, such as `entropy 2-diversity`.
    pub title: String,
}

/// Name of a column that stands for X in a `Distribution`.
pub(crate) const JOINED_X: &str = "X";

/// An (X,Y)-constraint over joined releases.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// Columns that an attacker knows.
    pub x: Vec<ColumnRef>,
    /// Columns or people whose inference from X is limited.
    pub y: Vec<Counted>,
    /// Limit on the values on Y.
    pub limit: Limit,
    /// Whether a value on X may violate the limit as much as the earlier releases alone do. Not for (X,Y)-models, which keep the
    /// definition of the paper.
    pub excuses_earlier: bool,
    /// Title, for people.
    pub title: String,
    /// Description of Y, for people.
    pub counted: String,
    /// Model that requires the constraint and its parameters; the name is empty until a requirement sets it.
    pub required_by: (String, BTreeMap<String, Parameter>),
}

impl Constraint {
    /// Explanation of a safety value: measured value and limit.
    pub fn explain(&self, safety: f64) -> String {
        match &self.limit {
            Limit::AtLeast(least) if safety == 1.0 => {
                let one = self.counted.replacen("people of", "person of", 1).replacen("values of", "value of", 1);
                format!("only 1 {one}, {least} needed")
            }
            Limit::AtLeast(least) => format!("{safety} different {}, {least} needed", self.counted),
            Limit::AtMost(bounds) => bounds.explain(std::slice::from_ref(&self.counted), safety),
            Limit::Distribution(of) => of.model.explain(safety),
        }
    }
}

/// Constraints over the join of the new release with a set of earlier releases.
#[derive(Debug, Clone)]
pub struct JoinRequirement {
    /// Indices of the earlier releases in the history.
    pub earlier: Vec<usize>,
    /// Constraints over the join.
    pub constraints: Vec<Constraint>,
    /// Number of further constraints that are implied by constraints over subsets of these releases.
    pub implied: usize,
}
