//! Population registers: tables that attackers have and that need no protection, such as a voter list.

use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::{Value, json};

const CITIES: [&str; 4] = ["Paris", "Lyon", "Oslo", "Bergen"];
const ILLNESSES: [&str; 4] = ["flu", "asthma", "diabetes", "ulcer"];

/// Name, age, sex and city of 300 people.
fn voter(at: usize) -> String {
    // A multiplicative generator: the columns do not repeat together.
    let draw = |salt: usize, below: usize| (at + 1) * (at + salt) * 7919 % 10_007 % below;
    format!("P{at:03},{},{},{}", 20 + draw(3, 50), ["F", "M"][draw(11, 2)], CITIES[draw(29, 4)])
}

fn policy(more: &str) -> String {
    format!(
        "[dataset]\nname = \"people\"\n{more}[columns.name]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n\
         intervals = [10, 20, 40]\n[columns.sex]\n[columns.city]\ntaxonomy = \"city.csv\"\n[columns.illness]\n\
         role = \"sensitive\"\n[requirement]\nk = 5\nconfidence = 0.8\n[release]\nseed = 1\n"
    )
}

/// A folder with the voter list and data about every second voter.
fn voters(policy: &str) -> TestFolder {
    let folder = TestFolder::from_policy(policy);
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    let list: String = (0..300).map(|at| voter(at) + "\n").collect();
    folder.write("voters.csv", "name,age,sex,city\n".to_owned() + &list);
    let row = |at: usize| format!("{},{}\n", voter(2 * at), ILLNESSES[at % 4]);
    let people: String = (0..150).map(row).collect();
    folder.write("people.csv", "name,age,sex,city,illness\n".to_owned() + &people);
    folder
}

/// The counted people and values of the requirements over joins, with the releases that are joined.
fn counted(answer: &Value) -> Vec<(String, Value)> {
    let statements = answer["statements"].as_array().unwrap().iter();
    let joined = statements.filter(|statement| statement["scope"]["releases"] == "joined");
    joined
        .map(|statement| {
            (statement["parameters"]["of"].as_str().unwrap().to_owned(), statement["scope"]["with"].clone())
        })
        .collect()
}

/// Most voters are alone with their age, sex and city. As a release, the list itself violates k = 5, which is reported.
#[test]
fn a_voter_list_does_not_have_to_be_anonymous() {
    let folder = voters(&policy(""));
    folder.register("voters.csv", "voters").identifier("name").date("2024-06-01").run().passes();
    let answer = folder.publish("people.csv", "spring").run().passes().json();
    let of_voters = |join: &&Value| join["requirement"].as_str().unwrap().contains("people of voters");
    let already: Vec<&Value> = answer["verified"]["joins"].as_array().unwrap().iter().filter(of_voters).collect();
    assert!(already.iter().any(|join| join["already_violated"].as_u64().unwrap() > 100), "{already:?}");

    let folder = voters(&policy(""));
    let call = folder.register("voters.csv", "voters").identifier("name").date("2024-06-01").as_population();
    let answer = call.run().passes().json();
    assert_eq!((&answer["origin"], &answer["omitted_columns"]), (&json!("population"), &json!(["name"])));
    assert_eq!((&answer["identifiers_shown"], &answer["people"]), (&json!([]), &json!(null)));
    let answer = folder.publish("people.csv", "spring").run().passes().json();
    let joined = counted(&answer);
    let all = [("people of spring".to_owned(), json!([1])), ("values of spring.illness".to_owned(), json!([1]))];
    assert!(joined.iter().any(|one| *one == all[0]), "{joined:?}");
    assert!(joined.iter().all(|(of, with)| of.contains("spring") && *with == json!([1])), "{joined:?}");
    assert_eq!(answer["judged"], json!({ "scope": "history", "with": [1] }));
    assert_eq!(answer["not_established"], json!([]));
    assert_eq!(answer["audited"]["join_only"], json!([]));
    // The list does not change the release.
    let alone = voters(&policy(""));
    alone.publish("people.csv", "spring").run().passes();
    assert_eq!(folder.read("spring.csv"), alone.read("spring.csv"));
}

