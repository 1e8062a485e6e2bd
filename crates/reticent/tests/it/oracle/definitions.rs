//! Naive definition of every model, over rows of texts, in integers.
//!
//! A person counts once: the size of a class is the number of its distinct owners, and the count of a value is the number
//! of distinct owners with the value. Entropy and t-closeness use frequencies over pairs of an owner and a value.

use std::collections::{BTreeMap, BTreeSet};

use reticent::taxonomy::Type;
use reticent::{Role, TreeSource};

use super::transport::least_cost;
use crate::support::Data;

/// A fraction.
#[derive(Debug, Clone, Copy)]
pub struct Fraction(pub u128, pub u128);

impl Fraction {
    /// Parses a decimal: `0.375` is 375/1000.
    pub fn decimal(text: &str) -> Fraction {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        Fraction(format!("{whole}{rest}").parse().unwrap(), 10u128.pow(rest.len() as u32))
    }

    /// Whether `numerator / denominator <= self`, without division.
    fn is_at_least(self, numerator: u64, denominator: u64) -> bool {
        u128::from(numerator) * self.1 <= self.0 * u128::from(denominator)
    }
}

/// Result of a definition for a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violates,
    /// The entropy is too close to its bound for floating-point numbers.
    Undecided,
}

fn verdict(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::Violates }
}

/// A parsed model specification.
#[derive(Debug)]
pub struct ParsedSpec<'a> {
    pub model: &'a str,
    given: BTreeMap<&'a str, &'a str>,
}

impl<'a> ParsedSpec<'a> {
    pub fn new(words: &'a str) -> ParsedSpec<'a> {
        let mut parts = words.split_whitespace();
        ParsedSpec { model: parts.next().unwrap(), given: parts.map(|part| part.split_once('=').unwrap()).collect() }
    }

    fn whole(&self, name: &str) -> u64 {
        self.given[name].parse().unwrap()
    }

    fn fraction(&self, name: &str) -> Option<Fraction> {
        self.given.get(name).map(|text| Fraction::decimal(text))
    }

    fn columns(&self, name: &str) -> Option<Vec<String>> {
        self.given.get(name).map(|list| list.split(',').map(str::to_owned).collect())
    }

    fn thresholds(&self) -> BTreeMap<&str, Fraction> {
        let list = self.given.get("values").map(|list| list.split(',')).into_iter().flatten();
        list.map(|pair| pair.split_once(':').map(|(value, limit)| (value, Fraction::decimal(limit))).unwrap()).collect()
    }

    /// Columns that define the classes.
    pub fn class_columns(&self, data: &Data) -> Vec<String> {
        let named = self.columns("on").or_else(|| self.columns("x"));
        named.unwrap_or_else(|| data.with_role(Role::QuasiIdentifier))
    }

    /// Columns whose values are counted in a class.
    fn value_columns(&self, data: &Data) -> Vec<String> {
        let named = self.columns("y").or_else(|| self.columns("sensitive"));
        named.unwrap_or_else(|| data.with_role(Role::Sensitive))
    }
}

/// Equivalence classes: rows with equal texts in these columns.
pub fn classes(data: &Data, by: &[String]) -> BTreeMap<Vec<String>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for row in 0..data.rows.len() {
        classes.entry(texts(data, row, by)).or_default().push(row);
    }
    classes
}

fn texts(data: &Data, row: usize, columns: &[String]) -> Vec<String> {
    columns.iter().map(|column| data.rows[row][data.at(column)].clone()).collect()
}

fn people(data: &Data, rows: &[usize]) -> u64 {
    rows.iter().map(|row| data.owner(*row)).collect::<BTreeSet<_>>().len() as u64
}

fn people_by_value(data: &Data, rows: &[usize], of: &[String]) -> BTreeMap<Vec<String>, u64> {
    let mut owners: BTreeMap<Vec<String>, BTreeSet<u32>> = BTreeMap::new();
    for row in rows {
        owners.entry(texts(data, *row, of)).or_default().insert(data.owner(*row));
    }
    owners.into_iter().map(|(value, owners)| (value, owners.len() as u64)).collect()
}

/// Result of a model for every class, by the texts of the class.
pub fn judge(words: &str, data: &Data) -> BTreeMap<Vec<String>, Verdict> {
    let words = ParsedSpec::new(words);
    let all: Vec<usize> = (0..data.rows.len()).collect();
    let classes = classes(data, &words.class_columns(data));
    classes.into_iter().map(|(class, rows)| (class, judge_class(&words, data, &rows, &all))).collect()
}

/// Classes that violate a model, and undecided classes.
pub fn violating(words: &str, data: &Data) -> (BTreeSet<Vec<String>>, BTreeSet<Vec<String>>) {
    let of = |expected: Verdict| {
        let judged = judge(words, data).into_iter();
        judged.filter(|(_, verdict)| *verdict == expected).map(|(class, _)| class).collect()
    };
    (of(Verdict::Violates), of(Verdict::Undecided))
}

