//! The engine from outside: what it reads, what it writes, what it says when it cannot.

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
