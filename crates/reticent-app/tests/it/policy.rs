//! Policies and taxonomies that are wrong: the error names the file, the line or column, and what to write instead.

use reticent_app::error::Class;
use reticent_app::{Error, Hint};
use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy};

/// The clinic's policy with one change fails with this code.
#[track_caller]
fn fails(from: &str, to: &str, code: &str) -> Error {
    let policy = clinic_policy(3);
    assert!(policy.contains(from));
    TestFolder::clinic(&policy.replace(from, to)).check("people.csv").fails_with(code)
}

#[test]
fn columns_of_the_policy_and_of_the_data_are_the_same() {
    let error = fails("[columns.city]", "[columns.citi]", "policy-invalid");
    assert_eq!(error.data()["line"], 12);
    assert!(error.to_string().contains("the data has no column `citi`"), "{error}");
    let error = fails("[columns.city]\n", "", "policy-invalid");
    assert!(error.to_string().contains("`city`"), "{error}");
}

#[test]
fn misspelled_words_have_a_line_and_a_suggestion() {
    // The clinic's policy has the role on line 15, the requirement on line 18 and the seed on line 21.
    let error = fails("role = \"sensitive\"", "role = \"sensitiv\"", "policy-invalid");
    assert_eq!(error.data()["line"], 15);
    assert!(error.to_string().contains("did you mean `sensitive`?"), "{error}");
    let error = fails("seed = 1", "sed = 1", "policy-invalid");
    assert_eq!(error.data()["line"], 21);
    assert!(error.to_string().contains("did you mean `seed`?"), "{error}");
    assert_eq!(fails("k = 3", "k = 0", "policy-invalid").data()["line"], 18);
    assert_eq!(fails("k = 3", "k = = 3", "policy-invalid").data()["line"], 18);
}

#[test]
fn models_are_checked_against_the_catalogue() {
    let error = fails("k = 3", "k = 3\n[[requirement.models]]\nmodel = \"k-anonimity\"", "policy-invalid");
    assert_eq!(error.data()["line"], 20);
    assert!(error.to_string().contains("did you mean `k-anonymity`?"), "{error}");
    let error = fails("k = 3", "k = 3\n[[requirement.models]]\nmodel = \"t-closeness\"\nt = 1.5", "policy-invalid");
    assert_eq!(error.data()["line"], 20);
    assert!(error.to_string().contains("number from 0 to 1"), "{error}");
}

#[test]
fn a_missing_policy_can_be_drafted() {
    let folder = TestFolder::new();
    folder.write("people.csv", CLINIC);
    let error = folder.check("people.csv").fails_as(Class::Io, "file-failed");
    assert_eq!(error.data()["path"], folder.file("reticent.toml").display().to_string());
    assert_eq!(error.hints(), [Hint::DraftPolicy]);
}

#[test]
fn the_owner_is_never_published() {
    for role in ["other", "quasi-identifier", "sensitive"] {
        let folder = TestFolder::from_policy(&format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"{role}\"\n[columns.age]\ntype = \"number\"\n[requirement]\nk = 2\n"
        ));
        folder.write("d.csv", "pid,age\np1,30\np2,30\n");
        let error = folder.publish("d.csv", "x").run().fails_with("policy-invalid");
        assert!(error.to_string().contains("the owner must have the role identifier"), "{error}");
        assert!(!folder.exists("x.csv"));
    }
}

#[test]
fn a_taxonomy_has_no_cycle_and_every_value() {
    let policy = clinic_policy(3).replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"");
    let folder = TestFolder::clinic(&policy);
    let error = folder.check("people.csv").fails_with("policy-invalid");
    assert!(error.to_string().contains("city.csv"), "{error}");
    folder.write("city.csv", "Paris;France;Paris;*\n");
    let error = folder.check("people.csv").fails_with("taxonomy-invalid");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("cycle"), "{error}");
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\n");
    let error = folder.check("people.csv").fails_with("column-unfit");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("1 value in 2 rows") && !error.to_string().contains("Bergen"), "{error}");
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    folder.publish("people.csv", "one").run().passes();
}

