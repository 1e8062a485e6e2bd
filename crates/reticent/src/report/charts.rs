//! Pictures: how many are told how much, over the releases and before and after the last one.
//!
//! Every picture is drawn twice, for wide and for narrow pages, so that its letters can be read on both; has a title for those who
//! do not see it; tells its series apart by shape and place as well as by colour; and stands above a table with the same numbers.

use std::fmt::Write;

use super::view::Count;
use super::words::{cut, escape};
use crate::text::grouped;

/// A line over the releases.
pub struct Series<'a> {
    /// What it shows.
    pub name: String,
    /// How it is drawn.
    pub class: &'static str,
    /// After each release.
    pub counts: Vec<&'a Count>,
}

/// How wide pictures are drawn.
const WIDTHS: [(&str, f64); 2] = [("wide", 720.0), ("narrow", 340.0)];

/// People, over the releases.
pub fn over_releases(title: &str, releases: &[&str], series: &[Series], label_points: bool) -> String {
    twice(|width| lines(title, releases, series, label_points, width))
}

/// People, by how sure what is told about them is.
pub fn histogram(title: &str, before: Option<&[Count]>, after: &[Count], confidence: Option<f64>) -> String {
    twice(|width| bars(title, before, after, confidence, width))
}

fn twice(draw: impl Fn(f64) -> String) -> String {
    WIDTHS.iter().map(|(class, width)| format!("<div class=\"{class}\">{}</div>\n", draw(*width))).collect()
}

fn open(title: &str, width: f64, height: f64) -> String {
    let title = escape(title);
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>\n"
    )
}

/// The upper end of an axis, and its steps: whole people, at most five steps.
fn axis(most: u64) -> (u64, u64) {
    let mut unit = 1;
    loop {
        for step in [unit, 2 * unit, 5 * unit] {
            if most.max(1).div_ceil(step) <= 4 {
                return (most.max(1).div_ceil(step) * step, step);
            }
        }
        unit *= 10;
    }
}

/// The lines across, and what they stand for.
fn scale(svg: &mut String, most: u64, left: f64, right: f64, y: &dyn Fn(u64) -> f64) {
    let (end, step) = axis(most);
    for tick in (0..=end / step).map(|at| at * step) {
        let class = if tick == 0 { "base" } else { "rule" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{left:.0}\" x2=\"{right:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"tick\" x=\"{at:.0}\" y=\"{text:.1}\" text-anchor=\"end\">{tick}</text>",
            y = y(tick),
            at = left - 8.0,
            text = y(tick) + 4.0,
            tick = grouped(tick),
        );
    }
}

fn margin(most: u64) -> f64 {
    18.0 + 8.0 * grouped(axis(most).0).len() as f64
}

fn lines(title: &str, releases: &[&str], series: &[Series], label_points: bool, width: f64) -> String {
    let narrow = width < 500.0;
    let height = if narrow { 250.0 } else { 270.0 };
    let most = series.iter().flat_map(|series| &series.counts).map(|count| count.drawn).max().unwrap_or(0);
    let longest = series.iter().map(|series| {
        let count = series.counts.last().map_or(0, |count| count.text.chars().count());
        (9.0 * count as f64).max(7.2 * series.name.chars().count() as f64)
    });
    let aside = longest.fold(60.0, f64::max) + 18.0;
    let (left, right) = (margin(most), width - aside.min(if narrow { 140.0 } else { 230.0 }));
    let (top, bottom) = (34.0, height - 34.0);
    let end = axis(most).0;
    let y = |people: u64| bottom - (bottom - top) * people as f64 / end as f64;
    let slot = (right - left) / releases.len().max(1) as f64;
    let x = |at: usize| left + slot * (at as f64 + 0.4);
    let mut svg = open(title, width, height);
    let _ = writeln!(svg, "<text class=\"axis\" x=\"{left:.0}\" y=\"14\">people</text>");
    scale(&mut svg, most, left, right, &y);
    let room = ((right - left) / if narrow { 74.0 } else { 96.0 }).max(1.0);
    let every = (releases.len() as f64 / room).ceil().max(1.0) as usize;
    let letters = (slot * every as f64 / 7.2) as usize;
    for (at, name) in releases.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<line class=\"base\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{bottom:.0}\" y2=\"{to:.0}\"/>",
            x = x(at),
            to = bottom + 5.0
        );
        // Counted from the end: the last release always has its name.
        if (releases.len() - 1 - at).is_multiple_of(every) {
            let _ = writeln!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                x(at),
                bottom + 21.0,
                escape(&cut(name, letters.max(5)))
            );
        }
    }
    for series in series {
        step(&mut svg, series, &x, &y, right);
    }
    for series in series {
        points(&mut svg, series, &x, &y);
    }
    if label_points && slot > 44.0 {
        labels(&mut svg, series, &x, &y, bottom);
    }
    ends(&mut svg, series, &y, right + 10.0, bottom, narrow);
    svg + "</svg>"
}

