//! Optimal full-domain search: one generalization level for every quasi-identifier, so that least is lost.
//!
//! Definition  a node of the lattice is one level a column. At a node the records of classes that violate a model are
//!             left out until none does; the node is feasible when they are no more than the limit. Among the feasible
//!             nodes that of least cost is taken; then that of fewest steps, then the first by columns.
//! Papers      El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, JAMIA
//!             16(5), 2009; Kohlmayer, Prasser, Eckert, Kemper and Kuhn, Flash: efficient, stable and optimal
//!             k-anonymity, PASSAT 2012.
//!
//! # Why what is skipped cannot be the best
//!
//! *Bounds.* No node costs less than its bound (`cost.rs`), so nodes are skipped whose bound ranks after the best node.
//!
//! *Tags.* If a node has too many violating records, so has every more specific node, for models that hold for a class
//! merged `WithAny` other. Let K be the records that are kept at the specific node. Every class that a model makes of K
//! there holds; at the general node the classes of K are unions of those, so they hold too. And whatever other records
//! are still there, a class that contains a record of K is a class of K merged with some others, and holds. So no round
//! of suppression at the general node leaves out a record of K, whatever the models group by: it keeps K, and maybe more.
//! (Such a model looks at nothing outside a class, else it could not hold after any merge.)
//! The records that a requirement keeps are also kept by any part of it that consists of such models: they are a set on
//! which nothing violates, and no round leaves one of them out. So where that part alone fails, the whole does, and the
//! tag is sound for requirements that have other models too.
//! With limit 0, K is the whole table, and unions of classes that hold need only hold when merged `WithSatisfying` ones;
//! what a model compares a class with (t-closeness) is the whole table at every node. Not so where people have several
//! records: two classes that bound a confidence can share people, and their union can have fewer than both together.
//!
//! *Subsets of columns* (Incognito) need no rule of their own: leaving a column out is generalizing it to its root, so a
//! tag at that node covers it.
//!
//! *Records that are left out anyway.* Where all models merge `WithAny`, the same argument says that every record left out
//! at a node is left out at every more specific one; there it said no less before, so it loses no less. A node is skipped
//! when its bound, together with what suppression adds at a more general node, is more than the best cost.
//!
//! *Floors.* For metrics of classes, a node's floor never falls by generalizing, so nodes above one whose floor is more
//! than the best cost are skipped.
//!
//! Tags, floors and counting from the classes of a more specific node need levels that nest. A rectangular taxonomy file
//! can repeat a value so that they do not; then every node is judged whose bound allows it, from the records themselves.

mod cost;
mod evaluator;
mod keys;
mod lattice;
mod search;
#[cfg(test)]
mod tests;

use crate::algorithms::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::taxonomy::Cut;
use crate::error::{Error, Obstacle, Refusal, Result, ViolatingClass};
use crate::operations::suppress_cells::suppress_cells;
use crate::operations::suppress_records::suppress_records;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::history::History;
use crate::release::recoding::Recoding;

use cost::Metric;
use evaluator::{EvaluatorInput, NodeEvaluator};
use lattice::{GeneralizationHierarchy, Lattice, grown_taxonomy};
use search::{BestNode, LatticeSearch};

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "optimal-full-domain",
        title: "optimal full-domain search",
        summary: "Publishes every quasi-identifier at one level of its taxonomy and leaves out records up to the limit, so \
                  that no other choice of levels loses less.",
        paper: "El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, JAMIA \
                16(5), 2009; Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity, PASSAT 2012",
        protects_against: "what the requirement says, in one release",
        comparison: false,
        parameters: &[ParameterDef {
            name: "metric",
            domain: Domain::Word(cost::METRIC_NAMES),
            default: Some("gcp"),
            meaning: "what is to be lost least",
        }],
        evidence: &["algorithms::optimal_full_domain::tests"],
    },
    run,
};

fn run(task: &RecodingTask<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    if !task.history.is_empty() {
        return Err(Obstacle::SearchIgnoresHistory {}.into());
    }
    let table = task.table;
    let hierarchies = generalized_hierarchies(task)?;
    let lattice = Lattice::new(hierarchies.iter().map(|hierarchy| hierarchy.levels.len()).collect())?;
    let ungeneralized = recoding(table, &hierarchies, &vec![0; hierarchies.len()]);
    let rows = table.contingency.rows();
    // A release with no record at all is none.
    let limit = task.suppression.max_suppressed(rows).min(rows.saturating_sub(1));
    let metric = Metric::from_name(arguments.word("metric")?);
    let input = EvaluatorInput {
        table,
        requirement: task.requirement,
        hierarchies: &hierarchies,
        ungeneralized: &ungeneralized,
        metric,
        limit,
    };
    let evaluator = NodeEvaluator::new(&input)?;
    let mut search = LatticeSearch::new(&evaluator, lattice, control);
    search.run()?;
    match search.best {
        Some(best) => outcome(task, &input, &search, &best, evaluator.costs().text(best.cost())),
        None if search.stopped => Err(Error::Stopped),
        None => Err(refusal(&input)?),
    }
}

