//! Tests for recognised and refused texts.

mod oracle;

use super::*;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Description with a role only.
fn with_role(role: Role) -> RecognitionInput<'static> {
    RecognitionInput { name: "city", role, values: None, tree: None, missing: &[] }
}

const QUASI: Role = Role::QuasiIdentifier;

/// The tree as indented labels, each with its range of codes.
fn outline(tree: &Taxonomy) -> Vec<String> {
    fn below(tree: &Taxonomy, id: NodeId, lines: &mut Vec<String>) {
        let node = tree.node(id);
        lines.push(format!("{}{} {:?}", "  ".repeat(node.depth as usize), node.label, node.span));
        for child in &node.children {
            below(tree, *child, lines);
        }
    }
    let mut lines = Vec::new();
    below(tree, 0, &mut lines);
    lines
}

#[track_caller]
fn recognised(input: &RecognitionInput<'_>, published: &[&str]) -> Recognised {
    let recognised = recognise(input, &texts(published)).unwrap();
    let kinds = recognised.kinds;
    let all = kinds.values + kinds.intervals + kinds.taxonomy_nodes + kinds.masked + kinds.suppressed + kinds.missing;
    assert_eq!(all, published.len() as u64, "{kinds:?}");
    assert_eq!(recognised.column.nodes[recognised.column.root() as usize], 0);
    recognised
}

#[track_caller]
fn check(input: &RecognitionInput<'_>, published: &[&str], values: Type, expect: &[&str]) {
    let recognised = recognised(input, published);
    assert_eq!(recognised.values, values);
    assert_eq!(outline(&recognised.column.tree), expect);
    let labels: Vec<&str> = (0..published.len()).map(|code| recognised.column.label(code as u32)).collect();
    assert_eq!(labels, published);
}

#[track_caller]
fn check_wrong(input: &RecognitionInput<'_>, published: &[&str], expect: &str) {
    let error = recognise(input, &texts(published)).unwrap_err().to_string();
    assert_eq!(error, format!("column `city`: {expect}"));
}

#[test]
fn intervals_nest_by_what_they_contain() {
    let published = ["25", "[20,30)", "*", "[0,20)", "[20,25)", "<50", "30"];
    let expect = [
        "* 0..4",
        "  <50 0..4",
        "    [0,20) 0..1",
        "    [20,30) 1..3",
        "      [20,25) 1..2",
        "      25 2..3",
        "    30 3..4",
    ];
    check(&with_role(QUASI), &published, Type::Number, &expect);
    let column = recognised(&with_role(QUASI), &published).column;
    assert_eq!(column.tree.values(), ["[0,20)", "[20,25)", "25", "30"]);
    assert_eq!(column.tree.value_type(), Type::Number);
    let intervals: Vec<Option<Interval>> = column.nodes.iter().map(|node| column.tree.interval(*node)).collect();
    let read = |text: &str| Interval::parse(Type::Number, text);
    assert_eq!(intervals, published.map(read));
}

#[test]
fn intervals_that_overlap_are_siblings() {
    // Both intervals contain 25. Its parent is the one with the higher lower bound, so that leaves are ascending.
    let expect = ["* 0..2", "  [0,30) 0..1", "  [20,90) 1..2", "    25 1..2"];
    check(&with_role(QUASI), &["[0,30)", "[20,90)", "25"], Type::Number, &expect);
}

#[test]
fn equal_intervals_share_a_node() {
    let recognised = recognised(&with_role(QUASI), &["[20,29]", "20-29", "20..29", "*", "20"]);
    assert_eq!(outline(&recognised.column.tree), ["* 0..1", "  20-29 0..1", "    20 0..1"]);
    assert_eq!(recognised.column.nodes, [1, 1, 1, 0, 2]);
    assert_eq!(recognised.kinds, TextKinds { values: 1, intervals: 3, suppressed: 1, ..TextKinds::default() });
}

