//! Constructed reports, and the worked example of figure 1.

use std::sync::Arc;

use reticent::audit::{
    Audit, AuditOptions, Case, ColumnAudit, ColumnPosterior, ExplainingGroup, Explanation, Identity, MeanRisk,
    PersonAudit, PersonColumnAudit, PosteriorRange, audit,
};
use reticent::audit::{Fraction, SolveStats};
use reticent::contingency::ContingencyTable;
use reticent::taxonomy::Taxonomy;
use reticent::{History, Links, Presentation, PublishedColumn, Ratio, RecordedRelease, Release, Role};
use reticent_report::{Attack, Coalition, ReleaseLine, Report, html};

/// Notice on every internal page.
pub const NOTICE: &str = "Internal: contains confidential data about people";

/// Returns a column with `certain` people at 1, `above - certain` people above the threshold, and all others at 1/2.
pub fn column(name: &str, people: u64, certain: u64, above: u64) -> ColumnAudit {
    let mut histogram = [0; 11];
    (histogram[5], histogram[7], histogram[10]) = (people - above, above - certain, certain);
    let highest = if certain > 0 { Fraction::ONE } else { Fraction::new(1, 2) };
    ColumnAudit {
        name: name.to_owned(),
        values: 5,
        people,
        threshold: Some(0.6),
        certain,
        may_be_certain: certain,
        above,
        may_be_above: above,
        estimated_above: 0,
        any_record_above: 0,
        highest: PosteriorRange { lower: highest, upper: highest, estimate: highest.value() },
        highest_record: PosteriorRange { lower: highest, upper: highest, estimate: highest.value() },
        accuracy: 0.52,
        baseline: 0.31,
        histogram,
        bounds_only: 0,
        estimated: 0,
        exact: people,
        entropy_bits: Some(14.04),
        already_above: 0,
        already_highest: PosteriorRange { lower: highest, upper: highest, estimate: 0.0 },
    }
}

pub fn posterior(lower: Fraction) -> ColumnPosterior {
    ColumnPosterior {
        value: 0,
        lower,
        upper: Fraction::ONE,
        random_worlds: Some(1.0),
        sampled: None,
        maximum_entropy: Some(0.9),
    }
}

pub fn audit_of(releases: u64, columns: Vec<ColumnAudit>) -> Audit {
    let group = ExplainingGroup {
        release: 1,
        name: "spring".to_owned(),
        date: "2026-03-02".to_owned(),
        group: vec![("age".to_owned(), "30-39canary".to_owned()), ("sex".to_owned(), "Male".to_owned())],
        people: 4,
        contains_person: true,
        values_listed_once: false,
        values: vec![("Flu-canary".to_owned(), 2), ("HIV<i>-canary".to_owned(), 1)],
    };
    let person_column = PersonColumnAudit {
        column: "diagnosis".to_owned(),
        values: vec![("HIV<i>-canary".to_owned(), posterior(Fraction::ONE))],
    };
    Audit {
        releases: (1..=releases).map(|number| (number, format!("release-{number}"))).collect(),
        people: columns.iter().map(|column| column.people).max().unwrap_or(0),
        columns,
        pairs: Vec::new(),
        populations: Vec::new(),
        identity: Identity {
            people: 12,
            with_several_records: 8,
            linkable: 3,
            may_be_linkable: 3,
            singled_out: 4,
            may_be_singled_out: 4,
            prosecutor: PosteriorRange { lower: Fraction::ONE, upper: Fraction::ONE, estimate: 1.0 },
            marketer: MeanRisk { lower: 0.4, upper: 0.4, estimate: 0.4 },
            ..Identity::default()
        },
        worst: vec![Case {
            people: 1,
            pseudonyms: vec!["c0ffee-canary".to_owned()],
            column: "diagnosis".to_owned(),
            value: "HIV<i>-canary".to_owned(),
            posterior: posterior(Fraction::ONE),
            explanation: Some(Explanation {
                groups: vec![group],
                text: "one group is sufficient".to_owned(),
                minimal: true,
            }),
        }],
        persons: Some(vec![PersonAudit {
            pseudonym: Some("c0ffee-canary".to_owned()),
            people: 1,
            reidentification: PosteriorRange::default(),
            columns: vec![person_column],
        }]),
        ln_worlds: Some(16f64.ln()),
        worlds: Some("16".to_owned()),
        multi_record_people: 6,
        identified: Vec::new(),
        changed_people: 7,
        unlinked: vec![1],
        unresolved: Vec::new(),
        stats: SolveStats {
            components: 4,
            largest_component: 9,
            components_counted: 4,
            open: 39,
            forced: 8,
            ..SolveStats::default()
        },
        assumptions: vec!["the attacker has background knowledge about named people, number of facts: 3".to_owned()],
        not_considered: vec!["attackers who know how the algorithm decided".to_owned()],
    }
}

