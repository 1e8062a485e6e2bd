//! Conversion of panics into errors. Parquet and Arrow libraries may panic on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic of this thread is caught and returned as an error. A panic hook can then stay silent.
pub fn is_catching_panics() -> bool {
    CATCHING.get()
}

/// Calls a function; returns none if it panics.
pub(crate) fn catch_panic<T>(read: impl FnOnce() -> T) -> Option<T> {
    let before = CATCHING.replace(true);
    // The partial result is discarded, so unwind safety does not matter.
    let read = catch_unwind(AssertUnwindSafe(read)).ok();
    CATCHING.set(before);
    read
}
