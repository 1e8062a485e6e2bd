//! Laws of every metric: it is finite and deterministic, and generalization never improves it.

use reticent::algorithms::Purpose;
use reticent::metrics::{Comparison, LIST, Measure, measure_all};
use reticent::operations::generalize::generalize;
use reticent::operations::suppress_records::suppress_records;
use reticent::taxonomy::Cut;
use reticent::{Recoding, Release, Role, Table};

use crate::support::{Data, Random, purposes, random_cut, random_data, requirement};

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
                for purpose in purposes("ill") {
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
        for id in
            ["gcp", "iloss", "minimal-distortion", "non-uniform-entropy", "query-error", "pairwise-marginal-distance"]
        {
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
    // Six places and two sexes: 5/6 + 1/2.
    assert!((value("iloss", &table, &top) - (5.0 / 6.0 + 1.0 / 2.0)).abs() < 1e-12);
    assert_eq!(value("precision", &table, &top), 0.0);
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
    // Three of four places are generalized by one of two levels; sexes are unchanged.
    assert!((value("precision", &table, &level) - (1.0 - 1.5 / 8.0)).abs() < 1e-12);
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
        "iloss",
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

/// Precision is 1 for raw values, 0 for full suppression, and generalization never raises it. Clusters of raw values agree fully.
#[test]
fn higher_is_better_for_precision_and_agreement() {
    let mut random = Random(44);
    for round in 0..40 {
        let table = random_data(&mut random, 30, if round % 4 == 0 { 9 } else { 0 }).table();
        let (raw, top) = (Recoding::identity(&table), quasi_cuts(&table, |_| Cut::top()));
        let some = quasi_cuts(&table, |tree| random_cut(tree, &mut random));
        let by_level = [&raw, &some, &top].map(|recoding| value("precision", &table, recoding));
        assert_eq!((by_level[0], by_level[2]), (1.0, 0.0));
        assert!((0.0..=1.0).contains(&by_level[1]));
        let agreement = |recoding: &Recoding| {
            let release = recoding.apply(&table).unwrap();
            let found = measures(&table, recoding, &release, &Purpose::Clusters(3));
            found.iter().find(|(id, _)| *id == "cluster-agreement").unwrap().1.value
        };
        assert!((agreement(&raw) - 1.0).abs() < 1e-12);
        assert!(agreement(&top) <= 1.0 + 1e-12 && agreement(&some) <= 1.0 + 1e-12);
    }
}

/// The distance is the definition: half the sum over all pairs of leaves of |p - q|, and at most 1.
#[test]
fn pairwise_marginal_distance_matches_a_naive_sum() {
    let mut random = Random(45);
    for _ in 0..40 {
        let data = random_data(&mut random, 20, 0);
        let table = data.table();
        let recoding = quasi_cuts(&table, |tree| random_cut(tree, &mut random));
        let mut sum = 0.0;
        let columns = [0, 1, 2];
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let sizes = columns.map(|column| table.columns[column].tree.len());
            let (mut p, mut q) = (vec![0.0; sizes[one] * sizes[other]], vec![0.0; sizes[one] * sizes[other]]);
            let rows = table.contingency.rows() as f64;
            for at in 0..table.contingency.len() {
                let weight = table.contingency.weights[at] as f64 / rows;
                let codes = [one, other].map(|column| table.contingency.codes[column][at]);
                p[codes[0] as usize * sizes[other] + codes[1] as usize] += weight;
                let [first, second] = [(one, codes[0]), (other, codes[1])].map(|(column, code)| {
                    let published = &recoding.columns[column];
                    published
                        .column
                        .tree
                        .node(published.column.nodes[published.map[code as usize] as usize])
                        .span
                        .clone()
                });
                let share = weight / (first.len() * second.len()) as f64;
                for a in first {
                    for b in second.clone() {
                        q[a as usize * sizes[other] + b as usize] += share;
                    }
                }
            }
            sum += p.iter().zip(&q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0;
        }
        let measured = value("pairwise-marginal-distance", &table, &recoding);
        assert!((measured - sum / 3.0).abs() < 1e-9 && measured <= 1.0, "{measured}, expected {}", sum / 3.0);
    }
}
