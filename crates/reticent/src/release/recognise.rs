//! Recognition: reconstructs a release from the texts of a published table, without the original values.
//!
//! Releases made elsewhere and releases from the ledger consist of texts only. The description of a column (role, type,
//! taxonomy) and common notations define the meaning of each text: a value, an interval, an inner node of the taxonomy,
//! a set of values, a masked text, a suppressed cell or a missing value.

mod in_tree;
mod masks;
mod scale;
mod sets;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use hashbrown::HashSet;

use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::interval::{Interval, masked_prefix};
use crate::data::schema::Role;
use crate::data::table::{Counts, FALLBACK_MISSING};
use crate::data::taxonomy::{NodeId, SUPPRESSED, Taxonomy, Type, is_code};
use crate::error::{Error, Result, TableFault};
use crate::release::{PublishedColumn, Release};
use crate::text::{counted, without_formula_guard};
use sets::ColumnWithSets;

/// Description of a published column.
#[derive(Debug, Clone, Copy)]
pub struct RecognitionInput<'a> {
    /// Column name.
    pub name: &'a str,
    /// Role in the attack model.
    pub role: Role,
    /// Type of the values; `None` to infer it.
    pub values: Option<Type>,
    /// Taxonomy, if given.
    pub tree: Option<&'a Arc<Taxonomy>>,
    /// Texts that represent a missing value.
    pub missing: &'a [String],
}

/// A recognised column.
#[derive(Debug, Clone)]
pub struct Recognised {
    /// Published column. A code is an index into the texts; texts with the same meaning share a node. The root is
    /// appended if no text is suppressed.
    pub column: PublishedColumn,
    /// Type of the values.
    pub values: Type,
    /// Number of texts by kind.
    pub kinds: TextKinds,
    /// Texts recognised as missing values, in the order of the description. They suffice to repeat the recognition.
    pub missing: Vec<String>,
}

/// Number of texts of a column by kind. Every text has one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct TextKinds {
    /// Single values.
    pub values: u64,
    /// Intervals of numbers or dates.
    pub intervals: u64,
    /// Inner nodes of the taxonomy.
    pub taxonomy_nodes: u64,
    /// Sets of values.
    pub sets: u64,
    /// Texts with masked suffix.
    pub masked: u64,
    /// Suppressed cells.
    pub suppressed: u64,
    /// Missing values.
    pub missing: u64,
}

/// A tree, and the node of each text.
struct RecognisedTree {
    tree: Arc<Taxonomy>,
    nodes: Vec<NodeId>,
}

