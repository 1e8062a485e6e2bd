//! Withdrawals, amendments and erasures: what readers of the ledger see afterwards, and what is refused.

use std::collections::BTreeMap;

use reticent::{Pseudonym, Recipient, Role};
use reticent_ledger::{
    AmendmentDraft, AmendmentOutcome, Entry, EntryKind, Error, FileState, HistoryQuery, Ledger, WithdrawalDraft,
};

use crate::support::{Sandbox, autumn, files, key, links, session, spring};

fn withdraw(sandbox: &Sandbox, release: &str, destroyed_elsewhere: bool) -> Result<Entry, Error> {
    let draft = WithdrawalDraft { release, reason: "never sent", destroyed_elsewhere };
    sandbox.open().write(&session()).unwrap().withdraw(draft)
}

fn amend(sandbox: &Sandbox, draft: AmendmentDraft) -> Result<AmendmentOutcome, Error> {
    sandbox.open().write(&session()).unwrap().amend(&draft)
}

fn amendment(release: &str) -> AmendmentDraft {
    AmendmentDraft { release: release.to_owned(), reason: "known better".to_owned(), ..AmendmentDraft::default() }
}

fn recipients(names: &[&str]) -> Vec<Recipient> {
    names.iter().map(|name| Recipient::new(name).unwrap()).collect()
}

/// The file of a release is deleted.
fn delete(sandbox: &Sandbox, name: &str) {
    std::fs::remove_file(sandbox.path().join(format!("{name}.csv"))).unwrap();
}

/// Numbers of the releases in the history.
fn numbers(ledger: &Ledger) -> Vec<u64> {
    ledger.history(HistoryQuery::default()).unwrap().releases.iter().map(|recorded| recorded.number).collect()
}

#[test]
fn a_withdrawn_release_leaves_the_history_and_keeps_its_name() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("autumn", &["press"], &autumn());
    let refused = withdraw(&sandbox, "autumn", true).unwrap_err();
    assert!(matches!(&refused, Error::FileExists { number: 2, path, .. } if path.ends_with("autumn.csv")), "{refused}");
    delete(&sandbox, "autumn");
    let entry = withdraw(&sandbox, "autumn", false).unwrap();
    let EntryKind::Withdrawal(withdrawal) = &entry.kind else { panic!("{entry:?}") };
    assert!(withdrawal.file_absent && withdrawal.release == 2);
    let ledger = sandbox.open();
    assert_eq!(numbers(&ledger), [1]);
    let asked = HistoryQuery { numbers: Some(&[2]), links: None };
    assert!(ledger.history(asked).unwrap().is_empty(), "also if it is asked for");
    assert!(ledger.find("autumn").unwrap().held_release().is_none());
    assert_eq!(sandbox.problem(), None);
    let again = withdraw(&sandbox, "autumn", true).unwrap_err();
    assert!(matches!(again, Error::Withdrawn { number: 2, .. }), "{again}");
    // The name stays reserved.
    let (body, file) = (autumn(), sandbox.path().join("other"));
    std::fs::write(&file, "other").unwrap();
    let of = links(&body, 5);
    let mut ledger = sandbox.open();
    let draft = sandbox.draft(&ledger, "autumn", &["press"], &body, &of, &file);
    let taken = ledger.write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(taken, Error::NameTaken { number: 2, .. }), "{taken}");
    // The file is there again, for example from a backup.
    std::fs::write(sandbox.path().join("autumn.csv"), "autumn").unwrap();
    let findings = sandbox.verify().unwrap();
    assert!(findings.is_intact() && findings.warnings.iter().any(|text| text.contains("release 2 was withdrawn")));
    assert!(findings.files.iter().any(|file| file.release == 2 && file.state == FileState::Intact));
}

