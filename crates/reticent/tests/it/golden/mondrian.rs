//! Worked examples of Mondrian: the patients of LeFevre, DeWitt and Ramakrishnan (ICDE 2006), ties at the median, and cuts for a
//! purpose (KDD 2006) computed by hand.

use std::collections::BTreeMap;

use reticent::algorithms::{Control, Purpose, RecodingTask, SearchOutcome, ValueForm, run};
use reticent::registry::{Argument, Arguments};
use reticent::taxonomy::{IntervalLevel, Type};
use reticent::{Error, History, Table, TreeSource};

use crate::support::{Col, Data, other, quasi, requirement};

/// Runs an algorithm with k-anonymity.
fn search(id: &str, data: &Data, table: &Table, k: u32, purpose: Option<&str>) -> SearchOutcome {
    let requirement = requirement(&[&format!("k-anonymity k={k}")], &data.schema());
    let history = History::default();
    let purpose = purpose.map_or(Purpose::General, |column| Purpose::Classification(column.to_owned()));
    let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(table, &history, &requirement) };
    run(id, &task, Arguments::default(), &Control::QUIET).unwrap()
}

/// Number of records by published values of the first columns.
fn classes(id: &str, data: &Data, k: u32, columns: usize) -> BTreeMap<Vec<String>, usize> {
    let table = data.table();
    let outcome = search(id, data, &table, k, None);
    let mut classes = BTreeMap::new();
    for row in data.published(&outcome.recoding.apply(&table).unwrap()).rows {
        *classes.entry(row[..columns].to_vec()).or_default() += 1;
    }
    classes
}

/// Number of cuts of strict Mondrian with k = 2.
fn cuts(data: &Data, purpose: Option<&str>) -> u64 {
    search("mondrian", data, &data.table(), 2, purpose).steps
}

fn sizes(id: &str, data: &Data, k: u32, columns: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = classes(id, data, k, columns).into_values().collect();
    sizes.sort_unstable();
    sizes
}

fn number(col: Col) -> Col {
    Col { values: Type::Number, tree: TreeSource::Grown { range: None }, ..col }
}

