//! The ledger: what goes in comes out, and whatever is changed behind its back is noticed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
mod flips;
mod formats;
mod heads;
#[cfg(unix)]
mod recovery;
mod reviewed;
mod round_trip;
mod support;
