//! Rules of republication: wrong policies and requests, lists that are read in one way, and promises about earlier releases.

use std::collections::BTreeSet;

use reticent_testkit::{Answer, Outcome, TestFolder, method_policy, month};
use serde_json::{Value, json};

const HEAD: &str = "[dataset]\nowner = \"p\"\n[columns.p]\n[columns.age]\ntype = \"number\"\n";
const S: &str = "[columns.s]\nrole = \"sensitive\"\n";
const T: &str = "[columns.t]\nrole = \"sensitive\"\n";

fn policy(columns: &str, method: &str, options: &str) -> String {
    format!("{HEAD}{columns}[release]\nmethod = \"{method}\"\nseed = 7\n[release.options]\n{options}\n")
}

fn publish(
    folder: &TestFolder,
    name: &str,
    text: &str,
    policy: &str,
) -> reticent_app::Result<reticent_app::answer::Publication> {
    folder.write("reticent.toml", policy);
    folder.write(&format!("{name}.csv"), text);
    folder.publish_month(name).run()
}

/// A wrong policy is an error at the line that is wrong; the text names the key, and what to write instead.
#[test]
fn a_wrong_policy_is_an_error_at_its_line() {
    let right = method_policy("m-invariance", "m = 3");
    // The text at whose line the error is, and what its message names.
    let wrong = |from: &str, to: &str, at: &str, names: &[&str]| {
        let policy = right.replace(from, to);
        let line = policy.lines().position(|line| line.contains(at)).unwrap() + 1;
        let folder = TestFolder::monthly(&policy);
        folder.write("may.csv", month(0..20, false));
        let error = folder.publish("may.csv", "may").output("out").run().fails_with("policy-invalid");
        assert_eq!(error.data()["line"], line, "{error}");
        assert!(names.iter().all(|name| error.to_string().contains(name)), "{names:?}: {error}");
        assert!(!folder.exists("ledger") && !folder.exists("out"), "{error}");
    };
    wrong("owner = \"patient\"\n", "", "method = ", &["owner = \"COLUMN\" under [dataset]"]);
    wrong("m-invariance", "m-invarience", "m-invarience", &["did you mean `m-invariance`"]);
    wrong("m-invariance", "Decomposition+", "Decomposition+", &["did you mean `decomposition-plus`"]);
    wrong("method = ", "algorithm = ", "algorithm = ", &["write method = \"m-invariance\""]);
    wrong("m-invariance", "optimal-full-domain", "optimal", &["write algorithm = \"optimal-full-domain\""]);
    // An option is an error at the line of its section.
    wrong("m = 3", "l = 3", "[release.options]", &["m-invariance", "`l`"]);
    wrong("[release.options]\nm = 3", "", "m-invariance", &["needs `m`"]);
    wrong("m = 3", "m = 1", "[release.options]", &["`m`", "at least 2"]);
    let method = "m-invariance\"\nseed = 7\n[release.options]\nm = 3";
    let empty = "decomposition-plus\"\nseed = 7\n[release.options]\nprimary = \"illness\"\nl = {}";
    wrong(method, empty, "[release.options]", &["decomposition-plus", "`l`"]);
    let anatomized = "[requirement]\nk = 5\n[release]\nform = \"anatomized\"\n";
    wrong("[release]\n", anatomized, "k = 5", &["requirement.k", "form = \"generalized\""]);
    let models = "[requirement]\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n[release]\n";
    wrong("[release]\n", models, "models = ", &["requirement.models", "applies to algorithms"]);
    let both = "[release]\nalgorithm = \"multidimensional\"\n";
    wrong("[release]\n", both, "algorithm = ", &["release.algorithm", "`method`"]);
    wrong("method = \"m-invariance\"\n", "form = \"anatomized\"\n", "form = ", &["release.form", "`method`"]);
}

/// Options that name columns are checked with the data; the error names the method.
#[test]
fn options_name_sensitive_columns() {
    for (options, column) in [
        ("primary = \"city\"\nl = { illness = 3 }", "city"),
        ("primary = \"illness\"\nl = { illness = 3, city = 2 }", "city"),
    ] {
        let folder = TestFolder::monthly(&method_policy("decomposition-plus", options));
        folder.write("may.csv", month(0..20, false));
        let error = folder.publish("may.csv", "may").output("out").run().fails_with("parameter-invalid");
        assert_eq!(error.data(), json!({ "kind": "method", "id": "decomposition-plus" }));
        assert!(error.to_string().contains(column), "{error}");
        assert!(!folder.exists("ledger") && !folder.exists("out"));
    }
}

