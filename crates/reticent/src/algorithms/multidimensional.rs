//! Multidimensional specialization: every part of the table is specialized by itself, along the column that serves it best.
//!
//! State       parts of the table, each with one value of every generalized column: where a part lives in the space of values.
//!             The first part has the root of every column.
//! Step        replace one value of one part by its children: the column of highest Score(v) = InfoGain(v) / (PrivLoss(v) + 1)
//!             among those whose parts all keep every demand. The same value may so be published finely for some people and
//!             coarsely for others. Intervals that are not declared are halved where records are.
//! Sound       every part is judged exactly. Parts are the classes on all generalized columns, so what is demanded of classes on
//!             fewer columns is demanded of parts instead, which is more: a union of parts that hold holds (models), and
//!             knowing more columns of the same join is a stronger requirement (statements). The answer is judged once more as
//!             a whole.
//! Any time    every state is publishable; stopping early loses detail, never safety. Parts know nothing of each other, so the
//!             order in which they are taken changes nothing.
//! Paper       LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006, along taxonomies and, for
//!             joined releases, under the requirement of Wang and Fung, KDD 2006.

mod ground;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hashbrown::HashMap;
use rayon::prelude::*;

use super::joints::{check_history, first_violated, generalized_columns};
use super::top_down_specialization::Gain;
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::classes::Tally;
use crate::combos::Weight;
use crate::error::{Error, Outlook, Refusal, Result};
use crate::history::History;
use crate::joined::Joint;
use crate::recoding::{Recoding, Rule};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::release::PublishedColumn;
use crate::table::Table;
use crate::taxonomy::{Code, NodeId, Taxonomy};
use ground::{Dimension, Ground, Judging};

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "multidimensional-specialization",
        title: "multidimensional specialization",
        summary: "Specializes one part of the table at a time, along the column that gains most per privacy lost, as long as the requirement holds.",
        paper: "LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
        thwarts: "whatever the requirement's models thwart; values are published finer for some people than for others",
        comparison: false,
        parameters: &[Parameter {
            name: "gain",
            domain: Domain::Word(&["auto", "entropy", "distortion", "discernibility"]),
            default: Some("auto"),
            meaning: "what a step gains: class entropy, distortion undone, or discernibility; auto: entropy to classify, else distortion",
        }],
        evidence: &["laws::algorithms"],
    },
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<Outcome> {
    check_history(task)?;
    let gain = Gain::chosen(arguments, task.purpose)?;
    let columns = generalized_columns(task)?;
    let ground = Ground::new(task, &columns, gain)?;
    let statements = ground.stronger(task)?;
    let joints = ground.joints(task, &statements, control.abort)?;
    let judges = ground.judges(task, &joints)?;
    let search =
        Search { task, ground: &ground, judges, control, stopped: AtomicBool::new(false), steps: AtomicU64::new(0) };
    let begun = search.begin()?;
    // Parts that hold by themselves hold together, but for shares of people with several records and distances from the whole:
    // then fewer steps are taken.
    let mut depth = usize::MAX;
    loop {
        let parts: Vec<Part> = begun.par_iter().flat_map(|part| search.refine(part.clone(), depth)).collect();
        joints.iter().try_for_each(Joint::check)?;
        let recoding = search.recoding(&parts);
        if search.holds(&recoding)? {
            return search.outcome(recoding, depth);
        }
        let deepest = parts.iter().map(|part| part.depth).max().unwrap_or(0);
        depth = deepest.checked_sub(1).ok_or_else(|| search.refusal().unwrap_or_else(|error| error))?;
        search.steps.store(0, Ordering::Relaxed);
    }
}

/// Records that are published alike, or left out.
#[derive(Clone)]
struct Part {
    nodes: Vec<NodeId>,
    members: Vec<u32>,
    /// By judge.
    safety: Vec<f64>,
    /// How many steps led here.
    depth: usize,
    /// How many of its records may still be left out.
    spare: Weight,
    left_out: bool,
}

struct Search<'a> {
    task: &'a Task<'a>,
    ground: &'a Ground,
    judges: Vec<Judging<'a>>,
    control: &'a Control<'a>,
    stopped: AtomicBool,
    steps: AtomicU64,
}