#[test]
fn errors_name_the_policy_that_is_wrong() {
    let folder = TestFolder::new();
    folder.write("d.csv", "sex,illness\nF,flu\nF,gout\n");
    let other = folder.with_policy("other.toml");
    let path = folder.file("other.toml").display().to_string();
    folder.write("other.toml", "[columns.sex]\nrole = \"quasi\"\n");
    let error = other.check("d.csv").fails_with("policy-invalid");
    assert_eq!((&error.data()["path"], &error.data()["line"]), (&path.as_str().into(), &2.into()));
    assert!(error.to_string().starts_with(&path), "{error}");
    folder.write("other.toml", "[columns.sex]\ntaxonomy = \"sex.csv\"\n[requirement]\nk = 2\n");
    folder.write("sex.csv", "F;person\nM;people\n");
    let error = other.check("d.csv").fails_with("taxonomy-invalid");
    assert_eq!((&error.data()["path"], &error.data()["column"]), (&path.as_str().into(), &"sex".into()));
    assert!(error.to_string().starts_with(&path), "{error}");
}

#[test]
fn a_file_that_is_no_exported_head_is_named() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "one").run().passes();
    let error = folder.verify_against("people.csv").fails_with("head-unreadable");
    assert_eq!(error.data()["path"], folder.file("people.csv").display().to_string());
}

/// The example in docs/policy.md is a policy, its two taxonomies are one tree, and its queries are a purpose.
#[test]
fn the_policy_page_is_right() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let [policy, queries, paths, indented] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    let [of_paths, of_indented] = [paths, indented].map(|taxonomy| {
        let folder = TestFolder::from_policy(policy.strip_prefix("toml\n").unwrap());
        folder.write("taxonomies/city.csv", taxonomy.trim_start_matches('\n'));
        folder.write("d.csv", "patient,born,income,age,city,diagnosis,ward\n".to_owned() + &stays());
        let risk = folder.check("d.csv").unwrap().json()["data"]["risk"].clone();
        let answer = folder.publish("d.csv", "x").output("out.csv").run().passes().json();
        let models = answer["verified"]["models"].as_array().unwrap();
        let diversity = |model: &&serde_json::Value| model["model"] == "distinct 3-diversity of diagnosis on age, city";
        assert_eq!(models.iter().find(diversity).unwrap()["holds"], true, "{models:?}");
        (risk, folder.read("out.csv"))
    });
    assert_eq!(of_paths, of_indented);

    let policy = policy.replacen("purpose = \"general\"", "purpose = { queries = \"counts.toml\" }", 1);
    let folder = TestFolder::from_policy(policy.strip_prefix("toml\n").unwrap());
    folder.write("taxonomies/city.csv", paths.trim_start_matches('\n'));
    folder.write("counts.toml", queries.strip_prefix("toml\n").unwrap());
    folder.write("d.csv", "patient,born,income,age,city,diagnosis,ward\n".to_owned() + &stays());
    let answer = folder.publish("d.csv", "x").run().passes().json();
    let metrics = answer["metrics"].as_array().unwrap();
    let error = metrics.iter().find(|metric| metric["id"] == "query-error").unwrap();
    let reading = error["reading"].as_str().unwrap();
    assert!(reading.contains("2 count queries of the purpose") && !reading.contains("left out"), "{reading}");
}

/// Forty stays that can be published under the page's policy.
fn stays() -> String {
    let cities = ["Paris", "Lyon", "Oslo", "Lima"];
    let row = |at: usize| {
        let diagnosis = if at == 7 { "HIV" } else { ["flu", "asthma", "burn", "cold"][at % 4] };
        let (decade, day, city) = (at % 8 + 1, at % 9 + 1, cities[at / 4 % 4]);
        format!("p{at},19{decade}0-01-0{day},{},{},{city},{diagnosis},w{}\n", 1000 * at, at % 60, at % 3)
    };
    (0..40).map(row).collect()
}
