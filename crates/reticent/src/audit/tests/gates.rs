//! Gates, verdicts and the timeline, on figure 1 of the paper: two releases together make the values of 3 of 15 people certain.

use super::*;
use crate::audit::gate::{Gate, GroupedCandidate, RecordSetBound, admit_grouped, admit_recoded};
use crate::error::Refusal;
use crate::model_spec::ModelSpec;
use crate::names::Confidence;
use crate::registry::{Argument, Arguments};
use crate::release::history::ErasedRelease;
use crate::release::record_sets::RecordSets;
use crate::statement::{Level, Outcome, Parameter, Scope, Statement};

fn gate(confidence: Option<f64>, proof: Proof) -> Gate<'static> {
    let confidence = confidence.map(|decimal| Confidence::new(decimal).expect("a confidence"));
    Gate {
        proof,
        confidence,
        reidentification: None,
        record_sets: Vec::new(),
        time_varying: Vec::new(),
        units: Vec::new(),
        roles: Vec::new(),
        watch: &|| Ok(()),
    }
}

/// Returns a history with the first release of figure 1, which the press holds, and the second release as a candidate.
fn first_and_candidate(to: &[&str]) -> (History, RecordedRelease) {
    let History { releases, .. } = figure_1();
    let [mut first, mut second] = <[RecordedRelease; 2]>::try_from(releases).expect("two releases");
    first.recipients = vec!["press".to_owned()];
    (second.number, second.recipients) = (0, to.iter().map(|name| (*name).to_owned()).collect());
    (History { releases: vec![first], ..History::default() }, second)
}

fn admit(
    history: &History,
    candidate: &RecordedRelease,
    coalitions: &[Vec<usize>],
    gate: &Gate<'_>,
) -> Result<Audited> {
    admit_recoded(candidate, history, coalitions, &|at| history.releases[at].clone(), gate)
}

#[test]
fn a_candidate_is_refused_with_the_releases_of_a_coalition() {
    let (history, candidate) = first_and_candidate(&["press"]);
    let refused = admit(&history, &candidate, &[vec![0]], &gate(Some(0.6), Proof::Bounds)).expect_err("refused");
    // Paper: the values of persons 5, 8 and 11 are certain given both releases.
    let Error::Refused(Refusal::PosteriorAboveConfidence { column, people, .. }) = refused else { panic!("{refused}") };
    assert_eq!((column.as_str(), people), ("disease", 3));
    // The press alone holds the first release, even if the coalition holds none. The ministry does not hold it.
    let audited =
        admit(&history, &candidate, &[vec![]], &gate(Some(0.6), Proof::Bounds)).expect_err("the press holds the first");
    assert_eq!(audited.code(), "posterior-above-confidence");
    let (history, candidate) = first_and_candidate(&["ministry"]);
    let audited = admit(&history, &candidate, &[vec![]], &gate(Some(0.6), Proof::Bounds)).expect("admitted");
    assert_eq!((audited.people, audited.with.len()), (12, 0));
    assert!(audited.upper < 0.5, "{audited:?}");
}

#[test]
fn without_a_threshold_or_an_audit_nothing_is_judged() {
    let (history, candidate) = first_and_candidate(&["press"]);
    // Without a threshold, the re-identification risk is reported, and nothing is refused.
    let reported = admit(&history, &candidate, &[vec![0]], &gate(None, Proof::Bounds)).expect("not judged");
    assert_eq!((reported.confidence, reported.identity.is_some()), (None, true));
    let off = admit(&history, &candidate, &[vec![0]], &gate(Some(0.6), Proof::Off)).expect("not judged");
    assert_eq!((off.confidence, off.people, off.identity.is_some()), (None, 0, false));
}

#[test]
fn a_release_without_recipients_is_not_established() {
    let (history, candidate) = first_and_candidate(&[]);
    let refused = admit(&history, &candidate, &[], &gate(Some(1.0), Proof::Bounds)).expect_err("no coalition");
    assert_eq!(refused.code(), "not-established");
    let tables = [RecordedRelease { number: 0, ..bucketized(1, &[(&[1, 2], &[F, P])]) }];
    let candidate = grouped(&tables, &[], Some(Ratio::new(1, 1)));
    let refused = admit_grouped(&candidate, &history, &[], &[], &gate(None, Proof::Bounds)).expect_err("no coalition");
    assert_eq!(refused.code(), "not-established");
}

#[test]
fn an_error_of_watch_stops_the_gate() {
    let (history, candidate) = first_and_candidate(&["press"]);
    let stopped = Gate { watch: &|| Err(Error::Stopped), ..gate(Some(0.6), Proof::Bounds) };
    assert_eq!(admit(&history, &candidate, &[vec![0]], &stopped).expect_err("stopped"), Error::Stopped);
}

