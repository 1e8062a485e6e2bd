//! What public pages do not disclose.

use reticent::audit::SolveStats;
use reticent::audit::{Audit, ColumnAudit};
use reticent_report::ReleaseLine;

use crate::fixture::{NOTICE, audit_of, column, public, report_of, sample};

/// The text between tags.
fn text(html: &str) -> String {
    let body = html.split_once("<body>").map_or(html, |(_, body)| body);
    let pieces = body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    pieces.collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_public_page_names_nobody_and_no_value() {
    let page = public(sample());
    assert!(!page.contains("canary"), "a value, a group, a pseudonym or what an attack found");
    assert!(!page.contains("The worst cases") && !page.contains("Everybody, one by one"));
    assert!(!page.contains("of 3 by name") && page.contains("of fewer than 10 by name"));
    assert!(!page.contains(NOTICE));
    for words in ["15", "13", "33.3", "1 in 3", "14.0", "worlds 16"] {
        assert!(!text(&page).contains(words), "`{words}` is there");
    }
}

/// What differs only in small counts is the same page.
#[test]
fn small_counts_cannot_be_told_apart() {
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
            assert!(first == page(&|audit| change(audit, number)), "{what}: {number} is told from 1");
        }
    };
    same("certain", &|audit, number| audit.columns = vec![column("diagnosis", audit.people, number, 60)]);
    same("not certain", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, audit.people - number, audit.people)];
    });
    same("certain among those above", &|audit, number| {
        audit.columns = vec![column("diagnosis", audit.people, 60, 60 + number)];
    });
    same("certain, the total being known", &|audit, number| {
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
    same("in several", &|audit, number| audit.identity.in_several = number);
    same("several, changed", &|audit, number| (audit.multi_record_people, audit.changed_people) = (number, number));
    same("not exact", &|audit, number| audit.columns[0].exact = audit.people - number);
    same("the smallest group", &|audit, number| audit.identity.prosecutor_highest = 1.0 / number as f64);
    same("work", &|audit, number| {
        audit.stats = SolveStats { largest_component: number, components: number, ..SolveStats::default() }
    });
    same("known by name", &|audit, number| {
        audit.assumptions = vec![format!("the attacker knows something about the values of {number} by name")];
    });
}

/// What became certain with the last release, and who came with it.
#[test]
fn small_changes_cannot_be_told_apart() {
    let certain = |before: u64, now: u64| {
        let first = audit_of(1, vec![column("diagnosis", 900, before, 300)]);
        public(report_of(vec![first, audit_of(2, vec![column("diagnosis", 1500, now, 300)])]))
    };
    let first = certain(120, 121);
    assert!((122..=129).all(|now| first == certain(120, now)));
    assert!(first != certain(120, 150), "large changes are told");
    let records = |before: u64, now: u64| {
        let mut report = report_of(vec![audit_of(1, vec![]), audit_of(1, vec![])]);
        (report.coalitions[0].releases[0].records, report.coalitions[0].releases[1].records) = (before, now);
        public(report)
    };
    let first = records(1000, 1001);
    assert!((1002..=1009).all(|now| first == records(1000, now)));
    // Two releases of 100 records about 197 people: three are in both.
    let overlap = |people: u64| {
        let mut report = report_of(vec![audit_of(2, vec![column("diagnosis", people, 0, 0)])]);
        let line = ReleaseLine { records: 100, ..report.coalitions[0].releases[0].clone() };
        report.coalitions[0].releases = vec![line.clone(), line];
        public(report)
    };
    let first = overlap(199);
    assert!((191..199).all(|people| first == overlap(people)));
}

/// A bar has its width as an attribute: the content security policy allows no inline style.
#[test]
fn nested_counts_have_bars() {
    let page = public(report_of(vec![audit_of(1, vec![column("diagnosis", 1500, 300, 750)])]));
    for (width, class, count) in [(100, "after", "all"), (20, "after", "at least 300"), (20, "sure", "at least 300")] {
        let bar = format!(
            "<rect class=\"fill {class}\" width=\"{width}%\" height=\"100%\" rx=\"2\"></rect></svg> {count}</td>"
        );
        assert!(page.contains(&bar), "`{bar}` is not there");
    }
    // For very few people a bar would disclose more than its count.
    assert!(!public(sample()).contains("class=\"track\""));
}
