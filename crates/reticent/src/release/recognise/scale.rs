//! Recognition of number and date columns: intervals nested by containment.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::{RecognisedTree, RecognitionInput, TextKinds};
use crate::data::interval::{Interval, masked_prefix};
use crate::data::schema::Role;
use crate::data::table::missing_markers;
use crate::data::taxonomy::published::DraftNode;
use crate::data::taxonomy::{NodeId, Taxonomy, Type};
use crate::error::{Error, Result};

/// Builds the tree of a number or date column.
///
/// In a quasi-identifier, intervals nest, and equal intervals share a node labelled with the first text in text order.
/// In other columns, each text is a separate value below the root.
pub(super) fn build_tree(
    input: &RecognitionInput<'_>,
    values: Type,
    cells: &[&str],
) -> Result<(RecognisedTree, TextKinds)> {
    let read: Vec<Interval> = read(input, values, cells)?;
    let nested = input.role == Role::QuasiIdentifier;
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by(|a, b| outer_first(&read[*a], &read[*b]).then_with(|| cells[*a].cmp(cells[*b])));
    let mut drafts: Vec<DraftNode> = Vec::with_capacity(cells.len());
    let mut intervals: Vec<Interval> = Vec::with_capacity(cells.len());
    let mut drafted = vec![0; cells.len()];
    for at in order {
        if !nested || intervals.last() != Some(&read[at]) {
            intervals.push(read[at]);
            drafts.push(DraftNode { label: cells[at].to_owned(), parent: None });
        }
        drafted[at] = drafts.len() - 1;
    }
    let (tree, ids) =
        if nested { nest(input, values, drafts, intervals)? } else { Taxonomy::published(input.name, drafts)? };
    let nodes = drafted.into_iter().map(|draft| ids[draft]).collect();
    Ok((RecognisedTree { tree: tree.into(), nodes }, kinds(cells, &read)))
}

/// Builds the tree of intervals. The parent of an interval is the smallest interval that contains it.
fn nest(
    input: &RecognitionInput<'_>,
    values: Type,
    mut drafts: Vec<DraftNode>,
    intervals: Vec<Interval>,
) -> Result<(Taxonomy, Vec<NodeId>)> {
    for (draft, parent) in drafts.iter_mut().zip(parents(&intervals)) {
        draft.parent = parent;
    }
    let (tree, ids) = Taxonomy::published(input.name, drafts)?;
    let mut by_node = vec![Interval::ANY; tree.nodes().len()];
    for (id, interval) in ids.iter().zip(intervals) {
        by_node[*id] = interval;
    }
    Ok((tree.with_intervals(values, by_node), ids))
}

/// First single-star mask with an ambiguous length.
///
/// `476*` beside `48123` can represent any suffix instead of ten numbers. A mask is ambiguous if the column has unmasked
/// numbers, but none with the length of the mask.
pub(super) fn ambiguous_mask<'a>(cells: &[&'a str]) -> Option<&'a str> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: BTreeSet<usize> = cells.iter().filter(|cell| is_digits(cell)).map(|cell| cell.len()).collect();
    let single = |cell: &&&str| {
        let prefix = masked_prefix(cell).filter(|prefix| is_digits(prefix) && prefix.len() + 1 == cell.len());
        prefix.is_some() && !lengths.is_empty() && !lengths.contains(&cell.len())
    };
    cells.iter().find(single).copied()
}

fn read(input: &RecognitionInput<'_>, values: Type, cells: &[&str]) -> Result<Vec<Interval>> {
    if let Some(mask) = ambiguous_mask(cells).filter(|_| values == Type::Number) {
        let message = format!(
            "has a masked value ({} stars) whose length differs from other values; write one star per digit, or set `type = \"text\"`",
            mask.matches('*').count()
        );
        return Err(Error::column(input.name, message));
    }
    let read: Vec<Option<Interval>> = cells.iter().map(|cell| Interval::parse(values, cell)).collect();
    let unparsed: Vec<&str> =
        cells.iter().zip(&read).filter(|(_, read)| read.is_none()).map(|(cell, _)| *cell).collect();
    if unparsed.is_empty() {
        return Ok(read.into_iter().flatten().collect());
    }
    let expected = match values {
        Type::Date => "neither dates written YYYY-MM-DD nor intervals of dates",
        _ => "neither numbers nor intervals of numbers",
    };
    let how = "rewrite them, add them to `missing-values`, or declare `type = \"text\"`";
    Err(Error::column(input.name, format!("{expected}: {}; {how}", input.describe(&unparsed, missing_markers))))
}

fn kinds(cells: &[&str], read: &[Interval]) -> TextKinds {
    let mut kinds = TextKinds::default();
    for (cell, interval) in cells.iter().zip(read) {
        let kind = match interval {
            _ if masked_prefix(cell).is_some() => &mut kinds.masked,
            interval if interval.is_point() => &mut kinds.values,
            _ => &mut kinds.intervals,
        };
        *kind += 1;
    }
    kinds
}

/// Order by lower bound, then by descending upper bound. So an interval follows all intervals that contain it.
fn outer_first(one: &Interval, another: &Interval) -> Ordering {
    one.cmp_low(another).then_with(|| another.cmp_high(one))
}

/// Index of each interval's parent: the smallest containing interval; of overlapping ones, that with the highest lower bound.
///
/// The stack has the intervals that can contain a later one, from outer to inner. An interval that ends before the current
/// one is removed for good. Any later interval inside it is also inside the current one, which is nearer. For the same
/// reason, children directly follow their parent, and leaves are ascending.
fn parents(outer_first: &[Interval]) -> Vec<Option<usize>> {
    let mut stack: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(outer_first.len());
    for (place, interval) in outer_first.iter().enumerate() {
        while stack.last().is_some_and(|last| outer_first[*last].cmp_high(interval).is_lt()) {
            stack.pop();
        }
        parents.push(stack.last().copied());
        stack.push(place);
    }
    parents
}
