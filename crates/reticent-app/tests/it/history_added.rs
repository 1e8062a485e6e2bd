//! What a release adds to a history: posteriors instead of joins, violations of the history alone, and coarser releases after a refusal.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::Value;

/// Forty people with three quasi-identifiers and a value. The first release generalizes `q0` fully. With the second one unchanged, the
/// highest posterior of a value is 8/9; with c2 and c3 generalized it is .764. Both were computed by counting worlds.
const PEOPLE: &str = "a1b3c3S1 a4b1c1S2 a4b3c2S2 a3b2c0S0 a2b2c0S2 a3b0c2S0 a4b3c3S0 a2b3c0S2 a2b1c1S1 a0b2c2S1 a4b2c0S1 \
    a2b1c2S2 a4b0c2S2 a0b0c1S0 a1b0c0S2 a4b1c3S2 a1b0c3S0 a1b2c3S2 a4b0c1S0 a0b2c3S1 a3b0c1S1 a4b2c3S0 a4b0c2S1 a4b1c2S1 \
    a1b0c1S1 a2b2c0S1 a3b3c1S2 a3b2c2S2 a3b0c1S0 a0b0c2S1 a1b1c3S2 a1b3c3S2 a2b0c2S0 a3b1c3S0 a4b1c0S1 a1b0c1S2 a4b2c1S1 \
    a1b1c2S1 a3b2c0S1 a1b1c3S2";

fn forty_people(release: &str) -> TestFolder {
    let policy = format!(
        "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.q0]\n[columns.q1]\n[columns.q2]\ntaxonomy = \"q2.csv\"\n\
         [columns.s0]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.8\n\
         [release]\nalgorithm = \"top-down-specialization\"\nseed = 7\n{release}"
    );
    let folder = TestFolder::from_policy(&policy);
    let cells = |person: &str| [0, 2, 4, 6].map(|at| person[at..at + 2].to_owned()).join(",");
    let row = |(number, person): (usize, &str)| format!("p{number},{}\n", cells(person));
    let rows: String = PEOPLE.split_whitespace().enumerate().map(row).collect();
    folder.write("people.csv", format!("id,q0,q1,q2,s0\n{rows}"));
    folder.write("q2.csv", "c0;*\nc1;*\nc2;cG;*\nc3;cG;*\n");
    let first = folder.publish("people.csv", "r0").columns("q0,q1,s0").run().passes().json();
    assert_eq!(published(&first, "q0"), ["*"], "{first:#}");
    folder
}

