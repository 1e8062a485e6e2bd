//! Published tables of a release by groups.
//!
//! A release has one table of people (group, quasi-identifiers) and one list for each sensitive column (group, value, count).
//! Neither the release nor the ledger assigns a value of a group to a person.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::cover::finest_interval;
use super::{GroupingOutcome, Marginals, RepublicationTask};
use crate::data::contingency::combine_with_positions;
use crate::data::interval::Interval;
use crate::data::links::{Links, Pseudonym};
use crate::data::schema::Role;
use crate::data::table::{Column, Counts};
use crate::data::taxonomy::{Code, SUPPRESSED, Taxonomy, Type, interval_text, scale_text};
use crate::error::Result;
use crate::release::Release;
use crate::release::history::{Presentation, RecordedRelease};
use crate::release::recognise::{RecognitionInput, release};

/// Form of the published quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Unchanged, one row for each person.
    Anatomized,
    /// Generalized to the smallest value that covers all members of the group, or of several groups together.
    Generalized,
}

impl Form {
    /// Names of the forms in a policy.
    pub const WORDS: &'static [&'static str] = &["anatomized", "generalized"];

    /// Returns the form with this name.
    pub fn from_word(word: &str) -> Option<Form> {
        match word {
            "anatomized" => Some(Form::Anatomized),
            "generalized" => Some(Form::Generalized),
            _ => None,
        }
    }

    /// Returns the name of the form.
    pub fn word(self) -> &'static str {
        Form::WORDS[self as usize]
    }
}

/// The tables of a release, as texts.
#[derive(Debug, Clone)]
pub struct PublishedTables {
    /// Name of the group column.
    pub group: String,
    /// Table of people: group and quasi-identifiers, with owner links.
    pub people: Counts,
    /// Types of the columns of `people`.
    pub types: Vec<Type>,
    /// Lists by sensitive column.
    pub lists: Vec<PublishedList>,
    /// Marginal tables.
    pub marginals: Vec<Counts>,
}

/// The list of one sensitive column.
#[derive(Debug, Clone)]
pub struct PublishedList {
    /// Name of the sensitive column.
    pub column: String,
    /// True if the lists are sets, in which some values may be noise.
    pub is_set: bool,
    /// Group and value, with counts.
    pub counts: Counts,
}

impl PublishedTables {
    /// Builds the tables of an outcome. Groups are numbered from 1 in random order.
    pub fn new(task: &RepublicationTask<'_>, outcome: &GroupingOutcome, form: Form) -> PublishedTables {
        let columns = &task.table.columns;
        // Not a reserved word of SQL.
        let mut group = "group_id".to_owned();
        while columns.iter().any(|column| column.name == group) {
            group.push('_');
        }
        let numbers = group_numbers(task, outcome);
        let width = outcome.groups.len().to_string().len();
        let names: Vec<String> = numbers.iter().map(|number| format!("{number:0width$}")).collect();
        let qi = task.quasi_identifiers();
        // Published records with their groups.
        let rows: Vec<(u32, u32)> = (0..)
            .zip(&outcome.groups)
            .flat_map(|(at, group)| group.members.iter().map(move |member| (*member, at)))
            .collect();
        let (cover_of, covers) = outcome.covers(task);
        let mut texts: Vec<(Vec<String>, Vec<Code>)> =
            vec![sorted_codes(names.clone(), rows.iter().map(|(_, at)| *at))];
        for column in &qi {
            texts.push(match form {
                Form::Anatomized => {
                    let tree = &columns[*column].tree;
                    let codes = rows.iter().map(|(member, _)| task.code(*member as usize, *column));
                    sorted_codes((0..tree.len() as Code).map(|code| finest(tree, code).to_owned()).collect(), codes)
                }
                Form::Generalized => {
                    let labels = covers.iter().map(|people| smallest_cover(task, people, *column)).collect();
                    sorted_codes(labels, rows.iter().map(|(_, at)| cover_of[*at as usize] as u32))
                }
            });
        }
        let people_of_rows = rows.iter().map(|(member, _)| task.records[*member as usize].person).collect();
        let names_of = qi.iter().map(|at| columns[*at].name.clone());
        let people = counts(
            [group.clone()].into_iter().chain(names_of).collect(),
            texts,
            vec![1; rows.len()],
            Some(people_of_rows),
        );
        let types = qi.iter().map(|at| columns[*at].tree.value_type());
        let types = [Type::Text].into_iter().chain(types).collect();
        let lists = task.sensitive().into_iter().enumerate().map(|(at, column)| {
            let listed = || {
                (0..)
                    .zip(&outcome.groups)
                    .flat_map(|(place, group)| group.lists[at].values.iter().map(move |one| (place, one)))
            };
            let groups = sorted_codes(names.clone(), listed().map(|(place, _)| place));
            let values: HashSet<&str> = listed().map(|(_, (value, _))| value.as_str()).collect();
            let mut values: Vec<&str> = values.into_iter().collect();
            values.sort_unstable();
            let place: HashMap<&str, Code> = values.iter().copied().zip(0..).collect();
            let codes = listed().map(|(_, (value, _))| place.get(value.as_str()).copied().unwrap_or(0)).collect();
            let values = values.into_iter().map(str::to_owned).collect();
            // If one group has a set, all lists are sets: a reader could not distinguish sets from multisets.
            let set = outcome.groups.iter().any(|group| group.lists[at].is_set);
            let weights = listed().map(|(_, (_, times))| if set { 1 } else { *times }).collect();
            let name = columns[column].name.clone();
            let counts = counts(vec![group.clone(), name.clone()], vec![groups, (values, codes)], weights, None);
            PublishedList { column: name, is_set: set, counts }
        });
        let lists = lists.collect();
        let marginals = marginals(task, outcome, &rows);
        PublishedTables { group, people, types, lists, marginals }
    }

