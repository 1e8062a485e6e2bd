//! Releases by an algorithm: equivalence classes, formats, columns, suppression, and bytes that depend on the seed only.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy, refusal};

/// Records in the smallest equivalence class of a file on its first columns.
fn smallest_class(folder: &TestFolder, name: &str, columns: usize) -> usize {
    let mut classes: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for row in folder.rows(name) {
        *classes.entry(row[..columns].to_vec()).or_insert(0) += 1;
    }
    classes.values().copied().min().unwrap()
}

#[test]
fn the_release_has_classes_of_k_and_no_names() {
    let folder = TestFolder::clinic(&clinic_policy(4));
    let answer = folder.publish("people.csv", "one").output("out.csv").run().passes().json();
    assert_eq!(answer["name"], "one");
    assert_eq!(answer["file"], folder.file("out.csv").display().to_string());
    let out = folder.read("out.csv");
    assert!(out.starts_with("age,sex,city,illness\n"), "{out}");
    assert_eq!(out.lines().count(), 13);
    assert!(smallest_class(&folder, "out.csv", 3) >= 4, "{out}");
    assert!(!out.contains("Ada"));
    assert_eq!(
        folder.files(),
        ["ledger", "out.csv", "people.csv", "reticent.key", "reticent.toml"],
        "nothing else is left behind"
    );
}

#[test]
fn row_order_and_threads_change_no_byte() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "one").run().passes();
    let mut lines: Vec<&str> = CLINIC.lines().skip(1).collect();
    lines.reverse();
    folder.write("reversed.csv", format!("name,age,sex,city,illness\n{}\n", lines.join("\n")));
    folder.with_ledger("other").with_threads(1).publish("reversed.csv", "one").output("two.csv").run().passes();
    assert_eq!(folder.read("one.csv"), folder.read("two.csv"));
}

/// Twenty records on which one thread and sixteen once took different steps: a confidence that splitting can lower, and
/// records that may be suppressed.
#[test]
fn bytes_depend_on_no_number_of_threads() {
    let rows = "0 2 0 3 3 cold|5 3 1 0 3 flu|3 3 4 0 5 cold|2 5 1 4 0 cold|0 0 0 5 4 flu|3 5 1 3 5 flu|4 1 3 3 4 flu|\
                2 1 5 1 3 cold|0 3 4 5 0 flu|5 5 2 0 5 cold|5 5 4 3 4 hiv|1 2 2 4 3 hiv|3 4 0 3 1 hiv|3 3 5 1 2 hiv|\
                5 5 5 2 0 cold|5 4 0 1 4 cold|2 3 5 0 3 flu|2 5 4 4 4 cold|5 1 1 4 1 flu|1 4 4 1 3 hiv";
    let rows = rows.replace(' ', ",").replace('|', "\n");
    let columns: String = (0..5).map(|at| format!("[columns.c{at}]\ntaxonomy = \"t.csv\"\n")).collect();
    let folder = TestFolder::from_policy(&format!(
        "[dataset]\nname = \"d\"\n{columns}[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.6\n\
         [release]\nseed = 1\nsuppression = 0.3\n"
    ));
    folder.write("d.csv", format!("c0,c1,c2,c3,c4,ill\n{rows}\n"));
    folder.write("t.csv", (0..6).map(|at| format!("{at};g{};h{};*\n", at / 2, at / 4)).collect::<String>());
    for threads in [1, 3, 16] {
        folder.with_threads(threads).publish("d.csv", &format!("out{threads}")).ignore_history().run().passes();
    }
    assert_eq!(folder.read("out1.csv"), folder.read("out3.csv"));
    assert_eq!(folder.read("out1.csv"), folder.read("out16.csv"));
}

#[test]
fn every_format_holds_the_same_release() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let formats = ["a.csv", "a.csv.gz", "a.csv.zst", "a.parquet"];
    for name in formats {
        let ledger = folder.with_ledger(&format!("l{name}"));
        let answer = ledger.publish("people.csv", "one").output(name).run().passes().json();
        assert_eq!(answer["published"], 12);
        assert_eq!(answer["verified"]["rows"], 12);
    }
    // A release can be read again as data.
    folder.write(
        "again.toml",
        "[dataset]\nname = \"again\"\n[columns.age]\n[columns.sex]\n[columns.city]\nrole = \"other\"\n[columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 3\n",
    );
    for name in formats {
        let answer = folder.with_policy("again.toml").check(name).passes().json();
        assert_eq!(answer["data"]["risk"]["records"], 12, "{name}");
        assert_eq!(answer["data"]["models"][0]["model"], "3-anonymity on age, sex", "{name}");
    }
    let error = folder.publish("people.csv", "one").output("a.xlsx").run().fails_with("output-format");
    assert_eq!(error.data()["path"], folder.file("a.xlsx").display().to_string());
}

