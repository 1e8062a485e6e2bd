//! Similarity: the values of a group differ and are all of one kind, or all near each other.
//!
//! Attack   looks for the lowest inner value of the sensitive column's taxonomy that enough of a group lies below; and, for
//!          numbers, for the narrowest interval that enough of a group lies in (proximity).
//! Assumes  that the person is in the release, and that their quasi-identifiers are known.
//! Measure  the share of the group's records below the value or in the interval; only what is not so of all is reported.
//! Paper    Li, Li and Venkatasubramanian, t-closeness, ICDE 2007 (similarity); Zhang et al., ICDE 2007, and Li, Tao and
//!          Xiao, SIGMOD 2008 (proximity); survey section 2.2.

use std::collections::BTreeMap;

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Groups, people_by_group, with_role};
use super::scene::{Scene, Unchecked, releases};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::interval::Interval;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::{Code, NodeId, Type, is_code, scale_text};

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "similarity",
    title: "similarity",
    summary: "Finds the groups whose sensitive values differ but are all of one kind, or lie near each other.",
    paper: "Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007; survey section 2.2",
    thwarts: "whose sensitive value is known well enough without being known exactly",
    parameters: &[Parameter {
        name: "width",
        domain: Domain::Number(0.0, 1.0),
        default: Some("0.25"),
        meaning: "numbers lie near each other in an interval of this part of the column's range",
    }],
    evidence: &[
        "attacks::tests::single::similarity_of_salaries",
        "attacks::tests::single::similarity_of_illnesses",
        "broken::attacks",
    ],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let width = scene.arguments(&ENTRY)?.number("width");
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    for held in releases(scene, &ENTRY, 1)? {
        let groups = Groups::of(held)?;
        let people = people_by_group(&groups)?;
        let mut looked = false;
        for column in with_role(&held.release, Role::Sensitive) {
            let published = &held.release.columns[column];
            let counts = groups.counts(column);
            looked = true;
            let Some(kinds) = Kinds::of(published, &counts, width) else {
                let (name, held) = (&published.name, called(held));
                unchecked.push(format!("`{name}` of {held} has neither numbers nor a taxonomy"));
                continue;
            };
            for (group, counts) in counts.iter().enumerate().filter(|(_, counts)| counts.len() > 1) {
                let found = kinds.found(published, counts, scene.confidence);
                findings.extend(found.map(|found| finding(&groups, group, people[group], &published.name, found)));
            }
        }
        if !looked {
            unchecked.push(format!("{} has no sensitive column", called(held)));
        }
    }
    conclude(&ENTRY, findings, unchecked)
}

/// What enough of a group has in common.
struct Found {
    label: String,
    records: Weight,
    share: Share,
    near: bool,
}

/// What can be similar in a column.
enum Kinds {
    /// Numbers or days, in an interval no wider than this.
    Near(Type, f64),
    /// By inner value of the taxonomy: records of the whole release below it; and all records.
    Below(BTreeMap<NodeId, Weight>, Weight),
}

impl Kinds {
    /// None where nothing is known of how values are related.
    fn of(column: &PublishedColumn, counts: &[Vec<(Code, Weight)>], width: f64) -> Option<Kinds> {
        let codes = || counts.iter().flatten().map(|(code, _)| *code);
        if let Some(values) = scale(column, codes()) {
            let bounds = codes().filter_map(|code| bounds(column, values, code));
            let range = bounds
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (from, to)| (low.min(from), high.max(to)));
            return (range.1 >= range.0).then_some(Kinds::Near(values, (range.1 - range.0) * width));
        }
        let all: Vec<(Code, Weight)> = counts.iter().flatten().copied().collect();
        let below = below(column, &all);
        (!below.is_empty()).then(|| Kinds::Below(below, all.iter().map(|(_, records)| records).sum()))
    }

    fn found(&self, column: &PublishedColumn, counts: &[(Code, Weight)], least: Share) -> Option<Found> {
        match self {
            Kinds::Near(values, width) => near(column, *values, counts, *width, least),
            Kinds::Below(whole, all) => {
                let records: Weight = counts.iter().map(|(_, records)| records).sum();
                let common = below(column, counts).into_iter().filter(|(node, inside)| {
                    let share = Share::new(*inside, records);
                    share >= least && share > Share::new(whole.get(node).copied().unwrap_or(0), *all)
                });
                let lowest = common.max_by_key(|(node, inside)| (column.tree.node(*node).depth, *inside, *node));
                lowest.map(|(node, inside)| Found {
                    label: column.tree.node(node).label.clone(),
                    records: inside,
                    share: Share::new(inside, records),
                    near: false,
                })
            }
        }
    }
}

