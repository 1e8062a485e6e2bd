//! A republication series after ordinary releases of the same table.

use reticent_app::answer::{GroupedAnswer, Publication};
use reticent_testkit::{Answer, MONTHLY_COLUMNS, Outcome, TestFolder, method_policy, month, present_in};

/// Publishes month 1 by an algorithm.
fn after_an_ordinary_release() -> TestFolder {
    let policy = format!("{MONTHLY_COLUMNS}[requirement]\nk = 4\nconfidence = 0.6\n[release]\nseed = 7\n");
    let folder = TestFolder::monthly(&policy);
    (1..=4).for_each(|number| folder.write(&format!("month{number}.csv"), month(present_in(number), false)));
    folder.publish("month1.csv", "month1").output("month1-out.csv").run().passes();
    folder
}

fn grouped(publication: Publication) -> GroupedAnswer {
    match publication {
        Publication::Grouped(answer) => *answer,
        Publication::Recoded(_) => panic!("a release by a method"),
    }
}

/// The highest posterior of each person, by the audit of all releases.
fn highest(folder: &TestFolder) -> f64 {
    folder.audit().run().unwrap().coalitions[0].audit.columns[0].highest.upper.value()
}

#[test]
fn a_series_continues_an_ordinary_release() {
    let folder = after_an_ordinary_release();
    let before = highest(&folder);
    for (method, options) in [
        ("m-invariance", "m = 3"),
        ("history-guided", "l = 3"),
        ("incremental-l-diversity", "l = 3"),
        ("m-invariance", "m = 3\ncounterfeits = false"),
    ] {
        let folder = after_an_ordinary_release();
        folder.write("reticent.toml", method_policy(method, options));
        for number in 2..=4 {
            let answer = grouped(folder.publish_month(&format!("month{number}")).run().passes());
            assert!(answer.continued > 0 && answer.published > answer.continued, "{method}: {answer:?}");
            assert!(answer.published * 2 > answer.records, "{method}: most records are published: {answer:?}");
            let readme = folder.read(&format!("out-month{number}/README.md"));
            assert!(readme.contains("The bounds do not apply to"), "{readme}");
            let recorded = folder.show(&format!("month{number}")).passes().json();
            assert_eq!(recorded["recorded"]["content"]["method"]["continued"], answer.continued);
        }
        assert!((highest(&folder) - before).abs() < 1e-9, "{method}: {before}, then {}", highest(&folder));
    }
}

/// The refusal of a second ordinary release, and a release with nothing left, name the method that continues the first one.
#[test]
fn a_second_ordinary_release_names_the_series() {
    let folder = after_an_ordinary_release();
    let call = folder.publish("month2.csv", "month2").output("out.csv");
    match call.rehearse() {
        Ok(publication) => {
            let answer = publication.json();
            assert!(!answer["fully_suppressed"].as_array().unwrap().is_empty(), "{answer:#}");
            assert_eq!(
                (answer["series"]["method"].as_str(), answer["series"]["options"].as_str()),
                (Some("m-invariance"), Some("m = 2"))
            );
        }
        Err(error) => {
            let refusal = reticent_testkit::refusal(&error);
            assert_eq!(refusal["series"]["method"], "m-invariance", "{refusal:#}");
        }
    }
}

/// An algorithm after a method cannot be judged; the error leads back to the series.
#[test]
fn an_algorithm_after_a_series_is_refused_with_the_way_on() {
    let folder = after_an_ordinary_release();
    let ordinary = folder.read("reticent.toml");
    folder.write("reticent.toml", method_policy("m-invariance", "m = 2"));
    folder.publish_month("month2").run().passes();
    folder.write("reticent.toml", ordinary);
    let error = folder.publish("month3.csv", "month3").output("out.csv").run().refused_with("not-recordwise");
    assert_eq!(error.hints(), [reticent_app::Hint::ContinueSeries, reticent_app::Hint::JudgeAlone]);
}

const PEOPLE: &str = "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n\
                      [columns.ill]\nrole = \"sensitive\"\n";

/// A folder with `jan.csv` and `feb.csv`, rows of `id,age,ill`, and two policies: `k` for an algorithm, a method with options.
fn two_months(k: u32, jan: &str, feb: &str, method: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write("plain.toml", format!("{PEOPLE}[requirement]\nk = {k}\n"));
    folder.write("reticent.toml", format!("{PEOPLE}[release]\n{method}\n"));
    let table = |rows: &str| format!("id,age,ill\n{}\n", rows.replace(' ', "\n"));
    folder.write("jan.csv", table(jan));
    folder.write("feb.csv", table(feb));
    folder
}

const M_2: &str = "method = \"m-invariance\"\n[release.options]\nm = 2";

fn withheld(answer: &GroupedAnswer) -> Vec<(&str, u64)> {
    answer.withheld.iter().map(|one| (one.reason.as_str(), one.records)).collect()
}

/// A table that was registered with groups does not show which quasi-identifiers go with which value, so its rows are no classes.
#[test]
fn registered_groups_are_not_continued() {
    let rows = "A,1,20,flu B,1,20,cold C,1,60,gout D,1,60,hiv";
    let folder = two_months(2, "", "A,20,flu B,20,cold C,60,gout D,60,hiv P,30,rash Q,31,acne", M_2);
    folder.write("jan.csv", format!("id,grp,age,ill\n{}\n", rows.replace(' ', "\n")));
    folder.register("jan.csv", "jan").sensitive("ill").identifier("id").group_column("grp").run().passes();
    match folder.publish("feb.csv", "feb").output("out").run() {
        Err(error) => assert_eq!(error.class(), reticent_app::error::Class::Refused, "{error}"),
        Ok(publication) => assert_eq!(grouped(publication).continued, 0),
    }
}

