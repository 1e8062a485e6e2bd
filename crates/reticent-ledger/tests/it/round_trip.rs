//! What goes in comes out: entries, histories, owner links; and what was erased is named as lost.

use std::collections::BTreeSet;

use reticent::Role;
use reticent_ledger::{Error, HistoryQuery, HistoryScope, KeyFile, Ledger, Staging};

use crate::support::{Desk, autumn, clinic, create, files, key, keys, links, session, spring};

#[test]
fn a_release_comes_back_as_it_was_published() {
    let desk = Desk::new();
    let outcome = desk.record("spring", &["press", "ministry"], &spring());
    assert_eq!(outcome.entry.number, 1);
    let ledger = desk.open();
    let history = ledger.history(HistoryQuery { links: Some(&key()), ..HistoryQuery::default() }).unwrap();
    let [held] = history.releases.as_slice() else { panic!("one release") };
    assert_eq!((held.number, held.name.as_str(), held.date.as_str()), (1, "spring", "2026-03-01"));
    assert_eq!(held.recipients, ["ministry", "press"]);
    assert_eq!((held.release.suppressed, held.release.contingency.rows()), (1, 7));
    let columns = &held.release.columns;
    let roles: Vec<Role> = columns.iter().map(|column| column.role).collect();
    assert_eq!(roles, [Role::QuasiIdentifier, Role::QuasiIdentifier, Role::Sensitive]);
    // Every record, as texts.
    let combos = &held.release.contingency;
    let mut records: Vec<(Vec<&str>, u64)> = (0..combos.len())
        .map(|at| {
            let text = |(column, codes): (&reticent::PublishedColumn, &Vec<u32>)| {
                let node = column.nodes[codes[at] as usize];
                column.tree.node(node).label.clone()
            };
            let texts: Vec<String> = columns.iter().zip(&combos.codes).map(text).collect();
            (texts, combos.weights[at])
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
    // The taxonomy is the one that was used: Paris lies below France.
    let city = &columns[1].tree;
    let (paris, france) = (city.find("Paris").unwrap(), city.find("France").unwrap());
    assert_eq!(city.node(paris).parent, Some(france));
    let age = &columns[0].tree;
    let thirty = age.interval(age.find(">=30").unwrap()).unwrap();
    assert!(thirty.contains(30.0) && thirty.contains(99.0) && !thirty.contains(29.0));
    assert_eq!(held.links.as_ref().unwrap(), &links(&spring(), 5));
    // Without the key nobody is linked.
    assert!(ledger.history(HistoryQuery::default()).unwrap().releases[0].links.is_none());
}

#[test]
fn links_need_the_key_they_were_made_with() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    let other = KeyFile::ephemeral().unwrap().ledger_key(&keys().1);
    let wanted = HistoryQuery { links: Some(&other), ..HistoryQuery::default() };
    let refused = desk.open().history(wanted).unwrap_err().to_string();
    assert!(refused.contains("another key"), "{refused}");
}

#[test]
fn a_coalition_holds_its_own_and_what_is_public() {
    let desk = Desk::full();
    let history = desk.open().history(HistoryQuery::default()).unwrap();
    let names = |who: &[&str]| {
        let coalition: BTreeSet<String> = who.iter().map(|name| (*name).to_owned()).collect();
        let held = history.for_coalition(&coalition);
        let kept: Vec<String> = held.releases.iter().map(|held| held.name.clone()).collect();
        (kept, held.erased.iter().map(|lost| lost.name.clone()).collect::<Vec<_>>())
    };
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&["press"]), (texts(&["spring", "autumn"]), texts(&["summer"])));
    assert_eq!(names(&["ministry"]), (texts(&["autumn"]), texts(&["summer"])));
    assert_eq!(names(&["stranger"]), (texts(&["autumn"]), texts(&[])));
}

#[test]
fn a_release_that_was_made_against_another_head_is_not_recorded() {
    let desk = Desk::new();
    let mut ledger = desk.open();
    let before = ledger.head().unwrap();
    desk.record("faster", &["press"], &autumn());
    let body = spring();
    let links = links(&body, 5);
    let file = desk.path().join("slow.csv");
    std::fs::write(&file, "slow").unwrap();
    let draft = desk.draft(&ledger, "slow", &["press"], &body, &links, &file);
    let refused = ledger.write(&session()).unwrap().record(before, &draft).unwrap_err();
    assert!(matches!(refused, Error::Stale));
    let refused = {
        let draft = desk.draft(&ledger, "faster", &["press"], &body, &links, &file);
        ledger.write(&session()).unwrap().append(&draft).unwrap_err()
    };
    assert!(matches!(refused, Error::NameTaken { number: 1, .. }));
    assert_eq!(ledger.head().unwrap().entries, 1);
    assert_eq!(desk.wrong(), None);
}

