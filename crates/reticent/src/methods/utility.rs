//! What a release by a method is worth: how wide its quasi-identifiers are, and how far counts that are estimated from it are off.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::largest::Drawn;
use super::{Form, Outcome, Task};
use crate::taxonomy::{Code, Taxonomy};

/// What a release is worth to its readers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Utility {
    /// The survey's ILoss, mean over the published cells of quasi-identifiers: (values that the cell stands for - 1) / values of the
    /// column. 0 when every value is published.
    pub iloss: f64,
    /// The median over random counting queries of |estimate - truth| / truth, on all records of the data. None when no query
    /// counts anybody.
    pub query_error: Option<f64>,
    /// How many queries were asked.
    pub queries: u64,
}

/// Queries that are asked.
const QUERIES: usize = 100;
/// A query asks for so many in ten of the values of a column that lie side by side, in the order of its tree.
const SIDE_BY_SIDE: usize = 3;
/// What counts fewer than this share of the records is not asked: its relative error says nothing.
const LEAST: f64 = 0.001;

/// Measures it. Queries ask how many records have one of some values in each of two quasi-identifiers and a sensitive column;
/// whoever reads the release takes values of a group for equally likely everybody's, and values below a published one for equally
/// likely.
pub fn utility(task: &Task<'_>, outcome: &Outcome, form: Form) -> Utility {
    let quasi = task.quasi_identifiers();
    let spans = Spans::of(task, outcome, form, &quasi);
    let lists = coded_lists(task, outcome);
    // By column: what each record has, in one place.
    let codes = |column: usize| (0..task.records.len()).map(|at| task.code(at, column)).collect();
    let codes: Vec<Vec<Code>> = (0..task.table.columns.len()).map(codes).collect();
    let mut drawn = Drawn(0x0071_7565_7269_6573);
    let asked: Vec<Query> = (0..QUERIES).filter_map(|_| Query::draw(task, &quasi, &mut drawn)).collect();
    let error = |query: &Query| {
        let truth = (0..task.records.len()).filter(|at| query.has(&codes, *at)).count() as f64;
        let counts = truth > 0.0 && truth >= LEAST * task.records.len() as f64;
        counts.then(|| (query.estimate(&codes, outcome, &spans, &lists) - truth).abs() / truth)
    };
    let mut errors: Vec<f64> = asked.par_iter().filter_map(error).collect();
    errors.sort_unstable_by(f64::total_cmp);
    Utility {
        iloss: iloss(task, outcome, &quasi, &spans),
        query_error: errors.get(errors.len() / 2).copied(),
        queries: errors.len() as u64,
    }
}

/// By sensitive column and group: the codes that are listed, and how often; and how many are.
type CodedLists = Vec<Vec<(Vec<(Code, u64)>, u64)>>;

fn coded_lists(task: &Task<'_>, outcome: &Outcome) -> CodedLists {
    let of_column = |(at, column): (usize, usize)| {
        let values = task.table.columns[column].tree.values();
        let codes: HashMap<&str, Code> = values.iter().map(String::as_str).zip(0..).collect();
        let of_group = |group: &super::Group| {
            let list = &group.lists[at];
            let code = |(value, times): &(String, u64)| Some((*codes.get(value.as_str())?, *times));
            (list.values.iter().filter_map(code).collect(), list.len().max(1))
        };
        outcome.groups.iter().map(of_group).collect()
    };
    task.sensitive().into_iter().enumerate().map(of_column).collect()
}

/// What published cells stand for: codes from and to.
enum Spans {
    /// By group and quasi-identifier.
    OfGroups(Vec<Vec<(Code, Code)>>),
    /// By quasi-identifier, by code of the record; none where every value is shown as it is.
    OfRecords(Vec<Option<Vec<(Code, Code)>>>),
}

impl Spans {
    fn of(task: &Task<'_>, outcome: &Outcome, form: Form, quasi: &[usize]) -> Spans {
        let finest: Vec<Vec<(Code, Code)>> =
            quasi.iter().map(|column| finest(&task.table.columns[*column].tree)).collect();
        if form == Form::Anatomized {
            let coarse = |spans: Vec<(Code, Code)>| spans.iter().any(|(low, high)| low < high).then_some(spans);
            return Spans::OfRecords(finest.into_iter().map(coarse).collect());
        }
        let span = |members: &[u32], at: usize| {
            let (column, finest) = (quasi[at], &finest[at]);
            let tree = &task.table.columns[column].tree;
            let codes = members.iter().map(|at| task.code(*at as usize, column));
            let (low, high) = codes.fold((Code::MAX, 0), |(low, high), code| (code.min(low), code.max(high)));
            let missing = tree.missing().is_some_and(|missing| (low..=high).contains(&missing));
            if low == high || tree.numbers().is_some() && !missing {
                return (finest[low as usize].0, finest[high as usize].1);
            }
            let mut node = tree.leaf_of(low);
            while let Some(parent) = tree.node(node).parent.filter(|_| !tree.node(node).codes.contains(&high)) {
                node = parent;
            }
            let codes = &tree.node(node).codes;
            (codes.start, codes.end - 1)
        };
        let of_group = |group: &super::Group| (0..quasi.len()).map(|at| span(&group.members, at)).collect();
        Spans::OfGroups(outcome.groups.iter().map(of_group).collect())
    }

