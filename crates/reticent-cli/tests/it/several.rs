//! People with several records in one release, and other things that newcomers and reviewers stumbled over.

use serde_json::{Value, json};

use crate::support::Desk;

const POLICY: &str = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.illness]\nrole = \"sensitive\"\n\
                      [requirement]\nk = 2\nconfidence = 0.6\n";

fn desk(policy: &str) -> Desk {
    let desk = Desk::new();
    desk.write("reticent.toml", policy);
    desk
}

fn column(desk: &Desk) -> Value {
    desk.run("audit --json").json()["coalitions"][0]["audit"]["columns"][0].clone()
}

/// Ten of fourteen records are one person's, and only eight do not show flu: it is certain that one of the ten does.
#[test]
fn what_is_certain_of_several_records_together_is_refused() {
    let desk = desk(POLICY);
    let own = "P1,F,flu\nP1,F,asthma\n".repeat(5);
    desk.write("d.csv", format!("id,sex,illness\n{own}P2,F,flu\nP3,F,asthma\nP4,F,diabetes\nP5,F,hernia\n"));
    let call = "publish d.csv --name one --to press -o one.csv";
    desk.run(call).exits(1).says("tells the illness of 1 person with more confidence than 60 %").says("have several");
    assert!(!desk.path().join("one.csv").exists());
    desk.run("register d.csv --name old --to press --date 2026-01-01").exits(0);
    desk.run("audit").exits(1).says("certain 1 of 5 people");
    let found = column(&desk);
    assert_eq!((&found["certain"], &found["above"], &found["any_above"]), (&json!(1), &json!(1), &json!(0)), "{found}");
}

/// Of eight records four show flu, and two are P1's: none of them does in C(4,2) of C(8,2) deals, which are 6 of 28. Of one record it is
/// a half, which is allowed; of the two together, more than what is allowed of one.
#[test]
fn that_any_of_several_shows_a_value_is_exact_and_told_beside() {
    let desk = desk(POLICY);
    let rows = "P1,F,flu\nP1,F,gout\nP2,F,flu\nP3,F,flu\nP4,F,flu\nP5,F,gout\nP6,F,cold\nP7,F,burn\n";
    desk.write("d.csv", format!("id,sex,illness\n{rows}"));
    let told = desk.run("publish d.csv --name one --to press -o one.csv").exits(0);
    told.says("no record's value is told with more confidence than 60.0 % (bounds; of 7 people the most is 50.0 %)")
        .says("of 1 person with several records")
        .says("up to 78.6 %");
    let told = desk.run("audit").exits(0).says("No record's value is told with more confidence than 60.0 %");
    told.says("78.6 % (exact)").says("2 records of one are theirs, and any of them may show it");
    let found = column(&desk);
    assert_eq!((&found["exact"], &found["above"], &found["any_above"]), (&json!(7), &json!(0), &json!(1)), "{found}");
    assert_eq!((&found["highest"]["lower"], &found["highest"]["upper"]), (&json!(22.0 / 28.0), &json!(22.0 / 28.0)));
    assert_eq!(found["of_record"]["upper"], json!(0.5));
    desk.run("audit --html report.html").exits(0);
    let page = desk.read("report.html");
    assert!(page.contains("of one of their records be told with more than 60"), "{page}");
    assert!(page.contains("That any of several records shows"), "{page}");
}

/// In two classes: none of the records shows flu in 1/2 of the deals of one, and in 2/3 of those of the other.
#[test]
fn groups_that_stand_alone_do_not_depend_on_each_other() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\nP1,F,flu\nP2,F,gout\nP1,M,flu\nP3,M,cold\nP4,M,burn\n");
    desk.run("register d.csv --name one --to press --date 2026-01-01").exits(0);
    let found = column(&desk);
    assert_eq!((&found["highest"]["lower"], &found["highest"]["upper"]), (&json!(2.0 / 3.0), &json!(2.0 / 3.0)));
    // Followed by nobody into a second release, where they have one record: then it is bounded only.
    desk.write("e.csv", "id,sex,illness\nP1,F,flu\nP2,F,gout\n");
    desk.run("register e.csv --name two --to press --date 2026-02-01").exits(0);
    let found = column(&desk);
    assert!(found["highest"]["lower"].as_f64() < found["highest"]["upper"].as_f64(), "{found}");
}

