//! Mondrian, compared with its definition on all small tables: the partition of strict Mondrian, and the published classes of all
//! algorithms that divide a table into regions.

use std::collections::BTreeMap;

use reticent::algorithms::{Control, Purpose, RecodingTask, SearchOutcome, Suppression, run};
use reticent::registry::Arguments;
use reticent::taxonomy::Type;
use reticent::{Error, History, Result, Role, Table, TreeSource};

use super::definitions::violating;
use crate::support::{Col, Data, Random, contents, other, quasi, requirement, sensitive};

const REGION_ALGORITHMS: &[&str] = &["mondrian", "mondrian-relaxed", "multidimensional-specialization"];

/// Models that judge a class by its own records.
const LOCAL: &[&[&str]] = &[
    &["k-anonymity k=2"],
    &["distinct-l-diversity l=2"],
    &["entropy-l-diversity l=1.5"],
    &["recursive-cl-diversity c=2 l=2"],
    &["confidence-bounding h=0.6"],
    &["k-anonymity k=2", "confidence-bounding h=0.7"],
    &["alpha-k-anonymity alpha=0.6 k=2"],
];

/// Models that also depend on the whole table, or on fewer columns.
const OTHERS: &[&[&str]] = &[
    &["t-closeness t=0.3"],
    &["t-closeness t=0.25", "k-anonymity k=2"],
    &["k-anonymity k=2 on=job", "distinct-l-diversity l=2"],
];

fn search(id: &str, data: &Data, table: &Table, words: &[&str], purpose: &Purpose) -> Result<SearchOutcome> {
    let requirement = requirement(words, &data.schema());
    let (history, suppression) = (History::default(), Suppression::NONE);
    let task = RecodingTask { purpose, suppression, ..RecodingTask::new(table, &history, &requirement) };
    run(id, &task, Arguments::default(), &Control::QUIET)
}

fn satisfies(words: &[&str], data: &Data) -> bool {
    words.iter().all(|words| {
        let (violating, undecided) = violating(words, data);
        violating.is_empty() && undecided.is_empty()
    })
}

/// All tables with up to four records: three values of `job`, two of `sex`, two of `ill`.
fn small_tables() -> Vec<Data> {
    let mut kinds = Vec::new();
    for job in ["a", "b", "c"] {
        for sex in ["f", "m"] {
            for ill in ["flu", "hiv"] {
                kinds.push([job, sex, ill].map(str::to_owned).to_vec());
            }
        }
    }
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    let mut tables = Vec::new();
    for _ in 0..4 {
        let longer = |rows: &Vec<usize>| -> Vec<Vec<usize>> {
            let first = rows.last().copied().unwrap_or(0);
            (first..kinds.len()).map(|kind| [rows.as_slice(), &[kind]].concat()).collect()
        };
        chosen = chosen.iter().flat_map(longer).collect();
        tables.extend(chosen.iter().map(|rows| {
            let rows = rows.iter().map(|kind| kinds[*kind].clone()).collect();
            Data { cols: vec![quasi("job"), quasi("sex"), sensitive("ill")], rows, owners: None }
        }));
    }
    tables
}

#[test]
fn every_published_class_of_every_small_table_satisfies_the_requirement() {
    let mut published = 0;
    for data in small_tables() {
        let table = data.table();
        for words in LOCAL.iter().chain(OTHERS) {
            for id in REGION_ALGORITHMS {
                match search(id, &data, &table, words, &Purpose::General) {
                    Ok(outcome) => {
                        let release = outcome.recoding.apply(&table).unwrap();
                        assert_eq!(release.contingency.rows() as usize, data.rows.len(), "{id}");
                        assert!(satisfies(words, &data.published(&release)), "{id}, {words:?}: {:?}", data.rows);
                        published += 1;
                    }
                    Err(Error::Refused(_)) => {
                        let all: Vec<usize> = (0..data.rows.len()).collect();
                        assert!(!satisfies(words, &suppressed(&data, &all)), "{id}, {words:?}: {:?}", data.rows);
                    }
                    Err(error) => panic!("{id}, {words:?}: {error}"),
                }
            }
        }
    }
    assert!(published > 10_000, "{published}");
}

/// These rows with all quasi-identifiers suppressed.
fn suppressed(data: &Data, rows: &[usize]) -> Data {
    let hide = |row: &usize| {
        let cells = data.cols.iter().zip(&data.rows[*row]);
        cells.map(|(col, text)| if col.role == Role::QuasiIdentifier { "*".to_owned() } else { text.clone() }).collect()
    };
    Data { cols: data.cols.clone(), rows: rows.iter().map(hide).collect(), owners: None }
}

