//! Compares every result with an oracle that judges every node by the naive definitions of the models.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::keys::{Bundles, KeyScratch, PublishedLevel};
use super::lattice::{GeneralizationHierarchy, Lattice};
use super::*;
use crate::algorithms::{Suppression, run as run_algorithm};
use crate::data::contingency::{ContingencyTable, combine};
use crate::data::schema::{Attribute, Missing, Schema, TreeSource};
use crate::data::table::Counts;
use crate::data::taxonomy::{IntervalLevel, NodeId, Taxonomy, Type};
use crate::ratio::Ratio;
use crate::registry::Argument;
use crate::release::Release;
use crate::requirement::{ModelSpec, Requirement};
use crate::verify::Reading;

/// Deterministic random number generator (SplitMix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn with_percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Taxonomies: rectangular, ragged, with repeated levels, with levels that are not nested, flat.
const TREES: &[&str] = &[
    "a;x;r\nb;x;r\nc;y;r\nd;y;r\n",
    "a;x;u;r\nb;x;u;r\nc;u;r\nd;r\n",
    "a;a;x;r\nb;b;x;r\nc;x;x;r\nd;d;d;r\n",
    "a;x;x;u;r\nb;x;u;u;r\nc;c;u;u;r\nd;d;d;r;r\n",
    "a;r\nb;r\nc;r\nd;r\n",
    "a;x;u;r\nb;x;u;r\nc;y;u;r\nd;z;v;r\ne;z;v;r\nf;w;v;r\n",
];

fn attribute(name: &str, role: Role, values: Type, tree: TreeSource) -> Attribute {
    Attribute { name: name.to_owned(), role, values, missing: Missing::Value, tree }
}

fn quasi_identifier(rng: &mut Rng, name: &str) -> (Attribute, Vec<String>) {
    let numbers: Vec<String> = ["1", "2", "3", "5", "8", "9"].map(str::to_owned).to_vec();
    let role = Role::QuasiIdentifier;
    match rng.below(9) {
        0 => {
            let tree = TreeSource::Intervals {
                levels: vec![IntervalLevel::Width(2.0), IntervalLevel::Width(4.0)],
                exact: rng.with_percent(50),
            };
            (attribute(name, role, Type::Number, tree), numbers)
        }
        1 => (attribute(name, role, Type::Number, TreeSource::Grown { range: None }), numbers[..4].to_vec()),
        _ => {
            let tree = Taxonomy::parse(name, TREES[rng.below(TREES.len())]).unwrap();
            let values = tree.values().to_vec();
            (attribute(name, role, Type::Text, TreeSource::Given(tree)), values)
        }
    }
}

struct Instance {
    schema: Schema,
    table: Table,
    model_specs: Vec<ModelSpec>,
    requirement: Requirement,
    limit: Ratio,
}

const QI: [&str; 4] = ["q0", "q1", "q2", "q3"];

fn instance(rng: &mut Rng, least: usize) -> Option<Instance> {
    let width = least + rng.below(2);
    let mut columns: Vec<(Attribute, Vec<String>)> =
        QI[..width].iter().map(|name| quasi_identifier(rng, name)).collect();
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let given = TreeSource::Given(Taxonomy::parse("s", "k;m;t\nl;m;t\nn;o;t\np;o;t\n").unwrap());
    columns.push((attribute("s", Role::Sensitive, Type::Text, given), texts(&["k", "l", "n", "p"])));
    columns.push((attribute("w", Role::Other, Type::Text, TreeSource::Flat), texts(&["0", "1"])));
    let rows = 3 + rng.below(16);
    let skewed = rng.with_percent(50);
    let codes: Vec<Vec<u32>> = columns
        .iter()
        .map(|(_, values)| {
            let most = if skewed { 1 + rng.below(values.len()) } else { values.len() };
            (0..rows).map(|_| rng.below(most) as u32).collect()
        })
        .collect();
    let owners =
        rng.with_percent(20).then(|| (0..rows).map(|_| rng.below(rows.max(2) / 2 + 1) as u32).collect::<Vec<_>>());
    let weights: Vec<u64> = (0..rows).map(|_| if owners.is_some() { 1 } else { 1 + rng.below(3) as u64 }).collect();
    let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let contingency = combine(&views, &weights, owners.as_deref());
    let (attributes, values): (Vec<Attribute>, Vec<Vec<String>>) = columns.into_iter().unzip();
    let names = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let schema = Schema { attributes, owner: None, missing_values: vec![String::new()] };
    let table = Table::build(&Counts { names, values, contingency, links: None }, &schema).ok()?;
    let model_specs: Vec<ModelSpec> = (0..1 + rng.below(3)).map(|_| model_spec(rng, width)).collect();
    let requirement = Requirement::build(&model_specs, &schema).ok()?;
    let limit = Ratio::new(*rng.choose(&[0, 0, 10, 30, 60, 100]), 100);
    Some(Instance { schema, table, model_specs, requirement, limit })
}

