//! The papers' worked examples.

mod closeness;
mod kdd2006;
mod survey;
