//! What independent eyes found about the ledger's commands: each of these once went wrong.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{CLINIC, Desk, clinic_policy};

fn clinic() -> Desk {
    Desk::followed_clinic(3)
}

/// Another program that looks into the catalogue and leaves again must not take the log from under a publisher.
#[test]
fn somebody_else_who_reads_the_catalogue_does_no_harm() {
    let desk = clinic();
    desk.run("publish people.csv --name first --to press -o first.csv").exits(0);
    let stop = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0;
            while !stop.load(Ordering::SeqCst) {
                let connection = rusqlite::Connection::open(desk.file("ledger/catalogue.sqlite")).unwrap();
                // It may be busy; it may not be wrong.
                let _ = connection.query_row("SELECT count(*) FROM entries", [], |_| Ok(()));
                drop(connection);
                looks += 1;
            }
            looks
        });
        for at in 0..25 {
            let call = format!("publish people.csv --name r{at} --to press --alone -o r{at}.csv --threads 1");
            desk.run(&call).exits(0);
        }
        stop.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    assert!(looks > 25, "it looked {looks} times only");
    assert_eq!(desk.run("verify --json").exits(0).json()["entries"], 26);
}

#[test]
fn what_names_people_cannot_be_registered_as_something_else() {
    let desk = clinic();
    for flag in ["--groups", "--quasi-identifier", "--sensitive"] {
        let call = format!("register people.csv --name old --to press --date 2020-01-01 {flag} name");
        desk.run(&call).exits(2).says("is an identifier in the policy");
    }
    assert!(!desk.file("ledger").exists());
}

#[test]
fn columns_that_may_name_people_are_asked_about() {
    let desk = Desk::new();
    let names = "Ada Ben Cleo Dan Eva Finn Gus Hana Ida Jon";
    let table = |cell: &dyn Fn(usize, &str) -> String| {
        let rows = names.split(' ').enumerate().map(|(at, name)| format!("{},{}\n", cell(at, name), at % 2));
        format!("who,x\n{}", rows.collect::<String>())
    };
    let starred = table(&|at, name| if at == 3 { "*".to_owned() } else { name.to_owned() });
    let repeated = table(&|at, name| if at == 3 { "Ada".to_owned() } else { name.to_owned() });
    let numbered = table(&|at, _| format!("{}", 123_456_789 + 7919 * at));
    let dashed = table(&|at, _| format!("123-45-{}", 6000 + at));
    for data in [starred, repeated, numbered, dashed] {
        desk.write("old.csv", data);
        desk.run("register old.csv --name old --to press --date 2020-01-01").exits(2).says("may name people");
    }
    // Ages and birthdays are no names.
    desk.write("old.csv", table(&|at, _| format!("{}", 20 + at)));
    desk.run("register old.csv --name ages --to press --date 2020-01-01").exits(0);
    desk.write("old.csv", table(&|at, _| format!("19{}-01-01", 60 + at)));
    desk.run("register old.csv --name days --to press --date 2020-01-01").exits(0);
    desk.write("old.csv", "\"a\nb\",x\n1,2\n1,2\n");
    desk.run("register old.csv --name odd --to press --date 2020-01-01").exits(2).says("cannot be shown");
}

