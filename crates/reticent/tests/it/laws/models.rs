//! Laws of every model: merged classes, generalization, row order, and monotone parameters.

use std::collections::BTreeSet;

use reticent::models::{LIST, Merging, merging_of};
use reticent::{Release, Table};

use crate::oracle::definitions::violating;
use crate::support::{Data, Random, contents, cut_at, model, random_cut, random_data, violation_witnesses, witnesses};

/// Every model, with parameters that some small tables satisfy and others violate.
pub const MODELS: &[&str] = &[
    "k-anonymity k=2",
    "k-anonymity k=3",
    "multir-k-anonymity k=2 records=2",
    "multir-k-anonymity k=2",
    "xy-anonymity k=2 y=ill",
    "xy-anonymity k=3 y=ill,note",
    "xy-linkability h=0.5 y=ill",
    "xy-linkability y=ill values=flu:0.4,hiv:0.3",
    "confidence-bounding h=0.5",
    "confidence-bounding h=0.67",
    "distinct-l-diversity l=2",
    "distinct-l-diversity l=3",
    "entropy-l-diversity l=1.8",
    "entropy-l-diversity l=2",
    "recursive-cl-diversity c=1.5 l=2",
    "recursive-cl-diversity c=3 l=2",
    "recursive-cl-diversity c=2 l=3",
    "alpha-k-anonymity alpha=0.6 k=2",
    "alpha-k-anonymity k=2 values=flu:0.5",
    "t-closeness t=0.3",
    "t-closeness t=0.2 distance=ordered",
    "t-closeness t=0.25 distance=hierarchical",
];

#[test]
fn the_laws_test_every_model() {
    let tried: BTreeSet<&str> = MODELS.iter().map(|words| words.split(' ').next().unwrap()).collect();
    assert_eq!(tried, LIST.iter().map(|listed| listed.entry.id).collect());
}

/// Merges the classes of `n1` and `n2` into `north` and checks the promise of the model. Returns the number of merged classes
/// with a promise.
fn merging(words: &str, data: &Data) -> usize {
    let model = model(words, &data.schema());
    let table = data.table();
    let merged = cut_at(&table, &[("place", &["north"])]).apply(&table).unwrap();
    let before = witnesses(model.as_ref(), data.raw());
    let after = witnesses(model.as_ref(), merged);
    let mut promises = 0;
    for sex in ["f", "m"] {
        let class = |place: &str| vec![place.to_owned(), sex.to_owned()];
        let exists = |place: &str| data.rows.iter().any(|row| row[..2] == class(place)[..]);
        if !(exists("n1") && exists("n2")) {
            continue;
        }
        let (one, two) = (!before.contains(&class("n1")), !before.contains(&class("n2")));
        let promised = match merging_of(model.as_ref(), &table.contingency) {
            Merging::WithAny => one || two,
            Merging::WithSatisfying => one && two,
            Merging::Never => false,
        };
        if promised {
            promises += 1;
            assert!(
                !after.contains(&class("north")),
                "{words}: n1 {one}, n2 {two}, but the merged class violates it; sex {sex} of {:?} by {:?}",
                data.rows,
                data.owners
            );
        }
    }
    promises
}

#[test]
fn merging_preserves_the_models_that_promise_it() {
    let mut random = Random(21);
    let tables: Vec<Data> = (0..250).map(|_| random_data(&mut random, 28, 0)).collect();
    for words in MODELS {
        let promises: usize = tables.iter().map(|data| merging(words, data)).sum();
        assert!(promises > 0, "{words}: no promise was tested");
    }
}

/// A person with records in both classes is counted once after merging.
#[test]
fn merging_preserves_the_models_that_promise_it_for_people_with_several_records() {
    let mut random = Random(22);
    let tables: Vec<Data> = (0..400).map(|_| random_data(&mut random, 28, 10)).collect();
    let promises: usize = MODELS.iter().flat_map(|words| tables.iter().map(|data| merging(words, data))).sum();
    assert!(promises > 0, "no promise was tested");
}

/// Models of frequencies cannot promise it for people with several records. One person has flu in both places and is counted
/// once in `north`, so 1 flu and 1 hiv in each place become 1 flu and 2 hiv.
#[test]
fn a_person_in_both_classes_can_violate_a_model_after_merging() {
    let cols = random_data(&mut Random(22), 28, 10).cols;
    let data = Data::new(cols, &["n1 f flu u", "n1 f hiv u", "n2 f flu u", "n2 f hiv u"]).owned(&[0, 1, 0, 2]);
    let model = model("entropy-l-diversity l=2", &data.schema());
    let table = data.table();
    assert_eq!(merging_of(model.as_ref(), &table.contingency), Merging::Never);
    assert!(witnesses(model.as_ref(), data.raw()).is_empty());
    let merged = cut_at(&table, &[("place", &["north"])]).apply(&table).unwrap();
    assert!(!witnesses(model.as_ref(), merged).is_empty());
}

