//! Input formats: line ends, byte order marks, delimiters, compression, folders, Parquet types, bins.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int8Array, LargeStringArray, ListArray, RecordBatch, StringArray, TimestampMillisecondArray, UInt64Array,
    types::{Int32Type, Int64Type},
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use reticent_engine::{CountColumn, CountRequest, Embedded, Engine, Options};

use crate::support::{count_all, count_file, count_text, file, folder, open, rows};

const TEXT: &str = "name,town\nAnna,\"Bern, CH\"\nBert,Basel\nAnna,\"Bern, CH\"\n";

fn expected() -> Vec<(Vec<String>, u64)> {
    let row = |name: &str, town: &str| vec![name.to_owned(), town.to_owned()];
    vec![(row("Anna", "Bern, CH"), 2), (row("Bert", "Basel"), 1)]
}

#[track_caller]
fn check(path: &Path) {
    let counts = count_file(path).unwrap();
    assert_eq!(counts.names, ["name", "town"]);
    assert_eq!(rows(&counts).into_iter().collect::<Vec<_>>(), expected());
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn line_ends_byte_order_marks_and_delimiters_are_recognized() {
    let folder = folder();
    check(&file(&folder, "plain.csv", TEXT));
    check(&file(&folder, "mark.csv", format!("\u{feff}{TEXT}")));
    check(&file(&folder, "quoted-mark.csv", format!("\u{feff}\"name\",town{}", &TEXT[9..])));
    check(&file(&folder, "crlf.csv", TEXT.replace('\n', "\r\n")));
    check(&file(&folder, "cr.csv", TEXT.replace('\n', "\r")));
    check(&file(&folder, "no-end.csv", TEXT.trim_end()));
    check(&file(&folder, "spaces.csv", "name , town\n Anna,\"Bern, CH\"\nBert,  Basel \nAnna  ,\"Bern, CH\"\n"));
    for delimiter in [";", "\t", "|"] {
        let quoted = TEXT.replace("\"Bern, CH\"", "@").replace(',', delimiter).replace('@', "\"Bern, CH\"");
        check(&file(&folder, "other.csv", quoted));
    }
}

#[test]
fn compression_is_recognized_by_content_not_by_file_name() {
    let folder = folder();
    check(&file(&folder, "a.csv.gz", gzip(TEXT)));
    check(&file(&folder, "b.csv", gzip(TEXT)));
    check(&file(&folder, "c.csv", [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat()));
    check(&file(&folder, "d.csv", zstd::bulk::compress(TEXT.as_bytes(), 3).unwrap()));
    check(&file(&folder, "e.csv", gzip(&format!("\u{feff}{TEXT}"))));
}

#[test]
fn a_folder_is_read_as_one_table_in_order_of_file_names() {
    let folder = folder();
    file(&folder, "2.csv", "name,town\nAnna,\"Bern, CH\"\n");
    file(&folder, "1.csv.gz", gzip("name,town\nAnna,\"Bern, CH\"\n"));
    file(&folder, "3.TXT", "name;town\nBert;Basel\n");
    file(&folder, "notes.md", "not a table");
    check(folder.path());
    let engine = open(folder.path()).unwrap();
    let names: Vec<_> =
        engine.files().into_iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["1.csv.gz", "2.csv", "3.TXT"]);
}

#[test]
fn spaces_are_kept_if_trim_is_off() {
    let counts = count_text("a , b\n x,y \n", Options { trim: false, ..Options::default() }).unwrap();
    assert_eq!(
        (counts.names, counts.values),
        (vec!["a ".into(), " b".into()], vec![vec![" x".into()], vec!["y ".into()]])
    );
}

#[test]
fn empty_texts_are_counted_as_values() {
    let counts = count_text("a,b\n,\n,x\n\"\",\n", Options::default()).unwrap();
    assert_eq!(counts.values, [vec![""], vec!["", "x"]]);
    assert_eq!(counts.contingency.weights, [2, 1]);
}

#[test]
fn the_last_progress_report_is_the_total() {
    let last = Arc::new(std::sync::Mutex::new((0, 0)));
    let reported = last.clone();
    let progress: reticent_engine::Progress = Arc::new(move |_, done, total| *reported.lock().unwrap() = (done, total));
    count_text(TEXT, Options { progress: Some(progress), ..Options::default() }).unwrap();
    assert_eq!(*last.lock().unwrap(), (TEXT.len() as u64, TEXT.len() as u64));
}

fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn parquet_types_are_read_as_texts() {
    let folder = folder();
    let path = folder.path().join("types.parquet");
    let decimals = Decimal128Array::from(vec![Some(150), None, Some(-5)]).with_precision_and_scale(10, 2).unwrap();
    let words: DictionaryArray<Int32Type> = vec![Some("x"), Some("y"), None].into_iter().collect();
    let columns: Vec<(&str, ArrayRef, [&str; 3])> = vec![
        ("int8", Arc::new(Int8Array::from(vec![Some(-1), Some(2), None])), ["-1", "2", ""]),
        ("uint64", Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None])), ["18446744073709551615", "0", ""]),
        ("float64", Arc::new(Float64Array::from(vec![Some(20.0), Some(0.1), None])), ["20", "0.1", ""]),
        ("float32", Arc::new(Float32Array::from(vec![Some(20.0), Some(0.1), None])), ["20", "0.1", ""]),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])), ["true", "", "false"]),
        ("decimal", Arc::new(decimals), ["1.50", "", "-0.05"]),
        ("date32", Arc::new(Date32Array::from(vec![Some(0), Some(19_000), None])), ["1970-01-01", "2022-01-08", ""]),
        ("date64", Arc::new(Date64Array::from(vec![Some(86_400_000), None, None])), ["1970-01-02", "", ""]),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![Some(0), None, None])), ["1970-01-01T00:00:00", "", ""]),
        ("text", Arc::new(StringArray::from(vec![Some("é, \""), Some(""), None])), ["é, \"", "", ""]),
        ("large", Arc::new(LargeStringArray::from(vec!["a", "b", "c"])), ["a", "b", "c"]),
        ("words", Arc::new(words), ["x", "y", ""]),
    ];
    write_parquet(&path, columns.iter().map(|(name, array, _)| (*name, array.clone())).collect());
    let mut expected: Vec<Vec<String>> =
        (0..3).map(|row| columns.iter().map(|(_, _, texts)| texts[row].to_owned()).collect()).collect();
    expected.sort();
    let found: Vec<Vec<String>> = rows(&count_file(&path).unwrap()).into_keys().collect();
    assert_eq!(found, expected);
}

