//! Re-identification risk over the history, people with several records, and releases that identify people.

use reticent_testkit::*;
use serde_json::{Value, json};

fn policy(columns: &str, requirement: &str) -> TestFolder {
    TestFolder::from_policy(&format!(
        "[dataset]\nname = \"t\"\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n{columns}[requirement]\n{requirement}"
    ))
}

fn registered(folder: &TestFolder, name: &str, date: &str, text: &str) {
    folder.write(&format!("{name}.csv"), text);
    folder.register(&format!("{name}.csv"), name).date(date).run().passes();
}

fn audit(folder: &TestFolder) -> Value {
    folder.audit().per_person().run().unwrap().json()["coalitions"][0]["audit"].clone()
}

const ZIP_AND_D: &str = "[columns.zip]\n[columns.d]\nrole = \"sensitive\"\n";

/// One world is left: each of the four records has a known owner, and Beth's two are linked by her value.
#[test]
fn values_tie_the_records_of_two_releases() {
    let folder = policy(ZIP_AND_D, "k = 2\nconfidence = 0.5\n");
    registered(&folder, "a", "2024-01-01", "pid,zip,d\nBeth,z1,Cancer\nBob,z1,Diabetes\n");
    registered(&folder, "b", "2024-02-01", "pid,zip,d\nBeth,z2,Cancer\nAnn,z2,Fever\n");
    let identity = &audit(&folder)["identity"];
    assert_eq!((&identity["singled_out"], &identity["linkable"]), (&json!(3), &json!(1)), "{identity}");
    assert_eq!((&identity["prosecutor"]["lower"], &identity["marketer"]["lower"]), (&json!(1.0), &json!(1.0)));
}

/// Without a threshold on posteriors, a certain value still is a disclosure.
#[test]
fn certain_values_violate_without_a_threshold() {
    let folder = policy(ZIP_AND_D, "k = 2\n");
    registered(&folder, "a", "2024-01-01", "pid,zip,d\nBeth,z1,Cancer\nBob,z1,Diabetes\n");
    folder.audit().run().passes();
    registered(&folder, "b", "2024-02-01", "pid,zip,d\nBeth,z2,Cancer\nAnn,z2,Fever\n");
    assert_eq!(folder.audit().run().violates().json()["holds"], json!(false));
}

/// The risk of a person in a class of two is 1/2, whatever `k` is.
#[test]
fn a_release_above_the_bound_on_the_risk_is_refused() {
    let rows = |people: usize| -> String {
        (0..people).map(|at| format!("p{at},z{},{}\n", at / 6, ["x", "y", "w"][at % 3])).collect()
    };
    let folder = policy(ZIP_AND_D, "k = 2\nreidentification = 0.2\n");
    folder.write("d.csv", format!("pid,zip,d\n{}", rows(12)));
    let answer = folder.publish("d.csv", "one").run().passes().json();
    let identity = &answer["audited"]["identity"];
    assert_eq!((&identity["threshold"], &identity["above"]), (&json!(0.2), &json!(0)), "{identity}");
    assert!(identity["prosecutor"]["upper"].as_f64().unwrap() <= 0.2, "{identity}");
    // p0 is missing from the second release, and of the values of the class only x has one record less: a record of the first is p0's.
    folder.write("e.csv", format!("pid,zip,d\n{}", rows(12).replacen("p0,z0,x\n", "", 1)));
    let error = folder.publish("e.csv", "two").run().refused_with("reidentification-above-bound");
    assert_eq!(error.data()["people"], json!(1), "{error}");
}

/// Each of three people has two records with the same value. Only one assignment fits.
#[test]
fn values_of_the_person_link_all_records() {
    let rows = "pid,ward,d\n1,a,HIV\n1,b,HIV\n2,a,Flu\n2,c,Flu\n3,b,Cold\n3,c,Cold\n";
    let columns = "[columns.ward]\n[columns.d]\nrole = \"sensitive\"\n";
    let folder = policy(columns, "k = 2\nconfidence = 0.5\naudit = \"exact\"\n");
    folder.write("r.csv", rows);
    let answer = folder.publish("r.csv", "wards").rehearse().passes().json();
    assert_eq!(answer["columns"][0]["published"], json!(["*"]), "{answer}");
    registered(&folder, "r", "2024-01-01", rows);
    let found = audit(&folder);
    assert_eq!((&found["worlds"], &found["columns"][0]["certain"]), (&json!("1"), &json!(3)), "{found}");
    // As values of the records, they are independent.
    let columns = "[columns.ward]\n[columns.d]\nrole = \"sensitive\"\nper = \"record\"\n";
    let folder = policy(columns, "k = 2\nconfidence = 0.5\n");
    registered(&folder, "r", "2024-01-01", rows);
    assert_eq!(audit(&folder)["columns"][0]["certain"], json!(0));
}