    /// What the cell of a record stands for: its group, the place of the quasi-identifier among them, and its own code.
    fn cell(&self, group: usize, at: usize, code: Code) -> (Code, Code) {
        match self {
            Spans::OfGroups(spans) => spans[group][at],
            Spans::OfRecords(spans) => spans[at].as_ref().map_or((code, code), |spans| spans[code as usize]),
        }
    }
}

/// By code, what the finest that may be published of it stands for.
fn finest(tree: &Taxonomy) -> Vec<(Code, Code)> {
    let span = |code: Code| match tree.leaf_of(code) {
        0 => (code, code),
        leaf => (tree.node(leaf).codes.start, tree.node(leaf).codes.end - 1),
    };
    (0..tree.len() as Code).map(span).collect()
}

fn iloss(task: &Task<'_>, outcome: &Outcome, quasi: &[usize], spans: &Spans) -> f64 {
    let (mut loss, mut cells) = (0.0, 0.0);
    for (place, group) in outcome.groups.iter().enumerate() {
        for (at, column) in quasi.iter().enumerate() {
            let width = |member: &u32| {
                let (low, high) = spans.cell(place, at, task.code(*member as usize, *column));
                f64::from(high - low)
            };
            let widths: f64 = group.members.iter().map(width).sum();
            loss += widths / task.table.columns[*column].tree.len() as f64;
            cells += group.members.len() as f64;
        }
    }
    if cells > 0.0 { loss / cells } else { 0.0 }
}

/// How many have one of some values, in each of some columns.
struct Query {
    /// Quasi-identifiers by place among them and in the table, with the codes that are asked for.
    quasi: Vec<(usize, usize, Code, Code)>,
    /// The sensitive column by place among them and in the table, with the codes that are asked for.
    sensitive: (usize, usize, Code, Code),
}

impl Query {
    fn draw(task: &Task<'_>, quasi: &[usize], drawn: &mut Drawn) -> Option<Query> {
        let range = |column: usize, drawn: &mut Drawn| {
            let values = task.table.columns[column].tree.len();
            let width = (values * SIDE_BY_SIDE).div_ceil(10).max(1);
            let low = drawn.below(values - width + 1);
            (low as Code, (low + width - 1) as Code)
        };
        let mut places: Vec<usize> = (0..quasi.len()).collect();
        drawn.shuffle(&mut places);
        places.truncate(2);
        let asked = places.into_iter().map(|at| {
            let (low, high) = range(quasi[at], drawn);
            (at, quasi[at], low, high)
        });
        let asked = asked.collect();
        let sensitive = task.sensitive();
        let at = (!sensitive.is_empty()).then(|| drawn.below(sensitive.len()))?;
        let (low, high) = range(sensitive[at], drawn);
        Some(Query { quasi: asked, sensitive: (at, sensitive[at], low, high) })
    }

    fn has(&self, codes: &[Vec<Code>], record: usize) -> bool {
        let (_, column, low, high) = self.sensitive;
        let asked = |column: usize, low: Code, high: Code| (low..=high).contains(&codes[column][record]);
        asked(column, low, high) && self.quasi.iter().all(|(_, column, low, high)| asked(*column, *low, *high))
    }

    fn estimate(&self, codes: &[Vec<Code>], outcome: &Outcome, spans: &Spans, lists: &CodedLists) -> f64 {
        let (at, _, low, high) = self.sensitive;
        let mut sum = 0.0;
        for (place, group) in outcome.groups.iter().enumerate() {
            // Of one record, the share of what its cells stand for that is asked for.
            let share = |member: u32| -> f64 {
                let asked = self.quasi.iter().map(|(at, column, low, high)| {
                    let (from, to) = spans.cell(place, *at, codes[*column][member as usize]);
                    let both = (to.min(*high) + 1).saturating_sub(from.max(*low));
                    f64::from(both) / f64::from(to - from + 1)
                });
                asked.product()
            };
            let people = match (spans, group.members.first()) {
                (Spans::OfGroups(_), Some(any)) => group.members.len() as f64 * share(*any),
                _ => group.members.iter().map(|member| share(*member)).sum(),
            };
            if people == 0.0 {
                continue;
            }
            let (list, all) = &lists[at][place];
            let listed = list.iter().filter(|(code, _)| (low..=high).contains(code));
            let listed: u64 = listed.map(|(_, times)| *times).sum();
            sum += people * listed as f64 / *all as f64;
        }
        sum
    }
}
