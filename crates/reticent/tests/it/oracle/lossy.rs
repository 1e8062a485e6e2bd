//! Naive lossy join of releases: row by row, from the published texts, with exact fractions. It shares no code with the
//! library.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reticent::join::{ColumnRef, Counted};
use reticent::taxonomy::{IntervalLevel, Taxonomy, Type};
use reticent::{InconsistentRules, RecordedRelease, Release, TreeSource};

use crate::support::{Col, quasi};

/// Hierarchy of the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// No hierarchy.
    Flat,
    /// Taxonomy as indented text.
    Tree(&'static str),
    /// Fixed intervals, finest first, and whether single values may be published.
    Levels(Vec<IntervalLevel>, bool),
    /// Intervals that the algorithm forms.
    Grown(Option<(f64, f64)>),
    /// Intervals that the algorithm forms, over values that represent a range up to the next value.
    Binned,
}

/// A column of the oracle.
#[derive(Debug, Clone)]
pub struct OracleColumn {
    pub col: Col,
    /// Parent of each label of the taxonomy; `None` for the root.
    above: HashMap<String, Option<String>>,
    /// Leaves below each label of the taxonomy.
    leaves: HashMap<String, BTreeSet<String>>,
}

/// The raw values that a published text can represent.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Any value.
    Any,
    /// A missing value.
    Missing,
    /// One of these values.
    Values(BTreeSet<String>),
    /// An interval: lower bound, upper bound, and whether the upper bound is included.
    Span(f64, f64, bool),
}

