//! The lossy join of releases by its definition: row by row, from the published texts, with exact fractions. Shares no code
//! with the library.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reticent::join::{ColumnRef, Counted};
use reticent::taxonomy::{IntervalLevel, Taxonomy, Type};
use reticent::{InconsistentRules, RecordedRelease, Release, TreeSource};

use crate::support::{Col, quasi};

/// How a column's values hang together, as its owner would write it down.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Not at all.
    Flat,
    /// An indented tree.
    Words(&'static str),
    /// Declared intervals, finest first, and whether single values may be published.
    Levels(Vec<IntervalLevel>, bool),
    /// Intervals that are found.
    Grown(Option<(f64, f64)>),
    /// The same, each value standing for all up to the next.
    Binned,
}

/// A column as the oracle knows it.
#[derive(Debug, Clone)]
pub struct Known {
    pub col: Col,
    /// By label of an indented tree: the label above, none for the root.
    above: HashMap<String, Option<String>>,
    /// By label of an indented tree: the leaves below.
    leaves: HashMap<String, BTreeSet<String>>,
}

/// What a published text can stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Everything.
    Any,
    /// That there is no value.
    Missing,
    /// One of these values.
    Values(BTreeSet<String>),
    /// A number from the first to the second, which belongs where the third says so.
    Span(f64, f64, bool),
}

impl Known {
    pub fn new(name: &str, role: reticent::Role, values: Type, shape: &Shape) -> Known {
        let tree = match shape {
            Shape::Flat => TreeSource::Flat,
            Shape::Words(text) => TreeSource::Given(Taxonomy::parse_indented(name, text).unwrap()),
            Shape::Levels(levels, exact) => TreeSource::Intervals { levels: levels.clone(), exact: *exact },
            Shape::Grown(range) => TreeSource::Grown { range: *range },
            Shape::Binned => TreeSource::Binned { range: None },
        };
        let mut known =
            Known { col: Col { role, values, tree, ..quasi(name) }, above: HashMap::new(), leaves: HashMap::new() };
        if let Shape::Words(text) = shape {
            known.read(text);
        }
        known
    }

    fn read(&mut self, text: &str) {
        let lines: Vec<(usize, &str)> =
            text.lines().map(|line| (line.len() - line.trim_start().len(), line.trim())).collect();
        let mut path: Vec<(usize, &str)> = Vec::new();
        for (at, (indent, label)) in lines.iter().enumerate() {
            while path.last().is_some_and(|(above, _)| above >= indent) {
                path.pop();
            }
            self.above.insert((*label).to_owned(), path.last().map(|(_, above)| (*above).to_owned()));
            path.push((*indent, label));
            let is_leaf = lines.get(at + 1).is_none_or(|(next, _)| next <= indent);
            for (_, above) in path.iter().filter(|_| is_leaf) {
                self.leaves.entry((*above).to_owned()).or_default().insert((*label).to_owned());
            }
        }
    }

    /// The labels of an indented tree without its root, leaves only where asked.
    pub fn labels(&self, leaves: bool) -> Vec<String> {
        let wanted =
            |label: &&String| self.above[*label].is_some() && (!leaves || self.leaves[*label].contains(*label));
        let mut labels: Vec<String> = self.above.keys().filter(wanted).cloned().collect();
        labels.sort();
        labels
    }

    /// What a published text can stand for.
    pub fn meaning(&self, text: &str) -> Meaning {
        match text {
            "*" => Meaning::Any,
            "" => Meaning::Missing,
            text if self.col.values != Type::Text => span(text, self.col.values),
            text if self.above.is_empty() && text.contains('*') => Meaning::Values(hidden_by(text)),
            text if self.above.is_empty() => Meaning::Values(BTreeSet::from([text.to_owned()])),
            text if self.above[text].is_none() => Meaning::Any,
            text => Meaning::Values(self.leaves[text].clone()),
        }
    }

