//! Data files that cannot be published: each fails with its code and place, and nothing is left behind.

use reticent_app::Error;
use reticent_app::error::Class;
use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy};

/// Publishing this data under the clinic's policy fails with the code; nothing is written, and the data stays what it is.
#[track_caller]
fn fails(data: impl AsRef<[u8]>, code: &str) -> Error {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.write("people.csv", data.as_ref());
    let error = folder.publish("people.csv", "one").run().fails_with(code);
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
    assert_eq!(std::fs::read(folder.file("people.csv")).unwrap(), data.as_ref());
    error
}

#[test]
fn an_empty_file_is_malformed() {
    let error = fails("", "file-malformed");
    assert!(error.to_string().contains("empty"), "{error}");
}

#[test]
fn a_header_without_rows_is_unfit() {
    assert_eq!(fails("name,age,sex,city,illness\n", "table-unfit").data()["fault"], "no-rows");
}

#[test]
fn duplicate_column_names_are_malformed() {
    let error = fails("name,age,sex,sex,illness\na,1,F,F,flu\n", "file-malformed");
    assert!(error.to_string().contains("columns 3 and 4"), "{error}");
}

#[test]
fn rows_of_another_length_are_malformed() {
    for row in ["Dan,38,M,Lyon", "Dan,38,M,Lyon,asthma,more"] {
        let error = fails(CLINIC.replace("Dan,38,M,Lyon,asthma", row), "file-malformed");
        assert_eq!(error.data()["line"], 5, "{error}");
    }
}

#[test]
fn bytes_that_are_not_in_the_declared_encoding_are_malformed() {
    let mut bytes = CLINIC.as_bytes().to_vec();
    let at = CLINIC.find("Lyon").unwrap();
    bytes[at] = 0xff;
    let folder = TestFolder::clinic(&format!("{}\n[source]\nencoding = \"utf-8\"\n", clinic_policy(3)));
    folder.write("people.csv", &bytes);
    let error = folder.publish("people.csv", "one").run().fails_with("file-malformed");
    assert!(error.to_string().contains("is not UTF-8"), "{error}");
    assert_eq!(error.data()["file"], folder.file("people.csv").display().to_string());
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn another_encoding_is_read_and_reported() {
    let folder = TestFolder::clinic_with_owner(3);
    let people = CLINIC.replace("Ada", "Ad\u{e4}");
    folder.write("latin.csv", people.chars().map(|letter| u8::try_from(letter as u32).unwrap()).collect::<Vec<u8>>());
    let read = folder.check("latin.csv").violates().data.unwrap();
    assert!(read.notes.iter().any(|note| note.ends_with("latin.csv: read as windows-1252")), "{:?}", read.notes);
    folder.publish("latin.csv", "one").run().passes();
}

#[test]
fn an_open_quote_is_malformed() {
    let folder = TestFolder::from_policy(
        "[columns.name]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    folder.write("d.csv", "name,age,illness\nAda,34,flu\nBen,34,cold\nDan,34,\"flu\nEva,34,cold\nFinn,34,HIV\n");
    let error = folder.publish("d.csv", "x").run().fails_with("file-malformed");
    assert_eq!(
        (&error.data()["line"], &error.data()["file"]),
        (&4.into(), &folder.file("d.csv").display().to_string().into())
    );
    assert!(error.to_string().contains("never closed"), "{error}");
}

/// A cell of ten megabytes is published or refused, and is in no text.
#[test]
fn a_ten_megabyte_cell_is_not_shown() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.write("people.csv", CLINIC.replace("Lyon", &"L".repeat(10 << 20)));
    let result = folder.publish("people.csv", "one").run();
    match &result {
        Ok(answer) => assert!(answer.holds()),
        Err(error) => assert_eq!(error.class(), Class::Invalid, "{}", error.code()),
    }
    assert!(result.visible_text().len() < 100_000, "the cell is shown");
}

#[test]
fn a_column_that_is_all_missing_is_unfit() {
    let cities = ["Paris", "Lyon", "Oslo", "Bergen"];
    let empty = cities.iter().fold(CLINIC.to_owned(), |text, city| text.replace(city, ""));
    let error = fails(empty, "column-unfit");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("no row has a value"), "{error}");
}