fn model_spec(rng: &mut Rng, width: usize) -> ModelSpec {
    let number = |number: f64| Argument::Number(number);
    let words = |list: &[&str]| Argument::Words(list.iter().map(|word| (*word).to_owned()).collect());
    let share = *rng.choose(&[0.3, 0.4, 0.5, 0.6, 0.75]);
    let sensitive = |arguments: Arguments| arguments.set("sensitive", Argument::Word("s".to_owned()));
    let none = Arguments::default();
    let (model, mut arguments) = match rng.below(10) {
        0..=2 => ("k-anonymity", none.set("k", number((1 + rng.below(4)) as f64))),
        3 => ("distinct-l-diversity", sensitive(none.set("l", number((1 + rng.below(3)) as f64)))),
        4 => ("entropy-l-diversity", sensitive(none.set("l", number(*rng.choose(&[1.0, 1.5, 2.0, 2.5]))))),
        5 => {
            let arguments =
                none.set("c", number(*rng.choose(&[0.5, 1.0, 2.0]))).set("l", number((1 + rng.below(3)) as f64));
            ("recursive-cl-diversity", sensitive(arguments))
        }
        6 => ("confidence-bounding", sensitive(none.set("h", number(share)))),
        7 => ("alpha-k-anonymity", sensitive(none.set("alpha", number(share)).set("k", number(2.0)))),
        8 => {
            let distance = *rng.choose(&["equal", "ordered", "hierarchical"]);
            let t = number(*rng.choose(&[0.1, 0.2, 0.35, 0.5]));
            ("t-closeness", sensitive(none.set("t", t).set("distance", Argument::Word(distance.to_owned()))))
        }
        _ => (
            "xy-anonymity",
            none.set("k", number((1 + rng.below(3)) as f64)).set("y", words(&["s", "w"][..1 + rng.below(2)])),
        ),
    };
    if rng.with_percent(50) {
        let mut on: Vec<&str> = QI[..width].iter().copied().filter(|_| rng.with_percent(60)).collect();
        if model != "xy-anonymity" && rng.with_percent(15) {
            on.push("w");
        }
        if !on.is_empty() {
            arguments = arguments.set(if model == "xy-anonymity" { "x" } else { "on" }, words(&on));
        }
    }
    ModelSpec { model: model.to_owned(), arguments, line: None }
}

/// Result of the oracle for one node.
struct OracleNode {
    nodes: Vec<Vec<NodeId>>,
    steps: usize,
    suppressed: u64,
    costs: BTreeMap<&'static str, f64>,
}

/// The oracle: the table and the levels of its columns.
struct Oracle<'a> {
    instance: &'a Instance,
    trees: Vec<Arc<Taxonomy>>,
    /// Index and distinct levels of each generalized column.
    levels: Vec<(usize, Vec<Vec<NodeId>>)>,
}

