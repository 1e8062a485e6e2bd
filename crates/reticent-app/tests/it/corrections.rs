//! Withdrawals, amendments and erasures: what later verbs see, and what every later verdict assumes.

use reticent_app::answer::Publication;
use reticent_app::request::{EraseRequest, OwnerText};
use reticent_app::{EntryReason, Hint, Role};
use reticent_testkit::{Answer, Outcome, TestFolder, clinic_policy_with_owner, method_policy, month, present_in};
use serde_json::{Value, json};

/// The assumptions of an answer: of a release, or of the first coalition of an audit.
fn assumptions(answer: &Value) -> Vec<String> {
    let list = answer.get("assumptions").unwrap_or(&answer["coalitions"][0]["audit"]["assumptions"]);
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assumes(answer: &Value, text: &str) {
    let found = assumptions(answer);
    assert!(found.iter().any(|known| known == text), "`{text}` is not in {found:#?}");
}

fn clinic() -> TestFolder {
    TestFolder::clinic(&clinic_policy_with_owner(3).replace("k = 3", "k = 3\nconfidence = 0.7"))
}

/// Earlier releases that a release was judged with.
fn judged_with(answer: &Publication) -> Value {
    answer.json()["judged"]["with"].clone()
}

const WITHDRAWN: &str = "release 2 two was withdrawn: assumed that nobody holds it";

#[test]
fn a_withdrawn_release_counts_for_nobody_and_every_verdict_says_so() {
    let folder = clinic();
    for name in ["one", "two"] {
        folder.publish("people.csv", name).to("press").ignore_history().run().passes();
    }
    let error = folder.withdraw_stating("two", true).fails_with("withdrawn-file-exists");
    assert_eq!((&error.data()["number"], &error.data()["name"]), (&json!(2), &json!("two")));
    let withdrawn = folder.withdraw_deleted("two", "two.csv").passes();
    assert_eq!((withdrawn.release, withdrawn.number, withdrawn.file_absent), (2, 3, true));
    assert_eq!(withdrawn.recipients, ["press"]);
    assumes(&withdrawn.json(), WITHDRAWN);
    let error = folder.withdraw("two").fails_with("release-withdrawn");
    assert_eq!(error.hints(), [Hint::Reinstate]);
    folder.withdraw("3").fails_with("release-not-found");
    // Publish, rehearse and compare.
    let next = folder.publish("people.csv", "three").to("press");
    let rehearsed = next.rehearse().passes();
    assert_eq!(judged_with(&rehearsed), json!([1]));
    assumes(&rehearsed.json(), WITHDRAWN);
    let answer = next.run().passes();
    assert_eq!(judged_with(&answer), json!([1]));
    assumes(&answer.json(), WITHDRAWN);
    folder.publish("people.csv", "two").to("press").output("again.csv").run().fails_with("release-name-taken");
    folder.compare("people.csv").to("press").run().passes();
    // Audit and its report.
    let mut audit = folder.audit();
    audit = audit.html("report.html");
    let audited = audit.run().unwrap().json();
    assumes(&audited, WITHDRAWN);
    let releases = audited["coalitions"][0]["audit"]["releases"].as_array().unwrap();
    assert_eq!(releases.iter().map(|release| &release["name"]).collect::<Vec<_>>(), ["one", "three"]);
    folder.audit().html("public.html").public().run().unwrap();
    for report in ["report.html", "public.html"] {
        assert!(folder.read(report).contains(&WITHDRAWN[1..]), "{report}");
    }
    // The ledger's own verbs.
    let history = folder.history("press").passes().json();
    let held: Vec<&Value> =
        history["coalitions"][0]["releases"].as_array().unwrap().iter().map(|held| &held["number"]).collect();
    assert_eq!(held, [1, 4]);
    assumes(&history, WITHDRAWN);
    let log = folder.log().passes().json();
    assert!(log["log"][1]["withdrawn"].is_string() && log["log"][0]["withdrawn"].is_null(), "{log:#}");
    let entry = &log["log"][2];
    assert_eq!(
        (&entry["kind"], &entry["release"], &entry["file_absent"]),
        (&json!("withdrawal"), &json!(2), &json!(true))
    );
    let shown = folder.show("two").passes().json();
    assert!(shown["withdrawn"].is_string() && shown["corrections"][0]["kind"] == "withdrawal", "{shown:#}");
    folder.diff("one", "two").fails_with("release-withdrawn");
    folder.diff("one", "three").passes();
    assert!(folder.verify().passes().intact);
}

/// What the policy requires of a withdrawn release by its name is not required of another one.
#[test]
fn a_policy_that_names_a_withdrawn_release_is_told() {
    let folder = TestFolder::clinic(&clinic_policy_with_owner(3));
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.withdraw_deleted("one", "one.csv").passes();
    let model = "[[requirement.models]]\nmodel = \"xy-anonymity\"\nx = [\"one.age\"]\ny = [\"two.people\"]\nk = 2\n";
    folder.replace("reticent.toml", "[release]", &format!("{model}[release]"));
    let answer = folder.publish("people.csv", "two").to("press").rehearse().passes().json();
    let told = |list: &str| {
        answer[list]
            .as_array()
            .unwrap()
            .iter()
            .any(|text| text.as_str().unwrap().contains("release one, which was withdrawn"))
    };
    assert!(told("warnings") || told("notes"), "{answer:#}");
}

#[test]
fn a_file_that_cannot_be_checked_needs_the_statement_of_the_steward() {
    let folder = clinic();
    std::fs::create_dir(folder.file("share")).unwrap();
    folder.publish("people.csv", "one").to("press").output("share/one.csv").run().passes();
    std::fs::rename(folder.file("share"), folder.file("away")).unwrap();
    let error = folder.withdraw("one").fails_with("withdrawn-file-unchecked");
    assert_eq!(error.hints(), [Hint::DestroyedElsewhere]);
    let withdrawn = folder.withdraw_stating("one", true).passes();
    assert!(!withdrawn.file_absent);
    let text = "release 1 one was withdrawn: assumed that nobody holds it, and that its file was destroyed, which was not checked";
    assumes(&withdrawn.json(), text);
    assumes(&folder.publish("people.csv", "two").to("press").run().passes().json(), text);
}

/// The next release continues from the state of the series. So the last one is withdrawn first.
#[test]
fn a_series_is_withdrawn_from_its_end_and_goes_on() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    for number in 1..=3 {
        folder.write(&format!("month{number}.csv"), month(present_in(number), false));
        folder.publish_month(&format!("month{number}")).run().passes();
    }
    let error = folder.withdraw_deleted("month2", "out-month2").fails_with("release-in-use");
    assert_eq!((&error.data()["by"], &error.data()["series"]), (&json!(3), &json!(true)));
    let state = |folder: &TestFolder| {
        folder.audit().effort(1).run().passes().json()["coalitions"][0]["audit"]["people"].clone()
    };
    for name in ["month3", "month2"] {
        if folder.exists(&format!("out-{name}")) {
            folder.withdraw_deleted(name, &format!("out-{name}")).passes();
        } else {
            folder.withdraw(name).passes();
        }
    }
    // The third month continued from the second one, which nobody holds.
    let error = folder.amend_adding("month3", "press").fails_with("amendment-unfit");
    assert!(error.to_string().contains("builds on release 2, which is withdrawn"), "{error}");
    let one = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    one.write("month1.csv", month(present_in(1), false));
    one.publish_month("month1").run().passes();
    assert_eq!(state(&folder), state(&one), "only the first month counts");
    // The series continues from the first month, as if there had been no other.
    folder.write("month4.csv", month(present_in(4), false));
    let answer = folder.publish_month("month4").run().passes();
    assert_eq!(judged_with(&answer), json!([1]));
    assert_eq!(assumptions(&answer.json()).len(), 2);
    assert_eq!(folder.audit().effort(1).run().passes().holds, Some(true));
}