fn step(svg: &mut String, series: &Series, x: &dyn Fn(usize) -> f64, y: &dyn Fn(u64) -> f64, right: f64) {
    let mut path = String::new();
    for (at, count) in series.counts.iter().enumerate() {
        let _ = match at {
            0 => write!(path, "M{:.1} {:.1}", x(0), y(count.drawn)),
            at => write!(path, "H{:.1}V{:.1}", x(at), y(count.drawn)),
        };
    }
    let _ = writeln!(svg, "<path class=\"line {}\" d=\"{path}H{right:.1}\"/>", series.class);
}

fn points(svg: &mut String, series: &Series, x: &dyn Fn(usize) -> f64, y: &dyn Fn(u64) -> f64) {
    for (at, count) in series.counts.iter().enumerate() {
        let (x, y) = (x(at), y(count.drawn));
        let _ = match series.class {
            "certain" => writeln!(svg, "<circle class=\"point certain\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"),
            class => writeln!(
                svg,
                "<rect class=\"point {class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\"/>",
                x - 4.0,
                y - 4.0
            ),
        };
    }
}

/// The highest line has its counts above it, and the lowest, where it is another, beside it.
fn labels(svg: &mut String, series: &[Series], x: &dyn Fn(usize) -> f64, y: &dyn Fn(u64) -> f64, bottom: f64) {
    let (Some(highest), Some(lowest)) = (series.first(), series.last()) else { return };
    // The last stand beside the ends of the lines.
    let but_last = highest.counts.len().saturating_sub(1);
    for (at, (high, low)) in highest.counts.iter().zip(&lowest.counts).enumerate().take(but_last) {
        let class = if high == low { lowest.class } else { highest.class };
        let _ = writeln!(
            svg,
            "<text class=\"value {class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(at),
            y(high.drawn) - 10.0,
            escape(&high.text)
        );
        // Below the axis is no place for it.
        if high != low && y(low.drawn) + 16.0 < bottom {
            let _ = writeln!(
                svg,
                "<text class=\"value {}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                lowest.class,
                x(at) + 6.0,
                y(low.drawn) + 16.0,
                escape(&low.text)
            );
        }
    }
}

/// What each line is, where it ends; moved apart where two end together.
fn ends(svg: &mut String, series: &[Series], y: &dyn Fn(u64) -> f64, x: f64, bottom: f64, narrow: bool) {
    const APART: f64 = 38.0;
    let mut ends: Vec<(f64, &Series, &Count)> =
        series.iter().filter_map(|series| series.counts.last().map(|last| (y(last.drawn), series, *last))).collect();
    ends.sort_by(|one, two| one.0.total_cmp(&two.0));
    let mut free = 0.0;
    for end in &mut ends {
        end.0 = end.0.max(free);
        free = end.0 + APART;
    }
    let mut free = bottom + 12.0;
    for end in ends.iter_mut().rev() {
        end.0 = end.0.min(free);
        free = end.0 - APART;
    }
    for (at, series, last) in ends {
        let (first, second) = if narrow { (15, 19) } else { (25, 32) };
        let _ = writeln!(
            svg,
            "<text class=\"end {class}\" x=\"{x:.0}\" y=\"{first_at:.1}\">{count}</text><text class=\"tick\" x=\"{x:.0}\" y=\"{second_at:.1}\">{name}</text>",
            class = series.class,
            first_at = at + 4.0,
            count = escape(&cut(&last.text, first)),
            second_at = at + 20.0,
            name = escape(&cut(&series.name, second)),
        );
    }
}

