//! Batches of Arrow arrays, read as text regardless of their types.

#[cfg(test)]
mod tests;
mod text;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use self::text::{TextArray, as_text, is_supported};
use super::scan::{Fields, RowConsumer, RowError, trimmed};

/// Number of rows converted at a time.
pub(super) const BATCH: usize = 16_384;

/// Returns the first of these columns whose type has no text form.
pub(super) fn unsupported(schema: &Schema, columns: &[usize]) -> Option<usize> {
    columns.iter().copied().find(|column| !is_supported(schema.field(*column).data_type()))
}

/// Columns of a batch as texts.
pub(super) struct Texts {
    columns: Vec<TextArray>,
    rows: usize,
}

impl Texts {
    /// Converts columns of a batch. Returns the index of a column with a value that has no text form.
    pub(super) fn new(batch: &RecordBatch, columns: &[usize]) -> Result<Texts, usize> {
        let text = |column: &usize| as_text(batch.column(*column)).ok_or(*column);
        Ok(Texts { columns: columns.iter().map(text).collect::<Result<_, _>>()?, rows: batch.num_rows() })
    }

    /// Passes the rows to a consumer.
    pub(super) fn read<R: RowConsumer>(&self, trim: bool, rows: &mut R) -> Result<(), RowError> {
        (0..self.rows).try_for_each(|at| rows.row(&TextRow { texts: &self.columns, at, trim }))
    }
}

struct TextRow<'a> {
    texts: &'a [TextArray],
    at: usize,
    trim: bool,
}

impl Fields for TextRow<'_> {
    fn field(&self, at: usize) -> &[u8] {
        let text = self.texts[at].get(self.at).unwrap_or_default().as_bytes();
        if self.trim { trimmed(text) } else { text }
    }
}
