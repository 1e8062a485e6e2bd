//! Searches with the library, and what the paper measures of what they find.

use std::time::{Duration, Instant};

use reticent::algorithms::{Control, Purpose, RecodingTask, Suppression};
use reticent::metrics::{TrainTestSplit, decision_tree_error};
use reticent::registry::{Argument, Arguments};
use reticent::requirement::{ModelSpec, Requirement, Shorthand};
use reticent::{History, Recoded, Recoding};

use crate::Failure;
use crate::adult::{CLASS, IMMIGRATION, Records, Set, place};

/// How the library searches.
#[derive(Clone, Copy)]
pub struct Search {
    /// Whether steps are taken that gain nothing.
    pub zero_gain: bool,
    /// A search that takes longer is stopped, and what it has found by then is taken.
    pub limit: Duration,
}

/// What a search found.
pub struct Found {
    /// How taxation is published.
    pub recoding: Recoding,
    /// Steps taken.
    pub steps: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether it was stopped.
    pub stopped: bool,
}

impl Search {
    /// k-anonymity on all columns of taxation, whatever was released before.
    pub fn by_itself(&self, set: &Set, k: u64) -> Result<Option<Found>, Failure> {
        let wordings = Shorthand { k: Some(k), confidence: None }.expand(&set.schema);
        self.run(set, &History::default(), &Requirement::build(&wordings, &set.schema)?)
    }

    /// What the wordings demand of taxation joined with immigration. Nothing where the library refuses: even taxation that
    /// says nothing would break it.
    pub fn joined(&self, set: &Set, wordings: &[ModelSpec]) -> Result<Option<Found>, Failure> {
        self.run(set, &set.history, &joined(set, wordings)?)
    }

