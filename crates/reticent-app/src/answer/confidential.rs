//! Parts of an answer with values of the data, for displays.

use std::fmt;
use std::ops::Deref;

/// Part of an answer that contains values of the data. Its debug form does not show them, and it is not part of the JSON.
#[derive(Clone, Default)]
pub struct Confidential<T>(pub T);

impl<T> Deref for Confidential<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Confidential<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Confidential(..)")
    }
}
