//! Republication: every method publishes month after month, keeps its groups, and accounts for every record.

use std::collections::{BTreeMap, BTreeSet};

use reticent_app::answer::FileState;
use reticent_testkit::{
    Answer, ILLNESSES, MONTHLY_COLUMNS, Outcome, TestFolder, method_policy, month, patient, present_in,
};
use serde_json::{Value, json};

/// Every record of the data is published, waits, is withheld or lacks a value.
#[track_caller]
fn assert_accounted(answer: &Value) {
    let sum = |list: &str| -> u64 {
        answer[list].as_array().unwrap().iter().map(|one| one["records"].as_u64().unwrap()).sum()
    };
    let count = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!(
        count("published") + sum("postponed") + sum("withheld") + count("dropped"),
        count("records"),
        "{answer:#}"
    );
}

/// How many certain findings the attacks have that follow people through groups; each of them has at most so many.
#[track_caller]
fn certain_findings(folder: &TestFolder, most: usize, several_releases: bool) -> usize {
    let answer = folder.audit().effort(1).confidence(1.0).attacks("all").run().unwrap();
    let attacks = &answer.coalitions[0].attacks;
    let mut all = 0;
    for (id, needs_several) in [("homogeneity", false), ("intersection", true), ("critical-absence", true)] {
        if needs_several && !several_releases {
            continue;
        }
        let attack = attacks.iter().find(|attack| attack.id == id).unwrap();
        assert_eq!(attack.not_run, None, "{id}");
        let certain = attack.findings.iter().filter(|finding| finding.certain).count();
        assert!(certain <= most, "{attack:#?}");
        all += certain;
    }
    all
}

/// Groups that are formed anew disclose what their intersection leaves. The attacks find it in the published tables.
#[test]
fn attacks_join_the_people_and_the_lists() {
    let folder = TestFolder::monthly(&method_policy("anatomy", "l = 3"));
    for number in 1..=2 {
        let name = format!("month{number}");
        folder.write(&format!("{name}.csv"), month(present_in(number), false));
        folder.publish_month(&name).ignore_history().run().passes();
    }
    assert!(certain_findings(&folder, usize::MAX, true) > 0);
    let answer = folder.audit().worst(0).attacks("intersection,unsorted-matching").run().unwrap();
    let [intersection, matching] = answer.coalitions[0].attacks.as_slice() else { panic!("two attacks") };
    let found = |finding: &reticent::attacks::Finding| {
        finding.certain && finding.releases == [1, 2] && finding.column.as_deref() == Some("illness")
    };
    assert!(intersection.findings.iter().any(found), "{intersection:#?}");
    assert_eq!((&matching.not_run, &matching.not_checked, matching.findings.len()), (&None, &None, 0));
}

/// By method: its options, and whether the table has a second sensitive column.
const METHODS: &[(&str, &str, bool)] = &[
    ("anatomy", "l = 3", false),
    ("decomposition", "primary = \"illness\"\nl = { illness = 3, pay = 2 }", true),
    ("decomposition-plus", "primary = \"illness\"\nl = { illness = 3, pay = 2 }", true),
    ("m-invariance", "m = 3", false),
    ("history-guided", "l = 3", false),
    ("incremental-l-diversity", "l = 2", false),
    ("bcf-anonymity", "k = 3\ngone = \"withhold\"", false),
];

/// These methods cover one release.
const SINGLE: [&str; 2] = ["anatomy", "decomposition"];

#[test]
fn every_method_is_tested() {
    let known: BTreeSet<&str> = reticent::republication::LIST.iter().map(|listed| listed.entry.id).collect();
    assert_eq!(known, METHODS.iter().map(|(id, ..)| *id).collect());
}

/// Every method publishes month after month, or is for one release. The ledger is intact, and an audit finds no posterior above
/// the promise.
#[test]
fn every_method_publishes_month_after_month() {
    for (id, options, pay) in METHODS {
        for form in ["anatomized", "generalized"] {
            let of_records = *id == "bcf-anonymity";
            if !(of_records && form == "anatomized") {
                publishes_month_after_month(id, options, *pay, form, of_records);
            }
        }
    }
}

