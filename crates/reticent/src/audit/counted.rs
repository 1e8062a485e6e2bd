//! What a release counts of people: records that are nobody's, and values of another release's people.

use hashbrown::HashMap;

use super::board::{Group, Nameless};
use crate::error::{CountFault, CounterfeitFault, Error, Obstacle, Result};
use crate::history::{Held, History};
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::taxonomy::{Code, NodeId};

/// Fills in how many records of each group are counterfeits.
pub(super) fn counterfeits(held: &Held, at: usize, of_combo: &[u32], groups: &mut [Group]) -> Result<()> {
    let Some(name) = &held.disguise.counterfeits else { return Ok(()) };
    let column = held.release.position(name)?;
    let shown = &held.release.columns[column];
    let codes = &held.release.combos.codes[column];
    let cannot = |fault: CounterfeitFault| {
        let (release, name, column) = (held.number, held.name.clone(), name.clone());
        Error::from(Obstacle::CounterfeitsUnclear { release, name, column, fault })
    };
    for (combo, group) in of_combo.iter().enumerate() {
        let group = &mut groups[*group as usize];
        if codes[combo] != codes[group.member] {
            return Err(cannot(CounterfeitFault::Different));
        }
        let number = shown.label(codes[combo]).trim().parse::<u64>();
        group.counterfeits = number.map_err(|_| cannot(CounterfeitFault::NoNumber))?;
    }
    match groups.iter().any(|group| group.release == at && group.counterfeits > group.records) {
        true => Err(cannot(CounterfeitFault::TooMany)),
        false => Ok(()),
    }
}

/// The release, by place, about whose people another one counts values; none when nobody holds it, or owners are given.
pub(super) fn about(history: &History, at: usize) -> Option<usize> {
    let number = history.releases[at].disguise.of.filter(|_| history.releases[at].links.is_none())?;
    history.releases[..at].iter().position(|held| held.number == number && held.disguise.of.is_none())
}

/// The first of the views of a release, by place: each shows another sensitive column of the same records.
pub(super) fn first_view(history: &History, at: usize) -> usize {
    let held = &history.releases[at];
    let same = |before: &usize| {
        let before = &history.releases[*before];
        before.number == held.number && before.disguise.apart && held.disguise.apart
    };
    (0..at).find(same).unwrap_or(at)
}

