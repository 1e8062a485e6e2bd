//! Clusters of records: k-prototypes under the Gower distance.
//!
//! Distance    sum over the columns of weight * distance in the column. Numbers and taxonomies with inner nodes are ordered: the
//!             distance of two values is that of their positions, from 0 to 1. A number has its place between the least and the
//!             greatest one, any other value the rank of its leaf. Columns without order count 1 for different values.
//! Centre      the weighted median of ordered columns, and the most frequent value of the others.
//! Search      several starts, each with distance-weighted random centres (k-means++); then assignment and new centres in turn,
//!             until nothing changes. The start with the least sum of distances wins.
//! Result      deterministic: the random numbers have a fixed seed, and points are in ascending order of their values.
//! Papers      Huang, Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998;
//!             Gower, A general coefficient of similarity, 1971; Arthur and Vassilvitskii, k-means++, SODA 2007.

#[cfg(test)]
mod tests;

use crate::data::contingency::{Weight, combine_with_positions};
use crate::data::table::Table;
use crate::data::taxonomy::{Code, Taxonomy};

/// Number of starts.
const STARTS: u64 = 10;
/// Maximum number of rounds of one start.
const MAX_ROUNDS: usize = 50;

/// Values of the points in one column.
pub(crate) enum Axis {
    /// Positions from 0 to 1.
    Ordered(Vec<f64>),
    /// Values without order.
    Nominal(Vec<u32>),
}

/// Value of a centre in one column.
#[derive(Clone, PartialEq)]
enum Centre {
    Ordered(f64),
    Nominal(u32),
}

/// Points with equal weights of columns.
pub(crate) struct Points<'a> {
    /// Values by column.
    pub axes: &'a [Axis],
    /// Weight by column.
    pub column_weights: &'a [f64],
    /// Number of records by point.
    pub records: &'a [Weight],
}

/// Returns the cluster of every combination of a table, from its codes in these columns.
pub(crate) fn clusters_of_table(table: &Table, columns: &[usize], count: usize) -> Vec<u32> {
    let contingency = &table.contingency;
    let views: Vec<&[Code]> = columns.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    let mut place_of = vec![0u32; contingency.len()];
    let distinct = combine_with_positions(&views, &contingency.weights, None, |at, place| place_of[at] = place);
    let axis = |(column, codes): (&usize, &Vec<Code>)| {
        let tree = &table.columns[*column].tree;
        match positions(tree) {
            Some(positions) => Axis::Ordered(codes.iter().map(|code| positions[*code as usize]).collect()),
            None => Axis::Nominal(codes.clone()),
        }
    };
    let axes: Vec<Axis> = columns.iter().zip(&distinct.codes).map(axis).collect();
    let column_weights: Vec<f64> = columns.iter().map(|column| table.columns[*column].loss_weight).collect();
    let points = Points { axes: &axes, column_weights: &column_weights, records: &distinct.weights };
    let clusters = points.clusters(count);
    place_of.iter().map(|place| clusters[*place as usize]).collect()
}

/// Returns the position of every value of an ordered column, from 0 to 1; `None` for a column without order.
pub(crate) fn positions(tree: &Taxonomy) -> Option<Vec<f64>> {
    if let (Some(numbers), Some((low, high))) = (tree.numbers(), tree.extent()) {
        let position = |number: f64| if high > low { (number - low) / (high - low) } else { 0.0 };
        // A missing value has no number; it is as far from the least as from the greatest one.
        let number = |code: usize| numbers.get(code).map_or(0.5, |number| position(*number));
        return Some((0..tree.len()).map(number).collect());
    }
    let is_ordered = tree.nodes().iter().any(|node| node.depth > 1);
    let others = tree.len().saturating_sub(1).max(1) as f64;
    is_ordered.then(|| (0..tree.len()).map(|code| code as f64 / others).collect())
}

