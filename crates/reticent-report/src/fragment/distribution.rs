//! Distributions before and after, as small multiples. The public variant shows rounded shares, and no rare value.
//!
//! Public   every bin has at least the smallest shown count of records before. Rare texts are merged into `other values`. Rare numbers
//!          are merged into the interval that starts at the next lower frequent value, so that no label names a rare number.

use maud::{Markup, html};
use reticent::distributions::{ColumnDistribution, DistributionBin};
use reticent::text::format_count;

use super::audience::{Audience, share_text};
use super::charts::{Pair, pair_histogram, pair_rows};
use super::parts::{Align, collapsed, table};

/// Number of columns whose charts are not collapsed.
const MAX_VISIBLE: usize = 12;

/// Label of merged rare values.
const OTHER_VALUES: &str = "other values";

/// The shown part of a distribution.
struct Shown<'a> {
    column: &'a ColumnDistribution,
    /// Displayed distance, and its size for sorting.
    distance: (String, f64),
    /// Bins; `None` if the column has too few records to show shares.
    bins: Option<Vec<ShownBin>>,
}

/// Bins that are shown as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownBin {
    pub label: String,
    pub before: u64,
    pub after: f64,
    /// Number of merged bins.
    pub width: usize,
}

/// Renders the distributions of all columns, the greatest change first.
pub(super) fn distributions(columns: &[ColumnDistribution], audience: &Audience) -> Markup {
    let mut shown: Vec<Shown> = columns.iter().map(|column| Shown::new(column, audience)).collect();
    // Sorted by the displayed distances, so that the order discloses no more than they do.
    shown.sort_by(|one, two| two.distance.1.total_cmp(&one.distance.1));
    let (visible, rest) = shown.split_at(shown.len().min(MAX_VISIBLE));
    let grid = |columns: &[Shown]| html! { div.multiples { @for column in columns { (column.chart(audience)) } } };
    html! {
        @if !visible.is_empty() {
            p.legend {
                span { span.swatch.before {} "data" } " "
                span { span.swatch.after {} "release; a generalized value counts as each of its values with equal probability" }
            }
            (grid(visible))
        }
        @if !rest.is_empty() { (collapsed("More columns", &grid(rest))) }
        (collapsed("Chart data", &html! { @for column in &shown { (column.table(audience)) } }))
    }
}

