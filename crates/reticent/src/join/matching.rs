//! Matching: published values of two releases that can represent the same original value.
//!
//! Definition  A published value represents the values below it in its taxonomy, or in its interval. Two published values
//!             match if they represent a common value. In one taxonomy they are on one path from the root. Numbers and
//!             dates match if their intervals overlap. In two taxonomies of one attribute they have a common leaf.
//!             A suppressed cell matches everything. A missing value matches missing and suppressed values.
//!             A set of values matches what one of its parts matches.
//!             A star represents one character, and at the end of a text any suffix.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 3.2, which excludes numbers.
//! Law         Generalization of a value preserves its matches.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use crate::data::interval::{Interval, is_masked, masked_interval, masks_match};
use crate::data::taxonomy::{NodeId, Taxonomy, Type};
use crate::release::PublishedColumn;

/// Matching codes of `other` in ascending order, by published code of `one`.
pub(crate) fn matches(one: &PublishedColumn, other: &PublishedColumn) -> Vec<Vec<u32>> {
    let others = Index::new(other);
    one.nodes.iter().map(|node| others.matching(&meanings(&one.tree, *node))).collect()
}

/// Finds the codes of a column that match a published value.
pub(crate) struct Matcher<'a>(Index<'a>);

impl<'a> Matcher<'a> {
    /// Creates a matcher for a column.
    pub(crate) fn new(column: &'a PublishedColumn) -> Matcher<'a> {
        Matcher(Index::new(column))
    }

    /// Codes that match a node of another column's taxonomy, ascending.
    pub(crate) fn node(&self, tree: &Taxonomy, id: NodeId) -> Vec<u32> {
        self.0.matching(&meanings(tree, id))
    }

    /// Codes that match an interval of numbers or days, ascending.
    pub(crate) fn interval(&self, values: Type, interval: Interval) -> Vec<u32> {
        self.0.matching(&[Meaning::Interval(values, interval)])
    }
}

/// Returns true if values of two columns can be compared. Numbers and dates are not comparable.
pub(crate) fn comparable(one: &PublishedColumn, other: &PublishedColumn) -> bool {
    !matches!((one.tree.value_type(), other.tree.value_type()), (Type::Number, Type::Date) | (Type::Date, Type::Number))
}

/// Original values that a published value represents.
enum Meaning<'a> {
    /// Any value (a suppressed cell).
    Anything,
    /// A missing value.
    Missing,
    /// Numbers or days in an interval.
    Interval(Type, Interval),
    /// Values of a taxonomy, and the label if it is masked.
    Texts(&'a [String], Option<&'a str>),
}

/// Returns what a published value represents. A set of values represents what its parts represent.
fn meanings(tree: &Taxonomy, id: NodeId) -> Vec<Meaning<'_>> {
    match tree.interval(id) {
        Some(_) => vec![meaning(tree, id)],
        None => tree.nodes_of(id).map(|part| meaning(tree, part)).collect(),
    }
}

fn meaning(tree: &Taxonomy, id: NodeId) -> Meaning<'_> {
    let node = tree.node(id);
    let is_missing = node.span.len() == 1 && tree.missing() == Some(node.span.start);
    match (tree.value_type(), tree.interval(id)) {
        _ if id == 0 => Meaning::Anything,
        _ if is_missing => Meaning::Missing,
        (values @ (Type::Number | Type::Date), Some(interval)) => Meaning::Interval(values, interval),
        _ => {
            let below = &tree.values()[node.span.start as usize..node.span.end as usize];
            Meaning::Texts(below, Some(node.label.as_str()).filter(|label| is_masked(label)))
        }
    }
}

/// Index of the published values of a column by their meaning.
struct Index<'a> {
    values: Type,
    anything: Vec<u32>,
    missing: Vec<u32>,
    /// Codes by value of the taxonomy.
    texts: HashMap<&'a str, Vec<u32>>,
    /// Masked labels and values, with their codes.
    masked: Vec<(&'a str, u32)>,
    /// Intervals with their codes, ascending by lower bound.
    intervals: Vec<(Interval, u32)>,
    /// Interval with the highest upper bound among `intervals[..=i]`, by index. Gives the start of a search.
    reach: Vec<Interval>,
}

