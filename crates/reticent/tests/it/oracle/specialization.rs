//! Top-down specialization, compared with its definition: if the result is locally maximal, every further step violates the
//! requirement. With suppression: a looser limit is never worse.

use reticent::algorithms::{Control, Guarantee, Purpose, RecodingTask, SearchOutcome, Suppression, run};
use reticent::registry::Arguments;
use reticent::taxonomy::NodeId;
use reticent::{Error, History, Ratio, Role, Table};

use super::definitions::violating;
use crate::laws::algorithms::REQUIREMENTS;
use crate::support::{Data, Random, random_data, requirement};

/// Nodes of a column that occur in the release.
fn nodes(table: &Table, outcome: &SearchOutcome, column: usize) -> Vec<NodeId> {
    let recoded = &outcome.recoding.columns[column];
    let codes = table.contingency.codes[column].iter();
    let mut nodes: Vec<NodeId> = codes.map(|code| recoded.column.nodes[recoded.map[*code as usize] as usize]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The release of the outcome with one node replaced by its children.
fn specialize_once(data: &Data, table: &Table, outcome: &SearchOutcome, column: usize, node: NodeId) -> Data {
    let mut recoding = outcome.recoding.clone();
    let tree = recoding.columns[column].column.tree.clone();
    let all: Vec<(std::sync::Arc<_>, Vec<NodeId>)> = (0..table.columns.len())
        .map(|at| {
            let recoded = &recoding.columns[at];
            (
                recoded.column.tree.clone(),
                recoded.map.iter().map(|place| recoded.column.nodes[*place as usize]).collect(),
            )
        })
        .collect();
    let mut all = all;
    for child in &tree.node(node).children {
        for code in tree.node(*child).span.clone() {
            all[column].1[code as usize] = *child;
        }
    }
    recoding = reticent::Recoding::by_node(table, all);
    data.published(&recoding.apply(table).unwrap())
}

fn assert_locally_maximal(seed: u64, people: usize) {
    let mut random = Random(seed);
    let (mut tried, mut outcomes) = (0, 0);
    for _ in 0..40 {
        let data = random_data(&mut random, 40, people);
        let table = data.table();
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let (history, purpose) = (History::default(), Purpose::General);
            let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(&table, &history, &requirement) };
            let outcome = match run("top-down-specialization", &task, Arguments::default(), &Control::QUIET) {
                Ok(outcome) => outcome,
                Err(Error::Refused(_)) => continue,
                Err(error) => panic!("{words:?}: {error}"),
            };
            if outcome.guarantee != Guarantee::LocallyMaximal {
                continue;
            }
            for column in (0..table.columns.len()).filter(|at| table.columns[*at].role == Role::QuasiIdentifier) {
                let tree = outcome.recoding.columns[column].column.tree.clone();
                for node in
                    nodes(&table, &outcome, column).into_iter().filter(|node| !tree.node(*node).children.is_empty())
                {
                    let further = specialize_once(&data, &table, &outcome, column, node);
                    let results: Vec<_> = words.iter().map(|words| violating(words, &further)).collect();
                    let violates =
                        results.iter().any(|(violating, undecided)| !violating.is_empty() || !undecided.is_empty());
                    let label = &tree.node(node).label;
                    let name = &data.cols[column].name;
                    assert!(
                        violates,
                        "{words:?}: `{label}` of {name} could be specialized; {:?} by {:?}",
                        data.rows, data.owners
                    );
                    tried += 1;
                }
            }
            outcomes += 1;
        }
    }
    assert!(tried > 50 && outcomes > 50, "{tried} steps of {outcomes} outcomes");
}

#[test]
fn every_further_step_violates_the_requirement() {
    assert_locally_maximal(61, 0);
}

#[test]
fn every_further_step_violates_the_requirement_for_people_with_several_records() {
    assert_locally_maximal(62, 12);
}

#[test]
fn a_trivial_requirement_gives_the_raw_table() {
    let mut random = Random(63);
    for _ in 0..20 {
        let data = random_data(&mut random, 30, 0);
        let table = data.table();
        let requirement = requirement(&["k-anonymity k=1"], &data.schema());
        let (history, purpose) = (History::default(), Purpose::General);
        let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(&table, &history, &requirement) };
        let outcome = run("top-down-specialization", &task, Arguments::default(), &Control::QUIET).unwrap();
        for column in [0, 1] {
            let tree = &outcome.recoding.columns[column].column.tree;
            let published = nodes(&table, &outcome, column);
            assert!(published.iter().all(|node| tree.node(*node).children.is_empty()), "{published:?}");
        }
    }
}

/// Generalized certainty penalty of a release from its definition, in cells: suppressed cells and records have penalty 1.
fn penalty(table: &Table, outcome: &SearchOutcome) -> f64 {
    let quasi = table.with_role(Role::QuasiIdentifier);
    let mut row = Vec::new();
    let mut sum = 0.0;
    for at in 0..table.contingency.len() {
        let published = outcome.recoding.publish(&table.contingency, at, &mut row);
        for column in &quasi {
            let of = &outcome.recoding.columns[*column].column;
            let leaves = |node: NodeId| of.tree.node(node).span.len() as f64 - 1.0;
            let node = if published { of.nodes[row[*column] as usize] } else { 0 };
            let share = if leaves(0) == 0.0 { 0.0 } else { leaves(node) / leaves(0) };
            sum += table.contingency.weights[at] as f64 * share;
        }
    }
    sum
}

/// For every limit that is also tried below a looser one: 0, 5, 10, 20, 50 and 100 %.
#[test]
fn a_looser_suppression_limit_is_never_worse() {
    let mut random = Random(64);
    let (mut better, mut compared) = (0, 0);
    for round in 0..30 {
        let data = random_data(&mut random, 40, if round % 3 == 0 { 14 } else { 0 });
        let table = data.table();
        for words in REQUIREMENTS {
            let requirement = requirement(words, &data.schema());
            let (history, purpose) = (History::default(), Purpose::General);
            let mut tighter: Option<f64> = None;
            for (numerator, denominator) in [(0, 1), (1, 20), (1, 10), (1, 5), (1, 2), (1, 1)] {
                let suppression = Suppression { limit: Ratio::new(numerator, denominator), cells: round % 2 == 0 };
                let task = RecodingTask {
                    purpose: &purpose,
                    suppression,
                    ..RecodingTask::new(&table, &history, &requirement)
                };
                match run("top-down-specialization", &task, Arguments::default(), &Control::QUIET) {
                    Ok(outcome) => {
                        let release = outcome.recoding.apply(&table).unwrap();
                        assert!(release.contingency.rows() > 0, "{words:?}: all records are suppressed");
                        let loss = penalty(&table, &outcome);
                        if let Some(tighter) = tighter {
                            let share = format!("{numerator}/{denominator}");
                            assert!(loss <= tighter + 1e-4, "{words:?}, limit {share}: {loss} instead of {tighter}");
                            better += u64::from(loss < tighter - 1e-4);
                            compared += 1;
                        }
                        tighter = Some(loss);
                    }
                    Err(Error::Refused(_)) => assert!(tighter.is_none(), "{words:?}: a looser limit is refused"),
                    Err(error) => panic!("{words:?}: {error}"),
                }
            }
        }
    }
    assert!(better > 100 && compared > 500, "{better} of {compared}");
}
