//! Laws of the operations: suppression removes all violations, and every suppressed record is counted.

use reticent::join::JoinCheck;
use reticent::operations::generalize::generalize;
use reticent::operations::suppress_cells::suppress_cells;
use reticent::operations::suppress_records::suppress_records;
use reticent::operations::suppress_values::suppress_values;
use reticent::requirement::Requirement;
use reticent::taxonomy::{Cut, SUPPRESSED};
use reticent::{Recoding, Role, Table};

use crate::oracle::definitions::violating;
use crate::support::{Data, Random, random_cut, random_data, requirement, witnesses};

/// Requirements that random tables violate in some classes and satisfy in others.
const REQUIREMENTS: &[&[&str]] = &[
    &["k-anonymity k=3"],
    &["multir-k-anonymity k=2 records=2"],
    &["k-anonymity k=2 on=place", "k-anonymity k=4 on=sex"],
    &["xy-anonymity k=2 y=ill"],
    &["xy-linkability h=0.5 y=ill"],
    &["confidence-bounding h=0.6"],
    &["confidence-bounding values=flu:0.4"],
    &["distinct-l-diversity l=2"],
    &["entropy-l-diversity l=1.8"],
    &["recursive-cl-diversity c=2 l=2"],
    &["alpha-k-anonymity alpha=0.6 k=2"],
    &["t-closeness t=0.4"],
    &["t-closeness t=0.25 distance=ordered"],
    &["t-closeness t=0.3 distance=hierarchical", "k-anonymity k=2"],
    &["k-anonymity k=2", "confidence-bounding h=0.7 on=place", "distinct-l-diversity l=2 on=sex"],
];

type Suppress = fn(&Table, &mut Recoding, &Requirement, &[JoinCheck<'_>]) -> reticent::Result<u64>;

fn generalized(table: &Table, random: &mut Random) -> Recoding {
    let cuts = table.columns.iter().map(|column| {
        let cut = match column.role {
            Role::QuasiIdentifier => random_cut(&column.tree, random),
            _ => Cut::bottom(&column.tree),
        };
        (column.tree.clone(), cut)
    });
    generalize(table, cuts.collect())
}

/// Asserts that suppression leaves no violation of the models and of the naive definitions, and accounts for every record.
fn assert_no_violation_after(suppress: Suppress, seed: u64) {
    let mut random = Random(seed);
    let (mut some_published, mut some_suppressed) = (0, 0);
    for round in 0..60 {
        let data = random_data(&mut random, 40, if round % 3 == 0 { 14 } else { 0 });
        let table = data.table();
        let start = generalized(&table, &mut random);
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let mut recoding = start.clone();
            let suppressed = suppress(&table, &mut recoding, &requirement, &[]).unwrap();
            let release = recoding.apply(&table).unwrap();
            assert_eq!(release.suppressed, suppressed, "{words:?}");
            assert_eq!(release.contingency.rows() + release.suppressed, table.contingency.rows(), "{words:?}");
            for model in &requirement.models {
                let found = witnesses(model.as_ref(), release.clone());
                assert!(found.is_empty(), "{}: {found:?} of {:?} by {:?}", model.title(), data.rows, data.owners);
            }
            let published = data.published(&release);
            for words in *words {
                let found = violating(words, &published).0;
                assert!(found.is_empty(), "{words}: {found:?} of {:?} by {:?}", data.rows, data.owners);
            }
            some_published += u64::from(release.contingency.rows() > 0);
            some_suppressed += u64::from(suppressed > 0);
        }
    }
    assert!(some_published > 100 && some_suppressed > 100, "{some_published} {some_suppressed}");
}

#[test]
fn suppressing_records_leaves_no_violation() {
    assert_no_violation_after(suppress_records, 31);
}

#[test]
fn suppressing_cells_leaves_no_violation() {
    assert_no_violation_after(suppress_cells, 32);
}

#[test]
fn suppressing_cells_removes_no_more_records_than_suppressing_records() {
    let mut random = Random(33);
    let mut saved = 0;
    for _ in 0..60 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let count =
                |suppress: Suppress| suppress(&table, &mut Recoding::identity(&table), &requirement, &[]).unwrap();
            let (records, cells) = (count(suppress_records), count(suppress_cells));
            assert!(cells <= records, "{words:?} on {:?}: {cells} by cells, {records} by records", data.rows);
            saved += records - cells;
        }
    }
    assert!(saved > 0);
}

