//! What an audit says of what it found, and does not say of what it did not look at: each of these was said wrongly.

use serde_json::Value;

use crate::support::Desk;

/// A desk whose people are followed, with a policy of these sensitive columns that promises nothing of them.
fn desk(sensitive: &[&str]) -> Desk {
    let desk = Desk::new();
    let columns: String = sensitive.iter().map(|name| format!("[columns.{name}]\nrole = \"sensitive\"\n")).collect();
    desk.write(
        "reticent.toml",
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n{columns}[requirement]\nk = 2\n"
        ),
    );
    desk
}

fn registered(desk: &Desk, number: usize, text: &str) {
    desk.write(&format!("r{number}.csv"), text);
    desk.run(&format!("register r{number}.csv --name r{number} --to public --date 2026-01-0{number}")).exits(0);
}

fn audit(desk: &Desk, call: &str) -> Value {
    desk.run(&format!("{call} --json")).exits(0).json()["coalitions"][0]["audit"].clone()
}

/// One of 1 and 2, one of 1 and 3, and one of 2, 3 and 4 has it. If 1 had it not, 2 and 3 both had, of whom at most one has: so it is
/// 1, and 4.
#[test]
fn what_was_not_counted_is_not_said_to_be_uncertain() {
    let desk = desk(&["ill"]);
    registered(&desk, 1, "pid,zip,ill\n1,a,HIV\n2,a,Flu\n");
    registered(&desk, 2, "pid,zip,ill\n1,b,HIV\n3,b,Flu\n");
    registered(&desk, 3, "pid,zip,ill\n2,c,Flu\n3,c,Flu\n4,c,HIV\n");
    assert_eq!(audit(&desk, "audit")["columns"][0]["certain"], 4);
    let column = audit(&desk, "audit --effort 0")["columns"][0].clone();
    assert_eq!((&column["certain"], &column["may_be_certain"]), (&0.into(), &4.into()), "{column}");
    let told = desk.run("audit --effort 0 --html page.html").exits(0);
    told.says("nobody's value is proved to be certain, of 4 people; of 4 it is not ruled out");
    let page = desk.read("page.html");
    assert!(page.contains("Not ruled out") && !page.contains("Nothing certain"), "{page}");
    assert!(page.contains("it could not be ruled out that <q>ill</q> is certain"));
}

/// Two of five records are HIV's. Somebody with two of the five has it in none of them in C(3,2) of C(5,2) deals, 3 of 10; the others have
/// one record, and two fifths.
#[test]
fn what_is_told_of_somebody_with_several_records_is_not_told_of_others() {
    let desk = desk(&["ill"]);
    registered(&desk, 1, "pid,zip,ill\n1,a,HIV\n1,a,HIV\n2,a,Flu\n3,a,Flu\n4,a,Gout\n");
    let worst = audit(&desk, "audit")["worst"].clone();
    let first = &worst[0];
    assert_eq!((&first["people"], &first["value"]), (&1.into(), &"HIV".into()), "{worst}");
    assert_eq!((&first["chance"]["lower"], &first["chance"]["upper"]), (&0.7.into(), &0.7.into()), "{first}");
    assert_eq!(first["because"]["groups"][0]["people"], 4, "five records of four people: {first}");
    assert_eq!(worst[1]["people"], 3, "{worst}");
}

/// What one column tells of another is not seen where only one of them is shown.
#[test]
fn the_reason_shows_all_columns_that_tell() {
    let desk = desk(&["ill", "smokes"]);
    registered(&desk, 1, "pid,zip,ill,smokes\n1,a,HIV,yes\n2,a,Flu,no\n");
    registered(&desk, 2, "pid,zip,smokes\n1,b,yes\n3,b,yes\n");
    let worst = audit(&desk, "audit --column ill")["worst"].clone();
    let shows: Vec<&Value> =
        worst[0]["because"]["groups"].as_array().unwrap().iter().map(|group| &group["shows"]).collect();
    assert_eq!(
        *shows[0],
        serde_json::json!([{ "value": "ill Flu, smokes no", "records": 1 }, { "value": "ill HIV, smokes yes", "records": 1 }]),
        "{worst}"
    );
    assert_eq!(*shows[1], serde_json::json!([{ "value": "smokes yes", "records": 2 }]), "{worst}");
}

