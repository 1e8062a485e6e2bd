//! Pages load no resources, run no scripts and escape all data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reticent::audit::{Audit, Disclosure};
use reticent_report::{Attack, Coalition, ComparedChoice, ComparedFigures, Comparison, Report, comparison_html, html};
use sha2::{Digest, Sha256};

use crate::fixture::{audit_of, column, figure_1, public, report_of, sample};

/// Asserts that every tag is closed, in order.
fn assert_well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').expect("a tag ends");
        assert!(!rest.contains('>') || open.last() == Some(&"style") || tag == "style", "an unescaped > after <{tag}>");
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        match name {
            "!DOCTYPE" | "meta" | "br" => {}
            name if name.starts_with('/') => assert_eq!(open.pop(), Some(&name[1..]), "</{name}> closes another"),
            name => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of <{tag}>");
    }
    assert!(open.is_empty(), "not closed: {open:?}");
}

/// Returns the text between two texts that occur once each.
fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    assert_eq!((page.matches(start).count(), page.matches(end).count()), (1, 1), "{start} and {end}");
    page.split_once(start).unwrap().1.split_once(end).unwrap().0
}

/// Returns reports that cover every section of a page.
fn reports() -> Vec<Report> {
    let several = audit_of(2, vec![column("diagnosis", 1500, 12, 40), column("income <\"&'>", 1500, 0, 0)]);
    let empty = Report { coalitions: vec![Coalition::default()], ..sample() };
    vec![sample(), figure_1(), report_of(vec![several]), empty, Report { coalitions: Vec::new(), ..sample() }]
}

#[test]
fn pages_are_well_formed_and_load_no_resources() {
    for report in reports() {
        for page in [html(&report), public(report.clone())] {
            assert_well_formed(&page);
            for word in ["http://", "https://", "<script", "url(", "@import", " src=", " style=", "javascript:"] {
                assert!(!page.contains(word), "{word}");
            }
            assert!(!page.contains("NaN") && !page.contains("inf\""));
        }
        assert_eq!(html(&report), html(&report));
    }
}

/// The policy contains the hash of the style sheet, and allows nothing else.
#[test]
fn the_content_security_policy_allows_the_style_sheet_only() {
    for report in reports() {
        for page in [html(&report), public(report.clone())] {
            let hash = STANDARD.encode(Sha256::digest(between(&page, "<style>", "</style>")));
            let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'");
            assert_eq!(
                between(&page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\"><meta name=\"viewport\""),
                policy
            );
            let (before, _) = page.split_once("<style>").unwrap();
            assert!(before.contains(&policy), "the policy comes before the style sheet");
        }
    }
}

/// Returns a text that would end an attribute, an element or the style sheet if it were not escaped. Starts with the field name.
fn hostile(field: &str) -> String {
    format!("{field}</style><script>\"'&amp;<!--")
}

/// Returns the same text, escaped.
fn escaped(field: &str) -> String {
    format!("{field}&lt;/style&gt;&lt;script&gt;&quot;'&amp;amp;&lt;!--")
}

/// Fields that internal and public pages show.
const COMMON: [&str; 16] = [
    "Title",
    "Created",
    "Dataset",
    "Version",
    "Member",
    "NotEstablished",
    "Violation",
    "Release",
    "Date",
    "Recipient",
    "Published",
    "Timeline",
    "Sensitive",
    "Assumption",
    "NotConsidered",
    "Attack",
];

/// Fields that only an internal page shows.
const INTERNAL: [&str; 12] = [
    "AttackText",
    "CaseColumn",
    "CaseValue",
    "CasePerson",
    "GroupName",
    "GroupDate",
    "KeyColumn",
    "KeyValue",
    "GroupValue",
    "Person",
    "PersonColumn",
    "PersonValue",
];

fn hostile_report() -> Report {
    let mut report = sample();
    (report.title, report.date) = (hostile("Title"), hostile("Created"));
    (report.dataset, report.version) = (hostile("Dataset"), hostile("Version"));
    let coalition = &mut report.coalitions[0];
    coalition.members = vec![hostile("Member")];
    coalition.not_established = vec![hostile("NotEstablished")];
    coalition.violations = vec![Disclosure { text: hostile("Violation"), certain: false }];
    coalition.attacks =
        vec![Attack { title: hostile("Attack"), text: hostile("AttackText"), findings: 1, certain: false, ran: true }];
    for line in &mut coalition.releases {
        (line.name, line.date) = (hostile("Release"), hostile("Date"));
        (line.recipients, line.columns) = (vec![hostile("Recipient")], vec![hostile("Published")]);
    }
    for (name, audit) in &mut coalition.timeline {
        *name = hostile("Timeline");
        make_hostile(audit);
    }
    report
}

