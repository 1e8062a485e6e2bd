//! Fragments escape all data, apply only to themselves, and disclose no small count in their public variant.

use reticent::Role;
use reticent::audit::Audit;
use reticent::distributions::{ColumnDistribution, DistributionBin};
use reticent::risk::{ClassSizeBin, ColumnConfidence, ReleaseRisk, Risk, SensitiveRisk};
use reticent_report::{
    CheckView, CheckedColumn, CheckedModel, ComparedChoice, ComparedFigures, Comparison, GroupedView, MetricLine,
    ReasonLine, ReleaseView, Report, StatementLine, StatementOutcome, TriedLine, audit_fragment, check_fragment,
    comparison_fragment, grouped_fragment, release_fragment, table_fragment,
};

use crate::fixture::{NOTICE, audit_of, column, figure_1, report_of, sample};

/// Names and numbers of all fragments. Texts are made by `text` from the name of their field.
struct Content<'a> {
    text: &'a dyn Fn(&str) -> String,
    public: bool,
    /// A count of people that is small if it is below 10.
    small: u64,
    people: u64,
}

/// Texts live as long as the tests, because the views borrow them.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl Content<'_> {
    fn text(&self, field: &str) -> &'static str {
        leak((self.text)(field))
    }

    fn list(&self, field: &str) -> &'static [String] {
        Box::leak(Box::new([(self.text)(field)]))
    }

    fn distributions(&self) -> &'static [ColumnDistribution] {
        let bin = |label: String, before: u64, after: f64| DistributionBin { label, before, after };
        // Numbers that are not close to the limit of a rounded share, for all small counts.
        let before = [140, 160, 100, 120, 140, 160, 96];
        let age = |(at, before): (u32, u64)| bin(format!("[{at}0,{}0)", at + 1), before, f64::from(90 + 25 * (at % 3)));
        let ages = (2..9).zip(before).map(age);
        let ages: Vec<DistributionBin> = ages.chain([bin("[110,120)".to_owned(), self.small, 0.5)]).collect();
        let flu = bin((self.text)("frequent value"), self.people / 2, self.people as f64 / 2.0 + 30.0);
        let gout = bin("Gout".to_owned(), self.people / 4, self.people as f64 / 4.0);
        let asthma = bin("Asthma".to_owned(), self.people / 4 - self.small, 305.0);
        let rare = bin((self.text)("seldom"), self.small, self.small as f64);
        let of = |column: String, role, distance, ordered, bins| ColumnDistribution {
            column,
            role,
            distance,
            binned: ordered,
            ordered,
            bins,
        };
        let mut columns = vec![
            of((self.text)("age"), Role::QuasiIdentifier, 0.083, true, ages),
            of((self.text)("illness"), Role::Sensitive, 0.04, false, vec![flu, gout, asthma, rare]),
        ];
        columns.extend((0..12).map(|at| {
            let bins = vec![bin("yes".to_owned(), 400, 400.0), bin("no".to_owned(), self.people - 400, 500.0)];
            of(format!("column {at}"), Role::Other, 0.001, false, bins)
        }));
        Box::leak(columns.into_boxed_slice())
    }

    fn risk(&self) -> &'static Risk {
        let sensitive = |column: &str, confidence: f64| SensitiveRisk {
            column: (self.text)(column),
            distinct: 1,
            entropy: 1.3,
            confidence,
            certain: self.small,
            closeness: 0.456_789,
            distance: "equal",
        };
        Box::leak(Box::new(Risk {
            known_columns: vec!["age".to_owned()],
            records: self.people,
            people: self.people - self.small,
            classes: self.small,
            smallest_class: self.small,
            sample_unique: self.small,
            below_k: self.small,
            k: 5,
            highest_risk: 1.0 / self.small as f64,
            average_risk: 0.234_567,
            sensitive: vec![sensitive("illness", 1.0), sensitive("income", 0.654_321)],
        }))
    }

    fn check(&self) -> CheckView<'static> {
        let bin = |from, to, classes, people| ClassSizeBin { from, to, classes, people };
        let rest = self.people - 549;
        let sizes = [
            bin(1, Some(1), self.small, self.small),
            bin(2, Some(2), 0, 0),
            bin(3, Some(4), 30, 100),
            bin(5, Some(9), 40, 250),
            bin(10, Some(19), 11, 150),
            bin(20, Some(49), 1, 49 - self.small),
            bin(50, Some(99), 0, 0),
            bin(100, None, 1, rest),
        ];
        let model = |title: &'static str, holds: bool| CheckedModel {
            title,
            holds,
            classes: 30,
            violating_classes: self.small,
            people_in_violating_classes: self.small,
        };
        CheckView {
            dataset: self.text("dataset"),
            requirements: self.list("requirement"),
            columns: vec![
                CheckedColumn { name: self.text("column"), role: Role::QuasiIdentifier },
                CheckedColumn { name: "illness", role: Role::Sensitive },
            ],
            risk: Some(self.risk()),
            class_sizes: Box::leak(Box::new(sizes)),
            models: vec![model(self.text("model"), false), model("distinct l-diversity", true)],
            minimal_quasi_identifier: self.list("minimal"),
            unreachable: self.list("unreachable"),
            warnings: Box::leak(Box::new([
                (self.text)("warning"),
                format!("{} people are sample unique; 3 of 6 quasi-identifiers are dates", self.small),
            ])),
            notes: self.list("note"),
            public: self.public,
            min_count: 10,
        }
    }

    fn release(&self, planned: bool) -> ReleaseView<'static> {
        let confidence = |column: &str, highest| ColumnConfidence { column: (self.text)(column), highest };
        let risk = ReleaseRisk {
            smallest_class: self.small,
            highest_risk: 1.0 / self.small as f64,
            average_risk: 0.034_567,
            confidence: vec![confidence("illness", 0.512_345), confidence("income", 0.4)],
        };
        let statement = |text, outcome| StatementLine { text, outcome };
        ReleaseView {
            name: self.text("name"),
            planned,
            recipients: self.list("recipient"),
            file: (!planned).then(|| self.text("file")),
            algorithm: self.text("algorithm"),
            loss: Some(0.234_567),
            records: self.people,
            published: self.people - self.small,
            suppressed: self.small,
            dropped: 0,
            classes: 84,
            risk: Some(Box::leak(Box::new(risk))),
            metrics: vec![
                MetricLine { id: self.text("metric"), value: 0.123_456_7, reading: self.text("reading") },
                MetricLine {
                    id: "iloss",
                    value: 1.0,
                    reading: leak(format!("lower is better; {} suppressed records count as *", self.small)),
                },
            ],
            statements: vec![
                statement(self.text("statement"), StatementOutcome::Holds),
                statement("distinct l-diversity, l = 3", StatementOutcome::Holds),
                statement("posterior", StatementOutcome::NotApplicable),
                statement("record linkage", StatementOutcome::Skipped),
            ],
            distributions: self.distributions(),
            fully_suppressed: self.list("fully-suppressed"),
            warnings: self.list("warning"),
            notes: self.list("note"),
            not_established: if planned { self.list("not-established") } else { &[] },
            assumptions: self.list("assumption"),
            tried: vec![
                TriedLine { algorithm: self.text("tried"), loss: Some(0.234_567), refused: None },
                TriedLine { algorithm: "mondrian", loss: None, refused: Some(self.text("refused")) },
            ],
            earlier: self.list("earlier"),
            public: self.public,
            min_count: 10,
        }
    }

    fn grouped(&self) -> GroupedView<'static> {
        GroupedView {
            name: self.text("name"),
            planned: false,
            method: self.text("method"),
            recipients: self.list("recipient"),
            published: self.people - self.small,
            withheld: vec![ReasonLine { reason: self.text("withheld"), people: self.small }],
            postponed: vec![ReasonLine { reason: self.text("postponed"), people: self.small }],
            groups: 300,
            counterfeits: self.small,
            guarantees: self.list("guarantee"),
            warnings: self.list("warning"),
            notes: self.list("note"),
            not_established: self.list("not-established"),
            public: self.public,
            min_count: 10,
        }
    }

    fn comparison(&self) -> Comparison {
        let text = |field: &str| (self.text)(field);
        let figures = |loss: f64, risk: f64| ComparedFigures {
            loss,
            risk,
            posterior: Some(0.5 - loss / 3.0),
            classes: 60,
            records: 1200,
            fully_suppressed: vec![text("column")],
        };
        let choice = |state, figures: Option<ComparedFigures>| ComparedChoice {
            settings: vec![text("setting")],
            state,
            error: figures.is_none().then(|| text("error")),
            figures,
        };
        Comparison {
            title: text("title"),
            date: "2026-05-04".to_owned(),
            data: text("data"),
            version: "0.1.0".to_owned(),
            settings: vec!["k"],
            choices: vec![
                choice("recommended", Some(figures(0.12, 0.2))),
                choice("frontier", Some(figures(0.2, 0.1))),
                choice("dominated", Some(figures(0.3, 0.15))),
                choice("outside", Some(figures(0.05, 0.5))),
                choice("refused", None),
            ],
            commands: vec![text("command")],
            assumptions: vec![text("assumption")],
        }
    }

    fn report(&self) -> Report {
        let before = audit_of(1, vec![column("illness", self.people - 100, self.small, 60)]);
        let after =
            audit_of(2, vec![column("illness", self.people, self.small + 20, 90), column("income", self.people, 0, 0)]);
        let mut report = Report { public: self.public, ..report_of(vec![before, after]) };
        report.title = (self.text)("title");
        report.dataset = (self.text)("dataset");
        report.coalitions[0].members = vec![(self.text)("member")];
        report.coalitions[0].releases[0].name = (self.text)("release");
        report.coalitions[0].attacks[0].title = (self.text)("attack");
        report.coalitions[0].not_established = vec![(self.text)("not-established")];
        report
    }

    /// Every fragment with its name.
    fn fragments(&self) -> Vec<(&'static str, String)> {
        let rows = [vec!["1".to_owned(), (self.text)("cell")], vec!["2".to_owned(), "autumn".to_owned()]];
        vec![
            ("check", check_fragment(&self.check())),
            ("planned", release_fragment(&self.release(true))),
            ("published", release_fragment(&self.release(false))),
            ("grouped", grouped_fragment(&self.grouped())),
            ("comparison", comparison_fragment(&self.comparison(), self.public, 10)),
            ("audit", audit_fragment(&self.report())),
            (
                "table",
                table_fragment(&(self.text)("title"), &["no.", self.text("head")], &rows, Some(self.text("remark"))),
            ),
        ]
    }
}

