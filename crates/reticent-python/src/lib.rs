//! The native module of the Python package: the verbs of `reticent-app`, with requests and answers as JSON.
//!
//! It only translates: rows from Arrow streams to [`reticent_app::request::Data`], requests and answers from and to JSON, errors to
//! exceptions. Classes with documentation and types are in `python/reticent`.

mod catalogue;
mod context;
mod data;
mod errors;
mod policy;
mod run;
mod table;
mod workspace;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::catalogue::{catalogue, codes, explain, hints, measure, policy_schema, presets, reference, table_html};
    #[pymodule_export]
    use super::context::Context;
    #[pymodule_export]
    use super::data::{engine_of, frame_of_columns};
    #[pymodule_export]
    use super::policy::{check_policy, read_policy};
    #[pymodule_export]
    use super::table::{Table, digest, read_table};
    #[pymodule_export]
    use super::workspace::{Answer, Plan, Workspace, check_proof, demo, witness};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::run::silence_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
