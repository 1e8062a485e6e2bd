//! Recognition of text columns: values, and in quasi-identifiers texts with masked suffix.
//!
//! `476**` represents all texts of its length with prefix `476`. A single star represents one character if all texts with
//! its prefix have its length. Otherwise it represents any suffix, for example `47*` beside `47677`.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};

use super::{RecognisedTree, RecognitionInput, TextKinds};
use crate::data::interval::masked_prefix;
use crate::data::schema::Role;
use crate::data::taxonomy::Taxonomy;
use crate::data::taxonomy::published::DraftNode;
use crate::error::{Error, Result};
use crate::text::counted;

/// Builds the tree of a text column.
pub(super) fn build_tree(input: &RecognitionInput<'_>, cells: &[&str]) -> Result<(RecognisedTree, TextKinds)> {
    let is_quasi_identifier = input.role == Role::QuasiIdentifier;
    if is_quasi_identifier {
        refuse_sets(input, cells)?;
    }
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by_key(|at| cells[*at]);
    let sorted: Vec<&str> = order.iter().map(|at| cells[*at]).collect();
    let masks = if is_quasi_identifier { Masks::new(&sorted) } else { Masks::default() };
    let draft = |cell: &&str| DraftNode { label: (*cell).to_owned(), parent: masks.parent(cell) };
    let (tree, ids) = Taxonomy::published(input.name, sorted.iter().map(draft).collect())?;
    let mut nodes = vec![0; cells.len()];
    for (at, id) in order.iter().zip(ids) {
        nodes[*at] = id;
    }
    let masked = masks.places.len() as u64;
    let kinds = TextKinds { values: cells.len() as u64 - masked, masked, ..TextKinds::default() };
    Ok((RecognisedTree { tree: tree.into(), nodes }, kinds))
}

/// Refuses sets and ranges of texts. Without a taxonomy they would be treated as values, and disclosure would be missed.
fn refuse_sets(input: &RecognitionInput<'_>, cells: &[&str]) -> Result<()> {
    let sets: Vec<&str> = cells.iter().copied().filter(|cell| is_set(cell)).collect();
    if sets.is_empty() {
        return Ok(());
    }
    let message = format!(
        "looks generalized: {} in brackets; give the column a taxonomy, or the type number or date",
        counted(sets.len() as u64, "value")
    );
    Err(Error::column(input.name, message))
}

/// Returns true for several parts in brackets or braces, for example `{a,b}` or `[a-b)`.
fn is_set(cell: &str) -> bool {
    let cell = cell.trim();
    let braces = cell.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let brackets = cell.strip_prefix(['[', ']']).and_then(|rest| rest.strip_suffix([']', '[', ')']));
    let open = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix([']', '[']));
    let inner = braces.or(brackets).or(open);
    inner.is_some_and(|inner| inner.contains([',', ';', '|', '-', '–']) || inner.contains(".."))
}

/// Masked texts of a column.
#[derive(Default)]
struct Masks<'a> {
    /// Index by prefix and by length of the represented texts; `None` for any length.
    places: HashMap<(&'a str, Option<usize>), usize>,
    /// Lengths of the prefixes, in bytes.
    prefix_lengths: BTreeSet<usize>,
    /// Prefixes of masks that represent texts of any length.
    any_length: HashSet<&'a str>,
}

impl<'a> Masks<'a> {
    /// Collects the masks of a column.
    fn new(cells: &[&'a str]) -> Self {
        let masked = || cells.iter().enumerate().filter_map(|(at, cell)| Some((at, *cell, masked_prefix(cell)?)));
        let mut masks =
            Masks { prefix_lengths: masked().map(|(_, _, prefix)| prefix.len()).collect(), ..Masks::default() };
        masks.any_length = masks.of_any_length(cells);
        masks.places = masked().map(|(at, cell, prefix)| ((prefix, masks.length(cell, prefix)), at)).collect();
        masks
    }

    /// Prefixes of single-star masks that are also prefixes of texts with another length.
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

    /// Length of the texts that a mask represents; `None` for any length.
    fn length(&self, mask: &str, prefix: &str) -> Option<usize> {
        let is_single = prefix.len() + 1 == mask.len();
        (!is_single || !self.any_length.contains(prefix)).then(|| characters(mask))
    }

    /// Prefixes of a text that have the length of some mask's prefix, longest first.
    fn starts<'b>(&self, cell: &'b str, longest: usize) -> impl Iterator<Item = &'b str> {
        self.prefix_lengths.range(..=longest).rev().filter_map(|length| cell.get(..*length))
    }

    /// Index of the most specific mask that covers this text.
    fn parent(&self, cell: &str) -> Option<usize> {
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
