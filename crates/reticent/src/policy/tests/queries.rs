//! Tests of the purpose, column weights, and files of count queries.

use super::*;
use crate::data::workload::{SelectedValues, Workload};
use crate::error::Error;

/// Four columns: a taxonomy, a number, a date, and a column without order.
const COLUMNS: &str = "[columns.city]\ntaxonomy = \"city\"\n[columns.age]\ntype = \"number\"\nweight = 2.5\n[columns.born]\ntype = \"date\"\n\
                       [columns.sex]\n[columns.id]\nrole = \"identifier\"\n[requirement]\nk = 2\n";

fn policy(purpose: &str) -> Policy {
    Policy::parse(&format!("{COLUMNS}[release]\npurpose = {purpose}")).unwrap()
}

/// Reads a file of queries.
fn load(queries: &str) -> Result<Workload> {
    let mut policy = policy("{ queries = \"counts.toml\" }");
    let mut read = |path: &str| match path {
        "city" => Ok("Paris;France;*\nRome;Italy;*\n".to_owned()),
        "counts.toml" => Ok(queries.to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let schema = policy.schema(&mut read).unwrap();
    policy.load_queries(&schema, &mut read)?;
    let Purpose::Queries(workload) = policy.purpose else { panic!("a workload") };
    Ok(workload)
}

/// Checks that reading fails on this line with this text.
#[track_caller]
fn check(queries: &str, expected: Option<usize>, text: &str) {
    let error = load(queries).unwrap_err();
    let Error::Workload { file, line, .. } = &error else { panic!("{error}") };
    assert_eq!((file.as_str(), *line), ("counts.toml", expected), "{error}");
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn purposes() {
    assert_eq!(policy("\"general\"").purpose, Purpose::General);
    assert_eq!(policy("{ cluster = 5 }").purpose, Purpose::Clusters(5));
    assert_eq!(policy("{ classify = \"sex\" }").purpose, Purpose::Classification("sex".to_owned()));
}

#[test]
fn column_weights() {
    let weights = policy("\"general\"").column_weights();
    assert_eq!(weights[..2], [("city".to_owned(), 1.0), ("age".to_owned(), 2.5)]);
}

#[test]
fn every_form_of_a_condition() {
    let workload = load(
        "[[query]]\nwhere = { city = \"France\", age = { from = 30, to = 39 } }\nweight = 2\n\
         [[query]]\nwhere.born = { from = 2000-01-01 }\nwhere.age = 40\nwhere.sex = \"f\"\n",
    )
    .unwrap();
    let [first, second] = workload.queries.as_slice() else { panic!("two queries") };
    assert_eq!((first.weight, second.weight), (2.0, 1.0));
    let values = |query: &crate::data::workload::CountQuery| -> Vec<(String, SelectedValues)> {
        query.conditions.iter().map(|condition| (condition.column.clone(), condition.values.clone())).collect()
    };
    let label = |text: &str| SelectedValues::Label(text.to_owned());
    let expected = [("city", label("France")), ("age", SelectedValues::Between(30.0, 39.0))];
    assert_eq!(values(first), expected.map(|(column, values)| (column.to_owned(), values)));
    let expected = [
        ("born", SelectedValues::Between(10957.0, f64::INFINITY)),
        ("age", SelectedValues::Between(40.0, 40.0)),
        ("sex", label("f")),
    ];
    assert_eq!(values(second), expected.map(|(column, values)| (column.to_owned(), values)));
    assert_eq!(second.conditions[1].line, 6);
}

#[test]
fn mistakes_in_queries_have_their_line() {
    check("", None, "has no query");
    check("[[query]\n", Some(1), "");
    check("[[querry]]\n", Some(1), "did you mean `query`?");
    check("\n[[query]]\nwhere = { city = \"Paris\" }\nwieght = 2", Some(4), "did you mean `weight`?");
    check("[[query]]\nweight = 2", Some(1), "has no condition");
    check("[[query]]\nwhere = { }", Some(1), "has no condition");
    check("[[query]]\nwhere = { city = \"Paris\" }\nweight = 0", Some(3), "must be a number above 0");
    check("[[query]]\nwhere = { cty = \"Paris\" }", Some(2), "(did you mean `city`?)");
    check("[[query]]\nwhere = { id = \"7\" }", Some(2), "is an identifier");
    check("[[query]]\nwhere.city = \"Pariss\"", Some(2), "(did you mean `Paris`?)");
    check("[[query]]\nwhere = { city = 3 }", Some(2), "must be a value or a taxonomy label, in quotes");
    check("[[query]]\nwhere = { age = true }", Some(2), "must be a value, or bounds");
    check("[[query]]\nwhere = { age = { } }", Some(2), "has no bound");
    check("[[query]]\nwhere = { age = { from = 5, to = 4 } }", Some(2), "has a lower bound above the upper bound");
    check("[[query]]\nwhere = { age = { form = 5 } }", Some(2), "(did you mean `from`?)");
    check("[[query]]\nwhere = { born = 5 }", Some(2), "must be a date");
}

#[test]
fn a_missing_file_is_an_error_of_the_policy() {
    let mut policy = policy("{ queries = \"counts.toml\" }");
    let mut read = |_: &str| Ok("Paris;*\n".to_owned());
    let schema = policy.schema(&mut read).unwrap();
    let error = policy.load_queries(&schema, &mut |_| Err("no such file".to_owned())).unwrap_err().to_string();
    assert_eq!(error, "policy line 14: the queries `counts.toml` cannot be read: no such file");
}
