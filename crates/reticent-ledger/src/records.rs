//! The body of a release, as Parquet: every different record once, with how many records are like it.
//!
//! The columns hold the published texts, dictionary-encoded, so that anybody can read a body with any Parquet tool; the
//! last column is the count. What each column is stands in the file's metadata.

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
use reticent::combos::Combos;
use reticent::taxonomy::{Code, Type};
use reticent::{Counts, Role};
use serde::{Deserialize, Serialize};

use crate::bodies::{Hashed, parquet_error};
use crate::entry::FORMAT;
use crate::error::{Error, Result};
use crate::hash::Hash;

/// The name of the last column.
const COUNT: &str = "reticent.records";
/// Under which the description of the columns stands in the file.
const ABOUT: &str = "reticent";
const BATCH: usize = 1 << 16;
/// Dictionaries up to this size stay dictionaries.
const DICTIONARY_BYTES: usize = 64 << 20;

/// What was published, as texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// What each column is.
    pub columns: Vec<BodyColumn>,
    /// The different records with their counts, without owners.
    pub counts: Counts,
}

/// What a column of a body is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyColumn {
    /// Its name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// What its values are.
    #[serde(rename = "type")]
    pub values: Type,
    /// What its texts are nodes of.
    pub tree: BodyTree,
    /// The texts that stand for no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// By text that is no node: what it stands for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub published: BTreeMap<String, Published>,
}

/// What a published text stands for, where it is no node of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Published {
    /// One of these leaves.
    Leaves(Vec<String>),
    /// A leaf from the first to the last of these, in the order of the taxonomy.
    Range {
        /// The first leaf.
        from: String,
        /// The last leaf.
        to: String,
    },
    /// A number or date between these bounds.
    Interval {
        /// The lower bound; none if there is none.
        low: Option<f64>,
        /// The upper bound; none if there is none.
        high: Option<f64>,
        /// Whether the lower bound belongs to it.
        low_included: bool,
        /// Whether the upper bound belongs to it.
        high_included: bool,
    },
}

/// What the texts of a column are nodes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyTree {
    /// Plain values, and `*`.
    Flat,
    /// Whatever can be recognised in them: intervals, masked digits, `*`.
    Recognised,
    /// A taxonomy that is a body of its own.
    Taxonomy(Hash),
}

#[derive(Serialize, Deserialize)]
struct About {
    format: u32,
    columns: Vec<BodyColumn>,
}

/// Writes a body.
pub(crate) fn write(body: &Body, file: &mut Hashed) -> Result<()> {
    let path = file.path().to_owned();
    let failed = |error: ParquetError| parquet_error("write", &path, error);
    let about = About { format: FORMAT, columns: body.columns.clone() };
    let about = serde_json::to_string(&about).map_err(|error| Error::Unfit(error.to_string()))?;
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields: Vec<Field> =
        body.columns.iter().map(|column| Field::new(&column.name, text.clone(), false)).collect();
    fields.push(Field::new(COUNT, DataType::UInt64, false));
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_created_by("reticent".to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(ABOUT.to_owned(), about)]))
        .build();
    let of_texts = |texts: &Vec<String>| Arc::new(StringArray::from_iter_values(texts)) as ArrayRef;
    let texts: Vec<ArrayRef> = body.counts.values.iter().map(of_texts).collect();
    let combos = &body.counts.combos;
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..combos.len()).step_by(BATCH) {
        let places = start..combos.len().min(start + BATCH);
        let mut arrays = Vec::with_capacity(texts.len() + 1);
        for (codes, texts) in combos.codes.iter().zip(&texts) {
            let keys = Int32Array::from_iter_values(codes[places.clone()].iter().map(|code| *code as i32));
            let array = DictionaryArray::<Int32Type>::try_new(keys, texts.clone());
            arrays.push(Arc::new(array.map_err(|error| failed(error.into()))?) as ArrayRef);
        }
        arrays.push(Arc::new(UInt64Array::from(combos.weights[places].to_vec())));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| failed(error.into()))?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

