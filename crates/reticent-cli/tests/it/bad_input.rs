//! Bad input gets a clear error, the right status, and loses nothing.

use crate::support::{CLINIC, Desk, clinic_policy};

/// Publishing this data under the clinic's policy fails with the status and the words; nothing is left behind.
#[track_caller]
fn refused(data: impl AsRef<[u8]>, status: i32, words: &str) {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.write("people.csv", data.as_ref());
    desk.run("publish people.csv --name one -o out.csv").exits(status).says(words);
    assert_eq!(desk.files(), ["people.csv", "reticent.toml"]);
    assert_eq!(std::fs::read(desk.file("people.csv")).unwrap(), data.as_ref());
}

/// This policy, or one line of it, is wrong.
#[track_caller]
fn policy_refused(from: &str, to: &str, words: &str) {
    let policy = clinic_policy(3);
    assert!(policy.contains(from));
    let desk = Desk::clinic(&policy.replace(from, to));
    desk.run("check people.csv").exits(2).says(words);
}

#[test]
fn empty_file() {
    refused("", 2, "empty");
}

#[test]
fn header_only() {
    refused("name,age,sex,city,illness\n", 2, "no rows");
}

#[test]
fn duplicate_column_names() {
    refused("name,age,sex,sex,illness\na,1,F,F,flu\n", 2, "columns 3 and 4 have the same name");
}

#[test]
fn ragged_rows() {
    refused(CLINIC.replace("Dan,38,M,Lyon,asthma", "Dan,38,M,Lyon"), 2, "line 5");
    refused(CLINIC.replace("Dan,38,M,Lyon,asthma", "Dan,38,M,Lyon,asthma,more"), 2, "line 5");
}

#[test]
fn invalid_utf8() {
    let mut bytes = CLINIC.as_bytes().to_vec();
    let at = CLINIC.find("Lyon").unwrap();
    bytes[at] = 0xff;
    refused(bytes, 2, "UTF-8");
}

#[test]
fn a_ten_megabyte_cell() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.write("people.csv", CLINIC.replace("Lyon", &"L".repeat(10 << 20)));
    let ran = desk.run("publish people.csv --name one -o out.csv --quiet");
    assert!(ran.status == 0 || ran.status == 2, "{}", ran.err);
    assert!(ran.err.len() < 10_000 && ran.out.len() < 100_000, "the cell was printed");
}

#[test]
fn a_column_that_is_all_missing() {
    let empty: String = CLINIC
        .lines()
        .map(|line| line.replace("Paris", "").replace("Lyon", "").replace("Oslo", "").replace("Bergen", "") + "\n")
        .collect();
    refused(empty, 2, "column `city`: no row has a value");
}

#[test]
fn numbers_that_are_none() {
    for text in ["NaN", "inf", "1e400", "123456789012345678901234567890", "thirty"] {
        refused(CLINIC.replace("34", text), 2, "column `age`: 1 row with values that are not numbers");
    }
}

#[test]
fn k_larger_than_the_table() {
    let desk = Desk::clinic(&clinic_policy(13));
    desk.run("publish people.csv --name one -o out.csv").exits(1).says("12 people share these values, 13 needed");
    assert_eq!(desk.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn a_policy_that_names_absent_columns() {
    policy_refused("[columns.city]", "[columns.citi]", "the data has no column `citi`");
    policy_refused("[columns.city]\n", "", "city");
}

#[test]
fn a_policy_with_slips_of_the_pen() {
    policy_refused("role = \"sensitive\"", "role = \"sensitiv\"", "did you mean `sensitive`?");
    policy_refused("k = 3", "k = 0", "line");
    policy_refused("seed = 1", "sed = 1", "did you mean `seed`?");
    policy_refused("k = 3", "k = 3\n[[requirement.models]]\nmodel = \"k-anonimity\"", "did you mean `k-anonymity`?");
    policy_refused("k = 3", "k = 3\n[[requirement.models]]\nmodel = \"t-closeness\"\nt = 1.5", "number from 0 to 1");
    policy_refused("k = 3", "k = = 3", "line");
}

#[test]
fn no_policy_at_all() {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.run("check people.csv").exits(3).says("reticent.toml").says("reticent init");
}

#[test]
fn a_taxonomy_with_a_circle_or_a_hole() {
    let policy = clinic_policy(3).replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"");
    let desk = Desk::clinic(&policy);
    desk.run("check people.csv").exits(2).says("city.csv");
    desk.write("city.csv", "Paris;France;Paris;*\n");
    desk.run("check people.csv").exits(2).says("circle");
    desk.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\n");
    desk.run("check people.csv").exits(2).says("column `city`: 1 value in 2 rows outside its taxonomy (`Bergen`)");
    desk.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    desk.run("publish people.csv --name one -o out.csv").exits(0);
}

#[test]
fn an_output_that_exists_is_not_touched() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.write("out.csv", "precious");
    desk.run("publish people.csv --name one -o out.csv").exits(2).says("exists already");
    assert_eq!(desk.read("out.csv"), "precious");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o nowhere/out.csv").exits(3).says("nowhere: the folder is not there");
}

/// A device that is always full stands in for a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let desk = Desk::clinic(&clinic_policy(3));
    let ran = std::process::Command::new("sh")
        // No file may grow beyond one block: the write fails as on a full disk.
        .args([
            "-c",
            &format!(
                "trap '' XFSZ; ulimit -f 0; exec {} publish people.csv --name one -o out.csv --new-ledger",
                env!("CARGO_BIN_EXE_reticent")
            ),
        ])
        .current_dir(desk.path())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(desk.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn init_never_overwrites() {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.run("init people.csv").exits(0);
    let drafted = desk.read("reticent.toml");
    desk.write("reticent.toml", "mine");
    desk.run("init people.csv").exits(2).says("exists already");
    assert_eq!(desk.read("reticent.toml"), "mine");
    desk.run("init people.csv --force").exits(0);
    assert_eq!(desk.read("reticent.toml"), drafted);
    // What init drafts is a policy that check understands.
    desk.run("check people.csv").exits(1).says("violated 5-anonymity");
}

#[test]
fn too_little_memory_is_said() {
    let desk = Desk::clinic(&clinic_policy(3));
    let rows: String = (0..60_000).map(|row| format!("n{row},{},F,c{row},flu\n", row % 90)).collect();
    desk.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    desk.run("publish people.csv --name one -o out.csv --memory 1M").exits(2).says("--memory");
    assert_eq!(desk.files(), ["people.csv", "reticent.toml"]);
}

/// A folder in which nobody can make a file, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_folder() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o /proc/out.csv").exits(3).says("could not write in /proc");
    desk.run("init people.csv --policy /proc/reticent.toml").exits(3).says("/proc");
}
