//! `reticent schema`: the JSON Schema of `reticent.toml`, for editors.

use crate::console::Console;
use crate::error::Error;

/// Prints it.
pub fn run(console: &Console) -> Result<u8, Error> {
    console.json(&reticent_app::schema())?;
    Ok(0)
}
