//! Settings of the calls: threads, memory, name of the steward.

use pyo3::prelude::*;
use reticent_app::{Limits, system_user};

use crate::errors::exception;

/// Settings of the calls of a ledger.
#[pyclass(frozen)]
pub(crate) struct Context {
    steward: String,
    limits: Limits,
    show_values: bool,
}

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (steward=None, threads=None, memory=None, show_values=false))]
    fn new(
        py: Python<'_>,
        steward: Option<String>,
        threads: Option<usize>,
        memory: Option<u64>,
        show_values: bool,
    ) -> PyResult<Context> {
        let steward = steward.unwrap_or_else(system_user);
        let limits = Limits { threads, memory: memory.unwrap_or(Limits::default().memory) };
        let context = Context { steward, limits, show_values };
        context.start(py)?;
        Ok(context)
    }
}

impl Context {
    /// Creates the context of a call.
    pub(crate) fn start(&self, py: Python<'_>) -> PyResult<reticent_app::Context> {
        let context = reticent_app::Context::new(&self.steward).with_values_shown(self.show_values);
        context.with_limits(self.limits).map_err(|error| exception(py, &error))
    }
}
