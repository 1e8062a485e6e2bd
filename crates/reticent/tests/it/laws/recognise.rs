//! Law of recognition: a release of our algorithms can be reconstructed from its published texts.

use std::sync::Arc;

use proptest::prelude::*;
use reticent::algorithms::{Control, LIST, Purpose, RecodingTask, Suppression};
use reticent::contingency::ContingencyTable;
use reticent::operations::generalize::generalize;
use reticent::operations::suppress_cells::suppress_cells;
use reticent::recognise::{RecognitionInput, TextKinds, release};
use reticent::registry::Arguments;
use reticent::taxonomy::{Cut, IntervalLevel, NodeId, Taxonomy, Type};
use reticent::{Attribute, Counts, History, PublishedColumn, Ratio, Release, Role, Schema, Table, TreeSource};

use crate::support::{
    Col, Data, PLACES, Random, other, quasi, quasi_tree, random_cut, read_back, requirement, sensitive,
};

/// Taxonomies for the column of ages.
fn ages() -> [TreeSource; 5] {
    [
        TreeSource::Grown { range: None },
        TreeSource::Grown { range: Some((-20.0, 120.0)) },
        TreeSource::Binned { range: None },
        TreeSource::Intervals { levels: vec![IntervalLevel::Width(2.5), IntervalLevel::Width(20.0)], exact: true },
        TreeSource::Intervals {
            levels: vec![IntervalLevel::Width(5.0), IntervalLevel::Bounds(vec![30.0, 60.0])],
            exact: false,
        },
    ]
}

/// Taxonomies for the column of birthdays.
fn birthdays() -> [TreeSource; 3] {
    [
        TreeSource::Grown { range: None },
        TreeSource::Intervals {
            levels: vec![IntervalLevel::Month, IntervalLevel::Quarter, IntervalLevel::Year, IntervalLevel::Decade],
            exact: true,
        },
        TreeSource::Intervals { levels: vec![IntervalLevel::Month, IntervalLevel::Year], exact: false },
    ]
}

/// A random table with texts with and without a taxonomy, numbers, dates and missing values.
fn random_table(random: &mut Random) -> (Data, Schema, Table) {
    let pay = Col { values: Type::Number, ..sensitive("pay") };
    let age = Col { values: Type::Number, tree: random.pick(&ages()).clone(), ..quasi("age") };
    let born = Col { values: Type::Date, tree: random.pick(&birthdays()).clone(), ..quasi("born") };
    let cols = vec![quasi_tree("place", PLACES), quasi("sex"), age, born, pay, other("note")];
    let rows: Vec<Vec<String>> = (0..8 + random.below(30))
        .map(|_| {
            let place = *random.pick(&["n1", "n2", "s1", "s2", "s3", "sea", "none"]);
            let age = (random.below(180) as f64 - 20.0) / 2.0;
            let age = if random.below(9) == 0 { "none".to_owned() } else { age.to_string() };
            let born = format!("{}-0{}-1{}", 1995 + random.below(12), 1 + random.below(9), random.below(9));
            let born = if random.below(9) == 0 { "none".to_owned() } else { born };
            let note = *random.pick(&["u", "v"]);
            [place.to_owned(), random.pick(&["f", "m", "none"]).to_string(), age, born]
                .into_iter()
                .chain([random.below(4).to_string(), note.to_owned()])
                .collect()
        })
        .collect();
    let data = Data { cols, rows, owners: None };
    let mut schema = data.schema();
    schema.missing_values = vec!["none".to_owned(), "-5".to_owned()];
    let table = Table::build(&data.counts(), &schema).unwrap();
    (data, schema, table)
}