pub fn report_of(over_time: Vec<Audit>) -> Report {
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
        not_established: Vec::new(),
        violations: Vec::new(),
        releases: lines.collect(),
        timeline: (1..).zip(over_time).map(|(number, audit)| (format!("release-{number}"), audit)).collect(),
        attacks: vec![Attack {
            title: "Difference".to_owned(),
            text: "the difference-canary is 3".to_owned(),
            findings: 3,
            certain: true,
            ran: true,
        }],
    };
    Report {
        title: "Disclosure risk report: \"2026\"".to_owned(),
        date: "2026-05-04".to_owned(),
        dataset: "a<b>.csv".to_owned(),
        coalitions: vec![coalition],
        public: false,
        min_count: 10,
        version: "0.1.0".to_owned(),
    }
}

pub fn sample() -> Report {
    let before = audit_of(1, vec![column("diagnosis", 13, 0, 0)]);
    report_of(vec![before, audit_of(2, vec![column("diagnosis", 15, 3, 5)])])
}

pub fn public(report: Report) -> String {
    html(&Report { public: true, ..report })
}

/// Figure 1: two bucketized releases, and the audit after each. Combined, they disclose the disease of 3 of 15 people.
pub fn figure_1() -> Report {
    const MARCH: &[Group] = &[
        (&[1, 2, 3, 4], &["Flu", "Pneumonia", "Diabetes", "Flu"]),
        (&[5, 6, 7], &["Flu", "Pneumonia", "Diabetes"]),
        (&[8, 9, 10], &["HIV", "Flu", "Lung cancer"]),
        (&[11, 12, 13], &["Pneumonia", "HIV", "Diabetes"]),
    ];
    const APRIL: &[Group] = &[
        (&[1, 2, 14], &["Flu", "Pneumonia", "Diabetes"]),
        (&[3, 4, 15], &["Diabetes", "Flu", "Pneumonia"]),
        (&[5, 8, 11], &["Flu", "HIV", "Pneumonia"]),
        (&[6, 9, 12], &["Pneumonia", "Flu", "HIV"]),
    ];
    let recorded = [bucketized(1, "march", "2026-03-01", MARCH), bucketized(2, "april", "2026-04-01", APRIL)];
    let options =
        AuditOptions { confidence: Ratio::from_decimal(0.6), per_person: true, worst: 3, ..AuditOptions::default() };
    let up_to = |last: usize| {
        let history = History { releases: recorded[..=last].to_vec(), ..History::default() };
        let mut audit = audit(&history, &options).unwrap();
        // The last digits of an iteration differ between machines.
        audit.stats.gap = None;
        (recorded[last].name.clone(), audit)
    };
    let line = |recorded: &RecordedRelease| ReleaseLine {
        number: recorded.number,
        name: recorded.name.clone(),
        date: recorded.date.clone(),
        recipients: recorded.recipients.clone(),
        columns: recorded.release.columns.iter().map(|column| column.name.clone()).collect(),
        records: recorded.release.contingency.weights.iter().sum(),
    };
    let coalition = Coalition {
        members: vec!["public".to_owned()],
        releases: recorded.iter().map(line).collect(),
        timeline: vec![up_to(0), up_to(1)],
        ..Coalition::default()
    };
    Report {
        title: "Disclosure risk report: stays".to_owned(),
        date: "2026-05-04".to_owned(),
        dataset: "stays".to_owned(),
        coalitions: vec![coalition],
        public: false,
        min_count: 10,
        version: "0.1.0".to_owned(),
    }
}

/// Numbers of the people of a group, and their values.
type Group = (&'static [u128], &'static [&'static str]);

/// Returns a bucketized release with owner links.
fn bucketized(number: u64, name: &str, date: &str, groups: &[Group]) -> RecordedRelease {
    let mut values: Vec<String> =
        groups.iter().flat_map(|(_, values)| values.iter().map(|v| (*v).to_owned())).collect();
    values.sort();
    values.dedup();
    let labels = (1..=groups.len()).map(|group| group.to_string()).collect();
    let mut rows: Vec<(u128, [u32; 2])> = Vec::new();
    for (group, (people, of_group)) in (0..).zip(groups) {
        for (person, value) in people.iter().zip(*of_group) {
            let code = values.iter().position(|known| known == value).unwrap() as u32;
            rows.push((*person, [group, code]));
        }
    }
    let mut distinct: Vec<[u32; 2]> = rows.iter().map(|(_, row)| *row).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let weight = |row: &[u32; 2]| rows.iter().filter(|(_, other)| other == row).count() as u64;
    let contingency = ContingencyTable {
        codes: (0..2).map(|at| distinct.iter().map(|row| row[at]).collect()).collect(),
        weights: distinct.iter().map(weight).collect(),
        owners: None,
    };
    let index = |row: &[u32; 2]| distinct.binary_search(row).unwrap() as u32;
    let links = Links::from_rows(rows.iter().map(|(person, row)| (*person, index(row))).collect());
    let columns = vec![flat("group", Role::Other, labels), flat("disease", Role::Sensitive, values)];
    RecordedRelease {
        number,
        name: name.to_owned(),
        date: date.to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation { group_column: Some("group".to_owned()), ..Presentation::default() },
        release: Release { columns, contingency, suppressed: 0 },
        links: Some(links),
    }
}

/// Returns a column whose values are published unchanged.
fn flat(name: &str, role: Role, values: Vec<String>) -> PublishedColumn {
    let tree = Arc::new(Taxonomy::flat(values));
    let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
    PublishedColumn { name: name.to_owned(), role, tree, nodes }
}
