//! Tests that every draft is a valid policy, for any column names and values.

use proptest::prelude::*;

use super::*;

fn text(name: &str, values: &[&str]) -> ColumnSketch {
    let values: Vec<(String, u64)> = values.iter().map(|value| ((*value).to_owned(), 10)).collect();
    let empty = values.iter().filter(|(value, _)| value.is_empty()).map(|(_, rows)| rows).sum();
    let (rows, distinct) = (10 * values.len() as u64, values.len() as u64);
    let (name, looks_like) = (name.to_owned(), Type::Text);
    ColumnSketch { name, rows, empty, values: Some(values), distinct, looks_like, format: None, quantiles: Vec::new() }
}

fn number(name: &str, quantiles: &[f64], distinct: u64) -> ColumnSketch {
    let (name, quantiles) = (name.to_owned(), quantiles.to_vec());
    ColumnSketch {
        name,
        rows: 10_000,
        empty: 0,
        values: None,
        distinct,
        looks_like: Type::Number,
        format: None,
        quantiles,
    }
}

fn draft(dataset: &str, columns: &[ColumnSketch]) -> PolicyDraft {
    let source = DraftOptions { missing_values: missing_values(columns), ..DraftOptions::default() };
    super::draft(dataset, columns, &source)
}

/// Drafts a policy and parses it again, with all its taxonomies.
#[track_caller]
fn draft_and_parse(dataset: &str, columns: &[ColumnSketch]) -> (PolicyDraft, Schema) {
    let draft = draft(dataset, columns);
    let policy = Policy::parse(&draft.toml).unwrap_or_else(|error| panic!("{error}\n{}", draft.toml));
    let mut read = |path: &str| {
        let taxonomy = draft.taxonomies.iter().find(|(known, _)| known == path);
        taxonomy.map(|(_, text)| text.clone()).ok_or_else(|| "not drafted".to_owned())
    };
    let schema = policy.schema(&mut read).unwrap();
    assert_eq!(policy.dataset, dataset);
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    policy.check_columns(&names).unwrap();
    let is_cautious = |role| matches!(role, Role::QuasiIdentifier | Role::Identifier | Role::Drop);
    assert!(policy.columns.iter().all(|column| is_cautious(column.role)));
    (draft, schema)
}

#[test]
fn a_draft_reads_like_this() {
    let mut id = number("patient_id", &[1.0, 9999.0], 9_981);
    id.looks_like = Type::Text;
    let mut born = number("born", &[0.0, 365.0], 300);
    born.looks_like = Type::Date;
    let ages: Vec<f64> = (17..=90).map(f64::from).collect();
    let columns = [
        id,
        number("age", &ages, 74),
        number("children", &[0.0, 1.0, 2.0, 3.0, 8.0], 9),
        born,
        text("city", &["", "Paris", "Rome", "St. Louis; MO"]),
        text("diagnosis", &["flu", "NA"]),
        text("country", &["FR"]),
    ];
    let (draft, _) = draft_and_parse("hospital", &columns);
    insta::assert_snapshot!(draft.toml);
    assert_eq!(draft.taxonomies[0].1, "Paris;*\nRome;*\n\"St. Louis; MO\";*\n");
}

/// Values that may identify people appear in no drafted file.
#[test]
fn no_taxonomy_lists_people() {
    let people: Vec<String> = (0..30).map(|person| format!("Person-{person}")).collect();
    let people: Vec<&str> = people.iter().map(String::as_str).collect();
    for name in ["patient", "surname", "Customer ID"] {
        let (draft, _) = draft_and_parse("d", &[text(name, &people), text("city", &["Oslo", "Rome"])]);
        assert_eq!(draft.taxonomies.len(), 1, "{name}");
        assert!(!draft.toml.contains("Person-") && !draft.taxonomies[0].1.contains("Person-"), "{name}");
    }
}

#[test]
fn unusual_names_and_values_round_trip() {
    let names = [
        "",
        "a.b",
        "a b",
        "\"q\"",
        "new\nline",
        "tab\t",
        "é漢",
        "\u{7f}\u{0}\u{1b}",
        "\\",
        "[x]",
        "# no",
        "a/b",
        "A/B",
        "../x",
    ];
    let values =
        ["*", "any", "a;b", "say \"hi\"", "two\nlines", "cr\rhere", "\u{feff}mark", " blank ", "# x", "plain", "  "];
    let columns: Vec<ColumnSketch> = names.iter().map(|name| text(name, &values)).collect();
    let (draft, schema) = draft_and_parse("\"\n\\", &columns);
    let mut paths: Vec<String> = draft.taxonomies.iter().map(|(path, _)| path.to_lowercase()).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), names.len());
    assert!(paths.iter().all(|path| path.matches('/').count() == 1 && !path.contains("..")), "{paths:?}");
    assert_eq!(schema.missing_values, ["", "  ", "*"]);
    for attribute in &schema.attributes {
        let TreeSource::Given(tree) = &attribute.tree else { panic!("a taxonomy") };
        let read: std::collections::BTreeSet<&str> = tree.values().iter().map(String::as_str).collect();
        // A star marks a suppressed cell, so it is a missing value.
        let expect =
            values.iter().map(|value| value.trim()).filter(|value| !value.is_empty() && *value != "*").collect();
        assert_eq!(read, expect);
        assert_eq!(tree.node(0).label, "*");
    }
}

