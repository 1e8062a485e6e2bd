//! Tests for parsing intervals, and for comparing them against a check of every number.

use proptest::prelude::*;

use super::*;
use crate::scalar::{Type, interval_text, scale_text};

/// Formats an interval as `[low,high)`, with `..` for an absent bound.
fn formatted(values: Type, interval: Interval) -> String {
    let text = |bound: Option<f64>| bound.map_or("..".to_owned(), |bound| scale_text(values, bound));
    let (open, close) = (if interval.low_in { '[' } else { '(' }, if interval.high_in { ']' } else { ')' });
    format!("{open}{},{}{close}", text(interval.low), text(interval.high))
}

#[track_caller]
fn check(values: Type, text: &str, expect: &str) {
    let read = Interval::parse(values, text).map(|interval| formatted(values, interval));
    assert_eq!(read.as_deref(), Some(expect), "{text}");
}

#[track_caller]
fn check_refused(values: Type, texts: &[&str]) {
    for text in texts {
        let read = Interval::parse(values, text).map(|interval| formatted(values, interval));
        assert_eq!(read, None, "{text}");
    }
}

#[test]
fn numbers_in_every_notation() {
    let numbers = [
        ("25", "[25,25]"),
        (" -2.50 ", "[-2.5,-2.5]"),
        ("1e-3", "[0.001,0.001]"),
        ("[20,30)", "[20,30)"),
        ("[20, 30]", "[20,30]"),
        ("(20,30]", "(20,30]"),
        ("(20;30)", "(20,30)"),
        ("[20,30[", "[20,30)"),
        ("]20,30]", "(20,30]"),
        ("]20,30[", "(20,30)"),
        ("[20-30)", "[20,30)"),
        ("[20..30)", "[20,30)"),
        ("20-29", "[20,29]"),
        ("20–29", "[20,29]"),
        ("20 - 29", "[20,29]"),
        ("20..29", "[20,29]"),
        ("20 to 29", "[20,29]"),
        ("20 TO 29", "[20,29]"),
        ("20:29", "[20,29]"),
        ("20~29", "[20,29]"),
        ("<20", "(..,20)"),
        ("< 20", "(..,20)"),
        ("<=20", "(..,20]"),
        ("≤20", "(..,20]"),
        (">80", "(80,..)"),
        (">=80", "[80,..)"),
        ("≥ 80", "[80,..)"),
        ("80+", "[80,..)"),
        ("under 20", "(..,20)"),
        ("Over 80", "(80,..)"),
        ("any", "(..,..)"),
        ("*", "(..,..)"),
        ("-5--1", "[-5,-1]"),
        ("-5-1", "[-5,1]"),
        ("-5 to -1", "[-5,-1]"),
        ("[-5,-1)", "[-5,-1)"),
        ("(-5--1]", "(-5,-1]"),
        ("1e-3-2e-3", "[0.001,0.002]"),
        ("0.5-1.25", "[0.5,1.25]"),
        (".5-.75", "[0.5,0.75]"),
        ("[5,5]", "[5,5]"),
        ("5-5", "[5,5]"),
        ("2*", "[20,30)"),
        ("47***", "[47000,48000)"),
        ("0*", "[0,10)"),
    ];
    for (text, expect) in numbers {
        check(Type::Number, text, expect);
    }
}

