//! What a verdict covers: every requirement is judged, not applicable or skipped, and a release is within the policy only if all were.

use reticent_testkit::{Answer, Outcome, TestFolder, method_policy, month};
use serde_json::{Value, json};

const PEOPLE: &str = "id,sex,illness\n1,F,flu\n2,F,cold\n3,F,flu\n4,F,burn\n5,M,cold\n6,M,flu\n7,M,burn\n8,M,cold\n";

fn policy(requirement: &str) -> String {
    format!(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\n\
         [requirement]\n{requirement}"
    )
}

fn outcomes(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let statements = answer["statements"].as_array().unwrap().iter();
    statements.map(|statement| (text(&statement["model"]), text(&statement["outcome"]))).collect()
}

fn open(answer: &Value) -> Vec<&str> {
    answer["not_established"].as_array().unwrap().iter().map(|why| why.as_str().unwrap()).collect()
}

#[test]
fn a_release_is_within_the_policy_if_every_requirement_was_judged() {
    let folder = TestFolder::from_policy(&policy("k = 2\nconfidence = 0.6\nreidentification = 0.5\n"));
    folder.write("d.csv", PEOPLE);
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    let judged = ["k-anonymity", "confidence-bounding", "posterior", "reidentification"];
    assert_eq!(outcomes(&answer), judged.map(|model| (model.to_owned(), "judged".to_owned())));
    assert_eq!(open(&answer), Vec::<&str>::new());
}

#[test]
fn an_audit_that_is_off_is_listed_as_not_established() {
    let folder = TestFolder::from_policy(&policy("k = 2\nconfidence = 0.6\nreidentification = 0.5\naudit = \"off\"\n"));
    folder.write("d.csv", PEOPLE);
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    let skipped = outcomes(&answer).into_iter().filter(|(_, outcome)| outcome == "skipped");
    assert_eq!(skipped.map(|(model, _)| model).collect::<Vec<_>>(), ["posterior", "reidentification"]);
    assert_eq!(open(&answer), ["posterior was not judged (audit-off)", "reidentification was not judged (audit-off)"]);
}

#[test]
fn a_release_judged_alone_names_the_releases_that_were_ignored() {
    let folder = TestFolder::from_policy(&policy("k = 2\nconfidence = 0.6\n"));
    folder.write("d.csv", PEOPLE);
    folder.publish("d.csv", "one").to("press").run().passes();
    let answer = folder.publish("d.csv", "two").to("press").ignore_history().run().passes().json();
    assert_eq!(open(&answer), ["the release was judged without release 1, which recipients can hold"]);
}

/// Every woman has the flu. A policy without `confidence` allows that, and does not establish that it is within the policy: the audit of
/// the same release finds certain values.
#[test]
fn a_certain_value_without_a_bound_is_not_established() {
    let folder = TestFolder::from_policy(&policy("k = 2\n"));
    folder.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,flu\n3,F,flu\n4,M,cold\n5,M,burn\n");
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    assert_eq!(answer["audited"]["certain"], json!(3), "{answer:#}");
    let why = "a sensitive value is certain for 3 people given all releases, and the policy sets no `confidence`";
    assert_eq!(open(&answer), [why]);
    folder.audit().run().violates();
    // With a bound, the release is refused; without certain values, the verdict is within the policy.
    let folder = TestFolder::from_policy(&policy("k = 2\n"));
    folder.write("d.csv", PEOPLE);
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    assert_eq!((&answer["audited"]["certain"], open(&answer)), (&json!(0), Vec::new()));
}

/// A column whose unique values the policy accepts is an assumption of every audit of a release that shows it.
#[test]
fn accepted_unique_columns_are_an_assumption() {
    let text = policy("k = 2\nconfidence = 0.6\n")
        .replace("[columns.sex]\n", "[columns.sex]\n[columns.code]\nrole = \"other\"\naccept-unique = true\n");
    let folder = TestFolder::from_policy(&text);
    let rows: String = (0..12).map(|at| format!("{at},F,c{at},{}\n", ["flu", "cold", "burn"][at % 3])).collect();
    folder.write("d.csv", format!("id,sex,code,illness\n{rows}"));
    let assumed = |answer: Value| answer["coalitions"][0]["audit"]["assumptions"].to_string().contains("accept-unique");
    folder.publish("d.csv", "without").columns("sex,illness").to("press").run().passes();
    assert!(!assumed(folder.audit().run().unwrap().json()));
    let answer = folder.publish("d.csv", "with").to("press").run().passes().json();
    assert!(answer["warnings"].to_string().contains("accept-unique"), "{answer:#}");
    assert!(assumed(folder.audit().run().unwrap().json()));
}

