//! Verification of written tables against the data. It shares no code with the methods that form the groups.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::{PublishedList, PublishedTables, RepublicationTask};
use crate::data::interval::Interval;
use crate::data::links::ByOwner;
use crate::data::table::Counts;
use crate::data::taxonomy::{Code, SUPPRESSED, Taxonomy};
use crate::error::{Error, Obstacle, Result};

/// Checks that the tables match the data: every row is true of its owner, and every list covers the values of its group.
///
/// # Errors
///
/// Returns [`Obstacle::WrittenTablesDiffer`] if the tables differ from the data.
pub fn verify(task: &RepublicationTask<'_>, tables: &PublishedTables) -> Result<()> {
    let people = &tables.people;
    let links = people.links.as_ref().ok_or_else(|| tables_differ("the rows of the people table have no owners"))?;
    let qi = task.quasi_identifiers();
    if links.rows_by_cell(people.contingency.len()) != people.contingency.weights || people.names.len() != qi.len() + 1
    {
        return Err(tables_differ("the rows of the people table are not those of the published people"));
    }
    let records: ByOwner<usize> = task.records.iter().zip(0..).map(|(record, at)| (record.person, at)).collect();
    let records = records.get_sorted(links.pseudonyms.iter().copied());
    // Meaning of each published text, by quasi-identifier.
    let meanings = |(column, texts): (&usize, &Vec<String>)| -> Vec<CellMeaning> {
        let tree = &task.table.columns[*column].tree;
        let codes: HashMap<&str, Code> = tree.values().iter().map(String::as_str).zip(0..).collect();
        texts.iter().map(|text| CellMeaning::new(tree, &codes, text)).collect()
    };
    let meanings: Vec<Vec<CellMeaning>> = qi.iter().zip(&people.values[1..]).map(meanings).collect();
    // Group and record of every published person, in ascending order of groups.
    let mut members: Vec<(Code, usize)> = Vec::with_capacity(links.len());
    for (record, combo) in records.into_iter().zip(&links.cells) {
        let record = record.ok_or_else(|| tables_differ("a row belongs to a person who is not in the data"))?;
        let cell = |column: usize| people.contingency.codes[column][*combo as usize];
        for (at, column) in qi.iter().enumerate() {
            let tree = &task.table.columns[*column].tree;
            if !meanings[at][cell(at + 1) as usize].matches(tree, task.code(record, *column)) {
                return Err(tables_differ("a published quasi-identifier does not cover the value of its owner"));
            }
        }
        members.push((cell(0), record));
    }
    members.par_sort_unstable();
    let sensitive = task.sensitive();
    if tables.lists.len() != sensitive.len() {
        return Err(tables_differ("a sensitive column has no list"));
    }
    tables.lists.iter().zip(sensitive).try_for_each(|(list, column)| verify_list(task, tables, list, column, &members))
}

/// Checks that a list has the same groups as the people table, and covers the values of the members of every group.
fn verify_list(
    task: &RepublicationTask<'_>,
    tables: &PublishedTables,
    list: &PublishedList,
    column: usize,
    members: &[(Code, usize)],
) -> Result<()> {
    let Counts { values, contingency, .. } = &list.counts;
    if values[0] != tables.people.values[0] {
        return Err(tables_differ("the groups of a list are not those of the people table"));
    }
    let mut listed: HashMap<(Code, Code), u64> = HashMap::with_capacity(contingency.len());
    for row in 0..contingency.len() {
        *listed.entry((contingency.codes[0][row], contingency.codes[1][row])).or_default() += contingency.weights[row];
    }
    // Code in the list, by code in the data.
    let known: HashMap<&str, Code> = values[1].iter().map(String::as_str).zip(0..).collect();
    let position = |value: &String| known.get(value.as_str()).copied();
    let places: Vec<Option<Code>> = task.table.columns[column].tree.values().iter().map(position).collect();
    for group in members.chunk_by(|one, next| one.0 == next.0) {
        let mut values_present: Vec<Code> = group.iter().map(|(_, record)| task.code(*record, column)).collect();
        values_present.sort_unstable();
        for same in values_present.chunk_by(|one, next| one == next) {
            let value = places[same[0] as usize];
            let times = value.and_then(|value| listed.get(&(group[0].0, value)).copied()).unwrap_or(0);
            if times == 0 || !list.is_set && times < same.len() as u64 {
                return Err(tables_differ("a list lacks a value of a member of its group"));
            }
        }
    }
    Ok(())
}

fn tables_differ(reason: &'static str) -> Error {
    Obstacle::WrittenTablesDiffer { reason }.into()
}

/// The set of values that a published text covers.
enum CellMeaning {
    /// All values: the text is suppressed.
    Any,
    Value(Code),
    Within(Interval),
    Below(std::ops::Range<Code>),
    /// No value: the text is unknown.
    Never,
}

impl CellMeaning {
    fn new(tree: &Taxonomy, codes: &HashMap<&str, Code>, text: &str) -> CellMeaning {
        if text == SUPPRESSED {
            return CellMeaning::Any;
        }
        if let Some(code) = codes.get(text) {
            return CellMeaning::Value(*code);
        }
        let interval = tree.numbers().and_then(|_| Interval::parse(tree.value_type(), text));
        match (interval, tree.find(text)) {
            (Some(interval), _) => CellMeaning::Within(interval),
            (None, Some(node)) => CellMeaning::Below(tree.node(node).span.clone()),
            (None, None) => CellMeaning::Never,
        }
    }

    fn matches(&self, tree: &Taxonomy, code: Code) -> bool {
        match self {
            CellMeaning::Any => true,
            CellMeaning::Value(value) => *value == code,
            CellMeaning::Within(interval) => {
                tree.numbers().is_some_and(|numbers| interval.contains(numbers[code as usize]))
            }
            CellMeaning::Below(codes) => codes.contains(&code),
            CellMeaning::Never => false,
        }
    }
}