/// A folder that is not there, a folder that cannot be read and a link show nothing about the file.
#[test]
fn a_file_that_cannot_be_looked_for_is_not_absent() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path().join("share")).unwrap();
    for name in ["share/spring", "autumn"] {
        let (body, file) = (spring(), sandbox.path().join(format!("{name}.csv")));
        std::fs::write(&file, name).unwrap();
        let (of, mut ledger) = (links(&body, 5), sandbox.open());
        let release = name.replace("share/", "");
        let draft = sandbox.draft(&ledger, &release, &["press"], &body, &of, &file);
        ledger.write(&session()).unwrap().append(&draft).unwrap();
    }
    std::fs::rename(sandbox.path().join("share"), sandbox.path().join("away")).unwrap();
    delete(&sandbox, "autumn");
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.path().join("away/autumn"), sandbox.path().join("autumn.csv")).unwrap();
    for (number, name) in [(1, "spring"), (2, "autumn")] {
        let refused = withdraw(&sandbox, name, false).unwrap_err();
        assert!(matches!(refused, Error::FileUnchecked { number: found, .. } if found == number), "{refused}");
        let entry = withdraw(&sandbox, name, true).unwrap();
        assert!(matches!(&entry.kind, EntryKind::Withdrawal(withdrawal) if !withdrawal.file_absent));
        let mark = sandbox.open().find(name).unwrap().release().unwrap().corrections.withdrawn.clone().unwrap();
        assert!(!mark.file_absent && mark.entry == entry.number);
    }
}

/// A file with the name of a release that took it over is the file of that release.
#[test]
fn a_later_release_in_the_same_place_does_not_keep_an_earlier_one() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let (body, file) = (autumn(), sandbox.path().join("spring.csv"));
    std::fs::write(&file, "autumn").unwrap();
    let (of, mut ledger) = (links(&body, 5), sandbox.open());
    let draft = sandbox.draft(&ledger, "autumn", &["press"], &body, &of, &file);
    ledger.write(&session()).unwrap().append(&draft).unwrap();
    withdraw(&sandbox, "spring", false).unwrap();
    // Other bytes can be those of the release itself, changed.
    std::fs::write(&file, "changed").unwrap();
    let refused = withdraw(&sandbox, "autumn", true).unwrap_err();
    assert!(matches!(refused, Error::FileExists { .. }), "{refused}");
}

#[test]
fn a_release_that_a_marginal_table_counts_is_not_withdrawn() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    delete(&sandbox, "spring");
    let (body, file) = (spring(), sandbox.path().join("marginal.csv"));
    std::fs::write(&file, "marginal").unwrap();
    let of = links(&body, 5);
    let mut ledger = sandbox.open();
    let mut draft = sandbox.draft(&ledger, "marginal", &["press"], &body, &of, &file);
    (draft.links, draft.presentation.about_release) = (None, Some(1));
    ledger.write(&session()).unwrap().append(&draft).unwrap();
    let refused = withdraw(&sandbox, "spring", true).unwrap_err();
    assert!(matches!(refused, Error::InUse { number: 1, by: 2, series: false, .. }), "{refused}");
    delete(&sandbox, "marginal");
    withdraw(&sandbox, "marginal", false).unwrap();
    withdraw(&sandbox, "spring", false).unwrap();
    // Another process registers a marginal table meanwhile.
    std::fs::write(&file, "marginal").unwrap();
    draft.name = reticent::ReleaseName::new("late").unwrap();
    let refused = sandbox.open().write(&session()).unwrap().append(&draft).unwrap_err();
    assert!(matches!(refused, Error::Withdrawn { number: 1, .. }), "{refused}");
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn amended_recipients_and_roles_are_those_of_the_history() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let add = AmendmentDraft { add_recipients: recipients(&["ministry"]), ..amendment("spring") };
    let outcome = amend(&sandbox, add).unwrap();
    let names = |entry: &Entry| entry.release().unwrap().recipients.clone();
    assert_eq!(
        (names(&outcome.before), names(&outcome.after)),
        (vec!["press".into()], vec!["ministry".into(), "press".into()])
    );
    let roles = BTreeMap::from([("illness".to_owned(), Role::QuasiIdentifier), ("age".to_owned(), Role::Other)]);
    amend(&sandbox, AmendmentDraft { roles, ..amendment("1") }).unwrap();
    let only = AmendmentDraft { recipients: Some(recipients(&["ministry"])), ..amendment("spring") };
    amend(&sandbox, only).unwrap();
    let ledger = sandbox.open();
    let history = ledger.history(HistoryQuery { numbers: None, links: Some(&key()) }).unwrap();
    let [recorded] = history.releases.as_slice() else { panic!("one release") };
    assert_eq!(recorded.recipients, ["ministry"]);
    let roles: Vec<Role> = recorded.release.columns.iter().map(|column| column.role).collect();
    assert_eq!(roles, [Role::Other, Role::QuasiIdentifier, Role::QuasiIdentifier]);
    assert_eq!(ledger.body(&ledger.find("spring").unwrap()).unwrap().columns[2].role, Role::QuasiIdentifier);
    let corrections = &ledger.find("spring").unwrap().release().unwrap().corrections.clone();
    assert_eq!(corrections.former_recipients.iter().collect::<Vec<_>>(), ["press"]);
    assert_eq!(corrections.recorded_roles["illness"], Role::Sensitive);
    // The entry itself does not change.
    let entries = ledger.recorded_entries().unwrap();
    assert_eq!(names(&entries[0]), ["press"]);
    assert_eq!(sandbox.problem(), None);
}

