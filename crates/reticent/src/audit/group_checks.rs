//! Checks on groups over several releases: who shares all their groups, and whose quasi-identifiers changed.

use hashbrown::HashMap;

use crate::history::Held;
use crate::links::Pseudonym;
use crate::matching::matches;
use crate::taxonomy::Code;

/// How many people of an earlier table cannot be what a later one says of them too, because their quasi-identifiers changed; groups are
/// numbered by a column that says nothing of people.
pub fn changed_quasi(earlier: &Held, later: &Held, group: &str) -> u64 {
    let (Some(before), Some(now)) = (&earlier.links, &later.links) else { return 0 };
    let combo_now: HashMap<Pseudonym, u32> = now.pseudonyms.iter().copied().zip(now.combos.iter().copied()).collect();
    let shared = earlier.release.columns.iter().enumerate().filter(|(_, column)| column.name != group);
    let shared: Vec<(usize, usize, Vec<Vec<Code>>)> = shared
        .filter_map(|(here, column)| {
            let there = later.release.columns.iter().position(|other| other.name == column.name)?;
            Some((here, there, matches(column, &later.release.columns[there])))
        })
        .collect();
    let code = |held: &Held, column: usize, combo: u32| held.release.combos.codes[column][combo as usize];
    let changed = |(who, combo): (&Pseudonym, &u32)| {
        let Some(now) = combo_now.get(who) else { return false };
        let can_be = |(here, there, matching): &(usize, usize, Vec<Vec<Code>>)| {
            matching[code(earlier, *here, *combo) as usize].binary_search(&code(later, *there, *now)).is_ok()
        };
        !shared.iter().all(can_be)
    };
    before.pseudonyms.iter().zip(&before.combos).filter(|one| changed(*one)).count() as u64
}

/// The fewest people who are in the same groups of all these releases. Exchanging two of them changes nothing that was published, so no
/// record is linked to anybody with more than one over this. Each table of people comes with the column that numbers its groups; where
/// there is none, equal quasi-identifiers are a group.
pub fn fewest_alike(tables: &[(&Held, Option<&str>)]) -> u64 {
    let mut of_owner: HashMap<Pseudonym, Vec<(usize, u32)>> = HashMap::new();
    for (at, (held, group)) in tables.iter().enumerate() {
        let Some(links) = &held.links else { continue };
        let columns = &held.release.columns;
        let on: Vec<usize> = match group.and_then(|name| columns.iter().position(|column| column.name == name)) {
            Some(column) => vec![column],
            None => (0..columns.len()).collect(),
        };
        let mut numbers: HashMap<Vec<Code>, u32> = HashMap::new();
        for (who, combo) in links.pseudonyms.iter().zip(&links.combos) {
            let key: Vec<Code> = on.iter().map(|column| held.release.combos.codes[*column][*combo as usize]).collect();
            let next = numbers.len() as u32;
            of_owner.entry(*who).or_default().push((at, *numbers.entry(key).or_insert(next)));
        }
    }
    let mut alike: HashMap<Vec<(usize, u32)>, u64> = HashMap::new();
    of_owner.into_values().for_each(|places| *alike.entry(places).or_default() += 1);
    alike.into_values().min().unwrap_or(0)
}