/// Builds a candidate with these bounds on posteriors and linkage.
fn grouped<'a>(
    tables: &'a [RecordedRelease],
    bounds: &'a [(String, Ratio)],
    linked: Option<Ratio>,
) -> GroupedCandidate<'a> {
    GroupedCandidate {
        method: "test",
        tables,
        group_column: "group",
        has_marginals: false,
        bounds,
        linkage_bound: linked,
    }
}

fn pairs() -> Vec<RecordedRelease> {
    vec![RecordedRelease {
        number: 0,
        recipients: vec!["press".to_owned()],
        ..bucketized(1, &[(&[1, 2], &[F, P]), (&[3, 4], &[D, F])])
    }]
}

#[test]
fn linkage_is_counted_over_all_groups() {
    let tables = pairs();
    let half = Ratio::new(1, 2);
    let candidate = grouped(&tables, &[], Some(half));
    let none = History::default();
    let audited =
        admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect("two share a group");
    assert_eq!(audited.min_indistinguishable, Some(2));
    let statements = audited.statements(&candidate, None, &Scope::History, &|_| String::new());
    assert_eq!(statements.len(), 1);
    assert_eq!((statements[0].model.as_str(), &statements[0].scope), ("record-linkage", &Scope::History));
    assert_eq!(statements[0].parameters["others"], Parameter::Whole(1));
    assert_eq!(statements[0].outcome, Outcome::Judged { violations: 0, level: Level::Exact });
    // The method would have to bound linkage by a third.
    let candidate = grouped(&tables, &[], Some(Ratio::new(1, 3)));
    let refused =
        admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect_err("two, not three");
    assert_eq!(refused, Error::Refused(Refusal::RecordsLinked { bound: "1/3".to_owned(), people: 2 }));
    // With a lower bound than that of the gate, the same count is a violation: the statement is derived from the count.
    assert!(audited.statements(&candidate, None, &Scope::History, &|_| String::new())[0].is_violated());
}

#[test]
fn each_column_has_its_own_bound() {
    let tables = pairs();
    let bounds = [("disease".to_owned(), Ratio::new(1, 2))];
    let candidate = grouped(&tables, &bounds, None);
    let none = History::default();
    let audited = admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect("one of two");
    let column = &audited.columns[0];
    assert_eq!((column.people, column.lower, column.upper, column.above), (4, 0.5, 0.5, 0));
    let bounds = [("disease".to_owned(), Ratio::new(1, 3))];
    let candidate = grouped(&tables, &bounds, None);
    let refused = admit_grouped(&candidate, &none, &[vec![]], &[], &gate(None, Proof::Bounds)).expect_err("one of two");
    assert_eq!(refused.code(), "posterior-above-confidence");
}

#[test]
fn grouped_releases_with_obstacles_are_not_admitted() {
    let tables = pairs();
    let bounds = [("disease".to_owned(), Ratio::new(1, 2))];
    let unlinked = RecordedRelease { links: None, ..bucketized(1, &[(&[1, 2], &[F, P])]) };
    let history = History { releases: vec![unlinked], ..History::default() };
    let with = |candidate: &GroupedCandidate<'_>, proof| {
        admit_grouped(candidate, &history, &[vec![1]], &[], &gate(None, proof)).expect_err("an obstacle").code()
    };
    assert_eq!(with(&grouped(&tables, &bounds, None), Proof::Bounds), "shared-column-unlinked");
    assert_eq!(with(&grouped(&tables, &[], Some(Ratio::new(1, 2))), Proof::Bounds), "release-unlinked");
    let marginals = GroupedCandidate { has_marginals: true, ..grouped(&tables, &[], None) };
    assert_eq!(with(&marginals, Proof::Off), "marginals-unaudited");
}

#[test]
fn a_verdict_lists_what_is_not_established() {
    let history = figure_1();
    let options = test_options();
    let audit = audit(&history, &options).expect("an audit");
    assert!(not_established(&audit, &[], &[], &options).is_empty());
    assert!(!is_within(&audit, &[], &[]), "three people are above the bound");
    let erased = ErasedRelease { number: 7, name: "gone".to_owned(), ..ErasedRelease::default() };
    let open = not_established(&audit, &[erased], &[], &options);
    assert_eq!(open.len(), 1);
    assert!(open[0].contains("7 gone was erased"), "{open:?}");
    // If attacks of an attacker who knows the algorithm could not run, the verdict is not established.
    let not_run = AttackRun {
        id: "minimality".to_owned(),
        title: "Minimality attack".to_owned(),
        not_run: Some("no population".to_owned()),
        not_checked: None,
        findings: Vec::new(),
    };
    let asked = AuditOptions { algorithm: true, ..options.clone() };
    assert_eq!(not_established(&audit, &[], std::slice::from_ref(&not_run), &asked).len(), 1);
    assert!(disclosures(&[not_run]).is_empty());
    let wide = AuditOptions { confidence: Ratio::from_decimal(1.0), ..options };
    let audit = super::super::audit(&history, &wide).expect("an audit");
    assert!(!is_within(&audit, &["something is open".to_owned()], &[]));
    let disclosed = Disclosure { text: "something".to_owned(), certain: true };
    assert!(!is_within(&audit, &[], &[disclosed]));
}

