//! Numbers, dates and intervals of them: nested by what they contain.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::{Drawn, Kinds, Told};
use crate::error::{Error, Result};
use crate::interval::{Interval, masked_prefix};
use crate::schema::Role;
use crate::table::gaps;
use crate::taxonomy::published::Draft;
use crate::taxonomy::{NodeId, Taxonomy, Type};

/// Draws the tree of a number or date column. In a quasi-identifier intervals nest, and texts that say the same are one
/// node, under the first of them by spelling; elsewhere texts are values that ascend, each by itself.
pub(super) fn draw(told: &Told<'_>, values: Type, cells: &[&str]) -> Result<(Drawn, Kinds)> {
    let read: Vec<Interval> = read(told, values, cells)?;
    let nested = told.role == Role::QuasiIdentifier;
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by(|a, b| outer_first(&read[*a], &read[*b]).then_with(|| cells[*a].cmp(cells[*b])));
    let mut drafts: Vec<Draft> = Vec::with_capacity(cells.len());
    let mut intervals: Vec<Interval> = Vec::with_capacity(cells.len());
    let mut drafted = vec![0; cells.len()];
    for at in order {
        if !nested || intervals.last() != Some(&read[at]) {
            intervals.push(read[at]);
            drafts.push(Draft { label: cells[at].to_owned(), parent: None });
        }
        drafted[at] = drafts.len() - 1;
    }
    let (tree, ids) =
        if nested { nest(told, values, drafts, intervals)? } else { Taxonomy::published(told.name, drafts)? };
    let nodes = drafted.into_iter().map(|draft| ids[draft]).collect();
    Ok((Drawn { tree: tree.into(), nodes }, kinds(cells, &read)))
}

/// The tree of intervals, each below the nearest around it.
fn nest(
    told: &Told<'_>,
    values: Type,
    mut drafts: Vec<Draft>,
    intervals: Vec<Interval>,
) -> Result<(Taxonomy, Vec<NodeId>)> {
    for (draft, parent) in drafts.iter_mut().zip(parents(&intervals)) {
        draft.parent = parent;
    }
    let (tree, ids) = Taxonomy::published(told.name, drafts)?;
    let mut by_node = vec![Interval::ANY; tree.nodes().len()];
    for (id, interval) in ids.iter().zip(intervals) {
        by_node[*id] = interval;
    }
    Ok((tree.with_intervals(values, by_node), ids))
}

/// A number with one star, where numbers with as many digits as it has places are not there and others are: `476*` beside `48123` stands
/// for any end, and not for ten numbers.
pub(super) fn doubtful<'a>(cells: &[&'a str]) -> Option<&'a str> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let lengths: BTreeSet<usize> = cells.iter().filter(|cell| is_digits(cell)).map(|cell| cell.len()).collect();
    let single = |cell: &&&str| {
        let shown = masked_prefix(cell).filter(|shown| is_digits(shown) && shown.len() + 1 == cell.len());
        shown.is_some() && !lengths.is_empty() && !lengths.contains(&cell.len())
    };
    cells.iter().find(single).copied()
}

fn read(told: &Told<'_>, values: Type, cells: &[&str]) -> Result<Vec<Interval>> {
    if let Some(mask) = doubtful(cells).filter(|_| values == Type::Number) {
        let message = format!(
            "has a masked value ({} stars) where others have more places or fewer; write a star for each digit, or declare `type = \"text\"`",
            mask.matches('*').count()
        );
        return Err(Error::column(told.name, message));
    }
    let read: Vec<Option<Interval>> = cells.iter().map(|cell| Interval::parse(values, cell)).collect();
    let unread: Vec<&str> = cells.iter().zip(&read).filter(|(_, read)| read.is_none()).map(|(cell, _)| *cell).collect();
    if unread.is_empty() {
        return Ok(read.into_iter().flatten().collect());
    }
    let what = match values {
        Type::Date => "neither dates written YYYY-MM-DD nor intervals of dates",
        _ => "neither numbers nor intervals of numbers",
    };
    let how = "rewrite them, add them to `missing-values`, or declare `type = \"text\"`";
    Err(Error::column(told.name, format!("{what}: {}; {how}", told.some(&unread, gaps))))
}

fn kinds(cells: &[&str], read: &[Interval]) -> Kinds {
    let mut kinds = Kinds::default();
    for (cell, interval) in cells.iter().zip(read) {
        let kind = match interval {
            _ if masked_prefix(cell).is_some() => &mut kinds.masked,
            interval if interval.is_one() => &mut kinds.values,
            _ => &mut kinds.intervals,
        };
        *kind += 1;
    }
    kinds
}

/// By where they begin; of those that begin together, the longest first. So all that contain an interval precede it.
fn outer_first(one: &Interval, another: &Interval) -> Ordering {
    one.by_low(another).then_with(|| another.by_high(one))
}

/// By place, the smallest of the intervals that contain it; of several that overlap, the one that begins last.
///
/// The stack holds, from the outermost in, what a later interval may still lie in. One that ends before the next does is
/// taken away for good: whatever begins later and lies in it lies in the next one too, which is nearer. For the same
/// reason children come right after their parent, and leaves ascend.
fn parents(outer_first: &[Interval]) -> Vec<Option<usize>> {
    let mut around: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(outer_first.len());
    for (place, interval) in outer_first.iter().enumerate() {
        while around.last().is_some_and(|last| outer_first[*last].by_high(interval).is_lt()) {
            around.pop();
        }
        parents.push(around.last().copied());
        around.push(place);
    }
    parents
}
