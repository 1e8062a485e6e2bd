//! Optimal full-domain search against every node of the lattice: none that satisfies the requirement costs less.

use reticent::algorithms::{Control, Guarantee, Purpose, RecodingTask, Suppression, run};
use reticent::registry::Arguments;
use reticent::{Error, History, Recoding, Table};

use super::definitions::violating;
use crate::laws::algorithms::REQUIREMENTS;
use crate::support::{Data, Random, random_data, requirement};

/// The generalized certainty penalty, summed over the cells of the two quasi-identifiers, as a fraction of whole numbers:
/// the place loses fifths (six leaves), the sex loses all or nothing.
fn lost(table: &Table, recoding: &Recoding) -> u64 {
    let leaves = |column: usize, code: u32| {
        let recoded = &recoding.columns[column];
        recoded.column.tree.node(recoded.column.nodes[recoded.map[code as usize] as usize]).codes.len() as u64
    };
    let whole = |column: usize| table.columns[column].tree.len() as u64;
    (0..table.contingency.len())
        .map(|at| {
            let cell = |column: usize| {
                let most = whole(column) - 1;
                // Both columns in units of 1/5.
                (5 * (leaves(column, table.contingency.codes[column][at]) - 1)).checked_div(most).unwrap_or(0)
            };
            table.contingency.weights[at] * (cell(0) + cell(1))
        })
        .sum()
}

/// Every node of the lattice, as a recoding.
fn lattice(table: &Table) -> Vec<Recoding> {
    let ladders = [0, 1].map(|column| table.columns[column].tree.full_domain_levels());
    let mut nodes = Vec::new();
    for place in &ladders[0] {
        for sex in &ladders[1] {
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

fn nothing_costs_less(seed: u64, people: usize) {
    let mut random = Random(seed);
    let (mut found, mut refused, mut between) = (0, 0, 0);
    for _ in 0..40 {
        let data: Data = random_data(&mut random, 40, people);
        let table = data.table();
        let nodes = lattice(&table);
        for words in REQUIREMENTS {
            let safe = |node: &&Recoding| {
                let published = data.published(&node.apply(&table).unwrap());
                let told = |words: &&str| violating(words, &published);
                words.iter().all(|words| told(words).0.is_empty() && told(words).1.is_empty())
            };
            let best = nodes.iter().filter(safe).map(|node| lost(&table, node)).min();
            let requirement = requirement(words, &data.schema());
            let (history, purpose) = (History::default(), Purpose::General);
            let task = RecodingTask {
                table: &table,
                history: &history,
                requirement: &requirement,
                purpose: &purpose,
                suppression: Suppression::NONE,
            };
            let about = || format!("{words:?} on {:?} by {:?}", data.rows, data.owners);
            match run("optimal-full-domain", &task, Arguments::default(), &Control::QUIET) {
                Ok(outcome) => {
                    assert_eq!(outcome.guarantee, Guarantee::Optimal, "{}", about());
                    let cost = lost(&table, &outcome.recoding);
                    assert_eq!(Some(cost), best, "{}", about());
                    found += 1;
                    let ends = [0, lost(&table, &nodes[nodes.len() - 1])];
                    between += usize::from(!ends.contains(&cost));
                }
                Err(Error::Refused(refusal)) => {
                    assert_eq!(best, None, "refused: {refusal}: {}", about());
                    refused += 1;
                }
                Err(error) => panic!("{error}: {}", about()),
            }
        }
    }
    assert!(
        found > 50 && refused > 10 && between > 10,
        "{found} found, {refused} refused, {between} neither raw nor root"
    );
}

#[test]
fn no_node_of_the_lattice_is_better() {
    nothing_costs_less(71, 0);
}

#[test]
fn no_node_of_the_lattice_is_better_for_people_with_several_records() {
    nothing_costs_less(72, 12);
}
