//! Public pages disclose no person, no value and no small count.

use reticent::audit::SolveStats;
use reticent::audit::{Audit, ColumnAudit, Fraction, PosteriorRange};
use reticent_report::ReleaseLine;

use crate::fixture::{NOTICE, audit_of, column, public, report_of, sample};

/// Returns the text between tags.
fn text(html: &str) -> String {
    let body = html.split_once("<body>").map_or(html, |(_, body)| body);
    let texts = body.split('<').map(|rest| rest.split_once('>').map_or(rest, |(_, text)| text));
    texts.collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_public_page_shows_no_person_and_no_value() {
    let page = public(sample());
    assert!(!page.contains("canary"), "a value, a group, a pseudonym or the finding of an attack");
    assert!(!page.contains("Worst cases") && !page.contains("Posteriors of every person"));
    assert!(!page.contains("number of facts: 3") && page.contains("number of facts: fewer than 10"));
    assert!(!page.contains(NOTICE));
    for figure in ["15", "13", "33.3", "1 in 3", "14.0", "There are 16"] {
        assert!(!text(&page).contains(figure), "`{figure}` is there");
    }
}

/// Audits that differ only in small counts have the same public page.
#[test]
fn small_counts_are_indistinguishable() {
    let page = |change: &dyn Fn(&mut Audit)| {
        let mut audits = vec![
            audit_of(1, vec![column("diagnosis", 900, 30, 60)]),
            audit_of(2, vec![column("diagnosis", 1500, 40, 90)]),
        ];
        audits.iter_mut().for_each(change);
        public(report_of(audits))
    };
    let same = |what: &str, change: &dyn Fn(&mut Audit, u64)| {
        let first = page(&|audit| change(audit, 1));
        for number in 2..=9 {
            assert!(first == page(&|audit| change(audit, number)), "{what}: {number} differs from 1");
        }
    };
    same("certain", &|audit, number| audit.columns = vec![column("diagnosis", audit.people, number, 60)]);
    same("not certain", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, audit.people - number, audit.people)];
    });
    same("certain among those above", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, 60, 60 + number)];
    });
    same("certain and above", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, number, number)];
    });
    same("not above", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, 10, audit.people - number)];
    });
    same("not ruled out to be certain", &|audit, number| {
        audit.columns =
            vec![ColumnAudit { may_be_certain: 60 + number, ..column("diagnosis", audit.people, 60, audit.people) }];
    });
    same("singled out", &|audit, number| audit.identity.singled_out = number);
    same("linkable", &|audit, number| audit.identity.linkable = number);
    same("in several", &|audit, number| audit.identity.with_several_records = number);
    same("several, changed", &|audit, number| (audit.multi_record_people, audit.changed_people) = (number, number));
    same("not exact", &|audit, number| audit.columns[0].exact = audit.people - number);
    same("the smallest group", &|audit, number| {
        let risk = Fraction::new(1, u128::from(number));
        audit.identity.prosecutor = PosteriorRange { lower: risk, upper: risk, estimate: risk.value() };
    });
    same("work", &|audit, number| {
        audit.stats = SolveStats { largest_component: number, components: number, ..SolveStats::default() }
    });
    same("background knowledge", &|audit, number| {
        audit.assumptions = vec![format!("the attacker has background knowledge, number of facts: {number}")];
    });
}

/// Small changes by the last release do not change the page: certain values, records and people.
#[test]
fn small_changes_are_indistinguishable() {
    let certain = |before: u64, now: u64| {
        let first = audit_of(1, vec![column("diagnosis", 900, before, 300)]);
        public(report_of(vec![first, audit_of(2, vec![column("diagnosis", 1500, now, 300)])]))
    };
    let first = certain(120, 121);
    assert!((122..=129).all(|now| first == certain(120, now)));
    assert!(first != certain(120, 150), "large changes are shown");
    let records = |before: u64, now: u64| {
        let mut report = report_of(vec![audit_of(1, vec![]), audit_of(1, vec![])]);
        (report.coalitions[0].releases[0].records, report.coalitions[0].releases[1].records) = (before, now);
        public(report)
    };
    let first = records(1000, 1001);
    assert!((1002..=1009).all(|now| first == records(1000, now)));
    // Two releases with 100 records each about 197 people have three people in common.
    let overlap = |people: u64| {
        let mut report = report_of(vec![audit_of(2, vec![column("diagnosis", people, 0, 0)])]);
        let line = ReleaseLine { records: 100, ..report.coalitions[0].releases[0].clone() };
        report.coalitions[0].releases = vec![line.clone(), line];
        public(report)
    };
    let first = overlap(199);
    assert!((191..199).all(|people| first == overlap(people)));
}

/// The width of a bar is an attribute, because the content security policy allows no inline style.
#[test]
fn nested_counts_have_bars() {
    let page = public(report_of(vec![audit_of(1, vec![column("diagnosis", 1500, 300, 750)])]));
    let bars = [(100, "after", "all"), (20, "after", "at least 300"), (20, "certain", "at least 300")];
    for (width, class, count) in bars {
        let bar = format!(
            "<rect class=\"fill {class}\" width=\"{width}%\" height=\"100%\" rx=\"2\"></rect></svg> {count}</td>"
        );
        assert!(page.contains(&bar), "`{bar}` is not there");
    }
    // For very few people a bar would disclose more than its count.
    assert!(!public(sample()).contains("class=\"track\""));
}
