//! Screens of drafting, checking, publishing, comparing and auditing, and of their errors, as snapshots.
//!
//! To accept changed screens: `cargo insta review`.

use crate::screen::{screen, with_key};
use crate::support::{CLINIC, RunCommand, TestFolder, clinic_policy};

#[test]
fn help_and_catalogue() {
    let folder = TestFolder::new();
    insta::assert_snapshot!("help", screen(&folder, "help"));
    insta::assert_snapshot!("catalogue_entry", screen(&folder, "catalogue k-anonymity"));
    insta::assert_snapshot!("catalogue_without_such_an_entry", screen(&folder, "catalogue k-anonimity"));
}

/// The next step can be typed as it is shown: names with spaces are quoted.
#[test]
fn init() {
    let folder = TestFolder::new();
    folder.write("our people.csv", CLINIC);
    let ran = folder.run_with(&["init", "our people.csv"]).exits(0);
    insta::assert_snapshot!("init", ran.out);
    folder.write("people.csv", CLINIC);
    insta::assert_snapshot!("init_where_there_is_a_policy", screen(&folder, "init people.csv"));
}

#[test]
fn check() {
    let folder = TestFolder::clinic(&clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.7"));
    insta::assert_snapshot!("check_a_policy", screen(&folder, "check"));
    insta::assert_snapshot!("check", screen(&folder, "check people.csv"));
    folder.replace("reticent.toml", "role = \"sensitive\"", "role = \"sensitiv\"");
    insta::assert_snapshot!("check_a_wrong_policy", screen(&folder, "check people.csv"));
    insta::assert_snapshot!("check_without_a_policy", screen(&TestFolder::new(), "check people.csv"));
}

#[test]
fn publish() {
    let folder = with_key(TestFolder::clinic_with_owner(3));
    folder.replace("reticent.toml", "k = 3", "k = 3\nconfidence = 0.7");
    let call = "publish people.csv --name one --to press -o one.csv";
    insta::assert_snapshot!("publish_rehearsal", screen(&folder, &format!("{call} --dry-run")));
    insta::assert_snapshot!("publish", screen(&folder, call));
    insta::assert_snapshot!("publish_to_an_output_that_exists", screen(&folder, call));
    // Refused because of the release itself, of an earlier one, and of the join of both.
    let next = "publish people.csv --name two --to press --columns sex,illness -o two.csv";
    insta::assert_snapshot!("publish_refused", screen(&folder, &format!("{next} --dry-run --confidence 0.3")));
    let alone = "publish people.csv --name three --to bank --columns sex,illness -o three.csv --ignore-history";
    insta::assert_snapshot!("publish_alone", screen(&folder, alone));
}

/// One choice is recommended, and one would be refused.
#[test]
fn compare() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    insta::assert_snapshot!("compare", screen(&folder, "compare people.csv --k 3,13"));
}

/// Without a list of settings, those of the policy are varied.
#[test]
fn compare_variations() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    insta::assert_snapshot!("compare_variations", screen(&folder, "compare people.csv --to press"));
}

/// Ten of fourteen records are one person's: that one of the ten is flu is certain.
#[test]
fn publish_refused_by_the_audit() {
    let folder = with_key(several_records());
    let own = "P1,F,flu\nP1,F,asthma\n".repeat(5);
    folder.write("d.csv", format!("id,sex,illness\n{own}P2,F,flu\nP3,F,asthma\nP4,F,diabetes\nP5,F,hernia\n"));
    let call = "publish d.csv --name one --to press -o one.csv";
    insta::assert_snapshot!("publish_refused_by_the_audit", screen(&folder, call));
}

fn several_records() -> TestFolder {
    TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\n\
         [requirement]\nk = 2\nconfidence = 0.6\n[release]\nseed = 1\n",
    )
}

/// Several records of one person; their posterior is reported beside that of one record.
#[test]
fn audit_of_several_records() {
    let folder = with_key(several_records());
    let rows = "P1,F,flu\nP1,F,gout\nP2,F,flu\nP3,F,flu\nP4,F,flu\nP5,F,gout\nP6,F,cold\nP7,F,burn\n";
    folder.write("d.csv", format!("id,sex,illness\n{rows}"));
    let published = screen(&folder, "publish d.csv --name one --to press -o one.csv");
    insta::assert_snapshot!("publish_several_records", published);
    insta::assert_snapshot!("audit_of_several_records", screen(&folder, "audit --worst 1"));
}

/// A posterior of 2,999 of 3,000 is not shown as 100 %.
#[test]
fn audit_of_a_value_that_is_nearly_certain() {
    let folder = with_key(owners());
    let rows: String = (0..3_000).map(|at| format!("{at},a,{}\n", if at == 0 { "HIV" } else { "Flu" })).collect();
    folder.write("r.csv", format!("pid,zip,ill\n{rows}"));
    folder.run("register r.csv --name r --to public --date 2020-01-01").exits(0);
    let shown = screen(&folder, "audit --worst 1");
    assert!(!shown.contains("100.0 % (exact)"), "{shown}");
    insta::assert_snapshot!("audit_of_a_value_that_is_nearly_certain", shown);
}

/// Values that may be certain, and people of whom only bounds are known.
#[test]
fn audit_of_bounds() {
    let folder = with_key(owners());
    let releases = ["1,a,HIV\n2,a,Flu\n", "1,b,HIV\n3,b,Flu\n", "2,c,Flu\n3,c,Flu\n4,c,HIV\n"];
    for (at, rows) in releases.iter().enumerate() {
        folder.write("r.csv", format!("pid,zip,ill\n{rows}"));
        folder.run(&format!("register r.csv --name r{at} --to public --date 2020-01-01")).exits(0);
    }
    insta::assert_snapshot!("audit_without_effort", screen(&folder, "audit --effort 0 --worst 1"));
    let folder = with_key(owners());
    for (at, value) in ["HIV", "Flu"].iter().enumerate() {
        folder.write("r.csv", format!("pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,{value}\n"));
        folder.run(&format!("register r.csv --name r{at} --to public --date 2020-01-01")).exits(0);
    }
    insta::assert_snapshot!("audit_of_a_changed_value", screen(&folder, "audit --worst 0"));
}

fn owners() -> TestFolder {
    TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    )
}

#[test]
fn audit_of_an_attacker_who_knows_the_algorithm() {
    let call = "audit --confidence 0.6 --adversary algorithm --population people.csv --worst 0";
    insta::assert_snapshot!("audit_not_judged_in_full", screen(&TestFolder::engineers(), call));
    let call = "audit --confidence 0.9 --adversary algorithm --population people.csv --worst 0";
    insta::assert_snapshot!("audit_of_a_downcoded_release", screen(&TestFolder::downcoded(), call));
}
