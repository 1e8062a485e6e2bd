//! The library's tests, one binary: laws over the registries, an oracle of naive definitions, the papers' worked examples,
//! planted leaks, and the walls between the rooms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broken;
mod golden;
mod laws;
mod oracle;
mod support;
mod tidy;