/// Without an owner column, the posteriors given the first release cannot be judged: only joins are.
#[test]
fn releases_without_owner_links_are_named_in_the_verdict() {
    releases_without_owner_links("", "posteriors");
    releases_without_owner_links("reidentification = 0.5\n", "posteriors and re-identification risks");
}

fn releases_without_owner_links(requirement: &str, figures: &str) {
    let text = policy(&format!("k = 2\nconfidence = 0.9\n{requirement}")).replace("[dataset]\nowner = \"id\"\n", "");
    let folder = TestFolder::from_policy(&text.replace("[columns.sex]\n", "[columns.sex]\n[columns.city]\n"));
    let rows: String = (0..32)
        .map(|at| {
            format!(
                "{at},{},{},{}\n",
                ["F", "M"][at % 2],
                ["A", "B"][at / 2 % 2],
                ["flu", "cold", "burn", "gout"][at / 4 % 4]
            )
        })
        .collect();
    folder.write("d.csv", format!("id,sex,city,illness\n{rows}"));
    folder.publish("d.csv", "one").columns("sex,illness").to("press").run().passes();
    let answer = folder.publish("d.csv", "two").columns("city,illness").to("press").run().passes().json();
    let why = format!("{figures} were not judged given release 1, whose record owners are unknown; only joins were");
    assert_eq!(open(&answer), [why]);
}

/// Two tables of twelve people, printed in the same order, with every race suppressed in one. `race` has no taxonomy, so the program
/// cannot tell whether the order of the rows is that of a sort.
#[test]
fn unsorted_matching_without_a_taxonomy_says_that_it_could_not_look() {
    let folder = TestFolder::from_policy("[columns.race]\n[columns.zip]\n[requirement]\nk = 2\n");
    let zips = ["2138", "2139", "2141", "2142"];
    let races = ["Asian"; 4].into_iter().chain(["Black"; 4]).chain(["White"; 4]);
    let one: String = (0..12).map(|at| format!("Person,{}\n", zips[at % 4])).collect();
    let two: String = races.map(|race| format!("{race},21**\n")).collect();
    folder.write("a.csv", format!("race,zip\n{one}"));
    folder.write("b.csv", format!("race,zip\n{two}"));
    folder.register("a.csv", "a").to("press").run().passes();
    folder.register("b.csv", "b").to("press").run().passes();
    let answer = folder.audit().attacks("unsorted-matching").run().unwrap();
    let [attack] = answer.coalitions[0].attacks.as_slice() else { panic!("one attack") };
    assert!(attack.findings.is_empty() && (attack.not_run.is_some() || attack.not_checked.is_some()), "{attack:#?}");
}

/// A posterior of 80 % was explained by three groups, of which one could be left out. An explanation that is called minimal has no
/// proper part that implies the same posterior.
#[test]
fn an_explanation_that_is_called_minimal_is() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.g]\nrole = \"other\"\n\
         [columns.d]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
    );
    let first = "p6,26,g2,Asthma\np3,23,g2,Flu\np8,28,g0,HIV\np7,27,g0,HIV\np11,31,g1,Asthma\np5,25,g2,Flu\np0,20,g1,HIV\np2,22,g2,HIV\n\
                 p4,24,g1,Flu\np9,29,g0,HIV\np10,30,g1,HIV\np1,21,g2,Flu\n";
    let second = "p3,23,g0,Flu\np11,31,g0,Asthma\np0,20,g1,HIV\np4,24,g2,Flu\np1,21,g1,Flu\np2,22,g2,HIV\np7,27,g1,HIV\np9,29,g1,HIV\n\
                  p10,30,g2,HIV\np5,25,g0,Flu\np6,26,g1,Asthma\n";
    for (name, rows) in [("r0", first), ("r1", second)] {
        folder.write(&format!("{name}.csv"), format!("pid,age,g,d\n{rows}"));
        folder.register(&format!("{name}.csv"), name).group_column("g").run().passes();
    }
    let answer = folder.audit().worst(50).run().unwrap().json();
    let worst = answer["coalitions"][0]["audit"]["worst"].as_array().unwrap();
    let explained = |at: &Value| at["value"] == json!("HIV") && at["posterior"]["upper"] == json!(0.8);
    let case = worst.iter().find(|case| explained(case)).expect("a posterior of 80 %");
    let groups = case["explanation"]["groups"].as_array().unwrap();
    assert!(case["explanation"]["minimal"] == json!(false) || groups.len() < 3, "{case:#}");
}