/// Adds, to groups whose people are not known, the groups in which another table counts them. `of` and `there` are by combination of the
/// same release: its own group, and the other one.
pub(super) fn beside(history: &History, of: &[u32], there: &[u32], nameless: &mut [Nameless], at: usize) -> Result<()> {
    let mut pairs: Vec<(u32, u32)> = of.iter().copied().zip(there.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.windows(2).any(|two| two[0].0 == two[1].0) {
        let fault = CountFault::GroupSplit { name: history.releases[at].name.clone() };
        return Err(Obstacle::CountsNotLinked { fault }.into());
    }
    for (group, _, more) in nameless {
        let pair = pairs.binary_search_by_key(group, |(of, _)| *of);
        more.extend(pair.ok().map(|pair| pairs[pair].1));
    }
    Ok(())
}

/// By combination of the release that is counted: the group of the one that counts. What the second says of quasi-identifiers must
/// be told by the first; else it is not known who is counted where.
pub(super) fn groups(history: &History, at: usize, about: usize, of_combo: &[u32]) -> Result<Vec<u32>> {
    let (counts, people) = (&history.releases[at], &history.releases[about]);
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
    // Each group that counts, by a combination that is in it.
    let mut counting: Vec<(u32, usize)> = of_combo.iter().copied().zip(0..).collect();
    counting.sort_unstable();
    counting.dedup_by_key(|(group, _)| *group);
    let named = Named::of(counts, people, &columns, &counting);
    let (mut found, mut key) = (Vec::with_capacity(people.release.combos.len()), Vec::new());
    for combo in 0..people.release.combos.len() {
        if let Some(group) = named.as_ref().and_then(|named| named.group(people, &columns, combo, &mut key)) {
            found.push(group);
            continue;
        }
        let fits = |(_, counting): &&(u32, usize)| {
            columns.iter().all(|(here, there)| {
                let (wide, narrow) = (&counts.release.columns[*here], &people.release.columns[*there]);
                let node = |column: &PublishedColumn, code: u32| column.nodes[code as usize];
                let wider = node(wide, counts.release.combos.codes[*here][*counting]);
                let narrower = node(narrow, people.release.combos.codes[*there][combo]);
                covers(wide, wider, narrow, narrower)
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

/// The groups that count, by their cells, where no cell can stand for several: then they need not be looked for one by one.
struct Named {
    /// By column, by code of the release that is counted: the code of the same text in the one that counts.
    codes: Vec<Vec<Option<Code>>>,
    groups: HashMap<Vec<Code>, u32>,
}

impl Named {
    fn of(counts: &Held, people: &Held, columns: &[(usize, usize)], counting: &[(u32, usize)]) -> Option<Named> {
        if !columns.iter().all(|(here, there)| is_plain(counts, *here) && is_plain(people, *there)) {
            return None;
        }
        let cells = |combo: usize| columns.iter().map(|(here, _)| counts.release.combos.codes[*here][combo]).collect();
        let groups: HashMap<Vec<Code>, u32> = counting.iter().map(|(group, combo)| (cells(*combo), *group)).collect();
        let of_column = |(here, there): &(usize, usize)| {
            let (here, there) = (&counts.release.columns[*here], &people.release.columns[*there]);
            let known: HashMap<&str, Code> =
                (0..here.nodes.len() as Code).map(|code| (here.label(code), code)).collect();
            (0..there.nodes.len() as Code).map(|code| known.get(there.label(code)).copied()).collect()
        };
        // Two groups of the same cells cannot be told apart.
        let named = Named { codes: columns.iter().map(of_column).collect(), groups };
        (named.groups.len() == counting.len()).then_some(named)
    }

    fn group(&self, people: &Held, columns: &[(usize, usize)], combo: usize, key: &mut Vec<Code>) -> Option<u32> {
        key.clear();
        for (codes, (_, there)) in self.codes.iter().zip(columns) {
            key.push(codes[people.release.combos.codes[*there][combo] as usize]?);
        }
        self.groups.get(key.as_slice()).copied()
    }
}

/// Whether every cell of a column stands for itself alone.
fn is_plain(held: &Held, column: usize) -> bool {
    let PublishedColumn { tree, nodes, .. } = &held.release.columns[column];
    let leaf: Vec<bool> = nodes.iter().map(|node| *node != 0 && tree.interval(*node).is_none()).collect();
    let flat = tree.nodes().len() <= tree.len() + 1;
    flat && held.release.combos.codes[column].iter().all(|code| leaf[*code as usize])
}

/// Whether whatever one cell may stand for, the other says.
fn covers(wide: &PublishedColumn, wider: NodeId, narrow: &PublishedColumn, narrower: NodeId) -> bool {
    if wider == 0 && wide.tree.nodes().len() > 1 {
        return true;
    }
    match (wide.tree.interval(wider), narrow.tree.interval(narrower)) {
        (Some(wider), Some(narrower)) => narrower.within(&wider),
        _ => wide.tree.node(wider).label == narrow.tree.node(narrower).label || below(wide, wider, narrow, narrower),
    }
}

/// Whether every leaf below one node is below the other.
fn below(wide: &PublishedColumn, wider: NodeId, narrow: &PublishedColumn, narrower: NodeId) -> bool {
    let values = |column: &PublishedColumn, node: NodeId| {
        let codes = &column.tree.node(node).codes;
        column.tree.values()[codes.start as usize..codes.end as usize].to_vec()
    };
    let wide = values(wide, wider);
    let narrow = values(narrow, narrower);
    !narrow.is_empty() && narrow.iter().all(|value| wide.contains(value))
}
