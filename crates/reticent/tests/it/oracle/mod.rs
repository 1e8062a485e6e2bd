//! The definitions of the papers once more, naively and exactly, over every tiny table. Shares no code with the library.

mod audit;
pub mod definitions;
mod disguises;
mod full_domain;
pub mod histories;
mod inference;
mod intervals;
mod joined;
mod joined_search;
pub mod lossy;
mod models;
mod sets;
pub mod small_joins;
mod specialization;
pub mod transport;