/// A request that a method cannot meet is an error, and nothing is written.
#[test]
fn a_request_that_a_method_cannot_meet_is_an_error() {
    let right = method_policy("m-invariance", "m = 3");
    let folder = TestFolder::monthly(&right.replace("role = \"sensitive\"", "role = \"other\""));
    folder.write("may.csv", month(0..20, false));
    let error = folder.publish("may.csv", "may").output("out").run().fails_with("role-other-by-method");
    assert_eq!(error.data()["column"], "illness");
    folder.write("reticent.toml", &right);
    folder.write("twice.csv", month((0..20).chain([3, 3]), false));
    let error = folder.publish("may.csv", "may").output("out.csv").run().fails_with("output-not-folder");
    assert_eq!(error.data()["instead"], json!(folder.file("out")));
    let error = folder.publish("twice.csv", "may").output("out").run().fails_with("several-records");
    assert_eq!(error.data()["records"], 2);
    let call = folder.publish("may.csv", "may").output("out").algorithm("multidimensional");
    assert_eq!(call.run().fails_with("option-for-algorithms").data()["option"], "algorithm");
    let error = folder.compare("may.csv").run().fails_with("method-not-comparable");
    assert_eq!(error.data()["method"], "m-invariance");
    assert_eq!(error.hints(), [reticent_app::Hint::Rehearse]);
    assert!(!folder.exists("ledger") && !folder.exists("out"));
    // A promise is about releases: the data alone cannot violate it, and a note says so.
    let checked = folder.check("may.csv").passes().data.unwrap();
    assert!(checked.models.is_empty() && checked.notes.len() == 1, "{:?}", checked.notes);
}

/// A method cannot continue from a release without owner links that shows the same column.
#[test]
fn a_release_without_owner_links_is_refused() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("old.csv", "age,illness\n30,flu\n31,gout\n");
    folder.register("old.csv", "old").quasi_identifier("age").sensitive("illness").run().passes();
    folder.write("may.csv", month(0..20, false));
    let call = folder.publish("may.csv", "may").output("may");
    let error = call.run().refused_with("shared-column-unlinked");
    let data = error.data();
    assert_eq!((&data["release"], &data["name"], &data["column"]), (&json!(1), &json!("old"), &json!("illness")));
    let answer = call.ignore_history().run().passes().json();
    assert_eq!(answer["judged"], json!({ "scope": "alone", "apart_from": [1] }));
    let shown = folder.show("may").passes().json();
    assert_eq!(shown["recorded"]["content"]["judged"], json!({ "scope": "alone", "apart_from": [1] }));
    // Nor is anything recorded about all releases.
    let statements = shown["recorded"]["content"]["made"]["statements"].as_array().unwrap();
    let posterior = statements.iter().find(|statement| statement["model"] == "posterior").unwrap();
    assert_eq!((&posterior["parameters"]["bound"], &posterior["scope"]["releases"]), (&json!("1/3"), &json!("this")));
}

/// An earlier release of people and a list about them, without owner links: with the next release all four values are certain.
#[test]
fn a_list_without_owner_links_is_refused() {
    let folder = TestFolder::new();
    let policy = policy(S, "m-invariance", "m = 2");
    folder.write("reticent.toml", &policy);
    folder.write("old.csv", "group_id,age\n1,21\n1,22\n2,25\n2,27\n");
    folder.write("list.csv", "group_id,s\n1,x\n1,y\n2,x\n2,z\n");
    folder.register("old.csv", "old").quasi_identifier("age,group_id").run().passes();
    folder.register("list.csv", "list").sensitive("s").quasi_identifier("group_id").marginal_of("old").run().passes();
    let result = publish(&folder, "new", "p,age,s\na,21,x\nb,22,y\nc,25,z\ne,27,x\n", &policy);
    let error = result.refused_with("shared-column-unlinked");
    assert_eq!(error.data()["column"], "s");
}

const PLAIN: &str = "[dataset]\nowner = \"patient\"\n[columns.patient]\n[columns.age]\ntype = \"number\"\n\
                     [columns.illness]\nrole = \"sensitive\"\n";

