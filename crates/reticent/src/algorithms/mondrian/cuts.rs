//! Candidate cuts of a part, best first: at the median, or for a purpose where the least impurity of the label remains.

use std::ops::Range;

use super::CutForm;
use super::impurity::{Impurity, LabelHistograms};
use crate::algorithms::RecodingTask;
use crate::algorithms::local_recoding::Parts;
use crate::algorithms::regions::{RegionContext, RegionDimension, WeightBound};
use crate::data::contingency::Weight;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::error::Result;

/// Maximum number of cuts for a purpose that are judged for one part. After them, the cuts at the medians are tried.
const JUDGED_CUTS: usize = 64;

/// A cut: combinations below `at` are on the first side. A strict cut has rank 0, so it separates codes only.
#[derive(Debug, Clone, Copy)]
struct CodeCut {
    dimension: usize,
    at: (Code, u32),
}

/// Finds the cuts of parts.
pub(super) struct CutFinder<'a> {
    parts: &'a Parts,
    trees: Vec<&'a Taxonomy>,
    /// By column: the first code of the declared interval of each code, if cuts are at bounds of declared intervals only.
    declared: Vec<Option<Vec<Code>>>,
    /// Weight by column.
    weights: Vec<f64>,
    bound: WeightBound,
    /// Label of the purpose; `None` for general use.
    labels: Option<LabelHistograms>,
    /// Rank by combination, among combinations with equal codes in a column: relaxed cuts only.
    ranks: Option<Vec<u32>>,
}

