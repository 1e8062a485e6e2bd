//! The same table again, with people who came and went: methods, from the files on.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Desk, Ran};

const COLUMNS: &str = "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\n[columns.age]\ntype = \"number\"\n\
                       [columns.city]\ntaxonomy = \"city.csv\"\n[columns.illness]\nrole = \"sensitive\"\n";
const CITIES: &str = "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n";
const ILLS: [&str; 5] = ["asthma", "colic", "flu", "gout", "ulcer"];
const PAYS: [&str; 4] = ["fair", "high", "low", "poor"];

pub fn policy(method: &str, options: &str) -> String {
    format!("{COLUMNS}[release]\nmethod = \"{method}\"\nseed = 7\n[release.options]\n{options}\n")
}

pub fn desk(policy: &str) -> Desk {
    let desk = Desk::new();
    desk.write("reticent.toml", policy);
    desk.write("city.csv", CITIES);
    desk
}

/// Somebody's row, always the same for the same number.
fn person(number: usize) -> [String; 5] {
    let mix = |salt: usize, of: usize| (number * 7919 + salt * 104_729 + number / 3) % of;
    [
        format!("p{number}"),
        (20 + mix(1, 60)).to_string(),
        ["Paris", "Lyon", "Oslo", "Bergen"][mix(2, 4)].to_owned(),
        ILLS[mix(3, 5)].to_owned(),
        PAYS[mix(4, 4)].to_owned(),
    ]
}

/// A month: these people.
pub fn month(people: impl IntoIterator<Item = usize>, pay: bool) -> String {
    let mut text = String::from(if pay { "patient,age,city,illness,pay\n" } else { "patient,age,city,illness\n" });
    for number in people {
        text += &person(number)[..if pay { 5 } else { 4 }].join(",");
        text.push('\n');
    }
    text
}

/// Who is there in which month: some come, some go, one comes back.
fn here(number: usize) -> impl Iterator<Item = usize> {
    (0..40 + 5 * number).filter(move |who| who % 11 != number % 11 || *who < 5)
}

#[track_caller]
pub fn publish(desk: &Desk, name: &str) -> Ran {
    desk.run(&format!("publish {name}.csv --name {name} -o out-{name} --json"))
}

/// Every record of the data is published, waits, is withheld or lacks a value.
#[track_caller]
fn accounted(answer: &serde_json::Value) {
    let sum = |list: &str| -> u64 {
        answer[list].as_array().unwrap().iter().map(|one| one["records"].as_u64().unwrap()).sum()
    };
    let count = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!(
        count("published") + sum("waiting") + sum("withheld") + count("dropped"),
        count("records"),
        "{answer:#}"
    );
}

/// Attacks that follow people through groups are run on people and lists, and nothing certain is found beyond so many findings.
#[track_caller]
fn attacked(desk: &Desk, most: u64, several: bool) -> u64 {
    let answer = desk.run("audit --effort 1 --confidence 1 --attack all --json").json();
    let attacks = answer["coalitions"][0]["attacks"].as_array().unwrap();
    let mut all = 0;
    for (id, more_than_one) in [("homogeneity", false), ("intersection", true), ("critical-absence", true)] {
        if more_than_one && !several {
            continue;
        }
        let attack = attacks.iter().find(|attack| attack["id"] == id).unwrap();
        assert!(attack["not_run"].is_null(), "{attack:#}");
        let findings = attack["findings"].as_array().unwrap();
        let certain = findings.iter().filter(|finding| finding["certain"] == true).count() as u64;
        assert!(certain <= most, "{attack:#}");
        all += certain;
    }
    all
}

/// Groups that are formed anew tell what intersecting them leaves, and attacks find it in the tables as they are published.
#[test]
fn attacks_put_people_and_lists_together() {
    let desk = desk(&policy("anatomy", "l = 3"));
    for number in 1..=2 {
        let name = format!("month{number}");
        desk.write(&format!("{name}.csv"), month(here(number), false));
        desk.run(&format!("publish {name}.csv --name {name} -o out-{name} --alone --json")).exits(0);
    }
    assert!(attacked(&desk, u64::MAX, true) > 0);
    desk.run("audit --worst 0 --attack intersection --attack unsorted-matching")
        .says("has one possible illness left when their groups in release 1 month1 and release 2 month2")
        .says("unsorted matching: finds nothing");
}

