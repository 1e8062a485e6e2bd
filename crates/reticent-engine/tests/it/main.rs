//! Integration tests of the engine: input formats, output files, errors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod differential;
mod engines;
mod formats;
mod owners;
mod profiles;
mod sinks;
mod sqlite;
mod support;
