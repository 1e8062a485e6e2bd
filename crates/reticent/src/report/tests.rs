//! Pages of hand-made audits: what they say, and what a public one does not.

use super::grid::Grid;
use super::words::{percent, percent_at_least, percent_at_most, worlds};
use super::*;
use crate::audit::{Because, Case, Chance, Column, GroupShown, Identity, Level, Pair, Person, PersonColumn};
use reticent_inference::{Fraction, Work};

/// So many people of so many are certain; the others are at one half.
fn column(name: &str, people: u64, certain: u64, above: u64) -> Column {
    let mut histogram = [0; 11];
    (histogram[5], histogram[7], histogram[10]) = (people - above, above - certain, certain);
    let highest = if certain > 0 { Fraction::ONE } else { Fraction::new(1, 2) };
    Column {
        name: name.to_owned(),
        values: 5,
        people,
        allowed: Some(0.6),
        certain,
        may_be_certain: certain,
        above,
        may_be_above: above,
        likely_above: 0,
        any_above: 0,
        highest: Level { lower: highest, upper: highest, best: highest.value() },
        of_record: Level { lower: highest, upper: highest, best: highest.value() },
        average: 0.52,
        prior: 0.31,
        histogram,
        bounded: 0,
        exact: people,
        entropy_bits: Some(14.04),
        already: 0,
        already_most: Level { lower: highest, upper: highest, best: 0.0 },
    }
}

fn chance(lower: Fraction) -> Chance {
    Chance { value: 0, lower, upper: Fraction::ONE, worlds: Some(1.0), sampled: None, entropy: Some(0.9) }
}

fn audit_of(releases: u64, columns: Vec<Column>) -> Audit {
    let group = GroupShown {
        release: 1,
        name: "spring".to_owned(),
        date: "2026-03-02".to_owned(),
        group: vec![("age".to_owned(), "30-39canary".to_owned()), ("sex".to_owned(), "Male".to_owned())],
        people: 4,
        theirs: true,
        set: false,
        shows: vec![("Flu-canary".to_owned(), 2), ("HIV<i>-canary".to_owned(), 1)],
    };
    let told = PersonColumn {
        column: "diagnosis".to_owned(),
        values: vec![("HIV<i>-canary".to_owned(), chance(Fraction::ONE))],
    };
    Audit {
        releases: (1..=releases).map(|number| (number, format!("release-{number}"))).collect(),
        people: columns.iter().map(|column| column.people).max().unwrap_or(0),
        columns,
        pairs: Vec::new(),
        identity: Identity {
            in_several: 8,
            linkable: 3,
            singled_out: 4,
            prosecutor_highest: 1.0,
            prosecutor_average: 0.4,
        },
        worst: vec![Case {
            people: 1,
            pseudonyms: vec!["c0ffee-canary".to_owned()],
            column: "diagnosis".to_owned(),
            value: "HIV<i>-canary".to_owned(),
            chance: chance(Fraction::ONE),
            because: Some(Because { groups: vec![group], words: "one group tells it by itself".to_owned() }),
        }],
        each: Some(vec![Person { pseudonym: Some("c0ffee-canary".to_owned()), people: 1, told: vec![told] }]),
        ln_worlds: Some(16f64.ln()),
        worlds: Some("16".to_owned()),
        several: 6,
        changed: 7,
        unlinked: vec![1],
        not_followed: Vec::new(),
        work: Work { pieces: 4, largest: 9, counted: 4, open: 39, forced: 8, ..Work::default() },
        assumed: vec!["the attacker knows something about the values of 3 by name".to_owned()],
        not_considered: vec!["attackers who know how the algorithm decided".to_owned()],
    }
}

fn report_of(over_time: Vec<Audit>) -> Report {
    let lines = (1..=over_time.len() as u64).map(|number| ReleaseLine {
        number,
        name: format!("release-{number}"),
        date: "2026-03-02".to_owned(),
        recipients: vec!["City <office>".to_owned()],
        columns: vec!["age".to_owned(), "diagnosis".to_owned()],
        records: over_time[number as usize - 1].people,
    });
    let coalition = Coalition {
        members: vec!["City <office>".to_owned(), "Insurer & Sons".to_owned()],
        open: Vec::new(),
        breaches: Vec::new(),
        releases: lines.collect(),
        over_time: (1..).zip(over_time).map(|(number, audit)| (format!("release-{number}"), audit)).collect(),
        attacks: vec![Attack {
            title: "Difference".to_owned(),
            words: "the difference-canary is 3".to_owned(),
            findings: 3,
            certain: true,
            ran: true,
        }],
    };
    Report {
        title: "Admissions \"2026\"".to_owned(),
        made: "2026-05-04".to_owned(),
        dataset: "a<b>.csv".to_owned(),
        coalitions: vec![coalition],
        public: false,
        least: 10,
        version: "0.1.0".to_owned(),
    }
}

fn sample() -> Report {
    let before = audit_of(1, vec![column("diagnosis", 13, 0, 0)]);
    report_of(vec![before, audit_of(2, vec![column("diagnosis", 15, 3, 5)])])
}