#[test]
fn generalization_of_a_safe_release_is_safe() {
    let mut random = Random(23);
    let mut kept = vec![0; MODELS.len()];
    for _ in 0..500 {
        let data = random_data(&mut random, 40, 0);
        let table = data.table();
        let (fine, coarse) = finer_and_coarser(&table, &mut random);
        for (words, kept) in MODELS.iter().zip(&mut kept) {
            let model = model(words, &data.schema());
            if witnesses(model.as_ref(), fine.clone()).is_empty() {
                *kept += 1;
                let after = witnesses(model.as_ref(), coarse.clone());
                assert!(after.is_empty(), "{words}: {after:?} after generalizing {:?}", contents(&fine));
            }
        }
    }
    for (words, kept) in MODELS.iter().zip(kept) {
        assert!(kept > 0, "{words}: no safe release");
    }
}

/// A random generalization, and a coarser one.
fn finer_and_coarser(table: &Table, random: &mut Random) -> (Release, Release) {
    use reticent::Role;
    use reticent::operations::generalize::generalize;
    use reticent::taxonomy::Cut;
    let mut fine = Vec::new();
    let mut coarse = Vec::new();
    for column in &table.columns {
        let tree = column.tree.clone();
        if column.role != Role::QuasiIdentifier {
            fine.push((tree.clone(), Cut::bottom(&tree)));
            coarse.push((tree.clone(), Cut::bottom(&tree)));
            continue;
        }
        let top = random_cut(&tree, random);
        let mut low = top.clone();
        for node in top.nodes() {
            if !tree.node(*node).children.is_empty() && random.below(2) == 0 {
                low.specialize(&tree, *node);
            }
        }
        fine.push((tree.clone(), low));
        coarse.push((tree, top));
    }
    (generalize(table, fine).apply(table).unwrap(), generalize(table, coarse).apply(table).unwrap())
}

/// The order of rows also determines the codes of values.
#[test]
fn a_survey_does_not_depend_on_row_order() {
    let mut random = Random(24);
    for people in [0, 8] {
        for _ in 0..30 {
            let data = random_data(&mut random, 30, people);
            let mut order: Vec<usize> = (0..data.rows.len()).collect();
            random.shuffle(&mut order);
            let shuffled = Table::build(&data.counts_in(&order), &data.schema()).unwrap();
            let shuffled = Release::raw(&shuffled).unwrap();
            for words in MODELS {
                let model = model(words, &data.schema());
                let history = |release: Release| reticent::History::single(release);
                let one = model.survey(&history(data.raw())).unwrap();
                let two = model.survey(&history(shuffled.clone())).unwrap();
                assert_eq!(one, two, "{words}");
            }
        }
    }
}

/// A stronger parameter finds all violations that a weaker one finds.
#[test]
fn parameters_are_monotone() {
    const WEAKER_FIRST: &[&[&str]] = &[
        &["k-anonymity k=1", "k-anonymity k=2", "k-anonymity k=3", "k-anonymity k=7"],
        &[
            "k-anonymity k=2",
            "multir-k-anonymity k=2 records=2",
            "multir-k-anonymity k=2 records=3",
            "multir-k-anonymity k=2",
        ],
        &["xy-anonymity k=2 y=ill", "xy-anonymity k=3 y=ill"],
        &["xy-anonymity k=2 y=ill,note", "xy-anonymity k=2 y=ill"],
        &["xy-linkability h=0.8 y=ill", "xy-linkability h=0.5 y=ill", "xy-linkability h=0.2 y=ill"],
        &["xy-linkability h=0.5 y=ill", "xy-linkability h=0.5 y=ill values=flu:0.3"],
        &[
            "confidence-bounding h=1",
            "confidence-bounding h=0.6",
            "confidence-bounding h=0.3",
            "confidence-bounding h=0",
        ],
        &["distinct-l-diversity l=1", "distinct-l-diversity l=2", "distinct-l-diversity l=4"],
        &["entropy-l-diversity l=1", "entropy-l-diversity l=1.5", "entropy-l-diversity l=2", "entropy-l-diversity l=3"],
        &["recursive-cl-diversity c=4 l=2", "recursive-cl-diversity c=2 l=2", "recursive-cl-diversity c=2 l=3"],
        &["alpha-k-anonymity alpha=0.8 k=2", "alpha-k-anonymity alpha=0.5 k=2", "alpha-k-anonymity alpha=0.5 k=4"],
        &["k-anonymity k=3", "alpha-k-anonymity alpha=0.7 k=3"],
        &["confidence-bounding h=0.7", "alpha-k-anonymity alpha=0.7 k=3"],
        &["t-closeness t=1", "t-closeness t=0.5", "t-closeness t=0.2", "t-closeness t=0"],
        &["t-closeness t=0.3 distance=hierarchical", "t-closeness t=0.3 distance=equal"],
        &["t-closeness t=0.3 distance=ordered", "t-closeness t=0.3 distance=equal"],
        // The entropy is highest for equal frequencies, so entropy l-diversity needs l distinct values.
        &["distinct-l-diversity l=2", "entropy-l-diversity l=2"],
        &["distinct-l-diversity l=2", "recursive-cl-diversity c=2 l=2"],
    ];
    let mut random = Random(25);
    let mut strictly = vec![0; WEAKER_FIRST.len()];
    for round in 0..60 {
        let data = random_data(&mut random, 40, if round % 2 == 0 { 0 } else { 12 });
        let history = data.history();
        for (chain, strictly) in WEAKER_FIRST.iter().zip(&mut strictly) {
            let found: Vec<BTreeSet<Vec<String>>> = chain
                .iter()
                .map(|words| violation_witnesses(model(words, &data.schema()).violations(&history).unwrap()))
                .collect();
            for (pair, words) in found.windows(2).zip(chain.windows(2)) {
                assert!(pair[0].is_subset(&pair[1]), "{words:?} on {:?} by {:?}", data.rows, data.owners);
                *strictly += usize::from(pair[0] != pair[1]);
            }
        }
    }
    for (chain, strictly) in WEAKER_FIRST.iter().zip(strictly) {
        assert!(strictly > 0, "{chain:?}: all results are equal");
    }
}

