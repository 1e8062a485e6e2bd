//! Leaks planted on purpose: verification must catch each, and must pass the release they were planted in.

pub mod attacks;
mod joined;
mod leaks;
mod thresholds;
