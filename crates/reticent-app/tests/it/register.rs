//! `register`: what is recognised in a file, which columns it refuses, and releases that count as history.

use reticent_app::Hint;
use reticent_app::answer::RegisterAnswer;
use reticent_app::error::Class;
use reticent_testkit::{Answer, Outcome, TestFolder, clinic_policy_with_owner};
use serde_json::{Value, json};

const POLICY: &str = "[dataset]\nmissing-values = [\"NA\"]\n[columns.age]\ntype = \"number\"\n[columns.zip]\n\
                      [columns.insured]\nrole = \"identifier\"\n[columns.ill]\nrole = \"sensitive\"\n\
                      [requirement]\nk = 2\n[release]\nseed = 1\n";

fn register(folder: &TestFolder, name: &str, text: &str) -> reticent_app::Result<RegisterAnswer> {
    folder.write(&format!("{name}.csv"), text);
    folder.register(&format!("{name}.csv"), name).to("press").date("2020-01-01").run()
}

fn column(answer: &Value, name: &str) -> Value {
    let columns = answer["columns"].as_array().unwrap();
    columns.iter().find(|column| column["name"] == name).unwrap().clone()
}

#[test]
fn intervals_masks_and_dates_are_recognised() {
    let folder = TestFolder::new().without_policy();
    let rows = "who,age,zip,born,sex,illness\nA,20-29,476**,1990s,M,flu\nB,[30;40),4767*,2001-03,*,flu\n\
                C,>=40,47677,1985-02-03,F,\nD,>=40,47677,1985-02-03,F,flu\nE,20-29,476**,1990s,M,flu\n";
    folder.write("old.csv", rows);
    let call = folder.register("old.csv", "old").date("2020-05-01");
    // `who` is the one column with another plain value in every record.
    let error = call.run().fails_with("role-unclear");
    assert_eq!((&error.data()["column"], error.hints()), (&json!("who"), vec![Hint::NameRoles]));
    let answer = call.clone().identifier("who").sensitive("illness").run().passes().json();
    assert_eq!(answer["release"], 1);
    assert_eq!(answer["omitted_columns"], json!(["who"]));
    let column = |name: &str| column(&answer, name);
    assert_eq!((&column("age")["type"], &column("age")["recognised"]["intervals"]), (&json!("number"), &json!(3)));
    assert_eq!((&column("born")["type"], &column("born")["recognised"]["values"]), (&json!("date"), &json!(1)));
    assert_eq!(column("zip")["recognised"]["masked"], 2);
    assert_eq!(column("sex")["recognised"]["suppressed"], 1);
    assert_eq!(column("illness")["role"], "sensitive");
    assert_eq!(column("illness")["recognised"]["missing"], 1);
    folder.verify().passes();
    let log = folder.log().passes().json();
    assert_eq!((&log["log"][0]["origin"], &log["log"][0]["date"]), (&json!("registered"), &json!("2020-05-01")));
    let shown = folder.show("old").passes().json();
    assert_eq!(shown["recorded"]["content"]["judged"]["scope"], "nothing");
    let later = folder.register("old.csv", "later").identifier("who");
    let error = later.clone().date("2999-01-01").run().fails_with("date-in-future");
    assert_eq!(error.data()["date"], "2999-01-01");
    let error = later.date("1.5.2020").run().fails_with("name-invalid");
    assert!(error.to_string().contains("YYYY-MM-DD"), "{error}");
    let error = call.identifier("whom").run().fails_with("no-such-column");
    assert_eq!((&error.data()["column"], &error.data()["hint"]), (&json!("whom"), &json!("did you mean `who`?")));
    folder.register("none.csv", "later").run().fails_as(Class::Io, "io-failed");
}

