//! Matching: which published values of two releases can stand for the same value, as an attacker would take them.
//!
//! Definition  a published value stands for the values below it in its taxonomy, or in its interval; two match when some value
//!             is behind both. In one taxonomy that is being on one path from the root; for numbers and dates it is that
//!             their intervals overlap; in two taxonomies of the same attribute it is a leaf that both have below them.
//!             A suppressed cell matches everything; a missing value matches a missing value, and what is suppressed.
//!             Stars hide a letter each, and at the end of a text whatever follows.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 3.2, which leaves numbers out.
//! Law         generalizing a value never turns a match into none.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use crate::interval::{Interval, is_masked, masked_interval, masks_meet};
use crate::release::PublishedColumn;
use crate::taxonomy::{NodeId, Taxonomy, Type};

/// By published code of one column: the codes of another that can stand for the same value, ascending.
pub(crate) fn matches(one: &PublishedColumn, other: &PublishedColumn) -> Vec<Vec<u32>> {
    let others = Index::of(other);
    one.nodes.iter().map(|node| others.matching(&stands(&one.tree, *node))).collect()
}

/// What single published values match in one column.
pub(crate) struct Matcher<'a>(Index<'a>);

impl<'a> Matcher<'a> {
    /// In this column.
    pub(crate) fn of(column: &'a PublishedColumn) -> Matcher<'a> {
        Matcher(Index::of(column))
    }

    /// The codes that can stand for the same value as a node of another column's taxonomy, ascending.
    pub(crate) fn node(&self, tree: &Taxonomy, id: NodeId) -> Vec<u32> {
        self.0.matching(&stands(tree, id))
    }

    /// The codes that can stand for a number, or a day, in this interval, ascending.
    pub(crate) fn interval(&self, values: Type, interval: Interval) -> Vec<u32> {
        self.0.matching(&Stands::Interval(values, interval))
    }
}

/// Whether values of two columns can be compared: numbers and days cannot, whatever they are written like.
pub(crate) fn comparable(one: &PublishedColumn, other: &PublishedColumn) -> bool {
    !matches!((one.tree.value_type(), other.tree.value_type()), (Type::Number, Type::Date) | (Type::Date, Type::Number))
}

/// What a published value stands for.
enum Stands<'a> {
    /// Whatever there is.
    Anything,
    /// No value.
    Missing,
    /// Numbers or days.
    Interval(Type, Interval),
    /// Values of a taxonomy; and where stars hide a part of the label, every text that they can hide a part of.
    Texts(&'a [String], Option<&'a str>),
}

fn stands(tree: &Taxonomy, id: NodeId) -> Stands<'_> {
    let node = tree.node(id);
    let is_missing = node.codes.len() == 1 && tree.missing() == Some(node.codes.start);
    match (tree.value_type(), tree.interval(id)) {
        _ if id == 0 => Stands::Anything,
        _ if is_missing => Stands::Missing,
        (values @ (Type::Number | Type::Date), Some(interval)) => Stands::Interval(values, interval),
        _ => {
            let below = &tree.values()[node.codes.start as usize..node.codes.end as usize];
            Stands::Texts(below, Some(node.label.as_str()).filter(|label| is_masked(label)))
        }
    }
}

/// The published values of a column, by what they stand for.
struct Index<'a> {
    values: Type,
    anything: Vec<u32>,
    missing: Vec<u32>,
    /// By value of the taxonomy: the codes that stand for it.
    texts: HashMap<&'a str, Vec<u32>>,
    /// Labels and values in which stars hide something.
    masked: Vec<(&'a str, u32)>,
    /// Ascending by lower bound; and with each, the highest upper bound so far, so that a search knows where to begin.
    intervals: Vec<(Interval, u32)>,
    reach: Vec<Interval>,
}

impl<'a> Index<'a> {
    fn of(column: &'a PublishedColumn) -> Index<'a> {
        let mut index = Index {
            values: column.tree.value_type(),
            anything: Vec::new(),
            missing: Vec::new(),
            texts: HashMap::new(),
            masked: Vec::new(),
            intervals: Vec::new(),
            reach: Vec::new(),
        };
        for (node, code) in column.nodes.iter().zip(0..) {
            match stands(&column.tree, *node) {
                Stands::Anything => index.anything.push(code),
                Stands::Missing => index.missing.push(code),
                Stands::Interval(_, interval) => index.intervals.push((interval, code)),
                Stands::Texts(texts, mask) => {
                    texts.iter().for_each(|text| index.texts.entry(text.as_str()).or_default().push(code));
                    let masked = texts.iter().map(String::as_str).filter(|text| is_masked(text));
                    index.masked.extend(masked.chain(mask).map(|label| (label, code)));
                }
            }
        }
        index.intervals.sort_by(|(one, _), (other, _)| one.by_low(other));
        for (interval, _) in &index.intervals {
            let reach = index.reach.last().filter(|reach| interval.by_high(reach).is_lt()).unwrap_or(interval);
            index.reach.push(*reach);
        }
        index
    }

    fn matching(&self, what: &Stands<'_>) -> Vec<u32> {
        let mut codes = self.anything.clone();
        match what {
            Stands::Anything => codes.extend(self.everything()),
            Stands::Missing => codes.extend(&self.missing),
            Stands::Interval(values, interval) => codes.extend(self.overlapping(*values, interval)),
            Stands::Texts(texts, mask) => {
                texts.iter().for_each(|text| codes.extend(self.standing_for(text)));
                let masked = texts.iter().map(String::as_str).filter(|text| is_masked(text));
                masked.chain(*mask).for_each(|label| codes.extend(self.masked_by(label)));
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

    /// Intervals that overlap, and values of a taxonomy that lie inside.
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

    /// What stands for one value: nodes above it, masks that can hide a part of it, intervals that it lies in.
    fn standing_for(&self, text: &str) -> Vec<u32> {
        let mut codes = self.texts.get(text).cloned().unwrap_or_default();
        codes.extend(self.masked.iter().filter(|(label, _)| masks_meet(label, text)).map(|(_, code)| code));
        if let Some(interval) = Interval::parse(self.values, text).filter(|_| !self.intervals.is_empty()) {
            codes.extend(self.overlapping(self.values, &interval));
        }
        codes
    }

    /// What a masked text can stand for.
    fn masked_by(&self, label: &str) -> Vec<u32> {
        let texts = self.texts.iter().filter(|(text, _)| masks_meet(label, text)).flat_map(|(_, codes)| codes);
        let masked = self.masked.iter().filter(|(other, _)| masks_meet(label, other)).map(|(_, code)| code);
        let inside = masked_interval(self.values, label).map(|interval| self.overlapping(self.values, &interval));
        texts.chain(masked).copied().chain(inside.unwrap_or_default()).collect()
    }
}
