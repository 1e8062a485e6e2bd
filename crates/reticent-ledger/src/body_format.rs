//! Records of a release as Parquet: every distinct record once, with its count.
//!
//! The columns contain the published texts, dictionary-encoded, so that every Parquet tool can read them. The last
//! column is the count. The metadata of the file describes the columns.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use reticent::contingency::ContingencyTable;
use reticent::taxonomy::{Code, Type};
use reticent::{Counts, Role};
use serde::{Deserialize, Serialize};

use crate::blobs::{HashingWriter, parquet_error};
use crate::entry::FORMAT;
use crate::error::{Error, Result};
use crate::hash::Hash;

/// Name of the count column.
const COUNT_COLUMN: &str = "reticent.records";
/// Key of the column description in the metadata of the file.
const METADATA_KEY: &str = "reticent";
const BATCH: usize = 1 << 16;
/// Size limit in bytes below which a column stays dictionary-encoded.
const DICTIONARY_BYTES: usize = 64 << 20;

/// Published records as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Description of the columns.
    pub columns: Vec<BodyColumn>,
    /// Distinct records and their counts, without owners.
    pub counts: Counts,
}

/// Description of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyColumn {
    /// Name of the column.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// Type of the values.
    #[serde(rename = "type")]
    pub values: Type,
    /// Domain of the texts.
    pub tree: BodyTree,
    /// Texts that mean a missing value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Meaning of the texts that are not nodes of the domain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub published: BTreeMap<String, Published>,
}

/// Meaning of a published text that is not a node of a taxonomy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Published {
    /// One of these leaves.
    Leaves(Vec<String>),
    /// A leaf of a range, in the order of the taxonomy.
    Range {
        /// First leaf.
        from: String,
        /// Last leaf.
        to: String,
    },
    /// A number or date in an interval.
    Interval {
        /// Lower bound; none if unbounded.
        low: Option<f64>,
        /// Upper bound; none if unbounded.
        high: Option<f64>,
        /// True if the interval includes the lower bound.
        low_included: bool,
        /// True if the interval includes the upper bound.
        high_included: bool,
    },
}

/// Domain of the texts of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyTree {
    /// Plain values and `*`.
    Flat,
    /// Texts that are recognised by their form: intervals, masked digits, `*`.
    Recognised,
    /// Nodes of a taxonomy, which is a stored file.
    Taxonomy(Hash),
}

#[derive(Serialize, Deserialize)]
struct Description {
    format: u32,
    columns: Vec<BodyColumn>,
}

/// Writes the records of a release.
pub(crate) fn write(body: &Body, file: &mut HashingWriter) -> Result<()> {
    let path = file.path().to_owned();
    let failed = |error: ParquetError| parquet_error("write", &path, error);
    let description = Description { format: FORMAT, columns: body.columns.clone() };
    let description = serde_json::to_string(&description).map_err(|error| Error::Unfit(error.to_string()))?;
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields: Vec<Field> =
        body.columns.iter().map(|column| Field::new(&column.name, text.clone(), false)).collect();
    fields.push(Field::new(COUNT_COLUMN, DataType::UInt64, false));
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_created_by("reticent".to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(METADATA_KEY.to_owned(), description)]))
        .build();
    let of_texts = |texts: &Vec<String>| Arc::new(StringArray::from_iter_values(texts)) as ArrayRef;
    let texts: Vec<ArrayRef> = body.counts.values.iter().map(of_texts).collect();
    let contingency = &body.counts.contingency;
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..contingency.len()).step_by(BATCH) {
        let places = start..contingency.len().min(start + BATCH);
        let mut arrays = Vec::with_capacity(texts.len() + 1);
        for (codes, texts) in contingency.codes.iter().zip(&texts) {
            let keys = Int32Array::from_iter_values(codes[places.clone()].iter().map(|code| *code as i32));
            let array = DictionaryArray::<Int32Type>::try_new(keys, texts.clone());
            arrays.push(Arc::new(array.map_err(|error| failed(error.into()))?) as ArrayRef);
        }
        arrays.push(Arc::new(UInt64Array::from(contingency.weights[places].to_vec())));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| failed(error.into()))?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Reads the records of a release. The texts of every column are sorted.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Body, String> {
    let wrong = |error: ParquetError| format!("the file is not valid Parquet: {error}");
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(wrong)?;
    let metadata = builder.metadata().file_metadata().key_value_metadata();
    let description = metadata
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == METADATA_KEY))
        .and_then(|pair| pair.value.clone());
    let description = description.ok_or("the file does not describe its columns")?;
    let description: Description = serde_json::from_str(&description)
        .map_err(|error| format!("the description of the columns cannot be read: {error}"))?;
    if description.format > FORMAT {
        return Err(format!(
            "the file has format {}, but this program supports formats up to {FORMAT}",
            description.format
        ));
    }
    let names: Vec<&str> = builder.schema().fields().iter().map(|field| field.name().as_str()).collect();
    if !names.iter().copied().eq(description.columns.iter().map(|column| column.name.as_str()).chain([COUNT_COLUMN])) {
        return Err("the columns differ from their description".to_owned());
    }
    let mut columns: Vec<ColumnDecoder> = description.columns.iter().map(|_| ColumnDecoder::default()).collect();
    let mut weights = Vec::new();
    for batch in builder.with_batch_size(BATCH).build().map_err(wrong)? {
        let batch = batch.map_err(|error| format!("the file is not valid Parquet: {error}"))?;
        let (counts, texts) = batch.columns().split_last().ok_or("the file has no columns")?;
        let counts = counts.as_primitive_opt::<UInt64Type>().ok_or("the counts are not numbers")?;
        weights.extend_from_slice(counts.values());
        columns.par_iter_mut().zip(texts).try_for_each(|(column, array)| column.append(array))?;
    }
    let (values, codes): (Vec<_>, Vec<_>) = columns.into_par_iter().map(ColumnDecoder::into_sorted).unzip();
    let names = description.columns.iter().map(|column| column.name.clone()).collect();
    let contingency = ContingencyTable { codes, weights, owners: None };
    Ok(Body { columns: description.columns, counts: Counts { names, values, contingency, links: None } })
}