#[test]
fn a_registered_release_uses_the_policy_and_counts_as_history() {
    let policy = clinic_policy_with_owner(3).replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"");
    let folder = TestFolder::clinic(&policy);
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    let answer = register(
        &folder,
        "old",
        "name,age,city,illness\nAda,30-39,France,flu\nBen,30-39,Paris,asthma\nZoe,40+,*,flu\n",
    );
    let answer = answer.passes().json();
    assert_eq!(answer["omitted_columns"], json!(["name"]));
    assert_eq!(answer["people"], 3);
    let city = column(&answer, "city");
    assert_eq!((&city["recognised"]["taxonomy_nodes"], &city["recognised"]["values"]), (&json!(1), &json!(1)));
    // The registered release discloses too much without the new one, which does not make it worse.
    let answer = folder.publish("people.csv", "new").to("press").rehearse().passes().json();
    let already = |join: &Value| join["already_violated"].as_u64().unwrap();
    assert!(answer["verified"]["joins"].as_array().unwrap().iter().map(already).sum::<u64>() > 0, "{answer:#}");
    folder.publish("people.csv", "new").to("press").ignore_history().run().passes();
    // Ada and Ben are in both, Zoe in one.
    let diff = folder.diff("old", "new").passes().json();
    assert_eq!(diff["people"], json!({ "removed": 1, "kept": 2, "added": 10 }));
    let error = register(&folder, "odd", "age,city\n30-39,Atlantis\n30-39,Paris\n").fails_with("column-unfit");
    assert_eq!(error.data()["column"], "city");
    assert!(error.to_string().contains("Atlantis"), "{error}");
    let error = folder.register("odd.csv", "odd").to("press").group_column("agee").run().fails_with("no-such-column");
    assert_eq!((&error.data()["column"], &error.data()["hint"]), (&json!("agee"), &json!("did you mean `age`?")));
}

/// Empty cells stand for no value although the policy lists only NA; what is stored can be read and judged again.
#[test]
fn missing_values_of_a_registered_release_can_be_judged() {
    let folder = TestFolder::from_policy(POLICY);
    let answer = register(&folder, "old", "age,ill\n30,x\n30,y\n,x\n,y\n40,x\n40,y\n").passes().json();
    assert_eq!(column(&answer, "age")["recognised"]["missing"], 1);
    folder.audit().run().passes();
    folder.write("new.csv", "age,zip,insured,ill\n30,1,a,x\n30,1,b,y\n40,1,c,x\n40,1,d,y\n");
    folder.publish("new.csv", "new").to("press").columns("age,zip").output("out.csv").run().passes();
    let folder = TestFolder::new().without_policy();
    register(&folder, "old", "age,ward\n20,x\n30,x\nmissing,x\n").passes();
    folder.audit().run().passes();
}

/// Another spelling would be another column: it would join nothing, and names would be stored.
#[test]
fn columns_do_not_differ_in_capitals_only() {
    let folder = TestFolder::from_policy(POLICY);
    let refused = |name: &str, text: &str, column: &str, known: &str| {
        let error = register(&folder, name, text).fails_with("column-spelling");
        assert_eq!(error.data(), json!({ "column": column, "known": known }));
    };
    refused("one", "Age,ill\n30,x\n40,y\n", "Age", "age");
    refused("two", "age,Insured\n30,Ann\n40,Bob\n", "Insured", "insured");
    register(&folder, "three", "age,ward\n30,x\n40,x\n").passes();
    refused("four", "age,Ward\n30,x\n40,x\n", "Ward", "ward");
}

/// One star beside longer numbers stands for any end, and not for ten numbers.
#[test]
fn one_star_is_not_one_digit_of_a_longer_number() {
    let folder = TestFolder::from_policy(
        "[columns.zip]\n[columns.city]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.5\n\
         audit = \"off\"\n[release]\nseed = 1\n",
    );
    let number = folder.read("reticent.toml").replace("[columns.zip]", "[columns.zip]\ntype = \"number\"");
    folder.write("number.toml", number);
    let rows = "zip,ill\n476*,x\n476*,y\n48123,z\n";
    let error = register(&folder.with_policy("number.toml"), "old", rows).fails_with("column-unfit");
    assert_eq!(error.data()["column"], "zip");
    assert!(error.to_string().contains("one star per digit"), "{error}");
    let answer = register(&folder, "old", rows).passes().json();
    assert_eq!(column(&answer, "zip")["recognised"]["masked"], 1);
    // Without a policy it is a text.
    let bare = TestFolder::new().without_policy();
    let answer = register(&bare, "old", "zip,ward\n476*,x\n476*,x\n48123,x\n48123,x\n").passes().json();
    assert_eq!(answer["columns"][0]["type"], "text", "{answer}");
}