/// Every row occurs twice: frequencies remain, class sizes double.
#[test]
fn a_duplicated_table_keeps_frequencies_and_doubles_class_sizes() {
    let mut random = Random(26);
    for _ in 0..60 {
        let data = random_data(&mut random, 20, 0);
        let twins = Data { rows: [data.rows.clone(), data.rows.clone()].concat(), ..data.clone() };
        let found = |words: &str, data: &Data| {
            violation_witnesses(model(words, &data.schema()).violations(&data.history()).unwrap())
        };
        for words in MODELS.iter().filter(|words| !words.contains("k=") || words.starts_with("xy")) {
            let near = violating(words, &data).1;
            let clear = |found: BTreeSet<Vec<String>>| found.difference(&near).cloned().collect::<BTreeSet<_>>();
            assert_eq!(clear(found(words, &data)), clear(found(words, &twins)), "{words}");
        }
        for k in 1..5 {
            let (single, double) = (format!("k-anonymity k={k}"), format!("k-anonymity k={}", 2 * k));
            assert_eq!(found(&single, &data), found(&double, &twins));
        }
    }
}

/// The number of classes, the number of people in violating classes, and the worst class.
#[test]
fn a_survey_counts_classes_and_violating_people() {
    let mut random = Random(27);
    for people in [0, 9] {
        for _ in 0..30 {
            let data = random_data(&mut random, 30, people);
            for words in MODELS {
                let survey = model(words, &data.schema()).survey(&data.history()).unwrap();
                let places: BTreeSet<&[String]> = data.rows.iter().map(|row| &row[..2]).collect();
                assert_eq!(survey.classes, places.len() as u64, "{words}");
                let violating: Vec<Vec<&str>> = survey
                    .violations
                    .iter()
                    .map(|found| found.witness.iter().map(|(_, text)| text.as_str()).collect())
                    .collect();
                let violates = |row: &usize| violating.iter().any(|class| data.rows[*row][..2] == class[..]);
                let people: BTreeSet<u32> = (0..data.rows.len()).filter(violates).map(|row| data.owner(row)).collect();
                assert_eq!(survey.violating, people.len() as u64, "{words}: each person is counted once");
                let worst = survey.worst.unwrap();
                assert!(survey.violations.iter().all(|found| worst.safety <= found.safety), "{words}");
                assert!(survey.violations.windows(2).all(|pair| pair[0].safety <= pair[1].safety), "{words}");
                for found in &survey.violations {
                    assert!(!found.explanation.is_empty());
                    let names: Vec<&str> = found.witness.iter().map(|(name, _)| name.as_str()).collect();
                    assert_eq!(names, ["place", "sex"], "{words}");
                    let class: Vec<&str> = found.witness.iter().map(|(_, text)| text.as_str()).collect();
                    let rows = (0..data.rows.len()).filter(|row| data.rows[*row][..2] == class[..]);
                    let owners: BTreeSet<u32> = rows.map(|row| data.owner(row)).collect();
                    assert_eq!(found.people, owners.len() as u64, "{words}");
                }
            }
        }
    }
}
