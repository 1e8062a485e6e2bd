//! Witnesses: the published values that identify an equivalence class which violates a requirement.

/// Placeholder for the value of a sensitive column in a witness.
pub const SENSITIVE_NOT_SHOWN: &str = "(not shown)";

/// Serializes a witness as a list of (column, value) objects.
pub(crate) fn as_cells<S: serde::Serializer>(
    cells: &[(String, String)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct WitnessCell<'a> {
        column: &'a str,
        value: &'a str,
    }
    serializer.collect_seq(cells.iter().map(|(column, value)| WitnessCell { column, value }))
}
