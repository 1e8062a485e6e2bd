//! The command as a process: words of the command line, exit status, streams, screens, and pages that are run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod concurrent_processes;
mod demo;
mod discretion;
mod drafting;
mod examples;
mod failures;
#[cfg(target_os = "linux")]
mod faults;
mod generated;
mod incidents;
mod interrupted;
mod json;
mod ledger_verbs;
mod pages;
#[cfg(target_os = "linux")]
mod power;
mod publishers;
#[cfg(unix)]
mod read_only;
mod relative_paths;
mod screen;
mod screens;
mod screens_ledger;
mod shell;
#[cfg(unix)]
mod stewards;
mod support;
mod tutorial;
mod verbs;
