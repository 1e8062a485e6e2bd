//! Tests for parsing taxonomies, intervals, cuts and levels.

use proptest::prelude::*;

use super::*;

/// The tree as indented labels, each with its range of codes.
fn outline(tree: &Taxonomy) -> String {
    fn below(tree: &Taxonomy, id: NodeId, lines: &mut Vec<String>) {
        let node = tree.node(id);
        lines.push(format!("{}{} {:?}", "  ".repeat(node.depth as usize), node.label, node.span));
        for child in &node.children {
            below(tree, *child, lines);
        }
    }
    let mut lines = Vec::new();
    below(tree, 0, &mut lines);
    lines.join("\n")
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    let tree = Taxonomy::parse("city", text).unwrap();
    assert_eq!(outline(&tree), expect.join("\n"));
}

#[track_caller]
fn check_wrong(text: &str, line: Option<usize>, expect: &str) {
    let error = Taxonomy::parse("city", text).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(expect), "{text}");
    assert!(matches!(error, Error::Taxonomy { line: at, .. } if at == line), "{error:?}");
}

const EUROPE: &[&str] = &["* 0..3", "  Europe 0..2", "    Paris 0..1", "    Rome 1..2", "  Moon 2..3"];

#[test]
fn paths_may_be_padded_or_ragged() {
    check("Paris;Europe;*\nRome;Europe;*\nMoon;Moon;*\n", EUROPE);
    check("Paris;Europe;*\nRome;Europe;*\nMoon;*\n", EUROPE);
    check("Paris ; Europe;*;;\n\nRome;Europe;*\nMoon;*\n", EUROPE);
}

#[test]
fn leaves_below_a_node_are_one_range_for_unsorted_rows() {
    let tree = Taxonomy::parse("city", "Paris;Europe;*\nMoon;*\nRome;Europe;*\n").unwrap();
    assert_eq!(outline(&tree), EUROPE.join("\n"));
    assert_eq!(tree.values(), ["Paris", "Rome", "Moon"]);
}

#[test]
fn indented_trees() {
    check("*\n  Europe\n    Paris\n    Rome\n  Moon\n", EUROPE);
    check("# cities\n*\n\tEurope\n\t\tParis\n\n\t\tRome\n\tMoon", EUROPE);
    check_wrong("*\n  a\nb\n", Some(3), "a second root");
    check_wrong("*\n", Some(1), "has no children");
}

#[test]
fn byte_order_marks_and_windows_lines() {
    check("\u{feff}Paris;Europe;*\r\nRome;Europe;*\r\nMoon;*\r\n", EUROPE);
    check("\u{feff}*\r\n  Europe\r\n    Paris\r\n    Rome\r\n  Moon\r\n", EUROPE);
}

#[test]
fn quoted_values() {
    check(
        "\"two\nlines\";\"say \"\"hi\"\"\"\n\"a;b\";\"say \"\"hi\"\"\"",
        &["say \"hi\" 0..2", "  two\nlines 0..1", "  a;b 1..2"],
    );
}

#[test]
fn invalid_trees_are_refused() {
    check_wrong("", None, "empty");
    check_wrong("  \n \n", None, "empty");
    check_wrong("a;b;*\nc;b;#\n", Some(2), "two roots");
    check_wrong("a;b;a;*\n", Some(1), "has a cycle");
    check_wrong("a;b;c;*\nd;c;b;*\n", Some(2), "`b` has two parents, `c` and `*`");
    check_wrong("a;b;*\nc;d;*\ne;b;d;*\n", Some(3), "`b` has two parents, `*` and `d`");
    check_wrong("a;*\nb;*\na;*\n", Some(3), "already defined on line 1");
    check_wrong("a;*\nb;a;*\n", Some(1), "is a leaf here but has children elsewhere");
    check_wrong("b;a;*\nc;*\na;*\n", Some(3), "is a leaf here but has children elsewhere");
    check_wrong("a;;*\n", Some(1), "empty value between two others");
}

