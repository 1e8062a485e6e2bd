//! Ledgers of every format there ever was open for ever. The fixtures are never changed; a new format adds one.
//!
//! `format-1` was made by the command of that time: a clinic of 13 people, Ada with two records; a release to the press, one to
//! the ministry, one that was made elsewhere, and one whose contents were erased. What is expected here was counted by hand in the
//! published files.
//!
//! `format-1-methods` was made in November 2026: one release by every republication method there was, of the same 30 patients, each to a
//! recipient of its own. `bcf-anonymity-by-flow` is no longer offered; its release stays readable.

use std::path::{Path, PathBuf};

use reticent::Held;
use reticent_ledger::{ExportedHead, Judged, Key, KeyFile, Ledger, Origin, Wanted};

use crate::support::{copy, unkeyed};

/// HMAC-SHA-256 of `reticent owner`, a zero byte and the name, under the fixture's key; made with Python's hmac.
const ADA: u128 = 0x84eec447_f8e2acaf_d4fb143a_f0563368;
const ZOE: u128 = 0x59591710_77659705_8c9c7aba_a8e1bf3e;

/// A copy to work on, and its key.
fn fixture(format: &str) -> (tempfile::TempDir, PathBuf, Key) {
    let desk = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format), desk.path());
    let key = desk.path().join("reticent.key");
    #[cfg(unix)]
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let ledger = desk.path().join("ledger");
    let identity = Ledger::open(&ledger, &unkeyed()).unwrap().identity().unwrap();
    let key = KeyFile::read(&key, None).unwrap().unwrap().of_ledger(&identity);
    (desk, ledger, key)
}

fn records(held: &Held) -> Vec<(String, u64)> {
    let (columns, combos) = (&held.release.columns, &held.release.combos);
    let row = |at: usize| {
        let cells = columns.iter().zip(&combos.codes).map(|(column, codes)| column.label(codes[at]));
        (cells.collect::<Vec<_>>().join(" "), combos.weights[at])
    };
    let mut records: Vec<(String, u64)> = (0..combos.len()).map(row).collect();
    records.sort();
    records
}