    fn run(&self, set: &Set, history: &History, requirement: &Requirement) -> Result<Option<Found>, Failure> {
        let purpose = Purpose::Classification(CLASS.to_owned());
        let (table, suppression) = (&set.table, Suppression::NONE);
        let task = RecodingTask { table, history, requirement, purpose: &purpose, suppression };
        let options = Arguments::default().set("zero-gain", Argument::Flag(self.zero_gain));
        let begin = Instant::now();
        let limit = self.limit;
        let stop = move || begin.elapsed() > limit;
        let control = Control { stop: &stop, ..Control::QUIET };
        let outcome = match reticent::algorithms::run("top-down-specialization", &task, options, &control) {
            Ok(outcome) => outcome,
            Err(reticent::Error::Refused(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let took = begin.elapsed();
        let (recoding, steps) = (outcome.recoding, outcome.steps);
        Ok(Some(Found { recoding, steps, seconds: took.as_secs_f64(), stopped: took > limit }))
    }
}

/// The requirement that the wordings make of taxation joined with immigration.
pub fn joined(set: &Set, wordings: &[ModelSpec]) -> Result<Requirement, Failure> {
    let mut requirement = Requirement::default();
    requirement.join(wordings, &set.schema, set.member(), &set.history, &[vec![0]], Vec::new())?;
    requirement.check()?;
    Ok(requirement)
}

/// (X, Y)-anonymity: every value on these columns of taxation and all of immigration goes with k people of taxation; where
/// `rows`, with k pairs of people of both.
pub fn anonymity(columns: &[&str], k: u64, rows: bool) -> ModelSpec {
    let ours = columns.iter().map(|column| format!("taxation.{column}"));
    let x = ours.chain(IMMIGRATION.iter().map(|column| format!("immigration.{column}"))).collect();
    let people = ["taxation.people".to_owned(), "immigration.people".to_owned()];
    let y = people[..if rows { 2 } else { 1 }].to_vec();
    let arguments = Arguments::default()
        .set("k", Argument::Number(k as f64))
        .set("x", Argument::Words(x))
        .set("y", Argument::Words(y));
    ModelSpec { model: "xy-anonymity".to_owned(), arguments, line: None }
}

/// (X, Y)-linkability: no rare value of the hidden columns is told with more confidence than this by the other columns of
/// taxation.
pub fn linkability(set: &Set, hidden: &[&str], confidence: f64) -> Result<Vec<ModelSpec>, Failure> {
    let known = set.columns.iter().filter(|column| !hidden.contains(column));
    let x: Vec<String> = known.map(|column| format!("taxation.{column}")).collect();
    let wording = |column: &&str| -> Result<ModelSpec, Failure> {
        let values = rare(set, column)?.into_iter().map(|value| (value, confidence)).collect();
        let arguments = Arguments::default()
            .set("x", Argument::Words(x.clone()))
            .set("y", Argument::Words(vec![format!("taxation.{column}")]))
            .set("values", Argument::Thresholds(values));
        Ok(ModelSpec { model: "xy-linkability".to_owned(), arguments, line: None })
    };
    hidden.iter().map(wording).collect()
}

/// The rarer half of the values of a column that occur; of an odd number the smaller half.
pub fn rare(set: &Set, column: &str) -> Result<Vec<String>, Failure> {
    let at = set.table.position(column)?;
    let weights = set.table.weights_of(at).into_iter().zip(0..).filter(|(weight, _)| *weight > 0);
    let mut values: Vec<(u64, u32)> = weights.collect();
    values.sort_unstable();
    values.truncate(values.len() / 2);
    Ok(values.into_iter().map(|(_, code)| set.table.columns[at].tree.value(code).to_owned()).collect())
}

/// Units of distortion per record.
#[derive(Clone, Copy, Default)]
pub struct Distortion {
    /// One for every step that a value is generalized.
    pub categorical: f64,
    /// The share of the full range that the published interval spans.
    pub continuous: f64,
}

/// The distortion of the paper, over all columns that were generalized.
pub fn distortion(set: &Set, recoding: &Recoding) -> Distortion {
    let mut sum = Distortion::default();
    for (at, recoded) in recoding.columns.iter().enumerate() {
        let numbers = recoded.column.tree.numbers().is_some();
        for (weight, code) in set.table.weights_of(at).into_iter().zip(0..).filter(|(weight, _)| *weight > 0) {
            let into = if numbers { &mut sum.continuous } else { &mut sum.categorical };
            *into += weight as f64 * cost(recoded, code);
        }
    }
    let rows = set.table.contingency.rows() as f64;
    Distortion { categorical: sum.categorical / rows, continuous: sum.continuous / rows }
}

/// What publishing a value costs.
fn cost(recoded: &Recoded, code: u32) -> f64 {
    let tree = &recoded.column.tree;
    let id = recoded.column.nodes[recoded.map[code as usize] as usize];
    let node = tree.node(id);
    let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) else {
        return f64::from(tree.node(tree.leaf_of(code)).depth - node.depth);
    };
    if node.label == tree.value(code) {
        return 0.0;
    }
    let start = if node.codes.start == 0 { low } else { numbers[node.codes.start as usize] };
    let end = numbers.get(node.codes.end as usize).copied().unwrap_or(high);
    (end - start) / (high - low)
}

/// The share of test records, in percent, that a tree grown on the training records predicts wrongly, both published as the
/// recoding says and without the columns that are left out.
pub fn error(set: &Set, records: &Records, recoding: &Recoding, left_out: &[&str]) -> Result<f64, Failure> {
    let mut lesson = TrainTestSplit::default();
    let class = place(CLASS)?;
    for (record, trains) in records.trains.iter().enumerate() {
        let into = if *trains { &mut lesson.training } else { &mut lesson.test };
        into.labels.push(records.codes[class][record]);
    }
    for (at, column) in set.table.columns.iter().enumerate() {
        if column.name == CLASS || left_out.contains(&column.name.as_str()) {
            continue;
        }
        // By code as it was read: the published code.
        let published = |(_, code): &(String, Option<u32>)| code.map(|code| recoding.columns[at].map[code as usize]);
        let published: Option<Vec<u32>> = column.texts.iter().map(published).collect();
        let published = published.ok_or("a value was left out")?;
        let (mut training, mut test) = (Vec::new(), Vec::new());
        for (code, trains) in records.codes[place(&column.name)?].iter().zip(&records.trains) {
            if *trains { &mut training } else { &mut test }.push(published[*code as usize]);
        }
        lesson.training.features.push(training);
        lesson.test.features.push(test);
    }
    let error = decision_tree_error(&lesson).ok_or("there is nothing to learn")?;
    Ok(100.0 * error)
}
