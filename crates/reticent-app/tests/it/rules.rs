//! Safety rules hold for every caller, whichever interface it comes from.

use reticent_app::answer::{LogEntry, Publication};
use reticent_app::{Confidence, EntryReason, Recipient, ReleaseName};

use reticent_testkit::{Outcome, TestFolder};

#[test]
fn recipients_are_the_same_however_they_are_written() {
    let one = Recipient::new("Press").unwrap();
    assert_eq!(one, Recipient::new(" press ").unwrap());
    assert_eq!(Recipient::new("PUBLIC").unwrap(), Recipient::public());
    for wrong in ["", "  ", "a  b", "a/b", "a\nb", &"x".repeat(81)] {
        assert_eq!(Recipient::new(wrong).unwrap_err().code(), "name-invalid", "{wrong:?}");
    }
}

/// A release to "Press" is held by "press": the second one is judged with it.
#[test]
fn a_release_to_press_is_joined_with_one_to_press_in_capitals() {
    let folder = TestFolder::patients(90);
    folder.replace("reticent.toml", "[release]\n", "[release]\nalgorithm = \"top-down-specialization\"\n");
    folder.publish("people.csv", "one").to("Press").run().passes();
    let publication = folder.publish("people.csv", "two").to("press").run().passes();
    let Publication::Recoded(release) = publication else { panic!("by an algorithm") };
    assert_eq!(serde_json::to_value(&release.judged).unwrap()["with"], serde_json::json!([1]));
    let log = folder.log().unwrap();
    for line in &log.log {
        let LogEntry::Release { recipients, .. } = &line.kind else { panic!("releases only") };
        assert_eq!(recipients, &["press"]);
    }
}

#[test]
fn names_of_releases_are_checked_by_their_type() {
    assert_eq!(ReleaseName::new(" spring ").unwrap().as_str(), "spring");
    for wrong in ["", "7", "123", "a\tb", "../x"] {
        assert_eq!(ReleaseName::new(wrong).unwrap_err().code(), "name-invalid", "{wrong:?}");
    }
}

#[test]
fn thresholds_of_a_rehearsal_are_checked_and_publish_nothing() {
    for wrong in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(Confidence::new(wrong).is_err(), "{wrong}");
    }
    let folder = TestFolder::patients(90);
    folder.publish("people.csv", "one").to("press").with_k(1).rehearse().fails_with("small-k");
    folder.publish("people.csv", "one").to("press").with_k(2).with_confidence(1.0).rehearse().passes();
    assert!(!folder.file("one.csv").exists() && !folder.file("ledger").exists());
}

#[test]
fn erasing_needs_a_confirmation() {
    let folder = TestFolder::patients(90);
    folder.publish("people.csv", "one").to("press").run().passes();
    let error = folder.purge_if("one", "a person asked", false).fails_with("purge-unconfirmed");
    assert_eq!(error.data()["number"], 1);
    assert_eq!(folder.purge("one", "a person asked").passes().release, 1);
    assert!(EntryReason::new("two\nlines").is_err());
}

/// Without a recipient nothing could be judged, so nothing is published or rehearsed.
#[test]
fn a_release_needs_a_recipient() {
    let folder = TestFolder::patients(90);
    let call = folder.publish("people.csv", "one").to("");
    call.run().fails_with("no-recipient");
    call.rehearse().fails_with("no-recipient");
}

/// A missing ledger is never replaced silently: it may be lost, and with it what the release must be judged with.
#[test]
fn a_missing_ledger_is_not_started_silently() {
    let folder = TestFolder::patients(90);
    folder.without_new_ledger().publish("people.csv", "one").to("press").run().fails_with("ledger-missing");
    assert!(!folder.file("ledger").exists() && !folder.file("one.csv").exists());
}
