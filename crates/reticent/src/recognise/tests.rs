//! What published texts are taken for, and what is refused.

mod oracle;

use super::*;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A column that nothing but its role is told about.
fn told(role: Role) -> Told<'static> {
    Told { name: "city", role, values: None, tree: None, missing: &[] }
}

const QUASI: Role = Role::QuasiIdentifier;

/// The tree as indented labels, each with its range of codes.
fn drawn(tree: &Taxonomy) -> Vec<String> {
    fn below(tree: &Taxonomy, id: NodeId, lines: &mut Vec<String>) {
        let node = tree.node(id);
        lines.push(format!("{}{} {:?}", "  ".repeat(node.depth as usize), node.label, node.codes));
        for child in &node.children {
            below(tree, *child, lines);
        }
    }
    let mut lines = Vec::new();
    below(tree, 0, &mut lines);
    lines
}

#[track_caller]
fn recognised(told: &Told<'_>, published: &[&str]) -> Recognised {
    let recognised = recognise(told, &texts(published)).unwrap();
    let kinds = recognised.kinds;
    let all = kinds.values + kinds.intervals + kinds.inner + kinds.masked + kinds.suppressed + kinds.missing;
    assert_eq!(all, published.len() as u64, "{kinds:?}");
    assert_eq!(recognised.column.nodes[recognised.column.root() as usize], 0);
    recognised
}

#[track_caller]
fn check(told: &Told<'_>, published: &[&str], values: Type, expect: &[&str]) {
    let recognised = recognised(told, published);
    assert_eq!(recognised.values, values);
    assert_eq!(drawn(&recognised.column.tree), expect);
    let labels: Vec<&str> = (0..published.len()).map(|code| recognised.column.label(code as u32)).collect();
    assert_eq!(labels, published);
}

#[track_caller]
fn check_wrong(told: &Told<'_>, published: &[&str], expect: &str) {
    let error = recognise(told, &texts(published)).unwrap_err().to_string();
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
    check(&told(QUASI), &published, Type::Number, &expect);
    let column = recognised(&told(QUASI), &published).column;
    assert_eq!(column.tree.values(), ["[0,20)", "[20,25)", "25", "30"]);
    assert_eq!(column.tree.value_type(), Type::Number);
    let intervals: Vec<Option<Interval>> = column.nodes.iter().map(|node| column.tree.interval(*node)).collect();
    let read = |text: &str| Interval::parse(Type::Number, text);
    assert_eq!(intervals, published.map(read));
}

#[test]
fn intervals_that_overlap_are_siblings() {
    // 25 lies in both; it stands below the one that begins last, so that the leaves ascend.
    let expect = ["* 0..2", "  [0,30) 0..1", "  [20,90) 1..2", "    25 1..2"];
    check(&told(QUASI), &["[0,30)", "[20,90)", "25"], Type::Number, &expect);
}

#[test]
fn texts_that_say_the_same_share_a_node() {
    let recognised = recognised(&told(QUASI), &["[20,29]", "20-29", "20..29", "*", "20"]);
    assert_eq!(drawn(&recognised.column.tree), ["* 0..1", "  20-29 0..1", "    20 0..1"]);
    assert_eq!(recognised.column.nodes, [1, 1, 1, 0, 2]);
    assert_eq!(recognised.kinds, Kinds { values: 1, intervals: 3, suppressed: 1, ..Kinds::default() });
}

#[test]
fn types_are_found_out() {
    let find = |published: &[&str]| recognised(&told(QUASI), published).values;
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
    let with_missing = Told { missing: &missing, ..told(QUASI) };
    assert_eq!(recognised(&with_missing, &["?", "20-29", ""]).values, Type::Number);
    let number = Told { values: Some(Type::Number), ..told(QUASI) };
    assert_eq!(recognised(&number, &["0213*"]).column.tree.interval(1), Interval::parse(Type::Number, "[2130,2140)"));
    let text = Told { values: Some(Type::Text), ..told(QUASI) };
    assert_eq!(recognised(&text, &["20-29"]).column.tree.interval(1), None);
}

