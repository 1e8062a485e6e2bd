//! Identity risk and posteriors of small histories, against answers that an independent program computed by brute force.
//!
//! `bench/oracle/oracle.py` enumerates all assignments of records to people; it was written from the specification, without
//! this code. `identity_cases.json` has some of its histories. `just identity` compares a thousand and more.

use std::collections::BTreeMap;

use reticent_testkit::*;
use serde_json::Value;

const CASES: &str = include_str!("identity_cases.json");

/// An expected ratio, such as `2/3`.
fn ratio(text: &Value) -> f64 {
    let text = text.as_str().unwrap();
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap()
}

fn column_names(case: &Value) -> Vec<&str> {
    case["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// Registers the releases of a history and audits them.
fn audit(case: &Value) -> Value {
    let column = |name: &&str| {
        let per = case["policy_per"].get(*name).and_then(Value::as_str);
        let per = per.map(|per| format!("per = \"{per}\"\n")).unwrap_or_default();
        format!("[columns.{name}]\nrole = \"sensitive\"\n{per}")
    };
    let columns: String = column_names(case).iter().map(column).collect();
    let folder = TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n{columns}[requirement]\nconfidence = 0.9\n"
    ));
    for (at, release) in case["releases"].as_array().unwrap().iter().enumerate() {
        let line = |cells: &Value| {
            let cells: Vec<&str> = cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
            cells.join(",") + "\n"
        };
        let rows: String = release["rows"].as_array().unwrap().iter().map(line).collect();
        let name = release["name"].as_str().unwrap();
        folder.write(&format!("{name}.csv"), line(&release["header"]) + &rows);
        folder.register(&format!("{name}.csv"), name).date(&format!("2024-0{}-01", at + 1)).run().passes();
    }
    folder.audit().per_person().run().unwrap().json()["coalitions"][0]["audit"].clone()
}

/// Values of a person with their probabilities, by column; values with probability 0 are left out.
type Posteriors = BTreeMap<String, BTreeMap<String, String>>;

/// A probability with nine decimals.
fn rounded(probability: f64) -> String {
    format!("{probability:.9}")
}

fn expected_person(case: &Value, person: &str) -> (String, Posteriors) {
    let expected = &case["expected"];
    let of_column = |(name, values): (&String, &Value)| {
        let values = values.as_object().unwrap().iter().map(|(value, share)| (value.clone(), ratio(share)));
        (name.clone(), values.filter(|(_, share)| *share > 0.0).map(|(value, share)| (value, rounded(share))).collect())
    };
    let posteriors = expected["posteriors"][person].as_object().unwrap().iter().map(of_column).collect();
    (rounded(ratio(&expected["risk"][person])), posteriors)
}

fn found_person(person: &Value) -> (String, Posteriors) {
    let mut posteriors = Posteriors::new();
    for column in person["columns"].as_array().unwrap() {
        let values = column["values"].as_array().unwrap().iter().map(|value| {
            assert_eq!(value["lower"], value["upper"], "{person}");
            (value["value"].as_str().unwrap().to_owned(), rounded(value["lower"].as_f64().unwrap()))
        });
        posteriors.insert(column["column"].as_str().unwrap().to_owned(), values.collect());
    }
    let risk = &person["reidentification"];
    assert_eq!(risk["lower"], risk["upper"], "{person}");
    (rounded(risk["lower"].as_f64().unwrap()), posteriors)
}

#[test]
fn audits_match_an_independent_brute_force() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let mut exact = 0;
    for case in &cases {
        let (name, expected) = (&case["name"], &case["expected"]);
        let found = audit(case);
        let identity = &found["identity"];
        let number = |value: &Value| value.as_u64().unwrap();
        for (proved, possible, truth) in
            [("singled_out", "may_be_singled_out", "singled_out"), ("linkable", "may_be_linkable", "linkable")]
        {
            let truth = number(&expected[truth]);
            assert!(number(&identity[proved]) <= truth && truth <= number(&identity[possible]), "{name}: {identity}");
        }
        assert_eq!(identity["with_several_records"], expected["with_several_records"], "{name}: {identity}");
        let within = |range: &Value, truth: f64| {
            range["lower"].as_f64().unwrap() <= truth + 1e-9 && range["upper"].as_f64().unwrap() >= truth - 1e-9
        };
        assert!(within(&identity["prosecutor"], ratio(&expected["prosecutor"])), "{name}: {identity}");
        assert!(within(&identity["marketer"], ratio(&expected["marketer"])), "{name}: {identity}");
        // The n-th highest bound holds for the n-th highest risk.
        let people = found["persons"].as_array().unwrap();
        let sorted = |mut numbers: Vec<f64>| {
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let bound = |name: &str| {
            sorted(people.iter().map(|person| person["reidentification"][name].as_f64().unwrap()).collect())
        };
        let risks = sorted(expected["risk"].as_object().unwrap().values().map(ratio).collect());
        for ((lower, upper), risk) in bound("lower").iter().zip(bound("upper")).zip(&risks) {
            assert!(*lower <= risk + 1e-9 && upper >= risk - 1e-9, "{name}: {risks:?} {people:?}");
        }
        // One record for each person and release, or values of the person: everything is exact.
        if ["a", "b", "c"].contains(&case["family"].as_str().unwrap()) {
            exact += 1;
            let mut truth: Vec<(String, Posteriors)> =
                expected["risk"].as_object().unwrap().keys().map(|person| expected_person(case, person)).collect();
            let mut found: Vec<(String, Posteriors)> = people.iter().map(found_person).collect();
            truth.sort();
            found.sort();
            assert_eq!(found, truth, "{name}");
            assert_eq!(identity["singled_out"], expected["singled_out"], "{name}: {identity}");
            assert_eq!(identity["linkable"], expected["linkable"], "{name}: {identity}");
        }
    }
    assert!(cases.len() >= 60 && exact >= 30, "{} {exact}", cases.len());
}