/// By inner value, the root left out: how many records lie below it.
fn below(column: &PublishedColumn, counts: &[(Code, Weight)]) -> BTreeMap<NodeId, Weight> {
    let mut below = BTreeMap::new();
    for (code, records) in counts {
        let mut node = column.tree.node(column.nodes[*code as usize]);
        while let Some(parent) = node.parent.filter(|parent| *parent != 0) {
            *below.entry(parent).or_insert(0) += records;
            node = column.tree.node(parent);
        }
    }
    below
}

/// What is behind the values where they have an order: of sensitive columns that were read back nothing but texts is known.
fn scale(column: &PublishedColumn, codes: impl Iterator<Item = Code> + Clone) -> Option<Type> {
    if column.tree.value_type() != Type::Text {
        return Some(column.tree.value_type());
    }
    let reads = |values: &Type| {
        codes.clone().all(|code| !is_code(column.label(code)) && Interval::parse(*values, column.label(code)).is_some())
    };
    [Type::Number, Type::Date].into_iter().find(reads)
}

/// The numbers or days that a cell says, when it says a bounded interval.
fn bounds(column: &PublishedColumn, values: Type, code: Code) -> Option<(f64, f64)> {
    let known = column.tree.interval(column.nodes[code as usize]);
    let interval = known.or_else(|| Interval::parse(values, column.label(code)))?;
    interval.low.zip(interval.high)
}

/// The narrowest interval that enough records lie in.
fn near(column: &PublishedColumn, values: Type, counts: &[(Code, Weight)], width: f64, least: Share) -> Option<Found> {
    let records: Weight = counts.iter().map(|(_, records)| records).sum();
    let known = counts
        .iter()
        .filter_map(|(code, records)| bounds(column, values, *code).map(|(low, high)| (low, high, *records)));
    let mut known: Vec<(f64, f64, Weight)> = known.collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut best: Option<(f64, f64, Weight)> = None;
    let mut ahead: Weight = known.iter().map(|(_, _, records)| records).sum();
    for first in 0..known.len() {
        if Share::new(ahead, records) < least {
            break;
        }
        ahead -= known[first].2;
        let (mut high, mut inside) = (f64::NEG_INFINITY, 0);
        for (_, to, records_here) in &known[first..] {
            (high, inside) = (high.max(*to), inside + records_here);
            if high - known[first].0 > width {
                break;
            }
            if Share::new(inside, records) >= least {
                let narrower = best.is_none_or(|(low, to, _)| high - known[first].0 < to - low);
                best = if narrower { Some((known[first].0, high, inside)) } else { best };
                break;
            }
        }
    }
    best.map(|(low, high, inside)| Found {
        label: format!("[{},{}]", scale_text(values, low), scale_text(values, high)),
        records: inside,
        share: Share::new(inside, records),
        near: true,
    })
}

fn finding(groups: &Groups<'_>, group: usize, people: Weight, name: &str, found: Found) -> Finding {
    let class = groups.cells(group);
    let certain = found.share == Share::new(1, 1);
    let most = if certain { "" } else { "mostly " };
    let what = if found.near { "values near each other" } else { "values of one kind" };
    let place = called(groups.held);
    let words = format!("{} {} {most}{what} of {name} in {place}", people_of(people, &class), have(people));
    Finding {
        attack: ENTRY.id,
        releases: vec![groups.held.number],
        people,
        records: Some(found.records),
        confidence: Confidence::Exact(found.share),
        certain,
        class,
        column: Some(name.to_owned()),
        value: Some(Value { code: None, label: found.label }),
        words,
    }
}