/// The contents of a release were erased, and later releases could not be checked against it. Nobody holds it, so they can.
#[test]
fn an_erased_release_that_nobody_holds_is_withdrawn() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.purge("one", "asked").passes();
    let next = folder.publish("people.csv", "two").to("press");
    next.rehearse().refused_with("earlier-release-erased");
    folder.withdraw_deleted("one", "one.csv").passes();
    assert_eq!(judged_with(&next.run().passes()), json!([]));
    assert!(folder.audit().run().unwrap().coalitions[0].erased.is_empty());
    assert!(folder.show("one").passes().erased.is_some());
}

/// Two recipients that do not collude.
fn separate() -> TestFolder {
    let folder = clinic();
    let policy = folder.read("reticent.toml") + "[recipients]\nnon-colluding = [\"press\", \"ministry\"]\n";
    folder.write("reticent.toml", policy);
    folder
}

#[test]
fn amended_recipients_count_and_removed_ones_are_assumed() {
    let folder = separate();
    folder.publish("people.csv", "one").to("ministry").run().passes();
    let next = |folder: &TestFolder| judged_with(&folder.publish("people.csv", "two").to("press").rehearse().passes());
    assert_eq!(next(&folder), json!([]));
    // The press holds it, too.
    let amended = folder.amend_adding("one", "press").passes();
    assert_eq!(amended.recipients_before, ["ministry"]);
    assert_eq!(
        (amended.recipients_after, amended.added_recipients),
        (vec!["ministry".into(), "press".into()], vec!["press".to_owned()])
    );
    assert!(amended.assumptions.is_empty(), "to hold more assumes nothing");
    assert_eq!(next(&folder), json!([1]));
    assert_eq!(folder.audit().run().unwrap().coalitions.len(), 1, "both hold the same");
    folder.amend_adding("one", "press").fails_with("amendment-unfit");
    // The press does not hold it after all.
    let amended = folder.amend_recipients("one", "ministry").passes();
    assert_eq!(amended.removed_recipients, ["press"]);
    let text = "the recipients of release 1 one were amended: assumed that press does not hold it";
    assumes(&amended.json(), text);
    assert_eq!(next(&folder), json!([]));
    assumes(&folder.publish("people.csv", "two").to("press").run().passes().json(), text);
    assumes(&folder.audit().run().unwrap().json(), text);
    assumes(&folder.history("press").passes().json(), text);
    let shown = folder.show("one").passes().json();
    assert_eq!(
        (&shown["recipients"], &shown["recorded"]["content"]["recipients"]),
        (&json!(["ministry"]), &json!(["ministry"]))
    );
    assert_eq!(shown["corrections"].as_array().unwrap().len(), 2);
    let log = folder.log().passes().json();
    assert_eq!(log["log"][2]["recipients"], json!(["ministry"]));
    // Public: anyone holds it, so nothing is assumed.
    assert!(folder.amend_recipients("one", "public").passes().assumptions.is_empty());
}

