//! Round trips of entries, histories and owner links. Erased releases are listed as erased.

use std::collections::BTreeSet;

use reticent::Role;
use reticent_ledger::{Error, HistoryQuery, HistoryScope, KeyFile, Ledger, Origin, ReleaseDraft, Staging};

use crate::support::{Sandbox, autumn, clinic, create, files, key, keys, links, session, spring};

#[test]
fn a_loaded_release_equals_the_recorded_release() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.record("spring", &["press", "ministry"], &spring());
    assert_eq!(outcome.entry.number, 1);
    let ledger = sandbox.open();
    let history = ledger.history(HistoryQuery { links: Some(&key()), ..HistoryQuery::default() }).unwrap();
    let [recorded] = history.releases.as_slice() else { panic!("one release") };
    assert_eq!((recorded.number, recorded.name.as_str(), recorded.date.as_str()), (1, "spring", "2026-03-01"));
    assert_eq!(recorded.recipients, ["ministry", "press"]);
    assert_eq!((recorded.release.suppressed, recorded.release.contingency.rows()), (1, 7));
    let columns = &recorded.release.columns;
    let roles: Vec<Role> = columns.iter().map(|column| column.role).collect();
    assert_eq!(roles, [Role::QuasiIdentifier, Role::QuasiIdentifier, Role::Sensitive]);
    // All records as texts.
    let contingency = &recorded.release.contingency;
    let mut records: Vec<(Vec<&str>, u64)> = (0..contingency.len())
        .map(|at| {
            let text = |(column, codes): (&reticent::PublishedColumn, &Vec<u32>)| {
                let node = column.nodes[codes[at] as usize];
                column.tree.node(node).label.clone()
            };
            let texts: Vec<String> = columns.iter().zip(&contingency.codes).map(text).collect();
            (texts, contingency.weights[at])
        })
        .map(|(texts, weight)| (texts.into_iter().map(|text| &*text.leak()).collect(), weight))
        .collect();
    records.sort();
    let expected: Vec<(Vec<&str>, u64)> = vec![
        (vec!["*", "*", "measles"], 1),
        (vec![">=30", "Norway", "flu"], 3),
        (vec!["[20,30)", "Paris", "asthma"], 1),
        (vec!["[20,30)", "Paris", "flu"], 2),
    ];
    assert_eq!(records, expected);
    // The taxonomy is the recorded one: Paris is a child of France.
    let city = &columns[1].tree;
    let (paris, france) = (city.find("Paris").unwrap(), city.find("France").unwrap());
    assert_eq!(city.node(paris).parent, Some(france));
    let age = &columns[0].tree;
    let thirty = age.interval(age.find(">=30").unwrap()).unwrap();
    assert!(thirty.contains(30.0) && thirty.contains(99.0) && !thirty.contains(29.0));
    assert_eq!(recorded.links.as_ref().unwrap(), &links(&spring(), 5));
    // Without the key, no owner links are loaded.
    assert!(ledger.history(HistoryQuery::default()).unwrap().releases[0].links.is_none());
}

#[test]
fn links_need_the_key_they_were_made_with() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let other = KeyFile::ephemeral().unwrap().ledger_key(&keys().1);
    let wanted = HistoryQuery { links: Some(&other), ..HistoryQuery::default() };
    let refused = sandbox.open().history(wanted).unwrap_err().to_string();
    assert!(refused.contains("another key"), "{refused}");
}

#[test]
fn a_coalition_has_its_own_and_the_public_releases() {
    let sandbox = Sandbox::full();
    let history = sandbox.open().history(HistoryQuery::default()).unwrap();
    let names = |recipients: &[&str]| {
        let coalition: BTreeSet<String> = recipients.iter().map(|name| (*name).to_owned()).collect();
        let received = history.for_coalition(&coalition);
        let kept: Vec<String> = received.releases.iter().map(|recorded| recorded.name.clone()).collect();
        (kept, received.erased.iter().map(|erased| erased.name.clone()).collect::<Vec<_>>())
    };
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&["press"]), (texts(&["spring", "autumn"]), texts(&["summer"])));
    assert_eq!(names(&["ministry"]), (texts(&["autumn"]), texts(&["summer"])));
    assert_eq!(names(&["stranger"]), (texts(&["autumn"]), texts(&[])));
}

