//! Anonymization operations, one file each.

use crate::registry::Entry;

pub mod generalize;
pub mod suppress_cells;
pub mod suppress_records;
pub mod suppress_values;

/// Catalogue entries of all operations.
pub const LIST: &[Entry] = &[generalize::ENTRY, suppress_records::ENTRY, suppress_cells::ENTRY, suppress_values::ENTRY];
