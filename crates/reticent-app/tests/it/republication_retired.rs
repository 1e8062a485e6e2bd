//! Republication methods: what becomes of a series whose method is no longer offered.

use std::path::Path;

use reticent_app::request::{AuditRequest, CheckRequest, PublishRequest};
use reticent_app::{Confidence, Context, Recipient, ReleaseName, Workspace};

/// The 30 patients of the fixture.
fn patients() -> String {
    let illness = ["asthma", "diabetes", "flu", "gout", "hepatitis", "measles"];
    let row = |n: usize| {
        let (sex, city) = (["F", "M"][n % 2], ["Lyon", "Oslo", "Paris"][n * 5 / 3 % 3]);
        format!("p{n:02},{},{sex},{city},{}\n", 20 + n * 7 % 40, illness[n * 5 % 6])
    };
    format!("patient,age,sex,city,illness\n{}", (1..=30).map(row).collect::<String>())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                std::fs::copy(entry.path(), &target).unwrap();
            }
        }
    }
}

/// The ledger with a release of every method, and a policy that names the method that is no longer offered.
fn retired() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reticent-ledger/tests/fixtures/format-1-methods");
    copy(&fixture, folder.path());
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(folder.path().join("reticent.key"), mode).unwrap();
    }
    let policy = "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\nrole = \"identifier\"\n[columns.age]\n\
        type = \"number\"\n[columns.sex]\n[columns.city]\n[columns.illness]\nrole = \"sensitive\"\n[release]\n\
        method = \"bcf-anonymity-by-flow\"\nseed = 1\n[release.options]\nk = 3\n\
        [recipients]\nseparate = [\"anatomy\", \"decomposition\", \"decomposition-plus\", \"m-invariance\", \"history-guided\", \
        \"incremental-l-diversity\", \"bcf-anonymity\", \"bcf-anonymity-by-flow\"]\n";
    std::fs::write(folder.path().join("reticent.toml"), policy).unwrap();
    std::fs::write(folder.path().join("month2.csv"), patients()).unwrap();
    let workspace = Workspace::new(folder.path().join("reticent.toml"));
    (folder, workspace)
}

#[test]
fn a_series_by_a_retired_method_is_not_continued() {
    let (folder, workspace) = retired();
    let context = Context::new("tester");
    let data = folder.path().join("month2.csv").display().to_string();
    let recipient = Recipient::new("bcf-anonymity-by-flow").unwrap();
    let name = ReleaseName::new("month2").unwrap();
    let request = PublishRequest::new(&data, name, vec![recipient], folder.path().join("month2"));
    let error = workspace.publish(&request, &context).unwrap_err();
    assert_eq!(error.code(), "method-retired");
    assert_eq!(error.data()["instead"], "bcf-anonymity");
    assert!(!folder.path().join("month2").exists());
    let check = CheckRequest { data: vec![data], witnesses: 1 };
    assert_eq!(workspace.check(&check, &context).unwrap_err().code(), "method-retired");
}

/// By hand, in the published tables: 18 people are in groups of three in which two have the same illness; the other groups have at
/// most two of four with the same.
#[test]
fn a_release_by_a_retired_method_is_audited() {
    let (_folder, workspace) = retired();
    let confidence = Some(Confidence::new(0.6).unwrap());
    let recipients = vec![Recipient::new("bcf-anonymity-by-flow").unwrap()];
    let request = AuditRequest { recipients, confidence, ..AuditRequest::default() };
    let answer = workspace.audit(&request, &Context::new("tester")).unwrap();
    let answer = serde_json::to_value(&answer).unwrap();
    let audit = &answer["coalitions"][0]["audit"];
    let column = &audit["columns"][0];
    assert_eq!((&column["people"], &column["certain"], &column["above"]), (&30.into(), &0.into(), &18.into()));
    assert_eq!((&column["highest"]["lower"], &column["highest"]["upper"]), (&(2.0 / 3.0).into(), &(2.0 / 3.0).into()));
    // Six groups with 3 ways to give out their values, two with 12 and one with 24.
    assert_eq!(audit["worlds"], (3u64.pow(6) * 12 * 12 * 24).to_string());
}
