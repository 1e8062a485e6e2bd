//! The ledger as a steward meets it: log, show, diff, history, register, verify, export-head, purge.

use serde_json::{Value, json};

use crate::support::{CLINIC, Desk, clinic_policy};

/// A clinic whose people are known by their names.
fn clinic() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.write("reticent.toml", policy(""));
    desk
}

fn policy(more: &str) -> String {
    clinic_policy(3).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\"") + more
}

/// The sets of earlier releases that a release was judged with.
fn looked_at(answer: &Value) -> Vec<Vec<u64>> {
    let numbers = |set: &Value| set["with"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    answer["together"].as_array().unwrap().iter().map(numbers).collect()
}

fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort();
    names
}

#[test]
fn the_log_tells_what_went_to_whom() {
    let desk = clinic();
    desk.run("log").exits(2).says("there is no ledger in ledger");
    desk.run("publish people.csv --name one --to press,ministry -o one.csv").exits(0).says("release 1 in ledger");
    desk.run("publish people.csv --name two --to press -o two.csv --columns age,illness --alone")
        .exits(0)
        .says("judged by itself; its recipients can hold 1 earlier release too");
    let log =
        desk.run("log").exits(0).says("one to ministry, press").says("judged by itself").says("2 entries in ledger");
    assert!(log.err.is_empty(), "{}", log.err);
    let log = desk.run("log --json").exits(0).json();
    assert_eq!(fields(&log), ["entries", "head", "ledger", "log"]);
    let first = &log["log"][0];
    let names = [
        "at",
        "by",
        "columns",
        "date",
        "erased",
        "judged",
        "name",
        "number",
        "origin",
        "recipients",
        "records",
        "what",
    ];
    assert_eq!(fields(first), names);
    assert_eq!(first["recipients"], json!(["ministry", "press"]));
    assert_eq!(first["judged"], json!({ "scope": "history", "with": [] }));
    assert_eq!(log["log"][1]["judged"], json!({ "scope": "alone", "apart_from": [1] }));
}

#[test]
fn show_tells_everything_about_a_release() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let shown =
        desk.run("show one").exits(0).says("Release 1: one").says("holds 3-anonymity on age, sex, city").says("seed 1");
    let age = shown.out.lines().find(|line| line.trim_start().starts_with("age")).unwrap();
    assert!(age.contains("<35 | [35,51) | [51,55) | >=55"), "the cut is not in order: {age}");
    assert!(!shown.out.contains("asthma"), "values of a sensitive column are no cut");
    let shown = desk.run("show 1 --json").exits(0).json();
    assert_eq!(fields(&shown), ["cuts", "entry", "erased", "recorded", "shared_with"]);
    let release = &shown["recorded"]["release"];
    for field in ["body", "columns", "file", "judged", "links", "made", "policy", "records", "recipients"] {
        assert!(!release[field].is_null(), "{field} is missing");
    }
    assert_eq!(release["links"]["people"], 12);
    assert_eq!(release["made"]["seed"], 1);
    assert_eq!(release["made"]["verified"][0]["violations"], 0);
    desk.run("show 7").exits(2).says("the ledger has no release `7`");
}

#[test]
fn diff_counts_what_came_and_went() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    // Leo leaves, Mia and Noa come; income is new; the cities are gone.
    let next = CLINIC.replace("Leo,54,M,Oslo,diabetes\n", "Mia,53,M,Oslo,diabetes\nNoa,56,F,Oslo,flu\n");
    desk.write("people.csv", next);
    desk.run("publish people.csv --name two --to press -o two.csv --columns age,sex,illness --alone").exits(0);
    let diff = desk.run("diff one two --json").exits(0).json();
    assert_eq!(fields(&diff), ["columns", "columns_in", "columns_out", "from", "people", "records", "to"]);
    assert_eq!(diff["columns_out"], json!(["city"]));
    assert_eq!(diff["people"], json!({ "out": 1, "stayed": 11, "came": 2 }));
    let records = &diff["records"];
    let number = |field: &str| records[field].as_u64().unwrap();
    assert_eq!((number("out") + number("stayed"), number("stayed") + number("came")), (12, 13));
    desk.run("diff one two")
        .exits(0)
        .says("- column city")
        .says("1 person only in the first, 11 in both, 2 only in the second");
    let same = desk.run("diff one one --json").exits(0).json();
    assert_eq!(same["records"], json!({ "out": 0, "stayed": 12, "came": 0 }));
}

