//! Audits of releases that do not publish single records, compared with brute force: counterfeits, separate columns, marginal tables
//! about another release, and time-varying values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reticent::audit::{AuditOptions, audit, pseudonym_text};
use reticent::contingency::ContingencyTable;
use reticent::taxonomy::Taxonomy;
use reticent::{History, Links, Presentation, PublishedColumn, RecordedRelease, Release, Role};

use crate::support::Random;

const COLUMNS: [&str; 2] = ["ill", "pay"];
const VALUES: [&[&str]; 2] = [&["asthma", "flu", "hiv"], &["high", "low"]];

/// Index of the value of a person in each column.
type Values = [usize; 2];

/// A published table.
#[derive(Debug, Clone)]
struct PublishedTable {
    /// Owner (`None` for a counterfeit), group and values of each record.
    records: Vec<(Option<u128>, usize, Values)>,
    /// Whether each column is published as a separate list.
    columns_separate: bool,
    /// Whether the release has owner links.
    linked: bool,
    /// Index of another release, if this is a marginal table about its people.
    about: Option<usize>,
}

impl PublishedTable {
    fn counterfeits(&self, group: usize) -> usize {
        self.records.iter().filter(|record| record.1 == group && record.0.is_none()).count()
    }

    fn recorded(&self, number: u64) -> RecordedRelease {
        let column = |name: &str, role, values: Vec<String>| {
            let tree = Arc::new(Taxonomy::flat(values));
            let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
            PublishedColumn { name: name.to_owned(), role, tree, nodes }
        };
        let numbers: Vec<String> = (0..8).map(|number| number.to_string()).collect();
        let mut columns = match self.about {
            None => vec![column("group", Role::Other, numbers.clone()), column("false", Role::Other, numbers)],
            Some(_) => Vec::new(),
        };
        let marks = columns.len();
        for (name, values) in COLUMNS.iter().zip(VALUES) {
            columns.push(column(name, Role::Sensitive, values.iter().map(|value| (*value).to_owned()).collect()));
        }
        let row = |record: &(Option<u128>, usize, Values)| {
            let marked = vec![record.1 as u32, self.counterfeits(record.1) as u32];
            let codes = record.2.iter().map(|value| *value as u32);
            marked.into_iter().take(marks).chain(codes).collect::<Vec<u32>>()
        };
        let rows: Vec<Vec<u32>> = self.records.iter().map(row).collect();
        let distinct: Vec<&Vec<u32>> = rows.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let place = |row: &Vec<u32>| distinct.binary_search(&row).unwrap() as u32;
        let owned = self.records.iter().zip(&rows).filter_map(|(record, row)| Some((record.0?, place(row))));
        let groups = self.about.is_none().then(|| "group".to_owned());
        RecordedRelease {
            number,
            name: format!("release-{number}"),
            date: "2026-01-01".to_owned(),
            recipients: vec!["public".to_owned()],
            population: false,
            presentation: Presentation {
                counterfeit_column: self.about.is_none().then(|| "false".to_owned()),
                group_column: groups,
                columns_separate: self.columns_separate,
                about_release: self.about.map(|of| of as u64 + 1),
                ..Presentation::default()
            },
            links: (self.linked && self.about.is_none()).then(|| Links::from_rows(owned.collect())),
            release: Release {
                columns,
                contingency: ContingencyTable {
                    codes: (0..marks + 2).map(|at| distinct.iter().map(|row| row[at]).collect()).collect(),
                    weights: distinct
                        .iter()
                        .map(|row| rows.iter().filter(|other| other == row).count() as u64)
                        .collect(),
                    owners: None,
                },
                suppressed: 0,
            },
        }
    }

    /// Whether a world matches the table. A counterfeit record can have any values.
    fn allows(&self, releases: &[PublishedTable], world: &BTreeMap<u128, Values>) -> bool {
        let members: Vec<(u128, usize)> = match self.about {
            None => self.records.iter().filter_map(|record| Some((record.0?, record.1))).collect(),
            Some(of) => releases[of].records.iter().filter_map(|record| Some((record.0?, 0))).collect(),
        };
        let groups: BTreeSet<usize> = self.records.iter().map(|record| record.1).collect();
        groups.into_iter().all(|group| {
            let views: Vec<Vec<usize>> = if self.columns_separate { vec![vec![0], vec![1]] } else { vec![vec![0, 1]] };
            views.iter().all(|view| {
                let project = |values: &Values| view.iter().map(|at| values[*at]).collect::<Vec<_>>();
                let mut remaining: BTreeMap<Vec<usize>, i64> = BTreeMap::new();
                for record in self.records.iter().filter(|record| record.1 == group) {
                    *remaining.entry(project(&record.2)).or_insert(0) += 1;
                }
                for (person, _) in members.iter().filter(|(_, of)| *of == group) {
                    *remaining.entry(project(&world[person])).or_insert(0) -= 1;
                }
                remaining.values().all(|remaining| *remaining >= 0)
            })
        })
    }
}

