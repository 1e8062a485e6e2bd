//! Releases that do not show their records one by one, by brute force: counterfeits, columns shown apart, marginal tables about the
//! people of another release, and values that change from release to release.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reticent::audit::{AuditOptions, audit, pseudonym_text};
use reticent::contingency::ContingencyTable;
use reticent::taxonomy::Taxonomy;
use reticent::{History, Links, Presentation, PublishedColumn, RecordedRelease, Release, Role};

use crate::support::Random;

const COLUMNS: [&str; 2] = ["ill", "pay"];
const VALUES: [&[&str]; 2] = [&["asthma", "flu", "hiv"], &["high", "low"]];

/// What somebody has: a place among the values of each column.
type Secret = [usize; 2];

/// One published table.
#[derive(Debug, Clone)]
struct Published {
    /// By record: its owner, none for a counterfeit; its group; what it shows.
    records: Vec<(Option<u128>, usize, Secret)>,
    /// Whether each column is shown by itself.
    apart: bool,
    /// Whether owners are known to the steward.
    linked: bool,
    /// A table of counts about the people of another release, by place.
    of: Option<usize>,
}

impl Published {
    fn counterfeits(&self, group: usize) -> usize {
        self.records.iter().filter(|record| record.1 == group && record.0.is_none()).count()
    }