#[test]
fn a_name_that_is_used_again_outside_breaks_no_ledger() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o out.csv").exits(0);
    std::fs::rename(desk.file("out.csv"), desk.file("delivered.csv")).unwrap();
    desk.write("people.csv", CLINIC.replace("Ada,34", "Ada,35"));
    desk.run("publish people.csv --name two --to press --alone -o out.csv").exits(0);
    let found = desk.run("verify --json").exits(0).json();
    let states: Vec<&str> =
        found["files"].as_array().unwrap().iter().map(|file| file["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["replaced", "intact"]);
}

#[test]
fn two_publishers_of_one_file_get_a_name_each() {
    let desk = clinic();
    let start = |name: &str| {
        Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(["publish", "people.csv", "--name", name, "--to", "press", "--alone", "-o", "out.csv", "--json"])
            .current_dir(desk.path())
            .env("RETICENT_NEW_LEDGER", "true")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..4).map(|at| start(&format!("r{at}"))).collect();
    let published = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let files: std::collections::BTreeSet<String> = published
        .filter(|output| output.status.success())
        .map(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["file"].to_string())
        .collect();
    let entries = desk.run("verify --json").exits(0).json()["entries"].as_u64().unwrap();
    assert_eq!(files.len() as u64, entries, "{files:?}");
}

#[test]
fn two_keys_never_meet_in_one_ledger() {
    let desk = clinic();
    let start = |name: &str| {
        Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(["publish", "people.csv", "--name", name, "--to", "press", "--alone", "-o", &format!("{name}.csv")])
            .args(["--key", &format!("{name}.key")])
            .current_dir(desk.path())
            .env("RETICENT_NEW_LEDGER", "true")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..6).map(|at| start(&format!("k{at}"))).collect();
    let done = children.into_iter().filter_map(|mut child| child.wait().ok()).filter(|status| status.success()).count();
    assert_eq!(done, 1);
    assert_eq!(desk.run("verify --json").exits(0).json()["entries"], 1);
}

#[test]
fn names_cannot_be_mistaken() {
    let desk = clinic();
    let publish = |name: &str| desk.run_with(&["publish", "people.csv", "--name", name, "-o", "one.csv"]);
    publish("1").exits(2).says("could be taken for its number");
    publish("x\n9  2030-01-01  forged").exits(2).says("a name has letters");
    publish(" ").exits(2);
    desk.run("publish people.csv --name one --to PUBLIC -o one.csv").exits(0).says("to public");
    desk.run_with(&["purge", "one", "--reason", "a\nb", "--yes"]).exits(2).says("one line");
}

#[test]
fn neither_key_nor_release_lies_in_the_ledger() {
    let desk = clinic();
    std::fs::create_dir(desk.file("sub")).unwrap();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.run("publish people.csv --name two --to press --alone -o two.csv --key sub/../ledger/k")
        .exits(2)
        .says("lies in the ledger");
    desk.run("publish people.csv --name two --to press --alone -o ledger/bodies/two.csv")
        .exits(2)
        .says("lies in the ledger");
    desk.run("verify").exits(0);
}

/// A ledger that is away must not become a new, empty one under whose eyes every release is the first.
#[test]
fn a_ledger_that_is_missing_is_not_started_silently() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0).says("started the ledger ledger");
    std::fs::rename(desk.file("ledger"), desk.file("elsewhere")).unwrap();
    let plain = |call: &str| {
        let ran = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(call.split_whitespace())
            .current_dir(desk.path())
            .output()
            .unwrap();
        (ran.status.code().unwrap(), String::from_utf8(ran.stderr).unwrap())
    };
    let (status, said) = plain("publish people.csv --name two --to press -o two.csv");
    assert!(status == 2 && said.contains("if there was one, bring it back"), "{said}");
    let (status, said) = plain("register people.csv --name two --to press --date 2020-01-01");
    assert!(status == 2 && said.contains("--new-ledger"), "{said}");
    assert!(!desk.file("two.csv").exists() && !desk.file("ledger").exists());
    // A draft starts the ledger, so that nobody has to ask for it.
    let fresh = Desk::new();
    fresh.write("d.csv", "a,b\n1,x\n2,y\n");
    fresh.run("init d.csv").exits(0).says("ledger").says("keep a copy of it");
    let ran = Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args(["publish", "d.csv", "--name", "one", "-o", "one.csv"])
        .current_dir(fresh.path())
        .output()
        .unwrap();
    // Five people are not two: it is refused for that and not for the ledger.
    assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn registering_can_be_rehearsed() {
    let desk = clinic();
    desk.write("old.csv", "age,city\n20-29,Paris\n30-39,Paris\n30-39,Oslo\n");
    let call = "register old.csv --name old --to press --date 2020-01-01";
    desk.run(&format!("{call} --dry-run"))
        .exits(0)
        .says("would register old")
        .says("2 intervals such as 20-29 | 30-39");
    assert!(!desk.file("ledger").exists());
    desk.run(call).exits(0);
    // Whatever names suggest is asked about.
    desk.write("old.csv", "full_name,diagnosis\nAda,flu\nAda,flu\nBen,flu\nBen,flu\n");
    desk.run("register old.csv --name next --to press --date 2020-01-01").exits(2).says("the names of the columns");
    desk.run("register old.csv --name next --to press --date 2020-01-01 --identifier full_name")
        .exits(2)
        .says("its name says `diagnosis`");
}

