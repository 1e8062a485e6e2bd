//! The papers' worked examples.

mod closeness;
mod kdd2006;
mod sequential;
mod survey;
