//! A column that earlier releases repeat: their classes with a histogram, in place of the combinations of their tuples.
//!
//! Case       Earlier releases have a column of the new release that is not in X, each with its values unchanged, and every
//!            other join column of the releases is in X. Then a value on X is one class of each release, and the tuples with a value
//!            of the column are a product: their number is the product of the numbers of records with the value in these classes.
//! Stored     the classes of each release without the column, and the number of records by value of each class. Memory is
//!            proportional to the distinct combinations of each release, not to their product.
//! Judged     in `judge/repeated.rs`.

use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::{HashMap, HashSet};

use super::index::{Candidates, JoinIndex, has_several_records, join_columns};
use super::lossy::{InconsistentRules, are_related, is_same_attribute};
use super::matching::matches;
use super::{ColumnRef, Constraint, Counted, Limit};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::taxonomy::Code;
use crate::release::PublishedColumn;
use crate::release::history::RecordedRelease;

/// Maximum number of stored groups that match values of the new release.
const MAX_STORED: usize = 4_000_000;

/// The classes of earlier releases that have a repeated column.
pub(super) struct RepeatedColumn<'a> {
    /// Index of the column in the new release.
    pub(super) column: usize,
    /// Index of the releases without the column. Its counted releases have the column.
    pub(super) index: JoinIndex<'a>,
    /// Number of each value of the column of the new release.
    pub(super) numbers: HashMap<String, u32>,
    /// By counted release.
    pub(super) members: Vec<MemberClasses>,
    choices: RwLock<Stored>,
}

/// Choices by values of the join columns, and their number of groups.
type Stored = (HashMap<Box<[u32]>, Arc<Choices>>, usize);

/// Classes of an earlier release.
pub(super) struct MemberClasses {
    /// Index among the joined releases, from 1.
    pub(super) release: usize,
    /// Code of each number; `None` if the release does not have the value.
    pub(super) codes: Vec<Option<Code>>,
    /// Index of the first count of each class, and the number of counts.
    starts: Vec<u32>,
    /// Number of a value and number of records, by class, then ascending.
    counts: Vec<(u32, Weight)>,
}

/// Classes of the earlier releases that match values of the new release.
pub(super) struct Choices {
    pub(super) candidates: Vec<Candidates>,
    /// By counted release: fewest and most records by number of a value, ascending, over the matching classes.
    pub(super) extremes: Vec<Vec<(u32, Weight, Weight)>>,
}