#[test]
fn masked_texts_nest_by_what_they_show() {
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
    check(&Told { values: Some(Type::Text), ..told(QUASI) }, &published, Type::Text, &expect);
    let kinds = recognised(&Told { values: Some(Type::Text), ..told(QUASI) }, &published).kinds;
    assert_eq!(kinds, Kinds { values: 3, masked: 4, suppressed: 1, ..Kinds::default() });
}

#[test]
fn one_star_is_one_character_or_any_end() {
    let any_end = ["* 0..2", "  SW* 0..2", "    SW1A 0..1", "    SW1A 1AA 1..2"];
    check(&told(QUASI), &["SW*", "SW1A", "SW1A 1AA"], Type::Text, &any_end);
    let one_character = ["* 0..2", "  AB* 0..2", "    ABC 0..1", "    ABD 1..2"];
    check(&told(QUASI), &["AB*", "ABC", "ABD"], Type::Text, &one_character);
    // The one with several stars is as long as it looks; the one with a single star has texts of two lengths.
    let both = ["* 0..2", "  SW* 0..2", "    SW** 0..1", "      SW12 0..1", "    SW123 1..2"];
    check(&told(QUASI), &["SW*", "SW**", "SW12", "SW123"], Type::Text, &both);
    // Characters, not bytes.
    check(&told(QUASI), &["Ö**", "Öde", "Öl"], Type::Text, &["* 0..2", "  Ö** 0..1", "    Öde 0..1", "  Öl 1..2"]);
    // Another length elsewhere does not keep it from nesting.
    let elsewhere = ["* 0..2", "  AB** 0..1", "    ABC* 0..1", "  unknown 1..2"];
    check(&told(QUASI), &["ABC*", "AB**", "unknown"], Type::Text, &elsewhere);
}

#[test]
fn only_quasi_identifiers_are_generalized() {
    for role in [Role::Sensitive, Role::Other, Role::Identifier] {
        check(&told(role), &["A*", "A", "{a,b}"], Type::Text, &["* 0..3", "  A 0..1", "  A* 1..2", "  {a,b} 2..3"]);
        check(
            &told(role),
            &["100", "20-29", "25", "*"],
            Type::Number,
            &["* 0..3", "  20-29 0..1", "  25 1..2", "  100 2..3"],
        );
        assert_eq!(recognised(&told(role), &["25"]).column.tree.interval(1), None);
        // 250.0 and 250.00 may be codes that differ.
        check(&told(role), &["250.00", "250.0"], Type::Number, &["* 0..2", "  250.0 0..1", "  250.00 1..2"]);
    }
}

#[test]
fn stars_alone_say_nothing() {
    let recognised = recognised(&told(QUASI), &["*****", "47677", "476**", "*"]);
    assert_eq!(recognised.column.nodes, [0, 2, 1, 0]);
    assert_eq!((recognised.values, recognised.kinds.suppressed), (Type::Number, 2));
}

const CITIES: &str = "Anywhere\n  Europe\n    Paris\n    Rome\n  Moon";

#[test]
fn a_taxonomy_says_what_texts_are() {
    let tree = Arc::new(Taxonomy::parse("city", CITIES).unwrap());
    let missing = texts(&["?", "n/a"]);
    let told = Told { tree: Some(&tree), missing: &missing, ..told(QUASI) };
    let recognised = recognised(&told, &["Europe", " Rome", "*", "Anywhere", "n/a", "Paris", "?", "Rome"]);
    let labels: Vec<&str> = (0..8).map(|code| recognised.column.label(code)).collect();
    assert_eq!(labels, ["Europe", "Rome", "Anywhere", "Anywhere", "?", "Paris", "?", "Rome"]);
    let expect = ["Anywhere 0..4", "  Europe 0..2", "    Paris 0..1", "    Rome 1..2", "  Moon 2..3", "  ? 3..4"];
    assert_eq!(drawn(&recognised.column.tree), expect);
    assert_eq!(recognised.column.tree.missing(), Some(3));
    assert_eq!(recognised.kinds, Kinds { values: 3, inner: 1, suppressed: 2, missing: 2, ..Kinds::default() });
    check_wrong(
        &told,
        &["Paris", "Oslo", "Bern", "Lima", "Kiew"],
        "not in its taxonomy: 4 values (`Oslo`, `Bern`, `Lima`, ...); add them to it, or describe this table in a policy of its own",
    );
    check_wrong(
        &Told { role: Role::Sensitive, ..told },
        &["Paris", "Oslo"],
        "not in its taxonomy: 1 value; add them to it, or describe this table in a policy of its own",
    );
}

