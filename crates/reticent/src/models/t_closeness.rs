//! t-closeness: the distribution of the sensitive values in every class is within distance `t` of the whole release.
//!
//! Definition  EMD(P(. | x), P(.)) <= t for every equivalence class x. EMD is the earth mover's distance between the
//!             distribution in the class and in the whole release. The ground distances of two values are:
//!             equal         1;                                  EMD = half the sum of absolute differences
//!             ordered       difference of ranks / (values - 1); EMD = sum of absolute prefix sums / (values - 1)
//!             hierarchical  height of the lowest common ancestor / height H of the tree;
//!                           EMD = sum over inner nodes of height / H * min(outgoing share, incoming share)
//! Protects    against skewness attacks and, with an ordered or hierarchical ground distance, against similarity attacks.
//! Paper       Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007; survey section 2.2.4.
//! Joined      P(. | x) are the shares among the tuples with a value x on X. P(.) is the distribution in the release that has the column.
//! Monotone    the distance of a merged class is at most the weighted mean of the distances of its parts.
//! Notes       values that do not occur in the release are ignored. The reference distribution is that of the release, not
//!             of the raw table. In the ordered distance a missing value has the last rank.

use std::collections::BTreeMap;

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, SENSITIVE, distribution, grouping_columns, on_text,
    sensitive_columns, sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::{Schema, TreeSource};
use crate::data::taxonomy::{NodeId, Taxonomy, Type};
use crate::error::{Error, Obstacle, Result};
use crate::join::{Constraint, JOINED_X, JoinScope};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::{EquivalenceClass, Whole};
use crate::text::without_formula_guard;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "t-closeness",
        title: "t-closeness",
        summary: "For every equivalence class x on the quasi-identifiers, the earth mover's distance between the distribution of the \
                  sensitive values in x and in the whole release is at most t.",
        paper: "Li, Li and Venkatasubramanian, t-Closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007",
        protects_against: "attribute linkage (skewness, similarity)",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "t",
                domain: Domain::Number(0.0, 1.0),
                default: None,
                meaning: "maximum earth mover's distance",
            },
            ParameterDef {
                name: "distance",
                domain: Domain::Word(&["equal", "ordered", "hierarchical"]),
                default: Some("equal"),
                meaning: "ground distance of two values: 1 for all pairs, by rank, or by the lowest common ancestor in the taxonomy",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::closeness", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

/// Computes the earth mover's distance from the differences of shares, as (numerator, denominator).
type Emd = Box<dyn Fn(&[i128]) -> (i128, i128) + Send + Sync>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Distance {
    Equal,
    Ordered,
    Hierarchical,
}

#[derive(Debug)]
struct TCloseness {
    t: Ratio,
    distance: Distance,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let make = |column| -> Result<Box<dyn Model>> { Ok(Box::new(TCloseness::new(arguments, schema, &by, column)?)) };
    sensitive_columns(arguments, schema)?.into_iter().map(make).collect()
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, schema: &Schema) -> Result<Vec<Constraint>> {
    sensitive_constraints(arguments, scope, |[column]| {
        let model = TCloseness::new(arguments, schema, &[JOINED_X.to_owned()], column.clone())?;
        let title = model.name();
        Ok(distribution(model, title))
    })
}

impl TCloseness {
    fn new(arguments: &Arguments, schema: &Schema, by: &[String], column: String) -> Result<TCloseness> {
        let t = Ratio::from_decimal(arguments.number("t")?);
        let t = t.ok_or_else(|| Error::policy(None, "`t` has too many digits"))?;
        let distance = match arguments.word("distance")? {
            "ordered" => Distance::Ordered,
            "hierarchical" => Distance::Hierarchical,
            _ => Distance::Equal,
        };
        let attribute = schema.attribute(&column)?;
        let given = matches!(attribute.tree, TreeSource::Given(_));
        if distance == Distance::Hierarchical && !given {
            return Err(Error::column(
                &column,
                "has no taxonomy, which the hierarchical distance needs; set the key `taxonomy` of the column",
            ));
        }
        if distance == Distance::Ordered && attribute.values == Type::Text && !given {
            return Err(Error::column(
                &column,
                "has no order, which the ordered distance needs: numbers, dates, or a taxonomy with ordered leaves",
            ));
        }
        Ok(TCloseness { t, distance, by: by.to_vec(), of: [column] })
    }

    /// Name of the model with its parameters.
    fn name(&self) -> String {
        let distance = match self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => "ordered",
            Distance::Hierarchical => "hierarchical",
        };
        format!("{}-closeness ({distance})", self.t)
    }
}

