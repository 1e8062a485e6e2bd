//! Optimal full-domain search, compared with all nodes of the lattice: no node that satisfies the requirement has a lower loss.

use reticent::algorithms::{Control, Guarantee, Purpose, RecodingTask, run};
use reticent::registry::Arguments;
use reticent::{Error, History, Recoding, Table};

use super::definitions::violating;
use crate::laws::algorithms::REQUIREMENTS;
use crate::support::{Data, Random, random_data, requirement};

/// Generalized certainty penalty in units of 1/5, summed over the cells of both quasi-identifiers. A place (six leaves) loses
/// multiples of 1/5, a sex loses 0 or 1.
fn loss(table: &Table, recoding: &Recoding) -> u64 {
    let leaves = |column: usize, code: u32| {
        let recoded = &recoding.columns[column];
        recoded.column.tree.node(recoded.column.nodes[recoded.map[code as usize] as usize]).span.len() as u64
    };
    let whole = |column: usize| table.columns[column].tree.len() as u64;
    (0..table.contingency.len())
        .map(|at| {
            let cell = |column: usize| {
                let largest = whole(column) - 1;
                // Both columns in units of 1/5.
                (5 * (leaves(column, table.contingency.codes[column][at]) - 1)).checked_div(largest).unwrap_or(0)
            };
            table.contingency.weights[at] * (cell(0) + cell(1))
        })
        .sum()
}

/// All nodes of the lattice, as recodings.
fn lattice(table: &Table) -> Vec<Recoding> {
    let levels = [0, 1].map(|column| table.columns[column].tree.full_domain_levels());
    let mut nodes = Vec::new();
    for place in &levels[0] {
        for sex in &levels[1] {
            let identity = |at: usize| {
                let tree = &table.columns[at].tree;
                (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect()
            };
            let published = [place.clone(), sex.clone(), identity(2), identity(3)];
            let trees = table.columns.iter().map(|column| column.tree.clone());
            nodes.push(Recoding::by_node(table, trees.zip(published).collect()));
        }
    }
    nodes
}

fn assert_optimal(seed: u64, people: usize) {
    let mut random = Random(seed);
    let (mut found, mut refused, mut between) = (0, 0, 0);
    for _ in 0..40 {
        let data: Data = random_data(&mut random, 40, people);
        let table = data.table();
        let nodes = lattice(&table);
        for words in REQUIREMENTS {
            let safe = |node: &&Recoding| {
                let published = data.published(&node.apply(&table).unwrap());
                let result = |words: &&str| violating(words, &published);
                words.iter().all(|words| result(words).0.is_empty() && result(words).1.is_empty())
            };
            let best = nodes.iter().filter(safe).map(|node| loss(&table, node)).min();
            let requirement = requirement(words, &data.schema());
            let (history, purpose) = (History::default(), Purpose::General);
            let task = RecodingTask { purpose: &purpose, ..RecodingTask::new(&table, &history, &requirement) };
            let context = || format!("{words:?} on {:?} by {:?}", data.rows, data.owners);
            match run("optimal-full-domain", &task, Arguments::default(), &Control::QUIET) {
                Ok(outcome) => {
                    assert_eq!(outcome.guarantee, Guarantee::Optimal, "{}", context());
                    let cost = loss(&table, &outcome.recoding);
                    assert_eq!(Some(cost), best, "{}", context());
                    found += 1;
                    let ends = [0, loss(&table, &nodes[nodes.len() - 1])];
                    between += usize::from(!ends.contains(&cost));
                }
                Err(Error::Refused(refusal)) => {
                    assert_eq!(best, None, "refused: {refusal}: {}", context());
                    refused += 1;
                }
                Err(error) => panic!("{error}: {}", context()),
            }
        }
    }
    assert!(
        found > 50 && refused > 10 && between > 10,
        "{found} found, {refused} refused, {between} neither raw nor fully suppressed"
    );
}

#[test]
fn no_node_of_the_lattice_has_a_lower_loss() {
    assert_optimal(71, 0);
}

#[test]
fn no_node_of_the_lattice_has_a_lower_loss_for_people_with_several_records() {
    assert_optimal(72, 12);
}