#[track_caller]
fn same(found: Vec<(String, u64)>, expected: &[(&str, u64)]) {
    let mut expected: Vec<(String, u64)> = expected.iter().map(|(row, count)| ((*row).to_owned(), *count)).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn format_1_opens_verifies_and_loads() {
    let (desk, folder, key) = fixture("format-1");
    let ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let findings = ledger.verify(&unkeyed()).unwrap();
    assert!(findings.intact(), "{:?}", findings.problems);
    let head = std::fs::read_to_string(desk.path().join("head.json")).unwrap();
    assert_eq!(ledger.compare_head(&ExportedHead::parse(&head).unwrap(), Some(&key)).unwrap(), None);
    let history = ledger.history(Wanted { links: Some(&key), ..Wanted::default() }).unwrap();
    let names: Vec<&str> = history.releases.iter().map(|held| held.name.as_str()).collect();
    assert_eq!(names, ["old", "spring", "summer"]);
    assert_eq!((history.lost[0].number, history.lost[0].columns.join(" ")), (4, "age illness".to_owned()));
    same(
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
    // `*` says as much as the root of the taxonomy.
    same(records(&history.releases[0]), &[("30-39 France flu", 1), ("30-39 Paris asthma", 1), ("40+ Europe flu", 1)]);
    assert_eq!(history.releases[2].release.combos.rows(), 14);
}

#[test]
fn format_1_knows_who_is_in_which_release() {
    let (_desk, folder, key) = fixture("format-1");
    let ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let history = ledger.history(Wanted { links: Some(&key), ..Wanted::default() }).unwrap();
    let of = |held: &Held, person: u128| -> u32 {
        let links = held.links.as_ref().unwrap();
        links
            .pseudonyms
            .iter()
            .zip(&links.records)
            .filter(|(known, _)| **known == person)
            .map(|(_, records)| records)
            .sum()
    };
    let people: Vec<u64> = history.releases.iter().map(|held| held.links.as_ref().unwrap().people()).collect();
    assert_eq!(people, [3, 13, 13]);
    let of_ada: Vec<u32> = history.releases.iter().map(|held| of(held, ADA)).collect();
    assert_eq!(of_ada, [1, 2, 2]);
    let of_zoe: Vec<u32> = history.releases.iter().map(|held| of(held, ZOE)).collect();
    assert_eq!(of_zoe, [1, 0, 0]);
}

#[test]
fn format_1_says_how_releases_were_made() {
    let (_desk, folder, _) = fixture("format-1");
    let mut ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let spring = ledger.find("spring").unwrap();
    let release = spring.release().unwrap();
    assert_eq!((release.origin, release.recipients.join(" ")), (Origin::Published, "press".to_owned()));
    let made = release.made.as_ref().unwrap();
    assert_eq!((made.algorithm.as_str(), made.seed, made.classes), ("top-down-specialization", 7, 4));
    assert_eq!(release.judged, Judged::History { with: vec![] });
    let autumn = ledger.find("4").unwrap();
    assert_eq!(autumn.release().unwrap().judged, Judged::Alone { apart_from: vec![1, 3] });
    // And it can be written to.
    ledger.write(&unkeyed()).unwrap().purge("spring", "asked").unwrap();
    assert!(ledger.verify(&unkeyed()).unwrap().intact());
}

/// A method, its groups, and by list of values how many different values its groups have, all groups together. Counted in the published
/// files by a script.
type Published = (&'static str, u64, &'static [(&'static str, u64)]);

const METHODS: &[Published] = &[
    ("anatomy", 10, &[("illness", 30)]),
    ("decomposition", 10, &[("illness", 30), ("pay", 26)]),
    ("decomposition-plus", 10, &[("illness", 30), ("pay", 26)]),
    ("m-invariance", 10, &[("illness", 30)]),
    ("history-guided", 10, &[("illness", 30)]),
    ("incremental-l-diversity", 14, &[("illness", 30)]),
    ("bcf-anonymity", 8, &[("illness", 20)]),
    ("bcf-anonymity-by-flow", 9, &[("illness", 22)]),
];

#[test]
fn format_1_keeps_a_release_of_every_republication_method() {
    let (_desk, folder, key) = fixture("format-1-methods");
    let mut ledger = Ledger::open(&folder, &unkeyed()).unwrap();
    let findings = ledger.verify(&unkeyed()).unwrap();
    assert!(findings.intact(), "{:?}", findings.problems);
    for (method, groups, lists) in METHODS {
        let entry = ledger.find(method).unwrap();
        let release = entry.release().unwrap();
        let record = release.method.as_ref().unwrap();
        assert_eq!((record.id.as_str(), record.groups, record.waiting), (*method, *groups, 0), "{method}");
        let found: Vec<(&str, u64)> =
            release.tables.iter().map(|list| (list.name.as_str(), list.combinations)).collect();
        assert_eq!(found, *lists, "{method}");
    }
    let by_flow = ledger.find("bcf-anonymity-by-flow").unwrap();
    assert_eq!(by_flow.release().unwrap().method.as_ref().unwrap().left, Some(3));
    let history = ledger.history(Wanted { links: Some(&key), ..Wanted::default() }).unwrap();
    let people: Vec<(&str, u64)> =
        history.releases.iter().filter_map(|held| Some((held.name.as_str(), held.links.as_ref()?.people()))).collect();
    for (method, ..) in METHODS {
        assert!(people.contains(&(method, 30)), "{method}: {people:?}");
    }
    // And it can be written to.
    ledger.write(&unkeyed()).unwrap().purge("anatomy", "asked").unwrap();
    assert!(ledger.verify(&unkeyed()).unwrap().intact());
}

#[test]
fn format_1_keeps_policies_that_can_be_read() {
    let (_desk, folder, _) = fixture("format-1-methods");
    let mut methods: Vec<String> = Vec::new();
    for file in std::fs::read_dir(folder.join("bodies")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "toml") {
            let policy = reticent::policy::Policy::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            methods.push(policy.method.unwrap().listed.entry.id.to_owned());
        }
    }
    methods.sort();
    let mut expected: Vec<&str> = METHODS.iter().map(|(method, ..)| *method).collect();
    expected.sort();
    assert_eq!(methods, expected);
}
