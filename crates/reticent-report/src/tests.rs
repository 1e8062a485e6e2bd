//! Tests of count bands, number formats and replaced characters.

use maud::Render;

use super::grid::{Band, Grid};
use super::words::{Worlds, joined, percent, percent_at_least, percent_at_most, printable};

/// The bands of two close counts are consistent with every small difference, for any known totals.
#[test]
fn bands_are_consistent_with_every_small_difference() {
    for (min_count, max) in [(3, 60), (5, 90), (10, 130)] {
        for points in
            [vec![], vec![max], vec![max, max - 2], vec![min_count, max], vec![max / 2, max], vec![2 * min_count, max]]
        {
            let grid = Grid::new(min_count, points.clone());
            let bands: Vec<_> = (0..=max).map(|count| grid.band(count)).collect();
            for (count, band) in (0..).zip(&bands) {
                assert!(band.low <= count && count <= band.high, "{count} is not in {band:?}");
                assert_eq!(grid.band(band.low), *band);
                assert_eq!(grid.band(band.high), *band);
            }
            let possible = |difference: u64, low: &Band, high: &Band| {
                low.low + difference <= high.high && low.high + difference >= high.low
            };
            for small in 0..max {
                for large in small + 1..(small + min_count).min(max + 1) {
                    let (low, high) = (&bands[small as usize], &bands[large as usize]);
                    let all = (1..min_count - 1).all(|difference| possible(difference, low, high));
                    assert!(all, "{small} and {large} of {points:?}: {low:?} and {high:?}");
                }
            }
            for point in points {
                for count in (point + 1).saturating_sub(min_count).max(1)..point {
                    let (low, high) = (&bands[count as usize], &Band { low: point, high: point });
                    let all = (1..min_count - 1).all(|difference| possible(difference, low, high));
                    assert!(all, "{count} below {point}");
                }
            }
        }
    }
}

#[test]
fn percentages_are_rounded_safely() {
    let shown = |probability: f64| percent(probability).replace('\u{a0}', " ");
    assert_eq!(shown(0.0), "0 %");
    assert_eq!(shown(0.00001), "less than 0.01 %");
    assert_eq!(shown(0.0042), "0.42 %");
    assert_eq!(shown(2.0 / 3.0), "66.7 %");
    assert_eq!(shown(0.5), "50 %");
    assert_eq!(shown(0.99999), "more than 99.9 %");
    assert_eq!(shown(1.0), "100 %");
    assert_eq!(percent_at_most(0.39991), "40\u{a0}%");
    assert_eq!(percent_at_least(0.66666), "66.6\u{a0}%");
    assert_eq!(percent_at_least(0.5), "50\u{a0}%");
    assert_eq!(Worlds::counted(Some("16"), Some(16f64.ln())).to_string(), "16");
    assert_eq!(Worlds::counted(Some("2592"), None).to_string(), "2,592");
    assert_eq!(Worlds::counted(None, Some(2772.9)).to_string(), "about 10^1,204");
    assert_eq!(Worlds::counted(None, None).to_string(), "too many to count");
}

#[test]
fn exponents_of_worlds_are_superscripts() {
    let check = |worlds: Worlds, text: &str, markup: &str| {
        assert_eq!((worlds.to_string().as_str(), worlds.render().0.as_str()), (text, markup));
    };
    check(Worlds::Exact(2592), "2,592", "2,592");
    check(Worlds::About(1204), "about 10^1,204", "about 10<sup>1,204</sup>");
    check(Worlds::roughly(Some(2772.9), false), "at least 10^1,024", "at least 10<sup>1,024</sup>");
    check(Worlds::roughly(Some(12.0), false), "fewer than 10^64", "fewer than 10^64");
    check(Worlds::roughly(Some(12.0), true), "not shown", "not shown");
}

#[test]
fn lists_are_joined_and_escaped() {
    let check = |items: &[&str], markup: &str| assert_eq!(joined(items, "or").0, markup);
    check(&[], "");
    check(&["a"], "a");
    check(&["a", "<b>"], "a or &lt;b&gt;");
    check(&["a", "b", "c"], "a, b or c");
}

#[test]
fn control_and_direction_characters_are_replaced() {
    assert_eq!(printable("a\u{7}b\tc\r\nd\u{202e}e\u{2066}f"), "a\u{fffd}b\u{fffd}c\u{fffd}\nd\u{fffd}e\u{fffd}f");
    assert_eq!(printable("Zürich “q” ◂\u{a0}%"), "Zürich “q” ◂\u{a0}%");
}
