//! Gates, verdicts and the timeline, on the worked example of figure 1: 3 of 15 people are certain by both releases together.

use super::*;
use crate::audit::gate::{Gate, GroupedCandidate, admit_grouped, admit_recoded};
use crate::error::Refusal;
use crate::history::Lost;
use crate::names::Confidence;
use crate::statement::{Level, Outcome, Parameter, Scope};

fn gate(confidence: Option<f64>, proof: Proof) -> Gate<'static> {
    let confidence = confidence.map(|decimal| Confidence::new(decimal).expect("a confidence"));
    Gate { proof, confidence, varies: Vec::new(), watch: &|| Ok(()) }
}

/// The first release of figure 1, held by the press, and the second as a candidate for these recipients.
fn first_and_candidate(to: &[&str]) -> (History, Held) {
    let History { releases, .. } = figure_1();
    let [mut first, mut second] = <[Held; 2]>::try_from(releases).expect("two releases");
    first.recipients = vec!["press".to_owned()];
    (second.number, second.recipients) = (0, to.iter().map(|name| (*name).to_owned()).collect());
    (History { releases: vec![first], lost: Vec::new() }, second)
}

fn admit(history: &History, candidate: &Held, held: &[Vec<usize>], gate: &Gate<'_>) -> Result<Audited> {
    admit_recoded(candidate, history, held, &|at| history.releases[at].clone(), gate)
}

#[test]
fn a_candidate_is_refused_by_what_a_coalition_holds_with_it() {
    let (history, candidate) = first_and_candidate(&["press"]);
    let refused = admit(&history, &candidate, &[vec![0]], &gate(Some(0.6), Proof::Bounds)).expect_err("refused");
    // Paper: persons 5, 8 and 11 are certain by both releases.
    let Error::Refused(Refusal::PosteriorAboveConfidence { column, people, .. }) = refused else { panic!("{refused}") };
    assert_eq!((column.as_str(), people), ("disease", 3));
    // Whoever holds nothing else can hold it.
    let audited =
        admit(&history, &candidate, &[vec![]], &gate(Some(0.6), Proof::Bounds)).expect_err("the press holds the first");
    assert_eq!(audited.code(), "posterior-above-confidence");
    let (history, candidate) = first_and_candidate(&["ministry"]);
    let audited = admit(&history, &candidate, &[vec![]], &gate(Some(0.6), Proof::Bounds)).expect("admitted");
    assert_eq!((audited.people, audited.with.len()), (12, 0));
    assert!(audited.upper < 0.5, "{audited:?}");
}

#[test]
fn without_a_bound_or_an_audit_nothing_is_looked_at() {
    let (history, candidate) = first_and_candidate(&["press"]);
    for gate in [gate(None, Proof::Bounds), gate(Some(0.6), Proof::Off)] {
        let audited = admit(&history, &candidate, &[vec![0]], &gate).expect("not judged");
        assert_eq!((audited.confidence, audited.people), (None, 0));
    }
}

#[test]
fn a_release_without_recipients_is_not_established() {
    let (history, candidate) = first_and_candidate(&[]);
    let refused = admit(&history, &candidate, &[], &gate(Some(1.0), Proof::Bounds)).expect_err("nobody was judged");
    assert_eq!(refused.code(), "not-established");
    let tables = [Held { number: 0, ..bucketized(1, &[(&[1, 2], &[F, P])]) }];
    let candidate = grouped(&tables, &[], Some(Share::new(1, 1)));
    let refused =
        admit_grouped(&candidate, &history, &[], &[], &gate(None, Proof::Bounds)).expect_err("nobody was judged");
    assert_eq!(refused.code(), "not-established");
}

#[test]
fn a_gate_that_is_asked_to_stop_stops() {
    let (history, candidate) = first_and_candidate(&["press"]);
    let stopped = Gate { watch: &|| Err(Error::Stopped), ..gate(Some(0.6), Proof::Bounds) };
    assert_eq!(admit(&history, &candidate, &[vec![0]], &stopped).expect_err("stopped"), Error::Stopped);
}

/// A candidate of two groups of two, with a promise about linkage.
fn grouped<'a>(tables: &'a [Held], bounds: &'a [(String, Share)], linked: Option<Share>) -> GroupedCandidate<'a> {
    GroupedCandidate { method: "test", tables, group: "group", marginals: false, bounds, linked }
}

fn pairs() -> Vec<Held> {
    vec![Held {
        number: 0,
        recipients: vec!["press".to_owned()],
        ..bucketized(1, &[(&[1, 2], &[F, P]), (&[3, 4], &[D, F])])
    }]
}