#[test]
fn dates_in_every_notation() {
    let dates = [
        ("2024-03-05", "[2024-03-05,2024-03-05]"),
        ("2024-03-05T10:00", "[2024-03-05,2024-03-05]"),
        ("[2024-01-01,2024-02-01)", "[2024-01-01,2024-01-31]"),
        ("(2024-01-01, 2024-02-01]", "[2024-01-02,2024-02-01]"),
        ("2024-01-01 to 2024-01-31", "[2024-01-01,2024-01-31]"),
        ("2024-01-01..2024-01-31", "[2024-01-01,2024-01-31]"),
        ("2024-01-01/2024-01-31", "[2024-01-01,2024-01-31]"),
        ("2024-01-01-2024-01-31", "[2024-01-01,2024-01-31]"),
        ("2024-01-01 – 2024-01-31", "[2024-01-01,2024-01-31]"),
        ("<2024-01-01", "(..,2023-12-31]"),
        ("<=2024-01-01", "(..,2024-01-01]"),
        (">2024-01-01", "[2024-01-02,..)"),
        (">=2024-01-01", "[2024-01-01,..)"),
        ("2024-01-01+", "[2024-01-01,..)"),
        ("2024", "[2024-01-01,2024-12-31]"),
        ("2024-02", "[2024-02-01,2024-02-29]"),
        ("2024-12", "[2024-12-01,2024-12-31]"),
        ("2024-Q1", "[2024-01-01,2024-03-31]"),
        ("2024 Q4", "[2024-10-01,2024-12-31]"),
        ("2024q2", "[2024-04-01,2024-06-30]"),
        ("2020s", "[2020-01-01,2029-12-31]"),
        ("9990s", "[9990-01-01,9999-12-31]"),
        ("1990-1999", "[1990-01-01,1999-12-31]"),
        ("2024-01/2024-03", "[2024-01-01,2024-03-31]"),
        ("2024-01 - 2024-03", "[2024-01-01,2024-03-31]"),
        ("2024-01-2024-03", "[2024-01-01,2024-03-31]"),
        ("[1990,2000)", "[1990-01-01,1999-12-31]"),
        ("(1990,2000]", "[1991-01-01,2000-12-31]"),
        ("<2024", "(..,2023-12-31]"),
        ("over 2024", "[2025-01-01,..)"),
        ("any", "(..,..)"),
    ];
    for (text, expect) in dates {
        check(Type::Date, text, expect);
    }
    let before_christ = Interval::parse(Type::Date, "[-000001-12-31,0000-01-02)").unwrap();
    assert_eq!(before_christ, Interval::parse(Type::Date, "-000001-12-31..0000-01-01").unwrap());
}

#[test]
fn other_texts_and_empty_intervals_are_refused() {
    let numbers = [
        "",
        " ",
        "-",
        "--",
        "x",
        "nan",
        "NaN-5",
        "inf",
        "[5,inf)",
        "(-inf,5]",
        "<inf",
        ">nan",
        "30-20",
        "[30,20)",
        "(5,5)",
        "[5,5)",
        "(5,5]",
        "5--5",
        "[20,30",
        "20,30)",
        "[20)",
        "[]",
        "[",
        "{20,30}",
        "20,30",
        "20;30",
        "20/30",
        "1...5",
        "20-29-39",
        "<",
        "+",
        "under",
        "<20-30",
        "[<20,30)",
        "a*",
        "2*3",
        "-2*",
        "2.*",
        "**",
        "1************************",
        "9007199254740993",
        "900719925474099*",
        "2024-03-05",
        "1,000",
        "[1,000,2,000)",
        "20 29",
        "é-5",
        "[é,5)",
    ];
    check_refused(Type::Number, &numbers);
    let dates = [
        "",
        "25",
        "20-29",
        "2024-13",
        "2024-00",
        "2024-02-30",
        "2024-3",
        "2024Q5",
        "2024Q0",
        "2024Q",
        "2024--Q1",
        "2023s",
        "199*",
        "1999-1990",
        "2024-03/2024-01",
        "[2024-01-01,2024-01-01)",
        "(2024-01-01,2024-01-02)",
        "05/03/2024",
        "<2024-01-01T10:00",
        "[2024-01-01 10:00,2024-01-02 10:00)",
        "1990-99",
        "é024",
        "202é-01",
        "-99999-01-01",
    ];
    check_refused(Type::Date, &dates);
    check_refused(Type::Text, &["25", "[20,30)", "any", "*"]);
}

#[test]
fn adjacent_intervals_do_not_overlap() {
    let read = |text: &str| Interval::parse(Type::Number, text).unwrap();
    assert!(!read("20-29").overlaps(&read("30-39")));
    assert!(!read("[20,30)").overlaps(&read("[30,40)")));
    assert!(read("[20,30]").overlaps(&read("[30,40)")));
    assert!(read("20-29").within(&read("[20,30)")) && !read("[20,30)").within(&read("20-29")));
    let day = |text: &str| Interval::parse(Type::Date, text).unwrap();
    assert_eq!(day("2024-02"), day("[2024-02-01,2024-03-01)"));
    assert!(day("2024-02-29").within(&day("2024-Q1")) && !day("2024-Q1").overlaps(&day("2024-04")));
}