impl OracleColumn {
    pub fn new(name: &str, role: reticent::Role, values: Type, shape: &Shape) -> OracleColumn {
        let tree = match shape {
            Shape::Flat => TreeSource::Flat,
            Shape::Tree(text) => TreeSource::Given(Taxonomy::parse_indented(name, text).unwrap()),
            Shape::Levels(levels, exact) => TreeSource::Intervals { levels: levels.clone(), exact: *exact },
            Shape::Grown(range) => TreeSource::Grown { range: *range },
            Shape::Binned => TreeSource::Binned { range: None },
        };
        let mut known = OracleColumn {
            col: Col { role, values, tree, ..quasi(name) },
            above: HashMap::new(),
            leaves: HashMap::new(),
        };
        if let Shape::Tree(text) = shape {
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

    /// Labels of the taxonomy without the root; only leaves if `leaves`.
    pub fn labels(&self, leaves: bool) -> Vec<String> {
        let is_included =
            |label: &&String| self.above[*label].is_some() && (!leaves || self.leaves[*label].contains(*label));
        let mut labels: Vec<String> = self.above.keys().filter(is_included).cloned().collect();
        labels.sort();
        labels
    }

    /// The raw values that a published text can represent.
    pub fn meaning(&self, text: &str) -> Meaning {
        match text {
            "*" => Meaning::Any,
            "" => Meaning::Missing,
            text if self.col.values != Type::Text => span(text, self.col.values),
            text if self.above.is_empty() && text.contains('*') => Meaning::Values(matching_texts(text)),
            text if self.above.is_empty() => Meaning::Values(BTreeSet::from([text.to_owned()])),
            text if self.above[text].is_none() => Meaning::Any,
            text => Meaning::Values(self.leaves[text].clone()),
        }
    }

    /// Whether a text is this value or a descendant of it.
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

/// Texts of up to four digits that match a mask. A star matches one digit, or any digits at the end.
fn matching_texts(mask: &str) -> BTreeSet<String> {
    let prefix = mask.trim_end_matches('*');
    let matches = |text: &String| {
        let long_enough = if mask.ends_with('*') { text.len() >= prefix.len() } else { text.len() == prefix.len() };
        long_enough && prefix.chars().zip(text.chars()).all(|(masked, letter)| masked == '*' || masked == letter)
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
    texts.into_iter().skip(1).filter(matches).collect()
}

/// The interval of a value in a column of numbers or dates; `Any` in a column of texts.
fn span_of(known: &OracleColumn, value: &str) -> Meaning {
    if known.col.values == Type::Text { Meaning::Any } else { span(value, known.col.values) }
}

/// The interval of the text of a number, a date or an interval. Days are discrete, so an excluded end is the day before it.
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
    /// Whether two texts can represent the same value.
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

impl Meaning {
    /// Whether a text represents everything that another one can represent.
    fn contains(&self, other: &Meaning) -> bool {
        match (self, other) {
            (Meaning::Any, _) => true,
            (Meaning::Values(outer), Meaning::Values(inner)) => inner.is_subset(outer),
            (Meaning::Span(low, high, closed), Meaning::Span(lower, higher, too)) => {
                low <= lower && (higher < high || (higher == high && (*closed || !*too)))
            }
            (one, other) => one == other,
        }
    }
}

/// Published rows of a release, with the owner of each row.
#[derive(Debug, Clone)]
pub struct PublishedRows {
    pub columns: Vec<OracleColumn>,
    pub rows: Vec<Vec<String>>,
    pub people: Vec<u128>,
}

impl PublishedRows {
    /// The new release.
    pub fn new(release: &Release, known: &[OracleColumn]) -> PublishedRows {
        let mut published = PublishedRows { columns: known.to_vec(), rows: Vec::new(), people: Vec::new() };
        for at in 0..release.contingency.len() {
            for _ in 0..release.contingency.weights[at] {
                let owner = release.contingency.owners.as_ref().map(|owners| u128::from(owners[at]));
                published.people.push(owner.unwrap_or(published.rows.len() as u128));
                published.rows.push(texts(release, at));
            }
        }
        published
    }

    /// An earlier release.
    pub fn from_recorded(recorded: &RecordedRelease, known: &[OracleColumn]) -> PublishedRows {
        let mut published = PublishedRows::new(&recorded.release, known);
        let Some(links) = &recorded.links else { return published };
        published.rows.clear();
        published.people.clear();
        for link in 0..links.len() {
            for _ in 0..links.records[link] {
                published.rows.push(texts(&recorded.release, links.cells[link] as usize));
                published.people.push(links.pseudonyms[link]);
            }
        }
        assert_eq!(published.rows.len() as u64, recorded.release.contingency.rows(), "a record has no owner link");
        published
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.col.name == name)
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

/// Whether a release can be computed from another: each text of the other matches exactly one text of its column, which contains it, and
/// replacing the texts gives its rows. A column without any text but the suppressed one tells nothing.
pub fn can_be_computed(release: &PublishedRows, other: &PublishedRows) -> bool {
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); other.rows.len()];
    let is_shown = |at: &usize| {
        let known = &release.columns[*at];
        release.rows.iter().any(|row| known.meaning(&row[*at]) != Meaning::Any)
    };
    let shown: Vec<usize> = (0..release.columns.len()).filter(is_shown).collect();
    for at in shown.iter().copied() {
        let known = &release.columns[at];
        let Some(there) = other.at(&known.col.name) else { return false };
        let texts: BTreeSet<&String> = release.rows.iter().map(|row| &row[at]).collect();
        for (row, theirs) in rows.iter_mut().zip(&other.rows) {
            let meaning = other.columns[there].meaning(&theirs[there]);
            let matching: Vec<&&String> = texts.iter().filter(|text| known.meaning(text).matches(&meaning)).collect();
            let [only] = matching.as_slice() else { return false };
            let is_same = ***only == theirs[there] && meaning != Meaning::Any;
            let ours = known.meaning(only);
            // A text with stars is not compared with others.
            let has_stars =
                [only.as_str(), &theirs[there]].iter().any(|text| text.contains('*')) && ours != Meaning::Any;
            if !is_same && (has_stars || !ours.contains(&meaning)) {
                return false;
            }
            row.push((**only).clone());
        }
    }
    let mut published: Vec<Vec<String>> =
        release.rows.iter().map(|row| shown.iter().map(|at| row[*at].clone()).collect()).collect();
    published.sort();
    rows.sort();
    published == rows
}

/// Matrix of matches between the rows of two releases.
pub fn matching(one: &PublishedRows, two: &PublishedRows, rules: &[InconsistentRules]) -> Vec<Vec<bool>> {
    let common: Vec<(usize, usize)> = one
        .columns
        .iter()
        .enumerate()
        .filter_map(|(at, known)| two.at(&known.col.name).map(|other| (at, other)))
        .collect();
    let read = |published: &PublishedRows| -> Vec<Vec<Meaning>> {
        let row =
            |row: &Vec<String>| published.columns.iter().zip(row).map(|(known, text)| known.meaning(text)).collect();
        published.rows.iter().map(row).collect()
    };
    let (first, second) = (read(one), read(two));
    let has = |published: &PublishedRows, row: usize, (attribute, value): &(String, String)| {
        published.at(attribute).is_some_and(|at| published.columns[at].is_below(&published.rows[row][at], value))
    };
    let consistent = |a: usize, b: usize| {
        rules.iter().all(|rule| {
            let excluded = has(one, a, &rule.one) && has(two, b, &rule.other);
            let reversed = has(one, a, &rule.other) && has(two, b, &rule.one);
            !excluded && !reversed
        })
    };
    let pair = |a: usize, b: usize| {
        common.iter().all(|(here, there)| first[a][*here].matches(&second[b][*there])) && consistent(a, b)
    };
    (0..one.rows.len()).map(|a| (0..two.rows.len()).map(|b| pair(a, b)).collect()).collect()
}

/// The lossy join: tuples with one row of each release, all pairs of which match.
pub fn join(releases: &[&PublishedRows], rules: &[InconsistentRules]) -> Vec<Vec<usize>> {
    let pairs: Vec<Vec<Vec<Vec<bool>>>> = (0..releases.len())
        .map(|later| (0..later).map(|first| matching(releases[first], releases[later], rules)).collect())
        .collect();
    let mut tuples: Vec<Vec<usize>> = vec![Vec::new()];
    for (position, release) in releases.iter().enumerate() {
        let mut longer = Vec::new();
        for tuple in &tuples {
            let matches = |row: &usize| tuple.iter().enumerate().all(|(at, other)| pairs[position][at][*other][*row]);
            let rows = (0..release.rows.len()).filter(matches);
            longer.extend(rows.map(|row| tuple.iter().copied().chain([row]).collect::<Vec<_>>()));
        }
        tuples = longer;
    }
    tuples
}

/// Condition on every value x of X.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// Minimum number of distinct y.
    AtLeast(u64),
    /// Maximum confidence of a y in thousandths: for all values, and for single values.
    AtMost(Option<u64>, Vec<(String, u64)>),
    /// Minimum exp(entropy), in thousandths.
    Entropy(u64),
    /// Recursive diversity: c in thousandths, and l.
    Recursive(u64, usize),
    /// Maximum total variation distance, in thousandths, from the release of the column.
    Closeness(u64),
}

/// An (X, Y)-constraint on the join.
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveConstraint {
    pub x: BTreeSet<ColumnRef>,
    pub y: BTreeSet<Counted>,
    pub limit: Limit,
    /// Whether an (X,Y)-model requires it, to which violations of the history alone count.
    pub is_explicit: bool,
}

/// Result of a constraint on a join.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NaiveResult {
    /// Smallest number of distinct y, or minus the largest confidence; `None` if there is no y with a limit.
    pub worst: Option<f64>,
    /// Worst value of each class of the new release (by its texts in X) with a violating x.
    pub classes: BTreeMap<Vec<String>, f64>,
    /// The same worst value, but a violating class counts only confidences above their bounds.
    pub too_large: Option<f64>,
    /// Worst value of each violating class, with only confidences above their bounds.
    pub classes_too_large: BTreeMap<Vec<String>, f64>,
    /// Texts of every violating x, in the order of X.
    pub violating: BTreeSet<Vec<String>>,
}

impl NaiveConstraint {
    /// Class of a row of the new release: its texts in X.
    pub fn class(&self, row: &[String]) -> Vec<String> {
        self.x.iter().filter(|at| at.release == 0).map(|at| row[at.column].clone()).collect()
    }

