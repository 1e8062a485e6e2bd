//! Top-down specialization: start with every column at its root, and specialize the best valid value until none is left.
//!
//! State       one cut per generalized column, and the equivalence classes of the cuts for every set of columns that a model
//!             groups by.
//! Step        replaces one value v of a cut by its children in all records. It chooses the value with the highest
//!             Score(v) = InfoGain(v) / (PrivLoss(v) + 1) among those that keep the requirement satisfied. PrivLoss is the mean
//!             decrease of the measures of the models. Intervals of numbers and dates can be split during the search.
//! Gain        with suppression, and for classification: the reduction of the loss (`loss.rs`). A suppressed record counts as
//!             fully suppressed, so a step that suppresses records is taken only if the loss decreases.
//! Attempts    a greedy search can end worse with more freedom. So several searches run (`attempts.rs`): without suppression, with
//!             lower limits, and with two divisors of the score. The best state of all their paths by the loss is kept.
//! Soundness   every candidate is checked exactly before it is taken. If merging satisfying classes gives a satisfying class, an
//!             invalid candidate stays invalid and is pruned. Otherwise (confidences of people with several records, or confidences
//!             with suppression), every candidate is checked again at every step. With a suppression limit, the final release is
//!             built and counted, and steps are undone until it is within the limit.
//! Intervals   are split at the bound with the highest gain and, if that is invalid, at the median. If both are invalid, another
//!             bound might be valid, so the result is not claimed to be locally maximal.
//! Anytime     every state is publishable, so stopping early loses detail but not safety.
//! Paper       Fung, Wang and Yu, Top-down specialization, ICDE 2005; TKDE 19(5), 2007; score as in KDD 2006.

mod attempts;
mod dimension;
mod gain;
mod initial_state;
mod judging;
mod loss;
mod partition;
mod scratch;
mod selection;
mod start;
#[cfg(test)]
mod tests;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::join_checker::{self, check_history, generalized_columns, recoding_after_steps};
use super::{AlgorithmDef, Control, RecodingTask, SearchOutcome};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::{Error, Obstacle, Result};
use crate::join::JoinCheck;
use crate::models::{Merging, merging_of};
use crate::operations::suppress_records::{is_violating, suppress_records};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::recoding::Recoding;

use attempts::{Attempt, AttemptPlan, Divisor};
use dimension::SplitDimension;
pub(super) use gain::Gain;
use gain::GainTable;
use initial_state::InitialStep;
use judging::SplitTarget;
use loss::{Loss, LossMeasure, as_number};
use partition::{Effect, Grouping, Tracking};
use selection::Selection;

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "top-down-specialization",
        title: "top-down specialization",
        summary: "Starts with all quasi-identifiers fully generalized, and repeatedly specializes the value with the best ratio of \
                  information gain to privacy loss, while the requirement is satisfied.",
        paper: "Fung, Wang and Yu, Anonymizing classification data for privacy preservation, TKDE 19(5), 2007",
        protects_against: "the attacks of the models in the requirement; the result is locally maximal: no single further step is valid",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "gain",
                domain: Domain::Word(&["auto", "entropy", "conditional-entropy", "distortion", "discernibility"]),
                default: Some("auto"),
                meaning: "gain of a step: reduction of label entropy (entropy: among the records with the specialized value, as in the \
                          paper; conditional-entropy: given the equivalence classes), of distortion, or of discernibility; auto: \
                          conditional-entropy for the purposes classify and cluster, otherwise distortion",
            },
            ParameterDef {
                name: "zero-gain",
                domain: Domain::Flag,
                default: Some("true"),
                meaning: "whether to take steps with zero gain",
            },
        ],
        evidence: &["laws::algorithms", "oracle::specialization", "golden::kdd2006"],
    },
    sets: false,
    run,
};