#[test]
fn a_release_checked_against_an_outdated_head_is_not_recorded() {
    let sandbox = Sandbox::new();
    let mut ledger = sandbox.open();
    let before = ledger.head().unwrap();
    sandbox.record("faster", &["press"], &autumn());
    let body = spring();
    let links = links(&body, 5);
    let file = sandbox.path().join("slow.csv");
    std::fs::write(&file, "slow").unwrap();
    let draft = sandbox.draft(&ledger, "slow", &["press"], &body, &links, &file);
    let refused = ledger.write(&session()).unwrap().record(before, &draft).unwrap_err();
    assert!(matches!(refused, Error::Stale));
    let refused = {
        let draft = sandbox.draft(&ledger, "faster", &["press"], &body, &links, &file);
        ledger.write(&session()).unwrap().append(&draft).unwrap_err()
    };
    assert!(matches!(refused, Error::NameTaken { number: 1, .. }));
    assert_eq!(ledger.head().unwrap().entries, 1);
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn links_that_do_not_match_the_records_are_refused() {
    let sandbox = Sandbox::new();
    let mut ledger = sandbox.open();
    let (body, other) = (spring(), clinic(&[(&["*", "*", "flu"], 7)]));
    let links = links(&other, 5);
    let file = sandbox.path().join("a.csv");
    std::fs::write(&file, "a").unwrap();
    let draft = sandbox.draft(&ledger, "a", &["press"], &body, &links, &file);
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err().to_string();
    assert!(refused.contains("do not add up"), "{refused}");
    // Pseudonyms must be in ascending order.
    let mut reversed = self::links(&body, 5);
    [&mut reversed.cells, &mut reversed.records].into_iter().for_each(|column| column.reverse());
    reversed.pseudonyms.reverse();
    let draft = sandbox.draft(&ledger, "a", &["press"], &body, &reversed, &file);
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err().to_string();
    assert!(refused.contains("do not add up"), "{refused}");
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn the_file_is_named_with_the_entry_and_never_overwrites_another_file() {
    let sandbox = Sandbox::new();
    let mut ledger = sandbox.open();
    let body = spring();
    let links = links(&body, 5);
    let to = sandbox.path().join("out.csv");
    let staging = Staging::create(&to, &sandbox.ledger()).unwrap();
    std::fs::write(staging.release(), "the release").unwrap();
    std::fs::write(&to, "another file").unwrap();
    let mut draft = sandbox.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    draft.naming = Some(staging.naming(&to).unwrap());
    let outcome = ledger.write(&session()).unwrap().append(&draft).unwrap();
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "another file");
    let named = outcome.file.unwrap();
    assert_eq!(named, sandbox.path().join("out-release-1.csv"));
    assert_eq!(std::fs::read_to_string(named).unwrap(), "the release");
    assert!(outcome.notes[0].contains("another process created"), "{:?}", outcome.notes);
    let path = staging.path().to_owned();
    drop(staging);
    assert!(!path.exists());
}

#[test]
fn purged_files_are_removed_and_the_release_is_listed_as_erased() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("same", &["press"], &spring());
    sandbox.record("autumn", &["press"], &autumn());
    let before = files(&sandbox.ledger().join("bodies")).len();
    let purge = sandbox.open().write(&session()).unwrap().purge("autumn", "a person asked").unwrap();
    assert_eq!(purge.purge().unwrap().release, 3);
    // The records and links of autumn are removed. Other releases use the policy and the taxonomy, so they remain.
    assert_eq!(files(&sandbox.ledger().join("bodies")).len(), before - 1);
    assert_eq!((purge.purge().unwrap().erased.len(), purge.purge().unwrap().shared.len()), (2, 2));
    let ledger = sandbox.open();
    let history = ledger.history(HistoryQuery::default()).unwrap();
    assert_eq!(history.releases.len(), 2);
    assert_eq!((history.erased[0].name.as_str(), history.erased[0].columns.len()), ("autumn", 3));
    assert!(history.require_single("anything").is_err());
    let error = ledger.body(&ledger.find("autumn").unwrap()).unwrap_err();
    assert!(matches!(error, Error::Erased { number: 3, .. }));
    assert!(matches!(sandbox.open().write(&session()).unwrap().purge("3", "again").unwrap_err(), Error::Erased { .. }));
    // A file that two releases share remains until both are purged.
    sandbox.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(sandbox.open().history(HistoryQuery::default()).unwrap().releases.len(), 1);
    assert_eq!(sandbox.problem(), None);
    sandbox.open().write(&session()).unwrap().purge("same", "asked").unwrap();
    assert_eq!(files(&sandbox.ledger().join("bodies")).len() + files(&sandbox.ledger().join("links")).len(), 0);
    assert_eq!(sandbox.problem(), None);
    // The same contents can be recorded again.
    sandbox.record("again", &["press"], &spring());
    assert_eq!(sandbox.open().history(HistoryQuery::default()).unwrap().releases.len(), 1);
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn opening_a_missing_ledger_is_an_error() {
    let sandbox = Sandbox::new();
    let missing = Ledger::open(&sandbox.ledger(), &session()).unwrap_err();
    assert!(matches!(missing, Error::None(_)));
    // A ledger folder without its catalogue is not replaced by a new ledger.
    sandbox.record("spring", &["press"], &spring());
    std::fs::remove_file(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    let broken = create(&sandbox.ledger()).unwrap_err();
    assert!(matches!(broken, Error::Broken { .. }), "{broken}");
}

#[test]
fn only_the_owner_can_read_the_ledger() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::full();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sandbox.ledger()), 0o700);
    for file in files(&sandbox.ledger()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    std::fs::set_permissions(sandbox.ledger(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(sandbox.verify().unwrap().warnings.len(), 1);
}

#[test]
fn an_entry_records_the_history_scope_and_the_provenance() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.record("spring", &["press"], &spring());
    let recorded = outcome.entry.release().unwrap();
    assert_eq!(recorded.judged, HistoryScope::History { with: vec![] });
    let made = recorded.made.as_ref().unwrap();
    assert_eq!((made.seed, made.metrics[0].value), (2, 0.25));
    assert_eq!(sandbox.open().find("1").unwrap(), outcome.entry);
    assert_eq!(sandbox.open().hash_of(&outcome.entry).unwrap(), outcome.hash);
}

/// A population register has an entry kind of its own, so a program that does not know it refuses the ledger and names the kind.
#[test]
fn a_population_register_is_not_a_release() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let mut body = spring();
    body.columns.iter_mut().for_each(|column| column.role = Role::QuasiIdentifier);
    let file = sandbox.path().join("spring.csv");
    let mut ledger = sandbox.open();
    let links = links(&body, 5);
    let draft = |name: &str, body| ReleaseDraft {
        origin: Origin::Population,
        suppressed: 0,
        made: None,
        judged: HistoryScope::Nothing,
        ..sandbox.draft(&sandbox.open(), name, &["public"], body, &links, &file)
    };
    // A sensitive value in it would be a disclosure that nothing judges.
    let spring = spring();
    let refused = ledger.write(&session()).unwrap().append(&draft("voters", &spring)).unwrap_err();
    assert!(matches!(refused, Error::Unfit(_)), "{refused}");
    ledger.write(&session()).unwrap().append(&draft("voters", &body)).unwrap();
    assert_eq!(sandbox.problem(), None);
    let entry = ledger.find("voters").unwrap();
    assert_eq!((entry.kind.name(), entry.release().unwrap().origin), ("population", Origin::Population));
    let connection = rusqlite::Connection::open(sandbox.ledger().join("catalogue.sqlite")).unwrap();
    let kinds = |number: i64| -> String {
        let kind = "SELECT json_extract(document, '$.kind') FROM entries WHERE number = ?1";
        connection.query_row(kind, [number], |row| row.get(0)).unwrap()
    };
    assert_eq!([kinds(1), kinds(2)], ["release", "population"]);
    let history = ledger.history(HistoryQuery::default()).unwrap();
    let populations: Vec<bool> = history.releases.iter().map(|recorded| recorded.population).collect();
    assert_eq!(populations, [false, true]);
    assert_eq!(history.without_populations().releases.len(), 1);
    drop(connection);
    ledger.write(&session()).unwrap().purge("voters", "asked").unwrap();
    let history = ledger.history(HistoryQuery::default()).unwrap();
    assert!(history.erased[0].population && history.without_populations().erased.is_empty());
}
