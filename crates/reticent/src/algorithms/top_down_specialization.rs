//! Top-down specialization: start with every value at its root, and specialize the best valid value until none is left.
//!
//! State       one cut per generalized column; the classes they induce, for every grouping that a model speaks of.
//! Step        replace one value v of a cut by its children, in every record: the one of highest
//!             Score(v) = InfoGain(v) / (PrivLoss(v) + 1) among those that keep the requirement. PrivLoss is the mean over
//!             the models of how much their measure falls. Numbers and dates may be split on the fly.
//! Sound       every candidate is judged exactly before it is taken. Where merging satisfying classes gives a satisfying
//!             one, a specialization that violates once violates ever after and is not looked at again; where it does not
//!             (shares of people who have several records, shares where records are left out), every candidate is judged
//!             anew at every step. With a suppression limit the answer is made and counted again, and steps are taken back
//!             until it is within it.
//! Intervals   are split at the bound of highest gain and, if that is invalid, in halves of equally many records. Where both
//!             are invalid another bound might do, so nothing is claimed then but safety.
//! Any time    every state is publishable; stopping early loses detail, never safety.
//! Paper       Fung, Wang and Yu, Top-down specialization, ICDE 2005; TKDE 19(5), 2007; score as in KDD 2006.

mod climb;
mod gain;
mod judging;
mod partition;

use rayon::prelude::*;

use super::joints::{self, check_history, generalized_columns, recoding_of};
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::{Error, Outlook, Refusal, Result};
use crate::history::History;
use crate::joined::Joint;
use crate::models::{Merging, merging_of};
use crate::operations::suppress_cells::suppress_cells;
use crate::operations::suppress_records::suppress_records;
use crate::recoding::Recoding;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::taxonomy::{Cut, NodeId, Taxonomy};

use climb::Step;
pub(super) use gain::Gain;
use gain::Guide;
use judging::Aim;
use partition::{Dimension, Effect, Grouping};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "top-down-specialization",
        title: "top-down specialization",
        summary: "Starts with everything generalized and specializes the value that gains most per privacy lost, as long as the requirement holds.",
        paper: "Fung, Wang and Yu, Anonymizing classification data for privacy preservation, TKDE 19(5), 2007",
        thwarts: "whatever the requirement's models thwart; locally maximal: no single further step is valid",
        comparison: false,
        parameters: &[
            Parameter {
                name: "gain",
                domain: Domain::Word(&["auto", "entropy", "distortion", "discernibility"]),
                default: Some("auto"),
                meaning: "what a step gains: class entropy, distortion undone, or discernibility; auto: entropy to classify, else distortion",
            },
            Parameter {
                name: "zero-gain",
                domain: Domain::Flag,
                default: Some("true"),
                meaning: "whether steps are taken that gain nothing",
            },
        ],
        evidence: &["laws::algorithms", "oracle::specialization", "golden::kdd2006"],
    },
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<Outcome> {
    check_history(task)?;
    let columns = generalized_columns(task)?;
    let joints = joints::all(task, &columns, control.abort)?;
    let start = match refusal(task, &columns, &joints)? {
        None => Vec::new(),
        Some((error, true)) => return Err(error),
        Some((error, false)) => match climb::climb(task, &columns, &joints, control)? {
            (Some(steps), _) => steps,
            (None, looked) => return Err(also_looked_at(error, looked)),
        },
    };
    let gain = Gain::chosen(arguments, task.purpose)?;
    let mut search = Search::new(task, gain, columns, &joints)?;
    search.begin_at(&start);
    let least = if arguments.flag("zero-gain")? { 0.0 } else { f64::MIN_POSITIVE };
    let finished = search.specialize_all(least, control)?;
    joints.iter().try_for_each(Joint::check)?;
    search.outcome(finished)
}

/// Whether what violates once violates ever after. With records left out, only where a class that holds keeps holding
/// whatever it is merged with: else splitting a class that is left out can make parts of it hold again.
fn prunes(task: &Task<'_>, limit: u64, joints: &[&Joint<'_>], columns: &[usize]) -> bool {
    if joints.iter().any(|joint| limit > 0 || !joint.keeps_violating(columns)) {
        return false;
    }
    let keeps = |merging| merging == Merging::WithAny || (limit == 0 && merging == Merging::WithSatisfying);
    task.requirement.models.iter().all(|model| keeps(merging_of(model.as_ref(), &task.table.combos)))
}