/// A random history of people with constant values.
fn random_history(random: &mut Random) -> Vec<PublishedTable> {
    let people: Vec<(u128, Values)> =
        (0..4 + random.below(2)).map(|person| (person as u128, [random.below(3), random.below(2)])).collect();
    let separate = random.below(2) == 0;
    let mut releases = Vec::new();
    for _ in 0..1 + random.below(2) {
        let mut records = Vec::new();
        for (person, values) in &people {
            if random.below(5) > 0 {
                records.push((Some(*person), random.below(2), *values));
            }
        }
        for _ in 0..random.below(3) {
            records.push((None, random.below(2), [random.below(3), random.below(2)]));
        }
        if !records.is_empty() {
            releases.push(PublishedTable { records, columns_separate: separate, linked: true, about: None });
        }
    }
    if !releases.is_empty() && random.below(2) == 0 {
        let of = random.below(releases.len());
        let of_people = releases[of].records.iter().filter(|record| record.0.is_some());
        let records: Vec<_> = of_people.map(|record| (None, 0, record.2)).collect();
        if !records.is_empty() {
            releases.push(PublishedTable { records, columns_separate: false, linked: false, about: Some(of) });
        }
    }
    releases
}

#[test]
fn posteriors_of_all_presentations_match_brute_force() {
    let mut random = Random(20_261_116);
    let (mut compared, mut marginals, mut counterfeits) = (0, 0, 0);
    for _ in 0..400 {
        let releases = random_history(&mut random);
        let people: BTreeSet<u128> =
            releases.iter().flat_map(|release| &release.records).filter_map(|record| record.0).collect();
        if people.is_empty() {
            continue;
        }
        let people: Vec<u128> = people.into_iter().collect();
        // The values of counterfeits are possible values as well.
        let mut counts: BTreeMap<(u128, usize, usize), u64> = BTreeMap::new();
        let mut worlds = 0u64;
        for number in 0..6usize.pow(people.len() as u32) {
            let mut rest = number;
            let mut world = BTreeMap::new();
            for one in &people {
                world.insert(*one, [rest % 6 % 3, rest % 6 / 3]);
                rest /= 6;
            }
            if releases.iter().all(|release| release.allows(&releases, &world)) {
                worlds += 1;
                for (one, values) in &world {
                    values
                        .iter()
                        .enumerate()
                        .for_each(|(at, value)| *counts.entry((*one, at, *value)).or_insert(0) += 1);
                }
            }
        }
        marginals += u32::from(releases.iter().any(|release| release.about.is_some()));
        counterfeits +=
            u32::from(releases.iter().any(|r| r.about.is_none() && r.records.iter().any(|record| record.0.is_none())));
        let recorded = releases.iter().zip(1..).map(|(release, number)| release.recorded(number));
        let history = History { releases: recorded.collect(), ..History::default() };
        let found = audit(&history, &AuditOptions { per_person: true, ..AuditOptions::default() }).unwrap();
        assert_eq!(found.worlds, Some(worlds.to_string()), "{releases:#?}");
        for person in found.persons.unwrap() {
            let one = people.iter().find(|one| Some(pseudonym_text(**one)) == person.pseudonym).unwrap();
            assert_eq!(person.columns.len(), 2, "{releases:#?}");
            for column in &person.columns {
                let at = COLUMNS.iter().position(|name| *name == column.column).unwrap();
                for (value, text) in VALUES[at].iter().enumerate() {
                    let expected = counts.get(&(*one, at, value)).map_or(0.0, |count| *count as f64 / worlds as f64);
                    let posterior = column.values.iter().find(|(known, _)| known == text);
                    let found = posterior.map_or(0.0, |(_, posterior)| posterior.random_worlds.unwrap());
                    assert!((found - expected).abs() < 1e-12, "{one} {text}: {found} is not {expected}\n{releases:#?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 4000 && marginals > 100 && counterfeits > 200, "{compared} {marginals} {counterfeits}");
}

/// The lists of two groups allow any pay for any person. With the marginal table about the same people, only one assignment of pairs to
/// groups is possible, in which half of the first group earns 8.
#[test]
fn a_marginal_table_links_columns_that_were_published_separately() {
    let text = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<String>>();
    let work = text(&["Actor", "Clerk", "Cook", "Nurse", "Police"]);
    let pay = text(&["1", "2", "4", "7", "8", "9"]);
    let column = |name: &str, role, values: &[String]| {
        let tree = Arc::new(Taxonomy::flat(values.to_vec()));
        let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        PublishedColumn { name: name.to_owned(), role, tree, nodes }
    };
    let code = |values: &[String], text: &str| values.iter().position(|value| value == text).unwrap() as u32;
    // Published occupations and pays of each group. The 4 replaces a repeated 8.
    let groups: [[(&str, &str); 4]; 2] = [
        [("Police", "8"), ("Nurse", "1"), ("Actor", "2"), ("Clerk", "4")],
        [("Nurse", "4"), ("Actor", "7"), ("Cook", "9"), ("Clerk", "2")],
    ];
    let true_pairs = [
        ("Police", "8"),
        ("Nurse", "1"),
        ("Actor", "2"),
        ("Clerk", "8"),
        ("Nurse", "4"),
        ("Actor", "7"),
        ("Cook", "9"),
        ("Clerk", "2"),
    ];
    let recorded = |number, columns: Vec<PublishedColumn>, rows: Vec<Vec<u32>>, presentation, links| RecordedRelease {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        population: false,
        presentation,
        release: Release {
            contingency: ContingencyTable {
                codes: (0..columns.len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect(),
                weights: vec![1; rows.len()],
                owners: None,
            },
            columns,
            suppressed: 0,
        },
        links,
    };
    let marked = |at: usize| groups[at].iter().map(move |pair| (at as u32, *pair));
    let lists = |column: usize| -> Vec<Vec<u32>> {
        let row = |(group, (work_of, pay_of)): (u32, (&str, &str))| match column {
            0 => vec![group, code(&work, work_of)],
            _ => vec![group, code(&pay, pay_of)],
        };
        marked(0).chain(marked(1)).map(row).collect()
    };
    let links = || Some(Links::from_rows((0..8).map(|person| (u128::from(person), person)).collect()));
    let group = || column("group", Role::Other, &text(&["1", "2"]));
    let presentation =
        || Presentation { group_column: Some("group".to_owned()), columns_separate: true, ..Presentation::default() };
    let first = recorded(1, vec![group(), column("work", Role::Sensitive, &work)], lists(0), presentation(), links());
    let pairs = true_pairs.iter().map(|(work_of, pay_of)| vec![code(&work, work_of), code(&pay, pay_of)]).collect();
    let marginal = recorded(
        2,
        vec![column("work", Role::Sensitive, &work), column("pay", Role::Sensitive, &pay)],
        pairs,
        Presentation { about_release: Some(1), ..Presentation::default() },
        None,
    );
    // With only the occupations, a person of group 1 who earns 8 is a police officer, or a clerk of either group.
    let posterior_of_8 = |releases: Vec<RecordedRelease>| {
        let found = audit(
            &History { releases, ..History::default() },
            &AuditOptions { per_person: true, ..AuditOptions::default() },
        );
        let people = found.unwrap().persons.unwrap();
        let first = people[0].columns.iter().find(|column| column.column == "pay").unwrap();
        first
            .values
            .iter()
            .find(|(value, _)| value == "8")
            .map_or(0.0, |(_, posterior)| posterior.random_worlds.unwrap())
    };
    assert!((posterior_of_8(vec![first.clone(), marginal.clone()]) - 3.0 / 8.0).abs() < 1e-12);
    // With the true pays as well, only one assignment remains.
    let with_pay = |row: Vec<u32>| if row == vec![0, code(&pay, "4")] { vec![0, code(&pay, "8")] } else { row };
    let second = recorded(
        3,
        vec![group(), column("pay", Role::Sensitive, &pay)],
        lists(1).into_iter().map(with_pay).collect(),
        presentation(),
        links(),
    );
    assert!((posterior_of_8(vec![first, marginal, second]) - 1.0 / 2.0).abs() < 1e-12);
}

/// A value that can change is inferred from each release separately, and exactly.
#[test]
fn time_varying_values_are_audited_release_by_release() {
    let record = |person, group, ill| (Some(person), group, [ill, 0]);
    let first = vec![record(1, 0, 0), record(2, 0, 1), record(3, 1, 2), record(4, 1, 2)];
    let second = vec![record(1, 0, 0), record(2, 1, 1), record(3, 0, 1), record(4, 1, 2)];
    let published = |records| PublishedTable { records, columns_separate: true, linked: true, about: None };
    let history =
        History { releases: vec![published(first).recorded(1), published(second).recorded(2)], ..History::default() };
    let time_varying = vec!["ill".to_owned()];
    let columns = Some(time_varying.clone());
    let found =
        audit(&history, &AuditOptions { time_varying, columns, per_person: true, ..AuditOptions::default() }).unwrap();
    let column = &found.columns[0];
    // Two people are certain in the first release. In the second, every person has one of two values.
    assert_eq!((column.people, column.certain, column.exact, found.changed_people), (4, 2, 4, 0));
}

/// A release of two people with pays as intervals, recognised from their texts.
fn pay_release(number: u64, people: [u128; 2], pays: [&str; 2]) -> RecordedRelease {
    let mut texts: Vec<String> = pays.iter().map(|pay| (*pay).to_owned()).collect();
    texts.sort();
    let input = reticent::recognise::RecognitionInput {
        name: "pay",
        role: Role::QuasiIdentifier,
        values: None,
        tree: None,
        missing: &[],
    };
    let mut column = reticent::recognise::recognise(&input, &texts).unwrap().column;
    column.role = Role::Sensitive;
    let code = |pay: &str| texts.iter().position(|text| text == pay).unwrap() as u32;
    let group = Arc::new(Taxonomy::flat(vec!["1".to_owned()]));
    let nodes = vec![group.leaf_of(0)];
    let columns = vec![PublishedColumn { name: "group".to_owned(), role: Role::Other, tree: group, nodes }, column];
    let contingency = ContingencyTable { codes: vec![vec![0, 0], vec![0, 1]], weights: vec![1, 1], owners: None };
    let links = people.iter().zip(pays).map(|(person, pay)| (*person, code(pay)));
    RecordedRelease {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        population: false,
        presentation: Presentation { group_column: Some("group".to_owned()), ..Presentation::default() },
        links: Some(Links::from_rows(links.collect())),
        release: Release { columns, contingency, suppressed: 0 },
    }
}

/// The posterior of a person covers the intersection of the intervals of different releases, and no less.
#[test]
fn overlapping_intervals_are_split_at_the_bounds_of_all_releases() {
    let values_after = |second: [&str; 2]| {
        let first = pay_release(1, [1, 2], ["[10,20)", "[20,30)"]);
        let history = History { releases: vec![first, pay_release(2, [1, 3], second)], ..History::default() };
        let found = audit(&history, &AuditOptions { per_person: true, ..AuditOptions::default() }).unwrap();
        let each = found.persons.unwrap().into_iter().map(|person| {
            let values = person.columns.into_iter().flat_map(|column| column.values);
            values.filter(|(_, posterior)| posterior.upper.value() > 0.0).map(|(value, _)| value).collect::<Vec<_>>()
        });
        (found.columns[0].certain, each.collect::<Vec<_>>())
    };
    // Person 1 is in [10,20) or [20,30), and in [15,20) or [30,40).
    let (certain, each) = values_after(["[15,20)", "[30,40)"]);
    assert_eq!(certain, 3);
    assert_eq!(each[0], ["[15,20)"]);
    assert_eq!(each[1], ["[20,30)"]);
    assert_eq!(each[2], ["[30,40)"]);
    // Person 1 is in [15,20) or [20,25), person 2 in the other interval of the first release. Only person 3 is certain.
    let (certain, each) = values_after(["[15,25)", "[30,40)"]);
    assert_eq!(certain, 1);
    assert_eq!(each[0], ["[15,20)", "[20,25)"]);
    assert_eq!(each[1], ["[10,15)", "[15,20)", "[20,25)", "[25,30)"]);
}
