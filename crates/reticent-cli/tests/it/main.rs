//! The command as a person meets it: the tutorial, bad calls, discretion, and the shipped files that are generated.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod canary;
mod demo;
mod generated;
mod publish;
mod reviewed;
mod support;
mod tutorial;