/// Kim's age is missing: only the group that Kim is in says nothing of ages.
#[test]
fn a_missing_number_hides_its_own_group_only() {
    let policy = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.ill]\nrole = \"sensitive\"\n\
                  [release]\nmethod = \"m-invariance\"\n[release.options]\nm = 2\n";
    let desk = desk(policy);
    let rows = "1,30,flu\n2,31,gout\n3,50,flu\n4,51,gout\n5,70,flu\n6,,gout\n";
    desk.write("d.csv", format!("id,age,ill\n{rows}"));
    desk.run("publish d.csv --name one --to press -o out").exits(0);
    let people = desk.read("out/people.csv");
    assert!(!people.contains("any") && people.contains('['), "{people}");
    let hidden = people.lines().filter(|line| line.contains('*')).count();
    assert_eq!(hidden, 2, "{people}");
}

/// The draft asks whether a diagnosis is sensitive; before somebody has answered, no message shows one.
#[test]
fn values_that_sound_private_are_in_no_message() {
    let policy =
        "[columns.diagnosis]\ntaxonomy = \"d.csv\"\n[columns.city]\ntaxonomy = \"c.csv\"\n[requirement]\nk = 2\n";
    let desk = desk(policy);
    desk.write("d.csv", "flu;*\ngout;*\n");
    desk.write("c.csv", "Oslo;*\nRome;*\n");
    desk.write("data.csv", "diagnosis,city\nflu,Oslo\nSyphilis,Oslo\n");
    let told = desk.run("check data.csv").exits(2).says("`diagnosis`: 1 value in 1 row outside its taxonomy");
    assert!(!told.err.contains("Syphilis"), "{}", told.err);
    desk.write("data.csv", "diagnosis,city\nflu,Oslo\nflu,Bergen\n");
    desk.run("check data.csv").exits(2).says("(`Bergen`)");
}

#[test]
fn a_ledger_is_a_folder() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,gout\n");
    desk.write("book", "something else\n");
    for call in ["publish d.csv --name a --to b -o a.csv --new-ledger", "log", "audit"] {
        desk.run(&format!("{call} --ledger book")).exits(2).says("book is a file, and a ledger is a folder");
    }
    assert_eq!(desk.read("book"), "something else\n");
}

/// Column and value are swapped: what stands in the place of the column is the secret.
#[test]
fn statements_and_attacks_tell_no_secret() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\n1,F,HIV\n2,F,gout\n");
    desk.run("register d.csv --name one --to press --date 2026-01-01").exits(0);
    desk.write("e.csv", "id,sex,illness\n1,F,HIV\n2,F,gout\n");
    desk.run("register e.csv --name two --to press --date 2026-02-01").exits(0);
    desk.write("knows.txt", "\"1\" has HIV = illness\n");
    let told = desk.run("audit --knows knows.txt").exits(2).says("names no sensitive column").says("illness");
    assert!(!told.err.contains("HIV"), "{}", told.err);
    let joined = desk.run("audit --attack join --with on=illness --json");
    let joined = joined.json()["coalitions"][0]["attacks"][0].clone();
    assert!(joined["not_run"].as_str().is_some_and(|why| why.contains("wants to learn")), "{joined}");
}

/// A release without a sensitive column has nothing that could be homogeneous.
#[test]
fn attacks_look_at_the_releases_that_show_something() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,flu\n");
    desk.run("register d.csv --name one --to press --date 2026-01-01").exits(0);
    desk.write("e.csv", "id,sex\n1,F\n2,F\n");
    desk.run("register e.csv --name two --to press --date 2026-02-01").exits(0);
    let found = desk.run("audit --attack homogeneity --json").json()["coalitions"][0]["attacks"][0].clone();
    assert_eq!((&found["not_run"], &found["not_checked"]), (&Value::Null, &Value::Null), "{found}");
    assert_eq!(found["findings"][0]["people"], json!(2));
}

/// Two of three in a group have the same `p` by the first release, which the second does not show.
#[test]
fn what_earlier_releases_tell_already_is_said() {
    let desk = desk(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.q]\n[columns.z]\n[columns.d]\nrole = \"sensitive\"\n[columns.p]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.6\naudit = \"exact\"\n",
    );
    desk.write("r1.csv", "id,q,p\n0,C,Q\n1,C,P\n2,A,Q\n3,C,P\n4,A,P\n5,A,Q\n");
    desk.run("register r1.csv --name r1 --to press --date 2026-01-01").exits(0);
    desk.write("d.csv", "id,q,z,d,p\n0,C,y,H,Q\n1,C,x,G,P\n2,A,y,F,Q\n3,C,x,F,P\n4,A,x,G,P\n5,A,x,H,Q\n");
    let call = "publish d.csv --columns z,d --name two --to press -o two.csv";
    let answer = desk.run(&format!("{call} --json")).exits(0).json();
    assert_eq!((&answer["audited"]["already"], &answer["audited"]["upper"]), (&json!(6), &json!(0.5)), "{answer}");
    let told = desk.run(&call.replace("two", "three")).exits(0);
    told.says("of 6 people earlier releases tell more than that, and this one tells nothing more about them");
    desk.run("audit").exits(1);
}

