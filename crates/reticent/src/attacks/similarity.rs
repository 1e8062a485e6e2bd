//! Similarity: the sensitive values of a group are distinct but semantically similar.
//!
//! Attack   finds the lowest inner node of the taxonomy of the sensitive column that covers a sufficient share of a group. For
//!          numbers and dates, it finds the narrowest interval that does (proximity).
//! Assumes  that the person is in the release, and that the attacker knows the quasi-identifiers of the person.
//! Measure  share of the group below the node or in the interval; a person with several values counts once for each value. A node
//!          is reported if its share exceeds that in the whole release. The node or interval that covers the whole group is
//!          reported in addition.
//! Paper    Li, Li and Venkatasubramanian, t-closeness, ICDE 2007 (similarity); Zhang et al., ICDE 2007, and Li, Tao and
//!          Xiao, SIGMOD 2008 (proximity); survey section 2.2.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{GroupView, visit_groups};
use super::input::{AttackInput, Unchecked};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::interval::Interval;
use crate::data::taxonomy::{Code, NodeId, Type, is_code, scale_text};
use crate::ratio::Ratio;
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::PublishedColumn;
use crate::release::history::RecordedRelease;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "similarity",
    title: "similarity",
    summary: "Finds groups whose sensitive values differ, but lie below one inner taxonomy node or in a narrow interval (proximity).",
    paper: "Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007; survey section 2.2",
    protects_against: "attribute linkage: approximate disclosure of a sensitive value",
    comparison: false,
    parameters: &[ParameterDef {
        name: "width",
        domain: Domain::Number(0.0, 1.0),
        default: Some("0.25"),
        meaning: "maximum width of the interval, as a share of the range of the column",
    }],
    evidence: &[
        "attacks::tests::single::similarity_of_salaries",
        "attacks::tests::single::similarity_of_illnesses",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let width = input.arguments(&ENTRY)?.number("width")?;
    let mut unchecked = Unchecked::new(input);
    let (mut findings, mut without) = (Vec::new(), BTreeSet::new());
    // Similarity of the column that is visited now; computed once per release and column.
    let mut current: Option<((*const RecordedRelease, usize), Option<Similarity>)> = None;
    visit_groups(input, &ENTRY, &mut unchecked, |view| {
        let place = (std::ptr::from_ref(view.recorded), view.column);
        if current.as_ref().is_none_or(|(known, _)| *known != place) {
            current = Some((place, Similarity::new(view.published(), view.whole.counts, width)));
        }
        let Some((_, Some(similarity))) = &current else {
            without.insert(format!(
                "`{}` of {} has neither numbers or dates nor a taxonomy",
                view.published().name,
                release_text(view.recorded)
            ));
            return;
        };
        if view.counts.len() < 2 {
            return;
        }
        let mut similar: Vec<SimilarValues> = Vec::new();
        for min_share in [input.confidence, Ratio::new(1, 1)] {
            let one = similarity.find(view.published(), view.counts, view.total, min_share);
            similar.extend(one.filter(|one| similar.iter().all(|known| known.label != one.label)));
        }
        findings.extend(similar.into_iter().map(|similar| finding(&view, similar)));
    })?;
    without.into_iter().for_each(|reason| unchecked.push(reason));
    conclude(&ENTRY, findings, unchecked)
}

/// Taxonomy node or interval that covers a sufficient share of a group.
struct SimilarValues {
    /// Text of the node or interval.
    label: String,
    /// Number of covered values, in the unit of the counts.
    records: Weight,
    /// Covered share of the group.
    share: Ratio,
    /// Whether the label is an interval.
    is_interval: bool,
}

/// Similarity measure of a column.
enum Similarity {
    /// Numbers or dates: their type, and the maximum width of an interval.
    Proximity(Type, f64),
    /// Taxonomy: by inner node, the number of values of the whole release below it; and the number of all values.
    Subtree(BTreeMap<NodeId, Weight>, Weight),
}

