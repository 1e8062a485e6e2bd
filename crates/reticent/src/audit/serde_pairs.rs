//! Serialization of pairs as objects with named fields.

use serde::{Serialize, Serializer};

use super::ColumnPosterior;

#[derive(Serialize)]
struct SerializedRelease<'a> {
    number: u64,
    name: &'a str,
}

/// Serializes releases with number and name.
pub(super) fn releases<S: Serializer>(releases: &[(u64, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(releases.iter().map(|(number, name)| SerializedRelease { number: *number, name }))
}

#[derive(Serialize)]
struct SerializedCount<'a> {
    value: &'a str,
    records: u64,
}

/// Serializes values with their numbers of records.
pub(super) fn counts<S: Serializer>(shows: &[(String, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(shows.iter().map(|(value, records)| SerializedCount { value, records: *records }))
}

#[derive(Serialize)]
struct SerializedPosterior<'a> {
    value: &'a str,
    #[serde(flatten)]
    posterior: &'a ColumnPosterior,
}

/// Serializes values with their posteriors.
pub(super) fn values<S: Serializer>(values: &[(String, ColumnPosterior)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(|(value, posterior)| SerializedPosterior { value, posterior }))
}
