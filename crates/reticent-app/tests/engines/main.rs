//! Databases: the same data gives the same releases and refusals in every engine, and failures publish nothing.
//!
//! The tests need drivers and a PostgreSQL server, so they are ignored by `cargo test`; `./run-tests engines` installs and starts
//! what they need, and runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod databases;
mod destinations;
mod failures;
mod values;
