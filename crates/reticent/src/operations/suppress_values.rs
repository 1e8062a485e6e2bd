//! Value suppression: suppresses all occurrences of given values of a column.
//!
//! Before a search, the values of a table become one value that every recoding publishes as the root of the taxonomy. A search treats it
//! as a leaf next to the other children of the root, so it specializes the other values independently of it. All records with one of
//! these values are published alike in this column, as `*` or as the label of the root: the value can be any value of the column.
//! Paper  survey section 3.1, value suppression; Wang, Fung and Yu, ICDM 2005.

use std::sync::Arc;

use crate::data::contingency::combine;
use crate::data::table::Table;
use crate::data::taxonomy::Code;
use crate::error::{Error, Result};
use crate::registry::{Entry, Kind};
use crate::release::recoding::Recoding;

/// Catalogue entry of the operation.
pub const ENTRY: Entry = Entry {
    kind: Kind::Operation,
    id: "suppress-values",
    title: "value suppression",
    summary: "Replaces every occurrence of given values of a column by `*`.",
    paper: "Wang, Fung and Yu, Template-based privacy preservation in classification problems, ICDM 2005",
    protects_against: "linkage by rare values",
    comparison: false,
    parameters: &[],
    evidence: &["laws::operations", "laws::suppressed_values"],
};

/// Recodes these values of a column to the root of its taxonomy.
pub fn suppress_values(recoding: &mut Recoding, column: usize, values: &[Code]) {
    let recoded = &mut recoding.columns[column];
    let root = recoded.column.root();
    for value in values {
        recoded.map[*value as usize] = root;
    }
}

/// Replaces these values of a column of a table by a value that every recoding publishes as the root of the taxonomy.
///
/// # Errors
///
/// Returns an error if the table has no such column, or if the column does not have one of the values.
pub fn suppress_values_of_table(table: &mut Table, column: &str, values: &[String]) -> Result<()> {
    let at = table.position(column)?;
    let tree = &table.columns[at].tree;
    let mut suppressed: Vec<Code> = Vec::new();
    for value in values {
        let code = tree.values().iter().position(|known| known == value);
        let unknown = || {
            let message = format!(
                "`suppress-values` lists {value:?}, which is not a value of this column in the data; correct it, or declare all values \
                 in a taxonomy"
            );
            Error::column(column, message)
        };
        suppressed.push(code.ok_or_else(unknown)? as Code);
    }
    if suppressed.is_empty() {
        return Ok(());
    }
    let mut tree = (**tree).clone();
    let code = tree.add_suppressed();
    let replaced = |known: Code| if suppressed.contains(&known) { code } else { known };
    let contingency = &mut table.contingency;
    contingency.codes[at].iter_mut().for_each(|known| *known = replaced(*known));
    let views: Vec<&[Code]> = contingency.codes.iter().map(Vec::as_slice).collect();
    *contingency = combine(&views, &contingency.weights, contingency.owners.as_deref());
    let column = &mut table.columns[at];
    let texts = column.texts.iter().map(|(text, known)| (text.clone(), known.map(replaced)));
    column.texts = Arc::new(texts.collect());
    column.tree = Arc::new(tree);
    Ok(())
}
