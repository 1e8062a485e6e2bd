//! Recognition: from the texts of a published table to a release, without the values behind them.
//!
//! A release that was made elsewhere, and one that comes back from the ledger, are known by their texts only. What is
//! told about a column (its role, its type, its taxonomy) and the usual notations say what each text stands for: a value,
//! an interval, an inner value of the taxonomy, a masked text, nothing at all, or a missing value.

mod in_tree;
mod masks;
mod scale;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use hashbrown::HashSet;

use crate::combos::{Combos, Weight};
use crate::error::{Error, Result, TableFault};
use crate::interval::{Interval, masked_prefix};
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::table::{Counts, SPARE_MISSING};
use crate::taxonomy::{NodeId, SUPPRESSED, Taxonomy, Type, is_code};
use crate::text::{counted, plain};

/// What is known about a published column besides its texts.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is to an attacker.
    pub role: Role,
    /// What its values are; none to find out.
    pub values: Option<Type>,
    /// Its taxonomy, where there is a file of it.
    pub tree: Option<&'a Arc<Taxonomy>>,
    /// The texts that stand for no value.
    pub missing: &'a [String],
}

/// A column whose texts are understood.
#[derive(Debug, Clone)]
pub struct Recognised {
    /// The column. A code is a place in the texts; several may share a node, when they say the same in other words. The
    /// root comes after all texts when none of them says it.
    pub column: PublishedColumn,
    /// What its values are; those of a taxonomy file are texts.
    pub values: Type,
    /// How many texts are what.
    pub kinds: Kinds,
    /// The texts that were taken to stand for no value, those first that were told: with these alone the rest is recognised again as it was.
    pub missing: Vec<String>,
}

/// How many texts of a column are what; together all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Kinds {
    /// Single values.
    pub values: u64,
    /// Intervals of numbers or dates.
    pub intervals: u64,
    /// Inner values of the taxonomy.
    pub inner: u64,
    /// Texts whose end is masked.
    pub masked: u64,
    /// Texts that say nothing.
    pub suppressed: u64,
    /// Texts that stand for no value.
    pub missing: u64,
}

/// A tree, and by place among the texts that were drawn, the node.
struct Drawn {
    tree: Arc<Taxonomy>,
    nodes: Vec<NodeId>,
}

/// A whole release from published texts. `told` is about the same columns, by name; the kinds are in the order of the
/// counts. Combinations stay as they are: a published code is a place in the texts of its column.
pub fn release(counts: Counts, told: &[Told<'_>], suppressed: Weight) -> Result<(Release, Vec<Kinds>)> {
    check_shape(&counts)?;
    let told = in_order(&counts.names, told)?;
    let mut columns = Vec::with_capacity(told.len());
    let mut kinds = Vec::with_capacity(told.len());
    for (told, texts) in told.into_iter().zip(&counts.values) {
        let recognised = recognise(told, texts)?;
        columns.push(recognised.column);
        kinds.push(recognised.kinds);
    }
    Ok((Release { columns, combos: counts.combos, suppressed }, kinds))
}

/// What each text of a published column stands for.
pub fn recognise(told: &Told<'_>, texts: &[String]) -> Result<Recognised> {
    let cells = plain_cells(told, texts)?;
    match told.tree {
        Some(tree) => in_tree::recognise(told, tree, &cells),
        None => by_notation(told, &cells),
    }
}

/// What the texts stand for where no taxonomy says it.
fn by_notation(told: &Told<'_>, cells: &[&str]) -> Result<Recognised> {
    let mut said = Said::among(told, cells);
    let values = told.values.unwrap_or_else(|| find_out(&said.cells));
    match values {
        // Among texts they are texts like any other.
        Type::Text => std::mem::take(&mut said.spare).into_iter().for_each(|place| said.push(place, cells[place])),
        _ => said.absent.append(&mut said.spare),
    }
    let (drawn, mut kinds) = match values {
        Type::Text => masks::draw(told, &said.cells)?,
        _ => scale::draw(told, values, &said.cells)?,
    };
    let mut nodes = vec![0; cells.len()];
    for (place, node) in said.places.iter().zip(drawn.nodes) {
        nodes[*place] = node;
    }
    kinds.missing = said.absent.len() as u64;
    kinds.suppressed = (cells.len() - said.places.len() - said.absent.len()) as u64;
    finish(told, values, cells, Drawn { tree: drawn.tree, nodes }, &said.absent, kinds)
}

/// The texts that say something, each with its place among all; and the places of those that may stand for no value.
#[derive(Default)]
struct Said<'a> {
    places: Vec<usize>,
    cells: Vec<&'a str>,
    absent: Vec<usize>,
    /// Nobody listed them, and they are published for missing values where nothing that is listed will do.
    spare: Vec<usize>,
}

