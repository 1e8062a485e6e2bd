//! Ledgers of every format remain readable. The fixtures never change; a new format adds a fixture.
//!
//! | fixture | content |
//! |---|---|
//! | `format-1` | A clinic with 13 people; Ada has two records. Releases: to the press, to the ministry, registered, erased. |
//! | `format-1-methods` | November 2026: 30 patients, one release per republication method, each to its own recipient. |
//! | `format-2`, `format-2-methods` | The same in format 2, with a head that a witness countersigned. |
//!
//! The expected values were counted in the published files: for `format-1` by hand, for the others by a script.
//! `bcf-anonymity-by-flow` is no longer offered, but its release remains readable.

use std::path::{Path, PathBuf};

use reticent::RecordedRelease;
use reticent_ledger::{
    Authentication, EntryKind, ExportedHead, HistoryQuery, HistoryScope, Key, KeyFile, Ledger, Origin, Proof,
    ProvenClaim, Session, Verifier,
};

use crate::support::{copy, unkeyed};

/// Pseudonym: HMAC-SHA-256 of `reticent owner`, a zero byte and the name, with the key of the fixture. From Python's `hmac`.
const ADA: u128 = 0x84eec447_f8e2acaf_d4fb143a_f0563368;
const ZOE: u128 = 0x59591710_77659705_8c9c7aba_a8e1bf3e;

/// A copy of a fixture, its ledger folder and its key.
fn fixture(format: &str) -> (tempfile::TempDir, PathBuf, Key) {
    let temp = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format), temp.path());
    let key = temp.path().join("reticent.key");
    #[cfg(unix)]
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let ledger = temp.path().join("ledger");
    let identity = Ledger::open(&ledger, &unkeyed()).unwrap().identity().unwrap();
    let key = KeyFile::read(&key, None).unwrap().unwrap().ledger_key(&identity);
    (temp, ledger, key)
}

/// The records of a release as texts, with their counts, sorted.
fn records(recorded: &RecordedRelease) -> Vec<(String, u64)> {
    let (columns, contingency) = (&recorded.release.columns, &recorded.release.contingency);
    let row = |at: usize| {
        let cells = columns.iter().zip(&contingency.codes).map(|(column, codes)| column.label(codes[at]));
        (cells.collect::<Vec<_>>().join(" "), contingency.weights[at])
    };
    let mut records: Vec<(String, u64)> = (0..contingency.len()).map(row).collect();
    records.sort();
    records
}

