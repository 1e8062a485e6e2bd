//! Charts of fragments: bars of counts, and small multiples of distributions before and after.

use maud::{Markup, Render, html};

use crate::words::cut;

/// A coordinate that is written with one decimal.
struct Tenth(f64);

impl Render for Tenth {
    fn render_to(&self, buffer: &mut String) {
        format_args!("{:.1}", self.0).render_to(buffer);
    }
}

/// A vertical bar with a label below and a text above.
pub(super) struct Bar {
    pub label: String,
    pub text: String,
    /// Description for a pointer and for screen readers.
    pub title: String,
    pub height: f64,
    /// Whether the bar is a warning.
    pub loud: bool,
}

/// Draws vertical bars.
pub(super) fn columns(title: &str, bars: &[Bar]) -> Markup {
    const WIDTH: f64 = 560.0;
    const BOTTOM: f64 = 118.0;
    const TOP: f64 = 18.0;
    let slot = WIDTH / bars.len().max(1) as f64;
    let max = bars.iter().map(|bar| bar.height).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    html! {
        svg.plot viewBox={ "0 0 " (WIDTH) " 140" } role="img" aria-label=(title) {
            @for (at, bar) in bars.iter().enumerate() {
                @let (left, height) = (slot * at as f64, visible(bar.height / max, BOTTOM - TOP));
                g {
                    title { (bar.title) }
                    rect.bar.loud[bar.loud] x=(Tenth(left + 4.0)) y=(Tenth(BOTTOM - height)) width=(Tenth(slot - 8.0)) height=(Tenth(height)) {}
                    text.value x=(Tenth(left + slot / 2.0)) y=(Tenth(BOTTOM - height - 5.0)) text-anchor="middle" { (cut(&bar.text, (slot / 5.5) as usize)) }
                    text.tick x=(Tenth(left + slot / 2.0)) y="133" text-anchor="middle" { (cut(&bar.label, (slot / 6.5) as usize)) }
                }
            }
            line.base x1="0" x2=(WIDTH) y1=(BOTTOM) y2=(BOTTOM) {}
        }
    }
}

/// Returns the length of a bar. A bar of a small number is visible.
fn visible(part: f64, room: f64) -> f64 {
    if part > 0.0 { (part * room).max(1.5) } else { 0.0 }
}

/// A pair of bars: before and after.
pub(super) struct Pair {
    pub label: String,
    /// Share of all records, from 0 to 1.
    pub before: f64,
    /// Share of the published records, from 0 to 1.
    pub after: f64,
    /// Both numbers as a text.
    pub text: String,
    /// Description for a pointer and for screen readers.
    pub title: String,
    /// Number of intervals of equal width that the bar covers.
    pub width: usize,
}

/// Draws a histogram of intervals: a wide bar before, a narrow bar after. The area of a bar is its share.
pub(super) fn pair_histogram(title: &str, pairs: &[Pair]) -> Markup {
    const WIDTH: f64 = 260.0;
    const BOTTOM: f64 = 84.0;
    let slots = pairs.iter().map(|pair| pair.width).sum::<usize>().max(1);
    let slot = WIDTH / slots as f64;
    let density = |share: f64, pair: &Pair| share / pair.width.max(1) as f64;
    let max =
        pairs.iter().map(|pair| density(pair.before.max(pair.after), pair)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let starts = pairs.iter().scan(0, |sum, pair| {
        *sum += pair.width;
        Some((*sum - pair.width) as f64 * slot)
    });
    html! {
        svg.plot viewBox={ "0 0 " (WIDTH) " 102" } role="img" aria-label=(title) {
            @for (pair, left) in pairs.iter().zip(starts) {
                @let room = slot * pair.width as f64;
                @let gap = (room * 0.08).min(2.0);
                @let (before, after) = (visible(density(pair.before, pair) / max, BOTTOM - 4.0), visible(density(pair.after, pair) / max, BOTTOM - 4.0));
                g {
                    title { (pair.title) }
                    rect.before x=(Tenth(left + gap)) y=(Tenth(BOTTOM - before)) width=(Tenth(room - 2.0 * gap)) height=(Tenth(before)) {}
                    rect.after x=(Tenth(left + room * 0.3)) y=(Tenth(BOTTOM - after)) width=(Tenth(room * 0.4)) height=(Tenth(after)) {}
                }
            }
            line.base x1="0" x2=(WIDTH) y1=(BOTTOM) y2=(BOTTOM) {}
            @if let [first, .., last] = pairs {
                text.tick x="0" y="98" { (cut(&first.label, 18)) }
                text.tick x=(WIDTH) y="98" text-anchor="end" { (cut(&last.label, 18)) }
            } @else if let [only] = pairs {
                text.tick x=(WIDTH / 2.0) y="98" text-anchor="middle" { (cut(&only.label, 36)) }
            }
        }
    }
}

/// Draws horizontal bars of values: a thick bar before, a thin bar after.
pub(super) fn pair_rows(title: &str, pairs: &[Pair]) -> Markup {
    const ROW: f64 = 17.0;
    const LEFT: f64 = 96.0;
    const RIGHT: f64 = 190.0;
    let max = pairs.iter().map(|pair| pair.before.max(pair.after)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    html! {
        svg.plot viewBox={ "0 0 260 " (ROW * pairs.len().max(1) as f64) } role="img" aria-label=(title) {
            @for (at, pair) in pairs.iter().enumerate() {
                @let middle = ROW * (at as f64 + 0.5);
                @let (before, after) = (visible(pair.before / max, RIGHT - LEFT), visible(pair.after / max, RIGHT - LEFT));
                g {
                    title { (pair.title) }
                    text.label x=(LEFT - 6.0) y=(Tenth(middle + 4.0)) text-anchor="end" { (cut(&pair.label, 15)) }
                    rect.before x=(LEFT) y=(Tenth(middle - 6.5)) width=(Tenth(before)) height="13" {}
                    rect.after x=(LEFT) y=(Tenth(middle - 2.5)) width=(Tenth(after)) height="5" {}
                    text.tick x="260" y=(Tenth(middle + 4.0)) text-anchor="end" { (pair.text) }
                }
            }
            line.base x1=(LEFT) x2=(LEFT) y1="0" y2=(ROW * pairs.len() as f64) {}
        }
    }
}
