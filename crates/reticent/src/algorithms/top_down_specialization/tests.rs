//! The path of every attempt, compared with naive losses of its states.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;

use super::*;
use crate::algorithms::{Purpose, Suppression, run as run_algorithm};
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::{Counts, Table};
use crate::data::taxonomy::Type;
use crate::ratio::Ratio;
use crate::registry::Argument;
use crate::release::history::History;
use crate::requirement::{ModelSpec, Requirement};

/// Deterministic random number generator (SplitMix64).
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }
}

const TREE: &str = "a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\nf;*\n";

fn schema() -> Schema {
    let attribute = |name: &str, role, values, tree| Attribute {
        name: name.to_owned(),
        role,
        values,
        missing: Missing::Value,
        tree,
    };
    let attributes = vec![
        attribute("p", Role::QuasiIdentifier, Type::Text, TreeSource::Given(Taxonomy::parse("p", TREE).unwrap())),
        attribute("q", Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: None }),
        attribute("s", Role::QuasiIdentifier, Type::Text, TreeSource::Flat),
        attribute("class", Role::Other, Type::Text, TreeSource::Flat),
    ];
    Schema { attributes, owner: None, missing_values: vec![String::new()] }
}

fn table(random: &mut Rng, rows: usize) -> Table {
    let row = |random: &mut Rng| {
        let (p, q, s) = (random.below(6), random.below(9), random.below(3));
        // The class depends on two of the columns, with noise.
        let class = if random.below(4) == 0 { random.below(2) } else { u64::from(p < 3 && q < 6) };
        [
            ["a", "b", "c", "d", "e", "f"][p as usize],
            &(q * q).to_string(),
            ["u", "v", "w"][s as usize],
            ["n", "y"][class as usize],
        ]
        .map(str::to_owned)
    };
    let rows: Vec<[String; 4]> = (0..rows).map(|_| row(random)).collect();
    let texts: Vec<[&str; 4]> = rows.iter().map(|row| [&*row[0], &*row[1], &*row[2], &*row[3]]).collect();
    Table::build(&Counts::from_rows(["p", "q", "s", "class"], &texts), &schema()).unwrap()
}

fn requirement(k: u64) -> Requirement {
    let arguments = Arguments::default().set("k", Argument::Number(k as f64));
    Requirement::build(&[ModelSpec { model: "k-anonymity".to_owned(), arguments, line: None }], &schema()).unwrap()
}

/// Loss of a release from its definition, per record: penalty, entropy of the class in bits, or class size.
fn naive_loss(gain: Gain, table: &Table, recoding: &Recoding) -> f64 {
    let combos = &table.contingency;
    let mut row = Vec::new();
    let mut suppressed = 0.0;
    let mut classes: BTreeMap<Vec<String>, (BTreeMap<u32, f64>, f64)> = BTreeMap::new();
    for at in 0..combos.len() {
        let weight = combos.weights[at] as f64;
        if !recoding.publish(combos, at, &mut row) {
            suppressed += weight;
            continue;
        }
        let node = |column: usize| recoding.columns[column].column.nodes[row[column] as usize];
        let tree = |column: usize| &recoding.columns[column].column.tree;
        let labels = (0..3).map(|column| tree(column).node(node(column)).label.clone()).collect();
        let of_cell =
            |column: usize| (tree(column).node(node(column)).span.len() - 1) as f64 / (tree(column).len() - 1) as f64;
        let class = classes.entry(labels).or_default();
        *class.0.entry(combos.codes[3][at]).or_default() += weight;
        class.1 = (0..3).map(of_cell).sum::<f64>();
    }
    let entropy = |counts: &BTreeMap<u32, f64>| {
        let all: f64 = counts.values().sum();
        counts.values().map(|count| -count * (count / all).log2()).sum::<f64>()
    };
    let records = combos.rows() as f64;
    let mut all: BTreeMap<u32, f64> = BTreeMap::new();
    (0..combos.len()).for_each(|at| *all.entry(combos.codes[3][at]).or_default() += combos.weights[at] as f64);
    let size = |counts: &BTreeMap<u32, f64>| counts.values().sum::<f64>();
    let published = classes.values().map(|(counts, penalty)| match gain {
        Gain::Entropy => entropy(counts),
        Gain::Discernibility => size(counts).powi(2),
        Gain::Distortion => size(counts) * penalty,
    });
    let of_suppressed = match gain {
        Gain::Entropy => entropy(&all) / records,
        Gain::Discernibility => records,
        Gain::Distortion => 3.0,
    };
    published.sum::<f64>() + suppressed * of_suppressed
}