fn publishes_month_after_month(id: &str, options: &str, pay: bool, form: &str, of_records: bool) {
    let column = if pay { "[columns.pay]\nrole = \"sensitive\"\n" } else { "" };
    let release = format!("{column}[release]\nform = \"{form}\"\n");
    let folder = TestFolder::monthly(&method_policy(id, options).replace("[release]\n", &release));
    let mut published = 0;
    for number in 1..=4 {
        let name = format!("month{number}");
        folder.write(&format!("{name}.csv"), month(present_in(number), pay));
        let result = folder.publish_month(&name).run();
        if number > 1 && SINGLE.contains(&id) {
            result.refused_with("method-covers-one-release");
            break;
        }
        let answer = result.passes().json();
        assert_accounted(&answer);
        assert!(answer["published"].as_u64().unwrap() > 10, "{id}: {answer:#}");
        assert_eq!((&answer["form"], &answer["method"]), (&json!(form), &json!(id)));
        assert!(folder.read(&format!("out-{name}/README.md")).contains("SELECT people.*"));
        published += 1;
    }
    let verified = folder.verify().passes();
    assert_eq!(verified.findings.files.len(), published);
    assert!(verified.findings.files.iter().all(|file| file.state == FileState::Intact), "{id}");
    // A promise about records is judged by publish; of values nothing is promised then.
    let holds = folder.audit().effort(1).run().passes().holds;
    assert_eq!(holds, (!of_records).then_some(true), "{id} {form}");
    certain_findings(&folder, if of_records { usize::MAX } else { 0 }, !SINGLE.contains(&id));
    let shown = folder.show("month1").passes().json();
    let method = &shown["recorded"]["content"]["method"];
    assert_eq!((&method["id"], &method["form"]), (&json!(id), &json!(form)));
    let promised = method["bounds"].as_array().unwrap();
    assert_eq!(promised.iter().any(|promise| promise["column"] == "illness"), !of_records, "{method:#}");
    assert_eq!(method["linkage_bound"].is_string(), of_records, "{method:#}");
    // The demands are sentences: the promise is about the illness, or about records.
    let demands = folder.check("month1.csv").passes().requirements;
    let about = if of_records { "record" } else { "illness" };
    assert!(demands.iter().any(|demand| demand.contains(about)), "{demands:?}");
}

/// A promise about records needs generalized quasi-identifiers.
#[test]
fn a_promise_about_records_cannot_be_anatomized() {
    let policy = method_policy("bcf-anonymity", "k = 3\ngone = \"withhold\"");
    let folder = TestFolder::monthly(&policy.replace("[release]\n", "[release]\nform = \"anatomized\"\n"));
    folder.write("month1.csv", month(present_in(1), false));
    let error = folder.publish_month("month1").run().fails_with("policy-invalid");
    assert_eq!(error.data()["line"], 12, "the line of `form`");
    assert!(error.to_string().contains("release.form"), "{error}");
}

/// A table of people and one of values: the two lines of the README join them, in SQL.
#[test]
fn the_two_lines_of_the_readme_join_the_tables() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("may.csv", month(present_in(1), false));
    let answer = folder.publish_month("may").run().passes().json();
    let database = rusqlite::Connection::open_in_memory().unwrap();
    for name in ["people", "illness"] {
        let text = folder.read(&format!("out-may/{name}.csv"));
        let columns = text.lines().next().unwrap();
        database.execute(&format!("CREATE TABLE {name} ({columns})"), []).unwrap();
        for row in folder.rows(&format!("out-may/{name}.csv")) {
            let cells: Vec<String> = row.iter().map(|cell| format!("'{cell}'")).collect();
            database.execute(&format!("INSERT INTO {name} VALUES ({})", cells.join(",")), []).unwrap();
        }
    }
    let readme = folder.read("out-may/README.md");
    let query = readme.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(query.trim().lines().count(), 2);
    // In DuckDB it runs as it is; elsewhere without the quotes, as the README says.
    let query = query.replace("'people.csv'", "people").replace("'illness.csv'", "illness");
    let mut joined = database.prepare(&query).unwrap();
    let rows = joined.query_map([], |row| row.get::<_, String>(3)).unwrap().count();
    let published = answer["published"].as_u64().unwrap() as usize;
    assert!(rows >= 3 * published, "{rows} of {published}");
}

