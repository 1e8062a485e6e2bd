//! Every model, compared with its naive definition on all tiny tables and on random tables.

use std::collections::BTreeSet;

use reticent::taxonomy::Taxonomy;
use reticent::verify::Reading;
use reticent::{History, Schema, TreeSource};

use super::definitions::{ParsedSpec, classes, violating};
use crate::support::{
    Col, Data, Random, class_violation_witnesses, model, quasi, random_data, sensitive, violation_witnesses, witnesses,
};

/// Every model, with parameters that some small tables satisfy and others violate.
pub const MODELS: &[&str] = &[
    "k-anonymity k=1",
    "k-anonymity k=2",
    "k-anonymity k=3",
    "k-anonymity k=2 on=sex",
    "multir-k-anonymity k=2 records=1",
    "multir-k-anonymity k=2 records=2 on=sex",
    "multir-k-anonymity k=3 records=3 on=sex",
    "multir-k-anonymity k=2 on=sex",
    "multir-k-anonymity k=2",
    "xy-anonymity k=2 y=ill",
    "xy-anonymity k=3 x=sex y=place,ill",
    "xy-linkability h=0.5 y=ill",
    "xy-linkability h=0.34 x=sex y=ill,place",
    "xy-linkability y=ill values=flu:0.25,hiv:0.5",
    "xy-linkability h=0.75 y=ill values=hiv:0.2",
    "confidence-bounding h=0.5",
    "confidence-bounding h=0",
    "confidence-bounding h=1",
    "confidence-bounding h=0.333",
    "confidence-bounding values=hiv:0.3",
    "confidence-bounding h=0.6 values=flu:1 on=place",
    "distinct-l-diversity l=1",
    "distinct-l-diversity l=2",
    "distinct-l-diversity l=3",
    "entropy-l-diversity l=1",
    "entropy-l-diversity l=1.8",
    "entropy-l-diversity l=2",
    "entropy-l-diversity l=2.5",
    "entropy-l-diversity l=3 on=sex",
    "recursive-cl-diversity c=1 l=1",
    "recursive-cl-diversity c=0.5 l=1",
    "recursive-cl-diversity c=1 l=2",
    "recursive-cl-diversity c=2 l=2",
    "recursive-cl-diversity c=1.5 l=3",
    "alpha-k-anonymity alpha=0.5 k=2",
    "alpha-k-anonymity alpha=0.75 k=3",
    "alpha-k-anonymity k=2 values=hiv:0.4",
    "t-closeness t=0",
    "t-closeness t=0.2",
    "t-closeness t=0.5",
    "t-closeness t=0.25 on=sex",
    "t-closeness t=0.25 distance=ordered",
    "t-closeness t=0.125 distance=ordered on=sex",
    "t-closeness t=0.3 distance=hierarchical",
    "t-closeness t=0.125 distance=hierarchical on=sex",
];

/// A table in the two forms that the library checks.
struct Comparison<'a> {
    data: &'a Data,
    history: History,
    reading: Reading,
    schema: Schema,
}

impl<'a> Comparison<'a> {
    fn new(data: &'a Data) -> Comparison<'a> {
        Comparison { data, history: data.history(), reading: data.reading(), schema: data.schema() }
    }

    /// Asserts that both results of the library, from counts and from records read back, match the definition.
    fn check(&self, words: &str) -> Tally {
        let data = self.data;
        let (expected, undecided) = violating(words, data);
        let model = model(words, &self.schema);
        let decided = |found: BTreeSet<Vec<String>>| found.difference(&undecided).cloned().collect::<BTreeSet<_>>();
        let from_counts = decided(violation_witnesses(model.violations(&self.history).unwrap()));
        assert_eq!(from_counts, expected, "{words}: violations of {:?} by {:?}", data.rows, data.owners);
        let from_rows = decided(class_violation_witnesses(model.naive(&self.reading).unwrap()));
        assert_eq!(from_rows, expected, "{words}: naive on {:?} by {:?}", data.rows, data.owners);
        let classes = classes(data, &ParsedSpec::new(words).class_columns(data)).len();
        Tally { violated: expected.len(), satisfied: classes - expected.len() - undecided.len() }
    }
}

/// Numbers of violating and satisfying classes, to ensure that both occur.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    violated: usize,
    satisfied: usize,
}

impl Tally {
    fn add(&mut self, more: Tally) {
        self.violated += more.violated;
        self.satisfied += more.satisfied;
    }
}

/// Asserts that every model was both satisfied and violated, unless its parameter makes it trivial.
fn assert_both_outcomes(words: &[&str], tallies: &[Tally]) {
    const TRIVIAL: [&str; 5] = [
        "k-anonymity k=1",
        "confidence-bounding h=1",
        "confidence-bounding h=0",
        "distinct-l-diversity l=1",
        "entropy-l-diversity l=1",
    ];
    for (words, tally) in words.iter().zip(tallies) {
        let both = tally.violated > 0 && tally.satisfied > 0;
        assert_eq!(both, !TRIVIAL.contains(words), "{words}: {tally:?}");
    }
}