#[test]
fn types_are_inferred() {
    let find = |published: &[&str]| recognised(&with_role(QUASI), published).values;
    let types = [
        (&["20-29", "30+", "*"][..], Type::Number),
        (&["1999", "2000"], Type::Number),
        (&["1990-1999", "2000"], Type::Number),
        (&["4767*", "476**"], Type::Text),
        (&["4767*", "47677"], Type::Number),
        (&["0213*", "02139"], Type::Text),
        (&["02139", "10001"], Type::Text),
        (&["05-09", "10-14"], Type::Number),
        (&["2024-01", "2024-Q2", "*"], Type::Date),
        (&["2024-01-05", "2023"], Type::Date),
        (&["20-29", "old"], Type::Text),
        (&["*"], Type::Text),
        (&[], Type::Text),
    ];
    for (published, values) in types {
        assert_eq!(find(published), values, "{published:?}");
    }
    let missing = texts(&["?", "-1"]);
    let with_missing = RecognitionInput { missing: &missing, ..with_role(QUASI) };
    assert_eq!(recognised(&with_missing, &["?", "20-29", ""]).values, Type::Number);
    let number = RecognitionInput { values: Some(Type::Number), ..with_role(QUASI) };
    assert_eq!(recognised(&number, &["0213*"]).column.tree.interval(1), Interval::parse(Type::Number, "[2130,2140)"));
    let text = RecognitionInput { values: Some(Type::Text), ..with_role(QUASI) };
    assert_eq!(recognised(&text, &["20-29"]).column.tree.interval(1), None);
}

#[test]
fn masked_texts_nest_by_prefix() {
    let published = ["47677", "476**", "4767*", "47***", "50001", "*", "4**", "471"];
    let expect = [
        "* 0..3",
        "  4** 0..1",
        "    471 0..1",
        "  47*** 1..2",
        "    476** 1..2",
        "      4767* 1..2",
        "        47677 1..2",
        "  50001 2..3",
    ];
    check(&RecognitionInput { values: Some(Type::Text), ..with_role(QUASI) }, &published, Type::Text, &expect);
    let kinds = recognised(&RecognitionInput { values: Some(Type::Text), ..with_role(QUASI) }, &published).kinds;
    assert_eq!(kinds, TextKinds { values: 3, masked: 4, suppressed: 1, ..TextKinds::default() });
}

#[test]
fn single_star_is_one_character_or_any_suffix() {
    let any_end = ["* 0..2", "  SW* 0..2", "    SW1A 0..1", "    SW1A 1AA 1..2"];
    check(&with_role(QUASI), &["SW*", "SW1A", "SW1A 1AA"], Type::Text, &any_end);
    let one_character = ["* 0..2", "  AB* 0..2", "    ABC 0..1", "    ABD 1..2"];
    check(&with_role(QUASI), &["AB*", "ABC", "ABD"], Type::Text, &one_character);
    // The mask with several stars has a fixed length. The single-star mask covers texts of two lengths.
    let both = ["* 0..2", "  SW* 0..2", "    SW** 0..1", "      SW12 0..1", "    SW123 1..2"];
    check(&with_role(QUASI), &["SW*", "SW**", "SW12", "SW123"], Type::Text, &both);
    // Lengths are in characters, not bytes.
    check(&with_role(QUASI), &["Ö**", "Öde", "Öl"], Type::Text, &["* 0..2", "  Ö** 0..1", "    Öde 0..1", "  Öl 1..2"]);
    // A text of another length with another prefix does not prevent nesting.
    let elsewhere = ["* 0..2", "  AB** 0..1", "    ABC* 0..1", "  unknown 1..2"];
    check(&with_role(QUASI), &["ABC*", "AB**", "unknown"], Type::Text, &elsewhere);
}

#[test]
fn only_quasi_identifiers_are_generalized() {
    for role in [Role::Sensitive, Role::Other, Role::Identifier] {
        check(
            &with_role(role),
            &["A*", "A", "{a,b}"],
            Type::Text,
            &["* 0..3", "  A 0..1", "  A* 1..2", "  {a,b} 2..3"],
        );
        check(
            &with_role(role),
            &["100", "20-29", "25", "*"],
            Type::Number,
            &["* 0..3", "  20-29 0..1", "  25 1..2", "  100 2..3"],
        );
        assert_eq!(recognised(&with_role(role), &["25"]).column.tree.interval(1), None);
        // 250.0 and 250.00 can be different codes.
        check(&with_role(role), &["250.00", "250.0"], Type::Number, &["* 0..2", "  250.0 0..1", "  250.00 1..2"]);
    }
}

#[test]
fn stars_only_are_suppressed() {
    let recognised = recognised(&with_role(QUASI), &["*****", "47677", "476**", "*"]);
    assert_eq!(recognised.column.nodes, [0, 2, 1, 0]);
    assert_eq!((recognised.values, recognised.kinds.suppressed), (Type::Number, 2));
}

const CITIES: &str = "Anywhere\n  Europe\n    Paris\n    Rome\n  Moon";

