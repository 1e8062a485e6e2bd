//! Discretion: no answer, error or warning shows an identifier or a sensitive value, and the ledger stores what was published
//! only.

use reticent_app::request::Adversary;
use reticent_testkit::{Answer, Outcome, TestFolder, clinic_policy, clinic_policy_with_owner};

const NAME: &str = "ZZCANARYNAME";
const ILLNESS: &str = "ZZCANARYILLNESS";
const CITY: &str = "ZZCANARYCITY";
const AGE: &str = "41.4142";

/// Twelve people; one has a planted name and a planted illness.
fn data() -> String {
    let mut text = String::from("name,age,sex,city,illness\n");
    for row in 0..12 {
        let (name, illness) = if row == 5 { (NAME, ILLNESS) } else { ("someone", "flu") };
        text.push_str(&format!("{name}{row},{},F,Paris,{illness}\n", 30 + row));
    }
    text
}

/// Asserts that nothing that an interface can show of a result, or of the events until then, contains one of these texts.
#[track_caller]
fn shows_none_of<T: Answer>(folder: &TestFolder, result: &reticent_app::Result<T>, secrets: &[&str]) {
    let shown = result.visible_text() + &folder.events();
    assert!(!shown.is_empty());
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret} is shown:\n{shown}");
    }
}

#[test]
fn nothing_planted_is_in_an_answer_or_an_error() {
    let strict = clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.3");
    let as_number = clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"number\"");
    let as_tree = clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntaxonomy = \"t.csv\"");
    let wrong_length = data().replace(ILLNESS, &format!("{ILLNESS},more"));
    for (policy, data) in [
        (clinic_policy(3), data()),
        (clinic_policy(13), data()),
        (strict, data()),
        // The values of the sensitive column are wrong.
        (as_number, data()),
        (as_tree, data()),
        // The line with both values is wrong.
        (clinic_policy(3), wrong_length),
        (clinic_policy(3), data().replace("35,F", "x35x,F")),
    ] {
        let folder = TestFolder::from_policy(&policy);
        folder.write("people.csv", data);
        folder.write("t.csv", "flu;*\n");
        let secrets = [NAME, ILLNESS];
        shows_none_of(&folder, &folder.check("people.csv"), &secrets);
        shows_none_of(&folder, &folder.publish("people.csv", "one").run(), &secrets);
        shows_none_of(&folder, &folder.publish("people.csv", "two").rehearse(), &secrets);
        shows_none_of(&folder, &folder.publish("people.csv", "three").algorithm("optimal-full-domain").run(), &secrets);
    }
}

/// Everything that is stored in a folder, as text: every file, and every body (Parquet) unpacked.
fn stored(folder: &TestFolder, name: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.file(name)];
    while let Some(directory) = open.pop() {
        for path in std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            let mut text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            if name.ends_with(".parquet") && name.contains("bodies") {
                let counts = reticent_engine::read_back(&path, &reticent_engine::Options::default()).unwrap();
                text.push_str(&counts.values.concat().join("\n"));
            }
            found.push((name, text));
        }
    }
    assert!(found.len() > 4, "{found:?}");
    found
}

/// The ledger stores what was published and nothing else: no identifier anywhere, no value that was generalized away, and a
/// sensitive value only in the body of a release that published it.
#[test]
fn nothing_planted_is_in_the_ledger() {
    let folder = TestFolder::from_policy(&clinic_policy_with_owner(3));
    let planted = data().replace("35,F,Paris", &format!("{AGE},F,{CITY}"));
    folder.write("people.csv", &planted);
    folder.write("old.csv", format!("name,age,illness\n{NAME}5,30-39,{ILLNESS}\nsomeone2,30-39,flu\n"));
    let secrets = [NAME, ILLNESS];
    let press = |name: &str| folder.publish("people.csv", name).to("press");
    shows_none_of(&folder, &folder.with_policy("drafted/reticent.toml").init("people.csv"), &secrets);
    shows_none_of(&folder, &press("one").run(), &secrets);
    shows_none_of(&folder, &press("two").ignore_history().run(), &secrets);
    shows_none_of(&folder, &press("two").ignore_history().output("again.csv").run(), &secrets);
    shows_none_of(&folder, &press("three").run(), &secrets);
    shows_none_of(&folder, &folder.register("old.csv", "old").to("press").date("2020-01-01").run(), &secrets);
    shows_none_of(&folder, &folder.log(), &secrets);
    shows_none_of(&folder, &folder.show("one"), &secrets);
    shows_none_of(&folder, &folder.show("old"), &secrets);
    shows_none_of(&folder, &folder.diff("one", "two"), &secrets);
    shows_none_of(&folder, &folder.diff("one", "old"), &secrets);
    shows_none_of(&folder, &folder.history("press"), &secrets);
    shows_none_of(&folder, &folder.verify(), &secrets);
    shows_none_of(&folder, &folder.export_head(), &secrets);
    shows_none_of(&folder, &folder.purge("two", "asked"), &secrets);
    shows_none_of(&folder, &folder.show("two"), &secrets);
    assert_eq!(folder.verify().passes().entries, Some(5));
    let mut published_in = Vec::new();
    for (name, text) in stored(&folder, "ledger") {
        assert!(!text.contains(NAME), "{name} has an identifier");
        assert!(!text.contains(CITY) && !text.contains(AGE), "{name} has a value that was not published");
        if text.contains(ILLNESS) {
            published_in.push(name);
        }
    }
    assert!(published_in.iter().all(|name| name.starts_with("ledger/bodies/")), "{published_in:?}");
    assert_eq!(published_in.len(), 2, "two releases that published it are stored: {published_in:?}");
    // The texts can be found where they are: in the data, and in the file that published them.
    assert!(planted.contains(NAME) && planted.contains(CITY) && planted.contains(AGE));
    assert!(folder.read("one.csv").contains(ILLNESS) && !folder.read("one.csv").contains(CITY));
}

