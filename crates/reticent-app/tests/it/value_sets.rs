//! Releases with sets of values: written, verified, recorded, read by later releases, audits and registrations.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::json;

const POLICY: &str = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.city]\n[columns.job]\n[columns.illness]\n\
    role = \"sensitive\"\n[requirement]\nk = 2\n[release]\nalgorithm = \"local-recoding\"\nvalues = \"sets\"\nseed = 1\n";

/// Without a taxonomy, two cities have no common value but the suppressed one. The two people of each job form a group.
const PEOPLE: &str = "id,city,job,illness\n1,Rome,cook,HIV\n2,Oslo,cook,flu\n3,Bern,nurse,flu\n4,Lyon,nurse,cold\n";

fn folder(people: &str) -> TestFolder {
    let folder = TestFolder::from_policy(POLICY);
    folder.write("people.csv", people);
    folder
}

fn cities(folder: &TestFolder, file: &str) -> Vec<String> {
    let mut cities: Vec<String> = folder.rows(file).into_iter().map(|row| row[0].clone()).collect();
    cities.sort();
    cities
}

#[test]
fn a_group_publishes_the_values_of_its_people() {
    let folder = folder(PEOPLE);
    let answer = folder.publish("people.csv", "one").to("press").run().passes().json();
    assert_eq!(cities(&folder, "one.csv"), ["{Bern,Lyon}", "{Bern,Lyon}", "{Oslo,Rome}", "{Oslo,Rome}"]);
    // One of the other three cities in each of four cells, and no loss in the jobs: (1/3) / 2.
    let gcp = answer["metrics"].as_array().unwrap().iter().find(|metric| metric["id"] == json!("gcp")).unwrap();
    assert!((gcp["value"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-12, "{gcp}");
    folder.verify().passes();
    folder.replace("reticent.toml", "values = \"sets\"\n", "");
    folder.publish("people.csv", "nodes").to("ministry").ignore_history().run().passes();
    assert_eq!(cities(&folder, "nodes.csv"), ["*", "*", "*", "*"]);
}

/// A second release of the same people is judged with the first one: its sets are read from the ledger.
#[test]
fn a_later_release_is_joined_with_sets() {
    let folder = folder(PEOPLE);
    folder.publish("people.csv", "one").to("press").run().passes();
    let again = folder.publish("people.csv", "two").to("press").run().passes().json();
    assert_eq!(again["joins"][0]["with"], json!([1]), "{again}");
    assert_eq!(cities(&folder, "two.csv"), cities(&folder, "one.csv"));
    // Both releases have the same groups of two people with two values.
    let audit = folder.audit().recipients("press").run().unwrap().json();
    let column = &audit["coalitions"][0]["audit"]["columns"][0];
    assert_eq!((&column["exact"], &column["highest"]["upper"]), (&json!(4), &json!(0.5)), "{column}");
}

#[test]
fn a_registered_table_can_have_sets() {
    let publisher = folder(PEOPLE);
    publisher.publish("people.csv", "one").to("press").run().passes();
    let folder = folder(PEOPLE);
    folder.write("elsewhere.csv", publisher.read("one.csv"));
    let answer = folder.register("elsewhere.csv", "elsewhere").to("press").sensitive("illness").run().passes().json();
    assert_eq!(answer["columns"][0]["recognised"]["sets"], json!(2), "{answer}");
}

/// A value of the data that looks like a set stays a value, also beside a set with the same values.
#[test]
fn a_value_can_look_like_a_set() {
    let people = "id,city,job,illness\n1,Rome,cook,HIV\n2,Oslo,cook,flu\n3,\"{Oslo,Rome}\",nurse,flu\n4,\"{Oslo,Rome}\",nurse,cold\n";
    let folder = folder(people);
    folder.publish("people.csv", "one").to("press").run().passes();
    assert_eq!(cities(&folder, "one.csv"), ["{ Oslo,Rome}", "{ Oslo,Rome}", "{Oslo,Rome}", "{Oslo,Rome}"]);
    folder.publish("people.csv", "two").to("press").run().passes();
    folder.verify().passes();
}

#[test]
fn the_policy_refuses_sets_where_they_cannot_be_published() {
    for (from, to) in [
        ("\"local-recoding\"", "\"top-down-specialization\""),
        ("algorithm = \"local-recoding\"", "method = \"anatomy\""),
        ("\"sets\"", "\"values\""),
    ] {
        let folder = folder(PEOPLE);
        folder.replace("reticent.toml", from, to);
        folder.check("people.csv").fails_with("policy-invalid");
    }
}