    /// Whether the earlier releases alone violate the constraint at least as much for a value on X.
    fn is_excused(
        &self,
        releases: &[&PublishedRows],
        x: &[String],
        (tuples, with): (u64, &BTreeMap<Vec<String>, u64>),
        before: &[Vec<usize>],
    ) -> bool {
        let known: Vec<(&ColumnRef, &String)> = self.x.iter().zip(x).filter(|(at, _)| at.release > 0).collect();
        if known.is_empty() || self.is_explicit {
            return false;
        }
        let cell = |tuple: &[usize], at: &ColumnRef| &releases[at.release].rows[tuple[at.release - 1]][at.column];
        let same: Vec<&Vec<usize>> =
            before.iter().filter(|tuple| known.iter().all(|(at, text)| cell(tuple, at) == *text)).collect();
        if self.y.iter().any(|of| of.release() == 0) {
            return false;
        }
        let mut counts: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for tuple in &same {
            let y = self.y.iter().map(|of| match of {
                Counted::Column(at) => cell(tuple, at).clone(),
                Counted::People(release) => releases[*release].people[tuple[release - 1]].to_string(),
            });
            *counts.entry(y.collect()).or_default() += 1;
        }
        match &self.limit {
            Limit::AtLeast(_) => with.len() >= counts.len(),
            Limit::Entropy(_) | Limit::Recursive(..) | Limit::Closeness(_) => {
                let share = |y: &Vec<String>| counts.get(y).copied().unwrap_or(0) * tuples;
                with.len() == counts.len() && with.iter().all(|(y, count)| count * same.len() as u64 == share(y))
            }
            Limit::AtMost(general, own) => with.iter().all(|(y, count)| {
                let suppressed = match self.y.iter().collect::<Vec<_>>().as_slice() {
                    [Counted::Column(at)] => releases[at.release].columns[at.column].meaning(&y[0]) == Meaning::Any,
                    _ => false,
                };
                let bound =
                    own.iter().find(|(value, _)| y.len() == 1 && *value == y[0]).map(|(_, bound)| *bound).or(*general);
                suppressed
                    || bound.is_none_or(|bound| count * 1000 <= bound * tuples)
                    || count * same.len() as u64 <= counts.get(y).copied().unwrap_or(0) * tuples
            }),
        }
    }