/// The figure with the 2-anonymous multidimensional partition: men of 25 and 26 in 53711, women of 25 and 27 in 53712, men of 27
/// and 28 in 53710 and 53711.
#[test]
fn the_patients_of_the_paper() {
    let rows = ["M 25 53711", "F 25 53712", "M 26 53711", "M 27 53710", "F 27 53712", "M 28 53711"];
    let data = Data::new(vec![quasi("sex"), number(quasi("age")), quasi("zip")], &rows);
    let classes = classes("mondrian", &data, 2, 3);
    let shown: Vec<(&str, &str, usize)> =
        classes.iter().map(|(row, size)| (row[0].as_str(), row[2].as_str(), *size)).collect();
    let mut expected = [("F", "53712", 2), ("M", "53711", 2), ("M", "*", 2)];
    let mut found = shown;
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// The values [1, 1, 1, 2] with k = 2: strict Mondrian cannot cut them (discernibility 16). Relaxed Mondrian cuts them into {1, 1}
/// and {1, 2} (discernibility 8). Here every column has these values, in different records.
#[test]
fn ties_at_the_median() {
    let data = Data::new(vec![quasi("age"), quasi("town"), quasi("job")], &["1 1 1", "1 1 2", "1 2 1", "2 1 1"]);
    assert_eq!(sizes("mondrian", &data, 2, 3), [4]);
    assert_eq!(sizes("mondrian-relaxed", &data, 2, 3), [2, 2]);
    // Equal records are published alike, so a single column cannot be cut.
    let data = Data::new(vec![quasi("age")], &["1", "1", "1", "2"]);
    assert_eq!(sizes("mondrian", &data, 2, 1), [4]);
    assert_eq!(sizes("mondrian-relaxed", &data, 2, 1), [4]);
}

/// Ages with intervals of width 10 and k = 2. The median of the data is between 21 and 22. With declared bounds, the only cut is at 20,
/// and the intervals that are published as sets have declared bounds too. The only value of an interval is published as a node exactly,
/// and as a set with the label of the interval.
#[test]
fn declared_bounds() {
    let levels = vec![IntervalLevel::Width(10.0)];
    let age = || Col {
        values: Type::Number,
        tree: TreeSource::Intervals { levels: levels.clone(), exact: true },
        ..quasi("age")
    };
    let published = |data: &Data, bounds: &str, values: ValueForm| {
        let (table, history) = (data.table(), History::default());
        let requirement = requirement(&["k-anonymity k=2"], &data.schema());
        let task = RecodingTask { values, ..RecodingTask::new(&table, &history, &requirement) };
        let bounds = Arguments::default().set("bounds", Argument::Word(bounds.to_owned()));
        let recoding = run("mondrian", &task, bounds, &Control::QUIET)?.recoding;
        let mut rows = data.published(&recoding.apply(&table)?).rows;
        rows.sort();
        Ok::<String, Error>(rows.concat().join(" "))
    };
    let data = Data::new(vec![age()], &["11", "12", "13", "21", "22", "23", "24", "25"]);
    let by_median = "[11,12] [11,12] [13,21] [13,21] [22,23] [22,23] [24,25] [24,25]";
    let declared = "[10,20) [10,20) [10,20) [20,30) [20,30) [20,30) [20,30) [20,30)";
    assert_eq!(published(&data, "data", ValueForm::Sets).unwrap(), by_median);
    assert_eq!(published(&data, "declared", ValueForm::Sets).unwrap(), declared);
    assert_eq!(published(&data, "declared", ValueForm::Nodes).unwrap(), declared);
    let data = Data::new(vec![age()], &["11", "11", "23", "24", "31", "45"]);
    let sets = "[10,20) [10,20) [20,30) [20,30) [30,50) [30,50)";
    assert_eq!(published(&data, "declared", ValueForm::Sets).unwrap(), sets);
    assert_eq!(published(&data, "declared", ValueForm::Nodes).unwrap(), "* * 11 11 [20,30) [20,30)");
    let data = Data::new(vec![number(quasi("age"))], &["11", "12", "13"]);
    assert_eq!(published(&data, "declared", ValueForm::Sets).unwrap_err().code(), "column-unfit");
}

/// The label changes between 2 and 3. General purpose cuts at the medians; least entropy cuts at the change first, and the pure rest
/// at its median.
#[test]
fn least_entropy() {
    let rows = ["1 a", "2 a", "3 b", "4 b", "5 b", "6 b", "7 b", "8 b"];
    let data = Data::new(vec![number(quasi("x")), other("label")], &rows);
    assert_eq!(cuts(&data, None), 3);
    assert_eq!(cuts(&data, Some("label")), 2);
}

/// The numbers 1 to 3 and 100 to 104: the least squared error is between them, at 3 | 5 records, and then at 2 | 3 records. As
/// texts, all labels differ, and the least entropy is at 4 | 4 records.
#[test]
fn least_squared_error() {
    let rows = ["1 1", "2 2", "3 3", "4 100", "5 101", "6 102", "7 103", "8 104"];
    let data = Data::new(vec![number(quasi("x")), number(other("label"))], &rows);
    assert_eq!(cuts(&data, Some("label")), 2);
    let data = Data::new(vec![number(quasi("x")), other("label")], &rows);
    assert_eq!(cuts(&data, Some("label")), 3);
}

/// Multidimensional specialization with k = 2: `c` and `d` are too rare, and stay at the root together. With k = 3 and one `c`, a
/// frequent value joins it.
#[test]
fn rare_values_do_not_block_a_specialization() {
    let of = |text: &str| Data::new(vec![quasi("job")], &text.split(' ').collect::<Vec<_>>());
    let class = |label: &str, size: usize| (vec![label.to_owned()], size);
    let id = "multidimensional-specialization";
    let found = classes(id, &of("a a a a b b b b c d"), 2, 1);
    assert_eq!(found, BTreeMap::from([class("a", 4), class("b", 4), class("*", 2)]));
    let found = classes(id, &of("a a a a b b b c"), 3, 1);
    assert_eq!(found, BTreeMap::from([class("a", 4), class("*", 4)]));
    assert_eq!(classes(id, &of("a a a b"), 3, 1), BTreeMap::from([class("*", 4)]));
}
