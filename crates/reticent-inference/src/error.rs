//! Errors of [`crate::solve`].

/// Reason why a problem cannot be solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No assignment of values to people meets all counts.
    #[error("the counts contradict each other: no assignment of values to people meets all of them")]
    Contradiction,
    /// The possible values of a class are not in ascending order.
    #[error("the possible values of a class are not in strictly ascending order")]
    ValuesNotAscending,
    /// A class or the problem exceeds a size limit.
    #[error("too large: limits are {people_limit} people in a class and {cells_limit} cells in all classes and counts")]
    TooLarge {
        /// Maximum number of people in one class.
        people_limit: u64,
        /// Maximum number of cells, over all classes and counts.
        cells_limit: u64,
    },
}

/// Result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;