#[test]
fn depth_is_limited() {
    let path = |levels: usize| (0..levels).map(|level| format!("v{level}")).collect::<Vec<String>>().join(";");
    let deepest = Taxonomy::parse("city", &path(256)).unwrap();
    assert_eq!(deepest.height(0), 255);
    check_wrong(&path(257), Some(1), "the path has 257 levels; the limit is 256");
    check_wrong(&path(100_000), Some(1), "the limit is 256");
    let indented: String = (0..2000).map(|level| format!("{}v{level}\n", " ".repeat(level))).collect();
    check_wrong(&indented, Some(2000), "the limit is 256");
}

fn labels(tree: &Taxonomy, level: &[NodeId]) -> String {
    level.iter().map(|id| tree.node(*id).label.as_str()).collect::<Vec<&str>>().join(" ")
}

fn ladder(tree: &Taxonomy) -> Vec<String> {
    tree.full_domain_levels().iter().map(|level| labels(tree, level)).collect()
}

#[test]
fn rectangular_file_defines_full_domain_levels() {
    let padded = Taxonomy::parse("city", "Paris;Europe;*\nRome;Europe;*\nMoon;Moon;*\n").unwrap();
    assert_eq!(ladder(&padded), ["Paris Rome Moon", "Europe Europe Moon", "* * *"]);
    let ragged = Taxonomy::parse("city", "Paris;Europe;*\nRome;Europe;*\nMoon;*\n").unwrap();
    // `Moon` is not published as the root at level 1, because then level 1 would not be a cut.
    assert_eq!(ladder(&ragged), ["Paris Rome Moon", "Europe Europe Moon", "* * *"]);
}

#[test]
fn missing_value_is_a_separate_leaf() {
    let mut tree = Taxonomy::parse("city", "Paris;Europe;*\nRome;Europe;*\n").unwrap();
    assert_eq!(tree.add_missing("NA"), Ok(2));
    assert_eq!((tree.missing(), tree.value(2)), (Some(2), "NA"));
    assert_eq!(outline(&tree).lines().last(), Some("  NA 2..3"));
    assert_eq!(ladder(&tree), ["Paris Rome NA", "Europe Europe NA", "* * *"]);
    assert!(tree.add_missing("Paris").is_err());
    let mut grown = Taxonomy::grown(Type::Number, vec![1.0, 5.0], None);
    assert_eq!(grown.add_missing(""), Ok(2));
    assert_eq!(outline(&grown), "* 0..3\n  any 0..2\n   2..3");
    assert!(!grown.can_grow(0) && grown.can_grow(1) && !grown.can_grow(2));
}

#[test]
fn intervals_nest() {
    let ages = vec![3.0, 17.0, 20.0, 24.0];
    let tree = Taxonomy::intervals(
        "age",
        Type::Number,
        ages.clone(),
        &[IntervalLevel::Width(5.0), IntervalLevel::Width(20.0)],
    )
    .unwrap();
    let expect = [
        "* 0..4",
        "  [0,20) 0..2",
        "    [0,5) 0..1",
        "      3 0..1",
        "    [15,20) 1..2",
        "      17 1..2",
        "  [20,40) 2..4",
        "    [20,25) 2..4",
        "      20 2..3",
        "      24 3..4",
    ];
    assert_eq!(outline(&tree), expect.join("\n"));
    assert_eq!(ladder(&tree)[1], "[0,5) [15,20) [20,25) [20,25)");
    let across =
        Taxonomy::intervals("age", Type::Number, ages, &[IntervalLevel::Width(5.0), IntervalLevel::Bounds(vec![18.0])]);
    assert!(across.unwrap_err().to_string().contains("overlaps two intervals"));
}

#[test]
fn without_leaves_no_value_can_be_published() {
    let levels = [IntervalLevel::Width(5.0), IntervalLevel::Width(20.0)];
    let tree = Taxonomy::intervals("age", Type::Number, vec![3.0, 20.0, 24.0], &levels).unwrap().without_leaves();
    let expect = ["* 0..3", "  [0,20) 0..1", "    [0,5) 0..1", "  [20,40) 1..3", "    [20,25) 1..3"];
    assert_eq!(outline(&tree), expect.join("\n"));
    assert_eq!(tree.find("24"), None);
    assert_eq!(labels(&tree, Cut::bottom(&tree).nodes()), "[0,5) [20,25)");
    assert_eq!(ladder(&tree), ["[0,5) [20,25) [20,25)", "[0,20) [20,40) [20,40)", "* * *"]);
}

