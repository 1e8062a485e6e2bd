//! Invalid input: an error with the file and the line, never a panic, and never a value in the text.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reticent::error::Hint;
use reticent_engine::{CountRequest, Embedded, Engine, Error, Options, count_csv_bytes};

use crate::support::{count_all, count_file, count_request, count_text, file, folder, open, refusal, rows};

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, expected: &str) {
    let folder = folder();
    let path = file(&folder, "data.csv", bytes);
    let text = refusal(&path);
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("data.csv"), "{text}");
}

#[test]
fn an_empty_file_is_refused() {
    refused("", "the file is empty");
    refused("\n\r\n\n", "the file is empty");
    refused("\u{feff}", "the file is empty");
}

#[test]
fn header_only_has_no_rows() {
    for text in ["a,b", "a,b\n", "a,b\r\n\r\n"] {
        let counts = count_text(text, Options::default()).unwrap();
        assert_eq!((counts.names.len(), counts.contingency.rows()), (2, 0));
        assert_eq!(counts.values, [[""; 0], [""; 0]]);
    }
}

#[test]
fn repeated_and_empty_column_names_are_refused() {
    refused(
        "a,b,a,b\n1,2,3,4\n",
        "line 1: columns 1 and 3 have the same name (`a`); columns 2 and 4 have the same name (`b`)",
    );
    refused("a,7,a\n1,2,3\n", "line 1: columns 1 and 3 have the same name; is the first line a header?");
    refused("a,,3\n1,2,3\n", "line 1: column 2 has no name; is the first line a header?");
    refused(",\n1,2\n", "line 1: column 1 has no name");
    refused(",unnamed 1\n1,2\n", "columns 1 and 2 have the same name (`unnamed 1`)");
    refused("a, a\n1,2\n", "line 1: columns 1 and 2 have the same name");
}

#[test]
fn a_row_with_a_wrong_number_of_fields_is_refused_with_its_line() {
    refused("a,b\n1,2\n3\n4,5\n", "line 3: 1 fields where the header has 2");
    refused("a,b\r\n1,2\r\n\r\n3,4,5\r\n", "line 4: 3 fields where the header has 2");
    refused("a,b\n\"1\n\n\",2\n3\n", "line 5: 1 fields");
}

#[test]
fn the_first_invalid_line_is_reported_for_any_number_of_threads() {
    let mut text = "a,b\n".to_owned();
    for at in 0..2000 {
        text += if at % 100 == 99 { "x\n" } else { "x,y\n" };
    }
    for threads in 1..5 {
        let options = Options { block_bytes: 16, threads: Some(threads), ..Options::default() };
        let error = count_text(&text, options).unwrap_err();
        assert!(error.to_string().contains("line 101:"), "{error}");
    }
}

