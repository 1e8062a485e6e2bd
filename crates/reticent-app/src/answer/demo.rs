//! What `demo` answers.

use reticent::risk::Risk;
use serde::Serialize;

use super::publish::Published;

/// What `demo` answers.
#[derive(Debug, Serialize)]
pub struct DemoAnswer {
    /// How risky the data is before it is published.
    pub before: Risk,
    /// The release.
    pub release: Published,
}
