//! Charts: the timeline, and the histogram of maximum posteriors before and after the last release.
//!
//! Each chart is drawn twice, for wide and for narrow pages, so that its text is readable on both. It has a title for screen
//! readers. Its series differ in shape and position, not only in colour. A table with the same numbers follows each chart.

use std::fmt::Write;

use maud::{Markup, Render, html};
use reticent::text::format_count;

use crate::view::Count;
use crate::words::{cut, percent};

/// One line of the timeline chart.
pub struct Series<'a> {
    /// Label of the line.
    pub name: String,
    /// Class in the style sheet.
    pub class: &'static str,
    /// Count after each release.
    pub counts: Vec<&'a Count>,
}

/// Classes in the style sheet, and widths of the charts in user units.
const WIDTHS: [(&str, f64); 2] = [("wide", 720.0), ("narrow", 340.0)];

/// A coordinate that is written with one decimal.
struct Tenth(f64);

impl Render for Tenth {
    fn render_to(&self, buffer: &mut String) {
        format_args!("{:.1}", self.0).render_to(buffer);
    }
}

/// A coordinate that is written as a whole number.
struct Whole(f64);

impl Render for Whole {
    fn render_to(&self, buffer: &mut String) {
        format_args!("{:.0}", self.0).render_to(buffer);
    }
}

/// Draws the number of people after each release, as lines.
pub fn over_releases(title: &str, releases: &[&str], series: &[Series], label_points: bool) -> Markup {
    twice(|width| lines(title, releases, series, label_points, width))
}

/// Draws the number of people by maximum posterior, as bars.
pub fn histogram(title: &str, before: Option<&[Count]>, after: &[Count], threshold: Option<f64>) -> Markup {
    twice(|width| bars(title, before, after, threshold, width))
}

/// A point of a scatter chart, with coordinates from 0 to 1.
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// Class in the style sheet.
    pub class: &'static str,
    /// Label beside the point.
    pub label: String,
}

/// Draws the loss against a risk, as points.
pub fn scatter(title: &str, axis: &str, points: &[Point]) -> Markup {
    twice(|width| cloud(title, axis, points, width))
}

/// Returns the end of an axis from 0 that shows this maximum, and the distance between its ticks.
fn share_axis(max: f64) -> (f64, f64) {
    let steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
    let step = steps.into_iter().find(|step| max / step <= 5.0).unwrap_or(0.2);
    (step * (max / step).ceil().max(1.0), step)
}

fn cloud(title: &str, axis: &str, points: &[Point], width: f64) -> Markup {
    let (left, right, top, bottom) = (62.0, width - 24.0, 34.0, if is_narrow(width) { 250.0 } else { 320.0 });
    let max = |of: fn(&Point) -> f64| points.iter().map(of).fold(0.0, f64::max);
    let ((x_end, x_step), (y_end, y_step)) = (share_axis(max(|point| point.x)), share_axis(max(|point| point.y)));
    let x = |at: f64| left + (right - left) * at / x_end;
    let y = |at: f64| bottom - (bottom - top) * at / y_end;
    let ticks = |end: f64, step: f64| (0..=(end / step).round() as u32).map(move |at| f64::from(at) * step);
    // Labels of points that overlap would not be readable.
    let mut labelled: Vec<(f64, f64)> = Vec::new();
    let mut has_room = |at: (f64, f64)| {
        let free = labelled.iter().all(|(x, y)| (x - at.0).abs() > 22.0 || (y - at.1).abs() > 14.0);
        labelled.extend(free.then_some(at));
        free
    };
    // The points that are drawn last are the most important ones.
    let mut labels: Vec<bool> = points.iter().rev().map(|point| has_room((x(point.x), y(point.y)))).collect();
    labels.reverse();
    let body = html! {
        text.axis x=(Whole(left)) y="14" { "loss" }
        @for tick in ticks(y_end, y_step) {
            line.(if tick == 0.0 { "base" } else { "rule" })
                x1=(Whole(left)) x2=(Whole(right)) y1=(Tenth(y(tick))) y2=(Tenth(y(tick))) {}
            text.tick x=(Whole(left - 8.0)) y=(Tenth(y(tick) + 4.0)) text-anchor="end" { (percent(tick)) }
        }
        @for tick in ticks(x_end, x_step) {
            line.base x1=(Tenth(x(tick))) x2=(Tenth(x(tick))) y1=(Whole(bottom)) y2=(Whole(bottom + 5.0)) {}
            text.tick x=(Tenth(x(tick))) y=(Whole(bottom + 21.0)) text-anchor="middle" { (percent(tick)) }
        }
        text.axis x=(Whole(left)) y=(Whole(bottom + 42.0)) { (axis) }
        @for (point, label) in points.iter().zip(labels) {
            @let (x, y) = (x(point.x), y(point.y));
            @if point.class == "dominated" || point.class == "outside" {
                rect.point.(point.class) x=(Tenth(x - 3.5)) y=(Tenth(y - 3.5)) width="7" height="7" {}
            } @else {
                circle.point.(point.class) cx=(Tenth(x)) cy=(Tenth(y)) r=(if point.class == "recommended" { "7" } else { "5" }) {}
            }
            @if label { text.tick x=(Tenth(x + 9.0)) y=(Tenth(y - 6.0)) { (point.label) } }
        }
    };
    chart(title, width, bottom + 54.0, body)
}

