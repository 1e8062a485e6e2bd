//! Kinds of catalogue entries.

use std::fmt;

/// The kind of a catalogue entry. Each kind has its own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A privacy model.
    Model,
    /// An anonymization operation.
    Operation,
    /// An information metric.
    Metric,
    /// An anonymization algorithm.
    Algorithm,
    /// A republication method.
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
