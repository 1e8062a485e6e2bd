//! Planned releases: judged without a file, and published without another search.

use reticent_app::request::PublishRequest;
use reticent_app::{PlannedRelease, PolicyText, Recipient, ReleaseName, Result, Workspace};
use reticent_testkit::{Answer, CLINIC, Outcome, TestFolder, clinic_policy, clinic_policy_with_owner};

fn request(folder: &TestFolder, output: &str) -> PublishRequest {
    let name = ReleaseName::new("one").unwrap();
    let data = folder.file("people.csv").display().to_string();
    PublishRequest::new(data.as_str(), name, vec![Recipient::public()], folder.file(output))
}

fn plan(folder: &TestFolder, request: &PublishRequest) -> Result<PlannedRelease> {
    folder.workspace().plan(request, folder.context())
}

fn publish(folder: &TestFolder, planned: &PlannedRelease, name: &str) -> Result<reticent_app::answer::Publication> {
    planned.publish(ReleaseName::new(name).unwrap(), folder.file(&format!("{name}.csv")), folder.context())
}

#[test]
fn a_planned_release_has_the_bytes_of_a_published_one() {
    for policy in [clinic_policy(3), clinic_policy_with_owner(3)] {
        let folder = TestFolder::clinic(&policy);
        let seeded = PublishRequest { seed: Some(42), ..request(&folder, "x.csv") };
        let planned = plan(&folder, &seeded).unwrap();
        let before = folder.files();
        let answer = publish(&folder, &planned, "planned").passes().json();
        assert_eq!(answer["seed"], 42);
        let direct = PublishRequest { output: folder.file("direct.csv"), ..seeded };
        let other = folder.with_ledger("other");
        other.workspace().publish(&direct, other.context()).passes();
        assert_eq!(folder.read("planned.csv"), folder.read("direct.csv"));
        assert!(!before.contains(&"x.csv".to_owned()), "a plan writes no release");
    }
}

#[test]
fn a_plan_says_what_the_release_will_be() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let planned = plan(&folder, &request(&folder, "x.csv")).unwrap();
    let before = (*planned.answer()).json();
    let after = publish(&folder, &planned, "one").passes().json();
    for field in ["classes", "suppressed", "published", "algorithm", "metrics", "risk", "seed", "statements", "tried"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!((&before["dry_run"], &after["dry_run"]), (&true.into(), &false.into()));
    assert!(before["file"].is_null() && before["recorded"].is_null());
}

#[test]
fn a_plan_is_judged_again_if_the_history_has_changed() {
    let folder = TestFolder::clinic(&clinic_policy_with_owner(3));
    folder.publish("people.csv", "zero").run().passes();
    let planned = plan(&folder, &request(&folder, "x.csv")).unwrap();
    folder.publish("people.csv", "between").run().passes();
    let answer = publish(&folder, &planned, "one").passes().json();
    assert_eq!(answer["judged"]["with"], serde_json::json!([1, 2]));
}

#[test]
fn a_plan_with_another_policy_is_made_again() {
    let folder = TestFolder::clinic(&clinic_policy(2));
    let planned = plan(&folder, &request(&folder, "x.csv")).unwrap();
    folder.write("reticent.toml", clinic_policy(6));
    let answer = publish(&folder, &planned, "one").passes().json();
    assert!(answer["risk"]["smallest_class"].as_u64().unwrap() >= 6, "{answer}");
}

#[test]
fn a_plan_with_another_taxonomy_is_made_again() {
    let folder =
        TestFolder::clinic(&clinic_policy(3).replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\""));
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    let planned = plan(&folder, &request(&folder, "x.csv")).unwrap();
    let cities = &(*planned.answer()).json()["columns"][2]["published"];
    assert!(cities.as_array().unwrap().contains(&"France".into()), "{cities}");
    folder.write("city.csv", "Paris;West;*\nLyon;West;*\nOslo;North;*\nBergen;North;*\n");
    publish(&folder, &planned, "one").passes();
    let published = folder.read("one.csv");
    assert!(!published.contains("France") && !published.contains("Norway"), "{published}");
}

#[test]
fn a_plan_that_is_weaker_than_the_policy_is_not_published() {
    let folder = TestFolder::clinic(&clinic_policy(4));
    let mut weaker = request(&folder, "x.csv");
    weaker.changes.k = Some(2);
    let planned = plan(&folder, &weaker).unwrap();
    publish(&folder, &planned, "one").fails_with("weaker-than-policy");
    assert!(!folder.files().contains(&"one.csv".to_owned()));
}

#[test]
fn a_plan_that_names_an_existing_release_is_an_error() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    let planned = plan(&folder, &request(&folder, "x.csv")).unwrap();
    publish(&folder, &planned, "one").passes();
    let again = planned.publish(ReleaseName::new("one").unwrap(), folder.file("two.csv"), folder.context());
    again.fails_with("release-name-taken");
}

#[test]
fn a_policy_in_memory_publishes_the_bytes_of_its_file() {
    let folder = TestFolder::clinic(&clinic_policy(3));
    folder.publish("people.csv", "one").run().passes();
    let text = PolicyText::read(&folder.file("reticent.toml")).unwrap();
    std::fs::remove_file(folder.file("reticent.toml")).unwrap();
    let other = folder.with_ledger("other");
    let workspace = Workspace { policy: text.into(), ..other.workspace().clone() };
    let request = PublishRequest { output: folder.file("two.csv"), ..request(&folder, "x.csv") };
    workspace.publish(&request, other.context()).passes();
    assert_eq!(folder.read("one.csv"), folder.read("two.csv"));
    assert!(CLINIC.len() > folder.read("two.csv").len() / 2);
}
