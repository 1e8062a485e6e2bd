//! Parquet: integers, numbers and dates with their own types if the texts can be restored, everything else as text.

use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use reticent::Counts;
use reticent::contingency::Weight;
use reticent::taxonomy::{Code, Type, parse_date, parse_number, scale_text};

use super::{PartialFile, WriteProgress};
use crate::error::Result;

const BATCH_ROWS: usize = 1 << 16;
const GROUP_ROWS: usize = 1 << 20;

/// Writes the rows in this order. Parquet has no formulas, so no cell is neutralised.
pub(super) fn write(
    rows: &Counts,
    order: impl Iterator<Item = Vec<u32>>,
    file: &PartialFile,
    mut progress: WriteProgress,
) -> Result<Weight> {
    let failed = |error: String| file.failed(std::io::Error::other(error));
    let columns: Vec<TypedColumn> = rows.values.iter().map(|texts| TypedColumn::new(texts)).collect();
    let fields = rows.names.iter().zip(&columns).map(|(name, cells)| Field::new(name, cells.data_type(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let buffered = BufWriter::new(&file.file);
    let mut writer =
        ArrowWriter::try_new(buffered, schema.clone(), Some(properties)).map_err(|error| failed(error.to_string()))?;
    for indices in order {
        for indices in indices.chunks(BATCH_ROWS) {
            let arrays = columns
                .iter()
                .zip(&rows.contingency.codes)
                .map(|(cells, codes)| cells.array(indices.iter().map(|index| codes[*index as usize])));
            let batch =
                RecordBatch::try_new(schema.clone(), arrays.collect()).map_err(|error| failed(error.to_string()))?;
            writer.write(&batch).map_err(|error| failed(error.to_string()))?;
            progress.add(indices.len())?;
        }
    }
    let buffered = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    buffered.into_inner().map_err(|error| file.failed(error.into_error()))?;
    Ok(0)
}

/// Values of a column by code; none for an empty text.
pub(crate) enum TypedColumn {
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Date(Vec<Option<i32>>),
    Text(Vec<Option<String>>),
}

impl TypedColumn {
    /// Chooses the narrowest type from which every text can be restored.
    pub(crate) fn new(texts: &[String]) -> TypedColumn {
        if texts.iter().all(|text| text.is_empty()) {
            return TypedColumn::Text(vec![None; texts.len()]);
        }
        let whole = |text: &str| text.parse().ok().filter(|number: &i64| number.to_string() == text);
        let number = |text: &str| parse_number(text).filter(|number| scale_text(Type::Number, *number) == text);
        let day =
            |text: &str| parse_date(text).filter(|day| scale_text(Type::Date, *day) == text).map(|day| day as i32);
        None.or_else(|| convert_all(texts, whole).map(TypedColumn::Whole))
            .or_else(|| convert_all(texts, number).map(TypedColumn::Number))
            .or_else(|| convert_all(texts, day).map(TypedColumn::Date))
            .unwrap_or_else(|| {
                TypedColumn::Text(texts.iter().map(|text| (!text.is_empty()).then(|| text.clone())).collect())
            })
    }

    pub(crate) fn data_type(&self) -> DataType {
        match self {
            TypedColumn::Whole(_) => DataType::Int64,
            TypedColumn::Number(_) => DataType::Float64,
            TypedColumn::Date(_) => DataType::Date32,
            TypedColumn::Text(_) => DataType::Utf8,
        }
    }

    pub(crate) fn array(&self, codes: impl Iterator<Item = Code>) -> ArrayRef {
        match self {
            TypedColumn::Whole(cells) => Arc::new(codes.map(|code| cells[code as usize]).collect::<Int64Array>()),
            TypedColumn::Number(cells) => Arc::new(codes.map(|code| cells[code as usize]).collect::<Float64Array>()),
            TypedColumn::Date(cells) => Arc::new(codes.map(|code| cells[code as usize]).collect::<Date32Array>()),
            TypedColumn::Text(cells) => {
                Arc::new(codes.map(|code| cells[code as usize].as_deref()).collect::<StringArray>())
            }
        }
    }
}

/// Converts all texts, empty ones to none; returns none if a text has another type.
fn convert_all<T>(texts: &[String], cell: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
    texts.iter().map(|text| if text.is_empty() { Some(None) } else { cell(text).map(Some) }).collect()
}
