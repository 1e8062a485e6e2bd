//! Publishing as a steward does it.

use crate::support::{CLINIC, Desk, clinic_policy};

/// Smallest class of a CSV on its first columns.
fn smallest_class(csv: &str, columns: usize) -> usize {
    let mut classes = std::collections::BTreeMap::new();
    for line in csv.lines().skip(1) {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = reader.records().next().unwrap().unwrap();
        let key: Vec<String> = record.iter().take(columns).map(str::to_owned).collect();
        *classes.entry(key).or_insert(0) += 1;
    }
    classes.values().copied().min().unwrap()
}

#[test]
fn the_release_has_classes_of_k_and_no_names() {
    let desk = Desk::clinic(&clinic_policy(4));
    desk.run("publish people.csv --name one -o out.csv").exits(0).says("published one as out.csv");
    let out = desk.read("out.csv");
    assert!(out.starts_with("age,sex,city,illness\n"), "{out}");
    assert_eq!(out.lines().count(), 13);
    assert!(smallest_class(&out, 3) >= 4, "{out}");
    assert!(!out.contains("Ada"));
    assert_eq!(desk.files(), ["ledger", "out.csv", "people.csv", "reticent.toml"], "nothing else is left behind");
}

#[test]
fn row_order_and_threads_change_no_byte() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o one.csv").exits(0);
    let mut lines: Vec<&str> = CLINIC.lines().skip(1).collect();
    lines.reverse();
    desk.write("turned.csv", format!("name,age,sex,city,illness\n{}\n", lines.join("\n")));
    desk.run("publish turned.csv --name one -o two.csv --threads 1 --ledger other").exits(0);
    assert_eq!(desk.read("one.csv"), desk.read("two.csv"));
}

#[test]
fn every_format_says_the_same() {
    let desk = Desk::clinic(&clinic_policy(3));
    for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.parquet"] {
        let answer =
            desk.run(&format!("publish people.csv --name one -o {name} --ledger l{name} --json")).exits(0).json();
        assert_eq!(answer["published"], 12);
        assert_eq!(answer["verified"]["rows"], 12);
    }
    // A release can be read again as data.
    desk.write(
        "again.toml",
        "[dataset]\nname = \"again\"\n[columns.age]\n[columns.sex]\n[columns.city]\nrole = \"other\"\n[columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 3\n",
    );
    for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.parquet"] {
        desk.run(&format!("check {name} --policy again.toml")).exits(0).says("holds 3-anonymity");
    }
    desk.run("publish people.csv --name one -o a.xlsx").exits(2).says("must end in .csv");
}

#[test]
fn a_dry_run_publishes_nothing() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o out.csv --dry-run").exits(0).says("would publish");
    assert_eq!(desk.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn columns_can_be_chosen() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.run("publish people.csv --name one -o out.csv --columns sex,illness").exits(0);
    assert!(desk.read("out.csv").starts_with("sex,illness\n"));
    desk.run("publish people.csv --name two -o no.csv --alone --columns name,illness").exits(2).says("identifier");
    desk.run("publish people.csv --name two -o no.csv --alone --columns sex,ilness")
        .exits(2)
        .says("did you mean `illness`?");
}

#[test]
fn a_person_with_many_records_counts_once() {
    let desk = Desk::new();
    // Twelve records, but only three people: no class of four exists, whatever is done.
    let rows: String = (0..12).map(|row| format!("P{},{},F,flu\n", row % 3, 30 + row)).collect();
    desk.write("people.csv", format!("who,age,sex,illness\n{rows}"));
    let policy = |owner: &str| {
        format!(
            "[dataset]\nname = \"x\"\n{owner}[columns.who]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.sex]\n\
             [columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 4\n"
        )
    };
    desk.write("reticent.toml", policy(""));
    desk.run("publish people.csv --name records -o records.csv").exits(0);
    desk.write("reticent.toml", policy("owner = \"who\"\n"));
    desk.run("publish people.csv --name people -o people2.csv --alone")
        .exits(1)
        .says("3 people share these values, 4 needed");
    assert!(!desk.files().contains(&"people2.csv".to_owned()));
}

#[test]
fn formulas_are_neutralised_and_counted() {
    let desk = Desk::clinic(&clinic_policy(3));
    desk.write("people.csv", CLINIC.replace("asthma", "=cmd()"));
    let answer = desk.run("publish people.csv --name one -o out.csv --json").exits(0).json();
    assert_eq!(answer["neutralised"], 4);
    assert!(desk.read("out.csv").contains("'=cmd()"));
    assert!(!desk.read("out.csv").contains(",=cmd()"));
}

#[test]
fn suppression_stays_within_its_limit_and_is_reported() {
    let desk = Desk::clinic(&clinic_policy(3).replace("seed = 1", "seed = 1\nsuppression = 0.25"));
    for algorithm in ["top-down-specialization", "optimal-full-domain"] {
        let out = format!("{algorithm}.csv");
        let answer = desk
            .run(&format!("publish people.csv --name {algorithm} --alone -o {out} --json --algorithm {algorithm}"))
            .exits(0)
            .json();
        let (published, suppressed) = (answer["published"].as_u64().unwrap(), answer["suppressed"].as_u64().unwrap());
        assert_eq!(published + suppressed, 12);
        assert!(suppressed <= 3, "{algorithm} left out {suppressed}");
        assert!(smallest_class(&desk.read(&out), 3) >= 3);
    }
}

/// Interrupted at several moments: either it was done already, or nothing is left behind but what was there.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_half_written_file() {
    let desk = Desk::clinic(&clinic_policy(3));
    let rows: String = (0..150_000).map(|row| format!("n{row},{},F,c{},flu{}\n", row % 90, row % 7, row % 5)).collect();
    desk.write("people.csv", format!("name,age,sex,city,illness\n{rows}"));
    let mut interrupted = 0;
    for (round, delay) in [5, 20, 60, 150, 300, 600].into_iter().enumerate() {
        let out = format!("out{round}.csv");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(["publish", "people.csv", "--name", "one", "-o", &out])
            .current_dir(desk.path())
            .env("RETICENT_NEW_LEDGER", "true")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let done = child.wait().unwrap().code() == Some(0);
        interrupted += usize::from(!done);
        assert_eq!(desk.files().contains(&out), done, "after {delay} ms");
        assert!(!desk.files().iter().any(|name| name.starts_with(".reticent")), "{:?}", desk.files());
    }
    assert!(interrupted > 0, "it was never interrupted in time");
}
