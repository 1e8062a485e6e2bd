//! Files as people have them go from `init` to a useful release; only roles are edited.

use std::collections::BTreeSet;

use reticent_testkit::workbooks::{Cell, xlsx};
use reticent_testkit::{Outcome, TestFolder};

const DEPARTMENTS: [&str; 4] = ["Police", "Fire", "Parks", "Gemüse"];
const NAMES: [&str; 8] = ["Zoë", "Ana", "Jürgen", "Mia", "Tom", "Éva", "Noah", "Lia"];
const ROWS: usize = 600;

/// A value below `limit` that looks random.
fn pick(row: usize, column: usize, limit: usize) -> usize {
    let mixed = (row * 7919 + column * 104_729 + 17).wrapping_mul(2_654_435_761);
    (mixed >> 7) % limit
}

/// Drafts the policy, makes the salary sensitive, and publishes. Returns the header and the rows of the release.
#[track_caller]
fn published(folder: &TestFolder, data: &str) -> (Vec<String>, Vec<Vec<String>>) {
    folder.init(data).passes();
    let drafted = folder.check(data).violates();
    assert_eq!(drafted.data.expect("findings").dropped, 0);
    let policy = folder.read("reticent.toml");
    let (before, after) = policy.split_once("[columns.salary]").expect("a column");
    let after = after.replacen("role = \"quasi-identifier\"", "role = \"sensitive\"", 1);
    folder.write("reticent.toml", format!("{before}[columns.salary]{after}"));
    folder.publish(data, "first").run().passes();
    (header(folder), folder.rows("first.csv"))
}

fn header(folder: &TestFolder) -> Vec<String> {
    folder.read("first.csv").lines().next().unwrap_or_default().split(',').map(str::to_owned).collect()
}

fn column(rows: &[Vec<String>], at: usize) -> BTreeSet<&str> {
    rows.iter().map(|row| row[at].as_str()).collect()
}

/// Checks a release of the columns `born`, `department` and `salary`: it is useful, and its values are in the usual form.
#[track_caller]
fn check(header: &[String], rows: &[Vec<String>]) {
    assert_eq!(header, ["born", "department", "salary"]);
    assert!(rows.len() * 100 >= ROWS * 95, "{}", rows.len());
    let (born, departments) = (column(rows, 0), column(rows, 1));
    assert!(born.len() > 5 && born.iter().any(|text| text.len() > 1), "{born:?}");
    assert!(departments.len() > 2, "{departments:?}");
    let salaries = column(rows, 2);
    assert!(salaries.iter().all(|text| text.parse::<f64>().is_ok_and(|salary| (20_000.0..90_000.0).contains(&salary))));
    let classes: BTreeSet<&[String]> = rows.iter().map(|row| &row[..2]).collect();
    for class in &classes {
        let people = rows.iter().filter(|row| row[..2] == **class).count();
        assert!(people >= 5, "{class:?}: {people}");
    }
    assert!(classes.len() >= 20, "{} classes", classes.len());
}

fn text(delimiter: &str, born: impl Fn(usize) -> String, salary: impl Fn(usize) -> String) -> String {
    let mut text = ["name", "email", "born", "department", "salary", "left"].join(delimiter) + "\n";
    for row in 0..ROWS {
        let fields = [
            format!("{} {row}", NAMES[pick(row, 0, 8)]),
            format!("person{row}@city.example"),
            born(row),
            DEPARTMENTS[pick(row, 2, 4)].to_owned(),
            salary(row),
            String::new(),
        ];
        text += &(fields.join(delimiter) + "\n");
    }
    text
}

#[test]
fn latin_1_with_a_decimal_comma() {
    let born = |row| format!("{:02}.{:02}.{}", pick(row, 3, 28) + 1, pick(row, 4, 12) + 1, 1950 + pick(row, 5, 50));
    let salary = |row| match pick(row, 6, 20) {
        0 => "N/A".to_owned(),
        _ => format!("{}.{:03},{:02}", 20 + pick(row, 7, 70), pick(row, 8, 1000), pick(row, 9, 100)),
    };
    let latin: Vec<u8> =
        text(";", born, salary).chars().map(|letter| u8::try_from(letter as u32).expect("Latin-1")).collect();
    let folder = TestFolder::new();
    folder.write("staff.csv", latin);
    let (header, mut rows) = published(&folder, "staff.csv");
    rows.retain(|row| !row[2].is_empty());
    // A missing salary is a value of its own, and is not compared with numbers.
    assert!(rows.len() < ROWS);
    let policy = folder.read("reticent.toml");
    for line in ["format = \"%d.%m.%Y\"", "format = \"1.234,56\"", "missing-values = [\"\", \"N/A\"]"] {
        assert!(policy.contains(line), "{line}\n{policy}");
    }
    assert_eq!(header, ["born", "department", "salary"]);
    assert!(column(&rows, 1).contains("Gemüse") || column(&rows, 1).contains("*"));
}

