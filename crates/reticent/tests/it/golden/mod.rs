//! The papers' worked examples.

mod closeness;
mod kdd2006;
mod methods;
mod sequential;
mod survey;
