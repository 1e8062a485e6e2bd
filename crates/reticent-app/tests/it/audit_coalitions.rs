//! Audits of coalitions: recipients who hold different releases, and background knowledge about people whom some do not hold.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::{Value, json};

fn linked(more: &str) -> TestFolder {
    TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\n\
         role = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n{more}"
    ))
}

const SEPARATE: &str = "[recipients]\nnon-colluding = [\"press\", \"bank\"]\n";

fn register(folder: &TestFolder, name: &str, to: &str, text: &str) {
    folder.write(&format!("{name}.csv"), text);
    folder.register(&format!("{name}.csv"), name).to(to).run().passes();
}

/// The audit of the coalition whose first member is this one.
fn audit_of<'a>(answer: &'a Value, who: &str) -> &'a Value {
    let coalitions = answer["coalitions"].as_array().unwrap();
    &coalitions.iter().find(|coalition| coalition["members"][0] == who).unwrap()["audit"]
}

/// One of two separate recipients got illnesses and the other salaries. A column, and knowledge about it, concerns those who hold
/// it. A column that nobody holds is an error.
#[test]
fn separate_recipients_may_hold_different_columns() {
    let folder = linked(SEPARATE);
    register(&folder, "ills", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ncid,2,Flu\ndee,2,Cold\n");
    register(&folder, "pays", "bank", "pid,zip,pay\nann,1,low\nbob,1,high\neve,2,low\nfay,2,high\n");
    let answer = folder.audit().columns("ill").run().passes().json();
    assert_eq!(audit_of(&answer, "press")["columns"][0]["name"], "ill", "{answer}");
    assert_eq!(audit_of(&answer, "bank")["columns"], json!([]), "{answer}");
    let certain = |knows: &str| {
        folder.write("k.txt", knows);
        let answer = folder.audit().background("k.txt").run().violates().json();
        let of = |who: &str| audit_of(&answer, who)["columns"][0]["certain"].as_u64().unwrap();
        (of("press"), of("bank"))
    };
    // Bob's illness discloses Ann's, and nobody's pay.
    assert_eq!(certain("\"bob\" has ill = Cold\n"), (1, 0));
    // Low is one of Ann's and Bob's, so Eve's too, and Fay's is high. Cold is one of Cid's and Dee's, so not Ann's; the bank holds
    // neither of these two.
    let both = "2 of \"ann\", \"bob\", \"eve\" have pay = low\n1 of \"ann\", \"cid\", \"dee\" have ill = Cold\n";
    assert_eq!(certain(both), (2, 2));
    for (wrong, fault) in [("\"zoe\" has ill = Flu", "person-unknown"), ("\"ann\" has age = 7", "column-unknown")] {
        folder.write("k.txt", format!("{wrong}\n"));
        let data = folder.audit().background("k.txt").run().fails_with("background-knowledge-invalid").data();
        assert_eq!((&data["line"], &data["fault"]["kind"]), (&json!(1), &json!(fault)));
    }
    let error = folder.audit().columns("age").run().fails_with("no-such-sensitive-column");
    assert_eq!(error.data()["column"], "age");
}

/// Of "one of two", the person whom a recipient does not hold may be the one.
#[test]
fn a_person_who_is_not_held_may_have_the_value() {
    let folder = linked(SEPARATE);
    register(&folder, "ills", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ncid,1,Gout\n");
    register(&folder, "other", "bank", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ndee,1,Gout\n");
    folder.write("k.txt", "1 of \"ann\", \"cid\" have ill = Flu\n");
    let answer = folder.audit().background("k.txt").run().passes().json();
    // Of the press's six worlds four are left; all six of the bank's are, since it may be Cid, whom it does not hold.
    let worlds = |who: &str| audit_of(&answer, who)["worlds"].clone();
    assert_eq!((worlds("press"), worlds("bank")), (json!("4"), json!("6")), "{answer}");
}

/// No release shows the illness of p1. What is known about them by name counts in statements about several people; without that
/// they may be the one.
#[test]
fn a_person_without_a_value_counts_in_statements() {
    let together = linked("");
    register(&together, "r0", "press", "pid,zip,ill\np0,x,HIV\np2,x,Flu\n");
    register(&together, "r1", "press", "pid,zip\np0,x\np1,x\np2,x\n");
    let apart = linked(SEPARATE);
    register(&apart, "r0", "press", "pid,zip,ill\np0,x,HIV\np2,x,Flu\n");
    register(&apart, "r1", "bank", "pid,zip,ill\np1,x,HIV\np3,x,Flu\n");
    let known: [(&str, bool); 6] = [
        ("\"p1\" has ill = HIV\nat most 1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has not ill = HIV\nat least 1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("at least 1 of \"p0\", \"p1\" have ill = HIV\n", false),
        ("2 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has ill = HIV\n1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has ill = HIV\n1 of \"p1\", \"p2\" have ill = HIV\n", true),
    ];
    for folder in [&together, &apart] {
        for (text, all) in known {
            folder.write("k.txt", text);
            let result = folder.audit().recipients("press").background("k.txt").per_person().run();
            let answer = if all { result.violates() } else { result.passes() }.json();
            let audit = audit_of(&answer, "press");
            assert_eq!(audit["columns"][0]["certain"], if all { 2 } else { 0 }, "{text}{answer}");
            assert_eq!(audit["worlds"], if all { "1" } else { "2" }, "{text}{answer}");
        }
    }
    // Two of four are known to have it, so nobody else has.
    let share = linked("");
    register(&share, "r0", "press", "pid,zip,ill\np0,x,*\np2,y,Flu\np3,z,HIV\n");
    register(&share, "r1", "press", "pid,zip\np0,x\np1,x\np2,x\np3,x\n");
    share.write("k.txt", "\"p1\" has ill = HIV\nP(ill = HIV) <= 0.5\n");
    let answer = share.audit().background("k.txt").run().violates().json();
    assert_eq!(audit_of(&answer, "press")["columns"][0]["certain"], 3, "{answer}");
}