#[test]
fn bounds_are_open_at_both_ends_and_levels_may_agree() {
    let levels = [IntervalLevel::Bounds(vec![18.0, 65.0]), IntervalLevel::Bounds(vec![65.0])];
    let tree = Taxonomy::intervals("age", Type::Number, vec![3.0, 18.0, 70.0], &levels).unwrap();
    let expect = [
        "* 0..3",
        "  <65 0..2",
        "    <18 0..1",
        "      3 0..1",
        "    [18,65) 1..2",
        "      18 1..2",
        "  >=65 2..3",
        "    70 2..3",
    ];
    assert_eq!(outline(&tree), expect.join("\n"));
}

#[test]
fn decimal_widths_have_exact_bounds() {
    let tree = Taxonomy::intervals("x", Type::Number, vec![-0.05, 0.0, 0.35], &[IntervalLevel::Width(0.1)]).unwrap();
    let first: Vec<&str> = tree.node(0).children.iter().map(|id| tree.node(*id).label.as_str()).collect();
    assert_eq!(first, ["[-0.1,0)", "[0,0.1)", "[0.3,0.4)"]);
}

#[test]
fn calendar_levels() {
    let days: Vec<f64> =
        ["1969-12-31", "1970-01-01", "1999-12-31", "2000-02-29"].iter().filter_map(|day| parse_date(day)).collect();
    assert_eq!(days[..2], [-1.0, 0.0]);
    let levels = [IntervalLevel::Month, IntervalLevel::Quarter, IntervalLevel::Year, IntervalLevel::Decade];
    let tree = Taxonomy::intervals("born", Type::Date, days, &levels).unwrap();
    let expect = [
        "1969-12-31 1970-01-01 1999-12-31 2000-02-29",
        "[1969-12-01,1970-01-01) [1970-01-01,1970-02-01) [1999-12-01,2000-01-01) [2000-02-01,2000-03-01)",
        "[1969-10-01,1970-01-01) [1970-01-01,1970-04-01) [1999-10-01,2000-01-01) [2000-01-01,2000-04-01)",
        "[1969-01-01,1970-01-01) [1970-01-01,1971-01-01) [1999-01-01,2000-01-01) [2000-01-01,2001-01-01)",
        "[1960-01-01,1970-01-01) [1970-01-01,1980-01-01) [1990-01-01,2000-01-01) [2000-01-01,2010-01-01)",
        "* * * *",
    ];
    assert_eq!(ladder(&tree), expect);
}

#[test]
fn dates_beyond_the_calendar_do_not_panic() {
    let last = parse_date("9999-12-31").into_iter().collect();
    let tree =
        Taxonomy::intervals("born", Type::Date, last, &[IntervalLevel::Decade, IntervalLevel::Bounds(vec![0.0])])
            .unwrap();
    assert_eq!(tree.node(0).children.len(), 1);
    assert_eq!(scale_text(Type::Date, 1e18), "9999-12-31");
    assert!(Taxonomy::intervals("born", Type::Date, vec![0.0], &[IntervalLevel::Width(1e12)]).is_ok());
}

#[test]
fn grown_intervals_split_at_values() {
    let mut tree = Taxonomy::grown(Type::Number, vec![1.0, 5.0, 7.5], Some((0.0, 10.0)));
    assert!(tree.can_grow(0));
    let [low, high] = tree.split(0, 1);
    assert_eq!(labels(&tree, &[low, high]), "[0,5) [5,10)");
    assert!(!tree.can_grow(low) && tree.can_grow(high) && !tree.can_grow(0));
    let mut open = Taxonomy::grown(Type::Number, vec![1.0, 5.0, 7.5], None);
    let [low, high] = open.split(0, 2);
    assert_eq!(labels(&open, &[low, high]), "<7.5 >=7.5");
    let [lower, middle] = open.split(low, 1);
    assert_eq!(labels(&open, &[lower, middle]), "<5 [5,7.5)");
}