/// A person asks to be deleted: before anything is published, the answer says what that would disclose, and what happens instead.
#[test]
fn a_rehearsal_says_what_a_deletion_would_disclose() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 2"));
    folder.write("may.csv", month(0..12, false));
    folder.publish_month("may").run().passes();
    folder.write("june.csv", month(1..12, false));
    let answer = folder.publish("june.csv", "june").output("june").rehearse().passes().json();
    assert_eq!((&answer["departures"]["people"], &answer["departures"]["groups"]), (&json!(1), &json!(1)));
    let column = &answer["departures"]["columns"][0];
    assert_eq!((&column["column"], &column["leavers"]), (&json!("illness"), &json!(1)));
    assert_eq!(answer["counterfeits"], 1);
    assert!(answer["alternative"].as_str().is_some_and(|words| !words.is_empty()), "{answer:#}");
    assert!(!folder.exists("june"));
    // A method that does not cover people who leave refuses, and says how many they are.
    let folder = TestFolder::monthly(&method_policy("bcf-anonymity", "k = 3"));
    folder.write("may.csv", month(0..12, false));
    folder.publish_month("may").run().passes();
    folder.write("june.csv", month(1..12, false));
    let error = folder.publish("june.csv", "june").output("june").run().refused_with("records-gone");
    assert_eq!(error.data()["records"], 1);
    let reticent_app::Error::Departures { departures: leaving, .. } = &error else { panic!("{error:?}") };
    assert_eq!(leaving.people, 1);
}

/// A stronger promise within a series: people whose lists are too short for it are withheld, and a warning says why.
#[test]
fn a_stronger_promise_withholds_people_with_short_lists() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("may.csv", month(0..40, false));
    folder.publish_month("may").run().passes();
    folder.write("reticent.toml", method_policy("m-invariance", "m = 4"));
    folder.write("june.csv", month(0..80, false));
    let answer = folder.publish_month("june").run().passes().json();
    let published = answer["published"].as_u64().unwrap();
    assert!(published > 0 && published < 80 && answer["withheld"][0]["reason"] == "history", "{answer:#}");
    let warnings = answer["warnings"].to_string();
    assert!(["release 1 may", "1/3", "1/4"].iter().all(|part| warnings.contains(part)), "{warnings}");
    folder.write("reticent.toml", method_policy("m-invariance", "m = 3"));
    folder.write("july.csv", month(0..40, false));
    let answer = folder.publish_month("july").run().passes().json();
    assert_eq!((&answer["published"], &answer["warnings"]), (&json!(40), &json!([])), "{answer:#}");
}

/// A sensitive value that changed is withheld, or the release refused, as the policy says.
#[test]
fn a_changed_value_is_withheld_or_refused() {
    for (options, refuses) in [("m = 2", false), ("m = 2\nchanged = \"refuse\"", true)] {
        let folder = TestFolder::monthly(&method_policy("m-invariance", options));
        let may = month(0..12, false);
        folder.write("may.csv", &may);
        folder.publish_month("may").run().passes();
        let [id, age, city, ill, _] = patient(3);
        let row = |ill: &str| format!("{id},{age},{city},{ill}\n");
        let other = ILLNESSES.iter().find(|other| **other != ill).unwrap();
        folder.write("june.csv", may.replace(&row(&ill), &row(other)));
        let result = folder.publish_month("june").run();
        if refuses {
            let error = result.refused_with("values-changed");
            assert_eq!(error.data()["records"], 1);
            assert!(!folder.exists("out-june"));
        } else {
            let answer = result.passes().json();
            assert_eq!(answer["withheld"][0]["reason"], "changed");
            assert_accounted(&answer);
        }
    }
}

