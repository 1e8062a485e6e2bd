//! The definitions of the papers once more, naively and exactly, over every tiny table. Shares no code with the library.

pub mod definitions;
mod full_domain;
mod intervals;
mod models;
mod specialization;
pub mod transport;
