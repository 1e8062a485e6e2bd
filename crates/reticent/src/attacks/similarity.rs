//! Similarity: the values of a group differ and are all of one kind, or all near each other.
//!
//! Attack   looks for the lowest inner value of the sensitive column's taxonomy that enough of a group lies below; and, for
//!          numbers, for the narrowest interval that enough of a group lies in (proximity).
//! Assumes  that the person is in the release, and that their quasi-identifiers are known.
//! Measure  the share of the group's people below the value or in the interval, where somebody with several values counts once for each;
//!          only what is not so of all is reported. Where enough are not all, what all have in common is reported besides.
//! Paper    Li, Li and Venkatasubramanian, t-closeness, ICDE 2007 (similarity); Zhang et al., ICDE 2007, and Li, Tao and
//!          Xiao, SIGMOD 2008 (proximity); survey section 2.2.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, have, people_of};
use super::groups::{Seen, visit_groups};
use super::scene::{Scene, Unchecked};
use super::{Listed, LooksAt, Result};
use crate::combos::Weight;
use crate::history::Held;
use crate::interval::Interval;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::release::PublishedColumn;
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
    comparison: false,
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
    let width = scene.arguments(&ENTRY)?.number("width")?;
    let mut unchecked = Unchecked::of(scene);
    let (mut findings, mut without) = (Vec::new(), BTreeSet::new());
    // Of the column of a release whose groups are visited now.
    let mut of: Option<((*const Held, usize), Option<Kinds>)> = None;
    visit_groups(scene, &ENTRY, &mut unchecked, |seen| {
        let place = (std::ptr::from_ref(seen.held), seen.column);
        if of.as_ref().is_none_or(|(known, _)| *known != place) {
            of = Some((place, Kinds::of(seen.published(), seen.whole.counts, width)));
        }
        let Some((_, Some(kinds))) = &of else {
            without.insert(format!(
                "`{}` of {} has neither numbers nor a taxonomy",
                seen.published().name,
                called(seen.held)
            ));
            return;
        };
        if seen.counts.len() < 2 {
            return;
        }
        let mut found: Vec<Found> = Vec::new();
        for least in [scene.confidence, Share::new(1, 1)] {
            let one = kinds.found(seen.published(), seen.counts, seen.shown, least);
            found.extend(one.filter(|one| found.iter().all(|known| known.label != one.label)));
        }
        findings.extend(found.into_iter().map(|found| finding(&seen, found)));
    })?;
    without.into_iter().for_each(|why| unchecked.push(why));
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
    fn of(column: &PublishedColumn, counts: &[(Code, Weight)], width: f64) -> Option<Kinds> {
        let codes = || counts.iter().map(|(code, _)| *code);
        if let Some(values) = scale(column, codes()) {
            let bounds = codes().filter_map(|code| bounds(column, values, code));
            let range = bounds
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (from, to)| (low.min(from), high.max(to)));
            return (range.1 >= range.0).then_some(Kinds::Near(values, (range.1 - range.0) * width));
        }
        let below = below(column, counts);
        (!below.is_empty()).then(|| Kinds::Below(below, counts.iter().map(|(_, people)| people).sum()))
    }

    /// What so many of a group have in common, of whom so many carry each value; somebody with several records may carry several.
    fn found(
        &self,
        column: &PublishedColumn,
        counts: &[(Code, Weight)],
        people: Weight,
        least: Share,
    ) -> Option<Found> {
        let records: Weight = counts.iter().map(|(_, people)| *people).sum::<Weight>().max(people);
        match self {
            Kinds::Near(values, width) => near(column, *values, counts, (*width, records), least),
            Kinds::Below(whole, all) => {
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

/// By inner value, the root left out: how many lie below it, or are published as it.
fn below(column: &PublishedColumn, counts: &[(Code, Weight)]) -> BTreeMap<NodeId, Weight> {
    let mut below = BTreeMap::new();
    for (code, records) in counts {
        let mut node = column.tree.node(column.nodes[*code as usize]);
        if column.nodes[*code as usize] != 0 && !node.children.is_empty() {
            *below.entry(column.nodes[*code as usize]).or_insert(0) += records;
        }
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
fn near(
    column: &PublishedColumn,
    values: Type,
    counts: &[(Code, Weight)],
    (width, records): (f64, Weight),
    least: Share,
) -> Option<Found> {
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

fn finding(seen: &Seen<'_>, found: Found) -> Finding {
    let (class, people, name) = (seen.class.clone(), seen.people, &seen.published().name);
    let certain = found.share == Share::new(1, 1);
    let most = if certain { "" } else { "mostly " };
    let what = if found.near { "values near each other" } else { "values of one kind" };
    let place = called(seen.held);
    let words = format!("{} {} {most}{what} of {name} in {place}", people_of(people, &class), have(people));
    Finding {
        attack: ENTRY.id,
        releases: vec![seen.held.number],
        people,
        records: Some(found.records),
        confidence: Confidence::Exact(found.share),
        certain,
        class,
        column: Some(name.clone()),
        value: Some(Value { code: None, label: found.label }),
        words,
    }
}
