//! Laws that every entry of the registries must satisfy.

pub mod algorithms;
mod arguments;
mod candidate_records;
mod continued;
mod join;
mod metrics;
mod models;
mod operations;
mod recognise;
mod registry;
mod republication;
mod suppressed_values;
mod worlds;
