//! For every attack, a history with a leak that it must find, and a safe history without findings.

use std::sync::Arc;

use reticent::attacks::{AttackDef, AttackInput, Findings, KnownPerson, LIST};
use reticent::contingency::ContingencyTable;
use reticent::recognise::{RecognitionInput, release};
use reticent::registry::{Argument, Arguments};
use reticent::taxonomy::{Taxonomy, Type};
use reticent::{Counts, Error, History, Links, Presentation, Ratio, RecordedRelease, Role};

/// Input of an attack.
#[derive(Clone, Default)]
pub struct Case {
    history: History,
    people: Vec<KnownPerson>,
    rows: Vec<Option<Vec<u32>>>,
    confidence: Option<Ratio>,
    arguments: Arguments,
}

impl Case {
    /// A history of releases with these columns (`quasi`, `sensitive!`, `other?`) and rows with their owners.
    fn new(releases: &[(&str, &[(u128, &str)])]) -> Case {
        let mut case = Case::default();
        for (number, (columns, rows)) in (1..).zip(releases) {
            let (recorded, places) = recorded(number, columns, rows);
            case.history.releases.push(recorded);
            case.rows.push(Some(places));
        }
        case
    }

    fn confidence(self, numerator: u64, denominator: u64) -> Case {
        Case { confidence: Some(Ratio::new(numerator, denominator)), ..self }
    }

    fn given(self, name: &str, value: Argument) -> Case {
        Case { arguments: self.arguments.set(name, value), ..self }
    }

    /// Adds background knowledge: people with their values of one column.
    fn with_known_people(mut self, column: &str, values: &[&str]) -> Case {
        let facts = |value: &str| vec![(column.to_owned(), value.to_owned())];
        self.people =
            values.iter().map(|value| KnownPerson { name: "Alice".to_owned(), facts: facts(value) }).collect();
        self
    }

    fn with_group_column(mut self, column: &str) -> Case {
        self.history
            .releases
            .iter_mut()
            .for_each(|recorded| recorded.presentation.group_column = Some(column.to_owned()));
        self
    }

    pub fn run(&self, attack: &AttackDef) -> reticent::Result<Findings> {
        (attack.run)(&AttackInput {
            history: &self.history,
            people: &self.people,
            confidence: self.confidence.unwrap_or(Ratio::new(1, 1)),
            rows: &self.rows,
            time_varying: &[],
            arguments: &self.arguments,
        })
    }
}

const JOBS: &str = "any\n  professional\n    engineer\n    lawyer\n  artist";
const BITS: &str = "*\n  0\n  1";
const TENS: &str = "*\n  0\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9";

/// A recorded release of these rows, and the combination of each row.
fn recorded(number: u64, columns: &str, rows: &[(u128, &str)]) -> (RecordedRelease, Vec<u32>) {
    let names: Vec<&str> = columns.split_whitespace().collect();
    let cells: Vec<Vec<&str>> = rows.iter().map(|(_, row)| row.split_whitespace().collect()).collect();
    let column = |at: usize| -> Vec<String> { cells.iter().map(|row| row[at].to_owned()).collect() };
    let values: Vec<Vec<String>> = (0..names.len())
        .map(|at| {
            let mut texts = column(at);
            texts.sort_unstable();
            texts.dedup();
            texts
        })
        .collect();
    let code = |at: usize, text: &String| values[at].binary_search(text).unwrap() as u32;
    let codes: Vec<Vec<u32>> =
        (0..names.len()).map(|at| column(at).iter().map(|text| code(at, text)).collect()).collect();
    let contingency = ContingencyTable { codes: codes.clone(), weights: vec![1; rows.len()], owners: None }.combined();
    let place = |row: usize| {
        let key: Vec<u32> = codes.iter().map(|codes| codes[row]).collect();
        contingency.find(&key).unwrap() as u32
    };
    let places: Vec<u32> = (0..rows.len()).map(place).collect();
    let links = Links::from_rows(rows.iter().zip(&places).map(|((person, _), place)| (*person, *place)).collect());
    let trees = [("job", JOBS), ("bit", BITS), ("ten", TENS)].map(|(name, text)| (name, tree(name, text)));
    let inputs: Vec<RecognitionInput<'_>> = names.iter().map(|name| recognition_input(name, &trees)).collect();
    let names = inputs.iter().map(|input| input.name.to_owned()).collect();
    let (release, _) = release(Counts { names, values, contingency, links: None }, &inputs, 0).unwrap();
    let recorded = RecordedRelease {
        number,
        name: format!("r{number}"),
        date: "2024-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation::default(),
        release,
        links: Some(links),
    };
    (recorded, places)
}