#[test]
fn a_coalition_holds_what_its_members_got() {
    let desk = clinic();
    desk.write("reticent.toml", policy("\n[recipients]\nseparate = [\"press\", \"ministry\"]\n"));
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    // The ministry never combines with the press, so nothing was released before as far as it is concerned.
    desk.run("publish people.csv --name two --to ministry --columns age,sex -o two.csv").exits(0);
    // A clinic can combine with each, but nobody holds what both got.
    let third =
        desk.run("publish people.csv --name three --to clinic --columns age,city -o three.csv --json").exits(0).json();
    assert_eq!(third["judged"], json!({ "scope": "history", "with": [1, 2] }));
    assert_eq!(looked_at(&third), [[1], [2]]);
    let held = |who: &str| {
        let answer = desk.run(&format!("history for {who} --json")).exits(0).json();
        let coalition = |one: &Value| {
            let names =
                one["releases"].as_array().unwrap().iter().map(|held| held["name"].as_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        let mut all: Vec<Vec<String>> = answer["coalitions"].as_array().unwrap().iter().map(coalition).collect();
        all.sort();
        all
    };
    assert_eq!(held("press"), [["one", "three"]]);
    assert_eq!(held("ministry"), [["two", "three"]]);
    assert_eq!(held("clinic"), [["one", "three"], ["two", "three"]]);
    desk.run("history for press,ministry").exits(2).says("never combine what they hold");
    desk.run("history for stranger").exits(0).says("nothing was released to stranger by name");
    // What is public, everybody holds.
    let fourth = desk.run("publish people.csv --name four -o four.csv --json").exits(0).json();
    assert_eq!(looked_at(&fourth), [vec![1], vec![2], vec![3], vec![1, 3], vec![2, 3]]);
    assert_eq!(held("ministry"), [["two", "three", "four"]]);
}

#[test]
fn recipients_have_names_that_can_be_told() {
    let desk = clinic();
    desk.run_with(&["publish", "people.csv", "--name", "one", "--to", "a\nb", "-o", "one.csv"]).exits(2);
    desk.run_with(&["publish", "people.csv", "--name", "one", "--to", "", "-o", "one.csv"]).exits(2);
    desk.write("reticent.toml", policy("\n[recipients]\nseparate = [\"press\", \"public\"]\n"));
    desk.run("publish people.csv --name one -o one.csv").exits(2).says("\"public\", which everybody holds");
    desk.write("reticent.toml", policy("\n[recipients]\nseparate = [\"press\"]\n"));
    desk.run("publish people.csv --name one -o one.csv").exits(2).says("two names or more");
}

#[test]
fn a_release_made_elsewhere_is_recognised() {
    let desk = Desk::new();
    let rows = "who,age,zip,born,sex,illness\nA,20-29,476**,1990s,M,flu\nB,[30;40),4767*,2001-03,*,flu\nC,>=40,47677,1985-02-03,F,\n\
                D,>=40,47677,1985-02-03,F,flu\nE,20-29,476**,1990s,M,flu\n";
    // `who` is the one column with another plain value in every record.
    desk.write("old.csv", rows);
    let call = "register old.csv --name old --to public --date 2020-05-01";
    desk.run(call).exits(2).says("column `who` has another value in nearly every record and may name people");
    let answer = desk.run(&format!("{call} --identifier who --sensitive illness --json")).exits(0).json();
    assert_eq!(answer["release"], 1);
    assert_eq!(answer["left_out"], json!(["who"]));
    let column = |name: &str| {
        let columns = answer["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap().clone()
    };
    assert_eq!((&column("age")["type"], &column("age")["recognised"]["intervals"]), (&json!("number"), &json!(3)));
    assert_eq!((&column("born")["type"], &column("born")["recognised"]["values"]), (&json!("date"), &json!(1)));
    assert_eq!(column("zip")["recognised"]["masked"], 2);
    assert_eq!(column("sex")["recognised"]["suppressed"], 1);
    assert_eq!(column("illness")["role"], "sensitive");
    assert_eq!(column("illness")["recognised"]["missing"], 1);
    desk.run("verify").exits(0).says("intact");
    desk.run("log").exits(0).says("made elsewhere").says("2020-05-01");
    let shown = desk.run("show old --json").exits(0).json();
    assert_eq!(shown["recorded"]["release"]["judged"]["scope"], "nothing");
    desk.run("register old.csv --name later --to public --date 2999-01-01 --identifier who")
        .exits(2)
        .says("in the future");
    desk.run("register old.csv --name later --to public --date 1.5.2020 --identifier who").exits(2).says("YYYY-MM-DD");
    desk.run(&format!("{call} --identifier whom")).exits(2).says("did you mean `who`?");
    desk.run("register none.csv --name later --to public --date 2020-05-01").exits(3);
}

#[test]
fn a_registered_release_uses_the_policy_and_counts_as_history() {
    let desk = clinic();
    desk.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    desk.write("reticent.toml", policy("").replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\""));
    desk.write("old.csv", "name,age,city,illness\nAda,30-39,France,flu\nBen,30-39,Paris,asthma\nZoe,40+,*,flu\n");
    let answer = desk.run("register old.csv --name old --to press --date 2020-05-01 --json").exits(0).json();
    assert_eq!(answer["left_out"], json!(["name"]));
    assert_eq!(answer["people"], 3);
    let city = answer["columns"].as_array().unwrap().iter().find(|column| column["name"] == "city").unwrap();
    assert_eq!((&city["recognised"]["inner"], &city["recognised"]["values"]), (&json!(1), &json!(1)));
    desk.run("publish people.csv --name new --to press -o new.csv")
        .exits(1)
        .says("release 1 old by itself already gives this away")
        .says("Nothing that is done to the new release can help");
    desk.run("publish people.csv --name new --to press -o new.csv --alone").exits(0);
    // Ada and Ben are in both, Zoe in one.
    let diff = desk.run("diff old new --json").exits(0).json();
    assert_eq!(diff["people"], json!({ "out": 1, "stayed": 2, "came": 10 }));
    desk.write("odd.csv", "age,city\n30-39,Atlantis\n30-39,Paris\n");
    desk.run("register odd.csv --name odd --to press --date 2020-05-01").exits(2).says("Atlantis");
    desk.run("register odd.csv --name odd --to press --date 2020-05-01 --groups agee")
        .exits(2)
        .says("did you mean `age`?");
}

#[test]
fn an_exported_head_reveals_a_rollback() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let copy = |from: &str, to: &str| {
        let done = std::process::Command::new("cp").arg("-r").arg(desk.file(from)).arg(desk.file(to)).status().unwrap();
        assert!(done.success());
    };
    copy("ledger", "kept");
    desk.run("publish people.csv --name two --to press -o two.csv --alone").exits(0);
    desk.run("export-head -o head.json").exits(0).says("signed with the key");
    desk.run("verify --head head.json").exits(0).says("nothing that the exported head knows was removed");
    std::fs::remove_dir_all(desk.file("ledger")).unwrap();
    copy("kept", "ledger");
    desk.run("verify").exits(0);
    let found = desk.run("verify --head head.json --json").exits(4).json();
    assert_eq!((&found["intact"], &found["compared_with_head"]), (&json!(false), &json!(false)));
    assert!(found["problems"][0].as_str().unwrap().contains("rolled back"));
    let head: Value = serde_json::from_str(&desk.read("head.json")).unwrap();
    assert_eq!(fields(&head), ["at", "entries", "format", "head", "id", "signature"]);
    desk.write("head.json", "{}");
    desk.run("verify --head head.json").exits(2).says("no exported head");
}

#[test]
fn what_is_erased_is_said_to_be() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.run("purge one --reason asked").exits(2).says("add --yes");
    desk.run("purge one --reason asked --yes").exits(0).says("erased 3 stored files of release 1");
    assert!(desk.file("one.csv").exists(), "the published file is not touched");
    desk.run("purge one --reason asked --yes").exits(2).says("was erased");
    desk.run("verify").exits(0).says("the contents of 1 release were erased");
    desk.run("log")
        .exits(0)
        .says("what it gives away can no longer be computed")
        .says("erased the contents of release 1: asked");
    desk.run("show one").exits(0).says("its values and owner links are gone");
    desk.run("diff one one").exits(2).says("was erased");
    desk.run("history for press").exits(0).says("can no longer be computed");
    desk.run("publish people.csv --name two --to press -o two.csv").exits(1).says("the contents of release 1 one were");
}

