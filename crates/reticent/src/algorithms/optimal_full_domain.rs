//! Optimal full-domain generalization: one generalization level per quasi-identifier, with the least information loss.
//!
//! Definition  a node of the lattice has one level per column. At a node, records of classes that violate a model are suppressed
//!             until no class violates. The node is feasible if their number is at most the limit. The search returns the
//!             feasible node of least cost. Ties are resolved by the sum of levels, then by the order of columns.
//! Papers      El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, JAMIA
//!             16(5), 2009; Kohlmayer, Prasser, Eckert, Kemper and Kuhn, Flash: efficient, stable and optimal
//!             k-anonymity, PASSAT 2012.
//!
//! # Why pruning is sound
//!
//! *Bounds.* No node costs less than its bound (`cost.rs`). A node is skipped if its bound ranks after the best node.
//!
//! *Monotone models (predictive tagging).* Take models for which a satisfying class stays satisfying when merged `WithAny` class.
//! If a node needs too much suppression, so does every more specific node. Proof: let K be the records kept at a specific node.
//! Every class of K satisfies the models there. At a more general node, the classes of K are unions of these classes, so they are
//! satisfying. If other records are still present, a class with a record of K is a class of K merged with others, so it is
//! satisfying too. Hence no round of suppression at the general node suppresses a record of K, whatever the models group by.
//! (Such a model depends on nothing outside a class; otherwise it could not survive every merge.)
//!
//! *Mixed requirements.* The records that a requirement keeps are also kept by the monotone models alone: they are a set without
//! violations, and no round suppresses one of them. So if the monotone models alone make a node infeasible, the requirement does,
//! and the tag is sound.
//!
//! *Limit 0.* Then K is the whole table, and it suffices that classes stay satisfying when merged `WithSatisfying` classes. The
//! reference distribution of t-closeness is the whole table at every node. The argument fails if people have several records: two
//! classes can share people, so their union can have fewer people than both together, and a confidence can rise.
//!
//! *Subsets of columns* (Incognito) need no separate rule. Omitting a column is the same as generalizing it to its root, so a tag
//! at that node covers the subset.
//!
//! *Records suppressed anyway.* If all models merge `WithAny`, the same argument shows that a record suppressed at a node is
//! suppressed at every more specific node. There it was published in at least as much detail, so its suppression loses at least as
//! much. A node is skipped if its bound plus the suppression loss at a more general node exceeds the best cost.
//!
//! *Floors.* For metrics of classes, the floor of a node never decreases by generalization. If a floor exceeds the best cost, all
//! more general nodes are skipped.
//!
//! Tags, floors and counting from the classes of a more specific node need nested levels. A rectangular taxonomy file can repeat a
//! value so that levels are not nested. Then every node that its bound does not exclude is judged from the records.

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
        summary: "Publishes every quasi-identifier at one level of its taxonomy, with suppression up to the limit. No other choice of \
                  levels has less information loss.",
        paper: "El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, JAMIA \
                16(5), 2009; Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity, PASSAT 2012",
        protects_against: "the attacks of the models in the requirement, for a single release",
        comparison: false,
        parameters: &[ParameterDef {
            name: "metric",
            domain: Domain::Word(cost::METRIC_NAMES),
            default: Some("gcp"),
            meaning: "metric of the information loss to minimize",
        }],
        evidence: &["algorithms::optimal_full_domain::tests"],
    },
    sets: false,
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
    // At least one record must be published.
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

/// Returns the hierarchies of the quasi-identifiers that a model groups by and no model measures.
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

/// Returns the recoding with generalized columns at these levels and other columns unchanged.
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

/// Builds the release of the best node, and checks the number of suppressed records.
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
            "The levels were chosen for suppression of the {} records in violating classes; with cell suppression, {suppressed} records \
             were suppressed.",
            best.suppressed
        ));
    }
    // The levels are optimal for record suppression, but not necessarily for cell suppression.
    let others_may_be_better = search.stopped || (task.suppression.cells && best.suppressed > 0);
    let guarantee = if others_may_be_better { Guarantee::Safe } else { Guarantee::Optimal };
    Ok(SearchOutcome { recoding, guarantee, steps: search.judged, notes })
}

/// Formats levels: `age 2 of 5, sex 0 of 1`.
fn levels_text(table: &Table, hierarchies: &[GeneralizationHierarchy], levels: &[usize]) -> String {
    if hierarchies.is_empty() {
        return "No column was generalized: every quasi-identifier that a model groups by is also measured by a model."
            .to_owned();
    }
    let level = |(hierarchy, level): (&GeneralizationHierarchy, &usize)| {
        format!(
            "{} {} of {}",
            table.columns[hierarchy.column].name, hierarchy.levels[*level].number, hierarchy.root_level
        )
    };
    let levels: Vec<String> = hierarchies.iter().zip(levels).map(level).collect();
    format!("Generalization levels (0 is the exact value, the last is the root): {}.", levels.join(", "))
}

fn search_text(search: &LatticeSearch<'_>, cost: &str) -> String {
    let nodes = search.lattice.len();
    let (judged, tagged) = (search.judged, search.lattice.tagged);
    if search.stopped {
        return format!(
            "The search was stopped early: {cost}. Of {nodes} nodes, {judged} were judged and {tagged} pruned by tags."
        );
    }
    format!(
        "No other node costs less: {cost}. Of {nodes} nodes, {judged} were judged, {tagged} pruned by tags, and the others pruned by \
         their lower bounds."
    )
}

/// Returns the refusal: the models that are violated with every column at its root, and the suppression that would be needed.
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