#[track_caller]
fn assert_records(found: Vec<(String, u64)>, expected: &[(&str, u64)]) {
    let mut expected: Vec<(String, u64)> = expected.iter().map(|(row, count)| ((*row).to_owned(), *count)).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn format_1_opens_verifies_and_loads() {
    let (temp, folder, key) = fixture("format-1");
    let ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let findings = ledger.verify(&unkeyed()).unwrap();
    assert!(findings.is_intact(), "{:?}", findings.problems);
    let head = std::fs::read_to_string(temp.path().join("head.json")).unwrap();
    assert_eq!(ledger.compare_head(&ExportedHead::parse(&head).unwrap(), Some(&key)).unwrap(), None);
    let history = ledger.history(HistoryQuery { links: Some(&key), ..HistoryQuery::default() }).unwrap();
    let names: Vec<&str> = history.releases.iter().map(|recorded| recorded.name.as_str()).collect();
    assert_eq!(names, ["old", "spring", "summer"]);
    assert_eq!((history.erased[0].number, history.erased[0].columns.join(" ")), (4, "age illness".to_owned()));
    assert_records(
        records(&history.releases[1]),
        &[
            ("[30,35) * France * flu", 2),
            ("[30,35) * France * asthma", 1),
            ("[30,35) * France * diabetes", 1),
            ("[35,40) * France * flu", 2),
            ("[35,40) * France * asthma", 1),
            ("[50,55) * Norway * flu", 1),
            ("[50,55) * Norway * diabetes", 2),
            ("[55,60) * Norway * flu", 2),
            ("[55,60) * Norway * asthma", 2),
        ],
    );
    // `*` is read as the root of the taxonomy.
    assert_records(
        records(&history.releases[0]),
        &[("30-39 France flu", 1), ("30-39 Paris asthma", 1), ("40+ Europe flu", 1)],
    );
    assert_eq!(history.releases[2].release.contingency.rows(), 14);
}

#[test]
fn format_1_links_owners_to_releases() {
    let (_temp, folder, key) = fixture("format-1");
    let ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let history = ledger.history(HistoryQuery { links: Some(&key), ..HistoryQuery::default() }).unwrap();
    let of = |recorded: &RecordedRelease, person: u128| -> u32 {
        let links = recorded.links.as_ref().unwrap();
        links
            .pseudonyms
            .iter()
            .zip(&links.records)
            .filter(|(known, _)| **known == person)
            .map(|(_, records)| records)
            .sum()
    };
    let people: Vec<u64> = history.releases.iter().map(|recorded| recorded.links.as_ref().unwrap().people()).collect();
    assert_eq!(people, [3, 13, 13]);
    let of_ada: Vec<u32> = history.releases.iter().map(|recorded| of(recorded, ADA)).collect();
    assert_eq!(of_ada, [1, 2, 2]);
    let of_zoe: Vec<u32> = history.releases.iter().map(|recorded| of(recorded, ZOE)).collect();
    assert_eq!(of_zoe, [1, 0, 0]);
}

#[test]
fn format_1_records_how_releases_were_made() {
    let (_temp, folder, _) = fixture("format-1");
    let mut ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let spring = ledger.find("spring").unwrap();
    let release = spring.release().unwrap();
    assert_eq!((release.origin, release.recipients.join(" ")), (Origin::Published, "press".to_owned()));
    let made = release.made.as_ref().unwrap();
    assert_eq!((made.algorithm.as_str(), made.seed, made.classes), ("top-down-specialization", 7, 4));
    assert_eq!(release.judged, HistoryScope::History { with: vec![] });
    let autumn = ledger.find("4").unwrap();
    assert_eq!(autumn.release().unwrap().judged, HistoryScope::Alone { apart_from: vec![1, 3] });
    // The ledger can also be written to.
    ledger.write(&unkeyed()).unwrap().purge("spring", "asked").unwrap();
    assert!(ledger.verify(&unkeyed()).unwrap().is_intact());
}

/// A method, its number of groups, and for each list the number of pairs of a group and a value. Counted in the published files by a
/// script.
type MethodFixture = (&'static str, u64, &'static [(&'static str, u64)]);

const METHODS: &[MethodFixture] = &[
    ("anatomy", 10, &[("illness", 30)]),
    ("decomposition", 10, &[("illness", 30), ("pay", 26)]),
    ("decomposition-plus", 10, &[("illness", 30), ("pay", 26)]),
    ("m-invariance", 10, &[("illness", 30)]),
    ("history-guided", 10, &[("illness", 30)]),
    ("incremental-l-diversity", 14, &[("illness", 30)]),
    ("bcf-anonymity", 8, &[("illness", 20)]),
    ("bcf-anonymity-by-flow", 9, &[("illness", 22)]),
];

/// Checks that the ledger is intact and contains a release of every method with its groups and lists. Returns the ledger.
fn open_with_every_method(folder: &Path, session: &Session, methods: &[MethodFixture]) -> Ledger {
    let ledger = Ledger::open(folder, session).unwrap();
    let findings = ledger.verify(session).unwrap();
    assert!(findings.is_intact(), "{:?}", findings.problems);
    for (method, groups, lists) in methods {
        let entry = ledger.find(method).unwrap();
        let release = entry.release().unwrap();
        let record = release.method.as_ref().unwrap();
        assert_eq!((record.id.as_str(), record.groups, record.waiting), (*method, *groups, 0), "{method}");
        let found: Vec<(&str, u64)> =
            release.tables.iter().map(|list| (list.name.as_str(), list.combinations)).collect();
        assert_eq!(found, *lists, "{method}");
    }
    ledger
}

/// Number of linked people of each release with owner links.
fn people_of(ledger: &Ledger, key: &Key) -> Vec<(String, u64)> {
    let history = ledger.history(HistoryQuery { links: Some(key), ..HistoryQuery::default() }).unwrap();
    let people = |recorded: &RecordedRelease| Some((recorded.name.clone(), recorded.links.as_ref()?.people()));
    history.releases.iter().filter_map(people).collect()
}

#[test]
fn format_1_contains_a_release_of_every_republication_method() {
    let (_temp, folder, key) = fixture("format-1-methods");
    let mut ledger = open_with_every_method(&folder, &unkeyed(), METHODS);
    let by_flow = ledger.find("bcf-anonymity-by-flow").unwrap();
    assert_eq!(by_flow.release().unwrap().method.as_ref().unwrap().left, Some(3));
    let people = people_of(&ledger, &key);
    assert!(METHODS.iter().all(|(method, ..)| people.contains(&((*method).to_owned(), 30))), "{people:?}");
    // The ledger can also be written to.
    ledger.write(&unkeyed()).unwrap().purge("anatomy", "asked").unwrap();
    assert!(ledger.verify(&unkeyed()).unwrap().is_intact());
}

/// The same for the fixture of format 2.
const METHODS_2: &[MethodFixture] = &[
    ("anatomy", 10, &[("illness", 30)]),
    ("decomposition", 10, &[("illness", 30), ("pay", 21)]),
    ("decomposition-plus", 10, &[("illness", 30), ("pay", 21)]),
    ("m-invariance", 10, &[("illness", 30)]),
    ("incremental-l-diversity", 14, &[("illness", 30)]),
    ("bcf-anonymity", 6, &[("illness", 30)]),
    ("history-guided", 10, &[("illness", 30)]),
];

#[test]
fn format_2_contains_a_release_of_every_republication_method() {
    let (_temp, folder, key) = fixture("format-2-methods");
    let session = unkeyed().with_key(Some(key.clone()));
    let mut ledger = open_with_every_method(&folder, &session, METHODS_2);
    let people = people_of(&ledger, &key);
    assert!(METHODS_2.iter().all(|(method, ..)| people.contains(&((*method).to_owned(), 30))), "{people:?}");
    ledger.write(&session).unwrap().purge("anatomy", "asked").unwrap();
    assert_eq!(ledger.verify(&session).unwrap().authentication, Authentication::Authentic);
}

/// Pseudonym: HMAC-SHA-256 with the key that HKDF derives for this ledger. From Python's `hmac`.
const ADA_2: u128 = 0x647f6d03_a4d2ec29_81a66521_fa946a1d;
const ZOE_2: u128 = 0xf688ff26_1ddc13f3_2406af55_506d4cea;

#[test]
fn format_2_opens_verifies_and_loads() {
    let (temp, folder, key) = fixture("format-2");
    let session = unkeyed().with_key(Some(key.clone()));
    let mut ledger = Ledger::open(&folder, &session).unwrap();
    let findings = ledger.verify(&session).unwrap();
    assert_eq!((findings.authentication, findings.problems), (Authentication::Authentic, vec![]));
    let kinds: Vec<&str> = ledger.entries().unwrap().iter().map(|entry| entry.kind.name()).collect();
    assert_eq!(kinds, ["release", "registration", "release", "release", "purge", "witness"]);
    let read = |name: &str| std::fs::read_to_string(temp.path().join(name)).unwrap();
    for head in ["head.txt", "kept.txt"] {
        let head = ExportedHead::parse(&read(head)).unwrap();
        assert_eq!(ledger.compare_head(&head, Some(&key)).unwrap(), None);
    }
    let EntryKind::Witness(witness) = &ledger.entries().unwrap()[5].kind else { panic!("a witness") };
    let witness = Verifier::parse(&witness.witness).unwrap();
    assert!(ExportedHead::parse(&read("kept.txt")).unwrap().countersigned_by(&witness).is_some());
    let proof = Proof::parse(&read("spring.proof")).unwrap().check(Some(&key.verifier())).unwrap();
    assert!(matches!(proof, ProvenClaim::Inclusion { entry, .. } if entry.release().unwrap().name == "spring"));
    let history = ledger.history(HistoryQuery { links: Some(&key), ..HistoryQuery::default() }).unwrap();
    let names: Vec<&str> = history.releases.iter().map(|recorded| recorded.name.as_str()).collect();
    assert_eq!((names, history.erased.len()), (vec!["old", "spring", "summer"], 1));
    assert_records(
        records(&history.releases[0]),
        &[("30-39 France flu", 1), ("30-39 Paris asthma", 1), ("40+ * flu", 1)],
    );
    assert_records(
        records(&history.releases[2]),
        &[
            ("<38 flu", 4),
            ("<38 asthma", 1),
            ("<38 diabetes", 1),
            ("[38,53) diabetes", 2),
            ("[38,53) asthma", 1),
            (">=53 flu", 2),
            (">=53 asthma", 2),
        ],
    );
    let has = |at: usize, person: u128| history.releases[at].links.as_ref().unwrap().pseudonyms.contains(&person);
    assert_eq!([has(0, ADA_2), has(1, ADA_2), has(2, ADA_2)], [true, true, true]);
    assert_eq!([has(0, ZOE_2), has(1, ZOE_2), has(2, ZOE_2)], [true, false, false]);
    let spring = ledger.find("spring").unwrap();
    let statements = &spring.release().unwrap().made.as_ref().unwrap().statements;
    let models: Vec<&str> = statements.iter().map(|statement| statement.model.as_str()).collect();
    assert_eq!(models, ["k-anonymity", "confidence-bounding", "posterior"]);
    ledger.write(&session).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(ledger.verify(&session).unwrap().authentication, Authentication::Authentic);
}

/// Policies of version 0.1 are valid after their keys are renamed. With the old keys, the error states the new names.
#[test]
fn stored_policies_are_valid_after_renaming_old_keys() {
    for name in ["format-1", "format-1-methods", "format-2", "format-2-methods"] {
        let (_temp, folder, _) = fixture(name);
        let files = std::fs::read_dir(folder.join("bodies")).unwrap().map(|file| file.unwrap().path());
        let policies: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
        assert!(!policies.is_empty(), "{name}");
        for path in policies {
            let text = std::fs::read_to_string(&path).unwrap();
            if let Err(error) = reticent::policy::Policy::parse(&text) {
                let error = error.to_string();
                assert!(error.contains("is now called `non-colluding`"), "{error}");
            }
            reticent::policy::Policy::parse(&with_current_keys(&text)).unwrap();
        }
    }
}

/// The policy with the current names of its keys.
fn with_current_keys(text: &str) -> String {
    text.replace("\nseparate = ", "\nnon-colluding = ")
}

#[test]
fn format_1_stores_policies_with_their_method() {
    let (_temp, folder, _) = fixture("format-1-methods");
    let mut methods: Vec<String> = Vec::new();
    for file in std::fs::read_dir(folder.join("bodies")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "toml") {
            let policy =
                reticent::policy::Policy::parse(&with_current_keys(&std::fs::read_to_string(&path).unwrap())).unwrap();
            methods.push(policy.method.unwrap().def.entry.id.to_owned());
        }
    }
    methods.sort();
    let mut expected: Vec<&str> = METHODS.iter().map(|(method, ..)| *method).collect();
    expected.sort();
    assert_eq!(methods, expected);
}
