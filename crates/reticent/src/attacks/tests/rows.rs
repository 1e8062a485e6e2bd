//! Attacks that put rows of two releases side by side: Sweeney's examples, as the notes' 3.12 has them.

use super::small::{Small, attack, brief, certain, history, linked, obstacle, quasi, sensitive};
use crate::attacks::{Confidence, Findings, Scene, run};
use crate::error::Result;
use crate::registry::Arguments;
use crate::share::Share;

const RACES: &str = "Person\n  Asian\n  Black\n  White";

/// Three races in four places; the first release generalizes the race and the second the place.
fn races() -> [Small; 2] {
    let places = ["02138", "02139", "02141", "02142"];
    let people: Vec<(&str, &str)> =
        ["Asian", "Black", "White"].iter().flat_map(|race| places.iter().map(move |zip| (*race, *zip))).collect();
    let cols = [quasi("race").tree(RACES), quasi("zip")];
    let rows = |row: &dyn Fn(&str, &str) -> String| -> Vec<(u128, String)> {
        (0..).zip(&people).map(|(person, (race, zip))| (person, row(race, zip))).collect()
    };
    let small = |number, rows: Vec<(u128, String)>| {
        let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
        linked(number, &cols, &rows)
    };
    [small(1, rows(&|_, zip| format!("Person, {zip}"))), small(2, rows(&|race, _| format!("{race}, 021**")))]
}

fn matched(first: &Small, second: &Small) -> Result<Findings> {
    let rows = [Some(first.rows.clone()), Some(second.rows.clone())];
    let (history, arguments) = (history(&[first, second]), Arguments::default());
    let confidence = Share::new(1, 1);
    run(
        "unsorted-matching",
        &Scene { history: &history, people: &[], confidence, rows: &rows, varies: &[], arguments: &arguments },
    )
}

#[test]
fn unsorted_matching_of_races_and_zips() {
    let [first, mut second] = races();
    let found = matched(&first, &second).expect("findings");
    assert_eq!((found.len(), found[0].people, found[0].records), (1, 12, Some(12)));
    assert!(found[0].certain && found[0].words.contains("12 rows of release 1 stand in the same order"));
    // Shuffled, rows are not those of the same people.
    second.rows.reverse();
    second.rows.swap(0, 5);
    assert_eq!(matched(&first, &second), Ok(Findings::default()));
}

#[test]
fn unsorted_matching_without_people() {
    let [mut first, mut second] = races();
    first.held.links = None;
    // Every row may be every other: nothing tells the order.
    assert!(obstacle(matched(&first, &second)).contains("same order"));
    // A column that both show does.
    let cols = [quasi("race").tree(RACES), quasi("zip"), sensitive("ill")];
    let rows = ["Asian, 1, a", "Asian, 2, b", "Black, 1, c", "Black, 2, d"];
    let number = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).zip(1u128..).collect::<Vec<_>>();
    let small = |at, rows: Vec<(String, u128)>| {
        let rows: Vec<(u128, &str)> = rows.iter().map(|(row, person)| (*person, row.as_str())).collect();
        let mut small = linked(at, &cols, &rows);
        small.held.links = None;
        small
    };
    let hide = |from: &str, to: &str| rows.map(|row| row.replace(from, to));
    let people = hide("Asian", "Person").map(|row| row.replace("Black", "Person"));
    let zips = hide(", 1,", ", *,").map(|row| row.replace(", 2,", ", *,"));
    first = small(1, number(&people.each_ref().map(String::as_str)));
    second = small(2, number(&zips.each_ref().map(String::as_str)));
    assert_eq!(matched(&first, &second).expect("findings")[0].people, 4);
    second.rows.swap(0, 3);
    assert_eq!(matched(&first, &second), Ok(Findings::default()));
    // The order of a file must be known.
    let why =
        obstacle(attack("unsorted-matching", &history(&[&first, &second]), Share::new(1, 1), &Arguments::default()));
    assert!(why.contains("order of the rows of release 1"), "{why}");
}

/// Six people; the first release generalizes the race and the second the year.
fn years() -> [Small; 2] {
    let people = [
        ("Black", 1965, "short of breath"),
        ("Black", 1965, "chest pain"),
        ("Black", 1964, "obesity"),
        ("Black", 1964, "hypertension"),
        ("White", 1964, "obesity"),
        ("White", 1964, "chest pain"),
    ];
    let cols = [quasi("race").tree(RACES), quasi("year"), sensitive("problem")];
    let small = |number, row: &dyn Fn(&(&str, i32, &str)) -> String| {
        let rows: Vec<(u128, String)> = (0..).zip(people.iter().map(row)).collect();
        let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
        linked(number, &cols, &rows)
    };
    [
        small(1, &|(_, year, problem)| format!("Person, {year}, {problem}")),
        small(3, &|(race, _, problem)| format!("{race}, 196*, {problem}")),
    ]
}

#[test]
fn complementary_release_of_races_and_years() {
    let [first, third] = years();
    let found = certain("complementary-release", &[&first, &third]);
    let expected = [
        ("Person/1964/Black/196*".to_owned(), 1, "hypertension".to_owned()),
        ("Person/1965/Black/196*".to_owned(), 1, "short of breath".to_owned()),
    ];
    assert_eq!(found.iter().map(brief).collect::<Vec<_>>(), expected);
    // Two of each: a choice of two.
    let half = attack("complementary-release", &history(&[&first, &third]), Share::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    assert!(half.len() > 2 && half[2..].iter().all(|f| f.confidence == Confidence::Exact(Share::new(1, 2))));
}

/// A release that says less throughout gives nothing to what was said before.
#[test]
fn complementary_release_needs_two_sides() {
    let cols = [quasi("race").tree(RACES), sensitive("problem")];
    let fine = linked(1, &cols, &[(1, "Black, a"), (2, "Black, b"), (3, "White, c"), (4, "White, d")]);
    let rough = linked(2, &cols, &[(1, "Person, a"), (2, "Person, b"), (3, "Person, c"), (4, "Person, d")]);
    assert!(certain("complementary-release", &[&fine, &rough]).is_empty());
    let others = linked(3, &cols, &[(8, "Person, a"), (9, "Person, b")]);
    let apart = attack("complementary-release", &history(&[&fine, &others]), Share::new(1, 1), &Arguments::default());
    assert!(obstacle(apart).contains("everybody"));
}
