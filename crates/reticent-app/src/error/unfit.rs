//! Rows with values that do not fit the policy. Errors show the patterns of the values.

use std::path::PathBuf;

use serde::Serialize;

/// A row with a value that does not fit the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnfitRow {
    /// Column of the value.
    pub column: String,
    /// File of the row.
    pub file: PathBuf,
    /// Number of the row. The header of a text file or a sheet is row 1; a Parquet file has no header.
    pub row: u64,
    /// Pattern of the value: 9 for a digit, a or A for a letter.
    pub pattern: String,
    /// Whether row 1 is the header. A table in memory has none.
    #[serde(skip)]
    pub has_header: bool,
    /// The value, if the context shows values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Returns one line for each column, with its rows.
pub(super) fn lines(rows: &[UnfitRow]) -> String {
    let several = rows.iter().any(|row| row.file != rows[0].file);
    let place = |row: &UnfitRow| {
        let file = if several { format!(" of {}", row.file.display()) } else { String::new() };
        let shown = row.value.as_ref().map_or_else(|| row.pattern.clone(), |value| value.escape_debug().to_string());
        format!("row {}{file} `{shown}`", row.row)
    };
    let of_column = |rows: &[UnfitRow]| {
        let places: Vec<String> = rows.iter().map(place).collect();
        format!("\n  {}: {}", rows[0].column, places.join(", "))
    };
    let lines: String = rows.chunk_by(|one, next| one.column == next.column).map(of_column).collect();
    let is_hidden = rows.iter().any(|row| row.value.is_none());
    let header =
        if rows.iter().any(|row| row.has_header) { "; row 1 is the header, and blank rows do not count" } else { "" };
    if is_hidden { format!("{lines}\n  (patterns: 9 is a digit, a and A are letters{header})") } else { lines }
}