#[test]
fn a_rehearsal_publishes_nothing() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let answer = folder.publish("people.csv", "one").rehearse().passes().json();
    assert_eq!(answer["dry_run"], true);
    assert!(answer["file"].is_null() && answer["recorded"].is_null(), "{answer}");
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn columns_can_be_chosen() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "one").columns("sex,illness").run().passes();
    assert!(folder.read("one.csv").starts_with("sex,illness\n"));
    let two = folder.publish("people.csv", "two").ignore_history();
    let error = two.clone().columns("name,illness").run().fails_with("identifier-chosen");
    assert_eq!(error.data()["column"], "name");
    let error = two.columns("sex,ilness").run().fails_with("column-unfit");
    assert_eq!(error.data()["column"], "ilness");
    assert!(error.to_string().contains("did you mean `illness`?"), "{error}");
}

/// Twelve records of three people: no class of four people exists.
#[test]
fn a_person_with_many_records_counts_once() {
    let policy = |owner: &str| {
        format!(
            "[dataset]\nname = \"x\"\n{owner}[columns.who]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.sex]\n\
             [columns.illness]\nrole = \"sensitive\"\n[requirement]\nk = 4\n"
        )
    };
    let folder = TestFolder::from_policy(&policy(""));
    let rows: String = (0..12).map(|row| format!("P{},{},F,flu\n", row % 3, 30 + row)).collect();
    folder.write("people.csv", format!("who,age,sex,illness\n{rows}"));
    folder.publish("people.csv", "records").run().passes();
    folder.write("reticent.toml", policy("owner = \"who\"\n"));
    let error = folder.publish("people.csv", "owners").ignore_history().run().refused_with("requirement-unreachable");
    assert_eq!(refusal(&error)["violations"][0]["worst"]["people"], 3);
    assert_eq!(refusal(&error)["remedies"][0]["thresholds"][0]["to"], 3.0);
    assert!(!folder.exists("owners.csv"));
}

#[test]
fn k_larger_than_the_table_is_refused() {
    let folder = TestFolder::clinic(&clinic_policy(13));
    let error = folder.publish("people.csv", "one").run().refused_with("requirement-unreachable");
    let failing = &refusal(&error)["violations"][0];
    assert_eq!((&failing["worst"]["people"], &failing["worst"]["safety"]), (&12.into(), &12.0.into()), "{failing}");
    assert_eq!(folder.files(), ["people.csv", "reticent.toml"]);
}

#[test]
fn formulas_are_neutralised_and_counted() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.write("people.csv", CLINIC.replace("asthma", "=cmd()"));
    let answer = folder.publish("people.csv", "one").run().passes().json();
    assert_eq!(answer["escaped_formulas"], 4);
    assert!(folder.read("one.csv").contains("'=cmd()"));
    assert!(!folder.read("one.csv").contains(",=cmd()"));
}

#[test]
fn suppression_stays_within_its_limit_and_is_reported() {
    let folder = TestFolder::clinic(&clinic_policy(3).replace("seed = 1", "seed = 1\nsuppression = 0.25"));
    for algorithm in ["top-down-specialization", "optimal-full-domain"] {
        let call = folder.publish("people.csv", algorithm).ignore_history().algorithm(algorithm);
        let answer = call.run().passes().json();
        let (published, suppressed) = (answer["published"].as_u64().unwrap(), answer["suppressed"].as_u64().unwrap());
        assert_eq!(published + suppressed, 12);
        assert!(suppressed <= 3, "{algorithm} suppressed {suppressed}");
        assert!(smallest_class(&folder, &format!("{algorithm}.csv"), 3) >= 3);
    }
}

