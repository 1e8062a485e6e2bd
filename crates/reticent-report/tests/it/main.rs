//! Tests of the pages. They form one binary, because linking is slow.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
mod fragments;
mod pages;
mod public;
mod safe;
mod snapshots;