/// Releases of a table by all algorithms, and by random cuts with suppressed cells.
fn releases(schema: &Schema, table: &Table, random: &mut Random) -> Vec<Release> {
    let requirement = requirement(&["k-anonymity k=3"], schema);
    let history = History::default();
    let purpose = Purpose::Classification("note".to_owned());
    let suppression = Suppression { limit: Ratio { numerator: 1, denominator: 2 }, cells: true };
    let task = RecodingTask { purpose: &purpose, suppression, ..RecodingTask::new(table, &history, &requirement) };
    let mut recodings: Vec<_> = LIST
        .iter()
        .filter_map(|listed| {
            (listed.run)(&task, &Arguments::default().checked(&listed.entry).unwrap(), &Control::QUIET).ok()
        })
        .map(|outcome| outcome.recoding)
        .collect();
    let cuts = table.columns.iter().map(|column| {
        let tree = column.tree.with_leaves();
        let cut = if column.role == Role::QuasiIdentifier { random_cut(&tree, random) } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    let mut cut = generalize(table, cuts.collect());
    suppress_cells(table, &mut cut, &requirement, &[]).unwrap();
    recodings.push(cut);
    recodings.iter().map(|recoding| recoding.apply(table).unwrap()).collect()
}

fn trees(schema: &Schema) -> Vec<Option<Arc<Taxonomy>>> {
    let tree = |attribute: &Attribute| match &attribute.tree {
        TreeSource::Given(tree) => Some(Arc::new(tree.clone())),
        _ => None,
    };
    schema.attributes.iter().map(tree).collect()
}

fn recognition_inputs<'a>(schema: &'a Schema, trees: &'a [Option<Arc<Taxonomy>>]) -> Vec<RecognitionInput<'a>> {
    let input = |(attribute, tree): (&'a Attribute, &'a Option<Arc<Taxonomy>>)| RecognitionInput {
        name: &attribute.name,
        role: attribute.role,
        values: Some(attribute.values),
        tree: tree.as_ref(),
        missing: &schema.missing_values,
    };
    schema.attributes.iter().zip(trees).map(input).collect()
}

/// The counts with only the texts that occur, sorted as in a written file, and the old code of each new code.
fn written(release: &Release) -> (Counts, Vec<Vec<u32>>) {
    let mut counts = read_back(release);
    let mut before = Vec::new();
    for (texts, codes) in counts.values.iter_mut().zip(&mut counts.contingency.codes) {
        let mut occurring: Vec<u32> = codes.clone();
        occurring.sort_by(|a, b| texts[*a as usize].cmp(&texts[*b as usize]));
        occurring.dedup();
        *codes = codes.iter().map(|code| occurring.iter().position(|known| known == code).unwrap() as u32).collect();
        *texts = occurring.iter().map(|code| texts[*code as usize].clone()).collect();
        before.push(occurring);
    }
    (counts, before)
}

fn is_above(tree: &Taxonomy, above: NodeId, below: NodeId) -> bool {
    std::iter::successors(Some(below), |id| tree.node(*id).parent).skip(1).any(|id| id == above)
}

fn is_missing(column: &PublishedColumn, code: u32) -> bool {
    let node = column.nodes[code as usize];
    node != 0 && column.tree.missing() == Some(column.tree.node(node).span.start)
}

/// Asserts equal labels, hierarchy and intervals. `codes` are pairs of old and new codes.
fn assert_same_column(old: &PublishedColumn, new: &PublishedColumn, codes: &[(u32, u32)]) {
    assert_eq!((&old.name, old.role), (&new.name, new.role));
    for (code, again) in codes {
        let (node, found) = (old.nodes[*code as usize], new.nodes[*again as usize]);
        assert_eq!(old.label(*code), new.label(*again));
        assert_eq!(is_missing(old, *code), is_missing(new, *again), "{} of {}", old.label(*code), old.name);
        if old.role == Role::QuasiIdentifier {
            assert_eq!(old.tree.interval(node), new.tree.interval(found), "{} of {}", old.label(*code), old.name);
            assert_eq!(old.tree.value_type(), new.tree.value_type());
        }
        for (other, other_again) in codes {
            let before = is_above(&old.tree, old.nodes[*other as usize], node);
            let after = is_above(&new.tree, new.nodes[*other_again as usize], found);
            assert_eq!(before, after, "{} above {} in {}", old.label(*other), old.label(*code), old.name);
        }
    }
}

/// Asserts that the release is reconstructed from its texts. Returns the kinds of texts of each column.
fn assert_recognised(schema: &Schema, old: &Release) -> Vec<TextKinds> {
    let (new, _) = release(read_back(old), &recognition_inputs(schema, &trees(schema)), old.suppressed).unwrap();
    assert_eq!((&new.contingency, new.suppressed), (&old.contingency, old.suppressed));
    for (old, new) in old.columns.iter().zip(&new.columns) {
        assert_same_column(old, new, &(0..old.nodes.len() as u32).map(|code| (code, code)).collect::<Vec<_>>());
    }
    let (counts, before) = written(old);
    let contingency: ContingencyTable = counts.contingency.clone();
    let (new, kinds) = release(counts, &recognition_inputs(schema, &trees(schema)), old.suppressed).unwrap();
    assert_eq!(new.contingency, contingency);
    for ((old, new), before) in old.columns.iter().zip(&new.columns).zip(before) {
        assert_same_column(old, new, &before.into_iter().zip(0..).collect::<Vec<_>>());
    }
    kinds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn published_releases_are_recognised(seed in any::<u64>()) {
        let mut random = Random(seed);
        let (_, schema, table) = random_table(&mut random);
        for release in releases(&schema, &table, &mut random) {
            assert_recognised(&schema, &release);
        }
    }
}

/// The releases of the law above contain all kinds of texts, from algorithms and from cuts.
#[test]
fn all_kinds_of_texts_are_recognised() {
    let mut random = Random(5);
    let mut seen = TextKinds::default();
    let mut made = vec![0; LIST.len() + 1];
    for _ in 0..40 {
        let (_, schema, table) = random_table(&mut random);
        for (at, release) in releases(&schema, &table, &mut random).iter().enumerate() {
            made[at] += 1;
            for kinds in assert_recognised(&schema, release) {
                seen.values += kinds.values;
                seen.intervals += kinds.intervals;
                seen.taxonomy_nodes += kinds.taxonomy_nodes;
                seen.suppressed += kinds.suppressed;
                seen.missing += kinds.missing;
            }
        }
    }
    assert!(made[..4].iter().all(|made| *made == 40), "{made:?}");
    assert!(
        [seen.values, seen.intervals, seen.taxonomy_nodes, seen.suppressed, seen.missing].iter().all(|seen| *seen > 20),
        "{seen:?}"
    );
}

/// A table by hand, with all expected labels.
#[test]
fn a_small_release_is_recognised() {
    let age = Col { values: Type::Number, ..quasi("age") };
    let levels = vec![IntervalLevel::Month, IntervalLevel::Year];
    let born = Col { values: Type::Date, tree: TreeSource::Intervals { levels, exact: true }, ..quasi("born") };
    let rows = ["n1 20 2001-02-03 flu", "n2 25 2001-02-04 hiv", "s1 - 2002-07-01 flu", "sea 60 - flu"];
    let data = Data::new(vec![quasi_tree("place", PLACES), age, born, sensitive("ill")], &rows);
    let mut schema = data.schema();
    schema.missing_values = vec!["-".to_owned()];
    let mut table = Table::build(&data.counts(), &schema).unwrap();
    let mut ages = (*table.columns[1].tree).clone();
    let [_, old] = ages.split(1, 2);
    table.columns[1].tree = ages.into();
    let cuts = table.columns.iter().zip([&["north", "south"][..], &["<60", ">=60"], &["[2001-02-01,2001-03-01)"], &[]]);
    let cuts = cuts.map(|(column, labels)| (column.tree.clone(), crate::support::cut_of(&column.tree, labels)));
    let release = generalize(&table, cuts.collect()).apply(&table).unwrap();
    let kinds = assert_recognised(&schema, &release);
    let (new, _) =
        reticent::recognise::release(read_back(&release), &recognition_inputs(&schema, &trees(&schema)), 0).unwrap();
    let labels = |column: &PublishedColumn| {
        (0..column.nodes.len()).map(|code| column.label(code as u32).to_owned()).collect::<Vec<_>>().join(" ")
    };
    let all: Vec<String> = new.columns.iter().map(labels).collect();
    assert_eq!(all, ["north south sea any", "<60 >=60 - *", "[2001-02-01,2001-03-01) 2002-07-01 - *", "flu hiv *"]);
    assert_eq!(new.columns[1].tree.interval(2), table.columns[1].tree.interval(old));
    assert_eq!(kinds[0], TextKinds { values: 1, taxonomy_nodes: 2, ..TextKinds::default() });
    assert_eq!(kinds[1], TextKinds { intervals: 2, missing: 1, ..TextKinds::default() });
    assert_eq!(kinds[2], TextKinds { values: 1, intervals: 1, missing: 1, ..TextKinds::default() });
    assert_eq!(kinds[3], TextKinds { values: 2, ..TextKinds::default() });
}