/// A marginal table reveals counterfeits: one that discloses too much is refused, and leaves no file.
#[test]
fn a_marginal_table_that_discloses_too_much_is_refused() {
    let with = |marginals: &str, rows: &[(&str, &str)]| {
        let options = format!("primary = \"illness\"\nl = {{ illness = 2, pay = 2 }}\nmarginals = \"{marginals}\"");
        let policy = method_policy("decomposition", &options);
        let folder =
            TestFolder::monthly(&policy.replace("[release]\n", "[columns.pay]\nrole = \"sensitive\"\n[release]\n"));
        let row = |(at, (ill, pay)): (usize, &(&str, &str))| format!("p{at},{},Paris,{ill},{pay}\n", 30 + at);
        let rows: String = rows.iter().enumerate().map(row).collect();
        folder.write("may.csv", format!("patient,age,city,illness,pay\n{rows}"));
        folder
    };
    let publish = |folder: &TestFolder| folder.publish("may.csv", "may").output("out").run();
    // Three of four groups list `low` as a counterfeit; that only one person has it reveals that.
    let skewed: Vec<(&str, &str)> = [("flu", "high"), ("gout", "high")].repeat(3);
    let skewed = [skewed, vec![("flu", "low"), ("gout", "high")]].concat();
    publish(&with("off", &skewed)).passes();
    for marginals in ["joint", "each"] {
        let folder = with(marginals, &skewed);
        let error = publish(&folder).refused_with("posterior-above-confidence");
        let data = error.data();
        assert_eq!((&data["column"], &data["people"], &data["confidence"]), (&json!("pay"), &json!(8), &json!("1/2")));
        assert_eq!(folder.files(), ["city.csv", "may.csv", "reticent.key", "reticent.toml"]);
    }
    let even = [("flu", "high"), ("gout", "low"), ("flu", "low"), ("gout", "high")];
    let tables = |answer: &Value| -> Vec<String> {
        answer["tables"].as_array().unwrap().iter().map(|table| table["file"].as_str().unwrap().to_owned()).collect()
    };
    // Both publish a warning; that of the joint table names the option that discloses less.
    let warned = |answer: &Value| {
        let warnings = answer["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{answer:#}");
        warnings[0].as_str().unwrap().contains("marginals = \"each\"")
    };
    let folder = with("each", &even);
    let answer = publish(&folder).passes().json();
    assert!(tables(&answer).contains(&"marginal_pay.csv".to_owned()), "{answer:#}");
    assert!(!warned(&answer));
    assert!(folder.read("out/marginal_pay.csv").starts_with("pay,records\n"));
    let folder = with("joint", &even);
    let answer = publish(&folder).passes().json();
    assert!(tables(&answer).contains(&"marginal_illness_pay.csv".to_owned()), "{answer:#}");
    assert!(warned(&answer));
    assert_eq!(folder.read("out/marginal_illness_pay.csv").lines().count(), 5);
}

/// A series does not continue from a release that was erased. Recipients who never combine have a series of their own.
#[test]
fn a_series_continues_from_what_is_stored() {
    let separate = "[recipients]\nnon-colluding = [\"ministry\", \"press\"]\n";
    let folder = TestFolder::monthly(&(method_policy("m-invariance", "m = 3") + separate));
    for number in 1..=2 {
        folder.write(&format!("month{number}.csv"), month(present_in(number), false));
    }
    folder.publish("month1.csv", "m1").output("m1").to("press").run().passes();
    let other = folder.publish("month2.csv", "n1").output("n1").to("ministry").run().passes().json();
    assert_eq!(other["departures"]["people"], 0, "another series: {other:#}");
    let next = folder.publish("month2.csv", "m2").output("m2").to("press").run().passes().json();
    assert!(next["departures"]["people"].as_u64().unwrap() > 0);
    folder.purge("m1", "asked").passes();
    let error = folder.publish("month2.csv", "m3").output("m3").to("press").run();
    let error = error.refused_with("earlier-release-erased");
    assert_eq!((&error.data()["release"], &error.data()["name"]), (&json!(1), &json!("m1")));
    folder.verify().passes();
    // A release by an algorithm cannot be judged with one by a method.
    folder.write("plain.toml", format!("{MONTHLY_COLUMNS}[requirement]\nk = 2\n{separate}"));
    let plain = folder.with_policy("plain.toml");
    let error = plain.publish("month2.csv", "plain").to("ministry").run().refused_with("not-recordwise");
    assert_eq!(error.data()["name"], "n1");
}