#[test]
fn nodes_of_numbers_and_dates_are_intervals() {
    let half_open = |low: Option<f64>, high: Option<f64>| {
        Interval::between(low.map(|low| (low, true)), high.map(|high| (high, false)))
    };
    let mut grown = Taxonomy::grown(Type::Number, vec![1.0, 5.0, 7.5], None);
    // A missing value has no interval, even if its text looks like one.
    grown.add_missing("80+").unwrap();
    let [low, high] = grown.split(1, 1);
    assert_eq!(grown.value_type(), Type::Number);
    assert_eq!([0, 1, 2].map(|id| grown.interval(id)), [Some(Interval::ANY), Some(Interval::ANY), None]);
    assert_eq!(grown.interval(low), half_open(None, Some(5.0)));
    assert_eq!(grown.interval(high), half_open(Some(5.0), None));
    let leaves = Arc::new(grown).with_leaves();
    assert_eq!(leaves.interval(leaves.leaf_of(2)), Some(Interval::point(7.5)));

    let born = Taxonomy::intervals("born", Type::Date, vec![0.0], &[IntervalLevel::Month]).unwrap();
    assert_eq!(born.value_type(), Type::Date);
    assert_eq!(born.interval(1), Interval::between(Some((0.0, true)), Some((30.0, true))));
    assert_eq!(born.interval(2), Some(Interval::point(0.0)));

    let texts = Taxonomy::flat(vec!["5".to_owned()]);
    assert_eq!((texts.value_type(), texts.interval(0), texts.interval(1)), (Type::Text, None, None));
}

#[test]
fn numbers_and_dates_are_parsed_exactly() {
    let numbers = [
        ("1", Some(1.0)),
        (" 1e3 ", Some(1000.0)),
        ("-0", Some(0.0)),
        ("nan", None),
        ("inf", None),
        ("0x10", None),
        ("", None),
        ("9007199254740993000", None),
    ];
    for (text, expect) in numbers {
        assert_eq!(parse_number(text), expect, "{text}");
    }
    let dates = [
        ("1970-01-02", Some(1.0)),
        ("1970-01-02T10:00", Some(1.0)),
        ("1970-1-2", None),
        ("1970-02-30", None),
        ("1970-01-023", None),
        ("1970-01-0é", None),
    ];
    for (text, expect) in dates {
        assert_eq!(parse_date(text), expect, "{text}");
    }
}

proptest! {
    #[test]
    fn parser_does_not_panic(text in "[a-c;\"# \t\n\r\u{feff}]{0,60}") {
        if let Ok(tree) = Taxonomy::parse("x", &text) {
            let above = Cut::bottom(&tree).above(&tree);
            prop_assert!(above.iter().all(|id| tree.node(*id).children.is_empty()));
            prop_assert!(tree.full_domain_levels().last().is_some_and(|level| level.iter().all(|id| *id == 0)));
        }
    }
}

#[test]
fn level_bounds_cover_least_to_greatest_number() {
    assert_eq!(IntervalLevel::Width(10.0).bounds((3.0, 25.0)), Some(vec![0.0, 10.0, 20.0]));
    assert_eq!(IntervalLevel::Width(0.1).bounds((0.3, 0.55)), Some(vec![0.3, 0.4, 0.5]));
    assert_eq!(IntervalLevel::Bounds(vec![18.0, 65.0]).bounds((3.0, 70.0)), Some(vec![3.0, 18.0, 65.0]));
    let days = |text: &str| super::parse_date(text).unwrap();
    let years = vec![days("2019-01-01"), days("2020-01-01"), days("2021-01-01")];
    assert_eq!(IntervalLevel::Year.bounds((days("2019-05-05"), days("2021-01-01"))), Some(years));
    assert_eq!(IntervalLevel::Width(1e-6).bounds((0.0, 1e6)), None);
}
