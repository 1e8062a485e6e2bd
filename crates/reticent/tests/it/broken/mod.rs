//! Planted leaks: each must be detected, and the release without the leak must pass.

pub mod attacks;
mod join;
mod leaks;
mod thresholds;
