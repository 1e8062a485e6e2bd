//! Tests of parsing a policy.

mod drafts;
mod mistakes;
mod presets;
mod queries;
mod schemas;

use super::*;
use crate::registry::Argument;

/// A policy with every key.
const HOSPITAL: &str = r#"#:schema ./reticent.schema.json
[dataset]
name = "hospital"
owner = "patient_id"
missing-values = ["", "NA"]

[columns.patient_id]

[columns.age]
role = "quasi-identifier"
type = "number"
intervals = [5, 10, 20, [20, 40, 60]]
exact = false
missing = "drop"

[columns.city]
taxonomy = "taxonomies/city.csv"

[columns."blood pressure"]
type = "number"
range = [0, 300.5]

[columns.born]
type = "date"
intervals = ["month", "quarter", "year", "decade", ["1950-01-01", "2000-01-01"]]

[columns.disease]
role = "sensitive"

[requirement]
k = 5
confidence = 0.5

[[requirement.models]]
model = "distinct-l-diversity"
l = 3
on = ["age", "city"]

[[requirement.models]]
model = "confidence-bounding"
[requirement.models.values]
HIV = 0.1
flu = 0.9

[release]
algorithm = "top-down-specialization"
purpose = { classify = "disease" }
suppression = 0.05
suppress = "cells"
seed = 42
[release.options]

[history]
judge = "each"

[[history.inconsistent]]
city = "Paris"
disease = "altitude sickness"

[recipients]
non-colluding = [["press", "ministry"], ["press", "insurer"]]

[ledger]
path = "ledgers/hospital"
key = "keys/reticent.key"
"#;

fn hospital() -> Policy {
    Policy::parse(HOSPITAL).unwrap()
}

fn schema_of(policy: &Policy) -> Result<Schema> {
    policy.schema(&mut |path| Ok(format!("Paris;{path};*\nRome;{path};*\n")))
}

#[test]
fn reads_every_key() {
    let policy = hospital();
    assert_eq!(policy.dataset, "hospital");
    assert_eq!(policy.owner.as_deref(), Some("patient_id"));
    assert_eq!(policy.missing_values, ["", "NA"]);
    let names: Vec<&str> = policy.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["patient_id", "age", "city", "blood pressure", "born", "disease"]);
    let age = &policy.columns[1];
    assert_eq!((age.role, age.values, age.missing), (Role::QuasiIdentifier, Type::Number, Missing::Drop));
    assert_eq!(age.intervals[2..], [IntervalLevel::Width(20.0), IntervalLevel::Bounds(vec![20.0, 40.0, 60.0])]);
    assert!(!age.exact);
    assert_eq!(age.line, 9);
    assert_eq!(policy.columns[3].range, Some((0.0, 300.5)));
    assert_eq!(policy.columns[4].intervals[4], IntervalLevel::Bounds(vec![-7305.0, 10957.0]));
    assert_eq!(policy.shorthand, Shorthand { k: Some(5), confidence: Some(0.5), reidentification: None });
    assert_eq!(policy.purpose, Purpose::Classification("disease".to_owned()));
    assert_eq!(policy.suppression.max_suppressed(1000), 50);
    assert!(policy.suppression.cells);
    assert_eq!(policy.seed, Some(42));
    assert_eq!(policy.breadth, crate::join::Breadth::EachAndAll);
    let rule = &policy.inconsistent[0];
    assert_eq!((rule.one.1.as_str(), rule.other.1.as_str()), ("Paris", "altitude sickness"));
    assert!(
        !policy.non_colluding.can_combine("press", "insurer")
            && policy.non_colluding.can_combine("ministry", "insurer")
    );
    assert_eq!((policy.ledger.as_str(), policy.key.as_str()), ("ledgers/hospital", "keys/reticent.key"));
}

#[test]
fn one_list_of_non_colluding_recipients_is_one_group() {
    let policy =
        Policy::parse("[columns.a]\n[requirement]\nk = 2\n[recipients]\nnon-colluding = [\"a\", \"b\", \"c\"]")
            .unwrap();
    assert_eq!(policy.non_colluding.groups, [["a", "b", "c"]]);
}

#[test]
fn reads_the_parameters_of_models() {
    let policy = hospital();
    let [diversity, bounding] = policy.models.as_slice() else { panic!("two models") };
    assert_eq!((diversity.model.as_str(), diversity.line), ("distinct-l-diversity", Some(35)));
    assert_eq!(diversity.arguments.get("l"), Some(&Argument::Number(3.0)));
    let on = ["age", "city"].map(str::to_owned).to_vec();
    assert_eq!(diversity.arguments.get("on"), Some(&Argument::Words(on)));
    let thresholds = [("HIV".to_owned(), 0.1), ("flu".to_owned(), 0.9)];
    assert_eq!(bounding.arguments.get("values"), Some(&Argument::Thresholds(thresholds.to_vec())));
}

