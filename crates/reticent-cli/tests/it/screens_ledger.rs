//! Screens of the verbs about the ledger, of audits and of releases by a method, as snapshots.
//!
//! To accept changed screens: `cargo insta review`.

use reticent_testkit::{method_policy, month};

use crate::screen::{screen, with_key};
use crate::support::{RunCommand, TestFolder};

/// A clinic with a release, and a second one that was judged alone.
fn clinic() -> TestFolder {
    let folder = with_key(TestFolder::clinic_with_owner(3));
    for call in [
        "publish people.csv --name one --to press,ministry -o one.csv",
        "publish people.csv --name two --to press -o two.csv --columns age,illness --ignore-history",
    ] {
        // By the same steward as the calls that are shown.
        assert!(screen(&folder, call).ends_with("[exit status 0]"), "{call}");
    }
    folder
}

#[test]
fn log_show_diff_and_history() {
    let folder = clinic();
    insta::assert_snapshot!("log", screen(&folder, "log"));
    insta::assert_snapshot!("show", screen(&folder, "show one"));
    insta::assert_snapshot!("diff", screen(&folder, "diff one two"));
    insta::assert_snapshot!("history", screen(&folder, "history for press"));
}

#[test]
fn verify_and_export_head() {
    let folder = clinic();
    insta::assert_snapshot!("verify", screen(&folder, "verify"));
    insta::assert_snapshot!("export_head", screen(&folder, "export-head -o head.json"));
    insta::assert_snapshot!("verify_against_a_head", screen(&folder, "verify --head head.json"));
    folder.replace("two.csv", "asthma", "gout");
    insta::assert_snapshot!("verify_a_changed_file", screen(&folder, "verify"));
}

#[test]
fn an_erased_release() {
    let folder = clinic();
    insta::assert_snapshot!("purge_unconfirmed", screen(&folder, "purge one --reason asked"));
    insta::assert_snapshot!("purge", screen(&folder, "purge one --reason asked --yes"));
    insta::assert_snapshot!("log_of_an_erased_release", screen(&folder, "log"));
    insta::assert_snapshot!("show_an_erased_release", screen(&folder, "show one"));
    let refused = screen(&folder, "publish people.csv --name three --to press -o three.csv");
    insta::assert_snapshot!("publish_after_an_erased_release", refused);
    insta::assert_snapshot!("audit_not_established", screen(&folder, "audit --confidence 0.9 --worst 0"));
}

#[test]
fn corrected_releases() {
    let folder = clinic();
    insta::assert_snapshot!("withdraw_with_the_file", screen(&folder, "withdraw two --reason unsent"));
    std::fs::remove_file(folder.file("two.csv")).unwrap();
    insta::assert_snapshot!("withdraw", screen(&folder, "withdraw two --reason unsent"));
    insta::assert_snapshot!("withdraw_again", screen(&folder, "withdraw two --reason unsent"));
    let amend = "amend one --recipients ward,press --role city=sensitive --reason known";
    insta::assert_snapshot!("amend", screen(&folder, amend));
    folder.write("owner.txt", "Leo\n");
    insta::assert_snapshot!(
        "erase_rehearsal",
        screen(&folder, "erase --owner-file owner.txt --reason asked --dry-run")
    );
    insta::assert_snapshot!("erase_unconfirmed", screen(&folder, "erase --owner-file owner.txt --reason asked"));
    insta::assert_snapshot!("erase", screen(&folder, "erase --owner-file owner.txt --reason asked --yes"));
    insta::assert_snapshot!("log_of_corrections", screen(&folder, "log"));
    insta::assert_snapshot!("show_a_corrected_release", screen(&folder, "show one"));
    insta::assert_snapshot!("show_a_withdrawn_release", screen(&folder, "show two"));
    insta::assert_snapshot!("history_of_a_corrected_release", screen(&folder, "history for ward"));
    let next = "publish people.csv --name three --to ward -o three.csv --columns age,sex --ignore-history";
    insta::assert_snapshot!("publish_after_corrections", screen(&folder, next));
}

#[test]
fn audit() {
    let folder = clinic();
    insta::assert_snapshot!("audit", screen(&folder, "audit --confidence 0.5 --worst 2 --attack homogeneity"));
    insta::assert_snapshot!("audit_within_the_bound", screen(&folder, "audit --confidence 0.9 --worst 0"));
    let unlinked = "audit --confidence 0.9 --worst 0 --adversary quasi-identifiers";
    insta::assert_snapshot!("audit_without_presence", screen(&folder, unlinked));
}

/// What an attack found is not part of the verdict.
#[test]
fn audit_with_an_attack() {
    let folder = with_key(TestFolder::monthly(&method_policy("anatomy", "l = 2")));
    folder.write("may.csv", month(0..40, false));
    folder.run("publish may.csv --name may -o may").exits(0);
    insta::assert_snapshot!("audit_with_an_attack", screen(&folder, "audit --worst 0 --attack definetti"));
}

#[test]
fn register() {
    let folder = with_key(TestFolder::clinic_with_owner(3));
    folder.write("old.csv", "age,city\n20-29,Paris\n30-39,Paris\n30-39,Oslo\n");
    let call = "register old.csv --name old --to press --date 2020-01-01";
    insta::assert_snapshot!("register_rehearsal", screen(&folder, &format!("{call} --dry-run")));
    insta::assert_snapshot!("register", screen(&folder, call));
    folder.write("people.csv", "name,full_name\nAda,a\nBen,b\n");
    let unclear = "register people.csv --name people --to press --date 2020-01-01";
    insta::assert_snapshot!("register_an_unclear_column", screen(&folder, unclear));
}

/// A table that attackers have, beside a release.
#[test]
fn register_a_population() {
    let folder = with_key(TestFolder::clinic_with_owner(3));
    folder.write("voters.csv", "name,age,city\nAda,31,Paris\nBen,31,Paris\nZoe,70,Oslo\n");
    let call = "register voters.csv --as population --name voters --to public --date 2020-01-01";
    insta::assert_snapshot!("register_a_population", screen(&folder, call));
    screen(&folder, "publish people.csv --name one --to press -o one.csv");
    insta::assert_snapshot!("log_of_a_population", screen(&folder, "log"));
    insta::assert_snapshot!("show_a_population", screen(&folder, "show voters"));
    insta::assert_snapshot!("history_with_a_population", screen(&folder, "history for press"));
    insta::assert_snapshot!("audit_with_a_population", screen(&folder, "audit --confidence 0.9 --worst 0"));
}

#[test]
fn publish_by_a_method() {
    let folder = with_key(TestFolder::monthly(&method_policy("m-invariance", "m = 2")));
    folder.write("may.csv", month(0..12, false));
    insta::assert_snapshot!("publish_by_a_method", screen(&folder, "publish may.csv --name may -o may"));
    folder.write("june.csv", month(1..12, false));
    let leaver = screen(&folder, "publish june.csv --name june -o june");
    insta::assert_snapshot!("publish_by_a_method_after_a_leaver", leaver);
    insta::assert_snapshot!("show_by_a_method", screen(&folder, "show june"));
}

/// A text that is too long for the terminal is cut.
#[test]
fn long_texts_are_shown_in_part() {
    let folder = TestFolder::new();
    let long = "x".repeat(70_000);
    folder.write("old.csv", format!("ward,kind\n{long},b\n{long},c\na,b\na,c\n"));
    folder.run("register old.csv --name old --to press --date 2020-01-01 --quasi-identifier ward,kind").exits(0);
    let shown = folder.run("show old").exits(0);
    assert!(shown.out.len() < 10_000, "{} bytes", shown.out.len());
}