#[test]
fn linkage_is_counted_over_all_groups() {
    let tables = pairs();
    let half = Share::new(1, 2);
    let candidate = grouped(&tables, &[], Some(half));
    let none = History::default();
    let audited =
        admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect("two share a group");
    assert_eq!(audited.alike, Some(2));
    let statements = audited.statements(&candidate, &Scope::History, &|_| String::new());
    assert_eq!(statements.len(), 1);
    assert_eq!((statements[0].model.as_str(), &statements[0].scope), ("record-linkage", &Scope::History));
    assert_eq!(statements[0].parameters["others"], Parameter::Whole(1));
    assert_eq!(statements[0].outcome, Outcome::Judged { violations: 0, level: Level::Exact });
    // A third would be promised.
    let candidate = grouped(&tables, &[], Some(Share::new(1, 3)));
    let refused =
        admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect_err("two, not three");
    assert_eq!(refused, Error::Refused(Refusal::RecordsLinked { bound: "1/3".to_owned(), people: 2 }));
    // Judged by another bound than the gate's, the same count is a violation: the statement is derived, not assumed.
    assert!(audited.statements(&candidate, &Scope::History, &|_| String::new())[0].is_violated());
}

#[test]
fn posteriors_are_held_to_the_promise_of_each_column() {
    let tables = pairs();
    let bounds = [("disease".to_owned(), Share::new(1, 2))];
    let candidate = grouped(&tables, &bounds, None);
    let none = History::default();
    let audited = admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect("one of two");
    let column = &audited.columns[0];
    assert_eq!((column.people, column.lower, column.upper, column.above), (4, 0.5, 0.5, 0));
    let bounds = [("disease".to_owned(), Share::new(1, 3))];
    let candidate = grouped(&tables, &bounds, None);
    let refused = admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect_err("one of two");
    assert_eq!(refused.code(), "posterior-above-confidence");
}

#[test]
fn obstacles_of_grouped_releases_are_no_pass() {
    let tables = pairs();
    let bounds = [("disease".to_owned(), Share::new(1, 2))];
    let unlinked = Held { links: None, ..bucketized(1, &[(&[1, 2], &[F, P])]) };
    let history = History { releases: vec![unlinked], lost: Vec::new() };
    let with = |candidate: &GroupedCandidate<'_>, proof| {
        admit_grouped(candidate, &history, &[vec![1]], &[], &gate(None, proof)).expect_err("an obstacle").code()
    };
    assert_eq!(with(&grouped(&tables, &bounds, None), Proof::Bounds), "shared-column-unlinked");
    assert_eq!(with(&grouped(&tables, &[], Some(Share::new(1, 2))), Proof::Bounds), "release-unlinked");
    let marginals = GroupedCandidate { marginals: true, ..grouped(&tables, &[], None) };
    assert_eq!(with(&marginals, Proof::Off), "marginals-unaudited");
}

#[test]
fn a_verdict_lists_what_is_not_established() {
    let history = figure_1();
    let question = question();
    let audit = audit(&history, &question).expect("an audit");
    assert!(not_established(&audit, &[], &[], &question).is_empty());
    assert!(!is_within(&audit, &[], &[]), "three people are above the bound");
    let lost = Lost { number: 7, name: "gone".to_owned(), ..Lost::default() };
    let open = not_established(&audit, &[lost], &[], &question);
    assert_eq!(open.len(), 1);
    assert!(open[0].contains("7 gone was erased"), "{open:?}");
    // An attacker who knows the algorithm, whose attacks could not be run, leaves the verdict open.
    let unrun = Attacked {
        id: "minimality".to_owned(),
        title: "Minimality attack".to_owned(),
        not_run: Some("no population".to_owned()),
        not_checked: None,
        findings: Vec::new(),
    };
    let asked = Question { algorithm: true, ..question.clone() };
    assert_eq!(not_established(&audit, &[], std::slice::from_ref(&unrun), &asked).len(), 1);
    assert!(disclosures(&[unrun]).is_empty());
    let wide = Question { confidence: Share::from_decimal(1.0), ..question };
    let audit = super::super::audit(&history, &wide).expect("an audit");
    assert!(!is_within(&audit, &["something is open".to_owned()], &[]));
    let disclosed = Disclosure { words: "something".to_owned(), certain: true };
    assert!(!is_within(&audit, &[], &[disclosed]));
}

#[test]
fn the_timeline_ends_with_the_whole() {
    let history = figure_1();
    let question = question();
    let whole = audit(&history, &question).expect("an audit");
    let (moments, full) = timeline(&history, &whole, &question, &|| Ok(())).expect("a timeline");
    let certain: Vec<u64> = moments.iter().map(|moment| moment.columns[0].certain).collect();
    // Nobody is certain by the first release alone, three are by both.
    assert_eq!(certain, [0, 3]);
    assert_eq!(full.len(), 2);
    assert_eq!(timeline(&history, &whole, &question, &|| Err(Error::Stopped)).expect_err("stopped"), Error::Stopped);
}

#[test]
fn an_unknown_attack_gets_a_hint() {
    assert_eq!(known_attack("minimality").expect("an attack").id, "minimality");
    assert!(known_attack("minimalty").expect_err("a hint").contains("minimality"));
    assert!(known_attack("zzz").expect_err("a list").starts_with("there are: all, "));
}
