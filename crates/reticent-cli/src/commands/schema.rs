//! `reticent schema`: the JSON Schema of `reticent.toml`, for editors.

use crate::failure::Failure;
use crate::screen::print_json;

/// Prints it.
pub fn run() -> Result<u8, Failure> {
    print_json(&reticent::policy::json_schema())?;
    Ok(0)
}
