//! t-closeness: in every class the sensitive values are distributed as in the whole release, up to distance `t`.
//!
//! Definition  for every class x: EMD(P(. | x), P(.)) <= t, the earth mover's distance between the shares of the values
//!             in the class and in the whole release. Moving one unit of share costs, by the chosen ground distance:
//!             equal         1;                                  EMD = half the sum of absolute differences
//!             ordered       places apart / (values - 1);        EMD = sum of absolute prefix sums / (values - 1)
//!             hierarchical  height of the lowest common node / height of the tree;
//!                           EMD = sum over inner nodes of height / H * min(share to bring out, share to bring in)
//! Thwarts     attribute linkage by skewness, and with a ground distance by similarity.
//! Paper       Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007; survey section 2.2.4.
//! Monotone    the distance of a merged class is at most the mean of its parts'.
//! Notes       values that occur nowhere in the release take no part; the whole is the release, as an attacker sees it. Where
//!             values are ordered, a missing one comes after all others.

use std::collections::BTreeMap;

use super::{Judge, Judgement, Listed, Merging, Model, ON, SENSITIVE, grouping, on_text, sensitive};
use crate::classes::{Group, Whole};
use crate::contract::{Breach, Reading};
use crate::error::{Error, Obstacle, Result};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::{Schema, Tree};
use crate::share::Share;
use crate::taxonomy::{NodeId, Taxonomy, Type};
use crate::text::plain;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "t-closeness",
        title: "t-closeness",
        summary: "In every class the sensitive values are distributed as in the whole release, up to earth mover's distance t.",
        paper: "Li, Li and Venkatasubramanian, t-Closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007",
        thwarts: "attribute linkage (skewness, similarity)",
        comparison: false,
        parameters: &[
            Parameter {
                name: "t",
                domain: Domain::Number(0.0, 1.0),
                default: None,
                meaning: "greatest distance allowed",
            },
            Parameter {
                name: "distance",
                domain: Domain::Word(&["equal", "ordered", "hierarchical"]),
                default: Some("equal"),
                meaning: "how far two values are apart: all alike, by their order, or by the column's taxonomy",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::closeness", "laws::models"],
    },
    build,
    joined: None,
};

/// From differences of shares, in order, to a distance as a fraction.
type Emd = Box<dyn Fn(&[i128]) -> (i128, i128) + Send + Sync>;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Distance {
    Equal,
    Ordered,
    Hierarchical,
}

#[derive(Debug)]
struct TCloseness {
    t: Share,
    distance: Distance,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let t =
        Share::from_decimal(arguments.number("t")?).ok_or_else(|| Error::policy(None, "`t` has too many digits"))?;
    let distance = match arguments.word("distance")? {
        "ordered" => Distance::Ordered,
        "hierarchical" => Distance::Hierarchical,
        _ => Distance::Equal,
    };
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for column in sensitive(arguments, schema)? {
        let attribute = schema.attribute(&column)?;
        let given = matches!(attribute.tree, Tree::Given(_));
        if distance == Distance::Hierarchical && !given {
            return Err(Error::column(
                &column,
                "hierarchical distance needs a taxonomy; name its file with `taxonomy`",
            ));
        }
        if distance == Distance::Ordered && attribute.values == Type::Text && !given {
            return Err(Error::column(
                &column,
                "ordered distance needs numbers, dates, or a taxonomy whose leaves are in order",
            ));
        }
        models.push(Box::new(TCloseness { t, distance, by: by.clone(), of: [column] }));
    }
    Ok(models)
}

impl Model for TCloseness {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{}-closeness ({:?}) of {} {}", self.t, self.distance, self.of[0], on_text(&self.by))
            .replace("(E", "(e")
            .replace("(O", "(o")
            .replace("(H", "(h")
    }

    fn by(&self) -> &[String] {
        &self.by
    }

    fn of(&self) -> &[String] {
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
        Ok(Box::new(move |group: &Group<'_>| {
            // Differences of shares, times size * total, so that everything stays whole.
            let size: u64 = group.counts.iter().map(|(_, count)| count).sum();
            let mut in_class = vec![0u64; places];
            for (code, count) in group.counts {
                in_class[*code as usize] = *count;
            }
            let difference = |(code, all): &(u32, u64)| {
                i128::from(in_class[*code as usize]) * i128::from(total) - i128::from(*all) * i128::from(size)
            };
            let differences: Vec<i128> = totals.iter().map(difference).collect();
            let (above, below) = emd(&differences);
            let distance = Share {
                numerator: above.unsigned_abs(),
                denominator: (below.unsigned_abs() * u128::from(size) * u128::from(total)).max(1),
            };
            Judgement { holds: distance <= self.t, safety: -distance.to_f64() }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{} is distributed at distance {:.6} from the whole, at most {} allowed", self.of[0], -safety, self.t)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let all: Vec<usize> = (0..reading.len()).collect();
        let whole = reading.people_by_value(&all, &self.of)?;
        let values = self.in_order(reading, whole.keys().map(|value| value[0]).collect())?;
        let total: u64 = whole.values().sum();
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let counts = reading.people_by_value(&records, &self.of)?;
            let size: u64 = counts.values().sum();
            // What each value has too much (or, negative, too little) of, in units of 1 / (size * total).
            let surplus = |value: &u32| {
                let here = counts.get(&vec![*value]).copied().unwrap_or(0);
                i128::from(here) * i128::from(total) - i128::from(whole[&vec![*value]]) * i128::from(size)
            };
            let surplus: Vec<i128> = values.iter().map(surplus).collect();
            let (cost, unit) = self.naive_cost(reading, &values, &surplus)?;
            let distance = Share { numerator: cost, denominator: (unit * u128::from(size) * u128::from(total)).max(1) };
            if distance > self.t {
                breaches.push(reading.breach(&self.by, &class, self.explain(-distance.to_f64())));
            }
        }
        Ok(breaches)
    }
}

