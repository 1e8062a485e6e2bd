//! Reticent publishes data about people more than once without letting the releases add up to a leak.
//!
//! This crate is the library: pure computation. It reads no file, prints nothing and looks at no clock; engines read and
//! write rows (`reticent-engine`), the command line talks to people (`reticent-cli`).
//!
//! The way data takes: an engine counts ([`table::Counts`]), the schema types the counts ([`table::Table`]), an algorithm
//! answers with a [`recoding::Recoding`] that satisfies the [`requirement::Requirement`], an engine writes it, and
//! [`verify`] judges the bytes that were written. [`recognise`] makes a [`release::Release`] of published texts alone.

pub mod algorithms;
pub mod attacks;
pub mod audit;
pub mod catalogue;
pub mod classes;
pub mod column_names;
pub mod combos;
pub mod contract;
pub mod error;
pub mod history;
pub mod interval;
pub mod join;
pub mod joined;
pub mod kind;
pub mod links;
pub mod matching;
pub mod methods;
pub mod metrics;
pub mod models;
pub mod names;
pub mod operations;
pub mod policy;
pub mod recipients;
pub mod recoding;
pub mod recognise;
pub mod registry;
pub mod release;
pub mod relief;
pub mod requirement;
pub mod risk;
pub mod scalar;
pub mod schema;
pub mod share;
pub mod statement;
pub mod table;
pub mod taxonomy;
pub mod text;
pub mod verify;
pub mod witness;
pub mod wording;

pub use error::{Error, Result};
