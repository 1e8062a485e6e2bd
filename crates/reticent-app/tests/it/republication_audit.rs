//! Audits of republished tables: by column, release by release, and what could not be audited.

use std::collections::BTreeSet;

use reticent_app::request::Adversary;
use reticent_testkit::{Answer, Outcome, TestFolder, method_policy, month};
use serde_json::{Value, json};

/// Every column is judged by its own promise, not all of them by the weakest one.
#[test]
fn each_column_is_judged_by_its_own_promise() {
    let promises = |illness: usize| {
        let l = format!("primary = \"illness\"\nl = {{ illness = {illness}, pay = 2 }}");
        method_policy("decomposition-plus", &l)
            .replace("[release]\n", "[columns.pay]\nrole = \"sensitive\"\n[release]\n")
    };
    let folder = TestFolder::monthly(&promises(2));
    folder.write("stricter.toml", promises(3));
    folder.write("may.csv", month(0..40, true));
    folder.publish_month("may").run().passes();
    let answer = folder.audit().run().passes();
    assert_eq!((answer.holds, answer.confidence), (Some(true), Some(0.5)));
    let stricter = folder.with_policy("stricter.toml");
    let strict = stricter.audit().html("out.html").run().violates().json();
    let column = |name: &str| {
        let columns = strict["coalitions"][0]["audit"]["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap().clone()
    };
    assert_eq!((&strict["holds"], strict["confidence"].is_null()), (&json!(false), true));
    let (illness, pay) = (column("illness"), column("pay"));
    assert_eq!((illness["threshold"].as_f64(), pay["threshold"].as_f64()), (Some(1.0 / 3.0), Some(0.5)));
    assert!(illness["above"].as_u64() > Some(0) && pay["above"] == 0, "{illness:#} {pay:#}");
    let worst = strict["coalitions"][0]["audit"]["worst"].as_array().unwrap();
    assert!(worst.iter().all(|case| case["column"] == "illness"), "violations come first: {worst:#?}");
    let answer = stricter.audit().columns("pay").run().passes();
    assert_eq!((answer.holds, answer.confidence), (Some(true), Some(0.5)));
    let report = folder.read("out.html");
    let above = "the posterior of <q>illness</q> exceeds the threshold of 33.3\u{a0}%";
    let within = "does the posterior of <q>pay</q> exceed the threshold of 50\u{a0}%";
    assert!(report.contains(above) && report.contains(within), "{report}");
}

/// A list belongs to the release whose people it is about: it is no release of its own, and its values are not people.
#[test]
fn lists_are_part_of_their_release() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    let audit = || folder.audit().worst(50).run().unwrap().json()["coalitions"][0]["audit"].clone();
    let month = |rows: &[&str]| format!("patient,age,city,illness\n{}\n", rows.join("\n"));
    let asthma = ["p1,30,Paris,asthma", "p2,60,Oslo,asthma"];
    let others = ["p3,31,Paris,colic", "p4,61,Oslo,colic", "p5,32,Paris,flu", "p6,62,Oslo,flu"];
    folder.write("may.csv", month(&[&asthma[..], &others].concat()));
    folder.publish_month("may").run().passes();
    assert_eq!(audit()["identity"]["with_several_records"], 0);
    // Both who have asthma stay, each in a group that lists all three values; a newcomer is in one of these.
    folder.write("june.csv", month(&[&asthma[..], &["p7,33,Paris,colic"]].concat()));
    let answer = folder.publish_month("june").run().passes().json();
    let count = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!((count("published"), count("groups"), count("singletons"), count("counterfeits")), (3, 2, 1, 3));
    let audit = audit();
    assert_eq!(audit["identity"]["with_several_records"], 2);
    let cases = audit["worst"].as_array().unwrap().iter().filter_map(|case| case["explanation"]["groups"].as_array());
    let groups: Vec<&Value> = cases.flatten().collect();
    let people = |name: &str| -> BTreeSet<u64> {
        groups.iter().filter(|group| group["name"] == name).map(|group| group["people"].as_u64().unwrap()).collect()
    };
    assert_eq!(people("may"), [3].into());
    assert!(people("june").contains(&2) && people("june").is_subset(&[1, 2].into()), "{audit:#}");
    let diff = folder.diff("may", "june").passes();
    let columns: Vec<&str> = diff.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["age", "city", "illness"], "names of groups compare with nothing");
    let history = folder.history("public").passes();
    assert_eq!(history.coalitions[0].releases[0].columns, ["group_id", "age", "city", "illness"]);
    folder.audit().html("out.html").run().passes();
    let report = folder.read("out.html");
    assert!(report.contains("group_id, age, city, illness"), "{report}");
}