/// A plain text of a field.
fn plain(field: &str) -> String {
    field.to_owned()
}

fn content(public: bool) -> Content<'static> {
    Content { text: &plain, public, small: 7, people: 1200 }
}

/// Fragments of all variants, also of reports and views with little content.
fn all_fragments() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> =
        [true, false].into_iter().flat_map(|public| content(public).fragments()).collect();
    for public in [true, false] {
        for report in [sample(), figure_1(), Report { coalitions: Vec::new(), ..sample() }] {
            all.push(("audit", audit_fragment(&Report { public, ..report })));
        }
        let check = CheckView { risk: None, class_sizes: &[], models: Vec::new(), ..content(public).check() };
        all.push(("empty check", check_fragment(&check)));
        let few = Content { people: 500, small: 2, ..content(public) };
        let release = ReleaseView { risk: None, distributions: &[], statements: Vec::new(), ..few.release(false) };
        all.push(("empty release", release_fragment(&release)));
    }
    all.push(("empty table", table_fragment("log", &["no."], &[], None)));
    all
}

#[test]
fn fragments_are_well_formed_and_load_no_resources() {
    for (name, html) in all_fragments() {
        assert!(html.starts_with("<div class=\"reticent-fragment ") && html.ends_with("</div>"), "{name}");
        let mut open: Vec<&str> = Vec::new();
        for part in html.split('<').skip(1) {
            let (tag, _) = part.split_once('>').expect("a tag ends");
            match tag.split([' ', '\n']).next().unwrap_or_default() {
                "br" => {}
                tag if tag.starts_with('/') => assert_eq!(open.pop(), Some(&tag[1..]), "</{tag}> in {name}"),
                tag => open.push(tag),
            }
        }
        assert!(open.is_empty(), "not closed in {name}: {open:?}");
        for word in
            ["http", "<script", "url(", "@import", " src=", " style=", "javascript:", "href", "id=", "NaN", "inf\""]
        {
            assert!(!html.contains(word), "`{word}` in {name}");
        }
    }
}

