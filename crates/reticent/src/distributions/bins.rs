//! Bins of the values of a column: single values, intervals of equal width, nodes of the taxonomy, or the most frequent values.

use std::collections::BTreeSet;

use super::value_label;
use crate::data::contingency::Weight;
use crate::data::taxonomy::{Code, IntervalLevel, NodeId, Taxonomy, Type, parse_scale, scale_text};
use crate::scalar::{interval_text, is_code};

/// Label of the bin of all values that are not among the most frequent ones.
const OTHER_VALUES: &str = "other values";

/// Bins of the values of one column that occur in a table.
pub(super) struct Bins {
    /// Labels, by bin.
    pub labels: Vec<String>,
    /// Bin by code; `None` for a value that does not occur.
    pub by_code: Vec<Option<usize>>,
    /// Whether some bin is not a single value because there are too many values.
    pub merged: bool,
    /// Whether the bins follow a scale.
    pub ordered: bool,
}

impl Bins {
    /// Creates at most `max_bins` bins for the values with a weight.
    pub(super) fn new(tree: &std::sync::Arc<Taxonomy>, weights: &[Weight], max_bins: usize) -> Bins {
        let tree = tree.with_leaves();
        let present: Vec<Code> =
            (0..weights.len()).filter(|code| weights[*code] > 0).map(|code| code as Code).collect();
        let scale = Scale::new(&tree);
        let ordered = scale.is_some();
        let mut bins = Bins { labels: Vec::new(), by_code: vec![None; weights.len()], merged: false, ordered };
        if present.len() <= max_bins {
            present.iter().for_each(|code| bins.add(value_label(&tree, *code).to_owned(), [*code]));
            return bins;
        }
        bins.merged = true;
        match scale {
            Some(scale) => bins.add_intervals(&tree, &scale, &present, max_bins),
            None => match cut(&tree, weights, max_bins) {
                Some(cut) => {
                    for node in cut {
                        let codes = present.iter().copied().filter(|code| tree.node(node).span.contains(code));
                        bins.add(tree.node(node).label.clone(), codes);
                    }
                }
                None => bins.add_most_frequent(&tree, weights, &present, max_bins),
            },
        }
        bins
    }

    fn add(&mut self, label: String, codes: impl IntoIterator<Item = Code>) {
        codes.into_iter().for_each(|code| self.by_code[code as usize] = Some(self.labels.len()));
        self.labels.push(label);
    }

    /// Adds intervals of equal width, then the values without a number, such as a missing value.
    fn add_intervals(&mut self, tree: &Taxonomy, scale: &Scale, present: &[Code], max_bins: usize) {
        let (numbered, others) =
            present.split_at(present.partition_point(|code| (*code as usize) < scale.numbers.len()));
        let room = max_bins.saturating_sub(others.len());
        let intervals = match room {
            0 => None,
            room => scale.intervals(numbered, room),
        };
        match intervals {
            Some(intervals) => {
                let mut rest = numbered;
                for (label, high) in intervals {
                    let (inside, above) =
                        rest.split_at(rest.partition_point(|code| scale.numbers[*code as usize] < high));
                    self.add(label, inside.iter().copied());
                    rest = above;
                }
                others.iter().for_each(|code| self.add(value_label(tree, *code).to_owned(), [*code]));
            }
            None => self.add("all values".to_owned(), present.iter().copied()),
        }
    }

    /// Adds the most frequent values in the order of their codes, then all other values as one bin.
    fn add_most_frequent(&mut self, tree: &Taxonomy, weights: &[Weight], present: &[Code], max_bins: usize) {
        let mut by_weight = present.to_vec();
        by_weight.sort_by_key(|code| (std::cmp::Reverse(weights[*code as usize]), *code));
        let mut frequent = by_weight[..max_bins - 1].to_vec();
        frequent.sort_unstable();
        frequent.iter().for_each(|code| self.add(value_label(tree, *code).to_owned(), [*code]));
        self.add(OTHER_VALUES.to_owned(), by_weight[max_bins - 1..].iter().copied());
    }
}

/// Numbers of the values of a column.
struct Scale {
    values: Type,
    /// Number by code, ascending. Codes from the end on have no number.
    numbers: Vec<f64>,
}

impl Scale {
    /// Returns the numbers of the tree, or of a flat list of values that are all numbers or all dates in ascending order.
    fn new(tree: &Taxonomy) -> Option<Scale> {
        if let Some(numbers) = tree.numbers() {
            return Some(Scale { values: tree.value_type(), numbers: numbers.to_vec() });
        }
        let texts = match (tree.is_flat(), tree.missing()) {
            (false, _) => return None,
            // A missing value is the last value, or the one before a value that is never published.
            (true, Some(missing)) => &tree.values()[..missing as usize],
            (true, None) => &tree.values()[..tree.len() - usize::from(tree.has_suppressed())],
        };
        let parsed = |values: Type| -> Option<Scale> {
            let number = |text: &String| parse_scale(values, text).filter(|_| !is_code(text));
            let numbers: Vec<f64> = texts.iter().map(number).collect::<Option<_>>()?;
            let is_ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
            (is_ascending && !numbers.is_empty()).then_some(Scale { values, numbers })
        };
        parsed(Type::Number).or_else(|| parsed(Type::Date))
    }

