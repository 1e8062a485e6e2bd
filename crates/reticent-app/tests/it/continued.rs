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
        Publication::Grouped(answer) => answer,
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
                (answer["series"]["method"].as_str(), answer["series"]["value"].as_u64()),
                (Some("m-invariance"), Some(2))
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