fn make_hostile(audit: &mut Audit) {
    audit.releases.iter_mut().for_each(|(_, name)| *name = hostile("Release"));
    audit.columns[0].name = hostile("Sensitive");
    (audit.assumptions, audit.not_considered) = (vec![hostile("Assumption")], vec![hostile("NotConsidered")]);
    let case = &mut audit.worst[0];
    (case.column, case.value) = (hostile("CaseColumn"), hostile("CaseValue"));
    case.pseudonyms = vec![hostile("CasePerson")];
    for group in case.explanation.iter_mut().flat_map(|explanation| &mut explanation.groups) {
        (group.name, group.date) = (hostile("GroupName"), hostile("GroupDate"));
        group.group = vec![(hostile("KeyColumn"), hostile("KeyValue"))];
        group.values = vec![(hostile("GroupValue"), 1)];
    }
    for person in audit.persons.iter_mut().flatten() {
        person.pseudonym = Some(hostile("Person"));
        person.columns[0].column = hostile("PersonColumn");
        person.columns[0].values[0].0 = hostile("PersonValue");
    }
}

#[test]
fn every_text_is_escaped() {
    let report = hostile_report();
    let (internal, public) = (html(&report), public(report));
    for page in [&internal, &public] {
        assert_well_formed(page);
        assert!(!page.contains("<script") && !page.contains("<!--"));
        assert_eq!(page.matches("</style>").count(), 1);
        for field in COMMON {
            assert!(page.contains(&escaped(field)), "{field} is not shown");
        }
    }
    for field in INTERNAL {
        assert!(internal.contains(&escaped(field)), "{field} is not shown");
        assert!(!public.contains(&escaped(field)), "{field} is shown");
    }
}

/// Control characters and characters that change the text direction are replaced everywhere.
#[test]
fn control_and_direction_characters_are_replaced() {
    let mut report = sample();
    report.title = "a\u{202e}b\u{7}c\u{200f}".to_owned();
    let page = html(&report);
    assert!(
        page.contains("<h1>a\u{fffd}b\u{fffd}c\u{fffd}</h1>")
            && page.contains("<title>a\u{fffd}b\u{fffd}c\u{fffd}</title>")
    );
    assert!(!page.contains('\u{202e}') && !page.contains('\u{7}') && !page.contains('\u{200f}'));
}

/// The comparison shows nothing of its texts as markup, loads nothing, and draws every release once in each chart and width.
#[test]
fn a_comparison_escapes_everything_and_loads_nothing() {
    let hostile = "<img src=x onerror=alert(1)>\u{202e}";
    let figures = |loss: f64, risk: f64| ComparedFigures {
        loss,
        risk,
        posterior: Some(0.5),
        classes: 3,
        records: 1200,
        fully_suppressed: vec![hostile.to_owned()],
    };
    let choice = |state: &'static str, figures: Option<ComparedFigures>| ComparedChoice {
        settings: vec![hostile.to_owned()],
        state,
        error: figures.is_none().then(|| hostile.to_owned()),
        figures,
    };
    let comparison = Comparison {
        title: hostile.to_owned(),
        date: "2026-05-04".to_owned(),
        data: hostile.to_owned(),
        version: "0.1.0".to_owned(),
        settings: vec!["algorithm"],
        choices: vec![
            choice("recommended", Some(figures(0.25, 0.2))),
            choice("dominated", Some(figures(0.5, 0.2))),
            choice("frontier", Some(figures(0.75, 0.05))),
            choice("refused", None),
        ],
        commands: vec![hostile.to_owned()],
        assumptions: vec![hostile.to_owned()],
    };
    let page = comparison_html(&comparison);
    assert_well_formed(&page);
    assert!(!page.contains("<img") && !page.contains('\u{202e}') && !page.contains("<script"), "{page}");
    assert_eq!(page.matches("&lt;img src=x").count(), 3 + 4 + 3 + 1 + 2);
    assert_eq!(page.matches("class=\"point recommended\"").count(), 4);
    assert_eq!(page.matches("class=\"point dominated\"").count(), 4);
    assert_eq!(page.matches("class=\"point frontier\"").count(), 4);
    for load in ["src=\"", "href=", "url(", "@import", "http:", "https:"] {
        assert!(!page.contains(load), "{load}");
    }
    // Without a release there is nothing to draw.
    let refused = Comparison { choices: vec![choice("refused", None)], commands: Vec::new(), ..comparison };
    assert!(comparison_html(&refused).contains("No choice satisfies the policy."));
}