impl Similarity {
    /// The similarity measure of a column; none if its values have neither an order nor a taxonomy.
    fn new(column: &PublishedColumn, counts: &[(Code, Weight)], width: f64) -> Option<Similarity> {
        let codes = || counts.iter().map(|(code, _)| *code);
        if let Some(values) = ordered_type(column, codes()) {
            let bounds = codes().filter_map(|code| bounds(column, values, code));
            let range = bounds
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (from, to)| (low.min(from), high.max(to)));
            return (range.1 >= range.0).then_some(Similarity::Proximity(values, (range.1 - range.0) * width));
        }
        let below = records_below(column, counts);
        (!below.is_empty()).then(|| Similarity::Subtree(below, counts.iter().map(|(_, people)| people).sum()))
    }

    /// The most specific node or interval that covers at least `min_share` of a group.
    ///
    /// `counts` has the number of people with each value. A person with several records may have several values.
    fn find(
        &self,
        column: &PublishedColumn,
        counts: &[(Code, Weight)],
        people: Weight,
        min_share: Ratio,
    ) -> Option<SimilarValues> {
        let records: Weight = counts.iter().map(|(_, people)| *people).sum::<Weight>().max(people);
        match self {
            Similarity::Proximity(values, width) => {
                narrowest_interval(column, *values, counts, (*width, records), min_share)
            }
            Similarity::Subtree(whole, all) => {
                let common = records_below(column, counts).into_iter().filter(|(node, inside)| {
                    let share = Ratio::new(*inside, records);
                    share >= min_share && share > Ratio::new(whole.get(node).copied().unwrap_or(0), *all)
                });
                let lowest = common.max_by_key(|(node, inside)| (column.tree.node(*node).depth, *inside, *node));
                lowest.map(|(node, inside)| SimilarValues {
                    label: column.tree.node(node).label.clone(),
                    records: inside,
                    share: Ratio::new(inside, records),
                    is_interval: false,
                })
            }
        }
    }
}

/// By inner node except the root: number of values equal to it or below it.
fn records_below(column: &PublishedColumn, counts: &[(Code, Weight)]) -> BTreeMap<NodeId, Weight> {
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

/// The ordered type of a column, if it has one.
///
/// A sensitive column that was read back from a file has the type text; it counts as ordered if every value parses.
fn ordered_type(column: &PublishedColumn, codes: impl Iterator<Item = Code> + Clone) -> Option<Type> {
    if column.tree.value_type() != Type::Text {
        return Some(column.tree.value_type());
    }
    let reads = |values: &Type| {
        codes.clone().all(|code| !is_code(column.label(code)) && Interval::parse(*values, column.label(code)).is_some())
    };
    [Type::Number, Type::Date].into_iter().find(reads)
}

/// Lower and upper bound of a published code; none if it is unbounded.
fn bounds(column: &PublishedColumn, values: Type, code: Code) -> Option<(f64, f64)> {
    let known = column.tree.interval(column.nodes[code as usize]);
    let interval = known.or_else(|| Interval::parse(values, column.label(code)))?;
    interval.low.zip(interval.high)
}

/// The narrowest interval of at most `width` that covers at least `min_share` of `records`.
fn narrowest_interval(
    column: &PublishedColumn,
    values: Type,
    counts: &[(Code, Weight)],
    (width, records): (f64, Weight),
    min_share: Ratio,
) -> Option<SimilarValues> {
    let known = counts
        .iter()
        .filter_map(|(code, records)| bounds(column, values, *code).map(|(low, high)| (low, high, *records)));
    let mut known: Vec<(f64, f64, Weight)> = known.collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut best: Option<(f64, f64, Weight)> = None;
    let mut ahead: Weight = known.iter().map(|(_, _, records)| records).sum();
    for first in 0..known.len() {
        if Ratio::new(ahead, records) < min_share {
            break;
        }
        ahead -= known[first].2;
        let (mut high, mut inside) = (f64::NEG_INFINITY, 0);
        for (_, to, records_here) in &known[first..] {
            (high, inside) = (high.max(*to), inside + records_here);
            if high - known[first].0 > width {
                break;
            }
            if Ratio::new(inside, records) >= min_share {
                let narrower = best.is_none_or(|(low, to, _)| high - known[first].0 < to - low);
                best = if narrower { Some((known[first].0, high, inside)) } else { best };
                break;
            }
        }
    }
    best.map(|(low, high, inside)| SimilarValues {
        label: format!("[{},{}]", scale_text(values, low), scale_text(values, high)),
        records: inside,
        share: Ratio::new(inside, records),
        is_interval: true,
    })
}

fn finding(view: &GroupView<'_>, similar: SimilarValues) -> Finding {
    let (class, people, name) = (view.class.clone(), view.people, &view.published().name);
    let certain = similar.share == Ratio::new(1, 1);
    let qualifier = if certain { "with certainty".to_owned() } else { format!("with posterior {}", similar.share) };
    let pattern = if similar.is_interval { "a narrow interval" } else { "one subtree of its taxonomy" };
    let text = format!(
        "the {name} of {} lies in {pattern} {qualifier} in {}",
        people_in_class(people, &class),
        release_text(view.recorded)
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![view.recorded.number],
        people,
        records: Some(similar.records),
        confidence: AttackConfidence::Exact(similar.share),
        certain,
        class,
        column: Some(name.clone()),
        value: Some(DisclosedValue { code: None, label: similar.label }),
        text,
    }
}
