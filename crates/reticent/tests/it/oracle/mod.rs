//! Naive, exact implementations of the definitions of the papers, compared with the library on all tiny tables. They share no code
//! with the library.

mod audit;
pub mod definitions;
mod full_domain;
pub mod histories;
mod inference;
mod intervals;
mod join;
mod join_search;
pub mod lossy;
mod maximal_sets;
mod models;
mod mondrian;
mod populations;
mod presentations;
pub mod small_joins;
mod specialization;
pub mod transport;