impl<'a> Oracle<'a> {
    fn new(instance: &'a Instance) -> Oracle<'a> {
        let table = &instance.table;
        let trees: Vec<Arc<Taxonomy>> =
            (0..table.columns.len()).map(|at| Arc::new(table.columns[at].tree.halved(&table.weights_of(at)))).collect();
        let models = &instance.requirement.models;
        let generalized = |at: &usize| {
            let column = &table.columns[*at];
            column.role == Role::QuasiIdentifier
                && models.iter().any(|model| model.grouped_by().contains(&column.name))
                && !models.iter().any(|model| model.measured().contains(&column.name))
        };
        let levels = (0..table.columns.len()).filter(generalized).map(|at| {
            let mut levels = trees[at].full_domain_levels();
            levels.dedup();
            (at, levels)
        });
        Oracle { instance, levels: levels.collect(), trees }
    }

    /// Returns every feasible node, in lexicographic order of levels.
    fn feasible(&self, limit: u64) -> Vec<OracleNode> {
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for (_, levels) in &self.levels {
            choices = choices.iter().flat_map(|c| (0..levels.len()).map(|l| [c.as_slice(), &[l]].concat())).collect();
        }
        choices.into_iter().filter_map(|choice| self.judge(&choice, limit)).collect()
    }

    fn node(&self, choice: &[usize], column: usize, code: u32) -> NodeId {
        match self.levels.iter().position(|(at, _)| *at == column) {
            Some(place) => self.levels[place].1[choice[place]][code as usize],
            None => self.trees[column].leaf_of(code),
        }
    }

    fn judge(&self, choice: &[usize], limit: u64) -> Option<OracleNode> {
        let contingency = &self.instance.table.contingency;
        let published: Vec<Vec<NodeId>> = (0..contingency.len())
            .map(|at| (0..contingency.codes.len()).map(|c| self.node(choice, c, contingency.codes[c][at])).collect())
            .collect();
        let mut kept: BTreeSet<usize> = (0..contingency.len()).collect();
        loop {
            let violating = self.violating(&published, &kept);
            if violating.is_empty() {
                break;
            }
            kept = kept.difference(&violating).copied().collect();
        }
        let all: u64 = contingency.weights.iter().sum();
        let suppressed = all - kept.iter().map(|at| contingency.weights[*at]).sum::<u64>();
        (suppressed <= limit).then(|| OracleNode {
            nodes: choice.iter().zip(&self.levels).map(|(level, (_, levels))| levels[*level].clone()).collect(),
            steps: choice.iter().sum(),
            suppressed,
            costs: self.costs(&published, &kept, suppressed),
        })
    }

    /// Returns the records of classes that violate a model, by the naive definitions.
    fn violating(&self, published: &[Vec<NodeId>], kept: &BTreeSet<usize>) -> BTreeSet<usize> {
        let table = &self.instance.table;
        if kept.is_empty() {
            return BTreeSet::new();
        }
        let label = |column: usize, at: usize| self.trees[column].node(published[at][column]).label.clone();
        let values: Vec<Vec<String>> = (0..table.columns.len())
            .map(|c| kept.iter().map(|at| label(c, *at)).collect::<BTreeSet<_>>().into_iter().collect())
            .collect();
        let code = |c: usize, at: usize| values[c].iter().position(|value| *value == label(c, at)).unwrap() as u32;
        let contingency = ContingencyTable {
            codes: (0..values.len()).map(|c| kept.iter().map(|at| code(c, *at)).collect()).collect(),
            weights: kept.iter().map(|at| table.contingency.weights[*at]).collect(),
            owners: table.contingency.owners.as_ref().map(|owners| kept.iter().map(|at| owners[*at]).collect()),
        };
        let names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let trees = names.iter().cloned().zip(self.trees.iter().cloned()).collect();
        let reading =
            Reading::new(Counts { names: names.clone(), values: values.clone(), contingency, links: None }, trees);
        let mut violating = BTreeSet::new();
        for model in &self.instance.requirement.models {
            for violation in model.naive(&reading).unwrap() {
                let fits = |at: &&usize| {
                    violation
                        .witness
                        .iter()
                        .all(|(name, text)| label(names.iter().position(|known| known == name).unwrap(), **at) == *text)
                };
                violating.extend(kept.iter().filter(fits).copied());
            }
        }
        violating
    }

    fn costs(&self, published: &[Vec<NodeId>], kept: &BTreeSet<usize>, suppressed: u64) -> BTreeMap<&'static str, f64> {
        let table = &self.instance.table;
        let weights = &table.contingency.weights;
        let rows: u64 = weights.iter().sum();
        let (mut gcp, mut distortion, mut entropy) = (0.0, 0.0, 0.0);
        for (at, weight) in weights.iter().enumerate() {
            for (column, levels) in &self.levels {
                let tree = &self.trees[*column];
                let code = table.contingency.codes[*column][at];
                let node = if kept.contains(&at) { published[at][*column] } else { 0 };
                let node = tree.node(node);
                let values = tree.len() as f64 - 1.0;
                let lost = if kept.contains(&at) { (node.span.len() as f64 - 1.0) / values.max(1.0) } else { 1.0 };
                let leaf = tree.node(levels[0][code as usize]);
                let by_code = table.weights_of(*column);
                let below: u64 = node.span.clone().map(|code| by_code[code as usize]).sum();
                gcp += *weight as f64 * lost;
                distortion += *weight as f64 * f64::from(leaf.depth - node.depth);
                entropy += *weight as f64 * (below as f64 / by_code[code as usize] as f64).log2();
            }
        }
        let mut classes: BTreeMap<Vec<NodeId>, u64> = BTreeMap::new();
        let grouped = |c: &usize| {
            self.instance.requirement.models.iter().any(|m| m.grouped_by().contains(&table.columns[*c].name))
        };
        for at in kept {
            let class = (0..table.columns.len()).filter(grouped).map(|c| published[*at][c]).collect();
            *classes.entry(class).or_default() += weights[*at];
        }
        let squares: u64 = classes.values().map(|size| size * size).sum();
        BTreeMap::from([
            ("gcp", gcp),
            ("distortion", distortion),
            ("non-uniform-entropy", entropy),
            ("discernibility", (squares + suppressed * rows) as f64),
            ("average-class-size", rows as f64 / classes.len() as f64),
        ])
    }
}