impl<'a> Index<'a> {
    fn new(column: &'a PublishedColumn) -> Index<'a> {
        let mut index = Index {
            values: column.tree.value_type(),
            anything: Vec::new(),
            missing: Vec::new(),
            texts: HashMap::new(),
            masked: Vec::new(),
            intervals: Vec::new(),
            reach: Vec::new(),
        };
        let published = column.nodes.iter().zip(0..);
        let published = published
            .flat_map(|(node, code)| meanings(&column.tree, *node).into_iter().map(move |meaning| (meaning, code)));
        for (meaning, code) in published {
            match meaning {
                Meaning::Anything => index.anything.push(code),
                Meaning::Missing => index.missing.push(code),
                Meaning::Interval(_, interval) => index.intervals.push((interval, code)),
                Meaning::Texts(texts, mask) => {
                    texts.iter().for_each(|text| index.texts.entry(text.as_str()).or_default().push(code));
                    let masked = texts.iter().map(String::as_str).filter(|text| is_masked(text));
                    index.masked.extend(masked.chain(mask).map(|label| (label, code)));
                }
            }
        }
        index.intervals.sort_by(|(one, _), (other, _)| one.cmp_low(other));
        for (interval, _) in &index.intervals {
            let reach = index.reach.last().filter(|reach| interval.cmp_high(reach).is_lt()).unwrap_or(interval);
            index.reach.push(*reach);
        }
        index
    }

    /// Codes that match one of the meanings, ascending.
    fn matching(&self, meanings: &[Meaning<'_>]) -> Vec<u32> {
        let mut codes = self.anything.clone();
        for meaning in meanings {
            match meaning {
                Meaning::Anything => codes.extend(self.everything()),
                Meaning::Missing => codes.extend(&self.missing),
                Meaning::Interval(values, interval) => codes.extend(self.overlapping(*values, interval)),
                Meaning::Texts(texts, mask) => {
                    texts.iter().for_each(|text| codes.extend(self.representing(text)));
                    let masked = texts.iter().map(String::as_str).filter(|text| is_masked(text));
                    masked.chain(*mask).for_each(|label| codes.extend(self.masked_by(label)));
                }
            }
        }
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    fn everything(&self) -> impl Iterator<Item = u32> {
        let texts = self.texts.values().flatten().copied();
        let masked = self.masked.iter().map(|(_, code)| *code);
        texts.chain(masked).chain(self.missing.iter().copied()).chain(self.intervals.iter().map(|(_, code)| *code))
    }

    /// Codes of overlapping intervals, and of taxonomy values in the interval.
    fn overlapping(&self, values: Type, interval: &Interval) -> Vec<u32> {
        let begin = self.reach.partition_point(|reach| reach.ends_before(interval));
        let near = self.intervals[begin..].iter().take_while(|(other, _)| !interval.ends_before(other));
        let mut codes: Vec<u32> = near.filter(|(other, _)| other.overlaps(interval)).map(|(_, code)| *code).collect();
        if self.values == Type::Text {
            let inside = |text: &str| Interval::parse(values, text).is_some_and(|read| read.overlaps(interval));
            codes.extend(self.texts.iter().filter(|(text, _)| inside(text)).flat_map(|(_, codes)| codes));
            let inside = |label: &str| masked_interval(values, label).is_some_and(|read| read.overlaps(interval));
            codes.extend(self.masked.iter().filter(|(label, _)| inside(label)).map(|(_, code)| code));
        }
        codes
    }

    /// Codes that represent a value: ancestors, matching masks and intervals that contain it.
    fn representing(&self, text: &str) -> Vec<u32> {
        let mut codes = self.texts.get(text).cloned().unwrap_or_default();
        codes.extend(self.masked.iter().filter(|(label, _)| masks_match(label, text)).map(|(_, code)| code));
        if let Some(interval) = Interval::parse(self.values, text).filter(|_| !self.intervals.is_empty()) {
            codes.extend(self.overlapping(self.values, &interval));
        }
        codes
    }

    /// Codes that match a masked text.
    fn masked_by(&self, label: &str) -> Vec<u32> {
        let texts = self.texts.iter().filter(|(text, _)| masks_match(label, text)).flat_map(|(_, codes)| codes);
        let masked = self.masked.iter().filter(|(other, _)| masks_match(label, other)).map(|(_, code)| code);
        let inside = masked_interval(self.values, label).map(|interval| self.overlapping(self.values, &interval));
        texts.chain(masked).copied().chain(inside.unwrap_or_default()).collect()
    }
}
