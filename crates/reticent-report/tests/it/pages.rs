//! Texts of the pages.

use reticent::audit::Fraction;
use reticent::audit::{Audit, ColumnAudit, PairAudit, PosteriorRange};
use reticent_report::{Attack, html};

use crate::fixture::{NOTICE, audit_of, column, public, report_of, sample};

/// Every distribution says that estimates enter it, on both kinds of pages, before and after the last release.
#[test]
fn distributions_say_that_they_contain_estimates() {
    let estimated =
        |people: u64| ColumnAudit { estimated: 200, exact: people - 200, ..column("diagnosis", people, 30, 60) };
    let exact = column("diagnosis", 900, 30, 60);
    let sentences =
        ["the figure is an estimate, which can be too low", "Before the last release, the figure is an estimate"];
    let shown = |before: &ColumnAudit, after: &ColumnAudit| {
        let report = || report_of(vec![audit_of(1, vec![before.clone()]), audit_of(2, vec![after.clone()])]);
        [html(&report()), public(report())].map(|page| sentences.map(|sentence| page.contains(sentence)))
    };
    assert_eq!(shown(&exact, &estimated(1500)), [[true, false]; 2]);
    assert_eq!(shown(&estimated(900), &column("diagnosis", 1500, 30, 60)), [[false, true]; 2]);
    assert_eq!(shown(&exact, &column("diagnosis", 1500, 30, 60)), [[false, false]; 2]);
}

/// People who are proved to be above the threshold before, and only not ruled out after, are no decrease.
#[test]
fn the_change_compares_like_with_like() {
    let page = |may_be_above: u64| {
        let after = ColumnAudit { may_be_above, ..column("diagnosis", 299, 11, 128) };
        html(&report_of(vec![audit_of(1, vec![column("diagnosis", 276, 11, 151)]), audit_of(2, vec![after])]))
    };
    assert!(page(128).contains("\u{2212}23"), "both counts are proved");
    assert!(!page(291).contains("\u{2212}23"), "163 people are not ruled out");
}

/// An explanation of which a part can be superfluous is not called minimal.
#[test]
fn only_minimal_explanations_are_called_minimal() {
    let page = |minimal: bool| {
        let mut audit = audit_of(1, vec![column("diagnosis", 15, 3, 9)]);
        audit.worst[0].explanation.as_mut().expect("an explanation").minimal = minimal;
        html(&report_of(vec![audit]))
    };
    assert!(page(true).contains("<strong>Minimal explanation:</strong>"));
    assert!(page(false).contains("<strong>Explanation:</strong>") && !page(false).contains("Minimal explanation:"));
}

#[test]
fn sections_are_complete_and_in_order() {
    let html = html(&sample());
    let titles = [
        "For <strong>3 of 15 people</strong>, <q>diagnosis</q> is certain given both releases.",
        "No other statement was checked.",
        "Key figures",
        "People whose value is certain",
        "People above the threshold of 60\u{a0}%",
        "Maximum posterior",
        "<h3>Releases</h3>",
        "<h3>Timeline</h3>",
        "<h3>People by maximum posterior</h3>",
        "<h3>Worst cases</h3>",
        "spring (2026-03-02), group 30-39canary / Male, 4 people, records by value: Flu-canary 2",
        "<h3>Attacks</h3>",
        "<h3>Risk criteria of regulators</h3>",
        "Singling out",
        "Linkability",
        "Inference",
        "52\u{a0}% (baseline 31\u{a0}%)",
        "Re-identification risk",
        "Prosecutor",
        "Journalist",
        "Marketer",
        "<h3>Exact figures, bounds and estimates</h3>",
        "Maximum entropy can understate the risk",
        "<h3>Possible worlds</h3>",
        "There are 16 possible worlds.",
        "<h4>Assumptions</h4>",
        "<h4>Not covered</h4>",
        "<h3>How it was computed</h3>",
        "Posteriors of every person",
    ];
    let mut from = 0;
    for title in titles {
        let at = html[from..].find(title);
        assert!(at.is_some(), "`{title}` is not there, or too early");
        from += at.unwrap_or_default();
    }
    assert!(html.matches(NOTICE).count() >= 3, "at the top, in the watermark, and in the margin of each printed page");
    assert!(!html.to_lowercase().contains("anonymous"));
}

