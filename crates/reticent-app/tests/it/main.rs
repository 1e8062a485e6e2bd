//! The verbs, called as functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod concurrent;
mod errors;
mod methods;
mod rules;
mod support;
mod tidy;
