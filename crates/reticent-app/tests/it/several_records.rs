//! Audits of people with several records in one release.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::{Value, json};

const POLICY: &str = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\nper = \"record\"\n\
                      [requirement]\nk = 2\nconfidence = 0.6\n";

fn column(folder: &TestFolder) -> Value {
    folder.audit().run().unwrap().json()["coalitions"][0]["audit"]["columns"][0].clone()
}

/// Ten of fourteen records are one person's, and only eight records are not flu: one of the ten is flu for certain.
#[test]
fn what_is_certain_of_several_records_together_is_refused() {
    let folder = TestFolder::from_policy(POLICY);
    let own = "P1,F,flu\nP1,F,asthma\n".repeat(5);
    folder.write("d.csv", format!("id,sex,illness\n{own}P2,F,flu\nP3,F,asthma\nP4,F,diabetes\nP5,F,hernia\n"));
    let error = folder.publish("d.csv", "one").to("press").run().refused_with("posterior-above-confidence");
    let expected =
        json!({ "column": "illness", "people": 1, "confidence": "6/10", "earlier": [], "several_records": true });
    assert_eq!(error.data(), expected);
    assert!(!folder.exists("one.csv"));
    folder.register("d.csv", "old").to("press").run().passes();
    folder.audit().run().violates();
    let found = column(&folder);
    assert_eq!((&found["certain"], &found["people"]), (&json!(1), &json!(5)), "{found}");
    assert_eq!((&found["above"], &found["any_record_above"]), (&json!(1), &json!(0)), "{found}");
}

/// Of eight records four show flu, and two are P1's: none of them does in C(4,2) of C(8,2) assignments, 6 of 28. The posterior
/// of one record is a half, below the bound; of any of the two, it is above the bound of one.
#[test]
fn that_any_of_several_shows_a_value_is_exact_and_reported_beside() {
    let folder = TestFolder::from_policy(POLICY);
    let rows = "P1,F,flu\nP1,F,gout\nP2,F,flu\nP3,F,flu\nP4,F,flu\nP5,F,gout\nP6,F,cold\nP7,F,burn\n";
    folder.write("d.csv", format!("id,sex,illness\n{rows}"));
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    let audited = &answer["audited"];
    assert_eq!((&audited["proof"], &audited["confidence"]), (&json!("bounds"), &json!(0.6)), "{audited}");
    assert_eq!((&audited["people"], &audited["upper"]), (&json!(7), &json!(0.5)), "{audited}");
    assert_eq!(
        (&audited["any_record_above"], &audited["any_record_upper"]),
        (&json!(1), &json!(22.0 / 28.0)),
        "{audited}"
    );
    let audit = folder.audit().run().passes().json()["coalitions"][0]["audit"].clone();
    assert_eq!(audit["multi_record_people"], 1, "{audit}");
    let found = column(&folder);
    assert_eq!(
        (&found["exact"], &found["above"], &found["any_record_above"]),
        (&json!(7), &json!(0), &json!(1)),
        "{found}"
    );
    assert_eq!((&found["highest"]["lower"], &found["highest"]["upper"]), (&json!(22.0 / 28.0), &json!(22.0 / 28.0)));
    assert_eq!(found["highest_record"]["upper"], json!(0.5));
    let worst = &audit["worst"][0];
    assert_eq!((&worst["people"], &worst["posterior"]["upper"]), (&json!(1), &json!(22.0 / 28.0)), "{worst}");
    let words = worst["explanation"]["text"].as_str().unwrap();
    assert!(words.contains("2 records in one"), "{words}");
    folder.audit().html("report.html").run().passes();
    let page = folder.read("report.html");
    assert!(page.contains("for a single record exceed the threshold of 60"), "{page}");
    assert!(page.contains("at least one of a person’s records has a given value"), "{page}");
}

/// In two classes: none of the records shows flu in 1/2 of the assignments of one, and in 2/3 of those of the other.
#[test]
fn classes_that_share_nobody_are_independent() {
    let folder = TestFolder::from_policy(POLICY);
    folder.write("d.csv", "id,sex,illness\nP1,F,flu\nP2,F,gout\nP1,M,flu\nP3,M,cold\nP4,M,burn\n");
    folder.register("d.csv", "one").to("press").run().passes();
    let found = column(&folder);
    assert_eq!((&found["highest"]["lower"], &found["highest"]["upper"]), (&json!(2.0 / 3.0), &json!(2.0 / 3.0)));
    // In a second release they have one record each: then only bounds are known.
    folder.write("e.csv", "id,sex,illness\nP1,F,flu\nP2,F,gout\n");
    folder.register("e.csv", "two").to("press").date("2026-02-01").run().passes();
    let found = column(&folder);
    assert!(found["highest"]["lower"].as_f64() < found["highest"]["upper"].as_f64(), "{found}");
}

