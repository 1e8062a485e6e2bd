//! Laws of every metric: it is finite and deterministic, and generalization never improves it.

use reticent::algorithms::Purpose;
use reticent::metrics::{Comparison, LIST, Measure, measure_all};
use reticent::operations::generalize::generalize;
use reticent::operations::suppress_records::suppress_records;
use reticent::taxonomy::Cut;
use reticent::{Recoding, Release, Role, Table};

use crate::support::{Data, Random, random_cut, random_data, requirement};

fn measures(table: &Table, recoding: &Recoding, release: &Release, purpose: &Purpose) -> Vec<(&'static str, Measure)> {
    measure_all(&Comparison { table, recoding, release, purpose }).unwrap()
}

fn value(of: &str, table: &Table, recoding: &Recoding) -> f64 {
    let release = recoding.apply(table).unwrap();
    let found = measures(table, recoding, &release, &Purpose::Classification("ill".to_owned()));
    found.iter().find(|(id, _)| *id == of).unwrap_or_else(|| panic!("no metric {of}")).1.value
}

fn quasi_cuts(table: &Table, mut cut: impl FnMut(&reticent::taxonomy::Taxonomy) -> Cut) -> Recoding {
    let cuts = table.columns.iter().map(|column| {
        let cut = if column.role == Role::QuasiIdentifier { cut(&column.tree) } else { Cut::bottom(&column.tree) };
        (column.tree.clone(), cut)
    });
    generalize(table, cuts.collect())
}

/// For every purpose, also with suppressed records, people with several records, and a table with one row.
#[test]
fn every_metric_is_finite_and_deterministic() {
    let mut random = Random(41);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..40 {
        let data = random_data(&mut random, [1, 2, 6, 40][round % 4], if round % 3 == 0 { 9 } else { 0 });
        let table = data.table();
        let requirement = requirement(&["k-anonymity k=3"], &data.schema());
        let mut recodings = vec![Recoding::identity(&table), quasi_cuts(&table, |_| Cut::top())];
        recodings.push(quasi_cuts(&table, |tree| random_cut(tree, &mut random)));
        for suppressed in [false, true] {
            for recoding in &recodings {
                let mut recoding = recoding.clone();
                if suppressed {
                    suppress_records(&table, &mut recoding, &requirement, &[]).unwrap();
                }
                let release = recoding.apply(&table).unwrap();
                for purpose in [Purpose::General, Purpose::Classification("ill".to_owned())] {
                    let found = measures(&table, &recoding, &release, &purpose);
                    assert_eq!(found, measures(&table, &recoding, &release, &purpose));
                    for (id, measure) in found {
                        seen.insert(id);
                        assert!(measure.value.is_finite() && measure.value >= 0.0, "{id} is {}", measure.value);
                        assert!(!measure.reading.is_empty(), "{id}");
                    }
                }
            }
        }
    }
    assert_eq!(seen, LIST.iter().map(|listed| listed.entry.id).collect(), "a metric was never computed");
}

#[test]
fn the_loss_of_a_raw_release_is_zero() {
    let mut random = Random(42);
    for _ in 0..40 {
        let table = random_data(&mut random, 30, 0).table();
        for id in ["gcp", "minimal-distortion", "non-uniform-entropy"] {
            assert_eq!(value(id, &table, &Recoding::identity(&table)), 0.0, "{id}");
        }
    }
}