#[test]
fn parquet_columns_are_read_in_any_order_and_nested_columns_are_refused() {
    let folder = folder();
    let path = folder.path().join("nested.parquet");
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1)]), None, None]);
    let letters = StringArray::from(vec!["a", "b", "a"]);
    let numbers = Int8Array::from(vec![1, 2, 1]);
    write_parquet(&path, vec![("l", Arc::new(lists)), ("t", Arc::new(letters)), ("n", Arc::new(numbers))]);
    let engine = open(&path).unwrap();
    let counts = engine.count(&crate::support::count_request(&["n", "t"])).unwrap();
    assert_eq!(counts.names, ["n", "t"]);
    assert_eq!(
        rows(&counts).into_iter().collect::<Vec<_>>(),
        [(vec!["1".to_owned(), "a".to_owned()], 2), (vec!["2".to_owned(), "b".to_owned()], 1)]
    );
    let error = count_all(&engine).unwrap_err();
    assert!(error.is_data() && error.to_string().contains("column `l`"), "{error}");
}

#[test]
fn bins_replace_a_value_by_the_lower_bound_of_its_bin() {
    let text = "x\n-5\n0\n9.99\n10\n1e1\n25\nNA\n\"\"\n2020-03-01\n";
    let engine = Embedded::from_csv(text.as_bytes(), Options::default()).unwrap();
    let columns = vec![CountColumn { name: "x".to_owned(), bins: Some(vec![0.0, 10.0, 20.0]) }];
    let counts = engine.count(&CountRequest { columns, ..CountRequest::default() }).unwrap();
    let found: Vec<(String, u64)> =
        rows(&counts).into_iter().map(|(mut row, weight)| (row.remove(0), weight)).collect();
    let expected = [("", 1), ("0", 3), ("10", 2), ("1970-01-21", 1), ("20", 1), ("NA", 1)];
    assert_eq!(found, expected.map(|(text, weight)| (text.to_owned(), weight)));
}

#[test]
fn bins_limit_the_memory_of_a_unique_column() {
    let mut text = "x\n".to_owned();
    for at in 0..50_000 {
        text += &format!("{}\n", f64::from(at) / 7.0);
    }
    let options = Options { memory: 200_000, ..Options::default() };
    let engine = Embedded::from_csv(text.as_bytes(), options).unwrap();
    let columns = vec![CountColumn { name: "x".to_owned(), bins: Some((0..100).map(f64::from).collect()) }];
    let counts = engine.count(&CountRequest { columns, ..CountRequest::default() }).unwrap();
    assert_eq!((counts.values[0].len(), counts.contingency.rows()), (100, 50_000));
}

#[test]
fn a_missing_value_is_not_binned_and_does_not_affect_the_type() {
    let text = "x,y\n-1,a\n0,b\n9.5,c\nNA,d\n";
    let missing = vec!["-1".to_owned(), "NA".to_owned()];
    let engine = Embedded::from_csv(text.as_bytes(), Options { missing, ..Options::default() }).unwrap();
    let columns = vec![CountColumn { name: "x".to_owned(), bins: Some(vec![0.0, 5.0]) }];
    let counts = engine.count(&CountRequest { columns, ..CountRequest::default() }).unwrap();
    assert_eq!(counts.values, [["-1", "0", "5", "NA"]]);
    let profile = engine.values(Some(&["x".to_owned()])).unwrap().remove(0);
    assert_eq!(
        (profile.inferred_type, profile.extent, profile.empty),
        (reticent::taxonomy::Type::Number, Some((0.0, 9.5)), 2)
    );
}