/// Every selector starts with the class of fragments, so that the style sheet changes nothing else on the page.
#[test]
fn styles_are_scoped() {
    let html = audit_fragment(&content(true).report());
    let css = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let mut css = css.to_owned();
    while let Some(start) = css.find("/*") {
        let end = start + css[start..].find("*/").unwrap() + 2;
        css.replace_range(start..end, "");
    }
    let mut rules = 0;
    for part in css.split(['{', '}', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        // Declarations have a colon directly after a property; selectors of this sheet start with a dot.
        let property = part.split(':').next().unwrap_or_default();
        let is_declaration = part.contains(':')
            && property.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-' || letter.is_ascii_digit());
        if is_declaration || part.starts_with('@') {
            assert!(!part.starts_with("@font-face") && !part.starts_with("@page"));
            continue;
        }
        let mut depth = 0;
        let outer = |letter: char| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == ',' && depth == 0
        };
        for selector in part.split(outer) {
            assert!(selector.trim().starts_with(".reticent-fragment"), "`{selector}` is not scoped");
            rules += 1;
        }
    }
    assert!(rules > 100, "{rules} selectors");
}

/// A text that would end an attribute, an element or the style sheet if it were not escaped.
fn hostile(field: &str) -> String {
    format!("{field}</style><script>\"'&amp;\u{202e}\u{7}<!--")
}

