//! `reticent audit`, and the gate that `publish` has from it.

use crate::support::{Desk, clinic_policy};

#[test]
fn figure_1_of_the_paper_is_told() {
    let desk = Desk::new();
    desk.figure_1();
    let ran = desk.run("audit").exits(1);
    assert!(ran.out.contains("the disease of 3 people is certain, of 15 people"), "{}", ran.out);
    assert!(ran.out.contains("16 assignments of values to people fit everything"), "{}", ran.out);
    let answer = desk.run("audit --json --each").exits(1).json();
    let column = &answer["coalitions"][0]["audit"]["columns"][0];
    assert_eq!((column["certain"].as_u64(), column["above"].as_u64()), (Some(3), Some(3)));
    assert_eq!(answer["coalitions"][0]["audit"]["each"].as_array().map(Vec::len), Some(15));
    let over_time = &answer["coalitions"][0]["over_time"];
    let certain = |at: usize| over_time[at]["columns"][0]["certain"].as_u64();
    assert_eq!((certain(0), certain(1)), (Some(0), Some(3)));
}

#[test]
fn what_the_attacker_knows_tells_more() {
    let desk = Desk::new();
    desk.figure_1();
    let certain =
        |call: &str| desk.run(call).exits(1).json()["coalitions"][0]["audit"]["columns"][0]["certain"].as_u64();
    desk.write("knows.txt", "# from a colleague\n\"p1\" has disease = Flu\n");
    // Who has what p1 has not is told no better for it; p1 is known, and not told by the releases.
    assert_eq!(certain("audit --json --knows knows.txt"), Some(3));
    // Of 5 and 6, of whom one has Flu, 5 has not.
    desk.write("knows.txt", "\"p5\" has not disease = Flu\n");
    assert_eq!(certain("audit --json --knows knows.txt"), Some(9));
    desk.write("knows.csv", "pid,disease\np1,Flu\n");
    assert_eq!(certain("audit --json --knows knows.csv"), Some(3));
    desk.write("knows.txt", "nonsense\n");
    let ran = desk.run("audit --knows knows.txt").exits(2);
    assert!(ran.err.contains("line 1 is not understood") && !ran.err.contains("nonsense"), "{}", ran.err);
    // Who does not know who is in which release: each tells little by itself, and both together could not be judged.
    let answer = desk.run("audit --json --adversary quasi-identifiers").exits(1).json();
    let audit = &answer["coalitions"][0]["audit"];
    assert_eq!((audit["columns"][0]["above"].as_u64(), audit["not_followed"][1].as_u64()), (Some(0), Some(2)));
}

#[test]
fn the_report_is_one_file_for_the_steward_or_for_everybody() {
    let desk = Desk::new();
    desk.figure_1();
    desk.run("audit --html inside.html --attack all").exits(1);
    desk.run("audit --html outside.html --public").exits(1);
    let (inside, outside) = (desk.read("inside.html"), desk.read("outside.html"));
    assert!(inside.contains("Lung cancer") && inside.contains("Internal"));
    assert!(!outside.contains("Lung cancer") && !outside.contains("Diabetes") && !outside.contains("Internal:"));
    for page in [&inside, &outside] {
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("<script"));
        assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| std::fs::metadata(desk.file(name)).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode("inside.html"), 0);
    }
    desk.run("audit --html inside.html").exits(2).says("choose another name for the report");
    desk.run("audit --public").exits(2);
}

/// Everybody of one city has one illness: the release alone keeps `confidence` for everybody together, and what is told later with
/// the city does not. Without the audit it would go out.
#[test]
fn a_release_that_tells_too_much_with_its_history_does_not_go_out() {
    let policy = clinic_policy(2).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\"");
    let policy = policy.replace("k = 2", "k = 2\nconfidence = 0.75");
    let desk = Desk::clinic(&policy);
    let ran = desk.run("publish people.csv --name one --to press -o one.csv --json");
    let audited = ran.json();
    assert_eq!(audited["audited"]["proof"], "bounds");
    assert!(audited["audited"]["upper"].as_f64().unwrap() <= 0.75, "{audited}");
    let shown = desk.run("show one --json").exits(0).json();
    assert_eq!(shown["recorded"]["release"]["made"]["audit"], "bounds");
    desk.write("reticent.toml", policy.replace("confidence = 0.75", "confidence = 0.75\naudit = \"off\""));
    let ran = desk.run("publish people.csv --name two --to guests -o two.csv --alone --json").exits(0).json();
    assert_eq!((&ran["audited"]["proof"], &ran["audited"]["confidence"]), (&"off".into(), &serde_json::Value::Null));
}
