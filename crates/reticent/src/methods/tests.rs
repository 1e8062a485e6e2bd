//! Worked examples of the methods.