/// Two records of the same person in one class: each of two people has two of the four records.
#[test]
fn several_records_in_one_class_are_counted() {
    let folder = policy(ZIP_AND_D, "k = 2\nconfidence = 0.5\n");
    registered(&folder, "r", "2024-01-01", "pid,zip,d\n1,z,HIV\n1,z,HIV\n2,z,Flu\n2,z,Flu\n3,z,Flu\n3,z,Flu\n");
    let found = audit(&folder);
    assert_eq!(found["worlds"], json!("3"), "{found}");
    // One of three people has HIV, so a record that shows HIV belongs to each with probability 1/3; one that shows flu, too.
    let identity = &found["identity"];
    assert_eq!(
        (&identity["prosecutor"]["lower"], &identity["prosecutor"]["upper"]),
        (&json!(1.0 / 3.0), &json!(1.0 / 3.0))
    );
    // The two records that show HIV have the same owner in every world.
    assert_eq!((&identity["linkable"], &identity["singled_out"]), (&json!(1), &json!(0)), "{identity}");
}

/// A suppressed cell can be any leaf of its taxonomy, not only a value that some release shows.
#[test]
fn a_suppressed_cell_can_be_any_leaf() {
    let columns = "[columns.zip]\n[columns.d]\nrole = \"sensitive\"\ntaxonomy = \"d.csv\"\n";
    let folder = policy(columns, "confidence = 0.7\n");
    folder.write("d.csv", "HIV;Viral;*\nFlu;Viral;*\nCold;Resp;*\n");
    registered(&folder, "r", "2024-01-01", "pid,zip,d\na,1,*\nb,1,Flu\nc,2,Flu\nd,2,Flu\n");
    let found = audit(&folder);
    assert_eq!(found["columns"][0]["certain"], json!(2), "c and d only: {found}");
}

/// A file with names identifies everybody whose name it shows.
#[test]
fn a_registered_file_with_names_identifies_people() {
    let columns = "[columns.name]\nrole = \"identifier\"\n[columns.zip]\n[columns.d]\nrole = \"sensitive\"\n";
    let folder = policy(columns, "k = 2\nconfidence = 0.9\n");
    folder.write("r.csv", "pid,name,zip,d\n1,Ann,z,HIV\n2,Bob,z,Flu\n3,,z,Flu\n4,,z,HIV\n");
    let answer = folder.register("r.csv", "r").run().passes().json();
    assert_eq!((&answer["identifiers_shown"], &answer["omitted_columns"]), (&json!(["name"]), &json!(["pid", "name"])));
    let found = folder.audit().run().violates().json()["coalitions"][0]["audit"].clone();
    assert_eq!(found["identified"][0]["people"], json!(2), "{found}");
    assert_eq!((&found["columns"][0]["certain"], &found["identity"]["singled_out"]), (&json!(2), &json!(2)), "{found}");
}

/// A column that was published as `other` and is an identifier now identifies everybody in the release.
#[test]
fn releases_are_judged_by_the_strictest_role_known_now() {
    let text = |role: &str| {
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.name]\nrole = \"{role}\"\naccept-unique = true\n\
             [columns.zip]\n[columns.d]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.9\n"
        )
    };
    let folder = TestFolder::from_policy(&text("other"));
    let rows: String = (0..12).map(|at| format!("{at},name{at},z,{}\n", ["x", "y"][at % 2])).collect();
    folder.write("d.csv", format!("pid,name,zip,d\n{rows}"));
    folder.publish("d.csv", "one").run().passes();
    folder.audit().run().passes();
    folder.write("reticent.toml", text("identifier"));
    let found = folder.audit().run().violates().json()["coalitions"][0]["audit"].clone();
    assert_eq!(
        (&found["identified"][0]["people"], &found["columns"][0]["certain"]),
        (&json!(12), &json!(12)),
        "{found}"
    );
}

#[test]
fn a_unique_column_without_a_requirement_is_refused() {
    let text =
        |accept: &str| format!("[columns.code]\nrole = \"other\"\n{accept}[columns.zip]\n[requirement]\nk = 2\n");
    let folder = TestFolder::from_policy(&text(""));
    let rows: String = (0..12).map(|at| format!("c{at},z\n")).collect();
    folder.write("d.csv", format!("code,zip\n{rows}"));
    let error = folder.publish("d.csv", "one").run().fails_with("column-unique");
    assert_eq!((&error.data()["column"], &error.data()["unique"]), (&json!("code"), &json!(12)), "{error}");
    folder.write("reticent.toml", text("accept-unique = true\n"));
    let answer = folder.publish("d.csv", "one").run().passes().json();
    assert!(answer["warnings"].to_string().contains("accept-unique"), "{answer}");
}

