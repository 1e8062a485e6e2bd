//! Tables that were read back, held against the data: a second look that shares nothing with how groups were made.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{Shown, Task};
use crate::error::{Error, Result};
use crate::history::Held;
use crate::interval::Interval;
use crate::links::Pseudonym;
use crate::taxonomy::{Code, SUPPRESSED, Taxonomy};

/// Whether every row of people is somebody's and says nothing untrue of them, and every list has what the people of its group have.
pub fn prove(task: &Task<'_>, shown: &Shown) -> Result<()> {
    let wrong = |why: &str| Error::CannotCheck { what: "the written tables".to_owned(), why: why.to_owned() };
    let links = shown.people.links.as_ref().ok_or_else(|| wrong("it is not known whose their rows are"))?;
    let people = &shown.people;
    let text =
        |column: usize, combo: usize| people.values[column][people.combos.codes[column][combo] as usize].as_str();
    let quasi = task.quasi_identifiers();
    if links.totals(people.combos.len()) != people.combos.weights || people.names.len() != quasi.len() + 1 {
        return Err(wrong("their rows are not those of the people who are published"));
    }
    let of_owner: HashMap<Pseudonym, usize> =
        task.records.iter().zip(0..).map(|(record, at)| (record.who, at)).collect();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (who, combo) in links.pseudonyms.iter().zip(&links.combos) {
        let combo = *combo as usize;
        let record = *of_owner.get(who).ok_or_else(|| wrong("a row is about nobody in the data"))?;
        for (at, column) in quasi.iter().enumerate() {
            if !says(&task.table.columns[*column].tree, task.code(record, *column), text(at + 1, combo)) {
                return Err(wrong("a row says something of somebody that the data does not"));
            }
        }
        groups.entry(text(0, combo)).or_default().push(record);
    }
    let sensitive = task.sensitive();
    if shown.lists.len() != sensitive.len() {
        return Err(wrong("a sensitive column has no list"));
    }
    for (list, column) in shown.lists.iter().zip(sensitive) {
        let mut listed: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        let cell = |at: usize, row: usize| list.counts.values[at][list.counts.combos.codes[at][row] as usize].as_str();
        for row in 0..list.counts.combos.len() {
            *listed.entry(cell(0, row)).or_default().entry(cell(1, row)).or_default() +=
                list.counts.combos.weights[row];
        }
        if !listed.keys().eq(groups.keys()) {
            return Err(wrong("the groups of a list are not those of the people"));
        }
        for (group, members) in &groups {
            let mut have: BTreeMap<&str, u64> = BTreeMap::new();
            members.iter().for_each(|at| *have.entry(task.value(*at, column)).or_default() += 1);
            let enough = |(value, times): (&&str, &u64)| {
                listed[group].get(value).is_some_and(|listed| list.set || listed >= times)
            };
            if !have.iter().all(enough) {
                return Err(wrong("a list lacks what somebody of its group has"));
            }
        }
    }
    Ok(())
}

/// Whether a published text is true of a value.
fn says(tree: &Taxonomy, code: Code, text: &str) -> bool {
    if text == SUPPRESSED || text == tree.value(code) {
        return true;
    }
    if let (Some(numbers), Some(interval)) = (tree.numbers(), Interval::parse(tree.value_type(), text)) {
        return interval.contains(numbers[code as usize]);
    }
    tree.find(text).is_some_and(|node| tree.node(node).codes.contains(&code))
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
