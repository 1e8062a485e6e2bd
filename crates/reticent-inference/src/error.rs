//! Why a problem has no answer.

/// Why a problem has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No assignment of values to people satisfies all counts.
    #[error("the counts contradict each other")]
    Contradiction,
    /// The values that people may have are not ascending.
    #[error("the values that people may have are not ascending")]
    ValuesNotAscending,
    /// The problem is larger than its numbers can index.
    #[error("more than {people_limit} people in one indistinguishable group, or more than {cells_limit} cells")]
    TooLarge {
        /// The most people whom nothing tells apart.
        people_limit: u64,
        /// The most combinations of people and values, over all counts.
        cells_limit: u64,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