    /// Whether a text is this value, or lies below it.
    fn is_below(&self, text: &str, value: &str) -> bool {
        if let (Meaning::Span(low, high, closed), Meaning::Span(from, to, too)) =
            (self.meaning(text), span_of(self, value))
        {
            return from <= low && (high < to || (high == to && (too || !closed)));
        }
        let mut at = Some(text);
        while let Some(label) = at {
            if label == value {
                return true;
            }
            at = self.above.get(label).and_then(|above| above.as_deref());
        }
        false
    }
}

/// The texts of up to four digits that stars can hide: a digit each, and at the end whatever follows.
fn hidden_by(mask: &str) -> BTreeSet<String> {
    let shown = mask.trim_end_matches('*');
    let fits = |text: &String| {
        let long_enough = if mask.ends_with('*') { text.len() >= shown.len() } else { text.len() == shown.len() };
        long_enough && shown.chars().zip(text.chars()).all(|(shown, letter)| shown == '*' || shown == letter)
    };
    let mut texts: Vec<String> = vec![String::new()];
    for length in 0..4 {
        let longer = texts
            .iter()
            .filter(|text| text.len() == length)
            .flat_map(|text| ["1", "2", "3"].map(|digit| format!("{text}{digit}")));
        let longer: Vec<String> = longer.collect();
        texts.extend(longer);
    }
    texts.into_iter().skip(1).filter(fits).collect()
}

/// What a value says in a column of numbers or dates; elsewhere nothing of that kind.
fn span_of(known: &Known, value: &str) -> Meaning {
    if known.col.values == Type::Text { Meaning::Any } else { span(value, known.col.values) }
}

/// What the text of a number, a date or an interval says. Days are whole: the last one before an end belongs.
fn span(text: &str, values: Type) -> Meaning {
    let number = |text: &str| -> f64 {
        if values != Type::Date {
            return text.parse().unwrap();
        }
        let parts: Vec<i32> = text.split('-').map(|part| part.parse().unwrap()).collect();
        let (year, month, day) = (parts[0], parts[1], parts[2]);
        let leap = |year: i32| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let february = if leap(year) { 29 } else { 28 };
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let years: i32 = (1900..year).map(|year| if leap(year) { 366 } else { 365 }).sum();
        f64::from(years + lengths[..month as usize - 1].iter().sum::<i32>() + day)
    };
    let end = |text: &str| if values == Type::Date { (number(text) - 1.0, true) } else { (number(text), false) };
    if text == "any" {
        Meaning::Span(f64::NEG_INFINITY, f64::INFINITY, true)
    } else if let Some(high) = text.strip_prefix('<') {
        Meaning::Span(f64::NEG_INFINITY, end(high).0, end(high).1)
    } else if let Some(low) = text.strip_prefix(">=") {
        Meaning::Span(number(low), f64::INFINITY, true)
    } else if let Some((low, high)) = text.strip_prefix('[').and_then(|text| text.strip_suffix(')')?.split_once(',')) {
        Meaning::Span(number(low), end(high).0, end(high).1)
    } else {
        Meaning::Span(number(text), number(text), true)
    }
}

impl Meaning {
    /// Whether two texts can stand for the same value.
    pub fn matches(&self, other: &Meaning) -> bool {
        match (self, other) {
            (Meaning::Any, _) | (_, Meaning::Any) | (Meaning::Missing, Meaning::Missing) => true,
            (Meaning::Values(one), Meaning::Values(two)) => !one.is_disjoint(two),
            (Meaning::Span(low, high, closed), Meaning::Span(lower, higher, too)) => {
                (low < higher || (low == higher && *too)) && (lower < high || (lower == high && *closed))
            }
            _ => false,
        }
    }
}

/// A release as its readers see it, and the person behind each row.
#[derive(Debug, Clone)]
pub struct Shown {
    pub known: Vec<Known>,
    pub rows: Vec<Vec<String>>,
    pub people: Vec<u128>,
}

impl Shown {
    /// The new release.
    pub fn new(release: &Release, known: &[Known]) -> Shown {
        let mut shown = Shown { known: known.to_vec(), rows: Vec::new(), people: Vec::new() };
        for at in 0..release.contingency.len() {
            for _ in 0..release.contingency.weights[at] {
                let owner = release.contingency.owners.as_ref().map(|owners| u128::from(owners[at]));
                shown.people.push(owner.unwrap_or(shown.rows.len() as u128));
                shown.rows.push(texts(release, at));
            }
        }
        shown
    }

