//! Tests of rounded texts, shares and merged bins.

use reticent::distributions::DistributionBin;

use super::audience::{Audience, share_text};
use super::distribution::{ShownBin, merged};

fn public() -> Audience {
    Audience::new(true, 10, 1000)
}

#[test]
fn numbers_of_people_in_texts_are_rounded() {
    let check = |text: &str, expected: &str| {
        assert_eq!(public().text(text), expected);
        assert_eq!(Audience::new(false, 10, 1000).text(text), text);
    };
    check("7 people are sample unique (k = 1).", "fewer than 10 people are sample unique (k = 1).");
    check("(smallest: 2)", "(smallest: fewer than 10)");
    check("541 records, 0 dropped", "at least 540 records, 0 dropped");
    check("at least 541 records", "at least 540 records");
    check("7/12 people", "fewer than 10/at least 10 people");
    check("4 of 6 quasi-identifiers are suppressed", "4 of 6 quasi-identifiers are suppressed");
    check("release 3 has 1,234 rows", "release 3 has at least 1,230 rows");
    // The total is known, so a count directly below it is a band of its own.
    check("997 people, 1,000 people", "at least 990 people, at least 1,000 people");
    check("56.4 % of people, 3.14159 on average", "56 % of people, 3.1 on average");
    check("groups = 7", "groups = fewer than 10");
    for unchanged in ["2026-05-04", "[20,30)", "k=5", "3-anonymity", "`zip5`", "E11.9", "<20", "no number"] {
        check(unchanged, unchanged);
    }
}

#[test]
fn a_step_of_shares_is_at_least_the_smallest_count() {
    let step = |people: u64| Audience::new(true, 10, people).share_step();
    assert_eq!(step(1000), Some(0.01));
    assert_eq!(step(999), Some(0.02));
    assert_eq!(step(150), Some(0.1));
    assert_eq!(step(49), None);
    let text = |share: f64, step: f64| share_text(share, step).replace('\u{a0}', " ");
    assert_eq!(text(0.3333, 0.01), "33 %");
    assert_eq!(text(0.3333, 0.1), "30 %");
    assert_eq!(text(0.004, 0.01), "under 1 %");
    assert_eq!(text(0.0, 0.01), "0 %");
}

#[test]
fn public_metrics_have_two_digits() {
    let metric = |value: f64| public().metric(value);
    assert_eq!(metric(0.123_45), "0.12");
    assert_eq!(metric(12_345.6), "12,000");
    assert_eq!(metric(9.96), "10");
    assert_eq!(metric(0.0), "0");
    assert_eq!(metric(99.9), "100");
    assert_eq!(Audience::new(true, 10, 999).metric(0.5), "not shown");
}

fn bins(bins: &[(&str, u64)]) -> Vec<DistributionBin> {
    bins.iter()
        .map(|(label, before)| DistributionBin { label: (*label).to_owned(), before: *before, after: 1.0 })
        .collect()
}

fn check_merged(of: &[(&str, u64)], ordered: bool, expected: &[(&str, u64)]) {
    let shown = merged(&bins(of), 10, ordered);
    let actual: Vec<(&str, u64)> =
        shown.iter().map(|ShownBin { label, before, .. }| (label.as_str(), *before)).collect();
    assert_eq!(actual, expected);
    assert_eq!(shown.iter().map(|bin| bin.after).sum::<f64>(), of.len() as f64, "after is kept");
    let all: u64 = of.iter().map(|(_, before)| before).sum();
    assert!(shown.iter().all(|bin| bin.before >= 10.min(all)), "every bin is frequent");
}

#[test]
fn rare_values_are_merged() {
    check_merged(&[("a", 10), ("b", 20)], false, &[("a", 10), ("b", 20)]);
    check_merged(&[("a", 6), ("b", 20), ("c", 4), ("d", 30)], false, &[("b", 20), ("d", 30), ("other values", 10)]);
    // The others are too few, so the next rarest value joins them.
    check_merged(&[("a", 7), ("b", 20), ("c", 25)], false, &[("c", 25), ("other values", 27)]);
    check_merged(&[("a", 20), ("b", 25), ("other values", 3)], false, &[("b", 25), ("other values", 23)]);
    check_merged(&[("a", 7), ("b", 25)], false, &[("all values", 32)]);
    check_merged(&[("a", 3), ("b", 2)], false, &[("all values", 5)]);
}

/// No label has a rare number: 17, 35 or 113.
#[test]
fn rare_numbers_are_merged_with_their_neighbours() {
    let ages = [("17", 1), ("18", 12), ("34", 30), ("35", 2), ("36", 11), ("113", 1)];
    check_merged(&ages, true, &[("<34", 13), ("[34,36)", 32), (">=36", 12)]);
    let intervals = [("[20,30)", 12), ("[30,40)", 3), ("[40,50)", 0), ("[50,60)", 10), ("?", 2)];
    check_merged(&intervals, true, &[("[20,50)", 15), (">=50", 12)]);
    check_merged(&[("2024-01", 12), ("2024-02", 12), ("?", 14)], true, &[("2024-01", 12), ("2024-02", 12), ("?", 14)]);
    check_merged(&[("1", 3), ("2", 12), ("3", 4)], true, &[("all values", 19)]);
}
