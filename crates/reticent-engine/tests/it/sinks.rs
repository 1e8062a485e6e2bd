//! Output files: complete or absent, in an order that depends only on the seed and the rows, and equal when read back.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use reticent::Counts;
use reticent::contingency::ContingencyTable;
use reticent_engine::{
    Compression, Error, Format, Options, Sink, csv_text, read_back, read_back_with_owners, write_rows,
};

use crate::support::{count_text, folder, naive_counts, rows};

const FORMATS: [Format; 4] =
    [Format::Csv(Compression::None), Format::Csv(Compression::Gzip), Format::Csv(Compression::Zstd), Format::Parquet];

fn sink(path: PathBuf, format: Format) -> Sink {
    Sink { path, format, seed: 42 }
}

fn written(counts: &Counts, seed: u64) -> String {
    let folder = folder();
    let sink = Sink { path: folder.path().join("out"), format: FORMATS[0], seed };
    write_rows(counts, &sink, &Options::default()).unwrap();
    std::fs::read_to_string(&sink.path).unwrap()
}

fn counts_of(rows: &[&[&str]]) -> Counts {
    let names: Vec<String> = (0..rows[0].len()).map(|at| format!("c{at}")).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()).collect();
    naive_counts(&names, &rows)
}

#[test]
fn delimiters_quotes_and_empty_records_are_quoted() {
    let text = written(&counts_of(&[&["a,b", "say \"hi\""]]), 1);
    assert_eq!(text, "c0,c1\n\"a,b\",\"say \"\"hi\"\"\"\n");
    assert_eq!(written(&counts_of(&[&[""]]), 1), "c0\n\"\"\n");
    assert_eq!(written(&counts_of(&[&["", ""]]), 1), "c0,c1\n,\n");
}

#[test]
fn spreadsheet_formulas_are_neutralised_and_counted() {
    let mut counts = counts_of(&[&["=1+1", "-5"], &["=1+1", "+x"], &["@a", "3"], &["\tb", "-"]]);
    counts.names[1] = "=name".to_owned();
    let folder = folder();
    let sink = sink(folder.path().join("out.csv"), FORMATS[0]);
    let written = write_rows(&counts, &sink, &Options::default()).unwrap();
    assert_eq!((written.rows, written.neutralised), (4, 7));
    let text = std::fs::read_to_string(&sink.path).unwrap();
    assert!(text.starts_with("c0,'=name\n") && text.contains("'=1+1,-5\n") && text.contains("'\tb,'-\n"), "{text}");
    assert_eq!((&*csv_text("=a"), &*csv_text("-1.5"), &*csv_text("a=b")), ("'=a", "-1.5", "a=b"));
}

#[test]
fn typed_parquet_columns_are_read_back_as_the_same_texts() {
    let columns: [&[&str]; 7] = [
        &["1", "-20", ""],
        &["1.5", "2", ""],
        &["2020-02-29", "1969-12-31", ""],
        &["007", "1", "2"],
        &["[20,30)", "*", "=x"],
        &["", "", ""],
        &["9223372036854775807", "9223372036854775808", "1"],
    ];
    let names: Vec<String> = (0..columns.len()).map(|at| format!("c{at}")).collect();
    let table: Vec<Vec<String>> =
        (0..3).map(|row| columns.iter().map(|texts| texts[row].to_owned()).collect()).collect();
    let counts = naive_counts(&names, &table);
    let folder = folder();
    let sink = sink(folder.path().join("out.parquet"), Format::Parquet);
    write_rows(&counts, &sink, &Options::default()).unwrap();
    assert_eq!(read_back(&sink.path, &Options::default()).unwrap(), counts);
    let file = std::fs::File::open(&sink.path).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let types: Vec<String> = reader.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Int64", "Float64", "Date32", "Utf8", "Utf8", "Utf8", "Utf8"]);
}