/// Errors say in which file.
#[test]
fn errors_name_the_file_that_is_wrong() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,gout\n");
    desk.write("other.toml", "[columns.sex]\nrole = \"quasi\"\n");
    desk.run("check d.csv --policy other.toml").exits(2).says("other.toml: policy line 2");
    desk.write("other.toml", "[columns.sex]\ntaxonomy = \"sex.csv\"\n[requirement]\nk = 2\n");
    desk.write("sex.csv", "F;person\nM;people\n");
    desk.run("check d.csv --policy other.toml").exits(2).says("other.toml: taxonomy of `sex`");
    desk.run("register d.csv --name one --to press --date 2026-01-01").exits(0);
    desk.run("verify --head d.csv").exits(2).says("d.csv: this is no exported head");
}

/// The folder of the release leads to itself: nobody can say what is there.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_looked_for_is_a_problem() {
    let desk = desk(POLICY);
    desk.write("d.csv", "id,sex,illness\n1,F,flu\n2,F,gout\n3,F,cold\n");
    std::fs::create_dir(desk.path().join("out")).unwrap();
    desk.run("publish d.csv --name one --to press -o out/one.csv").exits(0);
    desk.run("verify").exits(0);
    std::fs::rename(desk.path().join("out"), desk.path().join("away")).unwrap();
    desk.run("verify").exits(0).says("no longer where it was published");
    std::os::unix::fs::symlink(desk.path().join("out"), desk.path().join("out")).unwrap();
    let told = desk.run("verify").exits(4);
    told.says("published files could not be looked at").says("cannot be looked for");
}

/// A sensitive number that is published as intervals is in their order.
#[test]
fn closeness_of_intervals() {
    let desk = desk(
        "[columns.sex]\n[columns.pay]\nrole = \"sensitive\"\ntype = \"number\"\nintervals = [10]\nexact = false\n\
         [[requirement.models]]\nmodel = \"t-closeness\"\nt = 0.5\ndistance = \"ordered\"\n",
    );
    let rows: String = (0..20).map(|at| format!("{},{}\n", ["F", "M"][at % 2], at * 3)).collect();
    desk.write("d.csv", format!("sex,pay\n{rows}"));
    desk.run("publish d.csv --name one --to press -o one.csv").exits(0).says("holds");
    assert!(desk.read("one.csv").contains("[10,20)"), "{}", desk.read("one.csv"));
}

/// In rings of pairs everybody's value hangs on everybody else's: changing eight at a time, no chain of samples ever moves. What is sampled
/// would be what people have.
#[test]
fn samples_that_never_moved_tell_nothing() {
    let desk = desk(&POLICY.replace("[columns.sex]", "[columns.group]\nrole = \"other\""));
    let ring = 24;
    let value = |at: usize| ["A", "B"][at % 2];
    let release = |shift: usize| -> String {
        (0..ring).map(|at| format!("p{at},{},{}\n", (at + shift) % ring / 2, value(at))).collect()
    };
    for (number, text) in [(1, release(0)), (2, release(1))] {
        desk.write(&format!("r{number}.csv"), format!("id,group,illness\n{text}"));
        let call =
            format!("register r{number}.csv --name r{number} --to press --date 2026-01-0{number} --groups group");
        desk.run(&call).exits(0);
    }
    desk.write("r3.csv", "id,group,illness\np0,1,A\nx1,1,B\nx2,1,B\nx3,1,C\n");
    desk.run("register r3.csv --name r3 --to press --date 2026-01-03 --groups group").exits(0);
    let answer = desk.run("audit --effort 0 --samples 200 --each --json").json();
    let audit = &answer["coalitions"][0]["audit"];
    let people = audit["each"].as_array().unwrap();
    let mut looked = 0;
    for told in people.iter().flat_map(|one| one["told"].as_array().unwrap()) {
        for chance in told["values"].as_array().unwrap() {
            looked += 1;
            let still = &chance["sampled"];
            assert!(still.is_null() || still["error"].as_f64().unwrap() > 0.0, "{told}");
        }
    }
    assert!(looked > 40, "{audit}");
}
