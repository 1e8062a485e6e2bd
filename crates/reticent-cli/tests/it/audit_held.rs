//! Who holds what, and a ledger or a report that does not hold: each of these once ended the audit, or was passed over.

use std::process::Command;

use serde_json::Value;

use crate::support::Desk;

fn desk(more: &str) -> Desk {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n\
             [columns.pay]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n{more}"
        ),
    );
    desk
}

fn enter(desk: &Desk, name: &str, to: &str, text: &str) {
    desk.write(&format!("{name}.csv"), text);
    desk.run(&format!("register {name}.csv --name {name} --to {to} --date 2026-01-01")).exits(0);
}

/// What the audit found of those who are called this.
fn told<'a>(answer: &'a Value, who: &str) -> &'a Value {
    let coalitions = answer["coalitions"].as_array().unwrap();
    &coalitions.iter().find(|coalition| coalition["members"][0] == who).unwrap()["audit"]
}

/// Of separate recipients one got illnesses and the other salaries. A column, and what is known of it, is asked of whoever holds it; what
/// nobody holds is still refused.
#[test]
fn separate_recipients_may_hold_different_columns() {
    let desk = desk("[recipients]\nseparate = [\"press\", \"bank\"]\n");
    enter(&desk, "ills", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ncid,2,Flu\ndee,2,Cold\n");
    enter(&desk, "pays", "bank", "pid,zip,pay\nann,1,low\nbob,1,high\neve,2,low\nfay,2,high\n");
    let answer = desk.run("audit --column ill --json").exits(0).json();
    assert_eq!(told(&answer, "press")["columns"][0]["name"], "ill", "{answer}");
    assert_eq!(told(&answer, "bank")["columns"], Value::Array(Vec::new()), "{answer}");
    desk.run("audit --column ill").exits(0);
    // Bob's illness tells Ann's, and nothing of anybody's pay.
    desk.write("k.txt", "\"bob\" has ill = Cold\n");
    let answer = desk.run("audit --knows k.txt --json").exits(1).json();
    assert_eq!(told(&answer, "press")["columns"][0]["certain"], 1, "{answer}");
    assert_eq!(told(&answer, "bank")["columns"][0]["certain"], 0, "{answer}");
    // One of Ann, Cid and Dee: that leaves room for Cid and Dee, of whom the bank holds nothing; of the press's, everybody is there.
    desk.write(
        "k.txt",
        "2 of \"ann\", \"bob\", \"eve\" have pay = low\n1 of \"ann\", \"cid\", \"dee\" have ill = Cold\n",
    );
    let answer = desk.run("audit --knows k.txt --json").exits(1).json();
    // Cold is one of Cid's and Dee's, so not Ann's.
    assert_eq!(told(&answer, "press")["columns"][0]["certain"], 2, "{answer}");
    // Low is one of Ann's and Bob's, so also Eve's, and Fay's is high.
    assert_eq!(told(&answer, "bank")["columns"][0]["certain"], 2, "{answer}");
    for wrong in ["\"zoe\" has ill = Flu", "\"ann\" has age = 7"] {
        desk.write("k.txt", format!("{wrong}\n"));
        desk.run("audit --knows k.txt").exits(2);
    }
    desk.run("audit --column age").exits(2).says("no release has a sensitive column");
}

/// Somebody who is not in what a recipient holds leaves room: of two of three, at least one of the two who are there.
#[test]
fn who_is_not_there_leaves_room() {
    let desk = desk("[recipients]\nseparate = [\"press\", \"bank\"]\n");
    enter(&desk, "ills", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ncid,1,Gout\n");
    enter(&desk, "other", "bank", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\ndee,1,Gout\n");
    desk.write("k.txt", "1 of \"ann\", \"cid\" have ill = Flu\n");
    let answer = desk.run("audit --knows k.txt --json").exits(0).json();
    // Of the press's six worlds four are left; the bank's six all are, since it may be Cid whom they do not hold.
    let worlds = |who: &str| told(&answer, who)["worlds"].clone();
    assert_eq!((worlds("press"), worlds("bank")), ("4".into(), "6".into()), "{answer}");
}

/// Everything is as it was, but the catalogue was changed: what the audit finds is no longer founded on what was released.
#[test]
fn a_ledger_that_does_not_hold_together_establishes_nothing() {
    let desk = desk("");
    enter(&desk, "one", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\n");
    assert_eq!(desk.run("audit --json").exits(0).json()["holds"], true);
    let path = desk.file("ledger/catalogue.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    // A page's last bytes belong to its first row: this is the name of a release, or of a table, in another case.
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let answer = desk.run("audit --json").exits(1).json();
    assert_eq!(answer["holds"], false, "{answer}");
    desk.run("audit").exits(1).says("the ledger does not hold together");
}

/// Somebody writes for longer than the audit waits: whether the ledger holds together is then not known, and that is said.
#[test]
#[cfg(unix)]
fn a_ledger_that_somebody_writes_establishes_nothing() {
    let desk = desk("");
    enter(&desk, "one", "press", "pid,zip,ill\nann,1,Flu\nbob,1,Cold\n");
    let lock = std::fs::File::open(desk.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    let ran = desk.run("audit --wait 0");
    assert_ne!(ran.status, 0, "{}", ran.out);
    drop(lock);
    desk.run("audit --wait 0").exits(0);
}

/// A disk that is full in the middle of the report: half a page would say less than was found.
#[test]
#[cfg(unix)]
fn half_a_report_is_not_left() {
    let desk = desk("");
    let rows: String = (0..400).map(|at| format!("p{at},{},v{}\n", at / 2, at % 7)).collect();
    enter(&desk, "one", "press", &format!("pid,zip,ill\n{rows}"));
    let call = "audit --confidence 1 --each --worst 300 --html r.html";
    // As much as the catalogue's log needs when it is opened, and less than the report.
    let limited = format!("trap '' XFSZ; ulimit -f 80; exec {} {call}", env!("CARGO_BIN_EXE_reticent"));
    let run = Command::new("sh").args(["-c", &limited]).current_dir(desk.path()).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("write the report to"), "{said}");
    assert!(!desk.files().iter().any(|name| name.contains("report") || name.contains("html")), "{:?}", desk.files());
    desk.run(call).exits(0);
    assert!(desk.read("r.html").len() > 100_000);
}

/// Alice was told Ann's illness before, so together with her Bob learns nothing new. By himself he does: of what he holds, Ann's two
/// groups have one illness in common.
#[test]
fn what_one_was_told_is_new_to_another() {
    let desk = desk("");
    enter(&desk, "raw", "alice", "pid,zip,ill\nann,9,Flu\n");
    enter(&desk, "old", "bob", "pid,zip,ill\nann,1,Flu\nbea,1,HIV\ncid,1,Cold\n");
    desk.write("new.csv", "pid,zip,ill,pay\nann,2,Flu,1\ndee,2,Gout,1\neve,2,Lupus,1\n");
    let publish =
        |to: &str| desk.run(&format!("publish new.csv --name new --columns zip,ill --to {to} -o new-out.csv"));
    publish("alice,bob").exits(1);
    assert!(!desk.file("new-out.csv").exists());
    publish("bob").exits(1);
    publish("alice").exits(0);
}

/// Of p1 no illness was published. What is known of them by name still counts in what is known of some together; and who is named, and not known to
/// have it, may be the one.
#[test]
fn who_is_not_shown_still_counts() {
    let two = desk("");
    enter(&two, "r0", "press", "pid,zip,ill\np0,x,HIV\np2,x,Flu\n");
    enter(&two, "r1", "press", "pid,zip\np0,x\np1,x\np2,x\n");
    let apart = desk("[recipients]\nseparate = [\"press\", \"bank\"]\n");
    enter(&apart, "r0", "press", "pid,zip,ill\np0,x,HIV\np2,x,Flu\n");
    enter(&apart, "r1", "bank", "pid,zip,ill\np1,x,HIV\np3,x,Flu\n");
    let known: [(&str, bool); 6] = [
        ("\"p1\" has ill = HIV\nat most 1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has not ill = HIV\nat least 1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("at least 1 of \"p0\", \"p1\" have ill = HIV\n", false),
        ("2 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has ill = HIV\n1 of \"p0\", \"p1\" have ill = HIV\n", true),
        ("\"p1\" has ill = HIV\n1 of \"p1\", \"p2\" have ill = HIV\n", true),
    ];
    for desk in [&two, &apart] {
        for (text, all) in known {
            desk.write("k.txt", text);
            let answer = desk.run("audit --for press --knows k.txt --each --json");
            let answer = answer.exits(i32::from(all)).json();
            let told = told(&answer, "press");
            assert_eq!(told["columns"][0]["certain"], if all { 2 } else { 0 }, "{text}{answer}");
            assert_eq!(told["worlds"], if all { "1" } else { "2" }, "{text}{answer}");
        }
    }
    // Two of four are known to have it, so that nobody else has.
    let share = desk("");
    enter(&share, "r0", "press", "pid,zip,ill\np0,x,*\np2,y,Flu\np3,z,HIV\n");
    enter(&share, "r1", "press", "pid,zip\np0,x\np1,x\np2,x\np3,x\n");
    share.write("k.txt", "\"p1\" has ill = HIV\nP(ill = HIV) <= 0.5\n");
    let answer = share.run("audit --knows k.txt --json").exits(1).json();
    assert_eq!(told(&answer, "press")["columns"][0]["certain"], 3, "{answer}");
}

/// A column in which everything is hidden tells nothing, and is no contradiction.
#[test]
fn a_column_of_stars_tells_nothing() {
    let desk = desk("");
    enter(&desk, "r", "press", "pid,zip,ill\na,x,*\nb,x,*\n");
    let answer = desk.run("audit --json").exits(0).json();
    assert_eq!(told(&answer, "press")["columns"], Value::Array(Vec::new()), "{answer}");
    desk.run("audit").exits(0).says("nothing is inferred");
}
