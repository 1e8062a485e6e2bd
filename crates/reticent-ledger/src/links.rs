//! Owner links as Parquet: the person that each record belongs to, under pseudonyms. They are stored separately.

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
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use reticent::republication::PersonState;
use reticent::{Links, Presentation, Pseudonym};

use crate::blobs::{HashingWriter, parquet_error};
use crate::error::{Error, Result};
use crate::hash::Hash;

/// Returns true if the pseudonyms are sorted and the links match the counts of the records. If the release counts
/// counterfeit records, a record may have fewer links than its count.
pub(crate) fn match_records(links: &Links, records: &[u64], presentation: &Presentation) -> bool {
    // Matching people across releases relies on the order.
    if !links.pseudonyms.is_sorted() {
        return false;
    }
    let totals = links.rows_by_cell(records.len());
    match presentation.counterfeit_column {
        None => totals == records,
        Some(_) => totals.iter().zip(records).all(|(linked, records)| linked <= records),
    }
}

/// Encodes the state of a method as links: the value hash replaces the combination, and the number of releases for
/// which a record is withheld replaces the record count.
pub(crate) fn encode_state(states: &[PersonState]) -> Links {
    Links {
        pseudonyms: states.iter().map(|state| state.person).collect(),
        cells: states.iter().map(|state| state.value_mark).collect(),
        records: states.iter().map(|state| state.times_postponed).collect(),
    }
}

/// Decodes the state of a method from links.
pub(crate) fn decode_state(links: &Links) -> Vec<PersonState> {
    let state = |at: usize| PersonState {
        person: links.pseudonyms[at],
        value_mark: links.cells[at],
        times_postponed: links.records[at],
    };
    (0..links.len()).map(state).collect()
}

const BATCH: usize = 1 << 16;
const PSEUDONYM_BYTES: i32 = 16;
const COLUMNS: [&str; 3] = ["pseudonym", "combination", "records"];

/// Writes links in their order, with random bytes.
///
/// The hash of the file stays in the ledger after an erasure. Without the random bytes, the holder of the key could compute
/// the hash with each person instead of the stand-in, and find out who was erased.
pub(crate) fn write(links: &Links, file: &mut HashingWriter) -> Result<()> {
    let path = file.path().to_owned();
    let mut salt = [0; 32];
    getrandom::fill(&mut salt)
        .map_err(|error| Error::io("draw random bytes for", &path, std::io::Error::other(error)))?;
    let salt = KeyValue::new("salt".to_owned(), Hash::digest(&salt).to_string());
    let failed = |error: ParquetError| parquet_error("write", &path, error);
    let types = [DataType::FixedSizeBinary(PSEUDONYM_BYTES), DataType::UInt32, DataType::UInt32];
    let fields: Vec<Field> = COLUMNS.iter().zip(types).map(|(name, kind)| Field::new(*name, kind, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Pseudonyms are distinct and random, so neither a dictionary nor compression helps.
        .set_column_dictionary_enabled(ColumnPath::from(COLUMNS[0]), false)
        .set_column_compression(ColumnPath::from(COLUMNS[0]), Compression::UNCOMPRESSED)
        .set_created_by("reticent".to_owned())
        .set_key_value_metadata(Some(vec![salt]))
        .build();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..links.len()).step_by(BATCH) {
        let places = start..links.len().min(start + BATCH);
        let pseudonyms = links.pseudonyms[places.clone()].iter().map(|pseudonym| pseudonym.to_be_bytes());
        let pseudonyms = FixedSizeBinaryArray::try_from_iter(pseudonyms).map_err(|error| failed(error.into()))?;
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(pseudonyms),
            Arc::new(UInt32Array::from(links.cells[places.clone()].to_vec())),
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
    let wrong = |error: ParquetError| format!("the file is not valid Parquet: {error}");
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(wrong)?;
    if !builder.schema().fields().iter().map(|field| field.name().as_str()).eq(COLUMNS) {
        return Err("the columns are not those of owner links".to_owned());
    }
    let mut links = Links::default();
    for batch in builder.with_batch_size(BATCH).build().map_err(wrong)? {
        let batch = batch.map_err(|error| format!("the file is not valid Parquet: {error}"))?;
        let pseudonyms =
            batch.column(0).as_fixed_size_binary_opt().filter(|array| array.value_length() == PSEUDONYM_BYTES);
        let pseudonyms = pseudonyms.ok_or("the pseudonyms do not have 16 bytes")?;
        let pseudonym = |bytes: &[u8]| bytes.try_into().map(Pseudonym::from_be_bytes).unwrap_or_default();
        links.pseudonyms.extend((0..pseudonyms.len()).map(|at| pseudonym(pseudonyms.value(at))));
        let numbers = |at: usize| batch.column(at).as_primitive_opt::<UInt32Type>().ok_or("the counts are not numbers");
        links.cells.extend_from_slice(numbers(1)?.values());
        links.records.extend_from_slice(numbers(2)?.values());
    }
    // Matching people across releases relies on the order.
    if !links.pseudonyms.is_sorted() {
        return Err("the pseudonyms are not sorted".to_owned());
    }
    Ok(links)
}