fn also_looked_at(error: Error, looked: usize) -> Error {
    match error {
        Error::Refused(Refusal::RequirementUnreachable { requirement, explanation, witness, outlook, .. }) => {
            let examined = Some(looked);
            Refusal::RequirementUnreachable { requirement, explanation, witness, outlook, examined }.into()
        }
        error => error,
    }
}

/// What fails with everything at its root and as many records left out as the policy allows, if something does; and whether
/// it is sure that no release can do better.
fn refusal(task: &Task<'_>, columns: &[usize], joints: &[Joint<'_>]) -> Result<Option<(Error, bool)>> {
    let top = |at: &usize| (*at, task.table.columns[*at].tree.clone(), Cut::top());
    let mut recoding = joints::recoding_along(task.table, columns.iter().map(top).collect());
    let release = recoding.apply(task.table)?;
    let history = History::single(release.clone());
    for model in &task.requirement.models {
        let survey = model.survey(&history)?;
        let Some(worst) = survey.violations.first() else { continue };
        let limit = task.suppression.of(task.table.combos.rows());
        let left_out = suppress_records(task.table, &mut recoding, task.requirement, joints)?;
        if left_out <= limit && left_out < task.table.combos.rows() {
            return Ok(None);
        }
        let outlook = if limit == 0 && merging_of(model.as_ref(), &task.table.combos) != Merging::Never {
            Outlook::NoGeneralizationHelps
        } else {
            Outlook::SearchEnds
        };
        return Ok(Some((joints::unreachable(model.title(), worst, outlook).into(), true)));
    }
    if let Some((joint, worst)) = joints::first_violated(joints, &release)? {
        let limit = task.suppression.of(task.table.combos.rows());
        let left_out = suppress_records(task.table, &mut recoding, task.requirement, joints)?;
        if left_out <= limit && left_out < task.table.combos.rows() {
            return Ok(None);
        }
        // Leaving records out can make more classes hold than the most general ones.
        let proved = limit == 0 && joint.keeps_violating(columns);
        let refusal = Refusal::RequirementUnreachable {
            requirement: joint.statement.title.clone(),
            explanation: worst.explanation,
            witness: worst.witness,
            outlook: if proved { Outlook::NothingHelps } else { Outlook::Unknown },
            examined: None,
        };
        return Ok(Some((refusal.into(), proved)));
    }
    Ok(None)
}

/// A value of a cut that could be specialized.
struct Candidate {
    node: NodeId,
    /// Where to split an interval, best first; none for a value whose children are given.
    splits: Vec<u32>,
    gain: f64,
    /// What specializing does to each grouping.
    effects: Vec<Effect>,
    dead: bool,
}

struct Search<'a> {
    task: &'a Task<'a>,
    guide: Guide,
    dimensions: Vec<Dimension>,
    groupings: Vec<Grouping<'a>>,
    /// Demands that depend on more than a class's own values, and are judged on the whole release.
    whole: Vec<&'a Joint<'a>>,
    joints: &'a [Joint<'a>],
    /// Models and statements that are looked at.
    demands: usize,
    /// By dimension, in the order of the cut.
    candidates: Vec<Vec<Candidate>>,
    steps: Vec<(usize, NodeId)>,
    limit: u64,
    /// Whether an invalid candidate stays invalid.
    prunes: bool,
}

/// How many candidates are looked at together. The same on every machine.
const BATCH: usize = 8;

/// Where a candidate stands.
type Place = (usize, usize);

