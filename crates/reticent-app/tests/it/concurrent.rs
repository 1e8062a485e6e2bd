//! Two calls in one process at the same time share nothing.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use reticent_app::answer::{LogEntry, LogLine};
use reticent_app::error::Class;
use reticent_app::{Clock, Context, Event, Limits};

use reticent_testkit::{Outcome, TestFolder};

/// Two workspaces publish in two threads at once; one is cancelled, and the other is as if it had been alone.
#[test]
fn cancelling_one_workspace_leaves_the_other_alone() {
    let (one, other, alone) = (TestFolder::patients(3_000), TestFolder::patients(3_000), TestFolder::patients(3_000));
    let limits = Limits { threads: Some(2), ..Limits::default() };
    let context = || Context::new("tester");
    let stopped = context();
    let cancel = stopped.cancel.clone();
    let both = Arc::new(Barrier::new(2));
    let started = both.clone();
    // Cancelled from within, at its first event, while the other one works.
    let stopped = stopped.with_events(Arc::new(move |event: Event<'_>| {
        if matches!(event, Event::Progress { stage: "counting", .. }) && !cancel.cancel() {
            started.wait();
        }
    }));
    let stopped = stopped.with_limits(limits).unwrap();
    let waits = both.clone();
    let first = std::sync::atomic::AtomicBool::new(true);
    let works = context().with_events(Arc::new(move |event: Event<'_>| {
        let counts = matches!(event, Event::Progress { stage: "counting", .. });
        if counts && first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            waits.wait();
        }
    }));
    let works = works.with_limits(limits).unwrap();
    let (cancelled, published) = std::thread::scope(|scope| {
        let cancelled = scope.spawn(|| one.with_context(stopped).publish("people.csv", "spring").to("press").run());
        let published = scope.spawn(|| other.with_context(works).publish("people.csv", "spring").to("press").run());
        (cancelled.join().unwrap(), published.join().unwrap())
    });
    let error = cancelled.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Cancelled, "cancelled"), "{error}");
    assert!(!one.file("spring.csv").exists());
    let left: Vec<_> = std::fs::read_dir(one.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".reticent-")), "{left:?}");
    assert!(published.unwrap().holds());
    alone.publish("people.csv", "spring").to("press").run().passes();
    let read = |folder: &TestFolder| std::fs::read(folder.file("spring.csv")).unwrap();
    assert_eq!(read(&other), read(&alone));
}

/// Two publishers of one ledger at the same time: both releases are recorded, each judged with the other or before it.
#[test]
fn two_publishers_of_one_ledger_are_both_recorded() {
    let folder = TestFolder::patients(300);
    let publish = |name: &str| folder.publish("people.csv", name).to("press").run();
    publish("zero").unwrap();
    let (one, other) = std::thread::scope(|scope| {
        let (one, other) = (scope.spawn(|| publish("one")), scope.spawn(|| publish("other")));
        (one.join().unwrap(), other.join().unwrap())
    });
    assert!(one.unwrap().holds() && other.unwrap().holds());
    let log = folder.log().passes();
    // Each was judged with everything that was recorded before it, also if another release was recorded meanwhile.
    let with = |line: &LogLine| match &line.kind {
        LogEntry::Release { judged, .. } => serde_json::to_value(judged).unwrap()["with"].clone(),
        other => panic!("releases only, not {other:?}"),
    };
    let with: Vec<_> = log.log.iter().map(with).collect();
    assert_eq!(with, [serde_json::json!([]), serde_json::json!([1]), serde_json::json!([1, 2])]);
    folder.verify().passes();
}

/// A call that waits for a ledger hears its own cancellation, and no other.
#[test]
fn waiting_for_a_ledger_is_cancelled_too() {
    let folder = TestFolder::patients(60);
    folder.publish("people.csv", "zero").to("press").run().passes();
    let lock = std::fs::File::open(folder.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    let waiting = Context::new("tester");
    let cancel = waiting.cancel.clone();
    let clock = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        let error = folder.with_context(waiting).publish("people.csv", "one").to("press").run().unwrap_err();
        assert_eq!(error.class(), Class::Cancelled, "{error}");
    });
    assert!(clock.elapsed() < Duration::from_secs(30));
}

/// The clock is the context's: what is recorded has its time.
#[test]
fn the_ledger_records_the_time_of_the_context() {
    let folder = TestFolder::patients(60);
    folder.with_clock(Clock::fixed(86_400).unwrap()).publish("people.csv", "zero").to("press").run().passes();
    let log = folder.log().passes();
    assert_eq!((log.log[0].at.as_str(), log.log[0].steward.as_str()), ("1970-01-02T00:00:00Z", "tester"));
}