/// A recipient received a withdrawn release after all.
#[test]
fn a_withdrawn_release_that_somebody_holds_counts_again() {
    let folder = separate();
    folder.publish("people.csv", "one").to("ministry").run().passes();
    folder.withdraw_deleted("one", "one.csv").passes();
    let amended = folder.amend_recipients("one", "press").passes();
    assert!(amended.reinstated);
    let answer = folder.publish("people.csv", "two").to("press").run().passes();
    assert_eq!(judged_with(&answer), json!([1]));
    assumes(&answer.json(), "the recipients of release 1 one were amended: assumed that ministry does not hold it");
}

/// A column that was published as insensitive is in truth sensitive: the audit finds what it discloses.
#[test]
fn an_amended_role_is_that_of_later_audits_and_joins() {
    let policy = clinic_policy_with_owner(3)
        .replace("k = 3", "k = 3\nconfidence = 0.7")
        .replace("[columns.city]\n", "[columns.city]\nrole = \"other\"\naccept-unique = true\n");
    let folder = TestFolder::clinic(&policy);
    folder.publish("people.csv", "one").to("press").run().passes();
    let columns = |folder: &TestFolder| -> Vec<String> {
        let audit = folder.audit().run().unwrap().json();
        let columns = audit["coalitions"][0]["audit"]["columns"].as_array().unwrap().clone();
        columns.iter().map(|column| column["name"].as_str().unwrap().to_owned()).collect()
    };
    let people = |folder: &TestFolder| {
        let audit = folder.audit().run().unwrap().json();
        audit["coalitions"][0]["audit"]["identity"]["singled_out"].as_u64().unwrap()
    };
    assert_eq!((columns(&folder), people(&folder)), (vec!["illness".to_owned()], 0));
    let amended = folder.amend_role("one", "city", Role::Sensitive).passes();
    let changed = &amended.json()["roles"];
    assert_eq!(*changed, json!([{ "column": "city", "from": "other", "to": "sensitive" }]));
    assert!(amended.assumptions.is_empty(), "a stricter role assumes nothing");
    assert_eq!(columns(&folder), ["city", "illness"]);
    // Or attackers know it.
    let amended = folder.amend_role("one", "city", Role::QuasiIdentifier).passes();
    assert!(amended.assumptions.is_empty(), "both protect more than the recorded role");
    assert!(people(&folder) > 0, "cities single people out");
    // Or it names people.
    folder.amend_role("one", "city", Role::Identifier).passes();
    let audit = folder.audit().run().violates().json();
    assert!(!audit["coalitions"][0]["audit"]["identified"].as_array().unwrap().is_empty(), "{audit:#}");
    // The other direction is an assumption.
    let amended = folder.amend_role("one", "age", Role::Other).passes();
    let text =
        "the roles of release 1 one were amended: assumed that the role of age is other instead of quasi-identifier";
    assumes(&amended.json(), text);
    assumes(&folder.audit().run().unwrap().json(), text);
    for (column, role) in [("none", Role::Other), ("age", Role::Other)] {
        folder.amend_role("one", column, role).fails_with("amendment-unfit");
    }
}