impl MemberClasses {
    /// Number of records by number of a value, of a class.
    pub(super) fn counts(&self, class: u32) -> &[(u32, Weight)] {
        let class = class as usize;
        &self.counts[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// Repeated columns of the constraints of a requirement. Constraints with equal X over the same releases share one.
pub(crate) struct RepeatedColumns<'a> {
    abort: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// X, indices of the earlier releases, and their repeated column.
    known: Vec<(Vec<ColumnRef>, Vec<usize>, Arc<RepeatedColumn<'a>>)>,
}

impl<'a> RepeatedColumns<'a> {
    /// No columns yet. `abort` is polled for cancellation.
    pub(crate) fn new(abort: Option<&'a (dyn Fn() -> bool + Sync)>) -> RepeatedColumns<'a> {
        RepeatedColumns { abort, known: Vec::new() }
    }

    /// Returns the repeated column of a constraint; `None` if the constraint is not of the case above. `set` are the indices of the earlier
    /// releases.
    pub(super) fn of(
        &mut self,
        constraint: &Constraint,
        columns: &[PublishedColumn],
        generalized: &[usize],
        (set, earlier): (&[usize], &[&'a RecordedRelease]),
        rules: &'a [InconsistentRules],
    ) -> Option<Arc<RepeatedColumn<'a>>> {
        let column = repeated_column(constraint, columns, generalized, earlier, rules)?;
        let same =
            self.known.iter().find(|known| known.0 == constraint.x && known.1 == set && known.2.column == column);
        if let Some((.., known)) = same {
            return Some(known.clone());
        }
        let mut made = RepeatedColumn::new(constraint, columns, column, (generalized, earlier, rules))?;
        if let Some(abort) = self.abort {
            made.index.set_abort(abort);
        }
        let made = Arc::new(made);
        self.known.push((constraint.x.clone(), set.to_vec(), made.clone()));
        Some(made)
    }
}

/// Returns the only join column outside X, if the constraint counts its values or people who have them.
fn repeated_column(
    constraint: &Constraint,
    columns: &[PublishedColumn],
    generalized: &[usize],
    earlier: &[&RecordedRelease],
    rules: &[InconsistentRules],
) -> Option<usize> {
    let ours: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let in_x = |release: usize, column: usize| constraint.x.contains(&ColumnRef { release, column });
    let joins = join_columns(&ours, earlier, rules);
    let mut outside = joins.into_iter().filter(|column| !in_x(0, *column));
    let (column, None) = (outside.next()?, outside.next()) else { return None };
    let name = ours[column];
    let is_plain = is_same_attribute(name, name, rules)
        && !rules.iter().any(|rule| rule.one.0 == name || rule.other.0 == name)
        && !generalized.contains(&column)
        && !columns[column].tree.has_suppressed();
    let has = |recorded: &RecordedRelease| recorded.release.columns.iter().any(|theirs| theirs.name == name);
    let joined = |at: usize, theirs: &str| {
        let others = earlier.iter().enumerate().filter(|(other, _)| *other != at);
        ours.iter().any(|name| are_related(name, theirs, rules))
            || others
                .into_iter()
                .any(|(_, other)| other.release.columns.iter().any(|column| are_related(&column.name, theirs, rules)))
    };
    let others_in_x = earlier.iter().enumerate().all(|(at, recorded)| {
        let mut theirs = recorded.release.columns.iter().enumerate().filter(|(_, theirs)| theirs.name != name);
        theirs.all(|(there, theirs)| !joined(at, &theirs.name) || in_x(at + 1, there))
            && !recorded.release.columns.iter().enumerate().any(|(there, of)| of.name == name && in_x(at + 1, there))
    });
    let counts = match (constraint.y.as_slice(), &constraint.limit) {
        ([Counted::Column(at)], _) => match at.release {
            0 => at.column == column,
            release => earlier[release - 1].release.columns[at.column].name == name,
        },
        ([Counted::People(0)], Limit::AtLeast(_)) => true,
        ([Counted::People(release)], Limit::AtLeast(_)) => {
            let recorded = earlier[*release - 1];
            has(recorded) && !has_several_records(recorded)
        }
        _ => false,
    };
    let repeats = earlier.iter().any(|recorded| has(recorded));
    (is_plain && others_in_x && counts && repeats).then_some(column)
}

impl<'a> RepeatedColumn<'a> {
    fn new(
        constraint: &Constraint,
        columns: &[PublishedColumn],
        column: usize,
        (generalized, earlier, rules): (&[usize], &[&'a RecordedRelease], &'a [InconsistentRules]),
    ) -> Option<RepeatedColumn<'a>> {
        let ours: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let name = ours[column];
        let place = |recorded: &RecordedRelease| recorded.release.columns.iter().position(|theirs| theirs.name == name);
        // The new release suppresses no cell of the column.
        let ours_used = columns[column].nodes.iter().map(|node| *node != 0).collect();
        let mut all = vec![UsedColumn { column: &columns[column], is_used: ours_used }];
        all.extend(earlier.iter().filter_map(|recorded| Some(UsedColumn::new(recorded, place(recorded)?))));
        let (numbers, len) = common_numbers(&all)?;
        let (varying, constant) = super::judge::keys(constraint, &ours, generalized, earlier, rules);
        let keys: Vec<usize> = varying.into_iter().chain(constant).filter(|key| *key != column).collect();
        let index = JoinIndex::without(Some(name), constraint, &ours, &keys, earlier, rules);
        let mut by_release = numbers[1..].iter();
        let mut numbers_of: Vec<Option<&ValueNumbers>> = vec![None; earlier.len()];
        for (at, recorded) in earlier.iter().enumerate() {
            if place(recorded).is_some() {
                numbers_of[at] = by_release.next();
            }
        }
        let mut members = Vec::new();
        for member in &index.members()[..index.counted()] {
            let recorded = earlier[member.release - 1];
            let (Some(place), Some(numbers)) = (place(recorded), numbers_of[member.release - 1]) else { return None };
            members.push(MemberClasses::new(recorded, member, place, (numbers, len)));
        }
        let labels = (0..columns[column].nodes.len() as Code).map(|code| columns[column].label(code).to_owned());
        let numbers = labels.zip(&numbers[0]).filter_map(|(label, number)| Some((label, (*number)?))).collect();
        Some(RepeatedColumn { column, index, numbers, members, choices: RwLock::default() })
    }

    /// Classes that match these values of the join columns.
    pub(super) fn choices(&self, values: &[u32]) -> Arc<Choices> {
        if let Some(known) = self.choices.read().unwrap_or_else(PoisonError::into_inner).0.get(values) {
            return known.clone();
        }
        let candidates = self.index.candidates(values);
        let extremes = self.members.iter().zip(&candidates).map(|(member, of)| extremes(member, &of.list)).collect();
        let size = candidates.iter().map(|of| of.list.len()).sum::<usize>() + 1;
        let made = Arc::new(Choices { candidates, extremes });
        let mut stored = self.choices.write().unwrap_or_else(PoisonError::into_inner);
        if stored.1 + size <= MAX_STORED {
            stored.1 += size;
            stored.0.insert(values.into(), made.clone());
        }
        made
    }
}

impl MemberClasses {
    fn new(
        recorded: &RecordedRelease,
        member: &super::index::IndexedRelease,
        column: usize,
        (numbers, len): (&ValueNumbers, usize),
    ) -> MemberClasses {
        let columns: Vec<usize> = member.columns.iter().copied().chain([column]).collect();
        let table = ContingencyTable { owners: None, ..recorded.release.contingency.clone() }.project(&columns);
        // Both tables are in ascending order of the common columns.
        let groups = &member.groups;
        let mut starts = Vec::with_capacity(groups.len() + 1);
        let mut counts: Vec<(u32, Weight)> = Vec::with_capacity(table.len());
        let mut at = 0;
        for group in 0..groups.len() {
            let start = counts.len();
            starts.push(start as u32);
            while at < table.len() && (0..member.columns.len()).all(|of| table.codes[of][at] == groups.codes[of][group])
            {
                let number = numbers[table.codes[columns.len() - 1][at] as usize];
                counts.extend(number.map(|number| (number, table.weights[at])));
                at += 1;
            }
            counts[start..].sort_unstable();
        }
        starts.push(counts.len() as u32);
        let mut codes = vec![None; len];
        for (number, code) in numbers.iter().zip(0..) {
            number.iter().for_each(|number| codes[*number as usize] = Some(code));
        }
        MemberClasses { release: member.release, codes, starts, counts }
    }
}

/// Fewest and most records by number of a value, over classes.
fn extremes(member: &MemberClasses, classes: &[u32]) -> Vec<(u32, Weight, Weight)> {
    let mut all: Vec<(u32, Weight)> = classes.iter().flat_map(|class| member.counts(*class).iter().copied()).collect();
    all.sort_unstable();
    let of_value = |of: &[(u32, Weight)]| {
        let fewest = if of.len() == classes.len() { of[0].1 } else { 0 };
        (of[0].0, fewest, of[of.len() - 1].1)
    };
    all.chunk_by(|one, other| one.0 == other.0).map(of_value).collect()
}

/// Number of each code of a column; `None` for a code that does not occur.
type ValueNumbers = Vec<Option<u32>>;

/// A published column, and whether a code occurs, by code.
struct UsedColumn<'a> {
    column: &'a PublishedColumn,
    is_used: Vec<bool>,
}

impl<'a> UsedColumn<'a> {
    fn new(recorded: &'a RecordedRelease, at: usize) -> UsedColumn<'a> {
        let column = &recorded.release.columns[at];
        let mut is_used = vec![false; column.nodes.len()];
        recorded.release.contingency.codes[at].iter().for_each(|code| is_used[*code as usize] = true);
        UsedColumn { column, is_used }
    }
}

/// Numbers of the values of columns, and how many there are. Values have equal numbers if and only if they match and have equal texts;
/// `None` if that cannot be, because a value matches several values or one with another text.
fn common_numbers(columns: &[UsedColumn<'_>]) -> Option<(Vec<ValueNumbers>, usize)> {
    let mut by_text: HashMap<&str, u32> = HashMap::new();
    let mut numbers: Vec<ValueNumbers> = Vec::new();
    for UsedColumn { column, is_used } in columns {
        let mut number = |code: usize| {
            let next = by_text.len() as u32;
            is_used[code].then(|| *by_text.entry(column.label(code as Code)).or_insert(next))
        };
        numbers.push((0..is_used.len()).map(&mut number).collect());
    }
    for (at, of) in columns.iter().enumerate() {
        let known: HashSet<u32> = numbers[at].iter().flatten().copied().collect();
        if known.len() < numbers[at].iter().flatten().count() {
            return None;
        }
        for (other, theirs) in columns[..at].iter().enumerate() {
            for (code, matched) in matches(theirs.column, of.column).iter().enumerate() {
                let Some(number) = numbers[other][code] else { continue };
                let matched: Vec<u32> = matched.iter().filter_map(|here| numbers[at][*here as usize]).collect();
                let expected: &[u32] = if known.contains(&number) { &[number] } else { &[] };
                if matched != expected {
                    return None;
                }
            }
        }
    }
    Some((numbers, by_text.len()))
}