/// Two of five records are HIV. A person with two of the five has it in none of them in C(3,2) of C(5,2) assignments, 3 of 10;
/// each other person has one record, and a posterior of two fifths.
#[test]
fn the_posterior_of_several_records_is_not_that_of_others() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\nper = \"record\"\n[requirement]\nk = 2\n",
    );
    folder.write("r1.csv", "pid,zip,ill\n1,a,HIV\n1,a,HIV\n2,a,Flu\n3,a,Flu\n4,a,Gout\n");
    folder.register("r1.csv", "r1").run().passes();
    let worst = folder.audit().run().passes().json()["coalitions"][0]["audit"]["worst"].clone();
    let first = &worst[0];
    assert_eq!((&first["people"], &first["value"]), (&1.into(), &"HIV".into()), "{worst}");
    assert_eq!((&first["posterior"]["lower"], &first["posterior"]["upper"]), (&0.7.into(), &0.7.into()), "{first}");
    assert_eq!(first["explanation"]["groups"][0]["people"], 4, "five records of four people: {first}");
    assert_eq!(worst[1]["people"], 3, "{worst}");
}

/// Two of three in a group have the same `p` by the first release, which the second does not show.
#[test]
fn what_earlier_releases_disclose_already_is_counted() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.q]\n[columns.z]\n[columns.d]\nrole = \"sensitive\"\n[columns.p]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.6\naudit = \"exact\"\n",
    );
    folder.write("r1.csv", "id,q,p\n0,C,Q\n1,C,P\n2,A,Q\n3,C,P\n4,A,P\n5,A,Q\n");
    folder.register("r1.csv", "r1").to("press").run().passes();
    folder.write("d.csv", "id,q,z,d,p\n0,C,y,H,Q\n1,C,x,G,P\n2,A,y,F,Q\n3,C,x,F,P\n4,A,x,G,P\n5,A,x,H,Q\n");
    for name in ["two", "three"] {
        let answer = folder.publish("d.csv", name).columns("z,d").to("press").run().passes().json();
        assert_eq!(
            (&answer["audited"]["already_above"], &answer["audited"]["upper"]),
            (&json!(6), &json!(0.5)),
            "{answer}"
        );
    }
    folder.audit().run().violates();
}

/// In rings of pairs every value depends on every other: changing eight at a time, no chain of samples ever moves. The samples
/// would be the true values.
#[test]
fn samples_that_never_moved_are_not_reported() {
    let folder = TestFolder::from_policy(&POLICY.replace("[columns.sex]", "[columns.group]\nrole = \"other\""));
    let ring = 24;
    let release = |shift: usize| -> String {
        (0..ring).map(|at| format!("p{at},{},{}\n", (at + shift) % ring / 2, ["A", "B"][at % 2])).collect()
    };
    let overlap = "p0,1,A\nx1,1,B\nx2,1,B\nx3,1,C\n".to_owned();
    for (number, text) in [(1, release(0)), (2, release(1)), (3, overlap)] {
        let name = format!("r{number}");
        folder.write(&format!("{name}.csv"), format!("id,group,illness\n{text}"));
        let call = folder.register(&format!("{name}.csv"), &name).to("press").date(&format!("2026-01-0{number}"));
        call.group_column("group").run().passes();
    }
    let answer = folder.audit().effort(0).samples(200).per_person().run().unwrap().json();
    let audit = &answer["coalitions"][0]["audit"];
    let mut looked = 0;
    for told in audit["persons"].as_array().unwrap().iter().flat_map(|one| one["columns"].as_array().unwrap()) {
        for chance in told["values"].as_array().unwrap() {
            looked += 1;
            let sampled = &chance["sampled"];
            assert!(sampled.is_null() || sampled["error"].as_f64().unwrap() > 0.0, "{told}");
        }
    }
    assert!(looked > 40, "{audit}");
}