/// An ordinary release of A and B, and a second table in which A shares no value with the others but flu.
fn after_two_people(policy: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("plain.toml", format!("{PLAIN}[requirement]\nk = 2\nconfidence = 0.5\n"));
    folder.write("reticent.toml", format!("{PLAIN}{policy}"));
    folder.write("one.csv", "patient,age,illness\nA,21,flu\nB,22,gout\n");
    folder.write("two.csv", "patient,age,illness\nA,21,flu\nC,31,ulcer\nD,32,colic\nE,33,asthma\n");
    folder.with_policy("plain.toml").publish("one.csv", "one").output("one.csv.gz").run().passes();
    folder
}

/// That an earlier release disclosed something about a person does not excuse a release that discloses more. This method does not
/// continue classes: A and B would be certain.
#[test]
fn an_earlier_disclosure_does_not_excuse_a_higher_posterior() {
    let folder = after_two_people(
        "[requirement]\nconfidence = 0.5\n[release]\nmethod = \"bcf-anonymity\"\n[release.options]\nk = 2\n",
    );
    let error = folder.publish("two.csv", "two").output("two").run().refused_with("posterior-above-confidence");
    assert_eq!((&error.data()["confidence"], &error.data()["column"]), (&json!("5/10"), &json!("illness")));
    assert!(!folder.exists("two"));
}

/// The other methods leave A in the class of the first release, whose values stay listed. So the release adds nothing about A and B.
#[test]
fn people_of_an_ordinary_release_stay_in_their_class() {
    for (method, options) in [
        ("history-guided", "l = 3"),
        ("m-invariance", "m = 3"),
        ("incremental-l-diversity", "l = 3"),
        ("anatomy", "l = 3"),
    ] {
        let folder = after_two_people(&format!("[release]\nmethod = \"{method}\"\n[release.options]\n{options}\n"));
        let answer = folder.publish("two.csv", "two").output("two").run().passes().json();
        let counts = ["published", "continued", "groups", "counterfeits"].map(|name| answer[name].as_u64().unwrap());
        assert_eq!(counts, [4, 1, 2, 1], "{method}: {answer:#}");
        let column = &answer["audited"]["columns"][0];
        assert_eq!((&column["already_above"], &column["already_highest"]), (&json!(2), &json!(0.5)), "{method}");
        let group = folder.rows("two/people.csv").into_iter().find(|row| row[1].contains("21")).unwrap()[0].clone();
        let mut listed: Vec<Vec<String>> = folder.rows("two/illness.csv");
        listed.retain(|row| row[0] == group);
        listed.sort();
        assert_eq!(listed.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(), ["flu", "gout"], "{method}");
    }
}

/// A promise that is stricter than what was disclosed before does not refuse a release that discloses nothing more. It counts
/// those people.
#[test]
fn an_earlier_disclosure_is_counted() {
    let policy = |m: u32| format!("{PLAIN}[release]\nmethod = \"m-invariance\"\n[release.options]\nm = {m}\n");
    let folder = TestFolder::from_policy(&policy(2));
    folder.write("one.csv", "patient,age,illness\na,21,flu\nb,22,gout\n");
    folder.write("two.csv", "patient,age,illness\nc,31,flu\nd,32,gout\ne,33,ulcer\n");
    folder.publish("one.csv", "one").output("one/").run().passes();
    folder.write("reticent.toml", policy(3));
    let answer = folder.publish("two.csv", "two").output("two").run().passes().json();
    let column = &answer["audited"]["columns"][0];
    assert_eq!((&column["already_above"], &column["already_highest"]), (&json!(2), &json!(0.5)), "{answer:#}");
    assert!(folder.read("two/README.md").contains("Earlier releases"));
    assert!(!folder.read("one/README.md").contains("Earlier releases"));
}

/// A list of a group that counts, beside one that names values once: both name them once, since nobody could tell them apart.
#[test]
fn lists_of_a_column_are_read_in_one_way() {
    let folder = TestFolder::new();
    let policy = |l: u32, diversity: &str| {
        let options = format!("primary = \"s\"\nl = {{ s = 4, t = {l} }}\ndiversity = \"{diversity}\"");
        self::policy(&format!("{S}{T}"), "decomposition-plus", &options)
    };
    let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,z,3\ne,27,u,3\n";
    let second = format!("{first}f,30,x,1\ng,31,y,1\nh,32,z,2\ni,33,u,3\n");
    publish(&folder, "r1", first, &policy(2, "distinct")).passes();
    for (name, l, diversity) in [("r2", 2, "frequency"), ("r3", 3, "distinct")] {
        let answer = publish(&folder, name, &second, &policy(l, diversity)).passes().json();
        assert_eq!(answer["published"], 8, "{name} {answer}");
        let rows = folder.read(&format!("out-{name}/t.csv"));
        let different: BTreeSet<&str> = rows.lines().collect();
        assert_eq!(different.len(), rows.lines().count(), "{name} shows how often: {rows}");
    }
}

