//! Tables for Python: release files and frames as Arrow streams.

use std::path::PathBuf;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use reticent_app::read_batches;
use reticent_app::request::Frame;
use serde_json::json;

use crate::errors::{exception, invalid};

/// Rows that Python can read as an Arrow stream.
#[pyclass(frozen)]
pub(crate) struct Table {
    rows: Rows,
}

enum Rows {
    Frame(Frame),
    File(PathBuf),
}

impl Table {
    pub(crate) fn new(frame: Frame) -> Table {
        Table { rows: Rows::Frame(frame) }
    }

    /// Returns the rows in memory.
    pub(crate) fn frame(&self, py: Python<'_>) -> PyResult<Frame> {
        match &self.rows {
            Rows::Frame(frame) => Ok(frame.clone()),
            Rows::File(path) => {
                let reader = self.reader(py)?;
                let schema = reader.schema();
                let batches = py.detach(|| reader.collect::<Result<Vec<_>, _>>());
                let unreadable = |_| {
                    let text = format!("{} cannot be read to its end", path.display());
                    invalid(py, "data-unreadable", &text, json!({ "path": path }))
                };
                Ok(Frame::new(schema, batches.map_err(unreadable)?))
            }
        }
    }

    fn reader(&self, py: Python<'_>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
        match &self.rows {
            Rows::Frame(frame) => Ok(frame.reader()),
            Rows::File(path) => py.detach(|| read_batches(path)).map_err(|error| exception(py, &error)),
        }
    }
}

#[pymethods]
impl Table {
    /// Exports the rows as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The consumer converts the columns if it wants other types.
        drop(requested_schema);
        let stream = FFI_ArrowArrayStream::new(self.reader(py)?);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let schema = match &self.rows {
            Rows::Frame(frame) => frame.schema(),
            Rows::File(_) => self.reader(py)?.schema(),
        };
        Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
    }
}

/// Returns the hash of a published file or folder, as the ledger records it.
#[pyfunction]
pub(crate) fn digest(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| reticent_app::digest(&path)).map_err(|error| exception(py, &error))
}

/// Opens a release file in CSV or Parquet.
#[pyfunction]
pub(crate) fn read_table(path: PathBuf) -> Table {
    Table { rows: Rows::File(path) }
}
