//! Libraries that read files may panic where these are damaged: that is an error like others.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is caught, and told as an error. Whoever has a hook of their own may then keep silent.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// What is read; nothing where that panics.
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    // What was being read is thrown away.
    let read = catch_unwind(AssertUnwindSafe(read)).ok();
    GUARDED.set(before);
    read
}
