//! What a method's groups look like when they are published.
//!
//! A release is one table of people (their group, their quasi-identifiers) and one list for each sensitive column (group, value,
//! how many). Nothing published, and nothing kept, says which of a group's values is whose.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{Group, Marginals, Outcome, Task};
use crate::combos::combine_placing;
use crate::error::Result;
use crate::history::{Disguise, Held};
use crate::links::{Links, Pseudonym};
use crate::recognise::{Told, release};
use crate::release::Release;
use crate::schema::Role;
use crate::table::{Column, Counts};
use crate::taxonomy::{Code, SUPPRESSED, Taxonomy, Type, interval_text, scale_text};

/// How quasi-identifiers are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// As they are, a row for each person.
    Anatomized,
    /// As the smallest value that covers everybody of the group.
    Generalized,
}

impl Form {
    /// What a policy can say.
    pub const WORDS: &'static [&'static str] = &["anatomized", "generalized"];

    /// The form of a word.
    pub fn of(word: &str) -> Option<Form> {
        match word {
            "anatomized" => Some(Form::Anatomized),
            "generalized" => Some(Form::Generalized),
            _ => None,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Form::WORDS[self as usize]
    }
}

/// A release as tables of texts.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The name of the column that numbers groups.
    pub group: String,
    /// The people: group and quasi-identifiers, with their links.
    pub people: Counts,
    /// What their columns hold.
    pub types: Vec<Type>,
    /// By sensitive column: group and value.
    pub lists: Vec<ShownList>,
    /// How often values are published, all groups together.
    pub marginals: Vec<Counts>,
}

/// The list of one sensitive column.
#[derive(Debug, Clone)]
pub struct ShownList {
    /// The column.
    pub column: String,
    /// Whether values are listed once, and some may be nobody's.
    pub set: bool,
    /// Group and value, and how many.
    pub counts: Counts,
}

impl Shown {
    /// The tables of an outcome. Groups are numbered from 1 in an order that says nothing.
    pub fn of(task: &Task<'_>, outcome: &Outcome, form: Form) -> Shown {
        let columns = &task.table.columns;
        // A word that SQL leaves to its users.
        let mut group = "group_id".to_owned();
        while columns.iter().any(|column| column.name == group) {
            group.push('_');
        }
        let numbers = numbers(task, outcome);
        let width = outcome.groups.len().to_string().len();
        let names: Vec<String> = numbers.iter().map(|number| format!("{number:0width$}")).collect();
        let quasi = task.quasi_identifiers();
        // By record that is published: its group.
        let rows: Vec<(u32, u32)> = (0..)
            .zip(&outcome.groups)
            .flat_map(|(at, group)| group.members.iter().map(move |member| (*member, at)))
            .collect();
        let mut texts: Vec<(Vec<String>, Vec<Code>)> = vec![coded(names.clone(), rows.iter().map(|(_, at)| *at))];
        for column in &quasi {
            texts.push(match form {
                Form::Anatomized => {
                    let tree = &columns[*column].tree;
                    let codes = rows.iter().map(|(member, _)| task.code(*member as usize, *column));
                    coded((0..tree.len() as Code).map(|code| finest(tree, code).to_owned()).collect(), codes)
                }
                Form::Generalized => {
                    let labels = outcome.groups.iter().map(|group| covering(task, group, *column)).collect();
                    coded(labels, rows.iter().map(|(_, at)| *at))
                }
            });
        }
        let who = rows.iter().map(|(member, _)| task.records[*member as usize].who).collect();
        let names_of = quasi.iter().map(|at| columns[*at].name.clone());
        let people =
            counts([group.clone()].into_iter().chain(names_of).collect(), texts, vec![1; rows.len()], Some(who));
        let types = quasi.iter().map(|at| columns[*at].tree.value_type());
        let types = [Type::Text].into_iter().chain(types).collect();
        let lists = task.sensitive().into_iter().enumerate().map(|(at, column)| {
            let listed = || {
                (0..)
                    .zip(&outcome.groups)
                    .flat_map(|(place, group)| group.lists[at].values.iter().map(move |one| (place, one)))
            };
            let groups = coded(names.clone(), listed().map(|(place, _)| place));
            let values: HashSet<&str> = listed().map(|(_, (value, _))| value.as_str()).collect();
            let mut values: Vec<&str> = values.into_iter().collect();
            values.sort_unstable();
            let place: HashMap<&str, Code> = values.iter().copied().zip(0..).collect();
            let codes = listed().map(|(_, (value, _))| place.get(value.as_str()).copied().unwrap_or(0)).collect();
            let values = values.into_iter().map(str::to_owned).collect();
            // Where one group lists values once, whoever has them, all do: a reader could not tell these from lists that count.
            let set = outcome.groups.iter().any(|group| group.lists[at].set);
            let weights = listed().map(|(_, (_, times))| if set { 1 } else { *times }).collect();
            let name = columns[column].name.clone();
            let counts = counts(vec![group.clone(), name.clone()], vec![groups, (values, codes)], weights, None);
            ShownList { column: name, set, counts }
        });
        let lists = lists.collect();
        let marginals = marginals(task, outcome, &rows);
        Shown { group, people, types, lists, marginals }
    }