#[test]
fn missing_values_are_a_leaf() {
    let missing = texts(&["-1", "n/a"]);
    let told = Told { values: Some(Type::Number), missing: &missing, ..told(QUASI) };
    let published = ["n/a", "0-9", "-1", "missing", "5"];
    let recognised = recognised(&told, &published);
    assert_eq!(drawn(&recognised.column.tree), ["* 0..2", "  0-9 0..1", "    5 0..1", "  -1 1..2"]);
    assert_eq!(recognised.column.nodes, [3, 1, 3, 3, 2, 0]);
    let intervals: Vec<bool> = (0..4).map(|id| recognised.column.tree.interval(id).is_some()).collect();
    assert_eq!(intervals, [true, true, true, false]);
    // What the policy does not list is missing only where it can be nothing else.
    check(
        &Told { missing: &missing, ..self::told(QUASI) },
        &["", "a", "missing"],
        Type::Text,
        &["* 0..3", "   0..1", "  a 1..2", "  missing 2..3"],
    );
    check_wrong(
        &Told { missing: &[], ..told },
        &["5", "n/a"],
        "neither numbers nor intervals of numbers: 1 value (`n/a`); rewrite them, add them to `missing-values`, or declare `type = \"text\"`",
    );
    check_wrong(
        &Told { values: Some(Type::Date), missing: &[], role: Role::Other, ..told },
        &["5", "2024"],
        "neither dates written YYYY-MM-DD nor intervals of dates: 1 value; rewrite them, add them to `missing-values`, or declare `type = \"text\"`",
    );
}

#[test]
fn nothing_published_is_a_root() {
    for values in [None, Some(Type::Number), Some(Type::Date), Some(Type::Text)] {
        let column = recognised(&Told { values, ..told(QUASI) }, &[]).column;
        assert_eq!((drawn(&column.tree), column.nodes), (vec!["* 0..0".to_owned()], vec![0]));
    }
}

#[test]
fn sets_ask_for_a_taxonomy() {
    for set in ["{a,b}", "[a,b]", "[a-b)", "(a;b]", "{a|b}", "[a..b]"] {
        let expect = "looks generalized: 1 value in brackets; give the column a taxonomy, or the type number or date";
        check_wrong(&told(QUASI), &["a", set], expect);
    }
    check(&told(QUASI), &["(a,b)", "[a]", "a|b"], Type::Text, &["* 0..3", "  (a,b) 0..1", "  [a] 1..2", "  a|b 2..3"]);
}

#[test]
fn apostrophes_before_formulas_are_left_out() {
    let recognised = recognised(&told(QUASI), &["'-5--1", "[0,5)"]);
    assert_eq!((recognised.column.label(0), recognised.values), ("-5--1", Type::Number));
    let tree = Arc::new(Taxonomy::parse("city", "*\n  =a\n  '=b").unwrap());
    let given = Told { tree: Some(&tree), ..told(QUASI) };
    assert_eq!(recognise(&given, &texts(&["'=a", "=b"])).unwrap().column.nodes, [1, 2, 0]);
    let once = "has a value with and without an apostrophe before it; write it one way";
    check_wrong(&told(QUASI), &["'-5--1", "-5--1"], once);
    check_wrong(&given, &["'=a", "=a"], once);
}

#[test]
fn deep_nesting_is_refused() {
    let below = |count: usize| (1..=count).map(|bound| format!("<{bound}")).collect::<Vec<String>>();
    assert_eq!(recognise(&told(QUASI), &below(255)).unwrap().column.tree.height(0), 255);
    let error = recognise(&told(QUASI), &below(100_000)).unwrap_err().to_string();
    assert_eq!(error, "column `city`: its published values nest more than 256 deep; leave some of them out");
}

