//! Attacks, one file each: what somebody who holds a release, and declared knowledge, can infer.
//!
//! An attack sees published releases and declared knowledge only; never the table, no algorithm and no model.

use crate::registry::Entry;

/// Every attack there is.
pub const LIST: &[Entry] = &[];