/// Recognises a whole release. `input` describes the columns by name; the kinds are in the order of the counts.
///
/// Combinations are unchanged: a published code is an index into the texts of its column.
///
/// # Errors
///
/// Returns an error if the columns and their descriptions differ, or if a text is not recognised.
pub fn release(
    counts: Counts,
    input: &[RecognitionInput<'_>],
    suppressed: Weight,
) -> Result<(Release, Vec<TextKinds>)> {
    check_shape(&counts)?;
    let input = match_columns(&counts.names, input)?;
    let mut columns = Vec::with_capacity(input.len());
    let mut kinds = Vec::with_capacity(input.len());
    for (input, texts) in input.into_iter().zip(&counts.values) {
        let recognised = recognise(input, texts)?;
        columns.push(recognised.column);
        kinds.push(recognised.kinds);
    }
    Ok((Release { columns, contingency: counts.contingency, suppressed }, kinds))
}

/// Recognises the texts of a published column.
///
/// # Errors
///
/// Returns an error if a text is not recognised.
pub fn recognise(input: &RecognitionInput<'_>, texts: &[String]) -> Result<Recognised> {
    let cells = plain_cells(input, texts)?;
    let Some(sets) = sets::labels(input, &cells) else { return recognise_cells(input, &cells) };
    let column = ColumnWithSets::new(&cells, &sets);
    let recognised = recognise_cells(input, &column.cells)?;
    Ok(column.combine(input, recognised))
}

/// Recognises texts that are no sets.
fn recognise_cells(input: &RecognitionInput<'_>, cells: &[&str]) -> Result<Recognised> {
    match input.tree {
        Some(tree) => in_tree::recognise(input, tree, cells),
        None => by_notation(input, cells),
    }
}

/// Recognises texts of a column without taxonomy by their notation.
fn by_notation(input: &RecognitionInput<'_>, cells: &[&str]) -> Result<Recognised> {
    let mut parsed = ColumnTexts::new(input, cells);
    let values = input.values.unwrap_or_else(|| infer_type(&parsed.cells));
    match values {
        // In a text column, fallback texts are ordinary values.
        Type::Text => {
            std::mem::take(&mut parsed.fallback).into_iter().for_each(|place| parsed.push(place, cells[place]))
        }
        _ => parsed.absent.append(&mut parsed.fallback),
    }
    let (built, mut kinds) = match values {
        Type::Text => masks::build_tree(input, &parsed.cells)?,
        _ => scale::build_tree(input, values, &parsed.cells)?,
    };
    let mut nodes = vec![0; cells.len()];
    for (place, node) in parsed.places.iter().zip(built.nodes) {
        nodes[*place] = node;
    }
    kinds.missing = parsed.absent.len() as u64;
    kinds.suppressed = (cells.len() - parsed.places.len() - parsed.absent.len()) as u64;
    finish(input, values, cells, RecognisedTree { tree: built.tree, nodes }, &parsed.absent, kinds)
}

/// Texts of a column by kind: values (with their indices) and possible missing values. Suppressed cells are excluded.
#[derive(Default)]
struct ColumnTexts<'a> {
    places: Vec<usize>,
    cells: Vec<&'a str>,
    absent: Vec<usize>,
    /// Indices of fallback texts for missing values, which are not listed in the description.
    fallback: Vec<usize>,
}

impl<'a> ColumnTexts<'a> {
    fn new(input: &RecognitionInput<'_>, cells: &[&'a str]) -> Self {
        let missing: HashSet<&str> = input.missing.iter().map(|text| without_formula_guard(text)).collect();
        let is_suppressed = |cell: &str| match input.role {
            // A text of stars only is suppressed, whatever its length.
            Role::QuasiIdentifier => !cell.is_empty() && cell.bytes().all(|byte| byte == b'*'),
            _ => cell == SUPPRESSED,
        };
        let mut parsed = ColumnTexts::default();
        for (place, cell) in cells.iter().enumerate().filter(|(_, cell)| !is_suppressed(cell)) {
            if missing.contains(cell) {
                parsed.absent.push(place);
            } else if !missing.is_empty() && FALLBACK_MISSING.contains(cell) {
                parsed.fallback.push(place);
            } else {
                parsed.push(place, cell);
            }
        }
        parsed
    }

    fn push(&mut self, place: usize, cell: &'a str) {
        self.places.push(place);
        self.cells.push(cell);
    }
}

/// Builds the column and adds a leaf for missing values. `built` has the nodes of all texts.
fn finish(
    input: &RecognitionInput<'_>,
    values: Type,
    cells: &[&str],
    built: RecognisedTree,
    absent: &[usize],
    kinds: TextKinds,
) -> Result<Recognised> {
    let RecognisedTree { mut tree, mut nodes } = built;
    // One leaf for all missing values, labelled with the first text of the description.
    let rank = |place: &&usize| {
        input.missing.iter().position(|text| without_formula_guard(text) == cells[**place]).unwrap_or(usize::MAX)
    };
    let mut in_order: Vec<&usize> = absent.iter().collect();
    in_order.sort_by_key(rank);
    let missing: Vec<String> = in_order.iter().map(|place| cells[**place].to_owned()).collect();
    if let Some(first) = in_order.first() {
        let code = match tree.missing() {
            Some(code) => code,
            None => Arc::make_mut(&mut tree)
                .add_missing(cells[**first])
                .map_err(|_| Error::column(input.name, "a text for a missing value is also a value of its taxonomy"))?,
        };
        let leaf = tree.leaf_of(code);
        absent.iter().for_each(|place| nodes[*place] = leaf);
    }
    if !nodes.contains(&0) {
        nodes.push(0);
    }
    let column = PublishedColumn { name: input.name.to_owned(), role: input.role, tree, nodes };
    Ok(Recognised { column, values, kinds, missing })
}

