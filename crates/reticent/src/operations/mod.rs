//! Operations, one file each: what can be done to a table so that it says less.

use crate::registry::Entry;

pub mod generalize;
pub mod suppress_cells;
pub mod suppress_records;
pub mod suppress_values;

/// Every operation there is.
pub const LIST: &[Entry] = &[generalize::ENTRY, suppress_records::ENTRY, suppress_cells::ENTRY, suppress_values::ENTRY];
