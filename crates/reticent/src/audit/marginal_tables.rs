//! Counterfeit records, and marginal tables: tables that count the values of another release's people.

use hashbrown::HashMap;

use super::attacker_view::{UnlinkedGroup, ViewGroup};
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, NodeId};
use crate::error::{CountFault, CounterfeitFault, Error, Obstacle, Result};
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};

/// Sets the number of counterfeit records of each group.
pub(super) fn set_counterfeits(
    recorded: &RecordedRelease,
    at: usize,
    group_of_cell: &[u32],
    groups: &mut [ViewGroup],
) -> Result<()> {
    let Some(name) = &recorded.presentation.counterfeit_column else { return Ok(()) };
    let column = recorded.release.position(name)?;
    let shown = &recorded.release.columns[column];
    let codes = &recorded.release.contingency.codes[column];
    let cannot = |fault: CounterfeitFault| {
        let (release, name, column) = (recorded.number, recorded.name.clone(), name.clone());
        Error::from(Obstacle::CounterfeitsUnclear { release, name, column, fault })
    };
    for (cell, group) in group_of_cell.iter().enumerate() {
        let group = &mut groups[*group as usize];
        if codes[cell] != codes[group.member] {
            return Err(cannot(CounterfeitFault::Different));
        }
        let number = shown.label(codes[cell]).trim().parse::<u64>();
        group.counterfeits = number.map_err(|_| cannot(CounterfeitFault::NoNumber))?;
    }
    match groups.iter().any(|group| group.release == at && group.counterfeits > group.records) {
        true => Err(cannot(CounterfeitFault::TooMany)),
        false => Ok(()),
    }
}

/// Index of the release whose people a marginal table counts. `None` if it is not in the history, or if the table has links.
pub(super) fn counted_release(history: &History, at: usize) -> Option<usize> {
    let number = history.releases[at].presentation.about_release.filter(|_| history.releases[at].links.is_none())?;
    history.releases[..at]
        .iter()
        .position(|recorded| recorded.number == number && recorded.presentation.about_release.is_none())
}

/// Index of the first view of a release. Each view shows another sensitive column of the same records.
pub(super) fn first_view(history: &History, at: usize) -> usize {
    let recorded = &history.releases[at];
    let same = |before: &usize| {
        let before = &history.releases[*before];
        before.number == recorded.number
            && before.presentation.columns_separate
            && recorded.presentation.columns_separate
    };
    (0..at).find(same).unwrap_or(at)
}

