//! Attacks that link rows of two releases: Sweeney's examples, as in example 3.12 of the notes.

use super::small::{Small, attack, brief, certain, history, linked, obstacle, quasi, sensitive};
use crate::attacks::{AttackConfidence, AttackInput, Findings, run};
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::Arguments;

const RACES: &str = "Person\n  Asian\n  Black\n  White";

/// Three races and four ZIP codes; the first release generalizes the race, the second the ZIP code.
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
    let confidence = Ratio::new(1, 1);
    run(
        "unsorted-matching",
        &AttackInput {
            history: &history,
            people: &[],
            confidence,
            rows: &rows,
            time_varying: &[],
            arguments: &arguments,
        },
    )
}

#[test]
fn unsorted_matching_of_races_and_zips() {
    let [first, mut second] = races();
    let findings = matched(&first, &second).expect("findings");
    assert_eq!((findings.len(), findings[0].people, findings[0].records), (1, 12, Some(12)));
    assert!(findings[0].certain && findings[0].text.contains("12 rows of release 1 are in the same order"));
    // After a shuffle, rows at the same position do not belong to the same person.
    second.rows.reverse();
    second.rows.swap(0, 5);
    assert_eq!(matched(&first, &second), Ok(Findings::default()));
}

#[test]
fn unsorted_matching_without_people() {
    let [mut first, mut second] = races();
    first.recorded.links = None;
    // All pairs of rows match: the order is undecided.
    assert!(obstacle(matched(&first, &second)).contains("same order"));
    // A common column decides the order.
    let cols = [quasi("race").tree(RACES), quasi("zip"), sensitive("ill")];
    let rows = ["Asian, 1, a", "Asian, 2, b", "Black, 1, c", "Black, 2, d"];
    let number = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).zip(1u128..).collect::<Vec<_>>();
    let small = |at, rows: Vec<(String, u128)>| {
        let rows: Vec<(u128, &str)> = rows.iter().map(|(row, person)| (*person, row.as_str())).collect();
        let mut small = linked(at, &cols, &rows);
        small.recorded.links = None;
        small
    };
    let replace_in_rows = |from: &str, to: &str| rows.map(|row| row.replace(from, to));
    let people = replace_in_rows("Asian", "Person").map(|row| row.replace("Black", "Person"));
    let zips = replace_in_rows(", 1,", ", *,").map(|row| row.replace(", 2,", ", *,"));
    first = small(1, number(&people.each_ref().map(String::as_str)));
    second = small(2, number(&zips.each_ref().map(String::as_str)));
    assert_eq!(matched(&first, &second).expect("findings")[0].people, 4);
    second.rows.swap(0, 3);
    assert_eq!(matched(&first, &second), Ok(Findings::default()));
    // The row order must be known.
    let reason =
        obstacle(attack("unsorted-matching", &history(&[&first, &second]), Ratio::new(1, 1), &Arguments::default()));
    assert!(reason.contains("order of the rows of release 1"), "{reason}");
}

/// Six people; the first release generalizes the race, the second the year.
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
    let findings = certain("complementary-release", &[&first, &third]);
    let expected = [
        ("Person/1964/Black/196*".to_owned(), 1, "hypertension".to_owned()),
        ("Person/1965/Black/196*".to_owned(), 1, "short of breath".to_owned()),
    ];
    assert_eq!(findings.iter().map(brief).collect::<Vec<_>>(), expected);
    // Values that occur twice: confidence 1/2.
    let half = attack("complementary-release", &history(&[&first, &third]), Ratio::new(1, 2), &Arguments::default());
    let half = half.expect("findings");
    assert!(half.len() > 2 && half[2..].iter().all(|f| f.confidence == AttackConfidence::Exact(Ratio::new(1, 2))));
}

/// A release that generalizes every column of another discloses nothing new.
#[test]
fn complementary_release_needs_two_sides() {
    let cols = [quasi("race").tree(RACES), sensitive("problem")];
    let fine = linked(1, &cols, &[(1, "Black, a"), (2, "Black, b"), (3, "White, c"), (4, "White, d")]);
    let rough = linked(2, &cols, &[(1, "Person, a"), (2, "Person, b"), (3, "Person, c"), (4, "Person, d")]);
    assert!(certain("complementary-release", &[&fine, &rough]).is_empty());
    let others = linked(3, &cols, &[(8, "Person, a"), (9, "Person, b")]);
    let result = attack("complementary-release", &history(&[&fine, &others]), Ratio::new(1, 1), &Arguments::default());
    assert!(obstacle(result).contains("all people of another release"));
}
