//! Policies: text and files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use reticent_app::PolicyText;

use crate::errors::exception;

/// Reads a policy and the files that it names. Returns its text, the texts of the files by path, and its folder.
#[pyfunction]
pub(crate) fn read_policy(py: Python<'_>, path: PathBuf) -> PyResult<(String, BTreeMap<String, String>, PathBuf)> {
    let text = PolicyText::read(&path).map_err(|error| exception(py, &error))?;
    Ok((text.toml, text.files, text.folder))
}

/// Raises an exception if a policy or a file that it names is invalid.
#[pyfunction]
pub(crate) fn check_policy(
    py: Python<'_>,
    toml: String,
    files: BTreeMap<String, String>,
    folder: PathBuf,
) -> PyResult<()> {
    PolicyText { toml, files, folder }.check().map_err(|error| exception(py, &error))
}