const METHODS: &[(&str, &str, bool)] = &[
    ("anatomy", "l = 3", false),
    ("decomposition", "primary = \"illness\"\nl = { illness = 3, pay = 2 }", true),
    ("decomposition-plus", "primary = \"illness\"\nl = { illness = 3, pay = 2 }", true),
    ("m-invariance", "m = 3", false),
    ("history-guided", "l = 3", false),
    ("incremental-l-diversity", "l = 2", false),
    ("bcf-anonymity", "k = 3\ngone = \"withhold\"", false),
];

/// Every method publishes month after month, or says that it is for one release; the ledger is whole, and an audit of what it kept
/// finds nothing beyond the promise.
#[test]
fn every_method_publishes_again() {
    let known: BTreeSet<&str> = reticent::methods::LIST.iter().map(|listed| listed.entry.id).collect();
    assert_eq!(known, METHODS.iter().map(|(id, ..)| *id).collect());
    for (id, options, several) in METHODS {
        for form in ["anatomized", "generalized"] {
            let pay = if *several { "[columns.pay]\nrole = \"sensitive\"\n" } else { "" };
            let policy = policy(id, options).replace("[release]\n", &format!("{pay}[release]\nform = \"{form}\"\n"));
            let desk = desk(&policy);
            let of_records = *id == "bcf-anonymity";
            for number in 1..=4 {
                let name = format!("month{number}");
                desk.write(&format!("{name}.csv"), month(here(number), *several));
                if of_records && form == "anatomized" {
                    publish(&desk, &name).exits(2).says("which quasi-identifiers as they are tell apart");
                    continue;
                }
                let ran = publish(&desk, &name);
                if number > 1 && ["anatomy", "decomposition"].contains(id) {
                    ran.exits(1).says("covers one release");
                    break;
                }
                let answer = ran.exits(0).json();
                accounted(&answer);
                assert!(answer["published"].as_u64().unwrap() > 10, "{id}: {answer:#}");
                assert_eq!(answer["form"], form);
                assert!(desk.read(&format!("out-{name}/README.md")).contains("SELECT people.*"));
            }
            if of_records && form == "anatomized" {
                continue;
            }
            desk.run("verify").exits(0).says("unchanged");
            let promised = !of_records;
            desk.run("audit --effort 1").exits(0).says(match promised {
                true => "Nobody's value is told",
                false => "is about records, which `publish` judges",
            });
            attacked(&desk, if promised { 0 } else { u64::MAX }, !["anatomy", "decomposition"].contains(id));
            desk.run("show month1").exits(0).says(&format!("Published by {id} ({form})"));
            desk.run("check month1.csv").says(match promised {
                true => "nobody's illness",
                false => "no record is linked",
            });
        }
    }
}

/// A table of people and one of values: the two lines of the README put them together, in SQL as it is.
#[test]
fn the_two_lines_of_the_readme_join_the_tables() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    desk.write("may.csv", month(here(1), false));
    let answer = publish(&desk, "may").exits(0).json();
    let database = rusqlite::Connection::open_in_memory().unwrap();
    for name in ["people", "illness"] {
        let text = desk.read(&format!("out-may/{name}.csv"));
        let mut reader = text.lines();
        let columns = reader.next().unwrap();
        database.execute(&format!("CREATE TABLE {name} ({columns})"), []).unwrap();
        for line in reader {
            // Intervals stand in quotes, and have a comma.
            let cells: Vec<String> = line
                .split('"')
                .enumerate()
                .flat_map(|(at, part)| match at % 2 {
                    1 => vec![part.to_owned()],
                    _ => part.trim_matches(',').split(',').filter(|cell| !cell.is_empty()).map(str::to_owned).collect(),
                })
                .collect();
            let cells: Vec<String> = cells.iter().map(|cell| format!("'{cell}'")).collect();
            database.execute(&format!("INSERT INTO {name} VALUES ({})", cells.join(",")), []).unwrap();
        }
    }
    let readme = desk.read("out-may/README.md");
    let query = readme.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(query.trim().lines().count(), 2);
    // In DuckDB it runs as it is; elsewhere without the quotes, as the README says.
    let query = query.replace("'people.csv'", "people").replace("'illness.csv'", "illness");
    let mut joined = database.prepare(&query).unwrap();
    let rows = joined.query_map([], |row| row.get::<_, String>(3)).unwrap().count();
    let published = answer["published"].as_u64().unwrap() as usize;
    assert!(rows >= 3 * published, "{rows} of {published}");
}