#[test]
fn round_widths_nest() {
    let spreads =
        [(17.0, 90.0, "5, 10, 20"), (0.0, 99_999.0, "5000, 10000, 20000"), (0.0, 20_000.0, "1000, 5000, 10000")];
    for (low, high, expect) in spreads {
        let line = draft("d", &[number("x", &[low, low, high, high], 5000)]).toml;
        assert!(line.contains(&format!("\nintervals = [{expect}]\n")), "{line}");
    }
    let fractions = draft("d", &[number("x", &[0.05, 0.95], 5000)]).toml;
    assert!(fractions.contains("\nintervals = [0.05, 0.1, 0.2]\n"), "{fractions}");
    for constant in [&[][..], &[3.0, 3.0], &[f64::NAN], &[f64::NEG_INFINITY, f64::INFINITY]] {
        let none = draft("d", &[number("x", constant, 5000)]).toml;
        assert!(!none.contains("intervals"), "{none}");
    }
}

#[test]
fn a_code_with_leading_zeros_is_no_number() {
    let mut zip = text("zip", &["02139", "10115"]);
    zip.looks_like = Type::Number;
    let (draft, _) = draft_and_parse("d", &[zip]);
    assert!(
        draft.toml.contains("a code, not a number (column name)\nrole = \"quasi-identifier\"\nmask = \"prefix\""),
        "{}",
        draft.toml
    );
}

#[test]
fn two_numbers_are_codes() {
    let mut observed = text("observed", &["0", "1"]);
    observed.looks_like = Type::Number;
    let (draft, _) = draft_and_parse("d", &[observed.clone()]);
    assert!(draft.toml.contains("taxonomy = \"taxonomies/observed.csv\""), "{}", draft.toml);
    observed.values = Some(["0", "1", "2"].map(|value| (value.to_owned(), 10)).to_vec());
    assert!(draft_and_parse("d", &[observed]).0.toml.contains("type = \"number\""));
}

#[test]
fn column_names_suggest_roles() {
    let names = [
        ("patientID", Some("identifier")),
        ("E-Mail", Some("identifier")),
        ("last_name", Some("identifier")),
        ("Diagnosis code", Some("sensitive")),
        ("monthlyIncome", Some("sensitive")),
        ("width", None),
        ("idea", None),
    ];
    for (name, role) in names {
        let toml = draft("d", &[text(name, &["a", "b"])]).toml;
        let expect =
            role.map_or_else(|| "# Suggested".to_owned(), |role| format!("# Suggested role: {role} - the column name"));
        assert_eq!(toml.contains(&expect), role.is_some(), "{name}: {toml}");
    }
}

fn any_sketch() -> impl Strategy<Value = ColumnSketch> {
    let values = proptest::collection::btree_map(any::<String>(), 1u64..1000, 0..12);
    let looks = prop_oneof![Just(Type::Text), Just(Type::Number), Just(Type::Date)];
    let quantiles = proptest::collection::vec(prop_oneof![any::<f64>(), -9e15..9e15, -10.0..10.0], 0..20);
    (any::<String>(), values, any::<bool>(), looks, quantiles).prop_map(
        |(name, values, listed, looks_like, mut quantiles)| {
            quantiles.sort_by(f64::total_cmp);
            let (rows, distinct) = (values.values().sum(), values.len() as u64);
            let empty = values.get("").copied().unwrap_or(0);
            let values = listed.then(|| values.into_iter().collect());
            ColumnSketch { name, rows, empty, values, distinct, looks_like, format: None, quantiles }
        },
    )
}

proptest! {
    #[test]
    fn every_draft_is_a_valid_policy(dataset in any::<String>(), columns in proptest::collection::vec(any_sketch(), 0..6)) {
        let mut columns = columns;
        let mut seen = std::collections::HashSet::new();
        columns.retain(|column| seen.insert(column.name.clone()));
        draft_and_parse(&dataset, &columns);
    }
}