fn run(task: &RecodingTask<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    check_history(task)?;
    let columns = generalized_columns(task)?;
    let join_checks = join_checker::join_checks(task, &columns, control.abort)?;
    let start = start::initial_steps(task, &columns, &join_checks, control)?;
    let gain = Gain::from_arguments(arguments, task.purpose)?;
    let loss_measure = LossMeasure::new(gain, task.table, task.purpose)?;
    // Clusters are predicted as in the paper about them, by the gain of each value.
    let is_paper_score = gain == Gain::Entropy
        && (arguments.word("gain")? == "entropy" || matches!(task.purpose, super::Purpose::Clusters(_)));
    let min_gain = if arguments.flag("zero-gain")? { 0.0 } else { f64::MIN_POSITIVE };
    let mut selection = Selection::new(task, &loss_measure, &join_checks);
    let mut plan = AttemptPlan::new(task, gain, is_paper_score);
    while let Some(attempt) = plan.next_attempt() {
        let mut search = SpecializationSearch::new(task, attempt, &loss_measure, columns.clone(), &join_checks)?;
        search.take_initial_steps(&start);
        let finished = search.specialize_all(min_gain, control)?;
        join_checks.iter().try_for_each(JoinCheck::check)?;
        selection.consider(&search, finished, plan.is_single())?;
        plan.record(search.limited && finished);
    }
    selection.outcome()
}

/// Whether an invalid candidate stays invalid. With suppression, this needs models for which a satisfying class stays satisfying
/// when merged with any class. Otherwise splitting a suppressed class can give satisfying classes.
fn can_prune(task: &RecodingTask<'_>, limit: u64, join_checks: &[&JoinCheck<'_>], columns: &[usize]) -> bool {
    if join_checks.iter().any(|join_check| limit > 0 || !join_check.keeps_violating(columns)) {
        return false;
    }
    let keeps = |merging| merging == Merging::WithAny || (limit == 0 && merging == Merging::WithSatisfying);
    task.requirement.models.iter().all(|model| keeps(merging_of(model.as_ref(), &task.table.contingency)))
}

/// A value of a cut that can be specialized.
struct Candidate {
    node: NodeId,
    /// Codes at which to split an interval, best first; empty for a value with given children.
    splits: Vec<u32>,
    gain: f64,
    /// Effect of the specialization on each grouping.
    effects: Vec<Effect>,
    invalid: bool,
}

struct SpecializationSearch<'a> {
    task: &'a RecodingTask<'a>,
    gains: GainTable,
    dimensions: Vec<SplitDimension>,
    groupings: Vec<Grouping<'a>>,
    /// Constraints that depend on more than the values of one class, and are checked on the whole release.
    release_checks: Vec<&'a JoinCheck<'a>>,
    join_checks: &'a [JoinCheck<'a>],
    /// Number of models and constraints that are checked.
    check_count: usize,
    /// Candidates by dimension, in the order of the cut.
    candidates: Vec<Vec<Candidate>>,
    /// Steps of the path: dimension and specialized node.
    steps: Vec<(usize, NodeId)>,
    /// Loss by number of steps. `None` if it was not computed.
    losses: Vec<Option<Loss>>,
    attempt: Attempt,
    loss_measure: &'a LossMeasure,
    /// The grouping whose classes determine the loss, if gains are reductions of the loss.
    loss_grouping: Option<usize>,
    /// Whether a candidate was rejected because it violates the requirement or exceeds the limit.
    limited: bool,
    /// Whether an invalid candidate stays invalid.
    can_prune: bool,
    /// Whether a model judges sets of records of people.
    judges_sets: bool,
    /// Candidates that leave a set of records with too few people: dimension, node and split.
    rejected_for_sets: HashSet<(usize, NodeId, Option<Code>)>,
}

/// Number of candidates that are evaluated in parallel. It is fixed, so that results do not depend on the machine.
const BATCH: usize = 8;

/// Dimension of a candidate, and its index in the cut.
type CandidateIndex = (usize, usize);