/// Adds the groups of another table of the same people to groups with unknown owners. `own` and `other` are the groups of
/// each cell of the first table: in this table and in the other.
pub(super) fn attach_groups(
    history: &History,
    own: &[u32],
    other: &[u32],
    unlinked_groups: &mut [UnlinkedGroup],
    at: usize,
) -> Result<()> {
    let mut pairs: Vec<(u32, u32)> = own.iter().copied().zip(other.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.windows(2).any(|two| two[0].0 == two[1].0) {
        let fault = CountFault::GroupSplit { name: history.releases[at].name.clone() };
        return Err(Obstacle::CountsNotLinked { fault }.into());
    }
    for (group, _, more) in unlinked_groups {
        let pair = pairs.binary_search_by_key(group, |(own, _)| *own);
        more.extend(pair.ok().map(|pair| pairs[pair].1));
    }
    Ok(())
}

/// Returns, for each cell of the counted release, the group of the marginal table that counts it.
///
/// # Errors
///
/// Returns an error if the counted release does not determine the quasi-identifiers of the marginal table.
pub(super) fn counting_groups(history: &History, at: usize, counted: usize, group_of_cell: &[u32]) -> Result<Vec<u32>> {
    let (counts, people) = (&history.releases[at], &history.releases[counted]);
    let cannot = |fault: CountFault| Error::from(Obstacle::CountsNotLinked { fault });
    let names = || (counts.name.clone(), people.name.clone());
    let quasi = |column: &&PublishedColumn| column.role == Role::QuasiIdentifier;
    let mut columns: Vec<(usize, usize)> = Vec::new();
    for column in counts.release.columns.iter().filter(quasi) {
        let there = people.release.columns.iter().position(|known| known.name == column.name);
        let there = there.ok_or_else(|| {
            let (name, other) = names();
            cannot(CountFault::ColumnNotShown { name, column: column.name.clone(), other })
        })?;
        columns.push((counts.release.position(&column.name)?, there));
    }
    // Each group of the marginal table, with one of its cells.
    let mut counting: Vec<(u32, usize)> = group_of_cell.iter().copied().zip(0..).collect();
    counting.sort_unstable();
    counting.dedup_by_key(|(group, _)| *group);
    let named = GroupIndex::new(counts, people, &columns, &counting);
    let (mut found, mut key) = (Vec::with_capacity(people.release.contingency.len()), Vec::new());
    for cell in 0..people.release.contingency.len() {
        if let Some(group) = named.as_ref().and_then(|named| named.group(people, &columns, cell, &mut key)) {
            found.push(group);
            continue;
        }
        let fits = |(_, counting): &&(u32, usize)| {
            columns.iter().all(|(here, there)| {
                let (wide, narrow) = (&counts.release.columns[*here], &people.release.columns[*there]);
                let node = |column: &PublishedColumn, code: u32| column.nodes[code as usize];
                let wider = node(wide, counts.release.contingency.codes[*here][*counting]);
                let narrower = node(narrow, people.release.contingency.codes[*there][cell]);
                cell_covers(wide, wider, narrow, narrower)
            })
        };
        let mut fitting = counting.iter().filter(fits);
        let (Some((group, _)), None) = (fitting.next(), fitting.next()) else {
            let (name, other) = names();
            return Err(cannot(CountFault::Coarser { name, other }));
        };
        found.push(*group);
    }
    Ok(found)
}

/// Index of the groups of a marginal table by their quasi-identifiers, if no cell is generalized.
struct GroupIndex {
    /// Code of the same label in the marginal table, by column and by code of the counted release.
    codes: Vec<Vec<Option<Code>>>,
    groups: HashMap<Vec<Code>, u32>,
}

impl GroupIndex {
    fn new(
        counts: &RecordedRelease,
        people: &RecordedRelease,
        columns: &[(usize, usize)],
        counting: &[(u32, usize)],
    ) -> Option<GroupIndex> {
        if !columns.iter().all(|(here, there)| is_plain(counts, *here) && is_plain(people, *there)) {
            return None;
        }
        let cells =
            |cell: usize| columns.iter().map(|(here, _)| counts.release.contingency.codes[*here][cell]).collect();
        let groups: HashMap<Vec<Code>, u32> = counting.iter().map(|(group, cell)| (cells(*cell), *group)).collect();
        let of_column = |(here, there): &(usize, usize)| {
            let (here, there) = (&counts.release.columns[*here], &people.release.columns[*there]);
            let known: HashMap<&str, Code> =
                (0..here.nodes.len() as Code).map(|code| (here.label(code), code)).collect();
            (0..there.nodes.len() as Code).map(|code| known.get(there.label(code)).copied()).collect()
        };
        // Two groups with equal labels are ambiguous.
        let named = GroupIndex { codes: columns.iter().map(of_column).collect(), groups };
        (named.groups.len() == counting.len()).then_some(named)
    }

    fn group(
        &self,
        people: &RecordedRelease,
        columns: &[(usize, usize)],
        cell: usize,
        key: &mut Vec<Code>,
    ) -> Option<u32> {
        key.clear();
        for (codes, (_, there)) in self.codes.iter().zip(columns) {
            key.push(codes[people.release.contingency.codes[*there][cell] as usize]?);
        }
        self.groups.get(key.as_slice()).copied()
    }
}

/// Returns whether every cell of a column is a single value of a flat taxonomy.
fn is_plain(recorded: &RecordedRelease, column: usize) -> bool {
    let PublishedColumn { tree, nodes, .. } = &recorded.release.columns[column];
    let leaf: Vec<bool> = nodes.iter().map(|node| *node != 0 && tree.interval(*node).is_none()).collect();
    let flat = tree.is_flat();
    flat && recorded.release.contingency.codes[column].iter().all(|code| leaf[*code as usize])
}

/// Returns whether every value of the narrower cell is a value of the wider cell.
fn cell_covers(wide: &PublishedColumn, wider: NodeId, narrow: &PublishedColumn, narrower: NodeId) -> bool {
    if wider == 0 && wide.tree.nodes().len() > 1 {
        return true;
    }
    match (wide.tree.interval(wider), narrow.tree.interval(narrower)) {
        (Some(wider), Some(narrower)) => narrower.within(&wider),
        _ => {
            wide.tree.node(wider).label == narrow.tree.node(narrower).label
                || leaves_within(wide, wider, narrow, narrower)
        }
    }
}

/// Returns whether every leaf below the narrower node is below the wider node.
fn leaves_within(wide: &PublishedColumn, wider: NodeId, narrow: &PublishedColumn, narrower: NodeId) -> bool {
    let values = |column: &PublishedColumn, node: NodeId| {
        column.tree.codes(node).map(|code| column.tree.value(code).to_owned()).collect::<Vec<String>>()
    };
    let wide = values(wide, wider);
    let narrow = values(narrow, narrower);
    !narrow.is_empty() && narrow.iter().all(|value| wide.contains(value))
}