/// Roles that link the tables of a release are fixed.
#[test]
fn the_group_column_of_a_series_keeps_its_role() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3"));
    folder.write("may.csv", month(present_in(1), false));
    folder.publish_month("may").run().passes();
    let group = folder.show("may").passes().json()["recorded"]["content"]["columns"][0]["name"].clone();
    for column in [group.as_str().unwrap(), "illness"] {
        folder.amend_role("may", column, Role::Other).fails_with("amendment-unfit");
    }
}

/// Number of people with a posterior or a certain value, which an erasure must not change.
fn figures(folder: &TestFolder) -> Value {
    let audit = folder.audit().effort(1).run().unwrap().json();
    let audit = &audit["coalitions"][0]["audit"];
    json!([audit["people"], audit["columns"], audit["identity"], audit["multi_record_people"]])
}

#[test]
fn an_erased_person_is_found_by_nobody_and_audits_count_the_records() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.publish("people.csv", "two").to("press").ignore_history().run().passes();
    let before = figures(&folder);
    let rehearsed = folder.erase_if("Leo", true, false).passes().json();
    assert_eq!((&rehearsed["dry_run"], &rehearsed["number"]), (&json!(true), &Value::Null));
    let releases: Vec<&Value> = rehearsed["releases"].as_array().unwrap().iter().map(|one| &one["release"]).collect();
    assert_eq!(releases, [1, 2]);
    let records = &rehearsed["releases"][0];
    assert!(records["class_records"].as_u64().unwrap() >= 3 && records["records"] == 1, "{records:#}");
    let column = &records["columns"][0];
    assert_eq!(column["column"], "illness");
    let error = folder.erase_if("Leo", false, false).fails_with("erase-unconfirmed");
    assert_eq!((error.data(), error.hints()), (json!({ "releases": [1, 2] }), vec![Hint::Confirm]));
    folder.erase("Zoe").fails_with("owner-not-found");
    assert_eq!(folder.log().passes().entries, 2, "nothing was recorded");
    let result = folder.erase("Leo");
    assert!(!result.visible_text().contains("Leo"), "{}", result.visible_text());
    let erased = result.passes();
    assert_eq!((erased.number, erased.replaced_files), (Some(3), 2));
    let text = "1 person was erased from the owner links: assumed that no release after the erasure contains them";
    assumes(&erased.json(), text);
    // Recipients keep what they have, so the figures are the same.
    assert_eq!(figures(&folder), before);
    assumes(&folder.audit().run().unwrap().json(), text);
    folder.erase("Leo").fails_with("owner-not-found");
    folder.write("knows.txt", "Leo illness diabetes\n");
    assert!(folder.verify().passes().intact);
    let log = folder.log().passes().json();
    let entry = &log["log"][2];
    assert_eq!((&entry["kind"], &entry["people"], &entry["releases"]), (&json!("erasure"), &json!(1), &json!([1, 2])));
    assert_eq!(folder.show("two").passes().json()["corrections"][0]["kind"], "erasure");
    // The next release without the person.
    let rest: String = folder
        .read("people.csv")
        .lines()
        .filter(|line| !line.starts_with("Leo,"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("rest.csv", rest);
    let next = folder.publish("rest.csv", "three").to("press").ignore_history().run().passes();
    assumes(&next.json(), text);
}

/// Methods go on after an erasure, and nobody's posterior exceeds the promise.
#[test]
fn a_series_goes_on_after_an_erasure() {
    let methods = [
        ("m-invariance", "m = 3", true),
        ("history-guided", "l = 3", true),
        ("incremental-l-diversity", "l = 2", true),
        ("bcf-anonymity", "k = 3\ngone = \"withhold\"", false),
        ("decomposition-plus", "primary = \"illness\"\nl = { illness = 3, pay = 2 }", true),
    ];
    for (id, options, of_values) in methods {
        let pay = id == "decomposition-plus";
        let column = if pay { "[columns.pay]\nrole = \"sensitive\"\n[release]\n" } else { "[release]\n" };
        let folder = TestFolder::monthly(&method_policy(id, options).replace("[release]\n", column));
        for number in 1..=2 {
            folder.write(&format!("month{number}.csv"), month(present_in(number), pay));
            folder.publish_month(&format!("month{number}")).run().passes();
        }
        let before = figures(&folder);
        let erased = folder.erase("p4").passes();
        assert_eq!(erased.releases.len(), 2, "{id}");
        assert!(erased.replaced_files >= 3, "{id}: links and state of two releases");
        let about = |text: &String| text.contains(id);
        assert!(erased.warnings.iter().any(about), "{id}: {:?}", erased.warnings);
        assert_eq!(figures(&folder), before, "{id}");
        folder.write("month3.csv", month(present_in(3).filter(|person| *person != 4), pay));
        let answer = folder.publish_month("month3").run().passes().json();
        assert!(answer["published"].as_u64().unwrap() > 10, "{id}: {answer:#}");
        assert!(
            answer["departures"]["people"].as_u64().unwrap() >= 1,
            "{id}: the erased person counts as one who left"
        );
        let holds = folder.audit().effort(1).run().passes().holds;
        assert_eq!(holds, of_values.then_some(true), "{id}");
        assert!(folder.verify().passes().intact, "{id}");
    }
}

/// A record that a method postponed is only in its state.
#[test]
fn a_postponed_person_is_erased_from_the_state() {
    let folder = TestFolder::monthly(&method_policy("m-invariance", "m = 3\ncounterfeits = false"));
    folder.write("may.csv", month(0..40, false));
    folder.publish_month("may").run().passes();
    let links = folder.show("may").passes().json()["recorded"]["content"]["links"]["people"].as_u64().unwrap();
    let waiting: Vec<usize> = (0..40)
        .filter(|at| folder.erase_if(&format!("p{at}"), true, false).is_ok_and(|answer| answer.releases.is_empty()))
        .collect();
    let unknown = (0..40).filter(|at| folder.erase_if(&format!("p{at}"), true, false).is_err()).count();
    assert_eq!(links as usize + waiting.len() + unknown, 40);
    for person in waiting.iter().take(1) {
        let erased = folder.erase(&format!("p{person}")).passes();
        assert_eq!(erased.replaced_files, 1);
        folder.erase(&format!("p{person}")).fails_with("owner-not-found");
    }
}

/// The entry keeps the reason forever.
#[test]
fn the_reason_of_an_erasure_does_not_name_the_person() {
    let folder = clinic();
    folder.publish("people.csv", "one").to("press").run().passes();
    let erase = |reason: &str| {
        let (owner, reason) = (OwnerText::new("Leo"), EntryReason::new(reason).unwrap());
        folder.workspace().erase(&EraseRequest { owner, reason, dry_run: false, confirmed: true }, folder.context())
    };
    let error = erase("request of LEO, in May").fails_with("reason-names-owner");
    assert!(!error.to_string().to_lowercase().contains("leo"), "{error}");
    assert_eq!(folder.log().passes().entries, 1);
    erase("request of Leonie").passes();
}

/// The copy of the steward does not show whether recipients have copies of a registered table.
#[test]
fn the_missing_file_of_a_registered_release_shows_nothing() {
    let folder = clinic();
    folder.write("old.csv", "age,illness\n30-39,flu\n30-39,cold\n");
    folder.register("old.csv", "old").to("press").sensitive("illness").run().passes();
    folder.withdraw_deleted("old", "old.csv").fails_with("withdrawn-file-unchecked");
    folder.withdraw_stating("old", true).passes();
}
