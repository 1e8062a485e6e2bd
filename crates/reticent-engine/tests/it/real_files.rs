//! Files as they are found: encodings, workbooks, and formats of dates and numbers.

use std::collections::BTreeMap;

use reticent::taxonomy::Type;
use reticent::text_format::{DateFormat, NumberFormat, TextFormat};
use reticent_engine::{CountRequest, Embedded, Engine, FileReading, Options, OwnerKey, Profile, Result};

use crate::support::{count_all, count_request, count_text, file, folder, open, refusal, rows};
use crate::workbooks::{Cell, ods, xlsx};

fn utf16(text: &str, mark: bool) -> Vec<u8> {
    let mark = if mark { "\u{feff}" } else { "" };
    format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn windows_1252(text: &str) -> Vec<u8> {
    text.chars().map(|letter| if letter == '\u{20ac}' { 0x80 } else { u8::try_from(letter as u32).unwrap() }).collect()
}

/// Reads a file of three rows, and returns how it was read.
#[track_caller]
fn check(name: &str, bytes: Vec<u8>) -> FileReading {
    let folder = folder();
    let engine = open(&file(&folder, name, bytes)).unwrap();
    assert_eq!(engine.columns(), ["name", "stra\u{df}e"]);
    let expected = [(["Zo\u{eb}", "5 \u{20ac}"], 2), (["Ana", ""], 1)];
    let expected: BTreeMap<Vec<String>, u64> =
        expected.into_iter().map(|(row, weight)| (row.map(str::to_owned).to_vec(), weight)).collect();
    assert_eq!(rows(&count_all(&engine).unwrap()), expected);
    engine.reading().remove(0)
}

const TEXT: &str = "name;stra\u{df}e\nZo\u{eb};5 \u{20ac}\nAna;\nZo\u{eb};5 \u{20ac}\n";

#[test]
fn encodings_are_detected_and_reported() {
    let cases = [
        (TEXT.as_bytes().to_vec(), "UTF-8"),
        (format!("\u{feff}{TEXT}").into_bytes(), "UTF-8"),
        (windows_1252(TEXT), "windows-1252"),
        (utf16(TEXT, true), "UTF-16LE"),
        (utf16(TEXT, false), "UTF-16LE"),
    ];
    for (bytes, expected) in cases {
        let reading = check("data.csv", bytes);
        assert_eq!((reading.encoding, reading.delimiter), (Some(expected), Some(';')));
    }
}

#[test]
fn a_declared_encoding_is_used() {
    let options = |encoding: &str| Options { encoding: Some(encoding.to_owned()), ..Options::default() };
    let read = |encoding: &str| count_text(b"a\n\xb1\n", options(encoding)).unwrap().values[0][0].clone();
    assert_eq!((read("latin1"), read("iso-8859-2")), ("\u{b1}".to_owned(), "\u{105}".to_owned()));
    assert!(count_text(b"a\n\xb1\n", options("utf-8")).is_err());
    let unknown = count_text(b"a\n\xb1\n", options("utf-9")).unwrap_err();
    assert!(unknown.to_string().contains("the encoding `utf-9` is unknown"), "{unknown}");
}

#[test]
fn another_encoding_after_the_sample_is_refused_with_its_line() {
    let mut text = b"a,b\n".to_vec();
    text.extend(b"1,long enough to fill the sample\n".repeat(40_000));
    text.extend(b"1,Zo\xeb\n");
    let folder = folder();
    let error = refusal(&file(&folder, "data.csv", text));
    assert!(
        error.contains("line 40002: the text of column 2 is not UTF-8; correct it, or declare the encoding"),
        "{error}"
    );
}

#[test]
fn cut_utf16_is_an_error() {
    let mut bytes = utf16(TEXT, true);
    bytes.pop();
    let folder = folder();
    let error = refusal(&file(&folder, "data.csv", bytes));
    assert!(error.contains("the text is not UTF-16LE"), "{error}");
}

fn table() -> Vec<Vec<Cell>> {
    vec![
        vec![Cell::Text("name"), Cell::Text("born"), Cell::Text("pay")],
        vec![Cell::Text("Zo\u{eb}, A&B"), Cell::Day(41305), Cell::Number(51862.5)],
        vec![Cell::Text("Ana"), Cell::Day(41305), Cell::Number(7.0)],
    ]
}

#[test]
fn workbooks_are_read_like_text_files() {
    let folder = folder();
    let expected = [["Ana", "2013-01-31", "7"], ["Zo\u{eb}, A&B", "2013-01-31", "51862.5"]];
    let expected: BTreeMap<Vec<String>, u64> =
        expected.into_iter().map(|row| (row.map(str::to_owned).to_vec(), 1)).collect();
    let ampersand = |rows: Vec<Vec<Cell>>| -> Vec<Vec<Cell>> {
        let escape = |cell| if let Cell::Text("Zo\u{eb}, A&B") = cell { Cell::Text("Zo\u{eb}, A&amp;B") } else { cell };
        rows.into_iter().map(|row| row.into_iter().map(escape).collect()).collect()
    };
    for (name, bytes) in [
        ("data.xlsx", xlsx(&[("Staff", table()), ("Empty", Vec::new())])),
        ("data.ods", ods("Staff", &ampersand(table()))),
    ] {
        let engine = open(&file(&folder, name, bytes)).unwrap();
        assert_eq!(engine.columns(), ["name", "born", "pay"]);
        assert_eq!(rows(&count_all(&engine).unwrap()), expected, "{name}");
        let reading = engine.reading().remove(0);
        assert_eq!((reading.sheet.as_deref(), reading.encoding, reading.delimiter), (Some("Staff"), None, None));
    }
}

#[test]
fn a_sheet_is_chosen_if_several_have_data() {
    let folder = folder();
    let path = file(&folder, "data.xlsx", xlsx(&[("Staff", table()), ("Old staff", table())]));
    let open = |sheet: Option<&str>| {
        let sheet = sheet.map(str::to_owned);
        Embedded::open_file(&path, Options { sheet, ..Options::default() })
    };
    let error = open(None).unwrap_err().to_string();
    assert!(error.contains("several sheets have data: Staff, Old staff"), "{error}");
    let error = open(Some("Staf")).unwrap_err().to_string();
    assert!(error.contains("the workbook has no sheet Staf; it has: Staff, Old staff"), "{error}");
    assert_eq!(open(Some("Old staff")).unwrap().reading()[0].sheet.as_deref(), Some("Old staff"));
}

/// A row with a cell beyond the header makes a column without a name, which is not an error.
#[test]
fn a_cell_beyond_the_header_is_a_column() {
    let mut rows = table();
    rows.push(vec![Cell::Text("x"), Cell::Text("y"), Cell::Text("z"), Cell::Text("more")]);
    let folder = folder();
    let engine = open(&file(&folder, "data.xlsx", xlsx(&[("Staff", rows)]))).unwrap();
    assert_eq!(engine.columns(), ["name", "born", "pay", "unnamed 4"]);
}

#[test]
fn a_title_above_the_table_is_refused() {
    let mut rows = vec![vec![Cell::Text("Staff list")]];
    rows.extend(table());
    let folder = folder();
    let error = refusal(&file(&folder, "data.xlsx", xlsx(&[("Staff", rows)])));
    assert!(error.contains("column 2 has no name; is the first line a header?"), "{error}");
}

/// Two cells in opposite corners of a sheet need as much memory as all cells between them.
#[test]
fn a_sheet_with_far_cells_is_refused() {
    let folder = folder();
    let rows = vec![vec![Cell::Text("a")], vec![Cell::Far("XFD1048576")]];
    let error = refusal(&file(&folder, "far.xlsx", xlsx(&[("Staff", rows)])));
    assert!(error.contains("cells, more than can be read"), "{error}");
}

#[test]
fn damaged_workbooks_are_errors() {
    let whole = xlsx(&[("Staff", table())]);
    let folder = folder();
    for cut in [8, whole.len() / 3, whole.len() / 2, whole.len() - 30] {
        let error = refusal(&file(&folder, &format!("cut{cut}.xlsx"), &whole[..cut]));
        assert!(error.contains("workbook") || error.contains("sheet"), "{error}");
    }
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        // Any answer is right, but not a panic.
        let _ = open(&file(&folder, "damaged.xlsx", damaged)).and_then(|engine| count_all(&engine));
    }
}