fn tree(name: &str, text: &str) -> Arc<Taxonomy> {
    Taxonomy::parse_indented(name, text).unwrap().into()
}

fn recognition_input<'a>(name: &'a str, trees: &'a [(&str, Arc<Taxonomy>)]) -> RecognitionInput<'a> {
    let role = match name.chars().last() {
        Some('!') => Role::Sensitive,
        Some('?') => Role::Other,
        _ => Role::QuasiIdentifier,
    };
    let name = name.trim_end_matches(['!', '?']);
    let tree = trees.iter().find(|(known, _)| *known == name).map(|(_, tree)| tree);
    RecognitionInput { name, role, values: tree.is_none().then_some(Type::Text), tree, missing: &[] }
}

/// An m-invariant history: people 1 and 2 stay in their group, people 3 and 4 join in a new group.
fn m_invariant() -> Case {
    Case::new(&[
        ("zip ill!", &[(1, "z1 flu"), (2, "z1 hiv")]),
        ("zip ill!", &[(1, "z1 flu"), (2, "z1 hiv"), (3, "z2 flu"), (4, "z2 hiv")]),
    ])
}

/// A correspondence attack with masked zip codes (after Fung, Wang, Fu and Pei, 2008).
fn correspondence() -> Case {
    Case::new(&[
        ("zip ill!", &[(1, "1** flu"), (2, "1** flu"), (3, "1** flu"), (4, "1** gout"), (5, "1** gout")]),
        (
            "zip ill!",
            &[
                (3, "12* flu"),
                (4, "12* gout"),
                (5, "12* gout"),
                (11, "12* gout"),
                (12, "12* hiv"),
                (1, "13* flu"),
                (2, "13* flu"),
                (13, "13* flu"),
                (14, "13* flu"),
                (15, "13* hiv"),
            ],
        ),
    ])
}

/// Four people: the first release publishes the year, the second the zip code. Every illness occurs once if `unique`, else twice.
fn complementary(unique: bool) -> Case {
    let columns = "zip year ill!";
    let years: [&[(u128, &str)]; 2] = [
        &[(1, "1* 1961 flu"), (2, "1* 1962 hiv"), (3, "1* 1961 gout"), (4, "1* 1962 colic")],
        &[(1, "1* 1961 flu"), (2, "1* 1962 hiv"), (3, "1* 1961 hiv"), (4, "1* 1962 flu")],
    ];
    let places: [&[(u128, &str)]; 2] = [
        &[(1, "11 196* flu"), (2, "11 196* hiv"), (3, "12 196* gout"), (4, "12 196* colic")],
        &[(1, "11 196* flu"), (2, "11 196* hiv"), (3, "12 196* hiv"), (4, "12 196* flu")],
    ];
    let index = usize::from(!unique);
    Case::new(&[(columns, years[index]), (columns, places[index])])
}