#[test]
fn an_amendment_that_does_not_fit_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    let role = |column: &str, role| AmendmentDraft { roles: [(column.to_owned(), role)].into(), ..amendment("spring") };
    let unfit = [
        amendment("spring"),
        AmendmentDraft { add_recipients: recipients(&["press"]), ..amendment("spring") },
        AmendmentDraft { recipients: Some(Vec::new()), ..amendment("spring") },
        role("illness", Role::Sensitive),
        role("illness", Role::Drop),
        role("job", Role::Sensitive),
    ];
    for draft in unfit {
        let refused = amend(&sandbox, draft.clone()).unwrap_err();
        assert!(matches!(refused, Error::AmendmentUnfit { number: 1, .. }), "{draft:?}: {refused}");
    }
    delete(&sandbox, "spring");
    withdraw(&sandbox, "spring", false).unwrap();
    let refused = amend(&sandbox, role("illness", Role::Other)).unwrap_err();
    assert!(matches!(refused, Error::Withdrawn { .. }), "{refused}");
    assert_eq!(sandbox.open().head().unwrap().entries, 2);
}

/// Recipients hold a withdrawn release.
#[test]
fn recipients_of_a_withdrawn_release_make_it_count_again() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    delete(&sandbox, "spring");
    withdraw(&sandbox, "spring", false).unwrap();
    assert!(numbers(&sandbox.open()).is_empty());
    amend(&sandbox, AmendmentDraft { add_recipients: recipients(&["press"]), ..amendment("spring") }).unwrap();
    assert_eq!(numbers(&sandbox.open()), [1]);
    withdraw(&sandbox, "spring", false).unwrap();
    assert!(numbers(&sandbox.open()).is_empty());
}

/// The person with number `at` of the test links.
fn person(at: u128) -> Pseudonym {
    at << 64 | at
}

