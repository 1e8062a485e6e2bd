//! Searches with the library, and the measures of the paper on their results.

use std::time::{Duration, Instant};

use reticent::algorithms::{Control, Purpose, RecodingTask, Suppression};
use reticent::metrics::{TrainTestSplit, decision_tree_error};
use reticent::registry::{Argument, Arguments};
use reticent::requirement::{ModelSpec, Requirement, Shorthand};
use reticent::{History, Recoded, Recoding};

use crate::Failure;
use crate::adult::{CLASS, IMMIGRATION, Records, Set, column_index};

/// Settings of a search.
#[derive(Clone, Copy)]
pub struct Search {
    /// Whether zero-gain steps are taken.
    pub zero_gain: bool,
    /// Time limit. A search that reaches it returns its current result.
    pub limit: Duration,
}

/// Result of a search.
pub struct SearchResult {
    /// Recoding of taxation.
    pub recoding: Recoding,
    /// Number of steps.
    pub steps: u64,
    /// Time of the search.
    pub seconds: f64,
    /// Whether the search reached the time limit.
    pub stopped: bool,
}

impl Search {
    /// Searches for k-anonymity on all columns of taxation, without earlier releases.
    pub fn single_release(&self, set: &Set, k: u64) -> Result<Option<SearchResult>, Failure> {
        let specs = Shorthand { k: Some(k), ..Shorthand::default() }.expand(&set.schema);
        self.run(set, &History::default(), &Requirement::build(&specs, &set.schema)?)
    }

    /// Searches with a requirement on the join of taxation and immigration. Returns `None` if the library refuses, because
    /// even the fully suppressed taxation violates the requirement.
    pub fn joined(&self, set: &Set, specs: &[ModelSpec]) -> Result<Option<SearchResult>, Failure> {
        self.run(set, &set.history, &joined(set, specs)?)
    }

    fn run(&self, set: &Set, history: &History, requirement: &Requirement) -> Result<Option<SearchResult>, Failure> {
        let purpose = Purpose::Classification(CLASS.to_owned());
        let (table, suppression) = (&set.table, Suppression::NONE);
        let task = RecodingTask { purpose: &purpose, suppression, ..RecodingTask::new(table, history, requirement) };
        let score_of_paper = Argument::Word("entropy".to_owned());
        let options = Arguments::default().set("zero-gain", Argument::Flag(self.zero_gain)).set("gain", score_of_paper);
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
        Ok(Some(SearchResult { recoding, steps, seconds: took.as_secs_f64(), stopped: took > limit }))
    }
}

/// The requirement of these specs on the join of taxation and immigration.
pub fn joined(set: &Set, specs: &[ModelSpec]) -> Result<Requirement, Failure> {
    let mut requirement = Requirement::default();
    requirement.join(specs, &set.schema, set.member(), &set.history, &[vec![0]], Vec::new())?;
    requirement.check()?;
    Ok(requirement)
}

/// (X, Y)-anonymity: every value on these columns of taxation and all columns of immigration is linked to k people of
/// taxation or, if `rows`, to k pairs of people of both releases.
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

/// (X, Y)-linkability: the confidence of a rare value of the sensitive columns, given the other columns of taxation, is
/// bounded.
pub fn linkability(set: &Set, sensitive: &[&str], confidence: f64) -> Result<Vec<ModelSpec>, Failure> {
    let known = set.columns.iter().filter(|column| !sensitive.contains(column));
    let x: Vec<String> = known.map(|column| format!("taxation.{column}")).collect();
    let spec = |column: &&str| -> Result<ModelSpec, Failure> {
        let values = rare(set, column)?.into_iter().map(|value| (value, confidence)).collect();
        let arguments = Arguments::default()
            .set("x", Argument::Words(x.clone()))
            .set("y", Argument::Words(vec![format!("taxation.{column}")]))
            .set("values", Argument::Thresholds(values));
        Ok(ModelSpec { model: "xy-linkability".to_owned(), arguments, line: None })
    };
    sensitive.iter().map(spec).collect()
}

/// The less frequent half of the values that occur in a column. An odd number of values is halved down.
pub fn rare(set: &Set, column: &str) -> Result<Vec<String>, Failure> {
    let at = set.table.position(column)?;
    let weights = set.table.weights_of(at).into_iter().zip(0..).filter(|(weight, _)| *weight > 0);
    let mut values: Vec<(u64, u32)> = weights.collect();
    values.sort_unstable();
    values.truncate(values.len() / 2);
    Ok(values.into_iter().map(|(_, code)| set.table.columns[at].tree.value(code).to_owned()).collect())
}

/// Distortion per record.
#[derive(Clone, Copy, Default)]
pub struct Distortion {
    /// Number of generalization steps of categorical values.
    pub categorical: f64,
    /// Width of the published intervals, relative to the full range.
    pub continuous: f64,
}

/// Distortion as defined in the paper, over all generalized columns.
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

/// Distortion of a published value.
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
    let start = if node.span.start == 0 { low } else { numbers[node.span.start as usize] };
    let end = numbers.get(node.span.end as usize).copied().unwrap_or(high);
    (end - start) / (high - low)
}

/// Classification error in percent of a decision tree on the test records. Training and test records are recoded, without
/// the excluded columns.
pub fn error(set: &Set, records: &Records, recoding: &Recoding, excluded: &[&str]) -> Result<f64, Failure> {
    let mut split = TrainTestSplit::default();
    let class = column_index(CLASS)?;
    for (record, is_training) in records.is_training.iter().enumerate() {
        let into = if *is_training { &mut split.training } else { &mut split.test };
        into.labels.push(records.codes[class][record]);
    }
    for (at, column) in set.table.columns.iter().enumerate() {
        if column.name == CLASS || excluded.contains(&column.name.as_str()) {
            continue;
        }
        // Published code of each raw code.
        let published = |(_, code): &(String, Option<u32>)| code.map(|code| recoding.columns[at].map[code as usize]);
        let published: Option<Vec<u32>> = column.texts.iter().map(published).collect();
        let published = published.ok_or("a value has no published code")?;
        let (mut training, mut test) = (Vec::new(), Vec::new());
        for (code, is_training) in records.codes[column_index(&column.name)?].iter().zip(&records.is_training) {
            if *is_training { &mut training } else { &mut test }.push(published[*code as usize]);
        }
        split.training.features.push(training);
        split.test.features.push(test);
    }
    let error = decision_tree_error(&split).ok_or("there are no records to learn from")?;
    Ok(100.0 * error)
}