#[test]
fn suppressed_cells_are_counted() {
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"d\"\n[columns.age]\n[columns.city]\n[requirement]\nk = 2\n\
         [release]\nseed = 1\nsuppression = 0.5\nsuppress = \"cells\"\n",
    );
    folder.write("d.csv", "age,city\n30,a\n30,a\n30,b\n31,b\n40,c\n40,c\n");
    let answer = folder.publish("d.csv", "out").run().passes().json();
    let stars = folder.rows("out.csv").concat().iter().filter(|cell| *cell == "*").count() as u64;
    let columns = answer["columns"].as_array().unwrap();
    let suppressed = columns.iter().filter(|column| column["published"] == serde_json::json!(["*"])).count() as u64;
    let published = answer["published"].as_u64().unwrap();
    assert_eq!(answer["suppressed_cells"].as_u64().unwrap() + suppressed * published, stars);
}

#[test]
fn a_search_without_time_publishes_the_first_state() {
    let folder =
        TestFolder::from_policy("[columns.age]\ntype = \"number\"\n[requirement]\nk = 2\n[release]\nseed = 1\n");
    folder.write("d.csv", "age\n1\n2\n");
    let answer = folder.publish("d.csv", "out").time_limit(Duration::ZERO).run().passes().json();
    assert_eq!(answer["guarantee"], "safe");
}

/// The time is a guard against work that grows with the square of the number of values.
#[test]
fn many_values_that_are_published_unchanged_take_no_time() {
    let folder = TestFolder::from_policy(
        "[columns.age]\ntype = \"number\"\n[columns.note]\nrole = \"other\"\naccept-unique = true\n[requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    let rows: String = (0..60_000).map(|row| format!("{},n{row}\n", row % 50)).collect();
    folder.write("d.csv", format!("age,note\n{rows}"));
    let clock = Instant::now();
    let answer = folder.publish("d.csv", "out").run().passes().json();
    assert!(clock.elapsed().as_secs() < 30, "{:?}", clock.elapsed());
    let warnings = answer["warnings"].as_array().unwrap();
    let counted = |warning: &serde_json::Value| warning.as_str().unwrap().contains("60,000 people");
    assert!(warnings.iter().any(counted), "{warnings:?}");
}

/// A confidence bound on a value with an apostrophe: in the file `'+pos` and `+pos` are written alike, and have 4 of 5 records.
#[test]
fn a_bound_on_a_value_with_an_apostrophe_is_checked() {
    let folder = TestFolder::from_policy(
        "[columns.age]\ntype = \"number\"\n[columns.s]\nrole = \"sensitive\"\n[[requirement.models]]\n\
         model = \"confidence-bounding\"\nvalues = { \"'+pos\" = 0.3 }\n[release]\nseed = 1\n",
    );
    folder.write("d.csv", "age,s\n30,'+pos\n30,+pos\n30,+pos\n30,+pos\n30,neg\n");
    let answer = folder.publish("d.csv", "out").run().violates().json();
    assert_eq!(answer["verified"]["models"][0]["holds"], false);
    assert_eq!(answer["verified"]["models"][0]["violations"].as_array().unwrap().len(), 1);
    assert!(answer["file"].is_null() && answer["recorded"].is_null(), "{answer}");
    assert!(!folder.exists("out.csv"));
}

#[test]
fn check_works_where_publish_works() {
    let folder = TestFolder::from_policy(
        "[columns.ward]\nrole = \"other\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [[requirement.models]]\nmodel = \"distinct-l-diversity\"\nl = 2\non = [\"ward\"]\n[release]\nseed = 1\n",
    );
    folder.write("d.csv", "ward,illness\na,flu\na,hiv\nb,flu\nb,hiv\n");
    let answer = folder.check("d.csv").passes().json();
    let model = &answer["data"]["models"][0];
    assert_eq!((&model["classes"], &model["worst"]["safety"]), (&2.into(), &2.0.into()), "{model}");
    folder.publish("d.csv", "out").run().passes();
}

/// A sensitive number that is published as intervals is compared in their order.
#[test]
fn closeness_of_intervals_is_judged() {
    let folder = TestFolder::from_policy(
        "[columns.sex]\n[columns.pay]\nrole = \"sensitive\"\ntype = \"number\"\nintervals = [10]\nexact = false\n\
         [[requirement.models]]\nmodel = \"t-closeness\"\nt = 0.5\ndistance = \"ordered\"\n",
    );
    let rows: String = (0..20).map(|at| format!("{},{}\n", ["F", "M"][at % 2], at * 3)).collect();
    folder.write("d.csv", format!("sex,pay\n{rows}"));
    let answer = folder.publish("d.csv", "one").to("press").run().passes().json();
    assert_eq!(answer["verified"]["models"][0]["holds"], true);
    assert!(folder.read("one.csv").contains("[10,20)"), "{}", folder.read("one.csv"));
}