    fn held(&self, number: u64) -> RecordedRelease {
        let column = |name: &str, role, values: Vec<String>| {
            let tree = Arc::new(Taxonomy::flat(values));
            let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
            PublishedColumn { name: name.to_owned(), role, tree, nodes }
        };
        let numbers: Vec<String> = (0..8).map(|number| number.to_string()).collect();
        let mut columns = match self.of {
            None => vec![column("group", Role::Other, numbers.clone()), column("false", Role::Other, numbers)],
            Some(_) => Vec::new(),
        };
        let marks = columns.len();
        for (name, values) in COLUMNS.iter().zip(VALUES) {
            columns.push(column(name, Role::Sensitive, values.iter().map(|value| (*value).to_owned()).collect()));
        }
        let row = |record: &(Option<u128>, usize, Secret)| {
            let marked = vec![record.1 as u32, self.counterfeits(record.1) as u32];
            let shown = record.2.iter().map(|value| *value as u32);
            marked.into_iter().take(marks).chain(shown).collect::<Vec<u32>>()
        };
        let rows: Vec<Vec<u32>> = self.records.iter().map(row).collect();
        let distinct: Vec<&Vec<u32>> = rows.iter().collect::<BTreeSet<_>>().into_iter().collect();
        let place = |row: &Vec<u32>| distinct.binary_search(&row).unwrap() as u32;
        let owned = self.records.iter().zip(&rows).filter_map(|(record, row)| Some((record.0?, place(row))));
        let groups = self.of.is_none().then(|| "group".to_owned());
        RecordedRelease {
            number,
            name: format!("release-{number}"),
            date: "2026-01-01".to_owned(),
            recipients: vec!["public".to_owned()],
            presentation: Presentation {
                counterfeit_column: self.of.is_none().then(|| "false".to_owned()),
                group_column: groups,
                columns_separate: self.apart,
                about_release: self.of.map(|of| of as u64 + 1),
                ..Presentation::default()
            },
            links: (self.linked && self.of.is_none()).then(|| Links::from_rows(owned.collect())),
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

    /// Whether a world can be what was published. Every record that is nobody's may show anything.
    fn allows(&self, releases: &[Published], world: &BTreeMap<u128, Secret>) -> bool {
        let whose: Vec<(u128, usize)> = match self.of {
            None => self.records.iter().filter_map(|record| Some((record.0?, record.1))).collect(),
            Some(of) => releases[of].records.iter().filter_map(|record| Some((record.0?, 0))).collect(),
        };
        let groups: BTreeSet<usize> = self.records.iter().map(|record| record.1).collect();
        groups.into_iter().all(|group| {
            let views: Vec<Vec<usize>> = if self.apart { vec![vec![0], vec![1]] } else { vec![vec![0, 1]] };
            views.iter().all(|view| {
                let shown = |secret: &Secret| view.iter().map(|at| secret[*at]).collect::<Vec<_>>();
                let mut left: BTreeMap<Vec<usize>, i64> = BTreeMap::new();
                for record in self.records.iter().filter(|record| record.1 == group) {
                    *left.entry(shown(&record.2)).or_insert(0) += 1;
                }
                for (who, _) in whose.iter().filter(|(_, of)| *of == group) {
                    *left.entry(shown(&world[who])).or_insert(0) -= 1;
                }
                left.values().all(|left| *left >= 0)
            })
        })
    }
}

/// A history of the same people, each with one secret.
fn draw(random: &mut Random) -> Vec<Published> {
    let people: Vec<(u128, Secret)> =
        (0..4 + random.below(2)).map(|who| (who as u128, [random.below(3), random.below(2)])).collect();
    let apart = random.below(2) == 0;
    let mut releases = Vec::new();
    for _ in 0..1 + random.below(2) {
        let mut records = Vec::new();
        for (who, secret) in &people {
            if random.below(5) > 0 {
                records.push((Some(*who), random.below(2), *secret));
            }
        }
        for _ in 0..random.below(3) {
            records.push((None, random.below(2), [random.below(3), random.below(2)]));
        }
        if !records.is_empty() {
            releases.push(Published { records, apart, linked: true, of: None });
        }
    }
    if !releases.is_empty() && random.below(2) == 0 {
        let of = random.below(releases.len());
        let of_people = releases[of].records.iter().filter(|record| record.0.is_some());
        let records: Vec<_> = of_people.map(|record| (None, 0, record.2)).collect();
        if !records.is_empty() {
            releases.push(Published { records, apart: false, linked: false, of: Some(of) });
        }
    }
    releases
}

#[test]
fn what_disguised_releases_tell_is_what_brute_force_finds() {
    let mut random = Random(20_261_116);
    let (mut compared, mut marginals, mut counterfeits) = (0, 0, 0);
    for _ in 0..400 {
        let releases = draw(&mut random);
        let who: BTreeSet<u128> =
            releases.iter().flat_map(|release| &release.records).filter_map(|record| record.0).collect();
        if who.is_empty() {
            continue;
        }
        let who: Vec<u128> = who.into_iter().collect();
        // What nobody's record shows is among the values all the same.
        let mut told: BTreeMap<(u128, usize, usize), u64> = BTreeMap::new();
        let mut worlds = 0u64;
        for number in 0..6usize.pow(who.len() as u32) {
            let mut rest = number;
            let mut world = BTreeMap::new();
            for one in &who {
                world.insert(*one, [rest % 6 % 3, rest % 6 / 3]);
                rest /= 6;
            }
            if releases.iter().all(|release| release.allows(&releases, &world)) {
                worlds += 1;
                for (one, secret) in &world {
                    secret.iter().enumerate().for_each(|(at, value)| *told.entry((*one, at, *value)).or_insert(0) += 1);
                }
            }
        }
        marginals += u32::from(releases.iter().any(|release| release.of.is_some()));
        counterfeits +=
            u32::from(releases.iter().any(|r| r.of.is_none() && r.records.iter().any(|record| record.0.is_none())));
        let held = releases.iter().zip(1..).map(|(release, number)| release.held(number));
        let history = History { releases: held.collect(), erased: Vec::new() };
        let found = audit(&history, &AuditOptions { per_person: true, ..AuditOptions::default() }).unwrap();
        assert_eq!(found.worlds, Some(worlds.to_string()), "{releases:#?}");
        for person in found.persons.unwrap() {
            let one = who.iter().find(|one| Some(pseudonym_text(**one)) == person.pseudonym).unwrap();
            assert_eq!(person.columns.len(), 2, "{releases:#?}");
            for column in &person.columns {
                let at = COLUMNS.iter().position(|name| *name == column.column).unwrap();
                for (value, text) in VALUES[at].iter().enumerate() {
                    let share = told.get(&(*one, at, value)).map_or(0.0, |count| *count as f64 / worlds as f64);
                    let chance = column.values.iter().find(|(known, _)| known == text);
                    let found = chance.map_or(0.0, |(_, chance)| chance.random_worlds.unwrap());
                    assert!((found - share).abs() < 1e-12, "{one} {text}: {found} is not {share}\n{releases:#?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 4000 && marginals > 100 && counterfeits > 200, "{compared} {marginals} {counterfeits}");
}

/// Notes on Decomposition: the lists of two groups allow any pay to anybody; the marginal table about the same people allows one
/// allocation of pairs to groups, in which half of the first group earns 8.
#[test]
fn a_marginal_table_undoes_what_was_shown_apart() {
    let text = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<String>>();
    let work = text(&["Actor", "Clerk", "Cook", "Nurse", "Police"]);
    let pay = text(&["1", "2", "4", "7", "8", "9"]);
    let column = |name: &str, role, values: &[String]| {
        let tree = Arc::new(Taxonomy::flat(values.to_vec()));
        let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        PublishedColumn { name: name.to_owned(), role, tree, nodes }
    };
    let code = |values: &[String], text: &str| values.iter().position(|value| value == text).unwrap() as u32;
    // What was published of each group: its occupations and its pays, 4 standing in for an 8 that repeats.
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
    let held = |number, columns: Vec<PublishedColumn>, rows: Vec<Vec<u32>>, disguise, links| RecordedRelease {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        presentation: disguise,
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
    let lists = |which: usize| -> Vec<Vec<u32>> {
        let shown = |(group, (work_of, pay_of)): (u32, (&str, &str))| match which {
            0 => vec![group, code(&work, work_of)],
            _ => vec![group, code(&pay, pay_of)],
        };
        marked(0).chain(marked(1)).map(shown).collect()
    };
    let links = || Some(Links::from_rows((0..8).map(|who| (u128::from(who), who)).collect()));
    let group = || column("group", Role::Other, &text(&["1", "2"]));
    let disguise =
        || Presentation { group_column: Some("group".to_owned()), columns_separate: true, ..Presentation::default() };
    let first = held(1, vec![group(), column("work", Role::Sensitive, &work)], lists(0), disguise(), links());
    let pairs = true_pairs.iter().map(|(work_of, pay_of)| vec![code(&work, work_of), code(&pay, pay_of)]).collect();
    let marginal = held(
        2,
        vec![column("work", Role::Sensitive, &work), column("pay", Role::Sensitive, &pay)],
        pairs,
        Presentation { about_release: Some(1), ..Presentation::default() },
        None,
    );
    // With the occupations alone: who earns 8 in group 1 is a policeman, or a clerk of either group.
    let told = |releases: Vec<RecordedRelease>| {
        let found = audit(
            &History { releases, erased: Vec::new() },
            &AuditOptions { per_person: true, ..AuditOptions::default() },
        );
        let people = found.unwrap().persons.unwrap();
        let first = people[0].columns.iter().find(|told| told.column == "pay").unwrap();
        first.values.iter().find(|(value, _)| value == "8").map_or(0.0, |(_, chance)| chance.random_worlds.unwrap())
    };
    assert!((told(vec![first.clone(), marginal.clone()]) - 3.0 / 8.0).abs() < 1e-12);
    // With the pays that were not made up as well, only one allocation is left.
    let with_pay = |row: Vec<u32>| if row == vec![0, code(&pay, "4")] { vec![0, code(&pay, "8")] } else { row };
    let second = held(
        3,
        vec![group(), column("pay", Role::Sensitive, &pay)],
        lists(1).into_iter().map(with_pay).collect(),
        disguise(),
        links(),
    );
    assert!((told(vec![first, marginal, second]) - 1.0 / 2.0).abs() < 1e-12);
}

/// What may change from release to release is told by each release alone, and exactly.
#[test]
fn what_varies_is_told_release_by_release() {
    let record = |who, group, ill| (Some(who), group, [ill, 0]);
    let first = vec![record(1, 0, 0), record(2, 0, 1), record(3, 1, 2), record(4, 1, 2)];
    let second = vec![record(1, 0, 0), record(2, 1, 1), record(3, 0, 1), record(4, 1, 2)];
    let published = |records| Published { records, apart: true, linked: true, of: None };
    let history = History { releases: vec![published(first).held(1), published(second).held(2)], erased: Vec::new() };
    let varies = vec!["ill".to_owned()];
    let columns = Some(varies.clone());
    let found =
        audit(&history, &AuditOptions { time_varying: varies, columns, per_person: true, ..AuditOptions::default() })
            .unwrap();
    let column = &found.columns[0];
    // Two people of the first release are certain by themselves; in the second everybody has one of two.
    assert_eq!((column.people, column.certain, column.exact, found.changed_people), (4, 2, 4, 0));
}

/// A release of two people whose pays are shown as intervals, as recognised from their texts.
fn paid(number: u64, people: [u128; 2], pays: [&str; 2]) -> RecordedRelease {
    let mut texts: Vec<String> = pays.iter().map(|pay| (*pay).to_owned()).collect();
    texts.sort();
    let told = reticent::recognise::RecognitionInput {
        name: "pay",
        role: Role::QuasiIdentifier,
        values: None,
        tree: None,
        missing: &[],
    };
    let mut column = reticent::recognise::recognise(&told, &texts).unwrap().column;
    column.role = Role::Sensitive;
    let code = |pay: &str| texts.iter().position(|text| text == pay).unwrap() as u32;
    let group = Arc::new(Taxonomy::flat(vec!["1".to_owned()]));
    let nodes = vec![group.leaf_of(0)];
    let columns = vec![PublishedColumn { name: "group".to_owned(), role: Role::Other, tree: group, nodes }, column];
    let combos = ContingencyTable { codes: vec![vec![0, 0], vec![0, 1]], weights: vec![1, 1], owners: None };
    let links = people.iter().zip(pays).map(|(who, pay)| (*who, code(pay)));
    RecordedRelease {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        presentation: Presentation { group_column: Some("group".to_owned()), ..Presentation::default() },
        links: Some(Links::from_rows(links.collect())),
        release: Release { columns, contingency: combos, suppressed: 0 },
    }
}

/// What intervals of different releases have in common is told, and no more than that.
#[test]
fn intervals_are_cut_where_releases_cut_them() {
    let told = |second: [&str; 2]| {
        let first = paid(1, [1, 2], ["[10,20)", "[20,30)"]);
        let history = History { releases: vec![first, paid(2, [1, 3], second)], erased: Vec::new() };
        let found = audit(&history, &AuditOptions { per_person: true, ..AuditOptions::default() }).unwrap();
        let each = found.persons.unwrap().into_iter().map(|person| {
            let values = person.columns.into_iter().flat_map(|told| told.values);
            values.filter(|(_, chance)| chance.upper.value() > 0.0).map(|(value, _)| value).collect::<Vec<_>>()
        });
        (found.columns[0].certain, each.collect::<Vec<_>>())
    };
    // 1 is in [10,20) or [20,30), and in [15,20) or [30,40).
    let (certain, each) = told(["[15,20)", "[30,40)"]);
    assert_eq!(certain, 3);
    assert_eq!(each[0], ["[15,20)"]);
    assert_eq!(each[1], ["[20,30)"]);
    assert_eq!(each[2], ["[30,40)"]);
    // 1 is in [15,20) or in [20,25), 2 in the other one of the first release: nothing is certain but 3.
    let (certain, each) = told(["[15,25)", "[30,40)"]);
    assert_eq!(certain, 1);
    assert_eq!(each[0], ["[15,20)", "[20,25)"]);
    assert_eq!(each[1], ["[10,15)", "[15,20)", "[20,25)", "[25,30)"]);
}