#[test]
fn evidence_is_not_overwritten() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.run("export-head -o head.json").exits(0);
    desk.run("publish people.csv --name two --to press -o two.csv --alone").exits(0);
    desk.run("export-head -o head.json").exits(0);
    let before = desk.read("head.json");
    // The ledger is replaced by one that knows less.
    std::fs::rename(desk.file("ledger"), desk.file("away")).unwrap();
    desk.run("publish people.csv --name one --to press -o three.csv").exits(0);
    desk.run("export-head -o head.json").exits(2).says("was not replaced");
    assert_eq!(desk.read("head.json"), before);
    // Nor is a head exported of a ledger that does not hold together, or signed with a key that is not the ledger's.
    std::fs::write(desk.file("ledger/seal.json"), "{}").unwrap();
    desk.run("export-head").exits(4);
    desk.run("log").exits(0).says("warning: seal.json was changed");
}

#[test]
fn a_rehearsal_says_what_the_performance_would() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    std::fs::rename(desk.file("reticent.key"), desk.file("away.key")).unwrap();
    let call = "publish people.csv --name two --to press --alone -o two.csv --dry-run";
    desk.run(call).exits(2).says("is missing, and owners are recorded under it");
    std::fs::rename(desk.file("away.key"), desk.file("reticent.key")).unwrap();
    desk.run(call).exits(0);
    std::fs::remove_file(desk.file("ledger/seal.json")).unwrap();
    desk.run(call).exits(4);
}

#[test]
fn what_is_erased_and_shared_is_said_to_be_readable() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.run("publish people.csv --name two --to press -o two.csv --alone").exits(0);
    desk.run("purge one --reason asked --yes").exits(0).says("can be read, because releases 2 have the same");
    desk.run("show one").exits(0).says("still stored for releases 2");
    desk.run("purge two --reason asked --yes").exits(0);
    desk.run("show one").exits(0).says("its values and owner links are gone");
}

#[test]
fn a_changed_file_is_not_excused_by_registering_it() {
    let desk = clinic();
    desk.run("publish people.csv --name one --to press -o one.csv").exits(0);
    desk.write("one.csv", desk.read("one.csv").replace("asthma", "gout"));
    desk.run("verify").exits(4).says("is not what was published");
    desk.run("register one.csv --name cover --to press --date 2020-01-01").exits(0);
    desk.run("verify").exits(4).says("(release 1) is not what was published");
}

#[test]
fn a_missing_value_is_not_also_a_value() {
    let desk = clinic();
    desk.write("city.csv", "Paris;*\nLyon;*\nOslo;*\nNA;*\n");
    desk.write("people.csv", CLINIC.replace("Bergen", "NA"));
    let policy = clinic_policy(3).replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"");
    desk.write("reticent.toml", policy.replace("name = \"clinic\"", "name = \"clinic\"\nmissing-values = [\"NA\"]"));
    desk.run("check people.csv").exits(2).says("`NA` stands both in `missing-values` and in its taxonomy");
}

/// On a fresh draft every column is a quasi-identifier; what looks like a name is not shown all the same.
#[test]
fn a_draft_that_nobody_corrected_shows_no_names() {
    let desk = Desk::new();
    desk.write("people.csv", CLINIC);
    desk.run("init people.csv").exits(0);
    let checked = desk.run("check people.csv").exits(1);
    assert!(!checked.out.contains("Ada") && !checked.out.contains("Gus"), "{}", checked.out);
    let checked = checked.says("name has the role quasi-identifier and may be an identifier");
    assert!(!checked.out.contains("asthma"), "{}", checked.out);
    assert!(!desk.run("check people.csv --json").exits(1).out.contains("Leo"));
}
