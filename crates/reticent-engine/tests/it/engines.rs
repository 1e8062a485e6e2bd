//! The embedded engine and SQLite return equal results for random rows, recodings and seeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use reticent::taxonomy::Type;
use reticent::{Attribute, Counts, Missing, Recoding, RecodingRule, Role, Schema, Table, TreeSource};
use reticent_engine::{
    Compression, CountRequest, Embedded, Engine, Format, Generator, Options, Sink, published, read_back, write_rows,
};

use crate::sqlite::Sqlite;
use crate::support::{count_request, folder, rows};

const NAMES: [&str; 4] = ["person", "town", "age", "illness"];

#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Vec<String>>,
    missing: Missing,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let row = (
        "[pq][0-9]",
        prop::sample::select(vec!["Bern", "Basel", "a,b", "q\"t", "é", "line\nbreak", "=1+1", ""]),
        prop::sample::select(vec!["1", "1.0", "2", "30", "-4", "1e1", ""]),
        prop::sample::select(vec!["flu", "HIV", "none"]),
    );
    let row = row.prop_map(|(a, b, c, d)| vec![a, b.to_owned(), c.to_owned(), d.to_owned()]);
    let missing = prop::sample::select(vec![Missing::Value, Missing::Drop]);
    (prop::collection::vec(row, 1..40), missing, any::<u64>()).prop_map(|(rows, missing, seed)| Case {
        rows,
        missing,
        seed,
    })
}

fn names() -> Vec<String> {
    NAMES.iter().map(|name| (*name).to_owned()).collect()
}

fn embedded(case: &Case) -> Embedded {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(NAMES).unwrap();
    case.rows.iter().for_each(|row| writer.write_record(row).unwrap());
    let options = Options { block_bytes: 32, ..Options::default() };
    Embedded::from_csv(&writer.into_inner().unwrap(), options).unwrap()
}

fn schema(missing: Missing) -> Schema {
    let attribute = |name: &str, role, values, tree| Attribute { name: name.to_owned(), role, values, missing, tree };
    Schema {
        attributes: vec![
            attribute("town", Role::QuasiIdentifier, Type::Text, TreeSource::Flat),
            attribute("age", Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: None }),
            attribute("illness", Role::Sensitive, Type::Text, TreeSource::Flat),
        ],
        owner: None,
        missing_values: vec![String::new()],
    }
}

/// A random recoding: generalizes values, drops classes and suppresses cells at random.
fn random_recoding(table: &Table, seed: u64) -> Recoding {
    let mut generator = Generator::new(seed);
    let nodes = table.columns.iter().map(|column| {
        let tree = Arc::new(column.tree.halved(&vec![1; column.tree.len()]));
        let mut above = Vec::new();
        for code in 0..tree.len() as u32 {
            let mut node = tree.leaf_of(code);
            for _ in 0..generator.below(3) {
                node = tree.node(node).parent.unwrap_or(0);
            }
            above.push(node);
        }
        (tree, above)
    });
    let mut recoding = Recoding::by_node(table, nodes.collect());
    recoding.on = vec![0, 1];
    let mut row = Vec::new();
    let mut rules = Vec::new();
    for at in 0..table.contingency.len() {
        recoding.publish(&table.contingency, at, &mut row);
        let rule = match generator.below(4) {
            0 => RecodingRule::Drop,
            1 => RecodingRule::Hide(vec![generator.below(3) as usize]),
            _ => continue,
        };
        rules.push((row[..2].to_vec().into_boxed_slice(), rule));
    }
    recoding.rules.extend(rules);
    recoding
}

/// The rows of each owner, sorted. The arbitrary owner numbers are removed.
fn rows_by_owner(counts: &Counts) -> Option<Vec<BTreeMap<Vec<String>, u64>>> {
    let owners = counts.contingency.owners.as_ref()?;
    let mut people: BTreeMap<u32, BTreeMap<Vec<String>, u64>> = BTreeMap::new();
    for (at, owner) in owners.iter().enumerate() {
        let texts = counts
            .values
            .iter()
            .zip(&counts.contingency.codes)
            .map(|(values, codes)| values[codes[at] as usize].clone());
        *people.entry(*owner).or_default().entry(texts.collect()).or_insert(0) += counts.contingency.weights[at];
    }
    let mut people: Vec<_> = people.into_values().collect();
    people.sort();
    Some(people)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn both_engines_return_equal_profiles_and_counts(case in case()) {
        let (one, other) = (embedded(&case), Sqlite::new(&names(), &case.rows));
        prop_assert_eq!(one.values(None).unwrap(), other.values(None).unwrap());
        let request = count_request(&["illness", "town", "age"]);
        prop_assert_eq!(one.count(&request).unwrap(), other.count(&request).unwrap());
        let request = CountRequest { owner: Some("person".to_owned()), ..request };
        let (one, other) = (one.count(&request).unwrap(), other.count(&request).unwrap());
        prop_assert_eq!(rows(&one), rows(&other));
        prop_assert_eq!(rows_by_owner(&one), rows_by_owner(&other));
    }

    #[test]
    fn both_engines_write_equal_bytes(case in case()) {
        let (one, other) = (embedded(&case), Sqlite::new(&names(), &case.rows));
        let counts = one.count(&count_request(&["town", "age", "illness"])).unwrap();
        let Ok(table) = Table::build(&counts, &schema(case.missing)) else { return Ok(()) };
        let recoding = random_recoding(&table, case.seed);
        for format in [Format::Csv(Compression::None), Format::Parquet] {
            let folder = folder();
            let [first, second] = ["one", "other"].map(|name| Sink { path: folder.path().join(name), format, seed: case.seed });
            let written = write_rows(&published(&table, &recoding), &first, &Options::default()).unwrap();
            prop_assert_eq!(&written, &other.write(&table, &recoding, &second).unwrap());
            prop_assert_eq!(std::fs::read(&first.path).unwrap(), std::fs::read(&second.path).unwrap());
            prop_assert_eq!(written.rows, recoding.apply(&table).unwrap().contingency.rows());
            let back = read_back(&first.path, &Options::default()).unwrap();
            if format == Format::Parquet {
                prop_assert_eq!(back, published(&table, &recoding));
            }
        }
    }
}
