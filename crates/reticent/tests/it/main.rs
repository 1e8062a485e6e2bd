//! Integration tests of the library: laws over the registries, naive definitions as an oracle, worked examples of the
//! papers, planted leaks, and module boundaries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broken;
mod golden;
mod laws;
mod oracle;
mod support;
mod tidy;
