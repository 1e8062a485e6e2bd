//! The kinds of registered things: one for each list.

use std::fmt;

/// Which list an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A privacy model.
    Model,
    /// An anonymization operation.
    Operation,
    /// An information metric.
    Metric,
    /// An algorithm.
    Algorithm,
    /// A method for publishing the same table again.
    Method,
    /// An attack.
    Attack,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Model => "model",
            Kind::Operation => "operation",
            Kind::Metric => "metric",
            Kind::Algorithm => "algorithm",
            Kind::Method => "method",
            Kind::Attack => "attack",
        })
    }
}