#[test]
fn texts_are_recognised_by_taxonomy() {
    let tree = Arc::new(Taxonomy::parse("city", CITIES).unwrap());
    let missing = texts(&["?", "n/a"]);
    let input = RecognitionInput { tree: Some(&tree), missing: &missing, ..with_role(QUASI) };
    let recognised = recognised(&input, &["Europe", " Rome", "*", "Anywhere", "n/a", "Paris", "?", "Rome"]);
    let labels: Vec<&str> = (0..8).map(|code| recognised.column.label(code)).collect();
    assert_eq!(labels, ["Europe", "Rome", "Anywhere", "Anywhere", "?", "Paris", "?", "Rome"]);
    let expect = ["Anywhere 0..4", "  Europe 0..2", "    Paris 0..1", "    Rome 1..2", "  Moon 2..3", "  ? 3..4"];
    assert_eq!(outline(&recognised.column.tree), expect);
    assert_eq!(recognised.column.tree.missing(), Some(3));
    assert_eq!(
        recognised.kinds,
        TextKinds { values: 3, taxonomy_nodes: 1, suppressed: 2, missing: 2, ..TextKinds::default() }
    );
    check_wrong(
        &input,
        &["Paris", "Oslo", "Bern", "Lima", "Kiew"],
        "4 values (`Oslo`, `Bern`, `Lima`, ...) not in its taxonomy; add them to the taxonomy, or use a separate policy for this table",
    );
    check_wrong(
        &RecognitionInput { role: Role::Sensitive, ..input },
        &["Paris", "Oslo"],
        "1 value not in its taxonomy; add them to the taxonomy, or use a separate policy for this table",
    );
}

#[test]
fn missing_values_are_a_leaf() {
    let missing = texts(&["-1", "n/a"]);
    let input = RecognitionInput { values: Some(Type::Number), missing: &missing, ..with_role(QUASI) };
    let published = ["n/a", "0-9", "-1", "missing", "5"];
    let recognised = recognised(&input, &published);
    assert_eq!(outline(&recognised.column.tree), ["* 0..2", "  0-9 0..1", "    5 0..1", "  -1 1..2"]);
    assert_eq!(recognised.column.nodes, [3, 1, 3, 3, 2, 0]);
    let intervals: Vec<bool> = (0..4).map(|id| recognised.column.tree.interval(id).is_some()).collect();
    assert_eq!(intervals, [true, true, true, false]);
    // In a text column, fallback texts that the policy does not list are ordinary values.
    check(
        &RecognitionInput { missing: &missing, ..self::with_role(QUASI) },
        &["", "a", "missing"],
        Type::Text,
        &["* 0..3", "   0..1", "  a 1..2", "  missing 2..3"],
    );
    check_wrong(
        &RecognitionInput { missing: &[], ..input },
        &["5", "n/a"],
        "neither numbers nor intervals of numbers: 1 value (`n/a`); rewrite them, add them to `missing-values`, or declare `type = \"text\"`",
    );
    check_wrong(
        &RecognitionInput { values: Some(Type::Date), missing: &[], role: Role::Other, ..input },
        &["5", "2024"],
        "neither dates written YYYY-MM-DD nor intervals of dates: 1 value; rewrite them, add them to `missing-values`, or declare `type = \"text\"`",
    );
}

#[test]
fn empty_column_has_only_the_root() {
    for values in [None, Some(Type::Number), Some(Type::Date), Some(Type::Text)] {
        let column = recognised(&RecognitionInput { values, ..with_role(QUASI) }, &[]).column;
        assert_eq!((outline(&column.tree), column.nodes), (vec!["* 0..0".to_owned()], vec![0]));
    }
}

#[test]
fn ranges_of_texts_without_taxonomy_are_refused() {
    for set in ["[a,b]", "[a-b)", "(a;b]", "{a|b}", "[a..b]"] {
        let expect = "looks generalized: 1 value in brackets; give the column a taxonomy, or the type number or date";
        check_wrong(&with_role(QUASI), &["a", set], expect);
    }
    check(
        &with_role(QUASI),
        &["(a,b)", "[a]", "a|b"],
        Type::Text,
        &["* 0..3", "  (a,b) 0..1", "  [a] 1..2", "  a|b 2..3"],
    );
}

#[test]
fn leading_apostrophes_are_removed() {
    let recognised = recognised(&with_role(QUASI), &["'-5--1", "[0,5)"]);
    assert_eq!((recognised.column.label(0), recognised.values), ("-5--1", Type::Number));
    let tree = Arc::new(Taxonomy::parse("city", "*\n  =a\n  '=b").unwrap());
    let given = RecognitionInput { tree: Some(&tree), ..with_role(QUASI) };
    assert_eq!(recognise(&given, &texts(&["'=a", "=b"])).unwrap().column.nodes, [1, 2, 0]);
    let once = "has a value with and without an apostrophe before it; write it one way";
    check_wrong(&with_role(QUASI), &["'-5--1", "-5--1"], once);
    check_wrong(&given, &["'=a", "=a"], once);
}

