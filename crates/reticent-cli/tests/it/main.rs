//! The command as a person meets it: the tutorial, bad calls, discretion, and the shipped files that are generated.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod again;
mod again_audited;
mod again_reviewed;
mod attacks_reviewed;
mod audit;
mod audit_held;
mod audit_reviewed;
mod audit_tried;
mod bad_input;
mod canary;
mod demo;
mod discreet;
mod disguises;
mod examples;
#[cfg(target_os = "linux")]
mod faults;
mod generated;
mod interrupted;
mod joined_reviewed;
mod json;
mod ledger;
mod ledger_reviewed;
mod pages;
#[cfg(target_os = "linux")]
mod power;
mod publish;
mod register_reviewed;
mod reviewed;
mod several;
mod support;
mod together;
mod told;
mod tried;
mod tutorial;
