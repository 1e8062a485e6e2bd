//! Recognition of texts by a taxonomy: each text must be a leaf or an inner node.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::{Recognised, RecognisedTree, RecognitionInput, TextKinds, finish};
use crate::data::table::{FALLBACK_MISSING, plain_examples};
use crate::data::taxonomy::{NodeId, SUPPRESSED, Taxonomy};
use crate::error::{Error, Result};
use crate::text::without_formula_guard;

/// Recognises texts as nodes of a taxonomy.
pub(super) fn recognise(input: &RecognitionInput<'_>, tree: &Arc<Taxonomy>, cells: &[&str]) -> Result<Recognised> {
    let by_label: HashMap<&str, NodeId> =
        tree.nodes().iter().enumerate().rev().map(|(id, node)| (without_formula_guard(&node.label), id)).collect();
    let missing: HashSet<&str> = input.missing.iter().map(|text| without_formula_guard(text)).collect();
    let is_missing = |cell: &str| missing.contains(cell) || (!missing.is_empty() && FALLBACK_MISSING.contains(&cell));
    let find = |cell: &str| by_label.get(cell).or_else(|| by_label.get(cell.trim())).copied();
    let mut nodes = vec![0; cells.len()];
    let mut kinds = TextKinds::default();
    let (mut absent, mut unknown) = (Vec::new(), Vec::new());
    for (place, cell) in cells.iter().enumerate() {
        match find(cell) {
            _ if *cell == SUPPRESSED => kinds.suppressed += 1,
            Some(node) => {
                nodes[place] = node;
                kinds.count_node(tree, node);
            }
            None if is_missing(cell) => absent.push(place),
            None => unknown.push(*cell),
        }
    }
    if !unknown.is_empty() {
        let message = format!(
            "{} not in its taxonomy; add them to the taxonomy, or use a separate policy for this table",
            input.describe(&unknown, plain_examples)
        );
        return Err(Error::column(input.name, message));
    }
    kinds.missing += absent.len() as u64;
    finish(input, tree.value_type(), cells, RecognisedTree { tree: tree.clone(), nodes }, &absent, kinds)
}

impl TextKinds {
    /// Counts a text by the kind of its node.
    fn count_node(&mut self, tree: &Taxonomy, id: NodeId) {
        let node = tree.node(id);
        let kind = match id {
            0 => &mut self.suppressed,
            _ if tree.missing() == Some(node.span.start) => &mut self.missing,
            _ if node.children.is_empty() => &mut self.values,
            _ => &mut self.taxonomy_nodes,
        };
        *kind += 1;
    }
}
