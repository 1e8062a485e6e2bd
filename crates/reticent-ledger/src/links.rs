//! Owner links, as Parquet: which record is about whom, under pseudonyms. Kept apart from everything else.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use reticent::methods::Remembered;
use reticent::{Disguise, Links, Pseudonym};

use crate::bodies::{Hashed, parquet_error};
use crate::error::Result;

/// Whether owners ascend, and every record has its owner; of a release that says how many records are nobody's, whether no owner has more than there are.
pub(crate) fn add_up(links: &Links, records: &[u64], disguise: &Disguise) -> bool {
    // Whoever follows people through releases goes by that.
    if !links.pseudonyms.is_sorted() {
        return false;
    }
    let totals = links.totals(records.len());
    match disguise.counterfeits {
        None => totals == records,
        Some(_) => totals.iter().zip(records).all(|(linked, records)| linked <= records),
    }
}

/// What a method keeps, as links: the mark in place of the combination, and for how many releases a record waited in place of the
/// records.
pub(crate) fn of_remembered(remembered: &[Remembered]) -> Links {
    Links {
        pseudonyms: remembered.iter().map(|one| one.who).collect(),
        combos: remembered.iter().map(|one| one.mark).collect(),
        records: remembered.iter().map(|one| one.waited).collect(),
    }
}

/// The way back.
pub(crate) fn to_remembered(links: &Links) -> Vec<Remembered> {
    let one = |at: usize| Remembered { who: links.pseudonyms[at], mark: links.combos[at], waited: links.records[at] };
    (0..links.len()).map(one).collect()
}

const BATCH: usize = 1 << 16;
const WIDTH: i32 = 16;
const COLUMNS: [&str; 3] = ["pseudonym", "combination", "records"];

/// Writes links, in their order.
pub(crate) fn write(links: &Links, file: &mut Hashed) -> Result<()> {
    let path = file.path().to_owned();
    let failed = |error: ParquetError| parquet_error("write", &path, error);
    let types = [DataType::FixedSizeBinary(WIDTH), DataType::UInt32, DataType::UInt32];
    let fields: Vec<Field> = COLUMNS.iter().zip(types).map(|(name, kind)| Field::new(*name, kind, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Pseudonyms are all different and look like noise: neither a dictionary nor compression helps.
        .set_column_dictionary_enabled(ColumnPath::from(COLUMNS[0]), false)
        .set_column_compression(ColumnPath::from(COLUMNS[0]), Compression::UNCOMPRESSED)
        .set_created_by("reticent".to_owned())
        .build();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..links.len()).step_by(BATCH) {
        let places = start..links.len().min(start + BATCH);
        let pseudonyms = links.pseudonyms[places.clone()].iter().map(|pseudonym| pseudonym.to_be_bytes());
        let pseudonyms = FixedSizeBinaryArray::try_from_iter(pseudonyms).map_err(|error| failed(error.into()))?;
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(pseudonyms),
            Arc::new(UInt32Array::from(links.combos[places.clone()].to_vec())),
            Arc::new(UInt32Array::from(links.records[places].to_vec())),
        ];
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| failed(error.into()))?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Reads links.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Links, String> {
    let wrong = |error: ParquetError| format!("it is no Parquet file: {error}");
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(wrong)?;
    if !builder.schema().fields().iter().map(|field| field.name().as_str()).eq(COLUMNS) {
        return Err("its columns are not those of owner links".to_owned());
    }
    let mut links = Links::default();
    for batch in builder.with_batch_size(BATCH).build().map_err(wrong)? {
        let batch = batch.map_err(|error| format!("it is no Parquet file: {error}"))?;
        let pseudonyms = batch.column(0).as_fixed_size_binary_opt().filter(|array| array.value_length() == WIDTH);
        let pseudonyms = pseudonyms.ok_or("its pseudonyms have another length")?;
        let pseudonym = |bytes: &[u8]| bytes.try_into().map(Pseudonym::from_be_bytes).unwrap_or_default();
        links.pseudonyms.extend((0..pseudonyms.len()).map(|at| pseudonym(pseudonyms.value(at))));
        let numbers = |at: usize| batch.column(at).as_primitive_opt::<UInt32Type>().ok_or("its counts are no numbers");
        links.combos.extend_from_slice(numbers(1)?.values());
        links.records.extend_from_slice(numbers(2)?.values());
    }
    // Whoever follows people through releases goes by that.
    if !links.pseudonyms.is_sorted() {
        return Err("its owners do not ascend".to_owned());
    }
    Ok(links)
}
