//! What pages say.

use reticent::audit::Fraction;
use reticent::audit::{Audit, ColumnAudit, PairAudit, PosteriorRange};
use reticent_report::{Attack, html};

use crate::fixture::{NOTICE, audit_of, column, public, report_of, sample};

#[test]
fn everything_is_there_in_order() {
    let html = html(&sample());
    let titles = [
        "For <strong>3 of 15 people</strong>, <q>diagnosis</q> is certain once both releases are put together.",
        "No other statement was checked.",
        "Key figures",
        "What is held",
        "Risk over the releases",
        "How sure things can be told",
        "The worst cases, and why",
        "In spring (2026-03-02) the group 30-39canary / Male, 4 people, showed: Flu-canary 2",
        "Attacks that were tried",
        "In the words of regulators",
        "Prosecutor",
        "Journalist",
        "Marketer",
        "How sure these figures are",
        "Maximum entropy can understate the risk",
        "A world is one way",
        "What was assumed, and what was not considered",
        "How it was computed",
        "Everybody, one by one",
    ];
    let mut from = 0;
    for title in titles {
        let at = html[from..].find(title);
        assert!(at.is_some(), "`{title}` is not there, or too early");
        from += at.unwrap_or_default();
    }
    assert!(html.matches(NOTICE).count() >= 3, "on the screen, behind everything, and at the foot of each page");
    assert!(!html.to_lowercase().contains("anonymous"));
}

#[test]
fn the_verdict_says_what_was_found() {
    let check = |columns: Vec<ColumnAudit>, confidence: Option<f64>, expected: &str| {
        let columns = columns.into_iter().map(|column| ColumnAudit { threshold: confidence, ..column }).collect();
        let report = report_of(vec![audit_of(1, columns)]);
        assert!(html(&report).contains(expected), "`{expected}` is not there");
    };
    check(
        vec![column("a", 15, 1, 1)],
        Some(0.6),
        "<strong>1 of 15 people</strong>, <q>a</q> is certain from the release",
    );
    check(
        vec![column("a", 15, 0, 2)],
        Some(0.6),
        "with more than 60\u{a0}% confidence from the release. It is certain for",
    );
    check(
        vec![column("a", 15, 0, 0)],
        Some(0.6),
        "For none of 15 people can <q>a</q> be told with more than 60\u{a0}%",
    );
    check(vec![column("a", 15, 0, 0)], None, "The most that is told about anybody: 50\u{a0}%.");
    let open = ColumnAudit { may_be_above: 4, ..column("a", 15, 0, 0) };
    check(vec![open], Some(0.6), "<strong>4 of 15 people</strong>, it could not be ruled out");
    check(vec![], Some(0.6), "These releases show no sensitive column");
    check(
        vec![column("a", 15, 0, 0), column("b", 15, 2, 2)],
        None,
        "<strong>2 of 15 people</strong>, <q>b</q> is certain",
    );
}

/// What could not be looked at keeps a page from saying that nothing is told, for whosever eyes it is.
#[test]
fn what_is_not_established_is_not_called_within_the_policy() {
    for (columns, allowed) in [(vec![column("a", 15, 0, 0)], Some(0.6)), (vec![column("a", 15, 0, 0)], None)] {
        let columns = columns.into_iter().map(|column| ColumnAudit { threshold: allowed, ..column }).collect();
        let mut report = report_of(vec![audit_of(1, columns)]);
        report.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
        for page in [html(&report), public(report.clone())] {
            assert!(
                page.contains("Not established: 1 spring was erased.") && page.contains("As far as could be judged")
            );
            assert!(!page.contains("Within the policy") && !page.contains("Nothing certain"), "{page}");
            assert!(page.contains("verdict open") && !page.contains("nobody else is in doubt"));
        }
    }
    // What is told all the same is said first.
    let mut told = sample();
    told.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
    let page = html(&told);
    assert!(page.contains("verdict bad") && page.contains("Not established: 1 spring was erased."));
    let mut above = report_of(vec![audit_of(1, vec![column("a", 15, 0, 2)])]);
    assert!(html(&above).contains("It is certain for nobody."));
    above.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
    assert!(!html(&above).contains("It is certain for nobody."));
}