/// Texts that can name values or exact counts: only the internal variant has them.
const INTERNAL_TEXTS: [&str; 3] = ["note", "reading", "error"];

#[test]
fn every_text_is_escaped() {
    for public in [true, false] {
        let content = Content { text: &hostile, public, small: 7, people: 1200 };
        for (name, html) in content.fragments() {
            assert!(!html.contains("<script") && !html.contains("<!--"), "{name}");
            assert_eq!(html.matches("</style>").count(), 1, "{name}");
            assert!(!html.contains(['\u{202e}', '\u{7}']), "control characters in {name}");
        }
        let fields: [(&str, &[&str]); 7] = [
            (
                "check",
                &["dataset", "requirement", "column", "model", "minimal", "unreachable", "warning", "note", "illness"],
            ),
            (
                "planned",
                &[
                    "name",
                    "recipient",
                    "algorithm",
                    "metric",
                    "reading",
                    "statement",
                    "fully-suppressed",
                    "warning",
                    "note",
                    "not-established",
                    "assumption",
                    "tried",
                    "refused",
                    "earlier",
                    "age",
                    "frequent value",
                ],
            ),
            ("published", &["name"]),
            (
                "grouped",
                &[
                    "name",
                    "method",
                    "recipient",
                    "withheld",
                    "postponed",
                    "guarantee",
                    "warning",
                    "note",
                    "not-established",
                ],
            ),
            ("comparison", &["title", "column", "setting", "error", "assumption"]),
            ("audit", &["title", "dataset", "member", "release", "attack", "not-established"]),
            ("table", &["title", "head", "cell", "remark"]),
        ];
        for ((name, html), (expected, fields)) in content.fragments().into_iter().zip(fields) {
            assert_eq!(name, expected);
            for field in fields {
                let escaped = format!("{field}&lt;/style&gt;&lt;script&gt;&quot;'&amp;amp;\u{fffd}\u{fffd}&lt;!--");
                let is_shown = !public || !INTERNAL_TEXTS.contains(field);
                assert_eq!(html.to_lowercase().contains(&escaped), is_shown, "{field} in {name}");
            }
        }
    }
}

#[test]
fn internal_fragments_have_the_notice() {
    for public in [true, false] {
        for (name, html) in content(public).fragments() {
            // A table has one variant.
            let has_variants = name != "table";
            assert_eq!(html.contains(NOTICE), has_variants && !public, "{name}");
            assert_eq!(html.contains("Public variant"), has_variants && public, "{name}");
        }
    }
}

#[test]
fn a_public_comparison_shows_no_command_because_it_has_paths() {
    let command = |public| comparison_fragment(&content(public).comparison(), public, 10).contains("command");
    assert!(command(false) && !command(true));
}