/// The hash of a folder is that of what `sha256sum` prints in it; a table that was changed is found.
#[test]
fn a_changed_table_is_found() {
    let folder = TestFolder::monthly(&method_policy("history-guided", "l = 2"));
    folder.write("may.csv", month(0..20, false));
    let answer = folder.publish_month("may").run().passes().json();
    let states = |verified: &reticent_app::answer::VerifyAnswer| -> Vec<(u64, FileState)> {
        verified.findings.files.iter().map(|file| (file.release, file.state)).collect()
    };
    assert_eq!(states(&folder.verify().passes()), [(1, FileState::Intact)]);
    let printed = std::process::Command::new("sh")
        .args(["-c", "cd out-may && LC_ALL=C sha256sum * | sha256sum | cut -d ' ' -f 1"])
        .current_dir(folder.path())
        .output();
    if let Some(printed) = printed.ok().filter(|printed| printed.status.success()) {
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(answer["recorded"]["sha256"], printed.trim());
    }
    let text = folder.read("out-may/illness.csv");
    folder.write("out-may/illness.csv", text.replacen("flu", "gout", 1));
    let verified = folder.verify().violates();
    assert_eq!(states(&verified), [(1, FileState::Changed)]);
    // The file is the only problem: the ledger itself is intact.
    assert_eq!(verified.findings.problems.len(), 1, "{:?}", verified.findings.problems);
}

/// What is stored and published says neither who a person is nor which of the listed values is theirs.
#[test]
fn nothing_stored_names_a_person() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 2"));
    // Random texts of the ledger, such as signatures, contain short names by chance.
    folder.write("may.csv", month(0..20, false).replace("\np", "\nperson-number-"));
    folder.publish_month("may").run().passes();
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    let mut open = vec![folder.file("ledger"), folder.file("out-may")];
    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("person-number-"), "{} names a person", path.display());
            *endings.entry(path.extension().unwrap_or_default().to_string_lossy().into_owned()).or_default() += 1;
        }
    }
    // People, list, links and what the method remembers; three files for recipients.
    assert_eq!((endings["parquet"], endings["csv"], endings["md"]), (4, 3, 1), "{endings:?}");
}

/// The finest interval of the policy holds for methods too: no single value is published.
#[test]
fn no_value_is_finer_than_the_finest_interval() {
    for form in ["anatomized", "generalized"] {
        let intervals = "type = \"number\"\nintervals = [10, 20]\nexact = false\n";
        let policy = method_policy("m-invariance", "m = 3").replace("type = \"number\"\n", intervals);
        let folder = TestFolder::monthly(&policy.replace("[release]\n", &format!("[release]\nform = \"{form}\"\n")));
        folder.write("may.csv", month(0..60, false));
        folder.publish_month("may").run().passes();
        let text = folder.read("out-may/people.csv");
        let ages = text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().trim_start_matches(['"', '[']));
        let lows: BTreeSet<&str> = ages.map(|age| age.split(['-', ',', ')']).next().unwrap()).collect();
        assert!(lows.iter().all(|low| low.ends_with('0')), "{form}: {lows:?}\n{text}");
        assert!(lows.len() > 2, "{form}: {lows:?}");
        folder.audit().run().passes();
    }
}

/// Numbers and dates may be missing.
#[test]
fn cells_may_be_missing() {
    let columns = "[dataset]\nowner = \"patient\"\n[columns.patient]\n[columns.age]\ntype = \"number\"\n\
                   [columns.illness]\nrole = \"sensitive\"\n";
    for (values, [one, two]) in [("number", ["30", "41"]), ("date", ["1990-01-01", "1985-05-05"])] {
        for form in ["anatomized", "generalized"] {
            let release =
                format!("[release]\nform = \"{form}\"\nmethod = \"m-invariance\"\n[release.options]\nm = 2\n");
            let folder = TestFolder::from_policy(&(columns.replace("number", values) + &release));
            let rows =
                format!("patient,age,illness\na,{one},flu\nb,,gout\nc,{two},flu\nd,{one},gout\ne,,flu\nf,{two},gout\n");
            folder.write("rows.csv", rows);
            for name in ["may", "june"] {
                folder.publish("rows.csv", name).output(name).run().passes();
            }
            assert_eq!(folder.audit().run().passes().holds, Some(true));
        }
    }
}