/// Texts of a column in order of appearance, and the codes of its cells.
#[derive(Default)]
struct ColumnDecoder {
    texts: Vec<String>,
    /// Index of each text in `texts`.
    index: HashTable<Code>,
    hasher: DefaultHashBuilder,
    codes: Vec<Code>,
    /// Dictionary of the last batch and its codes. The next batch often has the same dictionary.
    last: Option<(ArrayRef, Vec<Code>)>,
}

impl ColumnDecoder {
    fn append(&mut self, array: &ArrayRef) -> Result<(), String> {
        let array = array.as_dictionary_opt::<Int32Type>().ok_or("a column does not contain texts")?;
        if array.null_count() > 0 {
            return Err("a cell is empty".to_owned());
        }
        let same = self.last.as_ref().is_some_and(|(values, _)| values.to_data().ptr_eq(&array.values().to_data()));
        if !same {
            let texts = array.values().as_string_opt::<i32>().ok_or("a column does not contain texts")?;
            let codes = texts.iter().map(|text| self.code(text.unwrap_or_default())).collect();
            self.last = Some((array.values().clone(), codes));
        }
        if let Some((_, codes)) = &self.last {
            let code = |key: &i32| codes.get(*key as usize).copied();
            let taken: Option<Vec<Code>> = array.keys().values().iter().map(code).collect();
            self.codes.extend(taken.ok_or("a cell has no text")?);
        }
        Ok(())
    }

    fn code(&mut self, text: &str) -> Code {
        let ColumnDecoder { texts, index, hasher, .. } = self;
        let same = |code: &Code| texts[*code as usize] == text;
        let hash = |code: &Code| hasher.hash_one(texts[*code as usize].as_str());
        match index.entry(hasher.hash_one(text), same, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let code = *new.insert(texts.len() as Code).get();
                texts.push(text.to_owned());
                code
            }
        }
    }

    /// Returns the texts that occur in a cell, sorted, and the code of each cell.
    fn into_sorted(mut self) -> (Vec<String>, Vec<Code>) {
        let mut used = vec![false; self.texts.len()];
        self.codes.iter().for_each(|code| used[*code as usize] = true);
        let texts = self.texts.into_iter().zip(0..);
        let mut texts: Vec<(String, Code)> = texts.filter(|(_, code)| used[*code as usize]).collect();
        // The texts are nearly always already sorted.
        texts.sort();
        let mut places = vec![0; used.len()];
        for (place, (_, code)) in texts.iter().enumerate() {
            places[*code as usize] = place as Code;
        }
        self.codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        (texts.into_iter().map(|(text, _)| text).collect(), self.codes)
    }
}