#[test]
fn the_ledger_shows_what_is_a_population_register() {
    let folder = voters(&policy(""));
    folder.register("voters.csv", "voters").identifier("name").as_population().run().passes();
    folder.publish("people.csv", "spring").run().passes();
    let log = folder.log().passes().json();
    assert_eq!((&log["log"][0]["origin"], &log["log"][1]["origin"]), (&json!("population"), &json!("published")));
    let shown = folder.show("voters").passes().json();
    assert_eq!(
        (&shown["recorded"]["kind"], &shown["recorded"]["content"]["dataset"]),
        (&json!("population"), &json!("voters"))
    );
    let columns = shown["recorded"]["content"]["columns"].as_array().unwrap();
    let names: Vec<(&Value, &Value)> = columns.iter().map(|column| (&column["name"], &column["role"])).collect();
    let quasi = json!("quasi-identifier");
    assert_eq!(names, [(&json!("age"), &quasi), (&json!("sex"), &quasi), (&json!("city"), &quasi)]);
    let held = folder.history("press").passes().json();
    assert_eq!(held["coalitions"][0]["releases"][0]["origin"], "population");
    assert_eq!(folder.verify().passes().json()["status"], "authentic");
}

/// A person in the list is not identified by us, and its records are no records of ours.
#[test]
fn an_audit_has_the_same_figures_with_a_register() {
    for owner in ["", "owner = \"name\"\n"] {
        let folder = voters(&policy(owner));
        folder.register("voters.csv", "voters").identifier("name").as_population().run().passes();
        // Whoever holds only the list holds no release.
        assert_eq!(folder.audit().run().passes().json()["coalitions"], json!([]));
        folder.publish("people.csv", "spring").run().passes();
        let alone = voters(&policy(owner));
        alone.publish("people.csv", "spring").run().passes();
        let audit = |folder: &TestFolder| folder.audit().run().passes().json()["coalitions"][0].clone();
        let (found, expected) = (audit(&folder), audit(&alone));
        assert_eq!((&found["not_established"], &found["erased"]), (&json!([]), &json!([])));
        for field in ["people", "columns", "identity", "identified", "ln_worlds", "pairs", "stats", "not_considered"] {
            assert_eq!(found["audit"][field], expected["audit"][field], "{field}");
        }
        assert_eq!((&found["audit"]["identified"], &found["audit"]["people"]), (&json!([]), &json!(150)));
        // With owner links, the audit counts whom the list names.
        let listed = if owner.is_empty() { json!(null) } else { json!(150) };
        let register = json!({ "number": 1, "name": "voters", "records": 300, "listed_people": listed });
        assert_eq!(
            (&found["audit"]["populations"], &expected["audit"]["populations"]),
            (&json!([register]), &json!([]))
        );
        let text = "voters is a population register";
        let mut assumptions = found["audit"]["assumptions"].as_array().unwrap().iter();
        assert!(assumptions.any(|line| line.as_str().unwrap().starts_with(text)));
    }
}