/// Reads a body: texts ascending, combinations ascending.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Body, String> {
    let wrong = |error: ParquetError| format!("it is no Parquet file: {error}");
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).map_err(wrong)?;
    let metadata = builder.metadata().file_metadata().key_value_metadata();
    let about =
        metadata.and_then(|pairs| pairs.iter().find(|pair| pair.key == ABOUT)).and_then(|pair| pair.value.clone());
    let about = about.ok_or("it does not say what its columns are")?;
    let about: About = serde_json::from_str(&about).map_err(|error| format!("its columns cannot be read: {error}"))?;
    if about.format > FORMAT {
        return Err(format!("it has format {}, and this program knows formats up to {FORMAT}", about.format));
    }
    let names: Vec<&str> = builder.schema().fields().iter().map(|field| field.name().as_str()).collect();
    if !names.iter().copied().eq(about.columns.iter().map(|column| column.name.as_str()).chain([COUNT])) {
        return Err("its columns are not those that it describes".to_owned());
    }
    let mut columns: Vec<Texts> = about.columns.iter().map(|_| Texts::default()).collect();
    let mut weights = Vec::new();
    for batch in builder.with_batch_size(BATCH).build().map_err(wrong)? {
        let batch = batch.map_err(|error| format!("it is no Parquet file: {error}"))?;
        let (counts, texts) = batch.columns().split_last().ok_or("it has no columns")?;
        let counts = counts.as_primitive_opt::<UInt64Type>().ok_or("its counts are no numbers")?;
        weights.extend_from_slice(counts.values());
        columns.par_iter_mut().zip(texts).try_for_each(|(column, array)| column.take(array))?;
    }
    let (values, codes): (Vec<_>, Vec<_>) = columns.into_par_iter().map(Texts::ascending).unzip();
    let names = about.columns.iter().map(|column| column.name.clone()).collect();
    let combos = Combos { codes, weights, owners: None };
    Ok(Body { columns: about.columns, counts: Counts { names, values, combos, links: None } })
}

/// The texts of a column as they are met, and the codes of its cells.
#[derive(Default)]
struct Texts {
    met: Vec<String>,
    /// By text: its place among those that were met.
    code: HashTable<Code>,
    hasher: DefaultHashBuilder,
    codes: Vec<Code>,
    /// The dictionary of the last batch, which the next one often shares, and its codes.
    last: Option<(ArrayRef, Vec<Code>)>,
}

impl Texts {
    fn take(&mut self, array: &ArrayRef) -> Result<(), String> {
        let array = array.as_dictionary_opt::<Int32Type>().ok_or("a column holds no texts")?;
        if array.null_count() > 0 {
            return Err("a cell is empty".to_owned());
        }
        let same = self.last.as_ref().is_some_and(|(values, _)| values.to_data().ptr_eq(&array.values().to_data()));
        if !same {
            let texts = array.values().as_string_opt::<i32>().ok_or("a column holds no texts")?;
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
        let Texts { met, code, hasher, .. } = self;
        let same = |code: &Code| met[*code as usize] == text;
        let hash = |code: &Code| hasher.hash_one(met[*code as usize].as_str());
        match code.entry(hasher.hash_one(text), same, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let code = *new.insert(met.len() as Code).get();
                met.push(text.to_owned());
                code
            }
        }
    }

    /// The texts that stand in some cell, ascending, and by cell their places.
    fn ascending(mut self) -> (Vec<String>, Vec<Code>) {
        let mut used = vec![false; self.met.len()];
        self.codes.iter().for_each(|code| used[*code as usize] = true);
        let met = self.met.into_iter().zip(0..);
        let mut texts: Vec<(String, Code)> = met.filter(|(_, code)| used[*code as usize]).collect();
        // Nearly always they are met like that.
        texts.sort();
        let mut places = vec![0; used.len()];
        for (place, (_, code)) in texts.iter().enumerate() {
            places[*code as usize] = place as Code;
        }
        self.codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        (texts.into_iter().map(|(text, _)| text).collect(), self.codes)
    }
}
