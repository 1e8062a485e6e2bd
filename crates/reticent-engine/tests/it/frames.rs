//! Tables in memory, compared with Parquet files of the same batches.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, Date32Array, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    StringViewArray, TimestampMillisecondArray,
};
use parquet::arrow::ArrowWriter;
use reticent_engine::{CountRequest, Embedded, Engine, Frame, Options, OwnerKey};

use crate::support::{count_all, count_request, folder, open, rows};

fn batch(from: usize, rows: usize) -> RecordBatch {
    let at = from..from + rows;
    let towns = ["Bern", "Basel", "", " Genf"];
    let town: StringViewArray = at.clone().map(|row| (row % 7 != 0).then(|| towns[row % 4])).collect();
    let age: Int64Array = at.clone().map(|row| (row % 11 != 0).then_some((row % 90) as i64)).collect();
    let weight: Float64Array = at.clone().map(|row| Some(50.0 + (row % 5) as f64 / 2.0)).collect();
    let born: Date32Array = at.clone().map(|row| Some((row % 3000) as i32)).collect();
    let job: DictionaryArray<Int32Type> =
        at.clone().map(|row| (row % 13 != 0).then_some(["nurse", "cook"][row % 2])).collect();
    let id: StringArray = at.map(|row| Some(format!("p{}", row / 2))).collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("town", Arc::new(town)),
        ("age", Arc::new(age)),
        ("weight", Arc::new(weight)),
        ("born", Arc::new(born)),
        ("job", Arc::new(job)),
        ("id", Arc::new(id)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
}

fn frame(batches: &[RecordBatch]) -> Frame {
    Frame::new(batches[0].schema(), batches.to_vec())
}

fn parquet(path: &Path, batches: &[RecordBatch]) -> Embedded {
    let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    open(path).unwrap()
}

#[test]
fn a_frame_counts_as_the_file_with_its_rows() {
    let folder = folder();
    // The second batch has several chunks, and an empty one.
    let batches = [batch(0, 100), batch(100, 150_000), batch(0, 0), batch(7, 1)];
    let in_file = parquet(&folder.path().join("a.parquet"), &batches);
    let in_memory = Embedded::open_frame(&frame(&batches), Options::default()).unwrap();
    assert_eq!(in_memory.columns(), in_file.columns());
    for columns in [vec!["town", "job"], vec!["job", "age", "town"], vec!["weight", "born"]] {
        let request = count_request(&columns);
        assert_eq!(rows(&in_memory.count(&request).unwrap()), rows(&in_file.count(&request).unwrap()), "{columns:?}");
    }
    assert_eq!(in_memory.values(None).unwrap(), in_file.values(None).unwrap());
    let owned = CountRequest { owner: Some("id".to_owned()), ..count_request(&["town"]) };
    let linked = CountRequest { key: Some(OwnerKey::new([7; 32])), ..owned.clone() };
    for request in [owned, linked] {
        let (memory, file) = (in_memory.count(&request).unwrap(), in_file.count(&request).unwrap());
        assert_eq!(memory.without_owners(), file.without_owners());
        assert_eq!(memory.links, file.links);
    }
}

#[test]
fn rows_of_a_frame_can_be_located() {
    let engine = Embedded::open_frame(&frame(&[batch(0, 10), batch(10, 10)]), Options::default()).unwrap();
    let found = engine.locate("age", &["12"].into(), 3).unwrap();
    assert_eq!((found.len(), found[0].row), (1, 13));
    assert_eq!(found[0].file, Path::new("data frame"));
}

#[track_caller]
fn refused(array: ArrayRef) -> String {
    let batch = RecordBatch::try_from_iter([("secret", array)]).unwrap();
    let engine = Embedded::open_frame(&frame(&[batch]), Options::default()).unwrap();
    let error = count_all(&engine).expect_err("the frame must be refused");
    assert!(error.is_data(), "{error}");
    error.to_string()
}

#[test]
fn columns_without_a_text_form_are_errors_with_their_type() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(4711)])]);
    let zone = TimestampMillisecondArray::from(vec![1_700_000_000_000]).with_timezone("Europe/Berlin");
    let cases: [(ArrayRef, &str); 2] = [(Arc::new(list), "List"), (Arc::new(zone), "Europe/Berlin")];
    for (array, of_type) in cases {
        let text = refused(array);
        assert!(text.contains("secret") && text.contains(of_type), "{text}");
        assert!(!text.contains("4711") && !text.contains("17000"), "{text}");
    }
}

#[test]
fn a_frame_without_rows_has_no_combinations() {
    let engine = Embedded::open_frame(&Frame::new(batch(0, 0).schema(), Vec::new()), Options::default()).unwrap();
    assert!(count_all(&engine).unwrap().contingency.is_empty());
}

#[test]
fn two_columns_with_one_name_are_an_error() {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let fields = ["a", "b", "a"].map(|name| arrow_schema::Field::new(name, column.data_type().clone(), true));
    let schema = Arc::new(arrow_schema::Schema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(schema, vec![column.clone(), column.clone(), column]).unwrap();
    let text = Embedded::open_frame(&frame(&[batch]), Options::default()).unwrap_err().to_string();
    assert!(text.contains("columns 1 and 3 have the same name"), "{text}");
}