#[test]
fn the_last_point_of_the_timeline_is_the_whole_audit() {
    let history = figure_1();
    let options = test_options();
    let whole = audit(&history, &options).expect("an audit");
    let (points, full) = timeline(&history, &whole, &options, &|| Ok(())).expect("a timeline");
    let certain: Vec<u64> = points.iter().map(|point| point.columns[0].certain).collect();
    // No value is certain given the first release alone, and three are certain given both.
    assert_eq!(certain, [0, 3]);
    assert_eq!(full.len(), 2);
    assert_eq!(timeline(&history, &whole, &options, &|| Err(Error::Stopped)).expect_err("stopped"), Error::Stopped);
}

#[test]
fn an_unknown_attack_gets_a_suggestion() {
    assert_eq!(known_attack("minimality").expect("an attack").id, "minimality");
    assert!(known_attack("minimalty").expect_err("a hint").contains("minimality"));
    assert!(known_attack("zzz").expect_err("a list").starts_with("there are: all, "));
}

/// With a bound on the risk only, an exact level of proof does not demand exact posteriors of values without a threshold.
#[test]
fn a_bound_on_the_risk_alone_judges_no_posterior() {
    let (history, candidate) = first_and_candidate(&["press"]);
    let bound = |risk: f64| Some(Confidence::new(risk).expect("a bound"));
    let gate = |risk: f64| Gate { reidentification: bound(risk), ..gate(None, Proof::Exact) };
    let audited = admit(&history, &candidate, &[vec![0]], &gate(1.0)).expect("every risk is at most 1");
    assert_eq!(audited.identity.map(|identity| identity.above), Some(0));
    let refused = admit(&history, &candidate, &[vec![0]], &gate(0.01)).expect_err("a risk above 1 %");
    assert_eq!(refused.code(), "reidentification-above-bound");
}

/// A person has a record in each release. The pairs of wards {a, c}, {a, d}, {b, c}, {b, d} belong to one person each, although two
/// people share every ward.
#[test]
fn the_gate_judges_sets_of_records_over_releases() {
    let spec = |records: Option<f64>| {
        let arguments = Arguments::default().set("k", Argument::Number(2.0));
        let arguments = records.into_iter().fold(arguments, |all, known| all.set("records", Argument::Number(known)));
        let sets = RecordSets { k: 2, known: records.map(|known| known as usize) };
        vec![RecordSetBound::new(sets, &ModelSpec { model: "multir-k-anonymity".to_owned(), arguments, line: None })]
    };
    let wards = |number, of_person: [&'static str; 4]| {
        let rows = of_person.map(|ward| [ward]);
        let rows: Vec<&[&str]> = rows.iter().map(|row| row.as_slice()).collect();
        let release = owned(plain(number, &[("ward", Role::QuasiIdentifier)], &rows), &rows, &[1, 2, 3, 4]);
        RecordedRelease { recipients: vec!["press".to_owned()], ..release }
    };
    let history = History { releases: vec![wards(1, ["a", "a", "b", "b"])], ..History::default() };
    let admitted = |second: [&'static str; 4], records: Option<f64>| {
        let gate = Gate { record_sets: spec(records), ..gate(None, Proof::Bounds) };
        admit(&history, &wards(0, second), &[vec![0]], &gate).map(|audited| audited.statements(&gate, &Scope::History))
    };
    let rare = |outcome: Result<Vec<Statement>>| match outcome {
        Err(Error::Refused(Refusal::RecordSetsTooRare { people, .. })) => Some(people),
        Err(error) => panic!("{error}"),
        Ok(statements) => {
            assert_eq!(statements[1].model, "multir-k-anonymity");
            assert!(statements[1].is_judged());
            None
        }
    };
    assert_eq!(rare(admitted(["c", "d", "c", "d"], Some(2.0))), Some(4));
    assert_eq!(rare(admitted(["c", "d", "c", "d"], None)), Some(4));
    assert_eq!(rare(admitted(["c", "d", "c", "d"], Some(1.0))), None);
    assert_eq!(rare(admitted(["c", "c", "d", "d"], Some(2.0))), None);
    assert_eq!(rare(admitted(["c", "c", "d", "d"], None)), None);
}