impl Points<'_> {
    /// Returns the cluster of every point, from 0.
    pub(crate) fn clusters(&self, count: usize) -> Vec<u32> {
        let mut best: Option<(f64, Vec<u32>)> = None;
        for start in 0..STARTS {
            let (cost, clusters) = self.run_from(count, start);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, clusters));
            }
        }
        best.map(|(_, clusters)| clusters).unwrap_or_default()
    }

    fn run_from(&self, count: usize, start: u64) -> (f64, Vec<u32>) {
        let mut centres = self.initial_centres(count, start);
        let (mut cost, mut clusters) = self.assign(&centres);
        for _ in 0..MAX_ROUNDS {
            let moved: Vec<Vec<Centre>> =
                (0..).zip(&centres).map(|(at, old)| self.centre(&clusters, at, old)).collect();
            if moved == centres {
                break;
            }
            centres = moved;
            (cost, clusters) = self.assign(&centres);
        }
        (cost, clusters)
    }

    /// Draws centres: the first by records, the next by records times the distance from the nearest centre.
    fn initial_centres(&self, count: usize, start: u64) -> Vec<Vec<Centre>> {
        let mut state = start;
        let mut nearest: Vec<f64> = vec![1.0; self.records.len()];
        let mut centres: Vec<Vec<Centre>> = Vec::new();
        for _ in 0..count {
            let chances = || nearest.iter().zip(self.records).map(|(distance, records)| distance * *records as f64);
            let total: f64 = chances().sum();
            if total <= 0.0 {
                break;
            }
            let mut drawn = random_share(&mut state) * total;
            let place = chances().position(|chance| {
                drawn -= chance;
                drawn < 0.0
            });
            // Rounding can leave a rest: the last point with a chance.
            let place = place.or_else(|| nearest.iter().rposition(|distance| *distance > 0.0)).unwrap_or(0);
            let centre: Vec<Centre> = self.axes.iter().map(|axis| axis.value(place)).collect();
            for (point, least) in nearest.iter_mut().enumerate() {
                let distance = self.distance(point, &centre);
                *least = if centres.is_empty() { distance } else { least.min(distance) };
            }
            centres.push(centre);
        }
        centres
    }

    /// Returns the sum of the distances, and the nearest centre of every point; the first one in case of a tie.
    fn assign(&self, centres: &[Vec<Centre>]) -> (f64, Vec<u32>) {
        let mut cost = 0.0;
        let nearest = |point: usize| {
            let mut best = (f64::INFINITY, 0);
            for (at, centre) in (0..).zip(centres) {
                let distance = self.distance(point, centre);
                if distance < best.0 {
                    best = (distance, at);
                }
            }
            cost += best.0 * self.records[point] as f64;
            best.1
        };
        let clusters = (0..self.records.len()).map(nearest).collect();
        (cost, clusters)
    }

    fn distance(&self, point: usize, centre: &[Centre]) -> f64 {
        let parts = self.axes.iter().zip(centre).zip(self.column_weights);
        parts.map(|((axis, centre), weight)| weight * axis.distance(point, centre)).sum()
    }

    /// Centre of a cluster; the old one if the cluster is empty.
    fn centre(&self, clusters: &[u32], cluster: u32, old: &[Centre]) -> Vec<Centre> {
        let members: Vec<usize> = (0..clusters.len()).filter(|point| clusters[*point] == cluster).collect();
        if members.is_empty() {
            return old.to_vec();
        }
        self.axes.iter().map(|axis| axis.centre(&members, self.records)).collect()
    }
}

impl Axis {
    fn value(&self, point: usize) -> Centre {
        match self {
            Axis::Ordered(positions) => Centre::Ordered(positions[point]),
            Axis::Nominal(values) => Centre::Nominal(values[point]),
        }
    }

    fn distance(&self, point: usize, centre: &Centre) -> f64 {
        match (self, centre) {
            (Axis::Ordered(positions), Centre::Ordered(position)) => (positions[point] - position).abs(),
            (Axis::Nominal(values), Centre::Nominal(value)) => f64::from(u8::from(values[point] != *value)),
            _ => 1.0,
        }
    }

    fn centre(&self, members: &[usize], records: &[Weight]) -> Centre {
        match self {
            Axis::Ordered(positions) => {
                let mut values: Vec<(f64, Weight)> = members.iter().map(|at| (positions[*at], records[*at])).collect();
                values.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
                let total: Weight = values.iter().map(|(_, records)| records).sum();
                let mut before = 0;
                let median = values.iter().find(|(_, records)| {
                    before += records;
                    2 * before >= total
                });
                Centre::Ordered(median.map_or(0.0, |(position, _)| *position))
            }
            Axis::Nominal(values) => {
                let mut counts: Vec<(u32, Weight)> = members.iter().map(|at| (values[*at], records[*at])).collect();
                counts.sort_unstable();
                let runs = counts.chunk_by(|one, other| one.0 == other.0);
                let totals = runs.map(|run| (run.iter().map(|(_, records)| records).sum::<Weight>(), run[0].0));
                let most = totals.max_by_key(|(total, value)| (*total, std::cmp::Reverse(*value)));
                Centre::Nominal(most.map_or(0, |(_, value)| value))
            }
        }
    }
}

/// Returns the next random number from 0 to below 1 (SplitMix64).
fn random_share(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}