    /// An earlier release.
    pub fn held(held: &RecordedRelease, known: &[Known]) -> Shown {
        let mut shown = Shown::new(&held.release, known);
        let Some(links) = &held.links else { return shown };
        shown.rows.clear();
        shown.people.clear();
        for link in 0..links.len() {
            for _ in 0..links.records[link] {
                shown.rows.push(texts(&held.release, links.cells[link] as usize));
                shown.people.push(links.pseudonyms[link]);
            }
        }
        assert_eq!(shown.rows.len() as u64, held.release.contingency.rows(), "not every record is linked");
        shown
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.known.iter().position(|known| known.col.name == name)
    }
}

/// The texts of one combination.
pub fn texts(release: &Release, at: usize) -> Vec<String> {
    release
        .columns
        .iter()
        .zip(&release.contingency.codes)
        .map(|(column, codes)| column.label(codes[at]).to_owned())
        .collect()
}

/// Whether each row of one release matches each row of another.
pub fn matching(one: &Shown, two: &Shown, rules: &[InconsistentRules]) -> Vec<Vec<bool>> {
    let common: Vec<(usize, usize)> = one
        .known
        .iter()
        .enumerate()
        .filter_map(|(at, known)| two.at(&known.col.name).map(|other| (at, other)))
        .collect();
    let read = |shown: &Shown| -> Vec<Vec<Meaning>> {
        let row = |row: &Vec<String>| shown.known.iter().zip(row).map(|(known, text)| known.meaning(text)).collect();
        shown.rows.iter().map(row).collect()
    };
    let (first, second) = (read(one), read(two));
    let holds = |shown: &Shown, row: usize, (attribute, value): &(String, String)| {
        shown.at(attribute).is_some_and(|at| shown.known[at].is_below(&shown.rows[row][at], value))
    };
    let consistent = |a: usize, b: usize| {
        rules.iter().all(|rule| {
            let never = holds(one, a, &rule.one) && holds(two, b, &rule.other);
            let nor = holds(one, a, &rule.other) && holds(two, b, &rule.one);
            !never && !nor
        })
    };
    let pair = |a: usize, b: usize| {
        common.iter().all(|(here, there)| first[a][*here].matches(&second[b][*there])) && consistent(a, b)
    };
    (0..one.rows.len()).map(|a| (0..two.rows.len()).map(|b| pair(a, b)).collect()).collect()
}

/// The join: one row of each release, every two of which match.
pub fn join(releases: &[&Shown], rules: &[InconsistentRules]) -> Vec<Vec<usize>> {
    let pairs: Vec<Vec<Vec<Vec<bool>>>> = (0..releases.len())
        .map(|later| (0..later).map(|first| matching(releases[first], releases[later], rules)).collect())
        .collect();
    let mut tuples: Vec<Vec<usize>> = vec![Vec::new()];
    for (place, release) in releases.iter().enumerate() {
        let mut longer = Vec::new();
        for tuple in &tuples {
            let fits = |row: &usize| tuple.iter().enumerate().all(|(at, other)| pairs[place][at][*other][*row]);
            let rows = (0..release.rows.len()).filter(fits);
            longer.extend(rows.map(|row| tuple.iter().copied().chain([row]).collect::<Vec<_>>()));
        }
        tuples = longer;
    }
    tuples
}

/// What is demanded of every x.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// So many different y.
    AtLeast(u64),
    /// No y more often than this many times in a thousand: for all values, and for some of their own.
    AtMost(Option<u64>, Vec<(String, u64)>),
}

/// A statement over the join.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    pub x: BTreeSet<ColumnRef>,
    pub y: BTreeSet<Counted>,
    pub limit: Limit,
}

/// What is found in a join.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The smallest number of different y, or minus the largest share; none where nothing is counted or bounded.
    pub worst: Option<f64>,
    /// The classes of the new release, by their texts on its columns in x, that are in some violating x; with the worst
    /// there.
    pub classes: BTreeMap<Vec<String>, f64>,
    /// The same where values have bounds of their own and, in every class, only the shares that are too large are looked at
    /// as soon as there are any.
    pub too_large: Option<f64>,
    /// By class.
    pub classes_too_large: BTreeMap<Vec<String>, f64>,
    /// Every violating x, by its texts in the order of x.
    pub violating: BTreeSet<Vec<String>>,
}