    /// Returns at most `room` intervals of about equal width that contain these codes: label and upper bound (excluded).
    fn intervals(&self, codes: &[Code], room: usize) -> Option<Vec<(String, f64)>> {
        let number = |code: &Code| self.numbers[*code as usize];
        let (least, greatest) = (number(codes.first()?), number(codes.last()?));
        self.levels((greatest - least) / room as f64).into_iter().find_map(|(level, width)| {
            // One more bound: the upper bound of the last interval.
            let bounds = level.bounds((least, greatest + 1.5 * width))?;
            let count = bounds.partition_point(|bound| *bound <= greatest);
            let ends = bounds.get(1..=count).filter(|_| count <= room)?;
            Some(bounds.iter().zip(ends).map(|(low, high)| (self.label(&level, *low, *high), *high)).collect())
        })
    }

    /// Returns round interval widths from about `width` on, each with its greatest width as a number.
    fn levels(&self, width: f64) -> Vec<(IntervalLevel, f64)> {
        if self.values == Type::Date {
            let calendar = [
                (IntervalLevel::Width(1.0), 1.0),
                (IntervalLevel::Month, 31.0),
                (IntervalLevel::Quarter, 92.0),
                (IntervalLevel::Year, 366.0),
                (IntervalLevel::Decade, 3653.0),
            ];
            let centuries =
                (0..4).map(|power| 36525.0 * 10f64.powi(power)).map(|days| (IntervalLevel::Width(days), days));
            return calendar.into_iter().filter(|(_, days)| *days >= width).chain(centuries).collect();
        }
        let are_whole = self.numbers.iter().all(|number| number.fract() == 0.0);
        // Bounds have nine decimals.
        let least_exponent = if are_whole { 0 } else { -8 };
        let exponent = (width.max(f64::MIN_POSITIVE).log10().floor() as i32).max(least_exponent);
        let steps = (exponent..exponent + 3).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
        steps.filter(|step| *step >= width).map(|step| (IntervalLevel::Width(step), step)).collect()
    }

    fn label(&self, level: &IntervalLevel, low: f64, high: f64) -> String {
        let text = scale_text(self.values, low);
        let (year, month) = (text.get(..4).unwrap_or_default(), text.get(5..7).unwrap_or_default());
        match (self.values, level) {
            (Type::Date, IntervalLevel::Width(1.0)) => text,
            (Type::Date, IntervalLevel::Month) => format!("{year}-{month}"),
            (Type::Date, IntervalLevel::Quarter) => {
                format!("{year} Q{}", month.parse::<u32>().unwrap_or(1).div_ceil(3))
            }
            (Type::Date, IntervalLevel::Year) => year.to_owned(),
            (Type::Date, IntervalLevel::Decade) => format!("{year}s"),
            _ => interval_text(self.values, Some(low), Some(high)),
        }
    }
}

/// Returns the nodes of a cut with at most `max_bins` nodes that have records, from left to right. `None` if the children of the root
/// are too many.
///
/// The node with the most records is replaced by its children first.
fn cut(tree: &Taxonomy, weights: &[Weight], max_bins: usize) -> Option<Vec<NodeId>> {
    let mut sums = vec![0];
    sums.extend(weights.iter().scan(0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    }));
    let weight = |node: NodeId| {
        let codes = &tree.node(node).span;
        sums[codes.end as usize] - sums[codes.start as usize]
    };
    let children = |node: NodeId| -> Vec<NodeId> {
        tree.node(node).children.iter().copied().filter(|child| weight(*child) > 0).collect()
    };
    let mut open: BTreeSet<(Weight, std::cmp::Reverse<NodeId>)> = BTreeSet::new();
    let mut closed: Vec<NodeId> = Vec::new();
    let top = children(0);
    if top.len() > max_bins || top.is_empty() {
        return None;
    }
    open.extend(top.into_iter().map(|node| (weight(node), std::cmp::Reverse(node))));
    while let Some((_, std::cmp::Reverse(node))) = open.pop_last() {
        let below = children(node);
        match below.is_empty() || open.len() + closed.len() + below.len() > max_bins {
            true => closed.push(node),
            false => open.extend(below.into_iter().map(|child| (weight(child), std::cmp::Reverse(child)))),
        }
    }
    closed.sort_unstable_by_key(|node| tree.node(*node).span.start);
    Some(closed)
}