/// A column of the policy that the data lacks does not block a release that does not need it.
#[test]
fn requirements_on_columns_that_the_data_lacks_do_not_apply() {
    let columns = "[columns.city]\n[columns.job]\n[columns.illness]\nrole = \"sensitive\"\n";
    let policy = |models: &str| {
        TestFolder::from_policy(&format!(
            "[columns.id]\nrole = \"identifier\"\n{columns}[requirement]\nk = 2\nconfidence = 0.9\n{models}"
        ))
    };
    let jobs = "id,city,job\n1,A,x\n2,A,x\n3,B,y\n4,B,y\n";
    let folder = policy("[[requirement.models]]\nmodel = \"distinct-l-diversity\"\nl = 2\n");
    folder.write("d.csv", jobs);
    let answer = folder.publish("d.csv", "jobs").run().passes().json();
    assert_eq!(not_applicable(&answer), ["confidence-bounding", "distinct-l-diversity"], "{answer}");
    // Of (alpha,k)-anonymity, k-anonymity remains.
    let folder = policy("[[requirement.models]]\nmodel = \"alpha-k-anonymity\"\nk = 4\nalpha = 0.7\n");
    folder.write("d.csv", jobs);
    let answer = folder.publish("d.csv", "jobs").run().passes().json();
    assert_eq!(answer["risk"]["smallest_class"], json!(4), "{answer}");
}

/// A policy can set `confidence` before any of its columns is sensitive: joins with other releases can have one.
#[test]
fn a_confidence_without_a_sensitive_column_is_allowed() {
    let folder = TestFolder::from_policy("[columns.city]\n[columns.job]\n[requirement]\nk = 2\nconfidence = 0.4\n");
    folder.write("d.csv", "city,job\nA,x\nA,x\nB,y\nB,y\n");
    let answer = folder.publish("d.csv", "jobs").run().passes().json();
    assert_eq!(not_applicable(&answer), ["confidence-bounding"], "{answer}");
}

/// The requirement on the column that the second table lacks stays in force over the join: illness in city A is 2 of 4 in the first release.
#[test]
fn requirements_that_do_not_apply_stay_in_force_over_joins() {
    let text = |columns: &str, confidence: f64| {
        format!("[columns.id]\nrole = \"identifier\"\n{columns}[requirement]\nk = 2\nconfidence = {confidence}\n")
    };
    let columns = "[columns.city]\n[columns.job]\n";
    let folder = TestFolder::from_policy(&text(&format!("{columns}[columns.illness]\nrole = \"sensitive\"\n"), 0.5));
    folder.write("d.csv", "id,city,job,illness\n1,A,x,flu\n2,A,x,flu\n3,A,y,hiv\n4,A,y,cold\n5,B,x,flu\n6,B,y,hiv\n7,B,y,cold\n8,B,x,cold\n");
    folder.publish("d.csv", "one").columns("city,illness").run().passes();
    folder.write("e.csv", "id,city,job\n1,A,x\n2,A,x\n3,A,y\n4,A,y\n5,B,x\n6,B,y\n7,B,y\n8,B,x\n");
    let answer = folder.publish("e.csv", "two").rehearse().unwrap().json();
    assert_eq!(not_applicable(&answer), ["confidence-bounding"], "{answer}");
    folder.write("reticent.toml", text(columns, 0.4));
    // Now the first release alone violates it.
    let answer = folder.publish("e.csv", "two").run().passes().json();
    let joins = answer["verified"]["joins"].as_array().unwrap().iter();
    let of_illness = joins.filter(|join| join["requirement"].as_str().unwrap().contains("confidence in one.illness"));
    assert_eq!(
        of_illness.map(|join| &join["already_violated"]).collect::<Vec<_>>(),
        [&json!(2)],
        "flu in A, cold in B: {answer}"
    );
}

/// Models that do not apply to a release, because it lacks their columns.
fn not_applicable(answer: &Value) -> Vec<&str> {
    let statements = answer["statements"].as_array().unwrap().iter();
    statements
        .filter(|statement| statement["reason"] == json!("no-such-column"))
        .map(|statement| statement["model"].as_str().unwrap())
        .collect()
}