/// Infers the type: numbers if all texts are numbers, else dates if all are dates, else text.
///
/// Columns with only masked texts, or numbers with leading zeros, are text.
fn infer_type(cells: &[&str]) -> Type {
    let all_parse = |values: Type| cells.iter().all(|cell| Interval::parse(values, cell).is_some());
    let is_unmasked = |cell: &&str| masked_prefix(cell).is_none();
    let leading_zero = |cell: &&str| is_code(masked_prefix(cell).unwrap_or(cell));
    if !cells.iter().any(is_unmasked) || scale::ambiguous_mask(cells).is_some() {
        Type::Text
    } else if all_parse(Type::Number) && !cells.iter().any(leading_zero) {
        Type::Number
    } else if all_parse(Type::Date) {
        Type::Date
    } else {
        Type::Text
    }
}

/// Texts without the leading apostrophes that protect against spreadsheet formulas. Refuses texts that become equal.
fn plain_cells<'a>(input: &RecognitionInput<'_>, texts: &'a [String]) -> Result<Vec<&'a str>> {
    let cells: Vec<&str> = texts.iter().map(|text| without_formula_guard(text)).collect();
    let different: HashSet<&str> = cells.iter().copied().collect();
    if different.len() < cells.len() {
        let message = "has a value with and without an apostrophe before it; write it one way";
        return Err(Error::column(input.name, message));
    }
    Ok(cells)
}

impl RecognitionInput<'_> {
    /// Describes some texts for an error: their number and, for a quasi-identifier, examples.
    fn describe(&self, cells: &[&str], examples: fn(&[&str]) -> String) -> String {
        let which = if self.role == Role::QuasiIdentifier { examples(cells) } else { String::new() };
        format!("{}{which}", counted(cells.len() as u64, "value"))
    }
}

/// Description of each column, in the order of `names`.
fn match_columns<'a, 'b>(names: &[String], input: &'a [RecognitionInput<'b>]) -> Result<Vec<&'a RecognitionInput<'b>>> {
    let find = |name: &String| {
        let mut about = input.iter().filter(|input| without_formula_guard(input.name) == without_formula_guard(name));
        match (about.next(), about.next()) {
            (Some(input), None) => Ok(input),
            (None, _) => Err(Error::column(name, "is in the published table but has no description")),
            (Some(_), Some(_)) => Err(Error::column(name, "is described twice")),
        }
    };
    let ordered: Vec<&RecognitionInput<'_>> = names.iter().map(find).collect::<Result<_>>()?;
    let different: HashSet<&str> = names.iter().map(|name| without_formula_guard(name)).collect();
    if different.len() < names.len() {
        return Err(Error::Table { fault: TableFault::SameName });
    }
    match input.iter().find(|input| !different.contains(without_formula_guard(input.name))) {
        Some(input) => Err(Error::column(input.name, "is not in the published table")),
        None => Ok(ordered),
    }
}

/// Checks that every combination has a code for every column, and every code a text.
fn check_shape(counts: &Counts) -> Result<()> {
    let ContingencyTable { codes, weights, owners } = &counts.contingency;
    let columns = counts.names.len();
    let long = |codes: &Vec<u32>| codes.len() == weights.len();
    let known = |(codes, texts): (&Vec<u32>, &Vec<String>)| codes.iter().all(|code| (*code as usize) < texts.len());
    let holds = counts.values.len() == columns
        && codes.len() == columns
        && codes.iter().all(long)
        && owners.as_ref().is_none_or(long)
        && codes.iter().zip(&counts.values).all(known);
    if holds { Ok(()) } else { Err(Error::Table { fault: TableFault::CountsInconsistent }) }
}
