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
mod judging;
mod keys;
mod lattice;
mod search;
#[cfg(test)]
mod tests;

use crate::algorithms::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::{Error, Failing, Obstacle, Refusal, Result};
use crate::history::History;
use crate::operations::suppress_cells::suppress_cells;
use crate::operations::suppress_records::suppress_records;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Role;
use crate::table::Table;
use crate::taxonomy::Cut;

use cost::Metric;
use judging::{Given, Judging};
use lattice::{Ladder, Lattice, finished};
use search::{Best, Search};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "optimal-full-domain",
        title: "optimal full-domain search",
        summary: "Publishes every quasi-identifier at one level of its taxonomy and leaves out records up to the limit, so \
                  that no other choice of levels loses less.",
        paper: "El Emam et al., A globally optimal k-anonymity method for the de-identification of health data, JAMIA \
                16(5), 2009; Kohlmayer et al., Flash: efficient, stable and optimal k-anonymity, PASSAT 2012",
        thwarts: "what the requirement says, in one release",
        comparison: false,
        parameters: &[Parameter {
            name: "metric",
            domain: Domain::Word(cost::WORDS),
            default: Some("gcp"),
            meaning: "what is to be lost least",
        }],
        evidence: &["algorithms::optimal_full_domain::tests"],
    },
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<Outcome> {
    if !task.history.is_empty() {
        return Err(Obstacle::SearchIgnoresHistory {}.into());
    }
    let table = task.table;
    let ladders = generalized(task)?;
    let lattice = Lattice::new(ladders.iter().map(|ladder| ladder.rungs.len()).collect())?;
    let plain = recoding(table, &ladders, &vec![0; ladders.len()]);
    let rows = table.combos.rows();
    // A release with no record at all is none.
    let limit = task.suppression.of(rows).min(rows.saturating_sub(1));
    let metric = Metric::named(arguments.word("metric")?);
    let given = Given { table, requirement: task.requirement, ladders: &ladders, plain: &plain, metric, limit };
    let judging = Judging::new(&given)?;
    let mut search = Search::new(&judging, lattice, control);
    search.run()?;
    match search.best {
        Some(best) => outcome(task, &given, &search, &best, judging.costs().text(best.cost())),
        None if search.stopped => Err(Error::Stopped),
        None => Err(refusal(&given)?),
    }
}

/// The ladders of the quasi-identifiers that some model groups by and none measures.
fn generalized(task: &Task<'_>) -> Result<Vec<Ladder>> {
    let mut grouped = Vec::new();
    let mut measured = Vec::new();
    for model in &task.requirement.models {
        grouped.extend(task.table.positions(model.by())?);
        measured.extend(task.table.positions(model.of())?);
    }
    let columns = task.table.with_role(Role::QuasiIdentifier).into_iter();
    let columns = columns.filter(|column| grouped.contains(column) && !measured.contains(column));
    Ok(columns.map(|column| Ladder::new(task.table, column)).collect())
}

/// Publishes generalized columns at these rungs, and all others as they are.
fn recoding(table: &Table, ladders: &[Ladder], rungs: &[usize]) -> Recoding {
    let nodes = (0..table.columns.len()).map(|column| match ladders.iter().position(|known| known.column == column) {
        Some(at) => (ladders[at].tree.clone(), ladders[at].rungs[rungs[at]].nodes.clone()),
        None => {
            let tree = finished(table, column);
            let above = Cut::bottom(&tree).above(&tree);
            (tree, above)
        }
    });
    Recoding::by_node(table, nodes.collect())
}

/// Makes the release of the best node, and checks that it leaves out no more than it may.
fn outcome(task: &Task<'_>, given: &Given<'_>, search: &Search<'_>, best: &Best, cost: String) -> Result<Outcome> {
    let rungs = search.lattice.rungs(best.node());
    let mut recoding = recoding(task.table, given.ladders, &rungs);
    let suppress = if task.suppression.cells { suppress_cells } else { suppress_records };
    let suppressed = suppress(task.table, &mut recoding, task.requirement, &[])?;
    let expected = if task.suppression.cells { given.limit } else { best.suppressed };
    if suppressed > expected || (suppressed < expected && !task.suppression.cells) {
        return Err(Obstacle::SuppressionMiscounted { suppressed, expected }.into());
    }
    let mut notes = vec![levels_text(task.table, given.ladders, &rungs), search_text(search, &cost)];
    if task.suppression.cells && best.suppressed > 0 {
        notes.push(format!(
            "The levels were chosen as if the {} records of violating classes were left out; hiding cells then left out {suppressed}.",
            best.suppressed
        ));
    }
    // With cells hidden the levels are the best for leaving records out, which is not the same thing.
    let others_may_be_better = search.stopped || (task.suppression.cells && best.suppressed > 0);
    let guarantee = if others_may_be_better { Guarantee::Safe } else { Guarantee::Optimal };
    Ok(Outcome { recoding, guarantee, steps: search.judged, notes })
}

/// `Levels: age 2 of 5, sex 0 of 1.`
fn levels_text(table: &Table, ladders: &[Ladder], rungs: &[usize]) -> String {
    if ladders.is_empty() {
        return "No column was generalized: no model groups by a quasi-identifier that none measures.".to_owned();
    }
    let level = |(ladder, rung): (&Ladder, &usize)| {
        format!("{} {} of {}", table.columns[ladder.column].name, ladder.rungs[*rung].level, ladder.top)
    };
    let levels: Vec<String> = ladders.iter().zip(rungs).map(level).collect();
    format!("Generalization levels (0 is the value itself, the last is the root): {}.", levels.join(", "))
}

fn search_text(search: &Search<'_>, cost: &str) -> String {
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
fn refusal(given: &Given<'_>) -> Result<Error> {
    let top: Vec<usize> = given.ladders.iter().map(|ladder| ladder.rungs.len() - 1).collect();
    let mut recoding = recoding(given.table, given.ladders, &top);
    let history = History::single(recoding.apply(given.table)?);
    let mut failing = Vec::new();
    for (title, survey) in given.requirement.survey(&history)? {
        if let Some(worst) = survey.violations.first() {
            let explanation = worst.explanation.clone();
            failing.push(Failing { requirement: title, explanation, people: survey.violating });
        }
    }
    let rows = given.table.combos.rows();
    let needed = suppress_records(given.table, &mut recoding, given.requirement, &[])?;
    let needed = Some(needed).filter(|needed| *needed < rows);
    Ok(Refusal::LevelsUnreachable { limit: given.limit, rows, needed, failing }.into())
}
