//! Answer of `explain`.

use serde::Serialize;

/// Meaning and remedy of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Stable code, in kebab case.
    pub code: &'static str,
    /// Subject that the code belongs to.
    pub subject: &'static str,
    /// Description of the error.
    pub meaning: &'static str,
    /// Action that resolves the error.
    pub remedy: &'static str,
}