/// Computed by hand: four records with places n1 n1 s1 sea and sexes f f f m.
#[test]
fn losses_match_the_definitions() {
    let data =
        Data::new(random_data(&mut Random(1), 1, 0).cols, &["n1 f flu u", "n1 f hiv u", "s1 f flu u", "sea m flu u"]);
    let table = data.table();
    let top = quasi_cuts(&table, |_| Cut::top());
    // All cells are suppressed.
    assert_eq!(value("gcp", &table, &top), 1.0);
    // n1 and s1 are two steps below the root, sea one, each sex one: (2 + 2 + 2 + 1 + 4) / 4.
    assert_eq!(value("minimal-distortion", &table, &top), 11.0 / 4.0);
    // One class of four.
    assert_eq!(value("discernibility", &table, &top), 16.0);
    assert_eq!(value("average-class-size", &table, &top), 4.0);
    // Places have frequencies 1/2 1/2 1/4 1/4, so 1 + 1 + 2 + 2 bits. Three sexes have frequency 3/4, one has 1/4.
    let bits = (6.0 + 3.0 * (4.0f64 / 3.0).log2() + 2.0) / 4.0;
    assert!((value("non-uniform-entropy", &table, &top) - bits).abs() < 1e-12);
    // One of four differs from the majority, which has flu.
    assert_eq!(value("classification-metric", &table, &top), 0.25);
    // Raw: classes of 2, 1 and 1. In the class of two, one record differs from the majority.
    let raw = Recoding::identity(&table);
    assert_eq!(value("discernibility", &table, &raw), 6.0);
    assert_eq!(value("average-class-size", &table, &raw), 4.0 / 3.0);
    assert_eq!(value("classification-metric", &table, &raw), 0.25);
    // Only the places are generalized. Of six leaves, `north` has two, `south` three, `sea` one; two columns.
    let level = quasi_cuts(&table, |tree| {
        let mut cut = Cut::top();
        cut.specialize(tree, 0);
        cut
    });
    let loss = (1.0 + 1.0 + 2.0) / 5.0 / 8.0;
    assert!((value("gcp", &table, &level) - loss).abs() < 1e-12, "{}", value("gcp", &table, &level));
    assert_eq!(value("minimal-distortion", &table, &level), 3.0 / 4.0);
}

/// A suppressed record costs at least as much as a record with all cells suppressed.
#[test]
fn suppressed_records_are_counted_as_loss() {
    let data =
        Data::new(random_data(&mut Random(1), 1, 0).cols, &["n1 f flu u", "n1 f hiv u", "s1 m flu u", "sea m flu u"]);
    let table = data.table();
    let mut recoding = Recoding::identity(&table);
    let requirement = requirement(&["k-anonymity k=2"], &data.schema());
    assert_eq!(suppress_records(&table, &mut recoding, &requirement, &[]).unwrap(), 2);
    // Two of four records are suppressed.
    assert_eq!(value("gcp", &table, &recoding), 0.5);
    // s1 counts two steps, sea one, two sexes one each.
    assert_eq!(value("minimal-distortion", &table, &recoding), 5.0 / 4.0);
    // A class of two, and two suppressed records, which cost the size of the table each.
    assert_eq!(value("discernibility", &table, &recoding), 4.0 + 2.0 * 4.0);
    // One record differs from its class, and two are suppressed.
    assert_eq!(value("classification-metric", &table, &recoding), 0.75);
}

#[test]
fn generalizing_never_lowers_a_loss() {
    let mut random = Random(43);
    let ids = [
        "gcp",
        "minimal-distortion",
        "non-uniform-entropy",
        "discernibility",
        "average-class-size",
        "classification-metric",
    ];
    let mut rose = vec![0; ids.len()];
    for round in 0..80 {
        let table = random_data(&mut random, 30, if round % 4 == 0 { 9 } else { 0 }).table();
        let mut fine = Vec::new();
        let mut coarse = Vec::new();
        for column in &table.columns {
            let tree = column.tree.clone();
            if column.role != Role::QuasiIdentifier {
                fine.push((tree.clone(), Cut::bottom(&tree)));
                coarse.push((tree.clone(), Cut::bottom(&tree)));
                continue;
            }
            let top = random_cut(&tree, &mut random);
            let mut low = top.clone();
            for node in top.nodes() {
                if random.below(2) == 0 && !tree.node(*node).children.is_empty() {
                    low.specialize(&tree, *node);
                }
            }
            fine.push((tree.clone(), low));
            coarse.push((tree, top));
        }
        let (fine, coarse) = (generalize(&table, fine), generalize(&table, coarse));
        for (id, rose) in ids.iter().zip(&mut rose) {
            let (before, after) = (value(id, &table, &fine), value(id, &table, &coarse));
            assert!(after >= before - 1e-12, "{id} fell from {before} to {after}");
            *rose += u32::from(after > before);
        }
    }
    assert!(rose.iter().all(|times| *times > 0), "{rose:?}");
}