/// A method covers groups of two together until four people have equal quasi-identifiers. Later releases are not judged for `k` with the
/// earlier ones, and the verdict says so.
#[test]
fn a_method_satisfies_k_in_each_release() {
    let folder = TestFolder::monthly(&(method_policy("m-invariance", "m = 2") + "[requirement]\nk = 4\n"));
    folder.write("jan.csv", month(0..20, false));
    folder.write("feb.csv", month(0..22, false));
    let answer = folder.publish_month("jan").run().passes().json();
    assert_eq!((&answer["sample_unique"], open(&answer)), (&json!(0), Vec::new()), "{answer:#}");
    assert!(outcomes(&answer).contains(&("k-anonymity".to_owned(), "judged".to_owned())));
    let rows = folder.rows("out-jan/people.csv");
    let class = |row: &[String]| row[1..].join("|");
    for row in &rows {
        let equal = rows.iter().filter(|other| class(other) == class(row)).count();
        assert!(equal >= 4, "{equal} people have {row:?}");
    }
    let answer = folder.publish_month("feb").run().passes().json();
    assert_eq!(open(&answer), ["k-anonymity was not judged (joins-not-judged)"]);
}

#[test]
fn a_method_without_an_audit_is_not_established() {
    let policy = method_policy("bcf-anonymity", "k = 2") + "[requirement]\naudit = \"off\"\nreidentification = 0.5\n";
    let folder = TestFolder::monthly(&policy);
    folder.write("jan.csv", month(0..20, false));
    let answer = folder.publish_month("jan").run().passes().json();
    let skipped: Vec<(String, String)> =
        outcomes(&answer).into_iter().filter(|(_, outcome)| outcome == "skipped").collect();
    assert_eq!(skipped.len(), open(&answer).len());
    let models: Vec<&str> = skipped.iter().map(|(model, _)| model.as_str()).collect();
    assert!(models.contains(&"record-linkage") && models.contains(&"reidentification"), "{models:?}");
}

/// Intervals of a generalized release begin and end at declared bounds.
#[test]
fn a_method_publishes_declared_intervals() {
    let policy = method_policy("m-invariance", "m = 3");
    assert!(policy.contains("[columns.age]"), "{policy}");
    let folder = TestFolder::monthly(&policy.replace("[columns.age]\n", "[columns.age]\nintervals = [10, 20]\n"));
    folder.write("jan.csv", month(0..30, false));
    folder.publish_month("jan").run().passes();
    let rows = folder.rows("out-jan/people.csv");
    let mut intervals = 0;
    for row in &rows {
        let age = &row[1];
        for bound in age.split(|letter: char| !letter.is_ascii_digit()).filter(|text| !text.is_empty()) {
            intervals += usize::from(age.len() > bound.len());
            assert!(age == bound || bound.parse::<u32>().unwrap() % 10 == 0, "{row:?}");
        }
    }
    assert!(intervals > 0);
}

/// The illness of every woman changed, and changed records are withheld: the answer counts them, and names the part of the data that lacks.
#[test]
fn parts_of_the_data_that_are_left_out_are_named() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\n[release]\n\
         method = \"m-invariance\"\nseed = 7\n[release.options]\nm = 2\nchanged = \"withhold\"\n",
    );
    let rows = |change: usize| -> String {
        let illness = |at: usize| ["flu", "cold", "burn", "gout"][(at + if at < 20 { change } else { 0 }) % 4];
        (0..40).map(|at| format!("{at},{},{}\n", ["F", "M"][at / 20], illness(at))).collect()
    };
    let published = |name: &str, change: usize| {
        folder.write(&format!("{name}.csv"), format!("id,sex,illness\n{}", rows(change)));
        folder.publish_month(name).run().passes().json()
    };
    let answer = published("jan", 0);
    assert_eq!((&answer["published"], &answer["underrepresented"]), (&json!(40), &json!([])), "{answer:#}");
    let answer = published("feb", 1);
    let women = json!([{ "column": "sex", "value": "F", "records": 20, "left_out": 20 }]);
    assert_eq!((&answer["published"], &answer["underrepresented"]), (&json!(20), &women), "{answer:#}");
    let withheld: u64 = answer["withheld"].as_array().unwrap().iter().map(|one| one["records"].as_u64().unwrap()).sum();
    assert_eq!(withheld, 20);
}