#[test]
fn missing_keys_have_defaults() {
    let policy = Policy::parse("[columns.a]\n[requirement]\nk = 2").unwrap();
    assert_eq!((policy.dataset.as_str(), &policy.owner, policy.seed), ("data", &None, None));
    assert_eq!(policy.missing_values, [""]);
    assert_eq!(policy.algorithms, keys::ALGORITHMS);
    assert_eq!([0, 30_000, 200_000, 600_000].map(|combinations| policy.max_tries(combinations)), [500_000, 16, 2, 1]);
    assert_eq!((policy.purpose, policy.suppression), (Purpose::General, Suppression::NONE));
    assert!(policy.non_colluding.groups.is_empty());
    assert_eq!((policy.ledger.as_str(), policy.key.as_str()), ("ledger", "reticent.key"));
    let column = &policy.columns[0];
    assert_eq!((column.role, column.values, column.missing), (Role::QuasiIdentifier, Type::Text, Missing::Value));
    assert!(column.exact && column.intervals.is_empty() && column.taxonomy.is_none() && column.range.is_none());
}

#[test]
fn every_listed_word_is_an_enum_value() {
    for key in keys::COLUMN {
        let keys::KeyShape::Word(words) = key.shape else { continue };
        for word in words {
            let known = match key.name {
                "role" => serde_json::from_value::<Role>((*word).into()).is_ok(),
                "per" => serde_json::from_value::<crate::data::schema::Unit>((*word).into()).is_ok(),
                "mask" => *word == "prefix",
                "type" => serde_json::from_value::<Type>((*word).into()).is_ok(),
                _ => serde_json::from_value::<Missing>((*word).into()).is_ok(),
            };
            assert!(known, "{} = {word}", key.name);
        }
    }
    let ids: Vec<&str> = crate::algorithms::LIST.iter().map(|listed| listed.entry.id).collect();
    assert!(keys::ALGORITHMS.iter().all(|id| ids.contains(id)));
    assert!(keys::ALGORITHMS.iter().all(|id| keys::RELEASE[0].meaning.contains(id)));
}

#[test]
fn the_owner_must_be_an_identifier() {
    assert_eq!(hospital().columns[0].role, Role::Identifier);
    let changed = HOSPITAL.replace("[columns.patient_id]", "[columns.patient_id]\nrole = \"quasi-identifier\"");
    let error = Policy::parse(&changed).unwrap_err().to_string();
    assert!(error.contains("the owner must have the role identifier"), "{error}");
}

#[test]
fn every_column_has_a_tree_source() {
    let schema = schema_of(&hospital()).unwrap();
    let tree = |name: &str| schema.attribute(name).unwrap().tree.clone();
    assert_eq!(tree("patient_id"), TreeSource::Flat);
    assert!(matches!(tree("age"), TreeSource::Intervals { exact: false, levels } if levels.len() == 4));
    assert!(matches!(tree("city"), TreeSource::Given(tree) if tree.find("taxonomies/city.csv").is_some()));
    assert_eq!(tree("blood pressure"), TreeSource::Grown { range: Some((0.0, 300.5)) });
    assert_eq!(tree("disease"), TreeSource::Flat);
    assert_eq!(schema.missing_values, ["", "NA"]);
    assert_eq!(schema.owner.as_deref(), Some("patient_id"));
}

#[test]
fn a_sensitive_number_has_no_grown_intervals() {
    let policy = Policy::parse("[columns.pay]\nrole = \"sensitive\"\ntype = \"number\"\n[requirement]\nk = 2").unwrap();
    assert_eq!(schema_of(&policy).unwrap().attributes[0].tree, TreeSource::Flat);
}

#[test]
fn an_unreadable_taxonomy_is_reported_with_its_line() {
    let error = hospital().schema(&mut |_| Err("no such file".to_owned())).unwrap_err();
    let expect = "policy line 17: the taxonomy `taxonomies/city.csv` cannot be read: no such file";
    assert_eq!(error.to_string(), expect);
    let error = hospital().schema(&mut |_| Ok(String::new())).unwrap_err();
    assert!(error.to_string().contains("taxonomy of `city`"), "{error}");
}

#[test]
fn the_short_form_expands_to_models() {
    let policy = hospital();
    let specs = policy.model_specs(&schema_of(&policy).unwrap());
    let models: Vec<(&str, Option<usize>)> = specs.iter().map(|spec| (spec.model.as_str(), spec.line)).collect();
    let expect = [
        ("k-anonymity", Some(31)),
        ("confidence-bounding", Some(32)),
        ("distinct-l-diversity", Some(35)),
        ("confidence-bounding", Some(40)),
    ];
    assert_eq!(models, expect);
}

#[test]
fn policy_and_data_must_have_the_same_columns() {
    let policy = Policy::parse("[columns.age]\n[columns.sex]\n[requirement]\nk = 2").unwrap();
    let check = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        policy.check_columns(&names).map_err(|error| error.to_string())
    };
    assert_eq!(check(&["sex", "age"]), Ok(Vec::new()));
    assert_eq!(check(&["age"]), Ok(vec!["sex".to_owned()]));
    let expect = "policy line 1: the data has no column `age` (did you mean `Age`?)";
    assert_eq!(check(&["Age", "sex"]), Err(expect.to_owned()));
    let more = check(&["age", "sex", "a", "b", "c", "d", "e", "f"]).unwrap_err();
    assert!(more.contains("has no table for `a`, `b`, `c`, `d`, `e` and 1 more; add [columns.NAME]"), "{more}");
}
