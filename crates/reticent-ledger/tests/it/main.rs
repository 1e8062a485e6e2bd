//! Integration tests of the ledger: round trips, tamper evidence, crash recovery, all formats.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corrections;
mod fixture;
mod flips;
mod formats;
mod heads;
mod integrity;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod planted;
mod proofs;
#[cfg(unix)]
mod recovery;
mod round_trip;
mod support;
mod waiting;
