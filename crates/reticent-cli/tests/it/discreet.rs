//! What a review found that told more than it should: records taken for names, cells in errors, numbers in public reports.

use crate::support::{Desk, Ran, clinic_policy};

const POLICY: &str = "[dataset]\nname = \"t\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n\
                      [columns.city]\ntaxonomy = \"city.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("reticent.toml", POLICY);
    desk.write("city.csv", "Paris;*\nRome;*\n");
    desk
}

fn silent(ran: &Ran, secrets: &[&str]) {
    for secret in secrets {
        assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{}{}", ran.out, ran.err);
    }
}

/// A file without a header: its first record would be stored as names of columns, for ever.
#[test]
fn a_record_is_not_registered_as_names() {
    let rows = "Smith,F,hiv\nMiller,M,flu\nMiller,M,flu\nSmith,F,hiv\n";
    let call = "register old.csv --name old --to press --date 2020-01-01";
    let with_policy = desk();
    with_policy.write("old.csv", rows);
    for call in [call.to_owned(), format!("{call} --dry-run"), format!("{call} --json")] {
        let ran = with_policy.run(&call).exits(2).says("first line");
        silent(&ran, &["Smith", "hiv"]);
    }
    let without = Desk::new();
    without.write("old.csv", rows);
    silent(&without.run(call).exits(2).says("looks like data"), &["Smith", "hiv"]);
    assert!(!without.file("ledger").exists());
    // Whoever knows that these are the names says so.
    without.write("old.csv", "2019,2020\n1,2019\n2,2020\n1,2019\n");
    without.run(call).exits(2);
    without.run(&format!("{call} --quasi-identifier 2019,2020")).exits(0);
}

/// A cell that does not fit its column may belong to another, or to another record.
#[test]
fn errors_show_no_cell_that_is_out_of_place() {
    let desk = desk();
    desk.write(
        "quote.csv",
        "name,age,city,ill\nann,30,Paris,flu\nbob,31,\"Paris,hiv\ncat,32,Rome\",flu\ndan,33,Rome,flu\n",
    );
    silent(&desk.run("check quote.csv").exits(2).says("1 value in 1 row outside its taxonomy"), &["hiv", "cat"]);
    desk.write("shifted.csv", "name,age,city,ill\nann,30,Paris,flu\nbob,Bobby,Paris,flu\n");
    for call in ["check shifted.csv", "register shifted.csv --name a --to p --date 2020-01-01"] {
        silent(&desk.run(call).exits(2), &["Bobby"]);
    }
    // What the steward has to look for is shown.
    desk.write("slip.csv", "name,age,city,ill\nann,30,Pariss,flu\nbob,30,Paris,flu\n");
    desk.run("check slip.csv").exits(2).says("`Pariss`");
    desk.write("gap.csv", "name,age,city,ill\nann,n/a,Paris,flu\nbob,30,Paris,flu\n");
    desk.run("register gap.csv --name a --to p --date 2020-01-01").exits(2).says("`n/a`");
}

/// Where one value has a threshold, to name it beside those who break it would tell what they have.
#[test]
fn a_value_with_a_threshold_is_not_named_beside_anybody() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[columns.age]\ntype = \"number\"\n[columns.ill]\nrole = \"sensitive\"\n[[requirement.models]]\nmodel = \"confidence-bounding\"\n\
         sensitive = \"ill\"\nvalues = { HIV = 0.5 }\n",
    );
    desk.write("people.csv", "age,ill\n33,HIV\n34,flu\n35,flu\n36,flu\n");
    let ran = desk.run("check people.csv").exits(1).says("age 33");
    let line = ran.out.lines().find(|line| line.contains("age 33")).unwrap();
    assert!(!line.contains("HIV"), "{line}");
}

/// Of few people, neither how sure somebody can be nor the number of worlds may be told: both count those who are few.
#[test]
fn public_reports_of_few_people_show_no_share() {
    let pages = [6, 7, 8].map(|rare| {
        let desk = Desk::new();
        let rows: String = (0..95).map(|at| format!("F,{}\n", if at < rare { "yes" } else { "no" })).collect();
        desk.write("r.csv", format!("sex,hiv\n{rows}"));
        desk.run("register r.csv --name r --to press --date 2020-01-01 --sensitive hiv --quasi-identifier sex")
            .exits(0);
        desk.run("audit --html public.html --public").exits(0);
        desk.read("public.html")
    });
    assert!(pages[0] == pages[1] && pages[1] == pages[2]);
    assert!(pages[0].contains("not shown"));
}

/// Files that are damaged end in an error, whatever the library that reads them does.
#[test]
fn damaged_files_are_told_as_such() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[columns.age]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    desk.write("people.csv", "age,ill\n1,a\n1,b\n2,a\n2,b\n");
    desk.run("publish people.csv --name one -o one.parquet").exits(0);
    let whole = std::fs::read(desk.file("one.parquet")).unwrap();
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        desk.write("x.parquet", &bytes);
        let ran = desk.run("check x.parquet --json");
        assert!(ran.status <= 3, "byte {at}: {} {}", ran.status, ran.err);
        assert!(!ran.err.contains("panicked"), "byte {at}: {}", ran.err);
    }
}

/// The pattern of releases that somebody is in finds none of their rows.
#[test]
fn nobody_is_singled_out_by_where_they_are_not() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[dataset]\nname = \"t\"\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.sex]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n",
    );
    let row = |at: usize| {
        format!("p{at},{},{}\n", if at < 10 { "F" } else { "M" }, if at.is_multiple_of(2) { "x" } else { "y" })
    };
    let all: String = (0..20).map(row).collect();
    let but_one: String = (0..20).filter(|at| *at != 3).map(row).collect();
    desk.write("one.csv", format!("id,sex,ill\n{all}"));
    desk.write("two.csv", format!("id,sex,ill\n{but_one}"));
    for name in ["one", "two"] {
        desk.run(&format!("register {name}.csv --name {name} --to press --date 2020-01-01")).exits(0);
    }
    let answer = desk.run("audit --json").exits(0).json();
    let identity = &answer["coalitions"][0]["audit"]["identity"];
    assert_eq!((&identity["singled_out"], &identity["linkable"]), (&0.into(), &0.into()), "{identity}");
    // Nine are alike in the second release, of ten women without one.
    assert!((identity["prosecutor_highest"].as_f64().unwrap() - 1.0 / 9.0).abs() < 1e-9, "{identity}");
}

/// What the algorithm gives away is said first, and nothing is said of it where no confidence is asked for.
#[test]
fn whoever_knows_the_algorithm_is_judged_by_a_confidence() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o one.csv").exits(0);
    desk.run("audit --adversary algorithm --population people.csv").exits(2).says("--confidence");
}

/// What is told as surely as allowed is no finding.
#[test]
fn what_is_allowed_is_no_finding() {
    let desk = Desk::new();
    desk.write("reticent.toml", "[columns.age]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n");
    desk.write("old.csv", "age,ill\n1,a\n1,b\n2,a\n2,a\n2,b\n");
    desk.run("register old.csv --name old --to press --date 2020-01-01").exits(0);
    let found = |confidence: &str| {
        let call = format!("audit --attack attribute-linkage --confidence {confidence} --json");
        let answer = desk.run(&call).json();
        answer["coalitions"][0]["attacks"][0]["findings"].as_array().unwrap().len()
    };
    assert_eq!((found("0.5"), found("0.4")), (1, 3));
}
