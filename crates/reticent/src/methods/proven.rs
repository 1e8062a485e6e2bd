//! Tables that were read back, held against the data: a second look that shares nothing with how groups were made.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::{Shown, ShownList, Task};
use crate::error::{Error, Obstacle, Result};
use crate::interval::Interval;
use crate::links::ByOwner;
use crate::table::Counts;
use crate::taxonomy::{Code, SUPPRESSED, Taxonomy};

/// Whether every row of people is somebody's and says nothing untrue of them, and every list has what the people of its group have.
pub fn prove(task: &Task<'_>, shown: &Shown) -> Result<()> {
    let people = &shown.people;
    let links = people.links.as_ref().ok_or_else(|| wrong("it is not known whose their rows are"))?;
    let quasi = task.quasi_identifiers();
    if links.totals(people.combos.len()) != people.combos.weights || people.names.len() != quasi.len() + 1 {
        return Err(wrong("their rows are not those of the people who are published"));
    }
    let records: ByOwner<usize> = task.records.iter().zip(0..).map(|(record, at)| (record.who, at)).collect();
    let records = records.of_each(links.pseudonyms.iter().copied());
    // By quasi-identifier, by text: what it says.
    let said = |(column, texts): (&usize, &Vec<String>)| -> Vec<Said> {
        let tree = &task.table.columns[*column].tree;
        let codes: HashMap<&str, Code> = tree.values().iter().map(String::as_str).zip(0..).collect();
        texts.iter().map(|text| Said::of(tree, &codes, text)).collect()
    };
    let said: Vec<Vec<Said>> = quasi.iter().zip(&people.values[1..]).map(said).collect();
    // Group and record of everybody who is published, ascending by group.
    let mut members: Vec<(Code, usize)> = Vec::with_capacity(links.len());
    for (record, combo) in records.into_iter().zip(&links.combos) {
        let record = record.ok_or_else(|| wrong("a row is about nobody in the data"))?;
        let cell = |column: usize| people.combos.codes[column][*combo as usize];
        for (at, column) in quasi.iter().enumerate() {
            let tree = &task.table.columns[*column].tree;
            if !said[at][cell(at + 1) as usize].is_true_of(tree, task.code(record, *column)) {
                return Err(wrong("a row says something of somebody that the data does not"));
            }
        }
        members.push((cell(0), record));
    }
    members.par_sort_unstable();
    let sensitive = task.sensitive();
    if shown.lists.len() != sensitive.len() {
        return Err(wrong("a sensitive column has no list"));
    }
    shown.lists.iter().zip(sensitive).try_for_each(|(list, column)| prove_list(task, shown, list, column, &members))
}

/// Whether a list has what the people of its groups have, and no other group.
fn prove_list(
    task: &Task<'_>,
    shown: &Shown,
    list: &ShownList,
    column: usize,
    members: &[(Code, usize)],
) -> Result<()> {
    let Counts { values, combos, .. } = &list.counts;
    if values[0] != shown.people.values[0] {
        return Err(wrong("the groups of a list are not those of the people"));
    }
    let mut listed: HashMap<(Code, Code), u64> = HashMap::with_capacity(combos.len());
    for row in 0..combos.len() {
        *listed.entry((combos.codes[0][row], combos.codes[1][row])).or_default() += combos.weights[row];
    }
    // By value of the data: its place among those that are listed.
    let known: HashMap<&str, Code> = values[1].iter().map(String::as_str).zip(0..).collect();
    let place = |value: &String| known.get(value.as_str()).copied();
    let places: Vec<Option<Code>> = task.table.columns[column].tree.values().iter().map(place).collect();
    for group in members.chunk_by(|one, next| one.0 == next.0) {
        let mut have: Vec<Code> = group.iter().map(|(_, record)| task.code(*record, column)).collect();
        have.sort_unstable();
        for same in have.chunk_by(|one, next| one == next) {
            let value = places[same[0] as usize];
            let times = value.and_then(|value| listed.get(&(group[0].0, value)).copied()).unwrap_or(0);
            if times == 0 || !list.set && times < same.len() as u64 {
                return Err(wrong("a list lacks what somebody of its group has"));
            }
        }
    }
    Ok(())
}

fn wrong(reason: &'static str) -> Error {
    Obstacle::WrittenTablesDiffer { reason }.into()
}

/// What a published text says of a value.
enum Said {
    Nothing,
    Value(Code),
    Within(Interval),
    Below(std::ops::Range<Code>),
    /// Something that no value is.
    Untrue,
}

impl Said {
    fn of(tree: &Taxonomy, codes: &HashMap<&str, Code>, text: &str) -> Said {
        if text == SUPPRESSED {
            return Said::Nothing;
        }
        if let Some(code) = codes.get(text) {
            return Said::Value(*code);
        }
        let interval = tree.numbers().and_then(|_| Interval::parse(tree.value_type(), text));
        match (interval, tree.find(text)) {
            (Some(interval), _) => Said::Within(interval),
            (None, Some(node)) => Said::Below(tree.node(node).codes.clone()),
            (None, None) => Said::Untrue,
        }
    }

    fn is_true_of(&self, tree: &Taxonomy, code: Code) -> bool {
        match self {
            Said::Nothing => true,
            Said::Value(value) => *value == code,
            Said::Within(interval) => tree.numbers().is_some_and(|numbers| interval.contains(numbers[code as usize])),
            Said::Below(codes) => codes.contains(&code),
            Said::Untrue => false,
        }
    }
}
