//! Laws of the operations: what they promise to hide is hidden, what they leave out is counted.

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

/// After suppression nothing violates, by the models and by the definitions, and every record is accounted for.
fn suppression_leaves_no_violation(suppress: Suppress, seed: u64) {
    let mut random = Random(seed);
    let (mut some_left, mut some_lost) = (0, 0);
    for round in 0..60 {
        let data = random_data(&mut random, 40, if round % 3 == 0 { 14 } else { 0 });
        let table = data.table();
        let start = generalized(&table, &mut random);
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let mut recoding = start.clone();
            let lost = suppress(&table, &mut recoding, &requirement, &[]).unwrap();
            let release = recoding.apply(&table).unwrap();
            assert_eq!(release.suppressed, lost, "{words:?}");
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
            some_left += u64::from(release.contingency.rows() > 0);
            some_lost += u64::from(lost > 0);
        }
    }
    assert!(some_left > 100 && some_lost > 100, "{some_left} {some_lost}");
}

#[test]
fn suppressing_records_leaves_no_violation() {
    suppression_leaves_no_violation(suppress_records, 31);
}

#[test]
fn suppressing_cells_leaves_no_violation() {
    suppression_leaves_no_violation(suppress_cells, 32);
}

/// Hiding cells never loses more records than leaving them out would.
#[test]
fn suppressing_cells_saves_records() {
    let mut random = Random(33);
    let mut saved = 0;
    for _ in 0..60 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let lost =
                |suppress: Suppress| suppress(&table, &mut Recoding::identity(&table), &requirement, &[]).unwrap();
            let (records, cells) = (lost(suppress_records), lost(suppress_cells));
            assert!(cells <= records, "{words:?} on {:?}: {cells} by cells, {records} by records", data.rows);
            saved += records - cells;
        }
    }
    assert!(saved > 0);
}

/// Suppression touches violating classes only: what already satisfies everything is published as it was.
#[test]
fn suppressing_changes_nothing_where_nothing_violates() {
    let rows = ["n1 f flu u", "n1 f hiv u", "n1 f flu v", "s1 m flu u"];
    let data = Data::new(random_data(&mut Random(1), 1, 0).cols, &rows);
    let table = data.table();
    let requirement = requirement(&["k-anonymity k=3"], &data.schema());
    for suppress in [suppress_records as Suppress, suppress_cells] {
        let mut recoding = Recoding::identity(&table);
        assert_eq!(suppress(&table, &mut recoding, &requirement, &[]).unwrap(), 1);
        let mut left = data.published(&recoding.apply(&table).unwrap()).rows;
        left.sort();
        assert_eq!(left, [["n1", "f", "flu", "u"], ["n1", "f", "flu", "v"], ["n1", "f", "hiv", "u"]]);
    }
}

/// Exactly the given values become nothing, everywhere they occur; all others stay.
#[test]
fn suppressing_values_hides_exactly_these() {
    let mut random = Random(34);
    for _ in 0..60 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        let column = random.below(2);
        let tree = &table.columns[column].tree;
        let root = tree.node(0).label.clone();
        let hidden: Vec<u32> = (0..tree.len() as u32).filter(|_| random.below(2) == 0).collect();
        let texts: Vec<&str> = hidden.iter().map(|code| tree.value(*code)).collect();
        let mut recoding = Recoding::identity(&table);
        suppress_values(&mut recoding, column, &hidden);
        let mut found = data.published(&recoding.apply(&table).unwrap()).rows;
        let mut wanted = data.rows.clone();
        for row in &mut wanted {
            if texts.contains(&row[column].as_str()) {
                row[column].clone_from(&root);
            }
        }
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted);
    }
    assert_eq!(SUPPRESSED, "*");
}

/// Every value is published as the node of the cut above it: its own label, or that of an ancestor which stands in the cut.
#[test]
fn generalizing_publishes_the_node_above() {
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
        let mut wanted = data.rows.clone();
        for row in &mut wanted {
            let mut node = tree.nodes().iter().position(|node| node.label == row[0]).unwrap();
            while !in_cut.contains(&tree.node(node).label.as_str()) {
                node = tree.node(node).parent.unwrap();
            }
            row[0].clone_from(&tree.node(node).label);
        }
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{in_cut:?}");
    }
}

/// A cut takes exactly one node on every path, however it is reached.
#[test]
fn a_cut_covers_every_value_once() {
    let mut random = Random(36);
    let tree = random_data(&mut random, 30, 0).table().columns[0].tree.clone();
    for _ in 0..200 {
        let cut = random_cut(&tree, &mut random);
        for code in 0..tree.len() as u32 {
            let above = cut.nodes().iter().filter(|node| tree.node(**node).codes.contains(&code)).count();
            assert_eq!(above, 1);
        }
    }
}

/// What is not a quasi-identifier is published as it is or left out with its record; it is never hidden.
#[test]
fn cells_are_hidden_in_quasi_identifiers_only() {
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