#[test]
fn a_broken_ledger_is_not_written_to() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let path = desk.file("ledger/catalogue.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    desk.run("verify").exits(4).says("does not hold together");
    desk.run("publish people.csv --name two --to press --alone -o two.csv").exits(4).says("does not hold together");
    assert!(!desk.file("two.csv").exists());
    let said: Value = serde_json::from_str(&desk.run("purge one --reason r --yes --json").exits(4).err).unwrap();
    assert_eq!(said["status"], 4);
}

#[test]
fn the_key_is_drawn_once_and_never_mistaken() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0).says("drew the key reticent.key");
    let key = desk.read("reticent.key");
    desk.run("publish people.csv --name two --to press -o two.csv --alone").exits(0);
    assert_eq!(desk.read("reticent.key"), key);
    std::fs::rename(desk.file("reticent.key"), desk.file("elsewhere.key")).unwrap();
    let call = "publish people.csv --name three --to press -o three.csv --alone";
    desk.run(call).exits(2).says("the key reticent.key is missing");
    desk.run(&format!("{call} --key elsewhere.key")).exits(0);
    let other = Desk::new();
    other.write("d.csv", "a\n1\n2\n");
    other.run("init d.csv").exits(0).says("reticent.key");
    std::fs::copy(other.file("reticent.key"), desk.file("reticent.key")).unwrap();
    desk.run("publish people.csv --name four --to press -o four.csv --alone")
        .exits(2)
        .says("is another key than the one");
    desk.run("log --key ledger/reticent.key").exits(0);
    desk.run("export-head --key ledger/reticent.key").exits(2).says("lies in the ledger");
    // A key that is there is kept, whatever is drafted anew.
    let kept = other.read("reticent.key");
    other.run("init d.csv --force").exits(0);
    assert_eq!(other.read("reticent.key"), kept);
}

/// A demand about another release is not lost by a slip of the pen.
#[test]
fn words_about_other_releases_are_checked() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    let demand = |x: &str, y: &str| {
        policy("")
            + &format!("\n[[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"{x}\"]\ny = [\"{y}\"]\nh = 0.9\n")
    };
    let call = "publish people.csv --name two --to press --columns age,sex -o two.csv --dry-run";
    let say = |x: &str, y: &str, status: i32, says: &str| {
        desk.write("reticent.toml", demand(x, y));
        desk.run(call).exits(status).says(says);
    };
    say("two.sex", "one.illness", 0, "with 1 one: 3 statements");
    say("two.sex", "oen.illness", 0, "speaks of release oen, which the ledger does not have (did you mean `one`?)");
    say("two.sex", "one.ilness", 2, "release one has no such column (did you mean `illness`?)");
    say(
        "sexx",
        "one.illness",
        2,
        "`sexx`, which is a column neither of the data nor of a release (did you mean `sex`?)",
    );
    say("one.people", "one.illness", 2, "`one.people`, and release one has no such column");
}