#[test]
fn texts_that_are_no_numbers_are_unfit() {
    for text in ["NaN", "inf", "1e400", "123456789012345678901234567890", "thirty"] {
        let error = fails(CLINIC.replace("34", text), "column-unfit");
        assert_eq!(error.data()["column"], "age", "{text}");
        assert!(error.to_string().contains("1 row"), "{text}: {error}");
    }
}

/// Numbers above 2^53 have no exact floating-point value.
#[test]
fn a_number_beyond_exact_arithmetic_is_unfit() {
    let folder = TestFolder::from_policy("[columns.age]\ntype = \"number\"\n[requirement]\nk = 2\n");
    folder.write("d.csv", "age\n9007199254740993\n1\n");
    let error = folder.publish("d.csv", "x").run().fails_with("column-unfit");
    assert_eq!(error.data()["column"], "age");
    assert!(error.to_string().contains("2^53"), "{error}");
}

#[test]
fn an_owner_that_is_missing_is_an_error() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\nmissing-values = [\"\", \"NA\"]\n[columns.pid]\n[columns.age]\ntype = \"number\"\n\
         [columns.illness]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.7\n",
    );
    folder.write("d.csv", "pid,age,illness\nNA,30,HIV\nNA,30,HIV\nNA,30,HIV\np1,30,flu\np2,30,flu\n");
    let error = folder.publish("d.csv", "x").run().fails_with("owner-missing");
    assert_eq!(error.data(), serde_json::json!({ "column": "pid", "rows": 3 }));
}

#[test]
fn too_little_memory_is_an_error() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let rows: String = (0..60_000).map(|row| format!("n{row},{},F,c{row},flu\n", row % 90)).collect();
    folder.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    let error = folder.with_memory(1_000_000).publish("people.csv", "one").run().fails_with("memory-exceeded");
    assert_eq!((&error.data()["limit_bytes"], &error.data()["column"]), (&1_000_000.into(), &"city".into()));
    assert!(error.hints().contains(&reticent_app::Hint::MoreMemory), "{:?}", error.hints());
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

/// Number columns are counted in intervals until the combinations fit; the notes state which.
#[test]
fn combinations_beyond_the_memory_are_counted_in_intervals() {
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"d\"\n[columns.a]\ntype = \"number\"\n[columns.b]\ntype = \"number\"\n[columns.c]\n[requirement]\nk = 5\n\
         [release]\nalgorithm = \"mondrian\"\nsuppression = 0.2\n",
    );
    let rows = (0..90_000u64).map(|at| {
        let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
        format!("{},{},c{}\n", mixed % 300, mixed / 300 % 300, mixed / 90_000 % 3)
    });
    folder.write("d.csv", "a,b,c\n".to_owned() + &rows.collect::<String>());
    let published = |folder: &TestFolder, name: &str| {
        let answer = folder.publish("d.csv", name).run().passes().json();
        let notes = answer["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned());
        notes.filter(|note| note.contains("exceed the memory limit")).collect::<Vec<_>>()
    };
    assert!(published(&folder, "enough").is_empty());
    let notes = published(&folder.with_memory(3 << 20), "little");
    assert!(!notes.is_empty() && notes.iter().all(|note| note.contains("intervals")), "{notes:?}");
    let rows = folder.rows("little.csv");
    assert!(rows.len() > 70_000);
    // Every record is in its published intervals, as the verification on the written file states.
    assert!(rows.iter().all(|row| row[0].parse::<f64>().is_err()), "single values are not published");
}

/// Whatever the library that reads damaged files does, they end in an answer or in an error about the file.
#[test]
fn damaged_files_are_errors() {
    let folder = TestFolder::from_policy(
        "[columns.age]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "age,ill\n1,a\n1,b\n2,a\n2,b\n");
    folder.publish("people.csv", "one").output("one.parquet").run().passes();
    let whole = std::fs::read(folder.file("one.parquet")).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        folder.write("x.parquet", &bytes);
        if let Err(error) = folder.check("x.parquet") {
            let class = error.class();
            assert!([Class::Refused, Class::Invalid, Class::Io].contains(&class), "byte {at}: {error}");
        }
    }
}