#[test]
fn links_that_do_not_add_up_are_refused() {
    let desk = Desk::new();
    let mut ledger = desk.open();
    let (body, other) = (spring(), clinic(&[(&["*", "*", "flu"], 7)]));
    let links = links(&other, 5);
    let file = desk.path().join("a.csv");
    std::fs::write(&file, "a").unwrap();
    let draft = desk.draft(&ledger, "a", &["press"], &body, &links, &file);
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err().to_string();
    assert!(refused.contains("do not add up"), "{refused}");
    // People are followed by owners that ascend.
    let mut turned = self::links(&body, 5);
    [&mut turned.cells, &mut turned.records].into_iter().for_each(|column| column.reverse());
    turned.pseudonyms.reverse();
    let draft = desk.draft(&ledger, "a", &["press"], &body, &turned, &file);
    let refused = ledger.write(&session()).unwrap().append(&draft).unwrap_err().to_string();
    assert!(refused.contains("do not add up"), "{refused}");
    assert_eq!(desk.wrong(), None);
}

#[test]
fn the_file_takes_its_name_with_the_entry_and_never_one_that_is_taken() {
    let desk = Desk::new();
    let mut ledger = desk.open();
    let body = spring();
    let links = links(&body, 5);
    let to = desk.path().join("out.csv");
    let staging = Staging::create(&to, &desk.ledger()).unwrap();
    std::fs::write(staging.release(), "the release").unwrap();
    std::fs::write(&to, "somebody else's").unwrap();
    let mut draft = desk.draft(&ledger, "spring", &["press"], &body, &links, &staging.release());
    draft.naming = Some(staging.naming(&to).unwrap());
    let outcome = ledger.write(&session()).unwrap().append(&draft).unwrap();
    assert_eq!(std::fs::read_to_string(&to).unwrap(), "somebody else's");
    let named = outcome.file.unwrap();
    assert_eq!(named, desk.path().join("out-release-1.csv"));
    assert_eq!(std::fs::read_to_string(named).unwrap(), "the release");
    assert!(outcome.notes[0].contains("another process created"), "{:?}", outcome.notes);
    let path = staging.path().to_owned();
    drop(staging);
    assert!(!path.exists());
}

#[test]
fn what_is_erased_is_gone_and_named_as_lost() {
    let desk = Desk::new();
    desk.record("spring", &["press"], &spring());
    desk.record("same", &["press"], &spring());
    desk.record("autumn", &["press"], &autumn());
    let before = files(&desk.ledger().join("bodies")).len();
    let purge = desk.open().write(&session()).unwrap().purge("autumn", "a person asked").unwrap();
    assert_eq!(purge.purge().unwrap().release, 3);
    // The records and links of autumn went; policy and taxonomy stay, others use them.
    assert_eq!(files(&desk.ledger().join("bodies")).len(), before - 1);
    assert_eq!((purge.purge().unwrap().erased.len(), purge.purge().unwrap().shared.len()), (2, 2));
    let ledger = desk.open();
    let history = ledger.history(HistoryQuery::default()).unwrap();
    assert_eq!(history.releases.len(), 2);
    assert_eq!((history.erased[0].name.as_str(), history.erased[0].columns.len()), ("autumn", 3));
    assert!(history.require_single("anything").is_err());
    let gone = ledger.body(&ledger.find("autumn").unwrap()).unwrap_err();
    assert!(matches!(gone, Error::Erased { number: 3, .. }));
    assert!(matches!(desk.open().write(&session()).unwrap().purge("3", "again").unwrap_err(), Error::Erased { .. }));
    // What two releases share stays as long as one of them does.
    desk.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    assert_eq!(desk.open().history(HistoryQuery::default()).unwrap().releases.len(), 1);
    assert_eq!(desk.wrong(), None);
    desk.open().write(&session()).unwrap().purge("same", "asked").unwrap();
    assert_eq!(files(&desk.ledger().join("bodies")).len() + files(&desk.ledger().join("links")).len(), 0);
    assert_eq!(desk.wrong(), None);
    // Recording the same contents again brings them back.
    desk.record("again", &["press"], &spring());
    assert_eq!(desk.open().history(HistoryQuery::default()).unwrap().releases.len(), 1);
    assert_eq!(desk.wrong(), None);
}

#[test]
fn there_is_no_ledger_where_there_is_none() {
    let desk = Desk::new();
    let missing = Ledger::open(&desk.ledger(), &session()).unwrap_err();
    assert!(matches!(missing, Error::None(_)));
    // A folder whose catalogue is gone is not taken for a new one.
    desk.record("spring", &["press"], &spring());
    std::fs::remove_file(desk.ledger().join("catalogue.sqlite")).unwrap();
    let broken = create(&desk.ledger()).unwrap_err();
    assert!(matches!(broken, Error::Broken { .. }), "{broken}");
}

#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::full();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&desk.ledger()), 0o700);
    for file in files(&desk.ledger()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    std::fs::set_permissions(desk.ledger(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(desk.verify().unwrap().warnings.len(), 1);
}

#[test]
fn how_a_release_was_judged_is_recorded() {
    let desk = Desk::new();
    let outcome = desk.record("spring", &["press"], &spring());
    let recorded = outcome.entry.release().unwrap();
    assert_eq!(recorded.judged, HistoryScope::History { with: vec![] });
    let made = recorded.made.as_ref().unwrap();
    assert_eq!((made.seed, made.metrics[0].value), (2, 0.25));
    assert_eq!(desk.open().find("1").unwrap(), outcome.entry);
    assert_eq!(desk.open().hash_of(&outcome.entry).unwrap(), outcome.hash);
}