#[test]
fn assumptions_are_those_of_the_attacker_who_was_declared() {
    let desk = desk(&["ill"]);
    registered(&desk, 1, "pid,zip,ill\n1,a,HIV\n2,a,Flu\n3,a,Gout\n");
    registered(&desk, 2, "pid,zip,ill\n1,b,HIV\n2,b,Flu\n3,b,Gout\n");
    desk.write("knows.txt", "\"3\" has ill = Gout\n");
    let not = audit(&desk, "audit --knows knows.txt")["not_considered"].to_string();
    assert!(not.contains("than those that were given") && not.contains("other background knowledge"), "{not}");
    desk.run("audit --knows knows.txt --adversary quasi-identifiers")
        .exits(2)
        .says("the background knowledge names people");
    desk.write("knows.txt", "\u{feff}\"3\" has ill = Gout\n");
    desk.run("audit --knows knows.txt").exits(0);
    let of_quasi = audit(&desk, "audit --adversary quasi-identifiers");
    let (assumed, not) = (of_quasi["assumed"].to_string(), of_quasi["not_considered"].to_string());
    assert!(not.contains("know in which releases people are"), "{not}");
    assert!(
        assumed.contains("does not know who is in which release") && !assumed.contains("not known whose"),
        "{assumed}"
    );
    let told = desk.run("audit --adversary quasi-identifiers").exits(0);
    told.says("Not established: the attacker does not know who is in which release")
        .says("who are counted in each release.");
    let desk = Desk::engineers();
    let call = "audit --adversary algorithm --population people.csv --json";
    let assumed = desk.run(call).exits(1).json()["coalitions"][0]["audit"]["assumed"].to_string();
    assert!(assumed.contains("generalized no more than it had to"), "{assumed}");
}

/// 2,999 of 3,000 is not everybody.
#[test]
fn nearly_certain_is_not_a_hundred_percent() {
    let desk = desk(&["ill"]);
    let rows: String = (0..3_000).map(|at| format!("{at},a,{}\n", if at == 0 { "HIV" } else { "Flu" })).collect();
    registered(&desk, 1, &format!("pid,zip,ill\n{rows}"));
    let told = desk.run("audit").exits(0).says("over 99.9 % (exact)").says("ill is Flu with over 99.9 %");
    assert!(!told.out.contains("100.0 % (exact)"), "{}", told.out);
}

/// Nothing is published of somebody who is spoken of twice: that they have one value only is part of what is known.
#[test]
fn who_is_not_published_has_one_value_all_the_same() {
    let desk = desk(&["ill"]);
    registered(&desk, 1, "pid,zip,ill\nann,x,HIV\nbob,x,Flu\n");
    registered(&desk, 2, "pid,zip\nann,x\nbob,x\ncy,x\n");
    let known = |text: &str| {
        desk.write("knows.txt", text);
        desk.run("audit --knows knows.txt --json")
    };
    for twice in [
        "1 of \"cy\" have ill = HIV\n1 of \"cy\", \"bob\" have ill = Flu\n",
        "at least 1 of \"ann\", \"cy\" have ill = HIV\nat least 1 of \"bob\", \"cy\" have ill = Flu\n",
        "P(ill = HIV) >= 0.6\nP(ill = Flu) >= 0.6\n",
        "P(ill = HIV) >= 0.6\n1 of \"cy\" have ill = Flu\n",
    ] {
        known(twice).exits(2).says("spoken of in several statements");
    }
    for contradiction in
        ["\"cy\" has ill = HIV\n\"cy\" has ill = Flu\n", "\"cy\" has ill = HIV\n\"cy\" has not ill = HIV\n"]
    {
        known(contradiction).exits(2).says("contradicts the releases, or itself");
    }
    known("P(ill = HIV) = 0.5\n").exits(2).says("no number of the people");
    // cy is the one of the two, or is not: nothing follows. Where it is said what cy has, bob has the other.
    let certain = |answer: &Value| answer["coalitions"][0]["audit"]["columns"][0]["certain"].clone();
    assert_eq!(certain(&known("1 of \"cy\", \"bob\" have ill = Flu\n").exits(0).json()), 0);
    assert_eq!(certain(&known("\"cy\" has ill = HIV\n1 of \"cy\", \"bob\" have ill = Flu\n").exits(0).json()), 2);
}

/// What is said of people whom only others hold something of is no obstacle, and tells these nothing.
#[test]
fn statements_about_others_are_no_obstacle() {
    let desk = desk(&["ill"]);
    let policy = desk.read("reticent.toml");
    desk.write("reticent.toml", format!("{policy}[recipients]\nseparate = [\"press\", \"ministry\"]\n"));
    for (name, rows) in [("press", "ann,x,HIV\nbob,x,Flu\n"), ("ministry", "cy,x,HIV\ndan,x,Flu\neve,x,Gout\n")] {
        desk.write("r.csv", format!("pid,zip,ill\n{rows}"));
        desk.run(&format!("register r.csv --name {name} --to {name} --date 2026-01-01")).exits(0);
    }
    desk.write("knows.txt", "1 of \"cy\", \"dan\" have ill = HIV\n1 of \"cy\", \"eve\" have ill = HIV\n");
    let certain = |who: &str| {
        let answer = desk.run(&format!("audit --for {who} --knows knows.txt --json")).exits(0).json();
        answer["coalitions"][0]["audit"]["columns"][0]["certain"].clone()
    };
    // One of three has HIV: were it not cy, both others had. Of whom Gout is not, it is eve's; what press has of nobody is not looked for.
    desk.write("knows.txt", desk.read("knows.txt") + "0 of \"cy\", \"dan\" have ill = Gout\n");
    assert_eq!((certain("press"), certain("ministry")), (0.into(), 3.into()));
}