#[test]
fn the_verdict_states_the_result() {
    let check = |columns: Vec<ColumnAudit>, confidence: Option<f64>, expected: &str| {
        let columns = columns.into_iter().map(|column| ColumnAudit { threshold: confidence, ..column }).collect();
        let report = report_of(vec![audit_of(1, columns)]);
        assert!(html(&report).contains(expected), "`{expected}` is not there");
    };
    check(
        vec![column("a", 15, 1, 1)],
        Some(0.6),
        "<strong>1 of 15 people</strong>, <q>a</q> is certain given the release.",
    );
    check(
        vec![column("a", 15, 0, 2)],
        Some(0.6),
        "exceeds the threshold of 60\u{a0}% given the release. Certainty was proved for no person.",
    );
    check(
        vec![column("a", 15, 0, 0)],
        Some(0.6),
        "For none of 15 people does the posterior of <q>a</q> exceed the threshold of 60\u{a0}%",
    );
    check(vec![column("a", 15, 0, 0)], None, "Maximum posterior: 50\u{a0}%.");
    let open = ColumnAudit { may_be_above: 4, ..column("a", 15, 0, 0) };
    check(vec![open], Some(0.6), "<strong>4 of 15 people</strong>, it could not be ruled out");
    check(vec![], Some(0.6), "These releases contain none of the audited sensitive attributes.");
    check(
        vec![column("a", 15, 0, 0), column("b", 15, 2, 2)],
        None,
        "<strong>2 of 15 people</strong>, <q>b</q> is certain",
    );
}

/// If the audit is incomplete, neither an internal nor a public page has a favourable verdict.
#[test]
fn an_incomplete_audit_does_not_meet_the_threshold() {
    for (columns, threshold) in [(vec![column("a", 15, 0, 0)], Some(0.6)), (vec![column("a", 15, 0, 0)], None)] {
        let columns = columns.into_iter().map(|column| ColumnAudit { threshold, ..column }).collect();
        let mut report = report_of(vec![audit_of(1, columns)]);
        report.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
        for page in [html(&report), public(report.clone())] {
            assert!(
                page.contains("Not established: 1 spring was erased.") && page.contains("As far as could be judged")
            );
            assert!(!page.contains("Threshold met") && !page.contains("No certain disclosure"), "{page}");
            assert!(page.contains("verdict open") && !page.contains("ruled out for all other people"));
        }
    }
    // A proved violation determines the verdict of an incomplete audit.
    let mut certain = sample();
    certain.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
    let page = html(&certain);
    assert!(page.contains("verdict bad") && page.contains("Not established: 1 spring was erased."));
    let mut above = report_of(vec![audit_of(1, vec![column("a", 15, 0, 2)])]);
    assert!(html(&above).contains("Certainty was proved for no person."));
    above.coalitions[0].not_established = vec!["1 spring was erased".to_owned()];
    assert!(!html(&above).contains("Certainty was proved for no person."));
}