/// Two releases of whose records nobody knows the owners: what they tell of pairs of groups is on no one's account, and said first.
#[test]
fn what_two_releases_tell_together_is_said() {
    let of_two = |certain: bool, allowed: Option<f64>| {
        let lower = if certain { Fraction::ONE } else { Fraction::new(3, 4) };
        let pair = PairAudit {
            releases: [1, 2],
            column: Some("a".to_owned()),
            not_judged: None,
            pairs: 4,
            above: u64::from(allowed.is_some()),
            may_be_above: u64::from(allowed.is_some()),
            people_may_be_above: 1.0,
            highest: PosteriorRange { lower, upper: lower, estimate: lower.value() },
            worst: Vec::new(),
        };
        let columns = vec![
            ColumnAudit { threshold: allowed, ..column("a", 15, 0, 0) },
            ColumnAudit { threshold: allowed, ..column("b", 15, 0, 0) },
        ];
        report_of(vec![Audit { pairs: vec![pair], ..audit_of(2, columns) }])
    };
    for (certain, allowed, label, how) in [
        (true, None, "Given away", "can be told for certain"),
        (true, Some(0.6), "Given away", "can be told for certain"),
        (false, Some(0.6), "Above the policy", "can be told with more than 60\u{a0}% confidence"),
    ] {
        let report = of_two(certain, allowed);
        for page in [html(&report), public(report.clone())] {
            assert!(page.contains(label) && page.contains("verdict bad"), "{page}");
            assert!(page.contains("groups of releases") || page.contains("a group of each of releases 1 and 2"));
            assert!(page.contains(how), "{page}");
            let verdict = page.split("</article>").next().unwrap_or_default();
            assert!(!verdict.contains("is <q>a</q> certain") && !verdict.contains("can <q>a</q> be told"), "{verdict}");
            assert!(verdict.contains("<q>b</q>"), "{verdict}");
        }
    }
    // What is counted of the same column is not passed over, and what two releases tell of it stands beside its highest.
    let mut report = of_two(true, Some(0.6));
    report.coalitions[0].timeline[0].1.columns[0] = ColumnAudit { threshold: Some(0.6), ..column("a", 15, 0, 9) };
    let page = html(&report);
    let verdict = page.split("</article>").next().unwrap_or_default();
    assert!(
        verdict.contains("can be told for certain") && verdict.contains("<strong>9 of 15 people</strong>"),
        "{verdict}"
    );
    assert!(page.contains("by releases 1 and 2 together up to 100\u{a0}%"), "{page}");
    // Less than is allowed is nobody's business here.
    let page = html(&of_two(false, None));
    assert!(!page.contains("a group of each of releases") && page.contains("Nothing certain"));
}

/// An attack that could not be run was not tried in vain.
#[test]
fn what_was_not_run_is_not_called_uncertain() {
    let mut report = sample();
    report.coalitions[0].attacks = vec![Attack {
        title: "Minimality".to_owned(),
        text: "not run: no list".to_owned(),
        findings: 0,
        certain: false,
        ran: false,
    }];
    let page = public(report);
    assert!(
        page.contains("could not be run")
            && !page.contains("no list")
            && !page.contains("not certain</b> <strong>Minimality")
    );
}

/// Where a method promises something else of each column, each is judged by its own promise, everywhere on the page.
#[test]
fn each_column_is_judged_by_what_is_allowed_of_it() {
    let strict = ColumnAudit { threshold: Some(0.25), ..column("illness", 15, 0, 2) };
    let loose = ColumnAudit { threshold: Some(0.5), ..column("pay", 15, 0, 0) };
    let before = audit_of(1, vec![loose.clone(), strict.clone()]);
    let page = html(&report_of(vec![before, audit_of(2, vec![loose, strict])]));
    for expected in [
        "nobody’s <q>illness</q> with more than 25\u{a0}% confidence; nobody’s <q>pay</q> with more than 50\u{a0}% confidence",
        "<strong>2 of 15 people</strong>, <q>illness</q> can be told with more than 25\u{a0}% confidence",
        "For none of 15 people can <q>pay</q> be told with more than 50\u{a0}% confidence",
        "<q>illness</q> with more than 25\u{a0}% confidence, or for certain, or <q>pay</q> with more than 50\u{a0}% confidence",
        "Above the 25\u{a0}% allowed",
        "<td class=\"number\" data-head=\"allowed\">25\u{a0}%</td><td class=\"number\" data-head=\"above that\">2</td>",
        "<td class=\"number\" data-head=\"allowed\">50\u{a0}%</td><td class=\"number\" data-head=\"above that\">0</td>",
        "allowed: 25\u{a0}%",
        "allowed: 50\u{a0}%",
        "people whose <q>pay</q> can be told with more than 50\u{a0}% confidence",
    ] {
        assert!(page.contains(expected), "`{expected}` is not there");
    }
}
