//! Differential tests: the parallel reader and a simple loop with the csv crate, on random texts in small blocks.

use proptest::prelude::*;
use reticent_engine::{Options, count_csv_bytes};

use crate::support::{count_text, naive_counts};

/// The counts, computed by a loop over the records of the csv crate; `None` if the text is not a valid table.
fn naive(text: &[u8]) -> Option<reticent::Counts> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let mut records: Vec<Vec<String>> = Vec::new();
    for record in reader.byte_records() {
        let record = record.unwrap();
        let fields = record.iter().map(|field| String::from_utf8(field.to_vec()));
        records.push(fields.collect::<Result<_, _>>().ok()?);
    }
    let mut records = records.into_iter();
    let mut names = records.next()?;
    let unnamed = names.iter().filter(|name| name.is_empty()).count();
    let is_number = |name: &String| name.parse::<f64>().is_ok();
    if unnamed * 2 > names.len() || (unnamed > 0 && names.iter().any(is_number)) {
        return None;
    }
    for (at, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
        *name = format!("unnamed {}", at + 1);
    }
    let mut distinct = names.clone();
    distinct.sort();
    distinct.dedup();
    let rows: Vec<Vec<String>> = records.collect();
    let fits = distinct.len() == names.len() && rows.iter().all(|row| row.len() == names.len());
    fits.then(|| naive_counts(&names, &rows))
}

/// Whether a quote is unclosed: a line appended to the text becomes part of the last cell.
fn has_unclosed_quote(text: &[u8]) -> bool {
    let records = |text: &[u8]| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.byte_records().filter_map(Result::ok).last()
    };
    let longer = [text, b"\nlast"].concat();
    records(&longer).is_some_and(|record| record.len() != 1 || &record[0] != b"last")
}

/// Whether the text has two consecutive line ends, also inside a quoted cell.
fn has_blank_line(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n").replace('\r', "\n");
    text.contains("\n\n")
}

fn check(text: &[u8], block_bytes: usize, threads: usize) -> Result<(), TestCaseError> {
    let options =
        Options { block_bytes, threads: Some(threads), trim: false, delimiter: Some(b','), ..Options::default() };
    let counted = count_text(text, options);
    match naive(text) {
        // The csv crate reads the rest of the text as one cell, or drops a possible value. The engine refuses both.
        Some(_) if has_unclosed_quote(text) => prop_assert!(counted.unwrap_err().to_string().contains("never closed")),
        Some(expected) if expected.names.len() == 1 && has_blank_line(text) => {
            if let Err(error) = &counted {
                prop_assert!(error.to_string().contains("blank"), "{error}");
            } else {
                prop_assert_eq!(counted.unwrap(), expected);
            }
        }
        Some(expected) => prop_assert_eq!(counted.unwrap(), expected),
        None => prop_assert!(counted.is_err()),
    }
    Ok(())
}

/// The text of a cell in a file: unquoted, quoted, or with misplaced quotes.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab1 éß]{0,3}",
        1 => "[a-z]{7,20}",
        2 => "\"([ab,\n\r]|\"\"){0,12}\"",
        1 => "[ab]{0,2}\"[ab]{0,2}",
        1 => "\"[a,\n]{0,2}\"[ab\"]{0,3}",
    ]
}

fn table() -> impl Strategy<Value = String> {
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\n\n")];
    (1usize..4).prop_flat_map(move |columns| {
        let header = ["a", "a,\"b\"", "a,b c,\"c\nd\""][columns - 1];
        let record = (prop::collection::vec(cell(), columns), end.clone());
        prop::collection::vec(record, 0..30).prop_map(move |records| {
            let mut text = format!("{header}\n");
            for (cells, end) in records {
                text += &cells.join(",");
                text += end;
            }
            text
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tables_match_the_csv_crate(text in table(), block_bytes in 1usize..40, threads in 1usize..5) {
        check(text.as_bytes(), block_bytes, threads)?;
    }

    #[test]
    fn tables_without_a_last_line_end_match_the_csv_crate(text in table(), block_bytes in 1usize..40) {
        check(text.trim_end_matches(['\n', '\r']).as_bytes(), block_bytes, 2)?;
    }

    #[test]
    fn random_texts_match_the_csv_crate(body in "[ab,\"\n\r]{0,60}", block_bytes in 1usize..20) {
        check(format!("x\n{body}").as_bytes(), block_bytes, 2)?;
        check(format!("x,y\n{body}").as_bytes(), block_bytes, 2)?;
        check(body.as_bytes(), block_bytes, 2)?;
    }
}

#[test]
fn counts_are_right_for_every_width_of_packed_codes() {
    for (columns, values) in [(2, 5000), (9, 3000), (20, 200), (40, 17)] {
        let mut generator = reticent_engine::Generator::new(columns);
        let names: Vec<String> = (0..columns).map(|at| format!("column{at}")).collect();
        let mut text = names.join(",") + "\n";
        for _ in 0..6000 {
            let row: Vec<String> = (0..columns).map(|_| format!("v{}", generator.below(values))).collect();
            text += &(row.join(",") + "\n");
        }
        assert_eq!(Some(count_csv_bytes(text.as_bytes(), 4096).unwrap()), naive(text.as_bytes()), "{columns} columns");
    }
}

/// A byte order mark is removed only at the start of the file. Found by fuzzing.
#[test]
fn a_byte_order_mark_inside_the_file_is_text_for_any_block_size() {
    let text = "\u{feff}a\r\n1;2\r\n\u{feff}a\r\n3;4".as_bytes();
    let whole = reticent_engine::count_csv_bytes(text, 1 << 20).unwrap();
    assert_eq!(whole.names, ["a"]);
    assert_eq!(whole.values, [["1;2", "3;4", "\u{feff}a"]]);
    for block_bytes in 1..20 {
        assert_eq!(reticent_engine::count_csv_bytes(text, block_bytes).unwrap(), whole, "blocks of {block_bytes}");
    }
}

/// Otherwise all later records, with their identifiers, would become one published cell.
#[test]
fn an_unclosed_quote_is_an_error_with_its_line() {
    let text = b"name,age,illness\nAda,34,flu\nDan,34,\"flu\nEva,34,cold\nFinn,34,HIV\n";
    for block_bytes in [1, 7, 30, 1 << 20] {
        let error = count_csv_bytes(text, block_bytes).unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("never closed"), "{error}");
    }
    assert!(count_csv_bytes(b"a,b\n1,\"x\"", 5).is_ok());
    assert!(count_csv_bytes(b"a,b\n1,\"x\"\"\"\n", 5).is_ok());
}

/// In a file with one column, a blank line could be a missing value.
#[test]
fn a_blank_line_between_values_of_one_column_is_an_error() {
    for text in ["a\n1\n\n1\n", "a\r\n1\r\n\r\n1\r\n", "a\n\n1\n"] {
        for block_bytes in 1..12 {
            let error = count_csv_bytes(text.as_bytes(), block_bytes).unwrap_err().to_string();
            assert!(error.contains("blank"), "{error}");
        }
    }
    for text in ["a\n1\n2\n\n\n", "a\r\n1\r\n2\r\n", "a\n\"\"\n2\n", "a,b\n1,2\n\n3,4\n"] {
        for block_bytes in 1..12 {
            let counts = count_csv_bytes(text.as_bytes(), block_bytes).unwrap();
            assert_eq!(counts.contingency.rows(), 2, "{text:?} in blocks of {block_bytes}");
        }
    }
}
