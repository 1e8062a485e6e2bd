//! Utility of a release by groups: the information loss of its quasi-identifiers, and the relative error of count queries.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::cover::finest_interval;
use super::largest::MethodRng;
use super::{Form, GroupingOutcome, RepublicationTask};
use crate::data::taxonomy::{Code, Taxonomy};
use crate::data::workload::{CodeCondition, MIN_SELECTIVITY};

/// Utility of a release by groups.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Utility {
    /// ILoss of the survey: mean over the quasi-identifier cells of (values that the cell covers - 1) / (values of the column). 0 if
    /// every value is published unchanged.
    pub iloss: f64,
    /// Median over random count queries of |estimate - truth| / truth, over all records of the data. `None` without a query.
    pub query_error: Option<f64>,
    /// Number of evaluated queries.
    pub queries: u64,
}

/// Number of drawn queries.
const QUERY_COUNT: usize = 100;

/// Measures the utility of a release.
///
/// A query counts the records in a range of values of two quasi-identifiers and one sensitive column. The estimate assumes that
/// the listed values of a group are uniformly distributed over its members, and the values below a published one are uniform.
pub fn utility(task: &RepublicationTask<'_>, outcome: &GroupingOutcome, form: Form) -> Utility {
    let qi = task.quasi_identifiers();
    let spans = Spans::new(task, outcome, form, &qi);
    let lists = coded_lists(task, outcome);
    // Codes by column and record.
    let codes = |column: usize| (0..task.records.len()).map(|at| task.code(at, column)).collect();
    let codes: Vec<Vec<Code>> = (0..task.table.columns.len()).map(codes).collect();
    let mut rng = MethodRng(0x0071_7565_7269_6573);
    let queries: Vec<Query> = (0..QUERY_COUNT).filter_map(|_| Query::draw(task, &qi, &mut rng)).collect();
    let error = |query: &Query| {
        let truth = (0..task.records.len()).filter(|at| query.matches(&codes, *at)).count() as f64;
        let counts = truth > 0.0 && truth >= MIN_SELECTIVITY * task.records.len() as f64;
        counts.then(|| (query.estimate(&codes, outcome, &spans, &lists) - truth).abs() / truth)
    };
    let mut errors: Vec<f64> = queries.par_iter().filter_map(error).collect();
    errors.sort_unstable_by(f64::total_cmp);
    Utility {
        iloss: iloss(task, outcome, &qi, &spans),
        query_error: errors.get(errors.len() / 2).copied(),
        queries: errors.len() as u64,
    }
}

/// Listed codes with their counts, and the total count, by sensitive column and group.
type CodedLists = Vec<Vec<(Vec<(Code, u64)>, u64)>>;

fn coded_lists(task: &RepublicationTask<'_>, outcome: &GroupingOutcome) -> CodedLists {
    let of_column = |(at, column): (usize, usize)| {
        let values = task.table.columns[column].tree.values();
        let codes: HashMap<&str, Code> = values.iter().map(String::as_str).zip(0..).collect();
        let of_group = |group: &super::ReleaseGroup| {
            let list = &group.lists[at];
            let code = |(value, times): &(String, u64)| Some((*codes.get(value.as_str())?, *times));
            (list.values.iter().filter_map(code).collect(), list.len().max(1))
        };
        outcome.groups.iter().map(of_group).collect()
    };
    task.sensitive().into_iter().enumerate().map(of_column).collect()
}

/// Ranges of codes (first, last) that published cells cover.
enum Spans {
    /// Ranges by group and quasi-identifier.
    ByGroup(Vec<Vec<(Code, Code)>>),
    /// Ranges by quasi-identifier and code of the record; `None` if all values are published unchanged.
    ByRecord(Vec<Option<Vec<(Code, Code)>>>),
}

