//! Batches of Arrow arrays, read as text regardless of their types.

#[cfg(test)]
mod tests;
mod text;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::Schema;
use reticent::contingency::Weight;

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
    /// Weight of each row; each has the weight 1 if none.
    weights: Option<Int64Array>,
}

impl Texts {
    /// Converts columns of a batch. Returns the index of a column with a value that has no text form.
    pub(super) fn new(batch: &RecordBatch, columns: &[usize]) -> Result<Texts, usize> {
        let text = |column: &usize| as_text(batch.column(*column)).ok_or(*column);
        let columns = columns.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Texts { columns, rows: batch.num_rows(), weights: None })
    }

    /// Gives each row a weight.
    #[cfg(feature = "sql")]
    pub(super) fn with_weights(self, weights: Int64Array) -> Texts {
        Texts { weights: Some(weights), ..self }
    }

    /// Passes the rows to a consumer.
    pub(super) fn read<R: RowConsumer>(&self, trim: bool, rows: &mut R) -> Result<(), RowError> {
        (0..self.rows).try_for_each(|at| {
            let weight = self.weights.as_ref().map_or(1, |weights| weights.value(at).max(0) as Weight);
            rows.row(&TextRow { texts: &self.columns, at, trim, weight })
        })
    }
}

struct TextRow<'a> {
    texts: &'a [TextArray],
    at: usize,
    trim: bool,
    weight: Weight,
}

impl Fields for TextRow<'_> {
    fn field(&self, at: usize) -> &[u8] {
        let text = self.texts[at].get(self.at).unwrap_or_default().as_bytes();
        if self.trim { trimmed(text) } else { text }
    }

    fn weight(&self) -> Weight {
        self.weight
    }
}