    /// Returns the numbers of people in the equivalence classes on the published quasi-identifiers.
    pub fn class_sizes(&self) -> Vec<u64> {
        let people = &self.people.contingency;
        let mut sizes: BTreeMap<Vec<Code>, u64> = BTreeMap::new();
        for at in 0..people.len() {
            let class = people.codes[1..].iter().map(|codes| codes[at]).collect();
            *sizes.entry(class).or_default() += people.weights[at];
        }
        sizes.into_values().collect()
    }

    /// Returns the number of counterfeit values in the lists that are multisets.
    pub fn counterfeits(&self) -> u64 {
        let people = self.people.contingency.rows();
        let counting = self.lists.iter().filter(|list| !list.is_set);
        counting.map(|list| list.counts.contingency.rows().saturating_sub(people)).sum()
    }
}

/// Builds the marginal tables that the outcome requests.
fn marginals(task: &RepublicationTask<'_>, outcome: &GroupingOutcome, rows: &[(u32, u32)]) -> Vec<Counts> {
    let sensitive = task.sensitive();
    let tables: Vec<Vec<usize>> = match outcome.marginals {
        Marginals::Off => Vec::new(),
        Marginals::Each => sensitive.into_iter().map(|column| vec![column]).collect(),
        Marginals::Joint => vec![sensitive],
    };
    let table = |columns: Vec<usize>| {
        let names = columns.iter().map(|at| task.table.columns[*at].name.clone()).collect();
        let texts = columns.iter().map(|column| {
            let codes = rows.iter().map(|(member, _)| task.code(*member as usize, *column));
            sorted_codes(task.table.columns[*column].tree.values().to_vec(), codes)
        });
        counts(names, texts.collect(), vec![1; rows.len()], None)
    };
    tables.into_iter().map(table).collect()
}

/// Returns a random number for each group, independent of its members.
fn group_numbers(task: &RepublicationTask<'_>, outcome: &GroupingOutcome) -> Vec<usize> {
    let mut order: Vec<usize> = (1..=outcome.groups.len()).collect();
    super::largest::MethodRng(task.seed ^ 0x6772_6f75_7073).shuffle(&mut order);
    order
}

/// Returns the distinct used texts in ascending order, and the codes as indices into them.
fn sorted_codes(texts: Vec<String>, codes: impl Iterator<Item = u32>) -> (Vec<String>, Vec<Code>) {
    let codes: Vec<Code> = codes.collect();
    let mut used = vec![false; texts.len()];
    codes.iter().for_each(|code| used[*code as usize] = true);
    // Many texts are equal.
    let mut place: HashMap<&str, Code> =
        texts.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| (text.as_str(), 0)).collect();
    let mut sorted: Vec<&str> = place.keys().copied().collect();
    sorted.par_sort_unstable();
    (0..).zip(&sorted).for_each(|(at, text)| place.extend([(*text, at)]));
    let places: Vec<Code> = texts.iter().map(|text| place.get(text.as_str()).copied().unwrap_or(0)).collect();
    let codes = codes.iter().map(|code| places[*code as usize]).collect();
    (sorted.into_iter().map(str::to_owned).collect(), codes)
}

/// Builds counts from rows: equal rows are merged, in ascending order.
fn counts(
    names: Vec<String>,
    columns: Vec<(Vec<String>, Vec<Code>)>,
    weights: Vec<u64>,
    people_of_rows: Option<Vec<Pseudonym>>,
) -> Counts {
    let (values, codes): (Vec<Vec<String>>, Vec<Vec<Code>>) = columns.into_iter().unzip();
    let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
    let mut places: Vec<u32> = vec![0; weights.len()];
    let contingency = combine_with_positions(&views, &weights, None, |row, place| places[row] = place);
    let links = people_of_rows.map(|people_of_rows| Links::from_rows(people_of_rows.into_iter().zip(places).collect()));
    Counts { names, values, contingency, links }
}