    /// Judges the join. `before` is the join of the earlier releases without the new one: what it violates already may be violated as
    /// much, but not more.
    pub fn judge(&self, releases: &[&PublishedRows], join: &[Vec<usize>], before: &[Vec<usize>]) -> NaiveResult {
        let text = |tuple: &Vec<usize>, at: &ColumnRef| releases[at.release].rows[tuple[at.release]][at.column].clone();
        // For each x: number of tuples, number of tuples of each y, class of the new release.
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
        let mut found = NaiveResult::default();
        let mut by_class: BTreeMap<&Vec<String>, f64> = BTreeMap::new();
        let mut broken: BTreeSet<&Vec<String>> = BTreeSet::new();
        for (x, (tuples, with, class)) in &groups {
            let mut too_large = None;
            let (safety, holds) = match &self.limit {
                Limit::AtLeast(least) => (Some(with.len() as f64), with.len() as u64 >= *least),
                Limit::Entropy(l) => {
                    let (l, uniform) = (*l as f64 / 1000.0, with.values().min() == with.values().max());
                    let shares = with.values().map(|count| *count as f64 / *tuples as f64);
                    let effective = shares.map(|share| -share * share.ln()).sum::<f64>().exp();
                    let effective = if uniform { with.len() as f64 } else { effective };
                    (Some(effective), if uniform { effective >= l } else { effective > l * (1.0 + 1e-9) })
                }
                Limit::Recursive(c, l) => {
                    let divisor = (1..=*tuples).rev().find(|n| with.values().all(|count| count.is_multiple_of(*n)));
                    let mut counts: Vec<u64> = with.values().map(|count| count / divisor.unwrap()).collect();
                    counts.sort_unstable();
                    counts.reverse();
                    let rare: u64 = counts.iter().skip(l - 1).sum();
                    let ratio = if rare == 0 { 2.0 * counts[0] as f64 } else { counts[0] as f64 / rare as f64 };
                    (Some(-ratio), rare > 0 && counts[0] * 1000 < c * rare)
                }
                Limit::Closeness(t) => {
                    let Some(Counted::Column(at)) = self.y.first() else { panic!("a distance needs a column") };
                    let rows = &releases[at.release].rows;
                    let values: BTreeSet<&String> = rows.iter().map(|row| &row[at.column]).collect();
                    // Twice the distance, times the records and the tuples.
                    let twice = values.into_iter().map(|value| {
                        let all = rows.iter().filter(|row| row[at.column] == *value).count() as u64;
                        let here = with.get(&vec![value.clone()]).copied().unwrap_or(0);
                        (here * rows.len() as u64).abs_diff(all * tuples)
                    });
                    let (twice, unit) = (twice.sum::<u64>(), 2 * rows.len() as u64 * tuples);
                    (Some(-(twice as f64 / unit as f64)), twice * 1000 <= t * unit)
                }
                Limit::AtMost(general, own) => {
                    let bound = |y: &Vec<String>| match y.as_slice() {
                        [only] => own.iter().find(|(value, _)| value == only).map(|(_, bound)| *bound).or(*general),
                        _ => *general,
                    };
                    // A suppressed value discloses nothing and has no bound.
                    let known = match self.y.iter().collect::<Vec<_>>().as_slice() {
                        [Counted::Column(at)] => Some(&releases[at.release].columns[at.column]),
                        _ => None,
                    };
                    let is_disclosing =
                        |y: &Vec<String>| known.is_none_or(|known| known.meaning(&y[0]) != Meaning::Any);
                    let disclosing = with.iter().filter(|(y, _)| is_disclosing(y));
                    let bounded: Vec<(u64, u64)> =
                        disclosing.filter_map(|(y, count)| Some((*count, bound(y)?))).collect();
                    let largest = bounded.iter().map(|(count, _)| *count).max();
                    let safety = largest.map(|largest| -(largest as f64 / *tuples as f64));
                    let over = bounded.iter().filter(|(count, bound)| count * 1000 > bound * tuples);
                    too_large = over.map(|(count, _)| *count).max().map(|largest| -(largest as f64 / *tuples as f64));
                    (safety, bounded.iter().all(|(count, bound)| count * 1000 <= bound * tuples))
                }
            };
            let holds = holds || self.is_excused(releases, x, (*tuples, with), before);
            if !holds {
                broken.insert(class);
                found.violating.insert(x.clone());
            }
            if let Some(seen) = too_large.filter(|_| !holds).or(safety.filter(|_| !holds)) {
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