/// Somebody asks to be forgotten: before anything is published it is said what that would tell, and what is done instead.
#[test]
fn what_a_removal_would_tell_is_said_before_publishing() {
    let desk = desk(&policy("m-invariance", "m = 2"));
    desk.write("may.csv", month(0..12, false));
    publish(&desk, "may").exits(0);
    desk.write("june.csv", month(1..12, false));
    let said = desk.run("publish june.csv --name june -o june --dry-run").exits(0);
    let said = said.says("1 person of the release before is not in the data any more").says("Instead, their places");
    said.says("the illness of 1 of them");
    let answer = desk.run("publish june.csv --name june -o june --dry-run --json").exits(0).json();
    assert_eq!((&answer["leaving"]["people"], &answer["leaving"]["groups"]), (&1.into(), &1.into()));
    assert_eq!(answer["leaving"]["columns"][0]["gone"], 1);
    assert_eq!(answer["counterfeits"], 1);
    assert!(!desk.file("june").exists());
    // Who shows the groups again without them tells it, and an audit finds out.
    let desk = self::desk(&policy("bcf-anonymity", "k = 3"));
    desk.write("may.csv", month(0..12, false));
    publish(&desk, "may").exits(0);
    desk.write("june.csv", month(1..12, false));
    desk.run("publish june.csv --name june -o june").exits(1).says("1 person of the release before");
}

/// What a policy or a call says wrongly is an error that says what to do.
#[test]
fn mistakes_are_told() {
    let right = policy("m-invariance", "m = 3");
    let wrong = |from: &str, to: &str, call: &str, says: &str| {
        let desk = desk(&right.replace(from, to));
        desk.write("may.csv", month(0..20, false));
        desk.write("twice.csv", month((0..20).chain([3]), false));
        desk.run(call).exits(2).says(says);
        assert!(!desk.file("ledger").exists() && !desk.file("out").exists(), "{call}");
    };
    let call = "publish may.csv --name may -o out";
    wrong("owner = \"patient\"\n", "", call, "write owner = \"...\" under [dataset]");
    wrong("m-invariance", "m-invarience", call, "did you mean `m-invariance`");
    wrong("m-invariance", "Decomposition+", call, "did you mean `decomposition-plus`");
    wrong("method = ", "algorithm = ", call, "write method = \"m-invariance\"");
    wrong("m-invariance", "optimal-full-domain", call, "write algorithm = \"optimal-full-domain\"");
    wrong("m = 3", "l = 3", call, "has no parameter `l`");
    wrong("[release.options]\nm = 3", "", call, "needs `m`");
    wrong("m = 3", "m = 1", call, "at least 2");
    let method = "m-invariance\"\nseed = 7\n[release.options]\nm = 3";
    let columns = |said: &str| format!("decomposition-plus\"\nseed = 7\n[release.options]\n{said}");
    wrong(
        method,
        &columns("primary = \"city\"\nl = { illness = 3 }"),
        call,
        "is not among the sensitive columns illness",
    );
    wrong(method, &columns("primary = \"illness\"\nl = { illness = 3, city = 2 }"), call, "`l` names city");
    wrong(method, &columns("primary = \"illness\"\nl = {}"), call, "`l`");
    wrong("[release]\n", "[requirement]\nk = 5\n[release]\n", call, "is for algorithms");
    wrong("[release]\n", "[release]\nalgorithm = \"multidimensional\"\n", call, "take one of them out");
    wrong("method = \"m-invariance\"\n", "form = \"anatomized\"\n", call, "no `method` is named");
    wrong("role = \"sensitive\"", "role = \"other\"", call, "has the role other");
    wrong("", "", "publish may.csv --name may -o out.csv", "name a folder, such as out");
    wrong("", "", "publish twice.csv --name may -o out", "one record for each owner");
    wrong("", "", "publish may.csv --name may -o out --algorithm multidimensional", "the policy names a method");
    wrong("", "", "compare may.csv", "publish --dry-run");
    let desk = desk(&right);
    desk.write("may.csv", month(0..20, false));
    desk.run("check may.csv").exits(0).says("`reticent publish --dry-run` tells whether it can be kept");
}