fn published(answer: &Value, column: &str) -> Vec<String> {
    let columns = answer["columns"].as_array().unwrap();
    let of = columns.iter().find(|of| of["name"] == column).unwrap();
    of["published"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn already_violated(answer: &Value) -> u64 {
    let joins = answer["verified"]["joins"].as_array().unwrap();
    joins.iter().map(|join| join["already_violated"].as_u64().unwrap()).sum()
}

#[test]
fn a_coarser_release_is_published_if_the_audit_refuses_the_finest() {
    let folder = forty_people("");
    let answer = folder.publish("people.csv", "r1").columns("q2,s0").run().passes().json();
    assert_eq!(published(&answer, "q2"), ["c0", "c1", "cG"], "{answer:#}");
    let highest = answer["audited"]["upper"].as_f64().unwrap();
    assert!((highest - 0.764).abs() < 0.0005, "{highest}");
}

#[test]
fn a_policy_can_switch_the_back_off_off() {
    let folder = forty_people("back-off = 0\n");
    let error = folder.publish("people.csv", "r1").columns("q2,s0").run().refused_with("posterior-above-confidence");
    assert!(error.data()["people"].as_u64().unwrap() > 0, "{:#}", error.data());
}

/// The second release shows only the distribution of the whole table, which the first shows too. The join with it squares proportions:
/// 4/5 and 4/5 become 16/17.
#[test]
fn a_release_that_adds_nothing_is_not_refused_for_the_join() {
    let policy = "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.q]\n[columns.p]\n[columns.s]\nrole = \"sensitive\"\n\
                  [requirement]\nconfidence = 0.8\n[release]\nseed = 1\n";
    let folder = TestFolder::from_policy(policy);
    let row = |at: usize| format!("p{at},q{},p{},{}\n", at % 2, at, if at.is_multiple_of(5) { "Flu" } else { "Cold" });
    folder.write("people.csv", "id,q,p,s\n".to_owned() + &(0..10).map(row).collect::<String>());
    folder.publish("people.csv", "r1").columns("q,s").run().passes();
    let answer = folder.publish("people.csv", "r2").columns("p,s").run().passes().json();
    assert_eq!(published(&answer, "p"), ["*"], "{answer:#}");
    assert_eq!(answer["audited"]["upper"], 0.8);
}

/// A registered table in which everybody is unique does not block a release of other columns.
#[test]
fn violations_of_the_history_alone_are_reported_and_do_not_block() {
    let policy =
        "[columns.age]\n[columns.city]\n[columns.s]\nrole = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n";
    let folder = TestFolder::from_policy(policy);
    folder.write("voters.csv", "age,city\n30,Paris\n31,Paris\n40,Oslo\n41,Oslo\n");
    folder.register("voters.csv", "voters").date("2020-01-01").quasi_identifier("age,city").run().passes();
    folder.write("people.csv", "city,s\nParis,Flu\nParis,Cold\nOslo,Flu\nOslo,Flu\n");
    let answer = folder.publish("people.csv", "spring").run().passes().json();
    assert_eq!(published(&answer, "city").len(), 2, "{answer:#}");
    assert_eq!(already_violated(&answer), 4, "one value on X for each voter");
}

/// The first release has a class of four people where five are required. A class of the second one that has only two of their values
/// would halve it.
#[test]
fn a_violation_of_the_history_must_not_get_worse() {
    let policy =
        "[columns.q]\n[columns.p]\n[columns.s]\nrole = \"sensitive\"\n[requirement]\nk = 5\n[release]\nseed = 1\n";
    let folder = TestFolder::from_policy(policy);
    folder.write("old.csv", "q,s\nx,Flu\nx,Flu\nx,Cold\nx,Cold\n");
    folder.register("old.csv", "old").date("2020-01-01").quasi_identifier("q").sensitive("s").run().passes();
    let row = |at: usize| format!("{}\n", if at < 5 { "u,Flu" } else { "v,Cold" });
    folder.write("people.csv", "p,s\n".to_owned() + &(0..10).map(row).collect::<String>());
    let answer = folder.publish("people.csv", "new").run().passes().json();
    assert_eq!(published(&answer, "p"), ["*"], "{answer:#}");
    assert!(already_violated(&answer) > 0, "{answer:#}");
}

/// Eight diagnoses of five people each; any two of the columns leave two diagnoses, all three one. The models allow two.
#[test]
fn models_of_distributions_are_judged_over_joins() {
    for model in [
        "model = \"entropy-l-diversity\"\nl = 2",
        "model = \"recursive-cl-diversity\"\nc = 3\nl = 2",
        "model = \"t-closeness\"\nt = 0.8",
    ] {
        let policy = format!(
            "[columns.a]\n[columns.b]\n[columns.c]\n[columns.d]\nrole = \"sensitive\"\n\
             [[requirement.models]]\n{model}\n[release]\nseed = 1\n"
        );
        let folder = TestFolder::from_policy(&policy);
        let row = |at: usize| format!("a{},b{},c{},d{}\n", at % 2, at / 2 % 2, at / 4 % 2, at % 8);
        folder.write("people.csv", "a,b,c,d\n".to_owned() + &(0..40).map(row).collect::<String>());
        for name in ["a", "b"] {
            let answer = folder.publish("people.csv", name).columns(&format!("{name},d")).run().passes().json();
            assert_eq!(published(&answer, name).len(), 2, "{model}: {answer:#}");
        }
        let answer = folder.publish("people.csv", "c").columns("c,d").run().passes().json();
        assert_eq!(published(&answer, "c"), ["*"], "{model}: {answer:#}");
    }
}

/// The posteriors decide about `confidence`, and no join does, only where the audit knows all by which records can be linked.
#[test]
fn a_join_is_judged_where_the_audit_does_not_know_every_link() {
    let policy = |rest: &str| {
        format!(
            "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.q]\n[columns.p]\n[columns.n]\nrole = \"other\"\n\
             accept-unique = true\n[columns.s]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.9\n[release]\nseed = 1\n{rest}"
        )
    };
    let row = |name: &str, at: usize| {
        let s = if at.is_multiple_of(2) { "Flu" } else { "Cold" };
        format!("{name}{at},q{},p{},n{},{s}\n", at % 2, at % 3, at % 4)
    };
    let rows = |name: &str| "id,q,p,n,s\n".to_owned() + &(0..24).map(|at| row(name, at)).collect::<String>();
    let rule = "[history]\ninconsistent = [{ q = \"q0\", p = \"p0\" }]\n";
    let cases = [
        ("same people", "", "a", "q,s", "p,s", false),
        ("other people", "", "b", "q,s", "p,s", true),
        ("a common column of another role", "", "a", "q,n,s", "p,n,s", true),
        ("a rule that excludes pairs of values", rule, "a", "q,s", "p,s", true),
    ];
    for (what, rest, people, first, second, is_judged) in cases {
        let folder = TestFolder::from_policy(&policy(rest));
        folder.write("first.csv", rows("a"));
        folder.write("second.csv", rows(people));
        folder.publish("first.csv", "one").columns(first).run().passes();
        let answer = folder.publish("second.csv", "two").columns(second).run().passes().json();
        let joins = answer["verified"]["joins"].as_array().unwrap();
        let is_confidence = |join: &Value| join["requirement"].as_str().unwrap().starts_with("confidence in");
        assert_eq!(joins.iter().any(is_confidence), is_judged, "{what}: {answer:#}");
    }
}

/// The audit's attacker knows the quasi-identifiers of everybody, but not the other columns of a population register.
#[test]
fn a_register_with_more_than_quasi_identifiers_is_joined() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.city]\n[columns.job]\nrole = \"other\"\n[columns.s]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.6\n[release]\nseed = 1\n",
    );
    let row = |at: usize| if at.is_multiple_of(2) { format!("p{at},A,x,Flu\n") } else { format!("p{at},A,y,Cold\n") };
    folder.write("people.csv", "id,city,job,s\n".to_owned() + &(0..8).map(row).collect::<String>());
    folder.write("register.csv", "city,job\n".to_owned() + &"A,x\nA,y\n".repeat(4));
    folder.register("register.csv", "register").date("2020-01-01").as_population().run().passes();
    folder.publish("people.csv", "new").columns("city,job,s").run().refused_with("requirement-unreachable");
}

/// Without a sensitive column, neither the gate nor a join judges anything.
#[test]
fn a_policy_that_judges_nothing_is_an_error() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.q]\n[columns.p]\n[columns.s]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 0.9\n[release]\nseed = 1\n",
    );
    let row =
        |at: usize| format!("p{at},q{},p{},{}\n", at % 2, at % 3, if at.is_multiple_of(2) { "Flu" } else { "Cold" });
    folder.write("people.csv", "id,q,p,s\n".to_owned() + &(0..12).map(row).collect::<String>());
    let old = |at: usize| format!("p{at},q{}\n", at % 2);
    folder.write("old.csv", "id,q\n".to_owned() + &(0..12).map(old).collect::<String>());
    folder.register("old.csv", "old").date("2020-01-01").run().passes();
    folder.publish("people.csv", "new").columns("q").run().fails_with("policy-invalid");
}
