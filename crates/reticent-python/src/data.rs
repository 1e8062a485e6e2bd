//! Rows from Python: Arrow streams, and columns as lists.

use std::sync::Arc;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StringArray,
};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use reticent_app::request::{Data, DatabaseRows, DatabaseSource, Frame};
use serde_json::json;

use crate::errors::invalid;
use crate::table::Table;

/// Reads rows: an object with an Arrow stream, a path, or a list of either.
///
/// The arrays of a stream are not copied. Nothing of a failure of the stream is passed on, because it can quote cells.
pub(crate) fn data(rows: &Bound<'_, PyAny>) -> PyResult<Data> {
    let py = rows.py();
    if let Ok(table) = rows.cast::<Table>() {
        return Ok(Data::Frame(table.get().frame(py)?));
    }
    if let Ok(path) = rows.cast::<PyString>() {
        return Ok(Data::Files(vec![path.to_string()]));
    }
    if let Ok(parts) = rows.cast::<PyList>() {
        return match parts.extract::<Vec<String>>() {
            Ok(paths) => Ok(Data::Files(paths)),
            Err(_) => streams(parts).map(Data::Frame),
        };
    }
    if let Ok(database) = rows.cast::<PyDict>() {
        return Ok(Data::Database(table_of_database(database)?));
    }
    if !rows.hasattr("__arrow_c_stream__")? {
        let name = rows.get_type().name()?.to_string();
        let text = format!(
            "rows of type {name} cannot be read; pass a data frame (polars, pandas, pyarrow, DuckDB), a dict of columns, or a path"
        );
        return Err(invalid(py, "data-unsupported", &text, json!({ "type": name })));
    }
    stream(rows).map(Data::Frame)
}

/// Reads the table or query of a database. The Python module makes the dictionary.
fn table_of_database(database: &Bound<'_, PyDict>) -> PyResult<DatabaseSource> {
    let text = |key: &str| -> PyResult<Option<String>> {
        database.get_item(key)?.filter(|value| !value.is_none()).map(|value| value.extract()).transpose()
    };
    let query = text("query")?.map(DatabaseRows::Query);
    let rows = query.map_or_else(|| Ok::<_, PyErr>(DatabaseRows::Table(text("table")?.unwrap_or_default())), Ok)?;
    let mut source = DatabaseSource::new(&text("engine")?.unwrap_or_default(), &text("uri")?.unwrap_or_default(), rows);
    if let Some(timeout) = database.get_item("timeout")?.filter(|value| !value.is_none()) {
        source.timeout = timeout.extract()?;
    }
    Ok(source)
}

/// Returns the kind of database that an address belongs to; none if the address does not show it.
#[pyfunction]
pub(crate) fn engine_of(uri: &str) -> Option<&'static str> {
    DatabaseSource::engine_of(uri)
}

/// Reads Arrow streams with the same columns, one after the other: the parts of a frame.
fn streams(parts: &Bound<'_, PyList>) -> PyResult<Frame> {
    let frames: Vec<Frame> = parts.iter().map(|part| stream(&part)).collect::<PyResult<_>>()?;
    Frame::concat(frames).ok_or_else(|| unreadable(parts.py()))
}

/// Reads an Arrow stream. Its arrays are not copied.
fn stream(rows: &Bound<'_, PyAny>) -> PyResult<Frame> {
    let py = rows.py();
    let stream = RecordBatchStreamReader::from_pyarrow_bound(rows);
    let stream = stream.map_err(|error| if is_signal(py, &error) { error } else { unreadable(py) })?;
    let schema = stream.schema();
    let batches = py.detach(|| stream.collect::<Result<Vec<RecordBatch>, _>>()).map_err(|_| unreadable(py))?;
    Ok(Frame::new(schema, batches))
}

fn unreadable(py: Python<'_>) -> PyErr {
    let text = "the data frame cannot be read as an Arrow stream: a column has values of several types, or of a type without an Arrow \
                form; convert the column to one type";
    invalid(py, "data-unreadable", text, json!({}))
}

/// Whether an exception is not an error of the data, such as an interrupt.
fn is_signal(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<pyo3::exceptions::PyException>(py)
}

/// Creates a table of columns: texts, numbers or Booleans, `None` for a missing value.
#[pyfunction]
pub(crate) fn frame_of_columns(py: Python<'_>, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Table> {
    let arrays: Vec<ArrayRef> =
        columns.iter().map(|(name, values)| array(py, name, values)).collect::<PyResult<_>>()?;
    let fields =
        columns.iter().zip(&arrays).map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let lengths: Vec<usize> = arrays.iter().map(|array| array.len()).collect();
    let unequal = || {
        let text = "the columns have different numbers of rows";
        invalid(py, "data-unreadable", text, json!({ "rows": lengths }))
    };
    let rows = lengths.first().copied().unwrap_or(0);
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(|_| unequal())?;
    Ok(Table::new(Frame::new(schema, vec![batch])))
}

/// Converts the values of a column: integers, numbers, Booleans, or texts.
fn array(py: Python<'_>, name: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let first = values.try_iter()?.find(|value| value.as_ref().is_ok_and(|value| !value.is_none())).transpose()?;
    let is_bool = first.as_ref().is_some_and(|first| first.is_instance_of::<pyo3::types::PyBool>());
    if is_bool && let Ok(values) = values.extract::<Vec<Option<bool>>>() {
        return Ok(Arc::new(BooleanArray::from(values)));
    }
    if let Ok(values) = values.extract::<Vec<Option<i64>>>() {
        return Ok(Arc::new(Int64Array::from(values)));
    }
    if let Ok(values) = values.extract::<Vec<Option<f64>>>() {
        // In Python, a missing number is often NaN.
        return Ok(Arc::new(
            values.into_iter().map(|value| value.filter(|number| !number.is_nan())).collect::<Float64Array>(),
        ));
    }
    if let Ok(values) = values.extract::<Vec<Option<String>>>() {
        return Ok(Arc::new(StringArray::from(values)));
    }
    let text = format!(
        "column `{name}` has values of several types, or other values than texts, numbers and Booleans; convert it"
    );
    Err(invalid(py, "data-unreadable", &text, json!({ "column": name })))
}