impl Model for TCloseness {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{} of {} {}", self.name(), self.of[0], on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        let places = whole.counts.last().map_or(0, |(code, _)| *code as usize + 1);
        let totals = whole.counts.clone();
        let total: u64 = totals.iter().map(|(_, count)| count).sum();
        let emd: Emd = match self.distance {
            Distance::Equal => Box::new(equal),
            Distance::Ordered => Box::new(ordered),
            Distance::Hierarchical => {
                let Some(column) = whole.column else {
                    return Err(Obstacle::NoSingleColumn { statement: self.title() }.into());
                };
                let leaves: Vec<NodeId> = totals.iter().map(|(code, _)| column.nodes[*code as usize]).collect();
                hierarchical(&column.tree, &leaves)
            }
        };
        Ok(Box::new(move |class: &EquivalenceClass<'_>| {
            // Differences of shares, multiplied by size * total so that they are integers.
            let size: u64 = class.counts.iter().map(|(_, count)| count).sum();
            let mut in_class = vec![0u64; places];
            for (code, count) in class.counts {
                in_class[*code as usize] = *count;
            }
            let difference = |(code, all): &(u32, u64)| {
                i128::from(in_class[*code as usize]) * i128::from(total) - i128::from(*all) * i128::from(size)
            };
            let differences: Vec<i128> = totals.iter().map(difference).collect();
            let (above, below) = emd(&differences);
            let distance = Ratio {
                numerator: above.unsigned_abs(),
                denominator: (below.unsigned_abs() * u128::from(size) * u128::from(total)).max(1),
            };
            Judgement { holds: distance <= self.t, safety: -distance.to_f64() }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        let column = &self.of[0];
        format!("the distance of {column} from the whole release is {:.6}, at most {} allowed", -safety, self.t)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let all: Vec<usize> = (0..reading.len()).collect();
        let whole = reading.people_by_value(&all, &self.of)?;
        let values = self.in_scale_order(reading, whole.keys().map(|value| value[0]).collect())?;
        let total: u64 = whole.values().sum();
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let counts = reading.people_by_value(&records, &self.of)?;
            let size: u64 = counts.values().sum();
            // Surplus (positive) or deficit (negative) of each value, in units of 1 / (size * total).
            let surplus = |value: &u32| {
                let here = counts.get(&vec![*value]).copied().unwrap_or(0);
                i128::from(here) * i128::from(total) - i128::from(whole[&vec![*value]]) * i128::from(size)
            };
            let surplus: Vec<i128> = values.iter().map(surplus).collect();
            let (cost, unit) = self.naive_cost(reading, &values, &surplus)?;
            let distance = Ratio { numerator: cost, denominator: (unit * u128::from(size) * u128::from(total)).max(1) };
            if distance > self.t {
                violations.push(reading.violation(&self.by, &class, self.explain(-distance.to_f64())));
            }
        }
        Ok(violations)
    }
}

/// Equal distance: half the sum of absolute differences.
fn equal(differences: &[i128]) -> (i128, i128) {
    (differences.iter().map(|difference| difference.abs()).sum(), 2)
}

/// Ordered distance: the sum of absolute prefix sums, divided by the number of values minus 1.
fn ordered(differences: &[i128]) -> (i128, i128) {
    let mut prefix = 0;
    let mut sum: i128 = 0;
    for difference in differences {
        prefix += difference;
        sum += i128::abs(prefix);
    }
    (sum, (differences.len() as i128 - 1).max(1))
}