/// People who were published stay, whichever column is primary now.
#[test]
fn another_primary_column_keeps_groups() {
    let folder = TestFolder::new();
    let policy = |primary: &str| {
        policy(&format!("{S}{T}"), "decomposition-plus", &format!("primary = \"{primary}\"\nl = {{ s = 2, t = 2 }}"))
    };
    let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,x,3\ne,27,y,4\n";
    let second = format!("{first}f,30,x,1\ng,31,y,2\n");
    publish(&folder, "r1", first, &policy("s")).passes();
    for (name, primary) in [("r2", "t"), ("r3", "t"), ("r4", "s")] {
        assert_eq!(publish(&folder, name, &second, &policy(primary)).passes().json()["published"], 6, "{name}");
    }
}

/// The order of columns in the policy has no meaning: no value changed.
#[test]
fn columns_in_another_order_are_the_same() {
    for (method, options) in
        [("decomposition-plus", "primary = \"s\"\nl = { s = 2, t = 2 }"), ("bcf-anonymity", "k = 2")]
    {
        let folder = TestFolder::new();
        let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,x,3\ne,27,y,4\n";
        publish(&folder, "r1", first, &policy(&format!("{S}{T}"), method, options)).passes();
        let second = format!("{first}f,30,x,1\ng,31,y,2\n");
        let answer = publish(&folder, "r2", &second, &policy(&format!("{T}{S}"), method, options)).passes().json();
        assert_eq!(answer["published"], 6, "{method} {answer}");
    }
}

/// A star marks a suppressed cell, so it cannot be a sensitive value.
#[test]
fn a_star_is_no_sensitive_value() {
    let rows = "p,age,s\na,21,x\nb,22,*\nc,25,x\ne,27,*\n";
    let error = publish(&TestFolder::new(), "r", rows, &policy(S, "m-invariance", "m = 2")).fails_with("column-unfit");
    assert_eq!(error.data()["column"], "s");
    assert!(error.to_string().contains("missing-values"), "{error}");
}

/// Ages 21, 22, 25 and 27 are all published as [20,30), which could stand for three other values: (4 - 1) / 4.
#[test]
fn the_loss_counts_values_below_the_finest_interval() {
    for form in ["generalized", "anatomized"] {
        let folder = TestFolder::new();
        let policy = policy(S, "m-invariance", "m = 2")
            .replace("type = \"number\"\n", "type = \"number\"\nintervals = [10]\nexact = false\n")
            .replace("seed = 7\n", &format!("seed = 7\nform = \"{form}\"\n"));
        let answer = publish(&folder, "r", "p,age,s\na,21,x\nb,22,y\nc,25,x\ne,27,y\n", &policy).passes().json();
        assert!(folder.read("out-r/people.csv").lines().skip(1).all(|line| line.contains("[20,30)")));
        assert_eq!(answer["utility"]["iloss"], 0.75, "{form}");
    }
}

/// A refusal without a group counts why: both values changed.
#[test]
fn a_release_without_a_group_counts_the_withheld() {
    let folder = TestFolder::new();
    let policy = policy(S, "m-invariance", "m = 2");
    publish(&folder, "r1", "p,age,s\na,21,x\nb,22,y\n", &policy).passes();
    let error = publish(&folder, "r2", "p,age,s\na,21,y\nb,22,x\n", &policy).refused_with("no-group");
    assert_eq!(error.data(), json!({ "withheld": 2, "postponed": 0 }));
    // The reason is a part of the text only.
    assert!(error.to_string().contains("the sensitive value differs from the published one"), "{error}");
}

/// The answer of a rehearsal is of the same form.
#[test]
fn an_answer_says_whether_it_was_a_rehearsal() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("may.csv", month(0..20, false));
    let call = folder.publish("may.csv", "may").output("may");
    let of = |answer: Value| (answer["dry_run"].clone(), answer["folder"].clone());
    assert_eq!(of(call.rehearse().passes().json()), (json!(true), Value::Null));
    assert_eq!(of(call.run().passes().json()), (json!(false), json!(folder.file("may"))));
}
