//! Every model against its definition: on every tiny table, and on thousands of random ones.

use std::collections::BTreeSet;

use reticent::taxonomy::Taxonomy;
use reticent::verify::Reading;
use reticent::{History, Schema, TreeSource};

use super::definitions::{Words, classes, violating};
use crate::support::{
    Col, Data, Random, class_violation_witnesses, model, quasi, random_data, sensitive, violation_witnesses, witnesses,
};

/// Every model, with parameters on both sides of what small tables do.
pub const EVERY: &[&str] = &[
    "k-anonymity k=1",
    "k-anonymity k=2",
    "k-anonymity k=3",
    "k-anonymity k=2 on=sex",
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

/// A table in the two forms the library judges.
struct Judged<'a> {
    data: &'a Data,
    history: History,
    reading: Reading,
    schema: Schema,
}

impl<'a> Judged<'a> {
    fn new(data: &'a Data) -> Judged<'a> {
        Judged { data, history: data.history(), reading: data.reading(), schema: data.schema() }
    }

    /// The library's two answers, from counts and from the rows read back, are those of the definition.
    fn check(&self, words: &str) -> Tally {
        let data = self.data;
        let (wanted, near) = violating(words, data);
        let model = model(words, &self.schema);
        let told = |found: BTreeSet<Vec<String>>| found.difference(&near).cloned().collect::<BTreeSet<_>>();
        let from_counts = told(violation_witnesses(model.violations(&self.history).unwrap()));
        assert_eq!(from_counts, wanted, "{words}: violations of {:?} by {:?}", data.rows, data.owners);
        let from_rows = told(class_violation_witnesses(model.naive(&self.reading).unwrap()));
        assert_eq!(from_rows, wanted, "{words}: naive on {:?} by {:?}", data.rows, data.owners);
        let classes = classes(data, &Words::new(words).by(data)).len();
        Tally { violated: wanted.len(), held: classes - wanted.len() - near.len() }
    }
}

/// Classes judged, so that no comparison is about one answer only.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    violated: usize,
    held: usize,
}

impl Tally {
    fn add(&mut self, more: Tally) {
        self.violated += more.violated;
        self.held += more.held;
    }
}

/// Every model was seen to hold and to be violated, unless its parameter leaves nothing to be violated.
fn both_ways(words: &[&str], tallies: &[Tally]) {
    const TRIVIAL: [&str; 5] = [
        "k-anonymity k=1",
        "confidence-bounding h=1",
        "confidence-bounding h=0",
        "distinct-l-diversity l=1",
        "entropy-l-diversity l=1",
    ];
    for (words, tally) in words.iter().zip(tallies) {
        let both = tally.violated > 0 && tally.held > 0;
        assert_eq!(both, !TRIVIAL.contains(words), "{words}: {tally:?}");
    }
}

/// Calls `each` with every multiset of 1 to `most` of the numbers below `cells`.
fn every_multiset(cells: usize, most: usize, each: &mut impl FnMut(&[usize])) {
    fn grow(cells: usize, most: usize, so_far: &mut Vec<usize>, each: &mut impl FnMut(&[usize])) {
        for cell in so_far.last().copied().unwrap_or(0)..cells {
            so_far.push(cell);
            each(so_far);
            if so_far.len() < most {
                grow(cells, most, so_far, each);
            }
            so_far.pop();
        }
    }
    grow(cells, most, &mut Vec::new(), each);
}

