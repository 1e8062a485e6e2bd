//! What the search stands on: the columns along which parts are told apart, and who judges them.

use std::sync::Arc;

use super::sorted;
use crate::algorithms::joints::to_watch;
use crate::algorithms::top_down_specialization::Gain;
use crate::algorithms::{Purpose, Task};
use crate::classes::{Group, Measured};
use crate::combos::Combos;
use crate::error::{Obstacle, Result};
use crate::joined::{At, Cells, Joint, Of, Statement};
use crate::models::{Judge, Judgement};
use crate::recoding::{Recoded, Recoding};
use crate::release::PublishedColumn;
use crate::taxonomy::{Code, NodeId, Taxonomy};

/// A generalized column.
pub(super) struct Dimension {
    pub column: usize,
    pub tree: Arc<Taxonomy>,
}

/// What the search stands on.
pub(super) struct Ground {
    pub dimensions: Vec<Dimension>,
    /// Columns that some demand knows and that are published as they are.
    pub fixed: Vec<usize>,
    /// Whether all demands know all of these columns, so that parts are what they speak of.
    pub exact: bool,
    pub gain: Gain,
    pub class: Option<usize>,
    /// Published as they are.
    pub raw: Vec<PublishedColumn>,
    /// By column, by combination: the code of the value as it is.
    pub as_is: Vec<Vec<Code>>,
}

/// Who judges parts.
pub(super) struct Judging<'a> {
    pub measured: Measured,
    pub owners: bool,
    by: By<'a>,
}

enum By<'a> {
    Model(Judge<'a>),
    /// By join column on which a part agrees: its dimension, and by node the number of its value.
    Statement {
        joint: &'a Joint<'a>,
        cells: Cells,
        key: Vec<(usize, Vec<u32>)>,
    },
}

impl Ground {
    pub(super) fn new(task: &Task<'_>, columns: &[usize], gain: Gain) -> Result<Ground> {
        let table = task.table;
        let (mut known, mut counted) = (Vec::new(), Vec::new());
        for model in &task.requirement.models {
            known.push(sorted(table.positions(model.by())?));
            counted.extend(table.positions(model.of())?);
        }
        for statement in task.requirement.joined.iter().flat_map(|together| &together.statements) {
            known.push(sorted(statement.x.iter().filter(|at| at.release == 0).map(|at| at.column).collect()));
            counted.extend(statement.y.iter().filter_map(here));
        }
        let all = sorted(known.iter().flatten().copied().collect());
        let fixed: Vec<usize> = all.iter().copied().filter(|column| !columns.contains(column)).collect();
        let exact = known.iter().all(|known| *known == all);
        if let Some(column) = fixed.iter().find(|column| counted.contains(column)) {
            return Err(Obstacle::ColumnKnownAndCounted { column: table.columns[*column].name.clone() }.into());
        }
        let class = match (gain, task.purpose) {
            (Gain::Entropy, Purpose::Classification(column)) => Some(table.position(column)?),
            _ => None,
        };
        let identity = Recoding::identity(table);
        let code =
            |(recoded, codes): (&Recoded, &Vec<Code>)| codes.iter().map(|code| recoded.map[*code as usize]).collect();
        let as_is = identity.columns.iter().zip(&table.combos.codes).map(code).collect();
        let dimension = |column: &usize| {
            let tree = table.columns[*column].tree.halved(&table.weights_of(*column));
            Dimension { column: *column, tree: Arc::new(tree) }
        };
        Ok(Ground {
            dimensions: columns.iter().map(dimension).collect(),
            fixed,
            exact,
            gain,
            class,
            raw: identity.columns.into_iter().map(|recoded| recoded.column).collect(),
            as_is,
        })
    }

    pub(super) fn columns(&self) -> Vec<usize> {
        self.dimensions.iter().map(|dimension| dimension.column).collect()
    }

    /// The statements for an attacker who knows every column that parts are told apart by.
    pub(super) fn stronger(&self, task: &Task<'_>) -> Result<Vec<(Vec<usize>, Statement)>> {
        let mut statements = Vec::new();
        for together in &task.requirement.joined {
            for statement in &together.statements {
                let mut statement = statement.clone();
                let all = self.columns().into_iter().chain(self.fixed.iter().copied());
                statement.x.extend(all.map(|column| At { release: 0, column }));
                statement.x.sort_unstable();
                statement.x.dedup();
                statements.push((together.earlier.clone(), statement));
            }
        }
        Ok(statements)
    }

    pub(super) fn joints<'a>(
        &self,
        task: &'a Task<'a>,
        statements: &'a [(Vec<usize>, Statement)],
        abort: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Joint<'a>>> {
        let (columns, raw) = (self.columns(), Recoding::identity(task.table));
        let mut joints = Vec::new();
        for (earlier, statement) in statements {
            let rules = &task.requirement.rules;
            let joint = Joint::new(statement, &self.raw, &columns, task.history, earlier, rules)?.heeding(abort);
            joint.relate(task.table, &raw);
            joints.push(joint);
        }
        Ok(joints)
    }

    pub(super) fn judges<'a>(&self, task: &'a Task<'a>, joints: &'a [Joint<'a>]) -> Result<Vec<Judging<'a>>> {
        let combos = &Combos { codes: self.as_is.clone(), ..task.table.combos.clone() };
        let mut judges = Vec::new();
        for model in &task.requirement.models {
            let of = task.table.positions(model.of())?;
            let column = if let [only] = of.as_slice() { Some(&self.raw[*only]) } else { None };
            let measured = Measured::new(combos, &of);
            let judge = model.judge(&measured.whole(combos, column))?;
            judges.push(Judging { measured, owners: combos.owners.is_some(), by: By::Model(judge) });
        }
        for joint in to_watch(joints, &self.columns()) {
            let mut cells = joint.cells(combos, &self.raw);
            let measured = Measured { codes: std::mem::take(&mut cells.measured.codes), len: cells.measured.len };
            let numbers = |(place, column): (usize, &usize)| {
                let dimension = self.dimensions.iter().position(|dimension| dimension.column == *column)?;
                let tree = &self.dimensions[dimension].tree;
                Some((dimension, (0..tree.nodes().len()).map(|node| joint.value(place, tree, node)).collect()))
            };
            let key = joint.turning().iter().enumerate().filter_map(numbers).collect();
            judges.push(Judging { measured, owners: false, by: By::Statement { joint, cells, key } });
        }
        Ok(judges)
    }
}

impl Judging<'_> {
    pub(super) fn judge(&self, group: &Group<'_>, nodes: &[NodeId]) -> Judgement {
        match &self.by {
            By::Model(judge) => judge(group),
            By::Statement { joint, cells, key } => {
                let key: Vec<u32> = key.iter().map(|(dimension, numbers)| numbers[nodes[*dimension]]).collect();
                joint.judge(cells, &key, group.counts)
            }
        }
    }
}

/// The column of the new release that is counted.
fn here(of: &Of) -> Option<usize> {
    match of {
        Of::Column(At { release: 0, column }) => Some(*column),
        _ => None,
    }
}