fn formats() -> Vec<(String, TextFormat)> {
    let date = DateFormat::new("%m/%d/%y", Some(1927)).unwrap();
    let pay = NumberFormat::new("$1,234.56").unwrap();
    vec![("born".to_owned(), TextFormat::Date(date)), ("pay".to_owned(), TextFormat::Number(pay))]
}

const RAW: &str =
    "born,pay\n1/31/13,\"$51,862.00\"\n01/31/2013,51862\n1/31/13 0:00,$51862\nN/A,N/A\n2/30/13,\"$1,23\"\n";

fn options() -> Options {
    Options { formats: formats(), missing: vec!["N/A".to_owned()], ..Options::default() }
}

#[test]
fn formatted_texts_become_canonical_and_others_stay() {
    let expected: BTreeMap<Vec<String>, u64> =
        [(["2013-01-31", "51862"], 2), (["01/31/2013", "51862"], 1), (["N/A", "N/A"], 1), (["2/30/13", "$1,23"], 1)]
            .into_iter()
            .map(|(row, weight)| (row.map(str::to_owned).to_vec(), weight))
            .collect();
    for threads in [1, 3] {
        let options = Options { threads: Some(threads), block_bytes: 8, ..options() };
        assert_eq!(rows(&count_text(RAW, options).unwrap()), expected);
    }
}