fn search(instance: &Instance, metric: &str, control: &Control<'_>) -> Result<SearchOutcome> {
    let suppression = Suppression { limit: instance.limit, cells: false };
    search_with(instance, metric, control, suppression)
}

fn search_with(
    instance: &Instance,
    metric: &str,
    control: &Control<'_>,
    suppression: Suppression,
) -> Result<SearchOutcome> {
    let history = History::default();
    let (table, requirement) = (&instance.table, &instance.requirement);
    let task = RecodingTask { suppression, ..RecodingTask::new(table, &history, requirement) };
    let arguments = Arguments::default().set("metric", Argument::Word(metric.to_owned()));
    run_algorithm("optimal-full-domain", &task, arguments, control)
}

/// Returns the published node by generalized column and code.
fn published(oracle: &Oracle<'_>, recoding: &Recoding) -> Vec<Vec<NodeId>> {
    let column = |at: &usize| {
        let recoded = &recoding.columns[*at];
        recoded.map.iter().map(|place| recoded.column.nodes[*place as usize]).collect()
    };
    oracle.levels.iter().map(|(at, _)| column(at)).collect()
}

fn compare(instance: &Instance, seed: u64) {
    let oracle = Oracle::new(instance);
    let rows = instance.table.contingency.rows();
    let limit = Suppression { limit: instance.limit, cells: false }.max_suppressed(rows).min(rows - 1);
    let feasible = oracle.feasible(limit);
    for metric in cost::METRIC_NAMES {
        let outcome = search(instance, metric, &Control::QUIET);
        let about = || format!("seed {seed}, {metric}, limit {limit} of {rows}, {:?}", instance.model_specs);
        if feasible.is_empty() {
            assert!(matches!(outcome, Err(Error::Refused(_))), "{}: {outcome:?}", about());
            continue;
        }
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", about()));
        assert_eq!(outcome.guarantee, Guarantee::Optimal);
        let least = feasible.iter().map(|known| known.costs[metric]).fold(f64::INFINITY, f64::min);
        let nodes = published(&oracle, &outcome.recoding);
        let Some(chosen) = feasible.iter().find(|known| known.nodes == nodes) else {
            panic!("{}: an infeasible node was chosen", about());
        };
        let near = |cost: f64| (cost - least).abs() <= 1e-7 * least.abs().max(1.0);
        assert!(near(chosen.costs[metric]), "{}: {} instead of {least}", about(), chosen.costs[metric]);
        let release = outcome.recoding.apply(&instance.table).unwrap();
        assert_eq!(release.suppressed, chosen.suppressed, "{}", about());
        // Ties are resolved by the sum of levels, then by order.
        let mut tied = feasible.iter().filter(|known| near(known.costs[metric])).collect::<Vec<_>>();
        tied.sort_by_key(|known| known.steps);
        assert_eq!(nodes, tied[0].nodes, "{}: another node of equal cost was expected", about());
    }
}

