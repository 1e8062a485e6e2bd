//! Integration tests of the engine: input formats, output files, errors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod differential;
mod engines;
mod formats;
mod frames;
mod owners;
mod profiles;
mod real_files;
mod sinks;
mod sqlite;
mod support;
#[path = "../../../reticent-testkit/src/workbooks.rs"]
mod workbooks;
