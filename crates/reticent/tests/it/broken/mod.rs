//! Leaks planted on purpose: verification must catch each, and must pass the release they were planted in.

pub mod attacks;
mod join;
mod leaks;
mod thresholds;