#[test]
fn invalid_utf8_is_refused_with_line_and_column() {
    let refused = |bytes: &[u8], expected: &str| {
        let options = Options { encoding: Some("utf-8".to_owned()), ..Options::default() };
        let error = count_text(bytes, options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(b"a,b\n1,2\n3,\xff\n", "line 3: the text of column 2 is not UTF-8");
    refused(b"a,\xff\n1,2\n", "line 1: the text of column 2 is not UTF-8");
    refused(b"a,b\n1,2\n3,long enough \xc3\n", "line 3: the text of column 2 is not UTF-8");
}

#[test]
fn truncated_compression_is_an_io_error_and_invalid_parquet_is_refused() {
    let folder = folder();
    let whole = zstd::bulk::compress("a\nlong text to compress\n".repeat(50).as_bytes(), 3).unwrap();
    let path = file(&folder, "data.csv.zst", &whole[..whole.len() / 2]);
    let error = count_file(&path).unwrap_err();
    assert!(matches!(error, Error::Io { .. }) && !error.is_data(), "{error}");
    let path = file(&folder, "broken.parquet", b"PAR1 is how it starts and ends PAR1");
    assert!(refusal(&path).contains("not a Parquet file"));
}

#[test]
fn a_cell_of_ten_megabytes_is_read() {
    let cell = "x".repeat(10 << 20);
    for text in [format!("a,b\n1,{cell}\n2,3\n"), format!("a,b\n1,\"{cell}\n\"\n2,3\n")] {
        let counts = count_text(text, Options::default()).unwrap();
        assert_eq!(counts.contingency.rows(), 2);
        assert!(counts.values[1][1].len() >= cell.len());
    }
}

#[test]
fn an_unclosed_quote_in_a_large_file_is_refused_at_64_mib() {
    let mut text = "a,b\n1,\"2\n".to_owned();
    text += &"3,4\n".repeat(17 << 20);
    let error = count_text(text, Options::default()).unwrap_err().to_string();
    assert!(error.contains("line 2: the record is longer than 64 MiB"), "{error}");
}

#[test]
fn a_pattern_without_files_is_an_error() {
    for pattern in ["/no/such/file.csv", "/no/such/*.csv", "[", ""] {
        let error = Embedded::open(&[pattern.to_owned()], Options::default()).unwrap_err();
        assert!(matches!(error, Error::NoFile { .. }), "{error}");
    }
    let empty = folder();
    assert!(matches!(open(empty.path()), Err(Error::NoFile { .. })));
}

#[test]
fn files_with_different_headers_are_refused() {
    let folder = folder();
    file(&folder, "1.csv", "a,b\n1,2\n");
    file(&folder, "2.csv", "a,c\n1,2\n");
    let pattern = folder.path().join("*.csv").to_str().unwrap().to_owned();
    let text = Embedded::open(&[pattern], Options::default()).unwrap_err().to_string();
    assert!(text.contains("1.csv") && text.contains("2.csv") && text.contains("column 2"), "{text}");
    file(&folder, "2.csv", "a,b,c\n1,2,3\n");
    let text = open(folder.path()).unwrap_err().to_string();
    assert!(text.contains("3 columns, not 2"), "{text}");
}

#[test]
fn the_error_for_an_unknown_column_suggests_the_nearest_name() {
    let engine = Embedded::from_csv(b"age,sex\n1,2\n", Options::default()).unwrap();
    let error = engine.count(&count_request(&["agee"])).unwrap_err();
    assert!(error.is_data() && error.to_string().contains("did you mean `age`"), "{error}");
    assert!(engine.values(Some(&["x".to_owned()])).is_err());
}

#[test]
fn counting_stops_at_the_memory_limit() {
    let mut text = "a,b\n".to_owned();
    for at in 0..40_000 {
        text += &format!("{at},{}\n", at % 7);
    }
    let options = Options { memory: 1 << 20, block_bytes: 4096, ..Options::default() };
    let error = count_text(&text, options.clone()).unwrap_err();
    assert_eq!((error.code(), error.hints()), ("memory-exceeded", vec![Hint::ChooseColumns, Hint::MoreMemory]));
    assert!(error.to_string().contains("`a`"), "{error}");
    let error = Embedded::from_csv(text.as_bytes(), options).unwrap().values(None).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    assert!(count_text(&text, Options::default()).is_ok());
}

/// Columns with few values, but with many combinations: twice as many rows as combinations.
fn many_combinations() -> String {
    let rows = (0..2u64).flat_map(|_| 0..150_000u64).map(|at| {
        let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        format!("{},{},{},p{}\n", mixed % 60, mixed / 60 % 60, mixed / 3600 % 60, at % 50_000)
    });
    "a,b,c,id\n".to_owned() + &rows.collect::<String>()
}

#[test]
fn combinations_that_exceed_the_memory_are_moved_to_the_disk() {
    let text = many_combinations();
    let count = |memory: u64, owner: Option<&str>| {
        let options = Options { memory, threads: Some(2), block_bytes: 1 << 15, ..Options::default() };
        let engine = Embedded::from_csv(text.as_bytes(), options).unwrap();
        engine.count(&CountRequest { owner: owner.map(str::to_owned), ..count_request(&["a", "b", "c"]) })
    };
    let all = count(1 << 30, None).unwrap();
    assert!(all.contingency.len() > 100_000 && all.contingency.rows() == 300_000, "{}", all.contingency.len());
    // In memory, the maps of two threads need more than 16 MB.
    assert_eq!(count(8 << 20, None).unwrap(), all);
    let error = count(4 << 20, None).unwrap_err();
    assert!(matches!(error, Error::Memory { combinations: 60_000.., .. }), "{error}");
    let owned = count(1 << 30, Some("id")).unwrap();
    assert_eq!(count(24 << 20, Some("id")).unwrap(), owned);
}

#[test]
fn a_cancelled_count_returns_stopped() {
    let stop = Arc::new(AtomicBool::new(true));
    let options = Options { stop, ..Options::default() };
    let error = count_text("a\n1\n", options).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error}");
}

#[test]
fn invalid_delimiters_are_refused() {
    for delimiter in [b'"', b'\n', 0, 0xff] {
        let options = Options { delimiter: Some(delimiter), ..Options::default() };
        assert!(count_text("a\n1\n", options).is_err());
    }
}

/// A marker value in different positions of the data appears in no error text.
#[test]
fn no_error_shows_a_value() {
    const CANARY: &str = "Kanarienvogel";
    let texts: Vec<Vec<u8>> = vec![
        format!("a,b\n{CANARY},1,2\n").into(),
        format!("a,b\n{CANARY}\n").into(),
        [format!("a,b\n{CANARY}").into_bytes(), b"\xff,1,2\n".to_vec()].concat(),
        [format!("a,b\n1,{CANARY} {CANARY}").into_bytes(), b"\xff,\n".to_vec()].concat(),
        // Data without a header line.
        format!("{CANARY},{CANARY},7\n1,2,3\n").into(),
        format!("{CANARY},,3\n1,2,3\n").into(),
    ];
    for text in texts {
        let error = count_csv_bytes(&text, 8).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
    }
    let text = format!("a,owner\n{CANARY},\n{CANARY},{CANARY}\n");
    for memory in [0, 1 << 30] {
        let engine = Embedded::from_csv(text.as_bytes(), Options { memory, ..Options::default() }).unwrap();
        let request = CountRequest { owner: Some("owner".to_owned()), ..count_request(&["a"]) };
        let error = engine.count(&request).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut generator = reticent_engine::Generator::new(3);
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..generator.below(200)).map(|_| generator.next_number() as u8).collect();
        let _ = count_csv_bytes(&bytes, 1 + generator.below(20) as usize);
        let _ = Embedded::from_csv(&bytes, Options::default()).and_then(|engine| engine.values(None));
    }
}

#[test]
fn a_file_that_matches_several_patterns_is_read_once() {
    let folder = folder();
    let path = file(&folder, "a.csv", "a\n1\n").to_str().unwrap().to_owned();
    let patterns = [path.clone(), folder.path().to_str().unwrap().to_owned(), path];
    let engine = Embedded::open(&patterns, Options::default()).unwrap();
    assert_eq!(rows(&count_all(&engine).unwrap()).into_values().sum::<u64>(), 1);
}