fn public(report: Report) -> String {
    html(&Report { public: true, ..report })
}

/// The text between tags.
fn text(html: &str) -> String {
    let body = html.split_once("<body>").map_or(html, |(_, body)| body);
    let pieces = body.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    pieces.collect::<Vec<&str>>().join(" ")
}

/// Every tag is closed, in order.
fn well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(1) {
        let (tag, rest) = piece.split_once('>').expect("a tag ends");
        assert!(!rest.contains('>') || open.last() == Some(&"style") || tag == "style", "a lone > after <{tag}>");
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        match name {
            "!doctype" | "meta" | "br" => {}
            name if name.starts_with('/') => assert_eq!(open.pop(), Some(&name[1..]), "</{name}> closes another"),
            _ if tag.ends_with('/') => {}
            name => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of <{tag}>");
    }
    assert!(open.is_empty(), "{open:?} stay open");
}

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
    assert!(
        html.matches(page::INTERNAL).count() >= 3,
        "on the screen, behind everything, and at the foot of each page"
    );
    assert!(!html.to_lowercase().contains("anonymous"));
}

#[test]
fn the_verdict_says_what_was_found() {
    let check = |columns: Vec<Column>, confidence: Option<f64>, expected: &str| {
        let columns = columns.into_iter().map(|column| Column { allowed: confidence, ..column }).collect();
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
    let open = Column { may_be_above: 4, ..column("a", 15, 0, 0) };
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
        let columns = columns.into_iter().map(|column| Column { allowed, ..column }).collect();
        let mut report = report_of(vec![audit_of(1, columns)]);
        report.coalitions[0].open = vec!["1 spring was erased".to_owned()];
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
    told.coalitions[0].open = vec!["1 spring was erased".to_owned()];
    let page = html(&told);
    assert!(page.contains("verdict bad") && page.contains("Not established: 1 spring was erased."));
    let mut above = report_of(vec![audit_of(1, vec![column("a", 15, 0, 2)])]);
    assert!(html(&above).contains("It is certain for nobody."));
    above.coalitions[0].open = vec!["1 spring was erased".to_owned()];
    assert!(!html(&above).contains("It is certain for nobody."));
}

/// Two releases of whose records nobody knows the owners: what they tell of pairs of groups is on no one's account, and said first.
#[test]
fn what_two_releases_tell_together_is_said() {
    let of_two = |certain: bool, allowed: Option<f64>| {
        let lower = if certain { Fraction::ONE } else { Fraction::new(3, 4) };
        let pair = Pair {
            releases: [1, 2],
            column: Some("a".to_owned()),
            not_judged: None,
            pairs: 4,
            above: u64::from(allowed.is_some()),
            may_be_above: u64::from(allowed.is_some()),
            people_may_be_above: 1.0,
            highest: Level { lower, upper: lower, best: lower.value() },
            worst: Vec::new(),
        };
        let columns = vec![Column { allowed, ..column("a", 15, 0, 0) }, Column { allowed, ..column("b", 15, 0, 0) }];
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
    report.coalitions[0].over_time[0].1.columns[0] = Column { allowed: Some(0.6), ..column("a", 15, 0, 9) };
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
        words: "not run: no list".to_owned(),
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
    let strict = Column { allowed: Some(0.25), ..column("illness", 15, 0, 2) };
    let loose = Column { allowed: Some(0.5), ..column("pay", 15, 0, 0) };
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

#[test]
fn pages_need_nothing_and_are_well_formed() {
    let several = audit_of(2, vec![column("diagnosis", 1500, 12, 40), column("income <\"&'>", 1500, 0, 0)]);
    let nothing = Report { coalitions: vec![Coalition::default()], ..sample() };
    for report in [sample(), report_of(vec![several]), nothing, Report { coalitions: Vec::new(), ..sample() }] {
        for page in [html(&report), public(report.clone())] {
            well_formed(&page);
            assert!(!page.contains("http") && !page.contains("<script") && !page.contains("url("));
            assert!(!page.contains("NaN") && !page.contains("inf\""));
        }
        assert_eq!(html(&report), html(&report));
    }
}

#[test]
fn every_text_is_escaped() {
    let evil = "</style><script>\"'&";
    let mut report = sample();
    (report.title, report.made, report.dataset, report.version) =
        (evil.to_owned(), evil.to_owned(), evil.to_owned(), evil.to_owned());
    let coalition = &mut report.coalitions[0];
    coalition.members = vec![evil.to_owned()];
    coalition.attacks =
        vec![Attack { title: evil.to_owned(), words: evil.to_owned(), findings: 1, certain: false, ran: true }];
    for line in &mut coalition.releases {
        (line.name, line.date) = (evil.to_owned(), evil.to_owned());
        (line.recipients, line.columns) = (vec![evil.to_owned()], vec![evil.to_owned()]);
    }
    for (name, audit) in &mut coalition.over_time {
        *name = evil.to_owned();
        audit.releases.iter_mut().for_each(|(_, name)| *name = evil.to_owned());
        audit.columns[0].name = evil.to_owned();
        (audit.assumed, audit.not_considered) = (vec![evil.to_owned()], vec![evil.to_owned()]);
        let case = &mut audit.worst[0];
        (case.column, case.value, case.pseudonyms) = (evil.to_owned(), evil.to_owned(), vec![evil.to_owned()]);
        for group in case.because.iter_mut().flat_map(|because| &mut because.groups) {
            (group.name, group.date) = (evil.to_owned(), evil.to_owned());
            group.group = vec![(evil.to_owned(), evil.to_owned())];
            group.shows = vec![(evil.to_owned(), 1)];
        }
        for person in audit.each.iter_mut().flatten() {
            person.pseudonym = Some(evil.to_owned());
            person.told[0].column = evil.to_owned();
            person.told[0].values[0].0 = evil.to_owned();
        }
    }
    for page in [html(&report), public(report)] {
        well_formed(&page);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
        assert_eq!(page.matches("</style>").count(), 1);
    }
}

#[test]
fn a_public_page_names_nobody_and_no_value() {
    let page = public(sample());
    assert!(!page.contains("canary"), "a value, a group, a pseudonym or what an attack found");
    assert!(!page.contains("The worst cases") && !page.contains("Everybody, one by one"));
    assert!(!page.contains("of 3 by name") && page.contains("of fewer than 10 by name"));
    assert!(!page.contains(page::INTERNAL));
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
            vec![Column { may_be_certain: 60 + number, ..column("diagnosis", audit.people, 60, audit.people) }];
    });
    same("singled out", &|audit, number| audit.identity.singled_out = number);
    same("linkable", &|audit, number| audit.identity.linkable = number);
    same("in several", &|audit, number| audit.identity.in_several = number);
    same("several, changed", &|audit, number| (audit.several, audit.changed) = (number, number));
    same("not exact", &|audit, number| audit.columns[0].exact = audit.people - number);
    same("the smallest group", &|audit, number| audit.identity.prosecutor_highest = 1.0 / number as f64);
    same("work", &|audit, number| audit.work = Work { largest: number, pieces: number, ..Work::default() });
    same("known by name", &|audit, number| {
        audit.assumed = vec![format!("the attacker knows something about the values of {number} by name")];
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

/// What the bands of two counts leave possible is every small difference, whatever totals are known.
#[test]
fn bands_leave_every_small_difference_possible() {
    for (least, most) in [(3, 60), (5, 90), (10, 130)] {
        for points in
            [vec![], vec![most], vec![most, most - 2], vec![least, most], vec![most / 2, most], vec![2 * least, most]]
        {
            let grid = Grid::new(least, points.clone());
            let bands: Vec<_> = (0..=most).map(|count| grid.band(count)).collect();
            for (count, band) in (0..).zip(&bands) {
                assert!(band.low <= count && count <= band.high, "{count} is not in {band:?}");
                assert_eq!(grid.band(band.low), *band);
                assert_eq!(grid.band(band.high), *band);
            }
            let possible = |difference: u64, low: &grid::Band, high: &grid::Band| {
                low.low + difference <= high.high && low.high + difference >= high.low
            };
            for small in 0..most {
                for large in small + 1..(small + least).min(most + 1) {
                    let (low, high) = (&bands[small as usize], &bands[large as usize]);
                    let all = (1..least - 1).all(|difference| possible(difference, low, high));
                    assert!(all, "{small} and {large} of {points:?}: {low:?} and {high:?}");
                }
            }
            for point in points {
                for count in (point + 1).saturating_sub(least).max(1)..point {
                    let (low, high) = (&bands[count as usize], &grid::Band { low: point, high: point });
                    assert!((1..least - 1).all(|difference| possible(difference, low, high)), "{count} below {point}");
                }
            }
        }
    }
}

#[test]
fn numbers_read_well() {
    let shown = |share: f64| percent(share).replace('\u{a0}', " ");
    assert_eq!(shown(0.0), "0 %");
    assert_eq!(shown(0.00001), "under 0.01 %");
    assert_eq!(shown(0.0042), "0.42 %");
    assert_eq!(shown(2.0 / 3.0), "66.7 %");
    assert_eq!(shown(0.5), "50 %");
    assert_eq!(shown(0.99999), "over 99.9 %");
    assert_eq!(shown(1.0), "100 %");
    assert_eq!(percent_at_most(0.39991), "40\u{a0}%");
    assert_eq!(percent_at_least(0.66666), "66.6\u{a0}%");
    assert_eq!(percent_at_least(0.5), "50\u{a0}%");
    assert_eq!(worlds(Some("16"), Some(16f64.ln())).text, "16");
    assert_eq!(worlds(Some("2592"), None).text, "2,592");
    assert_eq!(worlds(None, Some(2772.9)).text, "about 10^1,204");
    assert_eq!(worlds(None, None).text, "too many to count");
}