fn bars(title: &str, before: Option<&[Count]>, after: &[Count], confidence: Option<f64>, width: f64) -> String {
    let narrow = width < 500.0;
    let height = if narrow { 276.0 } else { 306.0 };
    let both = || before.into_iter().flatten().chain(after);
    let most = both().map(|count| count.drawn).max().unwrap_or(0);
    let (left, right) = (margin(most), width - 8.0);
    let (top, bottom) = (56.0, height - 52.0);
    let end = axis(most).0;
    let y = |people: u64| bottom - (bottom - top) * people as f64 / end as f64;
    // Ten parts side by side, and certainty apart from them.
    let gap = if narrow { 8.0 } else { 26.0 };
    let last = if narrow { 46.0 } else { 78.0 };
    let slot = (right - left - gap - last) / 10.0;
    let begin = |at: usize| if at < 10 { left + slot * at as f64 } else { right - last };
    let mut svg = open(title, width, height);
    let _ = writeln!(svg, "<text class=\"axis\" x=\"{left:.0}\" y=\"14\">people</text>");
    scale(&mut svg, most, left, right, &y);
    if let Some(confidence) = confidence.filter(|confidence| (0.0..1.0).contains(confidence)) {
        let x = left + slot * 10.0 * confidence;
        let _ = writeln!(
            svg,
            "<line class=\"policy\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"24\" y2=\"{bottom:.0}\"/><text class=\"policy\" x=\"{:.1}\" y=\"32\" text-anchor=\"end\">allowed: {}</text>",
            x - 6.0,
            super::words::percent(confidence)
        );
    }
    for (at, now) in after.iter().enumerate() {
        let room = if at < 10 { slot } else { last };
        let wide = if before.is_some() { (room - 6.0) / 2.0 } else { (room - 6.0).min(44.0) };
        let from = begin(at) + (room - wide * if before.is_some() { 2.0 } else { 1.0 }) / 2.0;
        let series = before.and_then(|before| before.get(at)).map(|count| ("before", count));
        for (place, (class, count)) in series.into_iter().chain([("after", now)]).enumerate() {
            // Narrow bars have room for one number in two.
            let label = !narrow || at == 10 || class == "after";
            let place = Place { class, certain: at == 10, x: from + wide * place as f64, wide, label };
            bar(&mut svg, &place, count, bottom - y(count.drawn), bottom);
        }
    }
    // Where there is no room for 100 % beside certainty, it is left out.
    for tick in (0..=if narrow { 9 } else { 10 }).step_by(if narrow { 5 } else { 2 }) {
        let x = left + slot * tick as f64;
        let _ = writeln!(
            svg,
            "<line class=\"base\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{bottom:.0}\" y2=\"{:.0}\"/><text class=\"tick\" x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}\u{a0}%</text>",
            bottom + 5.0,
            bottom + 20.0,
            tick * 10
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"end certain\" x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">certain</text><text class=\"axis\" x=\"{left:.0}\" y=\"{:.0}\">how sure the likeliest value is</text>",
        begin(10) + last / 2.0,
        bottom + 20.0,
        bottom + 42.0,
    );
    svg + "</svg>"
}

/// Where a bar stands, and how it looks.
struct Place {
    class: &'static str,
    certain: bool,
    x: f64,
    wide: f64,
    label: bool,
}

fn bar(svg: &mut String, place: &Place, count: &Count, height: f64, bottom: f64) {
    let Place { class, x, wide, .. } = *place;
    if count.is_zero() && !place.certain {
        return;
    }
    let certain = if place.certain { " sure" } else { "" };
    // Somebody is never nobody, however many the others are.
    let height = if count.is_zero() { 0.0 } else { height.max(2.5) };
    let _ = writeln!(
        svg,
        "<rect class=\"bar {class}{certain}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
        x + 1.0,
        bottom - height,
        wide - 2.0
    );
    if place.label {
        let _ = writeln!(
            svg,
            "<text class=\"value {class}{certain}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x + wide / 2.0,
            bottom - height - 5.0,
            escape(&short(count, wide))
        );
    }
}

/// A count that fits above a bar.
fn short(count: &Count, wide: f64) -> String {
    match count.drawn {
        _ if count.text.len() as f64 * 7.0 <= wide + 6.0 => count.text.clone(),
        drawn if drawn >= 1_000_000 => format!("{:.1}m", drawn as f64 / 1e6),
        drawn if drawn >= 10_000 => format!("{:.0}k", drawn as f64 / 1e3),
        drawn if drawn >= 1_000 => format!("{:.1}k", drawn as f64 / 1e3),
        _ => count.text.clone(),
    }
}
