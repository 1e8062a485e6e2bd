//! Releases that do not show their records one by one: groups, counterfeit records, separate tables and marginal tables.

use reticent_testkit::{Answer, Outcome, TestFolder};

const POLICY: &str = "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
                      [columns.fake]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
                      [columns.pay]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.5\n";

/// Alice leaves, and with her the last bronchitis: a counterfeit record protects the value of Bob.
#[test]
fn counterfeits_are_registered_and_hide_an_absence() {
    let folder = TestFolder::from_policy(POLICY);
    folder.write("first.csv", "pid,group,disease\nbob,1,dyspepsia\nalice,1,bronchitis\n");
    folder.register("first.csv", "first").group_column("group").run().passes();
    folder.write("second.csv", "pid,group,disease,fake\nbob,1,dyspepsia,1\n,1,bronchitis,1\n");
    let call = folder.register("second.csv", "second").date("2026-02-01").group_column("group");
    let error = call.run().fails_with("owner-missing");
    assert_eq!(error.data(), serde_json::json!({ "column": "pid", "rows": 1 }));
    folder.write("wrong.csv", "pid,group,disease,fake\nbob,1,dyspepsia,2\n,1,bronchitis,2\n");
    let wrong =
        folder.register("wrong.csv", "second").date("2026-02-01").group_column("group").counterfeit_column("fake");
    let error = wrong.run().fails_with("counterfeits-owned");
    assert_eq!(error.data(), serde_json::json!({ "column": "fake", "found": 1, "stated": 2 }));
    let answer = call.counterfeit_column("fake").run().passes().json();
    assert_eq!((&answer["group_column"], &answer["counterfeit_column"]), (&"group".into(), &"fake".into()));
    let answer = folder.audit().run().passes().json();
    let column = &answer["coalitions"][0]["audit"]["columns"][0];
    assert_eq!(
        (&column["people"], &column["certain"], &column["highest"]["upper"]),
        (&2.into(), &0.into(), &0.5.into())
    );
    let shown = folder.show("second").passes().json();
    assert_eq!(shown["recorded"]["content"]["counterfeit_column"], "fake", "{shown}");
}

/// Two columns in separate tables disclose nothing about each other, until a marginal table is published.
#[test]
fn a_marginal_table_is_registered_for_the_people_of_a_release() {
    let folder = TestFolder::from_policy(POLICY);
    // In each group one has HIV and one is rich; only the marginal discloses that they are the same person, in both.
    folder.write("lists.csv", "pid,group,disease,pay\na,1,HIV,rich\nb,1,Flu,poor\nc,2,HIV,rich\nd,2,Flu,poor\n");
    let answer = folder.register("lists.csv", "lists").group_column("group").separate_columns().run().passes().json();
    assert_eq!(answer["columns_separate"], true);
    let worlds = || folder.audit().run().passes().json()["coalitions"][0]["audit"]["worlds"].clone();
    assert_eq!(worlds(), "16");
    folder.write("marginal.csv", "disease,pay\nHIV,rich\nFlu,poor\nHIV,rich\nFlu,poor\n");
    let call = folder.register("marginal.csv", "marginal").date("2026-01-02");
    let error = call.clone().marginal_of("lost").run().fails_with("release-not-found");
    assert_eq!(error.data()["wanted"], "lost");
    assert_eq!(call.marginal_of("lists").run().passes().json()["about_release"], 1);
    assert_eq!(worlds(), "4");
    // The pay of a person now discloses their disease.
    folder.write("knows.txt", "\"a\" has pay = rich\n");
    let answer = folder.audit().background("knows.txt").run().unwrap().json();
    assert_eq!(answer["coalitions"][0]["audit"]["columns"][0]["certain"], 2, "{answer}");
}