#[test]
fn deep_nesting_is_refused() {
    let below = |count: usize| (1..=count).map(|bound| format!("<{bound}")).collect::<Vec<String>>();
    assert_eq!(recognise(&with_role(QUASI), &below(255)).unwrap().column.tree.height(0), 255);
    let error = recognise(&with_role(QUASI), &below(100_000)).unwrap_err().to_string();
    assert_eq!(error, "column `city`: its published values nest more than 256 levels deep; remove some of them");
}

/// A quadratic algorithm would take minutes.
#[test]
fn many_texts_are_fast() {
    let intervals: Vec<String> = (0..100_000).map(|low| format!("[{low},{})", low + 1)).collect();
    let singles: Vec<String> = (0..100_000).map(|number| format!("{number}")).collect();
    let masks: Vec<String> = (0..100_000).map(|number| format!("x{number:05}**")).collect();
    for published in [[intervals, singles.clone()].concat(), [masks, singles.clone()].concat()] {
        let recognised = recognise(&with_role(QUASI), &published).unwrap();
        assert_eq!(recognised.column.nodes.len(), 200_001);
    }
    let tree = Arc::new(Taxonomy::flat(singles.clone()));
    assert_eq!(
        recognise(&RecognitionInput { tree: Some(&tree), ..with_role(QUASI) }, &singles).unwrap().kinds.values,
        100_000
    );
}

/// Errors contain no values of columns that are not quasi-identifiers.
#[test]
fn errors_contain_no_sensitive_values() {
    let tree = Arc::new(Taxonomy::parse("city", CITIES).unwrap());
    let canaries = [&["canary-1", "canary-2"][..], &["'=canary", "=canary"], &["{canary,canary-3}", "5"]];
    let mut failures = 0;
    for role in [Role::Sensitive, Role::Other, Role::Identifier] {
        for published in canaries {
            for values in [None, Some(Type::Number), Some(Type::Date)] {
                for tree in [None, Some(&tree)] {
                    let input = RecognitionInput { values, tree, ..with_role(role) };
                    let Err(error) = recognise(&input, &texts(published)) else { continue };
                    failures += 1;
                    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
                }
            }
        }
    }
    assert_eq!(failures, 3 * (5 + 6 + 5));
}

fn counts(names: &[&str], values: &[&[&str]], codes: &[&[u32]]) -> Counts {
    let contingency = ContingencyTable {
        codes: codes.iter().map(|codes| codes.to_vec()).collect(),
        weights: vec![2; codes[0].len()],
        owners: None,
    };
    Counts {
        names: texts(names),
        values: values.iter().map(|values| texts(values)).collect(),
        contingency,
        links: None,
    }
}

#[test]
fn a_whole_release() {
    let both = counts(&["age", "'=ill"], &[&["30+", "<30"], &["flu", "hiv"]], &[&[0, 1, 1], &[0, 0, 1]]);
    let ill = RecognitionInput { name: "=ill", ..with_role(Role::Sensitive) };
    let age = RecognitionInput { name: "age", ..with_role(QUASI) };
    let (release, kinds) = release(both.clone(), &[ill, age], 7).unwrap();
    assert_eq!((release.contingency, release.suppressed), (both.contingency.clone(), 7));
    let names: Vec<&str> = release.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "=ill"]);
    assert_eq!((release.columns[0].label(1), release.columns[1].label(1)), ("<30", "hiv"));
    assert_eq!((kinds[0].intervals, kinds[1].values), (2, 2));

    let wrong = |counts: &Counts, input: &[RecognitionInput<'_>]| {
        super::release(counts.clone(), input, 0).unwrap_err().to_string()
    };
    assert!(wrong(&both, &[age]).contains("has no description"));
    assert!(wrong(&both, &[age, ill, ill]).contains("is described twice"));
    assert!(wrong(&both, &[age, ill, with_role(QUASI)]).contains("column `city`: is not in the published table"));
    let twice = counts(&["age", "age"], &[&["1"], &["1"]], &[&[0], &[0]]);
    assert!(wrong(&twice, &[age]).contains("the same name"));
    let unknown_code = counts(&["age"], &[&["1"]], &[&[0, 1]]);
    assert!(wrong(&unknown_code, &[age]).contains("are inconsistent"));
    let too_short = counts(&["age", "=ill"], &[&["1"], &["a"]], &[&[0, 0], &[0]]);
    assert!(wrong(&too_short, &[age, ill]).contains("are inconsistent"));
    let no_texts = counts(&["age"], &[], &[&[0]]);
    assert!(wrong(&no_texts, &[age]).contains("are inconsistent"));
}