/// The ladders of the quasi-identifiers that some model groups by and none measures.
fn generalized_hierarchies(task: &RecodingTask<'_>) -> Result<Vec<GeneralizationHierarchy>> {
    let mut grouped = Vec::new();
    let mut measured = Vec::new();
    for model in &task.requirement.models {
        grouped.extend(task.table.positions(model.grouped_by())?);
        measured.extend(task.table.positions(model.measured())?);
    }
    let columns = task.table.with_role(Role::QuasiIdentifier).into_iter();
    let columns = columns.filter(|column| grouped.contains(column) && !measured.contains(column));
    Ok(columns.map(|column| GeneralizationHierarchy::new(task.table, column)).collect())
}

/// Publishes generalized columns at these rungs, and all others as they are.
fn recoding(table: &Table, hierarchies: &[GeneralizationHierarchy], levels: &[usize]) -> Recoding {
    let nodes =
        (0..table.columns.len()).map(|column| match hierarchies.iter().position(|known| known.column == column) {
            Some(at) => (hierarchies[at].tree.clone(), hierarchies[at].levels[levels[at]].nodes.clone()),
            None => {
                let tree = grown_taxonomy(table, column);
                let above = Cut::bottom(&tree).above(&tree);
                (tree, above)
            }
        });
    Recoding::by_node(table, nodes.collect())
}

/// Makes the release of the best node, and checks that it leaves out no more than it may.
fn outcome(
    task: &RecodingTask<'_>,
    input: &EvaluatorInput<'_>,
    search: &LatticeSearch<'_>,
    best: &BestNode,
    cost: String,
) -> Result<SearchOutcome> {
    let levels = search.lattice.levels(best.node());
    let mut recoding = recoding(task.table, input.hierarchies, &levels);
    let suppress = if task.suppression.cells { suppress_cells } else { suppress_records };
    let suppressed = suppress(task.table, &mut recoding, task.requirement, &[])?;
    let expected = if task.suppression.cells { input.limit } else { best.suppressed };
    if suppressed > expected || (suppressed < expected && !task.suppression.cells) {
        return Err(Obstacle::SuppressionMiscounted { suppressed, expected }.into());
    }
    let mut notes = vec![levels_text(task.table, input.hierarchies, &levels), search_text(search, &cost)];
    if task.suppression.cells && best.suppressed > 0 {
        notes.push(format!(
            "The levels were chosen as if the {} records of violating classes were left out; hiding cells then left out {suppressed}.",
            best.suppressed
        ));
    }
    // With cells hidden the levels are the best for leaving records out, which is not the same thing.
    let others_may_be_better = search.stopped || (task.suppression.cells && best.suppressed > 0);
    let guarantee = if others_may_be_better { Guarantee::Safe } else { Guarantee::Optimal };
    Ok(SearchOutcome { recoding, guarantee, steps: search.judged, notes })
}

/// `Levels: age 2 of 5, sex 0 of 1.`
fn levels_text(table: &Table, hierarchies: &[GeneralizationHierarchy], levels: &[usize]) -> String {
    if hierarchies.is_empty() {
        return "No column was generalized: no model groups by a quasi-identifier that none measures.".to_owned();
    }
    let level = |(hierarchy, level): (&GeneralizationHierarchy, &usize)| {
        format!(
            "{} {} of {}",
            table.columns[hierarchy.column].name, hierarchy.levels[*level].number, hierarchy.root_level
        )
    };
    let levels: Vec<String> = hierarchies.iter().zip(levels).map(level).collect();
    format!("Generalization levels (0 is the value itself, the last is the root): {}.", levels.join(", "))
}

fn search_text(search: &LatticeSearch<'_>, cost: &str) -> String {
    let nodes = search.lattice.len();
    let (judged, tagged) = (search.judged, search.lattice.tagged);
    if search.stopped {
        return format!(
            "The search was stopped early: {cost}. Of {nodes} nodes {judged} judged, {tagged} ruled out by those."
        );
    }
    format!(
        "No other node costs less: {cost}. Of {nodes} nodes {judged} judged, {tagged} ruled out by those, the others by what \
         they must cost at least."
    )
}

/// Why nothing can be published: which model fails even with every column at its root, and what would help.
fn refusal(input: &EvaluatorInput<'_>) -> Result<Error> {
    let top: Vec<usize> = input.hierarchies.iter().map(|hierarchy| hierarchy.levels.len() - 1).collect();
    let mut recoding = recoding(input.table, input.hierarchies, &top);
    let history = History::single(recoding.apply(input.table)?);
    let mut failing = Vec::new();
    for (title, survey) in input.requirement.survey(&history)? {
        if let Some(worst) = survey.violations.first() {
            let explanation = worst.explanation.clone();
            failing.push(ViolatingClass { requirement: title, explanation, people: survey.violating });
        }
    }
    let rows = input.table.contingency.rows();
    let needed = suppress_records(input.table, &mut recoding, input.requirement, &[])?;
    let needed = Some(needed).filter(|needed| *needed < rows);
    Ok(Refusal::LevelsUnreachable { limit: input.limit, rows, needed, failing }.into())
}
