//! People with several records: what a sensitive column describes, and how many people share several records.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::json;

fn policy(disease: &str, requirement: &str) -> String {
    format!(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.ward]\ntaxonomy = \"ward.txt\"\n[columns.disease]\n\
         role = \"sensitive\"\n{disease}[requirement]\n{requirement}"
    )
}

fn folder(disease: &str, requirement: &str) -> TestFolder {
    let folder = TestFolder::from_policy(&policy(disease, requirement));
    folder.write("ward.txt", "a;hospital\nb;hospital\nc;hospital\n");
    folder
}

const WARDS: &str = "id,ward,disease\n1,a,HIV\n1,b,HIV\n2,a,Flu\n2,c,Flu\n3,b,Cold\n3,c,Cold\n";

/// Everybody shares each ward with another person, and no two wards.
#[test]
fn two_known_records_of_three_people_single_them_out() {
    let multir = |records: &str| {
        let model = format!("[[requirement.models]]\nmodel = \"multir-k-anonymity\"\nk = 2\n{records}");
        let folder = folder("", &model);
        folder.write("d.csv", WARDS);
        folder.publish("d.csv", "one").to("press").run().passes().json()["columns"][0]["published"].clone()
    };
    assert_eq!(multir("records = 1\n"), json!(["a", "b", "c"]));
    assert_eq!(multir("records = 2\n"), json!(["hospital"]));
    assert_eq!(multir(""), json!(["hospital"]));
}

/// One person has three records, which nobody shares however general the wards are.
#[test]
fn a_number_of_records_that_is_unique_is_refused() {
    let folder = folder("", "[[requirement.models]]\nmodel = \"multir-k-anonymity\"\nk = 2\n");
    folder.write("d.csv", format!("{WARDS}3,a,Cold\n"));
    folder.publish("d.csv", "one").to("press").run().refused_with("requirement-unreachable");
}

/// The wards of a second table of the same people, published as a second release, are further records of them.
#[test]
fn records_in_two_tables_are_one_set() {
    let folder = folder("", "[[requirement.models]]\nmodel = \"multir-k-anonymity\"\nk = 2\nrecords = 2\n");
    folder.write("stays-data.csv", "id,ward,disease\n1,a,HIV\n2,a,Flu\n3,b,Cold\n4,b,Burn\n");
    folder.write("visits-data.csv", "id,clinic\n1,x\n2,y\n3,x\n4,y\n");
    folder.publish("stays-data.csv", "stays").to("press").run().passes();
    folder.replace("reticent.toml", "[columns.ward]", "[columns.clinic]\n[columns.ward]");
    let answer = folder.publish("visits-data.csv", "visits").to("press").rehearse().passes().json();
    assert_eq!(answer["columns"][0]["published"], json!(["*"]), "{answer}");
    let with_back_off = folder.read("reticent.toml");
    folder.write("reticent.toml", with_back_off.clone() + "[release]\nback-off = 0\n");
    let error = folder.publish("visits-data.csv", "visits").to("press").run().refused_with("record-sets-too-rare");
    assert_eq!(error.data(), json!({ "people": 4, "k": 2, "records": 2, "earlier": ["stays"] }));
    folder.write("reticent.toml", with_back_off);
    // Other recipients, who share nothing with the press, lack the first table.
    let policy = folder.read("reticent.toml");
    folder.write("reticent.toml", policy + "[recipients]\nnon-colluding = [\"press\", \"ministry\"]\n");
    folder.publish("visits-data.csv", "visits").to("ministry").run().passes();
}

#[test]
fn the_model_needs_an_owner() {
    let text = policy("", "[[requirement.models]]\nmodel = \"multir-k-anonymity\"\nk = 2\n");
    let folder = TestFolder::from_policy(&text.replace("[dataset]\nowner = \"id\"\n", ""));
    folder.write("ward.txt", "a;hospital\nb;hospital\nc;hospital\n");
    folder.write("d.csv", WARDS);
    let error = folder.check("d.csv").unwrap_err();
    assert!(error.to_string().contains("owner = \"COLUMN\""), "{error}");
}

#[test]
fn check_shows_what_a_column_describes() {
    let of = |disease: &str, data: &str| {
        let folder = folder(disease, "k = 2\n");
        folder.write("d.csv", data);
        folder.check("d.csv").unwrap().json()
    };
    let same = of("", WARDS);
    assert_eq!(same["columns"][2]["per"], json!("person"), "{same}");
    assert_eq!(same["data"]["notes"], json!([]));
    let differing = of("", &WARDS.replace("3,c,Cold", "3,c,Flu"));
    assert_eq!(differing["columns"][2]["per"], json!("record"));
    let note = "disease describes the record, not the person: the records of 1 person differ in it; joins assume one value, unless the policy says \
                per = \"record\"";
    assert_eq!(differing["data"]["notes"], json!([note]));
    assert_eq!(of("per = \"record\"\n", WARDS)["columns"][2]["per"], json!("record"));
}

#[test]
fn a_declared_unit_that_the_data_contradicts_is_an_error() {
    let folder = folder("per = \"person\"\n", "k = 2\n");
    folder.write("d.csv", WARDS.replace("3,c,Cold", "3,c,Flu"));
    for error in [
        folder.check("d.csv").map(drop).unwrap_err(),
        folder.publish("d.csv", "one").to("press").run().map(drop).unwrap_err(),
    ] {
        assert_eq!(error.code(), "unit-contradicted");
    }
}
