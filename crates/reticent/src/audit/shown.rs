//! How pairs are written in JSON: with names.

use serde::{Serialize, Serializer};

use super::Chance;

#[derive(Serialize)]
struct Release<'a> {
    number: u64,
    name: &'a str,
}

/// Releases, by number and name.
pub(super) fn releases<S: Serializer>(releases: &[(u64, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(releases.iter().map(|(number, name)| Release { number: *number, name }))
}

#[derive(Serialize)]
struct Shown<'a> {
    value: &'a str,
    records: u64,
}

/// Values, each with its number of records.
pub(super) fn counts<S: Serializer>(shows: &[(String, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(shows.iter().map(|(value, records)| Shown { value, records: *records }))
}

#[derive(Serialize)]
struct ValueChance<'a> {
    value: &'a str,
    #[serde(flatten)]
    chance: &'a Chance,
}

/// Values, each with its chance.
pub(super) fn values<S: Serializer>(values: &[(String, Chance)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(|(value, chance)| ValueChance { value, chance }))
}
