//! Laws that loop over the registries: whatever is listed is held to them.

pub mod algorithms;
mod arguments;
mod candidate_records;
mod join;
mod metrics;
mod models;
mod operations;
mod recognise;
mod registry;
mod republication;
mod worlds;