#[test]
fn american_dates_and_dollars_in_utf_16() {
    let born = |row| format!("{}/{}/{:02} 0:00", pick(row, 3, 12) + 1, pick(row, 4, 28) + 1, 45 + pick(row, 5, 55));
    let salary = |row| format!("\"${},{:03}.{:02}\"", 20 + pick(row, 7, 70), pick(row, 8, 1000), pick(row, 9, 100));
    let utf16: Vec<u8> =
        format!("\u{feff}{}", text(",", born, salary)).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = TestFolder::new();
    folder.write("staff.csv", utf16);
    let (header, rows) = published(&folder, "staff.csv");
    check(&header, &rows);
    // Two-digit years are in the past.
    let years = |text: &&str| text.trim_start_matches('[').get(..4)?.parse::<i32>().ok();
    assert!(column(&rows, 0).iter().filter_map(years).all(|year| (1940..=1999).contains(&year)));
}

#[test]
fn an_excel_workbook() {
    let mut sheet = vec![["name", "email", "born", "department", "salary"].map(Cell::Text).to_vec()];
    for row in 0..ROWS {
        sheet.push(vec![
            Cell::Text(NAMES[pick(row, 0, 8)]),
            Cell::Number(row as f64 + 100_000.0),
            Cell::Day(18_000 + 23 * pick(row, 3, 700) as u32),
            Cell::Text(DEPARTMENTS[pick(row, 2, 4)]),
            Cell::Number(20_000.0 + 100.0 * pick(row, 7, 600) as f64),
        ]);
    }
    let folder = TestFolder::new();
    folder.write("staff.xlsx", xlsx(&[("Staff", sheet), ("Notes", Vec::new())]));
    folder.init("staff.xlsx").passes();
    // The names of this table repeat, so the draft only suggests that they identify people.
    let policy = folder.read("reticent.toml");
    assert!(policy.contains("sheet = \"Staff\""), "{policy}");
    let with_role = |policy: &str, column: &str| {
        let (before, after) = policy.split_once(&format!("[columns.{column}]")).expect("a column");
        format!(
            "{before}[columns.{column}]{}",
            after.replacen("role = \"quasi-identifier\"", "role = \"identifier\"", 1)
        )
    };
    folder.write("reticent.toml", with_role(&with_role(&policy, "name"), "email"));
    let edited = folder.read("reticent.toml");
    let (before, after) = edited.split_once("[columns.salary]").expect("a column");
    folder.write(
        "reticent.toml",
        format!("{before}[columns.salary]{}", after.replacen("role = \"quasi-identifier\"", "role = \"sensitive\"", 1)),
    );
    folder.check("staff.xlsx").violates();
    folder.publish("staff.xlsx", "first").run().passes();
    check(&header(&folder), &folder.rows("first.csv"));
}

#[test]
fn ambiguous_dates_are_refused_until_somebody_chooses() {
    let folder = TestFolder::new();
    folder.write("d.csv", "born,pay\n1/2/2013,\"1,234\"\n3/4/2014,\"5,678\"\n");
    let error = folder.init("d.csv").fails_with("format-ambiguous");
    let columns = error.data()["columns"].clone();
    assert_eq!(columns[0]["candidates"], serde_json::json!(["%m/%d/%Y", "%d/%m/%Y"]));
    assert_eq!(columns[1]["candidates"], serde_json::json!(["1,234.56", "1234,56"]));
    let choose = |formats: &[(&str, &str)]| {
        let formats = formats.iter().map(|(column, format)| ((*column).to_owned(), (*format).to_owned())).collect();
        let request = reticent_app::request::InitRequest { formats, ..folder.init_request("d.csv", true) };
        folder.workspace().init(&request, folder.context())
    };
    choose(&[("born", "%d/%m/%Y")]).fails_with("format-ambiguous");
    choose(&[("born", "%d/%Q"), ("pay", "1,234.56")]).fails_with("format-invalid");
    choose(&[("borne", "%d/%m/%Y")]).fails_with("column-unknown");
    choose(&[("born", "%d/%m/%Y"), ("pay", "1,234.56")]).passes();
    let policy = folder.read("reticent.toml");
    assert!(policy.contains("format = \"%d/%m/%Y\"") && policy.contains("format = \"1,234.56\""), "{policy}");
}