/// Calls `each` with every multiset of 1 to `max` of the numbers below `cells`.
fn every_multiset(cells: usize, max: usize, each: &mut impl FnMut(&[usize])) {
    fn grow(cells: usize, max: usize, so_far: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
        for cell in so_far.last().copied().unwrap_or(0)..cells {
            so_far.push(cell);
            each(so_far);
            if so_far.len() < max {
                grow(cells, max, so_far, each);
            }
            so_far.pop();
        }
    }
    grow(cells, max, &mut Vec::new(), each);
}

fn row(texts: [&str; 3]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

fn tiny_columns() -> Vec<Col> {
    let ills = "ill\n  mild\n    flu\n    gout\n  hiv";
    let ill = Col { tree: TreeSource::Given(Taxonomy::parse_indented("ill", ills).unwrap()), ..sensitive("ill") };
    vec![quasi("place"), quasi("sex"), ill]
}

fn compare_on_every_tiny_table(words: &[&str]) {
    let mut tallies = vec![Tally::default(); words.len()];
    let mut tables = 0;
    every_multiset(12, 4, &mut |cells| {
        let texts =
            |cell: &usize| row([["p", "q"][cell % 2], ["f", "m"][cell / 2 % 2], ["flu", "gout", "hiv"][cell / 4]]);
        let data = Data { cols: tiny_columns(), rows: cells.iter().map(texts).collect(), owners: None };
        tables += 1;
        let judged = Comparison::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    // With one column less, a class can have more rows.
    every_multiset(6, 5, &mut |cells| {
        let texts = |cell: &usize| row([["p", "q"][cell % 2], "f", ["flu", "gout", "hiv"][cell / 2]]);
        let data = Data { cols: tiny_columns(), rows: cells.iter().map(texts).collect(), owners: None };
        tables += 1;
        let judged = Comparison::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    assert_eq!(tables, 1819 + 461);
    assert_both_outcomes(words, &tallies);
}

#[test]
fn counting_models_match_their_definition_on_every_tiny_table() {
    compare_on_every_tiny_table(&[
        "k-anonymity k=2",
        "k-anonymity k=2 on=sex",
        "xy-anonymity k=2 y=ill",
        "xy-anonymity k=2 x=sex y=ill,place",
        "distinct-l-diversity l=2",
        "distinct-l-diversity l=3 on=place",
    ]);
}

#[test]
fn confidence_models_match_their_definition_on_every_tiny_table() {
    compare_on_every_tiny_table(&[
        "xy-linkability h=0.5 x=place y=ill",
        "xy-linkability x=place y=ill values=flu:0.25,hiv:0.5",
        "xy-linkability h=0.5 x=sex y=ill,place",
        "confidence-bounding h=0.5",
        "confidence-bounding h=0.7 values=hiv:0.3 on=sex",
        "alpha-k-anonymity alpha=0.5 k=2",
        "alpha-k-anonymity k=2 values=hiv:0.3 on=sex",
    ]);
}

#[test]
fn diversity_models_match_their_definition_on_every_tiny_table() {
    compare_on_every_tiny_table(&[
        "entropy-l-diversity l=1.8 on=sex",
        "entropy-l-diversity l=2",
        "entropy-l-diversity l=3 on=place",
        "recursive-cl-diversity c=1 l=1 on=sex",
        "recursive-cl-diversity c=2 l=2",
        "recursive-cl-diversity c=1.5 l=2 on=sex",
        "recursive-cl-diversity c=3 l=3 on=place",
    ]);
}

#[test]
fn t_closeness_matches_its_definition_on_every_tiny_table() {
    compare_on_every_tiny_table(&[
        "t-closeness t=0 on=sex",
        "t-closeness t=0.5",
        "t-closeness t=0.25 on=place",
        "t-closeness t=0.25 distance=ordered on=sex",
        "t-closeness t=0.5 distance=ordered",
        "t-closeness t=0.25 distance=hierarchical on=sex",
    ]);
}

/// All tables with up to three people, up to four records and two classes.
#[test]
fn models_match_their_definition_on_every_tiny_table_with_several_records_per_person() {
    let words = [
        "k-anonymity k=2",
        "multir-k-anonymity k=2 records=1",
        "multir-k-anonymity k=2 records=2",
        "multir-k-anonymity k=2",
        "xy-anonymity k=2 y=ill",
        "xy-linkability h=0.5 y=ill",
        "confidence-bounding h=0.5",
        "confidence-bounding values=hiv:0.4",
        "distinct-l-diversity l=2",
        "entropy-l-diversity l=1.8",
        "entropy-l-diversity l=2",
        "recursive-cl-diversity c=1.5 l=2",
        "alpha-k-anonymity alpha=0.5 k=2",
        "t-closeness t=0.2",
        "t-closeness t=0.25 distance=ordered",
    ];
    let mut tallies = vec![Tally::default(); words.len()];
    let mut tables = 0;
    every_multiset(12, 4, &mut |cells| {
        let texts = |cell: &usize| row([["p", "q"][cell % 2], "f", ["flu", "hiv"][cell / 2 % 2]]);
        let owners = cells.iter().map(|cell| (cell / 4) as u32).collect();
        let data = Data { cols: tiny_columns(), rows: cells.iter().map(texts).collect(), owners: Some(owners) };
        tables += 1;
        let judged = Comparison::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    assert_both_outcomes(&words, &tallies);
}

/// Compares all models on random tables, with `people` as in `random_data`.
fn compare_on_random_tables(seed: u64, tables: usize, max_rows: usize, people: usize) {
    let mut random = Random(seed);
    let mut tallies = vec![Tally::default(); MODELS.len()];
    for _ in 0..tables {
        let data = random_data(&mut random, max_rows, people);
        let judged = Comparison::new(&data);
        for (words, tally) in MODELS.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    }
    assert_both_outcomes(MODELS, &tallies);
}

#[test]
fn models_match_their_definition_on_random_tables() {
    compare_on_random_tables(1, 150, 24, 0);
}

#[test]
fn models_match_their_definition_on_larger_random_tables() {
    compare_on_random_tables(2, 30, 160, 0);
}

#[test]
fn models_match_their_definition_for_people_with_several_records() {
    compare_on_random_tables(3, 150, 24, 12);
}

#[test]
fn models_match_their_definition_on_larger_tables_for_people_with_several_records() {
    compare_on_random_tables(4, 25, 120, 40);
}

#[test]
fn a_combination_with_a_weight_equals_single_records() {
    let mut random = Random(5);
    for people in [0, 6] {
        for _ in 0..40 {
            let data = random_data(&mut random, 30, people);
            let mut counts = data.counts();
            counts.contingency = counts.contingency.combined();
            let table = reticent::Table::build(&counts, &data.schema()).unwrap();
            for words in MODELS {
                let (expected, undecided) = violating(words, &data);
                let model = model(words, &data.schema());
                let found = witnesses(model.as_ref(), reticent::Release::raw(&table).unwrap());
                assert_eq!(found.difference(&undecided).cloned().collect::<BTreeSet<_>>(), expected, "{words}");
            }
        }
    }
}

/// The entropy of equal frequencies is compared by the number of values, not by rounded logarithms.
#[test]
fn equal_frequencies_meet_the_entropy_bound_exactly() {
    for values in 1..=12u32 {
        for copies in 1..=3 {
            let rows: Vec<Vec<String>> =
                (0..values * copies).map(|at| row(["p", "f", &format!("v{}", at % values)])).collect();
            let data = Data { cols: vec![quasi("place"), quasi("sex"), sensitive("ill")], rows, owners: None };
            let judged = Comparison::new(&data);
            for l in 1..=13 {
                let words = format!("entropy-l-diversity l={l}");
                let found = judged.check(&words).violated;
                assert_eq!(found, usize::from(values < l), "{values} equally likely values, {words}");
            }
        }
    }
}

/// For example an ordered distance for texts, or a misspelt value, which would have no bound.
#[test]
fn a_model_that_cannot_be_checked_is_an_error() {
    let cols = vec![quasi("place"), sensitive("ill")];
    let data = Data::new(cols, &["p flu", "p hiv", "q flu", "q hiv"]);
    let judged = |words: &str| {
        let spec = crate::support::spec(words);
        let models = reticent::models::build(&spec.model, spec.arguments, &data.schema())?;
        let violations = models[0].violations(&data.history())?;
        Ok::<usize, reticent::Error>(violations.len())
    };
    for words in [
        "t-closeness t=0.9 distance=ordered",
        "confidence-bounding values=hvi:0.1",
        "confidence-bounding h=0.5 sensitive=il",
        "confidence-bounding",
        "xy-linkability y=ill",
        "alpha-k-anonymity k=2",
        "k-anonymity k=0",
        "k-anonymity k=2.5",
        "k-anonymity k=2 on=plac",
        "k-anonymity",
        "k-anonymity k=2 l=3",
        "t-closeness t=1.5",
        "entropy-l-diversity l=0.5",
        "l-diversity l=2",
    ] {
        assert!(judged(words).is_err(), "{words} was checked: {:?}", judged(words));
    }
    assert_eq!(judged("confidence-bounding values=hiv:0.1"), Ok(2));
    assert_eq!(judged("t-closeness t=0.9"), Ok(0));
    let model = model("k-anonymity k=1", &data.schema());
    assert!(model.violations(&reticent::History::default()).is_err(), "an empty history");
}
