//! The ledger: what goes in comes out, and whatever is changed behind its back is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

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