/// A marginal table would count the values of the people of the class who are present.
#[test]
fn marginal_tables_are_refused() {
    let method =
        "method = \"decomposition-plus\"\n[release.options]\nprimary = \"ill\"\nl = { ill = 2 }\nmarginals = \"each\"";
    let folder =
        two_months(4, "A,20,flu B,21,flu C,22,cold D,23,hiv", "A,20,flu C,22,cold P,40,gout Q,41,acne", method);
    folder.with_policy("plain.toml").publish("jan.csv", "jan").output("jan-out.csv").run().passes();
    folder.publish("feb.csv", "feb").output("out").run().refused_with("marginals-of-continued");
    folder.replace("reticent.toml", "marginals = \"each\"", "");
    assert_eq!(grouped(folder.publish("feb.csv", "feb").output("out").run().passes()).continued, 2);
}

/// A class above the bound is new to a recipient without the ordinary release, and is withheld. With `audit = "off"` too.
#[test]
fn a_recipient_without_the_ordinary_release_gets_no_class_above_the_bound() {
    for audit in ["", "[requirement]\naudit = \"off\"\n"] {
        let folder =
            two_months(2, "A,20,flu B,21,flu G,60,gout H,61,cold", "A,20,flu B,21,flu G,60,gout H,61,cold", M_2);
        folder.write(
            "reticent.toml",
            folder.read("reticent.toml").replace("[release]\n", &format!("{audit}[release]\n")),
        );
        folder.with_policy("plain.toml").publish("jan.csv", "jan").to("one").output("jan-out.csv").run().passes();
        let same = grouped(folder.publish("feb.csv", "same").to("one").output("same").rehearse().passes());
        assert_eq!((same.continued, withheld(&same)), (4, vec![]));
        let other = grouped(folder.publish("feb.csv", "other").to("one,two").output("other").rehearse().passes());
        assert_eq!((other.continued, withheld(&other)), (2, vec![("history", 2)]));
    }
}

/// A person with several records in the ordinary release is in no single class, even if all are in one.
#[test]
fn people_with_several_records_are_withheld() {
    let folder = two_months(2, "A,20,flu A,20,cold B,21,hiv C,22,gout", "A,20,flu B,21,hiv C,22,gout", M_2);
    folder.with_policy("plain.toml").publish("jan.csv", "jan").output("jan-out.csv").run().passes();
    folder.write(
        "reticent.toml",
        folder.read("reticent.toml").replace("[release]\n", "[requirement]\naudit = \"off\"\n[release]\n"),
    );
    let answer = grouped(folder.publish("feb.csv", "feb").output("out").run().passes());
    assert_eq!((answer.continued, withheld(&answer)), (2, vec![("history", 1)]));
}

/// A value that is now more frequent than in the list changed for an unknown person.
#[test]
fn a_value_that_is_too_frequent_is_withheld_or_refused() {
    let (jan, feb) = ("A,20,flu B,21,cold C,22,hiv", "A,20,cold B,21,cold C,22,hiv");
    let folder = two_months(3, jan, feb, M_2);
    folder.with_policy("plain.toml").publish("jan.csv", "jan").output("jan-out.csv").run().passes();
    let answer = grouped(folder.publish("feb.csv", "feb").output("out").rehearse().passes());
    assert_eq!((answer.continued, withheld(&answer)), (1, vec![("changed", 2)]));
    folder.replace("reticent.toml", "m = 2", "m = 2\nchanged = \"refuse\"");
    folder.publish("feb.csv", "feb").output("out").run().refused_with("values-changed");
}

/// Owners that are written differently are noticed in the first release of a series.
#[test]
fn unknown_owners_are_noticed() {
    let jan = "A,20,flu B,21,cold C,60,hiv D,61,gout";
    let folder = two_months(2, jan, &jan.to_lowercase(), M_2);
    folder.with_policy("plain.toml").publish("jan.csv", "jan").output("jan-out.csv").run().passes();
    let answer = grouped(folder.publish("feb.csv", "feb").output("out").rehearse().passes());
    assert!(
        answer.notes.iter().any(|note| note.starts_with("no owner of this release is in an earlier")),
        "{answer:?}"
    );
}

/// Who left since the ordinary release is reported.
#[test]
fn leavers_of_an_ordinary_release_are_reported() {
    let folder = two_months(2, "A,20,flu B,21,cold C,60,hiv D,61,gout", "A,20,flu C,60,hiv D,61,gout", M_2);
    folder.with_policy("plain.toml").publish("jan.csv", "jan").output("jan-out.csv").run().passes();
    let answer = grouped(folder.publish("feb.csv", "feb").output("out").rehearse().passes());
    assert_eq!((answer.departures.people, answer.departures.groups), (1, 1));
}

/// People whose value is no longer that of their class are withheld.
#[test]
fn a_changed_value_is_withheld() {
    let folder = after_an_ordinary_release();
    folder.write("reticent.toml", method_policy("m-invariance", "m = 2"));
    let changed = folder.read("month2.csv");
    let line = changed.lines().find(|line| line.starts_with("p2,")).unwrap().to_owned();
    let other = format!("{},never published", line.rsplit_once(',').unwrap().0);
    folder.write("month2.csv", changed.replace(&line, &other));
    let answer = grouped(folder.publish_month("month2").run().passes());
    let withheld: Vec<(&str, u64)> = answer.withheld.iter().map(|one| (one.reason.as_str(), one.records)).collect();
    assert_eq!(withheld, [("changed", 1)]);
}