fn search_and_compare(seeds: std::ops::Range<u64>, least: usize) -> usize {
    let mut compared = 0;
    for seed in seeds {
        if let Some(instance) = instance(&mut Rng(seed), least) {
            compare(&instance, seed);
            compared += 1;
        }
    }
    compared
}

#[test]
fn two_or_three_columns_match_the_oracle() {
    assert!(search_and_compare(0..2500, 2) > 2000);
}

#[test]
fn three_or_four_columns_match_the_oracle() {
    assert!(search_and_compare(10_000..10_150, 3) > 100);
}

#[test]
fn result_does_not_depend_on_thread_count() {
    for seed in 20_000..20_040 {
        let Some(instance) = instance(&mut Rng(seed), 3) else { continue };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let outcome = pool.install(|| search(&instance, "gcp", &Control::QUIET));
            outcome.map(|outcome| (outcome.steps, outcome.notes, published(&Oracle::new(&instance), &outcome.recoding)))
        };
        assert_eq!(with(1), with(2), "seed {seed}");
        assert_eq!(with(1), with(5), "seed {seed}");
    }
}

#[test]
fn cell_suppression_stays_within_limit() {
    let mut with_cells = 0;
    for seed in 30_000..30_150 {
        let Some(instance) = instance(&mut Rng(seed), 2) else { continue };
        let suppression = Suppression { limit: instance.limit, cells: true };
        let Ok(outcome) = search_with(&instance, "gcp", &Control::QUIET, suppression) else { continue };
        let release = outcome.recoding.apply(&instance.table).unwrap();
        assert!(release.suppressed <= suppression.max_suppressed(instance.table.contingency.rows()));
        let history = History::single(release);
        let surveys = instance.requirement.survey(&history).unwrap();
        assert!(surveys.iter().all(|(_, survey)| survey.violations.is_empty()), "seed {seed}");
        with_cells += usize::from(outcome.notes.len() == 3);
    }
    assert!(with_cells > 5, "{with_cells}");
}

#[test]
fn stopping_early_is_safe_or_an_error() {
    for seed in 40_000..40_100 {
        let Some(instance) = instance(&mut Rng(seed), 3) else { continue };
        let control = Control { stop: &|| true, ..Control::QUIET };
        match search(&instance, "gcp", &control) {
            Ok(outcome) => {
                let history = History::single(outcome.recoding.apply(&instance.table).unwrap());
                let surveys = instance.requirement.survey(&history).unwrap();
                assert!(surveys.iter().all(|(_, survey)| survey.violations.is_empty()), "seed {seed}");
            }
            Err(error) => assert!(matches!(error, Error::Stopped | Error::Refused(_)), "seed {seed}: {error}"),
        }
    }
}

fn four_people(k: f64) -> Instance {
    let tree = TreeSource::Given(Taxonomy::parse("q", TREES[0]).unwrap());
    let attributes = vec![attribute("q", Role::QuasiIdentifier, Type::Text, tree)];
    let schema = Schema { attributes, owner: None, missing_values: Vec::new() };
    let values = vec![["a", "b", "c", "d"].map(str::to_owned).to_vec()];
    let contingency = ContingencyTable { codes: vec![vec![0, 1, 2, 3]], weights: vec![1; 4], owners: None };
    let table =
        Table::build(&Counts { names: vec!["q".to_owned()], values, contingency, links: None }, &schema).unwrap();
    let model_specs = vec![ModelSpec {
        model: "k-anonymity".to_owned(),
        arguments: Arguments::default().set("k", Argument::Number(k)),
        line: None,
    }];
    let requirement = Requirement::build(&model_specs, &schema).unwrap();
    Instance { schema, table, model_specs, requirement, limit: Ratio::new(0, 1) }
}

