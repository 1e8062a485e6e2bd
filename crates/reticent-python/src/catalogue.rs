//! The catalogue, the error codes, and measures of single tables.

use pyo3::prelude::*;
use reticent_app::Context;
use reticent_app::request::MeasureRequest;
use serde_json::json;

use crate::data::data;
use crate::errors::{exception, parse};
use crate::run::{Receivers, run};

fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns all entries of the catalogue as JSON.
#[pyfunction]
pub(crate) fn catalogue(py: Python<'_>) -> PyResult<String> {
    reticent_app::catalogue(None, None).map(|entries| text(&entries)).map_err(|error| exception(py, &error))
}

/// Returns the presets of a policy as JSON.
#[pyfunction]
pub(crate) fn presets() -> String {
    text(&reticent::policy::presets::LIST)
}

/// Returns the reference page in Markdown.
#[pyfunction]
pub(crate) fn reference(py: Python<'_>) -> PyResult<String> {
    let entries = reticent_app::catalogue(None, None).map_err(|error| exception(py, &error))?;
    Ok(reticent_app::reference(&entries))
}

/// Returns all error codes with their meanings and remedies as JSON.
#[pyfunction]
pub(crate) fn codes() -> String {
    text(&reticent_app::error::CODES.iter().flat_map(|(_, codes)| codes.iter()).collect::<Vec<_>>())
}

/// Returns the words of all hints as JSON.
#[pyfunction]
pub(crate) fn hints() -> String {
    text(&reticent_app::Hint::all())
}

/// Explains an error code: its meaning and remedy as JSON.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, code: &str) -> PyResult<String> {
    reticent_app::explain(code).map(|answer| text(&answer)).map_err(|error| exception(py, &error))
}

/// Returns the JSON Schema of a policy.
#[pyfunction]
pub(crate) fn policy_schema() -> String {
    json!(reticent::policy::json_schema()).to_string()
}

/// Returns a table with a title as an HTML fragment.
#[pyfunction]
pub(crate) fn table_html(title: &str, headers: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    reticent_app::table(title, &headers, &rows, None)
}

/// Measures a table by a privacy model.
#[pyfunction]
pub(crate) fn measure(py: Python<'_>, request: &str, rows: &Bound<'_, PyAny>) -> PyResult<f64> {
    let mut request: MeasureRequest = reticent_app::read(parse(py, request)?).map_err(|error| exception(py, &error))?;
    request.data = data(rows)?;
    run(py, &Context::new(""), &Receivers::default(), |context| reticent_app::measure(&request, context))
}
