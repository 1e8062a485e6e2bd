//! How data files are read: options from the policy, notes for the steward, and rows that do not fit.

use std::collections::HashSet;

use reticent::policy::Policy;
use reticent::text::pattern;
use reticent::text_format::TextFormat;
use reticent::{Counts, Schema, Table, Type};
use reticent_engine::{Engine, Options};

use crate::context::Context;
use crate::error::{Error, UnfitRow};

/// Maximum number of rows that an error lists for a column.
const MAX_ROWS: usize = 3;

/// Returns the options of the engine for the data of a policy.
pub(crate) fn source_options(policy: &Policy, context: &Context) -> Options {
    Options { formats: policy.formats(), ..text_options(Some(policy), context) }
}

/// Returns the options of the engine for a table that is not the data, such as a release of another program: encoding,
/// delimiter and missing values of the policy, but not its formats.
pub(crate) fn text_options(policy: Option<&Policy>, context: &Context) -> Options {
    let Some(policy) = policy else { return context.engine_options() };
    Options {
        missing: policy.missing_values.clone(),
        encoding: policy.source.encoding.clone(),
        delimiter: policy.source.delimiter,
        sheet: policy.source.sheet.clone(),
        ..context.engine_options()
    }
}

/// Returns notes about files that are not plain UTF-8, and about values that are converted.
pub(crate) fn reading_notes(engine: &dyn Engine, policy: &Policy) -> Vec<String> {
    let mut notes = file_notes(engine);
    let formats = policy.formats();
    let known = formats.iter().filter(|(column, _)| engine.columns().contains(column));
    notes.extend(known.map(|(column, format)| format_note(column, format)));
    notes
}

/// Returns a note for each file that is not plain UTF-8.
pub(crate) fn file_notes(engine: &dyn Engine) -> Vec<String> {
    let mut notes = Vec::new();
    for file in engine.reading() {
        let path = file.path.display();
        if let Some(sheet) = file.sheet {
            notes.push(format!("{path}: the sheet {} was read", sheet.escape_debug()));
        }
        if let Some(encoding) = file.encoding.filter(|encoding| *encoding != "UTF-8") {
            notes.push(format!("{path}: read as {encoding}"));
        }
    }
    notes
}

/// Returns what happens to the values of a column with a format.
pub(crate) fn format_note(column: &str, format: &TextFormat) -> String {
    let (written, becomes) =
        (format.text(), if format.values() == Type::Date { "YYYY-MM-DD" } else { "plain numbers" });
    let years = match format.years_from() {
        Some(from) => format!(", two-digit years as {from} to {}", from + 99),
        None => String::new(),
    };
    format!("{column}: values written `{written}` are read as {becomes}{years}")
}

/// Adds the rows with unfit values to an error about columns.
pub(crate) fn unfit_rows(
    error: reticent::Error,
    engine: &dyn Engine,
    counts: &Counts,
    schema: &Schema,
    context: &Context,
) -> Error {
    let columns: Vec<&String> = match &error {
        reticent::Error::Column { column, .. } => vec![column],
        reticent::Error::Columns { columns } => columns.iter().map(|(column, _)| column).collect(),
        _ => return error.into(),
    };
    let mut rows = Vec::new();
    for column in columns {
        let texts: HashSet<&str> = Table::unfit_texts(counts, schema, column).into_iter().collect();
        // The error is complete without the rows, so a failure to find them is not reported.
        let found =
            if texts.is_empty() { Vec::new() } else { engine.locate(column, &texts, MAX_ROWS).unwrap_or_default() };
        rows.extend(found.into_iter().map(|found| UnfitRow {
            column: column.clone(),
            file: found.file,
            row: found.row,
            pattern: pattern(&found.text),
            has_header: engine.has_header(),
            value: context.shows_values().then_some(found.text),
        }));
    }
    if rows.is_empty() { error.into() } else { Error::Unfit { error: Box::new(error), rows } }
}