/// A history with a leak that the attack must find, and a safe history.
pub fn planted(id: &str) -> Option<(Case, Case)> {
    let diverse = || Case::new(&[("zip ill!", &[(1, "z1 flu"), (2, "z1 hiv"), (3, "z2 flu"), (4, "z2 hiv")])]);
    let homogeneous = || Case::new(&[("zip ill!", &[(1, "z1 flu"), (2, "z1 flu"), (3, "z2 flu"), (4, "z2 hiv")])]);
    let arrived = ("zip ill!", [(1, "z1 flu"), (2, "z1 hiv"), (3, "z1 gout")]);
    let before = ("zip ill!", [(1, "z1 flu"), (2, "z1 hiv")]);
    let replaced = ("zip ill!", [(1, "z1 flu"), (3, "z1 gout")]);
    let k = |case: Case, k: f64| case.given("k", Argument::Number(k));
    let professionals = |rows: &[(u128, &str)], bound: f64, people: &[&str]| {
        let bound = Argument::Thresholds(vec![("hiv".to_owned(), bound)]);
        Case::new(&[("job ill!", rows)]).given("values", bound).with_known_people("job", people)
    };
    Some(match id {
        "record-linkage" => {
            let unique = Case::new(&[("zip ill!", &[(1, "z1 flu"), (2, "z2 hiv"), (3, "z2 flu")])]);
            (unique.with_known_people("zip", &["z1"]), diverse().with_known_people("zip", &["z1", "z2"]))
        }
        "attribute-linkage" => {
            let majority = Case::new(&[("zip ill!", &[(1, "z1 flu"), (2, "z1 flu"), (3, "z1 flu"), (4, "z1 hiv")])]);
            (majority.confidence(3, 4), diverse().confidence(3, 4))
        }
        "homogeneity" => (homogeneous(), diverse()),
        "skewness" => {
            let mut rows = vec![(1, "z1 hiv"), (2, "z1 none")];
            rows.extend((3..21).map(|person| (person, "z2 none")));
            (Case::new(&[("zip ill!", &rows)]), diverse())
        }
        "similarity" => {
            let similar = Case::new(&[("zip pay!", &[(1, "z1 10"), (2, "z1 11"), (3, "z2 10"), (4, "z2 90")])]);
            (similar, Case::new(&[("zip pay!", &[(1, "z1 10"), (2, "z1 91"), (3, "z2 11"), (4, "z2 90")])]))
        }
        "table-linkage" => {
            let all = diverse().with_known_people("zip", &["z1", "z1", "z2", "z2"]);
            (all, diverse().with_known_people("zip", &["z1", "z1", "z1", "z2", "z2", "z2"]).confidence(3, 4))
        }
        "join" => {
            let ages = [(1, "30 a"), (2, "30 b"), (3, "40 c"), (4, "40 d")];
            let ills = [(1, "a us flu"), (2, "b uk hiv"), (3, "c us gout"), (4, "d uk flu")];
            let mixed_ages = [(1, "30 a"), (2, "40 a"), (3, "30 b"), (4, "40 b")];
            let mixed_ills = [(1, "a us flu"), (2, "a uk hiv"), (3, "b us hiv"), (4, "b uk flu")];
            let columns = ("age shop", "shop land ill!");
            (
                Case::new(&[(columns.0, &ages), (columns.1, &ills)]),
                Case::new(&[(columns.0, &mixed_ages), (columns.1, &mixed_ills)]),
            )
        }
        "intersection" | "critical-absence" => {
            (Case::new(&[(before.0, &before.1), (replaced.0, &replaced.1)]), m_invariant())
        }
        "difference" => (Case::new(&[(before.0, &before.1), (arrived.0, &arrived.1)]), m_invariant()),
        "forward-correspondence" | "cross-correspondence" => (correspondence(), m_invariant()),
        "backward-correspondence" => (k(correspondence(), 4.0), k(m_invariant(), 2.0)),
        "unsorted-matching" => {
            let mut shuffled = complementary(true);
            shuffled.rows[1] = shuffled.rows[1].take().map(|rows| vec![rows[0], rows[2], rows[1], rows[3]]);
            (complementary(true), shuffled)
        }
        "complementary-release" => (complementary(true), complementary(false)),
        "minimality" => {
            let two = ["engineer", "engineer", "lawyer", "lawyer"];
            let rows = |ills: [&'static str; 4]| [1, 2, 3, 4].into_iter().zip(ills).collect::<Vec<(u128, &str)>>();
            let (hiv, flu) = ("professional hiv", "professional flu");
            // Safe: one of four, with a bound that any single case exceeds. Leak: two of seven, example 5.1 of the survey.
            let safe = professionals(&rows([hiv, flu, flu, flu]), 0.4, &two);
            let mut rows = vec![(1, hiv), (2, hiv)];
            rows.extend((3..8).map(|person| (person, flu)));
            let people = ["engineer", "engineer", "lawyer", "lawyer", "lawyer", "lawyer", "lawyer"];
            (professionals(&rows, 0.6, &people), safe)
        }
        "downcoding" => {
            let bits = Case::new(&[("bit b", &[(1, "* 0"), (2, "* 0"), (3, "0 1"), (4, "0 1")])]);
            (bits, Case::new(&[("ten b", &[(1, "* 0"), (2, "* 0"), (3, "0 1"), (4, "0 1")])]))
        }
        "definetti" => {
            let smokers: &[(u128, &str)] =
                &[(1, "s a hiv"), (2, "s a hiv"), (3, "n b flu"), (4, "n b flu"), (5, "s c flu"), (6, "n c hiv")];
            let columns = "smokes group? ill!";
            let single = Case::new(&[(columns, &smokers[4..])]);
            (
                Case::new(&[(columns, smokers)]).with_group_column("group").confidence(3, 4),
                single.with_group_column("group").confidence(3, 4),
            )
        }
        _ => return None,
    })
}

#[test]
fn every_attack_finds_the_planted_leak_and_nothing_in_a_safe_history() {
    for attack in LIST {
        let id = attack.entry.id;
        let (broken, safe) = planted(id).unwrap_or_else(|| panic!("no planted leak for {id}"));
        let found = broken.run(attack).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(!found.is_empty(), "{id} does not find the planted leak");
        assert_eq!(safe.run(attack), Ok(Findings::default()), "{id} reports a leak in a safe history");
        assert_eq!(broken.run(attack), Ok(found), "{id} is not deterministic");
    }
}

/// The public form of a finding contains no sensitive value and no name.
#[test]
fn public_findings_contain_no_sensitive_value_and_no_name() {
    let forbidden = ["flu", "hiv", "gout", "colic", "Alice"];
    for attack in LIST {
        let (broken, _) = planted(attack.entry.id).unwrap();
        for finding in broken.run(attack).unwrap().all {
            let public = serde_json::to_string(&finding.clone().without_value()).unwrap();
            assert!(forbidden.iter().all(|text| !public.contains(text)), "{public}");
            assert!(!finding.text.is_empty() && finding.people > 0, "{finding:?}");
            assert_eq!(finding.attack, attack.entry.id);
            assert!(finding.confidence.reaches(Ratio::new(0, 1)) && finding.confidence.to_f64() <= 1.0, "{finding:?}");
        }
    }
}

/// An attack without the input that it needs returns an error, not an empty list of findings.
#[test]
fn an_attack_without_its_input_is_an_error() {
    for attack in LIST {
        let (broken, safe) = planted(attack.entry.id).unwrap();
        let empty = Case { history: History::default(), ..broken.clone() };
        assert!(matches!(empty.run(attack), Err(Error::CannotCheck(_))), "{}", attack.entry.id);
        let mut unlinked = safe.clone();
        unlinked.history.releases.iter_mut().for_each(|recorded| recorded.links = None);
        unlinked.people.clear();
        unlinked.rows.clear();
        let needs_no_people =
            ["attribute-linkage", "homogeneity", "skewness", "similarity", "join", "downcoding", "definetti"];
        let result = unlinked.run(attack);
        match needs_no_people.contains(&attack.entry.id) {
            true => assert_eq!(result, Ok(Findings::default()), "{}", attack.entry.id),
            false => assert!(matches!(result, Err(Error::CannotCheck(_))), "{}: {result:?}", attack.entry.id),
        }
    }
}
