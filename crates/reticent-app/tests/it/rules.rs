//! Safety rules hold for every caller, whichever interface it comes from.

use reticent_app::answer::{LogEntry, Publication};
use reticent_app::request::{PublishRequest, PurgeRequest, RehearseRequest, WhatIf};
use reticent_app::{Confidence, PurgeReason, Recipient, ReleaseName};

use crate::support::{Desk, context};

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
    let desk = Desk::new(90);
    desk.workspace().publish(&desk.request("one", "Press"), &context()).unwrap();
    let publication = desk.workspace().publish(&desk.request("two", "press"), &context()).unwrap();
    let Publication::Recoded(release) = publication else { panic!("by an algorithm") };
    assert_eq!(serde_json::to_value(&release.judged).unwrap()["with"], serde_json::json!([1]));
    let log = desk.workspace().log(&context()).unwrap();
    for line in &log.log {
        let LogEntry::Release { recipients, .. } = &line.what else { panic!("releases only") };
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
    assert_eq!(WhatIf::new(Some(1), None).unwrap_err().code(), "small-k");
    let desk = Desk::new(90);
    let what_if = WhatIf::new(Some(2), Some(Confidence::new(1.0).unwrap())).unwrap();
    let request = RehearseRequest { publish: desk.request("one", "press"), what_if };
    let publication = desk.workspace().rehearse(&request, &context()).unwrap();
    assert!(publication.holds());
    assert!(!desk.file("one.csv").exists() && !desk.file("ledger").exists());
}

#[test]
fn erasing_needs_a_confirmation() {
    let desk = Desk::new(90);
    desk.workspace().publish(&desk.request("one", "press"), &context()).unwrap();
    let reason = PurgeReason::new("a person asked").unwrap();
    let mut request = PurgeRequest { release: "one".to_owned(), reason, confirmed: false };
    let error = desk.workspace().purge(&request, &context()).unwrap_err();
    assert_eq!(error.code(), "purge-unconfirmed");
    assert_eq!(error.data()["number"], 1);
    request.confirmed = true;
    assert_eq!(desk.workspace().purge(&request, &context()).unwrap().release, 1);
    assert!(PurgeReason::new("two\nlines").is_err());
}

/// Without a recipient nothing could be judged, so nothing is published or rehearsed.
#[test]
fn a_release_needs_a_recipient() {
    let desk = Desk::new(90);
    let publish = PublishRequest { recipients: Vec::new(), ..desk.request("one", "press") };
    assert_eq!(desk.workspace().publish(&publish, &context()).unwrap_err().code(), "no-recipient");
    let rehearsal = RehearseRequest { publish, what_if: WhatIf::default() };
    assert_eq!(desk.workspace().rehearse(&rehearsal, &context()).unwrap_err().code(), "no-recipient");
}

/// A missing ledger is never replaced silently: it may be lost, and with it what the release must be judged with.
#[test]
fn a_missing_ledger_is_not_started_silently() {
    let desk = Desk::new(90);
    let workspace = reticent_app::Workspace { start_ledger: false, ..desk.workspace() };
    let error = workspace.publish(&desk.request("one", "press"), &context()).unwrap_err();
    assert_eq!(error.code(), "ledger-missing");
    assert!(!desk.file("ledger").exists() && !desk.file("one.csv").exists());
}
