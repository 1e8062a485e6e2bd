//! A republication method that is no longer offered: its series is not continued; its recorded release can be read and audited.

use std::path::Path;

use reticent_app::catalogue;
use reticent_testkit::{Answer, Outcome, TestFolder};

const RETIRED: &str = "bcf-anonymity-by-flow";

/// A ledger with a release of every method there was, each to a recipient of its own, and a policy that names the retired one.
fn retired() -> TestFolder {
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\nrole = \"identifier\"\n[columns.age]\n\
         type = \"number\"\n[columns.sex]\n[columns.city]\n[columns.illness]\nrole = \"sensitive\"\n[release]\n\
         method = \"bcf-anonymity-by-flow\"\nseed = 1\n[release.options]\nk = 3\n[recipients]\nnon-colluding = [\"anatomy\", \
         \"decomposition\", \"decomposition-plus\", \"m-invariance\", \"history-guided\", \"incremental-l-diversity\", \
         \"bcf-anonymity\", \"bcf-anonymity-by-flow\"]\n",
    );
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reticent-ledger/tests/fixtures/format-1-methods");
    folder.copy_from(&fixture);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(folder.file("reticent.key"), mode).unwrap();
    }
    folder.workspace().authenticate(folder.context()).unwrap();
    folder.write("month2.csv", "patient,age,sex,city,illness\np01,27,M,Oslo,measles\np02,34,F,Lyon,hepatitis\n");
    folder
}

#[test]
fn a_series_by_a_retired_method_is_not_continued() {
    let folder = retired();
    let publish = || folder.publish("month2.csv", "month2").to(RETIRED).output("month2");
    let error = publish().run().refused_with("method-retired");
    assert_eq!((&error.data()["method"], &error.data()["instead"]), (&RETIRED.into(), &"bcf-anonymity".into()));
    publish().rehearse().refused_with("method-retired");
    folder.check("month2.csv").refused_with("method-retired");
    folder.check("").refused_with("method-retired");
    let compared = folder.compare("month2.csv").run().violates().json();
    assert!(compared["choices"][0]["error"].as_str().unwrap().contains("bcf-anonymity"), "{compared:#}");
    assert_eq!(catalogue(None, Some(RETIRED)).unwrap_err().code(), "method-retired");
    assert!(!folder.exists("month2"));
    assert_eq!(folder.verify().passes().entries, Some(9));
}

#[test]
fn a_release_by_a_retired_method_is_shown() {
    let folder = retired();
    let shown = folder.show(RETIRED).passes().json();
    assert_eq!(shown["recorded"]["content"]["method"]["left"], 3);
    assert_eq!(folder.log().passes().json()["log"][7]["name"], RETIRED);
}

/// By hand, in the published tables: 18 people are in groups of three in which two have the same illness; the other groups have at
/// most two of four with the same.
#[test]
fn a_release_by_a_retired_method_is_audited() {
    let answer = retired().audit().recipients(RETIRED).confidence(0.6).run().violates().json();
    let audit = &answer["coalitions"][0]["audit"];
    let column = &audit["columns"][0];
    assert_eq!((&column["people"], &column["certain"], &column["above"]), (&30.into(), &0.into(), &18.into()));
    assert_eq!((&column["highest"]["lower"], &column["highest"]["upper"]), (&(2.0 / 3.0).into(), &(2.0 / 3.0).into()));
    // Six groups with 3 ways to give out their values, two with 12 and one with 24.
    assert_eq!(audit["worlds"], (3u64.pow(6) * 12 * 12 * 24).to_string());
}
