//! Laws that loop over the registries: whatever is listed is held to them.

pub mod algorithms;
mod arguments;
mod joined;
mod left;
mod methods;
mod metrics;
mod models;
mod operations;
mod recognise;
mod registry;
mod worlds;