/// A stronger promise within a series: those whose lists are too short for it are withheld, and it is said why.
#[test]
fn a_promise_that_was_raised_is_told() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    desk.write("may.csv", month(0..40, false));
    publish(&desk, "may").exits(0);
    desk.write("reticent.toml", policy("m-invariance", "m = 4"));
    desk.write("june.csv", month(0..80, false));
    let answer = publish(&desk, "june").exits(0).json();
    let published = answer["published"].as_u64().unwrap();
    assert!(published > 0 && published < 80 && answer["withheld"][0]["reason"] == "history", "{answer:#}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("release 1 may promised at most 1/3 of illness, and this one 1/4"), "{warnings}");
    desk.write("reticent.toml", policy("m-invariance", "m = 3"));
    desk.write("july.csv", month(0..40, false));
    let answer = publish(&desk, "july").exits(0).json();
    assert_eq!((&answer["published"], &answer["warnings"]), (&40.into(), &serde_json::json!([])), "{answer:#}");
}

/// A sensitive value that changed is withheld, or the release refused, as the policy says.
#[test]
fn a_corrected_value_is_withheld_or_refused() {
    for (options, status) in [("m = 2", 0), ("m = 2\nchanged = \"refuse\"", 1)] {
        let desk = desk(&policy("m-invariance", options));
        let may = month(0..12, false);
        desk.write("may.csv", &may);
        publish(&desk, "may").exits(0);
        let [patient, age, city, ill, _] = person(3);
        let before = [patient.clone(), age.clone(), city.clone(), ill.clone()].join(",");
        let other = ILLS.iter().find(|other| ***other != *ill).unwrap();
        desk.write("june.csv", may.replace(&before, &[&patient, &age, &city, *other].map(|s| s as &str).join(",")));
        let ran = publish(&desk, "june").exits(status);
        if status == 0 {
            let answer = ran.json();
            assert_eq!(answer["withheld"][0]["reason"], "changed");
            accounted(&answer);
        } else {
            ran.says("1 record holds another sensitive value");
            assert!(!desk.file("out-june").exists());
        }
    }
}

/// A marginal table undoes false values: one that tells too much is refused, and what is refused leaves nothing behind.
#[test]
fn a_marginal_table_that_tells_too_much_is_refused() {
    let with = |marginals: &str, rows: &[(&str, &str)]| {
        let options = format!("primary = \"illness\"\nl = {{ illness = 2, pay = 2 }}\nmarginals = \"{marginals}\"");
        let policy = policy("decomposition", &options);
        let desk = desk(&policy.replace("[release]\n", "[columns.pay]\nrole = \"sensitive\"\n[release]\n"));
        let row = |(at, (ill, pay)): (usize, &(&str, &str))| format!("p{at},{},Paris,{ill},{pay}\n", 30 + at);
        let rows: String = rows.iter().enumerate().map(row).collect();
        desk.write("may.csv", format!("patient,age,city,illness,pay\n{rows}"));
        desk
    };
    let call = "publish may.csv --name may -o out";
    // Three of four groups list `low` for nobody; that only one has it undoes that.
    let skewed: Vec<(&str, &str)> = [("flu", "high"), ("gout", "high")].repeat(3);
    let skewed = [skewed, vec![("flu", "low"), ("gout", "high")]].concat();
    with("off", &skewed).run(call).exits(0);
    for marginals in ["joint", "each"] {
        let desk = with(marginals, &skewed);
        desk.run(call).exits(1).says("tells the pay of 8 people with more confidence than 50 %");
        assert_eq!(desk.files(), ["city.csv", "may.csv", "reticent.key", "reticent.toml"]);
    }
    let even = [("flu", "high"), ("gout", "low"), ("flu", "low"), ("gout", "high")];
    let desk = with("each", &even);
    desk.run(call).exits(0).says("it is told how often each value is");
    assert!(desk.read("out/marginal_pay.csv").starts_with("pay,records\n"));
    let desk = with("joint", &even);
    desk.run(call).exits(0).says("`marginals = \"each\"` tells less");
    assert_eq!(desk.read("out/marginal_illness_pay.csv").lines().count(), 5);
}

