//! Sampled posteriors are honest: a figure agrees with the exact posterior within its standard error, or there is no figure.
//!
//! `sampling_cases.json` has two histories with counterfeit records and background knowledge. With one chain, the standard errors covered
//! the exact value in a third of the cases, and a chain that never moved answered 0 where the posterior is 0.48.

use reticent_testkit::*;
use serde_json::Value;

const CASES: &str = include_str!("sampling_cases.json");
const POLICY: &str = "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.g]\n\
                      role = \"other\"\n[columns.d]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.9\n";
/// Work limit, in millions of steps, with which all possible worlds are counted.
const EXACT: u64 = 300;

fn folder(case: &Value) -> TestFolder {
    let folder = TestFolder::from_policy(POLICY);
    for (at, text) in case["releases"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).enumerate() {
        let (file, name) = (format!("r{at}.csv"), format!("r{at}"));
        folder.write(&file, text);
        let call = folder.register(&file, &name).date(&format!("2024-01-0{}", at + 1)).group_column("g");
        let has_counterfeits = text.starts_with("pid,g,n,d");
        (if has_counterfeits { call.counterfeit_column("n") } else { call }).run().passes();
    }
    folder.write("k.txt", case["knowledge"].as_str().unwrap());
    folder
}

/// Posteriors of every person and value, in the order of the answer.
fn posteriors(audit: &Value) -> Vec<&Value> {
    let persons = audit["persons"].as_array().unwrap().iter();
    let columns = persons.flat_map(|person| person["columns"].as_array().unwrap());
    columns.flat_map(|column| column["values"].as_array().unwrap()).collect()
}

#[test]
fn sampled_posteriors_agree_with_exact_ones() {
    for case in serde_json::from_str::<Vec<Value>>(CASES).unwrap() {
        let folder = folder(&case);
        let audit = |call: AuditCall<'_>| {
            call.background("k.txt").per_person().run().unwrap().json()["coalitions"][0]["audit"].clone()
        };
        let (exact, sampled) = (audit(folder.audit().effort(EXACT)), audit(folder.audit().samples(200)));
        let (mut figures, mut within) = (0, 0);
        let pairs: Vec<(&Value, &Value)> = posteriors(&exact).into_iter().zip(posteriors(&sampled)).collect();
        for (exact, sampled) in &pairs {
            assert_eq!(exact["value"], sampled["value"], "both audits list the possible values of the same people");
            let truth = exact["random_worlds"].as_f64().expect("every world is counted");
            let Some(figure) = sampled["sampled"].as_object() else { continue };
            let (estimate, error) = (figure["estimate"].as_f64().unwrap(), figure["standard_error"].as_f64().unwrap());
            assert!((estimate - truth).abs() <= 5.0 * error + 1e-9, "{estimate} +- {error}, exact {truth}");
            figures += 1;
            within += usize::from((estimate - truth).abs() <= error);
        }
        // One standard error covers 68 % of normal errors.
        assert!(figures < 20 || within * 2 > figures, "{within} of {figures} within one standard error");
        let not_sampled = sampled["stats"]["people_not_sampled"].as_u64().unwrap();
        assert!(figures > 0 || not_sampled > 0, "without a figure, the answer says for how many people");
        assert!(pairs.len() > 100);
    }
}
