//! Matching: which published values of two releases can stand for the same value, as an attacker would take them.
//!
//! Definition  a published value stands for the values below it in its taxonomy, or in its interval; two match when some value
//!             is behind both. In one taxonomy that is being on one path from the root; for numbers and dates it is that
//!             their intervals overlap; in two taxonomies of the same attribute it is a leaf that both have below them.
//!             A suppressed cell matches everything; a missing value matches a missing value, and what is suppressed.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 3.2, which leaves numbers out.
//! Law         generalizing a value never turns a match into none.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use crate::interval::{Interval, masked_prefix};
use crate::release::PublishedColumn;
use crate::taxonomy::{NodeId, Taxonomy, Type};

/// By published code of one column: the codes of another that can stand for the same value, ascending.
pub fn matches(one: &PublishedColumn, other: &PublishedColumn) -> Vec<Vec<u32>> {
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

    /// The codes that can stand for a number or day in this interval, ascending.
    pub(crate) fn interval(&self, interval: Interval) -> Vec<u32> {
        self.0.matching(&Stands::Interval(interval))
    }
}

/// What a published value stands for.
enum Stands<'a> {
    /// Whatever there is.
    Anything,
    /// No value.
    Missing,
    /// Numbers or days.
    Interval(Interval),
    /// Values of a taxonomy.
    Texts(&'a [String]),
    /// Every text that begins like this one, up to its stars.
    Masked(&'a str),
}

fn stands(tree: &Taxonomy, id: NodeId) -> Stands<'_> {
    let node = tree.node(id);
    let is_missing = node.codes.len() == 1 && tree.missing() == Some(node.codes.start);
    match (tree.value_type(), tree.interval(id)) {
        _ if id == 0 => Stands::Anything,
        _ if is_missing => Stands::Missing,
        (Type::Number | Type::Date, Some(interval)) => Stands::Interval(interval),
        _ => match masked_prefix(&node.label) {
            Some(_) => Stands::Masked(&node.label),
            None => Stands::Texts(&tree.values()[node.codes.start as usize..node.codes.end as usize]),
        },
    }
}

/// The published values of a column, by what they stand for.
struct Index<'a> {
    values: Type,
    anything: Vec<u32>,
    missing: Vec<u32>,
    /// By value of the taxonomy: the codes that stand for it.
    texts: HashMap<&'a str, Vec<u32>>,
    /// By label.
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
                Stands::Interval(interval) => index.intervals.push((interval, code)),
                Stands::Masked(label) => index.masked.push((label, code)),
                Stands::Texts(texts) => {
                    texts.iter().for_each(|text| index.texts.entry(text.as_str()).or_default().push(code));
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
            Stands::Interval(interval) => codes.extend(self.overlapping(interval)),
            Stands::Texts(texts) => texts.iter().for_each(|text| codes.extend(self.standing_for(text))),
            Stands::Masked(label) => codes.extend(self.beginning_like(label)),
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
    fn overlapping(&self, interval: &Interval) -> Vec<u32> {
        let begin = self.reach.partition_point(|reach| reach.ends_before(interval));
        let near = self.intervals[begin..].iter().take_while(|(other, _)| !interval.ends_before(other));
        let mut codes: Vec<u32> = near.filter(|(other, _)| other.overlaps(interval)).map(|(_, code)| *code).collect();
        if self.values == Type::Text {
            let read = |text: &str| Interval::parse(Type::Number, text).or_else(|| Interval::parse(Type::Date, text));
            let inside = |text: &str| read(text).is_some_and(|read| read.overlaps(interval));
            codes.extend(self.texts.iter().filter(|(text, _)| inside(text)).flat_map(|(_, codes)| codes));
            codes.extend(self.masked.iter().filter(|(label, _)| inside(label)).map(|(_, code)| code));
        }
        codes
    }

    /// What stands for one value: nodes above it, masks that it begins like, intervals that it lies in.
    fn standing_for(&self, text: &str) -> Vec<u32> {
        let mut codes = self.texts.get(text).cloned().unwrap_or_default();
        codes.extend(self.masked.iter().filter(|(label, _)| text.starts_with(shown(label))).map(|(_, code)| code));
        if let Some(interval) = Interval::parse(self.values, text).filter(|_| !self.intervals.is_empty()) {
            codes.extend(self.overlapping(&interval));
        }
        codes
    }

    fn beginning_like(&self, label: &str) -> Vec<u32> {
        let prefix = shown(label);
        let begins = |other: &str| shown(other).starts_with(prefix) || prefix.starts_with(shown(other));
        let texts = self.texts.iter().filter(|(text, _)| text.starts_with(prefix)).flat_map(|(_, codes)| codes);
        let masked = self.masked.iter().filter(|(other, _)| begins(other)).map(|(_, code)| code);
        let inside = Interval::parse(self.values, label).map(|interval| self.overlapping(&interval));
        texts.chain(masked).copied().chain(inside.unwrap_or_default()).collect()
    }
}

/// What a masked label shows.
fn shown(label: &str) -> &str {
    masked_prefix(label).unwrap_or(label)
}