impl Spans {
    fn new(task: &RepublicationTask<'_>, outcome: &GroupingOutcome, form: Form, qi: &[usize]) -> Spans {
        let finest: Vec<Vec<(Code, Code)>> =
            qi.iter().map(|column| finest(&task.table.columns[*column].tree)).collect();
        if form == Form::Anatomized {
            let coarse = |spans: Vec<(Code, Code)>| spans.iter().any(|(low, high)| low < high).then_some(spans);
            return Spans::ByRecord(finest.into_iter().map(coarse).collect());
        }
        let span = |members: &[u32], at: usize| {
            let (column, finest) = (qi[at], &finest[at]);
            let tree = &task.table.columns[column].tree;
            let codes = members.iter().map(|at| task.code(*at as usize, column));
            let (low, high) = codes.fold((Code::MAX, 0), |(low, high), code| (code.min(low), code.max(high)));
            let missing = tree.missing().is_some_and(|missing| (low..=high).contains(&missing));
            if low == high || tree.numbers().is_some() && !missing {
                let codes_of = |code: Code| finest_interval(tree, code).map(|node| tree.node(node).span.clone());
                return match (codes_of(low), codes_of(high)) {
                    (Some(first), Some(last)) if low < high => (first.start, last.end - 1),
                    _ => (finest[low as usize].0, finest[high as usize].1),
                };
            }
            let mut node = tree.leaf_of(low);
            while let Some(parent) = tree.node(node).parent.filter(|_| !tree.node(node).span.contains(&high)) {
                node = parent;
            }
            let codes = &tree.node(node).span;
            (codes.start, codes.end - 1)
        };
        let of_people = |people: &Vec<u32>| (0..qi.len()).map(|at| span(people, at)).collect();
        let (cover_of, covers) = outcome.covers(task);
        let of_cover: Vec<Vec<(Code, Code)>> = covers.iter().map(of_people).collect();
        Spans::ByGroup(cover_of.into_iter().map(|cover| of_cover[cover].clone()).collect())
    }

    /// Returns the range of a cell, given the group, the index of the quasi-identifier and the code of the record.
    fn cell(&self, group: usize, at: usize, code: Code) -> (Code, Code) {
        match self {
            Spans::ByGroup(spans) => spans[group][at],
            Spans::ByRecord(spans) => spans[at].as_ref().map_or((code, code), |spans| spans[code as usize]),
        }
    }
}

/// Returns the range of the finest publishable value, by code.
fn finest(tree: &Taxonomy) -> Vec<(Code, Code)> {
    let span = |code: Code| match tree.leaf_of(code) {
        0 => (code, code),
        leaf => (tree.node(leaf).span.start, tree.node(leaf).span.end - 1),
    };
    (0..tree.len() as Code).map(span).collect()
}

fn iloss(task: &RepublicationTask<'_>, outcome: &GroupingOutcome, qi: &[usize], spans: &Spans) -> f64 {
    let (mut loss, mut cells) = (0.0, 0.0);
    for (place, group) in outcome.groups.iter().enumerate() {
        for (at, column) in qi.iter().enumerate() {
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

/// A count query: the number of records in a range of values of each column.
struct Query {
    /// Ranges of quasi-identifiers, with the index among the quasi-identifiers.
    qi: Vec<(usize, CodeCondition)>,
    /// Range of the sensitive column, with the index among the sensitive columns.
    sensitive: (usize, CodeCondition),
}

impl Query {
    fn draw(task: &RepublicationTask<'_>, qi: &[usize], rng: &mut MethodRng) -> Option<Query> {
        let range = |column: usize, rng: &mut MethodRng| {
            CodeCondition::draw(column, task.table.columns[column].tree.len(), &mut |n| rng.below(n))
        };
        let mut places: Vec<usize> = (0..qi.len()).collect();
        rng.shuffle(&mut places);
        places.truncate(2);
        let ranges = places.into_iter().map(|at| (at, range(qi[at], rng))).collect();
        let sensitive = task.sensitive();
        let at = (!sensitive.is_empty()).then(|| rng.below(sensitive.len()))?;
        Some(Query { qi: ranges, sensitive: (at, range(sensitive[at], rng)) })
    }

    fn matches(&self, codes: &[Vec<Code>], record: usize) -> bool {
        let in_range = |(_, condition): &(usize, CodeCondition)| condition.contains(codes[condition.column][record]);
        in_range(&self.sensitive) && self.qi.iter().all(in_range)
    }

    fn estimate(&self, codes: &[Vec<Code>], outcome: &GroupingOutcome, spans: &Spans, lists: &CodedLists) -> f64 {
        let (at, sensitive) = &self.sensitive;
        let mut sum = 0.0;
        for (place, group) in outcome.groups.iter().enumerate() {
            // Share of the values covered by the cells of a record that are in the range of the query.
            let share = |member: u32| -> f64 {
                let shares = self.qi.iter().map(|(at, condition)| {
                    let (from, to) = spans.cell(place, *at, codes[condition.column][member as usize]);
                    condition.share(std::slice::from_ref(&(from..to + 1)))
                });
                shares.product()
            };
            let people = match (spans, group.members.first()) {
                (Spans::ByGroup(_), Some(any)) => group.members.len() as f64 * share(*any),
                _ => group.members.iter().map(|member| share(*member)).sum(),
            };
            if people == 0.0 {
                continue;
            }
            let (list, all) = &lists[*at][place];
            let listed = list.iter().filter(|(code, _)| sensitive.contains(*code));
            let listed: u64 = listed.map(|(_, times)| *times).sum();
            sum += people * listed as f64 / *all as f64;
        }
        sum
    }
}