    /// Listed values that are nobody's, in lists that count.
    pub fn counterfeits(&self) -> u64 {
        let people = self.people.combos.rows();
        let counting = self.lists.iter().filter(|list| !list.set);
        counting.map(|list| list.counts.combos.rows().saturating_sub(people)).sum()
    }
}

/// How often values of sensitive columns are published, as far as that is told.
fn marginals(task: &Task<'_>, outcome: &Outcome, rows: &[(u32, u32)]) -> Vec<Counts> {
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
            coded(task.table.columns[*column].tree.values().to_vec(), codes)
        });
        counts(names, texts.collect(), vec![1; rows.len()], None)
    };
    tables.into_iter().map(table).collect()
}

/// Which number each group gets: nothing about its people follows from it.
fn numbers(task: &Task<'_>, outcome: &Outcome) -> Vec<usize> {
    let mut order: Vec<usize> = (1..=outcome.groups.len()).collect();
    super::largest::Drawn(task.seed ^ 0x6772_6f75_7073).shuffle(&mut order);
    order
}

/// Texts in ascending order, each once and used, and codes as places among them.
fn coded(texts: Vec<String>, codes: impl Iterator<Item = u32>) -> (Vec<String>, Vec<Code>) {
    let codes: Vec<Code> = codes.collect();
    let mut used = vec![false; texts.len()];
    codes.iter().for_each(|code| used[*code as usize] = true);
    // Many are the same.
    let mut place: HashMap<&str, Code> =
        texts.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| (text.as_str(), 0)).collect();
    let mut sorted: Vec<&str> = place.keys().copied().collect();
    sorted.par_sort_unstable();
    (0..).zip(&sorted).for_each(|(at, text)| place.extend([(*text, at)]));
    let places: Vec<Code> = texts.iter().map(|text| place.get(text.as_str()).copied().unwrap_or(0)).collect();
    let codes = codes.iter().map(|code| places[*code as usize]).collect();
    (sorted.into_iter().map(str::to_owned).collect(), codes)
}

/// Rows as an engine would read them: equal ones put together, ascending.
fn counts(
    names: Vec<String>,
    columns: Vec<(Vec<String>, Vec<Code>)>,
    weights: Vec<u64>,
    who: Option<Vec<Pseudonym>>,
) -> Counts {
    let (values, codes): (Vec<Vec<String>>, Vec<Vec<Code>>) = columns.into_iter().unzip();
    let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
    let mut places: Vec<u32> = vec![0; weights.len()];
    let combos = combine_placing(&views, &weights, None, |row, place| places[row] = place);
    let links = who.map(|who| Links::collect(who.into_iter().zip(places).collect()));
    Counts { names, values, combos, links }
}

/// The finest that may be published of a value: itself, or the interval around it where the policy says that no single value is.
fn finest(tree: &Taxonomy, code: Code) -> &str {
    match tree.leaf_of(code) {
        // Where intervals are still to be grown, nothing is said of single values.
        leaf if leaf == 0 || tree.can_grow(leaf) => tree.value(code),
        leaf => &tree.node(leaf).label,
    }
}

