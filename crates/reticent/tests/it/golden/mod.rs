//! The papers' worked examples.

mod closeness;
mod survey;