/// Sensitive values in a register would be a disclosure that nothing judges.
#[test]
fn a_register_has_no_sensitive_column() {
    let folder = voters(&policy(""));
    let call = folder.register("people.csv", "list").identifier("name").as_population();
    let error = call.run().fails_with("population-sensitive");
    assert_eq!(error.data(), json!({ "column": "illness" }));
    let error = folder.register("voters.csv", "list").identifier("name").sensitive("city").as_population();
    assert_eq!(error.run().fails_with("population-sensitive").data(), json!({ "column": "city" }));
    for (option, call) in [
        ("group-column", folder.register("voters.csv", "list").group_column("city")),
        ("counterfeit-column", folder.register("voters.csv", "list").counterfeit_column("age")),
        ("marginal-of", folder.register("voters.csv", "list").marginal_of("spring")),
    ] {
        let error = call.as_population().run().fails_with("options-conflict");
        assert_eq!(error.data(), json!({ "one": "as-population", "other": option }));
    }
    // Attackers who know a value need not infer it: whoever is in the list with it cannot be protected.
    call.clone().quasi_identifier("illness").run().passes();
    folder.publish("people.csv", "spring").run().refused_with("requirement-unreachable");
    // Without the column, the list is background knowledge as any other.
    let folder = voters(&policy(""));
    folder.register("people.csv", "list").identifier("name,illness").as_population().run().passes();
    folder.publish("people.csv", "spring").run().passes();
}

/// A column without protection links records to the list: what the list shows is known.
#[test]
fn a_register_links_by_every_column_it_has() {
    let policy = policy("").replace("[requirement]", "[columns.badge]\nrole = \"other\"\n[requirement]");
    let badges = |folder: &TestFolder| {
        for file in ["voters.csv", "people.csv"] {
            let text = folder.read(file);
            let line = |(at, line): (usize, &str)| match at {
                0 => format!("{line},badge\n"),
                _ => format!("{line},b{}\n", line[1..4].parse::<usize>().unwrap() / 2 % 7),
            };
            folder.write(file, text.lines().enumerate().map(line).collect::<String>());
        }
    };
    let published = |with_register: bool| {
        let folder = voters(&policy);
        badges(&folder);
        if with_register {
            let call = folder.register("voters.csv", "voters").identifier("name").as_population();
            let answer = call.run().passes().json();
            let badge = answer["columns"].as_array().unwrap().iter().find(|column| column["name"] == "badge").unwrap();
            assert_eq!(badge["role"], "quasi-identifier");
        }
        folder.publish("people.csv", "spring").columns("age,badge").run().passes();
        let mut counts = std::collections::BTreeMap::new();
        folder.read("spring.csv").lines().skip(1).for_each(|line| *counts.entry(line.to_owned()).or_insert(0) += 1);
        *counts.values().min().unwrap()
    };
    // About 21 people have each badge. Those of one age interval are fewer than five.
    assert!(published(false) < 5, "the test shows nothing");
    assert!(published(true) >= 5);
}

/// An erased register cannot be joined, but no figure of an audit depends on it.
#[test]
fn an_erased_register_is_missing_from_joins_only() {
    let folder = voters(&policy("owner = \"name\"\n"));
    folder.register("voters.csv", "voters").identifier("name").as_population().run().passes();
    folder.publish("people.csv", "spring").run().passes();
    folder.purge("voters", "asked").passes();
    let audit = folder.audit().run().passes().json();
    assert_eq!(audit["coalitions"][0]["erased"], json!([]));
    assert_eq!(audit["coalitions"][0]["not_established"], json!([]));
    folder.publish("people.csv", "summer").run().refused_with("earlier-release-erased");
}

/// The quasi-identifiers of all people are known to the attacker of a method already.
#[test]
fn a_method_publishes_beside_a_register() {
    let method = "[release]\nmethod = \"m-invariance\"\n[release.options]\nm = 2";
    let policy = policy("owner = \"name\"\n").replace("confidence = 0.8", "confidence = 0.5");
    let policy = policy.replace("[release]\nseed = 1", method);
    let folder = voters(&policy);
    folder.register("voters.csv", "voters").identifier("name").as_population().run().passes();
    // A first release beside a register is the first release: nothing of the policy is left open.
    let answer = folder.publish("people.csv", "spring").output("spring").run().passes().json();
    assert_eq!(answer["not_established"], json!([]), "{answer:#}");
    folder.publish("people.csv", "summer").output("summer").run().passes();
    let audit = folder.audit().run().passes().json();
    assert_eq!(audit["coalitions"][0]["audit"]["people"], 150);
}
