//! Texts without an order: values, and in quasi-identifiers texts whose end is masked.
//!
//! `476**` stands for all texts of its length that begin with `476`. A single star is one character where all texts that
//! begin like it have its length, and any end of a text where they have not: `47*` beside `47677`.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::{Drawn, Kinds, Told};
use crate::error::{Error, Result};
use crate::interval::masked_prefix;
use crate::schema::Role;
use crate::taxonomy::Taxonomy;
use crate::taxonomy::published::Draft;
use crate::text::counted;

/// Draws the tree of a text column.
pub(super) fn draw(told: &Told<'_>, cells: &[&str]) -> Result<(Drawn, Kinds)> {
    let quasi = told.role == Role::QuasiIdentifier;
    if quasi {
        refuse_sets(told, cells)?;
    }
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by_key(|at| cells[*at]);
    let sorted: Vec<&str> = order.iter().map(|at| cells[*at]).collect();
    let masks = if quasi { Masks::among(&sorted) } else { Masks::default() };
    let draft = |cell: &&str| Draft { label: (*cell).to_owned(), parent: masks.around(cell) };
    let (tree, ids) = Taxonomy::published(told.name, sorted.iter().map(draft).collect())?;
    let mut nodes = vec![0; cells.len()];
    for (at, id) in order.iter().zip(ids) {
        nodes[*at] = id;
    }
    let masked = masks.places.len() as u64;
    let kinds = Kinds { values: cells.len() as u64 - masked, masked, ..Kinds::default() };
    Ok((Drawn { tree: tree.into(), nodes }, kinds))
}

/// Sets and ranges of texts say nothing without a taxonomy; taken for values they would hide what they give away.
fn refuse_sets(told: &Told<'_>, cells: &[&str]) -> Result<()> {
    let sets: Vec<&str> = cells.iter().copied().filter(|cell| is_set(cell)).collect();
    if sets.is_empty() {
        return Ok(());
    }
    let message = format!(
        "looks generalized: {} in brackets; give the column a taxonomy, or the type number or date",
        counted(sets.len() as u64, "value")
    );
    Err(Error::column(told.name, message))
}

/// `{a,b}`, `[a-b)`: several parts between brackets or braces.
fn is_set(cell: &str) -> bool {
    let cell = cell.trim();
    let braces = cell.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let brackets = cell.strip_prefix(['[', ']']).and_then(|rest| rest.strip_suffix([']', '[', ')']));
    let open = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix([']', '[']));
    let inner = braces.or(brackets).or(open);
    inner.is_some_and(|inner| inner.contains([',', ';', '|', '-', '–']) || inner.contains(".."))
}

/// The masked texts of a column, by what they show and by the length of what they stand for: none for any length.
#[derive(Default)]
struct Masks<'a> {
    places: HashMap<(&'a str, Option<usize>), usize>,
    /// The lengths of what they show, in bytes.
    shown: BTreeSet<usize>,
    /// What is shown by those that stand for texts of any length.
    any_length: HashSet<&'a str>,
}

impl<'a> Masks<'a> {
    /// The masks among texts, by their places.
    fn among(cells: &[&'a str]) -> Self {
        let masked = || cells.iter().enumerate().filter_map(|(at, cell)| Some((at, *cell, masked_prefix(cell)?)));
        let mut masks = Masks { shown: masked().map(|(_, _, prefix)| prefix.len()).collect(), ..Masks::default() };
        masks.any_length = masks.of_any_length(cells);
        masks.places = masked().map(|(at, cell, prefix)| ((prefix, masks.length(cell, prefix)), at)).collect();
        masks
    }

    /// Single stars that texts of other lengths begin like.
    fn of_any_length(&self, cells: &[&'a str]) -> HashSet<&'a str> {
        let single = |cell: &&'a str| masked_prefix(cell).filter(|prefix| prefix.len() + 1 == cell.len());
        let singles: HashMap<&str, usize> =
            cells.iter().filter_map(single).map(|prefix| (prefix, characters(prefix) + 1)).collect();
        let mut any_length = HashSet::new();
        for cell in cells {
            let length = characters(cell);
            let other = |prefix: &&str| singles.get(prefix).is_some_and(|single| *single != length);
            any_length.extend(self.starts(cell, cell.len()).filter(other));
        }
        any_length
    }

    /// How long the texts are that a mask stands for.
    fn length(&self, mask: &str, prefix: &str) -> Option<usize> {
        let is_single = prefix.len() + 1 == mask.len();
        (!is_single || !self.any_length.contains(prefix)).then(|| characters(mask))
    }

    /// The starts of a text, longest first, that are as long as what some mask shows.
    fn starts<'b>(&self, cell: &'b str, longest: usize) -> impl Iterator<Item = &'b str> {
        self.shown.range(..=longest).rev().filter_map(|length| cell.get(..*length))
    }

    /// The nearest mask that stands for everything that this text stands for.
    fn around(&self, cell: &str) -> Option<usize> {
        let prefix = masked_prefix(cell).filter(|_| !self.places.is_empty());
        let length = prefix.map_or_else(|| Some(characters(cell)), |prefix| self.length(cell, prefix));
        let itself = prefix.map(|prefix| (prefix, length));
        self.starts(cell, prefix.unwrap_or(cell).len()).find_map(|start| {
            let same_length = length.map(|_| (start, length));
            let wider = [same_length, Some((start, None))].into_iter().flatten().filter(|key| Some(*key) != itself);
            wider.filter_map(|key| self.places.get(&key)).next().copied()
        })
    }
}

fn characters(text: &str) -> usize {
    text.chars().count()
}
