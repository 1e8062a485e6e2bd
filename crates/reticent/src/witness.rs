//! Witnesses: the published values that name a class which violates a requirement.

/// What a witness shows of a sensitive column.
pub const UNSHOWN: &str = "(not shown)";

/// A witness as a list of columns with their values.
pub(crate) fn as_cells<S: serde::Serializer>(
    cells: &[(String, String)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct Cell<'a> {
        column: &'a str,
        value: &'a str,
    }
    serializer.collect_seq(cells.iter().map(|(column, value)| Cell { column, value }))
}
