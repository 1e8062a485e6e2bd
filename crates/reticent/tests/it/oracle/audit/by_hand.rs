//! Audits of the smallest cases, computed by hand.

use super::*;

/// A history from texts `PERSON GROUP CELLS`, with a group column.
fn history(columns: &[(&'static str, Arc<Taxonomy>)], releases: &[&[&str]]) -> SmallHistory {
    let record = |text: &&str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let node = |(word, (_, tree)): (&&str, &(&str, Arc<Taxonomy>))| tree.find(word).unwrap();
        Record {
            person: words[0].parse().unwrap(),
            group: words[1].parse().unwrap(),
            cells: words[2..].iter().zip(columns).map(node).collect(),
        }
    };
    let release =
        |records: &&[&str]| PublishedRelease { has_group_column: true, records: records.iter().map(record).collect() };
    SmallHistory { columns: columns.to_vec(), releases: releases.iter().map(release).collect() }
}

fn two_columns() -> Vec<(&'static str, Arc<Taxonomy>)> {
    vec![("ill", flat(&["asthma", "flu", "hiv"])), ("pay", flat(&["10", "20"]))]
}

/// Lower and upper bound of the posterior of each value of a column.
fn bounds(small: &SmallHistory, person: u128, column: &str) -> Vec<(String, f64, f64)> {
    let found = audit(&small.history(), &audit_options()).unwrap_or_else(|error| panic!("{error}"));
    let lists = posteriors(&found, person, column);
    assert_eq!(lists.len(), 1);
    lists[0].iter().map(|(text, posterior)| (text.clone(), posterior.lower.value(), posterior.upper.value())).collect()
}

/// No record has hiv and a published pay. This is not a contradiction.
#[test]
fn a_suppressed_cell_of_two_is_not_a_contradiction() {
    let small = history(&two_columns(), &[&["1 0 hiv *"], &["2 0 flu 20"]]);
    assert_eq!(bounds(&small, 1, "ill"), [("hiv".to_owned(), 1.0, 1.0)]);
}

/// Another person with flu earns 20. Person 1 has flu and a suppressed pay, which can still be 10.
#[test]
fn a_suppressed_cell_of_two_is_not_disclosed_by_another_record() {
    let small = history(&two_columns(), &[&["1 0 flu *", "2 1 flu 20", "3 2 hiv 10"]]);
    let pay = bounds(&small, 1, "pay");
    assert!(pay.iter().any(|(text, _, upper)| text == "10" && *upper >= 0.5), "{pay:?}");
    assert!(pay.iter().all(|(_, lower, _)| *lower <= 0.5), "{pay:?}");
}

/// Person 3 has hiv in every release. The audit must not infer asthma.
#[test]
fn overlapping_cells_do_not_exclude_the_truth() {
    let small = history(
        &two_columns(),
        &[
            &["24 0 asthma 20", "3 0 hiv 20"],
            &["10 0 hiv 10", "3 0 hiv 20", "24 0 asthma 20"],
            &["10 0 hiv *", "3 0 * 20"],
        ],
    );
    let people: Vec<u128> = small.people().into_iter().collect();
    let worlds = small.worlds(&small.groups(), &people).unwrap();
    let count = tally(&small, &worlds)[&(3, 0, "hiv".to_owned())];
    assert_eq!((count, worlds.len()), (1, 2));
    let ill = bounds(&small, 3, "ill");
    assert!(ill.iter().any(|(text, lower, upper)| text == "hiv" && *lower <= 0.5 && *upper >= 0.5), "{ill:?}");
}

/// One of three people has asthma. It is one of the first two, and one of the last two: so it is the second.
#[test]
fn two_statements_can_mention_the_same_person() {
    let small = history(&two_columns()[..1], &[&["1 0 flu", "2 0 flu", "3 0 asthma"]]);
    let among = |people: &[u128]| BackgroundStatement::Count {
        people: people.to_vec(),
        column: "ill".to_owned(),
        value: "asthma".to_owned(),
        lower: 1,
        upper: 1,
    };
    let knowledge =
        BackgroundKnowledge { statements: vec![among(&[1, 2]), among(&[2, 3])], ..BackgroundKnowledge::default() };
    let found = audit(&small.history(), &AuditOptions { knowledge, ..audit_options() }).unwrap();
    assert_eq!(found.worlds.as_deref(), Some("1"));
    assert_eq!(posteriors(&found, 2, "ill")[0].keys().collect::<Vec<_>>(), ["asthma"]);
}

/// A proportion among the people with a zip code. In some cases all of them have the value.
#[test]
fn a_proportion_of_a_value_that_all_people_have_is_accepted() {
    let releases: [&[&str]; 4] =
        [&["1 0 flu"], &["1 0 flu", "2 0 flu"], &["1 0 flu", "2 1 hiv"], &["1 0 flu", "2 0 hiv"]];
    let mut wrong = Vec::new();
    for records in releases {
        let mut small = history(&two_columns()[..1], &[records]);
        small.releases[0].has_group_column = false;
        let statement = BackgroundStatement::Proportion {
            column: "ill".to_owned(),
            value: "flu".to_owned(),
            condition: Some(("zip".to_owned(), "z0".to_owned())),
            lower: Ratio::new(1, 4),
            upper: Ratio::new(1, 1),
        };
        let knowledge = BackgroundKnowledge { statements: vec![statement], ..BackgroundKnowledge::default() };
        if let Err(error) = audit(&small.history(), &AuditOptions { knowledge, ..audit_options() }) {
            wrong.push(format!("{records:?}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The possible values of a suppressed cell are the published values. This is a convention, so the result is printed.
#[test]
fn a_suppressed_cell_can_have_any_published_value() {
    let small = history(&two_columns()[..1], &[&["1 0 hiv", "2 1 *"]]);
    println!("{:?}", bounds(&small, 2, "ill"));
    assert!(bounds(&small, 2, "ill").iter().any(|(text, _, upper)| text == "hiv" && *upper > 0.0));
}