impl<'a> SpecializationSearch<'a> {
    fn new(
        task: &'a RecodingTask<'a>,
        attempt: Attempt,
        loss_measure: &'a LossMeasure,
        columns: Vec<usize>,
        join_checks: &'a [JoinCheck<'a>],
    ) -> Result<Self> {
        let relevant = join_checker::constraints_to_check(join_checks, &columns);
        let dimensions: Vec<SplitDimension> =
            columns.iter().map(|column| SplitDimension::new(task.table, *column)).collect();
        let purpose = super::objective::Objective::new(task.table, task.purpose, &columns)?;
        let gains = GainTable::new(attempt.gain, task.table, &columns, purpose);
        let can_prune = can_prune(task, attempt.limit, &relevant, &columns);
        let check_count = (task.requirement.models.len() + relevant.len()).max(1);
        let (release_checks, class_checks): (Vec<&JoinCheck<'_>>, Vec<&JoinCheck<'_>>) =
            relevant.into_iter().partition(|join_check| join_check.has_generalized_key_outside_x(&columns));
        let gains_by_class = attempt.by_loss || attempt.suppresses;
        let no_violation = attempt.limit == 0;
        let tracking = Tracking { loss_measure, classes: gains_by_class, gains: gains_by_class, no_violation };
        let mut groupings = Grouping::all(task, &columns, &class_checks, tracking)?;
        for (at, dimension) in dimensions.iter().enumerate() {
            groupings.iter_mut().for_each(|grouping| grouping.extend_value_ids(at, dimension));
        }
        groupings.iter_mut().for_each(|grouping| grouping.judge_initial_classes(&dimensions));
        let complete = groupings.iter().filter(|grouping| grouping.has_all_dimensions());
        let loss_grouping = complete.max_by_key(|grouping| grouping.checks()).map(|grouping| grouping.index);
        let candidates = columns.iter().map(|_| Vec::new()).collect();
        let mut search = SpecializationSearch {
            task,
            gains,
            dimensions,
            groupings,
            release_checks,
            join_checks,
            check_count,
            candidates,
            steps: Vec::new(),
            losses: Vec::new(),
            attempt,
            loss_measure,
            loss_grouping: loss_grouping.filter(|_| gains_by_class),
            limited: false,
            can_prune,
            judges_sets: task.requirement.judges_record_sets(&task.table.contingency),
            rejected_for_sets: HashSet::new(),
        };
        for dimension in 0..columns.len() {
            search.add_candidate(dimension, 0);
        }
        search.losses.push(search.current_loss());
        Ok(search)
    }

    /// Returns the loss of the current state, if the search suppresses records. It is exact if one grouping has all checks and
    /// whole records are suppressed. Otherwise a record counts as suppressed for every grouping in which its class violates a check.
    fn current_loss(&self) -> Option<Loss> {
        let place = self.loss_grouping.filter(|_| self.attempt.suppresses)?;
        let others = self.groupings.iter().filter(|grouping| grouping.index != place);
        let suppressed: u64 = others.map(|grouping| grouping.violating).sum();
        Some(self.groupings[place].loss() + Loss::from(suppressed) * self.loss_measure.of_suppressed_record())
    }

    /// Takes these steps without checking the requirement.
    fn take_initial_steps(&mut self, steps: &[InitialStep]) {
        for step in steps {
            let candidates = &mut self.candidates[step.dimension];
            let Some(place) = candidates.iter().position(|candidate| candidate.node == step.node) else { continue };
            candidates[place].invalid = false;
            candidates[place].splits = step.split.into_iter().collect();
            let dimension = &mut self.dimensions[step.dimension];
            match step.split {
                Some(at) => dimension.target_split(step.node, at),
                None => dimension.target_children(step.node),
            }
            let unseen =
                self.groupings.iter().map(|grouping| grouping.pending_effect(step.dimension, step.node)).collect();
            self.candidates[step.dimension][place].effects = unseen;
            self.specialize(step.dimension, place);
        }
        if !steps.is_empty() {
            self.groupings.iter_mut().for_each(Grouping::rejudge_classes);
            self.reset_candidates();
            // The states before the last of these steps are not valid.
            self.losses = vec![None; self.steps.len()];
            self.losses.push(self.current_loss());
        }
    }

    /// Specializes until no valid candidate with at least this gain is left. Returns false if stopped earlier.
    fn specialize_all(&mut self, min_gain: f64, control: &Control<'_>) -> Result<bool> {
        loop {
            if !self.can_prune {
                self.reset_candidates();
            }
            let (dimension, place) = loop {
                if (control.stop)() {
                    return Ok(false);
                }
                let Some(best) = self.best_candidate(min_gain) else { return Ok(true) };
                match self.release_satisfies(best) {
                    Ok(true) => break best,
                    Ok(false) => {}
                    // A state whose sets of records cannot be counted is not published.
                    Err(Error::CannotCheck(Obstacle::TooManyRecordSets { .. })) => {}
                    Err(error) => return Err(error),
                }
                self.limited = true;
                self.reject_for_sets(best);
                self.candidates[best.0][best.1].invalid = true;
            };
            self.specialize(dimension, place);
            self.losses.push(self.current_loss());
            (control.progress)("specializing", self.steps.len() as u64, 0);
        }
    }

    /// Remembers a candidate whose release leaves a set of records with too few people. Further steps never raise the support of a set.
    fn reject_for_sets(&mut self, (dimension, place): CandidateIndex) {
        if self.judges_sets && self.attempt.limit == 0 && self.release_checks.is_empty() {
            let candidate = &self.candidates[dimension][place];
            self.rejected_for_sets.insert((dimension, candidate.node, candidate.splits.first().copied()));
        }
    }

    /// Whether the constraints on the whole release are satisfied after a step.
    fn release_satisfies(&self, (dimension, place): CandidateIndex) -> Result<bool> {
        let judges_sets = self.judges_sets;
        if self.release_checks.is_empty() && !judges_sets {
            return Ok(true);
        }
        let candidate = &self.candidates[dimension][place];
        if self.rejected_for_sets.contains(&(dimension, candidate.node, candidate.splits.first().copied())) {
            return Ok(false);
        }
        let mut trees: Vec<Taxonomy> = self.dimensions.iter().map(|dimension| dimension.tree.clone()).collect();
        if let Some(at) = candidate.splits.first() {
            trees[dimension].split(candidate.node, *at);
        }
        let mut steps = self.steps.clone();
        steps.push((dimension, candidate.node));
        let mut recoding = self.recoding_along(&trees, &steps);
        if self.attempt.limit > 0 {
            let suppressed = suppress_records(self.task.table, &mut recoding, self.task.requirement, self.join_checks)?;
            return Ok(suppressed <= self.attempt.limit);
        }
        let release = recoding.apply(self.task.table)?;
        for join_check in &self.release_checks {
            if join_check.is_violated(&release)? {
                return Ok(false);
            }
        }
        Ok(!judges_sets || !is_violating(&release, self.task.requirement, &[])?)
    }

    /// Returns the valid candidate with the highest score. Ties are resolved by the order of columns and cuts.
    ///
    /// The score is at most InfoGain, so candidates are evaluated in descending order of gain until no other can win.
    fn best_candidate(&mut self, min_gain: f64) -> Option<CandidateIndex> {
        let mut open: Vec<(f64, CandidateIndex)> = Vec::new();
        for (dimension, candidates) in self.candidates.iter().enumerate() {
            let living = candidates.iter().enumerate().filter(|(_, candidate)| !candidate.invalid);
            open.extend(living.map(|(place, candidate)| (candidate.gain, (dimension, place))));
        }
        if self.attempt.by_loss {
            // The gain depends on the classes, so there is no upper bound to sort by.
            let all: Vec<CandidateIndex> = open.iter().map(|(_, place)| *place).collect();
            self.evaluate(&all);
            for (gain, (dimension, place)) in &mut open {
                *gain = as_number(self.loss_reduction(&self.candidates[*dimension][*place]));
                self.candidates[*dimension][*place].gain = *gain;
            }
        }
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, CandidateIndex)> = None;
        for chunk in open.chunks(BATCH) {
            if best.is_some_and(|(score, _)| chunk[0].0 < score) {
                break;
            }
            let places: Vec<CandidateIndex> = chunk.iter().map(|(_, place)| *place).collect();
            self.evaluate(&places);
            for place in places {
                let candidate = &self.candidates[place.0][place.1];
                if candidate.invalid || !self.pays(candidate) {
                    continue;
                }
                let score = self.score(candidate);
                let better = best.is_none_or(|(other, at)| score > other || (score == other && place < at));
                if score >= min_gain && better {
                    best = Some((score, place));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    fn score(&self, candidate: &Candidate) -> f64 {
        match self.attempt.divisor {
            Divisor::PrivacyLoss => candidate.gain / (self.privacy_loss(candidate) + 1.0),
            Divisor::SuppressedRecords => candidate.gain / (newly_suppressed(candidate).max(0) as f64 + 1.0),
        }
    }

    /// Whether a candidate suppresses no further records, or decreases the loss although it does.
    fn pays(&self, candidate: &Candidate) -> bool {
        newly_suppressed(candidate) <= 0 || self.loss_reduction(candidate) > 0
    }

    /// Returns the reduction of the loss by a candidate.
    ///
    /// Every record that becomes suppressed in another grouping counts with its whole loss, which is the most that it can lose.
    fn loss_reduction(&self, candidate: &Candidate) -> Loss {
        let Some(place) = self.loss_grouping else { return 0 };
        let effects = candidate.effects.iter().enumerate();
        let of_effect = |(at, effect): (usize, &Effect)| match at == place {
            true => effect.gain(),
            false => -Loss::from(effect.violating_change()) * self.loss_measure.of_suppressed_record(),
        };
        let gain = effects.map(of_effect).sum();
        // The loss of every class is rounded, so a gain of zero can be a few units below zero.
        let rounding = self.groupings[place].len() as Loss;
        if (-rounding..0).contains(&gain) { 0 } else { gain }
    }

    /// Resets every candidate, so that it is evaluated again.
    fn reset_candidates(&mut self) {
        for dimension in 0..self.dimensions.len() {
            let known = std::mem::take(&mut self.candidates[dimension]);
            known.iter().for_each(|candidate| self.add_candidate(dimension, candidate.node));
        }
    }

    /// Updates the effects of these candidates in parallel, and rejects the invalid ones.
    fn evaluate(&mut self, places: &[CandidateIndex]) {
        let mut taken: Vec<(CandidateIndex, Vec<Effect>)> = Vec::new();
        for place in places {
            let candidate = &mut self.candidates[place.0][place.1];
            if !candidate.invalid {
                taken.push((*place, std::mem::take(&mut candidate.effects)));
            }
        }
        let (groupings, dimensions, candidates) = (&self.groupings, &self.dimensions, &self.candidates);
        taken.par_iter_mut().for_each(|((dimension, place), effects)| {
            let candidate = &candidates[*dimension][*place];
            let target = SplitTarget { node: candidate.node, split: candidate.splits.first().copied() };
            for (grouping, effect) in groupings.iter().zip(effects) {
                grouping.update_effect(*dimension, &dimensions[*dimension], target, effect);
            }
        });
        for (place, effects) in taken {
            self.candidates[place.0][place.1].effects = effects;
            if !self.is_valid(&self.candidates[place.0][place.1]) {
                self.reject(place);
            }
        }
    }

    fn is_valid(&self, candidate: &Candidate) -> bool {
        let effects = self.groupings.iter().zip(&candidate.effects);
        if self.attempt.limit == 0 {
            return candidate.effects.iter().all(|effect| effect.holds);
        }
        let violating: i64 =
            effects.map(|(grouping, effect)| grouping.violating as i64 + effect.violating_change()).sum();
        violating <= self.attempt.limit as i64
    }

    /// Rejects the current split of a candidate. An interval may have another split to try.
    fn reject(&mut self, (dimension, place): CandidateIndex) {
        self.limited = true;
        let candidate = &mut self.candidates[dimension][place];
        if candidate.splits.len() > 1 {
            candidate.splits.remove(0);
            let node = candidate.node;
            let at = candidate.splits[0];
            self.dimensions[dimension].target_split(node, at);
            let gain = self.gains.split_gain(dimension, &self.dimensions[dimension], node, at);
            let effects = self.groupings.iter().map(|grouping| grouping.pending_effect(dimension, node)).collect();
            let candidate = &mut self.candidates[dimension][place];
            candidate.gain = gain;
            candidate.effects = effects;
            self.evaluate(&[(dimension, place)]);
        } else {
            candidate.invalid = true;
            candidate.effects = Vec::new();
        }
    }

    fn privacy_loss(&self, candidate: &Candidate) -> f64 {
        let losses =
            self.groupings.iter().zip(&candidate.effects).flat_map(|(grouping, effect)| grouping.losses(effect));
        losses.sum::<f64>() / self.check_count as f64
    }

    fn specialize(&mut self, dimension: usize, place: usize) {
        let candidate = self.candidates[dimension].remove(place);
        let node = candidate.node;
        if let Some(at) = candidate.splits.first() {
            self.dimensions[dimension].tree.split(node, *at);
            self.groupings
                .iter_mut()
                .for_each(|grouping| grouping.extend_value_ids(dimension, &self.dimensions[dimension]));
        }
        self.steps.push((dimension, node));
        for (grouping, effect) in self.groupings.iter_mut().zip(&candidate.effects) {
            let new_classes = grouping.specialize(dimension, &self.dimensions[dimension], node, effect);
            let place = grouping.index;
            for (at, candidates) in self.candidates.iter_mut().enumerate() {
                if at == dimension {
                    continue;
                }
                for candidate in candidates.iter_mut().filter(|candidate| !candidate.invalid) {
                    candidate.effects[place].replace_classes(&new_classes, grouping.value_in(at), candidate.node);
                }
            }
        }
        for child in self.dimensions[dimension].tree.node(node).children.clone() {
            self.add_candidate(dimension, child);
        }
    }

    fn add_candidate(&mut self, dimension: usize, node: NodeId) {
        let Some(splits) = self.gains.splits(dimension, &self.dimensions[dimension], node) else { return };
        match splits.first() {
            Some(at) => self.dimensions[dimension].target_split(node, *at),
            None => self.dimensions[dimension].target_children(node),
        }
        let gain = match splits.first() {
            Some(at) => self.gains.split_gain(dimension, &self.dimensions[dimension], node, *at),
            None => self.gains.gain_of(dimension, &self.dimensions[dimension], node),
        };
        let effects = self.groupings.iter().map(|grouping| grouping.pending_effect(dimension, node)).collect();
        self.candidates[dimension].push(Candidate { node, splits, gain, effects, invalid: false });
    }

    /// Returns the recoding after the first `steps` steps.
    fn recoding_after(&self, steps: usize) -> Recoding {
        let trees: Vec<Taxonomy> = self.dimensions.iter().map(|dimension| dimension.tree.clone()).collect();
        self.recoding_along(&trees, &self.steps[..steps])
    }

    fn recoding_along(&self, trees: &[Taxonomy], steps: &[(usize, NodeId)]) -> Recoding {
        let columns: Vec<usize> = self.dimensions.iter().map(|dimension| dimension.column).collect();
        recoding_after_steps(self.task.table, &columns, trees, steps)
    }

    /// Whether an interval that could be split further has no valid split among those that were tried.
    fn has_unsplit_interval(&self) -> bool {
        self.candidates.iter().flatten().any(|candidate| candidate.invalid && !candidate.splits.is_empty())
    }
}

/// Returns by how many records a candidate changes the number of suppressed records.
fn newly_suppressed(candidate: &Candidate) -> i64 {
    candidate.effects.iter().map(Effect::violating_change).sum()
}
