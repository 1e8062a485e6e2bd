//! Audits of adversaries: background knowledge in statements or a table, and attackers who do not know who is in which release.

use reticent_app::request::Adversary;
use reticent_testkit::{Outcome, TestFolder};
use serde_json::json;

fn grouped() -> TestFolder {
    TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
         [columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
    )
}

fn register(folder: &TestFolder, name: &str, text: &str) {
    folder.write(&format!("{name}.csv"), text);
    let call = folder.register(&format!("{name}.csv"), name).to("press");
    let call = if text.starts_with("pid,group") { call.group_column("group") } else { call };
    call.run().passes();
}

/// How many people are certain in the first column, for an attacker who knows this.
fn certain(folder: &TestFolder, file: &str, text: &str) -> u64 {
    folder.write(file, text);
    folder.audit().background(file).run().violates().coalitions[0].audit.columns[0].certain
}

#[test]
fn background_knowledge_discloses_more() {
    let folder = TestFolder::figure_1();
    // Nobody's value follows from p1's; p1 is known, and not disclosed by the releases.
    assert_eq!(certain(&folder, "knows.txt", "# from a colleague\n\"p1\" has disease = Flu\n"), 3);
    // One of 5 and 6 has Flu, and 5 has not.
    assert_eq!(certain(&folder, "knows.txt", "\"p5\" has not disease = Flu\n"), 9);
    assert_eq!(certain(&folder, "knows.csv", "pid,disease\np1,Flu\n"), 3);
    folder.write("knows.txt", "nonsense\n");
    let error = folder.audit().background("knows.txt").run().fails_with("background-knowledge-invalid");
    assert_eq!(error.data()["fault"], json!({ "kind": "not-understood", "line": 1 }));
    assert!(!error.to_string().contains("nonsense"), "{error}");
}

/// Each release discloses little alone, and both together cannot be judged for an attacker who does not know who is in which.
#[test]
fn releases_cannot_be_judged_together_without_presence() {
    let folder = TestFolder::figure_1();
    let answer = folder.audit().adversary(Adversary::QuasiIdentifiers).run().violates();
    let audit = &answer.coalitions[0].audit;
    assert_eq!((audit.columns[0].above, audit.unresolved.as_slice()), (0, [1, 2].as_slice()));
    let folder = grouped();
    register(&folder, "one", "pid,ill\na,Cold\nb,Flu\n");
    register(&folder, "two", "pid,zip,ill\na,z,Cold\nb,z,Flu\n");
    let answer = folder.audit().adversary(Adversary::QuasiIdentifiers).run().violates();
    let coalition = &answer.coalitions[0];
    assert_eq!((answer.holds, coalition.not_established.len()), (Some(false), 1));
    assert_eq!(coalition.audit.unresolved, [1, 2]);
}

/// People of one group have quasi-identifiers of their own, and a statement is about those who have its value.
#[test]
fn a_statement_is_about_people_and_not_about_groups() {
    let folder = grouped();
    register(&folder, "r", "pid,group,zip,ill\nann,1,z1,HIV\nbob,1,z2,Flu\ncid,2,z3,Flu\ndee,2,z4,Cold\n");
    assert_eq!(certain(&folder, "k.txt", "P(ill = HIV | zip = z1) <= 0.5\n"), 2);
    // A statement that is true in the data contradicts nothing.
    assert_eq!(certain(&folder, "k.txt", "P(ill = \"HIV\" | zip = z1) >= 0.9\n"), 2);
}

/// A statement that excludes nothing does not change what another excludes; one that cannot be judged is an error at its line.
#[test]
fn statements_are_independent() {
    let folder = grouped();
    register(&folder, "one", "pid,group,zip,ill\na,1,m,flu\nb,1,m,hiv\nc,1,f,cold\nd,1,f,flu\n");
    folder.write("k.txt", "P(ill = flu) >= 0.5\nP(ill = hiv | zip = m) <= 1\n");
    let answer = folder.audit().background("k.txt").run().passes();
    let audit = &answer.coalitions[0].audit;
    assert_eq!((audit.columns[0].certain, audit.worlds.as_deref()), (0, Some("12")));
    register(&folder, "two", "pid,group,ill\na,1,flu\nb,1,hiv\ne,1,hiv\ng,1,flu\n");
    let error = folder.audit().background("k.txt").run().fails_with("background-knowledge-invalid");
    assert_eq!(error.data(), json!({ "line": 2, "fault": { "kind": "not-shown-for-all", "column": "zip" } }));
}

/// Wrong statements are errors of the request, and no disclosure.
#[test]
fn wrong_statements_are_errors() {
    let folder = grouped();
    register(&folder, "one", "pid,zip,ill\na,z,Cold\nb,z,Flu\n");
    for (wrong, fault) in [
        ("nonsense", json!({ "kind": "not-understood", "line": 1 })),
        ("\"zoe\" has ill = Flu", json!({ "kind": "person-unknown" })),
        ("\"a\" has ill = Gout", json!({ "kind": "value-not-shown", "column": "ill" })),
        ("3 of \"a\", \"b\" have ill = Flu", json!({ "kind": "not-understood", "line": 1 })),
        ("\"a\" has ill = Flu\n\"a\" has not ill = Flu", json!({ "kind": "two-values" })),
    ] {
        folder.write("k.txt", format!("{wrong}\n"));
        let error =
            folder.audit().recipients("press").background("k.txt").run().fails_with("background-knowledge-invalid");
        assert_eq!(error.data()["fault"], fault, "{wrong}");
    }
}
