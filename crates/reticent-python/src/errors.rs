//! Errors as exceptions. The classes are in `python/reticent/errors.py`.

use pyo3::prelude::*;
use reticent_app::{Error, error_json};
use serde_json::{Value, json};

/// Converts an error of a verb to the exception of its class.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    from_json(py, &error_json(error))
}

/// Creates an exception for invalid input that the application layer does not see.
pub(crate) fn invalid(py: Python<'_>, code: &str, text: &str, data: Value) -> PyErr {
    from_json(py, &json!({ "code": code, "error": text, "data": data, "hints": [], "class": "invalid" }))
}

/// Creates the exception for a programming error. The text of a panic can contain values of the data, so it is not shown.
pub(crate) fn internal(py: Python<'_>, place: Option<String>) -> PyErr {
    let place = place.map_or(Value::Null, Value::from);
    let text = "internal error: this is a bug in Reticent, please report it. Nothing was published";
    from_json(
        py,
        &json!({ "code": "internal-error", "error": text, "data": { "place": place }, "hints": [], "class": "internal" }),
    )
}

fn from_json(py: Python<'_>, error: &Value) -> PyErr {
    let made =
        py.import("reticent.errors").and_then(|errors| errors.call_method1("_from_native", (error.to_string(),)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Returns a JSON text as a value.
pub(crate) fn parse(py: Python<'_>, text: &str) -> PyResult<Value> {
    serde_json::from_str(text).map_err(|error| {
        let text = format!("invalid request: {error}");
        invalid(py, "request-invalid", &text, Value::Null)
    })
}