/// Half the absolute sum, over 1.
fn equal(differences: &[i128]) -> (i128, i128) {
    (differences.iter().map(|difference| difference.abs()).sum(), 2)
}

/// The absolute prefix sums, over the number of steps.
fn ordered(differences: &[i128]) -> (i128, i128) {
    let mut prefix = 0;
    let mut sum: i128 = 0;
    for difference in differences {
        prefix += difference;
        sum += i128::abs(prefix);
    }
    (sum, (differences.len() as i128 - 1).max(1))
}

/// At every inner node, what its children can exchange travels at the node's height.
fn hierarchical(tree: &Taxonomy, leaves: &[NodeId]) -> Emd {
    let parents: Vec<Option<NodeId>> = tree.nodes().iter().map(|node| node.parent).collect();
    let heights: Vec<i128> = (0..parents.len()).map(|id| i128::from(tree.height(id))).collect();
    let mut order: Vec<NodeId> = (0..parents.len()).collect();
    order.sort_by_key(|id| std::cmp::Reverse(tree.node(*id).depth));
    let leaves = leaves.to_vec();
    Box::new(move |differences| {
        let (mut surplus, mut lack) = (vec![0i128; parents.len()], vec![0i128; parents.len()]);
        for (leaf, difference) in leaves.iter().zip(differences) {
            surplus[*leaf] += (*difference).max(0);
            lack[*leaf] += (-*difference).max(0);
        }
        let mut cost = 0;
        for id in &order {
            let exchanged = surplus[*id].min(lack[*id]);
            cost += exchanged * heights[*id];
            if let Some(parent) = parents[*id] {
                surplus[parent] += surplus[*id] - exchanged;
                lack[parent] += lack[*id] - exchanged;
            }
        }
        (cost, heights[0].max(1))
    })
}

impl TCloseness {
    /// The values of the reading in the order of their taxonomy or scale.
    fn in_order(&self, reading: &Reading, mut values: Vec<u32>) -> Result<Vec<u32>> {
        let column = &self.of[0];
        let tree = reading.tree(column)?;
        let known: BTreeMap<&str, usize> = tree.values().iter().map(|value| plain(value)).zip(0..).collect();
        let mut places = BTreeMap::new();
        for value in &values {
            let text = reading.text(column, *value)?;
            // Numbers that are published as intervals are in the order of these.
            let interval = || tree.find(text).map(|node| tree.node(node).codes.start as usize);
            let place = known.get(text).copied().or_else(interval).ok_or_else(|| {
                Error::from(Obstacle::ValueNotInTable { statement: self.title(), column: column.clone() })
            })?;
            places.insert(*value, place);
        }
        values.sort_by_key(|value| places[value]);
        Ok(values)
    }

    /// The least cost of moving surpluses to lacks, and the unit it is counted in, by the ground distance of each pair:
    /// the nearest pair first, which is optimal for these three distances (a line, a star, an ultrametric tree).
    fn naive_cost(&self, reading: &Reading, values: &[u32], surplus: &[i128]) -> Result<(u128, u128)> {
        let column = &self.of[0];
        let unit = match self.distance {
            Distance::Equal => 1,
            Distance::Ordered => (values.len() as u128 - 1).max(1),
            Distance::Hierarchical => u128::from(reading.tree(column)?.height(0)).max(1),
        };
        if self.distance == Distance::Ordered {
            // On a line the earth moves past each gap exactly once: what has piled up to its left.
            let moved = (1..surplus.len()).map(|gap| surplus[..gap].iter().sum::<i128>().unsigned_abs());
            return Ok((moved.sum(), unit));
        }
        if self.distance == Distance::Equal {
            // Whatever is too much somewhere moves by one step.
            return Ok((surplus.iter().map(|surplus| (*surplus).max(0).unsigned_abs()).sum(), unit));
        }
        let tree = reading.tree(column)?;
        let path = |value: &u32| Ok(path_up(&tree, reading.text(column, *value)?));
        let paths: Vec<Vec<NodeId>> = values.iter().map(path).collect::<Result<_>>()?;
        let mut pairs = Vec::new();
        for from in (0..values.len()).filter(|at| surplus[*at] > 0) {
            for to in (0..values.len()).filter(|at| surplus[*at] < 0) {
                let apart = apart(&tree, &paths[from], &paths[to]);
                pairs.push((apart, from, to));
            }
        }
        pairs.sort_unstable();
        let mut left = surplus.to_vec();
        let mut cost = 0;
        for (apart, from, to) in pairs {
            let moved = left[from].min(-left[to]).max(0);
            left[from] -= moved;
            left[to] += moved;
            cost += moved.unsigned_abs() * apart;
        }
        Ok((cost, unit))
    }
}

/// The nodes from a value up to the root.
fn path_up(tree: &Taxonomy, label: &str) -> Vec<NodeId> {
    let mut path = Vec::new();
    let mut at = tree.find(label);
    while let Some(id) = at {
        path.push(id);
        at = tree.node(id).parent;
    }
    path
}

/// The height of the lowest node on both ways up.
fn apart(tree: &Taxonomy, one: &[NodeId], other: &[NodeId]) -> u128 {
    let common = one.iter().find(|id| other.contains(id)).copied().unwrap_or(0);
    u128::from(tree.height(common))
}