fn profile(text: &str, options: Options) -> Result<Vec<Profile>> {
    Embedded::from_csv(text.as_bytes(), options)?.values(None)
}

#[test]
fn profiles_are_those_of_the_canonical_texts() {
    let text = "born,pay\n1/31/13,\"$51,862.00\"\n2/28/13,$7\n";
    let found = profile(text, options()).unwrap();
    assert_eq!(found.iter().map(|column| column.inferred_type).collect::<Vec<_>>(), [Type::Date, Type::Number]);
    assert_eq!(found[1].extent, Some((7.0, 51862.0)));
}

#[test]
fn formats_of_short_and_of_long_columns_are_detected() {
    // More texts than are listed, so that the column is summarized.
    let mut text = "born,pay\n".to_owned();
    for at in 0..70_000 {
        text += &format!("{}/{}/13 {}:{:02},\"${}.00\"\n", at % 12 + 1, at % 28 + 1, at / 60 % 24, at % 60, at + 1);
    }
    for text in ["born,pay\n1/31/13 5:00,$7\n12/1/13 5:00,$8\n", &text] {
        for threads in [1, 3] {
            let options = Options { detect_formats: true, threads: Some(threads), ..Options::default() };
            let found = profile(text, options).unwrap();
            let formats = |at: usize| {
                let formats = found[at].formats.as_ref().unwrap().formats(1927);
                formats.iter().map(TextFormat::text).collect::<Vec<_>>()
            };
            assert_eq!((formats(0), formats(1)), (vec!["%m/%d/%y".to_owned()], vec!["$1234.56".to_owned()]));
        }
    }
}

#[test]
fn rows_are_located_in_each_file() {
    let folder = folder();
    file(&folder, "a.csv", "born,pay\n1/31/13,1\n\"a\nb\",2\nx,3\n");
    file(&folder, "b.csv", "born,pay\nx,1\nx,2\n");
    let engine = Embedded::open(&[folder.path().to_str().unwrap().to_owned()], Options::default()).unwrap();
    let find = |limit| {
        let found = engine.locate("born", &["x"].into(), limit).unwrap();
        found
            .iter()
            .map(|row| (row.file.file_name().unwrap().to_str().unwrap().to_owned(), row.row))
            .collect::<Vec<_>>()
    };
    let expected = [("a.csv", 4), ("b.csv", 2), ("b.csv", 3)].map(|(name, row)| (name.to_owned(), row));
    assert_eq!(find(5), expected);
    assert_eq!(find(2), expected[..2]);
}

/// Statistics programs write row names in a first column without a name.
#[test]
fn columns_without_a_name_get_one() {
    let counts = count_text(",a,b,\n1,2,3,\n3,4,5,\n", Options::default()).unwrap();
    assert_eq!(counts.names, ["unnamed 1", "a", "b", "unnamed 4"]);
}

/// In another format than the declared one, a number can mean another number.
#[test]
fn a_number_without_the_declared_format_is_refused_with_its_line() {
    let format = |example: &str| {
        let format = TextFormat::Number(NumberFormat::new(example).unwrap());
        Options { formats: vec![("pay".to_owned(), format)], ..Options::default() }
    };
    for (example, text) in [("1234,56", "1.234"), ("$1,234.56", "1e3"), ("1234.56", "1 000.5 kg")] {
        let counted = count_text(format!("pay\n7\n{text}\n"), format(example));
        match reticent::taxonomy::parse_number(text) {
            Some(_) => {
                let error = counted.unwrap_err().to_string();
                assert!(error.contains("line 3: the number in column 1 is not written in the `format`"), "{error}");
            }
            // Other texts are reported together with those of other columns.
            None => assert_eq!(counted.unwrap().values[0].len(), 2),
        }
    }
}

/// A person is the same person in every encoding, so releases from different files are about the same people.
#[test]
fn owners_are_the_same_in_every_encoding() {
    let text = "who,a\nZo\u{eb},1\nAna,2\nZo\u{eb},3\n";
    let links = |bytes: Vec<u8>| {
        let folder = folder();
        let engine = open(&file(&folder, "data.csv", bytes)).unwrap();
        let request =
            CountRequest { owner: Some("who".to_owned()), key: Some(OwnerKey::new([7; 32])), ..count_request(&["a"]) };
        engine.count(&request).unwrap().links.unwrap()
    };
    let expected = links(text.as_bytes().to_vec());
    assert_eq!(expected.records.len(), 3);
    assert_eq!(links(windows_1252(text)), expected);
    assert_eq!(links(utf16(text, true)), expected);
}