/// The smallest value that covers everybody of a group.
fn covering(task: &Task<'_>, group: &Group, column: usize) -> String {
    let Column { tree, .. } = &task.table.columns[column];
    let mut codes: Vec<Code> = group.members.iter().map(|member| task.code(*member as usize, column)).collect();
    codes.sort_unstable();
    let (Some(low), Some(high)) = (codes.first(), codes.last()) else { return SUPPRESSED.to_owned() };
    if low == high {
        return finest(tree, *low).to_owned();
    }
    let missing = tree.missing().is_some_and(|missing| codes.contains(&missing));
    if let Some(numbers) = tree.numbers().filter(|_| !missing) {
        let ends = [*low, *high].map(|code| tree.leaf_of(code));
        if ends[0] != 0 && finest(tree, *low) != tree.value(*low) {
            let [from, to] = ends.map(|leaf| tree.interval(leaf));
            return match ends[0] == ends[1] {
                true => finest(tree, *low).to_owned(),
                false => {
                    let (from, to) = (from.and_then(|from| from.low), to.and_then(|to| to.high));
                    match (from, to) {
                        (None, None) => SUPPRESSED.to_owned(),
                        ends => interval_text(tree.value_type(), ends.0, ends.1),
                    }
                }
            };
        }
        let text = |code: Code| scale_text(tree.value_type(), numbers[code as usize]);
        return format!("[{},{}]", text(*low), text(*high));
    }
    let mut node = tree.leaf_of(*low);
    while !tree.node(node).codes.contains(high) {
        match tree.node(node).parent {
            Some(parent) => node = parent,
            None => break,
        }
    }
    if node == 0 { SUPPRESSED.to_owned() } else { tree.node(node).label.clone() }
}

/// A release as it is held: the table of people, and the lists about them. `trees` are this month's columns.
pub fn held(shown: &Shown, columns: &[Column], meta: &Held) -> Result<Vec<Held>> {
    // By column of this month: the text that stands for no value.
    let missing = |column: &Column| column.tree.missing().map(|code| column.tree.value(code).to_owned());
    let missing: Vec<Vec<String>> = columns.iter().map(|column| missing(column).into_iter().collect()).collect();
    let told = |name: &str, role, values| -> Told<'_> {
        let at = columns.iter().position(|column| column.name == name);
        let absent = at.map_or(&[][..], |at| missing[at].as_slice());
        let tree = columns.iter().find(|column| column.name == name && column.tree.numbers().is_none());
        let known = tree.map(|column| &column.tree).filter(|_| role == Role::QuasiIdentifier);
        Told { name: "", role, values, tree: known.filter(|tree| tree.nodes().len() > tree.len() + 1), missing: absent }
    };
    let make = |counts: &Counts, told: Vec<Told<'_>>| -> Result<Release> {
        let counts = Counts { links: None, ..counts.clone() };
        Ok(release(counts, &told, 0)?.0)
    };
    let names = &shown.people.names;
    let of_people = names
        .iter()
        .zip(&shown.types)
        .map(|(name, values)| Told { name, ..told(name, Role::QuasiIdentifier, Some(*values)) });
    let mut all = vec![Held {
        release: make(&shown.people, of_people.collect())?,
        links: shown.people.links.clone(),
        disguise: Disguise::default(),
        ..meta.clone()
    }];
    for list in &shown.lists {
        let of_list = list.counts.names.iter().map(|name| {
            let role = if *name == shown.group { Role::QuasiIdentifier } else { Role::Sensitive };
            Told { name, ..told(name, role, Some(Type::Text)) }
        });
        all.push(Held {
            release: make(&list.counts, of_list.collect())?,
            links: None,
            disguise: Disguise { of: Some(meta.number), set: list.set, ..Disguise::default() },
            ..meta.clone()
        });
    }
    for counts in &shown.marginals {
        let of_values = counts.names.iter().map(|name| Told { name, ..told(name, Role::Sensitive, Some(Type::Text)) });
        all.push(Held {
            release: make(counts, of_values.collect())?,
            links: None,
            disguise: Disguise { of: Some(meta.number), ..Disguise::default() },
            ..meta.clone()
        });
    }
    Ok(all)
}