/// A quadratic way through any of these takes minutes.
#[test]
fn many_texts_are_no_trouble() {
    let intervals: Vec<String> = (0..100_000).map(|low| format!("[{low},{})", low + 1)).collect();
    let singles: Vec<String> = (0..100_000).map(|number| format!("{number}")).collect();
    let masks: Vec<String> = (0..100_000).map(|number| format!("x{number:05}**")).collect();
    for published in [[intervals, singles.clone()].concat(), [masks, singles.clone()].concat()] {
        let recognised = recognise(&told(QUASI), &published).unwrap();
        assert_eq!(recognised.column.nodes.len(), 200_001);
    }
    let tree = Arc::new(Taxonomy::flat(singles.clone()));
    assert_eq!(recognise(&Told { tree: Some(&tree), ..told(QUASI) }, &singles).unwrap().kinds.values, 100_000);
}

/// Whatever goes wrong, the values of columns that are not known to an attacker stay unsaid.
#[test]
fn errors_keep_sensitive_values_to_themselves() {
    let tree = Arc::new(Taxonomy::parse("city", CITIES).unwrap());
    let canaries = [&["canary-1", "canary-2"][..], &["'=canary", "=canary"], &["{canary,canary-3}", "5"]];
    let mut failures = 0;
    for role in [Role::Sensitive, Role::Other, Role::Identifier] {
        for published in canaries {
            for values in [None, Some(Type::Number), Some(Type::Date)] {
                for tree in [None, Some(&tree)] {
                    let told = Told { values, tree, ..told(role) };
                    let Err(error) = recognise(&told, &texts(published)) else { continue };
                    failures += 1;
                    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
                }
            }
        }
    }
    assert_eq!(failures, 3 * (5 + 6 + 5));
}

fn counts(names: &[&str], values: &[&[&str]], codes: &[&[u32]]) -> Counts {
    let combos = Combos {
        codes: codes.iter().map(|codes| codes.to_vec()).collect(),
        weights: vec![2; codes[0].len()],
        owners: None,
    };
    Counts { names: texts(names), values: values.iter().map(|values| texts(values)).collect(), combos, links: None }
}

#[test]
fn a_whole_release() {
    let both = counts(&["age", "'=ill"], &[&["30+", "<30"], &["flu", "hiv"]], &[&[0, 1, 1], &[0, 0, 1]]);
    let ill = Told { name: "=ill", ..told(Role::Sensitive) };
    let age = Told { name: "age", ..told(QUASI) };
    let (release, kinds) = release(both.clone(), &[ill, age], 7).unwrap();
    assert_eq!((release.combos, release.suppressed), (both.combos.clone(), 7));
    let names: Vec<&str> = release.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "=ill"]);
    assert_eq!((release.columns[0].label(1), release.columns[1].label(1)), ("<30", "hiv"));
    assert_eq!((kinds[0].intervals, kinds[1].values), (2, 2));

    let wrong = |counts: &Counts, told: &[Told<'_>]| super::release(counts.clone(), told, 0).unwrap_err().to_string();
    assert!(wrong(&both, &[age]).contains("nothing is told about it"));
    assert!(wrong(&both, &[age, ill, ill]).contains("told about twice"));
    assert!(wrong(&both, &[age, ill, told(QUASI)]).contains("column `city`: is not in the published table"));
    let twice = counts(&["age", "age"], &[&["1"], &["1"]], &[&[0], &[0]]);
    assert!(wrong(&twice, &[age]).contains("the same name"));
    let unknown_code = counts(&["age"], &[&["1"]], &[&[0, 1]]);
    assert!(wrong(&unknown_code, &[age]).contains("do not fit together"));
    let too_short = counts(&["age", "=ill"], &[&["1"], &["a"]], &[&[0, 0], &[0]]);
    assert!(wrong(&too_short, &[age, ill]).contains("do not fit together"));
    let no_texts = counts(&["age"], &[], &[&[0]]);
    assert!(wrong(&no_texts, &[age]).contains("do not fit together"));
}
