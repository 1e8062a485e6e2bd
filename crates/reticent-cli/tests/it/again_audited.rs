//! Audits of the same table again: by column, release by release, and of what could not be looked at.

use std::collections::BTreeSet;

use crate::again::{desk, month, policy, publish};
use crate::support::Desk;

/// Every column is held to what is promised of it, not all of them to the weakest promise.
#[test]
fn an_audit_judges_each_column_by_its_own_promise() {
    let promises = |illness: usize| {
        let l = format!("primary = \"illness\"\nl = {{ illness = {illness}, pay = 2 }}");
        policy("decomposition-plus", &l).replace("[release]\n", "[columns.pay]\nrole = \"sensitive\"\n[release]\n")
    };
    let desk = desk(&promises(2));
    desk.write("stricter.toml", promises(3));
    desk.write("may.csv", month(0..40, true));
    publish(&desk, "may").exits(0);
    desk.run("audit").exits(0).says("Nobody's value is told with more confidence than 50.0 %");
    let strict = desk.run("audit --policy stricter.toml --json").exits(1).json();
    let column = |name: &str| {
        let columns = strict["coalitions"][0]["audit"]["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap().clone()
    };
    assert_eq!((&strict["holds"], strict["confidence"].is_null()), (&false.into(), true));
    let (illness, pay) = (column("illness"), column("pay"));
    assert_eq!((illness["allowed"].as_f64(), pay["allowed"].as_f64()), (Some(1.0 / 3.0), Some(0.5)));
    assert!(illness["above"].as_u64() > Some(0) && pay["above"] == 0, "{illness:#} {pay:#}");
    let worst = strict["coalitions"][0]["audit"]["worst"].as_array().unwrap();
    assert!(worst.iter().all(|case| case["column"] == "illness"), "what is not allowed comes first: {worst:#?}");
    desk.run("audit --policy stricter.toml").exits(1).says("above 33.3 %");
    desk.run("audit --policy stricter.toml --column pay").exits(0).says("more confidence than 50.0 %");
    desk.run("audit --policy stricter.toml --html out.html").exits(1);
    let report = std::fs::read_to_string(desk.file("out.html")).unwrap();
    let above = "<q>illness</q> can be told with more than 33.3\u{a0}% confidence";
    assert!(report.contains(above) && report.contains("<q>pay</q> be told with more than 50\u{a0}%"), "{report}");
}

/// A list is of the release whose people it is about: it is no release of its own, its values are not people, and its column is shown.
#[test]
fn lists_are_part_of_their_release() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    let two = || desk.run("audit --json --worst 50").json()["coalitions"][0]["audit"].clone();
    let month = |rows: &[&str]| format!("patient,age,city,illness\n{}\n", rows.join("\n"));
    let asthma = ["p1,30,Paris,asthma", "p2,60,Oslo,asthma"];
    let others = ["p3,31,Paris,colic", "p4,61,Oslo,colic", "p5,32,Paris,flu", "p6,62,Oslo,flu"];
    desk.write("may.csv", month(&[&asthma[..], &others].concat()));
    publish(&desk, "may").exits(0);
    assert_eq!(two()["identity"]["in_several"], 0);
    // Whoever has asthma stays, each in a group that lists all three; a newcomer is in one of these.
    desk.write("june.csv", month(&[&asthma[..], &["p7,33,Paris,colic"]].concat()));
    let answer = publish(&desk, "june").exits(0).json();
    let count = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!((count("published"), count("groups"), count("alone"), count("counterfeits")), (3, 2, 1, 3));
    let audit = two();
    assert_eq!(audit["identity"]["in_several"], 2);
    let cases = audit["worst"].as_array().unwrap().iter().filter_map(|case| case["because"]["groups"].as_array());
    let groups: Vec<&serde_json::Value> = cases.flatten().collect();
    let people = |name: &str| -> BTreeSet<u64> {
        groups.iter().filter(|group| group["name"] == name).map(|group| group["people"].as_u64().unwrap()).collect()
    };
    assert_eq!(people("may"), [3].into());
    assert!(people("june").contains(&2) && people("june").is_subset(&[1, 2].into()), "{audit:#}");
    let diff = desk.run("diff may june --json").exits(0).json();
    let columns: Vec<&str> =
        diff["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(columns, ["age", "city", "illness"], "names of groups compare with nothing");
    desk.run("history for public").exits(0).says("group_id, age, city, illness");
    desk.run("audit --html out.html").exits(0);
    let report = std::fs::read_to_string(desk.file("out.html")).unwrap();
    assert!(report.contains("group_id, age, city, illness"), "{report}");
}

/// What the attacker knows is known from the first release on: a later one is not blamed for it.
#[test]
fn what_is_known_is_known_of_every_release() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    let rows = |rows: &[&str]| format!("patient,age,city,illness\n{}\n", rows.join("\n"));
    let first = ["p1,30,Paris,flu", "p2,31,Paris,colic", "p3,32,Paris,gout"];
    desk.write("may.csv", rows(&first));
    desk.write("june.csv", rows(&[&first[..], &["p4,60,Oslo,flu", "p5,61,Oslo,colic", "p6,62,Oslo,gout"]].concat()));
    publish(&desk, "may").exits(0);
    publish(&desk, "june").exits(0);
    let over_time = |knows: &str, status: i32| -> Vec<u64> {
        desk.write("knows.txt", knows);
        let answer = desk.run("audit --knows knows.txt --json").exits(status).json();
        let moments = answer["coalitions"][0]["over_time"].as_array().unwrap().clone();
        moments.iter().map(|moment| moment["columns"][0]["above"].as_u64().unwrap()).collect()
    };
    assert_eq!(over_time("\"p1\" has illness = flu\n", 1), [2, 2], "p2 and p3, from May on");
    assert_eq!(over_time("\"p4\" has illness = flu\n", 1), [0, 2], "p5 and p6, who came in June");
    // What is said of everybody need not be so of those who were there in May: only the whole is told.
    assert_eq!(over_time("P(illness = flu) <= 0.5\n", 0).len(), 1);
}