fn judge_class(words: &ParsedSpec<'_>, data: &Data, rows: &[usize], all: &[usize]) -> Verdict {
    let size = people(data, rows);
    let of = if words.model.ends_with("k-anonymity") && !words.model.starts_with("alpha") {
        Vec::new()
    } else {
        words.value_columns(data)
    };
    let counts = people_by_value(data, rows, &of);
    match words.model {
        // If one record has some value qid, at least k - 1 other records have it.
        "k-anonymity" => verdict(size >= words.whole("k")),
        "multir-k-anonymity" => verdict(least_support(words, data, rows, all) >= words.whole("k")),
        // a_Y(x) is the number of distinct values on Y that co-occur with x; at least k.
        "xy-anonymity" => verdict(counts.len() as u64 >= words.whole("k")),
        "xy-linkability" | "confidence-bounding" => {
            verdict(is_within_bounds(words, "h", size, &disclosing_values(data, &of, counts)))
        }
        "alpha-k-anonymity" => verdict(
            size >= words.whole("k") && is_within_bounds(words, "alpha", size, &disclosing_values(data, &of, counts)),
        ),
        "distinct-l-diversity" => verdict(counts.len() as u64 >= words.whole("l")),
        "entropy-l-diversity" => entropy(words.fraction("l").unwrap(), &counts),
        "recursive-cl-diversity" => recursive(words.fraction("c").unwrap(), words.whole("l"), &counts),
        "t-closeness" => closeness(words, data, &of[0], rows, all),
        unknown => panic!("no definition of {unknown}"),
    }
}

/// Smallest number of people who share a set of records that an attacker can know, over all sets with a record of the class.
fn least_support(words: &ParsedSpec<'_>, data: &Data, rows: &[usize], all: &[usize]) -> u64 {
    let by = words.class_columns(data);
    let mut records: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    all.iter().for_each(|row| records.entry(data.owner(*row)).or_default().push(*row));
    let view = |rows: &[usize]| {
        let mut view: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        rows.iter().for_each(|row| *view.entry(texts(data, *row, &by)).or_default() += 1);
        view
    };
    let views: Vec<_> = records.values().map(|rows| view(rows)).collect();
    let contains = |whole: &BTreeMap<Vec<String>, usize>, part: &BTreeMap<Vec<String>, usize>| {
        part.iter().all(|(class, count)| whole.get(class).is_some_and(|has| has >= count))
    };
    let mut least = u64::MAX;
    for own in records.values().filter(|own| own.iter().any(|row| rows.contains(row))) {
        for chosen in 1u32..1 << own.len() {
            let set: Vec<usize> =
                own.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, row)| *row).collect();
            let set_view = view(&set);
            let people = match words.given.get("records") {
                None if set.len() == own.len() => views.iter().filter(|other| **other == set_view).count(),
                Some(most) if set.len() <= most.parse().unwrap() && set.iter().any(|row| rows.contains(row)) => {
                    views.iter().filter(|other| contains(other, &set_view)).count()
                }
                _ => continue,
            };
            least = least.min(people as u64);
        }
    }
    least
}

/// Counts without the root of a taxonomy, which is a suppressed value and discloses nothing.
fn disclosing_values(data: &Data, of: &[String], counts: BTreeMap<Vec<String>, u64>) -> BTreeMap<Vec<String>, u64> {
    let [column] = of else { return counts };
    let root = match &data.cols[data.at(column)].tree {
        reticent::TreeSource::Given(tree) => tree.node(0).label.clone(),
        _ => "*".to_owned(),
    };
    counts.into_iter().filter(|(value, _)| value[0] != root).collect()
}

/// Whether conf(x -> y) = a(y, x) / a(x) is at most the threshold of the value, or else the common threshold, if any.
fn is_within_bounds(words: &ParsedSpec<'_>, common: &str, size: u64, counts: &BTreeMap<Vec<String>, u64>) -> bool {
    let own = words.thresholds();
    counts.iter().all(|(value, count)| {
        let named = if value.len() == 1 { own.get(value[0].as_str()).copied() } else { None };
        named.or_else(|| words.fraction(common)).is_none_or(|limit| limit.is_at_least(*count, size))
    })
}

/// -sum P log P >= log l. With equal frequencies, this means at least l values.
fn entropy(l: Fraction, counts: &BTreeMap<Vec<String>, u64>) -> Verdict {
    let counts: Vec<u64> = counts.values().copied().collect();
    if counts.iter().all(|count| *count == counts[0]) {
        return verdict(counts.len() as u128 * l.1 >= l.0);
    }
    let total = counts.iter().sum::<u64>() as f64;
    let entropy: f64 = counts.iter().map(|count| *count as f64 / total).map(|share| -share * share.ln()).sum();
    let bound = (l.0 as f64 / l.1 as f64).ln();
    if (entropy - bound).abs() < 1e-9 { Verdict::Undecided } else { verdict(entropy > bound) }
}

