//! The verbs, called as functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attacks;
mod audit;
mod audit_adversaries;
mod audit_attacks;
mod audit_bounds;
mod audit_coalitions;
mod background_knowledge;
mod bucketized;
mod check_draft;
mod concurrent;
mod disclosure;
mod discretion;
mod errors;
mod init;
mod joins;
mod joins_values;
mod ledger;
mod ledger_damage;
mod ledger_place;
mod ledger_signatures;
mod paths;
mod policy;
mod publish;
mod publish_input;
mod publish_output;
mod publishers;
mod register;
mod republication;
mod republication_audit;
mod republication_retired;
mod republication_rules;
mod rules;
mod several_records;
mod tidy;
mod values;