/// Strict Mondrian by its definition, over rows of texts: the rows of each part.
fn naive_mondrian(data: &Data, words: &[&str], part: Vec<usize>) -> Vec<Vec<usize>> {
    let values = |at: usize| {
        let mut values: Vec<&String> = data.rows.iter().map(|row| &row[at]).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let code = |at: usize, row: usize| values(at).iter().position(|value| **value == data.rows[row][at]).unwrap();
    let mut columns = Vec::new();
    for at in (0..data.cols.len()).filter(|at| data.cols[*at].role == Role::QuasiIdentifier) {
        let codes: Vec<usize> = part.iter().map(|row| code(at, *row)).collect();
        let width = codes.iter().max().unwrap() - codes.iter().min().unwrap();
        if width > 0 {
            columns.push((width * 60 / (values(at).len() - 1), at));
        }
    }
    columns.sort_by_key(|(width, at)| (usize::MAX - width, *at));
    for (_, at) in columns {
        let mut codes: Vec<usize> = part.iter().map(|row| code(at, *row)).collect();
        codes.sort_unstable();
        let median = codes[(codes.len() - 1) / 2];
        let mut cuts = [median + 1, median];
        let unevenness =
            |cut: &usize| part.len().abs_diff(2 * part.iter().filter(|row| code(at, **row) < *cut).count());
        cuts.sort_by_key(unevenness);
        for cut in cuts {
            let (before, after): (Vec<usize>, Vec<usize>) = part.iter().partition(|row| code(at, **row) < cut);
            let holds = |side: &[usize]| !side.is_empty() && satisfies(words, &suppressed(data, side));
            if holds(&before) && holds(&after) {
                return [before, after].into_iter().flat_map(|side| naive_mondrian(data, words, side)).collect();
            }
        }
    }
    vec![part]
}

/// Rows as they are published with the values that all rows of their part share.
fn published_rows(data: &Data, parts: &[Vec<usize>]) -> BTreeMap<Vec<String>, u64> {
    let mut published = BTreeMap::new();
    for part in parts {
        let shared = |at: usize| part.iter().all(|row| data.rows[*row][at] == data.rows[part[0]][at]);
        for row in part {
            let cell = |(at, text): (usize, &String)| {
                let hide = data.cols[at].role == Role::QuasiIdentifier && !shared(at);
                if hide { "*".to_owned() } else { text.clone() }
            };
            let texts: Vec<String> = data.rows[*row].iter().enumerate().map(cell).collect();
            *published.entry(texts).or_default() += 1;
        }
    }
    published
}

#[test]
fn strict_mondrian_makes_the_partition_of_its_definition() {
    let mut random = Random(81);
    let mut larger = Vec::new();
    for _ in 0..150 {
        let rows = (0..6 + random.below(20)).map(|_| {
            let texts = [
                *random.pick(&["a", "b", "c", "d", "e"]),
                *random.pick(&["f", "m"]),
                *random.pick(&["p", "q", "r"]),
                *random.pick(&["flu", "hiv", "cold"]),
            ];
            texts.map(str::to_owned).to_vec()
        });
        let rows = rows.collect();
        larger.push(Data {
            cols: vec![quasi("job"), quasi("sex"), quasi("town"), sensitive("ill")],
            rows,
            owners: None,
        });
    }
    let mut cut = 0;
    for data in small_tables().iter().step_by(3).chain(&larger) {
        let table = data.table();
        for words in LOCAL {
            let all: Vec<usize> = (0..data.rows.len()).collect();
            let Ok(outcome) = search("mondrian", data, &table, words, &Purpose::General) else { continue };
            let parts = naive_mondrian(data, words, all);
            let release = outcome.recoding.apply(&table).unwrap();
            let found: BTreeMap<Vec<String>, u64> =
                contents(&release).into_iter().map(|((texts, _), weight)| (texts, weight)).collect();
            assert_eq!(found, published_rows(data, &parts), "{words:?}: {:?}", data.rows);
            assert_eq!(outcome.steps as usize, parts.len() - 1);
            cut += outcome.steps;
        }
    }
    assert!(cut > 500, "{cut} cuts");
}

/// A table with numbers, a taxonomy of intervals, and a label of each kind.
fn mixed_table(random: &mut Random) -> Data {
    let number = |col: Col| Col { values: Type::Number, tree: TreeSource::Grown { range: None }, ..col };
    let cols =
        vec![number(quasi("age")), quasi("sex"), quasi("town"), sensitive("ill"), other("note"), number(other("pay"))];
    let rows = (0..60 + random.below(60)).map(|_| {
        let age = (20 + random.below(25)).to_string();
        let pay = (random.below(8) * 7).to_string();
        let texts = [
            age.as_str(),
            *random.pick(&["f", "m"]),
            *random.pick(&["p", "q", "r", "s"]),
            *random.pick(&["flu", "hiv", "cold"]),
            *random.pick(&["u", "v", "w"]),
            pay.as_str(),
        ];
        texts.map(str::to_owned).to_vec()
    });
    let rows = rows.collect();
    Data { cols, rows, owners: None }
}

#[test]
fn the_release_is_the_same_for_shuffled_rows_and_one_two_or_eight_threads() {
    let pools = [1, 2, 8].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let classify = |column: &str| Purpose::Classification(column.to_owned());
    let purposes = [Purpose::General, classify("note"), classify("pay")];
    let mut random = Random(82);
    for _ in 0..6 {
        let data = mixed_table(&mut random);
        let mut order: Vec<usize> = (0..data.rows.len()).collect();
        random.shuffle(&mut order);
        let tables = [data.table(), Table::build(&data.counts_in(&order), &data.schema()).unwrap()];
        for (id, purpose) in REGION_ALGORITHMS.iter().flat_map(|id| purposes.iter().map(move |purpose| (id, purpose))) {
            for words in [&["k-anonymity k=3"][..], &["t-closeness t=0.3", "confidence-bounding h=0.8"]] {
                let mut found = Vec::new();
                for (pool, table) in pools.iter().flat_map(|pool| tables.iter().map(move |table| (pool, table))) {
                    let outcome = pool.install(|| search(id, &data, table, words, purpose)).unwrap();
                    found.push(contents(&outcome.recoding.apply(table).unwrap()));
                }
                assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{id}, {purpose:?}, {words:?}");
            }
        }
    }
}