fn with_gain(word: &str) -> Arguments {
    Arguments::default().set("gain", Argument::Word(word.to_owned()))
}

const GAINS: [(&str, Gain); 4] = [
    ("conditional-entropy", Gain::Entropy),
    ("entropy", Gain::Entropy),
    ("distortion", Gain::Distortion),
    ("discernibility", Gain::Discernibility),
];

/// The losses that the search computes are those of the definition, and the kept state is the best of all paths.
#[test]
fn the_kept_state_is_the_best_of_all_paths() {
    let mut random = Rng(7);
    let (mut states, mut worse, mut suppressing) = (0, 0, 0);
    for round in 0..60 {
        let table = table(&mut random, 30);
        let (history, purpose) = (History::default(), Purpose::Classification("class".to_owned()));
        let requirement = requirement(2 + random.below(3));
        let limit = [Ratio::new(0, 1), Ratio::new(1, 10), Ratio::new(3, 10), Ratio::new(1, 1)][round % 4];
        let suppression = Suppression { limit, cells: false };
        let task = RecodingTask { purpose: &purpose, suppression, ..RecodingTask::new(&table, &history, &requirement) };
        for (word, gain) in GAINS {
            let kept = run_algorithm("top-down-specialization", &task, with_gain(word), &Control::QUIET).unwrap();
            let kept_loss = naive_loss(gain, &table, &kept.recoding);
            let loss_measure = LossMeasure::new(gain, &table, &purpose).unwrap();
            let columns = generalized_columns(&task).unwrap();
            let mut plan = AttemptPlan::new(&task, gain, word == "entropy");
            while let Some(attempt) = plan.next_attempt() {
                let mut search =
                    SpecializationSearch::new(&task, attempt, &loss_measure, columns.clone(), &[]).unwrap();
                search.specialize_all(0.0, &Control::QUIET).unwrap();
                plan.record(search.limited);
                let mut best = f64::INFINITY;
                for steps in 0..=search.steps.len() {
                    let mut recoding = search.recoding_after(steps);
                    let suppressed = match search.attempt.suppresses {
                        true => suppress_records(&table, &mut recoding, &requirement, &[]).unwrap(),
                        false => 0,
                    };
                    assert!(suppressed <= attempt.limit);
                    let loss = naive_loss(gain, &table, &recoding);
                    if let Some(computed) = search.losses[steps] {
                        assert!((as_number(computed) - loss).abs() < 1e-3, "{word}: {computed} is not {loss}");
                        states += 1;
                    }
                    assert!(
                        kept_loss <= loss + 1e-3,
                        "{word}, {limit:?}: {loss} after {steps} steps, but {kept_loss} was kept"
                    );
                    best = best.min(loss);
                    suppressing += u64::from(suppressed > 0);
                }
                worse += u64::from(best > kept_loss + 1e-3);
            }
        }
    }
    assert!(states > 1000 && worse > 50 && suppressing > 100, "{states} {worse} {suppressing}");
}

/// A step that suppresses records decreases the loss.
#[test]
fn suppressed_records_are_paid_for() {
    let mut random = Rng(8);
    let mut paid = 0;
    for _ in 0..40 {
        let table = table(&mut random, 40);
        let (history, purpose) = (History::default(), Purpose::General);
        let requirement = requirement(3);
        let suppression = Suppression { limit: Ratio::new(1, 1), cells: false };
        let task = RecodingTask { purpose: &purpose, suppression, ..RecodingTask::new(&table, &history, &requirement) };
        let loss_measure = LossMeasure::new(Gain::Distortion, &table, &purpose).unwrap();
        let mut plan = AttemptPlan::new(&task, Gain::Distortion, false);
        while let Some(attempt) = plan.next_attempt() {
            let columns = generalized_columns(&task).unwrap();
            let mut search = SpecializationSearch::new(&task, attempt, &loss_measure, columns, &[]).unwrap();
            search.specialize_all(0.0, &Control::QUIET).unwrap();
            plan.record(search.limited);
            let states: Vec<(u64, f64)> = (0..=search.steps.len())
                .map(|steps| {
                    let mut recoding = search.recoding_after(steps);
                    let suppressed = suppress_records(&table, &mut recoding, &requirement, &[]).unwrap();
                    (suppressed, naive_loss(Gain::Distortion, &table, &recoding))
                })
                .collect();
            for pair in states.windows(2).filter(|pair| pair[1].0 > pair[0].0) {
                assert!(pair[1].1 < pair[0].1, "{pair:?}");
                paid += 1;
            }
        }
    }
    assert!(paid > 50, "{paid}");
}
