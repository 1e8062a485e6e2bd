//! Worked examples of the papers.

mod closeness;
mod kdd2006;
mod mondrian;
mod republication;
mod sequential;
mod survey;
