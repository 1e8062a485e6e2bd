//! The papers' worked examples.

mod closeness;
mod kdd2006;
mod republication;
mod sequential;
mod survey;