#[test]
fn a_file_without_records_is_no_release() {
    let folder = TestFolder::from_policy(POLICY);
    let error = register(&folder, "empty", "age,zip\n").fails_with("no-records");
    assert_eq!(error.data()["path"], json!(folder.file("empty.csv")));
}

/// A no-break space makes no other value, and no other person.
#[test]
fn spaces_of_every_kind_are_trimmed() {
    let folder = TestFolder::new().without_policy();
    let answer = register(&folder, "one", "town,ward\nLyon\u{a0},x\nLyon,y\n\u{2009}Oslo,x\n").passes().json();
    assert_eq!(answer["columns"][0]["recognised"]["values"], 2, "{answer}");
}

/// None of sixteen owners is in an earlier release: probably their numbers are written differently.
#[test]
fn owners_who_are_all_new_are_noted() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\n[columns.ill]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    let rows = |spell: &dyn Fn(usize) -> String| {
        (0..16).map(|at| format!("{},{},v{}\n", spell(at), at / 4, at % 3)).collect::<String>()
    };
    folder.write("one.csv", format!("id,age,ill\n{}", rows(&|at| at.to_string())));
    folder.write("two.csv", format!("id,age,ill\n{}", rows(&|at| format!("{at}.0"))));
    let noted = |data: &str, name: &str, alone: bool| {
        let call = folder.publish(data, name).to("press").output(&format!("{name}-out.csv"));
        let call = if alone { call.ignore_history() } else { call };
        call.run().passes().json()["notes"].to_string().contains("written differently")
    };
    assert!(!noted("one.csv", "one", false));
    assert!(noted("two.csv", "two", true));
    folder.register("two.csv", "again").to("press").date("2020-01-01").run().passes();
    assert!(!noted("one.csv", "three", true));
}

/// A column that the policy calls an identifier has no other role.
#[test]
fn an_identifier_of_the_policy_has_no_other_role() {
    let folder = TestFolder::clinic_with_owner(3);
    let call = || folder.register("people.csv", "old").to("press").date("2020-01-01");
    for call in [call().group_column("name"), call().quasi_identifier("name"), call().sensitive("name")] {
        assert_eq!(call.run().fails_with("identifier-in-policy").data()["column"], "name");
    }
    assert!(!folder.exists("ledger"));
}

#[test]
fn columns_that_may_name_people_need_a_role() {
    let folder = TestFolder::new().without_policy();
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
        let error = register(&folder, "old", &data).fails_with("role-unclear");
        assert_eq!((&error.data()["column"], error.hints()), (&json!("who"), vec![Hint::NameRoles]));
    }
    // Ages and birthdays are no names.
    register(&folder, "ages", &table(&|at, _| format!("{}", 20 + at))).passes();
    register(&folder, "days", &table(&|at, _| format!("19{}-01-01", 60 + at))).passes();
    let error = register(&folder, "odd", "\"a\nb\",x\n1,2\n1,2\n").fails_with("column-name-unprintable");
    assert_eq!(error.data()["column"], "a\nb");
}

/// A rehearsal recognises, and enters nothing. Columns whose names suggest a role need one.
#[test]
fn a_rehearsal_enters_nothing() {
    let folder = TestFolder::clinic_with_owner(3);
    folder.write("old.csv", "age,city\n20-29,Paris\n30-39,Paris\n30-39,Oslo\n");
    let call = folder.register("old.csv", "old").to("press").date("2020-01-01");
    let answer = call.rehearse().passes().json();
    assert_eq!((&answer["dry_run"], &answer["release"], &answer["entry"]), (&json!(true), &Value::Null, &Value::Null));
    let age = column(&answer, "age");
    assert_eq!((&age["recognised"]["intervals"], &age["examples"]), (&json!(2), &json!(["20-29", "30-39"])));
    assert!(!folder.exists("ledger"));
    call.run().passes();
    folder.write("old.csv", "full_name,diagnosis\nAda,flu\nAda,flu\nBen,flu\nBen,flu\n");
    let call = folder.register("old.csv", "next").to("press").date("2020-01-01");
    let error = call.run().fails_with("no-known-column");
    assert_eq!(error.hints(), [Hint::NameRoles]);
    let error = call.identifier("full_name").run().fails_with("role-unclear");
    assert_eq!(error.data()["column"], "diagnosis");
}