#[test]
fn an_erased_person_is_in_no_stored_file_and_the_records_stay_linked() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("autumn", &["press"], &autumn());
    let before = sandbox.open();
    let of = |ledger: &Ledger, name: &str| ledger.links(&ledger.find(name).unwrap()).unwrap().unwrap();
    let earlier: Vec<_> = ["spring", "autumn"].iter().map(|name| of(&before, name)).collect();
    let old = files(&sandbox.ledger().join("links"));
    let entry = sandbox.open().write(&session()).unwrap().erase(person(6), "request 7").unwrap();
    let EntryKind::Erasure(erasure) = &entry.kind else { panic!("{entry:?}") };
    assert_eq!((erasure.people, erasure.replaced.len()), (1, 2));
    assert!(old.iter().all(|path| !path.exists()), "the old files are gone");
    let ledger = sandbox.open();
    let mut stand_ins = Vec::new();
    for (name, earlier) in ["spring", "autumn"].iter().zip(&earlier) {
        let now = of(&ledger, name);
        assert!(!now.pseudonyms.contains(&person(6)) && now.pseudonyms.is_sorted());
        let cell = earlier.cells[earlier.pseudonyms.iter().position(|known| *known == person(6)).unwrap()];
        let others = |pseudonym: &&Pseudonym| !earlier.pseudonyms.contains(*pseudonym);
        let new: Vec<Pseudonym> = now.pseudonyms.iter().filter(others).copied().collect();
        assert_eq!(new.len(), 1, "one stand-in");
        assert_eq!(now.cells[now.pseudonyms.iter().position(|known| *known == new[0]).unwrap()], cell);
        assert_eq!(now.rows_by_cell(9), earlier.rows_by_cell(9));
        stand_ins.extend(new);
    }
    // Recipients know that both records are of one person.
    assert_eq!(stand_ins[0], stand_ins[1]);
    assert_eq!(sandbox.problem(), None);
    let again = sandbox.open().write(&session()).unwrap().erase(person(6), "request 7").unwrap_err();
    assert!(matches!(again, Error::NoSuchOwner), "{again}");
    assert_eq!((sandbox.open().head().unwrap().entries, sandbox.problem()), (3, None));
    // Another person; then one of the releases is purged with its replaced file.
    sandbox.open().write(&session()).unwrap().erase(person(7), "request 8").unwrap();
    sandbox.open().write(&session()).unwrap().purge("spring", "asked").unwrap();
    assert_eq!((files(&sandbox.ledger().join("links")).len(), sandbox.problem()), (1, None));
    let history = sandbox.open().history(HistoryQuery { numbers: None, links: Some(&key()) }).unwrap();
    assert_eq!((history.releases.len(), history.erased.len()), (1, 1));
}

/// Equal links are different files, so that nobody can compute the file from before an erasure and compare its hash. A file that
/// was erased does not come back unseen.
#[test]
fn equal_links_are_replaced_for_both_releases() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("same", &["press"], &spring());
    let old = files(&sandbox.ledger().join("links"));
    assert_eq!(old.len(), 2);
    let bytes = std::fs::read(&old[0]).unwrap();
    let entry = sandbox.open().write(&session()).unwrap().erase(person(6), "request 7").unwrap();
    assert!(matches!(&entry.kind, EntryKind::Erasure(erasure) if erasure.replaced.len() == 2));
    assert_eq!((files(&sandbox.ledger().join("links")).len(), sandbox.problem()), (2, None));
    std::fs::write(&old[0], bytes).unwrap();
    assert!(sandbox.problem().unwrap().contains("was erased but exists again"));
}

/// The verbs run at the same time; each is recorded once.
#[test]
fn concurrent_corrections_are_recorded_one_after_the_other() {
    let sandbox = Sandbox::new();
    sandbox.record("spring", &["press"], &spring());
    sandbox.record("autumn", &["press"], &autumn());
    delete(&sandbox, "autumn");
    let ledger = sandbox.ledger();
    let done = std::thread::scope(|scope| {
        let run = |at: usize| {
            let mut ledger = Ledger::open(&ledger, &session()).unwrap();
            let writer = ledger.write(&session()).unwrap();
            match at % 3 {
                0 => writer
                    .withdraw(WithdrawalDraft { release: "autumn", reason: "never sent", destroyed_elsewhere: false })
                    .is_ok(),
                1 => writer
                    .amend(&AmendmentDraft { add_recipients: recipients(&["ministry"]), ..amendment("1") })
                    .is_ok(),
                _ => writer.erase(person(6), "request 7").is_ok(),
            }
        };
        let threads: Vec<_> = (0..9).map(|at| scope.spawn(move || (at % 3, run(at)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for kind in 0..3 {
        assert_eq!(done.iter().filter(|(of, done)| *of == kind && *done).count(), 1, "kind {kind}: {done:?}");
    }
    assert_eq!((sandbox.open().head().unwrap().entries, sandbox.problem()), (5, None));
}