#[test]
fn suppression_does_not_change_satisfying_classes() {
    let rows = ["n1 f flu u", "n1 f hiv u", "n1 f flu v", "s1 m flu u"];
    let data = Data::new(random_data(&mut Random(1), 1, 0).cols, &rows);
    let table = data.table();
    let requirement = requirement(&["k-anonymity k=3"], &data.schema());
    for suppress in [suppress_records as Suppress, suppress_cells] {
        let mut recoding = Recoding::identity(&table);
        assert_eq!(suppress(&table, &mut recoding, &requirement, &[]).unwrap(), 1);
        let mut rows = data.published(&recoding.apply(&table).unwrap()).rows;
        rows.sort();
        assert_eq!(rows, [["n1", "f", "flu", "u"], ["n1", "f", "flu", "v"], ["n1", "f", "hiv", "u"]]);
    }
}

/// The given values are suppressed in all records. All other values remain.
#[test]
fn suppressing_values_suppresses_exactly_these() {
    let mut random = Random(34);
    for _ in 0..60 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        let column = random.below(2);
        let tree = &table.columns[column].tree;
        let root = tree.node(0).label.clone();
        let suppressed: Vec<u32> = (0..tree.len() as u32).filter(|_| random.below(2) == 0).collect();
        let texts: Vec<&str> = suppressed.iter().map(|code| tree.value(*code)).collect();
        let mut recoding = Recoding::identity(&table);
        suppress_values(&mut recoding, column, &suppressed);
        let mut found = data.published(&recoding.apply(&table).unwrap()).rows;
        let mut expected = data.rows.clone();
        for row in &mut expected {
            if texts.contains(&row[column].as_str()) {
                row[column].clone_from(&root);
            }
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
    assert_eq!(SUPPRESSED, "*");
}

/// Every value is published as its ancestor in the cut, or as itself if it is in the cut.
#[test]
fn generalization_publishes_the_node_of_the_cut() {
    let mut random = Random(35);
    for _ in 0..100 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        let tree = table.columns[0].tree.clone();
        let cut = random_cut(&tree, &mut random);
        let in_cut: Vec<&str> = cut.nodes().iter().map(|node| tree.node(*node).label.as_str()).collect();
        let mut cuts: Vec<_> =
            table.columns.iter().map(|column| (column.tree.clone(), Cut::bottom(&column.tree))).collect();
        cuts[0].1 = cut.clone();
        let mut found = data.published(&generalize(&table, cuts).apply(&table).unwrap()).rows;
        let mut expected = data.rows.clone();
        for row in &mut expected {
            let mut node = tree.nodes().iter().position(|node| node.label == row[0]).unwrap();
            while !in_cut.contains(&tree.node(node).label.as_str()) {
                node = tree.node(node).parent.unwrap();
            }
            row[0].clone_from(&tree.node(node).label);
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{in_cut:?}");
    }
}

/// A cut has exactly one node on the path from every leaf to the root.
#[test]
fn a_cut_covers_every_value_once() {
    let mut random = Random(36);
    let tree = random_data(&mut random, 30, 0).table().columns[0].tree.clone();
    for _ in 0..200 {
        let cut = random_cut(&tree, &mut random);
        for code in 0..tree.len() as u32 {
            let above = cut.nodes().iter().filter(|node| tree.node(**node).span.contains(&code)).count();
            assert_eq!(above, 1);
        }
    }
}

/// A cell of another column is published unchanged, or its whole record is suppressed.
#[test]
fn cells_are_suppressed_only_in_quasi_identifiers() {
    use crate::support::{Data, contents, other, quasi, requirement, sensitive};
    let cols = vec![quasi("place"), other("note"), sensitive("ill")];
    let data = Data::new(cols, &["a u flu", "a u hiv", "b v flu", "b w hiv", "c w cough", "c w flu"]);
    let table = data.table();
    let requirement = requirement(&["xy-anonymity k=2 x=place,note y=ill"], &data.schema());
    let mut recoding = reticent::Recoding::identity(&table);
    reticent::operations::suppress_cells::suppress_cells(&table, &mut recoding, &requirement, &[]).unwrap();
    let release = recoding.apply(&table).unwrap();
    for ((row, _), _) in contents(&release) {
        assert!(["u", "v", "w"].contains(&row[1].as_str()), "{row:?}");
    }
    assert!(requirement.models[0].violations(&reticent::History::single(release)).unwrap().is_empty());
}
