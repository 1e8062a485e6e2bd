//! Worked examples of the papers.

mod closeness;
mod kdd2006;
mod republication;
mod sequential;
mod survey;