#[test]
fn a_release_without_rows_has_only_a_header() {
    let counts = naive_counts(&["a".to_owned(), "b".to_owned()], &[]);
    assert_eq!(written(&counts, 1), "a,b\n");
    let folder = folder();
    let sink = sink(folder.path().join("out.parquet"), Format::Parquet);
    write_rows(&counts, &sink, &Options::default()).unwrap();
    assert_eq!(read_back(&sink.path, &Options::default()).unwrap(), counts);
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let folder = folder();
    let path = folder.path().join("out.csv");
    std::fs::write(&path, "precious").unwrap();
    let error = write_rows(&counts_of(&[&["1"]]), &sink(path.clone(), FORMATS[0]), &Options::default()).unwrap_err();
    assert!(matches!(error, Error::OutputExists { .. }) && !error.is_data(), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_missing_output_folder_is_an_error() {
    let counts = counts_of(&[&["1"]]);
    for format in FORMATS {
        let error = write_rows(&counts, &sink("/no/such/folder/out".into(), format), &Options::default()).unwrap_err();
        assert!(!error.is_data() && error.to_string().contains("could not create"), "{error}");
    }
}

#[test]
fn a_cancelled_write_leaves_no_file() {
    let rows: Vec<[String; 1]> = (0..200_000).map(|at| [format!("{at}")]).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    let counts = naive_counts(&["a".to_owned()], &rows);
    for format in FORMATS {
        let folder = folder();
        let stop = Arc::new(AtomicBool::new(false));
        let stopper = stop.clone();
        let progress: reticent_engine::Progress = Arc::new(move |_, _, _| stopper.store(true, Ordering::Relaxed));
        let options = Options { stop, progress: Some(progress), ..Options::default() };
        let error = write_rows(&counts, &sink(folder.path().join("out"), format), &options).unwrap_err();
        assert!(matches!(error, Error::Stopped), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn the_row_order_depends_only_on_the_rows_and_the_seed() {
    let mut lines: Vec<String> = (0..3000).map(|at| format!("{},{}\n", at % 50, at % 7)).collect();
    let count = |lines: &[String], threads| {
        let options = Options { threads: Some(threads), block_bytes: 64, ..Options::default() };
        count_text("a,b\n".to_owned() + &lines.concat(), options).unwrap()
    };
    let counts = count(&lines, 1);
    let first = written(&counts, 1);
    lines.reverse();
    assert_eq!(written(&count(&lines, 4), 1), first);
    let other = written(&counts, 2);
    assert_ne!(other, first);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
        lines.sort();
        lines
    };
    lines.sort();
    assert_eq!(sorted(&first), lines);
    assert_eq!(sorted(&other), lines);
    let written_rows: Vec<&str> = first.lines().skip(1).collect();
    assert!(!written_rows.is_sorted());
}

#[test]
fn owners_are_returned_in_row_order_and_their_number_is_checked() {
    let contingency =
        ContingencyTable { codes: vec![vec![0, 0, 1, 1]], weights: vec![1, 2, 1, 1], owners: Some(vec![0, 1, 0, 2]) };
    let counts = Counts {
        names: vec!["a".to_owned()],
        values: vec![vec!["x".to_owned(), "y".to_owned()]],
        contingency,
        links: None,
    };
    for format in FORMATS {
        let folder = folder();
        let sink = sink(folder.path().join("out"), format);
        let written = write_rows(&counts, &sink, &Options::default()).unwrap();
        let owners = written.owners.unwrap();
        assert_eq!(read_back_with_owners(&sink.path, &owners, &Options::default()).unwrap(), counts);
        for wrong in [&owners[1..], &[owners.as_slice(), &[0]].concat()] {
            let error = read_back_with_owners(&sink.path, wrong, &Options::default()).unwrap_err();
            assert!(matches!(error, Error::RowsDiffer { found: 5, .. }), "{error}");
        }
    }
}

#[test]
fn owners_do_not_affect_the_written_bytes() {
    let with = |owners: Option<Vec<u32>>, weights: Vec<u64>, codes: Vec<u32>| Counts {
        names: vec!["a".to_owned()],
        values: vec![vec!["x".to_owned(), "y".to_owned()]],
        contingency: ContingencyTable { codes: vec![codes], weights, owners },
        links: None,
    };
    let plain = written(&with(None, vec![30, 20], vec![0, 1]), 5);
    assert_eq!(written(&with(Some(vec![0, 1, 0]), vec![10, 20, 20], vec![0, 0, 1]), 5), plain);
    assert_eq!(written(&with(Some(vec![3, 1, 2]), vec![30, 5, 15], vec![0, 1, 1]), 5), plain);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn records_read_back_equal_the_written_records(
        table in (1usize..4).prop_flat_map(|columns| {
            let text = prop_oneof![Just(String::new()), "[a-c ,\"\n\r;|\té\u{feff}]{0,4}", "-?[0-9]{1,3}(\\.[0-9])?", "[=+@-][a1]{0,2}"];
            prop::collection::vec(prop::collection::vec(text, columns), 0..20).prop_map(move |rows| (columns, rows))
        }),
        seed: u64,
    ) {
        let (columns, table) = table;
        let names: Vec<String> = ["a;b", "\u{feff}c", "d,\"e"][..columns].iter().map(|name| (*name).to_owned()).collect();
        let counts = naive_counts(&names, &table);
        for format in FORMATS {
            let folder = folder();
            let sink = Sink { path: folder.path().join("out"), format, seed };
            write_rows(&counts, &sink, &Options::default()).unwrap();
            let found = read_back(&sink.path, &Options::default()).unwrap();
            let expected = if format == Format::Parquet {
                counts.clone()
            } else {
                let table: Vec<Vec<String>> =
                    table.iter().map(|row| row.iter().map(|text| csv_text(text).into_owned()).collect()).collect();
                naive_counts(&names, &table)
            };
            prop_assert_eq!(rows(&found), rows(&expected));
            prop_assert_eq!(found, expected);
        }
    }
}