/// Returns the finest publishable text of a value: the value, or its interval if the policy excludes single values.
fn finest(tree: &Taxonomy, code: Code) -> &str {
    match tree.leaf_of(code) {
        // Without a leaf interval, or with intervals that are still to be split, single values may be published.
        leaf if leaf == 0 || tree.can_grow(leaf) => tree.value(code),
        leaf => &tree.node(leaf).label,
    }
}

/// Returns the smallest generalized value that covers these people.
fn smallest_cover(task: &RepublicationTask<'_>, people: &[u32], column: usize) -> String {
    let Column { tree, .. } = &task.table.columns[column];
    let mut codes: Vec<Code> = people.iter().map(|at| task.code(*at as usize, column)).collect();
    codes.sort_unstable();
    let (Some(low), Some(high)) = (codes.first(), codes.last()) else { return SUPPRESSED.to_owned() };
    if low == high {
        return finest(tree, *low).to_owned();
    }
    let missing = tree.missing().is_some_and(|missing| codes.contains(&missing));
    if let Some(numbers) = tree.numbers().filter(|_| !missing) {
        // The ends are those of declared intervals, if there are any.
        if let (Some(first), Some(last)) = (finest_interval(tree, *low), finest_interval(tree, *high)) {
            if first == last {
                return tree.node(first).label.clone();
            }
            let bounds = [first, last].map(|node| tree.interval(node));
            // An interval of dates includes its last day, and its text excludes the day after it.
            let end = |to: Interval| to.high.map(|high| if to.high_in { high + 1.0 } else { high });
            return match (bounds[0].and_then(|from| from.low), bounds[1].and_then(end)) {
                (None, None) => SUPPRESSED.to_owned(),
                (from, to) => interval_text(tree.value_type(), from, to),
            };
        }
        let text = |code: Code| scale_text(tree.value_type(), numbers[code as usize]);
        return format!("[{},{}]", text(*low), text(*high));
    }
    let mut node = tree.leaf_of(*low);
    while !tree.node(node).span.contains(high) {
        match tree.node(node).parent {
            Some(parent) => node = parent,
            None => break,
        }
    }
    if node == 0 { SUPPRESSED.to_owned() } else { tree.node(node).label.clone() }
}

/// Converts the tables to recorded releases: the table of people, its lists and its marginal tables.
///
/// `columns` are the columns of the current data, and `meta` has the metadata of the release.
///
/// # Errors
///
/// Returns an error if the published texts cannot be recognized.
pub fn recorded_releases(
    tables: &PublishedTables,
    columns: &[Column],
    meta: &RecordedRelease,
) -> Result<Vec<RecordedRelease>> {
    // Text of a missing value, by column.
    let missing = |column: &Column| column.tree.missing().map(|code| column.tree.value(code).to_owned());
    let missing: Vec<Vec<String>> = columns.iter().map(|column| missing(column).into_iter().collect()).collect();
    let input = |name: &str, role, values| -> RecognitionInput<'_> {
        let at = columns.iter().position(|column| column.name == name);
        let absent = at.map_or(&[][..], |at| missing[at].as_slice());
        let tree = columns.iter().find(|column| column.name == name && column.tree.numbers().is_none());
        let known = tree.map(|column| &column.tree).filter(|_| role == Role::QuasiIdentifier);
        RecognitionInput { name: "", role, values, tree: known.filter(|tree| !tree.is_flat()), missing: absent }
    };
    let make = |counts: &Counts, input: Vec<RecognitionInput<'_>>| -> Result<Release> {
        let counts = Counts { links: None, ..counts.clone() };
        Ok(release(counts, &input, 0)?.0)
    };
    let names = &tables.people.names;
    let of_people = names
        .iter()
        .zip(&tables.types)
        .map(|(name, values)| RecognitionInput { name, ..input(name, Role::QuasiIdentifier, Some(*values)) });
    let mut all = vec![RecordedRelease {
        release: make(&tables.people, of_people.collect())?,
        links: tables.people.links.clone(),
        presentation: Presentation::default(),
        ..meta.clone()
    }];
    for list in &tables.lists {
        let of_list = list.counts.names.iter().map(|name| {
            let role = if *name == tables.group { Role::QuasiIdentifier } else { Role::Sensitive };
            RecognitionInput { name, ..input(name, role, Some(Type::Text)) }
        });
        all.push(RecordedRelease {
            release: make(&list.counts, of_list.collect())?,
            links: None,
            presentation: Presentation {
                about_release: Some(meta.number),
                values_listed_once: list.is_set,
                ..Presentation::default()
            },
            ..meta.clone()
        });
    }
    for counts in &tables.marginals {
        let of_values =
            counts.names.iter().map(|name| RecognitionInput { name, ..input(name, Role::Sensitive, Some(Type::Text)) });
        all.push(RecordedRelease {
            release: make(counts, of_values.collect())?,
            links: None,
            presentation: Presentation { about_release: Some(meta.number), ..Presentation::default() },
            ..meta.clone()
        });
    }
    Ok(all)
}