impl Search<'_> {
    /// The parts with which the search begins, by the columns that are published as they are.
    fn begin(&self) -> Result<Vec<Part>> {
        let combos = &self.task.table.combos;
        let mut first: HashMap<Vec<Code>, Vec<u32>> = HashMap::new();
        for at in 0..combos.len() {
            let key = self.ground.fixed.iter().map(|column| self.ground.as_is[*column][at]).collect();
            first.entry(key).or_default().push(at as u32);
        }
        let mut first: Vec<(Vec<Code>, Vec<u32>)> = first.into_iter().collect();
        first.sort_unstable();
        let mut begun: Vec<Part> = Vec::new();
        for (_, members) in first {
            let nodes = vec![0; self.ground.dimensions.len()];
            let (safety, holds) = self.judge(&members, &nodes);
            begun.push(Part { nodes, members, safety, depth: 0, spare: 0, left_out: !holds });
        }
        let lost: Weight = begun.iter().filter(|part| part.left_out).map(|part| self.weight(&part.members)).sum();
        let spare = self.task.suppression.of(combos.rows()).checked_sub(lost);
        let Some(spare) = spare.filter(|_| begun.iter().any(|part| !part.left_out)) else {
            return Err(self.refusal()?);
        };
        if self.is_given_away()? {
            return Err(self.refusal()?);
        }
        self.share_out(&mut begun, spare);
        Ok(begun)
    }

    /// Gives every part that is published its share of the records that may be left out.
    fn share_out(&self, parts: &mut [Part], spare: Weight) {
        let rows: Weight = parts.iter().filter(|part| !part.left_out).map(|part| self.weight(&part.members)).sum();
        for part in parts.iter_mut().filter(|part| !part.left_out) {
            let share = u128::from(self.weight(&part.members)) * u128::from(spare) / u128::from(rows.max(1));
            part.spare = share as Weight;
        }
    }

    fn weight(&self, members: &[u32]) -> Weight {
        members.iter().map(|at| self.task.table.combos.weights[*at as usize]).sum()
    }

    /// Whether a demand fails whatever is done to this release.
    fn is_given_away(&self) -> Result<bool> {
        let columns = self.ground.columns();
        let release = super::joints::top(self.task, &columns)?;
        if self.task.suppression.of(self.task.table.combos.rows()) > 0 {
            return Ok(false);
        }
        for joint in super::joints::all(self.task, &columns, self.control.abort)? {
            if joint.is_constant(&columns) && joint.violating(&release)?.contains(&true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What cannot be helped by specializing.
    fn refusal(&self) -> Result<Error> {
        let (task, columns) = (self.task, self.ground.columns());
        let release = super::joints::top(task, &columns)?;
        let history = History::single(release.clone());
        for model in &task.requirement.models {
            if let Some(worst) = model.survey(&history)?.violations.first() {
                return Ok(super::joints::unreachable(model.title(), worst, Outlook::Unknown).into());
            }
        }
        let joints = super::joints::all(task, &columns, self.control.abort)?;
        if let Some((joint, worst)) = first_violated(&joints, &release)? {
            let title = joint.statement.title.clone();
            return Ok(super::joints::unreachable(title, &worst, Outlook::Unknown).into());
        }
        Ok(Refusal::PartUnreachable {}.into())
    }

    fn judge(&self, members: &[u32], nodes: &[NodeId]) -> (Vec<f64>, bool) {
        let combos = &self.task.table.combos;
        let mut safety = Vec::with_capacity(self.judges.len());
        let mut holds = true;
        for judging in &self.judges {
            let mut tally = Tally::new(judging.measured.len, judging.owners);
            members.iter().for_each(|at| tally.add(combos, &judging.measured, *at as usize));
            let judgement = judging.judge(&tally.count(), nodes);
            holds &= judgement.holds;
            safety.push(judgement.safety);
        }
        (safety, holds)
    }

    /// Specializes a part as far as it goes, and no deeper than this.
    fn refine(&self, part: Part, deepest: usize) -> Vec<Part> {
        if part.left_out || part.depth >= deepest {
            return vec![part];
        }
        if self.stopped.load(Ordering::Relaxed) || (self.control.stop)() {
            self.stopped.store(true, Ordering::Relaxed);
            return vec![part];
        }
        let best = |spare: Weight| {
            let candidates = (0..self.ground.dimensions.len()).filter_map(|at| self.split(&part, at, spare));
            candidates.fold(None, |best: Option<(f64, Vec<Part>)>, (score, parts)| match best {
                Some((other, _)) if other >= score => best,
                _ => Some((score, parts)),
            })
        };
        // Records are left out only where nothing else can be gained.
        let best = best(0).or_else(|| if part.spare > 0 { best(part.spare) } else { None });
        let Some((_, parts)) = best else { return vec![part] };
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        (self.control.progress)("specializing", steps, 0);
        parts.into_par_iter().flat_map(|part| self.refine(part, deepest)).collect()
    }

    /// The parts of a part along a column, with their score; none where some violate a demand, and have more records than may
    /// be left out.
    fn split(&self, part: &Part, at: usize, spare: Weight) -> Option<(f64, Vec<Part>)> {
        let dimension = &self.ground.dimensions[at];
        let tree = &dimension.tree;
        let children = &tree.node(part.nodes[at]).children;
        if children.is_empty() {
            return None;
        }
        let codes = &self.task.table.combos.codes[dimension.column];
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); children.len()];
        for member in &part.members {
            let code = codes[*member as usize];
            let place = children.partition_point(|child| tree.node(*child).codes.end <= code);
            members[place].push(*member);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut lost = 0;
        for (child, members) in children.iter().zip(members).filter(|(_, members)| !members.is_empty()) {
            let mut nodes = part.nodes.clone();
            nodes[at] = *child;
            let (safety, holds) = self.judge(&members, &nodes);
            lost += if holds { 0 } else { self.weight(&members) };
            if lost > spare {
                return None;
            }
            parts.push(Part { nodes, members, safety, depth: part.depth + 1, spare: 0, left_out: !holds });
        }
        let kept = || parts.iter().filter(|part| !part.left_out);
        kept().next()?;
        let fall = |judge: usize| {
            let then = kept().map(|part| part.safety[judge]).fold(f64::INFINITY, f64::min);
            let now = part.safety[judge];
            if now.is_finite() && then.is_finite() { (now - then).max(0.0) } else { 0.0 }
        };
        let loss = (0..self.judges.len()).map(fall).sum::<f64>() / self.judges.len().max(1) as f64;
        // Whoever is left out loses every step that led here, and this one is not gained.
        let gain = self.gain(part, &parts, at) - lost as f64 * (part.depth + 1) as f64;
        let score = gain / (loss + 1.0);
        if lost > 0 && score <= 0.0 {
            return None;
        }
        self.share_out(&mut parts, part.spare - lost);
        Some((score, parts))
    }

    fn rows(&self, members: &[u32]) -> f64 {
        members.iter().map(|at| self.task.table.combos.weights[*at as usize] as f64).sum()
    }

    fn gain(&self, whole: &Part, parts: &[Part], at: usize) -> f64 {
        let rows = self.rows(&whole.members);
        match (self.ground.gain, self.ground.class) {
            (Gain::Entropy, Some(class)) => {
                let after: f64 = parts.iter().map(|part| self.entropy(&part.members, class)).sum();
                // In records: what a part gains counts for as many as are in it.
                (self.entropy(&whole.members, class) - after).max(0.0)
            }
            (Gain::Discernibility, _) => {
                rows * rows - parts.iter().map(|part| self.rows(&part.members).powi(2)).sum::<f64>()
            }
            _ => {
                let tree = &self.ground.dimensions[at].tree;
                let undone = |part: &Part| self.rows(&part.members) * step(tree, whole.nodes[at], part.nodes[at]);
                parts.iter().map(undone).sum()
            }
        }
    }

    /// The entropy of a class column, times the records.
    fn entropy(&self, members: &[u32], class: usize) -> f64 {
        let combos = &self.task.table.combos;
        let mut counts: HashMap<Code, f64> = HashMap::new();
        for at in members {
            *counts.entry(combos.codes[class][*at as usize]).or_default() += combos.weights[*at as usize] as f64;
        }
        let total: f64 = counts.values().sum();
        let mut counts: Vec<f64> = counts.into_values().collect();
        counts.sort_unstable_by(f64::total_cmp);
        counts.iter().map(|count| -count * (count / total).log2()).sum()
    }

    /// Whether every demand holds on the release as a whole.
    fn holds(&self, recoding: &Recoding) -> Result<bool> {
        let release = recoding.apply(self.task.table)?;
        for (_, survey) in self.task.requirement.survey(&History::single(release.clone()))? {
            if !survey.violations.is_empty() {
                return Ok(false);
            }
        }
        let joints = super::joints::all(self.task, &self.ground.columns(), self.control.abort)?;
        Ok(first_violated(&joints, &release)?.is_none())
    }

    fn outcome(&self, recoding: Recoding, depth: usize) -> Result<Outcome> {
        let finished = !self.stopped.load(Ordering::Relaxed);
        let grown = |dimension: &Dimension| {
            let given = &self.task.table.columns[dimension.column].tree;
            (0..given.nodes().len()).any(|node| given.can_grow(node))
        };
        let mut notes = Vec::new();
        if !finished {
            notes.push("The search was stopped before it was finished; more could be published.".to_owned());
        }
        if self.ground.dimensions.iter().any(grown) {
            notes.push("Intervals were halved where records are; other bounds might split them further.".to_owned());
        }
        if !self.ground.exact {
            notes.push(
                "Demands know different columns; every part was made to satisfy them all, which is more than they ask."
                    .to_owned(),
            );
        }
        if depth < usize::MAX {
            notes.push(format!(
                "At most {depth} steps were taken for anybody: more hold for every part, and not together."
            ));
        }
        let maximal = finished && notes.is_empty() && self.task.suppression.limit.numerator == 0;
        let guarantee = if maximal { Guarantee::LocallyMaximal } else { Guarantee::Safe };
        Ok(Outcome { recoding, guarantee, steps: self.steps.load(Ordering::Relaxed), notes })
    }

    /// Every combination of the columns that parts are told apart by is published as its part says.
    fn recoding(&self, parts: &[Part]) -> Recoding {
        let table: &Table = self.task.table;
        let ground = self.ground;
        let mut recoding = Recoding::identity(table);
        let mut places: Vec<HashMap<NodeId, u32>> = Vec::new();
        for (at, dimension) in ground.dimensions.iter().enumerate() {
            let tree = dimension.tree.clone();
            let leaves: Vec<NodeId> = (0..tree.len() as Code).map(|code| tree.leaf_of(code)).collect();
            let mut nodes: Vec<NodeId> = leaves.clone();
            nodes.extend(parts.iter().map(|part| part.nodes[at]));
            nodes.push(0);
            nodes.sort_unstable_by_key(|id| (*id == 0, tree.node(*id).codes.start, tree.node(*id).depth, *id));
            nodes.dedup();
            let place: HashMap<NodeId, u32> = nodes.iter().zip(0..).map(|(id, at)| (*id, at)).collect();
            let recoded = &mut recoding.columns[dimension.column];
            recoded.map = leaves.iter().map(|leaf| place[leaf]).collect();
            recoded.column = PublishedColumn { tree, nodes, ..recoded.column.clone() };
            places.push(place);
        }
        let on = sorted(ground.columns().into_iter().chain(ground.fixed.iter().copied()).collect());
        let class = |at: u32| -> Box<[u32]> {
            let code = |column: &usize| {
                let raw = table.combos.codes[*column][at as usize];
                recoding.columns[*column].map[raw as usize]
            };
            on.iter().map(code).collect()
        };
        let mut rules: HashMap<Box<[u32]>, Rule> = HashMap::new();
        for part in parts {
            for member in &part.members {
                let key = class(*member);
                if part.left_out {
                    rules.insert(key, Rule::Drop);
                    continue;
                }
                let mut published = key.clone();
                for (at, dimension) in ground.dimensions.iter().enumerate() {
                    if let Ok(place) = on.binary_search(&dimension.column) {
                        published[place] = places[at][&part.nodes[at]];
                    }
                }
                rules.insert(key, Rule::Publish(published));
            }
        }
        recoding.on = on;
        recoding.rules = rules;
        recoding
    }
}

/// What a record gains by a step: one unit of distortion; of an interval, the width it loses in units of the whole.
fn step(tree: &Taxonomy, from: NodeId, to: NodeId) -> f64 {
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else { return 1.0 };
    if high <= low {
        return 0.0;
    }
    let width = |node: NodeId| {
        let codes = &tree.node(node).codes;
        let start = if codes.start == 0 { low } else { numbers.get(codes.start as usize).copied().unwrap_or(high) };
        let end = numbers.get(codes.end as usize).copied().unwrap_or(high);
        (end - start) / (high - low)
    };
    (width(from) - width(to)).max(0.0)
}

fn sorted(mut columns: Vec<usize>) -> Vec<usize> {
    columns.sort_unstable();
    columns.dedup();
    columns
}