fn row(texts: [&str; 3]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

fn tiny() -> Vec<Col> {
    let ills = "ill\n  mild\n    flu\n    gout\n  hiv";
    let ill = Col { tree: TreeSource::Given(Taxonomy::parse_indented("ill", ills).unwrap()), ..sensitive("ill") };
    vec![quasi("place"), quasi("sex"), ill]
}

fn every_tiny_table(words: &[&str]) {
    let mut tallies = vec![Tally::default(); words.len()];
    let mut tables = 0;
    every_multiset(12, 4, &mut |cells| {
        let texts =
            |cell: &usize| row([["p", "q"][cell % 2], ["f", "m"][cell / 2 % 2], ["flu", "gout", "hiv"][cell / 4]]);
        let data = Data { cols: tiny(), rows: cells.iter().map(texts).collect(), owners: None };
        tables += 1;
        let judged = Judged::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    // One column less leaves room for more rows in a class.
    every_multiset(6, 5, &mut |cells| {
        let texts = |cell: &usize| row([["p", "q"][cell % 2], "f", ["flu", "gout", "hiv"][cell / 2]]);
        let data = Data { cols: tiny(), rows: cells.iter().map(texts).collect(), owners: None };
        tables += 1;
        let judged = Judged::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    assert_eq!(tables, 1819 + 461);
    both_ways(words, &tallies);
}

#[test]
fn every_tiny_table_counts() {
    every_tiny_table(&[
        "k-anonymity k=2",
        "k-anonymity k=2 on=sex",
        "xy-anonymity k=2 y=ill",
        "xy-anonymity k=2 x=sex y=ill,place",
        "distinct-l-diversity l=2",
        "distinct-l-diversity l=3 on=place",
    ]);
}

#[test]
fn every_tiny_table_confidence() {
    every_tiny_table(&[
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
fn every_tiny_table_diversity() {
    every_tiny_table(&[
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
fn every_tiny_table_closeness() {
    every_tiny_table(&[
        "t-closeness t=0 on=sex",
        "t-closeness t=0.5",
        "t-closeness t=0.25 on=place",
        "t-closeness t=0.25 distance=ordered on=sex",
        "t-closeness t=0.5 distance=ordered",
        "t-closeness t=0.25 distance=hierarchical on=sex",
    ]);
}

/// Every way in which up to three people can have up to four records in two classes.
#[test]
fn every_tiny_table_of_people_with_several_records() {
    let words = [
        "k-anonymity k=2",
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
        let data = Data { cols: tiny(), rows: cells.iter().map(texts).collect(), owners: Some(owners) };
        tables += 1;
        let judged = Judged::new(&data);
        for (words, tally) in words.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    });
    both_ways(&words, &tallies);
}

/// Random tables, `people` as in `random_data`; each model must be seen to hold and to be violated.
fn random_tables(seed: u64, tables: usize, most: usize, people: usize) {
    let mut random = Random(seed);
    let mut tallies = vec![Tally::default(); EVERY.len()];
    for _ in 0..tables {
        let data = random_data(&mut random, most, people);
        let judged = Judged::new(&data);
        for (words, tally) in EVERY.iter().zip(&mut tallies) {
            tally.add(judged.check(words));
        }
    }
    both_ways(EVERY, &tallies);
}

#[test]
fn random_tables_of_single_records() {
    random_tables(1, 150, 24, 0);
}

#[test]
fn larger_random_tables() {
    random_tables(2, 30, 160, 0);
}

#[test]
fn random_tables_of_people_with_several_records() {
    random_tables(3, 150, 24, 12);
}

#[test]
fn larger_random_tables_of_people_with_several_records() {
    random_tables(4, 25, 120, 40);
}

/// Equal records counted together weigh as much as one by one.
#[test]
fn weights_stand_for_rows() {
    let mut random = Random(5);
    for people in [0, 6] {
        for _ in 0..40 {
            let data = random_data(&mut random, 30, people);
            let mut counts = data.counts();
            counts.contingency = counts.contingency.combined();
            let table = reticent::Table::build(&counts, &data.schema()).unwrap();
            for words in EVERY {
                let (wanted, near) = violating(words, &data);
                let model = model(words, &data.schema());
                let found = witnesses(model.as_ref(), reticent::Release::raw(&table).unwrap());
                assert_eq!(found.difference(&near).cloned().collect::<BTreeSet<_>>(), wanted, "{words}");
            }
        }
    }
}

/// Whether a class of equally likely values is judged by counting them, not by rounded logarithms.
#[test]
fn equal_frequencies_meet_the_entropy_bound_exactly() {
    for values in 1..=12u32 {
        for copies in 1..=3 {
            let rows: Vec<Vec<String>> =
                (0..values * copies).map(|at| row(["p", "f", &format!("v{}", at % values)])).collect();
            let data = Data { cols: vec![quasi("place"), quasi("sex"), sensitive("ill")], rows, owners: None };
            let judged = Judged::new(&data);
            for l in 1..=13 {
                let words = format!("entropy-l-diversity l={l}");
                let found = judged.check(&words).violated;
                assert_eq!(found, usize::from(values < l), "{values} equally likely values, {words}");
            }
        }
    }
}

/// What cannot be judged is an error, never a pass: an order that texts do not have, and values that nobody has (a
/// misspelt one would bound nothing).
#[test]
fn what_cannot_be_judged_is_an_error() {
    let cols = vec![quasi("place"), sensitive("ill")];
    let data = Data::new(cols, &["p flu", "p hiv", "q flu", "q hiv"]);
    let judged = |words: &str| {
        let wording = crate::support::spec(words);
        let models = reticent::models::build(&wording.model, wording.arguments, &data.schema())?;
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
        assert!(judged(words).is_err(), "{words} was judged: {:?}", judged(words));
    }
    assert_eq!(judged("confidence-bounding values=hiv:0.1"), Ok(2));
    assert_eq!(judged("t-closeness t=0.9"), Ok(0));
    let model = model("k-anonymity k=1", &data.schema());
    assert!(model.violations(&reticent::History::default()).is_err(), "nothing was published");
}