impl<'a> CutFinder<'a> {
    pub(super) fn new(
        task: &RecodingTask<'_>,
        context: &'a RegionContext,
        parts: &'a Parts,
        bound: WeightBound,
        form: CutForm,
    ) -> Result<CutFinder<'a>> {
        // Weights of the policy and of the purpose. Labels decide by the impurity instead.
        let weights = context.objective.weights.clone();
        let trees = context.dimensions.iter().map(|dimension: &RegionDimension| dimension.tree.as_ref()).collect();
        let labels =
            if form == CutForm::Strict { LabelHistograms::of_purpose(task, &context.objective, parts)? } else { None };
        let ranks = (form == CutForm::Relaxed).then(|| ranks(parts));
        let first = |codes: &Vec<Range<Code>>| codes.iter().map(|codes| codes.start).collect();
        let declared = context.dimensions.iter().map(|dimension| dimension.declared.as_ref().map(first)).collect();
        Ok(CutFinder { parts, trees, declared, weights, bound, labels, ranks })
    }

    /// Returns both sides of the first cut of a part that `is_valid` accepts.
    pub(super) fn first_valid(
        &self,
        part: &[u32],
        is_valid: &mut dyn FnMut([&[u32]; 2]) -> bool,
    ) -> Option<[Vec<u32>; 2]> {
        let total = self.weight(part);
        if total < 2 * self.bound.min_weight {
            return None;
        }
        let mut tried = |cut: CodeCut| {
            let (before, after): (Vec<u32>, Vec<u32>) = part.iter().partition(|at| self.key(&cut, **at) < cut.at);
            (!before.is_empty() && !after.is_empty() && is_valid([&before, &after])).then_some([before, after])
        };
        let widths = self.widths(part);
        let for_purpose = self.labels.as_ref().map(|labels| self.purpose_cuts(labels, part, &widths));
        let purposeful = for_purpose.into_iter().flatten().take(JUDGED_CUTS);
        let medians = widths.iter().flat_map(|(_, dimension)| self.median_cuts(part, total, *dimension));
        purposeful.chain(medians).find_map(&mut tried)
    }

    fn weight(&self, part: &[u32]) -> Weight {
        part.iter().map(|at| self.parts.weights[*at as usize]).sum()
    }

    fn key(&self, cut: &CodeCut, combination: u32) -> (Code, u32) {
        let rank = self.ranks.as_ref().map_or(0, |ranks| ranks[combination as usize]);
        (self.code(cut.dimension, combination), rank)
    }

    /// Code that a cut compares: that of the combination, or the first one of its declared interval.
    fn code(&self, dimension: usize, combination: u32) -> Code {
        let code = self.parts.codes[dimension][combination as usize];
        self.declared[dimension].as_ref().map_or(code, |first| first[code as usize])
    }

    /// Normalized ranges of the columns with several codes in a part, times the weight of the column, widest first.
    fn widths(&self, part: &[u32]) -> Vec<(f64, usize)> {
        let width = |(dimension, tree): (usize, &&Taxonomy)| {
            let codes = part.iter().map(|at| self.code(dimension, *at));
            let (first, last) = codes.fold((Code::MAX, 0), |(first, last), code| (code.min(first), code.max(last)));
            (first < last).then(|| (self.weights[dimension] * normalized_range(tree, first, last), dimension))
        };
        let mut widths: Vec<(f64, usize)> = self.trees.iter().enumerate().filter_map(width).collect();
        widths.sort_by(|one, other| other.0.total_cmp(&one.0));
        widths
    }

    /// Cuts after and before the median record, the more even one first.
    fn median_cuts(&self, part: &[u32], total: Weight, dimension: usize) -> Vec<CodeCut> {
        let cut = |at| CodeCut { dimension, at };
        let groups = self.weight_by_key(part, &cut((0, 0)));
        let mut before = 0;
        let median = groups.iter().position(|(_, weight)| {
            before += weight;
            2 * before >= total
        });
        let Some(median) = median else { return Vec::new() };
        let up_to_median = before;
        let mut cuts = Vec::new();
        if let Some((next, _)) = groups.get(median + 1) {
            cuts.push((total.abs_diff(2 * up_to_median), cut(*next)));
        }
        if median > 0 {
            cuts.push((total.abs_diff(2 * (up_to_median - groups[median].1)), cut(groups[median].0)));
        }
        cuts.sort_by_key(|(unevenness, _)| *unevenness);
        cuts.into_iter().map(|(_, cut)| cut).collect()
    }

    /// Number of records by key of a cut in this dimension, ascending.
    fn weight_by_key(&self, part: &[u32], cut: &CodeCut) -> Vec<((Code, u32), Weight)> {
        let weighted = |at: &u32| (self.key(cut, *at), self.parts.weights[*at as usize]);
        let mut groups: Vec<((Code, u32), Weight)> = part.iter().map(weighted).collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        groups.dedup_by(|(key, weight), (kept, sum)| {
            let is_equal = key == kept;
            *sum += if is_equal { *weight } else { 0 };
            is_equal
        });
        groups
    }

    /// Cuts between all codes of a part, those that leave the least impurity first. Equal ones are in the order of the general purpose:
    /// the widest column, and the most even cut of it.
    fn purpose_cuts(
        &self,
        labels: &LabelHistograms,
        part: &[u32],
        widths: &[(f64, usize)],
    ) -> impl Iterator<Item = CodeCut> + use<> {
        let mut scored = Vec::new();
        let total = self.weight(part);
        let mut impurity = Impurity::of_part(labels, part);
        for (place, (_, dimension)) in widths.iter().enumerate() {
            let mut order = part.to_vec();
            order.sort_unstable_by_key(|at| (self.code(*dimension, *at), *at));
            impurity.restart();
            let mut before = 0;
            for pair in order.windows(2) {
                before += self.parts.weights[pair[0] as usize];
                impurity.move_before(labels, pair[0]);
                let [code, next] = [pair[0], pair[1]].map(|at| self.code(*dimension, at));
                if code == next || before < self.bound.min_weight || total - before < self.bound.min_weight {
                    continue;
                }
                let cut = CodeCut { dimension: *dimension, at: (next, 0) };
                scored.push(((impurity.remaining(), place, total.abs_diff(2 * before)), cut));
            }
        }
        scored.sort_by_key(|(score, _)| *score);
        scored.into_iter().map(|(_, cut)| cut)
    }
}

/// Width of a range of codes relative to the whole column: of the numbers if the column has them, otherwise of the codes.
fn normalized_range(tree: &Taxonomy, first: Code, last: Code) -> f64 {
    let by_code = f64::from(last - first) / tree.len().saturating_sub(1).max(1) as f64;
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else { return by_code };
    match (numbers.get(first as usize), numbers.get(last as usize)) {
        (Some(first), Some(last)) if high > low => (last - first) / (high - low),
        // A missing value has no number.
        _ => by_code,
    }
}

/// Rank of every combination in the order of its codes.
fn ranks(parts: &Parts) -> Vec<u32> {
    let codes = |at: &u32| parts.codes.iter().map(|codes| codes[*at as usize]).collect::<Vec<Code>>();
    let mut order: Vec<u32> = (0..parts.weights.len() as u32).collect();
    order.sort_by_cached_key(codes);
    let mut ranks = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(at, rank)| ranks[*at as usize] = rank);
    ranks
}