#[test]
fn bounds_are_finite_numbers() {
    assert_eq!(Interval::between(Some((f64::NAN, true)), None), None);
    assert_eq!(Interval::between(None, Some((f64::INFINITY, true))), None);
    assert_eq!(Interval::between(None, None), Some(Interval::ANY));
    assert_eq!(Interval::between(Some((-0.0, true)), Some((0.0, true))), Some(Interval::point(-0.0)));
    assert!(Interval::point(5.0).is_point() && !Interval::ANY.is_point());
    assert!(!Interval::ANY.contains(f64::NAN) && Interval::ANY.contains(-1e300));
}

/// All intervals whose bounds are 0, 1, 2, 3 or absent.
fn small_intervals() -> Vec<Interval> {
    let bounds: Vec<Option<(f64, bool)>> = std::iter::once(None)
        .chain([0.0, 1.0, 2.0, 3.0].into_iter().flat_map(|bound| [Some((bound, true)), Some((bound, false))]))
        .collect();
    bounds.iter().flat_map(|low| bounds.iter().filter_map(|high| Interval::between(*low, *high))).collect()
}

/// Naive definition of membership in an interval.
fn is_member(interval: &Interval, number: f64) -> bool {
    let above = match interval.low {
        Some(low) if interval.low_in => number >= low,
        Some(low) => number > low,
        None => true,
    };
    let below = match interval.high {
        Some(high) if interval.high_in => number <= high,
        Some(high) => number < high,
        None => true,
    };
    above && below
}

#[test]
fn comparisons_agree_with_every_number() {
    // Bounds are whole numbers, so one half represents all numbers between two bounds.
    let numbers: Vec<f64> = (-2..=8).map(|half| f64::from(half) / 2.0).collect();
    let all = small_intervals();
    assert_eq!(all.len(), 1 + 2 * 8 + 4 + 4 * 6);
    for one in &all {
        assert!(numbers.iter().any(|number| is_member(one, *number)), "{one:?} is empty");
        for number in &numbers {
            assert_eq!(one.contains(*number), is_member(one, *number), "{one:?} {number}");
        }
        for other in &all {
            let both = numbers.iter().any(|number| is_member(one, *number) && is_member(other, *number));
            assert_eq!(one.overlaps(other), both, "{one:?} {other:?}");
            let inside = numbers.iter().all(|number| !is_member(one, *number) || is_member(other, *number));
            assert_eq!(one.within(other), inside, "{one:?} {other:?}");
        }
    }
}

fn a_number() -> impl Strategy<Value = f64> {
    prop_oneof![-1000.0..1000.0f64, (-50..50i32).prop_map(f64::from), -9e15..9e15f64, -1e-300..1e-300f64]
}

proptest! {
    #[test]
    fn published_intervals_parse_back(one in a_number(), another in a_number(), sides in 0..4u8) {
        let (low, high) = (one.min(another), one.max(another));
        prop_assume!(low < high);
        let low = (sides & 1 == 0).then_some(low);
        let high = (sides & 2 == 0).then_some(high);
        let expect = Interval::between(low.map(|low| (low, true)), high.map(|high| (high, false)));
        prop_assert_eq!(Interval::parse(Type::Number, &interval_text(Type::Number, low, high)), expect);
    }

    #[test]
    fn published_days_parse_back(first in -700_000..2_900_000i32, length in 1..100_000i32, sides in 0..4u8) {
        let (first, after) = (f64::from(first), f64::from((first + length).min(2_900_000)));
        prop_assume!(first < after);
        let low = (sides & 1 == 0).then_some(first);
        let high = (sides & 2 == 0).then_some(after);
        let expect = Interval::between(low.map(|low| (low, true)), high.map(|high| (high - 1.0, true)));
        prop_assert_eq!(Interval::parse(Type::Date, &interval_text(Type::Date, low, high)), expect);
    }

    #[test]
    fn parser_does_not_panic(text in "[\\[\\]()<>=≤–~:.,;/ +*0-9eEQs-]{0,24}|\\PC{0,12}") {
        for values in [Type::Number, Type::Date] {
            if let Some(read) = Interval::parse(values, &text) {
                prop_assert!(read.within(&Interval::ANY) && read.overlaps(&read) && read.within(&read));
                prop_assert!(Interval::between(read.low.map(|low| (low, read.low_in)), read.high.map(|high| (high, read.high_in))) == Some(read));
            }
        }
    }
}