/// A release whose contents were erased cannot be gone on from; and a series to others who never combine is another one.
#[test]
fn series_go_on_from_what_is_kept() {
    let separate = "[recipients]\nseparate = [\"ministry\", \"press\"]\n";
    let desk = desk(&(policy("m-invariance", "m = 3") + separate));
    for number in 1..=2 {
        desk.write(&format!("month{number}.csv"), month(here(number), false));
    }
    desk.run("publish month1.csv --name m1 -o m1 --to press").exits(0);
    let other = desk.run("publish month2.csv --name n1 -o n1 --to ministry --json").exits(0).json();
    assert_eq!(other["leaving"]["people"], 0, "another series: {other:#}");
    let next = desk.run("publish month2.csv --name m2 -o m2 --to press --json").exits(0).json();
    assert!(next["leaving"]["people"].as_u64().unwrap() > 0);
    desk.run("purge m1 --reason asked --yes").exits(0);
    desk.run("publish month2.csv --name m3 -o m3 --to press").exits(1).says("were erased");
    desk.run("verify").exits(0);
    // What was published by a method stands in the way of a release by an algorithm, and says so.
    desk.write("plain.toml", format!("{COLUMNS}[requirement]\nk = 2\n{separate}"));
    let call = "publish month2.csv --name plain -o plain.csv --to ministry --policy plain.toml";
    desk.run(call).exits(1).says("does not show its records one by one");
}

/// The hash of a folder is that of what `sha256sum` prints in it; a table that was changed is found.
#[test]
fn a_changed_table_is_found() {
    let desk = desk(&policy("history-guided", "l = 2"));
    desk.write("may.csv", month(0..20, false));
    let answer = publish(&desk, "may").exits(0).json();
    desk.run("verify").exits(0).says("1 folder where published, unchanged");
    let printed = std::process::Command::new("sh")
        .args(["-c", "cd out-may && LC_ALL=C sha256sum * | sha256sum | cut -d ' ' -f 1"])
        .current_dir(desk.path())
        .output();
    if let Some(printed) = printed.ok().filter(|printed| printed.status.success()) {
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(answer["recorded"]["sha256"], printed.trim());
    }
    let text = desk.read("out-may/illness.csv");
    desk.write("out-may/illness.csv", text.replacen("flu", "gout", 1));
    desk.run("verify")
        .exits(4)
        .says("is not what was published")
        .says("published files were changed")
        .says("itself is intact");
}

/// What is kept of a series says neither who somebody is nor which of the listed values is theirs.
#[test]
fn nothing_kept_tells_whose_a_value_is() {
    let desk = desk(&policy("m-invariance", "m = 2"));
    desk.write("may.csv", month(0..20, false));
    publish(&desk, "may").exits(0);
    let mut marks: BTreeMap<String, usize> = BTreeMap::new();
    let mut open = vec![desk.file("ledger"), desk.file("out-may")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            for number in 10..20 {
                assert!(!text.contains(&format!("p{number}")), "{} names p{number}", path.display());
            }
            *marks.entry(path.extension().unwrap_or_default().to_string_lossy().into_owned()).or_default() += 1;
        }
    }
    // People, list, links and what is remembered; three files for recipients.
    assert_eq!((marks["parquet"], marks["csv"], marks["md"]), (4, 3, 1), "{marks:?}");
}

/// What the policy says of single values holds for methods too: none is published below the finest interval.
#[test]
fn intervals_are_kept() {
    for form in ["anatomized", "generalized"] {
        let intervals = "type = \"number\"\nintervals = [10, 20]\nexact = false\n";
        let policy = policy("m-invariance", "m = 3").replace("type = \"number\"\n", intervals);
        let desk = desk(&policy.replace("[release]\n", &format!("[release]\nform = \"{form}\"\n")));
        desk.write("may.csv", month(0..60, false));
        publish(&desk, "may").exits(0);
        let text = desk.read("out-may/people.csv");
        let ages = text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().trim_start_matches(['"', '[']));
        let lows: BTreeSet<&str> = ages.map(|age| age.split(['-', ',', ')']).next().unwrap()).collect();
        assert!(lows.iter().all(|low| low.ends_with('0')), "{form}: {lows:?}\n{text}");
        assert!(lows.len() > 2, "{form}: {lows:?}");
        desk.run("audit").exits(0);
    }
}