/// Two releases without owner links: violations of their pairs of groups are in no count of people, and come first.
#[test]
fn violations_of_pairs_of_releases_are_in_the_verdict() {
    const GROUPS: &str = "If an attacker knows a person’s groups in releases 1 and 2, ";
    const CERTAIN: &str = "releases 1 and 2, <q>a</q> is certain for <strong>some pairs of groups</strong>.";
    const ABOVE: &str =
        "the posterior of <q>a</q> exceeds the threshold of 60\u{a0}% for <strong>some pairs of groups</strong>.";
    let with_pair = |certain: bool, threshold: Option<f64>| {
        let lower = if certain { Fraction::ONE } else { Fraction::new(3, 4) };
        let pair = PairAudit {
            releases: [1, 2],
            column: Some("a".to_owned()),
            not_judged: None,
            pairs: 4,
            above: u64::from(threshold.is_some()),
            may_be_above: u64::from(threshold.is_some()),
            people_may_be_above: 1.0,
            highest: PosteriorRange { lower, upper: lower, estimate: lower.value() },
            worst: Vec::new(),
        };
        let columns = vec![
            ColumnAudit { threshold, ..column("a", 15, 0, 0) },
            ColumnAudit { threshold, ..column("b", 15, 0, 0) },
        ];
        report_of(vec![Audit { pairs: vec![pair], ..audit_of(2, columns) }])
    };
    for (certain, threshold, label, sentence) in [
        (true, None, "Certain disclosure", CERTAIN),
        (true, Some(0.6), "Certain disclosure", CERTAIN),
        (false, Some(0.6), "Threshold exceeded", ABOVE),
    ] {
        let report = with_pair(certain, threshold);
        for page in [html(&report), public(report.clone())] {
            assert!(page.contains(label) && page.contains("verdict bad"), "{page}");
            assert!(page.contains(GROUPS) && page.contains(sentence), "{page}");
            let verdict = page.split("</article>").next().unwrap_or_default();
            let own = ["is <q>a</q> certain", "does the posterior of <q>a</q>"];
            assert!(!own.iter().any(|own| verdict.contains(own)), "{verdict}");
            assert!(verdict.contains("<q>b</q>"), "{verdict}");
        }
    }
    // The counts of the same column stay in the verdict, and the bound of the pair is beside the maximum posterior.
    let mut report = with_pair(true, Some(0.6));
    report.coalitions[0].timeline[0].1.columns[0] = ColumnAudit { threshold: Some(0.6), ..column("a", 15, 0, 9) };
    let page = html(&report);
    let verdict = page.split("</article>").next().unwrap_or_default();
    assert!(verdict.contains(CERTAIN) && verdict.contains("<strong>9 of 15 people</strong>"), "{verdict}");
    assert!(page.contains("releases 1 and 2 combined: up to 100\u{a0}%"), "{page}");
    // Without a violation, the verdict does not mention the pair.
    let page = html(&with_pair(false, None));
    assert!(!page.contains(GROUPS) && page.contains("No certain disclosure"));
}

/// A public page distinguishes an attack that could not be run from an attack without certain findings.
#[test]
fn an_attack_that_was_not_run_has_no_result() {
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

/// If columns have different thresholds, every part of the page uses the threshold of the column.
#[test]
fn each_column_is_judged_by_its_own_threshold() {
    let strict = ColumnAudit { threshold: Some(0.25), ..column("illness", 15, 0, 2) };
    let loose = ColumnAudit { threshold: Some(0.5), ..column("pay", 15, 0, 0) };
    let before = audit_of(1, vec![loose.clone(), strict.clone()]);
    let page = html(&report_of(vec![before, audit_of(2, vec![loose, strict])]));
    for expected in [
        "posterior of <q>illness</q> at most 25\u{a0}%; posterior of <q>pay</q> at most 50\u{a0}%",
        "<strong>2 of 15 people</strong>, the posterior of <q>illness</q> exceeds the threshold of 25\u{a0}%",
        "For none of 15 people does the posterior of <q>pay</q> exceed the threshold of 50\u{a0}%",
        "<q>illness</q> with a posterior above 25\u{a0}% (or with certainty) or <q>pay</q> with a posterior above 50\u{a0}%",
        "People above the threshold of 25\u{a0}%",
        "<td class=\"number\" data-head=\"threshold\">25\u{a0}%</td><td class=\"number\" data-head=\"above the threshold\">2</td>",
        "<td class=\"number\" data-head=\"threshold\">50\u{a0}%</td><td class=\"number\" data-head=\"above the threshold\">0</td>",
        "threshold: 25\u{a0}%",
        "threshold: 50\u{a0}%",
        "people for whom the posterior of <q>pay</q> exceeds the threshold of 50\u{a0}%",
    ] {
        assert!(page.contains(expected), "`{expected}` is not there");
    }
}
