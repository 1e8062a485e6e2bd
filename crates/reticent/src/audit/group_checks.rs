//! Checks on groups over several releases.

use hashbrown::HashMap;

use crate::data::links::Pseudonym;
use crate::data::taxonomy::Code;
use crate::release::history::RecordedRelease;

/// Returns the smallest number of people who share all their groups in all these releases.
///
/// Exchanging such people changes nothing that was published. So no record is linked to a person with a probability above
/// 1 / (this number). Each table has the name of its group column. Without one, records that are equal in all columns are a group.
pub(crate) fn min_indistinguishable(tables: &[(&RecordedRelease, Option<&str>)]) -> u64 {
    let mut groups_of: HashMap<Pseudonym, Vec<(usize, u32)>> = HashMap::new();
    for (at, (recorded, group)) in tables.iter().enumerate() {
        let Some(links) = &recorded.links else { continue };
        let columns = &recorded.release.columns;
        let on: Vec<usize> = match group.and_then(|name| columns.iter().position(|column| column.name == name)) {
            Some(column) => vec![column],
            None => (0..columns.len()).collect(),
        };
        let mut numbers: HashMap<Vec<Code>, u32> = HashMap::new();
        for (person, cell) in links.pseudonyms.iter().zip(&links.cells) {
            let key: Vec<Code> =
                on.iter().map(|column| recorded.release.contingency.codes[*column][*cell as usize]).collect();
            let next = numbers.len() as u32;
            groups_of.entry(*person).or_default().push((at, *numbers.entry(key).or_insert(next)));
        }
    }
    let mut class_sizes: HashMap<Vec<(usize, u32)>, u64> = HashMap::new();
    groups_of.into_values().for_each(|groups| *class_sizes.entry(groups).or_default() += 1);
    class_sizes.into_values().min().unwrap_or(0)
}