impl Demand {
    /// The texts of a row of the new release that name its class.
    pub fn class(&self, row: &[String]) -> Vec<String> {
        self.x.iter().filter(|at| at.release == 0).map(|at| row[at.column].clone()).collect()
    }

    pub fn judge(&self, releases: &[&Shown], join: &[Vec<usize>]) -> Found {
        let text = |tuple: &Vec<usize>, at: &ColumnRef| releases[at.release].rows[tuple[at.release]][at.column].clone();
        // By x: its tuples, those by y, and the class of the new release that it is in.
        type Group = (u64, BTreeMap<Vec<String>, u64>, Vec<String>);
        let mut groups: BTreeMap<Vec<String>, Group> = BTreeMap::new();
        for tuple in join {
            let x: Vec<String> = self.x.iter().map(|at| text(tuple, at)).collect();
            let y = self.y.iter().map(|of| match of {
                Counted::Column(at) => text(tuple, at),
                Counted::People(release) => releases[*release].people[tuple[*release]].to_string(),
            });
            let class = self.class(&releases[0].rows[tuple[0]]);
            let group = groups.entry(x).or_insert_with(|| (0, BTreeMap::new(), class));
            group.0 += 1;
            *group.1.entry(y.collect()).or_default() += 1;
        }
        let mut found = Found::default();
        let mut by_class: BTreeMap<&Vec<String>, f64> = BTreeMap::new();
        let mut broken: BTreeSet<&Vec<String>> = BTreeSet::new();
        for (x, (tuples, with, class)) in &groups {
            let mut too_large = None;
            let (safety, holds) = match &self.limit {
                Limit::AtLeast(least) => (Some(with.len() as f64), with.len() as u64 >= *least),
                Limit::AtMost(general, own) => {
                    let bound = |y: &Vec<String>| match y.as_slice() {
                        [only] => own.iter().find(|(value, _)| value == only).map(|(_, bound)| *bound).or(*general),
                        _ => *general,
                    };
                    // A cell that says nothing tells nothing, however sure it is.
                    let known = match self.y.iter().collect::<Vec<_>>().as_slice() {
                        [Counted::Column(at)] => Some(&releases[at.release].known[at.column]),
                        _ => None,
                    };
                    let tells = |y: &Vec<String>| known.is_none_or(|known| known.meaning(&y[0]) != Meaning::Any);
                    let told = with.iter().filter(|(y, _)| tells(y));
                    let bounded: Vec<(u64, u64)> = told.filter_map(|(y, count)| Some((*count, bound(y)?))).collect();
                    let most = bounded.iter().map(|(count, _)| *count).max();
                    let safety = most.map(|most| -(most as f64 / *tuples as f64));
                    let over = bounded.iter().filter(|(count, bound)| count * 1000 > bound * tuples);
                    too_large = over.map(|(count, _)| *count).max().map(|most| -(most as f64 / *tuples as f64));
                    (safety, bounded.iter().all(|(count, bound)| count * 1000 <= bound * tuples))
                }
            };
            if !holds {
                broken.insert(class);
                found.violating.insert(x.clone());
            }
            if let Some(seen) = too_large.or(safety.filter(|_| !holds)) {
                let worst = found.classes_too_large.entry(class.clone()).or_insert(seen);
                *worst = worst.min(seen);
            }
            if let Some(safety) = safety {
                let worst = by_class.entry(class).or_insert(safety);
                *worst = worst.min(safety);
                found.worst = Some(found.worst.unwrap_or(safety).min(safety));
            }
        }
        let seen = by_class.iter().map(|(class, safety)| *found.classes_too_large.get(*class).unwrap_or(safety));
        found.too_large = seen.min_by(f64::total_cmp);
        found.classes = broken.into_iter().map(|class| (class.clone(), by_class[class])).collect();
        found
    }
}