#[test]
fn all_columns_with_unfit_values_are_listed_with_rows_and_patterns() {
    let folder = TestFolder::from_policy(
        "[columns.born]\ntype = \"date\"\n[columns.age]\ntype = \"number\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    folder.write("d.csv", "born,age,ill\n2013-01-31,7,flu\n9999-99-99,seven,flu\n2013-01-31,8,flu\nJune,9,flu\n");
    let error = folder.check("d.csv").fails_with("columns-unfit");
    let data = error.data();
    assert_eq!(data["columns"], serde_json::json!(["born", "age"]));
    let row = |at: usize| {
        (data["rows"][at]["column"].clone(), data["rows"][at]["row"].clone(), data["rows"][at]["pattern"].clone())
    };
    assert_eq!(row(0), ("born".into(), 3.into(), "9999-99-99".into()));
    assert_eq!(row(1), ("born".into(), 5.into(), "Aaaa".into()));
    assert_eq!(row(2), ("age".into(), 3.into(), "aaaaa".into()));
    let text = error.to_string();
    assert!(!text.contains("June") && !text.contains("seven") && !data.to_string().contains("seven"), "{text}");
    let shown = folder.with_context(folder.context().clone().with_values_shown(true));
    let error = shown.publish("d.csv", "first").run().fails_with("columns-unfit");
    assert!(error.to_string().contains("row 5 `June`"), "{error}");
}

#[test]
fn taxonomies_are_completed_for_new_values() {
    let folder = TestFolder::from_policy(
        "[columns.job]\ntaxonomy = \"job.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    folder.write("job.csv", "Writer;Artist;*\nLawyer;Prof;*\n");
    folder.write("d.csv", "job,ill\nWriter,flu\nwriter,flu\nCook,flu\nCook,flu\n");
    folder.check("d.csv").fails_with("column-unfit");
    let update = |dry_run: bool| {
        let data = vec![folder.file("d.csv").display().to_string()].into();
        let request = reticent_app::request::TaxonomyUpdateRequest { data, dry_run };
        folder.workspace().update_taxonomies(&request, folder.context()).expect("an update")
    };
    let answer = update(true);
    assert_eq!((answer.columns[0].beside_similar, answer.columns[0].below_root, answer.written), (1, 1, false));
    assert_eq!(folder.read("job.csv"), "Writer;Artist;*\nLawyer;Prof;*\n");
    assert!(update(false).written);
    assert_eq!(folder.read("job.csv"), "Writer;Artist;*\nLawyer;Prof;*\nCook;*;*\nwriter;Artist;*\n");
    assert!(!update(false).written);
    folder.check("d.csv").violates();
}

#[test]
fn check_says_what_no_release_can_reach() {
    let folder = TestFolder::from_policy(
        "[columns.age]\ntype = \"number\"\n[columns.guilty]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\n",
    );
    let rows: String = (0..100).map(|row| format!("{},{}\n", row % 50, if row < 56 { "yes" } else { "no" })).collect();
    folder.write("d.csv", format!("age,guilty\n{rows}"));
    let findings = folder.check("d.csv").violates().data.expect("findings");
    assert_eq!(findings.unreachable.len(), 1);
    assert!(findings.unreachable[0].despite_suppression);
    assert!(findings.unreachable[0].explanation.contains("0.56"), "{}", findings.unreachable[0].explanation);
    assert_eq!(findings.minimal_quasi_identifier.expect("a set").columns, ["age"]);
}

#[test]
fn a_file_that_is_separated_by_spaces_is_refused() {
    let folder = TestFolder::new();
    folder.write("d.txt", "age sex income\n34 M 30000\n36 F 31000\n");
    folder.init("d.txt").fails_with("one-column");
}

/// A draft needs a quasi-identifier, because its requirement is k-anonymity.
#[test]
fn a_table_of_names_has_a_draft_that_can_be_checked() {
    let folder = TestFolder::new();
    let rows: String = (0..30).map(|row| format!("Person {row}\n")).collect();
    folder.write("d.csv", format!("name\n{rows}"));
    folder.init("d.csv").passes();
    folder.check("d.csv").violates();
}