impl<'a> Said<'a> {
    fn among(told: &Told<'_>, cells: &[&'a str]) -> Self {
        let missing: HashSet<&str> = told.missing.iter().map(|text| plain(text)).collect();
        let says_nothing = |cell: &str| match told.role {
            // However many characters are masked, nothing is left of them.
            Role::QuasiIdentifier => !cell.is_empty() && cell.bytes().all(|byte| byte == b'*'),
            _ => cell == SUPPRESSED,
        };
        let mut said = Said::default();
        for (place, cell) in cells.iter().enumerate().filter(|(_, cell)| !says_nothing(cell)) {
            if missing.contains(cell) {
                said.absent.push(place);
            } else if !missing.is_empty() && SPARE_MISSING.contains(cell) {
                said.spare.push(place);
            } else {
                said.push(place, cell);
            }
        }
        said
    }

    fn push(&mut self, place: usize, cell: &'a str) {
        self.places.push(place);
        self.cells.push(cell);
    }
}

/// The column, with a leaf for the texts that stand for no value. `drawn` has the nodes of all texts.
fn finish(
    told: &Told<'_>,
    values: Type,
    cells: &[&str],
    drawn: Drawn,
    absent: &[usize],
    kinds: Kinds,
) -> Result<Recognised> {
    let Drawn { mut tree, mut nodes } = drawn;
    // One leaf for all, published under the text that was told first.
    let rank =
        |place: &&usize| told.missing.iter().position(|text| plain(text) == cells[**place]).unwrap_or(usize::MAX);
    let mut in_order: Vec<&usize> = absent.iter().collect();
    in_order.sort_by_key(rank);
    let missing: Vec<String> = in_order.iter().map(|place| cells[**place].to_owned()).collect();
    if let Some(first) = in_order.first() {
        let code = match tree.missing() {
            Some(code) => code,
            None => Arc::make_mut(&mut tree).add_missing(cells[**first]).map_err(|_| {
                Error::column(told.name, "a text that stands for no value is also a value of its taxonomy")
            })?,
        };
        let leaf = tree.leaf_of(code);
        absent.iter().for_each(|place| nodes[*place] = leaf);
    }
    if !nodes.contains(&0) {
        nodes.push(0);
    }
    let column = PublishedColumn { name: told.name.to_owned(), role: told.role, tree, nodes };
    Ok(Recognised { column, values, kinds, missing })
}

/// Numbers if all texts read as numbers, else dates if all read as dates. What is masked only, or has leading zeros, is a
/// code.
fn find_out(cells: &[&str]) -> Type {
    let all_read = |values: Type| cells.iter().all(|cell| Interval::parse(values, cell).is_some());
    let shown = |cell: &&str| masked_prefix(cell).is_none();
    let leading_zero = |cell: &&str| is_code(masked_prefix(cell).unwrap_or(cell));
    if !cells.iter().any(shown) || scale::doubtful(cells).is_some() {
        Type::Text
    } else if all_read(Type::Number) && !cells.iter().any(leading_zero) {
        Type::Number
    } else if all_read(Type::Date) {
        Type::Date
    } else {
        Type::Text
    }
}

/// The cells without the apostrophes that keep spreadsheets from computing them; no two may become one.
fn plain_cells<'a>(told: &Told<'_>, texts: &'a [String]) -> Result<Vec<&'a str>> {
    let cells: Vec<&str> = texts.iter().map(|text| plain(text)).collect();
    let different: HashSet<&str> = cells.iter().copied().collect();
    if different.len() < cells.len() {
        let message = "has a value with and without an apostrophe before it; write it one way";
        return Err(Error::column(told.name, message));
    }
    Ok(cells)
}

impl Told<'_> {
    /// Some of its texts, for an error about them: how many, and of a quasi-identifier which, as far as that may be shown.
    fn some(&self, cells: &[&str], shown: fn(&[&str]) -> String) -> String {
        let which = if self.role == Role::QuasiIdentifier { shown(cells) } else { String::new() };
        format!("{}{which}", counted(cells.len() as u64, "value"))
    }
}

/// What is told about each of these columns.
fn in_order<'a, 'b>(names: &[String], told: &'a [Told<'b>]) -> Result<Vec<&'a Told<'b>>> {
    let find = |name: &String| {
        let mut about = told.iter().filter(|told| plain(told.name) == plain(name));
        match (about.next(), about.next()) {
            (Some(told), None) => Ok(told),
            (None, _) => Err(Error::column(name, "is in the published table, and nothing is told about it")),
            (Some(_), Some(_)) => Err(Error::column(name, "is told about twice")),
        }
    };
    let ordered: Vec<&Told<'_>> = names.iter().map(find).collect::<Result<_>>()?;
    let different: HashSet<&str> = names.iter().map(|name| plain(name)).collect();
    if different.len() < names.len() {
        return Err(Error::Table { fault: TableFault::SameName });
    }
    match told.iter().find(|told| !different.contains(plain(told.name))) {
        Some(told) => Err(Error::column(told.name, "is not in the published table")),
        None => Ok(ordered),
    }
}

/// Every combination has a code for every column, and every code a text.
fn check_shape(counts: &Counts) -> Result<()> {
    let Combos { codes, weights, owners } = &counts.combos;
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
