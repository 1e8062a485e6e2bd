//! What a release by a method is worth: how wide its quasi-identifiers are, and how far counts that are estimated from it are off.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::largest::Drawn;
use super::{Form, Outcome, Task};
use crate::taxonomy::Code;

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
    let spans = spans(task, outcome, form, &quasi);
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

/// By group and quasi-identifier: the codes that the published cell stands for; none where every record shows its own.
type Spans = Vec<Vec<(Code, Code)>>;

fn spans(task: &Task<'_>, outcome: &Outcome, form: Form, quasi: &[usize]) -> Option<Spans> {
    if form == Form::Anatomized {
        return None;
    }
    let span = |members: &[u32], column: usize| {
        let tree = &task.table.columns[column].tree;
        let codes = members.iter().map(|at| task.code(*at as usize, column));
        let (low, high) = codes.fold((Code::MAX, 0), |(low, high), code| (code.min(low), code.max(high)));
        let missing = tree.missing().is_some_and(|missing| (low..=high).contains(&missing));
        if low == high || tree.numbers().is_some() && !missing {
            return (low, high);
        }
        let mut node = tree.leaf_of(low);
        while let Some(parent) = tree.node(node).parent.filter(|_| !tree.node(node).codes.contains(&high)) {
            node = parent;
        }
        let codes = &tree.node(node).codes;
        (codes.start, codes.end - 1)
    };
    let of_group = |group: &super::Group| quasi.iter().map(|column| span(&group.members, *column)).collect();
    Some(outcome.groups.iter().map(of_group).collect())
}

fn iloss(task: &Task<'_>, outcome: &Outcome, quasi: &[usize], spans: &Option<Spans>) -> f64 {
    let Some(spans) = spans else { return 0.0 };
    let (mut loss, mut cells) = (0.0, 0.0);
    for (group, spans) in outcome.groups.iter().zip(spans) {
        let people = group.members.len() as f64;
        for (column, (low, high)) in quasi.iter().zip(spans) {
            loss += people * f64::from(high - low) / task.table.columns[*column].tree.len() as f64;
            cells += people;
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

    fn estimate(&self, codes: &[Vec<Code>], outcome: &Outcome, spans: &Option<Spans>, lists: &CodedLists) -> f64 {
        let (at, _, low, high) = self.sensitive;
        let mut sum = 0.0;
        for (place, group) in outcome.groups.iter().enumerate() {
            let people = match spans {
                None => {
                    let fits = |member: &&u32| {
                        let code = |column: usize| codes[column][**member as usize];
                        self.quasi.iter().all(|(_, column, low, high)| (*low..=*high).contains(&code(*column)))
                    };
                    group.members.iter().filter(fits).count() as f64
                }
                Some(spans) => {
                    let share = |(at, _, low, high): &(usize, usize, Code, Code)| {
                        let (from, to) = spans[place][*at];
                        let both = (to.min(*high) + 1).saturating_sub(from.max(*low));
                        f64::from(both) / f64::from(to - from + 1)
                    };
                    group.members.len() as f64 * self.quasi.iter().map(share).product::<f64>()
                }
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