impl<'a> Shown<'a> {
    fn new(column: &'a ColumnDistribution, audience: &Audience) -> Shown<'a> {
        let distance = match audience.share_step() {
            Some(step) if audience.is_public() => (column.distance / step).round() * step,
            Some(_) => column.distance,
            None => 0.0,
        };
        let bins = match audience.min_count() {
            None => Some(
                column.bins.iter().map(|bin| ShownBin::new(bin.label.clone(), std::slice::from_ref(bin))).collect(),
            ),
            Some(min_count) => audience.share_step().map(|_| merged(&column.bins, min_count, column.ordered)),
        };
        Shown { column, distance: (audience.loss(column.distance), distance), bins }
    }

    fn totals(&self) -> (f64, f64) {
        let bins = &self.column.bins;
        let before = bins.iter().map(|bin| bin.before).sum::<u64>() as f64;
        (before.max(1.0), bins.iter().map(|bin| bin.after).sum::<f64>().max(f64::MIN_POSITIVE))
    }

    /// Returns the shares of a bin before and after, as drawn and as texts.
    fn shares(&self, bin: &ShownBin, audience: &Audience) -> [(f64, String); 2] {
        let (all_before, all_after) = self.totals();
        let step = audience.share_step().unwrap_or(1.0);
        [bin.before as f64 / all_before, bin.after / all_after].map(|share| {
            let drawn = if audience.is_public() { (share / step).round() * step } else { share };
            (drawn, share_text(share, step))
        })
    }

    fn pair(&self, bin: &ShownBin, audience: &Audience) -> Pair {
        let [(before, before_text), (after, after_text)] = self.shares(bin, audience);
        let title = match audience {
            Audience::Internal => {
                format!(
                    "{}: {} records in the data, {} in the release",
                    bin.label,
                    format_count(bin.before),
                    records(bin.after)
                )
            }
            Audience::Public { .. } => format!("{}: {before_text} of the data, {after_text} of the release", bin.label),
        };
        let short = |text: String| text.replace("under ", "<").replace('\u{a0}', "");
        let text = format!("{} \u{2192} {}", short(before_text), short(after_text));
        Pair { label: bin.label.clone(), before, after, text, title, width: bin.width }
    }

    fn chart(&self, audience: &Audience) -> Markup {
        let title = format!("Distribution of {} in the data and in the release", self.column.column);
        html! {
            figure.multiple {
                figcaption {
                    b { (self.column.column) } " "
                    span.quiet { (self.column.role.word()) "; distance " (self.distance.0) }
                }
                @match &self.bins {
                    None => p.quiet { "Not shown: too few records." },
                    Some(bins) => {
                        @let pairs: Vec<Pair> = bins.iter().map(|bin| self.pair(bin, audience)).collect();
                        @if self.column.ordered { (pair_histogram(&title, &pairs)) } @else { (pair_rows(&title, &pairs)) }
                    },
                }
            }
        }
    }

    fn table(&self, audience: &Audience) -> Markup {
        let heads = [(self.column.column.as_str(), Align::Text), ("data", Align::Number), ("release", Align::Number)];
        let row = |bin: &ShownBin| match audience {
            Audience::Internal => vec![bin.label.clone(), format_count(bin.before), records(bin.after)],
            Audience::Public { .. } => {
                let [(_, before), (_, after)] = self.shares(bin, audience);
                vec![bin.label.clone(), before, after]
            }
        };
        table(&heads, &self.bins.iter().flatten().map(row).collect::<Vec<_>>())
    }
}

/// Formats an expected number of records.
fn records(expected: f64) -> String {
    let rounded = (expected * 10.0).round() / 10.0;
    if rounded.fract() == 0.0 { format_count(rounded.max(0.0) as u64) } else { format!("{rounded:.1}") }
}

impl ShownBin {
    fn new(label: String, bins: &[DistributionBin]) -> ShownBin {
        let (before, after) = (bins.iter().map(|bin| bin.before).sum(), bins.iter().map(|bin| bin.after).sum());
        ShownBin { label, before, after, width: bins.len() }
    }
}

/// Merges bins so that each has at least `min_count` records before; all values are one bin if there are too few.
pub(super) fn merged(bins: &[DistributionBin], min_count: u64, ordered: bool) -> Vec<ShownBin> {
    let shown = if ordered { merged_intervals(bins, min_count) } else { merged_values(bins, min_count) };
    match shown.len() {
        0 | 1 => vec![ShownBin::new("all values".to_owned(), bins)],
        _ => shown,
    }
}

/// Merges rare values into one bin. If they are too few together, less rare values are added.
fn merged_values(bins: &[DistributionBin], min_count: u64) -> Vec<ShownBin> {
    let (mut frequent, mut other): (Vec<usize>, Vec<usize>) =
        (0..bins.len()).partition(|at| bins[*at].before >= min_count && bins[*at].label != OTHER_VALUES);
    let sum = |other: &[usize]| -> u64 { other.iter().map(|at| bins[*at].before).sum() };
    while !other.is_empty() && sum(&other) < min_count {
        let Some(rarest) = (0..frequent.len()).min_by_key(|at| bins[frequent[*at]].before) else { break };
        other.push(frequent.remove(rarest));
    }
    let chosen: Vec<DistributionBin> = other.iter().map(|at| bins[*at].clone()).collect();
    let single = |at: &usize| ShownBin::new(bins[*at].label.clone(), std::slice::from_ref(&bins[*at]));
    let rest = (!other.is_empty()).then(|| ShownBin { width: 1, ..ShownBin::new(OTHER_VALUES.to_owned(), &chosen) });
    frequent.iter().map(single).chain(rest).collect()
}

/// Merges each rare interval or number into the group of the next lower frequent one.
fn merged_intervals(bins: &[DistributionBin], min_count: u64) -> Vec<ShownBin> {
    let frequent: Vec<usize> = (0..bins.len()).filter(|at| bins[*at].before >= min_count).collect();
    let group = |place: usize| {
        let from = if place == 0 { 0 } else { frequent[place] };
        let to = frequent.get(place + 1).copied().unwrap_or(bins.len());
        let low = scale_start(&bins[frequent[place]].label);
        let high = frequent.get(place + 1).and_then(|next| scale_start(&bins[*next].label));
        let label = match (to - from, low, high) {
            (1, ..) | (_, None, _) => bins[frequent[place]].label.clone(),
            (_, Some(_), Some(high)) if place == 0 && from < frequent[place] => format!("<{high}"),
            (_, Some(low), Some(high)) => format!("[{low},{high})"),
            (_, Some(low), None) => format!(">={low}"),
        };
        ShownBin::new(label, &bins[from..to])
    };
    (0..frequent.len()).map(group).collect()
}

/// Returns the lower bound of the label of an interval, or a single number or date; `None` for a missing value.
fn scale_start(label: &str) -> Option<&str> {
    let number = label.strip_prefix('[').unwrap_or(label);
    let is_number = number.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit());
    is_number.then(|| number.split(',').next().unwrap_or(number))
}

/// Formats the greatest distance of all columns, and names its column.
pub(super) fn greatest_distance(columns: &[ColumnDistribution], audience: &Audience) -> Option<(String, String)> {
    let greatest = columns.iter().max_by(|one, two| one.distance.total_cmp(&two.distance))?;
    Some((audience.loss(greatest.distance), audience.of_column(&greatest.column)))
}