impl<'a> Search<'a> {
    fn new(task: &'a Task<'a>, gain: Gain, columns: Vec<usize>, joints: &'a [Joint<'a>]) -> Result<Self> {
        let watched = joints::to_watch(joints, &columns);
        let dimensions: Vec<Dimension> = columns.iter().map(|column| Dimension::new(task.table, *column)).collect();
        let guide = Guide::new(gain, task.table, &columns, task.purpose)?;
        let limit = task.suppression.of(task.table.combos.rows());
        let prunes = prunes(task, limit, &watched, &columns);
        let demands = (task.requirement.models.len() + watched.len()).max(1);
        let (whole, local): (Vec<&Joint<'_>>, Vec<&Joint<'_>>) =
            watched.into_iter().partition(|joint| joint.reaches_beyond(&columns));
        let mut groupings = Grouping::all(task, &columns, &local, limit > 0 || gain == Gain::Discernibility)?;
        for (at, dimension) in dimensions.iter().enumerate() {
            groupings.iter_mut().for_each(|grouping| grouping.know(at, dimension));
        }
        groupings.iter_mut().for_each(Grouping::judge_first);
        let candidates = columns.iter().map(|_| Vec::new()).collect();
        let mut search = Search {
            task,
            guide,
            dimensions,
            groupings,
            whole,
            joints,
            demands,
            candidates,
            steps: Vec::new(),
            limit,
            prunes,
        };
        for dimension in 0..columns.len() {
            search.add_candidate(dimension, 0);
        }
        Ok(search)
    }

    /// Takes these steps, whatever they do to the requirement.
    fn begin_at(&mut self, steps: &[Step]) {
        for step in steps {
            let candidates = &mut self.candidates[step.dimension];
            let Some(place) = candidates.iter().position(|candidate| candidate.node == step.node) else { continue };
            candidates[place].dead = false;
            candidates[place].splits = step.split.into_iter().collect();
            let dimension = &mut self.dimensions[step.dimension];
            match step.split {
                Some(at) => dimension.aim(step.node, at),
                None => dimension.aim_at_children(step.node),
            }
            let unseen = self.groupings.iter().map(|grouping| grouping.unseen(step.dimension, step.node)).collect();
            self.candidates[step.dimension][place].effects = unseen;
            self.specialize(step.dimension, place);
        }
        if !steps.is_empty() {
            self.groupings.iter_mut().for_each(Grouping::judge_again);
            self.forget();
        }
    }

    /// Specializes until no valid candidate of at least this gain is left. False when stopped before that.
    fn specialize_all(&mut self, least: f64, control: &Control<'_>) -> Result<bool> {
        loop {
            if !self.prunes {
                self.forget();
            }
            let (dimension, place) = loop {
                if (control.stop)() {
                    return Ok(false);
                }
                let Some(best) = self.best(least) else { return Ok(true) };
                if self.holds_as_a_whole(best)? {
                    break best;
                }
                self.candidates[best.0][best.1].dead = true;
            };
            self.specialize(dimension, place);
            (control.progress)("specializing", self.steps.len() as u64, 0);
        }
    }

    /// Whether the demands that are judged on the whole release hold after a step.
    fn holds_as_a_whole(&self, (dimension, place): Place) -> Result<bool> {
        if self.whole.is_empty() {
            return Ok(true);
        }
        let candidate = &self.candidates[dimension][place];
        let mut trees: Vec<Taxonomy> = self.dimensions.iter().map(|dimension| dimension.tree.clone()).collect();
        if let Some(at) = candidate.splits.first() {
            trees[dimension].split(candidate.node, *at);
        }
        let mut steps = self.steps.clone();
        steps.push((dimension, candidate.node));
        let mut recoding = self.recoding_along(&trees, &steps);
        if self.limit > 0 {
            let left_out = suppress_records(self.task.table, &mut recoding, self.task.requirement, self.joints)?;
            return Ok(left_out <= self.limit);
        }
        let release = recoding.apply(self.task.table)?;
        for joint in &self.whole {
            if joint.violating(&release)?.contains(&true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The valid candidate of highest score; of equals the first in the order of columns and cuts.
    ///
    /// Score is at most InfoGain, so candidates are looked at in the order of their gain, and only while they could win.
    fn best(&mut self, least: f64) -> Option<Place> {
        let mut open: Vec<(f64, Place)> = Vec::new();
        for (dimension, candidates) in self.candidates.iter().enumerate() {
            let living = candidates.iter().enumerate().filter(|(_, candidate)| !candidate.dead);
            open.extend(living.map(|(place, candidate)| (candidate.gain, (dimension, place))));
        }
        if self.guide.gain == Gain::Discernibility {
            // What is gained depends on the classes, so there is no bound to go by.
            let all: Vec<Place> = open.iter().map(|(_, place)| *place).collect();
            self.evaluate(&all);
            for (gain, (dimension, place)) in &mut open {
                *gain = self.squares_undone(&self.candidates[*dimension][*place]);
                self.candidates[*dimension][*place].gain = *gain;
            }
        }
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, Place)> = None;
        for chunk in open.chunks(BATCH) {
            if best.is_some_and(|(score, _)| chunk[0].0 < score) {
                break;
            }
            let places: Vec<Place> = chunk.iter().map(|(_, place)| *place).collect();
            self.evaluate(&places);
            for place in places {
                let candidate = &self.candidates[place.0][place.1];
                if candidate.dead {
                    continue;
                }
                let score = candidate.gain / (self.loss(candidate) + 1.0);
                let better = best.is_none_or(|(other, at)| score > other || (score == other && place < at));
                if score >= least && better {
                    best = Some((score, place));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Makes every candidate new, as if nothing had been seen of it.
    fn forget(&mut self) {
        for dimension in 0..self.dimensions.len() {
            let known = std::mem::take(&mut self.candidates[dimension]);
            known.iter().for_each(|candidate| self.add_candidate(dimension, candidate.node));
        }
    }

    /// Brings what is known of these candidates up to date, in parallel, and marks the invalid ones dead.
    fn evaluate(&mut self, places: &[Place]) {
        let mut taken: Vec<(Place, Vec<Effect>)> = Vec::new();
        for place in places {
            let candidate = &mut self.candidates[place.0][place.1];
            if !candidate.dead {
                taken.push((*place, std::mem::take(&mut candidate.effects)));
            }
        }
        let (groupings, dimensions, candidates) = (&self.groupings, &self.dimensions, &self.candidates);
        taken.par_iter_mut().for_each(|((dimension, place), effects)| {
            let candidate = &candidates[*dimension][*place];
            let aim = Aim { node: candidate.node, split: candidate.splits.first().copied() };
            for (grouping, effect) in groupings.iter().zip(effects) {
                grouping.look(*dimension, &dimensions[*dimension], aim, effect);
            }
        });
        for (place, effects) in taken {
            self.candidates[place.0][place.1].effects = effects;
            if !self.is_valid(&self.candidates[place.0][place.1]) {
                self.give_up(place);
            }
        }
    }

    fn is_valid(&self, candidate: &Candidate) -> bool {
        let effects = self.groupings.iter().zip(&candidate.effects);
        if self.limit == 0 {
            return candidate.effects.iter().all(|effect| effect.holds);
        }
        let violating: i64 =
            effects.map(|(grouping, effect)| grouping.violating as i64 + effect.more_violating()).sum();
        violating <= self.limit as i64
    }

    /// An invalid candidate stays invalid; an interval may be split elsewhere.
    fn give_up(&mut self, (dimension, place): Place) {
        let candidate = &mut self.candidates[dimension][place];
        if candidate.splits.len() > 1 {
            candidate.splits.remove(0);
            let node = candidate.node;
            let at = candidate.splits[0];
            self.dimensions[dimension].aim(node, at);
            let gain = self.guide.split_gain(dimension, &self.dimensions[dimension], node, at);
            let effects = self.groupings.iter().map(|grouping| grouping.unseen(dimension, node)).collect();
            let candidate = &mut self.candidates[dimension][place];
            candidate.gain = gain;
            candidate.effects = effects;
            self.evaluate(&[(dimension, place)]);
        } else {
            candidate.dead = true;
            candidate.effects = Vec::new();
        }
    }

    fn loss(&self, candidate: &Candidate) -> f64 {
        let losses =
            self.groupings.iter().zip(&candidate.effects).flat_map(|(grouping, effect)| grouping.losses(effect));
        losses.sum::<f64>() / self.demands as f64
    }

    fn squares_undone(&self, candidate: &Candidate) -> f64 {
        candidate.effects.iter().map(Effect::squares_undone).fold(0.0, f64::max)
    }

    fn specialize(&mut self, dimension: usize, place: usize) {
        let candidate = self.candidates[dimension].remove(place);
        let node = candidate.node;
        if let Some(at) = candidate.splits.first() {
            self.dimensions[dimension].tree.split(node, *at);
            self.groupings.iter_mut().for_each(|grouping| grouping.know(dimension, &self.dimensions[dimension]));
        }
        self.steps.push((dimension, node));
        for (grouping, effect) in self.groupings.iter_mut().zip(&candidate.effects) {
            let born = grouping.specialize(dimension, &self.dimensions[dimension], node, effect);
            let place = grouping.place;
            for (at, candidates) in self.candidates.iter_mut().enumerate() {
                if at == dimension {
                    continue;
                }
                for candidate in candidates.iter_mut().filter(|candidate| !candidate.dead) {
                    candidate.effects[place].follow(&born, grouping.values(at), candidate.node);
                }
            }
        }
        for child in self.dimensions[dimension].tree.node(node).children.clone() {
            self.add_candidate(dimension, child);
        }
    }

    fn add_candidate(&mut self, dimension: usize, node: NodeId) {
        let Some(splits) = self.guide.splits(dimension, &self.dimensions[dimension], node) else { return };
        match splits.first() {
            Some(at) => self.dimensions[dimension].aim(node, *at),
            None => self.dimensions[dimension].aim_at_children(node),
        }
        let gain = match splits.first() {
            Some(at) => self.guide.split_gain(dimension, &self.dimensions[dimension], node, *at),
            None => self.guide.gain_of(dimension, &self.dimensions[dimension], node),
        };
        let effects = self.groupings.iter().map(|grouping| grouping.unseen(dimension, node)).collect();
        self.candidates[dimension].push(Candidate { node, splits, gain, effects, dead: false });
    }

    /// The recoding after the first so many steps.
    fn recoding_after(&self, steps: usize) -> Recoding {
        let trees: Vec<Taxonomy> = self.dimensions.iter().map(|dimension| dimension.tree.clone()).collect();
        self.recoding_along(&trees, &self.steps[..steps])
    }

    fn recoding_along(&self, trees: &[Taxonomy], steps: &[(usize, NodeId)]) -> Recoding {
        let columns: Vec<usize> = self.dimensions.iter().map(|dimension| dimension.column).collect();
        recoding_of(self.task.table, &columns, trees, steps)
    }

    fn outcome(&self, finished: bool) -> Result<Outcome> {
        let mut steps = self.steps.len();
        let mut notes = Vec::new();
        let unsplit = self.candidates.iter().flatten().any(|candidate| candidate.dead && !candidate.splits.is_empty());
        if unsplit {
            let note = "Intervals were split where it gains most or halves most evenly; other bounds might split them further.";
            notes.push(note.to_owned());
        }
        if !finished {
            notes.push("The search was stopped before it was finished; more could be published.".to_owned());
        }
        let guarantee = if finished && !unsplit { Guarantee::LocallyMaximal } else { Guarantee::Safe };
        loop {
            let mut recoding = self.recoding_after(steps);
            if self.limit > 0 {
                let suppress = if self.task.suppression.cells { suppress_cells } else { suppress_records };
                let left_out = suppress(self.task.table, &mut recoding, self.task.requirement, self.joints)?;
                if left_out > self.limit && steps > 0 {
                    steps -= 1;
                    continue;
                }
                if left_out > self.limit {
                    return Err(Refusal::SuppressionAboveLimit { left_out, limit: self.limit }.into());
                }
            }
            if steps < self.steps.len() {
                notes.push(format!(
                    "{} steps were taken back to stay within the suppression limit",
                    self.steps.len() - steps
                ));
            }
            let guarantee = if steps < self.steps.len() { Guarantee::Safe } else { guarantee };
            return Ok(Outcome { recoding, guarantee, steps: steps as u64, notes });
        }
    }
}