/// A release whose owners are not known, and that shows the same column, is no history that a method can go on from.
#[test]
fn what_cannot_be_followed_is_refused() {
    let desk = desk(&policy("m-invariance", "m = 3"));
    desk.write("old.csv", "age,illness\n30,flu\n31,gout\n");
    desk.run("register old.csv --name old --to public --date 2026-01-01 --quasi-identifier age --sensitive illness")
        .exits(0);
    desk.write("may.csv", month(0..20, false));
    desk.run("publish may.csv --name may -o may").exits(1).says("it is not known whose its records are");
    desk.run("publish may.csv --name may -o may --alone").exits(0).says("by this release by itself");
    assert!(!desk.run("show may").exits(0).out.contains("by all releases that its recipients can hold"));
}

const PLAIN: &str = "[dataset]\nowner = \"patient\"\n[columns.patient]\n[columns.age]\ntype = \"number\"\n[columns.illness]\nrole = \"sensitive\"\n";

/// What an earlier release told of somebody excuses no release that tells it better.
#[test]
fn what_was_told_before_is_no_excuse_to_tell_it_better() {
    for (method, options) in [
        ("history-guided", "l = 3"),
        ("m-invariance", "m = 3"),
        ("incremental-l-diversity", "l = 3"),
        ("anatomy", "l = 3"),
    ] {
        let desk = Desk::new();
        desk.write("plain.toml", format!("{PLAIN}[requirement]\nk = 2\nconfidence = 0.5\n"));
        desk.write("reticent.toml", format!("{PLAIN}[release]\nmethod = \"{method}\"\n[release.options]\n{options}\n"));
        desk.write("one.csv", "patient,age,illness\nA,21,flu\nB,22,gout\n");
        desk.write("two.csv", "patient,age,illness\nA,21,flu\nC,31,ulcer\nD,32,colic\nE,33,asthma\n");
        desk.run("publish one.csv --name one -o one.csv.gz --policy plain.toml").exits(0);
        // A shares no value of the second release but flu: A and B would be certain.
        desk.run("publish two.csv --name two -o two").exits(1).says("with more confidence than 33.3 %");
        assert!(!desk.file("two").exists());
    }
}

/// A promise that is stricter than what was told before says so, and does not hold it against a release that tells nothing more.
#[test]
fn what_was_told_before_is_told() {
    let policy = |m: u32| format!("{PLAIN}[release]\nmethod = \"m-invariance\"\n[release.options]\nm = {m}\n");
    let desk = Desk::new();
    desk.write("reticent.toml", policy(2));
    desk.write("one.csv", "patient,age,illness\na,21,flu\nb,22,gout\n");
    desk.write("two.csv", "patient,age,illness\nc,31,flu\nd,32,gout\ne,33,ulcer\n");
    desk.run("publish one.csv --name one -o one/").exits(0);
    desk.write("reticent.toml", policy(3));
    let said = desk.run("publish two.csv --name two -o two").exits(0);
    said.says("earlier releases already tell the illness of 2 people with up to 50.0 %");
    assert!(desk.read("two/README.md").contains("Earlier releases told more of some people"));
    assert!(!desk.read("one/README.md").contains("Earlier releases"));
}

/// Numbers and dates may be missing.
#[test]
fn cells_may_be_missing() {
    for (values, cells) in [("number", ["30", "41"]), ("date", ["1990-01-01", "1985-05-05"])] {
        for form in ["anatomized", "generalized"] {
            let desk = Desk::new();
            let release =
                format!("[release]\nform = \"{form}\"\nmethod = \"m-invariance\"\n[release.options]\nm = 2\n");
            desk.write("reticent.toml", PLAIN.replace("number", values) + &release);
            let [one, two] = cells;
            let rows =
                format!("patient,age,illness\na,{one},flu\nb,,gout\nc,{two},flu\nd,{one},gout\ne,,flu\nf,{two},gout\n");
            for name in ["may", "june"] {
                desk.write("rows.csv", &rows);
                desk.run(&format!("publish rows.csv --name {name} -o {name}")).exits(0);
            }
            desk.run("audit").exits(0).says("Nobody's value is told");
        }
    }
}