const POLICY: &str = "[dataset]\nname = \"t\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n\
                      [columns.city]\ntaxonomy = \"city.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n";

fn cities() -> TestFolder {
    let folder = TestFolder::from_policy(POLICY);
    folder.write("city.csv", "Paris;*\nRome;*\n");
    folder
}

/// A file without a header: its first record would be stored as column names, for ever.
#[test]
fn a_record_is_not_registered_as_column_names() {
    let rows = "Smith,F,hiv\nMiller,M,flu\nMiller,M,flu\nSmith,F,hiv\n";
    let with_policy = cities();
    with_policy.write("old.csv", rows);
    let call = with_policy.register("old.csv", "old").to("press").date("2020-01-01");
    for result in [call.run(), call.rehearse()] {
        shows_none_of(&with_policy, &result, &["Smith", "hiv"]);
        result.fails_with("no-known-column");
    }
    let folder = TestFolder::new();
    let without = folder.without_policy();
    without.write("old.csv", rows);
    let call = without.register("old.csv", "old").to("press").date("2020-01-01");
    let result = call.run();
    shows_none_of(&folder, &result, &["Smith", "hiv"]);
    assert_eq!(result.fails_with("registered-header-looks-like-data").data()["fields"], 3);
    assert!(!folder.exists("ledger"));
    // A caller who knows that these are the column names says so.
    folder.write("old.csv", "2019,2020\n1,2019\n2,2020\n1,2019\n");
    call.run().fails_with("registered-header-looks-like-data");
    call.quasi_identifier("2019,2020").run().passes();
}

/// A cell that does not fit its column may belong to another column, or to another record.
#[test]
fn errors_show_no_cell_that_is_out_of_place() {
    let folder = cities();
    folder.write(
        "quote.csv",
        "name,age,city,ill\nann,30,Paris,flu\nbob,31,\"Paris,hiv\ncat,32,Rome\",flu\ndan,33,Rome,flu\n",
    );
    let result = folder.check("quote.csv");
    shows_none_of(&folder, &result, &["hiv", "cat"]);
    let error = result.fails_with("column-unfit");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("1 value in 1 row"), "{error}");
    folder.write("shifted.csv", "name,age,city,ill\nann,30,Paris,flu\nbob,Bobby,Paris,flu\n");
    let checked = folder.check("shifted.csv");
    shows_none_of(&folder, &checked, &["Bobby"]);
    assert_eq!(checked.fails_with("column-unfit").data()["column"], "age");
    let registered = folder.register("shifted.csv", "a").to("p").date("2020-01-01").run();
    shows_none_of(&folder, &registered, &["Bobby"]);
    assert_eq!(registered.fails_with("column-unfit").data()["column"], "age");
    // A value that the steward has to look for is shown, unless it is rare and so can identify a person.
    for (rows, is_shown) in [(9, false), (10, true)] {
        let slips = "ann,30,Pariss,flu\n".repeat(rows);
        folder.write("slip.csv", format!("name,age,city,ill\n{slips}bob,30,Paris,flu\n"));
        let error = folder.check("slip.csv").fails_with("column-unfit");
        assert_eq!(error.to_string().contains("`Pariss`"), is_shown, "{error}");
    }
    folder.write("gap.csv", "name,age,city,ill\nann,n/a,Paris,flu\nbob,30,Paris,flu\n");
    let error = folder.register("gap.csv", "a").to("p").date("2020-01-01").run().fails_with("column-unfit");
    assert!(error.to_string().contains("`n/a`"), "{error}");
}