fn twice(draw: impl Fn(f64) -> Markup) -> Markup {
    html! { @for (class, width) in WIDTHS { div.(class) { (draw(width)) } } }
}

fn chart(title: &str, width: f64, height: f64, body: Markup) -> Markup {
    html! {
        svg.chart viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title) {
            title { (title) }
            (body)
        }
    }
}

/// The vertical axis of a chart (number of people), and the drawing area.
struct Axis {
    /// Highest tick.
    end: u64,
    /// Distance between two ticks.
    step: u64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Axis {
    /// Creates an axis for counts up to `max`, with integer steps and at most five ticks.
    fn new(max: u64, right: f64, top: f64, bottom: f64) -> Axis {
        let max = max.max(1);
        let mut unit = 1;
        let step = loop {
            if let Some(step) = [unit, 2 * unit, 5 * unit].into_iter().find(|step| max.div_ceil(*step) <= 4) {
                break step;
            }
            unit *= 10;
        };
        let end = max.div_ceil(step) * step;
        Axis { end, step, left: 18.0 + 8.0 * format_count(end).len() as f64, right, top, bottom }
    }

    /// Returns the vertical coordinate of a count.
    fn y(&self, people: u64) -> f64 {
        self.bottom - (self.bottom - self.top) * people as f64 / self.end as f64
    }

    /// Draws the label, the horizontal lines and their numbers.
    fn draw(&self) -> Markup {
        html! {
            text.axis x=(Whole(self.left)) y="14" { "people" }
            @for tick in (0..=self.end / self.step).map(|at| at * self.step) {
                @let y = self.y(tick);
                line.(if tick == 0 { "base" } else { "rule" })
                    x1=(Whole(self.left)) x2=(Whole(self.right)) y1=(Tenth(y)) y2=(Tenth(y)) {}
                text.tick x=(Whole(self.left - 8.0)) y=(Tenth(y + 4.0)) text-anchor="end" { (format_count(tick)) }
            }
        }
    }

    /// Draws a tick mark below the axis.
    fn mark(&self, x: f64) -> Markup {
        html! { line.base x1=(Tenth(x)) x2=(Tenth(x)) y1=(Whole(self.bottom)) y2=(Whole(self.bottom + 5.0)) {} }
    }
}

fn is_narrow(width: f64) -> bool {
    width < 500.0
}

fn lines(title: &str, releases: &[&str], series: &[Series], label_points: bool, width: f64) -> Markup {
    let narrow = is_narrow(width);
    let height = if narrow { 250.0 } else { 270.0 };
    let max = series.iter().flat_map(|series| &series.counts).map(|count| count.drawn).max().unwrap_or(0);
    let longest = series.iter().map(|series| {
        let count = series.counts.last().map_or(0, |count| count.text.chars().count());
        (9.0 * count as f64).max(7.2 * series.name.chars().count() as f64)
    });
    let aside = longest.fold(60.0, f64::max) + 18.0;
    let right = width - aside.min(if narrow { 140.0 } else { 230.0 });
    let axis = Axis::new(max, right, 34.0, height - 34.0);
    let slot = (right - axis.left) / releases.len().max(1) as f64;
    let x = |at: usize| axis.left + slot * (at as f64 + 0.4);
    let room = ((right - axis.left) / if narrow { 74.0 } else { 96.0 }).max(1.0);
    let every = (releases.len() as f64 / room).ceil().max(1.0) as usize;
    let letters = (slot * every as f64 / 7.2) as usize;
    let body = html! {
        (axis.draw())
        @for (at, name) in releases.iter().enumerate() {
            (axis.mark(x(at)))
            // Counted from the end, so that the last release always has a label.
            @if (releases.len() - 1 - at).is_multiple_of(every) {
                text.tick x=(Tenth(x(at))) y=(Whole(axis.bottom + 21.0)) text-anchor="middle" { (cut(name, letters.max(5))) }
            }
        }
        @for one in series { (step(one, &x, &axis)) }
        @for one in series { (points(one, &x, &axis)) }
        @if label_points && slot > 44.0 { (labels(series, &x, &axis)) }
        (ends(series, &axis, narrow))
    };
    chart(title, width, height, body)
}

fn step(series: &Series, x: &dyn Fn(usize) -> f64, axis: &Axis) -> Markup {
    let mut path = String::new();
    for (at, count) in series.counts.iter().enumerate() {
        let _ = match at {
            0 => write!(path, "M{:.1} {:.1}", x(0), axis.y(count.drawn)),
            at => write!(path, "H{:.1}V{:.1}", x(at), axis.y(count.drawn)),
        };
    }
    html! { path.line.(series.class) d={ (path) "H" (Tenth(axis.right)) } {} }
}

fn points(series: &Series, x: &dyn Fn(usize) -> f64, axis: &Axis) -> Markup {
    html! {
        @for (at, count) in series.counts.iter().enumerate() {
            @let (x, y) = (x(at), axis.y(count.drawn));
            @if series.class == "certain" {
                circle.point.certain cx=(Tenth(x)) cy=(Tenth(y)) r="4.5" {}
            } @else {
                rect.point.(series.class) x=(Tenth(x - 4.0)) y=(Tenth(y - 4.0)) width="8" height="8" {}
            }
        }
    }
}

/// Draws the counts of the first series above its line, and those of the last series below its line if they differ.
fn labels(series: &[Series], x: &dyn Fn(usize) -> f64, axis: &Axis) -> Markup {
    let (Some(highest), Some(lowest)) = (series.first(), series.last()) else { return html! {} };
    // The function `ends` draws the last counts.
    let but_last = highest.counts.len().saturating_sub(1);
    html! {
        @for (at, (high, low)) in highest.counts.iter().zip(&lowest.counts).enumerate().take(but_last) {
            @let class = if high == low { lowest.class } else { highest.class };
            text.value.(class) x=(Tenth(x(at))) y=(Tenth(axis.y(high.drawn) - 10.0)) text-anchor="middle" { (high) }
            @let below = axis.y(low.drawn) + 16.0;
            // There is no room for a label below the axis.
            @if high != low && below < axis.bottom {
                text.value.(lowest.class) x=(Tenth(x(at) + 6.0)) y=(Tenth(below)) { (low) }
            }
        }
    }
}

/// Draws the name and the last count of each line beside its end. Keeps a minimum distance between labels.
fn ends(series: &[Series], axis: &Axis, narrow: bool) -> Markup {
    const MIN_DISTANCE: f64 = 38.0;
    let end = |series| {
        let Series { counts, .. }: &Series = series;
        counts.last().map(|last| (axis.y(last.drawn), series, *last))
    };
    let mut ends: Vec<(f64, &Series, &Count)> = series.iter().filter_map(end).collect();
    ends.sort_by(|one, two| one.0.total_cmp(&two.0));
    let mut free = 0.0;
    for end in &mut ends {
        end.0 = end.0.max(free);
        free = end.0 + MIN_DISTANCE;
    }
    let mut free = axis.bottom + 12.0;
    for end in ends.iter_mut().rev() {
        end.0 = end.0.min(free);
        free = end.0 - MIN_DISTANCE;
    }
    let (count_letters, name_letters) = if narrow { (15, 19) } else { (25, 32) };
    let x = axis.right + 10.0;
    html! {
        @for (y, series, last) in ends {
            text.end.(series.class) x=(Whole(x)) y=(Tenth(y + 4.0)) { (cut(&last.text, count_letters)) }
            text.tick x=(Whole(x)) y=(Tenth(y + 20.0)) { (cut(&series.name, name_letters)) }
        }
    }
}

fn bars(title: &str, before: Option<&[Count]>, after: &[Count], threshold: Option<f64>, width: f64) -> Markup {
    let narrow = is_narrow(width);
    let height = if narrow { 276.0 } else { 306.0 };
    let max = before.into_iter().flatten().chain(after).map(|count| count.drawn).max().unwrap_or(0);
    let axis = Axis::new(max, width - 8.0, 56.0, height - 52.0);
    // Ten adjacent bars, and a separate bar for certainty.
    let gap = if narrow { 8.0 } else { 26.0 };
    let last = if narrow { 46.0 } else { 78.0 };
    let slot = (axis.right - axis.left - gap - last) / 10.0;
    let begin = |at: usize| if at < 10 { axis.left + slot * at as f64 } else { axis.right - last };
    let threshold = threshold.filter(|threshold| (0.0..1.0).contains(threshold));
    // A narrow chart has no room for the label `100 %` beside the bar for certainty.
    let ticks = (0..=if narrow { 9 } else { 10 }).step_by(if narrow { 5 } else { 2 });
    let body = html! {
        (axis.draw())
        @if let Some(threshold) = threshold {
            @let x = axis.left + slot * 10.0 * threshold;
            line.policy x1=(Tenth(x)) x2=(Tenth(x)) y1="24" y2=(Whole(axis.bottom)) {}
            text.policy x=(Tenth(x - 6.0)) y="32" text-anchor="end" { "threshold: " (percent(threshold)) }
        }
        @for (at, now) in after.iter().enumerate() {
            @let before = before.and_then(|before| before.get(at));
            (bars_at(&axis, begin(at), if at < 10 { slot } else { last }, before, now, at == 10, narrow))
        }
        @for tick in ticks {
            @let x = axis.left + slot * tick as f64;
            (axis.mark(x))
            text.tick x=(Tenth(x)) y=(Whole(axis.bottom + 20.0)) text-anchor="middle" { (tick * 10) "\u{a0}%" }
        }
        text.end.certain x=(Tenth(begin(10) + last / 2.0)) y=(Whole(axis.bottom + 20.0)) text-anchor="middle" { "certain" }
        text.axis x=(Whole(axis.left)) y=(Whole(axis.bottom + 42.0)) { "maximum posterior" }
    };
    chart(title, width, height, body)
}

/// Draws the bars of one interval: before the last release, if there is an earlier one, and after it.
fn bars_at(
    axis: &Axis,
    begin: f64,
    room: f64,
    before: Option<&Count>,
    now: &Count,
    certain: bool,
    narrow: bool,
) -> Markup {
    let width = if before.is_some() { (room - 6.0) / 2.0 } else { (room - 6.0).min(44.0) };
    let from = begin + (room - width * if before.is_some() { 2.0 } else { 1.0 }) / 2.0;
    let before = before.map(|count| ("before", count));
    html! {
        @for (place, (class, count)) in before.into_iter().chain([("after", now)]).enumerate() {
            // Narrow bars have room for every second label.
            @let label = !narrow || certain || class == "after";
            (bar(axis, &Bar { class, certain, x: from + width * place as f64, width, label }, count))
        }
    }
}

/// Position and style of a bar.
struct Bar {
    class: &'static str,
    certain: bool,
    x: f64,
    width: f64,
    label: bool,
}

fn bar(axis: &Axis, bar: &Bar, count: &Count) -> Markup {
    let Bar { class, certain, x, width, label } = *bar;
    // A bar of at least one person is always visible.
    let height = if count.is_zero() { 0.0 } else { (axis.bottom - axis.y(count.drawn)).max(2.5) };
    let top = axis.bottom - height;
    html! {
        @if certain || !count.is_zero() {
            rect.bar.(class).certain[certain] x=(Tenth(x + 1.0)) y=(Tenth(top)) width=(Tenth(width - 2.0)) height=(Tenth(height)) {}
            @if label {
                text.value.(class).certain[certain] x=(Tenth(x + width / 2.0)) y=(Tenth(top - 5.0)) text-anchor="middle" {
                    (short(count, width))
                }
            }
        }
    }
}

/// Formats a count so that it fits above a bar.
fn short(count: &Count, width: f64) -> String {
    match count.drawn {
        _ if count.text.len() as f64 * 7.0 <= width + 6.0 => count.text.clone(),
        drawn if drawn >= 1_000_000 => format!("{:.1}m", drawn as f64 / 1e6),
        drawn if drawn >= 10_000 => format!("{:.0}k", drawn as f64 / 1e3),
        drawn if drawn >= 1_000 => format!("{:.1}k", drawn as f64 / 1e3),
        _ => count.text.clone(),
    }
}
