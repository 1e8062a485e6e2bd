//! Input data: schema, taxonomies, contingency table and owner links.

pub mod contingency;
pub(crate) mod interval;
pub(crate) mod links;
pub(crate) mod schema;
pub(crate) mod table;
pub mod taxonomy;
pub mod text_format;
pub(crate) mod workload;