/// Of several columns each has its own figures, release by release: who is certain of the one need not be of the other.
#[test]
fn each_column_is_told_release_by_release() {
    let desk = Desk::new();
    desk.write("reticent.toml", "[dataset]\nowner = \"pid\"\n[columns.pid]\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\n");
    desk.write("one.csv", "pid,zip,ill,pay\na,1,flu,low\nb,1,flu,high\nc,2,flu,low\nd,2,gout,low\n");
    desk.run("register one.csv --name one --to press --date 2026-05-01 --quasi-identifier zip --sensitive ill,pay --new-ledger").exits(0);
    desk.run("register one.csv --name two --to press --date 2026-06-01 --quasi-identifier zip --sensitive ill,pay")
        .exits(0);
    let answer = desk.run("audit --json").exits(1).json();
    let columns = answer["coalitions"][0]["over_time"][1]["columns"].as_array().unwrap();
    let certain: Vec<(&str, u64)> =
        columns.iter().map(|column| (column["name"].as_str().unwrap(), column["certain"].as_u64().unwrap())).collect();
    assert_eq!(certain, [("ill", 2), ("pay", 2)]);
    desk.run("audit").exits(1).says("Release by release: ill").says("Release by release: pay");
}

/// What was erased, or cannot be followed, keeps every form of the answer from saying that nothing more is told.
#[test]
fn what_is_not_established_is_said_everywhere() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    desk.write("may.csv", month(0..40, false));
    publish(&desk, "may").exits(0);
    desk.write("june.csv", month(0..45, false));
    publish(&desk, "june").exits(0);
    desk.run("audit").exits(0).says("Put together");
    let unknown = desk.run("audit --adversary quasi-identifiers --html quasi.html --json").exits(1).json();
    assert!(
        unknown["coalitions"][0]["open"][0].as_str().unwrap().contains("does not know who is in which release"),
        "{unknown:#}"
    );
    desk.run("audit --adversary quasi-identifiers").exits(1).says("Not established").says("As far as could be judged");
    desk.run("purge may --reason asked --yes").exits(0);
    let erased = desk.run("audit --html erased.html --json").exits(1).json();
    assert!(erased["coalitions"][0]["open"][0].as_str().unwrap().contains("was erased"), "{erased:#}");
    desk.run("audit --html public.html --public").exits(1).says("Not established");
    for page in ["quasi.html", "erased.html", "public.html"] {
        let page = std::fs::read_to_string(desk.file(page)).unwrap();
        assert!(page.contains("Not established: ") && !page.contains("Within the policy"), "{page}");
    }
}

/// What was tried by name is not said not to be considered, neither on the screen nor in a report; and the verdict does not claim it.
#[test]
fn what_was_tried_is_not_called_not_considered() {
    let desk = desk(&policy("anatomy", "l = 2"));
    desk.write("may.csv", month(0..40, false));
    publish(&desk, "may").exits(0);
    const LEARNS: &str = "who learn from the data who is likely to have what";
    desk.run("audit --html without.html").exits(0).says(LEARNS);
    let tried = desk.run("audit --attack definetti --html with.html").exits(0);
    assert!(!tried.out.contains("not run") && !tried.out.contains(LEARNS), "{}", tried.out);
    let page = |name: &str| std::fs::read_to_string(desk.file(name)).unwrap().contains(LEARNS);
    assert_eq!((page("without.html"), page("with.html")), (true, false));
    // Of two values, whatever is learnt makes one likelier.
    tried.says("What attacks found is not part of that");
}
