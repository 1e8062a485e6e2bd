//! Texts of a column that has a taxonomy: each must be a value of it, at a leaf or inside.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::{Drawn, Kinds, Recognised, Told, finish};
use crate::error::{Error, Result};
use crate::table::{SPARE_MISSING, listed};
use crate::taxonomy::{NodeId, SUPPRESSED, Taxonomy};
use crate::text::plain;

/// What each text stands for in the taxonomy of its column.
pub(super) fn recognise(told: &Told<'_>, tree: &Arc<Taxonomy>, cells: &[&str]) -> Result<Recognised> {
    let by_label: HashMap<&str, NodeId> =
        tree.nodes().iter().enumerate().rev().map(|(id, node)| (plain(&node.label), id)).collect();
    let missing: HashSet<&str> = told.missing.iter().map(|text| plain(text)).collect();
    let is_missing = |cell: &str| missing.contains(cell) || (!missing.is_empty() && SPARE_MISSING.contains(&cell));
    let find = |cell: &str| by_label.get(cell).or_else(|| by_label.get(cell.trim())).copied();
    let mut nodes = vec![0; cells.len()];
    let mut kinds = Kinds::default();
    let (mut absent, mut unknown) = (Vec::new(), Vec::new());
    for (place, cell) in cells.iter().enumerate() {
        match find(cell) {
            _ if *cell == SUPPRESSED => kinds.suppressed += 1,
            Some(node) => {
                nodes[place] = node;
                kinds.see(tree, node);
            }
            None if is_missing(cell) => absent.push(place),
            None => unknown.push(*cell),
        }
    }
    if !unknown.is_empty() {
        let message = format!(
            "not in its taxonomy: {}; add them to it, or describe this table in a policy of its own",
            told.some(&unknown, listed)
        );
        return Err(Error::column(told.name, message));
    }
    kinds.missing += absent.len() as u64;
    finish(told, tree.value_type(), cells, Drawn { tree: tree.clone(), nodes }, &absent, kinds)
}

impl Kinds {
    /// Counts a text that is a node of a taxonomy.
    fn see(&mut self, tree: &Taxonomy, id: NodeId) {
        let node = tree.node(id);
        let kind = match id {
            0 => &mut self.suppressed,
            _ if tree.missing() == Some(node.codes.start) => &mut self.missing,
            _ if node.children.is_empty() => &mut self.values,
            _ => &mut self.inner,
        };
        *kind += 1;
    }
}