/// Returns the text between tags, and the descriptions of charts.
fn text(html: &str) -> String {
    let body = html.split_once("</style>").map_or(html, |(_, body)| body);
    let texts = body.split('<').map(|rest| rest.split_once('>').map_or(rest, |(_, text)| text));
    texts.collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_public_fragment_shows_no_rare_value_and_no_exact_figure() {
    for (name, html) in content(true).fragments() {
        assert!(!html.contains("seldom") && !html.contains("canary"), "{name}");
        if name == "comparison" {
            continue;
        }
        for figure in ["1,193", "1,214", "0.456", "0.12345", "23.4", "65.4", "51.2", "14.2", "1 in 7", "[110,", "120)"]
        {
            assert!(!text(&html).contains(figure), "`{figure}` in {name}");
        }
    }
    let internal: Vec<(&str, String)> = content(false).fragments();
    assert!(
        internal[2].1.contains("seldom") && internal[2].1.contains("[110,120)") && internal[0].1.contains("1 in 7")
    );
}

/// Public fragments that differ only in small counts are equal.
#[test]
fn small_counts_are_indistinguishable() {
    let fragments = |small: u64| Content { small, ..content(true) }.fragments();
    let first = fragments(1);
    for small in 2..=9 {
        for ((name, one), (_, other)) in first.iter().zip(fragments(small)) {
            let differs = one.split('<').zip(other.split('<')).find(|(one, other)| one != other);
            assert!(differs.is_none(), "{name}: {small} differs from 1: {differs:?}");
        }
    }
    // Large differences are shown.
    for ((name, one), (_, other)) in first.iter().zip(fragments(40)) {
        assert!(*one != other || matches!(*name, "comparison" | "table"), "{name}");
    }
}

#[test]
fn a_public_fragment_shows_no_folder() {
    let file = |public| {
        let view = ReleaseView { file: Some("/home/steward/out/spring.csv"), ..content(public).release(false) };
        release_fragment(&view)
    };
    assert!(file(true).contains("<code>spring.csv</code>") && !file(true).contains("steward"));
    assert!(file(false).contains("<code>/home/steward/out/spring.csv</code>"));
}

#[test]
fn a_verdict_is_never_favourable_if_something_is_not_established() {
    let headline = |view: &ReleaseView| release_fragment(view);
    let release = content(false).release(false);
    assert!(headline(&release).contains("2 of 2 judged requirements hold"));
    assert!(
        headline(&content(false).release(true)).contains("No violation was found, but not everything is established")
    );
    let mut violated = release.clone();
    violated.statements[0].outcome = StatementOutcome::Violated;
    assert!(headline(&violated).contains("The release violates 1 of 2 judged requirements"));
    assert!(headline(&ReleaseView { statements: Vec::new(), ..release }).contains("No requirement was judged"));
    assert!(check_fragment(&content(false).check()).contains("The unprotected data violates 1 of 2 requirements"));
}

/// The sections of the page are in the fragment. The less important ones are collapsed.
#[test]
fn an_audit_has_the_sections_of_the_page() {
    for public in [true, false] {
        let html = audit_fragment(&Report { public, ..content(public).report() });
        for title in ["Key figures", "Timeline", "People by maximum posterior"] {
            assert!(html.contains(&format!("<section class=\"block\"><h3>{title}</h3>")), "{title}");
        }
        for title in ["Attacks", "Risk criteria of regulators", "Possible worlds", "Assumptions and limits"] {
            assert!(html.contains(&format!("<details class=\"block\"><summary>{title}</summary>")), "{title}");
        }
        assert_eq!(html.contains("Worst cases"), !public);
        assert_eq!(html.contains("Posteriors of every person"), !public);
    }
}

/// An audit with other small counts has the same public fragment, like the page.
#[test]
fn a_public_audit_goes_through_the_view() {
    let fragment = |change: &dyn Fn(&mut Audit)| {
        let mut audit = audit_of(1, vec![column("illness", 900, 30, 60)]);
        change(&mut audit);
        audit_fragment(&Report { public: true, ..report_of(vec![audit]) })
    };
    let first = fragment(&|audit| audit.identity.singled_out = 1);
    assert!((2..=9).all(|number| first == fragment(&|audit| audit.identity.singled_out = number)));
}
