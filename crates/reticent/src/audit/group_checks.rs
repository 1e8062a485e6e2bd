//! Checks on groups over several releases: who shares all their groups.

use hashbrown::HashMap;

use crate::history::Held;
use crate::links::Pseudonym;
use crate::taxonomy::Code;

/// The fewest people who are in the same groups of all these releases. Exchanging two of them changes nothing that was published, so no
/// record is linked to anybody with more than one over this. Each table of people comes with the column that numbers its groups; where
/// there is none, equal quasi-identifiers are a group.
pub(crate) fn fewest_alike(tables: &[(&Held, Option<&str>)]) -> u64 {
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