/// Hierarchical distance: the share that the children of a node exchange costs the height of the node.
fn hierarchical(tree: &Taxonomy, leaves: &[NodeId]) -> Emd {
    let parents: Vec<Option<NodeId>> = tree.nodes().iter().map(|node| node.parent).collect();
    let heights: Vec<i128> = (0..parents.len()).map(|id| i128::from(tree.height(id))).collect();
    let mut order: Vec<NodeId> = (0..parents.len()).collect();
    order.sort_by_key(|id| std::cmp::Reverse(tree.node(*id).depth));
    let leaves = leaves.to_vec();
    Box::new(move |differences| {
        let (mut surplus, mut deficit) = (vec![0i128; parents.len()], vec![0i128; parents.len()]);
        for (leaf, difference) in leaves.iter().zip(differences) {
            surplus[*leaf] += (*difference).max(0);
            deficit[*leaf] += (-*difference).max(0);
        }
        let mut cost = 0;
        for id in &order {
            let exchanged = surplus[*id].min(deficit[*id]);
            cost += exchanged * heights[*id];
            if let Some(parent) = parents[*id] {
                surplus[parent] += surplus[*id] - exchanged;
                deficit[parent] += deficit[*id] - exchanged;
            }
        }
        (cost, heights[0].max(1))
    })
}

impl TCloseness {
    /// Sorts the values of the reading by their taxonomy or scale.
    fn in_scale_order(&self, reading: &Reading, mut values: Vec<u32>) -> Result<Vec<u32>> {
        let column = &self.of[0];
        let tree = reading.tree(column)?;
        let known: BTreeMap<&str, usize> =
            tree.values().iter().map(|value| without_formula_guard(value)).zip(0..).collect();
        let mut places = BTreeMap::new();
        for value in &values {
            let text = reading.text(column, *value)?;
            // A number that is published as an interval has the rank of the interval.
            let interval = || tree.find(text).map(|node| tree.node(node).span.start as usize);
            let place = known.get(text).copied().or_else(interval).ok_or_else(|| {
                Error::from(Obstacle::ValueNotInTable { statement: self.title(), column: column.clone() })
            })?;
            places.insert(*value, place);
        }
        values.sort_by_key(|value| places[value]);
        Ok(values)
    }

    /// Computes the minimum cost of moving surpluses to deficits, and its unit.
    ///
    /// For the hierarchical distance it moves between the nearest pairs first, which is optimal for an ultrametric.
    fn naive_cost(&self, reading: &Reading, values: &[u32], surplus: &[i128]) -> Result<(u128, u128)> {
        let column = &self.of[0];
        let unit = match self.distance {
            Distance::Equal => 1,
            Distance::Ordered => (values.len() as u128 - 1).max(1),
            Distance::Hierarchical => u128::from(reading.tree(column)?.height(0)).max(1),
        };
        if self.distance == Distance::Ordered {
            // On a line, the amount that passes each gap is the sum of the surpluses to its left.
            let moved = (1..surplus.len()).map(|gap| surplus[..gap].iter().sum::<i128>().unsigned_abs());
            return Ok((moved.sum(), unit));
        }
        if self.distance == Distance::Equal {
            // Every surplus moves by distance 1.
            return Ok((surplus.iter().map(|surplus| (*surplus).max(0).unsigned_abs()).sum(), unit));
        }
        let tree = reading.tree(column)?;
        let path = |value: &u32| Ok(path_to_root(&tree, reading.text(column, *value)?));
        let paths: Vec<Vec<NodeId>> = values.iter().map(path).collect::<Result<_>>()?;
        let mut pairs = Vec::new();
        for from in (0..values.len()).filter(|at| surplus[*at] > 0) {
            for to in (0..values.len()).filter(|at| surplus[*at] < 0) {
                let distance_apart = ground_distance(&tree, &paths[from], &paths[to]);
                pairs.push((distance_apart, from, to));
            }
        }
        pairs.sort_unstable();
        let mut left = surplus.to_vec();
        let mut cost = 0;
        for (distance_apart, from, to) in pairs {
            let moved = left[from].min(-left[to]).max(0);
            left[from] -= moved;
            left[to] += moved;
            cost += moved.unsigned_abs() * distance_apart;
        }
        Ok((cost, unit))
    }
}

/// Returns the nodes from a value to the root.
fn path_to_root(tree: &Taxonomy, label: &str) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut at = tree.find(label);
    while let Some(id) = at {
        path.push(id);
        at = tree.node(id).parent;
    }
    path
}

/// Returns the height of the lowest common ancestor of two paths to the root.
fn ground_distance(tree: &Taxonomy, one: &[NodeId], other: &[NodeId]) -> u128 {
    let common = one.iter().find(|id| other.contains(id)).copied().unwrap_or(0);
    u128::from(tree.height(common))
}