#[test]
fn notes_describe_levels_and_search() {
    let outcome = search(&four_people(2.0), "gcp", &Control::QUIET).unwrap();
    assert_eq!(outcome.notes[0], "Generalization levels (0 is the exact value, the last is the root): q 1 of 2.");
    assert!(outcome.notes[1].starts_with("No other node costs less: generalized certainty penalty 0.3333."));
    assert!(outcome.notes[1].contains("Of 3 nodes,"));
}

#[test]
fn refusal_names_model_and_remedy() {
    let error = search(&four_people(5.0), "gcp", &Control::QUIET).unwrap_err().to_string();
    assert!(
        error.contains("5-anonymity on q (4 people in the class, at least 5 required; 4 people in violating classes)"),
        "{error}"
    );
    assert!(error.contains("a smaller k"), "{error}");
}

#[test]
fn a_history_is_refused() {
    let instance = four_people(2.0);
    let history = History::single(Release::raw(&instance.table).unwrap());
    let (table, requirement) = (&instance.table, &instance.requirement);
    let task = RecodingTask::new(table, &history, requirement);
    let outcome = run_algorithm("optimal-full-domain", &task, Arguments::default(), &Control::QUIET);
    assert!(matches!(outcome, Err(Error::CannotCheck(Obstacle::SearchIgnoresHistory {}))));
}

#[test]
fn a_lattice_that_is_too_large_is_refused() {
    assert!(Lattice::new(vec![100; 3]).is_ok());
    for heights in [vec![100; 4], vec![1000; 40]] {
        let error = Lattice::new(heights).unwrap_err();
        assert!(error.to_string().contains("top-down-specialization"), "{error}");
    }
}

#[test]
fn non_nested_levels_are_detected() {
    let nested: Vec<bool> = TREES
        .iter()
        .map(|text| {
            let mut instance = four_people(1.0);
            instance.table.columns[0].tree = Arc::new(Taxonomy::parse("q", text).unwrap());
            GeneralizationHierarchy::new(&instance.table, 0).is_nested()
        })
        .collect();
    assert_eq!(nested, [true, true, true, false, true, true]);
    assert_eq!(four_people(1.0).schema.attributes.len(), 1);
}

/// Keys of forty columns with 10 bits each need seven words, so records are numbered in several steps.
#[test]
fn keys_wider_than_a_word_distinguish_records() {
    let mut rng = Rng(7);
    let (columns, records) = (40, 300);
    let mut codes: Vec<Vec<u32>> =
        (0..columns).map(|_| (0..records).map(|_| rng.below(1000) as u32).collect()).collect();
    // Some records are equal in all columns, some differ in the last one only.
    for at in 1..records {
        if rng.with_percent(60) {
            let from = rng.below(at);
            for codes in &mut codes {
                codes[at] = codes[from];
            }
            codes[columns - 1][at] = rng.below(3) as u32;
        }
    }
    let contingency = ContingencyTable { codes, weights: vec![1; records], owners: None };
    let bundles = Bundles::new(&contingency);
    let published = vec![PublishedLevel { value_ids: None, distinct: 1000 }; columns];
    let subset: Vec<u32> = (0..records as u32).collect();
    let mut scratch = KeyScratch::default();
    for some in [(0..columns).collect::<Vec<_>>(), vec![3, 17, 39], vec![39], Vec::new()] {
        bundles.number(&contingency, &some, &published, &subset, &mut scratch);
        let mut numbers: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for at in 0..records {
            let next = numbers.len() as u32;
            let key = some.iter().map(|column| contingency.codes[*column][at]).collect();
            assert_eq!(scratch.ids[at], *numbers.entry(key).or_insert(next));
        }
        assert_eq!(scratch.count, numbers.len());
    }
}
