//! Helpers of the engine tests: files, engines, naive counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reticent::Counts;
use reticent::contingency::{ContingencyTable, Weight};
use reticent_engine::{CountColumn, CountRequest, Embedded, Engine, Error, Options, Result};

/// Returns a temporary folder that is deleted after the test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a file with these bytes and returns its path.
pub fn file(folder: &tempfile::TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

pub fn open(path: &Path) -> Result<Embedded> {
    Embedded::open(&[path.to_str().unwrap().to_owned()], Options::default())
}

/// Counts all columns of a file.
pub fn count_file(path: &Path) -> Result<Counts> {
    count_all(&open(path)?)
}

/// Counts all columns of a CSV text.
pub fn count_text(text: impl AsRef<[u8]>, options: Options) -> Result<Counts> {
    count_all(&Embedded::from_csv(text.as_ref(), options)?)
}

pub fn count_all(engine: &Embedded) -> Result<Counts> {
    engine.count(&count_request(engine.columns()))
}

/// A request to count these columns without bins.
pub fn count_request<S: AsRef<str>>(names: &[S]) -> CountRequest {
    let column = |name: &S| CountColumn { name: name.as_ref().to_owned(), bins: None };
    CountRequest { columns: names.iter().map(column).collect(), ..CountRequest::default() }
}

/// Counts a file that must be refused as invalid data, and returns the text of the error.
pub fn refusal(path: &Path) -> String {
    let error: Error = count_file(path).expect_err("the file must be refused");
    assert!(error.is_data(), "{error}");
    error.to_string()
}

/// Number of rows of each combination of texts.
pub fn rows(counts: &Counts) -> BTreeMap<Vec<String>, Weight> {
    let texts = |at: usize| {
        let columns = counts.values.iter().zip(&counts.contingency.codes);
        columns.map(|(values, codes)| values[codes[at] as usize].clone()).collect()
    };
    let mut rows = BTreeMap::new();
    for (at, weight) in counts.contingency.weights.iter().enumerate() {
        *rows.entry(texts(at)).or_insert(0) += weight;
    }
    rows
}

/// The counts, computed by a simple loop over the rows.
pub fn naive_counts(names: &[String], rows: &[Vec<String>]) -> Counts {
    let mut values: Vec<Vec<String>> = Vec::new();
    for at in 0..names.len() {
        let mut texts: Vec<String> = rows.iter().map(|row| row[at].clone()).collect();
        texts.sort();
        texts.dedup();
        values.push(texts);
    }
    let mut weights: BTreeMap<Vec<u32>, Weight> = BTreeMap::new();
    for row in rows {
        let codes = row.iter().zip(&values).map(|(text, texts)| texts.binary_search(text).unwrap() as u32);
        *weights.entry(codes.collect()).or_insert(0) += 1;
    }
    let codes = (0..names.len()).map(|at| weights.keys().map(|codes| codes[at]).collect()).collect();
    let contingency = ContingencyTable { codes, weights: weights.into_values().collect(), owners: None };
    Counts { names: names.to_vec(), values, contingency, links: None }
}