/// Background knowledge is known from the first release on: a later one is not charged with it.
#[test]
fn background_knowledge_applies_to_every_release() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    let rows = |rows: &[&str]| format!("patient,age,city,illness\n{}\n", rows.join("\n"));
    let first = ["p1,30,Paris,flu", "p2,31,Paris,colic", "p3,32,Paris,gout"];
    let second = ["p4,60,Oslo,flu", "p5,61,Oslo,colic", "p6,62,Oslo,gout"];
    folder.write("may.csv", rows(&first));
    folder.write("june.csv", rows(&[&first[..], &second].concat()));
    folder.publish_month("may").run().passes();
    folder.publish_month("june").run().passes();
    let over_time = |knows: &str, holds: bool| -> Vec<u64> {
        folder.write("knows.txt", knows);
        let result = folder.audit().background("knows.txt").run();
        let answer = if holds { result.passes() } else { result.violates() };
        answer.coalitions[0].timeline.iter().map(|moment| moment.columns[0].above).collect()
    };
    assert_eq!(over_time("\"p1\" has illness = flu\n", false), [2, 2], "p2 and p3, from May on");
    assert_eq!(over_time("\"p4\" has illness = flu\n", false), [0, 2], "p5 and p6, who came in June");
    // A statement about everybody need not hold for those of May alone: only the whole history is judged.
    assert_eq!(over_time("P(illness = flu) <= 0.5\n", true).len(), 1);
}

/// Each sensitive column has its own figures, release by release.
#[test]
fn each_column_has_figures_release_by_release() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n\
         [columns.pay]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\n",
    );
    folder.write("one.csv", "pid,zip,ill,pay\na,1,flu,low\nb,1,flu,high\nc,2,flu,low\nd,2,gout,low\n");
    for (name, date) in [("one", "2026-05-01"), ("two", "2026-06-01")] {
        let call = folder.register("one.csv", name).to("press").date(date);
        call.quasi_identifier("zip").sensitive("ill,pay").run().passes();
    }
    let answer = folder.audit().run().violates();
    let over_time = &answer.coalitions[0].timeline;
    assert_eq!(over_time.len(), 2);
    let certain: Vec<(&str, u64)> =
        over_time[1].columns.iter().map(|column| (column.name.as_str(), column.certain)).collect();
    assert_eq!(certain, [("ill", 2), ("pay", 2)]);
}

/// A release that was erased, or cannot be linked, keeps the answer and the report from saying that the policy holds.
#[test]
fn what_is_not_established_is_in_the_answer_and_the_report() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("may.csv", month(0..40, false));
    folder.publish_month("may").run().passes();
    folder.write("june.csv", month(0..45, false));
    folder.publish_month("june").run().passes();
    let established = folder.audit().run().passes();
    assert!(established.coalitions[0].not_established.is_empty());
    let unknown = folder.audit().adversary(Adversary::QuasiIdentifiers).html("quasi.html").run().violates();
    assert_eq!((unknown.holds, unknown.coalitions[0].not_established.len()), (Some(false), 1));
    assert_eq!(unknown.coalitions[0].audit.unresolved, [1, 2]);
    folder.purge("may", "asked").passes();
    for report in [folder.audit().html("erased.html"), folder.audit().html("public.html").public()] {
        let erased = report.run().violates();
        let lost: Vec<u64> = erased.coalitions[0].erased.iter().map(|lost| lost.number).collect();
        assert_eq!((lost, erased.coalitions[0].not_established.len()), (vec![1], 1));
    }
    for page in ["quasi.html", "erased.html", "public.html"] {
        let page = folder.read(page);
        assert!(page.contains("Not established: ") && !page.contains("Threshold met"), "{page}");
    }
}

/// An attack that was run is not listed as not considered, neither in the answer nor in the report.
#[test]
fn an_attack_that_was_run_is_considered() {
    let folder = TestFolder::monthly(&method_policy("anatomy", "l = 2"));
    folder.write("may.csv", month(0..40, false));
    folder.publish_month("may").run().passes();
    // The list of attackers who are not considered has sentences only.
    const LEARNS: &str = "who learn from the data how quasi-identifiers and sensitive values correlate";
    let without = folder.audit().html("without.html").run().passes();
    let with = folder.audit().attacks("definetti").html("with.html").run().passes();
    let listed = |answer: &reticent_app::answer::AuditAnswer| {
        answer.coalitions[0].audit.not_considered.iter().any(|text| text.contains(LEARNS))
    };
    assert_eq!((listed(&without), listed(&with)), (true, false));
    let page = |name: &str| folder.read(name).contains(LEARNS);
    assert_eq!((page("without.html"), page("with.html")), (true, false));
    let attack = &with.coalitions[0].attacks[0];
    assert_eq!((attack.id.as_str(), &attack.not_run), ("definetti", &None));
    // The verdict is about posteriors: findings of attacks do not change it.
    assert!(!attack.findings.is_empty());
    assert_eq!(with.holds, Some(true));
}
