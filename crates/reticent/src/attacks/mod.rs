//! Attacks, one file each: what somebody who holds a release, and declared knowledge, can infer.
//!
//! An attack sees published releases and declared knowledge only; never the table, no algorithm and no model.

pub mod attribute_linkage;
mod knowledge;
pub mod record_linkage;
pub mod table_linkage;
#[cfg(test)]
mod tests;

use crate::registry::Entry;

pub use knowledge::Person;

/// Every attack there is.
pub const LIST: &[Entry] = &[record_linkage::ENTRY, attribute_linkage::ENTRY, table_linkage::ENTRY];