/// f_1 < c (f_l + ... + f_m), with the frequencies in descending order.
fn recursive(c: Fraction, l: u64, counts: &BTreeMap<Vec<String>, u64>) -> Verdict {
    let mut counts: Vec<u64> = counts.values().copied().collect();
    counts.sort_by_key(|count| std::cmp::Reverse(*count));
    let rest: u64 = counts.iter().skip(l as usize - 1).sum();
    verdict(u128::from(counts[0]) * c.1 < c.0 * u128::from(rest))
}

/// Whether the earth mover's distance between the values of the class and of the release is at most t.
fn closeness(words: &ParsedSpec<'_>, data: &Data, of: &String, rows: &[usize], all: &[usize]) -> Verdict {
    let (cost, span) = distance(words, data, of, rows, all);
    let t = words.fraction("t").unwrap();
    verdict(t.is_at_least(cost, span))
}

/// The earth mover's distance as a fraction.
fn distance(words: &ParsedSpec<'_>, data: &Data, of: &String, rows: &[usize], all: &[usize]) -> (u64, u64) {
    let column = std::slice::from_ref(of);
    let (class, whole) = (people_by_value(data, rows, column), people_by_value(data, all, column));
    let values = ordered(data, of, whole.keys().map(|value| value[0].clone()).collect());
    let count =
        |of: &BTreeMap<Vec<String>, u64>, value: &String| of.get(std::slice::from_ref(value)).copied().unwrap_or(0);
    let (in_class, in_whole): (u64, u64) = (class.values().sum(), whole.values().sum());
    let supply: Vec<u64> = values.iter().map(|value| count(&class, value) * in_whole).collect();
    let demand: Vec<u64> = values.iter().map(|value| count(&whole, value) * in_class).collect();
    let (ground_distance, largest): (Box<dyn Fn(usize, usize) -> u64>, u64) = match words.given.get("distance").copied()
    {
        None | Some("equal") => (Box::new(|i, j| u64::from(i != j)), 1),
        Some("ordered") => (Box::new(|i, j| i.abs_diff(j) as u64), (values.len() as u64 - 1).max(1)),
        Some("hierarchical") => {
            let heights = Heights::new(data, of);
            let largest = heights.of_root();
            let values = values.clone();
            (Box::new(move |i, j| heights.lowest_common_height(&values[i], &values[j])), largest)
        }
        Some(unknown) => panic!("no distance {unknown}"),
    };
    (least_cost(&supply, &demand, ground_distance), in_class * in_whole * largest)
}

/// Values in the order of their column: numbers by size, leaves of a taxonomy from left to right, texts alphabetically.
fn ordered(data: &Data, of: &str, mut values: Vec<String>) -> Vec<String> {
    let col = &data.cols[data.at(of)];
    match (&col.tree, col.values) {
        (TreeSource::Given(tree), _) => {
            let leaves: Vec<String> =
                tree.nodes().iter().filter(|node| node.children.is_empty()).map(|node| node.label.clone()).collect();
            // The codes of leaves ascend from left to right.
            let code = |value: &String| tree.nodes().iter().find(|node| node.label == *value).unwrap().span.start;
            assert!(values.iter().all(|value| leaves.contains(value)));
            values.sort_by_key(code);
        }
        (_, Type::Number) => values.sort_by(|a, b| a.parse::<f64>().unwrap().total_cmp(&b.parse::<f64>().unwrap())),
        _ => values.sort(),
    }
    values
}

/// Labels from the root to every value.
struct Heights {
    paths: BTreeMap<String, Vec<String>>,
}

impl Heights {
    fn new(data: &Data, of: &str) -> Heights {
        let col = &data.cols[data.at(of)];
        let mut paths = BTreeMap::new();
        if let TreeSource::Given(tree) = &col.tree {
            for node in tree.nodes().iter().filter(|node| node.children.is_empty()) {
                let mut path = vec![node.label.clone()];
                let mut at = node.parent;
                while let Some(parent) = at {
                    path.insert(0, tree.node(parent).label.clone());
                    at = tree.node(parent).parent;
                }
                paths.insert(node.label.clone(), path);
            }
        } else {
            for row in &data.rows {
                let value = row[data.at(of)].clone();
                paths.insert(value.clone(), vec!["*".to_owned(), value]);
            }
        }
        Heights { paths }
    }

    /// Height of the node at the end of a path.
    fn height(&self, above: &[String]) -> u64 {
        self.paths
            .values()
            .filter(|path| path.starts_with(above))
            .map(|path| (path.len() - above.len()) as u64)
            .max()
            .unwrap()
    }

    fn of_root(&self) -> u64 {
        self.height(&self.paths.values().next().unwrap()[..1])
    }

    /// Height of the lowest common ancestor; 0 for equal values.
    fn lowest_common_height(&self, one: &str, two: &str) -> u64 {
        if one == two {
            return 0;
        }
        let (one, two) = (&self.paths[one], &self.paths[two]);
        let common = one.iter().zip(two).take_while(|(a, b)| a == b).count();
        self.height(&one[..common])
    }
}
