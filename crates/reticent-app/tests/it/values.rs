//! Values: spellings of numbers, dates, intervals and missing values.

use reticent_testkit::{Outcome, TestFolder, refusal};

fn diversity(l: u32, kind: &str) -> String {
    format!(
        "[columns.age]\ntype = \"number\"\n[columns.cd4]\nrole = \"sensitive\"\ntype = \"{kind}\"\n\
         [[requirement.models]]\nmodel = \"distinct-l-diversity\"\nl = {l}\n[release]\nseed = 1\n"
    )
}

#[test]
fn two_spellings_of_a_number_are_one_value() {
    let data = "age,cd4\n30,1\n30,1.0\n30,01\n30,7\n30,7.00\n30,7.0\n";
    let folder = TestFolder::from_policy(&diversity(3, "number"));
    folder.write("d.csv", data);
    let error = folder.publish("d.csv", "x").run().refused_with("requirement-unreachable");
    assert_eq!(error.data()["requirement"], "distinct 3-diversity of cd4 on age");
    assert_eq!(refusal(&error)["violations"][0]["worst"]["safety"], 2.0, "two different values");
    folder.write("reticent.toml", diversity(2, "number"));
    folder.publish("d.csv", "x").run().passes();
    let cells: Vec<String> = folder.rows("x.csv").iter().map(|row| row[1].clone()).collect();
    assert_eq!(cells.len(), 6);
    assert!(cells.iter().all(|cell| cell == "1" || cell == "7"), "{cells:?}");
}

#[test]
fn a_date_with_more_text_is_no_date() {
    let folder = TestFolder::from_policy(&diversity(2, "date"));
    folder.write("d.csv", "age,cd4\n30,2020-01-01 Jane\n30,1.0\n30,01\n30,7\n30,7.00\n30,7.0\n");
    let error = folder.publish("d.csv", "x").run().fails_with("column-unfit");
    assert_eq!(error.data()["column"], "cd4");
    assert!(error.to_string().contains("not dates"), "{error}");
}

#[test]
fn intervals_of_fractions_hold_their_values() {
    let folder = TestFolder::from_policy(
        "[columns.v]\ntype = \"number\"\nintervals = [0.1, 0.3]\nexact = false\n\
         [[requirement.models]]\nmodel = \"k-anonymity\"\nk = 1\n[release]\nseed = 1\n",
    );
    folder.write("d.csv", "v\n0.3\n0.6\n0.7\n0.1\n1.1\n");
    folder.publish("d.csv", "x").run().passes();
    let mut rows = folder.rows("x.csv").concat();
    rows.sort();
    assert_eq!(rows, ["[0.1,0.2)", "[0.3,0.4)", "[0.6,0.7)", "[0.7,0.8)", "[1.1,1.2)"]);
}

#[test]
fn a_missing_value_is_not_published_as_a_number() {
    let folder = TestFolder::from_policy(
        "[dataset]\nmissing-values = [\"99\"]\n[columns.age]\ntype = \"number\"\n\
         [[requirement.models]]\nmodel = \"k-anonymity\"\nk = 1\n[release]\nseed = 1\n",
    );
    folder.write("d.csv", "age\n99\n99.0\n40\n41\n");
    folder.publish("d.csv", "x").run().passes();
    let out = folder.read("x.csv");
    assert!(out.lines().any(|line| line == "\"\""), "the missing value is published as an empty cell: {out}");
}

/// The age of one person is missing: only the group of that person has a suppressed age.
#[test]
fn a_missing_number_suppresses_its_own_group_only() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.ill]\nrole = \"sensitive\"\n\
         [release]\nmethod = \"m-invariance\"\n[release.options]\nm = 2\n",
    );
    folder.write("d.csv", "id,age,ill\n1,30,flu\n2,31,gout\n3,50,flu\n4,51,gout\n5,70,flu\n6,,gout\n");
    folder.publish("d.csv", "one").to("press").output("out").run().passes();
    let people = folder.read("out/people.csv");
    assert!(!people.contains("any") && people.contains('['), "{people}");
    assert_eq!(people.lines().filter(|line| line.contains('*')).count(), 2, "{people}");
}