/// The draft asks whether a diagnosis is sensitive; until that is answered, no error shows one.
#[test]
fn values_of_columns_that_may_be_sensitive_are_in_no_error() {
    let folder = TestFolder::from_policy(
        "[columns.diagnosis]\ntaxonomy = \"d.csv\"\n[columns.city]\ntaxonomy = \"c.csv\"\n[requirement]\nk = 2\n",
    );
    folder.write("d.csv", "flu;*\ngout;*\n");
    folder.write("c.csv", "Oslo;*\nRome;*\n");
    folder.write("data.csv", "diagnosis,city\nflu,Oslo\nSyphilis,Oslo\n");
    let result = folder.check("data.csv");
    shows_none_of(&folder, &result, &["Syphilis"]);
    let error = result.fails_with("column-unfit");
    assert_eq!(error.data()["column"], "diagnosis");
    assert!(error.to_string().contains("1 value in 1 row"), "{error}");
    folder.write("data.csv", format!("diagnosis,city\nflu,Oslo\n{}", "flu,Bergen\n".repeat(10)));
    let error = folder.check("data.csv").fails_with("column-unfit");
    assert!(error.data()["column"] == "city" && error.to_string().contains("(`Bergen`)"), "{error}");
}

#[test]
fn a_witness_shows_no_sensitive_value() {
    let folder = TestFolder::from_policy(
        "[columns.age]\ntype = \"number\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [[requirement.models]]\nmodel = \"xy-anonymity\"\nx = [\"illness\"]\ny = [\"age\"]\nk = 2\n",
    );
    folder.write("d.csv", "age,illness\n30,HIV\n31,flu\n32,flu\n");
    let result = folder.check("d.csv");
    shows_none_of(&folder, &result, &["HIV"]);
    let answer = result.violates().json();
    let witness = &answer["data"]["models"][0]["worst"]["witness"][0];
    assert_eq!(*witness, serde_json::json!({ "column": "illness", "value": "(not shown)" }));
}

/// Where one value has a threshold, naming it beside a person who exceeds it would disclose what they have.
#[test]
fn a_value_with_a_threshold_is_not_named_beside_a_class() {
    let folder = TestFolder::from_policy(
        "[columns.age]\ntype = \"number\"\n[columns.ill]\nrole = \"sensitive\"\n[[requirement.models]]\nmodel = \"confidence-bounding\"\n\
         sensitive = \"ill\"\nvalues = { HIV = 0.5 }\n",
    );
    folder.write("people.csv", "age,ill\n33,HIV\n34,flu\n35,flu\n36,flu\n");
    let answer = folder.check("people.csv").violates().json();
    let worst = &answer["data"]["models"][0]["worst"];
    assert_eq!(worst["witness"], serde_json::json!([{ "column": "age", "value": "33" }]));
    assert!(!worst.to_string().contains("HIV"), "{worst}");
}

/// Of few people, neither a posterior nor the number of possible worlds may be published: both count those who are few.
#[test]
fn public_reports_of_few_people_show_no_ratio() {
    let pages = [6, 7, 8].map(|rare| {
        let folder = TestFolder::new().without_policy();
        let rows: String = (0..95).map(|at| format!("F,{}\n", if at < rare { "yes" } else { "no" })).collect();
        folder.write("r.csv", format!("sex,hiv\n{rows}"));
        let call = folder.register("r.csv", "r").to("press").date("2020-01-01");
        call.sensitive("hiv").quasi_identifier("sex").run().passes();
        folder.audit().html("public.html").public().run().passes();
        folder.read("public.html")
    });
    assert!(pages[0] == pages[1] && pages[1] == pages[2]);
    assert!(pages[0].contains("not shown"));
}

/// Findings of attackers who know the algorithm name nobody and no value in the words that a report shows.
#[test]
fn breaches_name_no_value() {
    let folder = TestFolder::downcoded();
    let call = folder.audit().confidence(0.9).adversary(Adversary::Algorithm).population("people.csv");
    let answer = call.run().violates().json();
    let words = answer["coalitions"][0]["violations"][0]["text"].as_str().unwrap();
    assert!(!words.contains("HIV") && !words.contains("Flu"), "{words}");
}
