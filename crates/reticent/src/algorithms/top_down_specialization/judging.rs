//! Who judges the classes of a grouping: a model, or a statement over joined releases.

use super::partition::Dimension;
use crate::classes::{Group, Measured};
use crate::combos::Combos;
use crate::joined::{Cells, Joint};
use crate::models::{Judge, Judgement};
use crate::table::Table;
use crate::taxonomy::{Code, NodeId};

/// What is judged of every class.
pub(super) struct Judging<'a> {
    pub(super) measured: Measured,
    pub(super) by: By<'a>,
}

/// Who judges.
pub(super) enum By<'a> {
    /// A model, over the new release by itself.
    Model(Judge<'a>),
    /// A statement over joined releases. By join column on which classes agree: its dimension, and by node the number of its
    /// value.
    Statement { joint: &'a Joint<'a>, cells: Cells, key: Vec<(usize, Vec<u32>)> },
}

/// Where a candidate would split a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    pub(super) node: NodeId,
    pub(super) split: Option<Code>,
}

impl Judging<'_> {
    /// Judges a class with these values, of which one is another.
    pub(super) fn judge(
        &self,
        group: &Group<'_>,
        values: &[NodeId],
        instead: Option<(usize, u32)>,
        key: &mut Vec<u32>,
    ) -> Judgement {
        match &self.by {
            By::Model(judge) => judge(group),
            By::Statement { joint, cells, key: columns } => {
                key.clear();
                key.extend(columns.iter().map(|(dimension, numbers)| match instead {
                    Some((changed, number)) if changed == *dimension => number,
                    _ => numbers[values[*dimension]],
                }));
                joint.judge(cells, key, group.counts)
            }
        }
    }

    /// By part of a candidate: the number of its value, where this statement looks at it.
    pub(super) fn numbers_of(&self, dimension: usize, of: &Dimension, aim: Aim) -> Option<Vec<u32>> {
        let By::Statement { joint, key, .. } = &self.by else { return None };
        let place = key.iter().position(|(known, _)| *known == dimension)?;
        let codes = of.tree.node(aim.node).codes.clone();
        Some(match aim.split {
            Some(at) => [codes.start..at, at..codes.end]
                .map(|part| joint.part(place, &of.tree, part).unwrap_or(key[place].1[aim.node]))
                .to_vec(),
            None => of.tree.node(aim.node).children.iter().map(|child| key[place].1[*child]).collect(),
        })
    }
}

/// The table with what is published for every value, but for the columns that are generalized: several values of a column that
/// is not published exactly are one.
pub(super) fn published_as_is(table: &Table, dimensions: &[usize]) -> Combos {
    let raw = crate::recoding::Recoding::identity(table);
    let mut combos = table.combos.clone();
    for (at, (recoded, codes)) in raw.columns.iter().zip(&mut combos.codes).enumerate() {
        if !dimensions.contains(&at) {
            codes.iter_mut().for_each(|code| *code = recoded.map[*code as usize]);
        }
    }
    combos
}
